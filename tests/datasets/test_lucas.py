"""The published tables of LUCAS, beside the published sample."""

import numpy as np
import pytest
from scipy.stats import binomtest

from ensfs.datasets import load_lucas_network


def test_the_graph():
    lucas = load_lucas_network()
    assert lucas.names[-1] == "Lung_cancer"
    assert len(lucas.names) == 12
    assert len(lucas.edges) == 12
    assert lucas.parents("Lung_cancer") == ("Genetics", "Smoking")
    assert lucas.children("Lung_cancer") == ("Fatigue", "Coughing")
    blanket = {"Allergy", "Coughing", "Fatigue", "Genetics", "Smoking"}
    assert set(lucas.markov_blanket("Lung_cancer")) == blanket
    assert lucas.markov_blanket("Born_an_Even_Day") == ()


@pytest.mark.requires_data("lucas0.csv.gz")
def test_frequencies_of_the_published_sample(load_real):
    """Every conditional frequency of the 2,000 rows is what the tables allow."""
    lucas = load_lucas_network()
    X, y = load_real("lucas0", as_frame=True)
    assert [*X.columns, "Lung_cancer"] == list(lucas.names)
    rows = X.astype(int).assign(Lung_cancer=y).to_numpy()
    table = dict(zip(lucas.names, rows.T, strict=True))
    for name in lucas.names:
        parents = lucas.parents(name)
        for cell in np.ndindex(*(2,) * len(parents)):
            match = [table[parent] == state for parent, state in zip(parents, cell, strict=True)]
            values = table[name][np.all(match, axis=0)] if match else table[name]
            true = lucas.probabilities[name][(*cell, 1)]
            assert binomtest(int(values.sum()), len(values), true).pvalue > 1e-3, (name, cell)

"""Tumer and Oza (2003): Table 2 as printed, and what the paper says of synthetic set A."""

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ensfs import InputDecimation, InputDecimationClassifier
from ensfs.datasets import make_input_decimation
from ensfs.evaluation import error_correlation

# inputs of each member: total and common columns of IDE and of IDEAC
TABLE_2 = {5: (18, 0, 15, 0), 9: (28, 0, 18, 1), 18: (36, 0, 25, 13), 27: (36, 7, 30, 24)}


@pytest.mark.requires_data("satimage.csv.gz")
def test_table_2(load_real):
    X, y = load_real("satimage")
    X, y = X[:4435], y[:4435]
    for n, printed in TABLE_2.items():
        plain = InputDecimation(n).fit(X, y)
        apart = InputDecimation(n, redundancy="sum").fit(X, y)
        ours = (
            plain.total_features_, plain.common_features_,
            apart.total_features_, apart.common_features_,
        )  # fmt: skip
        assert ours == printed


def test_decimation_finds_the_columns_of_set_a():
    for seed in range(3):
        X, y = make_input_decimation(n_samples=600, random_state=seed)
        subsets = InputDecimation(10).fit(X, y).subsets_
        assert [sorted(s.tolist()) for s in subsets] == [
            list(range(10 * c, 10 * c + 10)) for c in range(3)
        ]


def test_ten_inputs_beat_all_inputs_on_set_a():
    """The whole experiment has twenty runs: bench/papers/input_decimation.py."""
    network = make_pipeline(
        StandardScaler(),
        MLPClassifier(
            (15,), activation="logistic", solver="sgd", learning_rate_init=0.2, momentum=0.5,
            batch_size=32, max_iter=50, alpha=0.0,
        ),
    )  # fmt: skip
    X, y = make_input_decimation(random_state=0)
    accuracy, delta = [], []
    for n in (10, 100):
        model = InputDecimationClassifier(network, n, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X[:300], y[:300])
        members = zip(model.estimators_, model.estimators_features_, strict=True)
        outputs = [member.predict_proba(X[300:, columns]) for member, columns in members]
        delta.append(error_correlation(outputs, y[300:]))
        accuracy.append(model.score(X[300:], y[300:]))
    assert accuracy[0] > accuracy[1] + 0.01
    assert delta[0] < delta[1] - 0.2

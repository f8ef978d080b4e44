"""LUCAS, the lung cancer network of the Causality Workbench."""

from __future__ import annotations

import numpy as np

from ensfs.networks.network import BayesianNetwork

# Parents of each variable, and the probability that it is true: where all parents are false, where
# only the last one is true, ... (the last parent changes fastest).
_TRUE: dict[str, tuple[tuple[str, ...], list[float]]] = {
    "Smoking": (("Peer_Pressure", "Anxiety"), [0.43118, 0.8686, 0.74591, 0.91576]),
    "Yellow_Fingers": (("Smoking",), [0.23119, 0.95372]),
    "Anxiety": ((), [0.64277]),
    "Peer_Pressure": ((), [0.32997]),
    "Genetics": ((), [0.15953]),
    "Attention_Disorder": (("Genetics",), [0.28956, 0.68706]),
    "Born_an_Even_Day": ((), [0.5]),
    "Car_Accident": (("Attention_Disorder", "Fatigue"), [0.2274, 0.78861, 0.779, 0.97169]),
    "Fatigue": (("Lung_cancer", "Coughing"), [0.35212, 0.80016, 0.56514, 0.89589]),
    "Allergy": ((), [0.32841]),
    "Coughing": (("Allergy", "Lung_cancer"), [0.1347, 0.7664, 0.64592, 0.99947]),
    "Lung_cancer": (("Genetics", "Smoking"), [0.23146, 0.83934, 0.86996, 0.99351]),
}


def load_lucas_network() -> BayesianNetwork:
    """LUCAS: twelve binary variables around lung cancer, with all probabilities known.

    An invented diagnosis. The columns stand in the order of the published file LUCAS0, the target
    ``Lung_cancer`` last; the states are F (code 0) and T (code 1).

    Returns
    -------
    BayesianNetwork
        The network.

    References
    ----------
    .. [1] I. Guyon and others, "Causality Workbench: LUCAS and LUCAP are lung cancer toy data
           sets", 2008. http://www.causality.inf.ethz.ch/data/LUCAS.html

    Examples
    --------
    >>> from ensfs.datasets import load_lucas_network
    >>> lucas = load_lucas_network()
    >>> lucas.markov_blanket("Lung_cancer")
    ('Smoking', 'Genetics', 'Fatigue', 'Allergy', 'Coughing')
    >>> X, y = lucas.sample(2000, random_state=0, target="Lung_cancer")
    >>> X.shape
    (2000, 11)
    """
    parents = {name: above for name, (above, _) in _TRUE.items()}
    return BayesianNetwork(
        dict.fromkeys(_TRUE, ("F", "T")),
        parents,
        {name: _table(len(parents[name]), true) for name, (_, true) in _TRUE.items()},
    )


def _table(n_parents: int, true: list[float]) -> np.ndarray:
    p = np.reshape(true, (2,) * n_parents)
    return np.stack([1 - p, p], axis=-1)

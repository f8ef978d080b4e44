"""Visual fields and optic nerves, simulated."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from ensfs._utils.checks import check_integer
from ensfs.networks.network import BayesianNetwork

_STATES = ("normal", "borderline", "damaged")
_SECTORS = 6


def make_field_and_nerve(
    n_samples: int = 180,
    severity: float = 0.5,
    *,
    random_state: Any = None,
    as_frame: bool = False,
    return_network: bool = False,
) -> Any:
    """Simulated eyes: six sectors of the optic nerve, six of the visual field, and glaucoma.

    Half of the eyes are diseased. The disease damages sectors of the nerve, each by itself, and a
    damaged sector of the nerve dims the sector of the field that it serves, more so in a diseased
    eye. All are states 0 (normal), 1 (borderline) and 2 (damaged). The data of the paper that
    combined networks of experts and of data are not public; this has their structure.

    Parameters
    ----------
    n_samples : int, default=180
        Eyes.
    severity : float, default=0.5
        From 0, where the class says nothing about the sectors, to 1.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.
    as_frame : bool, default=False
        A pandas frame of named states instead of an array of codes.
    return_network : bool, default=False
        Also return the network that the rows are drawn from.

    Returns
    -------
    X : ndarray of shape (n_samples, 12) or DataFrame
        Columns nerve0 to nerve5, then field0 to field5.
    y : ndarray of shape (n_samples,) or Series
        0 is healthy, 1 is glaucoma.
    network : BayesianNetwork
        Only with `return_network`.

    References
    ----------
    S. Ceccon, D. Garway-Heath, D. Crabb and A. Tucker (2011), Combining expert and data-driven
    Bayesian networks, in: Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from ensfs.datasets import make_field_and_nerve
    >>> X, y, network = make_field_and_nerve(5, random_state=0, return_network=True)
    >>> X.shape, y.tolist()
    ((5, 12), [1, 1, 1, 1, 0])
    >>> network.parents("field3")
    ('nerve3', 'class')
    """
    n_rows = check_integer("n_samples", n_samples, 1)
    if not isinstance(severity, Real) or not 0 <= float(severity) <= 1:
        raise ValueError(f"severity must be a number from 0 to 1; got {severity!r}.")
    network = _network(float(severity))
    X, y = network.sample(n_rows, random_state, target="class", as_frame=as_frame)
    if not as_frame:
        y = y.astype(np.int64)
    return (X, y, network) if return_network else (X, y)


def _network(severity: float) -> BayesianNetwork:
    """The network of an eye: from the healthy tables to those of full disease by severity."""
    healthy = np.array([0.85, 0.12, 0.03])
    states: dict[str, tuple[str, ...]] = {"class": ("healthy", "glaucoma")}
    parents: dict[str, tuple[str, ...]] = {}
    tables = {"class": np.full(2, 0.5)}
    for kind in ("nerve", "field"):
        states |= {f"{kind}{i}": _STATES for i in range(_SECTORS)}
    for i in range(_SECTORS):
        share = 0.25 + 0.75 * (i + 1) / _SECTORS  # some sectors suffer earlier than others
        ill = (1 - severity * share) * healthy + severity * share * np.array([0.15, 0.3, 0.55])
        parents[f"nerve{i}"] = ("class",)
        tables[f"nerve{i}"] = np.array([healthy, ill])
        parents[f"field{i}"] = (f"nerve{i}", "class")
        tables[f"field{i}"] = _field_table(severity)
    return BayesianNetwork(states, parents, tables)


def _field_table(severity: float) -> np.ndarray:
    """States of a field sector by those of the nerve sector, in healthy and in diseased eyes."""
    healthy = np.array([[0.9, 0.08, 0.02], [0.75, 0.2, 0.05], [0.55, 0.3, 0.15]])
    ill = np.array([[0.75, 0.2, 0.05], [0.35, 0.4, 0.25], [0.1, 0.25, 0.65]])
    return np.stack([healthy, (1 - severity) * healthy + severity * ill], axis=1)

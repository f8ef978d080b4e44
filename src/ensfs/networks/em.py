"""Probabilities of a network with a given graph: from counts, or by EM where cells are missing."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from ensfs.networks.inference import Graph, Group, eliminate, group_rows, make_factors

#: Most joint states of the missing cells of a row that are enumerated; beyond, families are
#: found one by one by elimination.
_ENUMERATE = 4096
#: Largest relative gain at which EM stops, and most steps.
TOLERANCE, MAX_STEPS = 1e-6, 200


class Fitted(NamedTuple):
    """Tables of a network and how they were found.

    Attributes
    ----------
    tables : list of ndarray
        Probabilities of each node; the last axis is the node, those before its parents.
    path : list of float
        What EM maximises, after each step: the log-likelihood and, with smoothing, the logarithm of
        the prior. It never falls.
    """

    tables: list[np.ndarray]
    path: list[float]


def fit_tables(
    graph: Graph,
    codes: np.ndarray,
    *,
    weights: np.ndarray | None = None,
    smoothing: float = 1.0,
    n_starts: int = 5,
    rng: np.random.Generator | None = None,
) -> Fitted:
    """The most probable tables: smoothed shares, by EM if cells are missing.

    Parameters
    ----------
    graph : Graph
        The network.
    codes : ndarray of int, shape (n_rows, n_nodes)
        States, -1 where missing. A node without any state is hidden.
    weights : ndarray of shape (n_rows,), optional
        How often each row counts.
    smoothing : float, default=1.0
        Rows that are added for each combination of the parents, spread evenly over the states.
    n_starts : int, default=5
        Random tables from which EM starts if a node is hidden; the best end is kept. Otherwise it
        starts once, from the rows in which a family has all of its cells.
    rng : Generator, optional
        For the random tables.

    Returns
    -------
    Fitted
    """
    weights = np.ones(len(codes)) if weights is None else weights
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    weights = np.bincount(which.ravel(), weights, minlength=len(distinct))
    groups = list(group_rows(graph, distinct, nodes=range(len(graph.parents))))
    hidden = (codes < 0).all(axis=0).any()
    if not hidden:
        # rows with gaps may hold what no complete one does: nothing may start as impossible
        gaps = any(group.missing for group in groups)
        counts = _complete_counts(graph, groups, weights)
        start = smoothed(counts, max(smoothing, 1.0) if gaps else smoothing)
        return _climb(graph, groups, weights, start, smoothing)
    rng = np.random.default_rng() if rng is None else rng
    ends = [
        _climb(graph, groups, weights, _random_tables(graph, rng), smoothing)
        for _ in range(n_starts)
    ]
    return max(ends, key=lambda end: end.path[-1])


def smoothed(counts: Sequence[np.ndarray], smoothing: float) -> list[np.ndarray]:
    """Shares of counts along the last axis, with rows added; even where there is nothing."""
    tables = []
    for table in counts:
        levels = table.shape[-1]
        rows = table.sum(axis=-1, keepdims=True) + smoothing
        even = np.full(table.shape, 1.0 / levels)
        tables.append(np.divide(table + smoothing / levels, rows, out=even, where=rows > 0))
    return tables


def _random_tables(graph: Graph, rng: np.random.Generator) -> list[np.ndarray]:
    return [
        rng.dirichlet(np.ones(shape[-1]), size=shape[:-1])
        for shape in map(graph.shape, range(len(graph.parents)))
    ]


def _complete_counts(
    graph: Graph, groups: Sequence[Group], weights: np.ndarray
) -> list[np.ndarray]:
    """Counts of each family in the rows that have all of its cells."""
    counts = [np.zeros(graph.shape(v)) for v in range(len(graph.parents))]
    for group in groups:
        for v, scope in group.scopes.items():
            if not scope:
                _add(counts[v], group.places[v], weights[group.rows])
    return counts


def _add(counts: np.ndarray, places: np.ndarray, weights: np.ndarray) -> None:
    """Add weights at flat places of a table."""
    counts += np.bincount(places.ravel(), weights.ravel(), minlength=counts.size).reshape(
        counts.shape
    )


def _climb(
    graph: Graph,
    groups: Sequence[Group],
    weights: np.ndarray,
    tables: list[np.ndarray],
    smoothing: float,
) -> Fitted:
    """EM from given tables."""
    path: list[float] = []
    complete = not any(group.missing for group in groups)
    for _ in range(MAX_STEPS + 1):
        counts, value = _expect(graph, groups, weights, tables)
        value += _log_prior(tables, smoothing)
        gain = value - path[-1] if path else np.inf
        path.append(value)
        if complete or gain < TOLERANCE * abs(value):
            break
        tables = smoothed(counts, smoothing)
    return Fitted(tables, path)


def _log_prior(tables: Sequence[np.ndarray], smoothing: float) -> float:
    """Logarithm of the Dirichlet prior whose mode the smoothed shares are, without its constant."""
    if smoothing == 0:
        return 0.0
    return sum(smoothing / table.shape[-1] * float(np.log(table).sum()) for table in tables)


def _expect(
    graph: Graph, groups: Sequence[Group], weights: np.ndarray, tables: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], float]:
    """Expected counts of all families, and the log-likelihood of the rows."""
    counts = [np.zeros(graph.shape(v)) for v in range(len(graph.parents))]
    value = 0.0
    for group in groups:
        factors, log_known = make_factors(group, tables)
        weight = weights[group.rows]
        shares, log_likelihood = _family_shares(graph, group, factors)
        value += float((weight * (log_known + log_likelihood)).sum())
        for v, scope in group.scopes.items():
            share = shares[scope] if scope else np.ones(group.rows.size)
            _add(counts[v], group.places[v], weight.reshape(-1, *(1 for _ in scope)) * share)
    return counts, value


def _family_shares(
    graph: Graph, group: Group, factors: list
) -> tuple[dict[tuple[int, ...], np.ndarray], np.ndarray]:
    """Probabilities of the missing nodes of each family, and the log-likelihood of each row."""
    shares: dict[tuple[int, ...], np.ndarray] = {}
    if not factors:
        return shares, np.zeros(group.rows.size)
    scopes = {scope for scope in group.scopes.values() if scope}
    if prod(graph.n_levels[v] for v in group.missing) <= _ENUMERATE:
        joint, log_scale = eliminate(factors, group.missing, graph.n_levels)
        for scope in scopes:
            out = tuple(1 + i for i, v in enumerate(group.missing) if v not in scope)
            shares[scope] = joint.sum(axis=out)
    else:
        for scope in scopes:
            shares[scope], log_scale = eliminate(factors, scope, graph.n_levels)
    totals = np.ones(group.rows.size)
    for scope, table in shares.items():
        totals = table.reshape(len(table), -1).sum(axis=1)
        safe = np.where(totals > 0, totals, 1.0).reshape(-1, *(1 for _ in scope))
        shares[scope] = table / safe
    with np.errstate(divide="ignore"):
        return shares, np.log(totals) + log_scale

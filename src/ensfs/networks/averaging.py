"""One graph from many: networks learned on bootstraps, averaged by their scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed

from ensfs._utils.progress import counted
from ensfs.networks import _graphs
from ensfs.networks.scores import FamilyScores
from ensfs.networks.search import Parents, Structure, annealing_search, greedy_search

#: Probabilities that differ by less than this are equal.
_EQUAL = 1e-12


class Averaged(NamedTuple):
    """What many graphs say together.

    Attributes
    ----------
    probabilities : ndarray of shape (n_nodes, n_nodes)
        ``[a, b]``: weight of the graphs with an arc from a to b.
    scores : ndarray of shape (n_graphs,)
        Score of each graph on its own sample.
    """

    probabilities: np.ndarray
    scores: np.ndarray


def average_bootstraps(
    codes: np.ndarray,
    n_levels: Sequence[int],
    seeds: Sequence[np.random.SeedSequence],
    *,
    weights: np.ndarray | None = None,
    search: str = "annealing",
    n_operations: int = 2100,
    max_parents: int = 3,
    averaging: str = "score",
    n_jobs: int | None = None,
) -> Averaged:
    """Learn a graph on each of several bootstraps, and average them.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows, n_nodes)
        States of the nodes, -1 where missing.
    n_levels : sequence of int
        Number of states of each node.
    seeds : sequence of SeedSequence
        One for each bootstrap.
    weights : ndarray of shape (n_rows,), optional
        How often each row is drawn, relative to the others; as often as the others if not given.
    search : {"annealing", "greedy"}, default="annealing"
        How a graph is found.
    n_operations, max_parents : int
        Of the search.
    averaging : {"score", "uniform"}, default="score"
        Weights of the graphs: exp(score / n), relative to the best, or all alike.
    n_jobs : int, optional
        Bootstraps at a time.

    Returns
    -------
    Averaged
    """
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_learn)(codes, n_levels, weights, seed, search, n_operations, max_parents)
        for seed in seeds
    )
    graphs = list(counted("learning networks", len(seeds), work))
    scores = np.array([graph.score for graph in graphs])
    of_graphs = np.ones(len(graphs)) if averaging == "uniform" else _weights(scores, len(codes))
    matrices = np.stack([_graphs.adjacency(graph.parents) for graph in graphs])
    return Averaged(np.tensordot(of_graphs / of_graphs.sum(), matrices, axes=1), scores)


def _weights(scores: np.ndarray, n_rows: int) -> np.ndarray:
    """Likelihood per row: that of all rows would leave one graph."""
    return np.exp((scores - scores.max()) / n_rows)


def _learn(
    codes: np.ndarray,
    n_levels: Sequence[int],
    weights: np.ndarray | None,
    seed: np.random.SeedSequence,
    search: str,
    n_operations: int,
    max_parents: int,
) -> Structure:
    """The graph of one bootstrap."""
    rng = np.random.default_rng(seed)
    n = len(codes)
    if weights is None:
        rows = rng.integers(n, size=n)
    else:
        rows = rng.choice(n, size=n, p=weights / weights.sum())
    scores = FamilyScores(codes[rows], n_levels)
    if search == "greedy":
        return greedy_search(scores, rng, max_parents=max_parents)
    return annealing_search(scores, rng, n_operations=n_operations, max_parents=max_parents)


def graph_of_arcs(probabilities: np.ndarray, threshold: float = 0.5) -> Parents:
    """The graph of the arcs that are probable enough, the most probable first, without cycles.

    Parameters
    ----------
    probabilities : ndarray of shape (n_nodes, n_nodes)
        ``[a, b]``: probability of an arc from a to b.
    threshold : float, default=0.5
        Least probability of an arc.

    Returns
    -------
    list of tuple of int
        Parents of each node. Of equally probable arcs the one from the lower node comes first.
    """
    p = len(probabilities)
    parents: list[list[int]] = [[] for _ in range(p)]
    rounded = np.round(probabilities / _EQUAL).astype(np.int64)
    enough = np.argwhere((probabilities >= threshold - _EQUAL) & (probabilities > 0))
    for a, b in sorted(enough.tolist(), key=lambda arc: (-rounded[arc[0], arc[1]], *arc)):
        parents[b].append(a)
        if _graphs.find_cycle(parents):
            parents[b].remove(a)
    return [tuple(sorted(above)) for above in parents]

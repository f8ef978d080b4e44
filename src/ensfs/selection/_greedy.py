"""Greedy forward selection: the best trade of relevance against mean redundancy, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ensfs._core import greedy
from ensfs._threads import for_blocks
from ensfs.statistics import Source

SCHEMES = {"quotient": 0, "difference": 1}


@dataclass
class Selection:
    """What a greedy search chose in each part.

    Attributes
    ----------
    columns : ndarray of shape (n_parts, k)
        Columns in order of selection.
    scores : ndarray of shape (n_parts, k)
        Score of each column when it was chosen.
    redundancy : ndarray of shape (n_parts, k)
        Its mean redundancy with the columns chosen before; NaN for the first.
    nearest, nearest_value : ndarray of shape (n_features,) or None
        For one part: the chosen column that each column is most redundant with, as far as it was
        looked at (-1 if never), and that redundancy.
    n_evaluated : int
        Distinct pairs whose rows were read.
    """

    columns: np.ndarray
    scores: np.ndarray
    redundancy: np.ndarray
    n_evaluated: int
    nearest: Any = None
    nearest_value: Any = None


def greedy_search(source: Source, k: int, scheme: str, redundancy: Source | None = None):
    """Select `k` columns in every part of a source.

    Parameters
    ----------
    source : Source
        Gives the relevance.
    k : int
        Number of columns.
    scheme : {"quotient", "difference"}
        How relevance is traded against mean redundancy.
    redundancy : Source, optional
        Gives the redundancy if another measure is used for it; the same parts.

    Returns
    -------
    Selection
    """
    pairs = source if redundancy is None else redundancy
    # a column that is constant in a part comes after all others
    relevance = np.where(source.constant | pairs.constant, -np.inf, source.relevance)
    if pairs.lazy:
        selection = _lazy_search(pairs, relevance, k, scheme)
    else:
        selection = _full_search(pairs, relevance, k, scheme)
    if redundancy is not None:
        selection.n_evaluated += source.n_evaluated - source.n_features
    return selection


def _lazy_search(source, relevance: np.ndarray, k: int, scheme: str) -> Selection:
    """Each part on its own, reading only the pairs whose bound can still win."""
    n_parts, p = relevance.shape
    columns = np.empty((n_parts, k), dtype=np.int64)
    scores, redundancy = np.empty((n_parts, k)), np.full((n_parts, k), np.nan)
    nearest, nearest_value = np.full(p, -1, dtype=np.int32), np.zeros(p)
    read: list[np.ndarray] = [np.empty(0)] * n_parts

    def work(start: int, stop: int) -> None:
        for t in range(start, stop):
            # the quotient has no bound before the first redundancy, so it reads every column
            step = source.searcher(t, k, eager=scheme == "quotient")
            sums, bounds, candidates = np.zeros(p), np.empty(p), np.empty(p, dtype=np.int64)
            evaluated = np.zeros(p, dtype=np.int32)
            read[t] = evaluated_at_end = np.empty(k, dtype=np.int32)
            near, near_value = (
                (nearest, nearest_value) if t == 0 else (np.empty_like(nearest), np.zeros(p))
            )
            for j in range(k):
                g, scores[t, j], _ = step(
                    columns[t], j, relevance[t], sums, evaluated, near_value, near, bounds,
                    candidates, SCHEMES[scheme],
                )  # fmt: skip
                columns[t, j] = g
                redundancy[t, j] = sums[g] / j if j else np.nan
                evaluated_at_end[j], evaluated[g] = evaluated[g], -1
            evaluated[columns[t]] = evaluated_at_end
            read[t] = evaluated

    for_blocks(work, n_parts, source.n_threads, block=1)
    nearest = np.where(nearest >= 0, columns[0, nearest], -1)
    one = n_parts == 1
    return Selection(
        columns, scores, redundancy, _distinct_pairs(columns, read, p),
        nearest if one else None, nearest_value if one else None,
    )  # fmt: skip


def _distinct_pairs(columns: np.ndarray, read: list[np.ndarray], p: int) -> int:
    """Pairs read by the lazy searches of all parts, each counted once.

    Part t read column f against the first ``read[t][f]`` of its columns.
    """
    if len(columns) == 1:
        return p + int(read[0].sum())
    seen: dict[int, np.ndarray] = {}
    for chosen, depth in zip(columns, read, strict=True):
        for place, g in enumerate(chosen):
            seen.setdefault(int(g), np.zeros(p, dtype=bool))
            seen[int(g)] |= depth > place
    total = sum(int(mask.sum()) for mask in seen.values())
    targets = sorted(seen)
    twice = np.array([seen[g][targets] for g in targets])
    return p + total - int((twice & twice.T).sum()) // 2


def _full_search(source: Source, relevance: np.ndarray, k: int, scheme: str) -> Selection:
    """Any number of parts, advanced together: the new columns of a step are read in one pass."""
    n_parts, p = relevance.shape
    sums = np.zeros((n_parts, p))
    values = np.empty((n_parts, p))
    taken = np.zeros((n_parts, p), dtype=np.int32)
    columns = np.empty((n_parts, k), dtype=np.int64)
    scores, redundancy = np.empty((n_parts, k)), np.full((n_parts, k), np.nan)
    chosen, chosen_score = np.empty(n_parts, dtype=np.int64), np.empty(n_parts)
    nearest, nearest_value = np.full(p, -1), np.zeros(p)
    parts = np.arange(n_parts)
    for j in range(k):
        if j:
            source.redundancy(
                [(int(g), np.nonzero(chosen == g)[0]) for g in np.unique(chosen)], values
            )
            if n_parts == 1:
                closer = (values[0] > nearest_value) & (taken[0] == 0)
                nearest[closer], nearest_value[closer] = chosen[0], values[0, closer]

        def work(start: int, stop: int, j: int = j) -> None:
            greedy.step(
                j, relevance, values if j else None, sums, taken, np.empty(p),
                SCHEMES[scheme], start, stop, chosen, chosen_score,
            )  # fmt: skip

        for_blocks(work, n_parts, source.n_threads)
        columns[:, j], scores[:, j] = chosen, chosen_score
        if j:
            redundancy[:, j] = sums[parts, chosen] / j
    one = n_parts == 1
    return Selection(
        columns, scores, redundancy, source.n_evaluated,
        nearest if one else None, nearest_value if one else None,
    )  # fmt: skip

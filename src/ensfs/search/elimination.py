"""Removal of redundant columns: the walk of the fast correlation-based filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ensfs.search.selection import NOTHING
from ensfs.statistics import CodedSource, Removal, Source
from ensfs.statistics.outputs import CombinedSource
from ensfs.statistics.sparse_coded import SparseCodedSource

#: Column q is removed by f if SU(f, q) >= SU(q, y) - tolerance.
REDUNDANCY_TOLERANCE = 1e-8

#: What `removed_by` holds for columns that nothing removed.
IRRELEVANT, KEPT = -2, -1


class Eliminator:
    """Removal of redundant columns for sources that give whole vectors of measures."""

    def __init__(self, source: Source, t: int):
        self.source = source
        self.t = t
        self.values = np.empty((source.n_parts, source.n_features))

    def __call__(
        self,
        g: int,
        columns: np.ndarray,
        relevance: np.ndarray,
        tolerance: float,
        removed_by: np.ndarray,
    ) -> np.ndarray:
        """Remove those of some columns that column ``g`` makes redundant; the others, in order."""
        self.source.association([(g, np.array([self.t]))], self.values, columns.tolist)
        removed = self.values[self.t, columns] >= relevance[columns] - tolerance
        removed_by[columns[removed]] = g
        return columns[~removed]


def remover(source: Any, t: int) -> Removal:
    """Removal of redundant columns in part ``t``, by a kernel where the source has one."""
    if isinstance(source, CombinedSource):
        source = source.sources[0]  # columns are compared alone
    if isinstance(source, CodedSource | SparseCodedSource):
        return source.eliminator(t)
    return Eliminator(source, t)


def predominant(
    order: np.ndarray,
    relevance: np.ndarray,
    remove: Removal,
    removed_by: np.ndarray,
    k: int | None = None,
    advance: Callable[[], None] = lambda: None,
    included: np.ndarray = NOTHING,
) -> tuple[np.ndarray, int]:
    """Columns that no column before them makes redundant, and how many pairs were compared.

    Parameters
    ----------
    order : ndarray of int
        Columns to walk through, by decreasing relevance.
    relevance : ndarray of shape (n_features,)
        Their relevance.
    remove : callable
        As `remover` gives it.
    removed_by : ndarray of shape (n_features,)
        Written for the columns of the order: what removed them, or `KEPT`.
    k : int, optional
        The most columns to keep.
    advance : callable, optional
        Called for each column that is kept.
    included : ndarray of int, optional
        Columns of the order that nothing removes.

    Returns
    -------
    kept : ndarray of int
        The included columns, then the others in order.
    n_read : int
        Compared pairs.
    """
    removed_by[order] = KEPT
    stays = np.zeros(relevance.size, dtype=bool)
    stays[included] = True
    left = order.copy()
    kept: list[int] = included.tolist()
    n_read = 0
    while left.size and len(kept) != k:
        f, rest = int(left[0]), left[1:]
        if not stays[f]:
            kept.append(f)
            advance()
            if len(kept) == k:
                break
        always = rest[stays[rest]]
        rest = rest[~stays[rest]] if always.size else rest
        n_read += rest.size
        left = remove(f, rest, relevance, REDUNDANCY_TOLERANCE, removed_by)
        if always.size:  # in their places
            left = order[np.isin(order, np.concatenate([left, always]))]
    return np.array(kept, dtype=np.int64), n_read

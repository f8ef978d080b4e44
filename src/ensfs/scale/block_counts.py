"""Counts of the columns of a block, on bit planes where columns have few levels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ensfs._core import discrete, fold_pairs, weighted
from ensfs.statistics import Resampling

#: Planes of a column times those of what it is counted against, up to which the rows that planes
#: share are counted faster than rows are added to a table one by one.
MOST_PLANES = 49

#: Bits for each row, at most, in planes that have words of their own for every fold.
MOST_BITS = 4


class Counts(NamedTuple):
    """Counts of all columns against one: by fold and its levels, of all levels of all columns."""

    tables: np.ndarray
    margin: np.ndarray


class CodedRows(NamedTuple):
    """Rows as codes of the whole table.

    Attributes
    ----------
    codes : ndarray of shape (n, p), Fortran order
        Codes of the columns.
    fold, classes : ndarray of int, shape (n,)
        Fold and class of each row.
    weights : ndarray of int64, shape (n,), or None
        Their weights.
    """

    codes: np.ndarray
    fold: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None


class BlockCounts:
    """Counts of the columns of some rows.

    Parameters
    ----------
    rows : CodedRows
        The rows.
    offset : ndarray of int, shape (p + 1,)
        Where the levels of each column begin in tables of counts.
    n_folds : int
        Number of folds.
    """

    def __init__(self, rows: CodedRows, offset: np.ndarray, n_folds: int):
        self.rows, self.offset = rows, offset
        self._n = np.bincount(rows.fold, minlength=n_folds)
        few = np.diff(offset) <= discrete.max_plane_levels
        words = -(-int(self._n.max()) // 64)
        if rows.weights is not None or n_folds * words * 64 > MOST_BITS * len(rows.codes) + 1024:
            few[:] = False
        if rows.codes.dtype != np.uint8:
            few[:] = False
        self._many = np.nonzero(~few)[0]
        self._few = np.nonzero(few)[0]
        self._added: dict[bool, np.ndarray] = {}
        if self._few.size:
            folds = Resampling.leave_one_out(rows.fold, n_folds) if n_folds > 1 else None
            folds = Resampling.all_rows(len(rows.fold)) if folds is None else folds
            self._position, self._n_words = folds.word_positions()
            self._start, self._planes = self._planes_of(
                np.asfortranarray(rows.codes[:, self._few]), np.diff(offset)[self._few]
            )
            self._marked = self._count(self._planes)

    def _planes_of(self, codes: np.ndarray, levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Planes of some columns, each fold in words of its own, and where those of each begin."""
        start = np.concatenate([[0], np.cumsum(levels - 1)]).astype(np.int64)
        planes = np.empty((start[-1], self._n_words), dtype=np.uint64)
        buffer = np.empty(64 * self._n_words, dtype=np.uint8)
        discrete.make_planes(codes, start, 0, levels.size, planes, self._position, buffer)
        return start, planes

    def _count(self, planes: np.ndarray) -> np.ndarray:
        """Rows of each plane in each fold."""
        marked = np.empty((len(planes), self._n.size), dtype=np.int64)
        fold_pairs.count_planes(planes, marked)
        return marked

    def add(self, y: np.ndarray, counts: Counts) -> None:
        """Add the counts of all columns against what has the codes ``y``."""
        fold, weights = self.rows.fold, self.rows.weights
        tables, margin = counts
        n_levels = margin.shape[1]
        place = np.ascontiguousarray(fold * n_levels + y, dtype=np.int32)
        abreast = tables.reshape(-1, tables.shape[2])
        if weights is not None:
            weighted.add_tables(self._places(every=True), place, weights, abreast)
            np.add.at(margin, (fold, y), weights)
            return
        margin += np.bincount(place, minlength=margin.size).reshape(margin.shape)
        most = int(np.diff(self._start).max(initial=0)) if self._few.size else 0
        on_planes = 0 < self._few.size and most * (n_levels - 1) <= MOST_PLANES
        if on_planes:
            self._add_pairs(y, n_levels, tables)
        if not on_planes or self._many.size:
            _add_tables(self._places(every=not on_planes), place, abreast)

    def _add_pairs(self, y: np.ndarray, n_levels: int, tables: np.ndarray) -> None:
        """Count the columns that have planes."""
        codes = np.asfortranarray(y.astype(np.uint8)[:, None])
        _, target = self._planes_of(codes, np.array([n_levels]))
        fold_pairs.add_pairs(
            self._planes, self._start, self._marked, self.offset[self._few], target,
            self._count(target), self._n, tables,
            np.empty((n_levels + 1, self._n.size), dtype=np.int64),
        )  # fmt: skip

    def _places(self, every: bool) -> np.ndarray:
        """Places of the levels of all columns in a table, or of those without planes."""
        if every not in self._added:
            columns: Any = slice(None) if every else self._many
            codes = np.array(self.rows.codes[:, columns], dtype=np.int32, order="F")
            codes += self.offset[:-1][columns].astype(np.int32)
            self._added[every] = codes
        return self._added[every]


def _add_tables(codes: np.ndarray, place: np.ndarray, tables: np.ndarray) -> None:
    """Count a block; sums of 64 bits take the counts of a block, which are of 32."""
    if tables.dtype == np.int32:
        discrete.add_tables(codes, place, tables)
        return
    here = np.zeros(tables.shape, dtype=np.int32)
    discrete.add_tables(codes, place, here)
    tables += here

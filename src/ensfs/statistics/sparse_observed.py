"""Sparse columns with missing cells, or with weights that rows cannot be repeated by."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._core.gaps import pair_sums
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.sparse_columns import SparseColumns
from ensfs.data.sparse_table import CodedCells
from ensfs.data.target import Target
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.observed_counts import ObservedCounts
from ensfs.statistics.observed_numbers import ObservedSource, f_of_classes
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.sparse_sums import GroupSums, PairSums

#: Sums of a block of columns take about so many numbers.
_SUMS = 1 << 18


class SparseObservedCounts(ObservedCounts):
    """Sparse coded columns, measured on the rows in which all columns concerned are observed.

    Of complete columns these are all rows. See `ObservedCounts`, whose `coded` are `CodedCells`
    here.
    """

    def _set_columns(self, coded: CodedCells) -> None:
        self._coded = coded

    def _take_columns(self, columns: np.ndarray) -> None:
        self._coded = self._coded.take(columns)

    def _column(self, g: int) -> np.ndarray:
        return self._coded.spread(g).astype(np.int32)

    def _count(self, label: np.ndarray, n_labels: int, columns: slice) -> np.ndarray:
        place = self.resampling.fold * np.int64(n_labels) + label
        n_places = self.resampling.n_folds * n_labels
        some = np.arange(self.n_features)[columns]
        tables = count_stored(self._coded, some, place, n_places, self._rows.weights)
        return tables.reshape(self.resampling.n_folds, n_labels, -1)


def count_stored(
    coded: CodedCells, columns: np.ndarray, label: np.ndarray, n_labels: int,
    weights: np.ndarray | None, rows: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Counts of columns with labels of rows, of shape (labels, levels of the columns).

    Parameters
    ----------
    coded : CodedCells
        The columns.
    columns : ndarray of int
        Those to count.
    label : ndarray of int, shape (n_rows,)
        From 0; negative in rows that are not counted.
    n_labels : int
        How many there are.
    weights : ndarray of int64, shape (n_rows,), or None
        How often each row is there.
    rows : ndarray of int, optional
        The rows that are counted; those with a label by default.
    """
    levels = coded.n_levels[columns].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(levels)])
    sizes = np.diff(coded.starts)[columns]
    before = np.concatenate([[0], np.cumsum(sizes)])
    cells = np.repeat(coded.starts[columns] - before[:-1], sizes) + np.arange(before[-1])
    at = coded.rows[cells]
    key = label[at] * first[-1] + np.repeat(first[:-1], sizes) + coded.codes[cells]
    counted = np.nonzero(label >= 0)[0] if rows is None else rows
    inside = slice(None) if counted.size == label.size else label[at] >= 0

    def count(key: np.ndarray, of: np.ndarray, size: int) -> np.ndarray:
        if weights is None:
            return np.bincount(key, minlength=size)
        # whole numbers below 2**53, also as floats
        return np.bincount(key, weights[of], minlength=size).astype(np.int64)

    counts = count(key[inside], at[inside], n_labels * int(first[-1])).reshape(n_labels, -1)
    of_label = count(label[counted], counted, n_labels)
    stored = np.add.reduceat(counts, first[:-1], axis=1)
    counts[:, first[:-1] + coded.zero[columns]] += of_label[:, None] - stored
    return counts


class SparseGaps(Gaps):
    """The missing cells of sparse columns: as many numbers as there are missing cells."""

    def __init__(self, resampling: Resampling, columns: SparseColumns):
        incomplete = np.nonzero(columns.n_missing)[0]
        self._set_columns(resampling, incomplete, columns.n_features)
        self._of_cell = self.place[columns.column_of(columns.gaps)]
        self._rows = columns.rows[columns.gaps]

    def _count_cells(self, cells: Any) -> np.ndarray:
        """Rows (their weight) of some missing cells in each fold, of shape (folds, columns)."""
        rows, weight, n = self._rows[cells], self.resampling.weight, self.columns.size
        key = self.resampling.fold[rows] * np.int64(n) + self._of_cell[cells]
        counts = np.bincount(
            key, None if weight is None else weight[rows], n * self.resampling.n_folds
        )
        return counts.reshape(self.resampling.n_folds, n)

    @lazy_property
    def _missing(self) -> np.ndarray:
        return self.resampling.combine_counts(self._count_cells(slice(None)))

    def _missing_with(self, i: int) -> np.ndarray:
        of_rows = np.zeros(self.resampling.fold.size, dtype=bool)
        of_rows[self._rows[self._of_cell == i]] = True
        return self.resampling.combine_counts(self._count_cells(of_rows[self._rows]))


class SparseObservedSource(ObservedSource):
    """F, or Pearson's correlation, of the rows in which sparse columns are observed.

    See `ObservedSource`. Nothing but the stored cells is read.

    Parameters
    ----------
    source : SparseContinuousSource
        The same columns, filled.
    columns : SparseColumns
        The columns, NaN where cells are missing.
    target : Target
        The target.
    relevance : {"f_test", "pearson"}
        The measure of relevance.
    """

    def __init__(self, source: Any, columns: SparseColumns, target: Target, relevance: str):
        self._held = columns
        incomplete = np.nonzero(columns.n_missing)[0]
        super().__init__(source, incomplete, target, relevance, None)

    def _means(self) -> np.ndarray:
        return self._held.means()

    def _f_statistics(self, target: Target, relevance: str) -> tuple[np.ndarray, np.ndarray]:
        k, n_folds = self.sums.n_classes, self.resampling.n_folds
        sums = GroupSums(self._held, self._fold * k + target.codes, n_folds * k, self.resampling)
        centre_of = np.tile(np.arange(k), n_folds)
        f, constant = np.empty(self.relevance.shape), np.empty(self.relevance.shape, dtype=bool)

        def work(a: int, b: int) -> None:
            centres = np.repeat(self._centre[None, a:b], k, axis=0)
            for _ in range(2):  # the second time from the means of the classes
                found = sums.of(a, b, centre_of, centres)
                n, s = found[:, :2].reshape(n_folds, k, 2, -1).sum(axis=0).swapaxes(0, 1)
                rough, centres = centres, centres + s / np.where(n > 0, n, 1.0)
            by_class = self.resampling.combine(found.reshape(n_folds, k, 3, -1))
            f[:, a:b], constant[:, a:b] = f_of_classes(by_class, rough)

        for_blocks(work, self.n_features, self.n_threads, block=max(1, _SUMS // (n_folds * k)))
        return f, constant

    def _spread(self, targets: list[int]) -> np.ndarray:
        return np.stack([self._held.spread(g) - self._centre[g] for g in targets])

    def _sum_pairs(self, targets: np.ndarray) -> np.ndarray:
        n_folds = self.resampling.n_folds
        out = np.empty((len(targets), n_folds, pair_sums, self.n_features))
        for target, sums in zip(targets, out, strict=True):
            pairs = PairSums(self._held, target, self._fold, self.resampling)

            def work(a: int, b: int, pairs: PairSums = pairs, sums: np.ndarray = sums) -> None:
                sums[:, :, a:b] = pairs.of(a, b, self._centre[a:b])

            block = max(1, _SUMS // (n_folds * pair_sums))
            for_blocks(work, self.n_features, self.n_threads, block=block)
        return out

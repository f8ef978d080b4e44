"""Sums of sparse columns taken as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._core import continuous, sparse, sparse_search
from ensfs._core import panels as panel_kernels
from ensfs._utils.threads import for_blocks
from ensfs.data.sparse_columns import SparseColumns
from ensfs.data.target import Target
from ensfs.statistics.continuous import (
    centre_products,
    finish_pearson,
    finish_pearson_of_folds,
)
from ensfs.statistics.continuous_sums import SMALLEST_SQUARES, ContinuousSums
from ensfs.statistics.fold_centres import padded
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import CachingSource, LazySource, SearchState, SearchSteps
from ensfs.statistics.sparse_sums import GroupSums, PairSums

#: Sums of a block of columns take about so many numbers each: they stay in the cache.
_SUMS = 1 << 16

#: Rows up to which a search keeps every selected column spread over all rows.
_LAZY_ROWS = 1 << 17

#: Cells of the columns that are spread over all rows at once.
_SPREAD_CELLS = 1 << 22


class SparseSums(ContinuousSums):
    """Sums of sparse columns, and F or Pearson relevance from them.

    A column, or a class in it, is measured from 0 if at most half of its cells are stored: then no
    more than a bit is lost. Otherwise it has a provisional centre, as dense columns have.
    """

    def __init__(
        self, columns: SparseColumns, target: Target, resampling: Resampling, relevance: str
    ):
        super().__init__(target, resampling, columns.n_features, relevance)
        self.columns = columns
        self.shift = np.zeros(padded(self.n_features))
        n_groups = resampling.n_folds * self.n_classes
        self._group = self.group.astype(np.int32)
        self._size = np.bincount(self.group, minlength=n_groups)
        self._class = (self.group % self.n_classes).astype(np.int32)
        self._class_size = np.bincount(self._class, minlength=self.n_classes)
        self._y_sum = None
        if self.classes is None:
            self._y_sum = np.bincount(self.group, self.y, n_groups)
        self.width = max(32, _SUMS // n_groups // 32 * 32)
        one_fold = resampling.n_folds == 1 and resampling.weight is None
        self.from_zero = self.classes is not None and one_fold
        if self.from_zero:
            self._squares = np.zeros(self.n_features)
            self._moved = np.zeros(self.n_features, dtype=np.uint8)

    def sums_of(self, start: int, stop: int) -> dict[str, Any]:
        """Sums of the columns ``start:stop`` in every group, and the centres of their classes."""
        held, width = self.columns, stop - start
        centres = np.empty((self.n_classes, width))
        sparse.centres(
            held.cells, held.values, start, stop, self._class, self._class_size, centres,
            np.empty(held.n_rows), np.empty(self.n_classes + 1, dtype=np.int64),
        )  # fmt: skip
        self.shift[start:stop] = shift = centres[int(np.argmax(self._class_size))]
        if self.resampling.weight is not None:
            return self._weighted_sums(start, stop, centres) | {"class_shift": centres}
        sums = self.empty_sums(width)
        sparse.add_sums(
            held.cells, held.values, start, stop, self._group, self._size, shift, sums["s"],
            sums["q"], None if self.classes is None else centres, sums.get("class_s"),
            sums.get("class_q"), None if self.classes is not None else self.y, self._y_sum,
            sums.get("xy"), np.zeros((2, self._size.size)),
        )  # fmt: skip
        return sums | {"class_shift": centres}

    def _weighted_sums(self, start: int, stop: int, centres: np.ndarray) -> dict[str, Any]:
        """The same of rows with weights."""
        n_groups, shift = self._size.size, self.shift[None, start:stop]
        groups = GroupSums(self.columns, self.group, n_groups, self.resampling)
        all_one = np.zeros(n_groups, dtype=np.int64)
        _, s, q = groups.of(start, stop, all_one, shift).swapaxes(0, 1).copy()
        if self.classes is None:
            pairs = PairSums(self.columns, self.y, self.group, self.resampling)
            return {"s": s, "q": q, "xy": pairs.of(start, stop, shift[0])[:, -1].copy()}
        of_class = np.tile(np.arange(self.n_classes), self.resampling.n_folds)
        _, class_s, class_q = groups.of(start, stop, of_class, centres).swapaxes(0, 1).copy()
        return {"s": s, "q": q, "class_s": class_s, "class_q": class_q}

    def _f_of_block(self, start: int, stop: int, sums: dict, apart: np.ndarray) -> None:
        """F statistics of the columns ``start:stop`` in every part."""
        n_folds, width = self.resampling.n_folds, stop - start
        by_class = (n_folds, self.n_classes, width)
        out = np.empty((self.resampling.n_parts, width))
        continuous.f_from_sums(
            self.resampling.combine(sums["class_s"].reshape(by_class)),
            self.resampling.combine(sums["class_q"].reshape(by_class)), self.n_class,
            sums["class_shift"], self.shift[start:stop], 0, out, apart,
            np.empty((self.n_classes, width)),
        )  # fmt: skip
        self.relevance[:, start:stop] = out

    def f_of_all_rows(self, start: int, stop: int) -> np.ndarray | None:
        """Sums and F statistics of the columns ``start:stop``, from 0; those that need a centre.

        None if a sum is not finite.
        """
        held, q = self.columns, self._squares
        sparse.f_of_classes(
            held.cells, held.values, start, stop, self._class, self._class_size, self.sum[0],
            self.inverse[0], self.relevance[0], q, self._moved, np.zeros((3, self.n_classes)),
            np.empty(self.n_classes, dtype=np.int32),
        )  # fmt: skip
        moved = self._moved[start:stop] > 0
        if not np.isfinite(q[start:stop][~moved]).all():
            return None
        self.small[start:stop] = q[start:stop] < SMALLEST_SQUARES
        return start + np.nonzero(moved)[0]

    def sum_apart(self, columns: np.ndarray) -> None:
        """Sum columns whose folds lie apart once more, from centres of each fold.

        A part of theirs has hardly a row without a stored cell, so spreading them over all rows
        takes about as much as reading them.
        """
        step = max(1, _SPREAD_CELLS // self.columns.n_rows)
        runs = self.runs(slice(0, self.columns.n_rows))
        for a in range(0, columns.size, step):
            some = columns[a : a + step]
            X = np.stack([self.columns.spread(int(j)) for j in some], axis=1)
            own = self.own.empty(some.size)
            self.own.add(X, runs, 0, some.size, own)
            self.finish_own(some, own)

    def class_means_of(self, start: int, stop: int) -> np.ndarray:
        """Means of the classes of the columns ``start:stop``, as `class_means` gives them."""
        sums, n_class = self.sums_of(start, stop), self.n_class[:, :, None]
        by_class = (self.resampling.n_folds, self.n_classes, stop - start)
        totals = self.resampling.combine(sums["class_s"].reshape(by_class))
        moved = sums["class_shift"] - self.shift[start:stop]
        means = np.where(n_class > 0, moved + totals / np.where(n_class > 0, n_class, 1.0), 0.0)
        means -= (n_class * means).sum(axis=1, keepdims=True) / self.n[:, None, None]
        for j in start + np.nonzero(self.apart[start:stop])[0]:
            means[:, :, j - start] = self._means_of_rows(int(j))
        return means * (n_class > 0) * self.inverse[:, None, start:stop]

    def _means_of_rows(self, j: int) -> np.ndarray:
        """Means of the classes of one column in every part, from the mean of the part."""
        x, means = self.columns.spread(j), np.empty((self.resampling.n_parts, self.n_classes))
        weight = np.ones(x.size) if self.resampling.weight is None else self.resampling.weight
        for t, of_part in enumerate(means):
            rows = self.resampling.rows(t)
            moved, classes, times = x[rows] - x[rows[0]], self._class[rows], weight[rows]
            moved -= np.average(moved, weights=times)
            of_part[...] = np.bincount(classes, moved * times, self.n_classes)
            n_class = np.bincount(classes, times, self.n_classes)
            of_part /= np.where(n_class > 0, n_class, 1.0)
        return means


class SparseContinuousSource(CachingSource, LazySource):
    """Sparse columns: F test or Pearson for relevance, Pearson for redundancy.

    Parameters
    ----------
    columns : SparseColumns
        The table.
    target : Target
        The target.
    resampling : Resampling
        The parts.
    relevance : {"f_test", "pearson"}
        The measure of relevance.
    signed : bool, default=False
        Whether correlations keep their sign, for averages over parts.
    n_threads : int, default=1
        Threads.
    """

    supports_take = True
    shares_reads = True

    def __init__(
        self,
        columns: SparseColumns,
        target: Target,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool = False,
        n_threads: int = 1,
    ):
        super().__init__(resampling, columns.n_features, n_threads, columns.values.nbytes)
        self.columns = columns
        self._target, self._relevance = target, relevance
        self.signed = signed
        self._combines_folds = not (resampling.is_all_rows or resampling.is_leave_one_out)
        self.sums = SparseSums(columns, target, resampling, relevance)
        self.finite = True
        for_blocks(self._sum_block, self.n_features, n_threads, block=self.sums.width)
        self.centres = None
        if self.finite and self.sums.needs_centres:
            self.centres = self.sums.centres(self._fold_means())
        self._shift = self.sums.shift[None] if self.centres is None else self.centres.shift
        if relevance == "f_test" and self.sums.classes is None:
            self.relevance = self.sums.f_of_pearson()
        else:
            self.relevance = self.sums.relevance if signed else np.abs(self.sums.relevance)
        self.constant = self.sums.inverse == 0.0
        self.supports_lazy = (
            not signed and self.centres is None and columns.n_rows <= _LAZY_ROWS
            and resampling.weight is None
        )  # fmt: skip
        self._with_first: np.ndarray | None = None

    def _sum_block(self, start: int, stop: int) -> None:
        if not self.sums.from_zero:
            self._sum_from_centres(start, stop)
            return
        moved = self.sums.f_of_all_rows(start, stop)
        if moved is None:
            self.finite = False
            return
        for run in np.split(moved, np.nonzero(np.diff(moved) > 1)[0] + 1):
            if run.size:
                self._sum_from_centres(int(run[0]), int(run[-1]) + 1)

    def _sum_from_centres(self, start: int, stop: int) -> None:
        if not self.sums.finish(start, stop, self.sums.sums_of(start, stop)):
            self.finite = False
            return
        apart = start + np.nonzero(self.sums.apart[start:stop])[0]
        if apart.size:
            self.sums.sum_apart(apart)

    def _fold_means(self) -> np.ndarray:
        """Means of the folds of all columns: rarely needed, so they are summed once more."""
        means = np.empty((self.resampling.n_folds, self.n_features))

        def work(start: int, stop: int) -> None:
            means[:, start:stop] = self.sums.fold_means(self.sums.sums_of(start, stop))

        for_blocks(work, self.n_features, self.n_threads, block=self.sums.width)
        return means

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part; see `ContinuousSums.class_means`."""
        means = np.empty((self.n_parts, self.sums.n_classes, self.n_features))

        def work(start: int, stop: int) -> None:
            means[:, :, start:stop] = self.sums.class_means_of(start, stop)

        for_blocks(work, self.n_features, self.n_threads, block=self.sums.width)
        return means

    def take(self, columns: np.ndarray) -> SparseContinuousSource:
        """Some of the columns, in this order."""
        return SparseContinuousSource(
            self.columns.take(columns), self._target, self.resampling, relevance=self._relevance,
            signed=self.signed, n_threads=self.n_threads,
        )  # fmt: skip

    # ------------------------------------------------------------------ one part after the other

    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> SearchSteps:
        """A lazy search in one part; see `LazySource.searcher`."""
        (t,) = part_ids
        if first is not None and self._with_first is None:
            self._with_first = np.empty((self.n_parts, self.n_features))
            wanted = [(int(g), np.nonzero(first == g)[0]) for g in np.unique(first)]
            self.association(wanted, self._with_first)
        member = None
        if not self.resampling.is_all_rows:
            member = self.resampling.membership[t, self.resampling.fold].astype(np.uint8)
        sums, held = self.sums, self.columns
        store = sparse_search.SparseSearch(
            held.cells, held.values, sums.shift, sums.sum[t], sums.inverse[t],
            None if first is None or self._with_first is None else self._with_first[t], member,
            float(sums.n[t]), np.empty((max(1, k), held.n_rows)),
        )  # fmt: skip

        def search(state: SearchState, *rest: Any) -> int:
            return store.search(state.arrays, *rest)

        return search

    @property
    def cells_of_pair(self) -> int:
        """About how many cells a search reads to measure a pair."""
        return 8 + self.columns.rows.size // self.n_features

    def forget_searches(self) -> None:
        """Free what the searches of the parts share."""
        self._with_first = None

    # ------------------------------------------------------------------ pairs of columns

    @property
    def _bytes_per_target(self) -> int:
        n_sums = self.resampling.n_folds if self._combines_folds else self.n_parts
        return 8 * n_sums * self.n_features

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        return [self._products_with(g) for g in targets]

    def _products_with(self, g: int) -> np.ndarray:
        """Sums of products of all columns with one, which is spread over all rows."""
        resampling, held, p = self.resampling, self.columns, self.n_features
        fold = None if resampling.is_all_rows else resampling.fold
        y = held.spread(g)
        y -= self._shift[0, g] if len(self._shift) == 1 else self._shift[resampling.fold, g]
        if resampling.weight is not None:
            y *= resampling.weight
        y_sum = np.bincount(resampling.fold, y, resampling.n_folds)
        folds = np.zeros((padded(p) // 32, 1, resampling.n_folds, 32))

        def work(start: int, stop: int) -> None:
            sparse.add_products(
                held.cells, held.values, start, stop, self._shift, y, y_sum, fold,
                resampling.fold_sizes, folds[:, 0], np.zeros((2, resampling.n_folds)),
            )  # fmt: skip

        for_blocks(work, p, self.n_threads, block=1 << 15)
        if self._combines_folds:
            return folds[:, 0].swapaxes(0, 1).copy()
        if resampling.is_all_rows:
            return folds[:, 0]
        out = np.empty((len(folds), self.n_parts, 32))
        panel_kernels.products_leave_out(folds, [out], np.empty((resampling.n_folds + 1, 32)))
        if self.centres is not None:
            centre_products(self.centres, folds, 0, [g], [out])
        return out

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)

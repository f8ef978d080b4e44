"""Continuous columns in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._core import continuous, fold_centres
from ensfs._core import packed as kernels
from ensfs._core import panels as panel_kernels
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.target import Target
from ensfs.statistics.continuous_sums import ContinuousSums
from ensfs.statistics.fold_centres import FoldCentres
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.leaf_products import gather_targets, search_in_products, worth_all_pairs
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.row_tree import FoldCells, RowsInLanes, rows_by_lane
from ensfs.statistics.source import CachingSource, LazySource, SearchSteps
from ensfs.statistics.weights import scaled_rows

#: A pair takes as long in a lazy search as so many that are combined from sums of folds.
LAZY_PAIR = 8


def aligned_empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An uninitialised array that begins at a cache line, so that no vector load spans two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    padded = np.empty(size + 64, dtype=np.uint8)
    start = -padded.ctypes.data % 64
    return padded[start : start + size].view(dtype).reshape(shape)


class ContinuousSource(CachingSource, LazySource):
    """Continuous columns in memory: F test or Pearson for relevance, Pearson for redundancy.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64
        Any strides; read where it lies.
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

    parts_at_once = kernels.max_parts
    shares_reads = True
    supports_take = True

    def __init__(
        self,
        X: np.ndarray,
        target: Target,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool = False,
        n_threads: int = 1,
    ):
        super().__init__(resampling, X.shape[1], n_threads, X.nbytes)
        self.X = X
        self._target, self._relevance = target, relevance
        self.signed = signed
        # of other parts than these the sums of every fold are kept
        self._combines_folds = not (resampling.is_all_rows or resampling.is_leave_one_out)
        self.supports_lazy = not signed
        self._for_parts: Any = None
        self.sums = ContinuousSums(target, resampling, X.shape[1], relevance)
        self.sums.set_centres([X[rows] for rows in self.sums.centre_rows])
        self.finite = True
        self._runs = self.sums.runs(slice(None))
        for_blocks(
            self._sum_block, X.shape[1], n_threads, block=None if resampling.is_all_rows else 512,
            cells=X.shape[0],
        )  # fmt: skip
        self.centres = self.sums.centres(self._fold_means()) if self.sums.needs_centres else None
        self._centre = self.sums.shift[None] if self.centres is None else self.centres.shift
        if relevance == "f_test" and self.sums.classes is None:
            self.relevance = self.sums.f_of_pearson()
        else:
            self.relevance = self.sums.relevance
            if not signed:
                np.abs(self.relevance, out=self.relevance)
        self.constant = self.sums.inverse == 0.0
        self._free: list[np.ndarray] = []

    def _sum_block(self, start: int, stop: int) -> None:
        sums = self.sums.empty_sums(stop - start)
        self.sums.add(self.X, self._runs, start, stop, sums)
        if not self.sums.finish(start, stop, sums):
            self.finite = False
            return
        columns = start + np.nonzero(self.sums.apart[start:stop])[0]
        if columns.size:
            own = self.sums.own.empty(columns.size)
            self.sums.own.add(self.X[:, columns], self._runs, 0, columns.size, own)
            self.sums.finish_own(columns, own)

    def _fold_means(self) -> np.ndarray:
        """Means of the folds of all columns: rarely needed, so they are summed once more."""
        means = np.empty((self.resampling.n_folds, self.n_features))

        def work(start: int, stop: int) -> None:
            sums = self.sums.empty_sums(stop - start)
            self.sums.add(self.X, self._runs, start, stop, sums)
            means[:, start:stop] = self.sums.fold_means(sums)

        for_blocks(work, self.n_features, self.n_threads, block=512, cells=len(self.X))
        return means

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part; see `ContinuousSums.class_means`."""
        sums = self.sums.own.empty(self.n_features)
        self.sums.own.add(self.X, self._runs, 0, self.n_features, sums)
        return self.sums.class_means(sums)

    def take(self, columns: np.ndarray) -> ContinuousSource:
        """Some of the columns, in this order."""
        return ContinuousSource(
            self.X[:, columns], self._target, self.resampling, relevance=self._relevance,
            signed=self.signed, n_threads=self.n_threads,
        )  # fmt: skip

    @lazy_property
    def _packed_from(self) -> tuple[np.ndarray, np.ndarray]:
        """The table that products are taken of, and what it is shifted by before that.

        Rows with weights are shifted and scaled here, once.
        """
        weight, fold = self.resampling.weight, self.resampling.fold
        if weight is None:
            return self.X, self._centre
        scaled = scaled_rows(self.X, weight, fold, self._centre)
        return scaled, np.zeros((1, self._centre.shape[1]))

    # ------------------------------------------------------------------ one part after the other

    def searcher(
        self, part_ids: range, k: int, first: np.ndarray | None, gaps: Gaps | None = None
    ) -> SearchSteps:
        """A lazy search in some parts; see `LazySource.searcher`.

        Without `first` no column is read unasked. With `gaps` correlations of the columns, which
        are filled, are corrected.
        """
        bits = None if gaps is None else gaps.bits(part_ids)
        if not self.resampling.is_all_rows:
            return self._searcher_of_folds(part_ids, first, gaps, bits)
        p = self.n_features
        # differences of F statistics read few pairs
        reads_most = first is not None or self._relevance == "pearson"
        if reads_most and gaps is None and worth_all_pairs(self.X, k):
            return search_in_products(*self._packed_from, self.sums, self.n_threads)
        X, shift = self._packed_from
        packed = self._packed_workspace()
        place = np.full(p, -1, dtype=np.int32)
        n_packed = np.zeros(1, dtype=np.int64)
        sums, with_first = self.sums, None
        if first is not None:
            with_first = np.empty((1, p))
            self._pack_and_compare(int(first[0]), packed, place, with_first[0])
            if gaps is not None:
                with_first = gaps.corrected(with_first, first, part_ids)

        columns = kernels.PackedColumns(X, packed, place, n_packed, shift[0])
        part = kernels.PartSums(sums.sum, sums.inverse, sums.n, with_first)
        return lambda state, *rest: kernels.lazy_pearson_search(
            columns, part, None, bits, state.arrays, *rest
        )

    def _searcher_of_folds(
        self, part_ids: range, first: np.ndarray | None, gaps: Gaps | None, bits: Any
    ) -> SearchSteps:
        packed, place, with_first, centres = self._folds_side_by_side(first)
        sums, at = self.sums, slice(part_ids.start, part_ids.stop)
        none = np.zeros(1, dtype=np.int64)
        columns = kernels.PackedColumns(self._packed_from[0], packed, place, none, sums.shift)
        known = None if with_first is None else with_first[at]
        if gaps is not None and known is not None and first is not None:
            known = gaps.corrected(known, first, part_ids)
        some_parts = kernels.PartSums(sums.sum[at], sums.inverse[at], sums.n[at], known)
        folds = self._fold_layout(part_ids.start, centres)
        return lambda state, *rest: kernels.lazy_pearson_search(
            columns, some_parts, folds, bits, state.arrays, *rest
        )

    def _fold_layout(self, first_part: int, centres: Any) -> kernels.FoldLayout:
        """How the kernels read packed folds, for parts from the first on; one for each thread."""
        members = (None, None) if self.resampling.is_leave_one_out else self.resampling.members
        lanes, n_folds = self._lanes, self.resampling.n_folds
        scratch = np.empty(n_folds + lanes.n_lanes + 16)
        return kernels.FoldLayout(first_part, lanes.lanes, scratch, centres, *members)

    def _packed_workspace(self) -> np.ndarray:
        """An array with a row for every column, in the order that the search reads."""
        if not self.resampling.is_all_rows:
            # the kernel may read a vector beyond the end
            n, multiple = self._lanes.rows.size + 8, 8
        else:
            n, multiple = self.X.shape[0], continuous.row_padding
        padded = -(-n // multiple) * multiple
        dtype = self._packed_from[0].dtype
        if padded * dtype.itemsize % 4096 == 0:
            padded += multiple  # columns a page apart would share cache sets
        return aligned_empty((self.n_features, padded), dtype)

    def _pack_and_compare(
        self, g: int, packed: np.ndarray, place: np.ndarray, out: np.ndarray
    ) -> None:
        """Pack all columns, and correlate each with column ``g`` while it is in the cache."""
        X, shift = self._packed_from
        n, p = X.shape
        sums, inverse = self.sums.sum[0], self.sums.inverse[0]
        panel_kernels.pack_columns(X, g, g + 1, shift, packed, place)
        target = packed[g].copy()

        def work(start: int, stop: int) -> None:
            for a in range(start, stop, 64):
                b = min(a + 64, stop)
                panel_kernels.pack_columns(X, a, b, shift, packed, place)
                continuous.pearson_with(
                    packed, n, self.sums.n[0], a, b, g, target, shift[0], sums, inverse, out
                )  # fmt: skip

        for_blocks(work, p, self.n_threads, cells=2 * n)

    @lazy_property
    def _lanes(self) -> RowsInLanes:
        """How the rows of the folds lie in packed columns."""
        return RowsInLanes(self.resampling.fold, self.resampling.n_folds)

    def _folds_side_by_side(self, first: np.ndarray | None) -> tuple[Any, ...]:
        """All columns packed for the parts, their correlation with the first choices, centres."""
        if self._for_parts is None:
            packed = self._packed_workspace()
            place = np.empty(self.n_features, dtype=np.int32)
            with_first = None if first is None else np.empty((self.n_parts, self.n_features))
            centres = None if self.centres is None else self.centres.arrays_by_column()
            self._pack_folds(packed, place, first, with_first, centres)
            self._for_parts = packed, place, with_first, centres
        return self._for_parts

    def _pack_folds(
        self,
        packed: np.ndarray,
        place: np.ndarray,
        first: np.ndarray | None,
        with_first: np.ndarray | None,
        centres: tuple[Any, ...] | None,
    ) -> None:
        X, shift = self._packed_from
        sums, rows, n_folds = self.sums, self._lanes.rows, self.resampling.n_folds
        fold = None if len(shift) == 1 else self._lanes.folds()
        columns, wanted = np.unique([] if first is None else first, return_inverse=True)
        columns = columns.astype(np.int64)
        for g in columns:
            panel_kernels.pack_columns(X, g, g + 1, shift, packed, place, rows, fold)
        targets = packed[columns]
        sums_of_parts = kernels.PartSums(sums.sum, sums.inverse, sums.n)

        def work(start: int, stop: int) -> None:
            folds, scratch = self._fold_layout(0, centres), np.empty(2 * n_folds + 1)
            for a in range(start, stop, 64):
                b = min(a + 64, stop)
                panel_kernels.pack_columns(X, a, b, shift, packed, place, rows, fold)
                if with_first is not None:
                    kernels.part_pearson_with(
                        packed, a, b, columns, targets, wanted, sums.shift, sums_of_parts,
                        with_first, folds, scratch,
                    )  # fmt: skip

        cells = rows.size * (1 + len(columns))
        for_blocks(work, self.n_features, self.n_threads, cells=cells)

    def forget_searches(self) -> None:
        """Free what the searches of the parts share."""
        self._for_parts = None

    def pairs_of_joint_search(self, k: int) -> int:
        """Pairs that take as long in lazy searches as all parts take together.

        Parts that combine folds do so for every column and step, which takes longer than reading.
        """
        combined = (
            self.n_parts * (k - 1) * self.n_features // LAZY_PAIR if self._combines_folds else 0
        )
        return max(combined, super().pairs_of_joint_search(k))

    # ------------------------------------------------------------------ all parts together

    @property
    def _bytes_per_target(self) -> int:
        n_sums = self.resampling.n_folds if self._combines_folds else self.n_parts
        return 8 * n_sums * self.n_features

    @lazy_property
    def _panel_order(self) -> tuple[np.ndarray, np.ndarray, panel_kernels.RowTree]:
        """Row order of the panels, bounds of the folds in it, and how sums are added."""
        if self.resampling.is_all_rows:
            order, tree = rows_by_lane(len(self.X))
            return order, np.array([0, order.size]), tree
        cells = FoldCells.of(self.resampling.fold, self.resampling.n_folds)
        return cells.order, cells.bounds, cells.tree()

    @lazy_property
    def _panels(self) -> np.ndarray:
        """All columns in panels of 32, rows fold after fold."""
        X, shift = self._packed_from
        n, p = X.shape
        n_panels = -(-p // continuous.panel_width)
        panels = aligned_empty((n_panels, n, continuous.panel_width), X.dtype)
        order, bounds, _ = self._panel_order
        for_blocks(
            lambda a, b: panel_kernels.pack_panels(X, order, bounds, shift, a, b, panels),
            n_panels,
            self.n_threads,
            cells=n * continuous.panel_width,
        )
        return panels

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        panels, shift, (_, bounds, tree) = self._panels, self._packed_from[1], self._panel_order
        y = gather_targets(panels, shift, bounds, targets)
        out = [self._target_workspace() for _ in targets]

        def work(start: int, stop: int) -> None:
            if self.centres is not None and self.resampling.is_leave_one_out:
                self._centred_products(start, stop, y, targets, out)
                return
            if self.resampling.is_leave_one_out:
                workspace = np.empty(
                    (4 * len(y) + 2, self.resampling.n_folds, continuous.panel_width)
                )
                panel_kernels.part_products(panels, shift, y, tree, start, stop, out, workspace)
                return
            found = np.empty((stop - start, 4 * len(y), tree.n_folds, continuous.panel_width))
            panel_kernels.products(panels, shift, y, tree, start, stop, found)
            for each, sums in zip(out, found.swapaxes(0, 1), strict=False):
                if self._combines_folds:
                    each[:, start:stop] = sums.swapaxes(0, 1)
                else:
                    each[start:stop] = sums

        cells = self.X.shape[0] * continuous.panel_width * len(targets)
        for_blocks(work, panels.shape[0], self.n_threads, cells=cells)
        return out

    def _centred_products(
        self, start: int, stop: int, y: np.ndarray, targets: list[int], out: list[np.ndarray]
    ) -> None:
        """Sums of products in the parts, with the centres of the folds; a panel at a time."""
        assert self.centres is not None
        width, n_folds = continuous.panel_width, self.resampling.n_folds
        scratch = np.empty((n_folds + 1, width))
        for b in range(start, stop):
            sums = np.empty((1, 4 * len(y), n_folds, width))
            panel_kernels.products(
                self._panels, self._packed_from[1], y, self._panel_order[2], b, b + 1, sums
            )
            panel_kernels.products_leave_out(sums, [each[b : b + 1] for each in out], scratch)
            centre_products(self.centres, sums, b, targets, out)

    def _target_workspace(self) -> np.ndarray:
        """Memory for one target, used again after it was dropped: fresh memory is slow.

        It is taken for several targets at a time, so that the system can use large pages.
        """
        if not self._free:
            several = min(64, max(1, (8 * 2**20) // self._bytes_per_target))
            shape = (len(self._panels), self.n_parts, continuous.panel_width)
            if self._combines_folds:
                shape = (self.resampling.n_folds, len(self._panels), continuous.panel_width)
            self._free = list(aligned_empty((several, *shape), np.float64))
        return self._free.pop()

    def _release(self, statistics: np.ndarray) -> None:
        self._free.append(statistics)

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)


def centre_products(
    centres: FoldCentres, sums: np.ndarray, start: int, targets: list[int], out: list[np.ndarray]
) -> None:
    """Put products with columns whose folds lie apart together from those of the folds."""
    fold_centres.centre_products(sums, start, centres.arrays(), np.array(targets), out)


def finish_pearson(
    sums: ContinuousSums,
    g: int,
    products: np.ndarray,
    part_ids: np.ndarray,
    out: np.ndarray,
    signed: bool,
) -> None:
    """Correlations of every column with column ``g`` from sums of products."""
    continuous.pearson_from_sums(
        products, sums.sum, sums.inverse, sums.n, np.ascontiguousarray(sums.sum[:, g]),
        np.ascontiguousarray(sums.inverse[:, g]), part_ids, out, signed,
    )  # fmt: skip


def finish_pearson_of_folds(
    sums: ContinuousSums,
    centres: FoldCentres | None,
    g: int,
    folds: np.ndarray,
    part_ids: np.ndarray,
    out: np.ndarray,
    signed: bool,
) -> None:
    """The same from sums of products of every fold, of shape (folds, panels, 32)."""
    products = np.empty((folds.shape[1], 1, folds.shape[2]))
    only = np.zeros(1, dtype=np.int64)
    by_panel = np.ascontiguousarray(folds.swapaxes(0, 1))[:, None] if centres else folds
    for t in part_ids:
        sums.resampling.combine_part(t, folds[:, :, None], products)
        if centres is not None:
            centre_products(centres.of_part(t), by_panel, 0, [g], [products])
        part = slice(t, t + 1)
        continuous.pearson_from_sums(
            products, sums.sum[part], sums.inverse[part], sums.n[part],
            np.ascontiguousarray(sums.sum[part, g]), np.ascontiguousarray(sums.inverse[part, g]),
            only, out[part], signed,
        )  # fmt: skip

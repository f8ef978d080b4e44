"""Sums of continuous columns in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ensfs._core import continuous
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.target import Target
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import CachingSource, SearchState

#: Rows whose median is taken as the provisional centre of a column.
CENTRE_ROWS = 7

#: Sums of squares below this have lost digits, or vanished.
SMALLEST_SQUARES = 1e-290

#: Rows that are sorted by group before they are summed: a column of them stays in the cache.
SORTED_ROWS = 1024


def aligned_empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An uninitialised array that begins at a cache line, so that no vector load spans two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.empty(size + 64, dtype=np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(dtype).reshape(shape)


def sample_rows(group: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """A few rows of each group, spread evenly: where the provisional centres are taken."""
    found = []
    for c in range(n_groups):
        rows = np.nonzero(group == c)[0]
        found.append(rows[np.linspace(0, rows.size - 1, min(CENTRE_ROWS, rows.size)).astype(int)])
    return found


@dataclass(frozen=True)
class Runs:
    """Rows of a block in an order that has those of a group (a fold, or a class in it) together.

    The rows of a group keep their order, so its sums do not depend on the blocks.
    """

    rows: np.ndarray
    bounds: np.ndarray
    groups: np.ndarray
    y: Any

    @classmethod
    def of(cls, group: np.ndarray, y: Any) -> Runs:
        """Runs of a block from the group of each row."""
        n, size = group.size, SORTED_ROWS
        # short integers are sorted by counting
        key = group.astype(np.uint16) if group.max(initial=0) < 2**16 else group
        whole = n - n % size
        rows = np.empty(n, dtype=np.int64)
        first = np.arange(0, whole, size)[:, None]
        sorted_ = np.argsort(key[:whole].reshape(-1, size), axis=1, kind="stable")
        np.add(sorted_, first, out=rows[:whole].reshape(-1, size))
        rows[whole:] = np.argsort(key[whole:], kind="stable") + whole
        begins = np.ones(n, dtype=bool)
        begins[1:] = np.diff(group[rows]) != 0
        begins[::size] = True
        starts = np.nonzero(begins)[0]
        return cls(rows, np.append(starts, n), group[rows[starts]], y)


class ContinuousSums:
    """Sums of continuous columns, and F or Pearson relevance from them.

    Everything is measured from provisional centres: `shift` for each column, and for the F test a
    centre for each class, so that neither a large mean nor well separated classes cost digits.
    """

    def __init__(self, target: Target, resampling: Resampling, n_features: int, relevance: str):
        self.resampling = resampling
        self.measure = relevance
        self.classes: Any = (
            target.codes if target.kind == "classes" and relevance == "f_test" else None
        )
        self.n_features = n_features
        shape = (resampling.n_parts, n_features)
        self.sum = np.empty(shape)
        self.inverse = np.empty(shape)
        self.relevance = np.empty(shape)
        self.small = np.empty(n_features, dtype=bool)  # constant, or squares that vanish
        self.n = resampling.n_rows.astype(np.float64)
        if self.classes is not None:
            self.n_classes = int(self.classes.max()) + 1
            self.group = resampling.fold * np.int64(self.n_classes) + self.classes
            counts = np.bincount(self.group, minlength=resampling.n_folds * self.n_classes)
            counts = counts.reshape(resampling.n_folds, self.n_classes)
            self.n_class = resampling.combine_counts(counts).astype(np.float64)
            self.centre_rows = sample_rows(self.classes, self.n_classes)
        else:
            self.group = resampling.fold.astype(np.int64)
            values = target.values if target.kind == "numeric" else target.codes.astype(np.float64)
            (rows,) = self.centre_rows = sample_rows(np.zeros(values.size), 1)
            self.y = values - np.sort(values[rows])[(rows.size - 1) // 2]
            folds = np.empty((2, resampling.n_folds))
            with np.errstate(over="ignore"):
                squares = self.y * self.y
            if not np.isfinite(squares.sum()):
                raise ValueError(
                    "The squares of some values of y are too large for float64. Scale y first."
                )
            if squares.sum() < SMALLEST_SQUARES and np.ptp(self.y) > 0:
                raise ValueError(
                    "The values of y differ by so little that their squares vanish in float64. "
                    "Scale y first."
                )
            folds[0] = np.bincount(resampling.fold, self.y, resampling.n_folds)
            folds[1] = np.bincount(resampling.fold, squares, resampling.n_folds)
            self.y_sum = resampling.combine(folds[0][:, None])
            self.y_inverse = np.empty_like(self.y_sum)
            continuous.inverse_deviations(
                self.y_sum, resampling.combine(folds[1][:, None]), self.n, self.y_inverse
            )

    def set_centres(self, samples: list[np.ndarray]) -> None:
        """Set the centres from the `centre_rows` of each class (or of the table)."""
        centres = np.empty((len(samples), self.n_features))
        for centre, rows in zip(centres, samples, strict=True):
            continuous.middle_of_rows(rows, np.arange(rows.shape[0]), centre)
        self.largest = 0
        if self.classes is not None:
            self.largest = int(np.argmax(np.bincount(self.classes)))
            self.class_shift = centres
        # padded to whole panels, for the kernels that read 32 columns at a time
        self.shift = np.zeros(-(-self.n_features // 32) * 32)
        self.shift[: self.n_features] = centres[self.largest]

    def empty_sums(self, width: int) -> dict[str, Any]:
        """Zero accumulators for `width` columns, one for each group."""
        names = ("s", "q", "xy") if self.classes is None else ("s", "q", "class_s", "class_q")
        n_groups = self.resampling.n_folds * (1 if self.classes is None else self.n_classes)
        return {name: np.zeros((n_groups, width)) for name in names}

    def runs(self, rows: slice) -> Runs:
        """How to go through some rows of the table."""
        return Runs.of(self.group[rows], self.y[rows] if self.classes is None else None)

    def add(self, X: np.ndarray, runs: Runs, start: int, stop: int, sums: dict) -> None:
        """Add the columns ``start:stop`` of a block of rows."""
        continuous.add_sums(
            X, start, stop, runs.rows, runs.bounds, runs.groups, self.shift[: self.n_features],
            sums["s"], sums["q"], None if self.classes is None else self.class_shift,
            self.largest, sums.get("class_s"), sums.get("class_q"), runs.y, sums.get("xy"),
        )  # fmt: skip

    def _of_folds(self, groups: np.ndarray) -> np.ndarray:
        """Sums of each fold from those of its groups, in the order of the classes."""
        if self.classes is None:
            return groups
        folds = groups[:: self.n_classes].copy()
        for c in range(1, self.n_classes):
            folds += groups[c :: self.n_classes]
        return folds

    def finish(self, start: int, stop: int, sums: dict) -> bool:
        """Sums of parts and relevance of the columns ``start:stop``; False if not finite."""
        resampling, columns = self.resampling, slice(start, stop)
        of_folds = self._of_folds(sums["q"])
        self.small[columns] = of_folds.sum(axis=0) < SMALLEST_SQUARES
        q = resampling.combine(of_folds)
        if not np.isfinite(q).all():
            return False
        s = resampling.combine(self._of_folds(sums["s"]))
        inverse = np.empty_like(s)
        continuous.inverse_deviations(s, q, self.n, inverse)
        self.sum[:, columns] = s
        self.inverse[:, columns] = inverse
        if self.classes is not None:
            by_class = (resampling.n_folds, self.n_classes, stop - start)
            continuous.f_from_sums(
                resampling.combine(sums["class_s"].reshape(by_class)),
                resampling.combine(sums["class_q"].reshape(by_class)), self.n_class,
                self.class_shift, self.shift[: self.n_features], start, self.relevance,
                np.empty((self.n_classes, stop - start)),
            )  # fmt: skip
            return True
        r = np.empty_like(s)
        continuous.pearson_from_sums(
            in_panels(resampling.combine(sums["xy"])), s, inverse, self.n, self.y_sum[:, 0],
            self.y_inverse[:, 0], np.arange(resampling.n_parts), r, True,
        )  # fmt: skip
        self.relevance[:, columns] = r
        return True

    def f_of_pearson(self) -> np.ndarray:
        """F statistics of the regression on each column alone."""
        r2 = np.minimum(self.relevance**2, 1.0)
        free = np.maximum(self.n[:, None] - 2, 0) * np.ones_like(r2)
        f = np.zeros_like(r2)
        with np.errstate(divide="ignore"):
            np.divide(r2 * free, 1.0 - r2, out=f, where=(r2 > 0) & (free > 0))
        return f


class ContinuousSource(CachingSource):
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

    parts_at_once = continuous.max_parts

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
        self.signed = signed
        # other parts than these are searched jointly, from sums of every fold
        self._combines_folds = not (resampling.is_all_rows or resampling.is_leave_one_out)
        self.supports_lazy = not signed and not self._combines_folds
        self._for_parts: Any = None
        self.sums = ContinuousSums(target, resampling, X.shape[1], relevance)
        self.sums.set_centres([X[rows] for rows in self.sums.centre_rows])
        self.finite = True
        self._runs = self.sums.runs(slice(None))
        for_blocks(
            self._sum_block, X.shape[1], n_threads, block=None if resampling.is_all_rows else 512,
            cells=X.shape[0],
        )  # fmt: skip
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

    # ------------------------------------------------------------------ one part after the other

    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> Any:
        """A lazy search in some parts.

        `first` is what every part chooses first, if all columns are to be compared with it at once;
        without it none is read unasked.
        """
        if self.resampling.is_leave_one_out:
            return self._searcher_without_folds(part_ids, first)
        p = self.n_features
        packed = self._packed_room()
        place = np.full(p, -1, dtype=np.int32)
        n_packed = np.zeros(1, dtype=np.int64)
        sums, with_first = self.sums, None
        if first is not None:
            with_first = np.empty((1, p))
            self._pack_and_compare(int(first[0]), packed, place, with_first[0])

        def search(state: SearchState, *rest: Any) -> int:
            return continuous.lazy_pearson_search(
                self.X, packed, place, n_packed, sums.shift, sums.sum, sums.inverse, with_first,
                sums.n, 0, 0, None, *state.arrays(), *rest,
            )  # fmt: skip

        return search

    def _searcher_without_folds(self, part_ids: range, first: np.ndarray | None) -> Any:
        packed, place, with_first = self._folds_side_by_side(first)
        sums, at = self.sums, slice(part_ids.start, part_ids.stop)
        none = np.zeros(1, dtype=np.int64)
        fold_rows, fold_sums = len(self._fold_rows), np.empty(self.resampling.n_folds + 8)
        known = None if with_first is None else with_first[at]

        def search(state: SearchState, *rest: Any) -> int:
            return continuous.lazy_pearson_search(
                self.X, packed, place, none, sums.shift, sums.sum[at], sums.inverse[at], known,
                sums.n[at], part_ids.start, fold_rows, fold_sums, *state.arrays(), *rest,
            )  # fmt: skip

        return search

    def _packed_room(self) -> np.ndarray:
        """Room for every column in a row of its own, in the order that the search reads."""
        if self.resampling.is_leave_one_out:
            # the kernel may read a vector beyond the end
            n, multiple = self._fold_rows.size + 8, 8
        else:
            n, multiple = self.X.shape[0], continuous.row_padding
        padded = -(-n // multiple) * multiple
        if padded * self.X.itemsize % 4096 == 0:
            padded += multiple  # columns a page apart would share cache sets
        return aligned_empty((self.n_features, padded), self.X.dtype)

    def _pack_and_compare(
        self, g: int, packed: np.ndarray, place: np.ndarray, out: np.ndarray
    ) -> None:
        """Pack all columns, and correlate each with column ``g`` while it is in the cache."""
        n, p = self.X.shape
        shift, sums, inverse = self.sums.shift, self.sums.sum[0], self.sums.inverse[0]
        continuous.pack_columns(self.X, g, g + 1, shift, packed, place)
        target = packed[g].copy()

        def work(start: int, stop: int) -> None:
            for a in range(start, stop, 64):
                b = min(a + 64, stop)
                continuous.pack_columns(self.X, a, b, shift, packed, place)
                continuous.pearson_with(
                    packed, n, a, b, g, target, shift, sums, inverse, out
                )  # fmt: skip

        for_blocks(work, p, self.n_threads, cells=2 * n)

    @lazy_property
    def _fold_rows(self) -> np.ndarray:
        """Rows with the folds side by side: ``[i, e]`` is row i of fold e, or -1 past its end."""
        order, bounds = self.resampling.row_order()
        sizes = np.diff(bounds)
        i = np.arange(sizes.max())[:, None]
        return np.where(i < sizes, order[np.minimum(bounds[:-1] + i, order.size - 1)], -1)

    def _folds_side_by_side(
        self, first: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """All columns packed for the parts, and their correlation with the first choices."""
        if self._for_parts is None:
            packed = self._packed_room()
            place = np.empty(self.n_features, dtype=np.int32)
            with_first = None if first is None else np.empty((self.n_parts, self.n_features))
            self._pack_folds(packed, place, first, with_first)
            self._for_parts = packed, place, with_first
        return self._for_parts

    def _pack_folds(
        self,
        packed: np.ndarray,
        place: np.ndarray,
        first: np.ndarray | None,
        with_first: np.ndarray | None,
    ) -> None:
        sums, rows = self.sums, self._fold_rows.ravel()
        columns, wanted = np.unique([] if first is None else first, return_inverse=True)
        columns = columns.astype(np.int64)
        for g in columns:
            continuous.pack_columns(self.X, g, g + 1, sums.shift, packed, place, rows)
        targets = packed[columns]

        def work(start: int, stop: int) -> None:
            scratch = np.empty(3 * self.n_parts + 9)
            for a in range(start, stop, 64):
                b = min(a + 64, stop)
                continuous.pack_columns(self.X, a, b, sums.shift, packed, place, rows)
                if with_first is not None:
                    continuous.part_pearson_with(
                        packed, len(self._fold_rows), a, b, columns, targets, wanted, sums.shift,
                        sums.sum, sums.inverse, sums.n, with_first, scratch,
                    )  # fmt: skip

        cells = rows.size * (1 + len(columns))
        for_blocks(work, self.n_features, self.n_threads, cells=cells)

    def forget_searches(self) -> None:
        """Free what the searches of the parts share."""
        self._for_parts = None

    # ------------------------------------------------------------------ all parts together

    @property
    def _bytes_per_target(self) -> int:
        n_sums = self.resampling.n_folds if self._combines_folds else self.n_parts
        return 8 * n_sums * self.n_features

    @lazy_property
    def _panel_order(self) -> tuple[np.ndarray, np.ndarray]:
        """Row order and fold bounds of the panels; one part is summed in 32 lanes of rows."""
        if not self.resampling.is_all_rows:
            return self.resampling.row_order()
        n, lanes = self.X.shape[0], continuous.row_padding
        return Resampling.leave_one_out(np.arange(n) % lanes, lanes).row_order()

    @lazy_property
    def _panels(self) -> np.ndarray:
        """All columns in panels of 32, rows fold after fold."""
        n, p = self.X.shape
        n_panels = -(-p // continuous.panel_width)
        panels = aligned_empty((n_panels, n, continuous.panel_width), self.X.dtype)
        order = self._panel_order[0]
        for_blocks(
            lambda a, b: continuous.pack_panels(self.X, order, self.sums.shift, a, b, panels),
            n_panels,
            self.n_threads,
            cells=n * continuous.panel_width,
        )
        return panels

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        panels, shift, bounds = self._panels, self.sums.shift, self._panel_order[1]
        y = gather_targets(panels, shift, targets)
        out = [self._room() for _ in targets]

        def work(start: int, stop: int) -> None:
            if self.resampling.is_leave_one_out:
                room = np.empty((4 * len(y) + 2, self.resampling.n_folds, continuous.panel_width))
                continuous.part_products(panels, shift, y, bounds, start, stop, out, room)
                return
            lanes = np.zeros((stop - start, 4 * len(y), bounds.size - 1, continuous.panel_width))
            continuous.add_products(panels, shift, y, bounds, start, stop, lanes)
            if self._combines_folds:
                for folds, sums in zip(out, lanes.swapaxes(0, 1), strict=False):
                    folds[:, start:stop] = sums.swapaxes(0, 1)
                return
            continuous.products_all_rows(lanes, start, out)

        cells = self.X.shape[0] * continuous.panel_width * len(targets)
        for_blocks(work, panels.shape[0], self.n_threads, cells=cells)
        return out

    def _room(self) -> np.ndarray:
        """Room for one target, used again after it was dropped: fresh memory is slow.

        It is taken for several targets at a time, so that the system can use large pages.
        """
        if not self._free:
            several = max(1, (8 * 2**20) // self._bytes_per_target)
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
        finish = finish_pearson_of_folds if self._combines_folds else finish_pearson
        finish(self.sums, g, statistics, part_ids, out, self.signed)


def in_panels(values: np.ndarray) -> np.ndarray:
    """An array (parts, p) as the panel kernels lay it out: (panels, parts, 32)."""
    width = continuous.panel_width
    n_parts, p = values.shape
    padded = np.zeros((n_parts, -(-p // width) * width))
    padded[:, :p] = values
    return np.ascontiguousarray(padded.reshape(n_parts, -1, width).swapaxes(0, 1))


def gather_targets(panels: np.ndarray, shift: np.ndarray, targets: list[int]) -> np.ndarray:
    """Target columns in groups of four, side by side, for the panel kernels."""
    y = np.zeros((-(-len(targets) // 4), panels.shape[1], 4))
    for k, group in enumerate(y):
        continuous.target_rows(
            panels, shift, np.array(targets[4 * k : 4 * k + 4], dtype=np.int64), group
        )
    return y


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
    g: int,
    folds: np.ndarray,
    part_ids: np.ndarray,
    out: np.ndarray,
    signed: bool,
) -> None:
    """The same from sums of products of every fold, of shape (folds, panels, 32)."""
    products = np.empty((folds.shape[1], 1, folds.shape[2]))
    only = np.zeros(1, dtype=np.int64)
    for t in part_ids:
        sums.resampling.combine_part(t, folds[:, :, None], products)
        part = slice(t, t + 1)
        continuous.pearson_from_sums(
            products, sums.sum[part], sums.inverse[part], sums.n[part],
            np.ascontiguousarray(sums.sum[part, g]), np.ascontiguousarray(sums.inverse[part, g]),
            only, out[part], signed,
        )  # fmt: skip

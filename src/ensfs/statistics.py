"""Additive statistics and where they come from.

Every measure here is a function of sums over rows, so the sums of a set of rows are the sums of its
pieces. A *source* holds a table and answers two questions of a selector: how relevant is every
column, and how redundant is every column with column ``g``, in each of its *parts*. A part is all
rows, or all rows but one fold. The rows are read once for all parts.

A selector does not know which source it searches: columns in memory (here) and blocks of rows
(`ensfs.scale`) answer alike, to the last bit.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ensfs._core import continuous, discrete
from ensfs._target import Target
from ensfs._threads import for_blocks

#: Statistics of targets are kept in what the sums of the parts leave of twice the table, and at
#: least in this much.
CACHE_BYTES = 16 * 2**20

#: Rows whose median is taken as the provisional centre of a column.
CENTRE_ROWS = 7


def aligned_empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An uninitialised array that begins at a cache line, so that no vector load spans two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.empty(size + 64, dtype=np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(dtype).reshape(shape)


@dataclass(frozen=True)
class Parts:
    """Which rows belong to which part: all rows in one, or all but one fold in each."""

    fold: np.ndarray
    n_folds: int
    leave_out: bool

    @classmethod
    def all_rows(cls, n_rows: int) -> Parts:
        """One part with every row."""
        return cls(np.zeros(n_rows, dtype=np.int32), 1, False)

    @classmethod
    def leave_one_out(cls, fold: np.ndarray, n_folds: int) -> Parts:
        """One part for each fold, with the rows of all other folds."""
        return cls(np.ascontiguousarray(fold, dtype=np.int32), n_folds, True)

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return self.n_folds if self.leave_out else 1

    @cached_property
    def fold_sizes(self) -> np.ndarray:
        """Rows of each fold."""
        return np.bincount(self.fold, minlength=self.n_folds).astype(np.int32)

    @cached_property
    def n_rows(self) -> np.ndarray:
        """Rows of each part."""
        return self.combine_counts(self.fold_sizes.astype(np.int64))

    @cached_property
    def order(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows fold after fold, each fold in row order, and where the folds begin and end."""
        bounds = np.concatenate([[0], np.cumsum(self.fold_sizes)]).astype(np.int64)
        return np.argsort(self.fold, kind="stable").astype(np.int64), bounds

    def combine_counts(self, folds: np.ndarray) -> np.ndarray:
        """Counts of each part from counts of each fold (first axis); exact."""
        total = folds.sum(axis=0, keepdims=True)
        return total - folds if self.leave_out else total

    def combine(self, folds: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Sums of each part from sums of each fold (first axis), without cancellation."""
        if out is None:
            out = np.empty((self.n_parts, *folds.shape[1:]))
        if not self.leave_out:
            out[...] = folds
            return out
        flat = folds.reshape(self.n_folds, -1)
        flat_out = out if out.ndim == 2 else out.reshape(self.n_folds, -1)
        continuous.leave_out(flat, flat_out, np.empty(flat.shape[1]))
        return out


def log_table(n_rows: int) -> tuple[np.ndarray, float]:
    """``k * log2(k)`` for k = 0 .. n_rows in fixed point, and the value of one unit in bits.

    Whole numbers stand for multiples of the unit. Their sums are exact, so no result depends on the
    order of summation. The unit is as small as the platform's longest float and 62 bits allow.
    """
    k = np.arange(n_rows + 1, dtype=np.longdouble)
    k[1:] *= np.log2(k[1:])
    digits = min(61, np.finfo(np.longdouble).nmant - 1)
    shift = digits - int(np.ceil(np.log2(max(float(k[-1]), 1.0))))
    return np.rint(np.ldexp(k, shift)).astype(np.int64), 2.0**-shift


class Source(ABC):
    """Statistics of a table, part by part.

    Attributes
    ----------
    n_features, n_parts : int
        Columns and parts.
    relevance : ndarray of shape (n_parts, n_features)
        Relevance of every column in every part.
    constant : ndarray of bool, shape (n_parts, n_features)
        Columns that do not vary in a part.
    lazy : bool
        Whether ``searcher(part, k, eager)`` is offered: the steps of a search that reads only the
        pairs it needs.
    """

    lazy = False
    n_features: int
    n_parts: int
    n_threads: int
    relevance: np.ndarray
    constant: np.ndarray

    @property
    @abstractmethod
    def n_evaluated(self) -> int:
        """Distinct pairs whose rows were read: with the target, and with the columns asked for."""

    @abstractmethod
    def redundancy(self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        """Redundancy of every column with the columns asked for.

        Parameters
        ----------
        requests : iterable of (column, parts)
            For each column the parts that want it; no part may want two.
        out : ndarray of shape (n_parts, n_features)
            Row ``t`` is written for every part ``t`` that wants a column.
        """


def pairs_with(u: int, n_features: int) -> int:
    """Distinct pairs of all columns with the target and with `u` of the columns."""
    return (u + 1) * (2 * n_features - u) // 2


class CachingSource(Source):
    """A source that keeps the additive statistics of the columns asked for, while they fit."""

    def __init__(self, parts: Parts, n_features: int, n_threads: int, table_bytes: int):
        self.parts = parts
        self.n_parts = parts.n_parts
        self.n_features = n_features
        self.n_threads = n_threads
        # six numbers for each column in each part: its sums, scores and the like
        in_use = 6 * 8 * parts.n_parts * n_features
        self._budget = max(CACHE_BYTES, int(1.7 * table_bytes) - in_use)
        self._cache: OrderedDict[int, Any] = OrderedDict()
        self._read: set[int] = set()
        self._lock = threading.Lock()

    @property
    def n_evaluated(self) -> int:
        """Distinct pairs whose rows were read."""
        return pairs_with(len(self._read), self.n_features)

    def redundancy(self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        """Redundancy of every column with the columns asked for; see `Source.redundancy`.

        Parts that search in threads of their own wait for each other: the rows may come from a
        reader with one place in its file, and what is read for one part serves the next.
        """
        with self._lock:
            self._answer(requests, out)

    def _answer(self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        missing = []
        for g, parts in requests:
            if g in self._cache:
                self._cache.move_to_end(g)
                self._finish(g, self._cache[g], parts, out)
            else:
                missing.append((g, parts))
        at_once = min(256, max(1, self._budget // self._bytes_per_target))
        for start in range(0, len(missing), at_once):
            group = missing[start : start + at_once]
            while len(self._cache) > at_once - len(group):
                self._cache.popitem(last=False)
            targets = [g for g, _ in group]
            self._read.update(targets)
            self._cache.update(zip(targets, self._compute(targets), strict=True))
            for g, parts in group:
                self._finish(g, self._cache[g], parts, out)

    @property
    @abstractmethod
    def _bytes_per_target(self) -> int:
        """Size of what `_compute` gives for one column."""

    @abstractmethod
    def _compute(self, targets: list[int]) -> list[Any]:
        """Read the rows once for the additive statistics of every column with each target."""

    @abstractmethod
    def _finish(self, g: int, statistics: Any, parts: np.ndarray, out: np.ndarray) -> None:
        """Turn the statistics of target ``g`` into redundancies of some parts."""


def sample_rows(group: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """A few rows of each group, spread evenly: where the provisional centres are taken."""
    found = []
    for c in range(n_groups):
        rows = np.nonzero(group == c)[0]
        found.append(rows[np.linspace(0, rows.size - 1, min(CENTRE_ROWS, rows.size)).astype(int)])
    return found


class ContinuousSums:
    """Sums of continuous columns, and F or Pearson relevance from them.

    Everything is measured from provisional centres: `shift` for each column, and for the F test a
    centre for each class, so that neither a large mean nor well separated classes cost digits.
    """

    def __init__(self, target: Target, parts: Parts, n_features: int, relevance: str):
        self.parts = parts
        self.measure = relevance
        self.classes: Any = (
            target.codes if target.kind == "classes" and relevance == "f_test" else None
        )
        self.n_features = n_features
        shape = (parts.n_parts, n_features)
        self.sum = np.empty(shape)
        self.inverse = np.empty(shape)
        self.relevance = np.empty(shape)
        self.n = parts.n_rows.astype(np.float64)
        if self.classes is not None:
            self.n_classes = int(self.classes.max()) + 1
            counts = np.zeros((parts.n_folds, self.n_classes), dtype=np.int64)
            np.add.at(counts, (parts.fold, self.classes), 1)
            self.n_class = parts.combine_counts(counts).astype(np.float64)
            self.centre_rows = sample_rows(self.classes, self.n_classes)
        else:
            values = target.values if target.kind == "numeric" else target.codes.astype(np.float64)
            (rows,) = self.centre_rows = sample_rows(np.zeros(values.size), 1)
            self.y = values - np.sort(values[rows])[(rows.size - 1) // 2]
            folds = np.empty((2, parts.n_folds))
            with np.errstate(over="ignore"):
                squares = self.y * self.y
            if not np.isfinite(squares.sum()):
                raise ValueError(
                    "The squares of some values of y are too large for float64. Scale y first."
                )
            folds[0] = np.bincount(parts.fold, self.y, parts.n_folds)
            folds[1] = np.bincount(parts.fold, squares, parts.n_folds)
            self.y_sum = parts.combine(folds[0][:, None])
            self.y_inverse = np.empty_like(self.y_sum)
            continuous.inverse_deviations(
                self.y_sum, parts.combine(folds[1][:, None]), self.n, self.y_inverse
            )

    def set_centres(self, samples: list[np.ndarray]) -> None:
        """Set the centres from the `centre_rows` of each class (or of the table)."""
        centres = np.empty((len(samples), self.n_features))
        for centre, rows in zip(centres, samples, strict=True):
            continuous.middle_of_rows(rows, np.arange(rows.shape[0]), centre)
        if self.classes is None:
            largest = 0
        else:
            largest = int(np.argmax(np.bincount(self.classes)))
            self.class_shift = centres
        # padded to whole panels, for the kernels that read 32 columns at a time
        self.shift = np.zeros(-(-self.n_features // 32) * 32)
        self.shift[: self.n_features] = centres[largest]

    def empty_sums(self, width: int) -> dict[str, Any]:
        """Zero accumulators for `width` columns."""
        e = self.parts.n_folds
        sums: dict[str, Any] = {"s": np.zeros((e, width)), "q": np.zeros((e, width))}
        if self.classes is not None:
            sums |= {k: np.zeros((e, self.n_classes, width)) for k in ("class_s", "class_q")}
        else:
            sums["xy"] = np.zeros((e, width))
        return sums

    def add(self, X: np.ndarray, rows: slice, start: int, stop: int, sums: dict) -> None:
        """Add the columns ``start:stop`` of a block of rows, which are `rows` of the table."""
        has_classes = self.classes is not None
        continuous.add_sums(
            X, start, stop, self.parts.fold[rows], self.shift[: self.n_features],
            sums["s"], sums["q"],
            self.classes[rows] if has_classes else None,
            self.class_shift if has_classes else None,
            sums.get("class_s"), sums.get("class_q"),
            None if has_classes else self.y[rows], sums.get("xy"),
        )  # fmt: skip

    def finish(self, start: int, stop: int, sums: dict) -> bool:
        """Sums of parts and relevance of the columns ``start:stop``; False if not finite."""
        parts, columns = self.parts, slice(start, stop)
        q = parts.combine(sums["q"])
        if not np.isfinite(q).all():
            return False
        s = parts.combine(sums["s"])
        inverse = np.empty_like(s)
        continuous.inverse_deviations(s, q, self.n, inverse)
        self.sum[:, columns] = s
        self.inverse[:, columns] = inverse
        if self.classes is not None:
            continuous.f_from_sums(
                parts.combine(sums["class_s"]), parts.combine(sums["class_q"]), self.n_class,
                self.class_shift, self.shift[: self.n_features], start, self.relevance,
                np.empty((self.n_classes, stop - start)),
            )  # fmt: skip
            return True
        r = np.empty_like(s)
        continuous.pearson_from_sums(
            parts.combine(sums["xy"]), s, inverse, self.n, self.y_sum[:, 0],
            self.y_inverse[:, 0], np.arange(parts.n_parts), r, True,
        )  # fmt: skip
        self.relevance[:, columns] = r
        return True

    def f_of_pearson(self) -> np.ndarray:
        """F statistics of the regression on each column alone."""
        r2 = np.minimum(self.relevance**2, 1.0)
        with np.errstate(divide="ignore"):
            return np.where(r2 > 0, r2 / (1.0 - r2) * np.maximum(self.n[:, None] - 2, 0), 0.0)


class ContinuousSource(CachingSource):
    """Continuous columns in memory: F test or Pearson for relevance, Pearson for redundancy.

    Parameters
    ----------
    X : ndarray of shape (n, p), float32 or float64
        Any strides; read where it lies.
    target : Target
        The target.
    parts : Parts
        The parts.
    relevance : {"f_test", "pearson"}
        The measure of relevance.
    signed : bool, default=False
        Whether correlations keep their sign, for averages over parts.
    n_threads : int, default=1
        Threads.
    """

    def __init__(
        self,
        X: np.ndarray,
        target: Target,
        parts: Parts,
        *,
        relevance: str,
        signed: bool = False,
        n_threads: int = 1,
    ):
        super().__init__(parts, X.shape[1], n_threads, X.nbytes)
        self.X = X
        self.signed = signed
        self.lazy = not parts.leave_out and not signed
        self.sums = ContinuousSums(target, parts, X.shape[1], relevance)
        self.sums.set_centres([X[rows] for rows in self.sums.centre_rows])
        self.finite = True
        for_blocks(self._sum_block, X.shape[1], n_threads, block=512 if parts.leave_out else None)
        if relevance == "f_test" and self.sums.classes is None:
            self.relevance = self.sums.f_of_pearson()
        else:
            self.relevance = self.sums.relevance
            if not signed:
                np.abs(self.relevance, out=self.relevance)
        self.constant = self.sums.inverse == 0.0

    def _sum_block(self, start: int, stop: int) -> None:
        sums = self.sums.empty_sums(stop - start)
        self.sums.add(self.X, slice(None), start, stop, sums)
        if not self.sums.finish(start, stop, sums):
            self.finite = False

    # ------------------------------------------------------------------ all rows in one part

    def searcher(self, t: int, k: int, eager: bool) -> Any:
        """A lazy search; `eager` packs every column now, else each when it is first read."""
        n, p = self.X.shape
        padded = -(-n // continuous.row_padding) * continuous.row_padding
        if padded * self.X.itemsize % 4096 == 0:
            padded += continuous.row_padding  # columns a page apart would share cache sets
        packed = aligned_empty((p, padded), self.X.dtype)
        place = np.full(p, -1, dtype=np.int32)
        shift = self.sums.shift
        if eager:
            for_blocks(
                lambda a, b: continuous.pack_columns(self.X, a, b, shift, packed, place),
                p,
                self.n_threads,
            )
        return partial(
            continuous.lazy_pearson_step, self.X, packed, place, np.zeros(1, dtype=np.int64), shift,
            self.sums.sum[0], self.sums.inverse[0],
        )  # fmt: skip

    # ------------------------------------------------------------------ any parts

    @property
    def _bytes_per_target(self) -> int:
        return 8 * self.n_parts * self.n_features

    @cached_property
    def _panel_order(self) -> tuple[np.ndarray, np.ndarray]:
        """Row order and fold bounds of the panels; one part is summed in 32 lanes of rows."""
        if self.parts.leave_out:
            return self.parts.order
        n, lanes = self.X.shape[0], continuous.row_padding
        return Parts.leave_one_out(np.arange(n) % lanes, lanes).order

    @cached_property
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
        )
        return panels

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        panels, shift, bounds = self._panels, self.sums.shift, self._panel_order[1]
        y = gather_targets(panels, shift, targets)
        # an array for each target, so that dropping one frees its memory
        out = [np.empty((self.n_parts, self.n_features)) for _ in targets]

        def work(start: int, stop: int) -> None:
            if self.parts.leave_out:
                room = np.empty((4 * len(y), self.parts.n_folds, continuous.panel_width))
                continuous.part_products(panels, shift, y, bounds, start, stop, out, room)
                return
            lanes = np.zeros((stop - start, 4 * len(y), bounds.size - 1, continuous.panel_width))
            continuous.add_products(panels, shift, y, bounds, start, stop, lanes)
            continuous.products_all_rows(lanes, start, out)

        for_blocks(work, panels.shape[0], self.n_threads)
        return out

    def _finish(self, g: int, statistics: np.ndarray, parts: np.ndarray, out: np.ndarray) -> None:
        finish_pearson(self.sums, g, statistics, parts, out, self.signed)


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
    parts: np.ndarray,
    out: np.ndarray,
    signed: bool,
) -> None:
    """Correlations of every column with column ``g`` from sums of products."""
    continuous.pearson_from_sums(
        products, sums.sum, sums.inverse, sums.n, np.ascontiguousarray(sums.sum[:, g]),
        np.ascontiguousarray(sums.inverse[:, g]), parts, out, signed,
    )  # fmt: skip


class CodedSource(Source):
    """Coded columns in memory: measures from counts.

    The columns are held once, as bit planes. A part is a mask over them: counting a pair again for
    another part costs no more than looking a stored count up, so nothing is stored, and each part
    searches lazily.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8 or uint16, Fortran order
        Dense codes of every column.
    n_levels : ndarray of shape (p,), int32
        Levels of every column.
    target : Target
        Classes.
    parts : Parts
        The parts.
    measure : str, default="mutual_information"
        What a column is measured by against a selected one: "mutual_information" or
        "symmetrical_uncertainty"; or with the target as a third "conditional" I(f; y | g), "joint"
        I(f, g; y), "relative" I(f, g; y) / H(f, g, y). Relevance is symmetrical uncertainty if
        that is the measure, otherwise mutual information.
    n_threads : int, default=1
        Threads.
    """

    lazy = True

    def __init__(
        self,
        codes: np.ndarray,
        n_levels: np.ndarray,
        target: Target,
        parts: Parts,
        *,
        measure: str = "mutual_information",
        n_threads: int = 1,
    ):
        n, p = codes.shape
        self._measure = discrete.measures.index(measure)
        self._relevance_measure = self._measure if self._measure < 2 else 0
        self.parts = parts
        self.n_parts = parts.n_parts
        self.n_features = p
        self.n_threads = n_threads
        self.n = n
        self.T, self.unit = log_table(n)
        self._y = target.codes.astype(np.uint16)
        levels = np.append(n_levels, len(target.classes)).astype(np.int64)
        few = levels <= discrete.max_plane_levels
        self._plane_start = np.concatenate([[0], np.cumsum(np.where(few, levels - 1, 0))])
        self._level_start = np.concatenate([[0], np.cumsum(levels)])
        most = int(np.where(few, levels, 1).max())
        self._most_planes = most - 1
        if self._measure >= 2:  # the planes of a selected column and the target together
            self._most_planes = most * int(levels[-1] if few[-1] else 1)
        self._planes = self._make_planes(codes, bool(few[-1]))
        self._codes = None if few.all() else codes  # the planes hold the others
        self._read: set[int] = set()
        self._one_part: tuple[np.ndarray, np.ndarray] | None = None
        self.constant = np.empty((self.n_parts, p), dtype=bool)
        self.relevance = np.empty((self.n_parts, p))
        self._fill(p, range(self.n_parts), self.relevance, first=True)

    def _make_planes(self, codes: np.ndarray, with_target: bool) -> np.ndarray:
        p = self.n_features
        planes = np.empty((self._plane_start[-1], -(-self.n // 64)), dtype=np.uint64)
        if codes.dtype != np.uint8:  # codes above 255 belong to columns without planes
            codes = np.asfortranarray(np.minimum(codes, 255).astype(np.uint8))
        for_blocks(
            lambda a, b: discrete.make_planes(codes, self._plane_start, a, b, planes),
            p,
            self.n_threads,
        )
        if with_target:
            y = np.asfortranarray(self._y.astype(np.uint8)[:, None])
            discrete.make_planes(y, self._plane_start[p:], 0, 1, planes)
        return planes

    @cached_property
    def _masks(self) -> np.ndarray | None:
        """Rows of each part as bits, in the order of the planes."""
        if not self.parts.leave_out:
            return None
        bits = np.zeros((self.n_parts, self._planes.shape[1] * 64), dtype=bool)
        bits[:, : self.n] = self.parts.fold != np.arange(self.n_parts)[:, None]
        return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)

    def margins(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Room for the level counts and the entropies of part ``t``.

        Those of a single part are kept; those of many parts would take more memory than the table,
        and counting them again is quick.
        """
        if self._one_part is not None:
            return self._one_part
        room = (
            np.empty(self._level_start[-1], dtype=np.int32),
            np.empty(self.n_features + 1, dtype=np.int64),
        )
        if self.n_parts == 1:
            self._one_part = room
        return room

    def entropy(self, t: int) -> np.ndarray:
        """Entropy of every column in part ``t``, in bits."""
        margins = self.margins(t)
        self._store(t, 0, margins=margins)
        n = int(self.parts.n_rows[t])
        return (self.T[n] - margins[1][:-1]) * (self.unit / n)

    def _store(
        self,
        t: int,
        measure: int,
        n_targets: int = 1,
        margins: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Any:
        """Part ``t`` with room for some targets, for one thread."""
        counted = self._one_part is not None
        margins = self.margins(t) if margins is None else margins
        size, rows = 0, None
        if self._codes is not None:  # scratch for columns with many levels
            size = 1 << max(10, int(4 * self.n - 1).bit_length())
            if self.parts.leave_out:
                rows = np.nonzero(self.parts.fold != t)[0]
        store = discrete.CodeStore(
            self._planes, self._plane_start, self._level_start, self._codes, self._y,
            None if self._masks is None else self._masks[t], rows, int(self.parts.n_rows[t]),
            self.T, self.unit, *margins, measure,
            np.empty((n_targets, self._most_planes * self._planes.shape[1]), dtype=np.uint64),
            np.empty((n_targets, discrete.max_plane_levels**2), dtype=np.int32),
            np.zeros(size, dtype=np.int32), np.empty(size, dtype=np.int64),
            np.empty(min(size, self.n), dtype=np.int32),
        )  # fmt: skip
        if not counted:
            store.count_margins()
        return store

    def _fill(self, g: int, parts: Iterable[int], out: np.ndarray, first: bool = False) -> None:
        """The measure of every column with column ``g`` in some parts (`first`: the relevance)."""
        parts = list(parts)
        p = self.n_features
        measure = self._relevance_measure if first else self._measure
        if self.n_parts == 1:
            # one part: the threads share its columns
            if first:
                self._mark_constant(0, self._store(0, measure))

            def columns(start: int, stop: int) -> None:
                self._store(0, measure).measure(g, start, stop, out[0, start:stop])

            for_blocks(columns, p, self.n_threads)
            return

        def several(start: int, stop: int) -> None:
            for t in parts[start:stop]:
                store = self._store(t, measure)
                if first:
                    self._mark_constant(t, store)
                store.measure(g, 0, p, out[t])

        for_blocks(several, len(parts), self.n_threads, block=1)

    def _mark_constant(self, t: int, store: Any) -> None:
        """Columns of part ``t`` that hold one level."""
        self.constant[t] = store.entropy[:-1] == self.T[self.parts.n_rows[t]]

    @property
    def n_evaluated(self) -> int:
        """Distinct pairs whose rows were read, apart from lazy searches."""
        return pairs_with(len(self._read), self.n_features)

    def redundancy(self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        """Redundancy of every column with the columns asked for; see `Source.redundancy`."""
        for g, parts in requests:
            self._read.add(g)
            self._fill(g, parts, out)

    def searcher(self, t: int, k: int, eager: bool) -> Any:
        """A lazy search for `k` columns in part ``t``."""
        return self._store(t, self._measure, max(1, k)).lazy_step

    def eliminator(self, t: int) -> Any:
        """Removal of redundant columns in part ``t`` (see ``CodeStore.remove_redundant``)."""
        return self._store(t, self._measure).remove_redundant


class AveragedSource(Source):
    """The parts of a source seen as one: every measure is its mean over the parts.

    Signed correlations are averaged first and made absolute afterwards.
    """

    def __init__(self, source: Source):
        self.source = source
        self.n_features = source.n_features
        self.n_parts = 1
        self.n_threads = source.n_threads
        self.relevance = np.abs(source.relevance.mean(axis=0, keepdims=True))
        self.constant = np.asarray(source.constant.all(axis=0, keepdims=True))
        self._all = np.arange(source.n_parts)
        self._values = np.empty((source.n_parts, source.n_features))

    @property
    def n_evaluated(self) -> int:
        """Distinct pairs whose rows were read."""
        return self.source.n_evaluated

    def redundancy(self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        """Mean redundancy over the parts; see `Source.redundancy`."""
        for g, _ in requests:
            self.source.redundancy([(g, self._all)], self._values)
            out[0] = np.abs(self._values.mean(axis=0))

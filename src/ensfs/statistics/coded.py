"""Counts of coded columns in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ensfs._core import code_search, discrete, fold_pairs
from ensfs._core.encode import check_codes
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import checkpoint, for_blocks, ranges_of
from ensfs.data.target import Target
from ensfs.statistics.ahead import Ahead
from ensfs.statistics.formulas import Measure, get_measure
from ensfs.statistics.part_counts import PartCounts, rows_in_order, table_size
from ensfs.statistics.planes import make_planes, starts_of, take_planes
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import LazySource, Removal, SearchState, SearchSteps, pairs_with
from ensfs.statistics.weights import CountedRows, repetitions

#: Level counts of all columns in a part, their sums, and how many levels of each column occur.
Margins = tuple[np.ndarray, np.ndarray, np.ndarray]

#: Columns that all parts measure before they go on: their counts are still there.
COLUMNS_OF_PARTS = 256

#: Most parts that are searched together, and the most memory for the selected columns of them.
PARTS_AT_ONCE, TARGET_BYTES = 32, 64 * 2**20


class CodedSource(LazySource):
    """Coded columns in memory: measures from counts.

    The columns are held once, as bit planes. A part is a mask over them: counting a pair again for
    another part costs no more than looking a stored count up, so nothing is stored, and each part
    searches lazily. Columns with more than eight levels are held as codes too; a pair of them is
    counted once for all parts that leave out one fold, and what was counted last is stored. Columns
    whose rows have weights are held as codes, and added up row by row.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8 or uint16, Fortran order, or callable
        Dense codes of every column; or what gives them away, so that they need not outlive the bit
        planes that are made of them.
    n_levels : ndarray of shape (p,), int32
        Levels of every column.
    target : Target
        Classes.
    resampling : Resampling
        The parts.
    measure : str or Measure, default="mutual_information"
        What a column is measured by against a selected one, by its name in
        `ensfs.statistics.formulas.MEASURES` or as it is. It determines the measure of relevance
        too.
    n_threads : int, default=1
        Threads.
    """

    supports_take = True

    def __init__(
        self,
        codes: np.ndarray | Callable[[], np.ndarray],
        n_levels: np.ndarray,
        target: Target,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        n_threads: int = 1,
    ):
        codes = codes() if callable(codes) else codes
        n, p = codes.shape
        self.resampling = resampling
        self.n_parts = resampling.n_parts
        self.n_features = p
        self.n_threads = n_threads
        self.n = n
        self._rows = CountedRows.of(resampling)
        if len(target.classes) > 2**16:
            raise ValueError(
                f"y has {len(target.classes)} classes; at most {2**16} can be counted. A target "
                "with so many values is numeric, or an identifier."
            )
        self._y = target.codes.astype(np.uint16)
        levels = np.append(n_levels, len(target.classes)).astype(np.int64)
        few = levels <= (discrete.max_plane_levels if resampling.weight is None else 0)
        self._plane_start = np.concatenate([[0], np.cumsum(np.where(few, levels - 1, 0))])
        del levels
        self._set_measure(measure)
        self._relevance_measure = self._measure.of_relevance
        self._one_part: Margins | None = None
        self.constant = np.empty((self.n_parts, p), dtype=bool)
        narrow = codes
        if codes.dtype != np.uint8:  # codes above 255 belong to columns without planes
            narrow = np.asfortranarray(np.minimum(codes, 255).astype(np.uint8))
        y = self._y if few[-1] else None
        self._planes = make_planes(narrow, y, self._plane_start, n_threads)
        self._codes = None if few.all() else codes  # the planes hold the others
        if self._codes is not None:
            check_codes(codes, n_levels.astype(np.int32))
            check_codes(self._y[:, None], np.array([len(target.classes)], dtype=np.int32))
            if self._can_count_together():
                order = resampling.row_order()[0]
                self._codes, self._y = rows_in_order(codes, order, n_threads), self._y[order]
        planes_only = bool(few.all()) and self._plane_start[-1] > 0
        together = planes_only and self._can_count_together()
        #: What the parts of `FCBF`, which compare mostly the same pairs, are counted with at once.
        self.all_parts: fold_pairs.FoldStore | None = None
        self._read: set[int] = set()
        self._observed: dict[int, tuple[np.ndarray, int]] = {}
        if not together:
            del codes, narrow  # before more is made
        all_levels = np.append(n_levels, len(target.classes))
        self._level_start = np.concatenate([[0], np.cumsum(all_levels, dtype=np.int64)])
        self.relevance = np.empty((self.n_parts, p))
        if not together:
            self._fill(p, range(self.n_parts), self.relevance, first=True)
        elif self._measure.own_relevance:
            all_parts = self.all_parts = self._fold_store(narrow, 0, p)
            for_blocks(
                lambda a, b: all_parts.measure(p, a, b, self.relevance), p, n_threads, cells=n
            )
        else:
            for_blocks(partial(self._fill_together, narrow), p, n_threads, block=4096)

    @classmethod
    def of_weighted(
        cls,
        codes: np.ndarray | Callable[[], np.ndarray],
        n_levels: np.ndarray,
        target: Target,
        resampling: Resampling,
        **options: Any,
    ) -> CodedSource:
        """The same of rows that may have weights: repeated where that is faster than to add them.

        Parameters are those of the class; its results are the same.
        """
        times = repetitions(resampling.weight)
        if times is not None:
            codes = codes() if callable(codes) else codes
            codes = np.asfortranarray(np.repeat(codes, times, axis=0))
            target = replace(target, codes=np.repeat(target.codes, times))
            resampling = resampling.repeated(times)
        return cls(codes, n_levels, target, resampling, **options)

    def _set_measure(self, measure: str | Measure) -> None:
        """Choose what columns are measured by, and the planes that its targets take."""
        self._measure = get_measure(measure)
        planes = np.diff(self._plane_start)
        self._most_planes = int(planes.max())
        if self._measure.uses_target:  # the planes of a selected column and the target together
            self._most_planes = (self._most_planes + 1) * (int(planes[-1]) + 1)

    def with_measure(self, measure: str | Measure) -> CodedSource:
        """The same columns with another measure; the relevance stays."""
        if get_measure(measure) == self._measure:
            return self
        other = copy(self)
        other.all_parts, other._read = None, set()
        other._set_measure(measure)
        return other

    def information_with_target(self) -> np.ndarray:
        """Mutual information of every column with the target in every part, in bits."""
        values = np.empty(self.relevance.shape)
        plain = self.with_measure("mutual_information")
        plain._fill(self.n_features, range(self.n_parts), values)
        return values

    def observed_levels(self, t: int) -> tuple[np.ndarray, int]:
        """How many levels of every column, and of the target, occur in part ``t``."""
        if t not in self._observed:
            margins = self.margins(t)
            self._store(t, self._measure, margins=margins)
            observed = margins[2].astype(np.int64)
            self._observed[t] = observed[:-1], int(observed[-1])
        return self._observed[t]

    def take(self, columns: np.ndarray, measure: str | Measure | None = None) -> CodedSource:
        """Some of the columns, in this order, perhaps with another measure; the relevance stays.

        Parameters
        ----------
        columns : ndarray of int
            Columns to take.
        measure : str or Measure, optional
            What columns are measured by against a selected one.

        Returns
        -------
        CodedSource
            On planes of its own.
        """
        taken = copy(self)
        for of_columns in ("_table", "_part_counts"):
            taken.__dict__.pop(of_columns, None)
        with_target = np.append(columns, self.n_features)
        taken._plane_start = starts_of(self._plane_start, with_target)
        taken._level_start = starts_of(self._level_start, with_target)
        taken._planes = take_planes(self._planes, self._plane_start, with_target)
        taken._codes = None if self._codes is None else np.asfortranarray(self._codes[:, columns])
        taken.n_features = len(columns)
        taken.relevance = np.ascontiguousarray(self.relevance[:, columns])
        taken.constant = self.constant[:, columns]
        taken.all_parts, taken._one_part, taken._read, taken._observed = None, None, set(), {}
        taken._set_measure(self._measure if measure is None else measure)
        return taken

    def _can_count_together(self) -> bool:
        """Whether one count of a pair can serve all parts."""
        parts = self.resampling
        leaves_one_out = parts.is_leave_one_out and parts.n_folds <= fold_pairs.max_parts
        return leaves_one_out and parts.weight is None

    def _fill_together(self, codes: np.ndarray, start: int, stop: int) -> None:
        """Relevance of the columns ``start:stop``, counted once for all parts."""
        width = stop - start
        values = np.empty((self.n_parts, width))
        self._fold_store(codes, start, stop).measure(width, 0, width, values)
        self.relevance[:, start:stop] = values

    def _fold_store(self, codes: np.ndarray, start: int, stop: int) -> fold_pairs.FoldStore:
        """The columns ``start:stop`` and the target, with each fold in words of its own."""
        resampling, p, width = self.resampling, self.n_features, stop - start
        position, n_words = resampling.word_positions()
        plane_start = self._plane_start[start : stop + 1] - self._plane_start[start]
        plane_start = np.append(plane_start, plane_start[-1] + np.diff(self._plane_start[p:]))
        planes = np.empty((plane_start[-1], n_words), dtype=np.uint64)
        buffer = np.empty(64 * n_words, dtype=np.uint8)
        discrete.make_planes(codes[:, start:stop], plane_start, 0, width, planes, position, buffer)
        y = np.asfortranarray(self._y.astype(np.uint8)[:, None])
        discrete.make_planes(y, plane_start[width:], 0, 1, planes, position, buffer)
        entropy = np.empty((width + 1, resampling.n_folds), dtype=np.int64)
        observed = np.empty(entropy.shape, dtype=np.int32)
        rows, measure = self._rows, self._relevance_measure
        assert rows.table is not None  # there are no weights
        total, units = rows.of_parts(), measure.units(rows.unit / resampling.n_rows)[0]
        store = fold_pairs.FoldStore(
            planes, plane_start, resampling.n_rows, total, units, rows.chance, rows.table,
            measure.compiled,
            np.empty((len(planes) + width + 1, resampling.n_folds), dtype=np.int32), entropy,
            observed,
        )  # fmt: skip
        self.constant[:, start:stop] = (entropy[:-1] == total).T
        return store

    @lazy_property
    def _masks(self) -> np.ndarray | None:
        """Rows of each part as bits, in the order of the planes."""
        if self.resampling.is_all_rows or self.resampling.weight is not None:
            return None
        bits = np.zeros((self.n_parts, self._planes.shape[1] * 64), dtype=bool)
        bits[:, : self.n] = self.resampling.membership[:, self.resampling.fold]
        return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)

    def margins(self, t: int) -> Margins:
        """Arrays for the level counts, the entropies and the numbers of levels of part ``t``.

        Those of a single part are kept; those of many parts would take more memory than the table,
        and counting them again is quick.
        """
        if self._one_part is not None:
            return self._one_part
        of_planes = np.empty(self._plane_start[-1] + self.n_features + 1, dtype=np.int32)
        shared = self._part_counts
        if shared is not None:
            return of_planes, shared.entropy[t].copy(), shared.observed[t].copy()
        entropy = np.empty(self.n_features + 1, dtype=np.int64)
        return of_planes, entropy, np.empty(entropy.size, dtype=np.int32)

    def entropy(self, t: int) -> np.ndarray:
        """Entropy of every column in part ``t``, in bits."""
        margins = self.margins(t)
        self._store(t, self._relevance_measure, margins=margins)
        n = int(self._rows.n[t])
        return (self._rows.of_parts()[t] - margins[1][:-1]) * (self._rows.unit / n)

    @lazy_property
    def _table(self) -> discrete.CodedTable:
        """The columns as the kernels take them."""
        rows = self._rows
        return discrete.CodedTable(
            self._planes, self._plane_start, self._level_start, self._codes, self._y, rows.table,
            rows.unit, rows.chance, rows.weights, rows.log_total, rows.log_scale,
        )  # fmt: skip

    @lazy_property
    def _part_counts(self) -> PartCounts | None:
        """Counts of columns with many levels for all parts, if one count can serve them."""
        if self._codes is None or not self._can_count_together():
            return None
        assert self._rows.table is not None  # there are no weights
        levels = np.diff(self._level_start)
        return PartCounts(self._table, levels, self.resampling, self._rows.table, self.n_threads)

    def _store(
        self, t: int, measure: Measure, n_targets: int = 1, margins: Margins | None = None
    ) -> discrete.CodeStore:
        """Part ``t`` with space for some targets, for one thread."""
        margins = self.margins(t) if margins is None else margins
        counted = margins is self._one_part
        size, rows, weighted = 0, None, self._rows.weights is not None
        shared = None if self._part_counts is None else self._part_counts.of_thread()
        if self._codes is not None and shared is None:  # scratch for columns with many levels
            size = table_size(self.n, np.diff(self._level_start))
            if weighted or not self.resampling.is_all_rows:
                rows = self.resampling.rows(t)
        workspace = discrete.PairWorkspace(
            np.empty((n_targets, self._most_planes * self._planes.shape[1]), dtype=np.uint64),
            np.empty((n_targets, discrete.max_plane_levels**2), dtype=np.int32),
            np.empty((n_targets, discrete.fixed_size), dtype=np.int64),
            np.zeros(0 if weighted else size, dtype=np.int32), np.empty(size, dtype=np.int64),
            np.empty(min(size, self.n), dtype=np.int32),
            np.zeros(size, dtype=np.int64) if weighted else None,
        )  # fmt: skip
        n_rows = int(self.resampling.n_rows[t]) if rows is None else rows.size
        store = discrete.CodeStore(
            self._table, None if self._masks is None else self._masks[t], rows, n_rows, *margins,
            measure.compiled, workspace, int(self._rows.n[t]), int(self._rows.of_parts()[t]),
            shared, t,
        )  # fmt: skip
        if not counted:
            store.count_margins()
            if self.n_parts == 1:
                self._one_part = margins  # only now: other threads take them as counted
        return store

    def _fill(self, g: int, part_ids: Iterable[int], out: np.ndarray, first: bool = False) -> None:
        """The measure of every column with column ``g`` in some parts (`first`: the relevance)."""
        part_ids = list(part_ids)
        p = self.n_features
        measure = self._relevance_measure if first else self._measure
        if self.n_parts == 1:
            # one part: the threads share its columns
            if first:
                self._mark_constant(0, self._store(0, measure))

            def columns(start: int, stop: int) -> None:
                store = self._store(0, measure)
                for a, b in ranges_of(start, stop, self.n):
                    store.measure(g, a, b, out[0, a:b])

            for_blocks(columns, p, self.n_threads)
            return

        if self._part_counts is not None:
            fill = partial(self._fill_from_counts, g, part_ids, out, first)
            for_blocks(fill, p, self.n_threads, cells=self.n)
            return

        def several(start: int, stop: int) -> None:
            for t in part_ids[start:stop]:
                store = self._store(t, measure)
                if first:
                    self._mark_constant(t, store)
                for a, b in ranges_of(0, p, self.n):
                    store.measure(g, a, b, out[t, a:b])

        for_blocks(several, len(part_ids), self.n_threads, block=1)

    def _fill_from_counts(
        self, g: int, part_ids: list[int], out: np.ndarray, first: bool, start: int, stop: int
    ) -> None:
        """The same of the columns ``start:stop`` where one count serves all parts."""
        measure = self._relevance_measure if first else self._measure
        stores = [self._store(t, measure) for t in part_ids]
        for a in range(start, stop, COLUMNS_OF_PARTS):
            checkpoint()
            b = min(a + COLUMNS_OF_PARTS, stop)
            for t, store in zip(part_ids, stores, strict=True):
                store.measure(g, a, b, out[t, a:b])
        if first and start == 0:
            for t, store in zip(part_ids, stores, strict=True):
                self._mark_constant(t, store)

    def _mark_constant(self, t: int, store: discrete.CodeStore) -> None:
        """Columns of part ``t`` that hold one level."""
        self.constant[t] = store.entropy[:-1] == self._rows.of_parts()[t]

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read, apart from lazy searches."""
        return pairs_with(len(self._read), self.n_features)

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Association of every column with the columns asked for; see `Source.association`."""
        for g, part_ids in requests:
            self._read.add(g)
            self._fill(g, part_ids, out)

    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> SearchSteps:
        """A lazy search for `k` columns in some parts; see `LazySource.searcher`."""
        stores = [self._store(t, self._measure, max(1, k)) for t in part_ids]

        def search(state: SearchState, *rest: Any) -> int:
            return code_search.search_lazily(stores, state.arrays, *rest)

        return search

    @property
    def parts_at_once(self) -> int:  # type: ignore[override]
        """How many parts a search may have: more than one if they share counts."""
        if self._part_counts is None:
            return 1
        bytes_of_target = 8 * self._most_planes * self.n_words + 512
        return max(1, min(PARTS_AT_ONCE, TARGET_BYTES // (64 * bytes_of_target)))

    def eliminator(self, t: int) -> Removal:
        """Removal of redundant columns in part ``t`` (see ``CodeStore.remove_redundant``)."""
        store = self._store(t, self._measure)

        def remove(
            g: int, columns: np.ndarray, relevance: np.ndarray, tolerance: float,
            removed_by: np.ndarray,
        ) -> np.ndarray:  # fmt: skip
            n_stay = 0
            for a, b in ranges_of(0, columns.size, self.n):
                n_stay = store.remove_redundant(
                    g, columns, a, b, n_stay, relevance, tolerance, removed_by
                )
            return columns[:n_stay]

        return remove

    def pair_store(self, measure: str | Measure) -> discrete.CodeStore:
        """All rows with space for one target, for one thread."""
        return self._store(0, get_measure(measure))

    @property
    def n_words(self) -> int:
        """Words of a plane."""
        return self._planes.shape[1]

    def planes_of_all(self) -> int:
        """The most planes of a column; 0 if some columns have none."""
        return int(np.diff(self._plane_start)[:-1].max()) if self._codes is None else 0

"""Counts of sparse coded columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np

from ensfs._core import discrete, sparse_counts
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks, ranges_of
from ensfs.data.sparse_table import CodedCells
from ensfs.data.target import Target
from ensfs.statistics.ahead import Ahead
from ensfs.statistics.formulas import Measure, get_measure
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import LazySource, Removal, SearchState, SearchSteps, pairs_with
from ensfs.statistics.weights import chance_of, log_table

#: Counts of the cells of a column and the target: a lazy search has them for every choice.
_FEW_CELLS = 1 << 14

#: More cells of a column and the target are not counted.
_MOST_CELLS = 1 << 27


class SparseCodedSource(LazySource):
    """Sparse coded columns: measures from counts, equal to those of the dense table.

    Parameters
    ----------
    coded : CodedCells
        The columns.
    target : Target
        Classes.
    resampling : Resampling
        The parts.
    measure : str or Measure, default="mutual_information"
        As of `CodedSource`.
    n_threads : int, default=1
        Threads.
    """

    supports_take = True

    def __init__(
        self,
        coded: CodedCells,
        target: Target,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        n_threads: int = 1,
    ):
        self.resampling = resampling
        self.n_parts = resampling.n_parts
        self.n_threads = n_threads
        self.n = resampling.fold.size
        self.klogk, self.unit = log_table(self.n)
        if len(target.classes) > 2**16:
            raise ValueError(
                f"y has {len(target.classes)} classes; at most {2**16} can be counted. A target "
                "with so many values is numeric, or an identifier."
            )
        self._y = target.codes.astype(np.uint16)
        self._n_classes = len(target.classes)
        self._set_columns(coded)
        self._set_measure(measure)
        self._relevance_measure = self._measure.of_relevance
        self.relevance = np.empty((self.n_parts, self.n_features))
        self.constant = np.empty((self.n_parts, self.n_features), dtype=bool)
        self._measure_with(
            self.n_features, range(self.n_parts), self._relevance_measure, self.relevance
        )
        for t, constant in enumerate(self.constant):
            constant[...] = self._margins(t)[0][:-1] == self.klogk[resampling.n_rows[t]]

    def _set_columns(self, coded: CodedCells) -> None:
        self._coded = coded
        self.n_features = coded.n_levels.size
        self._read: set[int] = set()
        self._kept: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def _set_measure(self, measure: str | Measure) -> None:
        self._measure = get_measure(measure)
        self.supports_lazy = self._cells_of_target(self._measure) <= _FEW_CELLS

    @lazy_property
    def _table(self) -> sparse_counts.SparseCodes:
        """The columns as the kernels take them."""
        coded = self._coded
        return sparse_counts.SparseCodes(
            coded.cells, coded.codes, coded.zero, coded.n_levels, self._y, self._n_classes,
            self.klogk, self.unit, chance_of(self.unit),
        )  # fmt: skip

    @property
    def _most_levels(self) -> int:
        return max(self._n_classes, int(self._coded.n_levels.max(initial=1)))

    def _cells_of_target(self, measure: Measure) -> int:
        """Counts that are held of a selected column, alone and with the target."""
        return self._most_levels * (1 + self._n_classes * measure.uses_target)

    def with_measure(self, measure: str | Measure) -> SparseCodedSource:
        """The same columns with another measure; the relevance stays."""
        if get_measure(measure) == self._measure:
            return self
        other = copy(self)
        other._read = set()
        other._set_measure(measure)
        return other

    def take(self, columns: np.ndarray, measure: str | Measure | None = None) -> SparseCodedSource:
        """Some of the columns, in this order, perhaps with another measure; the relevance stays."""
        taken = copy(self)
        taken.__dict__.pop("_table", None)
        taken._set_columns(self._coded.take(columns))
        taken._set_measure(self._measure if measure is None else measure)
        taken.relevance = np.ascontiguousarray(self.relevance[:, columns])
        taken.constant = self.constant[:, columns]
        return taken

    def information_with_target(self) -> np.ndarray:
        """Mutual information of every column with the target in every part, in bits."""
        values = np.empty(self.relevance.shape)
        measure = get_measure("mutual_information")
        self._measure_with(self.n_features, range(self.n_parts), measure, values)
        return values

    def observed_levels(self, t: int) -> tuple[np.ndarray, int]:
        """How many levels of every column, and of the target, occur in part ``t``."""
        observed = self._margins(t)[1].astype(np.int64)
        return observed[:-1], int(observed[-1])

    def entropy(self, t: int) -> np.ndarray:
        """Entropy of every column in part ``t``, in bits."""
        n = int(self.resampling.n_rows[t])
        return (self.klogk[n] - self._margins(t)[0][:-1]) * (self.unit / n)

    # ------------------------------------------------------------------ parts

    def _member(self, t: int) -> np.ndarray | None:
        """Which rows belong to part ``t``; None for all."""
        if self.resampling.is_all_rows:
            return None
        return self.resampling.membership[t, self.resampling.fold].astype(np.uint8)

    def _margins(self, t: int) -> tuple[np.ndarray, np.ndarray]:
        """Sums over the margins of all columns and the target in part ``t``, and their levels.

        Those of a single part are kept; those of many would take more memory than the table.
        """
        if t in self._kept:
            return self._kept[t]
        entropy = np.empty(self.n_features + 1, dtype=np.int64)
        observed = np.empty(self.n_features + 1, dtype=np.int32)
        plain = get_measure("mutual_information")
        self._new_store(t, plain, 1, entropy, observed, None).count_margins()
        if self.n_parts == 1:
            self._kept[t] = entropy, observed
        return entropy, observed

    def _store(self, t: int, measure: Measure, n_targets: int = 1) -> sparse_counts.SparseStore:
        """Part ``t`` with space for some targets, for one thread."""
        entropy, observed = self._margins(t)
        with_target = None
        if measure.uses("fy"):
            with_target = np.empty(self.n_features, dtype=np.int64)
            plain = get_measure("mutual_information")
            store = self._new_store(t, plain, 1, entropy, observed, None)
            store.joint_with_target(0, self.n_features, with_target)
        return self._new_store(t, measure, n_targets, entropy, observed, with_target)

    def _new_store(
        self,
        t: int,
        measure: Measure,
        n_targets: int,
        entropy: np.ndarray,
        observed: np.ndarray,
        with_target: np.ndarray | None,
    ) -> sparse_counts.SparseStore:
        width = self._cells_of_target(measure)
        if width > _MOST_CELLS:
            raise ValueError(
                f"A column with {self._most_levels} levels and {self._n_classes} classes have too "
                "many combinations to be counted together. Drop the column if it is an "
                "identifier, or treat it as continuous."
            )
        most = self._table.most_cells
        size = 1 << max(10, int(4 * most).bit_length())
        return sparse_counts.SparseStore(
            self._table, self._member(t), int(self.resampling.n_rows[t]), entropy, observed,
            with_target, measure.compiled, self._most_levels,
            np.empty((n_targets, self.n), dtype=np.int32),
            np.empty((n_targets, width), dtype=np.int32),
            np.empty((n_targets, discrete.fixed_size), dtype=np.int64),
            np.empty((n_targets, 2), dtype=np.int64), np.empty(n_targets, dtype=np.int32),
            np.zeros(size, dtype=np.int32), np.empty(size, dtype=np.int64),
            np.zeros(width, dtype=np.int32), np.empty(2 * most + 1, dtype=np.int32),
        )  # fmt: skip

    # ------------------------------------------------------------------ what a source answers

    @property
    def cells_of_pair(self) -> int:
        """About what measuring a pair takes, in cells that are read."""
        return 8 + 4 * self._coded.codes.size // self.n_features

    def _measure_with(
        self, g: int, part_ids: Iterable[int], measure: Measure, out: np.ndarray
    ) -> None:
        """The measure of every column with column ``g`` (the target is the last) in some parts."""
        parts, p, cells = list(part_ids), self.n_features, self.cells_of_pair
        if self.n_parts == 1:  # the threads share its columns

            def columns(start: int, stop: int) -> None:
                store = self._store(0, measure)
                for a, b in ranges_of(start, stop, cells):
                    store.measure(g, a, b, out[0, a:b])

            self._margins(0)
            for_blocks(columns, p, self.n_threads)
            return

        def several(start: int, stop: int) -> None:
            for t in parts[start:stop]:
                store = self._store(t, measure)
                for a, b in ranges_of(0, p, cells):
                    store.measure(g, a, b, out[t, a:b])

        for_blocks(several, len(parts), self.n_threads, block=1)

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose cells were read, apart from lazy searches."""
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
            self._measure_with(g, part_ids, self._measure, out)

    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> SearchSteps:
        """A lazy search for `k` columns in one part; see `LazySource.searcher`."""
        (t,) = part_ids
        store = self._store(t, self._measure, max(1, k))

        def search(state: SearchState, *rest: Any) -> int:
            return store.lazy_search(state.arrays, *rest)

        return search

    def pair_measure(
        self, measure: str, t: int = 0
    ) -> Callable[[int, np.ndarray, np.ndarray], None]:
        """A function of a column, others, and where the measures with these go, in part ``t``."""
        store = self._store(t, get_measure(measure))

        def measure_some(g: int, columns: np.ndarray, values: np.ndarray) -> None:
            for a, b in ranges_of(0, columns.size, self.cells_of_pair):
                store.measure_some(g, columns[a:b], values[a:b])

        return measure_some

    def eliminator(self, t: int) -> Removal:
        """Removal of redundant columns in part ``t``; see `ensfs.search.elimination`."""
        store = self._store(t, self._measure)

        def remove(
            g: int, columns: np.ndarray, relevance: np.ndarray, tolerance: float,
            removed_by: np.ndarray,
        ) -> np.ndarray:  # fmt: skip
            values = np.empty(columns.size)
            for a, b in ranges_of(0, columns.size, self.cells_of_pair):
                store.measure_some(g, columns[a:b], values[a:b])
            removed = values >= relevance[columns] - tolerance
            removed_by[columns[removed]] = g
            return columns[~removed]

        return remove

"""Counts of coded columns in blocks of rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ensfs.data.codes import TableCodes
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.scale import block_tables
from ensfs.scale.block_counts import BlockCounts, CodedRows, Counts
from ensfs.scale.block_cuts import Coding
from ensfs.scale.block_tables import TablesInBlocks
from ensfs.scale.partitioned import Task, changed
from ensfs.statistics import CachingSource, CountedRows, Resampling
from ensfs.statistics.formulas import Measure, Unit, get_measure, rounding
from ensfs.statistics.observed_counts import Levels, measure_observed, spread_uncertainty

#: Tables with fewer rows are counted in 32 bits.
MOST_SHORT = 2**31


def _code(table: Table, coding: Coding | None, joins_missing: bool) -> TableCodes:
    """The codes of a block, with the levels that occur in it."""
    return table.codes(None if coding is None else coding(table), joins_missing=joins_missing)


@dataclass(frozen=True)
class FindLevels(Task):
    """Finds the sorted distinct values of every column, which cells are missing, and the cuts.

    The state is a list of these three.
    """

    coding: Coding | None
    joins_missing: bool
    name: ClassVar[str] = "levels"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Table, rows: slice, about: Any) -> list[Any]:
        """Those of a block."""
        coded = _code(table, self.coding, self.joins_missing)
        return [_without_missing(coded), coded.incomplete, coded.cut_points]

    def add(self, prepared: list[Any], state: list[Any] | None) -> list[Any]:
        """Put them together with those of other blocks."""
        if state is None:
            return prepared
        levels = [
            a if np.array_equal(a, b) else np.union1d(a, b)
            for a, b in zip(state[0], prepared[0], strict=True)
        ]
        return [levels, state[1] | prepared[1], prepared[2]]

    def merge(self, state: list[Any] | None, other: list[Any] | None) -> list[Any] | None:
        """The same."""
        return state if other is None else self.add(other, state)


@dataclass(frozen=True)
class AddCounts(Task):
    """Counts all columns against some of them, or against the target.

    Attributes
    ----------
    against : list of int
        The columns that all are counted against; -1 is the target.
    with_target : bool
        Whether columns are counted against together with the target.
    levels : list of ndarray
        Sorted distinct values of every column.
    identifiers : ndarray of bool
        Columns that count as constant.
    offset : ndarray of int
        Where the levels of each column begin.
    n_classes : int
        Number of classes.
    coding : callable or None
        Cuts continuous columns.
    joins_missing : bool
        Whether a group is missing if one of its columns is.
    """

    against: list[int]
    with_target: bool
    levels: list[np.ndarray]
    identifiers: np.ndarray
    offset: np.ndarray
    n_classes: int
    coding: Coding | None
    joins_missing: bool
    name: ClassVar[str] = "counts"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Table, rows: slice, about: Any) -> CodedRows:
        """A block as codes of the whole table."""
        coded = _code(table, self.coding, self.joins_missing)
        few = np.diff(self.offset).max(initial=0) <= 256
        codes = coded.codes
        if few != (codes.dtype == np.uint8) or self.identifiers.any():
            codes = codes.astype(np.uint8 if few else np.int32, order="F")
        for j, levels in enumerate(_without_missing(coded)):
            if self.identifiers[j]:
                codes[:, j] = 0
                continue
            known = self.levels[j]
            place = np.searchsorted(known, levels)
            if levels.size and not np.array_equal(known[np.minimum(place, known.size - 1)], levels):
                raise changed("block", f"Column {j} holds other values than before.")
            if coded.incomplete[j]:
                place = np.append(place, known.size)
            if not np.array_equal(place, np.arange(place.size)):
                if codes is coded.codes:
                    codes = codes.copy(order="F")
                codes[:, j] = place.astype(codes.dtype)[coded.codes[:, j]]
        return CodedRows(codes, *about)

    def add(self, prepared: CodedRows, state: list[Counts]) -> list[Counts]:
        """Add the counts of a block."""
        counts = BlockCounts(prepared, self.offset, len(state[0].margin))
        for g, of_target in zip(self.against, state, strict=True):
            y = prepared.classes
            if g >= 0:
                y = prepared.codes[:, g].astype(np.int32)
                if self.with_target:
                    y = y * self.n_classes + prepared.classes
            counts.add(y, of_target)
        return state

    def merge(self, state: list[Counts], other: list[Counts]) -> list[Counts]:
        """Add counts to others."""
        for (tables, margin), more in zip(state, other, strict=True):
            tables += more.tables
            margin += more.margin
        return state


class CodedBlocks(CachingSource):
    """Coded columns in blocks of rows; see `ensfs.statistics.CodedSource`.

    Tables of counts are kept for all pairs with a target, so columns with very many levels cost
    memory: levels of the column times levels of the target times folds.
    """

    def __init__(
        self,
        data: TablesInBlocks,
        target: Target,
        resampling: Resampling,
        measure: str | Measure,
        n_threads: int,
        missing: str = "level",
        coding: Coding | None = None,
    ):
        super().__init__(resampling, data.n_features, n_threads, block_tables.SUMS_BYTES)
        self.data = data
        self._coding, self._joins_missing = coding, missing != "level"
        self.measure = get_measure(measure)
        self._rows = CountedRows.of(resampling)
        self.klogk = self._rows.klogk
        self.levels, self.incomplete = self._read_levels()
        self._identifiers = data.identifiers(self.levels, self.incomplete)
        self.incomplete &= ~self._identifiers
        self.levels = [
            levels[:1] if identifier else levels
            for levels, identifier in zip(self.levels, self._identifiers, strict=True)
        ]
        self.n_levels = np.array([len(v) for v in self.levels]) + self.incomplete
        self._observes = missing in ("available", "distribute") and bool(self.incomplete.any())
        self._spreads = missing == "distribute"
        # tables of all columns with a target stand side by side, each `levels` wide
        self._offset = np.concatenate([[0], np.cumsum(self.n_levels)])
        self._classes = target.codes
        self._n_classes = len(target.classes)
        ((tables, margin),) = self._count([-1])
        columns = np.add.reduceat(tables.sum(axis=1), self._offset[:-1], axis=1)
        assert (columns == margin.sum(axis=1)[:, None]).all()
        self._margins = resampling.combine_counts(tables.sum(axis=1).astype(np.int64))
        self.entropy = np.add.reduceat(self.klogk[self._margins], self._offset[:-1], axis=1)
        self.constant = self.entropy == self._rows.of_parts()[:, None]
        self._observed = _occurring(self._margins, self._offset)
        self._class_counts = resampling.combine_counts(margin)
        self._target_entropy = self.klogk[self._class_counts].sum(axis=1)
        self._target_levels = (self._class_counts > 0).sum(axis=1)
        self.relevance = np.empty((self.n_parts, self.n_features))
        #: Sums over the cells of every column and the target in each part.
        self._with_target = np.empty((self.n_parts, self.n_features), dtype=np.int64)
        total = tables.sum(axis=0)
        if self._observes:
            self._observe(tables, total)
            return
        for t in range(self.n_parts):
            counts = resampling.counts_of_part(t, tables, total)
            self._with_target[t] = self._joint(counts)
            self.relevance[t] = self._of_pairs(
                self.measure.of_relevance, t, self._with_target[t], self._class_counts[t]
            )  # fmt: skip

    def _observe(self, tables: np.ndarray, total: np.ndarray) -> None:
        """Relevance and margins of the rows in which columns are observed."""
        levels = Levels(self.n_levels, self.incomplete)
        margins = levels.observed(self._margins)
        self._observed = _occurring(margins, self._offset)
        self.constant = self._observed <= 1
        self._information = np.empty((self.n_parts, self.n_features))
        self._rows_with_target = np.empty((self.n_parts, self.n_features))
        for t in range(self.n_parts):
            counts = self.resampling.counts_of_part(t, tables, total)
            self.relevance[t] = self._of_observed(self.measure.of_relevance, counts, False)[0]
            self._information[t], self._rows_with_target[t] = self._of_observed(
                get_measure("mutual_information"), counts, False
            )

    def _of_observed(
        self, measure: Measure, counts: np.ndarray, gaps: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """A measure of observed rows, and these; the last level counted with may be missing."""
        levels = Levels(self.n_levels, self.incomplete)
        if self._spreads and measure.own_relevance:
            spread = spread_uncertainty(measure, counts, levels, gaps, self._rows)
            return spread, np.full(self.n_features, counts.sum() // self.n_features)
        of_y = self._n_classes if measure.uses_target else 1
        counts = levels.observed(counts.reshape(-1, of_y, counts.shape[1]).astype(np.int64), gaps)
        return measure_observed(measure, counts, levels, self._rows)

    def rows_measured(self, t: int, g: int | None = None) -> Any:
        """Rows of part ``t`` that each column, and column ``g``, are measured on."""
        if not self._observes:
            return self.resampling.n_rows[t]
        if g is None:
            return self._rows_with_target[t] / self._rows.times
        ((tables, _),) = self._compute([g])
        counts = self.resampling.counts_of_part(t, tables, tables.sum(axis=0))
        found = self._of_observed(self.measure, counts, bool(self.incomplete[g]))
        return found[1] / self._rows.times

    def with_measure(self, measure: str | Measure) -> CodedBlocks:
        """The same columns with another measure; the relevance stays."""
        if get_measure(measure) == self.measure:
            return self
        other = copy(self)
        other.measure = get_measure(measure)
        other._start_reading()
        return other

    def information_with_target(self) -> np.ndarray:
        """Mutual information of every column with the target in every part, in bits."""
        if self._observes:
            return self._information
        measure = get_measure("mutual_information")
        values = np.empty(self.relevance.shape)
        for t, (joint, y) in enumerate(zip(self._with_target, self._class_counts, strict=True)):
            values[t] = self._of_pairs(measure, t, joint, y)
        return values

    def observed_levels(self, t: int) -> tuple[np.ndarray, int]:
        """How many levels of every column, and of the target, occur in part ``t``."""
        return self._observed[t], int(self._target_levels[t])

    def _read_levels(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Sorted distinct values of every column, and whether cells are missing."""
        levels, incomplete, cut_points = self.data.add_up(
            FindLevels(self._coding, self._joins_missing), None, shown="reading levels"
        )
        self.data.keep_cut_points(cut_points)
        return levels, incomplete

    def _count(self, against: list[int]) -> list[Counts]:
        """Count all columns against columns, or -1 the target, in one reading."""
        n_folds, n_all = self.resampling.n_folds, self._offset[-1]
        is_long = self._is_weighted or self.data.n_rows >= MOST_SHORT
        task = AddCounts(
            against, self.measure.uses_target, self.levels, self._identifiers, self._offset,
            self._n_classes, self._coding, self._joins_missing,
        )  # fmt: skip
        sizes = [self._n_classes if g < 0 else self._levels_with(g) for g in against]
        dtype = np.int64 if is_long else np.int32
        start = [
            Counts(np.zeros((n_folds, n, n_all), dtype), np.zeros((n_folds, n), np.int64))
            for n in sizes
        ]
        return self.data.add_up(task, start, about=self._about)

    def _about(self, rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Fold, class and weight of some rows."""
        weights = self._rows.weights
        fold = self.resampling.fold[rows]
        return fold, self._classes[rows], None if weights is None else weights[rows]

    def _levels_with(self, g: int) -> int:
        """Levels of column ``g``, or of ``g`` and the target together."""
        return int(self.n_levels[g]) * (self._n_classes if self.measure.uses_target else 1)

    @property
    def _is_weighted(self) -> bool:
        return self._rows.weights is not None

    @property
    def _columns_per_reading(self) -> int:
        return block_tables.COUNTED_PER_READING

    @property
    def _bytes_per_target(self) -> int:
        levels = self.n_levels.max() * (self._n_classes if self.measure.uses_target else 1)
        itemsize = 8 if self._is_weighted else 4
        return int(itemsize * self.resampling.n_folds * levels * self._offset[-1])

    def _compute(self, targets: list[int]) -> list[Any]:
        return self._count(targets)

    def _finish(self, g: int, statistics: Any, part_ids: np.ndarray, out: np.ndarray) -> None:
        tables, margin = statistics
        total, margins = tables.sum(axis=0), self.resampling.combine_counts(margin)
        for t in part_ids:
            counts = self.resampling.counts_of_part(t, tables, total)
            if self._observes:
                out[t] = self._of_observed(self.measure, counts, bool(self.incomplete[g]))[0]
            elif self.measure.uses_target:
                out[t] = self._of_triples(t, counts, margins[t])
            else:
                out[t] = self._of_pairs(self.measure, t, self._joint(counts), margins[t])

    def _joint(self, counts: np.ndarray) -> np.ndarray:
        """Sum of klogk over the cells of every column."""
        return np.add.reduceat(self.klogk[counts].sum(axis=0), self._offset[:-1])

    def _unit(self, t: int) -> Unit:
        """The unit of the sums in part ``t``."""
        return Unit(self._rows.unit / self._rows.n[t], self._rows.chance)

    def _of_pairs(
        self, measure: Measure, t: int, joint: np.ndarray, target: np.ndarray
    ) -> np.ndarray:
        """The measure of every column with a target, from the sums of both and its counts."""
        n, levels = self._rows.n[t], target.size
        sums = {
            "": self._rows.of_parts()[t],
            "f": self.entropy[t],
            "g": self.klogk[target].sum(),
            "fg": joint,
        }
        observed = {"f": self._observed[t], "g": np.count_nonzero(target), "y": 0}
        rounded = rounding(n, self.n_levels * levels, self.n_levels + levels)
        return measure.of(sums, observed, rounded, self._unit(t))

    def _of_triples(self, t: int, counts: np.ndarray, margin: np.ndarray) -> np.ndarray:
        """The measure of every column, a column and the target together, in one part."""
        n, c = self._rows.n[t], self._n_classes
        of_target = margin.reshape(-1, c).sum(axis=1)
        sums = {
            "": self._rows.of_parts()[t],
            "f": self.entropy[t],
            "g": self.klogk[of_target].sum(),
            "fg": self._joint(counts.reshape(-1, c, counts.shape[1]).sum(axis=1)),
            "y": self._target_entropy[t],
            "fy": self._with_target[t],
            "gy": self.klogk[margin].sum(),
            "fgy": self._joint(counts),
        }
        observed = {
            "f": self._observed[t], "g": np.count_nonzero(of_target), "y": self._target_levels[t],
        }  # fmt: skip
        cells = self.n_levels * of_target.size
        others = cells + (of_target.size + (self.n_levels if self.measure.uses("fy") else 0)) * c
        return self.measure.of(sums, observed, rounding(n, cells * c, others), self._unit(t))


def _without_missing(coded: TableCodes) -> list[np.ndarray]:
    """Levels of the columns that stand for values."""
    return [
        levels[:-1] if gaps else levels
        for levels, gaps in zip(coded.levels, coded.incomplete, strict=True)
    ]


def _occurring(counts: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """How many levels of each column occur in each part, from the counts of all levels."""
    return np.add.reduceat((counts > 0).astype(np.int64), offset[:-1], axis=1)

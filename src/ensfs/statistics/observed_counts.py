"""Coded columns measured on the rows in which they are observed, or with missing cells spread.

Columns are counted with their missing cells as a last level. What is measured comes from these
tables: without the last level, or with its counts spread over the others.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from ensfs._core import discrete, weighted
from ensfs.data.codes import TableCodes
from ensfs.data.target import Target
from ensfs.statistics.formulas import Measure, Unit, get_measure, rounding
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import CachingSource
from ensfs.statistics.weights import CountedRows, repetitions

#: Cells of the tables that are counted at a time.
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class Levels:
    """Levels of columns side by side.

    Attributes
    ----------
    n : ndarray of int, shape (n_columns,)
        Levels of each column, with that of missing cells.
    incomplete : ndarray of bool, shape (n_columns,)
        Whether the last one is that of missing cells.
    """

    n: np.ndarray
    incomplete: np.ndarray

    @property
    def starts(self) -> np.ndarray:
        """Where the levels of each column begin."""
        return np.concatenate([[0], np.cumsum(self.n)[:-1]]).astype(np.int64)

    @property
    def missing(self) -> np.ndarray:
        """Places of the levels of missing cells."""
        return np.cumsum(self.n)[self.incomplete] - 1

    def take(self, columns: np.ndarray) -> tuple[Levels, np.ndarray]:
        """Those of some columns, and where they are."""
        n = self.n[columns]
        before = np.concatenate([[0], np.cumsum(n)])
        places = np.repeat(self.starts[columns] - before[:-1], n) + np.arange(before[-1])
        return Levels(n, self.incomplete[columns]), places

    def observed(self, counts: np.ndarray, of_target: bool = False) -> np.ndarray:
        """Counts without missing cells of the columns, and of the last of the target levels."""
        counts = counts.copy()
        counts[..., self.missing] = 0
        if of_target:
            counts[-1] = 0
        return counts

    def summed(self, values: np.ndarray) -> np.ndarray:
        """Sums over the levels of each column, along the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1)


class Label(NamedTuple):
    """What columns are counted with.

    Attributes
    ----------
    of_rows : ndarray of int, shape (n_rows,)
        The level of g, or of g and y together.
    n_levels, n_classes : int
        Levels of g and of y; one of y if it is not counted.
    gaps : bool
        Whether the last level of g is that of missing cells.
    """

    of_rows: np.ndarray
    n_levels: int
    n_classes: int
    gaps: bool


def measure_observed(
    measure: Measure, counts: np.ndarray, levels: Levels, rows: CountedRows
) -> tuple[np.ndarray, np.ndarray]:
    """A measure of columns with a column, and perhaps with the target, from their tables.

    Parameters
    ----------
    measure : Measure
        The measure.
    counts : ndarray of int, shape (levels of g, levels of y, levels of all columns)
        Counts of the rows in which all are observed; one level of y if it is not counted.
    levels : Levels
        Of the columns.
    rows : CountedRows
        What counts need to become information.

    Returns
    -------
    ndarray of shape (n_columns,), ndarray of int of shape (n_columns,)
        The measure, 0 for columns without such a row, and how many rows there are.
    """
    with_g, with_y = counts.sum(axis=1), counts.sum(axis=0)
    of_g, of_y = levels.summed(with_g), levels.summed(with_y)
    of_gy, of_f = levels.summed(counts), counts.sum(axis=(0, 1))
    n = of_g.sum(axis=0)

    def total(cells: np.ndarray) -> np.ndarray:
        return rows.klogk[cells].sum(axis=tuple(range(cells.ndim - 1)))

    sums = {
        "": rows.klogk[n],
        "f": levels.summed(rows.klogk[of_f]),
        "g": total(of_g),
        "fg": levels.summed(total(with_g)),
        "y": total(of_y),
        "fy": levels.summed(total(with_y)),
        "gy": total(of_gy),
        "fgy": levels.summed(total(counts)),
    }
    occur = {
        "f": levels.summed((of_f > 0).astype(np.int64)),
        "g": (of_g > 0).sum(axis=0),
        "y": (of_y > 0).sum(axis=0),
    }
    cells = levels.n * len(counts) * counts.shape[1]
    unit = Unit(rows.unit / np.maximum(n, 1), rows.chance)
    values = measure.of(sums, occur, rounding(int(n.max()), cells, 4 * cells), unit)
    return np.where(n > 0, values, 0.0), n


def spread_uncertainty(
    measure: Measure, counts: np.ndarray, levels: Levels, of_target: bool, rows: CountedRows
) -> np.ndarray:
    """Symmetrical uncertainty with missing counts spread by the margins of the others.

    Parameters
    ----------
    measure : Measure
        Symmetrical uncertainty, perhaps corrected for chance.
    counts : ndarray of int, shape (levels of g, levels of all columns)
        Counts with missing cells.
    levels : Levels
        Of the columns.
    of_target : bool
        Whether the last level of g is that of missing cells.
    rows : CountedRows
        Of the counts.
    """
    values = np.zeros(levels.n.size)
    for j, start in enumerate(levels.starts):
        table = counts[:, start : start + levels.n[j]].astype(np.float64)
        table = spread(table, of_target, bool(levels.incomplete[j]))
        values[j] = _uncertainty(measure, table, rows.chance * rows.unit)
    return values


def spread(table: np.ndarray, last_row: bool, last_column: bool) -> np.ndarray:
    """A table of counts whose last row, or last column, is spread over the others.

    In proportion to the margins before any change; cells missing in both by the observed cells. A
    table without any observed cell has no counts.
    """
    n, of_rows, of_columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    inner = table[: len(table) - last_row, : table.shape[1] - last_column]
    observed, out = inner.sum(), inner.copy()
    if not observed:
        return np.zeros_like(inner)
    a, b = (slice(0, size) for size in inner.shape)
    if last_row:
        out += np.outer(of_rows[a], table[-1, b]) / (n - of_rows[-1])
    if last_column:
        out += np.outer(table[a, -1], of_columns[b]) / (n - of_columns[-1])
    if last_row and last_column:
        out += inner / observed * table[-1, -1]
    return out


def _uncertainty(measure: Measure, table: np.ndarray, chance: float) -> float:
    """Symmetrical uncertainty of a table of counts that need not be whole."""
    n = table.sum()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    whole, of_rows, of_columns = xlogy(n, n), xlogy(rows, rows).sum(), xlogy(columns, columns).sum()
    shared = (whole + xlogy(table, table).sum() - of_rows - of_columns) / np.log(2)
    if measure.chance != "kept":
        df = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
        shared -= df * chance * measure.chance_times
    both = (2 * whole - of_rows - of_columns) / np.log(2)
    if not shared > 1e-12 * max(n, 1.0) or both <= 0:
        return 0.0
    return float(min(2.0 * shared / both, 1.0))


class ObservedCounts(CachingSource):
    """Coded columns in memory, measured on the rows in which all columns concerned are observed.

    Parameters
    ----------
    coded : TableCodes
        The columns; missing cells have the last code.
    target : Target
        Classes.
    resampling : Resampling
        The parts.
    measure : str or Measure, default="mutual_information"
        As in `CodedSource`.
    spreads : bool, default=False
        Whether the counts of missing cells are spread over the others instead.
    n_threads : int, default=1
        Threads.
    """

    def __init__(
        self,
        coded: Any,
        target: Target,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        spreads: bool = False,
        n_threads: int = 1,
    ):
        p = coded.n_levels.size
        super().__init__(resampling, p, n_threads, 0)
        self._set_columns(coded)
        self._levels = Levels(coded.n_levels.astype(np.int64), coded.incomplete)
        self._y = target.codes.astype(np.int32)
        self._n_classes = len(target.classes)
        self._rows = CountedRows.of(resampling)
        self.measure, self.spreads = get_measure(measure), spreads
        self._set_margins()
        self.relevance = np.empty((self.n_parts, p))
        self._rows_with_target = np.empty((self.n_parts, p), dtype=np.int64)
        self._fill(
            self._label(p), self.measure.of_relevance, self.relevance, self._rows_with_target
        )
        self._rows_with: dict[int, np.ndarray] = {}

    @classmethod
    def of_weighted(
        cls, coded: TableCodes, target: Target, resampling: Resampling, **options: Any
    ) -> ObservedCounts:
        """The same of rows that may have weights: repeated where that is faster than to add."""
        times = repetitions(resampling.weight)
        if times is not None:
            codes = np.asfortranarray(np.repeat(coded.codes, times, axis=0))
            coded = replace(coded, codes=codes)
            target = replace(target, codes=np.repeat(target.codes, times))
            resampling = resampling.repeated(times)
        return cls(coded, target, resampling, **options)

    def _set_columns(self, coded: Any) -> None:
        """Keep the codes."""
        self._codes = np.asfortranarray(coded.codes)

    def _take_columns(self, columns: np.ndarray) -> None:
        """Keep the codes of some columns."""
        self._codes = np.asfortranarray(self._codes[:, columns])

    def _column(self, g: int) -> np.ndarray:
        """Codes of a column in all rows."""
        return self._codes[:, g].astype(np.int32)

    def _set_margins(self) -> None:
        """How many observed levels of the columns and the target occur in each part."""
        only = np.zeros(len(self._y), dtype=np.int32)
        tables = self._count(only, 1, slice(0, self.n_features))
        counts = self._levels.observed(self.resampling.combine_counts(tables))[:, 0]
        self._counts = counts
        self._occur = self._levels.summed((counts > 0).astype(np.int64))
        self.constant = self._occur <= 1
        classes = np.zeros((self.resampling.n_folds, self._n_classes), dtype=np.int64)
        times = 1 if self._rows.weights is None else self._rows.weights
        np.add.at(classes, (self.resampling.fold, self._y), times)
        self._classes_occur = (self.resampling.combine_counts(classes) > 0).sum(axis=1)

    def with_measure(self, measure: str | Measure) -> ObservedCounts:
        """The same columns with another measure; the relevance stays."""
        if get_measure(measure) == self.measure:
            return self
        other = copy(self)
        other.measure, other._rows_with = get_measure(measure), {}
        other._start_reading()
        return other

    def take(self, columns: np.ndarray, measure: str | Measure | None = None) -> ObservedCounts:
        """Some of the columns, in this order, perhaps with another measure; the relevance stays."""
        taken = self.with_measure(self.measure if measure is None else measure)
        taken = copy(taken)
        taken._start_reading()
        taken._take_columns(columns)
        taken.n_features, taken._rows_with = columns.size, {}
        taken._levels, levels = self._levels.take(columns)
        taken._counts = self._counts[:, levels]
        taken._occur, taken.constant = self._occur[:, columns], self.constant[:, columns]
        taken.relevance = np.ascontiguousarray(self.relevance[:, columns])
        taken._rows_with_target = self._rows_with_target[:, columns]
        return taken

    def pair_measure(
        self, measure: str, t: int = 0
    ) -> Callable[[int, np.ndarray, np.ndarray], None]:
        """A function of a column, others, and where the measures with these go, in part ``t``."""
        wanted = get_measure(measure)

        def measure_some(g: int, columns: np.ndarray, values: np.ndarray) -> None:
            found = np.empty((self.n_parts, columns.size))
            self.take(columns)._fill(self._label(g, wanted.uses_target), wanted, found)
            values[...] = found[t]

        return measure_some

    def information_with_target(self) -> np.ndarray:
        """Mutual information of every column with the target in every part, in bits."""
        values = np.empty(self.relevance.shape)
        self._fill(self._label(self.n_features), get_measure("mutual_information"), values)
        return values

    def observed_levels(self, t: int) -> tuple[np.ndarray, int]:
        """How many levels of every column, and of the target, occur in part ``t``."""
        return self._occur[t], int(self._classes_occur[t])

    def entropy(self, t: int) -> np.ndarray:
        """Entropy of every column in part ``t``, in bits, of the rows in which it is observed."""
        counts = self._counts[t]
        n = self._levels.summed(counts)
        left = self._rows.klogk[n] - self._levels.summed(self._rows.klogk[counts])
        return np.where(self._occur[t] > 1, left * (self._rows.unit / np.maximum(n, 1)), 0.0)

    def rows_measured(self, t: int, g: int | None = None) -> np.ndarray:
        """Rows of part ``t`` that each column, and column ``g``, are measured on."""
        if g is None:
            return self._rows_with_target[t] / self._rows.times
        if g not in self._rows_with:
            self._compute([g])
        return self._rows_with[g][t] / self._rows.times

    # ------------------------------------------------------------------ counting

    def _count(self, label: np.ndarray, n_labels: int, columns: slice) -> np.ndarray:
        """Tables (folds, labels, levels of the columns) of some columns with a label of rows."""
        levels = self._levels.n[columns]
        starts = np.concatenate([[0], np.cumsum(levels)[:-1]])
        codes = np.asfortranarray(self._codes[:, columns] + starts.astype(np.int32))
        weights = self._rows.weights
        dtype = np.int32 if weights is None else np.int64
        tables = np.zeros((self.resampling.n_folds, n_labels, int(levels.sum())), dtype=dtype)
        place = np.ascontiguousarray(self.resampling.fold * n_labels + label, dtype=np.int32)
        abreast = tables.reshape(-1, tables.shape[2])
        if weights is None:
            discrete.add_tables(codes.astype(np.int32), place, abreast)
        else:
            weighted.add_tables(codes.astype(np.int32), place, weights, abreast)
        return tables.astype(np.int64)

    def _label(self, g: int, with_target: bool = False) -> Label:
        """What columns are counted with: column ``g``, or the target, which is after the last."""
        if g == self.n_features:
            return Label(self._y, self._n_classes, 1, False)
        n_levels, gaps = int(self._levels.n[g]), bool(self._levels.incomplete[g])
        codes = self._column(g)
        if not with_target:
            return Label(codes, n_levels, 1, gaps)
        return Label(codes * self._n_classes + self._y, n_levels, self._n_classes, gaps)

    def _fill(
        self, label: Label, measure: Measure, out: np.ndarray, n_rows: np.ndarray | None = None
    ) -> None:
        """A measure of all columns with what they are counted with, in all parts."""
        of_rows, of_g, of_y, gaps = label
        start = 0
        while start < self.n_features:
            room = MOST_CELLS // (of_g * of_y * self.resampling.n_folds)
            fits = np.searchsorted(np.cumsum(self._levels.n[start:]), room, side="right")
            columns = slice(start, start + max(1, int(fits)))
            levels = Levels(self._levels.n[columns], self._levels.incomplete[columns])
            tables = self._count(of_rows, of_g * of_y, columns)
            total = tables.sum(axis=0)
            for t in range(self.n_parts):
                counts = self.resampling.counts_of_part(t, tables, total)
                if self.spreads:
                    out[t, columns] = spread_uncertainty(measure, counts, levels, gaps, self._rows)
                    continue
                counts = levels.observed(counts.reshape(of_g, of_y, -1), gaps)
                out[t, columns], n = measure_observed(measure, counts, levels, self._rows)
                if n_rows is not None:
                    n_rows[t, columns] = n
            start = columns.stop

    @property
    def _bytes_per_target(self) -> int:
        return 8 * self.n_parts * self.n_features

    def _compute(self, targets: list[int]) -> list[Any]:
        found = []
        for g in targets:
            values, n_rows = np.empty(self.relevance.shape), np.zeros(self.relevance.shape)
            self._fill(self._label(g, self.measure.uses_target), self.measure, values, n_rows)
            self._rows_with[g] = n_rows
            found.append(values)
        return found

    def _finish(self, g: int, statistics: Any, part_ids: np.ndarray, out: np.ndarray) -> None:
        out[part_ids] = statistics[part_ids]

"""Counts of coded columns in blocks of rows."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ensfs.scale import block_tables
from ensfs.scale.block_counts import Request
from ensfs.scale.partition_counts import PartitionCounts
from ensfs.statistics import CachingSource
from ensfs.statistics.formulas import Measure, Unit, get_measure, rounding
from ensfs.statistics.observed_counts import Levels, measure_observed, spread_uncertainty


class CodedBlocks(CachingSource):
    """Coded columns in blocks of rows; see `ensfs.statistics.CodedSource`.

    Tables of counts are kept for all pairs with a target, so columns with very many levels cost
    memory: levels of the column times levels of the target times folds.

    Parameters
    ----------
    counts : PartitionCounts
        Counts the columns.
    output : int
        Which output of the target this is for.
    measure : str or Measure
        What a column is measured by against a selected one.
    n_threads : int
        Threads.
    missing : str, default="level"
        What is made of missing cells.
    """

    def __init__(
        self,
        counts: PartitionCounts,
        output: int,
        measure: str | Measure,
        n_threads: int,
        missing: str = "level",
    ):
        resampling, n_features = counts.resampling, counts.n_levels.size
        super().__init__(resampling, n_features, n_threads, block_tables.SUMS_BYTES)
        self.counts, self._target = counts, -1 - output
        self.measure = get_measure(measure)
        self._rows = counts.rows
        self.klogk = self._rows.klogk
        self.incomplete, self.n_levels = counts.incomplete, counts.n_levels
        self._observes = missing in ("available", "distribute") and bool(self.incomplete.any())
        self._spreads = missing == "distribute"
        # tables of all columns with a target stand side by side, each `levels` wide
        self._offset = counts.offset
        self._n_classes = counts.n_classes[output]
        ((tables, margin),) = counts.count([Request(counts.label(self._target))])
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
            self._with_target[t] = self._joint(resampling.counts_of_part(t, tables, total))
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

    @property
    def _columns_per_reading(self) -> int:
        return self.counts.columns_per_reading

    @property
    def _bytes_per_target(self) -> int:
        levels = self.n_levels.max() * (self._n_classes if self.measure.uses_target else 1)
        itemsize = 8 if self.counts.is_weighted else 4
        return int(itemsize * self.resampling.n_folds * levels * self._offset[-1])

    def _compute(self, targets: list[int]) -> list[Any]:
        also = (self._target,) if self.measure.uses_target else ()
        return self.counts.count([Request(self.counts.label(g, *also)) for g in targets])

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


def _occurring(counts: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """How many levels of each column occur in each part, from the counts of all levels."""
    return np.add.reduceat((counts > 0).astype(np.int64), offset[:-1], axis=1)

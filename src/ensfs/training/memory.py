"""A table in memory as the data of one fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ensfs.data.codes import TableCodes
from ensfs.data.missing import NUMBERS, Statistic, filled, resolve_missing
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.statistics import CodedSource, ContinuousSource, Resampling, Source
from ensfs.statistics.corrected import CorrectedSource
from ensfs.statistics.formulas import Measure, get_measure, statistic_of
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.observed_counts import ObservedCounts
from ensfs.statistics.observed_numbers import ObservedSource
from ensfs.training.classes import (
    PLAIN_READING,
    Outputs,
    TargetReading,
    grouped,
    read_target_as,
    with_outputs,
)
from ensfs.training.coding import coding_by, uses_classes
from ensfs.training.contract import ReadOptions


class MemoryTrainingData:
    """A table in memory with its target, and the sources on it; see `TrainingData`."""

    def __init__(
        self,
        table: Table,
        y: Any,
        existing: ExistingRows | None = None,
        *,
        reading: TargetReading = PLAIN_READING,
    ):
        self.table = table
        self.reading = reading
        self.existing = existing or ExistingRows(None, None, table.n_rows)
        self.y = self.given_target = self.existing.of(y)
        self.weight = self.existing.weight
        self.n_rows = table.n_rows
        self.variables = table.variables
        self.n_features = table.variables.n_variables
        self.cut_points: dict[int, np.ndarray] = {}
        self._cut: np.ndarray = np.empty(0, dtype=np.int64)  # places of the columns that were cut
        self._targets: dict[str, Target | Outputs] = {}
        self.warned_of_missing = False
        self._filled: np.ndarray | None = None  # the numbers, without gaps

    def target(self, kind: str, **advice: Any) -> Any:
        """The target, read as `read_target_as` describes, with its warnings once."""
        as_it_is = self._targets.get("auto")
        if kind == "counted" and isinstance(as_it_is, Target) and as_it_is.kind == "classes":
            return as_it_is
        if kind not in self._targets:
            self._targets[kind] = read_target_as(
                self.given_target, self.n_rows, kind, self.reading, self.weight, **advice
            )
        return self._targets[kind]

    @property
    def has_constant_target(self) -> bool:
        """Whether the target was read and found constant, with a warning."""
        return any(target.constant for target in self._targets.values())

    @property
    def target_cut_points(self) -> Any:
        """Where a numeric target was cut into classes, if it was."""
        target = self._targets.get("counted") or self._targets.get("auto")
        return None if target is None else target.cut_points

    @property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values."""
        return self.table.discrete

    def matrix(self) -> Any:
        """All columns as numbers, for functions of a table."""
        return self.table.continuous()

    def reads_alike(self, options: ReadOptions) -> bool:
        """Whether a table read with these options has the same discrete columns."""
        return self.table.has_same_kinds(**options)

    def check_finite(self, *, allow_nan: bool) -> None:
        """Raise an error that names the first column with missing or infinite values, if any."""
        self.table.check_finite(allow_nan=allow_nan)

    @property
    def n_missing(self) -> np.ndarray:
        """How many cells of each column that is kept are missing."""
        return self.table.n_missing

    def continuous_source(
        self,
        target: Target | Outputs,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool,
        n_threads: int,
        missing: str = "error",
        statistic: Statistic = NUMBERS,
    ) -> Source:
        """Sums of the columns taken as numbers."""
        way, options = resolve_missing(missing, statistic), {"relevance": relevance}
        weighted = resampling.weighted(self.weight)

        def with_output(output: Target) -> Source:
            if not self._looks_complete():
                return self._source_with_gaps(output, weighted, way, signed, n_threads, **options)
            source = ContinuousSource(
                self.table.centred(), output, weighted, signed=signed, n_threads=n_threads,
                **options,
            )  # fmt: skip
            if not source.finite:
                return self._source_with_gaps(output, weighted, way, signed, n_threads, **options)
            self.table.found_missing()
            self.table.check_constant(np.nonzero(source.sums.small)[0])
            return source

        return grouped(with_outputs(target, with_output), self.variables)

    def _looks_complete(self) -> bool:
        """Whether no number is missing in a few rows; what is computed of all rows will tell."""
        return not np.isnan(self.table.continuous()[:: max(1, self.n_rows // 4)]).any()

    def _source_with_gaps(
        self, target: Target, resampling: Resampling, way: str, signed: bool, n_threads: int,
        relevance: str,
    ) -> Source:  # fmt: skip
        """Sums of columns with missing cells, or an error for what is not finite."""
        table = self.table
        allow_missing = way != "error" and table.allow_missing
        if not allow_missing:
            table.check_finite()
        if self._filled is None:
            self._filled = filled(table, self.weight)  # and the missing cells are counted
        table.check_finite(allow_nan=allow_missing)
        source = ContinuousSource(
            self._filled, target, resampling, relevance=relevance, signed=signed,
            n_threads=n_threads,
        )  # fmt: skip
        if not source.finite:
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        table.check_constant(np.nonzero(source.sums.small)[0])
        incomplete = np.nonzero(table.n_missing)[0]
        if way == "mean" or not incomplete.size:
            return source
        if way == "available":
            return ObservedSource(source, incomplete, target, relevance, self._numbers)
        gaps = Gaps(resampling, incomplete, table.n_features)
        gaps.add(table.centred())
        return CorrectedSource(source, gaps)

    def _numbers(self) -> Iterator[tuple[slice, np.ndarray]]:
        """All rows of the columns taken as numbers, NaN where they are missing."""
        yield slice(0, self.n_rows), self.table.centred()

    def codes(
        self, target: Target | Outputs, discretizer: Any = None, *, joins_missing: bool = False
    ) -> TableCodes:
        """The columns as codes; without a discretizer continuous ones are an error.

        Missing cells have the last code; see `Table.codes`.
        """
        coded = self.table.codes(
            None
            if discretizer is None
            else coding_by(discretizer, target, self.table, self.weight),
            joins_missing=joins_missing,
        )
        self._cut = np.array(sorted(coded.cut_points), dtype=np.int64)
        at = self.variables.column_of_kept
        self.cut_points = {at(j): cuts for j, cuts in coded.cut_points.items()}
        return coded

    def coded_source(
        self,
        target: Target | Outputs,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        discretizer: Any = "sigma",
        n_threads: int = 1,
        missing: str = "error",
    ) -> Any:
        """Counts of the columns taken as codes; continuous ones are cut by the discretizer."""
        way = resolve_missing(missing, statistic_of(measure))
        coded = self.codes(target, discretizer, joins_missing=way != "level")
        options: dict[str, Any] = {"measure": measure, "n_threads": n_threads}
        if not isinstance(target, Outputs):
            return self.counts(coded, target, resampling, way, keeps=False, **options)
        return with_outputs(
            target, lambda each: self.counts(coded, each, resampling, way, **options),
            get_measure(measure).uses_target,
        )  # fmt: skip

    def counts(
        self, coded: Any, target: Target, resampling: Resampling, way: str, *, keeps: bool = True,
        **options: Any,
    ) -> Any:  # fmt: skip
        """Counts of codes with classes; `way` says what is made of missing cells.

        Unless it `keeps` the codes they may be overwritten.
        """
        parts = resampling.weighted(self.weight)
        if way in ("available", "distribute") and coded.incomplete.any():
            spreads = way == "distribute"
            return ObservedCounts.of_weighted(coded, target, parts, spreads=spreads, **options)
        codes = coded.codes if keeps else coded.release
        return CodedSource.of_weighted(codes, coded.n_levels, target, parts, **options)

    def _n_cuts(self) -> np.ndarray:
        """In how many places each column that was cut could have been."""
        rising = np.sort(self.table.float_columns(self._cut), axis=0)
        # missing values are the last ones, and differ from all others
        return ((rising[1:] != rising[:-1]) & (rising[1:] == rising[1:])).sum(axis=0)

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """In how many places each column could have been cut by a supervised discretizer."""
        if not self._cut.size or not uses_classes(discretizer):
            return {}
        of_kept = dict(zip(self._cut.tolist(), self._n_cuts().tolist(), strict=True))
        if self.variables.members is None:
            return of_kept
        # every way to cut the members of a group once each
        ways = {
            v: math.prod(max(of_kept.get(j, 1), 1) for j in members.tolist())
            for v, members in enumerate(self.variables.kept_members)
        }
        return {v: n for v, n in ways.items() if n > 1}

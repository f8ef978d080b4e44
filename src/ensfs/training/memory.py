"""A table in memory as the data of one fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ensfs.data.codes import TableCodes
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.statistics import CodedSource, ContinuousSource, Resampling, Source
from ensfs.statistics.formulas import Measure, get_measure
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
        self.y = self.existing.of(y)
        self.weight = self.existing.weight
        self.n_rows = table.n_rows
        self.variables = table.variables
        self.n_features = table.variables.n_variables
        self.cut_points: dict[int, np.ndarray] = {}
        self._cut: np.ndarray = np.empty(0, dtype=np.int64)  # places of the columns that were cut
        self._targets: dict[str, Target | Outputs] = {}

    def target(self, kind: str, **advice: Any) -> Any:
        """The target, read as `read_target_as` describes, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = read_target_as(
                self.y, self.n_rows, kind, self.reading, self.weight, **advice
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

    def continuous_source(
        self,
        target: Target | Outputs,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool,
        n_threads: int,
    ) -> Source:
        """Sums of the columns taken as numbers."""

        def with_output(output: Target) -> Source:
            source = ContinuousSource(
                self.table.centred(), output, resampling.weighted(self.weight),
                relevance=relevance, signed=signed, n_threads=n_threads,
            )  # fmt: skip
            if not source.finite:
                self.table.check_finite()
                raise ValueError(
                    "The squares of some values are too large for float64. Scale the columns first."
                )
            self.table.check_constant(np.nonzero(source.sums.small)[0])
            return source

        return grouped(with_outputs(target, with_output), self.variables)

    def codes(self, target: Target | Outputs, discretizer: Any = None) -> TableCodes:
        """The columns as codes; without a discretizer continuous ones are an error."""
        coded = self.table.codes(
            None if discretizer is None else coding_by(discretizer, target, self.table, self.weight)
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
    ) -> Any:
        """Counts of the columns taken as codes; continuous ones are cut by the discretizer."""
        coded = self.codes(target, discretizer)

        def with_output(output: Target, codes: Any) -> CodedSource:
            return CodedSource.of_weighted(
                codes, coded.n_levels, output, resampling.weighted(self.weight), measure=measure,
                n_threads=n_threads,
            )  # fmt: skip

        if not isinstance(target, Outputs):
            return with_output(target, coded.release)
        uses_target = get_measure(measure).uses_target
        return with_outputs(target, lambda each: with_output(each, coded.codes), uses_target)

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """In how many places each column could have been cut by a supervised discretizer."""
        if not self._cut.size or not uses_classes(discretizer):
            return {}
        rising = np.sort(self.table.float_columns(self._cut), axis=0)
        n_cuts = (rising[1:] != rising[:-1]).sum(axis=0)
        of_kept = dict(zip(self._cut.tolist(), n_cuts.tolist(), strict=True))
        if self.variables.members is None:
            return of_kept
        # every way to cut the members of a group once each
        ways = {
            v: math.prod(max(of_kept.get(j, 1), 1) for j in members.tolist())
            for v, members in enumerate(self.variables.kept_members)
        }
        return {v: n for v, n in ways.items() if n > 1}

"""A table in memory as the data of one fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs.data.codes import TableCodes
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.statistics import CodedSource, ContinuousSource, Resampling, Source
from ensfs.statistics.formulas import Measure
from ensfs.training.classes import read_target_as
from ensfs.training.coding import coding_by, uses_classes
from ensfs.training.contract import ReadOptions


class MemoryTrainingData:
    """A table in memory with its target, and the sources on it; see `TrainingData`."""

    def __init__(self, table: Table, y: Any, existing: ExistingRows | None = None):
        self.table = table
        self.existing = existing or ExistingRows(None, None, table.n_rows)
        self.y = self.existing.of(y)
        self.weight = self.existing.weight
        self.n_rows = table.n_rows
        self.variables = table.variables
        self.n_features = table.variables.n_variables
        self.cut_points: dict[int, np.ndarray] = {}
        self._cut: np.ndarray = np.empty(0, dtype=np.int64)  # places of the columns that were cut
        self._targets: dict[str, Target] = {}

    def target(self, kind: str, **advice: Any) -> Target:
        """The target, read as `read_target_as` describes, with its warnings once."""
        if kind not in self._targets:
            self._targets[kind] = read_target_as(
                self.y, self.n_rows, kind, weight=self.weight, **advice
            )
        return self._targets[kind]

    @property
    def has_constant_target(self) -> bool:
        """Whether the target was read and found constant, with a warning."""
        return any(target.constant for target in self._targets.values())

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
        target: Target,
        resampling: Resampling,
        *,
        relevance: str,
        signed: bool,
        n_threads: int,
    ) -> Source:
        """Sums of the columns taken as numbers."""
        source = ContinuousSource(
            self.table.centred(), target, resampling.weighted(self.weight), relevance=relevance,
            signed=signed, n_threads=n_threads,
        )  # fmt: skip
        if not source.finite:
            self.table.check_finite()
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        self.table.check_constant(np.nonzero(source.sums.small)[0])
        return source

    def codes(self, target: Target, discretizer: Any = None) -> TableCodes:
        """The columns as codes; without a discretizer continuous ones are an error."""
        coded = self.table.codes(
            None if discretizer is None else coding_by(discretizer, target, self.table, self.weight)
        )
        self._cut = np.array(sorted(coded.cut_points), dtype=np.int64)
        self.cut_points = self.variables.keyed_by_column(coded.cut_points)
        return coded

    def coded_source(
        self,
        target: Target,
        resampling: Resampling,
        *,
        measure: str | Measure = "mutual_information",
        discretizer: Any = "sigma",
        n_threads: int = 1,
    ) -> CodedSource:
        """Counts of the columns taken as codes; continuous ones are cut by the discretizer."""
        coded = self.codes(target, discretizer)
        return CodedSource.of_weighted(
            coded.release, coded.n_levels, target, resampling.weighted(self.weight),
            measure=measure, n_threads=n_threads,
        )  # fmt: skip

    def n_possible_cuts(self, discretizer: Any) -> dict[int, int]:
        """In how many places each column could have been cut by a supervised discretizer."""
        if not self._cut.size or not uses_classes(discretizer):
            return {}
        rising = np.sort(self.table.float_columns(self._cut), axis=0)
        n_cuts = (rising[1:] != rising[:-1]).sum(axis=0)
        return dict(zip(self._cut.tolist(), n_cuts.tolist(), strict=True))

"""A sparse table in memory as the data of one fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.frozen import FrozenEstimator

from ensfs._utils.sklearn import check_parameters
from ensfs.data.groups import join_sparse_groups
from ensfs.data.missing import NUMBERS, Statistic, resolve_missing
from ensfs.data.sparse_columns import SparseColumns
from ensfs.data.sparse_table import CodedCells, SparseTable
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.discretize import DISCRETIZERS
from ensfs.discretize.sparse_cuts import code_cells, number_codes
from ensfs.statistics import Resampling
from ensfs.statistics.formulas import Measure, get_measure, statistic_of
from ensfs.statistics.sparse_coded import SparseCodedSource
from ensfs.statistics.sparse_continuous import SparseContinuousSource
from ensfs.training.classes import (
    PLAIN_READING,
    Outputs,
    TargetReading,
    grouped,
    outputs_of,
    with_outputs,
)
from ensfs.training.coding import is_fitted, is_own, uses_classes
from ensfs.training.memory import MemoryTrainingData

#: Codes of a column that is cut, as those of dense columns.
_MOST_BINS = 256


class SparseTrainingData(MemoryTrainingData):
    """A sparse table with its target, and the sources on it; see `TrainingData`.

    Rows with whole weights are in the table so many times; a row is in one fold with all of them.

    Parameters
    ----------
    table : SparseTable
        The table.
    y : object
        The target, with a value for each row that was given.
    existing : ExistingRows, optional
        Which rows exist, and their weights.
    times : ndarray of int64, optional
        How many times the table has each of them.
    reading : TargetReading, optional
        How the target is read.
    """

    def __init__(
        self,
        table: SparseTable,
        y: Any,
        existing: ExistingRows | None = None,
        times: np.ndarray | None = None,
        *,
        reading: TargetReading = PLAIN_READING,
    ):
        super().__init__(table, y, existing, reading=reading)  # type: ignore[arg-type]
        self.table: SparseTable = table  # type: ignore[assignment]
        self.times = times
        if times is not None:
            self.n_rows = times.size

    def repeated(self, target: Any) -> Any:
        """A target with the rows that the table has."""
        if self.times is None:
            return target
        if isinstance(target, Outputs):
            return replace(target, outputs=tuple(map(self.repeated, target.outputs)))
        some = {name: getattr(target, name) for name in ("codes", "values")}
        return replace(
            target,
            **{name: np.repeat(v, self.times) for name, v in some.items() if v is not None},
        )

    def parts(self, resampling: Resampling) -> Resampling:
        """The parts of the rows that the table has."""
        return resampling if self.times is None else resampling.repeated(self.times)

    @property
    def n_missing(self) -> np.ndarray:
        """No cell of a sparse table may be missing."""
        return np.zeros(self.table.n_features, dtype=np.int64)

    def matrix(self) -> scipy.sparse.csc_array:
        """All columns as numbers, in CSC format."""
        return self.table.columns.matrix()

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
    ) -> Any:
        """Sums of the columns taken as numbers."""
        resolve_missing(missing, statistic)
        target, parts = self.repeated(target), self.parts(resampling)

        def with_output(output: Target) -> SparseContinuousSource:
            source = SparseContinuousSource(
                self.table.columns, output, parts, relevance=relevance, signed=signed,
                n_threads=n_threads,
            )  # fmt: skip
            if not source.finite:
                raise ValueError(
                    "The squares of some values are too large for float64. Scale the columns first."
                )
            varying = np.nonzero(source.sums.small & ~_constant(self.table.columns))[0]
            if varying.size:
                raise ValueError(
                    f"The values of {self.table.label(int(varying[0]))} differ by so little that "
                    "their squares vanish in float64. Scale the columns first."
                )
            return source

        return grouped(with_outputs(target, with_output), self.variables)

    def codes(  # type: ignore[override]
        self, target: Target | Outputs, discretizer: Any = None, *, joins_missing: bool = False
    ) -> CodedCells:
        """The columns as codes; without a discretizer continuous ones are an error."""
        table, discrete, target = self.table, self.table.discrete, self.repeated(target)
        if discretizer is None and not discrete.all():
            j = int(np.nonzero(~discrete)[0][0])
            raise ValueError(
                f"{table.label(j)} is continuous and cannot be coded as it is. Discretize it "
                "first, or name it in discrete_features if its values are categories."
            )
        coded = table.rank_codes(np.nonzero(discrete)[0])
        self.cut_points, self._cut = {}, np.nonzero(~discrete)[0]
        if not discrete.all():
            coded = self._with_cuts(coded, self._cut, target, discretizer)
        return join_sparse_groups(coded.without_implicit(), self.variables)

    def _with_cuts(
        self, coded: CodedCells, columns: np.ndarray, target: Target | Outputs, discretizer: Any
    ) -> CodedCells:
        """The codes with those of the continuous columns."""
        held = self.table.columns
        if isinstance(discretizer, str):
            discretizer = DISCRETIZERS[discretizer]
        elif isinstance(discretizer, FrozenEstimator):
            discretizer = discretizer.estimator
        if not is_own(discretizer):
            raise TypeError(
                f"discretizer={discretizer!r} does not support sparse tables. Use one of "
                "ensfs.discretize, or call X.toarray() first."
            )
        if is_fitted(discretizer):
            cuts, bins = self._learned_cuts(discretizer, columns)
        else:
            check_parameters(discretizer)
            if uses_classes(discretizer) and target.kind != "classes":
                raise ValueError(f"discretizer={discretizer!r} needs classes.")
            some = held if columns.size == held.n_features else held.take(columns)
            each = [
                discretizer.sparse_cuts(some, output, self.table.n_threads)
                for output in (outputs_of(target) if uses_classes(discretizer) else [None])
            ]
            cuts, bins = each[0]
            if len(each) > 1:  # those of all outputs are united
                of_columns = zip(*(one for one, _ in each), strict=True)
                cuts, bins = [np.unique(np.concatenate(one)) for one in of_columns], None
        code_cells(
            held, columns, cuts, bins, coded.codes, coded.zero, pairs=discretizer.middle_is_closed
        )
        n_levels = number_codes(held, columns, coded.codes, coded.zero)
        many = np.nonzero(n_levels > _MOST_BINS)[0]
        if many.size:
            raise ValueError(
                f"{self.table.label(int(many[0]))} was discretized into more than 256 bins; use "
                "fewer."
            )
        places = map(self.variables.column_of_kept, columns.tolist())
        self.cut_points = dict(zip(places, cuts, strict=True))
        return replace(coded, n_levels=np.where(self.table.discrete, coded.n_levels, n_levels))

    def _learned_cuts(
        self, discretizer: Any, columns: np.ndarray
    ) -> tuple[list[np.ndarray], list[np.ndarray] | None]:
        """Cut points that a discretizer learned before, on all columns or the continuous ones."""
        n_fitted = discretizer.n_features_in_
        if n_fitted not in (columns.size, self.n_features):
            raise ValueError(
                f"The discretizer was fitted on {n_fitted} column(s), but X has {self.n_features}, "
                f"of which {columns.size} are continuous. Fit it on X or on its continuous columns."
            )
        places = range(n_fitted) if n_fitted == columns.size else columns.tolist()
        bins = getattr(discretizer, "bin_codes_", None)
        cuts = [discretizer.cut_points_[j] for j in places]
        return cuts, None if bins is None else [bins[j] for j in places]

    def coded_source(  # type: ignore[override]
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
        resolve_missing(missing, statistic_of(measure))
        coded, parts = self.codes(target, discretizer), self.parts(resampling)
        return with_outputs(
            self.repeated(target),
            lambda each: SparseCodedSource(
                coded, each, parts, measure=measure, n_threads=n_threads
            ),
            get_measure(measure).uses_target,
        )

    def _n_cuts(self) -> np.ndarray:
        return self.table.n_distinct(self._cut) - 1


def _constant(columns: SparseColumns) -> np.ndarray:
    """Which columns hold one value."""
    constant = columns.n_stored == 0
    for j in np.nonzero(columns.n_stored == columns.n_rows)[0]:
        values = columns.column(int(j))[1]
        constant[j] = (values == values[0]).all()
    return constant

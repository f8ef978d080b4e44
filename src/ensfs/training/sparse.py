"""A sparse table in memory as the data of one fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.frozen import FrozenEstimator

from ensfs._utils.sklearn import check_parameters
from ensfs.data.groups import join_sparse_groups
from ensfs.data.missing import NUMBERS, Statistic, raise_vanishing, resolve_missing
from ensfs.data.sparse_columns import SparseColumns
from ensfs.data.sparse_table import CodedCells, SparseTable
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.discretize import DISCRETIZERS
from ensfs.discretize.sparse_cuts import code_cells, number_codes
from ensfs.statistics import Resampling, Source
from ensfs.statistics.corrected import CorrectedSource
from ensfs.statistics.formulas import Measure, get_measure, statistic_of
from ensfs.statistics.sparse_coded import SparseCodedSource
from ensfs.statistics.sparse_continuous import SparseContinuousSource
from ensfs.statistics.sparse_observed import (
    SparseGaps,
    SparseObservedCounts,
    SparseObservedSource,
)
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

    Rows with small whole weights are in the table so many times; a row is in one fold with all of
    them. Other weights are kept. A stored NaN is a missing cell.

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

    #: How often the rows were read, if they came in blocks.
    n_readings: int | None = None

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
        """The parts of the rows that the table has, with their weights if they are kept."""
        if self.times is not None:
            return resampling.repeated(self.times)
        return resampling.weighted(self.weight)

    @property
    def row_weight(self) -> np.ndarray | None:
        """The weights of the rows that the table has; None: each is there once."""
        return self.weight if self.times is None else None

    def check_finite(self, *, allow_nan: bool) -> None:
        """Reading the table has raised the error."""

    @property
    def n_missing(self) -> np.ndarray:
        """How many cells of each column are missing."""
        if self.times is None:
            return self.table.n_missing
        first, held = np.zeros(self.table.n_rows, dtype=bool), self.table.columns
        first[np.cumsum(self.times) - self.times] = True
        once = held.gaps[first[held.rows[held.gaps]]]
        return np.bincount(held.column_of(once), minlength=self.table.n_features)

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
        way, held = resolve_missing(missing, statistic), self.table.columns
        target, parts = self.repeated(target), self.parts(resampling)
        filled = held.filled(parts.weight)

        def with_output(output: Target) -> Source:
            source = SparseContinuousSource(
                filled, output, parts, relevance=relevance, signed=signed, n_threads=n_threads
            )
            if not source.finite:
                raise ValueError(
                    "The squares of some values are too large for float64. Scale the columns first."
                )
            varying = np.nonzero(source.sums.small & ~_constant(filled))[0]
            if varying.size:
                raise_vanishing(self.table.label(int(varying[0])))
            if held.gaps.size and way == "available":
                return SparseObservedSource(source, held, output, relevance)
            if held.gaps.size and way == "corrected":
                return CorrectedSource(source, SparseGaps(parts, held))
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
        return join_sparse_groups(coded.without_implicit(), self.variables, joins_missing)

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
            cuts, bins = self._cuts_of(some, target, discretizer)
        code_cells(
            held, columns, cuts, bins, coded.codes, coded.zero, pairs=discretizer.middle_is_closed
        )
        if held.gaps.size:
            self._code_gaps(coded, columns, cuts, bins)
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

    def _cuts_of(
        self, some: SparseColumns, target: Target | Outputs, discretizer: Any
    ) -> tuple[list[np.ndarray], list[np.ndarray] | None]:
        """Cut points of some columns, and the code of each bin."""
        outputs: Any = outputs_of(target) if uses_classes(discretizer) else [None]
        each = [
            discretizer.sparse_cuts(some, output, self.table.n_threads, self.row_weight)
            for output in outputs
        ]
        if len(each) == 1:
            return each[0]
        of_columns = zip(*(one for one, _ in each), strict=True)  # those of all outputs are united
        return [np.unique(np.concatenate(one)) for one in of_columns], None

    def _code_gaps(
        self, coded: CodedCells, columns: np.ndarray, cuts: list[np.ndarray],
        bins: list[np.ndarray] | None,
    ) -> None:  # fmt: skip
        """Give the missing cells of columns that are cut the code after the last."""
        held, last = self.table.columns, np.zeros(self.table.n_features, dtype=np.int64)
        last[columns] = [
            len(cuts[i]) + 1 if bins is None else int(bins[i].max()) + 1 for i in range(len(cuts))
        ]
        of_gap = held.column_of(held.gaps)
        cut = ~self.table.discrete[of_gap]
        coded.codes[held.gaps[cut]] = last[of_gap[cut]]

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
        way = resolve_missing(missing, statistic_of(measure))
        coded = self.codes(target, discretizer, joins_missing=way != "level")
        options = {"measure": measure, "n_threads": n_threads}
        return with_outputs(
            target,
            lambda each: self.counts(coded, each, resampling, way, **options),
            get_measure(measure).uses_target,
        )

    def counts(
        self, coded: Any, target: Target, resampling: Resampling, way: str, **options: Any
    ) -> SparseCodedSource | SparseObservedCounts:
        """Counts of codes with classes; `way` says what is made of missing cells."""
        target, parts = self.repeated(target), self.parts(resampling)
        if (way != "level" and coded.incomplete.any()) or parts.weight is not None:
            if way == "level":  # that of missing cells is one like the others
                coded = replace(coded, incomplete=np.zeros_like(coded.incomplete))
            spreads = way == "distribute"
            return SparseObservedCounts(coded, target, parts, spreads=spreads, **options)
        return SparseCodedSource(coded, target, parts, **options)

    def _n_cuts(self) -> np.ndarray:
        return self.table.n_distinct(self._cut) - 1


def _constant(columns: SparseColumns) -> np.ndarray:
    """Which columns hold one value."""
    constant = columns.n_stored == 0
    for j in np.nonzero(columns.n_stored == columns.n_rows)[0]:
        values = columns.column(int(j))[1]
        constant[j] = (values == values[0]).all()
    return constant

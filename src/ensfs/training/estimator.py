"""What every estimator that reads a table shares."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from ensfs._utils.sklearn import Interval, StrOptions
from ensfs._utils.tags import input_tags
from ensfs.data.missing import MISSING, warn_all_missing
from ensfs.data.schema import column_names
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.sparse_table import make_sparse_table
from ensfs.data.table import Table, make_table
from ensfs.data.target import check_given
from ensfs.data.variables import CHOICE, Variables
from ensfs.data.weights import existing_rows, keep_existing, repeat_rows
from ensfs.discretize.targets import TARGET_BINS
from ensfs.training.classes import TargetReading
from ensfs.training.contract import (
    BlockedTable,
    TrainingData,
    collection_maker,
    refuse_blocks,
)
from ensfs.training.memory import MemoryTrainingData
from ensfs.training.sparse import SparseTrainingData

#: Of the parameters that choose columns.
CHOICE_CONSTRAINTS: dict = {"include": ["array-like", None], "exclude": ["array-like", None]}

#: Of the parameter that says what is made of missing cells.
MISSING_CONSTRAINTS: dict = {"missing": [StrOptions(set(MISSING))]}

#: Of the parameter that puts columns together.
GROUP_CONSTRAINTS: dict = {"feature_groups": [list, tuple, dict, None]}

#: Of the parameters that say how the target is read.
OUTPUT_CONSTRAINTS: dict = {"multi_output": [StrOptions({"mean", "max", "joint"})]}
TARGET_CONSTRAINTS: dict = {
    "target_bins": [Interval(Integral, 2, None, closed="left"), None],
    **OUTPUT_CONSTRAINTS,
}


class TableEstimator(BaseEstimator):
    """An estimator that reads a table, keeps the names of its columns and finds columns by name."""

    def _read(
        self, X: Any, y: Any, n_threads: int, sample_weight: Any = None, **options: Any
    ) -> TrainingData:
        """The data of one fit, with the names and the number of columns kept for later."""
        make = collection_maker(X)
        if make is not None:
            X, y, sample_weight = make(X, y, sample_weight), None, None
        if not isinstance(X, BlockedTable):
            return self._read_rows(X, y, n_threads, sample_weight, **options)
        if y is not None:
            raise ValueError("y must be None for row blocks: each block brings its own target.")
        if sample_weight is not None:
            raise ValueError(
                "sample_weight must be None for row blocks: each block brings its own weights, as "
                "(X_block, y_block, weight_block)."
            )
        options = self.column_choice() | options | {"allow_missing": self.allows_missing}
        data = X.make_data(n_threads=n_threads, reading=self.target_reading(), **options)
        if isinstance(data, SparseTrainingData) and not self.__sklearn_tags__().input_tags.sparse:
            refuse_sparse(self, data.matrix())
        self._set_variables(data.variables)
        return data

    def _read_rows(
        self, X: Any, y: Any, n_threads: int, sample_weight: Any = None, **options: Any
    ) -> MemoryTrainingData:
        """The same for estimators that need all rows in memory, but of any number of cells."""
        if not (scipy.sparse.issparse(X) and self.__sklearn_tags__().input_tags.sparse):
            return self._read_in_memory(X, y, n_threads, sample_weight, **options)
        existing = existing_rows(sample_weight, X.shape[0])
        X, times = repeat_rows(X, existing)
        options = self.column_choice() | options | {"allow_missing": self.allows_missing}
        table = make_sparse_table(X, n_threads=n_threads, **options)
        self._set_variables(table.variables)
        self._check_target_given(y)
        return SparseTrainingData(table, y, existing, times, reading=self.target_reading())

    def _read_in_memory(
        self, X: Any, y: Any, n_threads: int, sample_weight: Any = None, **options: Any
    ) -> MemoryTrainingData:
        """The same for estimators that need the whole table in memory."""
        refuse_blocks(self, X)
        refuse_sparse(self, X)
        X, existing = keep_existing(X, sample_weight)
        table = self._read_table(X, n_threads, **options)
        self._check_target_given(y)
        return MemoryTrainingData(table, y, existing, reading=self.target_reading())

    def _check_target_given(self, y: Any) -> None:
        """Raise scikit-learn's error if there is no target, but has to be one."""
        if self.__sklearn_tags__().target_tags.required:
            check_given(y, type(self).__name__)

    def _read_table(self, X: Any, n_threads: int, **options: Any) -> Table:
        """The columns alone, with their names and their number kept for later."""
        refuse_sparse(self, X)
        table = make_table(
            X, n_threads=n_threads, allow_missing=self.allows_missing,
            **self.column_choice() | options,
        )  # fmt: skip
        self._set_variables(table.variables)
        return table

    def _set_variables(self, variables: Variables) -> None:
        """Keep the number and the names of the columns, as `validate_data` does, and the choice."""
        self._variables = variables
        self.n_features_in_ = variables.n_columns
        if variables.names is not None:
            self.feature_names_in_ = np.asarray(variables.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # of an earlier fit

    def column_choice(self) -> dict[str, Any]:
        """The parameters that choose columns, as `make_table` takes them."""
        return {name: getattr(self, name) for name in CHOICE if hasattr(self, name)}

    @property
    def allows_missing(self) -> bool:
        """Whether cells of a table may be missing."""
        return getattr(self, "missing", "error") != "error"

    def _set_missing(self, data: TrainingData) -> None:
        """Set how many cells of each column were missing; warn of columns without any value."""
        variables, n_missing = data.variables, data.n_missing
        self.n_missing_ = np.zeros(variables.n_columns, dtype=np.int64)
        self.n_missing_[variables.of_kept(np.arange(variables.n_columns))] = n_missing
        self._share_missing = self.n_missing_ / data.n_rows
        if not data.warned_of_missing:
            warn_all_missing(n_missing, data.n_rows, variables)
            data.warned_of_missing = True

    def target_reading(self) -> TargetReading:
        """How the target is to be read."""
        n_bins = getattr(self, "target_bins", TARGET_BINS)
        return TargetReading(n_bins, getattr(self, "multi_output", None))

    def _set_target(self, data: TrainingData, sources: Any) -> None:
        """Set what was learned of the target: where it was cut, and the relevance for outputs."""
        self.target_cut_points_ = data.target_cut_points
        of_outputs = getattr(sources, "output_relevance", None)
        if of_outputs is not None:
            self.output_relevance_ = data.variables.by_column(of_outputs.mean(axis=1))
        elif hasattr(self, "output_relevance_"):
            del self.output_relevance_  # of an earlier fit
        self._set_readings(data)

    def _set_readings(self, data: TrainingData) -> None:
        """Set how often the rows were read, where they are not in memory."""
        n_readings = getattr(data, "n_readings", None)
        if n_readings is not None:
            self.n_readings_ = n_readings
        elif hasattr(self, "n_readings_"):
            del self.n_readings_  # of an earlier fit

    def _check_columns(self, X: Any) -> None:
        """Raise scikit-learn's error if a data frame has other columns than the one of `fit`."""
        if column_names(X) != list(getattr(self, "feature_names_in_", [])):
            validate_data(self, X, reset=False, skip_check_array=True)

    def _name(self, j: int) -> str:
        """Name of a column in output."""
        names = getattr(self, "feature_names_in_", None)
        return f"x{j}" if names is None else str(names[j])

    def _position(self, feature: int | str) -> int:
        if isinstance(feature, str):
            names = getattr(self, "feature_names_in_", None)
            names = [self._name(j) for j in range(self.n_features_in_)] if names is None else names
            found = np.nonzero(np.asarray(names, dtype=object) == feature)[0]
            if not found.size:
                raise ValueError(f"There is no column {feature!r}.")
            return int(found[0])
        try:
            j = None if isinstance(feature, bool | np.bool_) else operator.index(feature)
        except TypeError:
            j = None
        if j is None:
            raise ValueError(
                f"feature must be the position or the name of a column; got {feature!r}."
            )
        if not -self.n_features_in_ <= j < self.n_features_in_:
            raise ValueError(f"There are {self.n_features_in_} columns; got feature={feature}.")
        return j % self.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = self.target_reading().multi_output is not None
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.allows_missing
        return tags


def choice_of(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator that choose columns; none of one of another library."""
    return estimator.column_choice() if isinstance(estimator, TableEstimator) else {}


def reading_of(estimator: Any) -> TargetReading:
    """How an estimator reads its target; one of another library may take several outputs."""
    if isinstance(estimator, TableEstimator):
        return estimator.target_reading()
    return TargetReading(multi_output="mean")


def takes_missing(estimator: Any) -> bool:
    """Whether an estimator, perhaps of another library, takes tables with missing cells."""
    return bool(input_tags(estimator).allow_nan)


def copy_columns(source: TableEstimator, to: Any) -> None:
    """Give a step of an estimator the number and the names of the columns it was fitted on."""
    copy_learned(source, to, ("n_features_in_", "feature_names_in_", "_variables"))


def copy_learned(source: Any, to: Any, names: Iterable[str]) -> None:
    """Copy learned attributes that `source` has; drop those of an earlier fit that it has not."""
    for name in names:
        if hasattr(source, name):
            setattr(to, name, getattr(source, name))
        elif hasattr(to, name):
            delattr(to, name)

"""How ensembles read tables, classes, numbers and weights, and what their members get of these."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ensfs.data.columns import NominalBlock, RawColumns, read_columns
from ensfs.data.frames import table_to_array
from ensfs.data.sparse_columns import refuse_sparse, takes_sparse
from ensfs.data.table import Table
from ensfs.data.target import check_given, make_target, read_labels
from ensfs.data.values import column_label, text_as_objects
from ensfs.training.contract import refuse_blocks


class TableEnsemble(MetaEstimatorMixin, BaseEstimator):
    """An ensemble whose members get arrays of the columns of a table of any kind.

    Subclasses have the parameter `estimator`, and members that take numbers where it is None.
    """

    #: Rows that fit needs.
    _min_rows = 2

    def _read(self, X: Any, reset: bool) -> tuple[RawColumns, np.ndarray]:
        """The columns of a table, and the array that members get; errors name the column."""
        refuse_blocks(self, X)
        if scipy.sparse.issparse(X) and takes_sparse(self):
            return self._read_sparse(X, reset)
        refuse_sparse(self, X)
        allow_nan = get_tags(self).input_tags.allow_nan  # if everyone can take missing values
        columns = read_columns(X, allow_missing=allow_nan)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        self._check_n_rows(columns.n_rows, reset)
        Table(columns, allow_missing=allow_nan).check_finite(allow_nan=allow_nan)
        values = table_to_array(X, columns, self, allow_nan=allow_nan)
        if self.estimator is None:
            self._check_text(columns, values)
        return columns, values

    def _read_sparse(self, X: Any, reset: bool) -> tuple[Any, Any]:
        """A sparse table as decompositions and members get it: in its format, or as CSC."""
        X = X if X.format in ("csr", "csc") else X.tocsc()
        allow_nan = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        X = validate_data(
            self, X, reset=reset, accept_sparse=("csr", "csc"), dtype=None, ensure_min_samples=0,
            ensure_all_finite=allow_nan,
        )  # fmt: skip
        self._check_n_rows(X.shape[0], reset)
        return X, X

    def _check_n_rows(self, n_rows: int, reset: bool) -> None:
        if reset and n_rows < self._min_rows:
            raise ValueError(
                f"Found array with {n_rows} sample(s) while a minimum of {self._min_rows} "
                f"is required by {type(self).__name__}."
            )

    def _check_text(self, columns: RawColumns, values: np.ndarray) -> None:
        """Refuse text that the members which are made by default do not read."""
        check_numbers(columns, values)

    def _read_labels(self, y: Any, n_rows: int) -> np.ndarray:
        """The classes of the rows, labels that can be sorted."""
        check_given(y, type(self).__name__)
        try:
            labels = column_or_1d(text_as_objects(y), warn=True)
            assert_all_finite(labels, input_name="y")
            np.unique(labels)
        except (TypeError, ValueError):
            read_labels(y)  # raises an error with the number of missing values
            raise
        if len(labels) != n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[n_rows, len(labels)]}"
            )
        check_classification_targets(labels)
        return labels

    def _read_numbers(self, y: Any, n_rows: int) -> np.ndarray:
        """The numbers to predict."""
        check_given(y, type(self).__name__)
        target = make_target(
            y, n_rows, kind="numeric", warn_constant=False, for_text="use an ensemble for classes"
        )
        return target.values


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Weights of the rows as numbers: finite, not negative, not all 0."""
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must hold numbers; got {sample_weight!r}.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must hold a number for each of the {n_rows} rows; got shape "
            f"{weights.shape}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight must hold finite numbers that are not negative.")
    if not weights.any():
        raise ValueError("sample_weight must not be zero for all rows.")
    return weights


def check_cells(ensemble: Any, X: Any) -> None:
    """Name the column whose cells scikit-learn's checks would refuse without saying where."""
    if scipy.sparse.issparse(X):
        return
    columns = read_columns(X)
    Table(columns).check_finite()
    if ensemble.estimator is None:
        check_numbers(columns, table_to_array(X, columns, ensemble, allow_nan=False))


def check_numbers(columns: RawColumns, values: np.ndarray) -> None:
    """Refuse text that is not a number, for members that take numbers."""
    for block in columns.blocks:
        if isinstance(block, NominalBlock):
            try:
                values[:, block.column].astype(float)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{column_label(block.column, columns.names)} holds text, and the "
                    "default members take numbers. Encode it, or pass an estimator that reads it, "
                    "such as a pipeline with an OrdinalEncoder."
                ) from None

"""What all discretizers share."""

from abc import abstractmethod
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs.data.sparse_columns import SparseColumns, refuse_sparse
from ensfs.data.table import make_table
from ensfs.data.target import Target
from ensfs.data.values import column_label
from ensfs.data.weights import ExistingRows, existing_rows
from ensfs.discretize.cuts import Array, code_by_cuts

#: Parameters and attributes of all discretizers.
DISCRETIZER_DOCS = COMMON_DOCS | read_descriptions("""
X : array-like of shape (n_samples, n_features)
    The values; NaN is a missing value.
y : None
    Ignored.
sample_weight : array-like of shape (n_samples,), optional
    How often each row is there: numbers of at least 0, not necessarily whole. Rows of weight 0 do
    not exist in `fit`.
n_levels_ : ndarray of shape (n_features,)
    Number of codes of each column, one more if ``fit`` saw missing values.
""")


@with_docs(DISCRETIZER_DOCS)
class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Validates tables, learns cut points by the rule of the subclass, codes values by them."""

    _parameter_constraints: dict = {"n_jobs": [None, Integral]}

    #: Whether a column has two cut points or none, and the middle bin is closed on both sides.
    middle_is_closed = False

    n_jobs: int | None
    cut_points_: list[Array]
    n_levels_: Array

    @abstractmethod
    def fit_and_code(
        self, values: Array, target: Target, weight: Array | None = None
    ) -> tuple[Array, list[Array]]:
        """Codes and cut points of columns that have been checked; learns nothing.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_columns)
            Finite numbers, float32 or float64.
        target : Target
            Classes, for discretizers that need them.
        weight : ndarray of shape (n_samples,), optional
            How often each row is there, numbers above 0.

        Returns
        -------
        codes : ndarray of uint8 or uint16 of shape (n_samples, n_columns)
            What `transform` would give after a `fit` on these values.
        cut_points : list of ndarray
            The cut points of each column.
        """

    @abstractmethod
    def sparse_cuts(
        self, columns: SparseColumns, target: Target, n_threads: int
    ) -> tuple[list[Array], list[Array] | None]:
        """Cut points of sparse columns, and the code of each bin if it is not its number."""

    def code_columns(self, values: Array, columns: Iterable[int]) -> Array:
        """Codes of columns that have been checked, by the cut points learned in ``fit``.

        Parameters
        ----------
        values : ndarray of shape (n_samples, n_columns)
            Numbers, float32 or float64.
        columns : iterable of int
            The position that each of these columns had in ``fit``.

        Returns
        -------
        ndarray of uint8 or uint16 of shape (n_samples, n_columns)
        """
        return code_by_cuts(values, [self.cut_points_[j] for j in columns], n_jobs=self.n_jobs)

    def _n_intervals(self) -> Array:
        return np.array([len(cuts) + 1 for cuts in self.cut_points_], dtype=np.int64)

    def _read(self, X: Any, reset: bool) -> tuple[Array, Array]:
        """Return the table as floats and, for every column, whether values are missing."""
        refuse_sparse(self, X)
        table = make_table(X, allow_missing=True)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if table.nominal.any():
            raise ValueError(
                f"{table.label(int(table.nominal.argmax()))} holds text or categories, and only "
                "numbers can be cut. Cut the other columns, for example with "
                "sklearn.compose.ColumnTransformer."
            )
        values = table.continuous()
        return values, self._missing(values)

    def _read_to_fit(self, X: Any, sample_weight: Any) -> tuple[Array, Array, ExistingRows]:
        """The rows that exist as `_read` gives them, and which they are."""
        values, missing = self._read(X, reset=True)
        existing = existing_rows(sample_weight, len(values))
        if existing.rows is None:
            return values, missing, existing
        values = values[existing.rows]
        return values, self._missing(values), existing

    def _missing(self, X: Array) -> Array:
        """Tell which columns hold NaN, and refuse infinities."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum(axis=0)).all():
                return np.zeros(X.shape[1], dtype=bool)
            infinite = np.isinf(np.fmin.reduce(X, axis=0)) | np.isinf(np.fmax.reduce(X, axis=0))
        if infinite.any():
            j = int(infinite.argmax())
            names = getattr(self, "feature_names_in_", None)
            raise ValueError(
                f"Input X contains infinity in {column_label(j, names)}; replace it by NaN (a "
                "missing value) or by a finite number."
            )
        return np.isnan(X.min(axis=0))

    def transform(self, X):
        """Code the values by the cut points learned in ``fit``.

        Parameters
        ----------
        {X}

        Returns
        -------
        codes : ndarray of uint8 or uint16 of shape (n_samples, n_features)
            Integers from 0. NaN has the code after the last interval's, also in columns without
            NaN in ``fit``.
        """
        check_is_fitted(self)
        X, _ = self._read(X, reset=False)
        return self.code_columns(X, range(self.n_features_in_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

"""What all discretizers share."""

from abc import abstractmethod
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.threads import effective_n_threads
from ensfs.data.frames import take
from ensfs.data.sparse_columns import SparseColumns, read_sparse
from ensfs.data.table import make_table
from ensfs.data.target import Target
from ensfs.data.values import column_label
from ensfs.data.weights import WholeWeights, existing_rows, whole_weights
from ensfs.discretize.cuts import Array, code_by_cuts
from ensfs.discretize.sparse_cuts import levels_of, observed_columns, sparse_codes

#: Parameters and attributes of all discretizers.
DISCRETIZER_DOCS = COMMON_DOCS | read_descriptions("""
X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
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
    def find_cuts(
        self, values: Array, target: Any, weight: Array | WholeWeights | None = None
    ) -> tuple[list[Array], list[Array] | None]:
        """Cut points of columns that have been checked, and the code of each bin.

        None: the code of a bin is its number. NaN is a missing value; the rest is as in
        `fit_and_code`.
        """

    @abstractmethod
    def _cuts_of_cells(
        self, columns: SparseColumns, target: Any, n_threads: int
    ) -> tuple[list[Array], list[Array] | None]:
        """The same for sparse columns without weights and missing cells."""

    def sparse_cuts(
        self, columns: SparseColumns, target: Any, n_threads: int, weight: Array | None = None
    ) -> tuple[list[Array], list[Array] | None]:
        """Cut points of sparse columns, and the code of each bin if it is not its number.

        Parameters
        ----------
        columns : SparseColumns
            The columns.
        target : Target
            Classes, for discretizers that need them.
        n_threads : int
            Threads for columns without missing cells.
        weight : ndarray of shape (n_samples,), optional
            How often each row is there, numbers above 0.
        """
        some = np.arange(columns.n_features)
        if weight is None:
            some = np.nonzero(columns.n_missing)[0]
            if not some.size:
                return self._cuts_of_cells(columns, target, n_threads)
        cuts: list[Any] = [None] * columns.n_features
        bins: list[Any] = [None] * columns.n_features
        others = np.setdiff1d(np.arange(columns.n_features), some)
        if others.size:
            found, codes = self._cuts_of_cells(columns.take(others), target, n_threads)
            for place, j in enumerate(others):
                cuts[j], bins[j] = found[place], None if codes is None else codes[place]
        whole = WholeWeights.ones(columns.n_rows) if weight is None else whole_weights(weight)
        for j, column in zip(some, observed_columns(columns, some, target, whole), strict=True):
            (cuts[j],), codes = self.find_cuts(*column)
            bins[j] = None if codes is None else codes[0]
        return cuts, None if any(each is None for each in bins) else bins

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

    def _learn(self, X: Any, sample_weight: Any, y: Any = None) -> list[Array] | None:
        """Learn cut points and numbers of levels; give the codes of bins that are not numbered."""
        if scipy.sparse.issparse(X):
            existing = existing_rows(sample_weight, X.shape[0])
            columns = self._read_sparse(
                X if existing.rows is None else take(X, existing.rows), reset=True
            )
            target = self._target_of(existing.of(y), columns.n_rows, existing.weight)
            n_threads = effective_n_threads(self.n_jobs)
            cuts, bins = self.sparse_cuts(columns, target, n_threads, existing.weight)
            missing = columns.n_missing > 0
        else:
            values = self._read(X, reset=True)
            existing = existing_rows(sample_weight, len(values))
            values = values if existing.rows is None else values[existing.rows]
            missing = self._missing(values)
            target = self._target_of(existing.of(y), len(values), existing.weight)
            cuts, bins = self.find_cuts(values, target, existing.weight)
        self.cut_points_ = cuts
        self.n_levels_ = levels_of(cuts, bins) + missing
        return bins

    def _target_of(self, y: Any, n_rows: int, weight: Array | None) -> Any:
        """The classes, for discretizers that need them."""
        return None

    def _read(self, X: Any, reset: bool) -> Array:
        """Return the table as floats."""
        table = make_table(X, allow_missing=True)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if table.nominal.any():
            raise ValueError(
                f"{table.label(int(table.nominal.argmax()))} holds text or categories, and only "
                "numbers can be cut. Cut the other columns, for example with "
                "sklearn.compose.ColumnTransformer."
            )
        return table.continuous()

    def _read_sparse(self, X: Any, reset: bool) -> SparseColumns:
        columns = read_sparse(X, allow_missing=True)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return columns

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
        codes : ndarray or sparse matrix of uint8 or uint16 of shape (n_samples, n_features)
            Integers from 0. NaN has the code after the last interval's, also in columns without
            NaN in ``fit``. Sparse for a sparse table, of its format if that is CSR or CSC; then
            columns in which the code of 0 is not 0 are stored whole.
        """
        check_is_fitted(self)
        if scipy.sparse.issparse(X):
            columns = self._read_sparse(X, reset=False)
            bins = getattr(self, "bin_codes_", None)
            codes = sparse_codes(columns, self.cut_points_, bins, pairs=self.middle_is_closed)
            return _as_given(codes, X)
        X = self._read(X, reset=False)
        self._missing(X)
        return self.code_columns(X, range(self.n_features_in_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _as_given(codes: scipy.sparse.csc_array, X: Any) -> Any:
    """Sparse codes as a matrix or an array of the format of the table, if it is CSR."""
    made = codes if isinstance(X, scipy.sparse.sparray) else scipy.sparse.csc_matrix(codes)
    return made.tocsr() if X.format == "csr" else made

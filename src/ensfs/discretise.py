"""From continuous columns to integer codes: by class, by frequency, by standard deviations.

Every discretiser learns cut points from the training rows and then codes any rows with them. All
columns are treated alone, so a table can be shared among threads by columns, and the result is the
same for any number of threads.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._core import cuts as _cuts

__all__ = [
    "SigmaDiscretiser",
    "sigma_codes",
]

Array = NDArray[Any]
Result = TypeVar("Result")

# Values per block of columns: small enough for the second-level cache, large enough that the calls
# cost nothing beside the work.
_BLOCK_SIZE = 2**17
_MOST_LEVELS = 2**16 - 1


def _map_blocks(
    function: Callable[[int, Array], Result], values: Array, n_jobs: int | None, height: int = 1
) -> list[Result]:
    """Call ``function(first column, block)`` for blocks of columns, in Fortran order."""
    n, p = values.shape
    width = max(1, _BLOCK_SIZE // max(n, height, 1))
    starts = range(0, p, width)

    def work(start: int) -> Result:
        return function(start, np.asfortranarray(values[:, start : start + width]))

    n_threads = min(effective_n_jobs(n_jobs), len(starts))
    if n_threads <= 1:
        return [work(start) for start in starts]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, starts))


def _join(lists: Iterable[list[Array]]) -> list[Array]:
    return [item for part in lists for item in part]


def _encode(
    values: Array,
    cut_points: list[Array],
    bin_codes: list[Array] | None = None,
    *,
    n_jobs: int | None = None,
) -> Array:
    """Code every value by the bin it lies in, and NaN by the code after the last one."""
    n, p = values.shape
    n_cuts = np.fromiter((len(cuts) for cuts in cut_points), dtype=np.int64, count=p)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_cuts)])
    cuts = np.concatenate([*cut_points, np.empty(0)])
    if bin_codes is None:
        first = np.repeat(offsets[:-1] + np.arange(p), n_cuts + 1)
        levels = (np.arange(first.size) - first).astype(np.int32)
    else:
        levels = np.concatenate(bin_codes).astype(np.int32)
    missing = levels[offsets[1:] + np.arange(p)] + np.int32(1)
    codes = np.empty((n, p), dtype=_code_type(int(missing.max(initial=0))), order="F")

    def encode(start: int, block: Array) -> None:
        stop = start + block.shape[1]
        _cuts.digitise(
            block,
            cuts[offsets[start] : offsets[stop]],
            offsets[start : stop + 1] - offsets[start],
            levels[offsets[start] + start : offsets[stop] + stop],
            missing[start:stop],
            codes[:, start:stop],
        )

    _map_blocks(encode, values, n_jobs)
    return codes


def _code_type(largest: int) -> type[np.uint8] | type[np.uint16]:
    if largest > _MOST_LEVELS:
        raise ValueError(
            f"a column has {largest} levels; at most {_MOST_LEVELS} can be coded: use fewer bins"
        )
    return np.uint8 if largest <= np.iinfo(np.uint8).max else np.uint16


def _below(cut_points: list[Array]) -> list[Array]:
    """Move each lower cut down by one floating-point number, so that ``x == cut`` lies above it."""
    return [
        np.array([np.nextafter(cuts[0], -np.inf), cuts[1]]) if len(cuts) else cuts
        for cuts in cut_points
    ]


def _sigma_cut_points(values: Array, width: float, n_jobs: int | None) -> list[Array]:
    def find(start: int, block: Array) -> list[Array]:
        cuts = np.empty((block.shape[1], 2))
        n_cuts = np.empty(block.shape[1], dtype=np.int64)
        _cuts.sigma_cuts(block, width, cuts, n_cuts)
        return [row[:count] for row, count in zip(cuts, n_cuts, strict=True)]

    return _join(_map_blocks(find, values, n_jobs))


def sigma_codes(
    values: Array, *, width: float = 0.5, n_jobs: int | None = None
) -> tuple[Array, list[Array]]:
    """Code columns in three levels by mean ± ``width`` standard deviations, without checks.

    What :class:`SigmaDiscretiser` does, for arrays that are known to be good.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        float32 or float64; NaN is a missing value, infinities are not allowed.
    width : float, default=0.5
        Number of standard deviations between the mean and each cut point.
    n_jobs : int, default=None
        Number of threads; None means one.

    Returns
    -------
    codes : ndarray of uint8 of shape (n_samples, n_features)
        In Fortran order.
    cut_points : list of ndarray
        For each column two cut points, or none if it is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretise import sigma_codes
    >>> codes, cut_points = sigma_codes(np.array([[1.0], [2.0], [3.0], [4.0], [10.0]]))
    >>> codes.ravel()
    array([0, 0, 1, 1, 2], dtype=uint8)
    """
    cut_points = _sigma_cut_points(values, width, n_jobs)
    return _encode(values, _below(cut_points), n_jobs=n_jobs), cut_points


class _Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Validate, ask the subclass for cut points, keep them; code values by them."""

    _parameter_constraints: dict = {"n_jobs": [None, Integral]}

    n_jobs: int | None
    cut_points_: list[Array]
    n_levels_: Array

    def _code(self, X: Array) -> Array:
        return _encode(X, self.cut_points_, n_jobs=self.n_jobs)

    def _n_intervals(self) -> Array:
        return np.array([len(cuts) + 1 for cuts in self.cut_points_], dtype=np.int64)

    def _validate(self, X: Any, reset: bool) -> tuple[Array, Array]:
        """Return the table and, for every column, whether values are missing."""
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        return X, self._missing(X)

    def _missing(self, X: Array) -> Array:
        """Tell which columns hold NaN, and refuse infinities."""
        with np.errstate(over="ignore", invalid="ignore"):
            suspects = np.flatnonzero(~np.isfinite(X.sum(axis=0)))
        missing = np.zeros(X.shape[1], dtype=bool)
        for j in suspects:
            if np.isinf(X[:, j]).any():
                names = getattr(self, "feature_names_in_", None)
                column = f"column {j}" if names is None else f"column {names[j]!r}"
                raise ValueError(
                    f"Input X contains infinity in {column}; replace it by NaN (a missing value) "
                    "or by a finite number."
                )
            missing[j] = np.isnan(X[:, j]).any()
        return missing

    def transform(self, X):
        """Code the values by the cut points learned in ``fit``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The values; NaN is a missing value.

        Returns
        -------
        codes : ndarray of uint8 or uint16 of shape (n_samples, n_features)
            Integers from 0. NaN has the code after the last interval's, also in columns without
            NaN in ``fit``.
        """
        check_is_fitted(self)
        X, _ = self._validate(X, reset=False)
        return self._code(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class SigmaDiscretiser(_Discretiser):
    """Three levels: below, around and above the mean.

    With mean :math:`m` and sample standard deviation :math:`s` of a column, a value is coded

    * 0 if :math:`x < m - w s`,
    * 2 if :math:`x > m + w s`,
    * 1 otherwise (so values on either cut point have code 1),

    where :math:`w` is ``width``. With ``width=0.5`` this is the rule by which the microarray data
    of the mRMR papers [1]_ were made discrete.

    Parameters
    ----------
    width : float, default=0.5
        Number of standard deviations between the mean and each cut point.
    n_jobs : int, default=None
        Number of threads; None means one. It never changes the result.

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: ``[m - w s, m + w s]``, or empty if the column is constant.
    n_levels_ : ndarray of shape (n_features,)
        Number of codes of each column: 3, or 1 for a constant column, and one more if ``fit`` saw
        missing values.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if ``X`` had names.

    See Also
    --------
    ensfs.discretise.sigma_codes : The same for plain arrays.

    Notes
    -----
    Missing values (NaN) take no part in mean and deviation. They are a level of their own: the code
    after the last one (3, or 1 in a constant column). A column that had none in ``fit`` gives them
    the same code in ``transform``; this code then equals ``n_levels_``, which counts what ``fit``
    saw. A constant column has no cut point, and all its values, also new ones, have code 0.

    References
    ----------
    .. [1] C. Ding and H. Peng, "Minimum redundancy feature selection from microarray gene
       expression data", Journal of Bioinformatics and Computational Biology 3 (2005).

    Examples
    --------
    >>> from ensfs.discretise import SigmaDiscretiser
    >>> discretiser = SigmaDiscretiser().fit([[1], [2], [3], [4], [10]])
    >>> discretiser.cut_points_[0].round(3)
    array([2.232, 5.768])
    >>> discretiser.transform([[1], [2], [3], [4], [10], [float("nan")]]).ravel()
    array([0, 0, 1, 1, 2, 3], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **_Discretiser._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, width=0.5, *, n_jobs=None):
        self.width = width
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn mean and standard deviation of every column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The values; NaN is a missing value.
        y : None
            Ignored.

        Returns
        -------
        self : SigmaDiscretiser
            The fitted discretiser.
        """
        X, missing = self._validate(X, reset=True)
        self.cut_points_ = _sigma_cut_points(X, self.width, self.n_jobs)
        self.n_levels_ = self._n_intervals() + missing
        return self

    def _code(self, X):
        return _encode(X, _below(self.cut_points_), n_jobs=self.n_jobs)

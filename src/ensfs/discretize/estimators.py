"""From continuous columns to integer codes: by class, by frequency, by standard deviations.

Every discretizer learns cut points from the training rows and then codes any rows with them. All
columns are treated alone, so a table can be shared among threads by columns, and the result is the
same for any number of threads.
"""

from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._core import cuts as _cuts
from ensfs._utils.progress import task
from ensfs._utils.sklearn import Interval, fit_context
from ensfs._utils.threads import effective_n_threads, for_blocks
from ensfs.data.table import make_table
from ensfs.data.target import make_target

__all__ = [
    "EqualFrequencyDiscretizer",
    "MDLDiscretizer",
    "SigmaDiscretizer",
    "equal_frequency_codes",
    "mdl_codes",
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
    found: list[Any] = [None] * len(starts)

    def work(first: int, stop: int) -> None:
        for i in range(first, stop):
            block = values[:, starts[i] : starts[i] + width]
            found[i] = function(starts[i], np.asfortranarray(block))
            advance()

    with task("cutting columns", len(starts)) as advance:
        for_blocks(work, len(starts), effective_n_threads(n_jobs), block=1)
    return found


def _join(lists: Iterable[list[Array]]) -> list[Array]:
    return [item for part in lists for item in part]


def _encode(
    values: Array,
    cut_points: list[Array],
    bin_codes: list[Array] | None = None,
    *,
    pairs: bool = False,
    n_jobs: int | None = None,
) -> Array:
    """Code every value by the bin it lies in, and NaN by the code after the last one.

    Bins are closed on the right. With ``pairs`` a column has two cut points or none, and the middle
    bin is closed on both sides: the lower cut moves down by one floating-point number.
    """
    n, p = values.shape
    n_cuts = np.fromiter((len(cuts) for cuts in cut_points), dtype=np.int64, count=p)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_cuts)])
    cuts = np.concatenate([*cut_points, np.empty(0)])
    if pairs:
        cuts[::2] = np.nextafter(cuts[::2], -np.inf)
    if bin_codes is None:
        first = np.repeat(offsets[:-1] + np.arange(p), n_cuts + 1)
        levels = (np.arange(first.size) - first).astype(np.int32)
    else:
        levels = np.concatenate(bin_codes).astype(np.int32)
    missing = levels[offsets[1:] + np.arange(p)] + np.int32(1)
    codes: Array = np.empty((n, p), dtype=_code_type(int(missing.max(initial=0))), order="F")

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

    What :class:`SigmaDiscretizer` does, for arrays that are known to be good.

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
    >>> from ensfs.discretize.estimators import sigma_codes
    >>> codes, cut_points = sigma_codes(np.array([[1.0], [2.0], [3.0], [4.0], [10.0]]))
    >>> codes.ravel()
    array([0, 0, 1, 1, 2], dtype=uint8)
    """
    cut_points = _sigma_cut_points(values, width, n_jobs)
    return _encode(values, cut_points, pairs=True, n_jobs=n_jobs), cut_points


def _equal_frequency_cut_points(
    values: Array, n_bins: int, n_jobs: int | None
) -> tuple[list[Array], list[Array]]:
    def find(start: int, block: Array) -> tuple[list[Array], list[Array]]:
        m = block.shape[1]
        cuts = np.empty((m, n_bins - 1))
        levels = np.empty((m, n_bins), dtype=np.int32)
        n_cuts = np.empty(m, dtype=np.int64)
        _cuts.equal_frequency_cuts(np.sort(block.T, axis=1).T, cuts, levels, n_cuts)
        return (
            [row[:count].copy() for row, count in zip(cuts, n_cuts, strict=True)],
            [row[: count + 1].copy() for row, count in zip(levels, n_cuts, strict=True)],
        )

    parts = _map_blocks(find, values, n_jobs, height=n_bins)
    return _join(part[0] for part in parts), _join(part[1] for part in parts)


def equal_frequency_codes(
    values: Array, n_bins: int = 5, *, n_jobs: int | None = None
) -> tuple[Array, list[Array]]:
    """Code columns in bins of about equal frequency, without checks.

    What :class:`EqualFrequencyDiscretizer` does, for arrays that are known to be good.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        float32 or float64; NaN is a missing value, infinities are not allowed.
    n_bins : int, default=5
        Number of bins, at least 2; columns with ties may have fewer.
    n_jobs : int, default=None
        Number of threads; None means one.

    Returns
    -------
    codes : ndarray of uint8 or uint16 of shape (n_samples, n_features)
        In Fortran order.
    cut_points : list of ndarray
        The distinct quantiles of each column.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretize.estimators import equal_frequency_codes
    >>> x = np.array([1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    >>> codes, cut_points = equal_frequency_codes(x[:, None], 4)
    >>> cut_points
    [array([2.  , 2.5 , 4.25])]
    >>> codes.ravel()
    array([0, 0, 0, 0, 1, 1, 2, 2], dtype=uint8)
    """
    cut_points, bin_codes = _equal_frequency_cut_points(values, n_bins, n_jobs)
    return _encode(values, cut_points, bin_codes, n_jobs=n_jobs), cut_points


def _mdl_cut_points(
    values: Array, y: Array, n_classes: int, better_encoding: bool, n_jobs: int | None
) -> list[Array]:
    n = values.shape[0]
    y = np.ascontiguousarray(y, dtype=np.int32)
    k = np.arange(n + 1, dtype=np.float64)
    klogk = k * np.log2(np.maximum(k, 1.0))

    def find(start: int, block: Array) -> list[Array]:
        m = block.shape[1]
        order = np.argsort(block.T, axis=1).astype(np.int64, copy=False).T
        cuts = np.empty((n, m), order="F")
        n_cuts = np.empty(m, dtype=np.int64)
        _cuts.mdl_cuts(
            block,
            order,
            y,
            n_classes,
            klogk,
            better_encoding,
            np.empty(n),
            np.empty(n, dtype=np.int32),
            np.empty(3 * n_classes, dtype=np.int32),
            np.empty(n, dtype=np.uint8),
            cuts,
            n_cuts,
        )
        return [column[:count].copy() for column, count in zip(cuts.T, n_cuts, strict=True)]

    return _join(_map_blocks(find, values, n_jobs))


def mdl_codes(
    values: Array,
    y_codes: Array,
    n_classes: int,
    better_encoding: bool = False,
    *,
    n_jobs: int | None = None,
) -> tuple[Array, list[Array]]:
    """Code columns by the cut points of Fayyad and Irani, without checks.

    What :class:`MDLDiscretizer` does, for arrays that are known to be good.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)
        float32 or float64; NaN is a missing value, infinities are not allowed.
    y_codes : ndarray of int of shape (n_samples,)
        The class of every row as a number from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    better_encoding : bool, default=False
        Count the candidate cuts instead of the rows.
    n_jobs : int, default=None
        Number of threads; None means one.

    Returns
    -------
    codes : ndarray of uint8 or uint16 of shape (n_samples, n_features)
        In Fortran order.
    cut_points : list of ndarray
        The cut points of each column, ascending; none where no cut pays.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.discretize.estimators import mdl_codes
    >>> x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    >>> codes, cut_points = mdl_codes(x[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2)
    >>> cut_points
    [array([4.5])]
    """
    cut_points = _mdl_cut_points(values, y_codes, n_classes, better_encoding, n_jobs)
    return _encode(values, cut_points, n_jobs=n_jobs), cut_points


class _Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Validate, ask the subclass for cut points, keep them; code values by them."""

    _parameter_constraints: dict = {"n_jobs": [None, Integral]}

    n_jobs: int | None
    cut_points_: list[Array]
    n_levels_: Array

    def _code(self, X: Array) -> Array:
        return _encode(X, self.cut_points_, n_jobs=self.n_jobs)

    def _n_intervals(self) -> Array:
        return np.array([len(cuts) + 1 for cuts in self.cut_points_], dtype=np.int64)

    def _read(self, X: Any, reset: bool) -> tuple[Array, Array]:
        """Return the table as floats and, for every column, whether values are missing."""
        table = make_table(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if table.nominal.any():
            raise ValueError(
                f"{table.label(int(table.nominal.argmax()))} holds text or categories, and only "
                "numbers can be cut. Cut the other columns, for example with "
                "sklearn.compose.ColumnTransformer."
            )
        values = table.continuous()
        return values, self._missing(values)

    def _missing(self, X: Array) -> Array:
        """Tell which columns hold NaN, and refuse infinities."""
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum(axis=0)).all():
                return np.zeros(X.shape[1], dtype=bool)
            infinite = np.isinf(np.fmin.reduce(X, axis=0)) | np.isinf(np.fmax.reduce(X, axis=0))
        if infinite.any():
            j = int(infinite.argmax())
            names = getattr(self, "feature_names_in_", None)
            column = f"column {j}" if names is None else f"column {names[j]!r}"
            raise ValueError(
                f"Input X contains infinity in {column}; replace it by NaN (a missing value) "
                "or by a finite number."
            )
        return np.isnan(X.min(axis=0))

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
        X, _ = self._read(X, reset=False)
        return self._code(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class SigmaDiscretizer(_Discretizer):
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
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if ``X`` had names.

    See Also
    --------
    ensfs.discretize.estimators.sigma_codes : The same for plain arrays.

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
    >>> from ensfs.discretize.estimators import SigmaDiscretizer
    >>> discretizer = SigmaDiscretizer().fit([[1], [2], [3], [4], [10]])
    >>> discretizer.cut_points_[0].round(3)
    array([2.232, 5.768])
    >>> discretizer.transform([[1], [2], [3], [4], [10], [float("nan")]]).ravel()
    array([0, 0, 1, 1, 2, 3], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **_Discretizer._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, width=0.5, *, n_jobs=None):
        self.width = width
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
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
        self : SigmaDiscretizer
            The fitted discretizer.
        """
        X, missing = self._read(X, reset=True)
        self.cut_points_ = _sigma_cut_points(X, self.width, self.n_jobs)
        self.n_levels_ = self._n_intervals() + missing
        return self

    def _code(self, X):
        return _encode(X, self.cut_points_, pairs=True, n_jobs=self.n_jobs)


class EqualFrequencyDiscretizer(_Discretizer):
    r"""Bins that hold about equally many rows each.

    The cut points of a column are the distinct values among its quantiles :math:`j / q`,
    :math:`j = 1, \dots, q - 1` (linear interpolation), where :math:`q` is ``n_bins``. Bins are open
    on the left and closed on the right: :math:`(-\infty, c_1], (c_1, c_2], \dots`. With ties a bin
    may hold no row at all; such bins are dropped, and the rest are numbered from 0.

    Parameters
    ----------
    n_bins : int, default=5
        Number of bins, from 2 to 65535; columns with ties may have fewer levels.
    n_jobs : int, default=None
        Number of threads; None means one. It never changes the result.

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: its distinct quantiles below its largest value, ascending. Empty if
        the column is constant.
    bin_codes_ : list of ndarray
        One array per column: the code of each of its ``len(cut_points_[j]) + 1`` bins. A bin that
        held no row in ``fit`` has the code of the bin below it, for values to come.
    n_levels_ : ndarray of shape (n_features,)
        Number of codes of each column, one more if ``fit`` saw missing values.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if ``X`` had names.

    See Also
    --------
    ensfs.discretize.estimators.equal_frequency_codes : The same for plain arrays.

    Notes
    -----
    Missing values (NaN) take no part in the quantiles. They are a level of their own: the code
    after the last bin's. A column that had none in ``fit`` gives them the same code in
    ``transform``; this code then equals ``n_levels_``, which counts what ``fit`` saw.

    The position of a quantile is found in integers, so a quantile that is a value of the column is
    that value exactly; ``numpy.quantile`` may miss it by a rounding error.

    Examples
    --------
    >>> from ensfs.discretize.estimators import EqualFrequencyDiscretizer
    >>> X = [[1], [2], [2], [2], [3], [4], [5], [9]]
    >>> discretizer = EqualFrequencyDiscretizer(n_bins=4).fit(X)
    >>> discretizer.cut_points_
    [array([2.  , 2.5 , 4.25])]
    >>> discretizer.transform(X).ravel()
    array([0, 0, 0, 0, 1, 1, 2, 2], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **_Discretizer._parameter_constraints,
        "n_bins": [Interval(Integral, 2, _MOST_LEVELS, closed="both")],
    }

    bin_codes_: list[Array]

    def __init__(self, n_bins=5, *, n_jobs=None):
        self.n_bins = n_bins
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the quantiles of every column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The values; NaN is a missing value.
        y : None
            Ignored.

        Returns
        -------
        self : EqualFrequencyDiscretizer
            The fitted discretizer.
        """
        X, missing = self._read(X, reset=True)
        self.cut_points_, self.bin_codes_ = _equal_frequency_cut_points(X, self.n_bins, self.n_jobs)
        self.n_levels_ = np.array([codes[-1] + 1 for codes in self.bin_codes_]) + missing
        return self

    def _code(self, X):
        return _encode(X, self.cut_points_, self.bin_codes_, n_jobs=self.n_jobs)


class MDLDiscretizer(_Discretizer):
    r"""Cut where the classes change, as long as the cut pays for its description.

    The method of Fayyad and Irani [1]_, which Weka applies before symmetrical uncertainty, CFS and
    FCBF. In a segment of :math:`N` rows with :math:`k` classes and class entropy :math:`E`, the cut
    of least weighted entropy is taken among the midpoints of adjacent distinct values (the first
    one on ties). It leaves parts with :math:`k_1, k_2` classes and entropies :math:`E_1, E_2` and
    is accepted if its information gain exceeds

    .. math::

        \frac{\log_2(N - 1) + \log_2(3^k - 2) - (k E - k_1 E_1 - k_2 E_2)}{N} ;

    then both parts are cut in the same way. Intervals are open on the left and closed on the right:
    :math:`(-\infty, c_1], (c_1, c_2], \dots`.

    Parameters
    ----------
    better_encoding : bool, default=False
        Replace :math:`\log_2(N - 1)` by the logarithm of the number of candidate cuts in the
        segment. Columns with many ties then get more cuts. Weka's filters use it inside.
    n_jobs : int, default=None
        Number of threads; None means one. It never changes the result.

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: its cut points, ascending; empty where no cut pays.
    n_levels_ : ndarray of shape (n_features,)
        Number of codes of each column, one more if ``fit`` saw missing values.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the columns, if ``X`` had names.

    See Also
    --------
    ensfs.discretize.estimators.mdl_codes : The same for plain arrays.

    Notes
    -----
    Rows with a missing value (NaN) take no part in the cuts of that column. Missing values are a
    level of their own: the code after the last interval's. A column that had none in ``fit`` gives
    them the same code in ``transform``; this code then equals ``n_levels_``, which counts what
    ``fit`` saw. With a single class there are no cuts.

    References
    ----------
    .. [1] U. M. Fayyad and K. B. Irani, "Multi-interval discretization of continuous-valued
       attributes for classification learning", IJCAI (1993), 1022-1027.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs.discretize.estimators import MDLDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> for cut_points in discretizer.cut_points_:
    ...     print(cut_points.round(3))
    [5.55 6.15]
    [2.95 3.35]
    [2.45 4.75]
    [0.8  1.75]
    """

    _parameter_constraints: dict = {
        **_Discretizer._parameter_constraints,
        "better_encoding": ["boolean"],
    }

    classes_: Array

    def __init__(self, better_encoding=False, *, n_jobs=None):
        self.better_encoding = better_encoding
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn the cut points of every column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The values; NaN is a missing value.
        y : array-like of shape (n_samples,)
            The classes, of any type.

        Returns
        -------
        self : MDLDiscretizer
            The fitted discretizer.
        """
        X, missing = self._read(X, reset=True)
        target = make_target(
            y,
            len(X),
            kind="classes",
            warn_constant=False,
            instead="Use EqualFrequencyDiscretizer or SigmaDiscretizer, which need no classes",
        )
        self.classes_ = target.classes
        self.cut_points_ = _mdl_cut_points(
            X, target.codes, self.classes_.size, self.better_encoding, self.n_jobs
        )
        self.n_levels_ = self._n_intervals() + missing
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

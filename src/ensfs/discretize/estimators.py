"""From continuous columns to integer codes: by class, by frequency, by standard deviations.

Every discretizer learns cut points from the training rows and then codes any rows with them. All
columns are treated alone, so a table can be shared among threads by columns, and the result is the
same for any number of threads.
"""

from numbers import Integral, Real

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import Interval, fit_context
from ensfs.discretize._base import DISCRETIZER_DOCS, Discretizer
from ensfs.discretize.cuts import (
    MAX_LEVELS,
    Array,
    code_by_cuts,
    equal_frequency_codes,
    equal_frequency_cut_points,
    mdl_codes,
    mdl_cut_points,
    sigma_codes,
    sigma_cut_points,
)
from ensfs.discretize.sparse_cuts import (
    sparse_equal_frequency_cuts,
    sparse_mdl_cuts,
    sparse_sigma_cuts,
)
from ensfs.discretize.targets import TARGET_BINS, read_classes


@with_docs(DISCRETIZER_DOCS)
class SigmaDiscretizer(Discretizer):
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
    {n_jobs}

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: ``[m - w s, m + w s]``, or empty if the column is constant.
    n_levels_ : ndarray of shape (n_features,)
        Number of codes of each column: 3, or 1 for a constant column, and one more if ``fit`` saw
        missing values.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ensfs.discretize.sigma_codes : The same for plain arrays.

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
    >>> from ensfs.discretize import SigmaDiscretizer
    >>> discretizer = SigmaDiscretizer().fit([[1], [2], [3], [4], [10]])
    >>> discretizer.cut_points_[0].round(3)
    array([2.232, 5.768])
    >>> discretizer.transform([[1], [2], [3], [4], [10], [float("nan")]]).ravel()
    array([0, 0, 1, 1, 2, 3], dtype=uint8)
    """

    middle_is_closed = True

    _parameter_constraints: dict = {
        **Discretizer._parameter_constraints,
        "width": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, width=0.5, *, n_jobs=None):
        self.width = width
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn mean and standard deviation of every column.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : SigmaDiscretizer
            The fitted discretizer.
        """
        self._learn(X, sample_weight)
        return self

    def fit_and_code(self, values, target, weight=None):
        """Codes and cut points of columns that have been checked."""
        return sigma_codes(values, width=self.width, weight=weight, n_jobs=self.n_jobs)

    def find_cuts(self, values, target, weight=None):
        """Cut points of columns that have been checked."""
        return sigma_cut_points(values, self.width, self.n_jobs, weight), None

    def _cuts_of_cells(self, columns, target, n_threads):
        return sparse_sigma_cuts(columns, self.width, n_threads), None

    def code_columns(self, values, columns):
        """Codes of columns that have been checked, by the cut points learned in ``fit``."""
        cuts = [self.cut_points_[j] for j in columns]
        return code_by_cuts(values, cuts, pairs=True, n_jobs=self.n_jobs)


@with_docs(DISCRETIZER_DOCS)
class EqualFrequencyDiscretizer(Discretizer):
    r"""Bins that hold about equally many rows each.

    The cut points of a column are the distinct values among its quantiles :math:`j / q`,
    :math:`j = 1, \dots, q - 1` (linear interpolation), where :math:`q` is ``n_bins``. Bins are open
    on the left and closed on the right: :math:`(-\infty, c_1], (c_1, c_2], \dots`. With ties a bin
    may hold no row at all; such bins are dropped, and the rest are numbered from 0.

    Parameters
    ----------
    n_bins : int, default=5
        Number of bins, from 2 to 65535; columns with ties may have fewer levels.
    {n_jobs}

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: its distinct quantiles below its largest value, ascending. Empty if
        the column is constant.
    bin_codes_ : list of ndarray
        One array per column: the code of each of its ``len(cut_points_[j]) + 1`` bins. A bin that
        held no row in ``fit`` has the code of the bin below it, for values to come.
    {n_levels_, n_features_in_, feature_names_in_}

    See Also
    --------
    ensfs.discretize.equal_frequency_codes : The same for plain arrays.

    Notes
    -----
    Missing values (NaN) take no part in the quantiles. They are a level of their own: the code
    after the last bin's. A column that had none in ``fit`` gives them the same code in
    ``transform``; this code then equals ``n_levels_``, which counts what ``fit`` saw.

    The position of a quantile is found in integers, so a quantile that is a value of the column is
    that value exactly; ``numpy.quantile`` may miss it by a rounding error.

    Examples
    --------
    >>> from ensfs.discretize import EqualFrequencyDiscretizer
    >>> X = [[1], [2], [2], [2], [3], [4], [5], [9]]
    >>> discretizer = EqualFrequencyDiscretizer(n_bins=4).fit(X)
    >>> discretizer.cut_points_
    [array([2.  , 2.5 , 4.25])]
    >>> discretizer.transform(X).ravel()
    array([0, 0, 0, 0, 1, 1, 2, 2], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **Discretizer._parameter_constraints,
        "n_bins": [Interval(Integral, 2, MAX_LEVELS, closed="both")],
    }

    bin_codes_: list[Array]

    def __init__(self, n_bins=5, *, n_jobs=None):
        self.n_bins = n_bins
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn the quantiles of every column.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : EqualFrequencyDiscretizer
            The fitted discretizer.
        """
        self.bin_codes_ = self._learn(X, sample_weight) or []
        return self

    def fit_and_code(self, values, target, weight=None):
        """Codes and cut points of columns that have been checked."""
        return equal_frequency_codes(values, self.n_bins, weight=weight, n_jobs=self.n_jobs)

    def find_cuts(self, values, target, weight=None):
        """Cut points of columns that have been checked, and the code of each bin."""
        return equal_frequency_cut_points(values, self.n_bins, self.n_jobs, weight)

    def _cuts_of_cells(self, columns, target, n_threads):
        return sparse_equal_frequency_cuts(columns, self.n_bins, n_threads)

    def code_columns(self, values, columns):
        """Codes of columns that have been checked, by the cut points learned in ``fit``."""
        pairs = [(self.cut_points_[j], self.bin_codes_[j]) for j in columns]
        cuts, codes = (list(each) for each in zip(*pairs, strict=True))
        return code_by_cuts(values, cuts, codes, n_jobs=self.n_jobs)


@with_docs(DISCRETIZER_DOCS)
class MDLDiscretizer(Discretizer):
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
    target_bins : int or None, default=3
        A numeric target is cut into so many classes of about equally many rows; None: it is an
        error. Classes are taken as they are.
    {n_jobs}

    Attributes
    ----------
    cut_points_ : list of ndarray
        One array per column: its cut points, ascending; empty where no cut pays.
    {n_levels_}
    classes_ : ndarray of shape (n_classes,)
        The classes; of a numeric target the numbers of its bins.
    target_cut_points_ : ndarray or None
        Where a numeric target was cut.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ensfs.discretize.mdl_codes : The same for plain arrays.

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
    >>> from ensfs.discretize import MDLDiscretizer
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
        **Discretizer._parameter_constraints,
        "better_encoding": ["boolean"],
        "target_bins": [Interval(Integral, 2, None, closed="left"), None],
    }

    classes_: Array
    target_cut_points_: Array | None

    def __init__(self, better_encoding=False, *, target_bins=TARGET_BINS, n_jobs=None):
        self.better_encoding = better_encoding
        self.target_bins = target_bins
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn the cut points of every column.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            The classes, of any type, or numbers, which are cut into classes.
        {sample_weight}

        Returns
        -------
        self : MDLDiscretizer
            The fitted discretizer.
        """
        self._learn(X, sample_weight, y)
        return self

    def _target_of(self, y, n_rows, weight):
        target = read_classes(
            y, n_rows, self.target_bins, weight, warn_constant=False,
            instead="Use EqualFrequencyDiscretizer or SigmaDiscretizer, which need no classes",
        )  # fmt: skip
        self.classes_, self.target_cut_points_ = target.classes, target.cut_points
        return target

    def fit_and_code(self, values, target, weight=None):
        """Codes and cut points of columns that have been checked."""
        return mdl_codes(
            values, target.codes, len(target.classes), self.better_encoding, weight=weight,
            n_jobs=self.n_jobs,
        )  # fmt: skip

    def find_cuts(self, values, target, weight=None):
        """Cut points of columns that have been checked."""
        return mdl_cut_points(
            values, target.codes, len(target.classes), self.better_encoding, self.n_jobs, weight
        ), None

    def _cuts_of_cells(self, columns, target, n_threads):
        n_classes = len(target.classes)
        return (
            sparse_mdl_cuts(columns, target.codes, n_classes, self.better_encoding, n_threads),
            None,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

"""The measures as plain functions: columns against a target, or pairs of columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from scipy.stats import chi2

from ensfs._utils.threads import effective_n_threads, for_blocks, ranges_of
from ensfs.data.codes import TableCodes
from ensfs.data.folds import make_folds
from ensfs.data.table import make_table
from ensfs.data.target import Target, make_target, read_target
from ensfs.data.values import NominalValues, as_array
from ensfs.statistics import SMALLEST_SQUARES, CodedSource, Resampling
from ensfs.training.memory import MemoryTrainingData

__all__ = [
    "GSquare",
    "conditional_mutual_information",
    "entropy",
    "f_test",
    "g_square",
    "mutual_information",
    "pairwise",
    "pearson",
    "symmetrical_uncertainty",
]


def pearson(X: Any, y: Any, *, folds: Any = None, n_jobs: int | None = None) -> np.ndarray:
    """Pearson's correlation of every column with a numeric target.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Numeric columns.
    y : array-like of shape (n_samples,)
        Numbers.
    folds : int, array or splitter, optional
        Leave out one fold after the other: row ``i`` in fold ``i mod folds``, a fold label for each
        row, or a scikit-learn splitter.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        Correlations; 0 where a column or the target is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import pearson
    >>> X = np.array([[1, 2], [2, 1], [3, 5], [4, 4]])
    >>> pearson(X, [1, 2, 3, 4]).round(3)
    array([1.   , 0.707])
    """
    data = MemoryTrainingData(make_table(X), y)
    target = make_target(y, data.n_rows, kind="numeric", warn_constant=False)
    r = _continuous(data, target, folds, "pearson", n_jobs)
    return np.clip(r, -1.0, 1.0)


def f_test(X: Any, y: Any, *, folds: Any = None, n_jobs: int | None = None) -> np.ndarray:
    """F statistic of every column: analysis of variance for classes, regression for numbers.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Numeric columns.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    folds : int, array or splitter, optional
        Leave out one fold after the other, as in `pearson`.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        F statistics; 0 where a column or the target is constant, infinite where the classes do not
        vary but their means do.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import f_test
    >>> X = np.array([[1.0, 2.0], [2.0, 1.0], [6.0, 5.0], [7.0, 4.0]])
    >>> f_test(X, ["a", "a", "b", "b"])
    array([50., 18.])
    """
    data = MemoryTrainingData(make_table(X), y)
    target = make_target(y, data.n_rows, warn_constant=False)
    return _continuous(data, target, folds, "f_test", n_jobs)


def mutual_information(
    X: Any, y: Any, *, folds: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Mutual information in bits of every column with a target, all of them discrete.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Columns of any discrete values; every distinct value is a level.
    y : array-like of shape (n_samples,)
        Any discrete values.
    folds : int, array or splitter, optional
        Leave out one fold after the other, as in `pearson`.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        Plug-in estimates, never negative.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import mutual_information
    >>> X = np.array([list("00001111"), list("01010101")]).T
    >>> mutual_information(X, list("00011110"))
    array([0.18872188, 0.        ])
    """
    return _coded(X, y, folds, "mutual_information", n_jobs)


def symmetrical_uncertainty(
    X: Any, y: Any, *, folds: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Symmetrical uncertainty of every column with a target, all of them discrete.

    Twice the mutual information over the sum of the two entropies: 0 for independent columns, 1 for
    columns that determine each other.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Columns of any discrete values; every distinct value is a level.
    y : array-like of shape (n_samples,)
        Any discrete values.
    folds : int, array or splitter, optional
        Leave out one fold after the other, as in `pearson`.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        Numbers from 0 to 1; 0 where a column or the target is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import symmetrical_uncertainty
    >>> X = np.array([list("00001111"), list("01010101")]).T
    >>> symmetrical_uncertainty(X, list("00011110"))
    array([0.18872188, 0.        ])
    """
    return _coded(X, y, folds, "symmetrical_uncertainty", n_jobs)


def entropy(X: Any, *, folds: Any = None) -> np.ndarray:
    """Entropy in bits of every column of discrete values.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Columns of any discrete values; every distinct value is a level.
    folds : int, array or splitter, optional
        Leave out one fold after the other, as in `pearson`.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        Plug-in estimates.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import entropy
    >>> entropy(np.array([[0, 1], [0, 2], [1, 3], [1, 4]]))
    array([1., 2.])
    """
    n = make_table(X).n_rows
    source = _coded_source(X, np.zeros(n), folds, "mutual_information", None)
    bits = np.array([source.entropy(t) for t in range(source.n_parts)])
    return bits[0] if folds is None else bits.T


def conditional_mutual_information(
    X: Any, y: Any, z: Any, *, folds: Any = None, n_jobs: int | None = None
) -> np.ndarray:
    """Mutual information in bits of every column with a target, given further columns.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Columns of any discrete values; every distinct value is a level.
    y : array-like of shape (n_samples,)
        Any discrete values.
    z : array-like or data frame of shape (n_samples,) or (n_samples, n_conditions)
        What is given: one column or several together, of any discrete values.
    folds : int, array or splitter, optional
        Leave out one fold after the other, as in `pearson`.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        Plug-in estimates of I(x; y | z), never negative.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import conditional_mutual_information
    >>> a, b = np.array(list("00110011")), np.array(list("01010101"))
    >>> either = (a != b).astype(int)
    >>> conditional_mutual_information(a[:, None], either, b)
    array([1.])
    """
    coded = make_table(X, discrete_features=True).codes()
    n, p = coded.codes.shape
    given = _strata(z, n)
    # z stands as one more column beside those of X
    wide = coded.codes.dtype if given.max() <= np.iinfo(coded.codes.dtype).max else np.uint16
    codes = np.empty((n, p + 1), dtype=wide, order="F")
    codes[:, :p], codes[:, p] = coded.codes, given
    source = CodedSource(
        codes, np.append(coded.n_levels, given.max() + 1), _discrete_target(y, n),
        _parts(folds, n, y), measure="conditional", n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip
    out = np.empty((source.n_parts, p + 1))
    source.association([(p, np.arange(source.n_parts))], out)
    return out[0, :p] if folds is None else out[:, :p].T


class GSquare(NamedTuple):
    """Result of `g_square`, one entry for every column."""

    statistic: np.ndarray
    df: np.ndarray
    pvalue: np.ndarray


def g_square(X: Any, y: Any, z: Any = None, *, df: str = "full") -> GSquare:
    """G² test of independence of every column and a target, given further columns or not.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Columns of any discrete values; every distinct value is a level.
    y : array-like of shape (n_samples,)
        Any discrete values.
    z : array-like or data frame of shape (n_samples,) or (n_samples, n_conditions), optional
        What is given: one column or several together, of any discrete values.
    df : {"full", "slices", "adjusted"}, default="full"
        Degrees of freedom: (levels of x - 1) (levels of y - 1) times the product of the levels of
        the given columns ("full") or the number of their combinations that occur ("slices"); or the
        sum over these combinations of (levels of x there - 1) (levels of y there - 1) ("adjusted").

    Returns
    -------
    GSquare
        `statistic`, `df` and `pvalue` of every column, from the chi-square distribution; without
        degrees of freedom the p-value is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import g_square
    >>> x, y, z = (np.array(list(s)) for s in ("00001111", "00011110", "01010101"))
    >>> test = g_square(x[:, None], y, z)
    >>> test.statistic.round(4), test.df, test.pvalue.round(4)
    (array([5.5452]), array([2]), array([0.0625]))
    """
    if df not in ("full", "slices", "adjusted"):
        raise ValueError(f"df must be 'full', 'slices' or 'adjusted'; got {df!r}.")
    n = make_table(X).n_rows
    if z is None:
        bits, strata, cells = mutual_information(X, y), np.zeros(n, dtype=np.int64), 1
    else:
        bits, strata = conditional_mutual_information(X, y, z), _strata(z, n)
        cells = math.prod(_given_codes(z).n_levels.tolist())
    statistic = 2 * n * np.log(2) * bits
    coded = make_table(X, discrete_features=True).codes()
    target = _discrete_target(y, n)
    degrees: np.ndarray = (coded.n_levels - 1).astype(np.int64) * (len(target.classes) - 1)
    if df == "adjusted":
        degrees = _adjusted_degrees(coded.codes, target.codes, strata)
    else:
        cells = cells if df == "full" else int(strata.max()) + 1
        if cells * int(degrees.max()) < 2**63:
            degrees = degrees * cells
        else:  # beyond 64 bits, and any test
            degrees = degrees * float(cells)
    with np.errstate(invalid="ignore"):
        pvalue = np.where(degrees > 0, chi2.sf(statistic, degrees), 1.0)
    return GSquare(statistic, degrees, pvalue)


def pairwise(X: Any, measure: str = "pearson", *, n_jobs: int | None = None) -> np.ndarray:
    """A measure of every column with every other column.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The columns: numeric for correlations, discrete for mutual information.
    measure : {"pearson", "mutual_information", "symmetrical_uncertainty"}, default="pearson"
        The measure; mutual information is in bits, and on the diagonal the entropy.
    n_jobs : int, optional
        Threads, for the last two.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        A symmetric matrix; 0 for pairs with a constant column.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import pairwise
    >>> pairwise(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), "mutual_information")
    array([[1., 0.],
           [0., 1.]])
    """
    if measure == "pearson":
        return _pairwise_pearson(X)
    if measure not in ("mutual_information", "symmetrical_uncertainty"):
        raise ValueError(
            "measure must be 'pearson', 'mutual_information' or 'symmetrical_uncertainty'; got "
            f"{measure!r}."
        )
    coded = make_table(X, discrete_features=True).codes()
    n, p = coded.codes.shape
    source = CodedSource(
        coded.codes, coded.n_levels, _discrete_target(np.zeros(n), n), Resampling.all_rows(n)
    )
    out = np.empty((p, p))

    def work(start: int, stop: int) -> None:
        store = source.pair_store(measure)
        for g in range(start, stop):
            for a, b in ranges_of(0, g + 1, n):
                store.measure(g, a, b, out[g, a:b])

    for_blocks(work, p, effective_n_threads(n_jobs), block=64)
    upper = np.triu_indices(p, 1)
    out[upper] = out.T[upper]
    return out


def _coded_source(X: Any, y: Any, folds: Any, measure: str, n_jobs: int | None) -> CodedSource:
    coded = make_table(X, discrete_features=True).codes()
    n = coded.codes.shape[0]
    return CodedSource(
        coded.codes, coded.n_levels, _discrete_target(y, n), _parts(folds, n, y), measure=measure,
        n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip


def _coded(X: Any, y: Any, folds: Any, measure: str, n_jobs: int | None) -> np.ndarray:
    relevance = _coded_source(X, y, folds, measure, n_jobs).relevance
    return relevance[0] if folds is None else relevance.T


def _two_dimensional(z: Any) -> Any:
    """One column as a table of one column."""
    if getattr(z, "ndim", None) == 2 or nw.dependencies.is_into_dataframe(z):
        return z
    array = z if isinstance(z, np.ndarray) else as_array(z)  # a masked array keeps its mask
    if array.ndim == 0:
        raise ValueError(f"z must be a column or a table of columns; got {type(z).__name__}.")
    return array[:, None] if array.ndim == 1 else array


def _given_codes(z: Any) -> TableCodes:
    """Codes of what is given."""
    return make_table(_two_dimensional(z), discrete_features=True, title="z").codes()


def _strata(z: Any, n_rows: int) -> np.ndarray:
    """Number of the combination of values in each row."""
    codes = _given_codes(z)
    if codes.codes.shape[0] != n_rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n_rows, codes.codes.shape[0]]}"
        )
    strata = np.zeros(n_rows, dtype=np.int64)
    for column, levels in zip(codes.codes.T, codes.n_levels, strict=True):
        strata = np.unique(strata * levels + column, return_inverse=True)[1]
    if n_rows and strata.max() > np.iinfo(np.uint16).max:
        raise ValueError(
            f"z has {strata.max() + 1} distinct combinations of values; at most 65536 can be coded."
        )
    return strata


def _adjusted_degrees(codes: np.ndarray, y: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Sum over strata of (levels of the column - 1) (levels of y - 1), those that occur there."""
    n_strata = int(strata.max()) + 1

    def levels(column: np.ndarray) -> np.ndarray:
        pairs = np.unique(strata * (int(column.max()) + 1) + column)
        return np.bincount(pairs // (int(column.max()) + 1), minlength=n_strata)

    of_y = levels(y) - 1
    return np.array([int(((levels(column) - 1) * of_y).sum()) for column in codes.T])


def _continuous(
    data: MemoryTrainingData, target: Target, folds: Any, measure: str, n_jobs: int | None
):
    source = data.continuous_source(
        target, _parts(folds, data.n_rows, data.y), relevance=measure, signed=True,
        n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip
    return source.relevance[0] if folds is None else source.relevance.T


def _parts(folds: Any, n_rows: int, y: Any) -> Resampling:
    if folds is None:
        return Resampling.all_rows(n_rows)
    return Resampling.leave_one_out(*make_folds(folds, n_rows, None, y))


def _discrete_target(y: Any, n_rows: int) -> Target:
    """Any discrete values as classes."""
    read = read_target(y)
    values, classes = (read.codes, read.levels) if isinstance(read, NominalValues) else (read, None)
    if values.shape != (n_rows,):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, *values.shape]}"
        )
    if classes is None:
        classes, values = np.unique(values, return_inverse=True)
    return Target("classes", classes.size == 1, values.astype(np.int32), classes)


def _pairwise_pearson(X: Any) -> np.ndarray:
    table = make_table(X)
    values = table.centred()
    with np.errstate(invalid="ignore", over="ignore"):
        Z = values - values.mean(axis=0, dtype=np.float64)
        Z -= Z.mean(axis=0)  # what rounding of a large mean left
        norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    if not np.isfinite(norm).all():
        table.check_finite()
        raise ValueError("The squares of some values are too large for float64. Scale them first.")
    table.check_constant(np.nonzero(norm < SMALLEST_SQUARES**0.5)[0])
    constant = table.hold_one_value(np.arange(table.n_features))
    Z /= np.where(constant, 1.0, norm)
    Z[:, constant] = 0.0
    R = np.clip(Z.T @ Z, -1.0, 1.0)
    R[np.diag_indices_from(R)] = np.where(constant, 0.0, 1.0)
    return R

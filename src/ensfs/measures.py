"""The measures as plain functions: columns against a target, or pairs of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._base import TableData
from ensfs._folds import make_folds
from ensfs._table import make_table
from ensfs._target import Target, make_target
from ensfs._threads import effective_n_threads, for_blocks
from ensfs.statistics import CodedSource, Parts

__all__ = ["f_test", "mutual_information", "pairwise", "pearson"]


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
    data = TableData(make_table(X), y)
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
    data = TableData(make_table(X), y)
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
    coded = make_table(X, discrete_features=True).codes()
    n = coded.codes.shape[0]
    source = CodedSource(
        coded.codes, coded.n_levels, _discrete_target(y, n), _parts(folds, n, y),
        n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip
    return source.relevance[0] if folds is None else source.relevance.T


def pairwise(X: Any, measure: str = "pearson", *, n_jobs: int | None = None) -> np.ndarray:
    """A measure of every column with every other column.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The columns: numeric for correlations, discrete for mutual information.
    measure : {"pearson", "mutual_information"}, default="pearson"
        The measure; mutual information is in bits, and on the diagonal the entropy.
    n_jobs : int, optional
        Threads, for mutual information.

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
    if measure != "mutual_information":
        raise ValueError(f"measure must be 'pearson' or 'mutual_information'; got {measure!r}.")
    coded = make_table(X, discrete_features=True).codes()
    n, p = coded.codes.shape
    source = CodedSource(
        coded.codes, coded.n_levels, _discrete_target(np.zeros(n), n), Parts.all_rows(n)
    )
    out = np.empty((p, p))

    def work(start: int, stop: int) -> None:
        store = source._store(0)
        for g in range(start, stop):
            store.information(g, 0, g + 1, out[g, : g + 1])

    for_blocks(work, p, effective_n_threads(n_jobs), block=64)
    upper = np.triu_indices(p, 1)
    out[upper] = out.T[upper]
    return out


def _continuous(data: TableData, target: Target, folds: Any, measure: str, n_jobs: int | None):
    source = data.continuous_source(
        target, _parts(folds, data.n_rows, data.y), relevance=measure, signed=True,
        n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip
    return source.relevance[0] if folds is None else source.relevance.T


def _parts(folds: Any, n_rows: int, y: Any) -> Parts:
    if folds is None:
        return Parts.all_rows(n_rows)
    return Parts.leave_one_out(*make_folds(folds, n_rows, None, y))


def _discrete_target(y: Any, n_rows: int) -> Target:
    """Any discrete values as classes."""
    values = np.asarray(y)
    if values.shape != (n_rows,):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, *values.shape]}"
        )
    coded = make_table(values[:, None], discrete_features=True).codes()
    codes = coded.codes[:, 0].astype(np.int32)
    return Target("classes", bool(coded.n_levels[0] == 1), codes, coded.levels[0])


def _pairwise_pearson(X: Any) -> np.ndarray:
    table = make_table(X)
    values = table.continuous()
    with np.errstate(invalid="ignore", over="ignore"):
        Z = values - values.mean(axis=0, dtype=np.float64)
        Z -= Z.mean(axis=0)  # what rounding of a large mean left
        norm = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    if not np.isfinite(norm).all():
        table.check_finite()
        raise ValueError("The squares of some values are too large for float64. Scale them first.")
    constant = norm <= 1e-14 * np.abs(values).max(axis=0, initial=0.0) * np.sqrt(len(values))
    Z /= np.where(constant, 1.0, norm)
    Z[:, constant] = 0.0
    R = np.clip(Z.T @ Z, -1.0, 1.0)
    R[np.diag_indices_from(R)] = np.where(constant, 0.0, 1.0)
    return R

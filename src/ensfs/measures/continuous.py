"""Measures of numeric columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.docs import with_docs
from ensfs._utils.threads import effective_n_threads
from ensfs.data.missing import NUMBERS, resolve_missing
from ensfs.data.table import make_table
from ensfs.data.target import Target, make_target
from ensfs.data.weights import read_existing
from ensfs.measures._inputs import MEASURE_DOCS, parts_of
from ensfs.measures._sparse import sparse_data
from ensfs.training.memory import MemoryTrainingData


@with_docs(MEASURE_DOCS)
def pearson(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    missing: str = "auto",
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Pearson's correlation of every column with a numeric target.

    Parameters
    ----------
    {X}
    y : array-like of shape (n_samples,)
        Numbers.
    {sample_weight, missing, folds, n_jobs}

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
    data, folds = _read(X, y, folds, sample_weight, missing)
    target = make_target(data.y, data.n_rows, kind="numeric", warn_constant=False)
    r = _continuous(data, target, folds, "pearson", missing, n_jobs)
    return np.clip(r, -1.0, 1.0)


@with_docs(MEASURE_DOCS)
def f_test(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    missing: str = "auto",
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """F statistic of every column: analysis of variance for classes, regression for numbers.

    Parameters
    ----------
    {X}
    y : array-like of shape (n_samples,)
        Classes or numbers.
    {sample_weight, missing, folds, n_jobs}

    Returns
    -------
    ndarray of shape (n_features,), or (n_features, n_folds) with `folds`
        F statistics; 0 where a column or the target is constant, infinite where the classes do not
        vary but their means do.

    Notes
    -----
    For numbers F is (n - 2) r² / (1 - r²) with Pearson's correlation r, where n is the sum of the
    weights if there are any. What a column leaves of the
    target, 1 - r², has an error of some n 1e-15, so that the relative error of F is n 1e-15 / (1 -
    r²): less than 1e-9 unless a column explains nearly all of the target. F is infinite where only
    rounding is left.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.measures import f_test
    >>> X = np.array([[1.0, 2.0], [2.0, 1.0], [6.0, 5.0], [7.0, 4.0]])
    >>> f_test(X, ["a", "a", "b", "b"])
    array([50., 18.])
    """
    data, folds = _read(X, y, folds, sample_weight, missing)
    target = make_target(data.y, data.n_rows, warn_constant=False)
    return _continuous(data, target, folds, "f_test", missing, n_jobs)


def _read(
    X: Any, y: Any, folds: Any, sample_weight: Any, missing: str
) -> tuple[MemoryTrainingData, Any]:
    resolve_missing(missing, NUMBERS)  # an error for what has no meaning
    if scipy.sparse.issparse(X):
        data, (folds,) = sparse_data(X, sample_weight, y, folds, allow_missing=missing != "error")
        return data, folds
    allow_missing = missing != "error"
    columns, existing = read_existing(X, sample_weight, allow_missing=allow_missing)
    table = make_table(columns, allow_missing=allow_missing)
    return MemoryTrainingData(table, y, existing), existing.of(folds)


def _continuous(
    data: MemoryTrainingData, target: Target, folds: Any, measure: str, missing: str,
    n_jobs: int | None,
) -> np.ndarray:  # fmt: skip
    source = data.continuous_source(
        target, parts_of(folds, data.n_rows, data.y), relevance=measure, signed=True,
        n_threads=effective_n_threads(n_jobs), missing=missing,
    )  # fmt: skip
    return source.relevance[0] if folds is None else source.relevance.T

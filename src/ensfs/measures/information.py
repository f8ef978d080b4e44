"""Entropy and mutual information of discrete columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.docs import with_docs
from ensfs._utils.threads import effective_n_threads
from ensfs.data.codes import TableCodes
from ensfs.data.columns import read_columns
from ensfs.data.missing import COUNTS, resolve_missing
from ensfs.data.table import make_table
from ensfs.measures._inputs import (
    DISCRETE_DOCS,
    discrete_target,
    given_codes,
    parts_of,
    read_rows,
    strata_of,
    unit_of,
)
from ensfs.measures._sparse import sparse_source
from ensfs.statistics import CodedSource, Source
from ensfs.statistics.formulas import statistic_of
from ensfs.statistics.observed_counts import ObservedCounts


@with_docs(DISCRETE_DOCS)
def mutual_information(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    missing: str = "auto",
    folds: Any = None,
    base: float = 2,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mutual information of every column with a target, all of them discrete.

    Parameters
    ----------
    {X, y, sample_weight, missing, folds, base, n_jobs}

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
    unit = unit_of(base)
    return _coded(X, y, sample_weight, folds, "mutual_information", n_jobs, missing) / unit


@with_docs(DISCRETE_DOCS)
def symmetrical_uncertainty(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    missing: str = "auto",
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Symmetrical uncertainty of every column with a target, all of them discrete.

    Twice the mutual information over the sum of the two entropies: 0 for independent columns, 1 for
    columns that determine each other.

    Parameters
    ----------
    {X, y, sample_weight, missing, folds, n_jobs}

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
    return _coded(X, y, sample_weight, folds, "symmetrical_uncertainty", n_jobs, missing)


@with_docs(DISCRETE_DOCS)
def entropy(
    X: Any, *, sample_weight: Any = None, missing: str = "auto", folds: Any = None, base: float = 2
) -> np.ndarray:
    """Entropy of every column of discrete values.

    Parameters
    ----------
    {X, sample_weight, missing, folds, base}

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
    unit, allow_missing = unit_of(base), missing != "error"
    sparse = scipy.sparse.issparse(X)
    n = X.shape[0] if sparse else read_columns(X, allow_missing=allow_missing).n_rows
    source = _coded_source(
        X, np.zeros(n), sample_weight, folds, "mutual_information", None, missing
    )
    bits = np.array([source.entropy(t) for t in range(source.n_parts)]) / unit
    return bits[0] if folds is None else bits.T


@with_docs(DISCRETE_DOCS)
def conditional_mutual_information(
    X: Any,
    y: Any,
    z: Any,
    *,
    sample_weight: Any = None,
    missing: str = "auto",
    folds: Any = None,
    base: float = 2,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mutual information of every column with a target, given further columns.

    Parameters
    ----------
    {X, y}
    z : array-like or data frame of shape (n_samples,) or (n_samples, n_conditions)
        What is given: one column or several together, of any discrete values.
    {sample_weight, missing, folds, base, n_jobs}

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
    way, unit = resolve_missing(missing, COUNTS), unit_of(base)
    allow_missing = way != "error"
    if scipy.sparse.issparse(X):
        given, has_gaps = _given(z, X.shape[0], way)
        sparse = sparse_source(
            X, y, sample_weight, folds, "conditional", n_jobs, way, given, has_gaps
        )
        return _given_last(sparse, folds) / unit
    rows = read_rows(X, sample_weight, y, z, folds, allow_missing=allow_missing)
    y, z, folds = rows.others
    coded = make_table(rows.X, discrete_features=True, allow_missing=allow_missing).codes()
    n = len(coded.codes)
    target, parts = discrete_target(y, n), parts_of(folds, n, y, rows.weight)
    options: dict[str, Any] = {"measure": "conditional", "n_threads": effective_n_threads(n_jobs)}
    beside = _beside(coded, *_given(z, n, way))
    if way == "available" and beside.incomplete.any():
        source: Any = ObservedCounts.of_weighted(beside, target, parts, **options)
    else:
        source = CodedSource.of_weighted(beside.codes, beside.n_levels, target, parts, **options)
    return _given_last(source, folds) / unit


def _given(z: Any, n_rows: int, way: str) -> tuple[np.ndarray, bool]:
    """The number of the combination of values in each row, and whether the last stands for gaps.

    It does if statistics are those of the rows that are observed; else a missing cell is a value.
    """
    strata = strata_of(z, n_rows, allow_missing=way != "error")
    if way != "available":
        return strata, False
    codes = given_codes(z, allow_missing=True)
    missing = (codes.incomplete & (codes.codes == codes.n_levels - 1)).any(axis=1)
    if missing.any():
        strata = np.unique(np.where(missing, strata.max() + 1, strata), return_inverse=True)[1]
    return strata, bool(missing.any())


def _beside(coded: TableCodes, given: np.ndarray, has_gaps: bool) -> TableCodes:
    """Codes of columns, and of what is given as one more after the last."""
    p = coded.n_levels.size
    wide = coded.codes.dtype if given.max() <= np.iinfo(coded.codes.dtype).max else np.uint16
    together = np.empty((len(given), p + 1), dtype=wide, order="F")
    together[:, :p], together[:, p] = coded.codes, given
    n_levels = np.append(coded.n_levels, given.max() + 1).astype(np.int32)
    incomplete = np.append(coded.incomplete, has_gaps)
    return TableCodes(together, n_levels, coded.level_of, incomplete=incomplete)


def _given_last(source: Source, folds: Any) -> np.ndarray:
    """The measure of every column given the last."""
    p = source.n_features - 1
    out = np.empty((source.n_parts, p + 1))
    source.association([(p, np.arange(source.n_parts))], out)
    return out[0, :p] if folds is None else out[:, :p].T


def _coded(
    X: Any, y: Any, sample_weight: Any, folds: Any, measure: str, n_jobs: int | None, missing: str
) -> np.ndarray:
    relevance = _coded_source(X, y, sample_weight, folds, measure, n_jobs, missing).relevance
    return relevance[0] if folds is None else relevance.T


def _coded_source(
    X: Any, y: Any, sample_weight: Any, folds: Any, measure: str, n_jobs: int | None, missing: str
) -> Any:
    way = resolve_missing(missing, statistic_of(measure))
    if scipy.sparse.issparse(X):
        return sparse_source(X, y, sample_weight, folds, measure, n_jobs, way)
    rows = read_rows(X, sample_weight, y, folds, allow_missing=way != "error")
    y, folds = rows.others
    coded = make_table(rows.X, discrete_features=True, allow_missing=way != "error").codes()
    n = coded.codes.shape[0]
    target, parts = discrete_target(y, n), parts_of(folds, n, y, rows.weight)
    options: dict[str, Any] = {"measure": measure, "n_threads": effective_n_threads(n_jobs)}
    if way in ("available", "distribute") and coded.incomplete.any():
        return ObservedCounts.of_weighted(
            coded, target, parts, spreads=way == "distribute", **options
        )
    return CodedSource.of_weighted(coded.codes, coded.n_levels, target, parts, **options)

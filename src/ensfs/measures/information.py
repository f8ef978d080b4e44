"""Entropy and mutual information of discrete columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from ensfs._utils.docs import with_docs
from ensfs._utils.threads import effective_n_threads
from ensfs.data.columns import read_columns
from ensfs.data.table import make_table
from ensfs.measures._inputs import (
    DISCRETE_DOCS,
    discrete_target,
    parts_of,
    read_rows,
    strata_of,
)
from ensfs.measures._sparse import sparse_source
from ensfs.statistics import CodedSource, Source
from ensfs.statistics.sparse_coded import SparseCodedSource


@with_docs(DISCRETE_DOCS)
def mutual_information(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mutual information in bits of every column with a target, all of them discrete.

    Parameters
    ----------
    {X, y, sample_weight, folds, n_jobs}

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
    return _coded(X, y, sample_weight, folds, "mutual_information", n_jobs)


@with_docs(DISCRETE_DOCS)
def symmetrical_uncertainty(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Symmetrical uncertainty of every column with a target, all of them discrete.

    Twice the mutual information over the sum of the two entropies: 0 for independent columns, 1 for
    columns that determine each other.

    Parameters
    ----------
    {X, y, sample_weight, folds, n_jobs}

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
    return _coded(X, y, sample_weight, folds, "symmetrical_uncertainty", n_jobs)


@with_docs(DISCRETE_DOCS)
def entropy(X: Any, *, sample_weight: Any = None, folds: Any = None) -> np.ndarray:
    """Entropy in bits of every column of discrete values.

    Parameters
    ----------
    {X, sample_weight, folds}

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
    n = X.shape[0] if scipy.sparse.issparse(X) else read_columns(X).n_rows
    source = _coded_source(X, np.zeros(n), sample_weight, folds, "mutual_information", None)
    bits = np.array([source.entropy(t) for t in range(source.n_parts)])
    return bits[0] if folds is None else bits.T


@with_docs(DISCRETE_DOCS)
def conditional_mutual_information(
    X: Any,
    y: Any,
    z: Any,
    *,
    sample_weight: Any = None,
    folds: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Mutual information in bits of every column with a target, given further columns.

    Parameters
    ----------
    {X, y}
    z : array-like or data frame of shape (n_samples,) or (n_samples, n_conditions)
        What is given: one column or several together, of any discrete values.
    {sample_weight, folds, n_jobs}

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
    if scipy.sparse.issparse(X):
        given = strata_of(z, X.shape[0])
        sparse = sparse_source(X, y, sample_weight, folds, "conditional", n_jobs, given)
        return _given_last(sparse, folds)
    rows = read_rows(X, sample_weight, y, z, folds)
    y, z, folds = rows.others
    coded = make_table(rows.X, discrete_features=True).codes()
    n, p = coded.codes.shape
    given = strata_of(z, n)
    # z stands as one more column beside those of X
    wide = coded.codes.dtype if given.max() <= np.iinfo(coded.codes.dtype).max else np.uint16
    codes = np.empty((n, p + 1), dtype=wide, order="F")
    codes[:, :p], codes[:, p] = coded.codes, given
    n_levels = np.append(coded.n_levels, given.max() + 1).astype(np.int32)
    source = CodedSource.of_weighted(
        codes, n_levels, discrete_target(y, n), parts_of(folds, n, y, rows.weight),
        measure="conditional", n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip
    return _given_last(source, folds)


def _given_last(source: Source, folds: Any) -> np.ndarray:
    """The measure of every column given the last."""
    p = source.n_features - 1
    out = np.empty((source.n_parts, p + 1))
    source.association([(p, np.arange(source.n_parts))], out)
    return out[0, :p] if folds is None else out[:, :p].T


def _coded(
    X: Any, y: Any, sample_weight: Any, folds: Any, measure: str, n_jobs: int | None
) -> np.ndarray:
    relevance = _coded_source(X, y, sample_weight, folds, measure, n_jobs).relevance
    return relevance[0] if folds is None else relevance.T


def _coded_source(
    X: Any, y: Any, sample_weight: Any, folds: Any, measure: str, n_jobs: int | None
) -> CodedSource | SparseCodedSource:
    if scipy.sparse.issparse(X):
        return sparse_source(X, y, sample_weight, folds, measure, n_jobs)
    rows = read_rows(X, sample_weight, y, folds)
    y, folds = rows.others
    coded = make_table(rows.X, discrete_features=True).codes()
    n = coded.codes.shape[0]
    return CodedSource.of_weighted(
        coded.codes, coded.n_levels, discrete_target(y, n), parts_of(folds, n, y, rows.weight),
        measure=measure, n_threads=effective_n_threads(n_jobs),
    )  # fmt: skip

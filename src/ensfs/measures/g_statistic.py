"""The G² test of independence of discrete columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.stats import chi2

from ensfs._utils.docs import with_docs
from ensfs.data.codes import TableCodes
from ensfs.data.missing import COUNTS, resolve_missing
from ensfs.data.table import make_table
from ensfs.data.target import Target
from ensfs.independence import CodedRule
from ensfs.independence._observed import ObservedTester, SparseObservedTester
from ensfs.independence._sparse_counts import SparseTester
from ensfs.measures._inputs import (
    DISCRETE_DOCS,
    discrete_target,
    given_codes,
    read_rows,
    strata_of,
    with_given,
)
from ensfs.measures._sparse import sparse_data
from ensfs.measures.information import conditional_mutual_information, mutual_information
from ensfs.statistics import Resampling


class GSquare(NamedTuple):
    """Result of `g_square`, one entry for every column."""

    statistic: np.ndarray
    df: np.ndarray
    pvalue: np.ndarray


@with_docs(DISCRETE_DOCS)
def g_square(
    X: Any, y: Any, z: Any = None, *, df: str = "full", sample_weight: Any = None,
    missing: str = "auto",
) -> GSquare:  # fmt: skip
    """G² test of independence of every column and a target, given further columns or not.

    Parameters
    ----------
    {X, y}
    z : array-like or data frame of shape (n_samples,) or (n_samples, n_conditions), optional
        What is given: one column or several together, of any discrete values.
    df : {"full", "slices", "adjusted"}, default="full"
        Degrees of freedom: (levels of x - 1) (levels of y - 1) times the product of the levels of
        the given columns ("full") or the number of their combinations that occur ("slices"); or the
        sum over these combinations of (levels of x there - 1) (levels of y there - 1) ("adjusted").
    {sample_weight, missing}

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
    way = resolve_missing(missing, COUNTS)
    allow_missing = way != "error"
    if scipy.sparse.issparse(X):
        return _of_sparse_table(X, y, z, df, sample_weight, way)
    rows = read_rows(X, sample_weight, y, z, allow_missing=allow_missing)
    (y, z), weight = rows.others, rows.weight
    n = rows.X.n_rows
    coded = make_table(rows.X, discrete_features=True, allow_missing=allow_missing).codes()
    target = discrete_target(y, n)
    if way == "available":
        return _of_observed_rows(coded, target, z, df, weight)
    options: dict[str, Any] = {"sample_weight": weight, "missing": missing}
    if z is None:
        bits = mutual_information(rows.X, y, **options)
        strata, cells = np.zeros(n, dtype=np.int64), 1
    else:
        bits = conditional_mutual_information(rows.X, y, z, **options)
        strata = strata_of(z, n, allow_missing)
        cells = math.prod(given_codes(z, allow_missing).n_levels.tolist())
    statistic = 2 * (n if weight is None else weight.sum()) * np.log(2) * bits
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


def _of_observed_rows(
    coded: TableCodes, target: Target, z: Any, df: str, weight: np.ndarray | None
) -> GSquare:
    """The tests on the rows in which all columns of a test are observed."""
    p = coded.n_levels.size
    nodes = coded if z is None else with_given(coded, z)
    parts = Resampling.all_rows(len(nodes.codes), weight)
    return _tested(ObservedTester(nodes, target, parts, _rule(df)), p)


def _of_sparse_table(X: Any, y: Any, z: Any, df: str, sample_weight: Any, way: str) -> GSquare:
    """The tests of the columns of a sparse table."""
    allow_missing = way != "error"
    data, (z,) = sparse_data(
        X, sample_weight, y, z, discrete_features=True, allow_missing=allow_missing
    )
    target = discrete_target(data.y, data.n_rows)
    nodes = data.codes(target)
    p = nodes.n_levels.size
    if z is not None:
        given = given_codes(z, allow_missing)
        if len(given.codes) != data.n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[data.n_rows, len(given.codes)]}"
            )
        codes = given.codes if data.times is None else np.repeat(given.codes, data.times, axis=0)
        nodes = nodes.with_columns(list(codes.T), given.incomplete)
    parts = data.parts(Resampling.all_rows(data.n_rows))
    make = SparseObservedTester if way == "available" else SparseTester
    return _tested(make(nodes, data.repeated(target), parts, _rule(df)), p)


def _rule(df: str) -> CodedRule:
    return CodedRule(df=df, samples_per_df=0)


def _tested(tester: Any, p: int) -> GSquare:
    """The tests of the first columns with the target, which is the last, given all others."""
    of_target = tester.n_features
    found = tester.part(0).columns(of_target, np.arange(p), range(p, of_target))
    degrees = found.df.astype(np.int64) if (found.df < 2.0**63).all() else found.df
    return GSquare(found.statistic, degrees, found.pvalue)


def _adjusted_degrees(codes: np.ndarray, y: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Sum over strata of (levels of the column - 1) (levels of y - 1), those that occur there."""
    n_strata = int(strata.max()) + 1

    def levels(column: np.ndarray) -> np.ndarray:
        pairs = np.unique(strata * (int(column.max()) + 1) + column)
        return np.bincount(pairs // (int(column.max()) + 1), minlength=n_strata)

    of_y = levels(y) - 1
    return np.array([int(((levels(column) - 1) * of_y).sum()) for column in codes.T])

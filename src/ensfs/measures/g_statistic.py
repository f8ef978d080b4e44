"""The G² test of independence of discrete columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

from ensfs._utils.docs import with_docs
from ensfs.data.codes import TableCodes
from ensfs.data.missing import COUNTS, resolve_missing
from ensfs.data.table import make_table
from ensfs.data.target import Target
from ensfs.independence import CodedRule
from ensfs.independence._observed import ObservedTester
from ensfs.measures._inputs import (
    DISCRETE_DOCS,
    discrete_target,
    given_codes,
    read_rows,
    strata_of,
    with_given,
)
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
    tester = ObservedTester(nodes, target, parts, CodedRule(df=df, samples_per_df=0))
    given = range(p, nodes.n_levels.size)
    found = tester.part(0).columns(nodes.n_levels.size, np.arange(p), given)
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

"""The G² test of independence of discrete columns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

from ensfs._utils.docs import with_docs
from ensfs.data.table import make_table
from ensfs.measures._inputs import (
    DISCRETE_DOCS,
    discrete_target,
    given_codes,
    read_rows,
    strata_of,
)
from ensfs.measures.information import conditional_mutual_information, mutual_information


class GSquare(NamedTuple):
    """Result of `g_square`, one entry for every column."""

    statistic: np.ndarray
    df: np.ndarray
    pvalue: np.ndarray


@with_docs(DISCRETE_DOCS)
def g_square(
    X: Any, y: Any, z: Any = None, *, df: str = "full", sample_weight: Any = None
) -> GSquare:
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
    {sample_weight}

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
    rows = read_rows(X, sample_weight, y, z)
    (y, z), weight = rows.others, rows.weight
    n = rows.X.n_rows
    if z is None:
        bits = mutual_information(rows.X, y, sample_weight=weight)
        strata, cells = np.zeros(n, dtype=np.int64), 1
    else:
        bits = conditional_mutual_information(rows.X, y, z, sample_weight=weight)
        strata, cells = strata_of(z, n), math.prod(given_codes(z).n_levels.tolist())
    statistic = 2 * (n if weight is None else weight.sum()) * np.log(2) * bits
    coded = make_table(rows.X, discrete_features=True).codes()
    target = discrete_target(y, n)
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


def _adjusted_degrees(codes: np.ndarray, y: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Sum over strata of (levels of the column - 1) (levels of y - 1), those that occur there."""
    n_strata = int(strata.max()) + 1

    def levels(column: np.ndarray) -> np.ndarray:
        pairs = np.unique(strata * (int(column.max()) + 1) + column)
        return np.bincount(pairs // (int(column.max()) + 1), minlength=n_strata)

    of_y = levels(y) - 1
    return np.array([int(((levels(column) - 1) * of_y).sum()) for column in codes.T])

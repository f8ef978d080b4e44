"""What the measures share: targets, conditions and folds."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse

from ensfs._utils.docs import COMMON_DOCS, read_descriptions
from ensfs.data.codes import TableCodes
from ensfs.data.columns import RawColumns
from ensfs.data.folds import make_folds
from ensfs.data.table import make_table
from ensfs.data.target import Target, distinct, read_target
from ensfs.data.values import NominalValues, as_array
from ensfs.data.weights import read_existing
from ensfs.statistics import Resampling

#: Parameters of all measures of columns against a target.
MEASURE_DOCS = COMMON_DOCS | read_descriptions("""
X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    Numeric columns.
folds : int, array or splitter, optional
    Leave out one fold after the other: row ``i`` in fold ``i mod folds``, a fold label for each
    row, or a scikit-learn splitter.
sample_weight : array-like of shape (n_samples,), optional
    How often each row is there: numbers of at least 0, not necessarily whole. A row of weight 0 is
    not there, and folds are made of those that are.
missing : {"auto", "corrected", "mean", "available", "error"}, default="auto"
    What is made of missing cells. "mean", and "corrected" which is the same for one column: a
    missing number is the mean of its column in all rows. "available": each column is measured on
    the rows that have it. "error": they are refused. "auto" is "corrected".
""")
#: Of those that count.
DISCRETE_DOCS = MEASURE_DOCS | read_descriptions("""
base : float, default=2
    Of the logarithms: 2 gives bits, `math.e` nats.
X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    Columns of any discrete values; every distinct value is a level.
y : array-like of shape (n_samples,)
    Any discrete values.
missing : {"auto", "level", "available", "error"}, default="auto"
    What is made of missing cells. "level", which is "auto": they are one more level. "available":
    each column is measured on the rows that have it. "error": they are refused.
""")


class Rows(NamedTuple):
    """The rows of a measure that exist.

    Attributes
    ----------
    X : RawColumns
        The columns.
    others : list
        The target, and whatever else has a value for each row.
    weight : ndarray of shape (n_rows,) or None
        How often each row is there; None: once.
    """

    X: RawColumns
    others: list[Any]
    weight: np.ndarray | None


def read_rows(X: Any, sample_weight: Any, *others: Any, allow_missing: bool = False) -> Rows:
    """Columns and what belongs to their rows, without the rows of weight 0."""
    columns, existing = read_existing(X, sample_weight, allow_missing=allow_missing)
    return Rows(columns, [existing.of(each) for each in others], existing.weight)


def unit_of(base: float) -> float:
    """How many bits are one unit of information with logarithms to some base."""
    if not (isinstance(base, Real) and np.isfinite(base) and base > 1):
        raise ValueError(f"base must be a number above 1; got {base!r}.")
    return math.log2(base)


def parts_of(folds: Any, n_rows: int, y: Any, weight: np.ndarray | None = None) -> Resampling:
    """All rows, or the rows without each of the folds."""
    if folds is None:
        return Resampling.all_rows(n_rows, weight)
    return Resampling.leave_one_out(*make_folds(folds, n_rows, None, y), weight)


def discrete_target(y: Any, n_rows: int) -> Target:
    """Any discrete values as classes."""
    read = read_target(y)
    values, classes = (read.codes, read.levels) if isinstance(read, NominalValues) else (read, None)
    if values.shape != (n_rows,):
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, *values.shape]}"
        )
    if classes is None:
        classes, values = distinct(values)
    return Target("classes", classes.size == 1, values.astype(np.int32), classes)


def strata_of(z: Any, n_rows: int, allow_missing: bool = False) -> np.ndarray:
    """Number of the combination of values in each row; missing cells are values."""
    codes = given_codes(z, allow_missing)
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


def given_codes(z: Any, allow_missing: bool = False) -> TableCodes:
    """Codes of what is given: as many columns as are given at once, also if they are sparse."""
    z = z.toarray() if scipy.sparse.issparse(z) else z
    return make_table(
        _two_dimensional(z), discrete_features=True, title="z", allow_missing=allow_missing
    ).codes()


def with_given(coded: TableCodes, z: Any) -> TableCodes:
    """Codes of columns, and of what is given as further columns after the last."""
    given = given_codes(z, allow_missing=True)
    if len(given.codes) != len(coded.codes):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(coded.codes), len(given.codes)]}"
        )
    return TableCodes(
        np.column_stack([coded.codes.astype(np.uint16), given.codes]),
        np.append(coded.n_levels, given.n_levels), lambda j: np.arange(0),
        incomplete=np.append(coded.incomplete, given.incomplete),
    )  # fmt: skip


def _two_dimensional(z: Any) -> Any:
    """One column as a table of one column."""
    if getattr(z, "ndim", None) == 2 or nw.dependencies.is_into_dataframe(z):
        return z
    array = z if isinstance(z, np.ndarray) else as_array(z)  # a masked array keeps its mask
    if array.ndim == 0:
        raise ValueError(f"z must be a column or a table of columns; got {type(z).__name__}.")
    return array[:, None] if array.ndim == 1 else array

"""Sample weights: how often each row is there."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ensfs.data.columns import RawColumns, read_columns
from ensfs.data.frames import take
from ensfs.data.values import as_array

#: Sums of weights from here on are refused: not every whole number below them is a float64.
TOO_HEAVY = 2.0**53

#: Sums of weights below this are refused: weighted squares would vanish.
TOO_LIGHT = 1e-100

#: Rows of sparse tables with whole weights are repeated if that is at most so often on average.
MOST_REPEATED = 8


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Weights as numbers, or None if every row is there once.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
        Numbers of at least 0, not all of them 0.
    n_rows : int
        Number of rows of the table.

    Returns
    -------
    ndarray of shape (n_rows,), float64, or None

    Examples
    --------
    >>> read_weights([2, 0, 1], 3)
    array([2., 0., 1.])
    """
    if sample_weight is None:
        return None
    given = as_array(sample_weight)
    if given.ndim != 1 or given.size != n_rows:
        raise ValueError(
            f"sample_weight has the shape {given.shape}, but one weight for each of the {n_rows} "
            "rows is needed."
        )
    try:
        weight = given.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight must hold numbers; got values of the type {given.dtype}."
        ) from None
    wrong = ~np.isfinite(weight) | (weight < 0)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must hold finite numbers of at least 0; got {given[i]!r} for row {i}."
        )
    total = float(weight.sum())
    if total == 0:
        raise ValueError("sample_weight must not be zero for all rows: none would be left.")
    if total < TOO_LIGHT:
        raise ValueError(
            f"sample_weight must add up to at least {TOO_LIGHT:g}; got {total:g}. Scale the "
            "weights."
        )
    if total >= TOO_HEAVY:
        raise ValueError(
            f"sample_weight must add up to less than 2**53; got {total:g}. Scale the weights."
        )
    return None if (weight == 1.0).all() else weight


class ExistingRows(NamedTuple):
    """The rows of a table that exist: a row of weight 0 does not.

    Attributes
    ----------
    weight : ndarray of float64 or None
        Their weights; None if each is there once.
    rows : ndarray of int or None
        Which rows they are; None: all.
    n_given : int
        How many rows were given.
    """

    weight: np.ndarray | None
    rows: np.ndarray | None
    n_given: int

    def of(self, values: Any) -> Any:
        """The target, labels or the like of these rows.

        Whatever has no value for each row is given back, and refused by those who read it.
        """
        if self.rows is None or isinstance(values, str) or not hasattr(values, "__len__"):
            return values
        n = values.shape[0] if hasattr(values, "shape") else len(values)
        return take(values, self.rows) if n == self.n_given else values

    def of_splits(self, cv: Any) -> Any:
        """Splits that are given by the numbers of their rows, without those that do not exist."""
        if self.rows is None or not hasattr(cv, "__iter__"):
            return cv
        place = np.full(self.n_given, -1)
        place[self.rows] = np.arange(self.rows.size)
        renumbered = ([place[np.asarray(rows)] for rows in split] for split in cv)
        return [tuple(rows[rows >= 0] for rows in split) for split in renumbered]


def existing_rows(sample_weight: Any, n_rows: int) -> ExistingRows:
    """Read the weights of a table with so many rows."""
    weight = read_weights(sample_weight, n_rows)
    if weight is None or (weight > 0).all():
        return ExistingRows(weight, None, n_rows)
    rows = np.nonzero(weight)[0]
    kept = weight[rows]
    return ExistingRows(None if (kept == 1.0).all() else kept, rows, n_rows)


def repeat_rows(X: Any, existing: ExistingRows) -> tuple[Any, np.ndarray | None]:
    """A sparse table with each row as often as it is there, and how often.

    None: each row that exists is in the table once, whatever its weight.
    """
    rows, weight = existing.rows, existing.weight
    if weight is None or _is_kept(weight):
        return (X if rows is None else take(X, rows)), None
    times = weight.astype(np.int64)
    rows = np.arange(existing.n_given) if rows is None else rows
    return X.tocsr()[np.repeat(rows, times)], times


def _is_kept(weight: np.ndarray) -> bool:
    """Whether rows are not to be repeated so often."""
    return bool((weight != np.rint(weight)).any() or weight.sum() > MOST_REPEATED * weight.size)


def keep_existing(X: Any, sample_weight: Any) -> tuple[Any, ExistingRows | None]:
    """The rows of a table that exist, as a table of the same kind, and which they are."""
    if sample_weight is None:
        return X, None
    shape = getattr(X, "shape", None)
    if shape or isinstance(X, list | tuple):
        n_rows = shape[0] if shape else len(X)
    else:
        n_rows = read_columns(X, allow_missing=True).n_rows
    existing = existing_rows(sample_weight, n_rows)
    return (X if existing.rows is None else take(X, existing.rows)), existing


def read_existing(X: Any, sample_weight: Any, **choice: Any) -> tuple[RawColumns, ExistingRows]:
    """The rows of a table that exist; the others are not read, so they may hold anything.

    Columns are chosen as in `read_columns`.
    """
    kept, existing = keep_existing(X, sample_weight)
    columns = read_columns(kept, **choice)
    return columns, existing or ExistingRows(None, None, columns.n_rows)


class WholeWeights(NamedTuple):
    """Weights as multiples of a unit, so that no sum of them is rounded.

    Attributes
    ----------
    counts : ndarray of int64
        How many units they are.
    times : float
        How many units make 1, a power of two.
    """

    counts: np.ndarray
    times: float

    @classmethod
    def ones(cls, n_rows: int) -> WholeWeights:
        """Rows that are there once."""
        return cls(np.ones(n_rows, dtype=np.int64), 1.0)


def whole_weights(weight: np.ndarray) -> WholeWeights:
    """Weights above 0 as whole numbers, and by what power of two they were multiplied.

    Weights that are no whole numbers of any power of two are rounded so that their sum has 52 bits.

    Examples
    --------
    >>> whole_weights(np.array([0.5, 1.0, 3.5]))
    WholeWeights(counts=array([1, 2, 7]), times=2.0)
    """
    finest = min(max(0, 52 - math.ceil(math.log2(float(weight.sum())))), 1000)
    for exponent in (*range(min(finest, 16)), finest):
        scaled = np.ldexp(weight, exponent)
        if (scaled == np.rint(scaled)).all():
            break
    return WholeWeights(np.maximum(np.rint(scaled), 1.0).astype(np.int64), 2.0**exponent)

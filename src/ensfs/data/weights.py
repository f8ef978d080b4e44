"""Sample weights: how often each row is there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ensfs.data.columns import RawColumns, read_columns
from ensfs.data.frames import take
from ensfs.data.values import as_array

#: Sums of weights from here on are refused: not every whole number below them is a float64.
TOO_HEAVY = 2.0**53


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
    if total >= TOO_HEAVY:
        raise ValueError(
            f"sample_weight must add up to less than 2**53; got {total:g}. Scale the weights."
        )
    return None if (weight == 1.0).all() else weight


def existing_rows(sample_weight: Any, n_rows: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Weights of the rows that exist, as `read_weights` gives them, and which rows these are.

    A row of weight 0 is not there. Both are None if all rows are there once; the rows are None if
    all of them exist.
    """
    weight = read_weights(sample_weight, n_rows)
    if weight is None or (weight > 0).all():
        return weight, None
    rows = np.nonzero(weight)[0]
    kept = weight[rows]
    return None if (kept == 1.0).all() else kept, rows


def read_existing(
    X: Any, sample_weight: Any
) -> tuple[RawColumns, np.ndarray | None, np.ndarray | None]:
    """The rows of a table that exist, their weights, and which rows they are.

    The others are not read, so they may hold anything. Weights and rows as of `existing_rows`.
    """
    shape = getattr(X, "shape", None)
    if sample_weight is None or not (shape or isinstance(X, list | tuple)):
        columns = read_columns(X)
        weight, rows = existing_rows(sample_weight, columns.n_rows)
    else:
        weight, rows = existing_rows(sample_weight, shape[0] if shape else len(X))
        columns = read_columns(X if rows is None else take(X, rows))
    return columns, weight, rows


def take_rows(y: Any, rows: np.ndarray | None, n_rows: int) -> Any:
    """Some of the `n_rows` rows of a target or of labels; all of them without `rows`.

    Whatever has no such rows is given back, and refused by those who read it.
    """
    if rows is None or y is None or isinstance(y, str | int) or hasattr(y, "split"):
        return y
    return take(y, rows) if hasattr(y, "__len__") and len(y) == n_rows else y


def whole_weights(weight: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights above 0 as whole numbers, and by what power of two they were multiplied.

    Weights that are no whole numbers of any power of two are rounded so that their sum has 52 bits.

    Examples
    --------
    >>> whole_weights(np.array([0.5, 1.0, 3.5]))
    (array([1, 2, 7]), 2.0)
    """
    finest = min(max(0, 52 - math.ceil(math.log2(float(weight.sum())))), 1000)
    for exponent in (*range(min(finest, 16)), finest):
        scaled = np.ldexp(weight, exponent)
        if (scaled == np.rint(scaled)).all():
            break
    return np.maximum(np.rint(scaled), 1.0).astype(np.int64), 2.0**exponent

"""Columns that parameters of estimators name, and how many columns they ask for."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from ensfs._utils.warn import warn_user
from ensfs.data.values import column_label


def _not_columns(which: Any, parameter: str) -> ValueError:
    """The error for a value that does not name columns."""
    return ValueError(
        f"{parameter} must be 'auto', a bool, a mask, indices or names; got {which!r}."
    )


def resolve_columns(
    which: Any, n_features: int, names: np.ndarray | None, parameter: str
) -> np.ndarray | None:
    """Mask of the columns that a parameter names; None for "auto".

    Parameters
    ----------
    which : "auto", bool, boolean mask, integer indices or column names
        True means all columns, False none.
    n_features : int
        Number of columns.
    names : ndarray of object or None
        Names of the columns.
    parameter : str
        Name of the parameter, for messages.

    Returns
    -------
    ndarray of bool, shape (n_features,), or None
    """
    if isinstance(which, str) and which == "auto":
        return None
    if isinstance(which, (bool, np.bool_)):
        return np.full(n_features, bool(which))
    if isinstance(which, str):
        raise _not_columns(which, parameter)
    mask = np.zeros(n_features, dtype=bool)
    mask[_named_positions(which, n_features, names, parameter)] = True
    return mask


def resolve_positions(
    which: Any, n_features: int, names: np.ndarray | None, parameter: str
) -> np.ndarray:
    """Positions of the columns that a parameter names, in the order given; none for None.

    Parameters
    ----------
    which : boolean mask, integer indices, column names or None
        A mask is taken in the order of the columns. No column may be named twice.
    n_features : int
        Number of columns.
    names : ndarray of object or None
        Names of the columns.
    parameter : str
        Name of the parameter, for messages.

    Returns
    -------
    ndarray of int
    """
    if which is None:
        return np.empty(0, dtype=np.int64)
    if isinstance(which, str) or not isinstance(which, Iterable):
        raise ValueError(
            f"{parameter} must be a list of names or indices, or a mask; got {which!r}."
        )
    positions = _named_positions(which, n_features, names, parameter)
    first, counts = np.unique(positions, return_counts=True)
    if (counts > 1).any():
        twice = column_label(int(first[counts > 1][0]), names)
        raise ValueError(f"{parameter} names {twice} more than once.")
    return positions


def _named_positions(
    which: Any, n_features: int, names: np.ndarray | None, parameter: str
) -> np.ndarray:
    """Positions of the columns that a mask, indices or names stand for, in the order given."""
    chosen = np.asarray(which if hasattr(which, "__len__") else list(which))
    if chosen.ndim != 1:
        raise ValueError(f"{parameter} must be one-dimensional; got shape {chosen.shape}.")
    if chosen.size == 0:
        return np.empty(0, dtype=np.int64)
    if chosen.dtype.kind == "b":
        if chosen.size != n_features:
            raise ValueError(
                f"{parameter} is a mask of length {chosen.size}, but X has {n_features} columns."
            )
        return np.nonzero(chosen)[0]
    if chosen.dtype.kind in "iu":
        outside = chosen[(chosen < -n_features) | (chosen >= n_features)]
        if outside.size:
            raise ValueError(
                f"{parameter} names columns {outside.tolist()}, but X has {n_features} columns."
            )
        return chosen.astype(np.int64) % n_features
    if not all(isinstance(name, str) for name in chosen.tolist()):
        raise _not_columns(which, parameter)
    return np.array(_positions(chosen.tolist(), names, parameter), dtype=np.int64)


def _positions(wanted: list[str], names: np.ndarray | None, parameter: str) -> list[int]:
    """Positions of the columns with some names."""
    if names is None:
        raise ValueError(f"{parameter} names columns, but X has no column names; use indices.")
    position = {name: j for j, name in enumerate(names)}
    unknown = [name for name in wanted if name not in position]
    if unknown:
        raise ValueError(f"{parameter} names columns that X does not have: {unknown}.")
    return [position[name] for name in wanted]


def resolve_n_features(k: Any, n_features: int, parameter: str = "n_features_to_select") -> int:
    """How many columns to select.

    Parameters
    ----------
    k : int or float
        An int is a number of columns, at least 1; if it exceeds `n_features`, all columns are meant
        and a warning is given. A float in (0, 1] is a share of the columns (see `resolve_share`).
    n_features : int
        Number of columns of the table.
    parameter : str, default="n_features_to_select"
        Name of the parameter, for messages.

    Returns
    -------
    int
    """
    if isinstance(k, numbers.Integral) and not isinstance(k, (bool, np.bool_)) and int(k) >= 1:
        if int(k) > n_features:
            warn_user(
                f"{parameter}={k} exceeds the {n_features} columns of X; all {n_features} are "
                "selected."
            )
        return min(int(k), n_features)
    if isinstance(k, numbers.Real) and not isinstance(k, numbers.Integral) and 0 < float(k) <= 1:
        return resolve_share(float(k), n_features)
    raise ValueError(
        f"{parameter} must be an int of at least 1 or a float share in (0, 1]; got {k!r}."
    )


def resolve_share(share: float, n_features: int) -> int:
    """A share of the columns as a number of them: the nearest one, halves up, at least 1."""
    return max(1, math.floor(share * n_features + 0.5))

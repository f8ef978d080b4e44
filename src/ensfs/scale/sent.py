"""What is sent with each partition, made small: the folds and the classes of its rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Constant(NamedTuple):
    """An array that holds one value."""

    value: Any
    size: int


class Cycle(NamedTuple):
    """Whole numbers that count up to the last, and begin again: folds that are interleaved."""

    first: int
    length: int
    size: int
    dtype: Any


class Short(NamedTuple):
    """Whole numbers in a type of fewer bytes."""

    values: np.ndarray
    dtype: Any


def packed(given: Any) -> Any:
    """Arrays of whole numbers in plain tuples, in as few bytes as they need.

    Examples
    --------
    >>> packed((np.arange(7) % 3, None))
    (Cycle(first=0, length=3, size=7, dtype=dtype('int64')), None)
    """
    if type(given) is tuple:
        return tuple(map(packed, given))
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype.kind not in "iu":
        return given
    if not given.size:
        return given
    low, high = int(given.min()), int(given.max())
    if low == high:
        return Constant(given[0], given.size)
    first = int(given[0])
    if low == 0 and np.array_equal(given, (first + np.arange(given.size)) % (high + 1)):
        return Cycle(first, high + 1, given.size, given.dtype)
    for dtype in (np.uint8, np.uint16, np.int32):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return Short(given.astype(dtype), given.dtype)
    return given


def unpacked(given: Any) -> Any:
    """What was packed.

    Examples
    --------
    >>> unpacked(packed((np.arange(4, dtype=np.int32) % 3, "a")))
    (array([0, 1, 2, 0], dtype=int32), 'a')
    """
    if isinstance(given, Constant):
        return np.full(given.size, given.value)
    if isinstance(given, Cycle):
        return ((given.first + np.arange(given.size)) % given.length).astype(given.dtype)
    if isinstance(given, Short):
        return given.values.astype(given.dtype)
    return tuple(map(unpacked, given)) if type(given) is tuple else given

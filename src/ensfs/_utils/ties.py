"""Values that are equal but for rounding."""

from __future__ import annotations

import numpy as np

#: Scores that differ by less are tied, as in the compiled searches.
TIE_TOLERANCE = 1e-12


def tie_groups(values: np.ndarray, tolerance: float = TIE_TOLERANCE) -> np.ndarray:
    """Numbers in the order of the values, along the last axis, that are equal where they are tied.

    A group ends where the next larger value is further away than the tolerance. Rounded values
    would not do: two that lie on both sides of an edge differ, however near they are.
    """
    order = np.argsort(values, axis=-1)
    rising = np.take_along_axis(values, order, axis=-1)
    ends = np.cumsum(np.diff(rising, axis=-1) > tolerance, axis=-1)
    groups = np.zeros(values.shape, dtype=np.int64)
    np.put_along_axis(groups, order[..., 1:], ends, axis=-1)
    return groups


def tied(values: np.ndarray) -> np.ndarray:
    """Numbers in the order of the values that are equal where values are tied."""
    return np.rint(values / TIE_TOLERANCE)


def by_decreasing(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Positions where `which` holds, by decreasing value; ties by position."""
    columns = np.nonzero(which)[0]
    rounded = tied(values[columns])
    # two sorts without regard to ties are several times as fast as one stable sort
    order = np.argsort(-rounded)
    rank = np.zeros(columns.size, dtype=np.int64)
    np.cumsum(np.diff(rounded[order]) != 0, out=rank[1:])
    return columns[order[np.argsort(rank * columns.size + order)]]


def first_largest(values: np.ndarray) -> int:
    """Place of the largest value, of tied ones the first."""
    return int(np.argmax(values >= values.max() - TIE_TOLERANCE))

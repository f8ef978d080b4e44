"""Values that are equal but for rounding."""

from __future__ import annotations

import numpy as np


def tie_groups(values: np.ndarray, tolerance: float = 1e-12) -> np.ndarray:
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

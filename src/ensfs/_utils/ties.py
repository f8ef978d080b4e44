"""Values that are equal but for rounding: the one rule for ties."""

from __future__ import annotations

import numpy as np

#: Values that differ by less are tied, as in the compiled searches; the lower column wins.
TIE_TOLERANCE = 1e-12


def tie_groups(values: np.ndarray, tolerance: float = TIE_TOLERANCE) -> np.ndarray:
    """Rank groups along the last axis: equal integers for values within `tolerance` of a neighbour.

    A group ends where the next larger value is further away than the tolerance. Rounding the values
    would not do: it separates two that lie on both sides of an edge, however near they are.
    """
    order, ordered = _groups_in_order(values, tolerance)
    groups = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(groups, order, ordered, axis=-1)
    return groups


def tie_keys(values: np.ndarray) -> np.ndarray:
    """Numbers that order the values along the last axis as `tie_groups` do, equal for ties."""
    steps = _steps(np.sort(values, axis=-1))
    if ((steps > 0) & (steps <= TIE_TOLERANCE)).any():
        return tie_groups(values).astype(np.float64)
    return values  # whatever is tied is equal, which is the rule


def _groups_in_order(values: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Order of rising values along the last axis, and the groups of the values in that order."""
    order = np.argsort(values, axis=-1)
    rising = values[order] if values.ndim == 1 else np.take_along_axis(values, order, axis=-1)
    groups = np.zeros(values.shape, dtype=np.int64)
    np.cumsum(_steps(rising) > tolerance, axis=-1, out=groups[..., 1:])
    return order, groups


def _steps(rising: np.ndarray) -> np.ndarray:
    """From each value to the next; NaN between infinite ones, which are tied."""
    with np.errstate(invalid="ignore"):
        return np.diff(rising, axis=-1)


def by_decreasing(values: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Positions where `which` holds, by decreasing value; ties by position."""
    columns = np.nonzero(which)[0]
    order, groups = _groups_in_order(-values[columns], TIE_TOLERANCE)
    if groups.size and groups[-1] + 1 < groups.size:  # ties
        # no two keys are equal, so the sort need not be stable, which is several times as fast
        order = order[np.argsort(groups * columns.size + order)]
    return columns[order]


def first_largest(values: np.ndarray) -> int:
    """Position of the first value that is tied with the largest."""
    return int(np.argmax(largest(values)))


def largest(values: np.ndarray) -> np.ndarray:
    """Mask of the values that are tied with the largest.

    Ties are relative for values above 1, which rounding moves further.
    """
    best = values.max()
    tolerance = TIE_TOLERANCE * max(1.0, abs(best)) if np.isfinite(best) else 0.0
    return values >= best - tolerance


def in_ties(values: np.ndarray) -> np.ndarray:
    """Mask of the values that are tied with another one."""
    groups = tie_groups(values)
    return np.bincount(groups)[groups] > 1

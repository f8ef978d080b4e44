"""Patterns of two classes in a square, after Fawcett's gallery."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: Points in a row of the grid; coordinates are ``i / 20``.
_SIDE = 81

Labels = Callable[[np.ndarray, np.ndarray], np.ndarray]


def make_pattern(name: str = "sine") -> tuple[np.ndarray, np.ndarray]:
    """A pattern of two classes on a grid of 81 by 81 points.

    The coordinates are 0, 0.05, ..., 4. Labels follow from the whole numbers behind them (but for
    the sine), so that points on a border are the same everywhere. The formulas are those printed by
    Casale, Pujol and Radeva, corrected where they leave the square; the gallery's own patterns have
    random parts.

    Parameters
    ----------
    name : {"sine", "linear", "parity", "annulus", "parabolic", "disjunctive", "polynomial", \
"checkerboard"}, default="sine"
        "linear": above the line 1.87 x - 1.74. "sine": above 2 + 0.84 sin(1.78 x). "parabolic":
        above (x - 2)² + 1. "polynomial": above (x - 2)³ / 2 + (x - 2.2)² / 2 + 2. "annulus": 0.75
        to 1.5 from the centre. "checkerboard": 3 by 3 squares. "parity": in an odd number of nine
        overlapping circles. "disjunctive": in one of four arrowheads.

    Returns
    -------
    X : ndarray of shape (6561, 2)
        Coordinates.
    y : ndarray of shape (6561,)
        1 inside the pattern, 0 outside.

    References
    ----------
    P. Casale, O. Pujol and P. Radeva (2011), Embedding random projections in regularized gradient
    boosting machines, in: Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from ensfs.datasets import make_pattern
    >>> X, y = make_pattern("annulus")
    >>> X.shape, int(y.sum())
    ((6561, 2), 2124)
    """
    if not isinstance(name, str) or name not in _PATTERNS:
        raise ValueError(f"name must be one of {sorted(_PATTERNS)}; got {name!r}.")
    i, j = (each.ravel() for each in np.meshgrid(np.arange(_SIDE), np.arange(_SIDE), indexing="ij"))
    return np.column_stack([i, j]) / 20, _PATTERNS[name](i, j).astype(np.int64)


def _linear(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return 100 * j > 187 * i - 3480


def _sine(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return j / 20 > 2 + 0.84 * np.sin(1.78 * i / 20)


def _parabolic(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return 20 * j > (i - 40) ** 2 + 400


def _polynomial(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    # times 16000: x - 2 = (i - 40) / 20 and x - 2.2 = (i - 44) / 20
    return 800 * j > (i - 40) ** 3 + 20 * (i - 44) ** 2 + 32000


def _annulus(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    squared = (i - 40) ** 2 + (j - 40) ** 2
    return (squared >= 15**2) & (squared <= 30**2)


def _checkerboard(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return (np.minimum(3 * i // 80, 2) + np.minimum(3 * j // 80, 2)) % 2 == 0


def _parity(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    inside = sum(
        ((i - a) ** 2 + (j - b) ** 2 <= 18**2).astype(int)
        for a in (13, 40, 67)
        for b in (13, 40, 67)
    )
    return inside % 2 == 1  # type: ignore[operator,return-value]


def _disjunctive(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    found = np.zeros(i.shape, dtype=bool)
    for c in (20, 60):
        for d in (20, 60):
            found |= _arrowhead(i, j, c, d)
    return found


def _arrowhead(i: np.ndarray, j: np.ndarray, c: int, d: int) -> np.ndarray:
    """Inside a polygon, by the parity of the edges to the right, which are half open."""
    corners = [(c - 14, d - 14), (c, d + 14), (c + 14, d - 14), (c, d - 4)]
    inside = np.zeros(i.shape, dtype=bool)
    for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True):
        spans = (y1 > j) != (y2 > j)
        # i < x1 + (j - y1) (x2 - x1) / (y2 - y1), without a division
        side = (i - x1) * (y2 - y1) - (j - y1) * (x2 - x1)
        inside ^= spans & ((side < 0) if y2 > y1 else (side > 0))
    return inside


_PATTERNS: dict[str, Labels] = {
    "sine": _sine,
    "linear": _linear,
    "parity": _parity,
    "annulus": _annulus,
    "parabolic": _parabolic,
    "disjunctive": _disjunctive,
    "polynomial": _polynomial,
    "checkerboard": _checkerboard,
}

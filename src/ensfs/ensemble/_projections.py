"""Random directions onto which rows are projected."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np


def _normal(rng: np.random.Generator, p: int, d: int) -> np.ndarray:
    return rng.standard_normal((p, d))


def _binary(rng: np.random.Generator, p: int, d: int) -> np.ndarray:
    return rng.integers(2, size=(p, d)) * 2.0 - 1.0


def _uniform(rng: np.random.Generator, p: int, d: int) -> np.ndarray:
    drawn = rng.random((p, d))
    return drawn / np.linalg.norm(drawn, axis=0)


def _orthonormal(rng: np.random.Generator, p: int, d: int) -> np.ndarray:
    return np.linalg.qr(rng.standard_normal((p, d)))[0]


#: From a generator, a number of columns and one of directions to a matrix whose columns are these.
PROJECTIONS: dict[str, Callable[[np.random.Generator, int, int], np.ndarray]] = {
    "normal": _normal,
    "binary": _binary,
    "uniform": _uniform,
    "orthonormal": _orthonormal,
}


def n_directions(dimension: Any, p: int, projection: str | None) -> int:
    """Number of directions for the parameter `dimension`.

    Parameters
    ----------
    dimension : {"same", "sub", "super"}, int or float
        As many as there are columns, half (rounded up), twice; a number; a share (rounded up).
    p : int
        Number of columns.
    projection : str or None
        Orthonormal directions are at most as many as there are columns.
    """
    if isinstance(dimension, str):
        d = {"same": p, "sub": -(-p // 2), "super": 2 * p}[dimension]
    elif isinstance(dimension, Integral):
        d = int(dimension)
    else:
        d = max(1, int(np.ceil(dimension * p - 1e-9)))
    if projection == "orthonormal" and d > p:
        raise ValueError(
            f"dimension must be at most the number of columns, {p}, for orthonormal directions; "
            f"got {dimension!r}, which is {d}."
        )
    return d

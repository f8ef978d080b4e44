"""Bit planes of coded columns: plane ``l - 1`` marks the rows with code ``l``."""

from __future__ import annotations

import numpy as np

from ensfs._core import discrete
from ensfs._utils.threads import for_blocks


def make_planes(
    codes: np.ndarray, y: np.ndarray | None, plane_start: np.ndarray, n_threads: int
) -> np.ndarray:
    """Planes of the columns of a table, and of the target behind them, if it is given.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8, Fortran order
        Codes of the columns.
    y : ndarray of shape (n,), or None
        Codes of the target.
    plane_start : ndarray of shape (p + 2,)
        The first plane of each of them.
    n_threads : int
        Threads.

    Returns
    -------
    ndarray of uint64, shape (n_planes, n_words)
    """
    n, p = codes.shape
    planes = np.empty((plane_start[-1], -(-n // 64)), dtype=np.uint64)
    for_blocks(
        lambda a, b: discrete.make_planes(codes, plane_start, a, b, planes), p, n_threads, cells=n
    )
    if y is not None:
        of_target = np.asfortranarray(y.astype(np.uint8)[:, None])
        discrete.make_planes(of_target, plane_start[p:], 0, 1, planes)
    return planes


def starts_of(start: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Where the planes or levels of some columns begin if these are put side by side."""
    return np.concatenate([[0], np.cumsum(np.diff(start)[columns])])


def take_planes(planes: np.ndarray, plane_start: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Planes of some columns, side by side."""
    start, n_planes = starts_of(plane_start, columns), np.diff(plane_start)[columns]
    taken = np.empty((start[-1], planes.shape[1]), dtype=np.uint64)
    for a in range(0, columns.size, 4096):  # the places of all planes would take more memory
        some = slice(a, min(a + 4096, columns.size))
        begin, end = start[[some.start, some.stop]]
        moved = plane_start[columns[some]] - start[some]
        places = np.repeat(moved, n_planes[some]) + np.arange(begin, end)
        np.take(planes, places, axis=0, out=taken[begin:end], mode="clip")
    return taken

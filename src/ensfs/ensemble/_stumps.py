"""The best stump of a table for given gradients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ensfs._core import stumps
from ensfs._utils.threads import for_blocks

#: Scores that differ by less than this share of the sum of absolute gradients are equal: rows that
#: are there twice are summed otherwise than a row of weight two.
TOLERANCE = 1e-9


class Stump(NamedTuple):
    """1 for rows whose column is above the threshold, -1 for the others, and its score."""

    column: int
    threshold: float
    score: float


def sort_rows(values: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Rows in the order of each column.

    Parameters
    ----------
    values : ndarray of float64, shape (n, d), Fortran order
        Finite numbers.
    n_threads : int, default=1
        Threads; the result does not depend on them.

    Returns
    -------
    ndarray of int32, shape (d, n)
    """
    n, d = values.shape
    order = np.empty((d, n), dtype=np.int32)
    done = np.empty(d, dtype=np.uint8)

    def work(start: int, stop: int) -> None:
        buckets = np.empty(2 * n + 1, dtype=np.int32)
        stumps.order_rows(values, start, stop, buckets, order, done)
        for j in start + np.flatnonzero(done[start:stop] == 0):
            order[j] = np.argsort(values[:, j], kind="stable")

    for_blocks(work, d, n_threads, cells=16 * n)
    return order


def best_stump(
    values: np.ndarray, order: np.ndarray, gradient: np.ndarray, n_threads: int = 1
) -> Stump:
    """The stump with the largest absolute score.

    Of stumps that score alike (see `TOLERANCE`) it is that of the lowest column, then of the lowest
    threshold. A threshold lies in the middle between two values, or is -inf.

    Parameters
    ----------
    values : ndarray of float64, shape (n, d), Fortran order
        The columns.
    order : ndarray of int32, shape (d, n)
        What `sort_rows` gives.
    gradient : ndarray of shape (n,)
        What is summed, with the sign of the stump.
    n_threads : int, default=1
        Threads; the result does not depend on them.

    Returns
    -------
    Stump
    """
    n, d = values.shape
    total = float(gradient.sum())
    best = np.empty(d)

    def work(start: int, stop: int) -> None:
        stumps.best_scores(values, order, gradient, total, start, stop, best)

    for_blocks(work, d, n_threads, cells=4 * n)
    least = float(best.max() - TOLERANCE * np.abs(gradient).sum())
    column = int(np.argmax(best >= least))
    score, below, above = stumps.first_stump(values, order, gradient, total, column, least)
    return Stump(column, _middle(below, above), score)


def _middle(below: float, above: float) -> float:
    """A number that is at least the first and less than the second, unless both are -inf."""
    middle = below / 2 + above / 2
    return middle if below <= middle < above else below

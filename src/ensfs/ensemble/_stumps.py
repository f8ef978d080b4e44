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


def sort_rows(values: np.ndarray) -> np.ndarray:
    """Rows in the order of each column, for `best_stump` of many gradients.

    Parameters
    ----------
    values : ndarray of float64, shape (n, d)
        Finite numbers.

    Returns
    -------
    ndarray of int32, shape (d, n)
    """
    order = np.argsort(values, axis=0, kind="stable").T
    return np.ascontiguousarray(order, dtype=np.int32)


def best_stump(
    values: np.ndarray, gradient: np.ndarray, order: np.ndarray | None = None, n_threads: int = 1
) -> Stump:
    """The stump with the largest absolute score.

    Of stumps that score alike (see `TOLERANCE`) it is that of the lowest column, then of the lowest
    threshold. A threshold lies in the middle between two values, or is -inf.

    Parameters
    ----------
    values : ndarray of float64, shape (n, d), Fortran order
        The columns, finite numbers.
    gradient : ndarray of shape (n,)
        What is summed, with the sign of the stump.
    order : ndarray of int32, shape (d, n), optional
        What `sort_rows` gives, if there is more than one gradient to ask for: sorting costs more
        than a question without it.
    n_threads : int, default=1
        Threads; the result does not depend on them.

    Returns
    -------
    Stump
    """
    total = float(gradient.sum())
    best = np.empty(values.shape[1])

    def score(start: int, stop: int) -> None:
        if order is not None:
            stumps.best_scores(values, order, gradient, total, start, stop, best)
            return
        stumps.scores_by_buckets(values, gradient, total, start, stop, *_space(values), best)
        for j in start + np.flatnonzero(best[start:stop] < 0):  # too uneven for buckets
            column = values[:, j : j + 1]
            stumps.best_scores(column, sort_rows(column), gradient, total, 0, 1, best[j : j + 1])

    for_blocks(score, best.size, n_threads, cells=8 * len(values))
    least = float(best.max() - TOLERANCE * np.abs(gradient).sum())
    column = int(np.argmax(best >= least))
    found, below, above = _first(values, gradient, order, total, column, least)
    return Stump(column, _middle(below, above), found)


def _space(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the kernels of buckets work in."""
    return np.empty(2 * len(values)), np.empty(3 * len(values) + 2, dtype=np.int32)


def _first(
    values: np.ndarray, gradient: np.ndarray, order: np.ndarray | None, total: float, column: int,
    least: float,
) -> tuple[float, float, float]:  # fmt: skip
    """Score of the lowest cut of a column that scores enough, and the values next to it."""
    if order is None:
        found = stumps.first_by_buckets(values, gradient, total, column, least, *_space(values))
        if found is not None:
            return found
    chosen = values[:, column : column + 1]
    of_chosen = sort_rows(chosen) if order is None else order[column : column + 1]
    return stumps.first_stump(chosen, of_chosen, gradient, total, 0, least)


def _middle(below: float, above: float) -> float:
    """A number that is at least the first and less than the second, unless both are -inf."""
    middle = below / 2 + above / 2
    return middle if below <= middle < above else below

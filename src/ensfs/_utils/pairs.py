"""Decisions by pairs of classes: of the classes that are left, the first meets the last."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def eliminate(
    loses: Callable[[int, int, np.ndarray], np.ndarray], order: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """The class that is left when the loser of each test is removed (a directed acyclic graph).

    Parameters
    ----------
    loses : callable
        Takes a pair of classes, the lower first, and row numbers, and tells for which of these rows
        the lower one loses.
    order : ndarray of int, shape (n_classes,)
        The list of the classes.
    n_rows : int
        Number of rows.

    Returns
    -------
    winners : ndarray of int, shape (n_rows,)
        A class for each row.
    n_tests : ndarray of int, shape (n_rows,)
        Tests that each row took: one less than there are classes.
    """
    first = np.zeros(n_rows, dtype=np.intp)
    last = np.full(n_rows, len(order) - 1, dtype=np.intp)
    n_tests = np.zeros(n_rows, dtype=np.intp)
    for _ in range(len(order) - 1):
        state = first * len(order) + last
        for each in np.unique(state):
            rows = np.nonzero(state == each)[0]
            a, b = order[each // len(order)], order[each % len(order)]
            lower_lost = np.asarray(loses(min(a, b), max(a, b), rows), dtype=bool)
            first_lost = lower_lost if a < b else ~lower_lost
            first[rows[first_lost]] += 1
            last[rows[~first_lost]] -= 1
            n_tests[rows] += 1
    return order[first], n_tests

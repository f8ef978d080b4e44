"""One order of columns from several: reciprocal rank, interleaving, Borda, robust rank aggregation.

An order holds column numbers, best first, and need not hold all columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import beta

Orders = Sequence[np.ndarray]


def places_of(order: np.ndarray, n_features: int) -> np.ndarray:
    """Place of every column from 1; infinity for those that the order does not hold."""
    places = np.full(n_features, np.inf)
    places[order] = np.arange(1, len(order) + 1)
    return places


def reciprocal_rank(orders: Orders, n_features: int) -> np.ndarray:
    """Sum of 1 / place: a first place counts as much as two second ones."""
    return sum((1.0 / places_of(order, n_features) for order in orders), np.zeros(n_features))


def borda(orders: Orders, n_features: int) -> np.ndarray:
    """Sum of points that fall evenly, from 1 for the first place to 0 after the last."""
    points = np.zeros(n_features)
    for order in orders:
        points[order] += 1.0 - np.arange(len(order)) / max(len(order), 1)
    return points


def interleaving(orders: Orders, n_features: int) -> np.ndarray:
    """Minus the turn at which a column comes: first places in turn, then second places, ..."""
    turns = np.full(n_features, np.inf)
    for member, order in enumerate(orders):
        turn = np.arange(len(order)) * len(orders) + member + 1
        turns[order] = np.minimum(turns[order], turn)
    return -turns


def robust_rank(orders: Orders, n_features: int) -> np.ndarray:
    """Minus the logarithm of Kolde's rho: how unlikely such good places are for random orders.

    The i-th best place of a column, as a share of all columns, is compared with that of random
    orders, which has a beta distribution; the least of these probabilities counts, times the number
    of orders.
    """
    shares = np.array([np.minimum(places_of(o, n_features) / n_features, 1.0) for o in orders])
    shares.sort(axis=0)
    m = len(orders)
    i = np.arange(1, m + 1)[:, None]
    with np.errstate(divide="ignore"):
        rho = np.minimum(m * beta.cdf(shares, i, m - i + 1).min(axis=0), 1.0)
        return np.abs(np.log(rho))


#: What combines orders, by name: larger is better.
AGGREGATIONS: dict[str, Callable[[Orders, int], np.ndarray]] = {
    "reciprocal_rank": reciprocal_rank,
    "interleaving": interleaving,
    "borda": borda,
    "robust_rank": robust_rank,
}

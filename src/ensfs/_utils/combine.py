"""How the opinions of members become one: votes, means and medians, also of the first members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

#: Half of a total of weights that was reached but for rounding.
_HALF = 0.5 * (1 - 1e-12)


def vote_shares(votes: np.ndarray, n_classes: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Share of the members, or of their weight, that votes for each class.

    Parameters
    ----------
    votes : ndarray of int, shape (n_members, n_rows)
        Number of the class that each member predicts.
    n_classes : int
        Number of classes.
    weights : ndarray of shape (n_members,), optional
        Weights of the members; None weights all alike.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
    """
    given = np.ones(len(votes)) if weights is None else weights
    totals = np.zeros((votes.shape[1], n_classes))
    rows = np.arange(votes.shape[1])
    for weight, vote in zip(given, votes, strict=True):
        totals[rows, vote] += weight
    return totals / given.sum()


def prefix_means(
    opinions: Iterable[np.ndarray], weights: Sequence[float] | np.ndarray
) -> Iterator[np.ndarray]:
    """Weighted means of the first opinion, of the first two, and so on.

    Members that weigh nothing have no mean of their own: it is 0 until one has a weight.
    """
    total: Any = 0.0
    weight_so_far = 0.0
    for weight, opinion in zip(weights, opinions, strict=True):
        total = total + weight * opinion
        weight_so_far += weight
        yield total / (weight_so_far or 1.0)


def weighted_median(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Smallest value of each row whose members, with those below it, have half of the weight.

    Parameters
    ----------
    values : ndarray of shape (n_members, n_rows)
        What each member predicts.
    weights : ndarray of shape (n_members,)
        Weights of the members, not negative and not all 0.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    first = (reached >= _HALF * reached[-1]).argmax(axis=0)
    rows = np.arange(values.shape[1])
    return values[order[first, rows], rows]


def prefix_medians(values: np.ndarray, weights: np.ndarray) -> Iterator[np.ndarray]:
    """Weighted medians of the first member, of the first two, and so on."""
    for m in range(1, len(values) + 1):
        yield weighted_median(values[:m], weights[:m])


def out_of_bag(samples: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Which rows each member has not seen, from the rows that it was fitted on.

    Parameters
    ----------
    samples : sequence of ndarray of int
        Rows of each member, as ``estimators_samples_`` of scikit-learn holds them.
    n_rows : int
        Number of rows.

    Returns
    -------
    ndarray of bool, shape (n_members, n_rows)
    """
    unseen = np.ones((len(samples), n_rows), dtype=bool)
    for member, rows in zip(unseen, samples, strict=True):
        member[rows] = False
    return unseen


def out_of_bag_shares(votes: np.ndarray, unseen: np.ndarray, n_classes: int) -> np.ndarray:
    """Share of the votes for each class among the members that have not seen the row.

    Parameters
    ----------
    votes : ndarray of int, shape (n_members, n_rows)
        Number of the class that each member predicts.
    unseen : ndarray of bool, shape (n_members, n_rows)
        Which rows each member has not seen; see `out_of_bag`.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        NaN for rows that all members have seen.
    """
    counts = np.stack([((votes == k) & unseen).sum(axis=0) for k in range(n_classes)], axis=1)
    return _over(counts, unseen.sum(axis=0)[:, None])


def out_of_bag_means(values: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    """Mean of what members predict for the rows that they have not seen; NaN where all have."""
    return _over(np.where(unseen, values, 0.0).sum(axis=0), unseen.sum(axis=0))


def _over(totals: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Quotients; NaN where nothing was counted."""
    unknown = np.full(totals.shape, np.nan)
    return np.divide(totals, counts, out=unknown, where=np.broadcast_to(counts > 0, totals.shape))

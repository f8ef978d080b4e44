"""Weights of spaces of classifiers that make the estimated error of their vote least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.optimize import linprog
from scipy.special import betainc
from scipy.stats import binom

#: By how much the sum of slacks may exceed the least when the mean margin is made largest.
_SLACK = 1e-9
#: Expected errors that differ by less are equal.
_EQUAL = 1e-12


class Margins(NamedTuple):
    """Pairwise margins of rows in spaces.

    Attributes
    ----------
    values : ndarray of shape (n_spaces, n_pairs)
        Share of the votes for the row's class minus that for another class.
    row : ndarray of int, shape (n_pairs,)
        The row of each pair.
    n_rows : int
        Number of rows.
    """

    values: np.ndarray
    row: np.ndarray
    n_rows: int


class Weighted(NamedTuple):
    """Weights for one margin that is aimed at, the sum of slacks, and the expected error."""

    gamma: float
    weights: np.ndarray
    slack: float
    error: float


def lost_vote(margin: np.ndarray, k: int) -> np.ndarray:
    """Probability that a vote of k classifiers is lost or tied, for two classes.

    Parameters
    ----------
    margin : array-like
        Probability that a classifier is right minus that it is wrong.
    k : int
        Number of classifiers.

    Returns
    -------
    ndarray
    """
    wrong = np.clip((1 - np.asarray(margin, dtype=np.float64)) / 2, 0, 1)
    return betainc(-(-k // 2), k // 2 + 1, wrong)


def lost_to(right: np.ndarray, other: np.ndarray, k: int) -> np.ndarray:
    """Probability that a class gets at least as many of k votes as the right one.

    Parameters
    ----------
    right, other : ndarray of shape (n,)
        Probability of a vote for the right class and for the other.
    k : int
        Number of classifiers.

    Returns
    -------
    ndarray of shape (n,)
    """
    both = np.clip(right + other, 0, 1)
    share = np.divide(other, right + other, out=np.zeros_like(both), where=right + other > 0)
    t = np.arange(1, k + 1)
    lost = betainc(-(-t // 2), t // 2 + 1, np.clip(share, 0, 1)[:, None])
    chances = binom.pmf(np.arange(k + 1), k, both[:, None])
    return chances[:, 0] + (chances[:, 1:] * lost).sum(axis=1)


def pairwise_margins(shares: np.ndarray, y: np.ndarray) -> Margins:
    """Margins against every other class, from shares of votes (spaces x rows x classes)."""
    n_classes = shares.shape[2]
    rows = np.arange(len(y))
    right = shares[:, rows, y]
    others = [np.flatnonzero(y != c) for c in range(n_classes)]
    values = [right[:, rows] - shares[:, rows, c] for c, rows in enumerate(others)]
    return Margins(np.hstack(values), np.concatenate(others), len(y))


def one_vs_rest_margins(shares: np.ndarray, y: np.ndarray) -> Margins:
    """Margins against all other classes together."""
    rows = np.arange(len(y))
    return Margins(2 * shares[:, rows, y] - 1, rows, len(y))


def least_slack(margins: Margins, gamma: float) -> tuple[np.ndarray, float]:
    """Weights for which margins miss an aim by least, and by how much in all.

    It is the linear programme ``min sum(slack)`` such that the weighted margin of every pair plus
    the slack of its row is at least `gamma`; weights sum to one and are not negative. Its dual has
    a row for each space and is much faster; the weights are its marginals. Rows that reach the aim
    in every space are left out; those of two classes that reach it in none are counted beforehand.
    """
    values, row = margins.values, margins.row
    n_spaces = len(values)
    open_ = values.min(axis=0) < gamma
    fixed = np.zeros(n_spaces)
    slack = 0.0
    if np.bincount(row, minlength=margins.n_rows).max(initial=0) <= 1:
        never = values.max(axis=0) <= gamma
        fixed = values[:, never].sum(axis=1)
        slack = float(gamma * never.sum())
        open_ &= ~never
    values, row = values[:, open_], row[open_]
    n = values.shape[1]
    A = scipy.sparse.csr_array(np.column_stack([values, -np.ones(n_spaces)]))
    b = -fixed
    bounds = [(0, 1)] * n + [(None, None)]
    rows, place = np.unique(row, return_inverse=True)
    if rows.size < n:  # several pairs of a row share its slack
        shared = scipy.sparse.csr_array(
            (np.ones(n), (place, np.arange(n))), shape=(rows.size, n + 1)
        )
        A = scipy.sparse.vstack([A, shared], format="csr")
        b = np.concatenate([b, np.ones(rows.size)])
    found = _solve(np.append(np.full(n, -gamma), 1.0), A, b, bounds)
    weights = np.maximum(-found.ineqlin.marginals[:n_spaces], 0)
    total = weights.sum()
    weights = weights / total if total > 0 else np.full(n_spaces, 1 / n_spaces)
    return weights, max(0.0, slack - float(found.fun))


def largest_least_margin(margins: Margins) -> float:
    """The largest margin that all pairs can reach together."""
    values = margins.values
    n = values.shape[1]
    A = np.column_stack([values, -np.ones(len(values))])
    found = _solve(
        np.append(np.zeros(n), 1.0), A, np.zeros(len(values)), [(0, None)] * n + [(None, None)],
        A_eq=np.append(np.ones(n), 0.0)[None], b_eq=[1.0],
    )  # fmt: skip
    return float(found.fun)


def largest_mean(margins: Margins, gamma: float, slack: float) -> np.ndarray:
    """Of the weights with the least sum of slacks, those with the largest mean margin."""
    values, row = margins.values, margins.row
    n_spaces, n = values.shape
    reach = scipy.sparse.csr_array((-np.ones(n), (np.arange(n), row)), shape=(n, margins.n_rows))
    A = scipy.sparse.hstack([scipy.sparse.csr_array(-values.T), reach], format="csr")
    limit = np.concatenate([np.zeros(n_spaces), np.ones(margins.n_rows)])
    A = scipy.sparse.vstack([A, scipy.sparse.csr_array(limit[None])], format="csr")
    found = _solve(
        np.concatenate([-values.mean(axis=1), np.zeros(margins.n_rows)]),
        A,
        np.append(np.full(n, -gamma), slack + _SLACK),
        [(0, None)] * (n_spaces + margins.n_rows),
        A_eq=scipy.sparse.csr_array(1 - limit[None]),
        b_eq=[1.0],
    )
    weights = np.maximum(found.x[:n_spaces], 0)
    return weights / weights.sum()


def _solve(c, A, b, bounds, **equalities):
    found = linprog(c, A_ub=A, b_ub=b, bounds=bounds, method="highs", **equalities)
    if found.status != 0:
        raise RuntimeError(f"The linear programme of the weights was not solved: {found.message}.")
    return found


def expected_error(margins: Margins, weights: np.ndarray, k: int, shares=None, y=None) -> float:
    """Expected error of a vote of k classifiers drawn from spaces with these weights.

    Exact for margins of two classes, or against all others together; with `shares` and `y` the sum
    over the other classes of the probability to lose against each, at most one.
    """
    if shares is None or shares.shape[2] == 2:
        return float(lost_vote(weights @ margins.values, k).mean())
    mixed = np.tensordot(weights, shares, axes=1)
    rows = np.arange(len(y))
    error = np.zeros(len(y))
    for c in range(mixed.shape[1]):
        other = np.flatnonzero(y != c)
        error[other] += lost_to(mixed[rows, y][other], mixed[other, c], k)
    return float(np.minimum(error, 1).mean())


def weight_spaces(
    margins: Margins, gammas: np.ndarray, k: int, shares=None, y=None
) -> tuple[Weighted, list[Weighted]]:
    """The best weights over margins that are aimed at, and all of them.

    Parameters
    ----------
    margins : Margins
        Of all rows in all spaces.
    gammas : ndarray
        Margins to aim at; the largest that all rows reach together is tried too.
    k : int
        Number of classifiers that will vote.
    shares, y : ndarray, optional
        Shares of votes and classes, for more than two classes.

    Returns
    -------
    best : Weighted
        With the least expected error; of equal ones that of the smallest aim. Its weights have the
        largest mean margin among those with the least slack.
    path : list of Weighted
        For each aim, in increasing order.
    """
    path = []
    for gamma in np.unique(np.append(gammas, largest_least_margin(margins))).tolist():
        weights, slack = least_slack(margins, gamma)
        error = expected_error(margins, weights, k, shares, y)
        path.append(Weighted(gamma, weights, slack, error))
    least = min(each.error for each in path)
    best = next(each for each in path if each.error <= least + _EQUAL)
    weights = largest_mean(margins, best.gamma, best.slack)
    error = expected_error(margins, weights, k, shares, y)
    return best._replace(weights=weights, error=error), path

"""Scores beside chance: paired tests of replicates, corrections, and the tail of contrasts."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

#: The tail of contrasts: one in so many of them, at least so many.
_TAIL_SHARE, _LEAST_TAIL = 40, 10


def paired_p_values(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """One-sided p-values of paired t-tests of scores against the threshold of their replicate.

    Parameters
    ----------
    scores : ndarray of shape (n_replicates, ...)
        Scores of every replicate.
    thresholds : ndarray that broadcasts against `scores`
        What they are compared with.

    Returns
    -------
    ndarray of the shape of one replicate
        Where all differences are equal: 0 if they are positive, else 1.
    """
    differences = scores - thresholds
    mean = differences.mean(axis=0)
    n = differences.shape[0]
    error = differences.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.zeros_like(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = stats.t.sf(mean / error, max(n - 1, 1))
    # equal differences may still differ in their last digit
    constant = error <= 1e-15 * np.abs(mean)
    return np.where(constant, np.where(mean > 0, 0.0, 1.0), p_values)


def significant(p_values: np.ndarray, alpha: float, correction: str | None) -> np.ndarray:
    """Which of many tests are significant at level `alpha` after a correction."""
    flat = p_values.ravel()
    if correction == "bonferroni":
        adjusted = flat * flat.size
    elif correction == "fdr_bh":
        adjusted = stats.false_discovery_control(flat) if flat.size else flat
    elif correction == "holm":
        order = np.argsort(flat, kind="stable")
        adjusted = np.empty_like(flat)
        adjusted[order] = np.maximum.accumulate(flat[order] * np.arange(flat.size, 0, -1))
    else:
        adjusted = flat
    return (adjusted <= alpha).reshape(p_values.shape)


def chance_p_values(scores: np.ndarray, contrasts: np.ndarray) -> np.ndarray:
    """Where scores lie among the scores of contrasts.

    Parameters
    ----------
    scores : ndarray
        Any shape.
    contrasts : ndarray
        Scores by chance, of any shape.

    Returns
    -------
    ndarray of the shape of `scores`
        The share of the contrasts that reach a score, the score itself counted with them. Beyond
        most of them an exponential tail is continued, whose mean is known from the ``k`` largest
        contrasts only: the predictive probability of an excess ``d`` is
        ``(1 + d / (k * mean))**-k``. So p-values may be smaller than one in the number of
        contrasts, and hardly depend on the single largest one. Where these contrasts are all equal
        there is no tail, and what is above them has the p-value 0.
    """
    pool = np.sort(contrasts, axis=None)
    n = pool.size
    k = min(max(_LEAST_TAIL, n // _TAIL_SHARE), n - 1)
    start = pool[n - 1 - k]
    excess = np.maximum(scores - start, 0.0)
    total = float(np.sum(pool[n - k :] - start))
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.where(excess > 0, (1.0 + excess / total) ** -k, 1.0)
    reached = n - np.searchsorted(pool, np.minimum(scores, start), side="left")
    return (1 + np.minimum(reached, n)) / (n + 1) * beyond

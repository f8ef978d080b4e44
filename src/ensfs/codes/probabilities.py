"""Probabilities from scores (Platt's scaling) and from those of dichotomies (coupling)."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ensfs.codes.designs import one_vs_one

#: Newton's steps and halvings of a step, far more than are ever needed.
_MAX_STEPS, _MAX_HALVINGS = 200, 60


def platt_scaling(scores, y, sample_weight=None) -> tuple[float, float]:
    """Slope and intercept of the probability ``1 / (1 + exp(slope * score + intercept))``.

    Maximum likelihood with Platt's targets, ``(n1 + 1) / (n1 + 2)`` for the n1 positive rows and
    ``1 / (n0 + 2)`` for the others, by Newton's method with halved steps.

    Parameters
    ----------
    scores : array-like of shape (n_rows,)
        Scores, larger ones for positive rows.
    y : array-like of shape (n_rows,)
        True (or 1) for positive rows.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    slope, intercept : float

    References
    ----------
    H.-T. Lin, C.-J. Lin and R. C. Weng (2007), A note on Platt's probabilistic outputs for support
    vector machines, Machine Learning 68, 267-276.

    Examples
    --------
    >>> from ensfs.codes import platt_scaling
    >>> slope, intercept = platt_scaling([-2, -1, -0.5, 0.3, 0.4, 1, 2], [0, 0, 1, 0, 1, 1, 1])
    >>> round(slope, 6), round(intercept, 6)
    (-0.786526, -0.273841)
    """
    scores = np.asarray(scores, dtype=np.float64)
    positive = np.asarray(y).astype(bool)
    weight = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight, float)
    n1, n0 = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    # the scale of the scores must not decide about the accuracy of the steps
    scale = float(np.abs(scores).max(initial=0.0)) or 1.0
    point = np.array([0.0, np.log((n0 + 1) / (n1 + 1))])
    columns = np.stack([scores / scale, np.ones(len(scores))], axis=1)

    def loss(at: np.ndarray) -> float:
        exponents = columns @ at
        return float(weight @ (np.logaddexp(0.0, exponents) + (target - 1) * exponents))

    value = loss(point)
    slack = 1e-12 * (1 + abs(value))  # near the end losses differ by rounding alone
    for _ in range(_MAX_STEPS):
        p = expit(-(columns @ point))
        gradient = columns.T @ (weight * (target - p))
        curvature = (columns * (weight * p * (1 - p))[:, None]).T @ columns
        step = -np.linalg.solve(curvature + 1e-12 * np.eye(2), gradient)
        share = 1.0
        for _ in range(_MAX_HALVINGS):
            promised = 1e-4 * share * float(gradient @ step)
            if loss(point + share * step) <= value + promised + slack:
                break
            share /= 2
        point = point + share * step
        value = loss(point)
        if np.abs(share * step).max() < 1e-12:
            break
    return float(point[0] / scale), float(point[1])


def couple(
    probabilities: np.ndarray,
    code: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    tol: float = 1e-12,
    max_iter: int = 2000,
) -> np.ndarray:
    """Probabilities of classes that agree best with those of the columns of a code.

    A column says with which probability a row is of a class with 1, if it is of one with 1 or -1.
    The result maximises the likelihood of the Bradley-Terry model of teams; for pairs of classes it
    is the coupling of Hastie and Tibshirani.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, n_columns)
        Of the classes with 1 in a column.
    code : ndarray of shape (n_classes, n_columns)
        The code, with -1, 0 and 1.
    weights : ndarray of shape (n_columns,), optional
        Weights of the columns, such as their numbers of training rows.
    tol : float, default=1e-12
        Rows are done when no probability changes by more.
    max_iter : int, default=2000
        Most steps.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)

    References
    ----------
    T. Hastie and R. Tibshirani (1998), Classification by pairwise coupling, Annals of Statistics
    26, 451-471; T.-K. Huang, R. C. Weng and C.-J. Lin (2006), Generalized Bradley-Terry models and
    multi-class probability estimates, JMLR 7, 85-115.
    """
    of_ones = np.asarray(probabilities, dtype=np.float64)
    ones, others = np.asarray(code) == 1, np.asarray(code) == -1
    weights = np.ones(len(ones[0])) if weights is None else np.asarray(weights, dtype=np.float64)
    p = np.full((len(of_ones), len(ones)), 1.0 / len(ones))
    left = np.arange(len(of_ones))
    for _ in range(max_iter):
        at, r = p[left], of_ones[left]
        with_one, with_other = at @ ones, at @ others
        gains = (weights * _over(r, with_one)) @ ones.T
        gains += (weights * _over(1 - r, with_other)) @ others.T
        new = at * _over(gains, (weights / (with_one + with_other)) @ (ones | others).T)
        new /= new.sum(axis=1, keepdims=True)
        p[left] = new
        left = left[np.abs(new - at).max(axis=1) > tol]
        if not left.size:
            break
    return p


def pairwise_coupling(r, n=None, *, tol: float = 1e-12, max_iter: int = 2000) -> np.ndarray:
    """Probabilities of classes from those of all pairs, by the method of Hastie and Tibshirani.

    Parameters
    ----------
    r : array-like of shape (n_classes, n_classes) or (n_rows, n_classes, n_classes)
        ``r[i, j]`` is the probability of class i if the class is i or j, for i < j; nothing else is
        read.
    n : array-like of shape (n_classes, n_classes), optional
        Weights of the pairs; None weights all alike.
    tol : float, default=1e-12
        Rows are done when no probability changes by more.
    max_iter : int, default=2000
        Most steps.

    Returns
    -------
    ndarray of shape (n_classes,) or (n_rows, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.codes import pairwise_coupling
    >>> r = [[0, 0.6, 0.9], [0.4, 0, 0.5], [0.1, 0.5, 0]]
    >>> pairwise_coupling(r).round(4).tolist()
    [0.5971, 0.2453, 0.1576]
    """
    r = np.asarray(r, dtype=np.float64)
    n_classes = r.shape[-1]
    first, second = np.triu_indices(n_classes, 1)
    weights = None if n is None else np.asarray(n, dtype=np.float64)[first, second]
    rows = r.reshape(-1, n_classes, n_classes)[:, first, second]
    p = couple(rows, one_vs_one(n_classes), weights, tol=tol, max_iter=max_iter)
    return p.reshape(*r.shape[:-2], n_classes)


def _over(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Quotients; 0 where both are 0."""
    return np.divide(
        numerators, denominators, out=np.zeros(numerators.shape), where=denominators > 0
    )

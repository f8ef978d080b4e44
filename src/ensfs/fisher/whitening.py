"""Whitening by the largest principal components, and thresholds on a line."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import Any

import numpy as np
from scipy.linalg import svd
from sklearn.utils.extmath import randomized_svd

#: Up to this many columns or rows the decomposition is exact.
_EXACT = 500

#: Weights of right rows that differ by less than this share of all weights are equal.
_ROUNDING = 1e-12


@dataclass
class Whitening:
    """Makes the largest components isotropic and leaves the rest: thin factors of a matrix W.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Mean of the rows.
    basis : ndarray of shape (n_features, n_components)
        The components.
    singular_values : ndarray of shape (n_components,)
        Of the centred rows, the largest first.
    """

    mean: np.ndarray
    basis: np.ndarray
    singular_values: np.ndarray

    def apply(self, rows: np.ndarray) -> np.ndarray:
        """Rows times W, which is symmetric and is never formed."""
        if not self.singular_values.size:
            return rows
        shrink = self.singular_values[-1] / self.singular_values - 1.0
        return rows + ((rows @ self.basis) * shrink) @ self.basis.T


def n_whitened(n_rows: float) -> int:
    """Components that so many rows determine well: floor(log2(n_rows) squared)."""
    return floor(log2(max(1.0, n_rows)) ** 2)


def whiten(
    X: np.ndarray, n_components: Any, rng: np.random.RandomState, weight: np.ndarray | None = None
) -> Whitening:
    """Whitening of rows; as many components as are asked for, but not more than there are.

    A row of weight 2 is two rows.
    """
    weight = np.ones(len(X)) if weight is None else weight
    n_rows = float(weight.sum())
    mean = np.average(X, axis=0, weights=weight)
    centred = np.sqrt(weight)[:, None] * (X - mean)
    wanted = n_whitened(n_rows) if isinstance(n_components, str) else int(n_components)
    wanted = min(wanted, *X.shape)
    if min(X.shape) <= _EXACT or 2 * wanted > min(X.shape):
        _, values, basis = svd(centred, full_matrices=False)
    else:
        _, values, basis = randomized_svd(centred, wanted, random_state=rng)
    least = values[0] * max(X.shape) * np.finfo(np.float64).eps
    wanted = min(wanted, int((values > least).sum()))
    return Whitening(mean, basis[:wanted].T, values[:wanted])


def best_threshold(
    z: np.ndarray, is_first: np.ndarray, rule: str, weight: np.ndarray | None = None
) -> tuple[float, str]:
    """A threshold such that most rows of the first class are not below it, and the others are.

    Parameters
    ----------
    z : ndarray of shape (n_rows,)
        Places of the rows on the line.
    is_first : ndarray of bool, shape (n_rows,)
        Which rows are of the first class.
    rule : {"mean", "middle"}
        "mean": the mean of all places that are best as thresholds; "middle": the middle of the
        widest gap below one of them.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    threshold : float
    rule : str
        What it is: "lowest", the lowest of the best places, where the mean of them is worse.
    """
    weight = np.ones(len(z)) if weight is None else weight
    places, of_place = np.unique(z, return_inverse=True)
    first = np.bincount(of_place, weights=weight * is_first, minlength=places.size)
    other = np.bincount(of_place, weights=weight * ~is_first, minlength=places.size)
    right = first[::-1].cumsum()[::-1] + other.cumsum() - other  # with each place as threshold
    most = right.max() - _ROUNDING * weight.sum()
    best = right >= most
    if rule == "middle":
        gaps = np.where(best, np.diff(places, prepend=places[0]), -1.0)
        widest = int(gaps.argmax())
        return float(places[widest] - gaps[widest] / 2), "middle"
    tied = best[of_place]
    mean = float(np.average(z[tied], weights=weight[tied]))
    if weight[(z >= mean) == is_first].sum() < most:
        return float(places[best.argmax()]), "lowest"
    return mean, "mean"

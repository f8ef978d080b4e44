"""Ways to send rows to parts: clusters, clusters of each class, intervals, a hash."""

from __future__ import annotations

import zlib
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans

from ensfs._utils.exponents import brought_down, exponents
from ensfs.ensemble._distances import nearest


def cluster_centres(
    clusterer: Any, n_clusters: int, X: np.ndarray, seed: int, weight: np.ndarray | None = None
) -> np.ndarray:
    """Means of the clusters that occur; k-means unless a clusterer is given.

    Parameters
    ----------
    clusterer : clusterer or None
        Cloned; `n_clusters` and `random_state` are set if it has them.
    n_clusters : int
        How many clusters; no more than distinct rows.
    X : ndarray of shape (n_rows, n_columns)
        Numbers.
    seed : int
        Random state.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows, for a clusterer that takes them, and for the means.

    Returns
    -------
    ndarray of shape (n_centres, n_columns)
    """
    n_clusters = min(n_clusters, len(np.unique(X, axis=0)))
    if n_clusters == 1:
        return np.average(X, axis=0, weights=weight, keepdims=True)
    fresh = KMeans(n_init=10) if clusterer is None else clone(clusterer)
    given = {"n_clusters": n_clusters, "random_state": seed}
    fresh.set_params(**{name: given[name] for name in given if name in fresh.get_params()})
    takes = weight is not None and "sample_weight" in signature(fresh.fit_predict).parameters
    labels = np.asarray(fresh.fit_predict(X, **({"sample_weight": weight} if takes else {})))
    members = [labels == k for k in np.unique(labels) if k >= 0]
    return np.stack(
        [
            np.average(X[rows], axis=0, weights=None if weight is None else weight[rows])
            for rows in members
        ]
    )


class ClusterRoute:
    """The nearest of some centres."""

    def __init__(self, centres: np.ndarray):
        self.centres, self.n_parts = centres, len(centres)

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Part of each row."""
        return nearest(X, self.centres)


class ClassClusterRoute:
    """The combination of the nearest centres of each class.

    A part holds the rows of one cluster of every class; a new row belongs to one part, a row of
    training to all that have its cluster.
    """

    def __init__(self, centres: list[np.ndarray]):
        self.centres = centres
        self.sizes = tuple(len(each) for each in centres)
        self.n_parts = int(np.prod(self.sizes))
        self.combinations = list(product(*map(range, self.sizes)))

    def clusters(self, X: np.ndarray) -> np.ndarray:
        """Nearest centre of each class, of shape (n_rows, n_classes)."""
        return np.column_stack([nearest(X, each) for each in self.centres])

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Part of each row."""
        return np.ravel_multi_index(tuple(self.clusters(X).T), self.sizes)


class IntervalRoute:
    """Intervals of equal width of one column; values beyond the ends belong to these."""

    def __init__(self, column: int, values: np.ndarray, n_parts: int):
        self.column, self.n_parts = column, n_parts
        self._exponent = exponents(values)  # the width of the widest range is finite then
        near = brought_down(values, self._exponent)
        self.low, self.high = float(near.min()), float(near.max())

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Part of each row."""
        width = (self.high - self.low) / self.n_parts
        if width == 0:
            return np.zeros(len(X), dtype=np.intp)
        near = brought_down(X[:, self.column], self._exponent)
        place = np.floor((near - self.low) / width)
        return np.clip(place, 0, self.n_parts - 1).astype(np.intp)


class HashRoute:
    """A part by the values of the row alone, at random otherwise.

    A draw for each call would give one row different answers.
    """

    def __init__(self, n_parts: int, seed: int):
        self.n_parts, self.seed = n_parts, seed

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Part of each row."""
        rows = np.ascontiguousarray(X, dtype="<f8") + 0.0  # -0.0 is 0.0
        return np.array([zlib.crc32(row.tobytes(), self.seed) % self.n_parts for row in rows],
                        dtype=np.intp)  # fmt: skip

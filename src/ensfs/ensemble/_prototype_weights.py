"""How much each expert of a mixture counts for a row, by the distances to their prototypes."""

from __future__ import annotations

import numpy as np

from ensfs.ensemble._distances import first_least


def static_weights(distances: np.ndarray) -> np.ndarray:
    """Weights 1, 2, ..., N from the farthest of N prototypes to the nearest, divided by their sum.

    Of equally near prototypes the first is nearer.
    """
    left = np.asarray(distances, dtype=np.float64).copy()
    n = left.shape[1]
    out = np.empty(left.shape)
    rows = np.arange(len(left))
    for k in range(n, 0, -1):
        found = first_least(left)
        out[rows, found] = k / (n * (n + 1) / 2)
        left[rows, found] = np.inf
    return out


def dynamic_weights(distances: np.ndarray) -> np.ndarray:
    """Weights that fall with the distance, ``(1 - d / sum(d)) / (N - 1)``; they sum to one.

    The paper prints ``1 - d / sum(d)``, which sums to N - 1. All weigh the same where all distances
    are 0.
    """
    distances = np.asarray(distances, dtype=np.float64)
    n = distances.shape[1]
    if n == 1:
        return np.ones(distances.shape)
    total = distances.sum(axis=1, keepdims=True)
    shares = np.divide(distances, total, out=np.full(distances.shape, 1 / n), where=total > 0)
    return (1 - shares) / (n - 1)


PROTOTYPE_WEIGHTS = {"static": static_weights, "dynamic": dynamic_weights}

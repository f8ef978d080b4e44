"""Powers of two that bring numbers near 1, so that their squares neither overflow nor vanish.

A product with a power of two is exact: what does not depend on the scale keeps every bit.
"""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import StandardScaler

#: Scaled cells stay below, so that sums of their squares are finite.
MOST = 1e150


def exponents(X: np.ndarray, axis: int | None = None) -> np.ndarray:
    """Exponents e such that the largest absolute number over an axis is below 2 ** e; 0 for 0."""
    return np.frexp(np.abs(X).max(axis=axis, initial=0.0))[1]


def brought_down(X: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Numbers divided by 2 ** `by`; those that would be beyond 1e150 are there."""
    with np.errstate(over="ignore"):
        return np.clip(np.ldexp(X, -by), -MOST, MOST)


class Standardizer(StandardScaler):
    """scikit-learn's scaler, for columns of any scale: means and deviations of 1e-300 or 1e300.

    `mean_`, `var_` and `scale_` are those of the columns divided by ``2 ** exponents_``.
    """

    def fit(self, X, y=None, sample_weight=None):
        """Learn means and deviations."""
        X = np.asarray(X, dtype=np.float64)
        self.exponents_ = exponents(X, axis=0)
        return super().fit(brought_down(X, self.exponents_), y, sample_weight)

    def transform(self, X, copy=None):
        """Standardized columns."""
        X = np.asarray(X, dtype=np.float64)
        return super().transform(brought_down(X, self.exponents_), copy)

"""Scores of masks without distances that are kept: for any classifier, and for large tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from ensfs.ensemble._mask_search import labels_in_blocks


class _HeldMask:
    """The mask, and how it changes."""

    def set_mask(self, mask: np.ndarray) -> None:
        """Take another mask."""
        self.mask = mask.copy()

    def flip(self, j: int) -> None:
        """Take column j into the mask, or out of it."""
        self.mask[j] = not self.mask[j]

    def _flipped(self, j: int | None) -> np.ndarray:
        """The mask as it is, or with one column flipped."""
        return self.mask if j is None else self.mask ^ (np.arange(self.mask.size) == j)


class FittedScores(_HeldMask):
    """Scores by fitting a classifier on the columns of each mask."""

    def __init__(
        self, estimator: Any, values: np.ndarray, codes: np.ndarray, train: np.ndarray,
        test: np.ndarray, loo: bool, measure: Any,
    ):  # fmt: skip
        self._estimator, self._values, self._codes = estimator, values, codes
        self._train, self._test, self._loo, self._measure = train, test, loo, measure

    def score(self, flipped: int | None = None) -> float:
        """Score of the mask as it is, or with one column flipped."""
        X = self._values[:, self._flipped(flipped)]
        if self._loo:
            labels = cross_val_predict(self._estimator, X, self._codes, cv=LeaveOneOut())
        else:
            fitted = clone(self._estimator).fit(X[self._train], self._codes[self._train])
            labels = fitted.predict(X[self._test])
        return self._measure(self._codes[self._test], labels)


class BlockScores(_HeldMask):
    """Scores by neighbours whose distances do not fit in memory: they are computed each time."""

    def __init__(
        self, truth: np.ndarray, measure: Any, test: np.ndarray, train: np.ndarray, y: np.ndarray,
        owners: np.ndarray, weights: np.ndarray, n_classes: int, k: int, max_bytes: int,
        leave_out: bool,
    ):  # fmt: skip
        self._truth, self._measure = truth, measure
        self._test, self._train, self._y = test, train, y
        self._owners, self._weights = owners, weights
        self._options = n_classes, k, max_bytes
        self._leave_out = leave_out

    def score(self, flipped: int | None = None) -> float:
        """Score of the mask as it is, or with one column flipped."""
        used = self._flipped(flipped)[self._owners]
        labels = labels_in_blocks(
            self._test[:, used], self._train[:, used], self._y, self._weights[used],
            *self._options, leave_out=self._leave_out,
        )  # fmt: skip
        return self._measure(self._truth, labels)

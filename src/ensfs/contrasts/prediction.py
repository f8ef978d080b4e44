"""What can be predicted from some columns: what ACE takes away from the target between rounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from threadpoolctl import threadpool_limits

from ensfs.data.bins import MISSING, NOMINAL
from ensfs.data.missing import observed_means
from ensfs.measures.forest import standardized

_N_FOLDS = 5


class Predictor:
    """Predictions of one target out of fold.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features)
        The columns in bins, or as levels.
    nominal : ndarray of shape (n_features,)
        Which of them have levels without an order, and which have missing cells.
    y : ndarray of shape (n_rows,)
        Numbers, or codes of classes.
    n_classes : int, optional
        Number of classes; None for numbers.
    min_samples_leaf : int
        Least number of rows in a leaf of boosted trees.
    seed : int
        Of the folds.
    weight : ndarray of shape (n_rows,), optional
        Weight of each row.
    """

    def __init__(
        self,
        codes: np.ndarray,
        nominal: np.ndarray,
        y: np.ndarray,
        n_classes: int | None,
        min_samples_leaf: int,
        seed: int,
        weight: np.ndarray | None = None,
    ):
        self.weight = weight
        self.codes, self.nominal = codes, nominal
        self.y, self.n_classes = y, n_classes
        self.min_samples_leaf, self.seed = min_samples_leaf, seed

    def predict(self, columns: list[int]) -> np.ndarray:
        """Prediction from some columns: a number, or class probabilities.

        Boosting adds up many weak effects badly, and a linear model sees nothing else. So the
        prediction is that mixture of both that has the least loss.
        """
        boosted = self.out_of_fold(with_gaps(self.codes[:, columns]), self.boosting(columns))
        ordered = [j for j in columns if self.nominal[j] != NOMINAL]
        if not ordered:
            return boosted
        scores = np.column_stack([scores_of_codes(self.codes[:, j], self.weight) for j in ordered])
        linear = self.out_of_fold(scores, self._linear())
        apart = boosted - linear
        weighted = apart if self.weight is None else apart * self.weight[:, None]
        square = float(np.sum(weighted * apart))
        share = np.sum(weighted * (self.wanted() - linear)) / square if square > 0.0 else 0.0
        return linear + np.clip(share, 0.0, 1.0) * apart

    def prior(self) -> np.ndarray:
        """The prediction from no column at all."""
        if self.n_classes is None:
            return np.full((self.y.size, 1), np.average(self.y, weights=self.weight))
        shares = self._shares(np.arange(self.y.size))
        return np.broadcast_to(shares, (self.y.size, shares.size))

    def _shares(self, rows: np.ndarray) -> np.ndarray:
        """Share of each class in some rows."""
        weight = np.ones(rows.size) if self.weight is None else self.weight[rows]
        return np.bincount(self.y[rows], weight, minlength=self.n_classes or 1) / weight.sum()

    def losses(self, prediction: np.ndarray) -> np.ndarray:
        """The loss of every row: squared error, or Brier's score."""
        return np.mean((self.wanted() - prediction) ** 2, axis=1)

    def wanted(self) -> np.ndarray:
        """What a perfect prediction would be."""
        wanted = self.y[:, None]
        return wanted if self.n_classes is None else wanted == np.arange(self.n_classes)

    def out_of_fold(self, X: np.ndarray, model: Any) -> np.ndarray:
        """What a model of the other rows predicts for each row."""
        y = self.y
        out = np.zeros((y.size, self.n_classes or 1))
        # one thread: the sums of a model must not depend on how rows are shared
        with threadpool_limits(limits=1):
            for train, test in self._folds():
                weights = {} if self.weight is None else {"sample_weight": self.weight[train]}
                if self.n_classes is None:
                    out[test, 0] = model.fit(X[train], y[train], **weights).predict(X[test])
                elif X.shape[1] and np.ptp(y[train]):
                    model.fit(X[train], y[train], **weights)
                    out[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
                else:
                    out[test] = self._shares(train)
        return out

    def _folds(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        y = self.y
        n_folds = min(_N_FOLDS, y.size)
        stratified = self.n_classes is not None and np.bincount(y).min() >= n_folds
        splitter = (StratifiedKFold if stratified else KFold)(
            n_folds, shuffle=True, random_state=self.seed
        )
        return splitter.split(y, y if stratified else None)

    def _linear(self) -> Any:
        return Ridge() if self.n_classes is None else LogisticRegression(max_iter=1000)

    def boosting(self, columns: list[int]) -> Any:
        """Boosted trees for some columns."""
        numeric = self.n_classes is None
        cls = HistGradientBoostingRegressor if numeric else HistGradientBoostingClassifier
        return cls(
            max_iter=100,
            max_depth=3,
            learning_rate=0.1,
            min_samples_leaf=self.min_samples_leaf,
            early_stopping=False,
            categorical_features=self.nominal[columns] == NOMINAL,
            random_state=self.seed,
        )


def with_gaps(codes: np.ndarray) -> np.ndarray:
    """Codes as they are, or as numbers with NaN for missing cells if there are any."""
    missing = codes == MISSING
    return np.where(missing, np.nan, codes.astype(np.float64)) if missing.any() else codes


def filled_codes(codes: np.ndarray) -> np.ndarray:
    """Codes as numbers, with the mean of its column for every missing cell."""
    numbers = with_gaps(codes).astype(np.float64)
    return np.where(np.isnan(numbers), observed_means(numbers), numbers)


def scores_of_codes(codes: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Normal scores of the codes of a column, 0 where a cell is missing."""
    seen = codes != MISSING
    if seen.all():
        return normal_scores(codes, weight)
    scores = np.zeros(codes.size)
    if seen.any():
        scores[seen] = normal_scores(codes[seen], None if weight is None else weight[seen])
    return scores


def normal_scores(values: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Normal quantiles of the ranks, with mean 0 and variance 1."""
    if weight is None:
        return standardized(stats.norm.ppf((stats.rankdata(values) - 0.5) / values.size))
    _, level = np.unique(values, return_inverse=True)
    totals = np.bincount(level, weight)
    middle = np.cumsum(totals) - totals / 2  # of the ranks of equal values
    # far from 0 and 1 as they are exactly, however small some weights
    shares = np.clip(middle / weight.sum(), np.finfo(float).eps, 1 - np.finfo(float).eps)
    return standardized(stats.norm.ppf(shares)[level], weight)

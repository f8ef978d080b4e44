"""What classifiers by Fisher's direction share: a direction for each pair of classes."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.pairs import eliminate
from ensfs._utils.sklearn import fit_context
from ensfs.data.target import make_classes
from ensfs.data.weights import existing_rows
from ensfs.fisher.whitening import best_threshold
from ensfs.training.numbers import read_numbers

#: Parameters and attributes of the estimators of this room.
FISHER_DOCS = COMMON_DOCS | read_descriptions("""
y : array-like of shape (n_samples,)
    Classes.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows: a row of weight 2 is two rows, and one of weight 0 is none.
threshold : {"mean", "middle"}, default="mean"
    Of the places of training rows that are best as thresholds, the mean, as published, or the
    lowest where the mean is worse; or the middle of the widest gap below one of them.
threshold_ : ndarray of shape (n_pairs,)
    Where a row is of the first class of a pair; below, it is of the second.
threshold_rule_ : list of str
    What each threshold is: "mean", "lowest" or "middle".
""")


#: A threshold is often the place of a row, which rounding may move by less than this share of all
#: places: such rows are not below it.
_SLACK = 1e-9


def read_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values, numbers of classes and weights of the rows that exist; sets `classes_`."""
    values = read_numbers(estimator, X, reset=True, least_rows=2)
    target = make_classes(y, len(values), estimator)
    existing = existing_rows(sample_weight, len(values))
    kept = slice(None) if existing.rows is None else existing.rows
    seen, numbers = np.unique(target.codes[kept], return_inverse=True)
    estimator.classes_ = target.classes[seen]
    weight = np.ones(len(numbers)) if existing.weight is None else existing.weight
    return values[kept], numbers, weight


def _has_two_classes(model: Any) -> bool:
    # not before fit: whoever compares two models after it must not count on margins
    return hasattr(model, "classes_") and len(model.classes_) == 2


@with_docs(FISHER_DOCS)
class FisherClassifier(ClassifierMixin, BaseEstimator):
    """A direction and a threshold for each pair of classes."""

    @abstractmethod
    def _direction(self, X: np.ndarray, is_first: np.ndarray, weight: np.ndarray, rng: Any) -> Any:
        """The direction of one pair of classes, whose rows have weights."""

    @abstractmethod
    def _place(self, direction: Any, X: np.ndarray) -> np.ndarray:
        """Places of rows on the line of a direction."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Find a direction and a threshold for each pair of classes.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        values, codes, weight = read_rows(self, X, y, sample_weight)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes in y; got one class, "
                f"{self.classes_[0]!r}."
            )
        pairs = list(combinations(range(len(self.classes_)), 2))
        seeds = child_seeds(getattr(self, "random_state", 0), len(pairs))
        self._pair_of = {pair: i for i, pair in enumerate(pairs)}
        self._directions, self.threshold_rule_ = [], []
        self.threshold_, self._slack = np.empty(len(pairs)), np.empty(len(pairs))
        for i, (a, b) in enumerate(pairs):
            rows = (codes == a) | (codes == b)
            is_first, of_rows = codes[rows] == a, weight[rows]
            rng = check_random_state(int(seeds[i].generate_state(1)[0]))
            direction = self._direction(values[rows], is_first, of_rows, rng)
            place = self._place(direction, values[rows])
            self.threshold_[i], rule = best_threshold(place, is_first, self.threshold, of_rows)
            self._slack[i] = _SLACK * np.ptp(place)
            self._directions.append(direction)
            self.threshold_rule_.append(rule)
        return self

    @available_if(_has_two_classes)
    def decision_function(self, X):
        """How far a row lies on the side of the second class; for two classes.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "threshold_")
        return self._below(0, read_numbers(self, X, reset=False))

    def predict(self, X):
        """The class of each row; of several, the one left when the losers of pairs are removed.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "threshold_")
        values = read_numbers(self, X, reset=False)
        winners, _ = eliminate(
            lambda a, b, rows: self._below(self._pair_of[a, b], values[rows]) > 0,
            np.arange(len(self.classes_)),
            len(values),
        )
        return self.classes_[winners]

    def _below(self, pair: int, X: np.ndarray) -> np.ndarray:
        """How far rows lie below the threshold of a pair."""
        places = self._place(self._directions[pair], X)
        return self.threshold_[pair] - self._slack[pair] - places

"""What experts for parts of the rows share: reading, fitting, routing, prior correction."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import CLASSIFIER_DOCS, read_descriptions, with_docs
from ensfs._utils.exponents import Standardizer, brought_down, exponents
from ensfs._utils.members import MostProbableMixin, aligned_proba, child_seeds
from ensfs._utils.sklearn import HasMethods, fit_context
from ensfs.data.target import make_classes
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._one_hot import NumberReader
from ensfs.ensemble._reading import read_weights

EXPERT_DOCS = CLASSIFIER_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table. Text and categories become a column of zeros and ones for each level.
estimator : classifier, optional
    What is fitted on each part; None is a logistic regression on standardized
    columns that is hardly penalised.
n_parts : int, default=4
    Number of parts.
clusterer : clusterer, optional
    What makes the clusters; None is k-means. New rows belong to the nearest mean.
correct_priors : bool, default=False
    Whether probabilities are corrected for the shares of the classes in the part, which differ
    from those of all rows (King and Zeng), as the paper says. It forgets what the part tells about
    the class: where parts differ in their shares, errors rise.
standardize : bool, default=False
    Whether columns have mean 0 and deviation 1 when clusters are made.
random_state : int, RandomState instance or Generator, optional
    For clusters and experts.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows; those of weight 0 are left out. Experts must take them.
n_jobs : int, optional
    Experts that are fitted at a time; None is one, -1 all cores. The result does not depend on it.
estimators_ : list of classifiers, or of None
    The expert of each part. None where its rows are of one class, which is then predicted with
    the smoothed share (n + t) / (n + 1), t the share of the class in all rows.
parts_ : list of ndarray of int
    The training rows of each part.
n_rows_ : ndarray of shape (n_parts,)
    Rows of each part in fit, with weights their sum. A part without rows is served by `overall_`.
priors_ : ndarray of shape (n_classes,)
    Share of each class in fit.
part_priors_ : ndarray of shape (n_parts, n_classes)
    The same in each part.
overall_ : classifier
    The classifier of all rows.
""")

EXPERT_CONSTRAINTS: dict = {
    "estimator": [HasMethods(["fit", "predict_proba"]), None],
    "correct_priors": ["boolean"],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class ScaledLogistic(LogisticRegression):
    """scikit-learn's logistic regression, on standardized columns."""

    def fit(self, X, y, sample_weight=None):
        """Fit the scaler and the regression."""
        self.scaler_ = Standardizer().fit(X, sample_weight=sample_weight)
        return super().fit(self.scaler_.transform(X), y, sample_weight)

    def decision_function(self, X):
        """Scores of the classes."""
        return super().decision_function(self.scaler_.transform(X))


@with_docs(EXPERT_DOCS)
class Experts(MostProbableMixin, NumberReader, BaseEstimator):
    """One expert for each part of the rows, and the way to it."""

    @abstractmethod
    def _divide(
        self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, rng: np.random.Generator
    ) -> tuple[Any, list[np.ndarray]]:
        """The way of new rows to parts, and the training rows of each part."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Divide the rows and fit an expert on each part.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        columns, values = self._read_both(X, reset=True)
        target = make_classes(y, len(values), self)
        self.classes_, codes = target.classes, target.codes.astype(np.intp)
        weight, kept = None, np.arange(len(values))
        if sample_weight is not None:
            weight = read_weights(sample_weight, len(values))
            kept = np.flatnonzero(weight)
            columns, values = self._without_levels(X, columns, values, kept)
            found, codes = np.unique(codes[kept], return_inverse=True)
            self.classes_, weight = self.classes_[found], weight[kept]
        n_classes = self.classes_.size
        if n_classes < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {n_classes} class."
            )
        of_parts, of_members = child_seeds(self.random_state, 2)
        self._scaler = Standardizer().fit(values, sample_weight=weight)
        self._exponent = exponents(values)
        self._route, rows = self._divide(values, codes, weight, np.random.default_rng(of_parts))
        self.parts_ = [kept[part] for part in rows]
        counts = np.stack([_counts(codes, weight, n_classes, part) for part in rows])
        self.n_rows_ = counts.sum(axis=1)
        overall = _counts(codes, weight, n_classes)
        self.priors_ = overall / overall.sum()
        smoothed = (counts + self.priors_) / (self.n_rows_[:, None] + 1)
        there = self.n_rows_[:, None] > 0
        shares = counts / np.where(there, self.n_rows_[:, None], 1)
        self.part_priors_ = np.where(there, shares, self.priors_)
        fitted = np.flatnonzero((counts > 0).sum(axis=1) > 1)
        seeds = of_members.spawn(len(rows) + 1)
        tasks = [Task(seeds[k], rows=rows[k]) for k in fitted] + [Task(seeds[-1])]
        *experts, self.overall_ = fit_members(
            self._member(), tasks, values, codes, sample_weight=weight, n_jobs=self.n_jobs
        )
        self.estimators_ = [None] * len(rows)
        for k, expert in zip(fitted, experts, strict=True):
            self.estimators_[k] = expert
        self._constant = smoothed
        return self

    def _member(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return ScaledLogistic(C=1e6, max_iter=1000)

    def _for_clusters(self, X: np.ndarray) -> np.ndarray:
        """The rows as k-means gets them; dividing all by a power of two changes no cluster."""
        if not hasattr(self, "standardize"):
            return X
        return self._scaler.transform(X) if self.standardize else brought_down(X, self._exponent)

    def route(self, X):
        """Part of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        check_is_fitted(self, "estimators_")
        return self._route(self._for_clusters(self._read(X, reset=False)))

    def predict_proba(self, X):
        """Probability of every class, by the expert of each row's part.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        values = self._read(X, reset=False)
        parts = self._route(self._for_clusters(values))
        out = np.empty((len(values), self.classes_.size))
        every = np.arange(self.classes_.size)
        for k in np.unique(parts):
            rows = np.flatnonzero(parts == k)
            expert = self.estimators_[k]
            if expert is not None:
                proba = aligned_proba(expert, values[rows], every)
                out[rows] = self._corrected(proba, self.part_priors_[k])
            elif self.n_rows_[k]:
                out[rows] = self._constant[k]
            else:
                out[rows] = aligned_proba(self.overall_, values[rows], every)
        return out

    def _corrected(self, proba: np.ndarray, shares: np.ndarray) -> np.ndarray:
        return correct_priors(proba, shares, self.priors_) if self.correct_priors else proba

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _counts(
    codes: np.ndarray, weight: np.ndarray | None, n_classes: int, rows: Any = slice(None)
) -> np.ndarray:
    """Rows of each class, or the sums of their weights."""
    weights = None if weight is None else weight[rows]
    return np.bincount(codes[rows], weights, minlength=n_classes)


def correct_priors(proba: np.ndarray, shares: np.ndarray, priors: np.ndarray) -> np.ndarray:
    """Probabilities from rows with other shares of the classes than all rows have.

    For two classes and a logistic regression it is the corrected intercept
    ``b - ln((1 - t) / t * s / (1 - s))``, with t the share of the class in all rows and s in those
    of fit; in general a factor ``priors / shares`` for each class.

    Parameters
    ----------
    proba : ndarray of shape (n_rows, n_classes)
        Probabilities.
    shares, priors : ndarray of shape (n_classes,)
        Shares of the classes in the rows that they come from, and in all.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
    """
    factor = np.divide(priors, shares, out=np.zeros_like(priors), where=shares > 0)
    scaled = proba * factor
    totals = scaled.sum(axis=1, keepdims=True)
    return np.divide(scaled, totals, out=proba.copy(), where=totals > 0)

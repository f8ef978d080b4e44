"""A forest pruned by accuracy and diversity."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold

from ensfs._utils.combine import prefix_means
from ensfs._utils.docs import with_docs
from ensfs._utils.folds import list_folds
from ensfs._utils.members import child_seeds
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import Interval, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs.ensemble._orders import accuracy_and_distance, by_fitness, fitness, prefix_right
from ensfs.ensemble._pruned import PRUNING_DOCS, PrunedEnsemble
from ensfs.ensemble._voting import vote_of

#: Scores that differ by less are equal.
_TIED = 1e-12


@dataclass(frozen=True)
class _Fold:
    """Members of one fold; for each weight their order, and the scores of so many first ones."""

    members: list[Any]
    right: np.ndarray
    distance: np.ndarray
    orders: list[np.ndarray]
    sizes: np.ndarray
    curves: list[np.ndarray]


@with_docs(PRUNING_DOCS)
class FitSelectClassifier(PrunedEnsemble):
    r"""A random forest pruned by accuracy and diversity of its trees (FitSelect).

    In each of a few folds a forest is grown on the training part, and its trees are ordered by
    fitness on the validation part, :math:`\alpha\, a / \max a + (1 - \alpha)\, d / \max d`, with
    the accuracy :math:`a` of a tree and its mean Hamming distance :math:`d` from the others. The
    first trees whose vote is best are kept; of all weights :math:`\alpha` the one is taken that
    gives the best mean over the folds. The trees that all folds kept vote together.

    Parameters
    ----------
    {estimator, n_estimators}
    cv : int, splitter or iterable, default=3
        The folds; a number makes stratified ones that are shuffled.
    alphas : int, default=11
        How many weights are tried, evenly from 0 (diversity alone) to 1 (accuracy alone).
    step : int, default=1
        Numbers of members that are tried: multiples of it, and all. The tables of the paper show
        multiples of 10.
    scoring : str or callable, optional
        What the number of members and the weight are chosen by, from shares of votes; None is the
        accuracy. The fitness stays as it is.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    {estimators_, estimators_features_}
    alpha_ : float
        The weight of accuracy that was chosen, the smallest of equally good ones.
    accuracy_path_ : ndarray of shape (n_alphas,)
        Mean over the folds of the best validation score with each weight.
    n_selected_ : ndarray of int, shape (n_folds,)
        Members kept in each fold, as few as give the best score.
    fitness_ : list of ndarray
        Fitness of all members in each fold, with the chosen weight.
    prefix_scores_ : list of ndarray
        Validation score in each fold of the first members, by their number (one, two, ...; or
        `step`, twice that, ...), with the chosen weight.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ForwardSelectionClassifier : Adds the member that helps most, again and again.
    ensfs.ensemble.order_members : The order, and others, from predictions.

    Notes
    -----
    Sample weights are not taken: folds and bootstraps draw rows.

    References
    ----------
    H. Elghazel, A. Aussem and F. Perraud (2011), Trading-off diversity and accuracy for optimal
    ensemble tree selection in random forests, in Ensembles in machine learning applications,
    Springer.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import FitSelectClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FitSelectClassifier(n_estimators=100, random_state=0).fit(X[::2], y[::2])
    >>> len(model.estimators_) < 150, model.score(X[1::2], y[1::2]) > 0.93
    (True, True)
    """

    _parameter_constraints: dict = {
        **PrunedEnsemble._parameter_constraints,
        "cv": ["cv_object"],
        "alphas": [Interval(Integral, 2, None, closed="left")],
        "step": [Interval(Integral, 1, None, closed="left")],
        "scoring": [str, callable, None],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=500,
        *,
        cv=3,
        alphas=11,
        step=1,
        scoring=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.cv = cv
        self.alphas = alphas
        self.step = step
        self.scoring = scoring
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Grow members in each fold and keep the best.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : FitSelectClassifier
            The fitted ensemble.
        """
        values, codes = self._read_all(X, y)
        of_folds, of_members = child_seeds(self.random_state, 2)
        folds = self._folds(values, codes, of_folds)
        weights = [Fraction(i, self.alphas - 1) for i in range(self.alphas)]
        seeds = of_members.spawn(len(folds))
        found = [
            self._fold(values, codes, folds[i][0], folds[i][1], weights, seeds[i])
            for i in counted("growing folds", len(folds), range(len(folds)))
        ]
        best = np.array([[curve.max() for curve in fold.curves] for fold in found])
        self.accuracy_path_ = best.mean(axis=0)
        chosen = _first_best(self.accuracy_path_)
        self.alpha_ = float(weights[chosen])
        kept, sizes = [], []
        for fold in found:
            size = fold.sizes[_first_best(fold.curves[chosen])]
            sizes.append(size)
            kept += [fold.members[m] for m in fold.orders[chosen][:size]]
        self.n_selected_ = np.array(sizes)
        self.fitness_ = [fitness(fold.right, fold.distance, weights[chosen]) for fold in found]
        self.prefix_scores_ = [fold.curves[chosen] for fold in found]
        self._keep(kept)
        return self

    def _folds(self, values: np.ndarray, codes: np.ndarray, seed: Any) -> Any:
        cv = self.cv
        if isinstance(cv, Integral):
            state = int(seed.generate_state(1)[0] >> 1)
            cv = StratifiedKFold(int(cv), shuffle=True, random_state=state)
        return list_folds(cv, values, codes, classifier=True)

    def _fold(
        self, values: np.ndarray, codes: np.ndarray, train: np.ndarray, test: np.ndarray,
        weights: list[Fraction], seed: Any,
    ) -> _Fold:  # fmt: skip
        """Members of one fold, their order with each weight, and the scores of the first ones."""
        members = self._library(values, codes, train, seed)
        votes = np.array([vote_of(*member, values[test]) for member in members])
        n_classes = self.classes_.size
        right, distance = accuracy_and_distance(votes, codes[test], n_classes)
        orders = [by_fitness(right, distance, weight) for weight in weights]
        sizes = np.arange(self.step, len(members) + 1, self.step)
        if not sizes.size or sizes[-1] != len(members):
            sizes = np.append(sizes, len(members))
        if self.scoring is None:
            n_threads = effective_n_threads(self.n_jobs)
            n_right = prefix_right(votes, codes[test], n_classes, orders, n_threads)
            curves = list(n_right[:, sizes - 1] / test.size)
        else:
            curves = [
                _scores_of_shares(votes[order], codes[test], n_classes, sizes, self.scoring)
                for order in orders
            ]
        return _Fold(members, right, distance, orders, sizes, curves)


def _first_best(scores: np.ndarray) -> int:
    """Place of the first score that is the best but for rounding."""
    return int(np.argmax(scores >= scores.max() - _TIED))


class _Shares(ClassifierMixin, BaseEstimator):
    """A classifier whose table holds the shares of votes."""

    def __init__(self, n_classes):
        self.n_classes = n_classes

    @property
    def classes_(self) -> np.ndarray:
        """Numbers of the classes."""
        return np.arange(self.n_classes)

    def fit(self, X, y):
        """Nothing is left to fit."""
        return self

    def predict_proba(self, X):
        """The shares."""
        return X

    def predict(self, X):
        """The class with the largest share."""
        return X.argmax(axis=1)


def _scores_of_shares(
    votes: np.ndarray, truth: np.ndarray, n_classes: int, sizes: np.ndarray, scoring: Any
) -> np.ndarray:
    """Scores of the shares of votes of the first members, for each number of them."""
    model = _Shares(n_classes)
    scorer = check_scoring(model, scoring=scoring)
    one_hot = np.eye(n_classes)
    stages = prefix_means((one_hot[each] for each in votes), np.ones(len(votes)))
    wanted = set(sizes.tolist())
    return np.array(
        [scorer(model, stage, truth) for size, stage in enumerate(stages, 1) if size in wanted]
    )

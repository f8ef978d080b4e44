"""Members of an ensemble that are asked about a row: those that are right about rows like it."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.combine import out_of_bag
from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.members import child_seeds, seeded_clone
from ensfs._utils.sklearn import HasMethods, Interval, fit_context
from ensfs.ensemble._reading import TableEnsemble


@with_docs(COMMON_DOCS)
class InstancePruningClassifier(ClassifierMixin, TableEnsemble):
    """An ensemble of which each row asks the members that are right about rows like it.

    For each training row and each member that has not seen it, it is known whether the member is
    right: a table of labels, one for each member. Nearest neighbours predict these labels for a new
    row; the members that are expected to be right vote.

    Parameters
    ----------
    estimator : ensemble of classifiers, optional
        With ``estimators_`` and ``estimators_samples_`` after `fit`, such as `BaggingClassifier`
        or a forest; None is a bagging of 50 trees.
    n_neighbors : int, default=10
        Rows whose members are asked about; all if there are fewer.
    threshold : float, default=0.5
        Share of its neighbours that a member must be more often right about to vote; if there is
        none, all members vote.
    random_state : int, RandomState instance or Generator, optional
        For the ensemble.
    n_jobs : int, optional
        Members that are fitted at a time, if the ensemble takes it; None is one, -1 all cores.
    {verbose}

    Attributes
    ----------
    estimator_ : ensemble
        The fitted ensemble.
    competence_ : ndarray of shape (n_samples, n_members)
        1 where a member is right about a row that it has not seen, 0 where it is wrong, NaN where
        it was fitted on the row.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    {n_features_in_, feature_names_in_}

    Notes
    -----
    Distances are those of the columns as they are: scale them. Neighbours that a member has seen
    tell nothing about it; where it has seen all of them, it counts by its share of right answers.

    References
    ----------
    G. Tsoumakas (2010), Ensembles for multi-label classification, and multi-label learning for
    ensembles, invited talk, SUEMA workshop.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import InstancePruningClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> model = InstancePruningClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> bool(model.n_asked(X).min() < 50)  # of 50 members
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_neighbors=10,
        threshold=0.5,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.threshold = threshold
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _member(self) -> Any:
        return BaggingClassifier(n_estimators=50) if self.estimator is None else self.estimator

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit the ensemble and see about which rows its members are right.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        _, values = self._read(X, reset=True)
        labels = self._read_labels(y, len(values))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        (seed,) = child_seeds(self.random_state, 1)
        ensemble = seeded_clone(self._member(), seed)
        if self.n_jobs is not None and "n_jobs" in ensemble.get_params():
            ensemble.set_params(n_jobs=self.n_jobs)
        self.estimator_ = ensemble.fit(values, codes)
        for needed in ("estimators_", "estimators_samples_"):
            if not hasattr(self.estimator_, needed):
                raise ValueError(
                    f"estimator must have {needed} after fit, so that rows are known that members "
                    f"have not seen; got {self.estimator!r}."
                )
        unseen = out_of_bag(self.estimator_.estimators_samples_, len(values)).T
        self.competence_ = np.where(unseen, self._votes(values) == codes[:, None], np.nan)
        right = np.where(unseen, self.competence_, 0.0)
        # smoothed, for members that have seen all rows
        self._right_shares = (right.sum(axis=0) + 1) / (unseen.sum(axis=0) + 2)
        n_neighbors = min(self.n_neighbors, len(values))
        self._neighbours = NearestNeighbors(n_neighbors=n_neighbors).fit(values)
        return self

    def _votes(self, values: np.ndarray) -> np.ndarray:
        """Class number that each member predicts, a column for each."""
        columns = getattr(self.estimator_, "estimators_features_", None)
        members = self.estimator_.estimators_
        votes = [
            member.predict(values if columns is None else values[:, columns[m]])
            for m, member in enumerate(members)
        ]
        return np.stack(votes, axis=1).astype(np.intp)

    def _asked(self, values: np.ndarray) -> np.ndarray:
        """Which members are asked about each row."""
        nearest = self._neighbours.kneighbors(values, return_distance=False)
        known = ~np.isnan(self.competence_[nearest])
        right = np.where(known, self.competence_[nearest], 0.0).sum(axis=1)
        n_known = known.sum(axis=1)
        share = np.where(n_known > 0, right / np.maximum(n_known, 1), self._right_shares)
        asked = share > self.threshold
        asked[~asked.any(axis=1)] = True
        return asked

    def n_asked(self, X):
        """Number of members that are asked about each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of int, shape (n_samples,)
        """
        check_is_fitted(self, "competence_")
        return self._asked(self._read(X, reset=False)[1]).sum(axis=1)

    def predict_proba(self, X):
        """Share of the members asked that vote for each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "competence_")
        _, values = self._read(X, reset=False)
        asked, votes = self._asked(values), self._votes(values)
        shares = [((votes == c) & asked).sum(axis=1) for c in range(len(self.classes_))]
        return np.stack(shares, axis=1) / asked.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The class with the most votes; of equal ones the first in `classes_`.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "competence_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # distances have no meaning for missing values
        return tags

"""Several labels of a row, from the classes that their combinations are."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds, seeded_clone
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs.codes._base import dealt_folds
from ensfs.codes.ecoc import ECOCClassifier
from ensfs.codes.probabilities import platt_scaling
from ensfs.ensemble._labels import LABEL_CONSTRAINTS, LABEL_DOCS, LabelClassifier


@with_docs(LABEL_DOCS)
class LabelGroupClassifier(LabelClassifier):
    """Labels of a row by the groups in which they occur, with calibrated probabilities.

    Every combination of labels is a class for one classifier. The score of a label is the sum of
    the scores of the classes that have it, which Platt's scaling makes a probability.

    Parameters
    ----------
    estimator : classifier, optional
        What tells the groups apart, with ``decision_function`` or ``predict_proba``; None is an
        `ECOCClassifier` with weights by separability, bootstrap and the decoding "l1".
    groups : array-like of bool, shape (n_groups, n_labels), optional
        The groups that are classes; a row of other labels counts for the nearest of them. None
        takes those that occur in fit.
    calibrate : "train" or int, default="train"
        Whether Platt's scaling learns from the scores of training rows, as published, or from those
        of a number of folds, which is better.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier of groups.
    labels_ : ndarray of shape (n_labels,)
        The labels: names of the columns of `y`, or their numbers; of one dimension, the classes.
    groups_ : ndarray of bool, shape (n_groups, n_labels)
        The labels of each group.
    slopes_, intercepts_ : ndarray of shape (n_labels,)
        Of Platt's scaling.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    RandomLabelsetsClassifier : Small sets of labels, many of them.

    References
    ----------
    R. S. Smith and T. Windeatt (2010), Facial expression detection using filtered local binary
    pattern features with ECOC classifiers and Platt scaling, JMLR W&CP 11.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from ensfs import LabelGroupClassifier
    >>> X, Y = make_multilabel_classification(300, n_classes=4, random_state=0)
    >>> model = LabelGroupClassifier(LinearDiscriminantAnalysis()).fit(X[::2], Y[::2])
    >>> model.predict_proba(X[1::2]).shape
    (150, 4)
    >>> bool((model.predict(X[1::2]) == Y[1::2]).mean() > 0.7)
    True
    """

    _parameter_constraints: dict = {
        **LABEL_CONSTRAINTS,
        "estimator": [HasMethods(["fit", "predict"]), None],
        "groups": ["array-like", None],
        "calibrate": [StrOptions({"train"}), Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        groups=None,
        *,
        calibrate="train",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.groups = groups
        self.calibrate = calibrate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _member(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return ECOCClassifier(
            weights="separability", bootstrap=True, decoding="l1", n_jobs=self.n_jobs
        )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the classifier of groups and scale the scores of the labels.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        values, labels, weight = self._read_all(X, y, sample_weight)
        self.labels_ = self.classes_ if self._one_class_each else _label_names(y, labels.shape[1])
        self.groups_ = self._make_groups(labels)
        group = _nearest_group(labels, self.groups_)
        (seed,) = child_seeds(self.random_state, 1)
        member = seeded_clone(self._member(), seed)
        self.estimator_ = self._fitted(member, values, group, weight)
        if isinstance(self.calibrate, str):
            scores = self._scores(self.estimator_, values)
        else:
            scores = np.empty(labels.shape)
            folds = dealt_folds(group, int(self.calibrate))
            for fold in np.unique(folds):
                seen = folds != fold
                of_seen = None if weight is None else weight[seen]
                rest = self._fitted(clone(member), values[seen], group[seen], of_seen)
                scores[~seen] = self._scores(rest, values[~seen])
        scales = [platt_scaling(scores[:, k], labels[:, k], weight) for k in range(labels.shape[1])]
        self.slopes_, self.intercepts_ = np.array(scales).T.copy()
        return self

    def _make_groups(self, labels: np.ndarray) -> np.ndarray:
        """The groups that are given, or those that occur."""
        if self.groups is None:
            return np.unique(labels, axis=0)
        groups = np.asarray(self.groups)
        if groups.ndim != 2 or groups.shape[1] != labels.shape[1] or len(groups) < 1:
            raise ValueError(
                f"groups must have a column for each of the {labels.shape[1]} labels; got shape "
                f"{groups.shape}."
            )
        if not np.isin(groups, (0, 1)).all() or len(np.unique(groups, axis=0)) < len(groups):
            raise ValueError("groups must hold different rows of 0 and 1.")
        return groups.astype(bool)

    def _fitted(
        self, member: Any, values: np.ndarray, group: np.ndarray, weight: np.ndarray | None
    ) -> Any:
        """A classifier of groups; the number of the group where there is only one."""
        if len(np.unique(group)) == 1:
            return int(group[0])
        weights = {} if weight is None else {"sample_weight": weight}
        return member.fit(values, group, **weights)

    def _scores(self, member: Any, values: np.ndarray) -> np.ndarray:
        """Scores of the labels: sums over the groups that have them, by the number of groups."""
        n_groups = len(self.groups_)
        of_groups = np.zeros((len(values), n_groups))
        if isinstance(member, int):
            of_groups[:, member] = 1.0
        else:
            if hasattr(member, "decision_function"):
                scores = member.decision_function(values)
            else:
                scores = member.predict_proba(values)
            if scores.ndim == 1:  # for two groups, one margin
                scores = np.stack([-scores / 2, scores / 2], axis=1)
            of_groups[:, member.classes_] = scores
        return of_groups @ self.groups_ / n_groups

    def label_scores(self, X):
        """Scores of the labels before scaling: sums of those of groups, by the number of groups.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self, "slopes_")
        return self._scores(self.estimator_, self._read(X, reset=False)[1])

    def _label_probabilities(self, values: np.ndarray) -> np.ndarray:
        scores = self._scores(self.estimator_, values)
        return expit(-(self.slopes_ * scores + self.intercepts_))


def _label_names(y: Any, n_labels: int) -> np.ndarray:
    """Names of the columns of a frame, or numbers."""
    names = getattr(y, "columns", None)
    return np.arange(n_labels) if names is None else np.asarray(names)


def _nearest_group(labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The group that differs in the fewest labels, of equal ones the first."""
    rows, of_groups = labels.astype(np.int64), groups.astype(np.int64)
    differing = rows @ (1 - of_groups).T + (1 - rows) @ of_groups.T
    return differing.argmin(axis=1)

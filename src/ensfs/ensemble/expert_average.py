"""The mean of several classifiers that divide the rows in different ways."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import with_docs
from ensfs._utils.members import MostProbableMixin, aligned_proba, child_seeds, seeded_clone
from ensfs._utils.sklearn import Interval, fit_context
from ensfs.data.columns import read_columns
from ensfs.data.frames import take
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.target import make_classes
from ensfs.ensemble._experts import EXPERT_DOCS
from ensfs.ensemble._fit import check_takes_weights
from ensfs.ensemble._reading import read_weights
from ensfs.ensemble.experts import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    IntervalExpertsClassifier,
)
from ensfs.training.contract import refuse_blocks


@with_docs(EXPERT_DOCS)
class ExpertAverageClassifier(MostProbableMixin, BaseEstimator):
    """The mean of the probabilities of several experts, by default of three ways to divide rows.

    Parameters
    ----------
    experts : list of classifiers, optional
        What is averaged. None is a `ClusterExpertsClassifier`, a `ClassClusterExpertsClassifier`
        and an `IntervalExpertsClassifier`, with `n_parts` parts each.
    n_parts : int, default=4
        Parts of the default experts; the clusters of each class are its root by the number of
        classes, rounded: two for 4 parts and two or three classes, one for more classes.
    random_state : int, RandomState instance or Generator, optional
        For the seeds of the experts.
    n_jobs : int, optional
        Experts that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted experts. They predict the numbers of the classes.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ClusterExpertsClassifier : One of them.

    References
    ----------
    I. Žliobaitė (2011), Three data partitioning strategies for building local classifiers, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs import ExpertAverageClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExpertAverageClassifier(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _parameter_constraints: dict = {
        "experts": [list, tuple, None],
        "n_parts": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(self, experts=None, n_parts=4, *, random_state=None, n_jobs=None, verbose=0):
        self.experts = experts
        self.n_parts = n_parts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the experts.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        columns = self._check(X, reset=True)
        target = make_classes(y, columns.n_rows, self)
        self.classes_, codes = target.classes, target.codes
        weights: dict[str, np.ndarray] = {}
        if sample_weight is not None:
            weight = read_weights(sample_weight, columns.n_rows)
            kept = np.flatnonzero(weight)
            found, codes = np.unique(codes[kept], return_inverse=True)
            X, self.classes_ = take(X, kept), self.classes_[found]
            weights["sample_weight"] = weight[kept]
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {self.classes_.size} class."
            )
        members = self._make(self.classes_.size)
        seeds = child_seeds(self.random_state, len(members))
        if weights:
            for member in members:
                check_takes_weights(member)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(seeded_clone(member, seed).fit)(X, codes, **weights)
            for member, seed in zip(members, seeds, strict=True)
        )
        return self

    def _make(self, n_classes: int) -> list[Any]:
        """The experts, not fitted."""
        if self.experts is None:
            return [
                ClusterExpertsClassifier(n_parts=self.n_parts),
                ClassClusterExpertsClassifier(n_clusters=round(self.n_parts ** (1 / n_classes))),
                IntervalExpertsClassifier(n_parts=self.n_parts),
            ]
        members = list(self.experts)
        if not members or not all(hasattr(member, "predict_proba") for member in members):
            raise ValueError(
                f"experts must hold classifiers with predict_proba; got {self.experts!r}."
            )
        return members

    def _check(self, X: Any, reset: bool) -> Any:
        """The columns of the table, which the experts read themselves."""
        refuse_blocks(self, X)
        refuse_sparse(self, X)
        columns = read_columns(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if reset and columns.n_rows < 2:
            raise ValueError(
                f"Found array with {columns.n_rows} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        return columns

    def predict_proba(self, X):
        """Mean of the probabilities of the experts.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        self._check(X, reset=False)
        every = np.arange(self.classes_.size)
        return np.mean([aligned_proba(each, X, every) for each in self.estimators_], axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

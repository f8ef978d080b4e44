"""Random oracles: models for parts of the rows, and random prototypes that choose between them."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.members import aligned_proba, child_seeds
from ensfs._utils.sklearn import HasMethods, Interval, fit_context
from ensfs._utils.tags import input_tags
from ensfs.data.columns import read_columns
from ensfs.data.frames import take
from ensfs.ensemble._distances import MixedScaler, nearest
from ensfs.ensemble._fit import Task, check_takes_weights, fit_members
from ensfs.ensemble._reading import TableEnsemble, read_weights

#: Parameters and attributes of both oracles.
ORACLE_DOCS = COMMON_DOCS | read_descriptions("""
n_prototypes : int, default=2
    Rows of the training data that divide the space: every row belongs to the nearest. Two are a
    random hyperplane, the linear oracle.
random_state : int, RandomState instance or Generator, optional
    Draws the prototypes, and seeds the members.
n_jobs : int, optional
    Members that are fitted at a time; None is one, -1 all cores. The result does not depend on it.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows, for members that take them; rows of weight 0 are left out.
prototypes_ : ndarray of shape (n_prototypes, n_coordinates)
    The prototypes, in coordinates in which columns of numbers go from 0 to 1 and levels of text are
    one unit apart. There are fewer if fewer rows differ.
n_rows_ : ndarray of int, shape (n_prototypes,)
    Rows in fit of each member.
""")


class _RandomOracle(TableEnsemble):
    """Members on the rows nearest to each of some random rows."""

    _default_member: Any = None
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_prototypes": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, estimator=None, *, n_prototypes=2, random_state=None, n_jobs=None, verbose=0
    ):
        self.estimator = estimator
        self.n_prototypes = n_prototypes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _member(self) -> Any:
        return self._default_member if self.estimator is None else self.estimator

    def _divide(
        self, X: Any, columns: Any, values: np.ndarray, y: np.ndarray, sample_weight: Any
    ) -> tuple[Any, ...]:
        """Values, target and weights without rows of weight 0, their side, and a seed."""
        weight = None
        if sample_weight is not None:
            check_takes_weights(self._member())
            weight = read_weights(sample_weight, len(values))
            rows = np.nonzero(weight)[0]
            columns = read_columns(take(X, rows=rows))
            values, y, weight = values[rows], y[rows], weight[rows]
        of_prototypes, of_members = child_seeds(self.random_state, 2)
        self._scaler = MixedScaler().fit(columns)
        points = self._scaler.transform(columns)
        # the order of the rows, and how often one is there, must not matter
        distinct = np.unique(points, axis=0)
        n = min(self.n_prototypes, len(distinct))
        drawn = np.random.default_rng(of_prototypes).choice(len(distinct), size=n, replace=False)
        self.prototypes_ = distinct[drawn]
        side = nearest(points, self.prototypes_)
        self.n_rows_ = np.bincount(side, minlength=n)
        return values, y, weight, side, of_members

    def _fit_sides(
        self, values: np.ndarray, y: np.ndarray, weight: Any, side: np.ndarray, seed: Any
    ) -> None:
        """One member for each prototype; all have rows, since a prototype is one."""
        seeds = seed.spawn(len(self.prototypes_))
        tasks = [Task(seeds[s], rows=np.nonzero(side == s)[0]) for s in range(len(seeds))]
        self.estimators_ = fit_members(
            self._member(), tasks, values, y, sample_weight=weight, n_jobs=self.n_jobs
        )

    def _by_side(self, X: Any, empty: np.ndarray, opinion: Any) -> np.ndarray:
        """What the member of each row says of it, written into an array of so many rows."""
        side, values = self._sides(X)
        out = np.repeat(empty, len(values), axis=0)
        for s, member in enumerate(self.estimators_):
            rows = np.nonzero(side == s)[0]
            if rows.size:
                out[rows] = opinion(member, values[rows])
        return out

    def _sides(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "estimators_")
        columns, values = self._read(X, reset=False)
        return nearest(self._scaler.transform(columns), self.prototypes_), values

    def route(self, X):
        """Which member is asked.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            Number of the nearest prototype, the first of equally near ones.
        """
        return self._sides(X)[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_member = input_tags(self._member())
        tags.input_tags.string = of_member.string
        tags.input_tags.categorical = of_member.categorical
        return tags


@with_docs(ORACLE_DOCS)
class RandomOracleRegressor(RegressorMixin, _RandomOracle):
    """Regressors for parts of the rows; random prototypes choose between them.

    The rows nearest to each of two (or more) random training rows get a regressor of their own. It
    is meant as the member of another ensemble, ``BaggingRegressor(RandomOracleRegressor())``: the
    random division makes members more different, and each of them only has to fit a part.

    Parameters
    ----------
    estimator : regressor, optional
        What is fitted on each part; None is a regression tree.
    {n_prototypes, random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of regressors
        The member of each prototype.
    {prototypes_, n_rows_, n_features_in_, feature_names_in_}

    See Also
    --------
    RandomOracleClassifier : The same for classes.
    IteratedBaggingRegressor, ReweightedAdaBoostRegressor : Ensembles to put it into.

    References
    ----------
    L. I. Kuncheva and J. J. Rodríguez (2007), Classifier ensembles with a random linear oracle,
    IEEE Transactions on Knowledge and Data Engineering 19, 500-508; C. Pardo, J. J. Rodríguez,
    J. F. Díez-Pastor and C. García-Osorio (2011), Random oracles for regression ensembles, in
    Ensembles in machine learning applications, Springer.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import BaggingRegressor
    >>> from ensfs import RandomOracleRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> bagging = BaggingRegressor(RandomOracleRegressor(), 30, random_state=0)
    >>> bagging.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.35
    True
    """

    _default_member = DecisionTreeRegressor()

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Draw the prototypes and fit a regressor for each.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Numbers.
        {sample_weight}

        Returns
        -------
        self : RandomOracleRegressor
            The fitted oracle.
        """
        columns, table = self._read(X, reset=True)
        numbers = self._read_numbers(y, columns.n_rows)
        self._fit_sides(*self._divide(X, columns, table, numbers, sample_weight))
        return self

    def predict(self, X):
        """What the member of each row predicts.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        return self._by_side(X, np.zeros(1), lambda member, values: member.predict(values))


def _members_have_probabilities(oracle: Any) -> bool:
    return hasattr(oracle._member(), "predict_proba")


@with_docs(ORACLE_DOCS)
class RandomOracleClassifier(ClassifierMixin, _RandomOracle):
    """Classifiers for parts of the rows; random prototypes choose between them.

    The rows nearest to each of two (or more) random training rows get a classifier of their own. It
    is meant as the member of another ensemble, ``BaggingClassifier(RandomOracleClassifier())``: the
    random division makes members more different, and each of them only has to fit a part.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted on each part; None is a decision tree. A part of one class gets a
        `DummyClassifier`, since many classifiers refuse it.
    {n_prototypes, random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of classifiers
        The member of each prototype.
    {prototypes_, n_rows_}
    classes_ : ndarray of shape (n_classes,)
        The classes.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    RandomOracleRegressor : The same for numbers.

    References
    ----------
    L. I. Kuncheva and J. J. Rodríguez (2007), Classifier ensembles with a random linear oracle,
    IEEE Transactions on Knowledge and Data Engineering 19, 500-508.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import BaggingClassifier
    >>> from ensfs import RandomOracleClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> bagging = BaggingClassifier(RandomOracleClassifier(), 30, random_state=0)
    >>> bagging.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _default_member = DecisionTreeClassifier()

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Draw the prototypes and fit a classifier for each.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.
        {sample_weight}

        Returns
        -------
        self : RandomOracleClassifier
            The fitted oracle.
        """
        columns, table = self._read(X, reset=True)
        labels = self._read_labels(y, columns.n_rows)
        values, labels, weight, side, seed = self._divide(X, columns, table, labels, sample_weight)
        self.classes_ = np.unique(labels)
        single = [np.unique(labels[side == s]).size == 1 for s in range(len(self.prototypes_))]
        if self.estimator is None or not any(single):
            self._fit_sides(values, labels, weight, side, seed)
            return self
        seeds = seed.spawn(len(single))
        self.estimators_ = []
        for s, alone in enumerate(single):
            task = Task(seeds[s], rows=np.nonzero(side == s)[0])
            member = DummyClassifier() if alone else self.estimator
            self.estimators_ += fit_members(member, [task], values, labels, sample_weight=weight)
        return self

    def predict(self, X):
        """What the member of each row predicts.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "estimators_")
        return self._by_side(X, self.classes_[:1], lambda member, values: member.predict(values))

    @available_if(_members_have_probabilities)
    def predict_proba(self, X):
        """What the member of each row says of every class.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        return self._by_side(
            X,
            np.zeros((1, self.classes_.size)),
            lambda member, values: aligned_proba(member, values, self.classes_),
        )

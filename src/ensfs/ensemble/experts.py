"""Experts for parts of the rows: clusters, clusters of each class, intervals, random parts."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions
from ensfs.ensemble._experts import EXPERT_CONSTRAINTS, EXPERT_DOCS, Experts
from ensfs.ensemble._routing import (
    ClassClusterRoute,
    ClusterRoute,
    HashRoute,
    IntervalRoute,
    cluster_centres,
)

#: Experts of combinations of clusters.
_MOST_COMBINATIONS = 10_000


def _rows_of(parts: np.ndarray, n_parts: int) -> list[np.ndarray]:
    return [np.flatnonzero(parts == k) for k in range(n_parts)]


@with_docs(EXPERT_DOCS)
class ClusterExpertsClassifier(Experts):
    """An expert for each cluster of the rows.

    Parameters
    ----------
    {estimator, n_parts, clusterer, correct_priors, standardize, random_state, n_jobs, verbose}

    Attributes
    ----------
    {estimators_, parts_, n_rows_, priors_, part_priors_, overall_, classes_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ExpertAverageClassifier : Three ways to divide the rows, averaged.

    Notes
    -----
    Weights of rows are those of k-means, or of another clusterer that takes them, and of the
    experts. They are not quite the same as repeated rows: k-means begins with rows that it draws.

    References
    ----------
    I. Žliobaitė (2011), Three data partitioning strategies for building local classifiers, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import ClusterExpertsClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = ClusterExpertsClassifier(n_parts=2, standardize=True, random_state=0)
    >>> int(model.fit(X, y).n_rows_.sum())
    178
    """

    _parameter_constraints: dict = {
        **EXPERT_CONSTRAINTS,
        "n_parts": [Interval(Integral, 1, None, closed="left")],
        "clusterer": [HasMethods(["fit_predict"]), None],
        "standardize": ["boolean"],
    }

    def __init__(
        self, estimator=None, n_parts=4, *, clusterer=None, correct_priors=False, standardize=False,
        random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_parts = n_parts
        self.clusterer = clusterer
        self.correct_priors = correct_priors
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _divide(self, X, y, weight, rng):
        X = self._for_clusters(X)
        seed = int(rng.integers(2**31))
        route = ClusterRoute(cluster_centres(self.clusterer, self.n_parts, X, seed, weight))
        return route, _rows_of(route(X), route.n_parts)


@with_docs(EXPERT_DOCS)
class ClassClusterExpertsClassifier(Experts):
    """An expert for each combination of one cluster of every class.

    The rows of every class are clustered by themselves. An expert learns to tell one cluster of
    each class from the others; a new row goes to that of its nearest clusters.

    Parameters
    ----------
    {estimator}
    n_clusters : int, default=2
        Clusters of each class. There are as many experts as combinations, which are at most 10,000.
    {clusterer, correct_priors, standardize, random_state, n_jobs, verbose}

    Attributes
    ----------
    {estimators_, parts_, n_rows_, priors_, part_priors_, overall_, classes_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ClusterExpertsClassifier : Clusters of all rows, whatever their class.
    ExpertAverageClassifier : Three ways to divide the rows, averaged.

    Notes
    -----
    Weights of rows are those of k-means, or of another clusterer that takes them, and of the
    experts. They are not quite the same as repeated rows: k-means begins with rows that it draws.

    References
    ----------
    I. Žliobaitė (2011), Three data partitioning strategies for building local classifiers, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import ClassClusterExpertsClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ClassClusterExpertsClassifier(standardize=True, random_state=0).fit(X[:, :5], y)
    >>> len(model.estimators_)
    4
    """

    _parameter_constraints: dict = {
        **EXPERT_CONSTRAINTS,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "clusterer": [HasMethods(["fit_predict"]), None],
        "standardize": ["boolean"],
    }

    def __init__(
        self, estimator=None, n_clusters=2, *, clusterer=None, correct_priors=False,
        standardize=False, random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_clusters = n_clusters
        self.clusterer = clusterer
        self.correct_priors = correct_priors
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _divide(self, X, y, weight, rng):
        X = self._for_clusters(X)
        classes = range(y.max() + 1)
        if self.n_clusters ** len(classes) > _MOST_COMBINATIONS:
            raise ValueError(
                f"n_clusters={self.n_clusters} with {len(classes)} classes makes more than "
                f"{_MOST_COMBINATIONS:,} combinations, each with an expert; take fewer clusters "
                "or a ClusterExpertsClassifier."
            )
        seeds = rng.integers(2**31, size=len(classes)).tolist()
        route = ClassClusterRoute(
            [
                cluster_centres(
                    self.clusterer, self.n_clusters, X[y == c], seeds[c],
                    None if weight is None else weight[y == c],
                )
                for c in classes
            ]
        )  # fmt: skip
        own = route.clusters(X)[np.arange(len(y)), y]
        rows = [
            np.flatnonzero(own == np.array(combination)[y]) for combination in route.combinations
        ]
        return route, rows


@with_docs(EXPERT_DOCS)
class IntervalExpertsClassifier(Experts):
    """An expert for each interval of one column.

    Parameters
    ----------
    {estimator, n_parts}
    feature : "auto", int or str, default="auto"
        The column, by number or name; "auto" is the first with at least as many distinct values as
        there are parts. It is cut into intervals of equal width.
    {correct_priors, random_state, n_jobs, verbose}

    Attributes
    ----------
    feature_ : int
        The column, after text has become columns of zeros and ones.
    {estimators_, parts_, n_rows_, priors_, part_priors_, overall_, classes_}
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ExpertAverageClassifier : Three ways to divide the rows, averaged.

    Notes
    -----
    Integer weights are the same as repeated rows.

    References
    ----------
    I. Žliobaitė (2011), Three data partitioning strategies for building local classifiers, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs import IntervalExpertsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> IntervalExpertsClassifier(n_parts=3).fit(X, y).n_rows_
    array([52, 70, 28])
    """

    _parameter_constraints: dict = {
        **EXPERT_CONSTRAINTS,
        "n_parts": [Interval(Integral, 1, None, closed="left")],
        "feature": [StrOptions({"auto"}), str, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self, estimator=None, n_parts=4, *, feature="auto", correct_priors=False, random_state=None,
        n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_parts = n_parts
        self.feature = feature
        self.correct_priors = correct_priors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _divide(self, X, y, weight, rng):
        self.feature_ = self._find(X)
        route = IntervalRoute(self.feature_, X[:, self.feature_], self.n_parts)
        return route, _rows_of(route(X), route.n_parts)

    def _find(self, X: np.ndarray) -> int:
        """Number of the column that is cut."""
        if isinstance(self.feature, str) and self.feature == "auto":
            distinct = np.array([np.unique(column).size for column in X.T])
            enough = distinct >= self.n_parts
            return int(np.argmax(enough) if enough.any() else np.argmax(distinct))
        names = list(getattr(self, "feature_names_in_", []))
        if isinstance(self.feature, str):
            if self.feature not in names:
                raise ValueError(f"feature must be a column of the table; got {self.feature!r}.")
            number = names.index(self.feature)
        else:
            number = int(self.feature)
        if number >= self.n_features_in_:
            raise ValueError(
                f"feature must be below the number of columns, {self.n_features_in_}; got "
                f"{self.feature!r}."
            )
        if number in self._table.levels_:
            raise ValueError(f"feature must be a column of numbers; got {self.feature!r}.")
        before = [len(self._table.levels_.get(j, [0])) for j in range(number)]
        return int(sum(before))


@with_docs(EXPERT_DOCS)
class RandomExpertsClassifier(Experts):
    """An expert for each of some random parts, a baseline for parts that mean something.

    Which part a row belongs to is decided by a hash of its values, so that it is always the same.

    Parameters
    ----------
    {estimator, n_parts, correct_priors, random_state, n_jobs, verbose}

    Attributes
    ----------
    {estimators_, parts_, n_rows_, priors_, part_priors_, overall_, classes_}
    {n_features_in_, feature_names_in_}

    References
    ----------
    I. Žliobaitė (2011), Three data partitioning strategies for building local classifiers, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs import RandomExpertsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> RandomExpertsClassifier(n_parts=2, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    _parameter_constraints: dict = {
        **EXPERT_CONSTRAINTS,
        "n_parts": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        n_parts=4,
        *,
        correct_priors=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_parts = n_parts
        self.correct_priors = correct_priors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _divide(self, X, y, weight, rng):
        route = HashRoute(self.n_parts, int(rng.integers(2**32)))
        return route, _rows_of(route(X), route.n_parts)

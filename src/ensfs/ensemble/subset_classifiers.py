"""Classifiers on the subsets of a decomposition."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import HasMethods, Interval
from ensfs.decomposition.input_decimation import DECIMATION_DOCS, OPTIONS, InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.ensemble._base import MEMBER_CONSTRAINTS, SUBSET_DOCS, SubsetClassifier


@with_docs(SUBSET_DOCS)
class DecompositionClassifier(SubsetClassifier):
    """An ensemble of classifiers, each on one subset of a decomposition of the columns.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted on every subset, on all rows; None is a decision tree.
    decomposition : decomposition, optional
        What makes the subsets, for example `ITDecomposition` (the default, for None),
        `RandomSubspaceDecomposition` or `PCASubspace`.
    n_per_subset : int, default=1
        Classifiers on each subset, with different seeds.
    {voting, weights, random_state, n_jobs, verbose}

    Attributes
    ----------
    {decomposition_}
    estimators_ : list of classifiers
        The members, subset after subset. Each takes the columns of its subset; one that sees them
        through a transformer (`PCASubspace`) is a pipeline that begins with it.
    {estimators_features_, classes_}
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in fit, which is what is predicted when there is no subset.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    InputDecimationClassifier : One subset for each class.

    Notes
    -----
    Sample weights are handed to the members. A decomposition that counts rows and takes no weights
    sees a row as often as its weight says, so these must be whole numbers then.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import DecompositionClassifier, ITDecomposition
    >>> X, y = load_wine(return_X_y=True)
    >>> model = DecompositionClassifier(decomposition=ITDecomposition(3, 0.2), random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    >>> [columns.tolist() for columns in model.estimators_features_]
    [[6, 4], [10, 5, 0, 3, 7, 2], [9, 12, 11, 1, 8]]
    """

    _parameter_constraints: dict = {
        **MEMBER_CONSTRAINTS,
        "decomposition": [HasMethods(["fit", "transformer"]), None],
        "n_per_subset": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        decomposition=None,
        *,
        n_per_subset=1,
        voting="soft",
        weights=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.decomposition = decomposition
        self.n_per_subset = n_per_subset
        self.voting = voting
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_decomposition(self) -> Any:
        return ITDecomposition() if self.decomposition is None else clone(self.decomposition)

    def _n_per_subset(self) -> int:
        return self.n_per_subset


@with_docs(SUBSET_DOCS | DECIMATION_DOCS)
class InputDecimationClassifier(SubsetClassifier):
    """Input decimated ensemble: for each class a classifier on the columns that matter to it.

    Every member tells all classes apart, but sees only the columns that are most correlated with
    its own class; their probabilities are averaged.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted for each class, on all rows; None is a decision tree. The paper has
        multilayer perceptrons, for which columns should be scaled.
    {n_features_per_class}
    n_per_class : int, default=1
        Classifiers for each class, with different seeds.
    redundancy : {"sum", "mean"}, optional
        Whether columns are also chosen for what they do not share with those chosen before: the
        sum of 1 - abs(correlation) (the IDEAC of the paper) or its mean, which we recommend.
    relevance : {"correlation", "mutual_information"} or callable, default="correlation"
        The coefficient of a column for a class; see `InputDecimation`.
    {global_weight, share}
    per_class : bool, default=False
        For "cv": whether each class gets its own number.
    {cv}
    binary : {"raise", "allow"}, default="allow"
        What to do with two classes, where all members see the same columns and differ by their
        seeds alone: raise an error, or warn.
    {discretizer, discrete_features, missing, include, exclude, voting}
    weights : array-like of shape (n_classes,), optional
        Weight of the members of each class; None weights all alike.
    random_state : int, RandomState instance or Generator, optional
        For the seeds of the members, one for each.
    n_jobs : int, optional
        Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    decomposition_ : InputDecimation
        The fitted decomposition.
    estimators_ : list of classifiers
        The members, class after class.
    {estimators_features_, classes_}
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in fit.
    total_features_, common_features_ : int
        Number of columns that at least one member sees, and that all see.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    InputDecimation : The choice of the columns.

    References
    ----------
    K. Tumer and N. C. Oza (2003), Input decimated ensembles, Pattern Analysis and Applications 6,
    65-77.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import InputDecimationClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = InputDecimationClassifier(n_features_per_class=4, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    >>> model.total_features_, model.common_features_
    (8, 0)
    """

    _parameter_constraints: dict = {
        **OPTIONS,
        **MEMBER_CONSTRAINTS,
        "n_per_class": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        estimator=None,
        n_features_per_class=0.25,
        *,
        n_per_class=1,
        redundancy=None,
        relevance="correlation",
        global_weight=0.0,
        share=0.5,
        per_class=False,
        cv=5,
        binary="allow",
        discretizer="mdl",
        discrete_features="auto",
        missing="auto",
        include=None,
        exclude=None,
        voting="soft",
        weights=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_features_per_class = n_features_per_class
        self.n_per_class = n_per_class
        self.redundancy = redundancy
        self.relevance = relevance
        self.global_weight = global_weight
        self.share = share
        self.per_class = per_class
        self.cv = cv
        self.binary = binary
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.voting = voting
        self.weights = weights
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_decomposition(self) -> InputDecimation:
        options = {name: getattr(self, name) for name in OPTIONS if name != "random_state"}
        if isinstance(self.n_features_per_class, str) and self.n_features_per_class == "cv":
            options["estimator"] = self.estimator  # it learns the sizes, from probabilities
        return InputDecimation(**options)

    def _n_per_subset(self) -> int:
        return self.n_per_class

    @property
    def total_features_(self) -> int:
        """Number of columns that at least one member sees."""
        check_is_fitted(self, "decomposition_")
        return self.decomposition_.total_features_

    @property
    def common_features_(self) -> int:
        """Number of columns that all members see."""
        check_is_fitted(self, "decomposition_")
        return self.decomposition_.common_features_

"""Classifiers on the subsets of a decomposition."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.sklearn import HasMethods, Interval
from ensfs.decomposition.input_decimation import OPTIONS, InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.ensemble._base import MEMBER_CONSTRAINTS, SubsetClassifier


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
    voting : {"soft", "hard"}, default="soft"
        Average the probabilities of the members, or count their votes.
    weights : array-like of shape (n_subsets,), optional
        Weight of each subset; None weights all alike.
    random_state : int, RandomState instance or Generator, optional
        For the seeds of the members, one for each, and of a decomposition whose `random_state` is
        None.
    n_jobs : int, optional
        Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it. Decompositions have their own.
    verbose : int, default=0
        1: a progress bar on standard error while fitting, and a line at the end.

    Attributes
    ----------
    decomposition_ : decomposition
        The fitted decomposition.
    estimators_ : list of classifiers
        The members, subset after subset. Each takes the columns of its subset; one that sees them
        through a transformer (`PCASubspace`) is a pipeline that begins with it.
    estimators_features_ : list of ndarray
        The columns of each member.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in fit, which is what is predicted when there is no subset.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    See Also
    --------
    InputDecimationClassifier : One subset for each class.

    Notes
    -----
    Sample weights are not taken: the decompositions count rows.

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


class InputDecimationClassifier(SubsetClassifier):
    """Input decimated ensemble: for each class a classifier on the columns that matter to it.

    Every member tells all classes apart, but sees only the columns that are most correlated with
    its own class; their probabilities are averaged.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted for each class, on all rows; None is a decision tree. The paper has
        multilayer perceptrons, for which columns should be scaled.
    n_features_per_class : int, float, sequence of int, "cv" or "share", default=0.25
        Columns of each member: a number, a share of all columns, a number for each class; "cv":
        the share with the best cross-validated accuracy of the ensemble (numeric columns only);
        "share": the fewest columns whose coefficients make up `share` of the sum over all columns.
    n_per_class : int, default=1
        Classifiers for each class, with different seeds.
    redundancy : {"sum", "mean"}, optional
        Whether columns are also chosen for what they do not share with those chosen before: the
        sum of 1 - abs(correlation) (the IDEAC of the paper) or its mean, which we recommend.
    relevance : {"correlation", "mutual_information"} or callable, default="correlation"
        The coefficient of a column for a class; see `InputDecimation`.
    global_weight : float, default=0.0
        From 0 to 1, how much the mean coefficient over all classes counts beside that of the class.
    share : float, default=0.5
        For "share".
    per_class : bool, default=False
        For "cv": whether each class gets its own number.
    cv : int, default=5
        For "cv": number of stratified folds.
    binary : {"raise", "allow"}, default="allow"
        What to do with two classes, where all members see the same columns and differ by their
        seeds alone: raise an error, or warn.
    discretizer : {"mdl", "equal_frequency", "sigma"} or transformer, default="mdl"
        For mutual information: how continuous columns are cut.
    discrete_features : "auto", bool, mask, indices or names, default="auto"
        For mutual information: which columns hold discrete values. "auto": text, categories,
        booleans, and whole numbers with at most 32 distinct values. True is all columns, False none
        but text and categories.
    voting : {"soft", "hard"}, default="soft"
        Average the probabilities of the members, or count their votes.
    weights : array-like of shape (n_classes,), optional
        Weight of the members of each class; None weights all alike.
    random_state : int, RandomState instance or Generator, optional
        For the seeds of the members, one for each.
    n_jobs : int, optional
        Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    verbose : int, default=0
        1: a progress bar on standard error while fitting, and a line at the end.

    Attributes
    ----------
    decomposition_ : InputDecimation
        The fitted decomposition.
    estimators_ : list of classifiers
        The members, class after class.
    estimators_features_ : list of ndarray
        The columns of each member.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in fit.
    total_features_, common_features_ : int
        Number of columns that at least one member sees, and that all see.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

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

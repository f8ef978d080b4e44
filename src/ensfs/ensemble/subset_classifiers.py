"""Classifiers on the subsets of a decomposition."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.members import aligned_proba, child_seeds, seeded_clone
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs.data.frames import with_plain_text
from ensfs.data.table import Table, make_table
from ensfs.data.target import read_labels
from ensfs.decomposition.input_decimation import OPTIONS, InputDecimation
from ensfs.decomposition.itd import ITDecomposition
from ensfs.training.contract import refuse_blocks

#: What both ensembles are told about their members.
MEMBERS: dict = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "voting": [StrOptions({"soft", "hard"})],
    "weights": ["array-like", None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class _SubsetClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Members on the subsets of a decomposition, and their combination."""

    @abstractmethod
    def _make_decomposition(self) -> Any:
        """The decomposition to fit, and nobody else's."""

    @abstractmethod
    def _n_per_subset(self) -> int:
        """Members on each subset."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Decompose the columns and fit the members.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        refuse_blocks(self, X)
        table = self._check_table(X)
        if np.asarray(y).dtype == object:
            read_labels(y)  # says what is missing, where sorting the classes would only fail
        values, labels = validate_data(
            self, with_plain_text(X), y, dtype=None, ensure_all_finite=self._finite(),
            ensure_min_samples=2,
        )  # fmt: skip
        self._check_numbers(table, values)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.class_prior_ = np.bincount(codes) / codes.size
        of_decomposition, of_members = child_seeds(self.random_state, 2)
        decomposition = self._make_decomposition()
        if decomposition.get_params().get("random_state", 0) is None:
            decomposition = seeded_clone(decomposition, of_decomposition)
        self.decomposition_ = decomposition.fit(X, y)
        subsets = self.decomposition_.subsets_
        self._member_weights = self._weights(len(subsets))
        transformers = [self.decomposition_.transformer(i) for i in range(len(subsets))]
        n = self._n_per_subset()
        members = [
            seeded_clone(self.estimator, seed) for seed in of_members.spawn(n * len(subsets))
        ]
        if members and self.voting == "soft" and not hasattr(members[0], "predict_proba"):
            raise ValueError(
                f"{type(members[0]).__name__} has no predict_proba, which voting='soft' averages; "
                "set voting='hard', or wrap it in a CalibratedClassifierCV."
            )
        self.estimators_features_ = [subset for subset in subsets for _ in range(n)]
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_fit_member)(member, values[:, subsets[m // n]], labels, transformers[m // n])
            for m, member in enumerate(members)
        )
        self.estimators_ = list(counted("fitting members", len(members), work))
        return self

    def _check_table(self, X: Any) -> Table:
        """Errors as every decomposition gives them: they name the column, and what to do."""
        table = make_table(X)
        table.check_finite(allow_nan=self._finite() == "allow-nan")
        return table

    def _check_numbers(self, table: Table, values: np.ndarray) -> None:
        """Refuse text that is no number if the members are trees; others may be able to read it."""
        if self.estimator is not None:
            return
        for j in np.nonzero(table.nominal)[0].tolist():
            try:
                values[:, j].astype(float)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{table.label(j)} holds text, and decision trees take numbers. Encode it, or "
                    "pass an estimator that reads it, such as a pipeline with an OrdinalEncoder."
                ) from None

    def _finite(self) -> bool | str:
        """How to check the values: missing ones are let through if everyone can take them."""
        return "allow-nan" if self.__sklearn_tags__().input_tags.allow_nan else True

    def _weights(self, n_subsets: int) -> np.ndarray:
        """Weight of each member."""
        if self.weights is None:
            return np.ones(n_subsets * self._n_per_subset())
        try:
            weights = np.asarray(self.weights, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"weights must hold numbers; got {self.weights!r}.") from None
        if weights.shape != (n_subsets,):
            raise ValueError(
                f"weights must hold a number for each of the {n_subsets} subsets; got shape "
                f"{weights.shape}."
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or weights.sum() <= 0:
            raise ValueError(
                f"weights must be finite, not negative, and not all 0; got {self.weights!r}."
            )
        return np.repeat(weights, self._n_per_subset())

    def predict_proba(self, X):
        """Probability of every class: the mean over the members, or the share of their votes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. Without any subset, the shares of the classes in fit.
        """
        check_is_fitted(self, "estimators_")
        table = self._check_table(X)
        values = validate_data(
            self, with_plain_text(X), dtype=None, ensure_all_finite=self._finite(), reset=False
        )
        self._check_numbers(table, values)
        if not self.estimators_:
            return np.tile(self.class_prior_, (len(values), 1))
        opinion = aligned_proba if self.voting == "soft" else _votes
        opinions = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(opinion)(member, values[:, columns], self.classes_)
            for member, columns in zip(self.estimators_, self.estimators_features_, strict=True)
        )
        total = np.zeros((len(values), len(self.classes_)))
        for weight, each in zip(self._member_weights, opinions, strict=True):
            total += weight * each
        return total / self._member_weights.sum()

    def predict(self, X):
        """The most probable class; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "estimators_")
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = DecisionTreeClassifier() if self.estimator is None else self.estimator
        both = get_tags(members).input_tags, get_tags(self._make_decomposition()).input_tags
        tags.input_tags.allow_nan = all(each.allow_nan for each in both)
        tags.input_tags.string = all(each.string for each in both)
        tags.input_tags.categorical = all(each.categorical for each in both)
        return tags


def _fit_member(member: Any, X: np.ndarray, y: np.ndarray, transformer: Any) -> Any:
    """One fitted member, which begins with the transformer of its subset if there is one."""
    if transformer is None:
        return member.fit(X, y)
    return make_pipeline(transformer, member.fit(transformer.transform(X), y))


def _votes(member: Any, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """1 for the class that a member predicts, 0 for the others."""
    return np.eye(len(classes))[np.searchsorted(classes, member.predict(X))]


class DecompositionClassifier(_SubsetClassifier):
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
        **MEMBERS,
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


class InputDecimationClassifier(_SubsetClassifier):
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
        **MEMBERS,
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

"""What ensembles on the subsets of a decomposition share: members and their combination."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse
from joblib import Parallel, delayed
from sklearn.base import RegressorMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ensfs._utils.combine import prefix_means
from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.members import (
    MostProbableMixin,
    aligned_proba,
    child_seeds,
    one_hot_votes,
    seeded_clone,
)
from ensfs._utils.sklearn import HasMethods, StrOptions, fit_context
from ensfs._utils.tags import input_tags
from ensfs.data.columns import RawColumns, read_columns
from ensfs.data.frames import take
from ensfs.data.target import Target
from ensfs.decomposition._base import BaseDecomposition
from ensfs.ensemble._fit import Task, check_takes_weights, fit_members
from ensfs.ensemble._reading import TableEnsemble, read_weights

#: Parameters of ensembles about their members.
REGRESSION_CONSTRAINTS: dict = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "weights": ["array-like", None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}
MEMBER_CONSTRAINTS: dict = {**REGRESSION_CONSTRAINTS, "voting": [StrOptions({"soft", "hard"})]}


#: Parameters and attributes of all ensembles on subsets.
SUBSET_DOCS = COMMON_DOCS | read_descriptions("""
voting : {"soft", "hard"}, default="soft"
    Average the probabilities of the members, or count their votes.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows, for members that take them; rows of weight 0 are left out. Weights that are
    not whole numbers need a decomposition that takes them too or does not look at rows.
weights : array-like of shape (n_subsets,), optional
    Weight of each subset; None weights all alike.
random_state : int, RandomState instance or Generator, optional
    For the seeds of the members, one for each, and of a decomposition whose `random_state` is
    None.
n_jobs : int, optional
    Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
    it. Decompositions have their own.
decomposition_ : decomposition
    The fitted decomposition.
estimators_features_ : list of ndarray
    The columns of each member.
""")


class SubsetEnsemble(TableEnsemble):
    """Members on the subsets of a decomposition."""

    #: What members are where `estimator` is None.
    _default_member: Any = None

    @abstractmethod
    def _make_decomposition(self) -> Any:
        """An unfitted decomposition owned by this ensemble."""

    @abstractmethod
    def _n_per_subset(self) -> int:
        """Members on each subset."""

    def _check_member(self, member: Any) -> None:
        """Raise an error if a member lacks what the combination needs."""

    def _fit_subsets(
        self, X: Any, columns: RawColumns, values: np.ndarray, y: np.ndarray, target: Target,
        weight: np.ndarray | None,
    ) -> None:  # fmt: skip
        """Decompose the columns and fit the members, on rows that have a weight.

        Parameters
        ----------
        X, columns, values : table, RawColumns, ndarray
            The rows as they were given, as our decompositions read them, and as members get them.
        y, target : ndarray, Target
            The target of these rows, for members and for our decompositions.
        weight : ndarray or None
            Weights of these rows.
        """
        estimator = self._default_member if self.estimator is None else self.estimator
        of_decomposition, of_members = child_seeds(self.random_state, 2)
        decomposition = self._make_decomposition()
        if decomposition.get_params().get("random_state", 0) is None:
            decomposition = seeded_clone(decomposition, of_decomposition)
        self.decomposition_ = _decomposed(decomposition, X, columns, y, target, weight)
        subsets = self.decomposition_.subsets_
        self._member_weights = self._weights(len(subsets))
        if subsets:
            self._check_member(estimator)
        n = self._n_per_subset()
        seeds = of_members.spawn(n * len(subsets))
        tasks = [
            Task(seeds[i * n + t], columns=columns, transformer=self.decomposition_.transformer(i))
            for i, columns in enumerate(subsets)
            for t in range(n)
        ]
        self.estimators_features_ = [task.columns for task in tasks]
        self.estimators_ = fit_members(
            estimator, tasks, values, y, sample_weight=weight, n_jobs=self.n_jobs
        )

    def _read_rows(self, X: Any, y: Any, read_y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """Table, columns, values, target and weights, without the rows of weight 0."""
        columns, values = self._read(X, reset=True)
        y = read_y(y, values.shape[0])
        if sample_weight is None:
            return X, columns, values, y, None
        check_takes_weights(self._default_member if self.estimator is None else self.estimator)
        weights = read_weights(sample_weight, values.shape[0])
        rows = np.nonzero(weights)[0]
        X = take(X, rows=rows)
        return X, _as_decompositions_read(X), values[rows], y[rows], weights[rows]

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

    def _opinions(self, opinion: Any, values: np.ndarray, *arguments: Any) -> Iterable[np.ndarray]:
        """What each member says of the rows."""
        return Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(opinion)(member, values[:, columns], *arguments)
            for member, columns in zip(self.estimators_, self.estimators_features_, strict=True)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = self._default_member if self.estimator is None else self.estimator
        both = input_tags(members), input_tags(self._make_decomposition())
        tags.input_tags.allow_nan = all(each.allow_nan for each in both)
        tags.input_tags.string = all(each.string for each in both)
        tags.input_tags.categorical = all(each.categorical for each in both)
        tags.input_tags.sparse = all(each.sparse for each in both)
        return tags


@with_docs(SUBSET_DOCS)
class SubsetClassifier(MostProbableMixin, SubsetEnsemble):
    """Classifiers on the subsets of a decomposition, and their votes or mean probabilities."""

    _default_member = DecisionTreeClassifier()

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Decompose the columns and fit the members.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.
        {sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        X, columns, values, labels, weight = self._read_rows(X, y, self._read_labels, sample_weight)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        shares = np.bincount(codes, weights=weight)
        self.class_prior_ = shares / shares.sum()
        constant = self.classes_.size == 1
        target = Target("classes", constant, codes.astype(np.int32), self.classes_)
        self._fit_subsets(X, columns, values, labels, target, weight)
        return self

    def _check_member(self, member: Any) -> None:
        if self.voting == "soft" and not hasattr(member, "predict_proba"):
            raise ValueError(
                f"{type(member).__name__} has no predict_proba, which voting='soft' averages; "
                "set voting='hard', or wrap it in a CalibratedClassifierCV."
            )

    def staged_predict_proba(self, X):
        """Probabilities by the first member, by the first two, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            The last is that of `predict_proba`.
        """
        check_is_fitted(self, "estimators_")
        _, values = self._read(X, reset=False)
        if not self.estimators_:
            yield np.tile(self.class_prior_, (values.shape[0], 1))
            return
        opinion = aligned_proba if self.voting == "soft" else one_hot_votes
        yield from prefix_means(
            self._opinions(opinion, values, self.classes_), self._member_weights
        )

    def staged_predict(self, X):
        """Classes by the first member, by the first two, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,)
            The last is that of `predict`.
        """
        for proba in self.staged_predict_proba(X):
            yield self.classes_[proba.argmax(axis=1)]

    def predict_proba(self, X):
        """Probability of every class: the mean over the members, or the share of their votes.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. Without any subset, the shares of the classes in fit.
        """
        return _last(self.staged_predict_proba(X))


@with_docs(SUBSET_DOCS)
class SubsetRegressor(RegressorMixin, SubsetEnsemble):
    """Regressors on the subsets of a decomposition, and their mean."""

    _default_member = DecisionTreeRegressor()

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Decompose the columns and fit the members.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Numbers.
        {sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        X, columns, values, numbers, weight = self._read_rows(
            X, y, self._read_numbers, sample_weight
        )
        self.mean_ = float(np.average(numbers, weights=weight))
        constant = bool((numbers == numbers[0]).all())
        target = Target("numeric", constant, values=numbers)
        self._fit_subsets(X, columns, values, numbers, target, weight)
        return self

    def staged_predict(self, X):
        """Predictions by the first member, by the first two, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,)
            The last is that of `predict`.
        """
        check_is_fitted(self, "estimators_")
        _, values = self._read(X, reset=False)
        if not self.estimators_:
            yield np.full(values.shape[0], self.mean_)
            return
        yield from prefix_means(self._opinions(_predicted, values), self._member_weights)

    def predict(self, X):
        """The mean of what the members predict.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Without any subset, the mean of the target in fit.
        """
        return _last(self.staged_predict(X))


def _predicted(member: Any, X: np.ndarray) -> np.ndarray:
    return member.predict(X)


def _last(stages: Iterator[np.ndarray]) -> np.ndarray:
    """The last of several arrays."""
    for stage in stages:
        last = stage
    return last


def _as_decompositions_read(X: Any) -> Any:
    """The columns of a table; a sparse one as it is."""
    return X if scipy.sparse.issparse(X) else read_columns(X, allow_missing=True)


def _decomposed(
    decomposition: Any, X: Any, columns: RawColumns, y: Any, target: Target, weight: Any
) -> Any:
    """The fitted decomposition of rows that have these weights.

    One that counts rows and takes no weights gets a row of weight w so many times.
    """
    ours = isinstance(decomposition, BaseDecomposition)  # what has been read is not read again
    if weight is not None and has_fit_parameter(decomposition, "sample_weight"):
        return decomposition.fit(
            columns if ours else X, target if ours else y, sample_weight=weight
        )
    if weight is not None and getattr(decomposition, "_counts_rows", True):
        rows = _repeated(weight, type(decomposition).__name__)
        X, y = take(X, rows=rows), y[rows]
        columns = _as_decompositions_read(X)
        codes = None if target.codes is None else target.codes[rows]
        numbers = None if target.values is None else target.values[rows]
        target = replace(target, codes=codes, values=numbers)
    return decomposition.fit(columns, target) if ours else decomposition.fit(X, y)


def _repeated(weight: np.ndarray, who: str) -> np.ndarray:
    """Rows, each as often as its weight says."""
    times = weight.astype(np.int64)
    if (times != weight).any():
        raise ValueError(
            f"sample_weight must hold whole numbers for {who}, which counts rows; got fractions."
        )
    return np.repeat(np.arange(times.size), times)

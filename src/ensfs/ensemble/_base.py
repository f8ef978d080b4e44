"""What ensembles on the subsets of a decomposition share: members and their combination."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.members import aligned_proba, child_seeds, seeded_clone
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import HasMethods, StrOptions, fit_context
from ensfs.data.columns import NominalBlock, RawColumns, read_columns
from ensfs.data.frames import table_to_array
from ensfs.data.table import Table
from ensfs.data.target import Target, read_labels
from ensfs.data.values import column_label, text_as_objects
from ensfs.decomposition._base import BaseDecomposition
from ensfs.training.contract import refuse_blocks

#: Parameters of ensembles about their members.
MEMBER_CONSTRAINTS: dict = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "voting": [StrOptions({"soft", "hard"})],
    "weights": ["array-like", None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


#: Parameters and attributes of all ensembles of classifiers on subsets.
SUBSET_DOCS = COMMON_DOCS | read_descriptions("""
voting : {"soft", "hard"}, default="soft"
    Average the probabilities of the members, or count their votes.
estimators_features_ : list of ndarray
    The columns of each member.
classes_ : ndarray of shape (n_classes,)
    The classes.
""")


@with_docs(SUBSET_DOCS)
class SubsetClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Members on the subsets of a decomposition, and their combination."""

    @abstractmethod
    def _make_decomposition(self) -> Any:
        """An unfitted decomposition owned by this ensemble."""

    @abstractmethod
    def _n_per_subset(self) -> int:
        """Members on each subset."""

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Decompose the columns and fit the members.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        refuse_blocks(self, X)
        columns, values = self._read(X, reset=True)
        labels, self.classes_, codes = self._read_classes(y, len(values))
        self.class_prior_ = np.bincount(codes) / codes.size
        of_decomposition, of_members = child_seeds(self.random_state, 2)
        decomposition = self._make_decomposition()
        if decomposition.get_params().get("random_state", 0) is None:
            decomposition = seeded_clone(decomposition, of_decomposition)
        if isinstance(decomposition, BaseDecomposition):  # what has been read is not read again
            constant = self.classes_.size == 1
            target = Target("classes", constant, codes.astype(np.int32), self.classes_)
            self.decomposition_ = decomposition.fit(columns, target)
        else:
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

    def _read(self, X: Any, reset: bool) -> tuple[RawColumns, np.ndarray]:
        """The columns of a table, and the array that members get; errors name the column."""
        columns = read_columns(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if reset and columns.n_rows < 2:
            raise ValueError(
                f"Found array with {columns.n_rows} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        allow_nan = get_tags(self).input_tags.allow_nan  # if everyone can take missing values
        Table(columns).check_finite(allow_nan=allow_nan)
        values = table_to_array(X, columns, self, allow_nan=allow_nan)
        if self.estimator is None:
            _check_numbers(columns, values)
        return columns, values

    def _read_classes(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The labels of the rows as an array, the distinct ones, and the number of each row's."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        try:
            labels = column_or_1d(text_as_objects(y), warn=True)
            assert_all_finite(labels, input_name="y")
            classes, codes = np.unique(labels, return_inverse=True)
        except (TypeError, ValueError):
            read_labels(y)  # raises an error with the number of missing values
            raise
        if len(labels) != n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[n_rows, len(labels)]}"
            )
        check_classification_targets(labels)
        return labels, classes, codes

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
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. Without any subset, the shares of the classes in fit.
        """
        check_is_fitted(self, "estimators_")
        _, values = self._read(X, reset=False)
        if not self.estimators_:
            return np.tile(self.class_prior_, (len(values), 1))
        opinion = aligned_proba if self.voting == "soft" else _one_hot_votes
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
        {X}

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


def _one_hot_votes(member: Any, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """1 for the class that a member predicts, 0 for the others."""
    return np.eye(len(classes))[np.searchsorted(classes, member.predict(X))]


def _check_numbers(columns: RawColumns, values: np.ndarray) -> None:
    """Refuse text that is not a number, for members that are trees."""
    for block in columns.blocks:
        if isinstance(block, NominalBlock):
            try:
                values[:, block.column].astype(float)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{column_label(block.column, columns.names)} holds text, and decision trees "
                    "take numbers. Encode it, or pass an estimator that reads it, such as a "
                    "pipeline with an OrdinalEncoder."
                ) from None

"""What classifiers of several labels share: reading 0 and 1 of each label, and their answers.

A target of one dimension is read as labels too: one for each class, of which a row has one.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.sklearn import HasMethods
from ensfs._utils.tags import input_tags
from ensfs.data.target import check_given
from ensfs.ensemble._fit import check_takes_weights
from ensfs.ensemble._reading import TableEnsemble, read_weights

#: Parameters of all classifiers of labels.
LABEL_CONSTRAINTS: dict = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}

#: Parameters and attributes of all classifiers of labels.
LABEL_DOCS = COMMON_DOCS | read_descriptions("""
y : array-like of shape (n_samples, n_labels) or (n_samples,)
    0 or 1 for each label; or classes, which are labels of which each row has one.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows, for members that take them; rows of weight 0 are left out.
random_state : int, RandomState instance or Generator, optional
    For everything that is drawn, and for the seeds of the members.
n_jobs : int, optional
    Members that are fitted at a time; None is one, -1 all cores. The result does not depend on it.
classes_ : ndarray
    0 and 1; or the classes, if they were given.
""")


@with_docs(LABEL_DOCS)
class LabelClassifier(ClassifierMixin, TableEnsemble):
    """A classifier that tells of each label whether a row has it."""

    def _member(self) -> Any:
        """What is cloned for each member."""
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    @abstractmethod
    def _label_probabilities(self, values: np.ndarray) -> np.ndarray:
        """Probability of each label."""

    def _read_all(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Values, labels and weights of the rows that have one; sets `classes_`."""
        _, values = self._read(X, reset=True)
        if sample_weight is None:
            return values, self._read_targets(y, len(values), slice(None)), None
        check_takes_weights(self._member())
        weight = read_weights(sample_weight, len(values))
        rows = np.nonzero(weight)[0]
        return values[rows], self._read_targets(y, len(values), rows), weight[rows]

    def _read_targets(self, y: Any, n_rows: int, rows: Any) -> np.ndarray:
        """Which labels some of the rows have; sets `classes_`."""
        check_given(y, type(self).__name__)
        shape = np.asarray(y).shape
        self._one_class_each = len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)
        if self._one_class_each:
            labels = self._read_labels(y, n_rows)[rows]
            self.classes_, codes = np.unique(labels, return_inverse=True)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs at least two classes in y; got one class, "
                    f"{self.classes_[0]!r}."
                )
            return np.eye(len(self.classes_), dtype=bool)[codes]
        matrix = check_array(y, dtype=None, input_name="y", estimator=self)
        if len(matrix) != n_rows:
            raise ValueError(
                "Found input variables with inconsistent numbers of samples: "
                f"{[n_rows, len(matrix)]}"
            )
        if matrix.dtype == object or not np.isin(matrix, (0, 1)).all():
            raise ValueError(
                "y must hold 0 and 1 for each label, or classes in one dimension; got other values "
                f"in the shape {matrix.shape}."
            )
        self.classes_ = np.array([0, 1])
        return matrix[rows].astype(bool)

    def predict_proba(self, X):
        """Probability of each label; of classes, divided by their sum.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        check_is_fitted(self, "classes_")
        p = self._label_probabilities(self._read(X, reset=False)[1])
        if not self._one_class_each:
            return p
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])

    def predict(self, X):
        """The labels of each row, those more probable than one half; or the most probable class.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_labels) or (n_samples,)
        """
        check_is_fitted(self, "classes_")
        p = self.predict_proba(X)
        if self._one_class_each:
            return self.classes_[p.argmax(axis=1)]
        return (p > 0.5).astype(np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        of_member = input_tags(self._member())
        tags.input_tags.allow_nan = of_member.allow_nan
        tags.input_tags.string = of_member.string
        tags.input_tags.categorical = of_member.categorical
        return tags

"""What classifiers made of dichotomies share: reading, fitting columns of a code, their outputs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs
from ensfs._utils.sklearn import HasMethods
from ensfs._utils.tags import input_tags
from ensfs.ensemble._fit import Task, check_takes_weights, fit_members
from ensfs.ensemble._reading import TableEnsemble, read_weights

#: Parameters of all classifiers made of dichotomies.
CODED_CONSTRAINTS: dict = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}

#: Parameters and attributes of all classifiers made of dichotomies.
CODED_DOCS = COMMON_DOCS | read_descriptions("""
y : array-like of shape (n_samples,)
    Classes, at least two.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows, for members that take them; rows of weight 0 are left out.
random_state : int, RandomState instance or Generator, optional
    For everything that is drawn, and for the seeds of the members.
n_jobs : int, optional
    Members that are fitted at a time; None is one, -1 all cores. The result does not depend on it.
code_book_ : ndarray of int8, shape (n_classes, n_columns)
    The word of each class: 1 and -1 for the two sides of a column, 0 where a class is left out.
""")


@with_docs(CODED_DOCS)
class CodedClassifier(ClassifierMixin, TableEnsemble):
    """A classifier made of classifiers of two classes."""

    #: What members are where `estimator` is None.
    _default_member: Any = DecisionTreeClassifier()

    def _member(self) -> Any:
        """What is cloned for each member."""
        return self._default_member if self.estimator is None else self.estimator

    def _read_rows(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Values, numbers of classes and weights of the rows that have one; sets `classes_`."""
        _, values = self._read(X, reset=True)
        labels, weights = self._read_labels(y, len(values)), None
        if sample_weight is not None:
            check_takes_weights(self._member())
            weights = read_weights(sample_weight, len(values))
            rows = np.nonzero(weights)[0]
            values, labels, weights = values[rows], labels[rows], weights[rows]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes in y; got one class, "
                f"{self.classes_[0]!r}."
            )
        return values, codes, weights

    def predict(self, X):
        """The class of each row; of equally good ones the first in `classes_`.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        check_is_fitted(self, "classes_")
        return self.classes_[self._class_scores(X).argmax(axis=1)]

    @abstractmethod
    def _class_scores(self, X: Any) -> np.ndarray:
        """A score of each class, the largest of which wins."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_member = input_tags(self._member())
        tags.input_tags.allow_nan = of_member.allow_nan
        tags.input_tags.string = of_member.string
        tags.input_tags.categorical = of_member.categorical
        return tags


@with_docs(CODED_DOCS)
class ScoredClassifier(CodedClassifier):
    """A classifier made of dichotomies whose scores of the classes are a decision function."""

    def decision_function(self, X):
        """Scores of the classes, of which the largest wins.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            For two classes the score of the second less that of the first.
        """
        check_is_fitted(self, "classes_")
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def column_tasks(
    code: np.ndarray,
    y: np.ndarray,
    seeds: Sequence[np.random.SeedSequence],
    samples: Sequence[np.ndarray] | None = None,
) -> list[Task]:
    """A task for each column of a code: its rows and the side of each row, -1 or 1.

    Parameters
    ----------
    code : ndarray of shape (n_classes, n_columns)
        The code.
    y : ndarray of int, shape (n_rows,)
        Number of the class of each row.
    seeds : sequence of SeedSequence
        One for each column.
    samples : sequence of ndarray of int, optional
        Rows of each column; None is all rows of the classes that it does not leave out.
    """
    tasks = []
    for j, seed in enumerate(seeds):
        target = code[y, j].astype(np.int64)
        own = None if target.all() else np.nonzero(target)[0]
        rows = own if samples is None else samples[j]
        tasks.append(Task(seed, rows=rows, target=target))
    return tasks


def fit_columns(
    estimator: Any,
    tasks: Sequence[Task],
    X: np.ndarray,
    weight: np.ndarray | None,
    n_jobs: int | None,
) -> list[Any]:
    """Fitted members of the columns of a code."""
    return fit_members(estimator, tasks, X, np.zeros(len(X)), sample_weight=weight, n_jobs=n_jobs)


def column_outputs(
    members: Sequence[Any], X: np.ndarray, *, n_jobs: int | None = None, bounded: bool = False
) -> np.ndarray:
    """Outputs of the members of a code, positive for the side of 1.

    Parameters
    ----------
    members : sequence of classifiers
        Fitted with the classes -1 and 1.
    X : ndarray of shape (n_rows, n_features)
        The rows.
    n_jobs : int, optional
        Members that are asked at a time.
    bounded : bool, default=False
        Whether probabilities, as numbers from -1 to 1, are better than margins.

    Returns
    -------
    ndarray of shape (n_rows, n_members)
        Margins (``decision_function``), or else 2 p - 1 of the probability p, or else the predicted
        side.
    """
    outputs = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_output)(member, X, bounded) for member in members
    )
    return np.stack(outputs, axis=1)


def _output(member: Any, X: np.ndarray, bounded: bool) -> np.ndarray:
    has_proba = hasattr(member, "predict_proba")
    if hasattr(member, "decision_function") and not (bounded and has_proba):
        return np.asarray(member.decision_function(X), dtype=np.float64)
    if has_proba:
        return 2.0 * np.asarray(member.predict_proba(X))[:, 1] - 1.0
    return np.asarray(member.predict(X), dtype=np.float64)


def distinct_rows(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An order of rows that depends on what they hold alone, and the number of each in it.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Cells.
    y : ndarray of int, shape (n_rows,)
        Number of the class of each row.

    Returns
    -------
    order : ndarray of int, shape (n_rows,)
        Rows by class and cells; equal rows stand beside each other.
    group : ndarray of int, shape (n_rows,)
        Number of each row among the different ones in this order.
    """
    if X.dtype == object:
        cells = np.array([repr(row) for row in X.tolist()])
    else:
        same_zero = np.ascontiguousarray(X + X.dtype.type(0))
        cells = same_zero.view(np.dtype((np.void, same_zero.itemsize * X.shape[1]))).ravel()
    of_cells = np.unique(cells, return_inverse=True)[1]
    _, group = np.unique(np.stack([y, of_cells]), axis=1, return_inverse=True)
    return np.argsort(group, kind="stable"), group


def dealt_folds(y: np.ndarray, n_folds: int) -> np.ndarray:
    """Fold of each row: the rows of each class are dealt in turn, so that folds have all classes.

    The turn goes on from class to class, so that small classes do not all fall into fold 0.
    """
    folds = np.empty(len(y), dtype=np.intp)
    folds[np.argsort(y, kind="stable")] = np.arange(len(y)) % n_folds
    return folds

"""From tasks to members: what each member of an ensemble sees, and the one loop that fits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

from ensfs._utils.members import seeded_clone
from ensfs._utils.progress import counted


@dataclass(frozen=True)
class Task:
    """What one member sees: rows, columns, target and weights of the ensemble's, and its seed.

    Attributes
    ----------
    seed : SeedSequence
        For the random states of the member.
    rows, columns : ndarray of int, optional
        Rows and columns that it sees; None is all.
    target : ndarray of shape (n_rows,), optional
        Target of all rows, if it is not that of the ensemble.
    weight : ndarray of shape (n_rows,), optional
        Weights of all rows, if they are not those of the ensemble.
    transformer : transformer, optional
        Fitted; what the member sees is what this makes of its columns.
    """

    seed: np.random.SeedSequence
    rows: np.ndarray | None = None
    columns: np.ndarray | None = None
    target: np.ndarray | None = None
    weight: np.ndarray | None = None
    transformer: Any = None


def fit_members(
    estimator: Any,
    tasks: Sequence[Task],
    X: np.ndarray,
    y: np.ndarray,
    *,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> list[Any]:
    """Fit a seeded clone of the estimator for each task.

    Parameters
    ----------
    estimator : estimator
        What is cloned.
    tasks : sequence of Task
        What each clone sees.
    X : ndarray of shape (n_rows, n_features)
        The table.
    y : ndarray of shape (n_rows,)
        The target of tasks without one.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of tasks without any.
    n_jobs : int, optional
        Members that are fitted at a time; the result does not depend on it.

    Returns
    -------
    list of estimators
        Fitted, in the order of the tasks; pipelines where a task has a transformer.
    """
    if sample_weight is not None or any(task.weight is not None for task in tasks):
        check_takes_weights(estimator)
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fit_member)(
            seeded_clone(estimator, task.seed),
            task.transformer,
            _cells(X, task),
            _of_rows(y if task.target is None else task.target, task),
            _of_rows(sample_weight if task.weight is None else task.weight, task),
        )
        for task in tasks
    )
    return list(counted("fitting members", len(tasks), work))


def check_takes_weights(estimator: Any) -> None:
    """Raise an error if `fit` of the estimator does not take sample weights."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight must be None for members whose fit does not take it; got weights for "
            f"{type(estimator).__name__}."
        )


def _cells(X: np.ndarray, task: Task) -> np.ndarray:
    """The part of the table that a member sees."""
    X = X if task.rows is None else X[task.rows]
    return X if task.columns is None else X[:, task.columns]


def _of_rows(values: np.ndarray | None, task: Task) -> np.ndarray | None:
    """Values of the rows that a member sees."""
    return values if values is None or task.rows is None else values[task.rows]


def _fit_member(
    member: Any, transformer: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None
) -> Any:
    """One fitted member, which begins with the transformer if there is one."""
    weights = {} if weight is None else {"sample_weight": weight}
    if transformer is None:
        return member.fit(X, y, **weights)
    return make_pipeline(transformer, member.fit(transformer.transform(X), y, **weights))

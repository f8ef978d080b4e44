"""Repeated halves of the rows: cross-validation as comparisons of classifiers use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.utils import check_random_state

from ensfs.data.target import check_given

__all__ = ["cross_validate_5x2"]

N_REPETITIONS = 5


def cross_validate_5x2(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: str | Callable | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.float64]:
    """Scores of a model in five repetitions of two-fold cross-validation.

    Each repetition cuts the rows into two halves (which keep the shares of the classes, for a
    classifier), trains on one half and scores on the other, then the other way round. Everything
    inside the estimator, a selection or a decomposition of the columns too, is fitted anew on each
    of the ten halves.

    Parameters
    ----------
    estimator : classifier or regressor
        Any of scikit-learn, or a pipeline; it is cloned for each fit.
    X : array-like, sparse matrix or table of shape (n_samples, n_features)
        Training data.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    scoring : str or callable, optional
        A name or a scorer as scikit-learn knows them. None is the balanced accuracy, the mean over
        the classes of the share of their rows that is found; for regressors it is minus the root
        mean squared error.
    random_state : int, RandomState instance or None, default=0
        Repetition `i` is shuffled with the seed ``random_state + i``; anything but an integer
        draws the first seed. The same integer gives the same halves to every estimator.
    n_jobs : int, default=None
        Number of fits at a time; None is one, -1 is one for each core.
    progress : callable, optional
        Called as ``progress(done, total)`` after each of the ten fits, in their order.

    Returns
    -------
    ndarray of shape (5, 2)
        One row for each repetition; its mean is the estimate.

    See Also
    --------
    friedman_holm : Compares several classifiers over several data sets.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms, Neural Computation 10, 1895-1923.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from ensfs.evaluation import cross_validate_5x2
    >>> X, y = load_wine(return_X_y=True)
    >>> scores = cross_validate_5x2(GaussianNB(), X, y)
    >>> scores.shape, round(float(scores.mean()), 2)
    ((5, 2), 0.97)
    """
    numbers = is_regressor(estimator)
    if scoring is None:
        scoring = "neg_root_mean_squared_error" if numbers else "balanced_accuracy"
    halves = list(_halves(y, random_state, KFold if numbers else StratifiedKFold))
    work = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
        joblib.delayed(_score)(clone(estimator), X, y, split, scoring) for split in halves
    )
    scores = []
    for score in work:
        scores.append(score)
        if progress is not None:
            progress(len(scores), len(halves))
    return np.array(scores).reshape(N_REPETITIONS, 2)


def _halves(y, random_state, kind) -> Iterator[tuple[NDArray, NDArray]]:
    check_given(y, "cross_validate_5x2")
    if isinstance(random_state, int | np.integer):
        seed = int(random_state)
    else:
        seed = int(check_random_state(random_state).randint(2**31 - N_REPETITIONS))
    for repetition in range(N_REPETITIONS):
        folds = kind(2, shuffle=True, random_state=seed + repetition)
        yield from folds.split(np.zeros((len(y), 1)), y)


def _score(estimator, X, y, split, scoring) -> float:
    scores = cross_val_score(estimator, X, y, cv=[split], scoring=scoring, error_score="raise")
    return float(scores[0])

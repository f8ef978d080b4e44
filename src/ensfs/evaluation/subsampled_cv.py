"""Cross-validation with training sets of a chosen size and overlap, for bias and variance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from ensfs._utils.checks import check_integer
from ensfs.data.frames import take

__all__ = ["SubsampledCV", "repeated_predictions"]

#: Whole numbers are reached but for rounding.
_ROUNDING = 1e-9


class SubsampledCV:
    r"""Sub-sampled cross-validation (ssCV): every row is predicted equally often.

    Ordinary cross-validation decides by itself how large training sets are and how much they
    differ, and bias and variance depend on both. Here the size :math:`m` and the share
    :math:`\delta` of rows in which two training sets differ are chosen. The shuffled rows are cut
    into segments of :math:`t = \lceil m / (1 - \delta) + 1 \rceil` rows; in each repetition a
    segment is cut into :math:`k = \lceil t / (t - m) \rceil` folds, and for each fold a model is
    trained on :math:`m` random rows of the others. Two training sets that leave out the same row
    share the expected part :math:`m / (t - 1) \approx 1 - \delta` of their rows. Rows that fill no
    segment are predicted by the first model of each repetition.

    Parameters
    ----------
    n_repeats : int, default=50
        How often each row is predicted.
    train_size : int or float, optional
        Rows in a training set: a number, or a share of all rows. None: as many as the variability
        allows, :math:`\lfloor (1 - \delta)(n - 1) \rfloor`.
    variability : float, default=0.5
        :math:`\delta`, strictly between 0 and 1: the expected share of the rows in which two
        training sets differ.
    random_state : int, RandomState instance or None, default=None
        Seed.

    See Also
    --------
    repeated_predictions : The predictions that `bias_variance` takes.

    References
    ----------
    G. I. Webb and P. Conilione (2002), Estimating bias and variance from data.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs.evaluation import SubsampledCV
    >>> cv = SubsampledCV(n_repeats=3, random_state=0)
    >>> splits = list(cv.split(np.zeros((214, 4))))
    >>> len(splits), len(splits[0][0])
    (6, 106)
    >>> set(np.bincount(np.concatenate([test for _, test in splits])).tolist())
    {3}
    """

    def __init__(self, n_repeats=50, train_size=None, *, variability=0.5, random_state=None):
        self.n_repeats = n_repeats
        self.train_size = train_size
        self.variability = variability
        self.random_state = random_state

    def split(self, X, y=None, groups=None) -> Iterator[tuple[NDArray, NDArray]]:
        """Training and test rows of each model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table; only its number of rows matters.
        y : array-like of shape (n_samples,), optional
            Not used.
        groups : object, optional
            Not used.

        Yields
        ------
        train, test : ndarray
            Rows of the training set and of the test set. One repetition comes after the other, and
            in each of them every row is in one test set.
        """
        n = check_integer("the number of rows of X", _n_rows(X), 3)
        m, t, k, q = self._sizes(n)
        rng = check_random_state(self.random_state)
        order = rng.permutation(n)
        rest = order[q * t :]
        for _ in range(self.n_repeats):
            for segment in range(q):
                rows = rng.permutation(order[segment * t : (segment + 1) * t])
                folds = np.array_split(rows, k)
                for fold in range(k):
                    others = np.concatenate(folds[:fold] + folds[fold + 1 :])
                    train = rng.choice(others, size=m, replace=False)
                    first = segment == 0 and fold == 0
                    yield train, np.concatenate([folds[fold], rest]) if first else folds[fold]

    def get_n_splits(self, X=None, y=None, groups=None) -> int:
        """Number of models, which depends on the number of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.
        y : object, optional
            Not used.
        groups : object, optional
            Not used.

        Returns
        -------
        int
            Number of splits.
        """
        if X is None:
            raise ValueError("X must be given: the number of splits depends on its rows; got None.")
        _, _, k, q = self._sizes(check_integer("the number of rows of X", _n_rows(X), 3))
        return self.n_repeats * k * q

    def _sizes(self, n: int) -> tuple[int, int, int, int]:
        """Rows of a training set and of a segment, folds of a segment, segments."""
        check_integer("n_repeats", self.n_repeats, 1)
        if not isinstance(self.variability, Real) or not 0 < float(self.variability) < 1:
            raise ValueError(
                f"variability must lie strictly between 0 and 1; got {self.variability!r}."
            )
        kept = 1 - float(self.variability)
        m = self._train_size(n, kept)
        t = math.ceil(m / kept + 1 - _ROUNDING)
        if t > n:
            raise ValueError(
                f"train_size must be at most {math.floor(kept * (n - 1) + _ROUNDING)} of {n} rows "
                f"with variability={self.variability!r}; got {self.train_size!r}, {m} rows."
            )
        return m, t, -(-t // (t - m)), n // t

    def _train_size(self, n: int, kept: float) -> int:
        size = self.train_size
        if size is None:
            largest = math.floor(kept * (n - 1) + _ROUNDING)
            if not largest:
                raise ValueError(
                    f"variability must leave a row of {n} to train on, at most "
                    f"{1 - 1 / (n - 1):.6g}; got {self.variability!r}."
                )
            return largest
        if isinstance(size, Integral) and not isinstance(size, bool):
            return check_integer("train_size", size, 1)
        if isinstance(size, Real) and not isinstance(size, bool) and 0 < float(size) < 1:
            return max(1, math.floor(float(size) * n + _ROUNDING))
        raise ValueError(
            f"train_size must be None, an integer of at least 1 or a share below 1; got {size!r}."
        )

    def __repr__(self) -> str:
        return (
            f"SubsampledCV(n_repeats={self.n_repeats!r}, train_size={self.train_size!r}, "
            f"variability={self.variability!r}, random_state={self.random_state!r})"
        )


def repeated_predictions(
    estimator: Any, X: Any, y: Any, *, cv: Any = None, n_jobs: int | None = None
) -> NDArray:
    """What models that are trained again and again predict for every row.

    Parameters
    ----------
    estimator : classifier or regressor
        It is cloned for each fit.
    X : array-like or data frame of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        The target.
    cv : splitter, optional
        One that puts every row into equally many test sets: `SubsampledCV` (the default, for None),
        or scikit-learn's repeated folds.
    n_jobs : int, optional
        Models that are fitted at a time; None is one, -1 all cores.

    Returns
    -------
    ndarray of shape (n_repeats, n_samples)
        The first prediction of each row, the second, and so on: what `bias_variance` takes.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from ensfs.evaluation import SubsampledCV, bias_variance, repeated_predictions
    >>> X, y = load_wine(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> cv = SubsampledCV(n_repeats=10, random_state=0)
    >>> predictions = repeated_predictions(tree, X, y, cv=cv)
    >>> predictions.shape
    (10, 178)
    >>> bias_variance(predictions, y).variance > 0.05
    True
    """
    check_consistent_length(X, y)
    cv = SubsampledCV() if cv is None else cv
    splits = list(cv.split(X, y))
    target = np.asarray(y)
    work = Parallel(n_jobs=n_jobs)(
        delayed(_predict_test)(clone(estimator), X, target, train, test) for train, test in splits
    )
    rows = np.concatenate([test for _, test in splits])
    counts = np.bincount(rows, minlength=target.size)
    if counts.min() != counts.max():
        raise ValueError(
            "cv must put every row into equally many test sets; got from "
            f"{counts.min()} to {counts.max()}."
        )
    order = np.argsort(rows, kind="stable")
    return np.concatenate(work)[order].reshape(target.size, counts[0]).T


def _predict_test(estimator: Any, X: Any, y: NDArray, train: NDArray, test: NDArray) -> NDArray:
    """Predictions of a model for its test rows."""
    return estimator.fit(take(X, rows=train), y[train]).predict(take(X, rows=test))


def _n_rows(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)

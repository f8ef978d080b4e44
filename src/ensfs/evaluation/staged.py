"""The error of an ensemble with one member, with two, and so on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.combine import prefix_means, prefix_medians
from ensfs.data.target import read_labels
from ensfs.ensemble.library import member_predictions, member_probabilities, members_of

__all__ = ["staged_errors"]


def staged_errors(
    ensemble: Any, X: Any, y: Any, *, error: Callable[[Any, Any], float] | None = None
) -> NDArray[np.float64]:
    """Errors of the first member of an ensemble, of the first two together, and so on.

    Parameters
    ----------
    ensemble : classifier or regressor
        Fitted. One that has `staged_predict` (the ensembles of this package and scikit-learn's
        boosting) is asked; of others with `estimators_` the means are taken: of probabilities, or
        of one vote for each member without them; of numbers; or, with `estimator_weights_`, the
        weighted median of numbers and the weighted mean for classes.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, better not those of fit.
    y : array-like of shape (n_samples,)
        Their classes or numbers.
    error : callable, optional
        ``error(y, predicted)``; None is the share of wrong classes, or the root mean squared error.

    Returns
    -------
    ndarray of shape (n_members,)
        The last is the error of the whole ensemble.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from ensfs.evaluation import staged_errors
    >>> X, y = load_wine(return_X_y=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> errors = staged_errors(forest, X[1::2], y[1::2])
    >>> len(errors), bool(errors[-1] < errors[0])
    (50, True)
    """
    check_is_fitted(ensemble)
    classifies = is_classifier(ensemble)
    truth = np.asarray(y)
    if truth.ndim != 1:
        raise ValueError(f"y must be one-dimensional; got the shape {truth.shape}.")
    read_labels(y)  # refuses missing values
    if error is None:
        error = _error_rate if classifies else _rms_error
    ensemble.predict(X)  # it says what is wrong with a table
    with warnings.catch_warnings():  # scikit-learn's stages of boosting lose the names of columns
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return np.array([error(truth, stage) for stage in _stages(ensemble, X, classifies)])


def _stages(ensemble: Any, X: Any, classifies: bool) -> Iterator[NDArray]:
    """Predictions of the first members."""
    if hasattr(ensemble, "staged_predict"):
        return ensemble.staged_predict(X)
    return _staged_classes(ensemble, X) if classifies else _staged_numbers(ensemble, X)


def _staged_classes(ensemble: Any, X: Any) -> Iterator[NDArray]:
    members, _ = members_of(ensemble)
    weights = getattr(ensemble, "estimator_weights_", np.ones(len(members)))[: len(members)]
    classes = ensemble.classes_
    opinions: Any
    if hasattr(ensemble, "predict_proba") and all(hasattr(m, "predict_proba") for m in members):
        opinions = member_probabilities(ensemble, X)
    else:
        opinions = (each[:, None] == classes for each in member_predictions(ensemble, X))
    for mean in prefix_means(opinions, weights):
        yield classes[mean.argmax(axis=1)]


def _staged_numbers(ensemble: Any, X: Any) -> Iterator[NDArray]:
    predictions = member_predictions(ensemble, X)
    if hasattr(ensemble, "estimator_weights_"):
        return prefix_medians(predictions, ensemble.estimator_weights_[: len(predictions)])
    return prefix_means(predictions, np.ones(len(predictions)))


def _error_rate(y: NDArray, predicted: NDArray) -> float:
    return float((predicted != y).mean())


def _rms_error(y: NDArray, predicted: NDArray) -> float:
    return float(np.sqrt(((predicted - y) ** 2).mean()))

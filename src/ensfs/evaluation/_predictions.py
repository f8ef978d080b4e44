"""What members predict beside the truth: labels as numbers of classes, and finite numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensfs.data.labels import (
    not_classes,
    numbered,
    refuse_masked,
    refuse_missing,
    refuse_mixed,
)


def rectangular(values: Any, name: str) -> NDArray:
    """Values of several members as one array."""
    refuse_masked(values, name)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"All members in {name} must have the same shape.") from error


def read_predictions(
    predictions: Any, y: Any = None, *, classes: Any = None
) -> tuple[NDArray[np.intp], NDArray, Any]:
    """Numbers of the predicted classes, the sorted classes, and the numbers of the true ones.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Labels of any type that can be sorted.
    y : array-like of shape (n_samples,), optional
        True classes; without them the third result is None.
    classes : array-like, optional
        All classes, in an order of one's own; by default those that are predicted or true.
    """
    votes = rectangular(predictions, "predictions")
    if votes.ndim != 2 or 0 in votes.shape:
        raise ValueError(
            "predictions must have the shape (n_members, n_samples) and not be empty; got "
            f"{votes.shape}."
        )
    _check_labels(votes, "predictions")
    given = None if classes is None else _read_classes(classes)
    if y is None:
        if given is None:
            labels, codes = numbered(votes)
            return codes, labels, None
        _refuse_unknown(votes, votes, given, "predictions")
        return _numbers(votes, given), given, None
    refuse_masked(y, "y")
    truth = np.asarray(y)
    if truth.shape != votes.shape[1:]:
        raise ValueError(
            f"y must have a label for each of the {votes.shape[1]} predicted rows; got the shape "
            f"{truth.shape}."
        )
    _check_labels(truth, "y")
    _refuse_unknown(votes, truth, given, "predictions")
    if given is not None:
        _refuse_unknown(truth, truth, given, "y")
        return _numbers(votes, given), given, _numbers(truth, given)
    labels, codes = numbered(np.concatenate([votes.ravel(), truth]))
    return codes[: votes.size].reshape(votes.shape), labels, codes[votes.size :]


def finite_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """Finite numbers as an array of floats."""
    array = rectangular(values, name)
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers.")
    return array.astype(np.float64)


def check_base(base: Any) -> None:
    """Raise an error unless the base of a logarithm is a number above 1."""
    if not isinstance(base, Real) or not float(base) > 1 or not math.isfinite(base):
        raise ValueError(f"base must be a number above 1; got {base!r}.")


def check_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Raise an error unless the value is one of the choices."""
    if value not in choices:
        listed = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
        raise ValueError(f"{name} must be {listed}; got {value!r}.")


def _check_labels(labels: NDArray, name: str) -> None:
    refuse_missing(labels, name)
    refuse_mixed(labels, name)


def _read_classes(classes: Any) -> NDArray:
    given = np.asarray(classes)
    _check_labels(given, "classes")
    if given.ndim != 1 or np.unique(given).size != given.size:
        raise ValueError("classes must be one-dimensional and name each class once.")
    return given


def _numbers(labels: NDArray, classes: NDArray) -> NDArray[np.intp]:
    """Places of labels among the classes, which have any order."""
    order = np.argsort(classes)
    return order[np.searchsorted(classes, labels, sorter=order)]


def _refuse_unknown(labels: NDArray, truth: NDArray, classes: Any, name: str) -> None:
    unknown = not_classes(labels, truth, classes)
    if unknown:
        raise ValueError(f"{name} must hold classes, but {unknown[0]!r} is none.")

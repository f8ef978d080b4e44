"""Labels that members predict, beside the true classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensfs.data.values import MISSING_TYPES


def refuse_masked(values: Any, name: str) -> None:
    """Raise an error if values of a masked array are masked: they are missing."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must not hold masked (missing) values.")


def refuse_missing(labels: NDArray, name: str) -> None:
    """Raise an error if labels of any type are missing."""
    if labels.dtype.kind in "fcmM":
        missing = bool((labels != labels).any())
    elif labels.dtype.kind == "O":
        missing = any(
            type(label).__name__ in MISSING_TYPES or label != label for label in labels.flat
        )
    else:
        return
    if missing:
        raise ValueError(f"{name} must not hold missing labels.")


def refuse_mixed(labels: NDArray, name: str) -> None:
    """Raise an error if some labels are text and others are not: they have no order."""
    if labels.dtype.kind in "biufcUS":  # of one kind
        return
    if len({isinstance(label, str) for label in labels.ravel().tolist()}) > 1:
        raise ValueError(f"{name} must not mix text with other labels.")


def numbered(labels: NDArray) -> tuple[NDArray, NDArray[np.intp]]:
    """The distinct labels, sorted, and the number of each label, in an array of the same shape."""
    if labels.dtype.kind in "iu" and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < max(256, labels.size // 8):  # without sorting; int8 has no 255
            wide = labels.astype(np.int64) if labels.dtype.kind == "i" else labels
            shifted = (wide - wide.min()).astype(np.intp)
            present = np.bincount(shifted.ravel(), minlength=high - low + 1) > 0
            distinct = np.nonzero(present)[0].astype(labels.dtype) + labels.min()
            return distinct, (np.cumsum(present) - 1)[shifted]
    distinct, codes = np.unique(labels, return_inverse=True)
    return distinct, codes.reshape(labels.shape)


def not_classes(labels: NDArray, truth: NDArray, classes: NDArray | None = None) -> list[Any]:
    """Labels that are no class, each once: what is not in `classes`.

    Without `classes`, a label that is not in `truth` may be a class that no row has. It is none if
    it is text and the true classes are not, or the other way round, or if it is a fraction.
    """
    known = set((truth if classes is None else classes).tolist())
    unknown = dict.fromkeys(label for label in labels.ravel().tolist() if label not in known)
    if classes is not None:
        return list(unknown)
    text = {isinstance(label, str) for label in known}
    return [label for label in unknown if isinstance(label, str) not in text or _is_fraction(label)]


def _is_fraction(label: Any) -> bool:
    return isinstance(label, float) and not label.is_integer()  # nor is what is infinite

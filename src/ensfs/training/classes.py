"""The target as one fit needs it: classes, numbers, or classes made of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs.data.target import Target, make_target
from ensfs.discretize import equal_frequency_codes

#: Classes that numbers are cut into where counts are needed. Two and three found the most true
#: columns for all sizes of samples; three separate the middle from both ends.
TARGET_BINS = 3


def read_target_as(
    y: Any, n_rows: int, kind: str, weight: np.ndarray | None = None, **advice: Any
) -> Target:
    """Read a target.

    Parameters
    ----------
    y : array-like or series of shape (n_rows,)
        The target.
    n_rows : int
        Number of rows of the table.
    kind : {"auto", "classes", "numeric", "counted"}
        As in `make_target`; "counted" is "auto" with numbers cut into classes.
    weight : ndarray of shape (n_rows,), optional
        How often each row is there, for the cuts.
    **advice
        Wordings of errors, as `make_target` takes them.

    Returns
    -------
    Target
    """
    if kind != "counted":
        return make_target(y, n_rows, kind=kind, **advice)
    target = make_target(y, n_rows)
    return target if target.kind == "classes" else cut_into_classes(target, weight=weight)


def cut_into_classes(
    target: Target, n_bins: int = TARGET_BINS, weight: np.ndarray | None = None
) -> Target:
    """Numbers as classes that hold about equally many rows each.

    If the largest number is so frequent that it is every quantile, it is a class of its own.
    """
    codes, _ = equal_frequency_codes(target.values[:, None], n_bins, weight=weight)
    classes = codes[:, 0].astype(np.int32)
    if not classes.any():
        classes = (target.values == target.values.max()).astype(np.int32)
    labels = np.unique(classes)
    return Target("classes", labels.size == 1, classes - labels[0], labels)

"""Numeric targets as classes, where counts are needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ensfs._utils.warn import warn_user
from ensfs.data.target import Target, make_target
from ensfs.discretize.cuts import equal_frequency_codes

#: Classes that numbers are cut into where counts are needed. Two and three found the most true
#: columns for all sizes of samples; three separate the middle from both ends.
TARGET_BINS = 3


def read_classes(
    y: Any, n_rows: int, n_bins: int | None, weight: np.ndarray | None = None, **advice: Any
) -> Target:
    """A target as classes: numbers are cut into so many; None: they are an error.

    `advice` are wordings of errors, as `make_target` takes them.
    """
    if n_bins is None:
        return make_target(y, n_rows, kind="classes", **advice)
    target = make_target(y, n_rows, **advice)
    return target if target.kind == "classes" else cut_into_classes(target, n_bins, weight)


def cut_into_classes(
    target: Target, n_bins: int = TARGET_BINS, weight: np.ndarray | None = None
) -> Target:
    """Numbers as classes that hold about equally many rows each.

    If the largest number is so frequent that it is every quantile, it is a class of its own.
    """
    values = target.values
    codes, (cuts,) = equal_frequency_codes(values[:, None], n_bins, weight=weight)
    classes = codes[:, 0].astype(np.int32)
    if not classes.any() and not target.constant:
        largest = values.max()
        classes = (values == largest).astype(np.int32)
        cuts = np.array([(values[values < largest].max() + largest) / 2])
    labels = np.unique(classes)
    if labels.size < n_bins and not target.constant:
        warn_user(
            f"Equal values leave {labels.size} of target_bins={n_bins} classes of the numeric "
            "target."
        )
    return replace(
        target, kind="classes", constant=labels.size == 1, codes=classes - labels[0],
        classes=labels, values=None, cut_points=cuts + target.origin,
    )  # fmt: skip

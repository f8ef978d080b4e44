"""Discretizers by name, and how they code the continuous columns of a table."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ensfs.data.target import Target
from ensfs.discretize import EqualFrequencyDiscretizer, MDLDiscretizer, SigmaDiscretizer

#: Discretizers by name. MDL with the better encoding is what Weka's evaluators use.
DISCRETISERS = {
    "mdl": MDLDiscretizer(better_encoding=True),
    "equal_frequency": EqualFrequencyDiscretizer(),
    "sigma": SigmaDiscretizer(),
}


def coding_by(discretizer: Any, target: Target) -> Callable[[np.ndarray], Any]:
    """What cuts the continuous columns of a table: a discretizer by name, fitted or not."""
    if isinstance(discretizer, str):
        discretizer = DISCRETISERS[discretizer]

    def code(values: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        fitted = discretizer
        try:
            check_is_fitted(discretizer)
        except NotFittedError:
            y = target.codes if target.kind == "classes" else target.values
            fitted = clone(discretizer).fit(values, y)
        with warnings.catch_warnings():  # a discretizer fitted on a data frame misses the names
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            codes = _codes_of(discretizer, fitted.transform(values), values.shape)
        cuts = getattr(fitted, "cut_points_", None)
        return codes, [np.empty(0)] * values.shape[1] if cuts is None else list(cuts)

    return code


def _codes_of(discretizer: Any, transformed: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What a transformer gave as codes, or an error that says why it is no discretizer."""
    codes = None if scipy.sparse.issparse(transformed) else np.asarray(transformed)
    if codes is not None and codes.shape == shape and codes.dtype.kind in "biuf":
        if codes.dtype.kind != "f":
            return codes
        if (codes == np.rint(codes)).all():  # some transformers give whole numbers as floats
            return codes.astype(np.int64)
    raise ValueError(
        f"discretizer={discretizer!r} does not give one whole number for each value, so it is no "
        "discretizer. Use one of ensfs.discretize.estimators, or for example "
        "KBinsDiscretizer(encode='ordinal')."
    )

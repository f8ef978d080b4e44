"""The target: classes or numbers, decided once for all selectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

from ensfs._utils.warn import warn_user
from ensfs.data.values import (
    NominalValues,
    as_array,
    beyond_floats,
    differences,
    raise_missing,
    read_categories,
    read_values,
    series_to_numpy,
)

#: Whole numbers with at most this many distinct values are classes. The limit is larger than that
#: of columns: a target of few values is mostly meant as classes.
MAX_CLASSES = 32

#: Integers whose values span less are looked up in a table.
MAX_SPAN = 1 << 16

#: How the target is read for each value of the parameter `task`.
KIND_OF_TASK = {"auto": "auto", "classification": "classes", "regression": "numeric"}


@dataclass
class Target:
    """A target without missing values.

    Attributes
    ----------
    kind : {"classes", "numeric"}
        What it holds.
    constant : bool
        Whether all values are equal; then every column has relevance 0.
    codes : ndarray of shape (n,), int32, or None
        Class of each row, ``0 .. len(classes) - 1``.
    classes : ndarray or None
        The sorted distinct labels as they were given (text as objects).
    values : ndarray of shape (n,), float64, or None
        The numbers of a numeric target, as differences from `origin`.
    origin : int
        0 but for integers that float64 does not hold.
    cut_points : ndarray, list or None
        Where the numbers were cut that became classes; a list for several outputs.
    """

    kind: Literal["classes", "numeric"]
    constant: bool
    codes: Any = None
    classes: Any = None
    values: Any = None
    origin: int = 0
    cut_points: Any = None


def make_target(
    y: Any,
    n_rows: int,
    *,
    kind: str = "auto",
    warn_constant: bool = True,
    instead: str = "Use a measure for numeric targets",
    for_text: str = "use a measure for classes",
) -> Target:
    """Read a target.

    Parameters
    ----------
    y : array-like or series of shape (n_rows,)
        A column of shape (n_rows, 1) is taken with a warning, as in scikit-learn. Classes that have
        been read before may be given as a `Target`.
    n_rows : int
        Number of rows of the table.
    kind : {"auto", "classes", "numeric"}, default="auto"
        "auto": text, booleans and categories are classes; numbers with fractions are numeric; whole
        numbers are classes if they take at most 32 distinct values, or if there are at least ten
        rows for each distinct value.
    warn_constant : bool, default=True
        Whether to warn if all values are equal.
    instead : str, optional
        Beginning of the advice in the error for numbers instead of classes.
    for_text : str, optional
        End of the advice in the error for text instead of numbers.

    Returns
    -------
    Target
    """
    if kind not in ("auto", "classes", "numeric"):
        raise ValueError(f"kind must be 'auto', 'classes' or 'numeric'; got {kind!r}.")
    if isinstance(y, Target):
        return _warned(y, warn_constant)
    values = read_target(y)
    n = values.codes.size if isinstance(values, NominalValues) else values.size
    if n != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, n]}"
        )
    if isinstance(values, NominalValues):
        if kind == "numeric":
            raise ValueError(
                "y holds text or categories, and a text target cannot be used with a continuous "
                f"measure. Encode y as numbers, or {for_text}."
            )
        target = Target("classes", len(values.levels) == 1, values.codes, values.levels)
    else:
        target = _numbers(values, kind, instead)
    return _warned(target, warn_constant)


def make_classes(y: Any, n_rows: int, caller: object) -> Target:
    """The classes that a model is to tell apart."""
    check_given(y, type(caller).__name__)
    return make_target(y, n_rows, kind="classes", warn_constant=False, instead="Use a regressor")


def check_given(y: Any, caller: str) -> None:
    """Raise scikit-learn's error if there is no target."""
    if y is None:
        raise ValueError(f"{caller} requires y to be passed, but the target y is None.")


def _warned(target: Target, warn_constant: bool) -> Target:
    if target.constant and warn_constant:
        warn_constant_target()
    return target


def warn_constant_target() -> None:
    """Warn that no column can be relevant for the target."""
    warn_user(
        "y is constant (one class or one value): every column has relevance 0, so the selection is "
        "arbitrary. Check the target.",
    )


def read_target(y: Any) -> np.ndarray | NominalValues:
    """One-dimensional values without missing or infinite ones, or coded categories."""
    if isinstance(y, NominalValues):  # read before
        return y
    check_given(y, "This")
    if scipy.sparse.issparse(y):
        raise TypeError("y is sparse; a dense target is needed. Call y.toarray() first.")
    is_array = isinstance(y, np.ndarray)  # narwhals would check for every library it supports
    if not is_array and nw.dependencies.is_into_dataframe(y):
        y = nw.from_native(y, eager_only=True)
        if y.shape[1] != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        _warn_column()
        y = y[:, 0].to_native()
    if not is_array and nw.dependencies.is_into_series(y):
        series = nw.from_native(y, series_only=True)
        if series.null_count():
            raise_missing("the target", series.null_count(), "y")
        array = series_to_numpy(series, "the target y")
        if series.dtype in (nw.Categorical, nw.Enum):
            return read_categories(array, "the target y")
    else:
        if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
            raise_missing("the target", int(np.ma.getmaskarray(y).sum()), "y")
        array = as_array(y)
        if hasattr(y, "categories") and hasattr(y, "codes"):  # a pandas Categorical or its index
            n_missing = int(np.sum(np.asarray(y.codes) < 0))
            if n_missing:
                raise_missing("the target", n_missing, "y")
            return read_categories(array, "the target y")
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_column()
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    values = read_values(array, "the target y", "y")
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        _check_finite(values)
    return values


def read_labels(y: Any) -> np.ndarray:
    """A target as an array that can be joined with others: numbers, or text as objects."""
    values = read_target(y)
    if isinstance(values, NominalValues):
        return np.array([str(level) for level in values.levels], dtype=object)[values.codes]
    return values


def _warn_column() -> None:
    warn_user(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
        "to (n_samples,), for example using ravel().",
        DataConversionWarning,
    )


def _check_finite(values: np.ndarray) -> None:
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        raise_missing("the target", n_missing, "y")
    n_infinite = int(np.isinf(values).sum())
    if n_infinite:
        raise ValueError(
            f"Input y contains infinity (inf): {n_infinite} infinite value(s). Drop these rows."
        )


def _numbers(values: np.ndarray, kind: str, instead: str) -> Target:
    """Target of numbers or booleans."""
    whole = values.dtype.kind != "f" or bool((values == np.rint(values)).all())
    if kind == "classes" and not whole:
        raise ValueError(
            "Unknown label type: continuous. The target holds numbers with fractions, but classes "
            f"are needed. {instead}, or bin y into classes."
        )
    if kind == "numeric" or not whole:
        return _numeric(values)
    classes, codes = distinct(values)
    many = classes.size > MAX_CLASSES and values.size < 10 * classes.size
    if kind == "auto" and many and values.dtype.kind != "b":
        return _numeric(values)
    return Target("classes", classes.size == 1, codes, classes)


def distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted distinct values, and the place of each value among them.

    Integers that lie close together are looked up, which is much faster than to sort them.
    """
    integers = values.dtype.kind in "iu" and values.dtype.isnative and values.size > 0
    if not integers or int(values.max()) - int(values.min()) >= MAX_SPAN:
        classes, codes = np.unique(values, return_inverse=True)
        return classes, codes.astype(np.int32)
    unsigned = np.dtype(f"u{values.dtype.itemsize}")  # whose differences do not overflow
    low = values.min().view(unsigned)
    away = (values.view(unsigned) - low).astype(np.intp)
    present = np.bincount(away) > 0
    classes = (np.nonzero(present)[0].astype(unsigned) + low).view(values.dtype)
    return classes, (np.cumsum(present) - 1).astype(np.int32)[away]


def _numeric(values: np.ndarray) -> Target:
    """Target of numbers; large integers are differences from the first, which have all digits."""
    constant = bool((values == values[0]).all())
    large = bool(beyond_floats(values[:, None])[0])
    if large:
        origin = int(values[0])
        return Target("numeric", constant, values=differences(values, origin), origin=origin)
    return Target("numeric", constant, values=values.astype(np.float64))

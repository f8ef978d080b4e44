"""Read the values of one column: numbers as an array, text and categories as codes."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, overload

import narwhals.stable.v1 as nw
import numpy as np

#: Names of the types of missing cells.
MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_NESTED = (list, tuple, set, frozenset, np.ndarray)

#: Types of integers that NumPy does not have.
WIDE_INTEGERS = (nw.Int128, nw.UInt128)


@dataclass
class NominalValues:
    """Text or categories: ``levels[codes]``, levels sorted and all present.

    The code of a missing cell comes after the last level.
    """

    codes: np.ndarray
    levels: np.ndarray
    n_missing: int = 0


@dataclass
class GappedNumbers:
    """Whole numbers or booleans (`kind` "i" or "b") that are floats, as some cells are missing."""

    values: np.ndarray
    kind: str


Values = np.ndarray | NominalValues | GappedNumbers


def column_label(j: int, names: np.ndarray | None) -> str:
    """Name of column ``j`` in messages: its own, or its position."""
    return f"column {j}" if names is None else f"column {names[j]!r}"


def raise_missing(where: str, n_missing: int, variable: str = "X") -> NoReturn:
    """Raise the error for missing values in a column (or in the target)."""
    if variable == "y":  # filling in a target is never right
        raise ValueError(f"Input y contains NaN: {n_missing} missing value(s). Drop these rows.")
    raise ValueError(
        f"Input {variable} contains NaN: {where} has {n_missing} missing value(s). Fill them in "
        "(for example with sklearn.impute.SimpleImputer), or drop these rows or the column."
    )


def as_array(values: Any) -> np.ndarray:
    """Array of `values`; sequences that mix text with anything else keep their objects."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"The rows of the table differ in length or depth: {error}") from error
    if array.dtype.kind in "US" and not hasattr(values, "dtype"):
        array = np.asarray(values, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array!r}\n")
    return array


def with_nan(array: np.ndarray) -> np.ndarray:
    """The array with NaN for missing objects of any kind; itself if it holds no objects."""
    if array.dtype.kind != "O":
        return array
    missing = [type(v).__name__ in MISSING_TYPES for v in array.ravel().tolist()]
    return np.where(np.reshape(missing, array.shape), np.nan, array)


def text_as_objects(values: Any) -> Any:
    """The values; NumPy's text of any length, a type that scikit-learn rejects, as objects."""
    is_text = isinstance(values, np.ndarray) and values.dtype.kind == "T"
    return values.astype(object) if is_text else values


def plain_numbers(values: np.ndarray) -> np.ndarray:
    """Numbers that kernels can read: native byte order, aligned, float32 or float64."""
    dtype = values.dtype
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    dtype = dtype.newbyteorder("=")
    if dtype == values.dtype and values.dtype.isnative and values.flags.aligned:
        return values
    return values.astype(dtype)


def series_to_numpy(series: Any, where: str) -> np.ndarray:
    """Values of a narwhals series; integers of 128 bits have to fit into 64."""
    if series.dtype not in WIDE_INTEGERS:
        return series.to_numpy()
    try:
        dtype = integers([series.min(), series.max()]).dtype
    except OverflowError as error:
        raise ValueError(wide_message(where, error)) from None
    return series.cast(nw.Int64 if dtype.kind == "i" else nw.UInt64).to_numpy()


@overload
def read_values(
    values: np.ndarray, where: str, variable: str = ...
) -> np.ndarray | NominalValues: ...
@overload
def read_values(
    values: np.ndarray, where: str, variable: str = ..., *, allow_missing: bool
) -> Values: ...
def read_values(
    values: np.ndarray, where: str, variable: str = "X", *, allow_missing: bool = False
) -> Values:
    """Read one column: numbers and booleans as an array, text as codes; the rest is an error.

    Missing numbers are NaN. Missing text is an error unless `allow_missing`; then whole numbers and
    booleans among missing cells are told apart from other floats too.
    """
    kind = values.dtype.kind
    if kind in "biuf":
        return plain_numbers(values)
    if kind in "US":
        return NominalValues(*factorize(values))
    if kind in "TO":  # T: text of any length, which may have missing values
        return _read_objects(values.tolist(), where, variable, allow_missing)
    if kind in "Mm":
        raise ValueError(_date_message(where, str(values.dtype)))
    if kind == "c":
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    raise ValueError(
        f"{where} has the type {values.dtype}, which cannot be used. Convert it to numbers or "
        "text, or drop it."
    )


def read_categories(
    values: np.ndarray, where: str, missing: np.ndarray | None = None
) -> NominalValues:
    """Read one column of categories, of any type that has an order; some cells may be missing."""
    observed = values if missing is None else values[~missing]
    try:
        codes, levels = factorize(observed)
    except TypeError:
        raise ValueError(_mixed_message(where, set(map(type, observed.tolist())))) from None
    return NominalValues(codes, levels) if missing is None else spread(codes, levels, missing)


def spread(codes: np.ndarray, levels: np.ndarray, missing: np.ndarray) -> NominalValues:
    """Codes of the cells that are there as those of all cells; missing ones come last."""
    of_all = np.full(missing.size, levels.size, dtype=np.int32)
    of_all[~missing] = codes
    return NominalValues(of_all, levels, int(missing.sum()))


def _kind_of(type_: type, where: str) -> str:
    """Kind of a Python type, or an error for what no column may hold."""
    if issubclass(type_, dict):
        raise TypeError(
            f"{where}: argument must be a string or a real number, not {type_.__name__!r}"
        )
    if type_.__name__ in MISSING_TYPES:
        return "missing"
    if issubclass(type_, (str, bytes)):
        return "text" if issubclass(type_, str) else "bytes"
    if issubclass(type_, (bool, np.bool_)):
        return "boolean"
    if issubclass(type_, _DATES) or type_.__name__ == "Period":
        raise ValueError(_date_message(where, type_.__name__))
    if issubclass(type_, _NESTED):
        raise ValueError(nested_message(where, type_.__name__))
    if issubclass(type_, (complex, np.complexfloating)):
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    if issubclass(type_, numbers.Number):
        return "number"
    raise ValueError(
        f"{where} holds values of type {type_.__name__!r}, which cannot be used. "
        "Convert it to numbers or text, or drop it."
    )


def _read_objects(values: list, where: str, variable: str, allow_missing: bool) -> Values:
    types = {type_: _kind_of(type_, where) for type_ in set(map(type, values))}
    kinds = set(types.values()) - {"missing"}
    absent = [types[type(v)] == "missing" or _is_nan(v) for v in values]
    if len(kinds) > 1 and all(types[type(v)] != "number" or _is_nan(v) for v in values):
        kinds.discard("number")  # a float NaN among text is a missing value, as in pandas
    if len(kinds) > 1:
        present = [type_ for type_, kind in types.items() if kind != "missing"]
        raise ValueError(_mixed_message(where, present))
    if kinds in ({"text"}, {"bytes"}):
        if not any(absent):
            return NominalValues(*factorize(values))
        if not allow_missing:
            raise_missing(where, sum(absent), variable)
        text = [v for v, missing in zip(values, absent, strict=True) if not missing]
        return spread(*factorize(text), np.array(absent))
    if kinds == {"boolean"} and not any(absent):
        return np.array(values, dtype=bool)
    if not any(absent) and all(issubclass(type_, numbers.Integral) for type_ in types):
        try:
            return integers(values)
        except OverflowError as error:
            raise ValueError(wide_message(where, error)) from None
    cells = zip(values, absent, strict=True)
    floats = np.array([np.nan if missing else _to_float(v, where) for v, missing in cells])
    if allow_missing and kinds == {"boolean"}:
        return GappedNumbers(floats, "b")
    whole = {type(v) for v, missing in zip(values, absent, strict=True) if not missing}
    if allow_missing and whole and all(issubclass(type_, numbers.Integral) for type_ in whole):
        return whole_with_gaps(floats, where)
    return floats


def whole_with_gaps(values: np.ndarray, where: str) -> GappedNumbers:
    """Whole numbers as floats, of which some are missing; too large ones are an error."""
    if np.nanmax(np.abs(values)) > LARGEST_EXACT:
        raise ValueError(
            f"{where} has missing values, and integers beyond 2**53, which float64 does not hold "
            "exactly. Make it text if these are labels, floats if they are quantities, or drop it."
        )
    return GappedNumbers(values, "i")


def _is_nan(value: Any) -> bool:
    """Whether a value is not a number; a signalling NaN must not be compared."""
    return value.is_nan() if isinstance(value, decimal.Decimal) else value != value


def _to_float(value: Any, where: str) -> float:
    """A number as a float, or an error if it is beyond all floats."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number) and value not in (math.inf, -math.inf):
        raise ValueError(
            f"{where} holds numbers that are too large for float64. Scale it, or drop it."
        )
    return number


def integers(values: Sequence[Any]) -> np.ndarray:
    """Whole numbers as int64, or as uint64 where only that holds them all."""
    low, high = int(min(values)), int(max(values))
    if low >= -(2**63) and high < 2**63:
        return np.array(values, dtype=np.int64)
    if low >= 0 and high < 2**64:
        return np.array(values, dtype=np.uint64)
    raise OverflowError(f"{max(low, high, key=abs)}")


#: float64 holds every whole number up to this.
LARGEST_EXACT = 2**53


def beyond_floats(values: np.ndarray) -> np.ndarray:
    """Which columns hold integers that float64 does not hold exactly."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return np.zeros(values.shape[1], dtype=bool)
    return (values.max(axis=0) > LARGEST_EXACT) | (values.min(axis=0) < -LARGEST_EXACT)


def differences(values: np.ndarray, centre: int) -> np.ndarray:
    """``values - centre`` as floats, subtracted as integers, so that no digit is lost before."""
    if values.dtype.kind == "f":
        return values - float(centre)
    if values.dtype.kind == "i":  # moved to unsigned numbers in the same order, which cannot wrap
        sign = np.uint64(1 << 63)
        values, centre = values.astype(np.int64).view(np.uint64) ^ sign, centre + (1 << 63)
    origin = np.uint64(centre)
    above, below = values - origin, origin - values
    return np.where(values >= origin, above.astype(np.float64), -below.astype(np.float64))


def factorize(values: Sequence | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of hashable values in the order of their sorted distinct ones, and these."""
    numeric = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"
    if numeric:
        levels, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.int32), levels
    items = values.tolist() if isinstance(values, np.ndarray) else values
    distinct = sorted(set(items))
    rank = {value: code for code, value in enumerate(distinct)}
    codes = np.fromiter(map(rank.__getitem__, items), dtype=np.int32, count=len(items))
    levels = np.empty(len(distinct), dtype=object)
    levels[:] = distinct
    return codes, levels


def _mixed_message(where: str, types: Iterable[type]) -> str:
    found = ", ".join(sorted(type_.__name__ for type_ in types))
    return (
        f"{where} mixes values of the types {found}. Make them all text (for example with "
        "astype(str)) or all numbers, or drop it."
    )


def _date_message(where: str, dtype: str) -> str:
    return (
        f"{where} holds dates or durations ({dtype}), which have no fixed meaning as features. "
        "Convert it to numbers (for example days since a start date, or the month), or drop it."
    )


def wide_message(where: str, example: Any) -> str:
    """The error for integers that neither int64 nor uint64 holds."""
    return (
        f"{where} holds integers beyond 64 bits, such as {example}; as floats, different ones "
        "could become equal. Make it text if these are labels, floats if they are quantities, or "
        "drop it."
    )


def nested_message(where: str, dtype: str) -> str:
    """The error for cells that hold more than one value."""
    return (
        f"{where} holds nested values ({dtype}); each cell must be one number or one text. "
        "Spread it over several columns, or drop it."
    )

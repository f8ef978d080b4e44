"""Read what users have (arrays, lists, data frames) into blocks of columns."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse

from ensfs.data.schema import column_of, frame_names, read_schema, take_columns

_MISSING = {"NoneType", "NAType", "NaTType"}
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_WIDE = (nw.Int128, nw.UInt128)
_NESTED = (list, tuple, set, frozenset, np.ndarray)


@dataclass
class NumericBlock:
    """Columns of one numeric type: ``values[:, i]`` is column ``columns[i]`` of the table."""

    columns: np.ndarray
    values: np.ndarray


@dataclass
class NominalBlock:
    """One column of text or categories: ``levels[codes]``, levels sorted and all present."""

    column: int
    codes: np.ndarray
    levels: np.ndarray


Block = NumericBlock | NominalBlock


@dataclass
class RawColumns:
    """A table as read: its shape, its names if it has any, its blocks."""

    n_rows: int
    n_features: int
    names: np.ndarray | None
    blocks: list[Block]


def column_label(j: int, names: np.ndarray | None) -> str:
    """How messages call column ``j``: by its name, or by its position."""
    return f"column {j}" if names is None else f"column {names[j]!r}"


def raise_missing(where: str, n_missing: int, variable: str = "X") -> NoReturn:
    """Raise the error for missing values in a column (or in the target)."""
    if variable == "y":  # nobody should fill in a target
        raise ValueError(f"Input y contains NaN: {n_missing} missing value(s). Drop these rows.")
    raise ValueError(
        f"Input {variable} contains NaN: {where} has {n_missing} missing value(s). Fill them in "
        "(for example with sklearn.impute.SimpleImputer), or drop these rows or the column."
    )


def read_columns(X: Any) -> RawColumns:
    """Read a two-dimensional table of any accepted kind.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        A NumPy array of any order and numeric, boolean, text or object type, a list of lists, or a
        pandas, polars or pyarrow table. One that has been read before is returned as it is.

    Returns
    -------
    RawColumns
        Blocks that share the memory of `X` where its type and layout allow it.
    """
    if isinstance(X, RawColumns):
        return X
    if scipy.sparse.issparse(X):
        raise TypeError(
            "X is a sparse matrix or array; a dense table is needed. Call X.toarray() first."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        where = np.nonzero(np.ma.getmaskarray(X).reshape(X.shape[0], -1).any(axis=0))[0]
        n_missing = int(np.ma.getmaskarray(X).reshape(X.shape[0], -1)[:, where[0]].sum())
        raise_missing(f"column {where[0]} of the masked array", n_missing)
    if isinstance(X, np.ndarray):  # narwhals would ask every library that it knows
        return _read_array(as_array(X))
    if nw.dependencies.is_into_series(X):
        _raise_not_2d(np.asarray(X))
    if nw.dependencies.is_into_dataframe(X):
        return _read_frame(X)
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise TypeError(f"X is a lazy table ({type(X).__name__}); call X.collect() first.")
    array = as_array(X)
    if array.ndim == 0:  # a scalar: advice to reshape it would be misleading
        raise ValueError(
            f"Expected 2D array, got {type(X).__name__} instead. X must be a table: an array, a "
            "list of rows or a data frame."
        )
    return _read_array(array)


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


def _raise_not_2d(array: np.ndarray) -> NoReturn:
    raise ValueError(
        f"Expected 2D array, got {array.ndim}D array instead:\narray={array!r}.\nReshape your data "
        "either using array.reshape(-1, 1) if your data has a single feature or "
        "array.reshape(1, -1) if it contains a single sample."
    )


def _check_shape(shape: tuple[int, ...]) -> None:
    for size, what in zip(shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )


def _read_array(array: np.ndarray) -> RawColumns:
    if array.ndim != 2:
        _raise_not_2d(array)
    _check_shape(array.shape)
    n, p = array.shape
    if array.dtype.kind in "biuf":
        blocks: list[Block] = [NumericBlock(np.arange(p), _plain(array))]
    else:
        blocks = _read_each((j, array[:, j], column_label(j, None)) for j in range(p))
    return RawColumns(n, p, None, blocks)


def _plain(values: np.ndarray) -> np.ndarray:
    """Numbers that kernels can read: native byte order, aligned, float32 or float64."""
    dtype = values.dtype
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    dtype = dtype.newbyteorder("=")
    if dtype == values.dtype and values.dtype.isnative and values.flags.aligned:
        return values
    return values.astype(dtype)


def _read_frame(X: Any) -> RawColumns:
    """Columns of one numeric type are taken together, the others one by one."""
    X = nw.to_native(X, pass_through=True)
    names = frame_names(X)
    n, p = X.shape
    _check_shape((n, p))
    schema = read_schema(X)
    numeric = schema.mask(_is_numeric)
    blocks: list[Block] = []
    for code in np.unique(schema.which[numeric]):
        columns = np.nonzero(schema.which == code)[0]
        blocks.append(NumericBlock(columns, _plain(_numbers(X, columns))))
    blocks += _read_each(
        (j, _series_values(column_of(X, j), column_label(j, names)), column_label(j, names))
        for j in np.nonzero(~numeric)[0].tolist()
    )
    return RawColumns(n, p, names, blocks)


def _is_numeric(dtype: Any) -> bool:
    """Whether NumPy has an equal type for numbers or booleans."""
    number = dtype.is_float() or dtype.is_integer() or dtype == nw.Boolean
    return number and dtype not in _WIDE


def _numbers(X: Any, columns: np.ndarray) -> np.ndarray:
    """Columns of one numeric type as an array; if these are all, that of the data frame."""
    part = X if columns.size == X.shape[1] else take_columns(X, columns)
    if nw.dependencies.is_pyarrow_table(X):
        values = _arrow_numbers(part)
    elif not hasattr(X, "iloc"):
        values = nw.from_native(part, eager_only=True).to_numpy()
    elif all(isinstance(dtype, np.dtype) for dtype in set(part.dtypes)):
        values = part.to_numpy()
    else:  # unlike storage, such as Int64 beside int64
        values = np.column_stack([column_of(part, i).to_numpy() for i in range(columns.size)])
    if values.dtype.kind in "biuf":
        return values
    series = [column_of(part, i) for i in range(columns.size)]
    if any(each.null_count() for each in series):  # NaN, as in columns of floats
        series = [each.cast(nw.Float64) for each in series]
    return np.column_stack([each.to_numpy() for each in series])


def _arrow_numbers(X: Any) -> np.ndarray:
    """A pyarrow table of one numeric type as an array."""
    try:  # compiled, and several times faster than column by column
        blocks = [batch.to_tensor(row_major=False).to_numpy() for batch in X.to_batches()]
    except (ValueError, TypeError, NotImplementedError):  # nulls, or booleans
        return np.column_stack([column.to_numpy() for column in X.itercolumns()])
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _series_values(series: Any, where: str) -> np.ndarray | NominalBlock:
    """Values of a series; categories come back coded, so that their kind is kept."""
    if series.dtype.is_nested():
        raise ValueError(_nested_message(where, str(series.dtype)))
    n_missing = series.null_count()
    if n_missing == len(series):  # no value that would say what the column holds
        return np.full(n_missing, np.nan)
    values = series_to_numpy(series, where)
    if series.dtype in (nw.Categorical, nw.Enum):
        if n_missing:
            raise_missing(where, n_missing)
        return read_categories(values, where)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    return values


def series_to_numpy(series: Any, where: str) -> np.ndarray:
    """Values of a narwhals series; integers of 128 bits have to fit into 64."""
    if series.dtype not in _WIDE:
        return series.to_numpy()
    try:
        dtype = integers([series.min(), series.max()]).dtype
    except OverflowError as error:
        raise ValueError(wide_message(where, error)) from None
    return series.cast(nw.Int64 if dtype.kind == "i" else nw.UInt64).to_numpy()


def _read_each(columns: Iterable[tuple[int, Any, str]]) -> list[Block]:
    """Read columns one by one; numeric ones of the same type are put together."""
    blocks: list[Block] = []
    numeric: dict[np.dtype, tuple[list[int], list[np.ndarray]]] = {}
    for j, values, where in columns:
        read = values if isinstance(values, NominalBlock) else read_values(values, where)
        if isinstance(read, NominalBlock):
            blocks.append(NominalBlock(j, read.codes, read.levels))
        else:
            positions, arrays = numeric.setdefault(read.dtype, ([], []))
            positions.append(j)
            arrays.append(read)
    for positions, arrays in numeric.values():
        blocks.append(NumericBlock(np.array(positions), np.stack(arrays).T))
    return blocks


def read_values(values: np.ndarray, where: str, variable: str = "X") -> np.ndarray | NominalBlock:
    """Read one column: numbers and booleans as an array, text as codes; the rest is an error."""
    kind = values.dtype.kind
    if kind in "biuf":
        return _plain(values)
    if kind in "US":
        return NominalBlock(-1, *factorise(values))
    if kind in "Mm":
        raise ValueError(_date_message(where, str(values.dtype)))
    if kind == "c":
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    if kind != "O":
        raise ValueError(
            f"{where} has the type {values.dtype}, which cannot be used. "
            "Convert it to numbers or text, or drop it."
        )
    return _read_objects(values.tolist(), where, variable)


def read_categories(values: np.ndarray, where: str) -> NominalBlock:
    """Read one column of categories, of any type that has an order."""
    try:
        return NominalBlock(-1, *factorise(values))
    except TypeError:
        raise ValueError(_mixed_message(where, set(map(type, values.tolist())))) from None


def _kind_of(type_: type, where: str) -> str:
    """Kind of a Python type, or an error for what no column may hold."""
    if issubclass(type_, dict):
        raise TypeError(
            f"{where}: argument must be a string or a real number, not {type_.__name__!r}"
        )
    if type_.__name__ in _MISSING:
        return "missing"
    if issubclass(type_, (str, bytes)):
        return "text" if issubclass(type_, str) else "bytes"
    if issubclass(type_, (bool, np.bool_)):
        return "boolean"
    if issubclass(type_, _DATES) or type_.__name__ == "Period":
        raise ValueError(_date_message(where, type_.__name__))
    if issubclass(type_, _NESTED):
        raise ValueError(_nested_message(where, type_.__name__))
    if issubclass(type_, (complex, np.complexfloating)):
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    if issubclass(type_, numbers.Number):
        return "number"
    raise ValueError(
        f"{where} holds values of type {type_.__name__!r}, which cannot be used. "
        "Convert it to numbers or text, or drop it."
    )


def _read_objects(values: list, where: str, variable: str) -> np.ndarray | NominalBlock:
    types = {type_: _kind_of(type_, where) for type_ in set(map(type, values))}
    kinds = set(types.values()) - {"missing"}
    absent = [v for v in values if types[type(v)] == "missing" or v != v]
    if len(kinds) > 1 and all(types[type(v)] != "number" or v != v for v in values):
        kinds.discard("number")  # a float NaN among text is a missing value, as in pandas
    if len(kinds) > 1:
        present = [type_ for type_, kind in types.items() if kind != "missing"]
        raise ValueError(_mixed_message(where, present))
    if kinds in ({"text"}, {"bytes"}):
        if absent:
            raise_missing(where, len(absent), variable)
        return NominalBlock(-1, *factorise(values))
    if kinds == {"boolean"} and not absent:
        return np.array(values, dtype=bool)
    if not absent and all(issubclass(type_, numbers.Integral) for type_ in types):
        try:
            return integers(values)
        except OverflowError as error:
            raise ValueError(wide_message(where, error)) from None
    return np.array(
        [np.nan if types[type(v)] == "missing" else float(v) for v in values], dtype=np.float64
    )


def integers(values: Sequence[Any]) -> np.ndarray:
    """Whole numbers as int64, or as uint64 where only that holds them all."""
    low, high = int(min(values)), int(max(values))
    if low >= -(2**63) and high < 2**63:
        return np.array(values, dtype=np.int64)
    if low >= 0 and high < 2**64:
        return np.array(values, dtype=np.uint64)
    raise OverflowError(f"{max(low, high, key=abs)}")


def factorise(values: Sequence | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def _nested_message(where: str, dtype: str) -> str:
    return (
        f"{where} holds nested values ({dtype}); each cell must be one number or one text. "
        "Spread it over several columns, or drop it."
    )

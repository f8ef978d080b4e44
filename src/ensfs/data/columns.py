"""Read what users have (arrays, lists, data frames) into blocks of columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse

from ensfs.data.schema import column_of, frame_names, read_schema, take_columns
from ensfs.data.values import (
    WIDE_INTEGERS,
    GappedNumbers,
    NominalValues,
    as_array,
    column_label,
    nested_message,
    plain_numbers,
    raise_missing,
    read_categories,
    read_values,
    series_to_numpy,
    whole_with_gaps,
)
from ensfs.data.variables import Variables, make_variables


@dataclass
class NumericBlock:
    """Columns of one numeric type: ``values[:, i]`` is column ``columns[i]`` of the table.

    Missing cells are NaN. Where these made floats of whole numbers or booleans, `gapped` is the
    kind that they had, "i" or "b".
    """

    columns: np.ndarray
    values: np.ndarray
    gapped: str | None = None

    @property
    def kind(self) -> str:
        """Kind of the values, apart from missing ones: "b", "i", "u" or "f"."""
        return self.gapped or self.values.dtype.kind


@dataclass
class NominalBlock:
    """One column of text or categories: ``levels[codes]``, levels sorted and all present.

    The code of a missing cell comes after the last level.
    """

    column: int
    codes: np.ndarray
    levels: np.ndarray
    n_missing: int = 0


Block = NumericBlock | NominalBlock


@dataclass
class RawColumns:
    """A table as read, without excluded columns: its shape, its names if it has any, its blocks.

    The blocks number the columns that are left by 0, 1, ...; `variables` knows which they are.
    """

    n_rows: int
    variables: Variables
    blocks: list[Block]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.variables.n_kept

    @property
    def names(self) -> np.ndarray | None:
        """Their names, if they have any."""
        names = self.variables.names
        return None if names is None else self.variables.of_kept(names)


def read_columns(X: Any, *, allow_missing: bool = False, **choice: Any) -> RawColumns:
    """Read a two-dimensional table of any accepted kind.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        A NumPy array of any order and numeric, boolean, text or object type, a list of lists, or a
        pandas, polars or pyarrow table. One that has been read before is returned as it is.
    allow_missing : bool, default=False
        Whether cells of text and categories may be missing. Missing numbers are NaN in any case.
    **choice
        Columns that are included or excluded, as `make_variables` takes them. Excluded ones are not
        looked at.

    Returns
    -------
    RawColumns
        Blocks that share the memory of `X` where its type and layout allow it.
    """
    if isinstance(X, RawColumns):
        return _chosen(X, choice)
    if scipy.sparse.issparse(X):
        raise TypeError(
            "X is a sparse matrix or array; a dense table is needed. Call X.toarray() first."
        )
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        if allow_missing:
            return _read_array(_with_gaps(X), choice, allow_missing)
        where = np.nonzero(np.ma.getmaskarray(X).reshape(X.shape[0], -1).any(axis=0))[0]
        n_missing = int(np.ma.getmaskarray(X).reshape(X.shape[0], -1)[:, where[0]].sum())
        raise_missing(f"column {where[0]} of the masked array", n_missing)
    if isinstance(X, np.ndarray):  # narwhals would check for every library it supports
        return _read_array(as_array(X), choice, allow_missing)
    if nw.dependencies.is_into_series(X):
        _raise_not_2d(np.asarray(X))
    if nw.dependencies.is_into_dataframe(X):
        return _read_frame(X, choice, allow_missing)
    _refuse_lazy(X)
    array = as_array(X)
    if array.ndim == 0:  # a scalar: advice to reshape it would be misleading
        raise ValueError(
            f"Expected 2D array, got {type(X).__name__} instead. X must be a table: an array, a "
            "list of rows or a data frame."
        )
    return _read_array(array, choice, allow_missing)


def _with_gaps(X: np.ma.MaskedArray) -> np.ndarray:
    """A masked array as an array with NaN or None for masked cells."""
    if X.dtype.kind == "f":
        return X.filled(np.nan)
    cells = np.array(X.data, dtype=object)
    cells[np.ma.getmaskarray(X)] = None
    return cells


def _chosen(columns: RawColumns, choice: dict[str, Any]) -> RawColumns:
    """A table that was read with all its columns, without those that are excluded."""
    if all(value is None for value in choice.values()):
        return columns
    variables = make_variables(columns.n_features, columns.names, **choice)
    place = np.full(columns.n_features, -1)
    place[variables.of_kept(np.arange(columns.n_features))] = np.arange(variables.n_kept)
    blocks: list[Block] = []
    for block in columns.blocks:
        if isinstance(block, NominalBlock):
            if place[block.column] >= 0:
                blocks.append(replace(block, column=int(place[block.column])))
            continue
        kept = place[block.columns] >= 0
        values = block.values if kept.all() else block.values[:, kept]
        if kept.any():
            blocks.append(NumericBlock(place[block.columns[kept]], values, block.gapped))
    return RawColumns(columns.n_rows, variables, blocks)


def _refuse_lazy(X: Any) -> None:
    """Raise an error for tables of other libraries, which would be read without their names."""
    if hasattr(X, "collect") and not hasattr(X, "__array__"):
        raise TypeError(f"X is a lazy table ({type(X).__name__}); call X.collect() first.")
    if hasattr(X, "__dask_graph__"):
        sample = "X.sample(frac=0.01)" if hasattr(X, "columns") else "X[:10_000]"
        raise TypeError(
            f"X is a Dask {type(X).__name__}, and the whole table is needed in memory here. Take a "
            f"sample, {sample}.compute(), or all rows, X.compute()."
        )
    if not hasattr(X, "columns"):
        return
    raise TypeError(
        f"X is a table of a library that is not supported ({type(X).__module__}). Convert it to "
        "pandas, polars or pyarrow first."
    )


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


def _read_array(array: np.ndarray, choice: dict[str, Any], allow_missing: bool) -> RawColumns:
    if array.ndim != 2:
        _raise_not_2d(array)
    _check_shape(array.shape)
    n, p = array.shape
    variables = make_variables(p, None, **choice)
    if array.dtype.kind in "biuf":
        numbers = plain_numbers(variables.of_kept(array))
        blocks: list[Block] = [NumericBlock(np.arange(variables.n_kept), numbers)]
    else:
        kept = enumerate(variables.of_kept(np.arange(p)).tolist())
        blocks = _read_each(
            ((j, array[:, column], column_label(column, None)) for j, column in kept), allow_missing
        )
    return RawColumns(n, variables, blocks)


def _read_frame(X: Any, choice: dict[str, Any], allow_missing: bool) -> RawColumns:
    """Columns of one numeric type are taken together, the others one by one."""
    X = nw.to_native(X, pass_through=True)
    names = frame_names(X)
    n, p = X.shape
    _check_shape((n, p))
    variables = make_variables(p, names, **choice)
    if variables.kept is not None:
        X = take_columns(X, variables.kept)
    schema = read_schema(X)
    numeric = schema.mask(_is_numeric)
    blocks: list[Block] = []
    for code in np.unique(schema.which[numeric]):
        columns = np.nonzero(schema.which == code)[0]
        if allow_missing and not schema.types[code].is_float():
            gaps = _have_nulls(X, columns)
            blocks += _read_each(
                (int(j), _read_gapped(column_of(X, int(j)), variables.label_of_kept(int(j))), "")
                for j in columns[gaps]
            )
            columns = columns[~gaps]
        if columns.size:
            blocks.append(NumericBlock(columns, plain_numbers(_numbers(X, columns))))
    blocks += _read_each(
        (
            (j, _series_values(column_of(X, j), label, allow_missing), label)
            for j in np.nonzero(~numeric)[0].tolist()
            for label in [variables.label_of_kept(j)]
        ),
        allow_missing,
    )
    return RawColumns(n, variables, blocks)


def _have_nulls(X: Any, columns: np.ndarray) -> np.ndarray:
    """Which of some columns of whole numbers or booleans have missing cells."""
    if nw.dependencies.is_pyarrow_table(X):
        return np.array([X.column(int(j)).null_count > 0 for j in columns], dtype=bool)
    if hasattr(X, "iloc"):
        if all(isinstance(X.dtypes.iloc[j], np.dtype) for j in columns):
            return np.zeros(columns.size, dtype=bool)  # NumPy has no missing integers
        return X.iloc[:, columns].isna().to_numpy().any(axis=0)
    return np.array([column_of(X, int(j)).null_count() > 0 for j in columns], dtype=bool)


def _read_gapped(series: Any, where: str) -> GappedNumbers | np.ndarray:
    """A column of whole numbers or booleans with missing cells."""
    values = series.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)
    if np.isnan(values).all():  # without a value, the kind of the column is unknown
        return values
    return (
        GappedNumbers(values, "b") if series.dtype == nw.Boolean else whole_with_gaps(values, where)
    )


def _is_numeric(dtype: Any) -> bool:
    """Whether NumPy has an equal type for numbers or booleans."""
    number = dtype.is_float() or dtype.is_integer() or dtype == nw.Boolean
    return number and dtype not in WIDE_INTEGERS


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


def _series_values(series: Any, where: str, allow_missing: bool) -> np.ndarray | NominalValues:
    """Values of a series; categories come back coded, so that their kind is kept."""
    if series.dtype.is_nested():
        raise ValueError(nested_message(where, str(series.dtype)))
    if (
        series.dtype == nw.Object
    ):  # not asked for nulls, nor by narwhals: pandas fails on some objects
        return np.asarray(series.to_native().to_numpy())
    series = _with_null_codes(series)
    n_missing = series.null_count()
    if n_missing == len(series):  # without a value, the kind of the column is unknown
        return np.full(n_missing, np.nan)
    values = series_to_numpy(series, where)
    if series.dtype in (nw.Categorical, nw.Enum):
        if n_missing and not allow_missing:
            raise_missing(where, n_missing)
        missing = np.asarray(series.is_null().to_numpy(), dtype=bool) if n_missing else None
        return read_categories(values, where, missing)
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {where} holds complex numbers.")
    return values


def _with_null_codes(series: Any) -> Any:
    """The series; a dictionary of pyarrow may hold a null, whose cells are missing too."""
    native = series.to_native()
    if not any(
        getattr(chunk, "dictionary", None) is not None and chunk.dictionary.null_count
        for chunk in getattr(native, "chunks", ())
    ):
        return series
    cells = native.cast(native.type.value_type).dictionary_encode()
    return nw.from_native(cells, series_only=True)


def _read_each(columns: Iterable[tuple[int, Any, str]], allow_missing: bool = True) -> list[Block]:
    """Read columns one by one; numeric ones of the same type are put together."""
    blocks: list[Block] = []
    numeric: dict[tuple[np.dtype, str | None], tuple[list[int], list[np.ndarray]]] = {}
    for j, values, where in columns:
        read = values
        if isinstance(values, np.ndarray):
            read = read_values(values, where, allow_missing=allow_missing)
        if isinstance(read, NominalValues):
            blocks.append(NominalBlock(j, read.codes, read.levels, read.n_missing))
            continue
        gapped = read.kind if isinstance(read, GappedNumbers) else None
        cells = read.values if isinstance(read, GappedNumbers) else read
        positions, arrays = numeric.setdefault((cells.dtype, gapped), ([], []))
        positions.append(j)
        arrays.append(cells)
    for (_, gapped), (positions, arrays) in numeric.items():
        blocks.append(NumericBlock(np.array(positions), np.stack(arrays).T, gapped))
    return blocks

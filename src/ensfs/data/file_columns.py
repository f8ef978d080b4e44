"""Columns of files with types that depend neither on the format nor on the library that read them.

A number is a number in every format: columns of whole numbers become integers even where a format
wrote them with a decimal point, so that the same table gives the same selection from any file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from ensfs.data.file_errors import FileError
from ensfs.data.formats import read_as_text
from ensfs.data.schema import read_schema
from ensfs.data.text_types import typed
from ensfs.data.values import wide_message

#: Above this, floats do not hold every whole number.
_LARGEST_WHOLE = 2.0**53


class FileColumns:
    """A data frame from a file, with the types of its columns and its floats at hand.

    Tables may have very many columns: types are looked up and floats converted once, for all steps
    that leave the frame as it is.

    Attributes
    ----------
    frame : narwhals data frame
        The columns.
    names : ndarray of object
        Their names.
    floats : ndarray of bool
        Which columns hold floats.
    float_values : ndarray of shape (n_rows, number of floats)
        The columns of floats.
    """

    def __init__(self, frame: Any):
        self.frame = frame
        self.names = np.array(frame.columns, dtype=object)
        self.schema = read_schema(frame.to_native())
        self.floats = self.schema.mask(lambda dtype: dtype.is_float())
        self.float_values = self.values(self.floats)

    def named(self, *types: Any) -> list[str]:
        """Names of the columns of some types."""
        return self.names[self.schema.mask(lambda dtype: dtype in types)].tolist()

    def values(self, mask: np.ndarray) -> np.ndarray:
        """The chosen columns as one array."""
        if not mask.any():
            return np.empty((self.frame.shape[0], 0))
        part = self.frame if mask.all() else self.frame.select(self.names[mask].tolist())
        return part.to_numpy()

    def with_columns(self, *columns: Any) -> FileColumns:
        """The same with other columns in place of those of the same names."""
        return FileColumns(self.frame.with_columns(*columns)) if columns else self


def with_own_types(columns: FileColumns, path: Path) -> FileColumns:
    """The columns of a text file; those that libraries may read differently by our own rule."""
    text = columns.named(nw.String)
    found = [
        ours
        for series in (columns.frame.select(text).iter_columns() if text else ())
        if (ours := _typed_column(series, path)) is not series
    ]
    doubtful = _doubtful(columns)
    if doubtful:
        again = nw.from_native(read_as_text(path, doubtful), eager_only=True)
        found += [_typed_column(again[name], path) for name in doubtful]
    return columns.with_columns(*found)


def _typed_column(column: Any, path: Path) -> Any:
    try:
        return typed(column)
    except OverflowError as error:
        raise FileError(f"{path}: {wide_message(f'column {column.name!r}', error)}") from None


def _doubtful(columns: FileColumns) -> list[str]:
    """Columns of a text file, other than text, that a library may have read wrongly."""
    settled = (nw.String, nw.Boolean, nw.Int64, nw.UInt64)
    sure = columns.schema.mask(lambda dtype: dtype in settled)
    if columns.floats.any():
        sure[columns.floats] = _sure_floats(columns)
    return columns.names[~sure].tolist()


def _sure_floats(columns: FileColumns) -> np.ndarray:
    """Which columns of floats hold exactly what the cells of the file say."""
    values = columns.float_values
    # integers with too many digits for a float are larger than this
    sure = ~(np.fmax(np.fmax.reduce(values), -np.fmin.reduce(values)) >= _LARGEST_WHOLE)
    n_nan = np.isnan(values).sum(axis=0)
    names = columns.names[columns.floats]
    for j in np.nonzero(n_nan)[0]:
        # pyarrow reads a cell such as NAN as a number that is not one, others as text
        sure[j] &= n_nan[j] == columns.frame[names[j]].null_count()
    return sure


def without_missing(
    columns: FileColumns, target: str | None, missing: str, path: Path
) -> FileColumns:
    """The table without the rows or columns that have missing values, or an error.

    Selectors that know what to make of them get the table as it is; only the target is complete.
    """
    masks = _missing_masks(columns)
    if not masks or (missing not in ("error", "rows", "columns") and target not in masks):
        return columns
    if missing == "error":
        name, mask = next(iter(masks.items()))
        more = f", and so have {len(masks) - 1} more column(s)" if len(masks) > 1 else ""
        raise FileError(
            f"{path}: column {name!r} has {int(mask.sum())} missing value(s){more}. Fill them in, "
            "or leave them out with --missing rows or --missing columns."
        )
    if missing != "rows":
        if target is not None and target in masks:
            raise FileError(
                f"{path}: the target {target!r} has {int(masks[target].sum())} missing value(s). "
                "Use --missing rows."
            )
        kept = [name for name in columns.names if name not in masks]
        return FileColumns(columns.frame.select(kept))
    keep = ~np.logical_or.reduce(list(masks.values()))
    if not keep.any():
        raise FileError(f"{path}: every row has a missing value. Use --missing columns.")
    return FileColumns(columns.frame.filter(keep.tolist()))


def _missing_masks(columns: FileColumns) -> dict[str, np.ndarray]:
    """Masks of the missing values of the columns that have any."""
    masks: dict[str, np.ndarray] = {}
    single = np.ones(columns.names.size, dtype=bool)
    integers = columns.schema.mask(lambda dtype: dtype in (nw.Int64, nw.UInt64))
    for group in (columns.floats, integers):
        values = columns.float_values if group is columns.floats else columns.values(group)
        if values.dtype.kind in "iuf":
            single[group] = False
        if values.dtype.kind == "f":
            absent = np.isnan(values)
            names = columns.names[group]
            masks |= {names[j]: absent[:, j] for j in np.nonzero(absent.any(axis=0))[0]}
    for name in columns.names[single]:
        series = columns.frame[name]
        if series.null_count():
            masks[name] = series.is_null().to_numpy().astype(bool)
    return {name: masks[name] for name in columns.names if name in masks}


def with_plain_numbers(columns: FileColumns, path: Path) -> FileColumns:
    """Whole numbers as integers and decimals as floats, whatever the file has them as."""
    decimals = columns.named(nw.Decimal)
    columns = columns.with_columns(*(_plain_decimals(columns.frame[n], path) for n in decimals))
    whole = columns.names[columns.floats][is_whole(columns.float_values)]
    gaps = np.array([bool(columns.frame[name].null_count()) for name in whole], dtype=bool)
    gaps |= np.array([bool(np.isnan(columns.frame[n].to_numpy()).any()) for n in whole], dtype=bool)
    complete = whole[~gaps].tolist()
    found: list[Any] = [nw.col(complete).cast(nw.Int64)] if complete else []
    return columns.with_columns(*found, *(whole_with_gaps(columns.frame[n]) for n in whole[gaps]))


def whole_with_gaps(column: Any) -> Any:
    """A column of whole numbers, some of them missing, as integers."""
    native = column.to_native()
    if hasattr(native, "iloc"):  # in pandas only its own integers can be missing
        return nw.from_native(native.astype("Int64"), series_only=True)
    value = nw.col(column.name)
    return column.to_frame().select(nw.when(~value.is_nan()).then(value).cast(nw.Int64))[
        column.name
    ]


def _plain_decimals(column: Any, path: Path) -> Any:
    """Decimals as floats, or as integers where these have more digits than floats."""
    floats = column.cast(nw.Float64)
    if np.abs(floats.to_numpy()).max() < _LARGEST_WHOLE:
        return floats
    return _typed_column(column.cast(nw.String), path)


def is_whole(values: np.ndarray) -> np.ndarray:
    """Which columns hold whole numbers only, small enough to be exact, and at least one.

    Cells may be missing.
    """
    if values.dtype == np.float16:  # which does not reach that far
        values = values.astype(np.float32)
    with np.errstate(invalid="ignore"):
        missing = np.isnan(values)
        whole = (values == np.rint(values)) & (np.abs(values) < _LARGEST_WHOLE)
        return (whole | missing).all(axis=0) & ~missing.all(axis=0)

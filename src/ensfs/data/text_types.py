"""What the cells of a text file hold: one rule, whichever library has split the file into cells.

Libraries agree on plain numbers, but not on numbers with spaces, infinities, dates, hexadecimal
digits or whole numbers of more than 64 bits. A column is the first of these that all its cells are:
whole numbers, numbers, booleans, dates, times of day; otherwise it is text. Spaces around a cell
count only in text.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import narwhals.stable.v1 as nw

from ensfs.data.values import integers

#: What an empty cell looks like, whichever library reads it.
MISSING = ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(
    r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf(inity)?)", re.IGNORECASE | re.ASCII
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}(:[0-9]{2}){0,2}.*)?")
_TIME = re.compile(r"[0-9]{2}(:[0-9]{2}){1,2}(\.[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}


def typed(column: Any) -> Any:
    """A column of text cells as what they hold.

    Parameters
    ----------
    column : narwhals series of text
        Cells as they are in the file; those that are missing may be null.

    Returns
    -------
    narwhals series
        The same column if it holds text. Whole numbers that do not fit into 64 bits are an
        ``OverflowError``.
    """
    # pandas has NaN for what is missing
    distinct = [cell for cell in column.unique().to_list() if isinstance(cell, str)]
    cells = {cell: cell.strip() for cell in distinct}
    present = {cell: text for cell, text in cells.items() if text not in MISSING}
    for read in (_integer, _number, _boolean, _date, _time):
        values = _all_as(read, present)
        if values is not None:
            return _series(column, values, whole=read is _integer)
    if len(present) == len(cells):
        return column
    return _series(column, {cell: cell for cell in present})


def _all_as(read: Callable[[str], Any], cells: dict[str, str]) -> dict[str, Any] | None:
    """The values of all cells, or None if one of them is something else."""
    try:
        return {cell: read(text) for cell, text in cells.items()}
    except ValueError:
        return None


def _series(column: Any, values: dict[str, Any], *, whole: bool = False) -> Any:
    """The column with a value in place of each cell; cells without one are missing."""
    found = [values.get(cell) for cell in column.to_list()]
    dtype: Any = None
    if whole and values:
        bits = integers(list(values.values())).dtype
        dtype = nw.Int64 if bits.kind == "i" else nw.UInt64
        if column.implementation.is_pandas() and None in found:
            # objects: pandas would make them floats, and large ones inexact
            series = type(column.to_native())(found, name=column.name, dtype=object)
            return nw.from_native(series, series_only=True)
    return nw.new_series(column.name, found, dtype, backend=column.implementation)


# ------------------------------------------------------------------ kinds of cells


def _integer(text: str) -> int:
    return int(_whole_match(_INTEGER, text))


def _number(text: str) -> float:
    return float(_whole_match(_NUMBER, text))


def _boolean(text: str) -> bool:
    if text.lower() not in _BOOLEANS:
        raise ValueError
    return _BOOLEANS[text.lower()]


def _date(text: str) -> datetime.datetime:
    # no column may hold dates, so it is enough to know that they are: zones could be mixed
    return datetime.datetime.fromisoformat(_whole_match(_DATE, text)).replace(tzinfo=None)


def _time(text: str) -> datetime.time:
    return datetime.time.fromisoformat(_whole_match(_TIME, text))


def _whole_match(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError
    return text

"""Text for people: names from data made printable, cells, lines and tables.

The command line reports bad arguments with these before NumPy is imported.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def printable(text: Any) -> str:
    """The text in one line, with control characters and the like spelled out.

    Names come from data: as they are they could break a table, or reach a terminal as commands.
    """
    line = str(text)
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def one_line(text: Any) -> str:
    """A message in one printable line; line breaks become spaces."""
    return printable(" ".join(str(text).split()))


def shortened(text: Any, length: int) -> str:
    """The text, printable and at most `length` long.

    It is cut in the middle: names of columns often differ at their ends.
    """
    line = printable(text)
    if len(line) <= length:
        return line
    half = (length - 1) // 2
    return f"{line[:half]}…{line[len(line) - half :]}"


def cell_text(value: Any, *, digits: int = 4, missing: str = "-", thousands: bool = False) -> str:
    """A cell of a table as text.

    Parameters
    ----------
    value : object
        None and NaN are missing; booleans become yes and no; anything else that is not a number is
        made printable.
    digits : int, default=4
        Significant digits of floats.
    missing : str, default="-"
        Text for missing values.
    thousands : bool, default=False
        Whether to separate the thousands of integers by commas.

    Returns
    -------
    str
    """
    if hasattr(value, "item"):  # a scalar of NumPy
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, int):
        return f"{value:,}" if thousands else str(value)
    return printable(value)


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose columns are aligned to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]

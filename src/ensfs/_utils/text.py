"""Text for people: names from data made printable, cells, lines and tables.

The command line reports bad arguments with these before NumPy is imported.
"""

from __future__ import annotations

import math
from collections import Counter
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


def distinct_labels(names: Sequence[Any], length: int) -> list[str]:
    """The names, printable and at most `length` long, with no two alike.

    Names that would be alike once they are cut in the middle are cut before the first character in
    which they differ. Those that still are alike are numbered.
    """
    lines = [printable(name) for name in names]
    labels = [shortened(line, length) for line in lines]
    for alike, n in Counter(labels).items():
        if n > 1:
            at = [i for i, label in enumerate(labels) if label == alike]
            start = _first_difference([lines[i] for i in at])
            for i in at:
                labels[i] = _from(lines[i], start, length)
    n_alike = Counter(lines)
    whole = [a == b and n_alike[b] == 1 for a, b in zip(labels, lines, strict=True)]
    return _numbered(labels, whole, length)


def _first_difference(lines: Sequence[str]) -> int:
    """How many characters the lines begin with in common."""
    low, high = min(lines), max(lines)
    return next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))


def _from(line: str, start: int, length: int) -> str:
    """The beginning of a line, and what begins at `start`, as far as there is room for it."""
    head = length // 4
    if start <= head + 1:
        return line if len(line) <= length else f"{line[: length - 1]}…"
    room = length - head - 1
    rest = line[min(start, max(head, len(line) - room)) :]
    return f"{line[:head]}…{rest if len(rest) <= room else rest[: room - 1] + '…'}"


def _numbered(labels: Sequence[str], whole: Sequence[bool], length: int) -> list[str]:
    """Labels of which those that are alike have a number behind them, unless they are `whole`."""
    total, last, taken = Counter(labels), Counter[str](), set(labels)
    found = []
    for label, keep in zip(labels, whole, strict=True):
        numbered = label
        while total[label] > 1 and not keep and numbered in taken:
            last[label] += 1
            number = f" ({last[label]})"
            numbered = shortened(label, length - len(number)) + number
        taken.add(numbered)
        found.append(numbered)
    return found


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

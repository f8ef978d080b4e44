"""Errors about files, and the checks of column names that every format shares."""

from __future__ import annotations

import difflib
from collections import Counter
from pathlib import Path

from ensfs._utils.text import one_line


class FileError(ValueError):
    """A file that cannot be used; the message is one line that gives the reason."""


def reason_of(error: BaseException) -> str:
    """The message of a library's error in one line of at most 300 characters."""
    text = one_line(error) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def check_names(names: list[str], path: Path) -> None:
    """Refuse names that occur more than once."""
    if len(set(names)) == len(names):
        return
    twice = [name for name, count in Counter(names).items() if count > 1]
    raise FileError(f"{path}: column names must be unique; more than once: {_list(twice)}.")


def check_columns(wanted: list[str], names: list[str], path: Path) -> None:
    """Refuse columns that the file does not have, and offer a close name."""
    present = set(names)
    for name in wanted:
        if name not in present:
            close = difflib.get_close_matches(name, names, 1) if len(names) <= 10_000 else []
            hint = (
                f"; did you mean {close[0]!r}?" if close else f". Its columns are {_list(names)}."
            )
            raise FileError(f"{path} has no column {name!r}{hint}")


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")

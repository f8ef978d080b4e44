"""What a command writes: tables on standard output, and files that are whole or not there at all.

Nothing here needs NumPy or scikit-learn, so that bad arguments are reported at once.
"""

from __future__ import annotations

import io
import json
import math
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from ensfs._utils.text import cell_text, one_line, text_table

#: The path that is the standard output.
STANDARD_OUTPUT = "-"

#: Text that begins with one of these is a formula for spreadsheets, also in full width.
FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


class UsageError(ValueError):
    """Arguments that do not fit the data or each other; the message is one line."""


class Output:
    """What a command writes, kept until all of it is there.

    Parameters
    ----------
    spreadsheet : bool
        Whether an apostrophe marks text that spreadsheets would run as a formula.
    """

    def __init__(self, *, spreadsheet: bool = False) -> None:
        self.spreadsheet = spreadsheet
        self.tables: list[tuple[list[str], list[list[Any]]]] = []
        self.files: list[tuple[str, str]] = []
        self.in_place_of_tables: str | None = None

    def add_table(self, headings: list[str], rows: list[list[Any]]) -> None:
        """A table for the standard output."""
        self.tables.append((headings, rows))

    def add_json(self, path: str | None, content: dict[str, Any]) -> None:
        """A file in JSON, if there is a path."""
        if path is not None:
            text = json.dumps(_finite(content), indent=2, allow_nan=False, ensure_ascii=False)
            self.add_file(path, text + "\n")

    def add_file(self, path: str, text: str) -> None:
        """A file; ``-`` is the standard output, in place of the tables."""
        if path == STANDARD_OUTPUT:
            self.in_place_of_tables = text
        else:
            self.files.append((path, text))

    def write(self) -> None:
        """Write the files, then the standard output."""
        for path, text in self.files:
            write_file(path, text)
        if self.in_place_of_tables is not None:
            _write_bytes(encoded(self.in_place_of_tables))
        else:
            aligned = sys.stdout.isatty()
            sys.stdout.write("\n".join(self._table(*each, aligned) for each in self.tables))
        sys.stdout.flush()

    def _table(self, headings: list[str], rows: list[list[Any]], aligned: bool) -> str:
        """A table as text: tab-separated, or in columns for people."""
        cells = [[self._cell(each) for each in row] for row in [headings, *rows]]
        lines = text_table(cells) if aligned else ["\t".join(row) for row in cells]
        return "".join(line + "\n" for line in lines)

    def _cell(self, value: Any) -> str:
        text = cell_text(value, digits=6)
        formula = isinstance(value, str) and text.startswith(FORMULA_SIGNS)
        return f"'{text}" if self.spreadsheet and formula else text


def _finite(value: Any) -> Any:
    """The same with None for floats that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def encoded(text: str) -> bytes:
    """UTF-8; what it does not have (half of a surrogate pair) is spelled out."""
    return text.encode("utf-8", "backslashreplace")


def _write_bytes(content: bytes) -> None:
    """Bytes to the standard output, whatever its encoding."""
    try:
        binary = sys.stdout.buffer
    except AttributeError:  # replaced by something that takes only text
        sys.stdout.write(content.decode("utf-8"))
        return
    sys.stdout.flush()
    binary.write(content)


def say(message: Any) -> None:
    """One line on standard error."""
    sys.stderr.write(f"ensfs: {one_line(message)}\n")
    sys.stderr.flush()


# ------------------------------------------------------------------ files


def write_file(path: str | os.PathLike[str], text: str) -> None:
    """Write a file as a whole or not at all.

    A regular file is replaced by a new one with the same mode, behind a link too. Anything else,
    such as a device or a pipe, is written into.
    """
    content = encoded(text)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        _replace(Path(path), content, 0o666 & ~_umask())
        return
    if stat.S_ISREG(mode):
        _replace(Path(path), content, stat.S_IMODE(mode))
        return
    with open(path, "wb") as file:
        file.write(content)


def _replace(path: Path, content: bytes, mode: int) -> None:
    real = path.resolve()
    handle, beside = tempfile.mkstemp(prefix=f".{real.name[:40]}.", dir=real.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, mode)
        os.replace(beside, real)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The mask of new files, which can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def check_outputs(data: str, outputs: dict[str, str | None]) -> None:
    """Raise an error before the work if an output cannot or must not be written.

    Parameters
    ----------
    data : str
        Path of the input, which no output may overwrite.
    outputs : dict of str to str or None
        Path of each output by the option that named it.
    """
    named = [(option, path) for option, path in outputs.items() if path is not None]
    for place, (option, path) in enumerate(named):
        if any(_same_file(path, other) for _, other in named[:place]):
            options = " and ".join(option for option, _ in named)
            raise UsageError(f"{options} must not name the same file; got {path}.")
        if path != STANDARD_OUTPUT:
            _check_output(data, option, path)


def _check_output(data: str, option: str, path: str) -> None:
    if _same_file(path, data):
        raise UsageError(f"{option} would overwrite the input {path}; name another file.")
    if _is_redirected_output(path):
        raise UsageError(
            f"{option}: the standard output already goes to {path}; {option} - writes to it."
        )
    existing = Path(path).exists()
    if existing and not Path(path).is_file():
        writable = not Path(path).is_dir() and os.access(path, os.W_OK)
    else:
        folder = Path(path).resolve().parent
        writable = folder.is_dir() and os.access(folder, os.W_OK)
    if not writable:
        raise UsageError(f"{option}: {path} cannot be written.")


def _same_file(first: str, second: str) -> bool:
    """Whether two paths name one file, by links too; devices and pipes can be named twice."""
    if STANDARD_OUTPUT in (first, second):
        return first == second
    if os.path.exists(first) and os.path.exists(second):
        return os.path.isfile(first) and os.path.samefile(first, second)
    return _resolved(first) == _resolved(second)


def _resolved(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _is_redirected_output(path: str) -> bool:
    """Whether the standard output was redirected to this regular file, which is not replaced."""
    try:
        return os.path.isfile(path) and os.path.samestat(
            os.stat(path), os.fstat(sys.stdout.fileno())
        )
    except (OSError, AttributeError, io.UnsupportedOperation):  # not a stream of the system
        return False


def file_error(error: OSError) -> str:
    """What the system says of a file, in one line."""
    if not error.strerror:
        return one_line(error)
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror

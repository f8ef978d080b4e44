"""The files that paths and patterns stand for."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from pathlib import Path

from ensfs.data.file_errors import FileError

#: A file, a pattern such as ``"data/*.parquet"``, or several of these.
Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def find_files(paths: Paths) -> list[Path]:
    """The files of a path, a pattern, or a list of these, in the order given.

    The files of a pattern are in order of their names.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found: list[Path] = []
    for each in [os.fspath(path) for path in given]:
        names = [each] if os.path.exists(each) else sorted(glob.glob(each, recursive=True))
        if not names:
            raise FileError(f"{each}: there is no such file.")
        found += map(Path, names)
    if not found:
        raise FileError("There are no files: paths is empty.")
    for path in found:
        if path.is_dir():
            raise FileError(f"{path} is a directory. Name its files, as in {path / '*'}.")
    return found

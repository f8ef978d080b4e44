"""Tables from files: CSV, TSV, ARFF, Parquet and Feather, read to the same columns from each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import scipy.sparse

from ensfs.data.file_columns import (
    FileColumns,
    with_own_types,
    with_plain_numbers,
    without_missing,
)
from ensfs.data.file_errors import FileError, check_columns, check_names
from ensfs.data.file_names import find_files
from ensfs.data.formats import is_parquet, is_separated, read_frame
from ensfs.data.parquet_blocks import ParquetBlocks, Run, is_too_large
from ensfs.data.sparse_files import LABEL, brings_target, is_sparse, read_sparse, values_of
from ensfs.data.sparse_files import column_names as sparse_names


@dataclass
class FileTable:
    """A table from a file.

    Attributes
    ----------
    X : data frame or None
        The columns without the target; None for blocks.
    y : series, data frame or None
        The target, or several; None for blocks, and without a target.
    weight : series or None
        Weights of the rows; None for blocks, and without weights.
    names : list of str
        Names of the columns of `X`.
    target : str or None
        Name of the target.
    n_rows : int
        Number of rows.
    blocks : callable or None
        For a table that is read in blocks: gives an iterator of pairs of a block of `X` and its
        part of the target, or of three with its weights.
    unused : tuple of str
        Columns of `X` that are no candidates, such as the target in a sparse table.
    """

    X: Any
    y: Any
    names: list[str]
    target: str | None
    n_rows: int
    blocks: Callable[[], Iterator[tuple[Any, ...]]] | None = None
    weight: Any = None
    unused: tuple[str, ...] = ()

    def positions(self, names: list[str] | None) -> Any:
        """Columns by name as a selector finds them: by position in a table without names."""
        if names is None or not scipy.sparse.issparse(self.X):
            return names
        check_columns(names, self.names, Path("the table"))
        place = {name: j for j, name in enumerate(self.names)}
        return [place[name] for name in names]

    def with_more_targets(self, names: list[str]) -> FileTable:
        """The table with some of its columns as further targets."""
        if scipy.sparse.issparse(self.X):
            raise FileError("A sparse file has one --target; several may be in a .npy file.")
        check_columns(names, self.names, Path("the table"))
        rest = [name for name in self.names if name not in names]
        if not rest:
            raise FileError("There are no columns besides the targets.")

        def split(X: Any, y: Any) -> tuple[Any, Any]:
            frame = nw.from_native(X, eager_only=True)
            first = nw.from_native(y, series_only=True).alias(str(self.target))
            targets = frame.select(names).with_columns(first)
            return frame.select(rest).to_native(), targets.select([first.name, *names]).to_native()

        named = ", ".join([str(self.target), *names])
        blocks = self.blocks
        if blocks is not None:
            made = blocks  # the name is kept for the closure

            def split_blocks() -> Iterator[tuple[Any, ...]]:
                return ((*split(X, y), *weight) for X, y, *weight in made())

            return FileTable(None, None, rest, named, self.n_rows, split_blocks)
        X, y = split(self.X, self.y)
        return FileTable(X, y, rest, named, self.n_rows, weight=self.weight)


def read_table(
    path: str | os.PathLike[str],
    target: str | None,
    *,
    drop: list[str] | None = None,
    missing: str = "error",
    block_rows: int | None = None,
    weights: str | None = None,
    run: Run | None = None,
) -> FileTable:
    """Read a table and its target.

    Parameters
    ----------
    path : str or path
        The ending of the name gives the format: ``.csv``, ``.tsv``, ``.tab``, ``.arff`` (each also
        with ``.gz``), ``.parquet``, ``.pq``, ``.feather``, ``.arrow`` or ``.ipc``; sparse tables
        are ``.npz`` of SciPy, or svmlight's ``.svm``, ``.svmlight``, ``.libsvm`` (also ``.gz``).
        A pattern such as ``"data/*.parquet"`` stands for several Parquet files, read in blocks.
    target : str or None
        Name of the column to predict, if there is one.
    drop : list of str, optional
        Columns to leave out.
    missing : str, default="error"
        "error": missing values are one. "rows", "columns": those with any are left out. Other words
        are those of selectors, which get the table as it is.
    block_rows : int, optional
        Read a Parquet file in blocks of this many rows; by default only if it is large for the
        free memory.
    weights : str, optional
        Name of the column that holds the weights of the rows.
    run : callable, optional
        Reads Parquet files piece by piece, as `ParquetBlocks` takes it; other files are an error.

    Returns
    -------
    FileTable
    """
    path, drop = Path(path), drop or []
    if target in drop:
        raise FileError(f"--drop names the target {target!r}, which cannot be left out.")
    if weights is not None and weights in (target, *drop):
        raise FileError(f"--weights names {weights!r}, which is the target or left out.")
    if path.is_dir():
        raise FileError(f"{path} is a directory, not a table.")
    path, *others = find_files(path)
    if others or run is not None:
        paths = [path, *others]
        return _read_blocks(paths, target, drop, missing, block_rows, weights, run or map)
    if is_sparse(path):
        if block_rows is not None or missing in ("rows", "columns"):
            raise FileError(f"--block-rows and --missing {missing} are not for sparse files.")
        return _read_sparse(path, target, drop, weights)
    if block_rows is not None and not is_parquet(path):
        raise FileError(f"Only Parquet files are read in blocks; {path} is not one.")
    if is_parquet(path) and (block_rows is not None or is_too_large(path)):
        return _read_blocks([path], target, drop, missing, block_rows, weights)
    return _read_whole(path, target, drop, missing, weights)


def _read_whole(
    path: Path, target: str | None, drop: list[str], missing: str, weights: str | None
) -> FileTable:
    frame = nw.from_native(read_frame(path), eager_only=True)
    names = list(frame.columns)
    check_names(names, path)
    check_columns([each for each in (target, weights) if each is not None] + drop, names, path)
    if frame.shape[0] == 0:
        raise FileError(f"{path} has no rows.")
    if drop:
        frame = frame.select([name for name in names if name not in set(drop)])
    columns = FileColumns(frame)
    if is_separated(path):
        columns = with_own_types(columns, path)
    columns = with_plain_numbers(without_missing(columns, target, missing, path), path)
    frame, names = columns.frame, [n for n in columns.names if n not in (target, weights)]
    if not names:
        rest = "left" if target is None else "besides the target"
        raise FileError(f"{path} has no columns {rest}.")
    y = None if target is None else frame[target].to_native()
    if weights is not None and weights not in columns.names:
        raise FileError(f"{path}: the weights {weights!r} have missing values.")
    weight = None if weights is None else frame[weights].to_native()
    X = frame.select(names).to_native()
    return FileTable(X, y, names, target, frame.shape[0], weight=weight)


def _read_sparse(path: Path, target: str | None, drop: list[str], weights: str | None) -> FileTable:
    """A sparse table keeps all columns, so that their numbers stay what they are."""
    X, y = read_sparse(path)
    names = sparse_names(X)
    check_columns(drop, names, path)
    if y is not None and target not in (None, LABEL):
        raise FileError(f"{path} holds its own target; leave --target out.")
    if y is None and target is not None:
        y = values_of(X, target, names, path)
    weight = None if weights is None else values_of(X, weights, names, path)
    unused = (*drop, *(each for each in (target, weights) if each in names))
    named = LABEL if brings_target(path) else target
    return FileTable(X, y, names, named, X.shape[0], weight=weight, unused=unused)


def _read_blocks(
    paths: list[Path], target: str | None, drop: list[str], missing: str, block_rows: int | None,
    weights: str | None, run: Run = map,
) -> FileTable:  # fmt: skip
    path = paths[0]
    for each in paths:
        if not is_parquet(each):
            few = "Several files" if len(paths) > 1 else "Files for --scheduler"
            raise FileError(f"{few} have to be Parquet files; {each} is not one.")
    if target is None:
        raise FileError(f"{path}: without a target, the table has to be in memory, not in blocks.")
    if missing in ("rows", "columns"):
        raise FileError("--missing rows and columns need the table in memory, not in blocks.")
    blocks = ParquetBlocks(paths, target, drop, block_rows, weights, missing, run)
    return FileTable(None, None, blocks.names, target, blocks.n_rows, blocks=blocks)

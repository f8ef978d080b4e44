"""Blocks of rows from files: Parquet, CSV and arrays of numpy, one file after the other."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ensfs.data.file_errors import FileError, check_columns, check_names, reason_of
from ensfs.data.formats import first_installed

#: Cells of a block when the caller does not set its number of rows: 32 MiB of float64.
BLOCK_CELLS = 1 << 22


def rows_per_block(given: int | None, n_columns: int) -> int:
    """How many rows a block has."""
    if given is None:
        return max(1, BLOCK_CELLS // max(1, n_columns))
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(f"block_rows must be a positive int or None; got {given!r}.")
    return int(given)


class ArrowFiles(ABC):
    """Files of named columns; called, it reads them once.

    Parameters
    ----------
    paths : list of path
        The files. All have the columns of the first, in any order.
    target : str or list of str
        Names of the target, or of several.
    weights : str or None
        Name of the column of weights.
    block_rows : int or None
        Rows of a block.
    """

    def __init__(self, paths: list[Path], target: Any, weights: str | None, block_rows: int | None):
        first_installed("pyarrow")
        self.paths = paths
        self._targets = [target] if isinstance(target, str) else list(target)
        self._several = not isinstance(target, str)
        self._weights = weights
        first = self._checked_names(paths[0])
        others = self._targets + ([] if weights is None else [weights])
        check_columns(others, first, paths[0])
        self._columns = [name for name in first if name not in others]
        self._all = [*self._columns, *others]
        if not self._columns:
            raise FileError(f"{paths[0]} has no columns besides the target.")
        for path in paths[1:]:
            self._compare(first, path)
        self._block_rows = rows_per_block(block_rows, len(first))

    def _checked_names(self, path: Path) -> list[str]:
        try:
            names = self._names(path)
        except Exception as error:
            raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
        check_names(names, path)
        return names

    def _compare(self, first: list[str], path: Path) -> None:
        """Raise an error if a file has other columns than the first."""
        names = self._checked_names(path)
        check_columns(first, names, path)
        more = [name for name in names if name not in set(first)]
        if more:
            raise FileError(f"{path} has a column {more[0]!r}, which {self.paths[0]} has not.")

    def __call__(self) -> Iterator[tuple[Any, ...]]:
        """The blocks, each as an Arrow table, its part of the target, and of the weights."""
        for path in self.paths:
            for table in _named(path, self._tables(path)):
                y = table.select(self._targets)
                weight = [] if self._weights is None else [table.column(self._weights)]
                yield table.select(self._columns), y if self._several else y.column(0), *weight
                del table, y, weight

    @abstractmethod
    def _names(self, path: Path) -> list[str]:
        """Names of the columns of a file."""

    @abstractmethod
    def _tables(self, path: Path) -> Iterator[Any]:
        """The blocks of a file."""


def _named(path: Path, tables: Iterator[Any]) -> Iterator[Any]:
    """The tables of a file; what goes wrong while they are read is told with its name."""
    while True:
        try:
            table = next(tables)
        except StopIteration:
            return
        except Exception as error:
            raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
        yield table
        del table


class ParquetFiles(ArrowFiles):
    """Parquet files, read piece by piece: no row group has to fit into the memory."""

    def _names(self, path: Path) -> list[str]:
        import pyarrow.parquet as pq

        return list(pq.read_schema(path).names)

    def _tables(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(path, buffer_size=1 << 13, pre_buffer=False) as file:
            # threads would decode several columns at once, and keep the memory of each
            for batch in file.iter_batches(self._block_rows, columns=self._all, use_threads=False):
                if batch.num_rows:
                    yield pa.Table.from_batches([batch])


class CSVFiles(ArrowFiles):
    """CSV files; a first reading finds which columns hold numbers in all of their rows."""

    def __init__(self, paths: list[Path], target: Any, weights: str | None, block_rows: int | None):
        super().__init__(paths, target, weights, block_rows)
        self._types: dict[str, Any] = {}
        self._find_types()

    def _names(self, path: Path) -> list[str]:
        import pyarrow.csv

        with pyarrow.csv.open_csv(path) as reader:
            return list(reader.schema.names)

    def _find_types(self) -> None:
        """The narrowest type for every column: whole numbers, numbers, or text."""
        import pyarrow as pa

        self._types = dict.fromkeys(self._all, pa.string())
        found = dict.fromkeys(self._all, 0)
        kinds = [pa.int64(), pa.float64(), pa.string()]
        for path in self.paths:
            for table in _named(path, self._tables(path)):
                for name in self._all:
                    while not _casts(table.column(name), kinds[found[name]]):
                        found[name] += 1
        self._types = {name: kinds[kind] for name, kind in found.items()}

    def _tables(self, path: Path) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.csv

        convert = pyarrow.csv.ConvertOptions(
            column_types=self._types, include_columns=list(self._types), strings_can_be_null=True
        )
        # pieces of the file in bytes; a cell takes some ten
        read = pyarrow.csv.ReadOptions(
            block_size=10 * self._block_rows * len(self._types) + (1 << 16), use_threads=False
        )
        with pyarrow.csv.open_csv(path, read_options=read, convert_options=convert) as reader:
            for batch in reader:
                for start in range(0, batch.num_rows, self._block_rows):
                    yield pa.Table.from_batches([batch.slice(start, self._block_rows)])


def _casts(column: Any, kind: Any) -> bool:
    """Whether all texts of a column are values of a type."""
    import pyarrow as pa

    try:
        column.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


class ArrayFiles:
    """Arrays in ``.npy`` files; called, it reads them once, block by block.

    Parameters
    ----------
    paths : list of path
        The files. All have as many columns as the first.
    target : int, path or array-like
        The column of the arrays that is the target, an ``.npy`` file of it, or the target itself.
    weights : int, path, array-like or None
        The same for weights.
    block_rows : int or None
        Rows of a block.
    """

    def __init__(self, paths: list[Path], target: Any, weights: Any, block_rows: int | None):
        self.paths = paths
        shapes = [_array(path, n_dimensions=2).shape for path in paths]
        n_columns = shapes[0][1]
        for path, shape in zip(paths, shapes, strict=True):
            if shape[1] != n_columns:
                raise FileError(f"{path} has {shape[1]} columns, and {paths[0]} has {n_columns}.")
        self._rows = [shape[0] for shape in shapes]
        self._block_rows = rows_per_block(block_rows, n_columns)
        self._target = self._read_rows(target, n_columns, "target")
        self._weights = None if weights is None else self._read_rows(weights, n_columns, "weights")
        inside = [each for each in (self._target, self._weights) if isinstance(each, int)]
        self._columns = np.setdiff1d(np.arange(n_columns), inside) if inside else None

    def _read_rows(self, given: Any, n_columns: int, what: str) -> Any:
        """A column of the arrays, or values for all rows."""
        if isinstance(given, Integral) and not isinstance(given, bool):
            if not -n_columns <= int(given) < n_columns:
                raise ValueError(f"{what}={given}, but the arrays have {n_columns} columns.")
            return int(given) % n_columns
        path = given if isinstance(given, (str, os.PathLike)) else None
        values = np.asarray(given) if path is None else np.array(_array(Path(path)))
        if values.ndim == 0 or len(values) != sum(self._rows):
            n = 0 if values.ndim == 0 else len(values)
            name = what if path is None else f"{what} ({os.fspath(path)})"
            raise ValueError(f"{name} has {n} values, and the files have {sum(self._rows)} rows.")
        return values

    def __call__(self) -> Iterator[tuple[Any, ...]]:
        """The blocks, each as an array, its part of the target, and of the weights."""
        first = 0  # row of the file among all
        for path, n_rows in zip(self.paths, self._rows, strict=True):
            for start in range(0, n_rows, self._block_rows):
                # a new map for each block: the pages of the one before are given back
                block = _array(path, n_dimensions=2)[start : start + self._block_rows]
                rows = slice(first + start, first + start + len(block))
                others = [self._target] if self._weights is None else [self._target, self._weights]
                X = block if self._columns is None else block[:, self._columns]
                given = [block[:, o] if isinstance(o, int) else o[rows] for o in others]
                del block
                yield X, *given
                del X, given
            first += n_rows


def _array(path: Path, n_dimensions: int | None = None) -> np.ndarray:
    """The array of a file, mapped."""
    try:
        array = np.load(path, mmap_mode="r")
    except Exception as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    if not isinstance(array, np.ndarray) or n_dimensions not in (None, array.ndim):
        shape = getattr(array, "shape", None)
        raise FileError(f"{path} must hold one array of rows and columns; its shape is {shape}.")
    return array

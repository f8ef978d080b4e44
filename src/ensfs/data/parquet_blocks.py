"""Parquet files that are large for the memory, or several, read in blocks of rows."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw

from ensfs.data.file_columns import FileColumns, is_whole, whole_with_gaps, without_missing
from ensfs.data.file_errors import FileError, check_columns, check_names, reason_of
from ensfs.data.formats import first_installed

#: Tables that take more than this share of the free memory are read in blocks where that is
#: possible: reading and selecting need the table about twice.
SHARE_OF_MEMORY = 0.4

#: Cells of a block when the caller does not set its number of rows.
BLOCK_CELLS = 1 << 24


def free_memory() -> int | None:
    """Bytes of free memory; None where the system does not report them."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return None


def is_too_large(path: Path) -> bool:
    """Whether a Parquet file would take much of the memory."""
    free = free_memory()
    if free is None or importlib.util.find_spec("pyarrow") is None:
        return False
    import pyarrow.parquet as pq

    try:
        metadata = pq.ParquetFile(path).metadata
    except Exception:  # the reader of whole files reports what is wrong with it
        return False
    return 8 * metadata.num_rows * metadata.num_columns > SHARE_OF_MEMORY * free


#: Gives what a function gives for each of some items, as `map` does, perhaps on other machines.
Run = Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]]


class Piece(NamedTuple):
    """Some row groups of a file."""

    path: Path
    row_groups: list[int]


class ParquetBlocks:
    """Parquet files as blocks of rows; one reading finds the types of the columns.

    All files have the columns of the first, in any order.

    Parameters
    ----------
    paths : list of path
        The files.
    target : str
        Name of the target.
    drop : list of str
        Columns to leave out.
    block_rows : int or None
        Rows of a block.
    weights : str, optional
        Name of the column of weights.
    missing : str, default="error"
        As in `ensfs.data.files.read_table`.
    run : callable, optional
        Runs the first reading, a function of each of the `pieces`.

    Attributes
    ----------
    names : list of str
        Names of the columns besides the target and the weights.
    n_rows : int
        Number of rows.
    """

    def __init__(
        self,
        paths: list[Path],
        target: str,
        drop: list[str],
        block_rows: int | None,
        weights: str | None = None,
        missing: str = "error",
        run: Run = map,
    ):
        first_installed("pyarrow")
        path = paths[0]
        every, self.n_rows = _names_and_rows(path)
        for other in paths[1:]:
            names, n_rows = _names_and_rows(other)
            check_columns(every, names, other)
            check_columns(names, every, path)
            self.n_rows += n_rows
        others = [target] if weights is None else [target, weights]
        check_columns([*others, *drop], every, path)
        self.paths, self._others = paths, others
        self.names = [name for name in every if name not in others and name not in drop]
        if not self.names:
            raise FileError(f"{path} has no columns besides the target.")
        if self.n_rows == 0:
            raise FileError(f"{path} has no rows.")
        self._block_rows = block_rows or max(1000, BLOCK_CELLS // (len(self.names) + 1))
        self._missing = missing
        self._kinds = _Kinds()
        for found in run(self._find_kinds, self.pieces()):
            self._kinds.join(found)

    def __call__(self) -> Iterator[tuple[Any, ...]]:
        """The blocks, each as a table, its part of the target, and of the weights if there are."""
        for path in self.paths:
            for frame in self._batches(path):
                yield self._block(frame)

    def _block(self, frame: Any) -> tuple[Any, ...]:
        frame = self._kinds.apply(frame)
        others = [frame[name].to_native() for name in self._others]
        return frame.select(self.names).to_native(), *others

    def pieces(self) -> list[Piece]:
        """The files in pieces that can be read alone: row groups of about the rows of a block."""
        import pyarrow.parquet as pq

        pieces = []
        for path in self.paths:
            metadata, n_rows = pq.ParquetFile(path).metadata, self._block_rows
            for g in range(metadata.num_row_groups):
                here = metadata.row_group(g).num_rows
                if n_rows + here > self._block_rows:
                    pieces.append(Piece(path, []))
                    n_rows = 0
                pieces[-1].row_groups.append(g)
                n_rows += here
        return pieces

    def read_piece(self, piece: Piece) -> tuple[Any, ...]:
        """A piece as a table, its part of the target, and of the weights if there are."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        source, columns = pq.ParquetFile(piece.path), [*self.names, *self._others]
        table = source.read_row_groups(piece.row_groups, columns=columns, use_threads=False)
        # as in blocks, where the columns of all files have one order
        return self._block(nw.from_native(pa.table(table).select(columns), eager_only=True))

    def _find_kinds(self, piece: Piece) -> _Kinds:
        """The types of the columns of a piece; an error if cells are missing that may not be."""
        found = _Kinds()
        for frame in self._batches(piece.path, piece.row_groups):
            without_missing(FileColumns(frame), self._others[0], self._missing, piece.path)
            found.add(frame)
        return found

    def _batches(self, path: Path, row_groups: list[int] | None = None) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = [*self.names, *self._others]
        source = pq.ParquetFile(path)
        for batch in source.iter_batches(self._block_rows, row_groups=row_groups, columns=columns):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)


def _names_and_rows(path: Path) -> tuple[list[str], int]:
    """Names of the columns of a Parquet file, and its number of rows."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except Exception as error:
        raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
    names = list(file.schema_arrow.names)
    check_names(names, path)
    return names, file.metadata.num_rows


class _Kinds:
    """Which columns of a table in blocks hold whole numbers, and in which type these fit."""

    def __init__(self) -> None:
        self.whole: dict[str, bool] = {}  # so far
        self.unsigned: set[str] = set()  # whole numbers that int64 does not hold

    def add(self, frame: Any) -> None:
        """Look at one more block."""
        for name, dtype in frame.schema.items():
            if not (dtype.is_float() or dtype.is_integer() or dtype == nw.Decimal):
                continue
            column = frame[name].cast(nw.Float64) if dtype == nw.Decimal else frame[name]
            if column.null_count() == len(column):
                continue
            if dtype == nw.UInt64 and int(column.max()) >= 2**63:
                self.unsigned.add(name)
            whole = self.whole.get(name, True)
            if whole and not dtype.is_integer():
                whole = bool(is_whole(column.to_numpy()[:, None])[0])
            self.whole[name] = whole

    def join(self, other: _Kinds) -> None:
        """Look at what was found in other blocks."""
        for name, whole in other.whole.items():
            self.whole[name] = self.whole.get(name, True) and whole
        self.unsigned |= other.unsigned

    def apply(self, frame: Any) -> Any:
        """A block with whole numbers as integers and other numbers as floats."""
        floats = [name for name, whole in self.whole.items() if not whole]
        signed = [name for name, whole in self.whole.items() if whole and name not in self.unsigned]
        if signed:
            found = [
                whole_with_gaps(frame[name])
                if frame[name].dtype.is_float()
                else frame[name].cast(nw.Int64)
                for name in signed
            ]
            frame = frame.with_columns(*found)
        return frame.with_columns(nw.col(floats).cast(nw.Float64)) if floats else frame

"""Parquet files that are large for the memory, read in blocks of rows."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from ensfs.data.encode import MAX_DISCRETE_VALUES
from ensfs.data.file_columns import FileColumns, is_whole, without_missing
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


class ParquetBlocks:
    """A Parquet file as blocks of rows; one reading finds the kinds of the columns.

    Attributes
    ----------
    names : list of str
        Names of the columns besides the target.
    n_rows : int
        Number of rows.
    discrete : ndarray of bool
        Which columns hold discrete values.
    """

    def __init__(self, path: Path, target: str, drop: list[str], block_rows: int | None):
        first_installed("pyarrow")
        import pyarrow.parquet as pq

        try:
            file = pq.ParquetFile(path)
        except Exception as error:
            raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
        every = list(file.schema_arrow.names)
        check_names(every, path)
        check_columns([target, *drop], every, path)
        self.path, self.target = path, target
        self.names = [name for name in every if name != target and name not in drop]
        if not self.names:
            raise FileError(f"{path} has no columns besides the target.")
        self.n_rows = file.metadata.num_rows
        if self.n_rows == 0:
            raise FileError(f"{path} has no rows.")
        self._block_rows = block_rows or max(1000, BLOCK_CELLS // (len(self.names) + 1))
        self._kinds = _Kinds()
        for frame in self._batches():
            without_missing(FileColumns(frame), target, "error", path)
            self._kinds.add(frame)
        self.discrete = self._kinds.discrete(self.names)

    def __call__(self) -> Iterator[tuple[Any, Any]]:
        """The blocks, each as a table and its part of the target."""
        for frame in self._batches():
            frame = self._kinds.apply(frame)
            yield frame.select(self.names).to_native(), frame[self.target].to_native()

    def _batches(self) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        source = pq.ParquetFile(self.path)
        columns = [*self.names, self.target]
        for batch in source.iter_batches(batch_size=self._block_rows, columns=columns):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)


class _Kinds:
    """Which columns of a table in blocks hold whole numbers, and which of these few."""

    def __init__(self) -> None:
        self.numbers: dict[str, bool] = {}  # whole so far?
        self.values: dict[str, set[int]] = {}  # distinct whole numbers, while few

    def add(self, frame: Any) -> None:
        """Look at one more block."""
        for name, dtype in frame.schema.items():
            if not (dtype.is_float() or dtype.is_integer() or dtype == nw.Decimal):
                continue
            if not self.numbers.setdefault(name, True):
                continue
            column = frame[name].cast(nw.Float64) if dtype == nw.Decimal else frame[name]
            values = column.to_numpy()
            if dtype.is_integer() or is_whole(values[:, None])[0]:
                seen = self.values.setdefault(name, set())
                if len(seen) <= MAX_DISCRETE_VALUES:
                    seen.update(np.unique(values).tolist())
            else:
                self.numbers[name] = False

    def apply(self, frame: Any) -> Any:
        """A block with whole numbers as integers and other numbers as floats."""
        here = [name for name in self.numbers if name in frame.columns]
        whole = [name for name in here if self.numbers[name]]
        other = [name for name in here if not self.numbers[name]]
        if whole:
            frame = frame.with_columns(nw.col(whole).cast(nw.Int64))
        return frame.with_columns(nw.col(other).cast(nw.Float64)) if other else frame

    def discrete(self, names: list[str]) -> np.ndarray:
        """Mask of the discrete columns by the rule for tables in memory."""
        return np.array(
            [
                name not in self.numbers
                or (self.numbers[name] and len(self.values.get(name, ())) <= MAX_DISCRETE_VALUES)
                for name in names
            ]
        )

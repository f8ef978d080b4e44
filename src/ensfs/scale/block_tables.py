"""What the sources of statistics on blocks of rows have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from ensfs.data.missing import MeanSums, filled
from ensfs.data.table import Table
from ensfs.data.variables import Variables
from ensfs.statistics import Resampling
from ensfs.statistics.gaps import Gaps

#: Sums of products in the making may take this much; more targets need another pass.
SUMS_BYTES = 256 * 2**20


#: A reading is for so many columns, if so many may be asked for. Products of numbers are quicker
#: than counts.
SUMMED_PER_READING = 32
COUNTED_PER_READING = 16


#: Rows of a block are packed so many at a time: their copy stays in the cache.
PACKED_ROWS = 4096


class TablesInBlocks(Protocol):
    """A table that is read block by block, the same at every reading."""

    n_rows: int
    n_features: int
    variables: Variables

    def tables(self, reading: str | None = None) -> Iterator[tuple[slice, Table]]:
        """The blocks, each with its place among the rows; `reading` is a task to be shown."""

    def identifiers(self, levels: list[np.ndarray], incomplete: np.ndarray) -> np.ndarray:
        """Which columns with these distinct values count as constant, as in memory; warns."""

    def keep_cut_points(self, of_kept: dict[int, np.ndarray]) -> None:
        """Keep where continuous columns were cut, by their place among the columns that stay."""


class FilledTable:
    """A block whose missing numbers are the means of their columns in all blocks."""

    def __init__(self, table: Table, means: np.ndarray):
        self.table, self.means = table, means

    def centred(self) -> np.ndarray:
        """The numbers; see `Table.centred`."""
        return filled(self.table, means=self.means)

    def check_finite(self) -> None:
        """Raise an error for infinite values."""
        self.table.check_finite(allow_nan=True)


class FilledBlocks:
    """A table in blocks whose missing numbers are the means of their columns.

    Parameters
    ----------
    data : TablesInBlocks
        The blocks.
    weight : ndarray of shape (n_rows,), optional
        How often each row is there.
    """

    def __init__(self, data: TablesInBlocks, weight: np.ndarray | None = None):
        self.data = data
        self.n_rows, self.n_features, self.variables = (
            data.n_rows, data.n_features, data.variables
        )  # fmt: skip
        sums = MeanSums(data.variables.n_kept)
        for rows, table in data.tables("measuring means"):
            sums.add(table.centred(), None if weight is None else weight[rows])
            del table  # before the next block is read
        self.means = sums.means()

    def tables(self, reading: str | None = None) -> Iterator[tuple[slice, Any]]:
        """The blocks, each with its place among the rows."""
        for rows, table in self.data.tables(reading):
            whole = FilledTable(table, self.means)
            del table
            yield rows, whole
            del whole

    def numbers(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows of the columns taken as numbers, NaN where they are missing."""
        for rows, table in self.data.tables():
            values = table.centred()
            del table
            yield rows, values
            del values

    def gaps(self, resampling: Resampling, incomplete: np.ndarray) -> Gaps:
        """Which cells are missing."""
        gaps = Gaps(resampling, incomplete, self.variables.n_kept)
        for rows, values in self.numbers():
            gaps.add(np.isnan(values[:, incomplete]), rows)
            del values
        return gaps


def blocks_changed(difference: str) -> ValueError:
    """The error for blocks that are not what they were before."""
    return ValueError(
        f"The blocks changed between two readings. {difference} A callable must return the same "
        "rows in the same order each time."
    )

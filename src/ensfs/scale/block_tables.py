"""What the sources of statistics on blocks of rows have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ensfs.data.missing import MeanSums, filled
from ensfs.data.table import Table
from ensfs.data.variables import Variables
from ensfs.scale.partitioned import Kept, Place, Reader, Task
from ensfs.statistics import Resampling
from ensfs.statistics.gaps import Gaps

#: Sums of products in the making may take this much; more targets need another pass.
SUMS_BYTES = 256 * 2**20


#: A reading is for so many columns, if so many may be asked for. Products of numbers are quicker
#: than counts.
SUMMED_PER_READING = 32
COUNTED_PER_READING = 16


class TablesInBlocks(Protocol):
    """A table that is read block by block, the same at every reading."""

    n_rows: int
    n_features: int
    variables: Variables

    @property
    def n_partitions(self) -> int:
        """Number of blocks."""

    @property
    def keeps_bytes(self) -> int:
        """How much may be kept of all blocks together."""

    def keep(self, task: Task, *, about: Callable[[slice], Any]) -> Kept:
        """Keep what a task prepares of every block, in one reading.

        Parameters
        ----------
        task : Task
            What prepares it.
        about : callable
            As in `add_up`.
        """

    def add_up(
        self, task: Task, state: Any, *, about: Callable[[slice], Any] = ...,
        shown: str | None = None, rows: np.ndarray | None = None,
    ) -> Any:  # fmt: skip
        """Run a task on all blocks, in one reading.

        Parameters
        ----------
        task : Task
            What is done.
        state : object
            What it adds the blocks to; the state of no rows.
        about : callable, optional
            Gives what the task needs for the rows of a block, besides its table.
        shown : str, optional
            Name of the reading, for bars of progress.
        rows : ndarray of int, optional
            Only blocks with some of these rows are looked at.
        """

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


@dataclass(frozen=True)
class ReadFilled:
    """Reads a block with the means of the columns for missing numbers."""

    read: Reader
    means: np.ndarray

    def __call__(self, b: int, block: Any, place: Place) -> FilledTable | None:
        """Read block ``b``; None if it has no rows."""
        table = self.read(b, block, place)
        return None if table is None else FilledTable(table, self.means)


@dataclass(frozen=True)
class ReadNumbers:
    """Reads a block as numbers, NaN where they are missing."""

    read: Reader

    def __call__(self, b: int, block: Any, place: Place) -> np.ndarray | None:
        """Read block ``b``; None if it has no rows."""
        table = self.read(b, block, place)
        return None if table is None else table.centred()


class AddMeans(Task):
    """Adds up what the means of columns with gaps need."""

    name = "means"

    def prepare(self, table: Any, rows: slice, weight: Any) -> tuple[np.ndarray, Any]:
        """The numbers, and the weights of their rows."""
        return table.centred(), weight

    def add(self, prepared: tuple[np.ndarray, Any], state: MeanSums) -> MeanSums:
        """Add the rows of a block."""
        state.add(*prepared)
        return state


class FilledBlocks:
    """A table in blocks whose missing numbers are the means of their columns.

    Parameters
    ----------
    data : PartitionedTrainingData
        The blocks.
    """

    def __init__(self, data: Any):
        self.data = data
        self.n_rows, self.n_features, self.variables = (
            data.n_rows, data.n_features, data.variables
        )  # fmt: skip
        weight = data.weight
        sums = data.add_up(
            AddMeans(), MeanSums(data.variables.n_kept), shown="measuring means",
            about=lambda rows: None if weight is None else weight[rows],
        )  # fmt: skip
        self._read = ReadFilled(data.read, sums.means())

    def add_up(self, task: Task, state: Any, **given: Any) -> Any:
        """Run a task on all blocks; see `TablesInBlocks.add_up`."""
        return self.data.add_up(task, state, read=self._read, **given)

    def numbers(self) -> Iterator[tuple[slice, np.ndarray]]:
        """The rows of the columns taken as numbers, NaN where they are missing."""
        return self.data.each(ReadNumbers(self.data.read))

    def gaps(self, resampling: Resampling, incomplete: np.ndarray) -> Gaps:
        """Which cells are missing."""
        gaps = Gaps(resampling, incomplete, self.variables.n_kept)
        for rows, values in self.numbers():
            gaps.add(values, rows)
            del values
        return gaps

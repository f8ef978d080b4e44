"""What the sources of statistics on blocks of rows have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from ensfs.data.table import Table
from ensfs.data.variables import Variables

#: Sums of products in the making may take this much; more targets need another pass.
SUMS_BYTES = 256 * 2**20


#: A reading is for so many columns, if so many may be asked for: as many as take about as long as
#: reading. Products of numbers are quicker than counts.
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

    def identifiers(self, levels: list[np.ndarray]) -> np.ndarray:
        """Which columns with these distinct values count as constant, as in memory; warns."""


def blocks_changed(difference: str) -> ValueError:
    """The error for blocks that are not what they were before."""
    return ValueError(
        f"The blocks changed between two readings. {difference} A callable must return the same "
        "rows in the same order each time."
    )

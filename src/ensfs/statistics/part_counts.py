"""Counts of columns with many levels that serve all parts."""

from __future__ import annotations

import threading

import numpy as np

from ensfs._core import discrete
from ensfs._utils.threads import for_blocks
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.source import CACHE_BYTES

#: Tables of counts have a place for every cell up to this many (or a few times the rows); beyond
#: that the cells that occur are found by hashing.
MAX_CELLS = 1 << 18

#: The fewest pairs whose counts are kept.
MIN_SLOTS = 1 << 10


def table_size(n: int, levels: np.ndarray) -> int:
    """Cells of a table that counts pairs of columns: all of them, unless they are too many."""
    first, second = np.sort(np.append(levels, [1, 1]))[:-3:-1].tolist()
    size = max(1024, 4 * n, first, min(first * second, MAX_CELLS))
    return 1 << (size - 1).bit_length()


def rows_in_order(codes: np.ndarray, order: np.ndarray, n_threads: int) -> np.ndarray:
    """Codes (Fortran order) with their rows in another order."""
    out = np.empty_like(codes)
    n, p = codes.shape
    for_blocks(lambda a, b: discrete.order_rows(codes, order, a, b, out), p, n_threads, cells=n)
    return out


class PartCounts:
    """Pairs of columns with many levels, counted once for all parts that leave out one fold.

    What was counted last is kept, by each thread for itself.

    Parameters
    ----------
    table : CodedTable
        The columns, with codes whose rows are fold after fold.
    levels : ndarray of int
        Levels of the columns.
    resampling : Resampling
        The parts.
    klogk : ndarray of int64, shape (n + 1,)
        The logarithms.
    n_threads : int
        Threads.

    Attributes
    ----------
    entropy, observed : ndarray of shape (n_parts, n_columns)
        Sums over the level counts of the columns that have no planes, and how many levels occur.
    """

    def __init__(
        self,
        table: discrete.CodedTable,
        levels: np.ndarray,
        resampling: Resampling,
        klogk: np.ndarray,
        n_threads: int,
    ):
        self._table = table
        self._bounds, self._gains = resampling.row_order()[1], np.diff(klogk)
        n = self._gains.size
        self._size = table_size(n, levels)
        codes_bytes = n * levels.size
        n_parts = resampling.n_parts
        slots = min(max(CACHE_BYTES, codes_bytes) // (8 * n_parts + 8), 64 * levels.size)
        self._n_slots = 1 << (max(MIN_SLOTS, slots).bit_length() - 1)
        self._of_threads = threading.local()
        self.entropy = np.zeros((n_parts, levels.size), dtype=np.int64)
        self.observed = np.zeros((n_parts, levels.size), dtype=np.int32)
        for_blocks(
            lambda a, b: self.of_thread().count_margins(a, b, self.entropy, self.observed),
            levels.size,
            n_threads,
            cells=n,
        )

    def of_thread(self) -> discrete.SharedCounts:
        """The counts of this thread."""
        if not hasattr(self._of_threads, "counts"):
            n_parts, size = len(self._bounds) - 1, self._size
            self._of_threads.counts = discrete.SharedCounts(
                self._table, self._bounds, self._gains, np.zeros(2 * size, dtype=np.int32),
                np.empty(size, dtype=np.int64), np.empty(self._gains.size, dtype=np.int32),
                np.full(self._n_slots, -1), np.empty((self._n_slots, n_parts), dtype=np.int64),
            )  # fmt: skip
        return self._of_threads.counts

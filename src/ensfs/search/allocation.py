"""Assign each column to the subset of a decomposition with the smallest maximum association."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ensfs._core import allocate as kernels
from ensfs._utils.progress import counted, task
from ensfs._utils.threads import for_blocks, items_at_once
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing
from ensfs.statistics import CodedSource
from ensfs.statistics.observed_counts import ObservedCounts
from ensfs.statistics.sparse_coded import SparseCodedSource

MAX_BATCH_STATES = 1 << 14  # columns of a batch times subsets
MIN_COLUMNS_PER_SUBSET = 64  # from which on the chunked kernel is faster


@dataclass
class Allocation:
    """Where the columns went.

    Attributes
    ----------
    subset : ndarray of shape (n_features,)
        Subset of each column, the least redundant of several, -1 for none; not set for the seeds.
    redundancy : ndarray of shape (n_features,)
        Largest measure of a column with a member of its subset, minus its relevance; of a column
        without a subset at least the threshold and at most what it is.
    nearest : ndarray of shape (n_features,)
        That member, or -1.
    n_read : int
        Compared pairs.
    further : list of (int, int)
        Columns with the other subsets they joined.
    """

    subset: np.ndarray
    redundancy: np.ndarray
    nearest: np.ndarray
    n_read: int = 0
    further: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def none(cls, p: int) -> Allocation:
        """No column is in a subset yet."""
        return cls(np.full(p, -1, np.int32), np.full(p, np.nan), np.full(p, -1, np.int32))

    def subsets(self, seeds: np.ndarray, order: np.ndarray) -> list[np.ndarray]:
        """Members of each subset: its seed, then the columns in the order in which they came."""
        place = np.empty(self.subset.size, dtype=np.int64)
        place[order] = np.arange(order.size)
        placed = order[self.subset[order] >= 0]
        pairs = np.column_stack([placed, self.subset[placed]])
        if self.further:
            pairs = np.vstack([pairs, self.further])
        columns, subset = pairs[np.lexsort((place[pairs[:, 0]], pairs[:, 1]))].T
        ends = np.cumsum(np.bincount(subset, minlength=seeds.size))
        return [
            np.append(seed, members)
            for seed, members in zip(seeds, np.split(columns, ends[:-1]), strict=True)
        ]


def allocate(
    source: CodedSource | SparseCodedSource | ObservedCounts, seeds: np.ndarray, order: np.ndarray,
    threshold: float, overlap: int = 1,
) -> Allocation:  # fmt: skip
    """Put columns into the subset whose members have the least in common with them, in order.

    Parameters
    ----------
    source : CodedSource, SparseCodedSource or ObservedCounts
        The columns; one part.
    seeds : ndarray of int
        First member of each subset.
    order : ndarray of int
        The columns.
    threshold : float
        What the largest symmetrical uncertainty with a member, minus the relevance, must stay
        below.
    overlap : int
        The most subsets of a column.

    Returns
    -------
    Allocation
    """
    if overlap > 1 or not isinstance(source, CodedSource):
        return _allocate_one_by_one(source, seeds, order, threshold, overlap)
    n_planes = source.planes_of_all()
    coding = None
    if order.size >= MIN_COLUMNS_PER_SUBSET * seeds.size:
        coding = ChunkCoding.choose(source, n_planes, threshold)
    if coding is None:
        return _allocate_blocks(source, n_planes, seeds, order, threshold)
    return _allocate_chunks(source, coding, n_planes, seeds, order, threshold)


@dataclass
class ChunkCoding:
    """How sums of k*log2(k) are held in bytes: see ``chunks.h``."""

    tables: np.ndarray
    saturates: np.ndarray
    units_per_bit: float
    subtract_per_level: bool
    most_entropy: float

    @classmethod
    def choose(cls, source: CodedSource, n_planes: int, threshold: float) -> ChunkCoding | None:
        """Units and tables for the columns of a source, None if bytes are too small for them."""
        n, n_levels = source.n, n_planes + 1
        if n_planes not in kernels.chunk_sizes or n > 255:
            return None
        cell = n / n_levels**2
        n_banks = 2 if cell <= 14 else 4
        if cell > 36:
            return None
        most = n * np.log2(n_levels)
        excess = np.quantile(most - n * source.entropy(0), 0.9)
        limit = np.clip(np.median(source.relevance[0]) + threshold, 0.05, 1.0) * most
        largest = max(21.0, limit, excess / n_levels + 10.0)  # bits in a byte
        units_per_bit = 254.0 / largest
        tables = chunk_tables(n, n_levels, n_banks, units_per_bit)
        saturates = saturating_counts(tables, n_levels)
        return cls(tables, saturates, units_per_bit, limit + excess > largest, most)

    def compiled(self) -> kernels.BoundTables:
        """The same, as the kernels take it."""
        return kernels.BoundTables(
            self.tables, self.saturates, self.units_per_bit, self.subtract_per_level,
            self.most_entropy,
        )  # fmt: skip


def chunk_tables(n: int, n_levels: int, n_banks: int, units_per_bit: float) -> np.ndarray:
    """``c log2(c L / a) - (c - a / L) / ln 2`` in units, rounded up: a row for a = 0 .. n."""
    c = np.arange(16.0 * n_banks)
    mean = np.arange(n + 1)[:, None] / n_levels
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(c > 0, c * np.log2(c / mean), 0.0) - (c - mean) / np.log(2)
    value = np.where(mean > 0, value, 0.0)  # no level, no rows
    return np.clip(np.ceil(units_per_bit * value + 1e-6), 0, 255).astype(np.uint8)


def saturating_counts(tables: np.ndarray, n_levels: int) -> np.ndarray:
    """For each level count, whether the bound saturates if a cell exceeds the lookup table.

    A kernel looks at the last bits of such a count. The other cells of the level then have few
    rows, which is unlikely as well, so most often their entries are large enough.
    """
    size = tables.shape[1]
    entries = tables.astype(np.int64)
    least = entries  # (rows of the level, rows of some cells) least sum of entries
    for _ in range(n_levels - 2):
        fewer, least = least, np.full_like(least, 255)
        for c in range(size):
            np.minimum(least[:, c:], fewer[:, : size - c] + entries[:, c, None], out=least[:, c:])
    saturates = np.zeros(tables.shape[0], dtype=np.uint8)
    saturates[:size] = 1
    for count in range(size, min(2 * size, tables.shape[0])):
        over = np.arange(count - size + 1)  # the cell has `size` rows more than this
        saturates[count] = (entries[count, over] + least[count, count - size - over]).min() >= 255
    return saturates


def _allocate_chunks(
    source: CodedSource, coding: ChunkCoding, n_planes: int, seeds: np.ndarray, order: np.ndarray,
    threshold: float,
) -> Allocation:  # fmt: skip
    n, size, n_subsets = source.n, kernels.chunk_sizes[n_planes], seeds.size
    found = Allocation.none(source.n_features)
    relevance = source.relevance[0]
    store = source.pair_store("symmetrical_uncertainty")
    n_fronts = -(-n_subsets // (size // kernels.front_size))
    n_chunks = n_fronts + -(-order.size // size) + n_subsets
    chunks = kernels.SubsetChunks(
        store, coding.compiled(), seeds,
        np.empty((3, n_subsets), dtype=np.int32), np.zeros((2, source.n_features), np.int32),
        np.empty((2, n_chunks), dtype=np.int32), np.empty(n_chunks),
        np.empty((n_chunks, size), dtype=np.int32),
        np.empty((n_chunks, n + 1, n_planes * size // 64), dtype=np.uint64),
        np.empty((n_chunks, n_planes + 2, size), dtype=np.uint8),
    )  # fmt: skip
    length = max(16, min(kernels.batch_size, MAX_BATCH_STATES // n_subsets))
    states = kernels.ChunkStates(
        np.empty((length, n_subsets)), np.empty((length, n_subsets), dtype=np.int32),
        np.empty((length, n_subsets), dtype=np.int32),
        np.empty((length, n_chunks), dtype=np.uint8), np.empty(length, dtype=np.int64),
    )  # fmt: skip

    def workspace() -> kernels.ChunkWorkspace:
        return kernels.ChunkWorkspace(
            np.empty((length, n_planes * (n + 8)), dtype=np.uint16),
            np.empty((kernels.group_size, n_planes**2 + 1, size), dtype=np.uint8),
        )

    mine, met = workspace(), np.empty(n_subsets, dtype=np.uint8)
    alone = source.n_threads == 1
    with task("allocating", -(-order.size // length)) as advance:
        for first in range(0, order.size, length):
            batch = order[first : first + length]
            limits = relevance[batch] + (threshold - TIE_TOLERANCE)

            def look(a: int, b: int, batch: np.ndarray = batch, limits: np.ndarray = limits):
                its_store = store if alone else source.pair_store("symmetrical_uncertainty")
                its_workspace = mine if alone else workspace()
                chunks.look(its_store, batch, limits, a, b, states, its_workspace)

            for_blocks(look, batch.size, source.n_threads)
            found.n_read += chunks.settle(
                store, batch, limits, states, mine, met, found.subset, found.redundancy,
                found.nearest,
            )  # fmt: skip
            advance()
    found.redundancy -= relevance
    return found


def _allocate_blocks(
    source: CodedSource, n_planes: int, seeds: np.ndarray, order: np.ndarray, threshold: float
) -> Allocation:
    """The same with members in blocks of eight, for any number of rows and levels."""
    found = Allocation.none(source.n_features)
    size, n_words = kernels.block_size, source.n_words
    if n_planes > kernels.max_block_planes:
        n_planes = 0
    n_blocks = -(-order.size // size) + 2 * seeds.size
    relevance = np.ascontiguousarray(source.relevance[0])
    store = source.pair_store("symmetrical_uncertainty")
    subsets = kernels.SubsetBlocks(
        store, seeds,
        np.empty((5, seeds.size), dtype=np.int32), np.empty(seeds.size),
        np.empty((3, n_blocks), dtype=np.int32), np.empty((n_blocks, size), dtype=np.int32),
        np.empty((n_blocks + 1, n_planes * n_words * size), dtype=np.uint64),
        np.empty(n_blocks * size * (2 * n_planes + 3), dtype=np.float32),
        np.empty((n_blocks, size), dtype=np.int64),
    )  # fmt: skip
    cost = n_words * n_planes**2 if n_planes else source.n  # of a pair: words, or rows
    ranges = short_ranges(order.size, seeds.size, cost)
    with task("allocating", len(ranges)) as advance:
        for first, stop in ranges:
            subsets.allocate(
                order[first:stop], relevance, threshold, found.subset, found.redundancy,
                found.nearest,
            )  # fmt: skip
            advance()
    found.n_read = subsets.n_read
    return found


def _allocate_one_by_one(
    source: CodedSource | SparseCodedSource | ObservedCounts, seeds: np.ndarray,
    order: np.ndarray, threshold: float, overlap: int,
) -> Allocation:  # fmt: skip
    """The same for sparse or incomplete columns and for several subsets of a column.

    Each column is compared with all members.
    """
    found, relevance = Allocation.none(source.n_features), source.relevance[0]
    measure_some = _uncertainty_of_pairs(source)
    members = np.append(seeds, order)  # those that are placed come first
    # a place among the members and a subset for each membership
    place_of = np.empty(seeds.size + order.size * min(overlap, seeds.size), dtype=np.int64)
    subset_of = np.empty_like(place_of)
    place_of[: seeds.size] = subset_of[: seeds.size] = np.arange(seeds.size)
    n_placed = n_inside = seeds.size
    values = np.empty(members.size)
    for f in counted("allocating", order.size, order.tolist()):
        placed = members[:n_placed]
        measure_some(f, placed, values[:n_placed])
        inside, its_subset = values[place_of[:n_inside]], subset_of[:n_inside]
        largest = np.zeros(seeds.size)
        np.maximum.at(largest, its_subset, inside)
        best, *others = by_decreasing(-largest, largest < np.inf)[:overlap].tolist()
        found.redundancy[f] = largest[best] - relevance[f]
        near = np.argmax(np.where(its_subset == best, inside, -np.inf))
        found.nearest[f] = members[place_of[near]]
        limit = relevance[f] + (threshold - TIE_TOLERANCE)
        if largest[best] < limit:
            found.subset[f] = best
            others = [subset for subset in others if largest[subset] < limit]
            found.further += [(f, subset) for subset in others]
            members[n_placed] = f
            place_of[n_inside : n_inside + 1 + len(others)] = n_placed
            subset_of[n_inside : n_inside + 1 + len(others)] = [best, *others]
            n_placed, n_inside = n_placed + 1, n_inside + 1 + len(others)
        found.n_read += placed.size
    return found


def _uncertainty_of_pairs(
    source: CodedSource | SparseCodedSource | ObservedCounts,
) -> Callable[[int, np.ndarray, np.ndarray], None]:
    """A function of a column, others, and where the uncertainties with these go."""
    if not isinstance(source, CodedSource):
        return source.pair_measure("symmetrical_uncertainty")
    pairs = source.with_measure("symmetrical_uncertainty")
    part, found = np.zeros(1, dtype=np.int64), np.empty((1, source.n_features))

    def measure_some(g: int, columns: np.ndarray, values: np.ndarray) -> None:
        pairs.association([(g, part)], found)
        values[...] = found[0, columns]

    return measure_some


def short_ranges(n_columns: int, n_seeds: int, cost: int) -> list[tuple[int, int]]:
    """Ranges of columns for short calls: each column may be compared with all before it.

    The cost is that of a pair, as the number of values read.
    """
    most_pairs = items_at_once(cost)
    ranges, first = [], 0
    while first < n_columns:
        before = n_seeds + first
        # the largest m with m * (before + m) <= most_pairs
        m = int((math.sqrt(before**2 + 4 * most_pairs) - before) / 2)
        stop = min(n_columns, first + max(1, m))
        ranges.append((first, stop))
        first = stop
    return ranges

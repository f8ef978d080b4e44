"""Counts of the coded columns of a table in partitions, kept there as planes if they fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ensfs._core import discrete
from ensfs.data.codes import TableCodes
from ensfs.data.table import Table
from ensfs.data.target import Target
from ensfs.scale import block_tables
from ensfs.scale.block_counts import (
    MOST_BITS,
    BlockCounts,
    CodedRows,
    Counts,
    Label,
    Request,
)
from ensfs.scale.block_cuts import Coding
from ensfs.scale.block_tables import TablesInBlocks
from ensfs.scale.partitioned import Task, changed
from ensfs.statistics import CountedRows, Resampling

#: Tables with fewer rows are counted in 32 bits.
MOST_SHORT = 2**31


def _code(table: Table, coding: Coding | None, joins_missing: bool) -> TableCodes:
    """The codes of a block, with the levels that occur in it."""
    return table.codes(None if coding is None else coding(table), joins_missing=joins_missing)


@dataclass(frozen=True)
class FindLevels(Task):
    """Finds the sorted distinct values of every column, which cells are missing, and the cuts.

    The state is a list of these three.
    """

    coding: Coding | None
    joins_missing: bool
    name: ClassVar[str] = "levels"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Table, rows: slice, about: Any) -> list[Any]:
        """Those of a block."""
        coded = _code(table, self.coding, self.joins_missing)
        return [_without_missing(coded), coded.incomplete, coded.cut_points]

    def add(self, prepared: list[Any], state: list[Any] | None) -> list[Any]:
        """Put them together with those of other blocks."""
        if state is None:
            return prepared
        levels = [
            a if np.array_equal(a, b) else np.union1d(a, b)
            for a, b in zip(state[0], prepared[0], strict=True)
        ]
        return [levels, state[1] | prepared[1], prepared[2]]

    def merge(self, state: list[Any] | None, other: list[Any] | None) -> list[Any] | None:
        """The same."""
        return state if other is None else self.add(other, state)


@dataclass(frozen=True)
class CodeRows:
    """Makes codes of the whole table of a block.

    Attributes
    ----------
    levels : list of ndarray
        Sorted distinct values of every column.
    identifiers : ndarray of bool
        Columns that count as constant.
    offset : ndarray of int
        Where the levels of each column begin.
    n_folds : int
        Number of folds.
    coding : callable or None
        Cuts continuous columns.
    joins_missing : bool
        Whether a group is missing if one of its columns is.
    """

    levels: list[np.ndarray]
    identifiers: np.ndarray
    offset: np.ndarray
    n_folds: int
    coding: Coding | None
    joins_missing: bool

    def __call__(self, table: Table, about: Any) -> BlockCounts:
        """A block, with the fold, the classes and the weight of each row."""
        coded = _code(table, self.coding, self.joins_missing)
        few = np.diff(self.offset).max(initial=0) <= 256
        codes = coded.codes
        if few != (codes.dtype == np.uint8) or self.identifiers.any():
            codes = codes.astype(np.uint8 if few else np.int32, order="F")
        for j, levels in enumerate(_without_missing(coded)):
            if self.identifiers[j]:
                codes[:, j] = 0
                continue
            known = self.levels[j]
            if levels.size == known.size and np.array_equal(levels, known):
                continue
            place = np.searchsorted(known, levels)
            if levels.size and not np.array_equal(known[np.minimum(place, known.size - 1)], levels):
                raise changed("block", f"Column {j} holds other values than before.")
            if coded.incomplete[j]:
                place = np.append(place, known.size)
            if not np.array_equal(place, np.arange(place.size)):
                if codes is coded.codes:
                    codes = codes.copy(order="F")
                codes[:, j] = place.astype(codes.dtype)[coded.codes[:, j]]
        return BlockCounts(CodedRows(codes, *about), self.offset, self.n_folds)


@dataclass(frozen=True)
class AddCounts(Task):
    """Counts columns against labels; the state holds the counts of each request."""

    code: CodeRows
    requests: list[Request]
    n_threads: int = 1
    name: ClassVar[str] = "counts"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Table, rows: slice, about: Any) -> BlockCounts:
        """A block as codes of the whole table."""
        return self.code(table, about)

    def add(self, prepared: BlockCounts, state: list[Counts]) -> list[Counts]:
        """Add the counts of a block."""
        prepared.add(self.requests, state, self.n_threads)
        return state

    def merge(self, state: list[Counts], other: list[Counts]) -> list[Counts]:
        """Add counts to others."""
        for (tables, margin), more in zip(state, other, strict=True):
            tables += more.tables
            margin += more.margin
        return state


@dataclass(frozen=True)
class FindCombinations(Task):
    """Finds which combinations of nodes occur, for some labels."""

    code: CodeRows
    labels: list[Label]
    name: ClassVar[str] = "combinations"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Table, rows: slice, about: Any) -> BlockCounts:
        """A block as codes of the whole table."""
        return self.code(table, about)

    def add(self, prepared: BlockCounts, state: list[np.ndarray]) -> list[np.ndarray]:
        """Put those of a block to others."""
        return self.merge(state, [prepared.combinations(label) for label in self.labels])

    def merge(self, state: list[np.ndarray], other: list[np.ndarray]) -> list[np.ndarray]:
        """The combinations of both."""
        return [np.union1d(a, b) for a, b in zip(state, other, strict=True)]


class PartitionCounts:
    """Counts of the coded columns of a table in partitions.

    The partitions are read for their levels, and once more for the codes. These are kept where the
    partitions are if the engine has room for them; if not, every counting reads again.

    Parameters
    ----------
    data : TablesInBlocks
        The table.
    targets : sequence of Target
        Classes, for every output of the target.
    resampling : Resampling
        The parts.
    joins_missing : bool
        Whether a group is missing if one of its columns is.
    coding : callable or None
        Cuts continuous columns.
    n_threads : int, default=1
        Threads.

    Attributes
    ----------
    levels : list of ndarray
        Sorted distinct values of every column.
    incomplete : ndarray of bool
        Which columns have missing cells; these have a level more, the last.
    n_levels, offset : ndarray of int
        Levels of every column, and where those of each begin in a table of all.
    n_classes : list of int
        Classes of every output.
    rows : CountedRows
        How often each row is counted.
    """

    def __init__(
        self,
        data: TablesInBlocks,
        targets: tuple[Target, ...],
        resampling: Resampling,
        joins_missing: bool,
        coding: Coding | None,
        n_threads: int = 1,
    ):
        self.data, self.resampling, self._n_threads = data, resampling, n_threads
        self.rows = CountedRows.of(resampling)
        levels, incomplete, cut_points = data.add_up(
            FindLevels(coding, joins_missing), None, shown="reading levels"
        )
        data.keep_cut_points(cut_points)
        identifiers = data.identifiers(levels, incomplete)
        self.incomplete = incomplete & ~identifiers
        self.levels = [
            each[:1] if identifier else each
            for each, identifier in zip(levels, identifiers, strict=True)
        ]
        self.n_levels = np.array([len(v) for v in self.levels]) + self.incomplete
        self.offset = np.concatenate([[0], np.cumsum(self.n_levels)])
        self.n_classes = [len(each.classes) for each in targets]
        self._classes = tuple(each.codes for each in targets)
        self._code = CodeRows(
            self.levels, identifiers, self.offset, resampling.n_folds, coding, joins_missing
        )
        self._kept: Any = None
        self._fits = self._bytes() <= data.keeps_bytes

    def _bytes(self) -> int:
        """About what the codes of all rows take."""
        n, n_folds = self.data.n_rows, self.resampling.n_folds
        few = self.n_levels <= discrete.max_plane_levels
        if self.is_weighted or self.n_levels.max(initial=0) > 256:
            few[:] = False
        # the folds of a partition end within words
        of_rows = min(MOST_BITS, 1 + 64 * n_folds * self.data.n_partitions / max(1, n))
        bits = of_rows * int((self.n_levels[few] - 1).sum())
        itemsize = 1 if self.n_levels.max(initial=0) <= 256 else 4
        others = itemsize * int((~few).sum()) + 2 + 8 * self.is_weighted
        return int(n * (bits / 8 + others))

    @property
    def columns_per_reading(self) -> int:
        """How many columns a reading is for; one if nothing has to be read."""
        return 1 if self._fits else block_tables.COUNTED_PER_READING

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rows.weights is not None

    def size_of(self, node: int) -> int:
        """Levels of a column, or of an output (-1, -2 and so on)."""
        return self.n_classes[-1 - node] if node < 0 else int(self.n_levels[node])

    def label(self, *nodes: int) -> Label:
        """All combinations of the levels of some nodes."""
        return Label(nodes, tuple(map(self.size_of, nodes)), (None,) * len(nodes))

    def count(self, requests: list[Request]) -> list[Counts]:
        """Count columns against labels, at once."""
        n_folds = self.resampling.n_folds
        is_long = self.is_weighted or self.data.n_rows >= MOST_SHORT
        dtype = np.int64 if is_long else np.int32
        empty = []
        for label, columns in requests:
            n, levels = label.n_levels, self.n_levels if columns is None else self.n_levels[columns]
            tables = np.zeros((n_folds, n, int(levels.sum())), dtype)
            empty.append(Counts(tables, np.zeros((n_folds, n), np.int64)))
        return self._add_up(AddCounts(self._code, requests, self._n_threads), empty)

    def combinations(self, labels: list[Label]) -> list[np.ndarray]:
        """Which combinations occur, sorted, for each of some labels."""
        none = [np.empty(0, dtype=np.int64)] * len(labels)
        return self._add_up(FindCombinations(self._code, labels), none)

    def _add_up(self, task: Task, state: Any) -> Any:
        if not self._fits:
            return self.data.add_up(task, state, about=self._about)
        if self._kept is None:
            self._kept = self.data.keep(AddCounts(self._code, []), about=self._about)
        return self._kept.add_up(task, state)

    def _about(self, rows: slice) -> tuple[Any, ...]:
        """Fold, classes and weight of some rows."""
        weights = self.rows.weights
        return (
            self.resampling.fold[rows], tuple(each[rows] for each in self._classes),
            None if weights is None else weights[rows],
        )  # fmt: skip


def _without_missing(coded: TableCodes) -> list[np.ndarray]:
    """Levels of the columns that stand for values."""
    return [
        levels[:-1] if gaps else levels
        for levels, gaps in zip(coded.levels, coded.incomplete, strict=True)
    ]

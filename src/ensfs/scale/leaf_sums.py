"""Sums over the rows of partitions that are those of the whole table, whoever adds what first.

Sums of numbers follow a tree over leaves of 4096 rows of the whole table (`row_tree`). A partition
sums the leaves that it holds whole, and the nodes of the tree that these make. Of the leaves that
it holds in part it keeps the rows, until the partitions with the other rows are merged with it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ensfs.scale.partitioned import Task
from ensfs.statistics.row_tree import LEAF, added, n_leaves


@dataclass(frozen=True)
class Rows:
    """Consecutive rows of a table.

    Attributes
    ----------
    start : int
        The first.
    X : ndarray of shape (n_rows, n_columns)
        Their numbers.
    about : object
        What belongs to them: arrays with an entry for each row, None, and tuples of these.
    """

    start: int
    X: np.ndarray
    about: Any

    @property
    def stop(self) -> int:
        """The row after the last."""
        return self.start + len(self.X)

    def between(self, start: int, stop: int) -> Rows:
        """Those from one row of the table up to another."""
        some = slice(start - self.start, stop - self.start)
        return Rows(start, self.X[some], _map(lambda values: values[some], self.about))

    def copied(self) -> Rows:
        """Copies, which do not keep the partition that they were a part of."""
        return replace(
            self, X=self.X.copy(order="K"), about=_map(lambda values: values.copy(), self.about)
        )


def _map(function: Any, about: Any, *others: Any) -> Any:
    """What belongs to rows, with a function of each of its arrays."""
    if type(about) is tuple:
        return tuple(_map(function, *each) for each in zip(about, *others, strict=True))
    return None if about is None else function(about, *others)


def _joined(pieces: list[Rows]) -> Rows:
    """Rows that follow each other, as one."""
    pieces = sorted(pieces, key=lambda each: each.start)
    about = _map(lambda *values: np.concatenate(values), *[each.about for each in pieces])
    return Rows(pieces[0].start, np.concatenate([each.X for each in pieces]), about)


@dataclass
class LeafSums:
    """Sums over some rows of a table: the nodes of its tree, and rows of leaves that are not whole.

    Arrays are never changed once they are in here, so a copy shares them.

    Attributes
    ----------
    n_rows : int
        Rows of the table.
    nodes : dict of (int, int) to object
        Sums by level and place in it, of which no two are sisters.
    rows : dict of int to list of Rows
        By number of the leaf.
    """

    n_rows: int
    nodes: dict[tuple[int, int], Any] = field(default_factory=dict)
    rows: dict[int, list[Rows]] = field(default_factory=dict)

    def __deepcopy__(self, memo: dict) -> LeafSums:
        rows = {leaf: list(pieces) for leaf, pieces in self.rows.items()}
        return LeafSums(self.n_rows, dict(self.nodes), rows)

    def add(self, rows: Rows, task: LeafTask) -> None:
        """Add the rows of a partition."""
        if rows.start == rows.stop:
            return
        first, last = -(-rows.start // LEAF), rows.stop // LEAF
        if rows.stop == self.n_rows:
            last = n_leaves(self.n_rows)
        if first > last:  # they begin and end in one leaf
            self._wait(rows, task)
            return
        if rows.start < first * LEAF:
            self._wait(rows.between(rows.start, min(first * LEAF, rows.stop)), task)
        for level, place in _whole(first, last):
            start = (place << level) * LEAF
            span = rows.between(start, min(start + (LEAF << level), rows.stop))
            self._put(level, place, task.sums_of(span))
        if max(first, last) * LEAF < rows.stop:
            self._wait(rows.between(last * LEAF, rows.stop), task)

    def merge(self, other: LeafSums, task: LeafTask) -> None:
        """Add what is known of other rows."""
        for (level, place), sums in other.nodes.items():
            self._put(level, place, _map_sums(np.copy, sums))
        for pieces in other.rows.values():
            for rows in pieces:
                self._wait(rows, task)

    def _wait(self, rows: Rows, task: LeafTask) -> None:
        """Keep rows of a leaf until it is whole."""
        leaf = rows.start // LEAF
        pieces = [*self.rows.pop(leaf, []), rows]
        wanted = min(LEAF, self.n_rows - leaf * LEAF)
        if sum(len(each.X) for each in pieces) == wanted:
            self._put(0, leaf, task.sums_of(_joined(pieces)))
        else:
            pieces[-1] = rows.copied()
            self.rows[leaf] = pieces

    def _put(self, level: int, place: int, sums: Any) -> None:
        """Add a node to its sister, if that is there; the sums may be changed."""
        while True:
            sister = (level, place ^ 1)
            if sister in self.nodes:
                sums = added(self.nodes.pop(sister), sums)
            elif level == self._height or (place ^ 1) << level < n_leaves(self.n_rows):
                break
            level, place = level + 1, place // 2
        self.nodes[level, place] = sums

    @property
    def _height(self) -> int:
        return (n_leaves(self.n_rows) - 1).bit_length()

    def total(self) -> Any:
        """The sums over all rows."""
        (found,) = self.nodes.values()
        return found


def _map_sums(function: Any, sums: Any) -> Any:
    if isinstance(sums, dict):
        return {name: function(values) for name, values in sums.items()}
    return function(sums)


def _whole(first: int, last: int) -> Iterator[tuple[int, int]]:
    """The nodes, as few as there may be, that leaves ``first:last`` make."""
    while first < last:
        level = (last - first).bit_length() - 1
        if first:
            level = min(level, (first & -first).bit_length() - 1)
        yield level, first >> level
        first += 1 << level


class LeafTask(Task):
    """A task that sums rows of numbers along the tree; its state is of `LeafSums`."""

    ordered: ClassVar[bool] = False

    def prepare(self, table: Any, rows: slice, about: Any) -> Rows:
        """The numbers of a partition and what belongs to its rows."""
        return Rows(rows.start, self.numbers(table), about)

    def numbers(self, table: Any) -> np.ndarray:
        """The numbers that are summed."""
        return table.centred()

    @abstractmethod
    def sums_of(self, rows: Rows) -> Any:
        """A node of the tree from its rows; an array, or a dict of arrays."""

    def add(self, prepared: Rows, state: LeafSums) -> LeafSums:
        """Add the rows of a partition."""
        state.add(prepared, self)
        return state

    def merge(self, state: LeafSums, other: LeafSums) -> LeafSums:
        """Add what is known of other partitions."""
        state.merge(other, self)
        return state

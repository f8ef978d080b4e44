"""The order in which rows are summed: along a fixed tree over leaves of rows.

A leaf is 4096 consecutive rows of the whole table, beginning with row 0. Within a leaf the rows of
a fold are summed in their order (those of an undivided table in 32 lanes), and what the leaves give
is added two by two; see ``_core/sum_tree.h``. A cell is the rows of one fold in one leaf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ensfs._core import continuous, packed, panels

LEAF = continuous.leaf_rows

#: At most so many lanes of packed columns lie side by side: a register of sums for 8 of them.
ABREAST = 64

#: Lanes that lie side by side have at least so much of the rows of the longest.
LEAST_FILLED = 0.8


def n_leaves(n_rows: int) -> int:
    """Leaves that rows make, the last of which may be shorter."""
    return -(-n_rows // LEAF)


def added(one: Any, other: Any) -> Any:
    """Sums added to others, which are changed."""
    if isinstance(one, dict):
        return {name: added(one[name], values) for name, values in other.items()}
    other += one
    return other


def add_in_tree(leaves: Iterable[Any]) -> Any:
    """The sums of some leaves from those of each, which may be changed."""
    waiting: list[Any] = []
    for leaf, sums in enumerate(leaves):
        node, place = sums, leaf
        while place & 1:
            node, place = added(waiting.pop(), node), place >> 1
        waiting.append(node)
    node = waiting.pop()
    while waiting:
        node = added(waiting.pop(), node)
    return node


@dataclass(frozen=True)
class FoldCells:
    """Rows of a table, or of some leaves of it, fold after fold and cut where leaves end.

    Attributes
    ----------
    order : ndarray of int, shape (n_rows,)
        The rows of each fold, in their order.
    starts : ndarray of int, shape (n_cells + 1,)
        Where the cells begin in it. Cells without rows are left out.
    cells : ndarray of int, shape (n_folds + 1,)
        Where the cells of each fold begin.
    leaf, fold : ndarray of int, shape (n_cells,)
        Leaf and fold of each cell.
    joined : ndarray of uint8, shape (n_cells,)
        How often two nodes of the tree are added after each cell; 1 remains of a fold.
    """

    order: np.ndarray
    starts: np.ndarray
    cells: np.ndarray
    leaf: np.ndarray
    fold: np.ndarray
    joined: np.ndarray

    @classmethod
    def of(cls, fold: np.ndarray, n_folds: int) -> FoldCells:
        """The cells of rows that begin with a leaf, from the fold of each."""
        order = np.argsort(fold, kind="stable").astype(np.int64)
        sorted_, leaf = fold[order], order // LEAF
        begins = np.ones(order.size, dtype=bool)
        begins[1:] = (np.diff(sorted_) != 0) | (np.diff(leaf) != 0)
        starts = np.nonzero(begins)[0]
        of_cells, leaves = sorted_[starts], leaf[starts]
        cells = np.searchsorted(of_cells, np.arange(n_folds + 1)).astype(np.int64)
        joined = np.frombuffer(panels.joins_of(leaves, cells), dtype=np.uint8)
        return cls(order, np.append(starts, order.size), cells, leaves, of_cells, joined)

    @property
    def bounds(self) -> np.ndarray:
        """Where the folds begin in the order."""
        return self.starts[self.cells]

    def tree(self) -> panels.RowTree:
        """What the kernels on panels take."""
        return panels.RowTree(self.starts, self.cells, self.joined)


def rows_by_lane(n_rows: int) -> tuple[np.ndarray, panels.RowTree]:
    """The order of the rows of an undivided table, leaf after leaf and lane after lane."""
    lanes = continuous.row_padding
    count = n_leaves(n_rows)
    every = np.arange(count * LEAF).reshape(count, LEAF // lanes, lanes).swapaxes(1, 2)
    exist = every < n_rows
    sizes = exist.sum(axis=2).ravel()
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    return every[exist], panels.RowTree(bounds)


class RowsInLanes:
    """How the rows of folds lie in packed columns: every cell in a lane, up to 64 side by side.

    Lanes of about the same length lie together, so that little is filled up. A table of one leaf
    has its folds as lanes, also those without rows.

    Attributes
    ----------
    rows : ndarray of int, shape (n_places,)
        The row at each place of a column, or -1.
    n_lanes : int
        Number of lanes.
    lanes : FoldLanes
        What the kernels take.
    """

    def __init__(self, fold: np.ndarray, n_folds: int):
        cells = FoldCells.of(fold, n_folds)
        sizes = np.diff(cells.starts)
        joining: tuple[Any, ...] = ()
        if n_leaves(fold.size) > 1:
            # lanes of about equal length together, otherwise as the rows lie in the table
            length = np.ceil(np.log2(sizes) * 4)
            cell = np.lexsort((cells.fold, cells.leaf, -length))
            of_lanes = cells.fold[cell].astype(np.int32)
            starts, sizes = cells.starts[cell], sizes[cell]
            lane = np.empty(cell.size, dtype=np.int32)
            lane[cell] = np.arange(cell.size)
            joining = (of_lanes, *_additions(cells, lane))
            self._fold = of_lanes
        else:
            starts, sizes = cells.bounds[:-1], np.diff(cells.bounds)
            self._fold = np.arange(n_folds, dtype=np.int32)
        self.n_lanes = self._fold.size
        first = _groups_of(sizes, bool(joining))
        self._groups = [slice(a, b) for a, b in pairwise(first)]
        self._longest = np.array([sizes[some].max() for some in self._groups])
        self.rows = np.concatenate(
            [_side_by_side(cells.order, starts[some], sizes[some]).ravel() for some in self._groups]
        )
        self.lanes = packed.FoldLanes(n_folds, np.array(first), self._longest, *joining)

    def folds(self) -> np.ndarray:
        """The fold of each place."""
        return np.concatenate(
            [
                np.tile(self._fold[some], n)
                for some, n in zip(self._groups, self._longest, strict=True)
            ]
        )


def _additions(cells: FoldCells, lane: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Additions that make the sums of the folds from those of their cells, which are in lanes.

    Returns
    -------
    into, added : ndarray of int32
        The lane that is added to, and the one that is added to it: first all leaves, then the nodes
        of the next level and so on, so that no addition waits for the one before.
    root : ndarray of int32, shape (n_folds,)
        The lane where the sum of each fold is then; that after the last for one without rows.
    """
    found: list[tuple[int, int, int]] = []
    root = np.full(cells.cells.size - 1, lane.size, dtype=np.int32)
    for fold, (start, stop) in enumerate(pairwise(cells.cells.tolist())):
        nodes: list[tuple[int, int]] = []
        for cell in range(start, stop):
            nodes.append((0, int(lane[cell])))
            for _ in range(cells.joined[cell]):
                (right_level, right), (left_level, left) = nodes.pop(), nodes.pop()
                level = 1 + max(left_level, right_level)
                found.append((level, left, right))
                nodes.append((level, left))
        if nodes:
            root[fold] = nodes[0][1]
    found.sort(key=lambda each: each[0])
    into, added = np.array(found, dtype=np.int32).reshape(-1, 3).T[1:].copy()
    return into, added, root


def _groups_of(sizes: np.ndarray, by_length: bool) -> list[int]:
    """Where groups of lanes begin that lie side by side, and the number of lanes."""
    first = [0]
    longest = shortest = sizes[0]
    for lane, n in enumerate(sizes.tolist()):
        longest, shortest = max(longest, n), min(shortest, n)
        full = lane - first[-1] == ABREAST
        if full or (by_length and shortest < LEAST_FILLED * longest):
            first.append(lane)
            longest = shortest = n
    return [*first, sizes.size]


def _side_by_side(order: np.ndarray, starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Rows of some cells, one cell a column, -1 past the end of each."""
    i = np.arange(sizes.max())[:, None]
    return np.where(i < sizes, order[np.minimum(starts + i, order.size - 1)], -1)

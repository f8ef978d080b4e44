"""Sums of continuous columns in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ensfs._core import continuous
from ensfs._core import panels as panel_kernels
from ensfs._utils.threads import for_blocks
from ensfs.data.target import Target
from ensfs.scale import block_tables
from ensfs.scale.block_tables import TablesInBlocks
from ensfs.scale.leaf_sums import LeafSums, LeafTask, Rows
from ensfs.scale.partitioned import Task
from ensfs.statistics import (
    CachingSource,
    ContinuousSums,
    Resampling,
    centre_products,
    finish_pearson,
    finish_pearson_of_folds,
)
from ensfs.statistics.continuous_sums import Runs, SumCentres
from ensfs.statistics.fold_centres import EmptySums, add_own_sums, first_rows
from ensfs.statistics.leaf_products import products_of_rows
from ensfs.statistics.row_tree import LEAF

#: First rows of the groups are read with the centres if they take no more than this.
FIRST_ROWS_BYTES = 64 * 2**20


@dataclass(frozen=True)
class AddSums(LeafTask):
    """Adds the sums that relevance follows from."""

    centres: SumCentres
    empty: EmptySums
    n_threads: int
    name: ClassVar[str] = "relevance"

    def sums_of(self, rows: Rows) -> dict[str, Any]:
        """Sums from the group, target and weight of each row."""
        runs, p = Runs.of(*rows.about), self.centres.shift.size

        def add(start: int, stop: int, sums: dict[str, Any]) -> None:
            self.centres.add(rows.X, runs, start, stop, sums)

        return _of_columns(add, self.empty, p, self.n_threads)


def _of_columns(add: Any, empty: EmptySums, p: int, n_threads: int) -> dict[str, Any]:
    """Sums of all columns; threads share them."""
    found: dict[int, dict[str, Any]] = {}

    def work(start: int, stop: int) -> None:
        sums = empty(stop - start)
        add(start, stop, sums)
        found[start] = sums

    for_blocks(work, p, n_threads)
    pieces = [found[start] for start in sorted(found)]
    if len(pieces) == 1:
        return pieces[0]
    return {name: np.concatenate([each[name] for each in pieces], axis=1) for name in pieces[0]}


class CheckFinite(Task):
    """Raises the error for values that are no numbers, which names the column."""

    name = "check"
    ordered = False

    def prepare(self, table: Any, rows: slice, about: Any) -> None:
        """Look at a block."""
        table.check_finite()

    def add(self, prepared: None, state: None) -> None:
        """There is nothing to add."""

    def merge(self, state: None, other: None) -> None:
        """There is nothing to add."""


@dataclass(frozen=True)
class PickRows(Task):
    """Picks some rows of the table."""

    wanted: np.ndarray
    name: ClassVar[str] = "centres"
    ordered: ClassVar[bool] = False

    def prepare(self, table: Any, rows: slice, about: Any) -> dict[int, np.ndarray]:
        """Those of a block, by number."""
        here = self.wanted[(self.wanted >= rows.start) & (self.wanted < rows.stop)]
        X = table.centred()
        # copies: a view of a row would keep its whole block
        return {int(i): np.array(X[i - rows.start], dtype=np.float64) for i in here}

    def add(self, prepared: dict, state: dict) -> dict:
        """Put them together."""
        return state | prepared

    def merge(self, state: dict, other: dict) -> dict:
        """Put them together."""
        return state | other


@dataclass(frozen=True)
class AddOwnSums(LeafTask):
    """Adds sums of some columns from a centre of each fold, or of each class in it."""

    columns: np.ndarray
    centres: np.ndarray
    empty: EmptySums
    n_threads: int
    name: ClassVar[str] = "folds"

    def numbers(self, table: Any) -> np.ndarray:
        """The columns."""
        return table.centred()[:, self.columns]

    def sums_of(self, rows: Rows) -> dict[str, Any]:
        """Sums from the group, target and weight of each row, and its centred target."""
        about, y = rows.about
        runs = Runs.of(*about)

        def add(start: int, stop: int, sums: dict[str, Any]) -> None:
            centres = np.ascontiguousarray(self.centres[:, start:stop])
            add_own_sums(rows.X, runs, y, start, stop, centres, sums)

        return _of_columns(add, self.empty, self.columns.size, self.n_threads)


@dataclass(frozen=True)
class AddProducts(LeafTask):
    """Adds the products of all columns with some, fold by fold.

    Attributes
    ----------
    targets : ndarray of int
        The columns that all are multiplied with.
    centre : ndarray of shape (1 or folds, columns of whole panels)
        Where they are measured from.
    n_folds : int
        Number of folds; 1 for a table that is not divided.
    n_threads : int
        Threads.
    """

    targets: np.ndarray
    centre: np.ndarray
    n_folds: int
    n_threads: int
    name: ClassVar[str] = "products"

    def sums_of(self, rows: Rows) -> np.ndarray:
        """Sums of shape (panels, targets in fours, folds, 32) from fold and weight of each row."""
        fold, weight = rows.about
        return products_of_rows(
            rows.X, fold, weight, self.targets, self.centre, self.n_folds, self.n_threads
        )


class ContinuousBlocks(CachingSource):
    """Continuous columns in blocks of rows; see `ensfs.statistics.ContinuousSource`."""

    def __init__(
        self,
        data: TablesInBlocks,
        target: Target,
        resampling: Resampling,
        relevance: str,
        signed: bool,
        n_threads: int,
    ):
        super().__init__(resampling, data.variables.n_kept, n_threads, block_tables.SUMS_BYTES)
        self.data = data
        self.signed = signed
        self._combines_folds = not (resampling.is_all_rows or resampling.is_leave_one_out)
        self.sums = ContinuousSums(target, resampling, data.variables.n_kept, relevance)
        self.sums.set_centres(self._read_centre_rows())
        sums = self._sum_columns()
        if self.sums.apart.any():
            self._sum_folds_apart()
        apart = self.sums.needs_centres
        self.centres = self.sums.centres(self.sums.fold_means(sums)) if apart else None
        self._centre = self.sums.shift[None] if self.centres is None else self.centres.shift
        if relevance == "f_test" and self.sums.classes is None:
            self.relevance = self.sums.f_of_pearson()
        else:
            self.relevance = self.sums.relevance if signed else np.abs(self.sums.relevance)
        self.constant = self.sums.inverse == 0.0

    def _read_centre_rows(self) -> list[np.ndarray]:
        """The rows that the provisional centres are taken from."""
        first = np.empty(0, dtype=np.int64)
        if self.resampling.n_folds > 1:  # they are the centres of folds that lie apart
            n_groups = self.resampling.n_folds * self.sums.n_classes
            if 8 * n_groups * self.n_features <= FIRST_ROWS_BYTES:
                first = first_rows(self.sums.group, n_groups)
        wanted = np.unique(np.concatenate([*self.sums.centre_rows, first[first >= 0]]))
        found = self.data.add_up(PickRows(wanted), {}, rows=wanted)
        self._first_rows = {int(i): found[int(i)] for i in first if i >= 0}
        return [np.array([found[int(i)] for i in head]) for head in self.sums.centre_rows]

    def _sum_columns(self) -> dict[str, Any]:
        """The sums that relevance follows from, and the relevance."""
        p = self.n_features
        sums = self._add_up(
            AddSums(self.sums.summed_from, self.sums.empty_sums, self.n_threads), self.sums.about,
            "measuring relevance",
        )  # fmt: skip
        if not np.isfinite(sums["q"]).all():
            self.data.add_up(CheckFinite(), None)
        if not self.sums.finish(0, p, sums):
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
        return sums

    def _sum_folds_apart(self) -> None:
        """Sums of the columns whose folds lie apart."""
        columns = np.nonzero(self.sums.apart)[0]
        self.sums.finish_own(columns, self._own_sums(columns, "measuring folds that lie apart"))

    def _own_sums(self, columns: np.ndarray, shown: str) -> dict[str, Any]:
        """Read the blocks once more, for sums from a centre of each fold."""
        own = self.sums.own
        wanted = np.unique(own.first_row[own.first_row >= 0])
        rows = self._first_rows or self.data.add_up(PickRows(wanted), {}, rows=wanted)
        centres = np.zeros((own.first_row.size, columns.size))
        for group, first in enumerate(own.first_row):
            if first >= 0:
                centres[group] = rows[int(first)][columns]
        sums = self._add_up(
            AddOwnSums(columns, centres, own.empty_sums, self.n_threads),
            lambda rows: (self.sums.about(rows), None if own.y is None else own.y[rows]),
            shown,
        )
        return sums | {"centres": centres}

    def _add_up(self, task: LeafTask, about: Any, shown: str | None = None) -> Any:
        """Sums over all rows, in one reading."""
        state = LeafSums(self.data.n_rows)
        return self.data.add_up(task, state, about=about, shown=shown).total()

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part; see `ContinuousSums.class_means`."""
        columns = np.arange(self.n_features)
        return self.sums.class_means(self._own_sums(columns, "measuring means of classes"))

    @property
    def _columns_per_reading(self) -> int:
        return block_tables.SUMMED_PER_READING

    @property
    def _bytes_per_target(self) -> int:
        # while being summed: nodes of the tree wait for others
        waiting = (self.data.n_rows // LEAF).bit_length() + 2
        return 8 * waiting * self.resampling.n_folds * self.n_features

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        width, n_folds = continuous.panel_width, self.resampling.n_folds
        task = AddProducts(np.array(targets), self._centre, n_folds, self.n_threads)
        sums = self._add_up(task, self._folds_of)
        if not self.resampling.is_leave_one_out:
            return [
                (each.swapaxes(0, 1) if self._combines_folds else each).copy()
                for each in sums.swapaxes(0, 1)[: len(targets)]
            ]
        out = [np.empty((len(sums), self.n_parts, width)) for _ in targets]
        panel_kernels.products_leave_out(sums, out, np.empty((n_folds + 1, width)))
        if self.centres is not None:
            centre_products(self.centres, sums, 0, targets, out)
        return out

    def _folds_of(self, rows: slice) -> tuple[np.ndarray, np.ndarray | None]:
        """Fold and weight of some rows."""
        weight = self.resampling.weight
        return self.resampling.fold[rows], None if weight is None else weight[rows]

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)

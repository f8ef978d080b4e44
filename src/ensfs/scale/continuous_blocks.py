"""Sums of continuous columns in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ensfs._core import continuous
from ensfs._core import panels as panel_kernels
from ensfs._utils.threads import ranges_of
from ensfs.data.target import Target
from ensfs.scale import block_tables
from ensfs.scale.block_tables import TablesInBlocks
from ensfs.scale.partitioned import Task
from ensfs.statistics import (
    CachingSource,
    ContinuousSums,
    Resampling,
    centre_products,
    finish_pearson,
    finish_pearson_of_folds,
    gather_targets,
    scaled_rows,
)
from ensfs.statistics.continuous_sums import Runs, SumCentres
from ensfs.statistics.fold_centres import add_own_sums
from ensfs.statistics.resampling import rows_by_fold


@dataclass(frozen=True)
class AddSums(Task):
    """Adds the sums that relevance follows from."""

    centres: SumCentres
    name: ClassVar[str] = "relevance"

    def prepare(self, table: Any, rows: slice, about: Any) -> tuple[np.ndarray, Any]:
        """The numbers; group, target and weight of their rows."""
        return table.centred(), about

    def add(self, prepared: tuple[np.ndarray, Any], sums: dict[str, Any]) -> dict[str, Any]:
        """Add the rows of a block."""
        X, about = prepared
        self.centres.add(X, Runs.of(*about), 0, self.centres.shift.size, sums)
        return sums


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
class AddOwnSums(Task):
    """Adds sums of some columns from a centre of each fold, or of each class in it."""

    columns: np.ndarray
    first_row: np.ndarray
    name: ClassVar[str] = "folds"

    def prepare(self, table: Any, rows: slice, about: Any) -> tuple[Any, ...]:
        """The columns; their rows; group, target, weight and centred target of these."""
        return table.centred()[:, self.columns], rows, *about

    def add(self, prepared: tuple[Any, ...], sums: dict[str, Any]) -> dict[str, Any]:
        """Add the rows of a block."""
        X, rows, about, y = prepared
        runs = Runs.of(*about)
        add_own_sums(X, rows, self.first_row, runs, y, 0, self.columns.size, sums)
        return sums


@dataclass(frozen=True)
class AddProducts(Task):
    """Adds the products of all columns with some, lane by lane.

    Attributes
    ----------
    targets : list of int
        The columns that all are multiplied with.
    centre : ndarray of shape (1 or folds, columns of whole panels)
        Where they are measured from.
    n_lanes : int
        Lanes, which are folds; of one part, the row modulo so many.
    """

    targets: list[int]
    centre: np.ndarray
    n_lanes: int
    name: ClassVar[str] = "products"

    def prepare(self, table: Any, rows: slice, about: Any) -> tuple[Any, ...]:
        """The numbers; lane, fold and weight of their rows."""
        return table.centred(), *about

    def add(self, prepared: tuple[Any, ...], lanes: np.ndarray) -> np.ndarray:
        """Add the rows of a block, as many at a time as stay in the cache."""
        X, lane, fold, weight = prepared
        for start in range(0, len(X), block_tables.PACKED_ROWS):
            some = slice(start, start + block_tables.PACKED_ROWS)
            x, shift = X[some], self.centre
            if weight is not None:
                x = scaled_rows(x, weight[some], fold[some], shift)
                shift = np.zeros((1, shift.shape[1]))
            self._add_rows(x, lane[some], shift, lanes)
        return lanes

    def _add_rows(
        self, X: np.ndarray, lane: np.ndarray, shift: np.ndarray, lanes: np.ndarray
    ) -> None:
        n_panels, width = len(lanes), continuous.panel_width
        order, bounds = rows_by_fold(lane, np.bincount(lane, minlength=self.n_lanes))
        panels = np.empty((n_panels, order.size, width), dtype=X.dtype)
        panel_kernels.pack_panels(X, order, bounds, shift, 0, n_panels, panels)
        y = gather_targets(panels, shift, bounds, self.targets)
        for a, b in ranges_of(0, n_panels, width * order.size * len(self.targets)):
            panel_kernels.add_products(panels, shift, y, bounds, a, b, lanes[a:b])


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
        # one part is summed in 32 lanes of rows, as the columns in memory are
        whole = resampling.is_all_rows
        self._n_lanes = continuous.row_padding if whole else resampling.n_folds
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
        wanted = np.unique(np.concatenate(self.sums.centre_rows))
        found = self.data.add_up(PickRows(wanted), {}, rows=wanted)
        return [np.array([found[int(i)] for i in head]) for head in self.sums.centre_rows]

    def _sum_columns(self) -> dict[str, Any]:
        """The sums that relevance follows from, and the relevance."""
        p = self.n_features
        sums = self.data.add_up(
            AddSums(self.sums.summed_from), self.sums.empty_sums(p), about=self.sums.about,
            shown="measuring relevance",
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
        return self.data.add_up(
            AddOwnSums(columns, own.first_row), own.empty(columns.size), shown=shown,
            about=lambda rows: (self.sums.about(rows), None if own.y is None else own.y[rows]),
        )  # fmt: skip

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part; see `ContinuousSums.class_means`."""
        columns = np.arange(self.n_features)
        return self.sums.class_means(self._own_sums(columns, "measuring means of classes"))

    @property
    def _columns_per_reading(self) -> int:
        return block_tables.SUMMED_PER_READING

    @property
    def _bytes_per_target(self) -> int:
        # while being summed; targets come in groups of four
        return 2 * 8 * self._n_lanes * self.n_features

    def _compute(self, targets: list[int]) -> list[np.ndarray]:
        p, width = self.n_features, continuous.panel_width
        n_panels, n_groups = -(-p // width), -(-len(targets) // 4)
        lanes = np.zeros((n_panels, 4 * n_groups, self._n_lanes, width))
        task = AddProducts(targets, self._centre, self._n_lanes)
        lanes = self.data.add_up(task, lanes, about=self._lanes_of)
        if self._combines_folds:
            return [lanes[:, k].swapaxes(0, 1).copy() for k in range(len(targets))]
        out = [np.empty((n_panels, self.n_parts, width)) for _ in targets]
        if self.resampling.is_leave_one_out:
            panel_kernels.products_leave_out(lanes, out, np.empty((self._n_lanes + 1, width)))
            if self.centres is not None:
                centre_products(self.centres, lanes, 0, targets, out)
        else:
            panel_kernels.products_all_rows(lanes, 0, out)
        return out

    def _lanes_of(self, rows: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Lane, fold and weight of some rows."""
        resampling = self.resampling
        fold, weight = resampling.fold[rows], resampling.weight
        if resampling.is_all_rows:
            lane = np.arange(rows.start, rows.stop) % self._n_lanes
        else:
            lane = fold
        return lane, fold, None if weight is None else weight[rows]

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)

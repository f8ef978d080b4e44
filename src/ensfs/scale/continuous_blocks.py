"""Sums of continuous columns in blocks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._core import continuous
from ensfs._core import panels as panel_kernels
from ensfs._utils.threads import ranges_of
from ensfs.data.target import Target
from ensfs.scale import block_tables
from ensfs.scale.block_tables import TablesInBlocks
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
from ensfs.statistics.resampling import rows_by_fold


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
        sums = self.sums.empty_sums(data.variables.n_kept)
        for rows, table in data.tables("measuring relevance"):
            X = table.centred()
            self.sums.add(X, self.sums.runs(rows), 0, data.variables.n_kept, sums)
            if not np.isfinite(sums["q"]).all():
                table.check_finite()
            del X, table
        if not self.sums.finish(0, data.variables.n_kept, sums):
            raise ValueError(
                "The squares of some values are too large for float64. Scale the columns first."
            )
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
        # one part is summed in 32 lanes of rows, as the columns in memory are
        lanes = continuous.row_padding
        whole = resampling.is_all_rows
        self._lane = np.arange(data.n_rows) % lanes if whole else resampling.fold
        self._n_lanes = lanes if whole else resampling.n_folds

    def _read_centre_rows(self) -> list[np.ndarray]:
        """The rows that the provisional centres are taken from."""
        wanted = np.unique(np.concatenate(self.sums.centre_rows))
        found: dict[int, np.ndarray] = {}
        for rows, table in self.data.tables():
            here = wanted[(wanted >= rows.start) & (wanted < rows.stop)]
            if here.size:
                X = table.centred()
                # copies: a view of a row would keep its whole block
                found |= {int(i): np.array(X[i - rows.start], dtype=np.float64) for i in here}
                del X
            del table
            if len(found) == wanted.size:
                break
        return [np.array([found[int(i)] for i in head]) for head in self.sums.centre_rows]

    def _sum_folds_apart(self) -> None:
        """Sums of the columns whose folds lie apart."""
        columns = np.nonzero(self.sums.apart)[0]
        self.sums.finish_own(columns, self._own_sums(columns, "measuring folds that lie apart"))

    def _own_sums(self, columns: np.ndarray, task: str) -> dict[str, Any]:
        """Read the blocks once more, for sums from a centre of each fold."""
        own = self.sums.own.empty(columns.size)
        for rows, table in self.data.tables(task):
            X = table.centred()[:, columns]
            self.sums.own.add(X, rows, self.sums.runs(rows), 0, columns.size, own)
            del X, table
        return own

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
        for rows, table in self.data.tables():
            X = table.centred()
            del table
            for start in range(0, len(X), block_tables.PACKED_ROWS):
                some = X[start : start + block_tables.PACKED_ROWS]
                at = rows.start + start
                self._add_products(slice(at, at + len(some)), some, targets, lanes)
            del X, some
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

    def _add_products(
        self, rows: slice, X: np.ndarray, targets: list[int], lanes: np.ndarray
    ) -> None:
        """Add the products of some rows of a block, lane by lane."""
        n_panels, width, shift = len(lanes), continuous.panel_width, self._centre
        if self.resampling.weight is not None:
            X = scaled_rows(X, self.resampling, shift, rows)
            shift = np.zeros((1, shift.shape[1]))
        lane = self._lane[rows]
        order, bounds = rows_by_fold(lane, np.bincount(lane, minlength=self._n_lanes))
        panels = np.empty((n_panels, order.size, width), dtype=X.dtype)
        panel_kernels.pack_panels(X, order, bounds, shift, 0, n_panels, panels)
        y = gather_targets(panels, shift, bounds, targets)
        for a, b in ranges_of(0, n_panels, width * order.size * len(targets)):
            panel_kernels.add_products(panels, shift, y, bounds, a, b, lanes[a:b])

    def _finish(
        self, g: int, statistics: np.ndarray, part_ids: np.ndarray, out: np.ndarray
    ) -> None:
        if self._combines_folds:
            finish_pearson_of_folds(
                self.sums, self.centres, g, statistics, part_ids, out, self.signed
            )
        else:
            finish_pearson(self.sums, g, statistics, part_ids, out, self.signed)

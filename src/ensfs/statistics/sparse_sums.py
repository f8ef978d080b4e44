"""Sums of sparse columns over the rows in which they are observed, perhaps with weights."""

from __future__ import annotations

import numpy as np

from ensfs._core import sparse_gaps as kernels
from ensfs._core.gaps import pair_sums
from ensfs.data.sparse_columns import SparseColumns
from ensfs.statistics.resampling import Resampling


class GroupSums:
    """Weight, sum and sum of squares of the observed cells of sparse columns in groups of rows."""

    def __init__(
        self, columns: SparseColumns, group: np.ndarray, n_groups: int, resampling: Resampling
    ):
        self.columns, self.weight = columns, resampling.weight
        self.group = np.ascontiguousarray(group, dtype=np.int64)
        self.size = np.bincount(self.group, minlength=n_groups)
        self.total = resampling.total_weights(self.group, n_groups).astype(np.float64)

    def of(self, start: int, stop: int, centre_of: np.ndarray, centres: np.ndarray) -> np.ndarray:
        """Sums of the columns ``start:stop``, of shape (groups, 3, columns), from some centres."""
        out = np.zeros((self.size.size, 3, stop - start))
        kernels.add_observed(
            self.columns.cells, self.columns.values, start, stop, self.group, self.size, self.total,
            centre_of, np.ascontiguousarray(centres), self.weight, out,
            np.zeros((2, self.size.size)),
        )  # fmt: skip
        return out


class PairSums:
    """Six sums of sparse columns and a target over the rows in which both are observed."""

    def __init__(
        self, columns: SparseColumns, target: np.ndarray, fold: np.ndarray, resampling: Resampling
    ):
        self.columns, self.weight, self.fold = columns, resampling.weight, fold
        self.target = np.ascontiguousarray(target)
        n, seen = resampling.n_folds, ~np.isnan(target)
        self.size = np.bincount(fold[seen], minlength=n)
        times = np.ones(seen.sum()) if self.weight is None else self.weight[seen]
        y = target[seen]
        self.total = np.stack(
            [np.bincount(fold[seen], each, n) for each in (times, times * y, times * y * y)]
        ).astype(np.float64)  # without a row they are integers

    def of(self, start: int, stop: int, centre: np.ndarray) -> np.ndarray:
        """Sums of the columns ``start:stop``, of shape (folds, 6, columns), from some centres."""
        out = np.zeros((self.size.size, pair_sums, stop - start))
        kernels.add_common(
            self.columns.cells, self.columns.values, start, stop, np.ascontiguousarray(centre),
            self.target, self.fold, self.size, self.total, self.weight, out,
            np.zeros((4, self.size.size)),
        )  # fmt: skip
        return out

"""Tests from counts of sparse columns: the cells that are not stored follow from the margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.threads import for_blocks
from ensfs.data.sparse_table import CodedCells
from ensfs.data.target import Target
from ensfs.independence._counts import (
    CONDITIONAL,
    MOST_CELLS,
    CodedRule,
    CodedTester,
    Counts,
)
from ensfs.independence._testers import CACHE_BYTES, ByteLimitedCache
from ensfs.statistics import CountedRows, Resampling
from ensfs.statistics.formulas import rounding

#: Counts that are held at a time.
CELLS_AT_ONCE = 1 << 18


class SparseTester(CodedTester):
    """Tests from counts of sparse coded columns, equal to those of the dense table.

    Stored cells of a batch of columns are counted against the strata and the other column, which
    are spread over all rows. Tests of single pairs spread both columns.

    Parameters
    ----------
    coded : CodedCells
        The columns.
    target : Target
        Classes.
    resampling : Resampling
        The parts of the rows, of any kind.
    rule : CodedRule
        When counts show a dependence.
    n_threads : int, default=1
        Number of threads.
    """

    def __init__(
        self,
        coded: CodedCells,
        target: Target,
        resampling: Resampling,
        rule: CodedRule,
        n_threads: int = 1,
    ):
        n_classes = len(target.classes)
        if n_classes > 2**16:
            raise ValueError(
                f"y has {n_classes} classes; at most {2**16} can be counted. A target with so "
                "many values is numeric, or an identifier."
            )
        self.y = target.codes.astype(np.uint16)
        self.coded = coded.with_columns([target.codes])  # the target is the last node
        self.n_levels = self.coded.n_levels
        self.resampling, self.rule, self.n_threads = resampling, rule, n_threads
        self.n, self.n_features = self.y.size, coded.n_levels.size
        self.n_parts = resampling.n_parts
        self.rows = CountedRows.of(resampling)
        self._klogk: Any = self.rows.klogk
        self._strata = ByteLimitedCache(CACHE_BYTES)
        self._shared = ByteLimitedCache(CACHE_BYTES)
        self.levels = self._part_levels()
        self._first: Counts | None = None
        self._first = self._count_columns(self.n_features, np.arange(self.n_features), ())
        self.relevance = self._first.value.T * (self.rows.unit / self.rows.n[:, None])

    def column(self, j: int) -> np.ndarray:
        """Codes of a node in all rows."""
        return self.y if j == self.n_features else self.coded.spread(j)

    def part_rows(self, t: int) -> Any:
        """The rows of part ``t``."""
        return slice(None) if self.resampling.is_all_rows else self.resampling.rows(t)

    def _count_columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Counts:
        out = Counts.empty(columns.size, self.n_parts)
        stratum, n_strata = self.strata(given)
        n_y = int(self.n_levels[y])
        n_labels = n_strata * n_y
        sizes = self.n_levels[columns].astype(np.int64) * n_labels
        small = np.nonzero(sizes <= MOST_CELLS)[0]
        for i in np.nonzero(sizes > MOST_CELLS)[0]:
            for all_tests, one in zip(
                out, self._count_large(int(columns[i]), y, given), strict=True
            ):
                all_tests[i] = one
        label = stratum * np.int32(n_y) + self.column(y)
        batch = np.cumsum(sizes[small]) // CELLS_AT_ONCE
        bounds = np.concatenate([[0], np.nonzero(np.diff(batch))[0] + 1, [small.size]])

        def work(start: int, stop: int) -> None:
            for a, b in zip(bounds[start:stop], bounds[start + 1 : stop + 1], strict=True):
                if a < b:
                    some = small[a:b]
                    self._count_batch(columns[some], label, n_strata, n_y, some, out)

        for_blocks(work, bounds.size - 1, self.n_threads, block=1)
        return out

    def _part_levels(self) -> np.ndarray:
        """Levels of the nodes that occur in each part."""
        if self.resampling.is_all_rows:
            return self.n_levels[None, :].astype(np.float64)
        coded, out = self.coded, np.empty((self.n_parts, self.n_levels.size))
        first = np.concatenate([[0], np.cumsum(self.n_levels)])
        node = np.repeat(np.arange(self.n_levels.size), np.diff(coded.starts))
        for t, levels in enumerate(out):
            inside = self.resampling.membership[t, self.resampling.fold]
            kept = inside[coded.rows]
            found = np.zeros(first[-1], dtype=bool)
            found[first[node[kept]] + coded.codes[kept]] = True
            n_stored = np.bincount(node[kept], minlength=self.n_levels.size)
            found[(first[:-1] + coded.zero)[n_stored < inside.sum()]] = True
            levels[...] = np.add.reduceat(found, first[:-1], dtype=np.int64)
        return out

    def _count_batch(
        self, columns: np.ndarray, label: np.ndarray, n_strata: int, n_y: int, places: np.ndarray,
        out: Counts,
    ) -> None:  # fmt: skip
        """Counts of some columns, whose tables are small together, in all parts."""
        starts, n_labels = self.coded.starts, n_strata * n_y
        levels = self.n_levels[columns].astype(np.int64)
        first = np.concatenate([[0], np.cumsum(levels)])
        sizes = np.diff(starts)[columns]
        before = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.repeat(starts[columns] - before[:-1], sizes) + np.arange(before[-1])
        rows = self.coded.rows[cells]
        key = (np.repeat(first[:-1], sizes) + self.coded.codes[cells]) * n_labels + label[rows]
        zero, weights = first[:-1] + self.coded.zero[columns], self.rows.weights
        for t in range(self.n_parts):
            inside, kept = self.part_rows(t), slice(None)
            if not self.resampling.is_all_rows:
                kept = self.resampling.membership[t, self.resampling.fold[rows]]
            # weights are whole numbers below 2**53, also as floats
            of_rows, of_cells = (
                (None, None) if weights is None else (weights[inside], weights[rows[kept]])
            )
            of_label = np.bincount(label[inside], of_rows, n_labels).astype(np.int64)
            table = np.bincount(key[kept], of_cells, first[-1] * n_labels).astype(np.int64)
            table = table.reshape(-1, n_labels)
            table[zero] += of_label - np.add.reduceat(table, first[:-1], axis=0)
            self._sum_up(table.reshape(-1, n_strata, n_y), of_label, first, t, places, out)

    def _sum_up(
        self, table: np.ndarray, of_label: np.ndarray, first: np.ndarray, t: int,
        places: np.ndarray, out: Counts,
    ) -> None:  # fmt: skip
        """Information, strata and degrees of freedom from the counts (levels, strata, classes)."""
        klogk, (_, n_strata, n_y) = self._klogk, table.shape
        in_zy = of_label.reshape(n_strata, n_y)
        in_zx, in_z = table.sum(axis=2), in_zy.sum(axis=1)
        sums = {
            "g": klogk[in_z].sum(), "gy": klogk[in_zy].sum(),
            "fg": np.add.reduceat(klogk[in_zx].sum(axis=1), first[:-1]),
            "fgy": np.add.reduceat(klogk[table].sum(axis=(1, 2)), first[:-1]),
        }  # fmt: skip
        value, n_x = CONDITIONAL.of(sums), np.diff(first)
        n = int(self.rows.n[t])
        least = rounding(n, n_strata * n_y * n_x, n_strata * (n_x + n_y + 1))
        out.value[places, t] = np.where(value <= least, 0, value)
        out.strata[places, t] = np.count_nonzero(in_z)
        levels_x = np.add.reduceat(in_zx > 0, first[:-1], axis=0, dtype=np.int64)
        levels_y = np.count_nonzero(in_zy, axis=1)
        degrees = np.maximum(levels_x - 1, 0) * np.maximum(levels_y - 1, 0)
        out.degrees[places, t] = degrees.sum(axis=1)

    def _count_pairs(self, pairs: np.ndarray) -> Counts:
        out = Counts.empty(len(pairs), self.n_parts)
        self._count_large_pairs(pairs, range(len(pairs)), out)
        return out

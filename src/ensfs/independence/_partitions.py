"""Tests from counts of columns in partitions: nothing but tables of counts comes here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ensfs._core import independence
from ensfs.independence._counts import CONDITIONAL, MOST_CELLS, CodedRule, CodedTester, Counts
from ensfs.independence._testers import CACHE_BYTES, ByteLimitedCache, PartTester, TableTester
from ensfs.statistics import CountedRows, log_table, repetitions
from ensfs.statistics.formulas import rounding

#: Combinations of columns up to which none is looked for that does not occur.
ALL_COMBINATIONS = 1 << 10

#: Cells of the tables that are counted in one reading, if it is for several.
CELLS_AT_ONCE = 1 << 21

#: Cells of the largest table.
LARGEST_TABLE = 1 << 25


class _Batch(NamedTuple):
    """Tests of nodes in the same strata, and the tables of all folds.

    Attributes
    ----------
    tables : ndarray of shape (folds, strata, levels of y, levels of all x)
        The counts.
    margin : ndarray of shape (folds, strata, levels of y)
        Those of y.
    x : ndarray of int
        The nodes that take the place of x.
    y : int
        The other one.
    strata : int or None
        How many strata there are in rounding; None: those that occur.
    fits : ndarray of bool
        Whether the tests are rounded as those whose tables are small.
    """

    tables: np.ndarray
    margin: np.ndarray
    x: np.ndarray
    y: int
    strata: int | None
    fits: np.ndarray


class PartitionTester(CodedTester):
    """Tests from counts that are added up over partitions, equal to those in memory.

    Parameters
    ----------
    counts : PartitionCounts
        Counts columns against combinations of others, by fold.
    rule : CodedRule
        When counts show a dependence.
    part : int, optional
        The only part; None: all of them, if they leave out a fold each, or are all rows.
    """

    def __init__(self, counts: Any, rule: CodedRule, part: int | None = None):
        resampling = counts.resampling
        self.counts, self.rule, self.resampling, self._part = counts, rule, resampling, part
        self.n_features = counts.n_levels.size
        self.n_levels = np.append(counts.n_levels, counts.n_classes[0]).astype(np.int64)
        self.n_parts, self.rows = resampling.n_parts, counts.rows
        if part is not None:
            n = np.rint(resampling.n_rows[[part]]).astype(np.int64)
            self.n_parts, self.rows = 1, CountedRows(None, n, *log_table(int(n[0])))
        # rows that are repeated in memory are counted as often
        repeats = repetitions(resampling.weight) is not None
        self._is_weighted = resampling.weight is not None and not repeats
        self.n = int(np.rint(resampling.fold_weights.sum() if part is None else self.rows.n[0]))
        self._strata: Any = {}
        self._shared = ByteLimitedCache(CACHE_BYTES)
        self._work_size = min(
            MOST_CELLS,
            independence.workspace_size(max(4096, self.n), int(self.n_levels.max()), self.n_parts),
        )
        self._first: Counts | None = None
        (first,) = self._tables([((), self.n_features, np.arange(self.n_features))])
        self.levels = self._levels_in_parts(first)
        #: Levels of the nodes by which tables are rounded.
        self._sizes = self.n_levels if part is None else self.levels[0].astype(np.int64)
        self._first = Counts.empty(self.n_features, self.n_parts)
        self._evaluate_columns(first, self._first, np.arange(self.n_features))
        self.relevance = self._first.value.T * (self.rows.unit / self.rows.n[:, None])

    @property
    def n_rows(self) -> np.ndarray:
        """Rows of each part."""
        return self.resampling.n_rows if self._part is None else self.rows.n

    def _levels_in_parts(self, first: _Batch) -> np.ndarray:
        """Levels of the nodes that occur in each part."""
        found = []
        for t in range(self.n_parts):
            columns = self._of_part(t, first.tables)[0].sum(axis=0)
            starts = np.concatenate([[0], np.cumsum(self.n_levels[:-1])])[:-1]
            of_columns = np.add.reduceat(columns > 0, starts, dtype=np.int64)
            of_target = np.count_nonzero(self._of_part(t, first.margin)[0])
            found.append(np.append(of_columns, of_target))
        return np.array(found, dtype=np.float64)

    def _of_part(self, t: int, folds: np.ndarray) -> np.ndarray:
        """Counts of a part from those of the folds."""
        part = t if self._part is None else self._part
        return self.resampling.counts_of_part(part, folds, folds.sum(axis=0))

    # ------------------------------------------------------------------ counting

    def _nodes(self, nodes: Sequence[int]) -> tuple[int, ...]:
        """Nodes as the counts name them, where the target is -1."""
        return tuple(-1 if j == self.n_features else int(j) for j in nodes)

    def _label(self, given: tuple[int, ...]) -> Any:
        """The combinations of some nodes; of many, those that occur."""
        if not given:
            return self.counts.label()
        if given not in self._strata:
            label = self._label(given[:-1]).then(self.counts.label(*self._nodes(given[-1:])))
            if label.n_levels > ALL_COMBINATIONS:
                (keys,) = self.counts.combinations([label])
                label = label._replace(keys=(*label.keys[:-1], keys))
            self._strata[given] = label
        return self._strata[given]

    def _cells(self, given: tuple[int, ...], y: int) -> int:
        """Cells of the tables of a node in the strata of what is given, for each level of x."""
        return self._label(given).n_levels * int(self.n_levels[y]) * self.resampling.n_folds

    def _tables(self, tests: list[tuple[tuple[int, ...], int, np.ndarray]]) -> list[_Batch]:
        """Count tests, each of what is given, one node and others, in one reading."""
        requests, labels = [], []
        for given, y, x in tests:
            label = self._label(given)
            nodes = (y, *x.tolist()) if x.size == 1 else (y,)  # a test alone is one more level
            own = self.counts.label(*self._nodes(nodes))
            labels.append(label.n_levels)
            cells = self._cells(given, y) * int(self.n_levels[x].sum())
            if cells > LARGEST_TABLE:
                raise ValueError(
                    f"A test given {len(given)} columns has {cells:,} cells, which are too many to "
                    "be counted in blocks or partitions. Set max_conditioning, or take the test "
                    "with df='full' and samples_per_df above 0."
                )
            requests.append((label.then(own), x if x.size != 1 else x[:0]))
        found = []
        for (_, y, x), n_strata, (tables, margin) in zip(
            tests, labels, self.counts.count(requests), strict=True
        ):
            shape = (len(margin), n_strata, int(self.n_levels[y]), -1)
            if x.size == 1:
                tables = margin.reshape(shape)
                margin = tables.sum(axis=3)
            tables, margin = tables.reshape(shape), margin.reshape(shape[:3])
            found.append(_Batch(tables, margin, x, y, None, np.ones(x.size, dtype=bool)))
        return found

    def _evaluate(self, batch: _Batch, out: Counts, places: Any) -> None:
        """Information, strata and degrees of freedom of the tests of a batch in all parts."""
        klogk, n_x, n_y = self.rows.klogk, self._sizes[batch.x], self._sizes[batch.y]
        first = np.concatenate([[0], np.cumsum(self.n_levels[batch.x])])[:-1]
        n_occurring, table, in_zy = (
            self._n_occurring(batch), self._all(batch.tables), self._all(batch.margin)
        )  # fmt: skip
        n_strata = n_occurring if batch.strata is None else batch.strata
        occurring = (
            n_occurring + np.count_nonzero(in_zy)
            + np.add.reduceat(np.count_nonzero(table.sum(axis=1), axis=0), first)
            + np.add.reduceat(np.count_nonzero(table, axis=(0, 1)), first)
        )  # fmt: skip
        for t in range(self.n_parts):
            table, in_zy = self._of_part(t, batch.tables), self._of_part(t, batch.margin)
            in_zx, in_z = table.sum(axis=1), in_zy.sum(axis=1)
            sums = {
                "g": klogk[in_z].sum(), "gy": klogk[in_zy].sum(),
                "fg": np.add.reduceat(klogk[in_zx].sum(axis=0), first),
                "fgy": np.add.reduceat(klogk[table].sum(axis=(0, 1)), first),
            }  # fmt: skip
            value, n = CONDITIONAL.of(sums), int(self.rows.n[t])
            least = np.where(
                batch.fits,
                rounding(n, n_strata * n_y * n_x, n_strata * (n_x + n_y + 1)),
                occurring,
            )
            out.value[places, t] = np.where(value <= least, 0, value)
            out.strata[places, t] = np.count_nonzero(in_z)
            levels_x = np.add.reduceat(in_zx > 0, first, axis=1, dtype=np.int64)
            levels_y = np.count_nonzero(in_zy, axis=1)[:, None]
            degrees = np.maximum(levels_x - 1, 0) * np.maximum(levels_y - 1, 0)
            out.degrees[places, t] = degrees.sum(axis=0)

    def _count_columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Counts:
        out = Counts.empty(columns.size, self.n_parts)
        if not columns.size:
            return out
        cells = self._cells(given, y) * self.n_levels[columns]
        # the target is no column, so its test is one of its own
        group = np.where(columns == self.n_features, -1, np.cumsum(cells) // CELLS_AT_ONCE)
        for g in np.unique(group):
            places = np.nonzero(group == g)[0]
            (batch,) = self._tables([(given, y, columns[places])])
            self._evaluate_columns(batch, out, places)
        return out

    def _evaluate_columns(self, batch: _Batch, out: Counts, places: np.ndarray) -> None:
        """The tests of a batch, rounded as those of many columns are in memory."""
        cells = self._n_occurring(batch) * int(self._sizes[batch.y])
        size = independence.workspace_size(cells, 1, self.n_parts) * self._sizes[batch.x]
        fits = (size <= self._work_size) & (not self._is_weighted)
        self._evaluate(batch._replace(fits=fits), out, places)

    def _all(self, folds: np.ndarray) -> np.ndarray:
        """Counts of all rows that are tested from those of the folds."""
        return folds.sum(axis=0) if self._part is None else self._of_part(0, folds)

    def _n_occurring(self, batch: _Batch) -> int:
        """How many strata have rows."""
        return int(np.count_nonzero(self._all(batch.margin).sum(axis=1)))

    def _count_pairs(self, pairs: np.ndarray) -> Counts:
        out = Counts.empty(len(pairs), self.n_parts)
        tests = [(tuple(z), y, np.array([x])) for x, y, *z in pairs.tolist()]
        cells = [self._cells(given, y) * int(self.n_levels[x[0]]) for given, y, x in tests]
        group = np.cumsum(np.array(cells, dtype=np.int64)) // CELLS_AT_ONCE
        for g in np.unique(group):
            some = np.nonzero(group == g)[0].tolist()
            batches = self._tables([tests[i] for i in some])
            for i, batch in zip(some, batches, strict=True):
                fits, strata = self._fits_alone(pairs[i])
                self._evaluate(
                    batch._replace(fits=np.array([fits]), strata=strata if fits else None),
                    out, [i],
                )  # fmt: skip
        return out

    def _fits_alone(self, pair: np.ndarray) -> tuple[bool, int]:
        """Whether the table of a test with all combinations is small, and its strata."""
        n_x, n_y, *sizes = self._sizes[pair].tolist()
        room = self._work_size - n_x
        most = room // (independence.workspace_size(1, 0, self.n_parts)) // (n_x * n_y)
        n_strata = 1
        for size in sizes:
            n_strata *= size
        return not self._is_weighted and n_strata <= most, n_strata


class PartitionParts(TableTester):
    """The same for parts that are neither all rows nor leave-one-out; parts share no counts.

    Parameters
    ----------
    counts : PartitionCounts
        Counts columns against combinations of others, by fold.
    rule : CodedRule
        When counts show a dependence.
    """

    def __init__(self, counts: Any, rule: CodedRule):
        weight = counts.resampling.weight
        if weight is not None and repetitions(weight) is None:
            raise ValueError(
                "Tests that count need the table in memory where rows have weights and parts are "
                "neither all rows nor all but one fold."
            )
        self.n_features, self.n_parts = counts.n_levels.size, counts.resampling.n_parts
        self._testers = [PartitionTester(counts, rule, t) for t in range(self.n_parts)]
        self.relevance = np.array([each.relevance[0] for each in self._testers])

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""
        return self._testers[t].part(0)


def make_partition_tester(counts: Any, rule: CodedRule) -> TableTester:
    """The tester of columns that are counted in partitions; see `PartitionTester`."""
    parts = counts.resampling
    if parts.is_all_rows or parts.is_leave_one_out:
        return PartitionTester(counts, rule)
    return PartitionParts(counts, rule)

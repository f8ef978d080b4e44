"""Tests of columns with missing cells: each on the rows in which all its columns are observed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import chdtrc, erfc

from ensfs._core import discrete, weighted
from ensfs.data.codes import TableCodes
from ensfs.data.sparse_table import CodedCells
from ensfs.data.target import Target
from ensfs.independence._correlations import partial_correlation
from ensfs.independence._counts import CodedRule
from ensfs.independence._permutations import PermutationPartTester
from ensfs.independence._testers import Outcome, PartTester, TableTester
from ensfs.statistics import CountedRows, Resampling, repetitions
from ensfs.statistics.formulas import MEASURES
from ensfs.statistics.observed_counts import MOST_CELLS, Levels, measure_observed
from ensfs.statistics.observed_numbers import deviations
from ensfs.statistics.sparse_observed import count_stored

NOTHING = np.empty(0)


def joined(outcomes: list[Outcome]) -> Outcome:
    """Results of several batches as those of one."""
    if not outcomes:
        return Outcome(NOTHING > 0, NOTHING > 0, NOTHING, NOTHING, NOTHING, NOTHING)
    return Outcome(*(np.concatenate(each) for each in zip(*outcomes, strict=True)))


class ObservedTester(TableTester):
    """Tests from counts of coded columns, missing cells of which have the last code.

    Degrees of freedom are those of the levels that are observed in a part.

    Parameters
    ----------
    coded : TableCodes
        The columns.
    target : Target
        Classes.
    resampling : Resampling
        The parts of the rows.
    rule : CodedRule
        When counts show a dependence.
    """

    def __init__(self, coded: TableCodes, target: Target, resampling: Resampling, rule: CodedRule):
        times = repetitions(resampling.weight)
        if times is not None:
            coded = replace(coded, codes=np.repeat(coded.codes, times, axis=0))
            target = replace(target, codes=np.repeat(target.codes, times))
            resampling = resampling.repeated(times)
        self.codes = np.column_stack([coded.codes.astype(np.int32), target.codes])
        self._begin(coded, target, resampling, rule)

    def _begin(self, coded: Any, target: Target, resampling: Resampling, rule: CodedRule) -> None:
        self.n_levels = np.append(coded.n_levels, len(target.classes)).astype(np.int64)
        self.incomplete = np.append(coded.incomplete, False)
        self.resampling, self.rule = resampling, rule
        self.n_features, self.n_parts = coded.n_levels.size, resampling.n_parts
        self.rows = CountedRows.of(resampling)
        everything = np.arange(self.n_features)
        self.relevance = np.array(
            [
                self.part(t)._columns(self.n_features, everything, ()).information
                for t in range(self.n_parts)
            ]
        )

    def part(self, t: int) -> Any:
        """The tester of part ``t``."""
        if self.rule.kind == "permutation":
            return ObservedPermutationTester(self, t)
        return ObservedPartTester(self, t)

    def column(self, j: int) -> np.ndarray:
        """Codes of a node in all rows."""
        return self.codes[:, j]

    def complete_rows(self, t: int, nodes: list[int]) -> np.ndarray:
        """Rows of part ``t`` in which all of some nodes are observed."""
        rows = self.resampling.rows(t)
        for j in nodes:
            if self.incomplete[j]:
                rows = rows[self.column(j)[rows] != self.n_levels[j] - 1]
        return rows

    def count(
        self, rows: np.ndarray, label: np.ndarray, n_labels: int, columns: np.ndarray
    ) -> tuple[np.ndarray, Levels]:
        """Counts of nodes with labels of some rows, without missing cells, and their levels."""
        levels = Levels(self.n_levels[columns], self.incomplete[columns])
        counts = self._count(rows, label, n_labels, columns, levels)
        return levels.observed(counts.astype(np.int64)), levels

    def _count(
        self, rows: np.ndarray, label: np.ndarray, n_labels: int, columns: np.ndarray,
        levels: Levels,
    ) -> np.ndarray:  # fmt: skip
        codes = np.asfortranarray(self.codes[np.ix_(rows, columns)] + levels.starts, dtype=np.int32)
        weights, place = self.rows.weights, np.ascontiguousarray(label, dtype=np.int32)
        dtype = np.int32 if weights is None else np.int64
        counts = np.zeros((n_labels, int(levels.n.sum())), dtype=dtype)
        if weights is None:
            discrete.add_tables(codes, place, counts)
        else:
            weighted.add_tables(codes, place, np.ascontiguousarray(weights[rows]), counts)
        return counts

    def strata(self, rows: np.ndarray, given: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """Number of the combination of the given nodes in some rows, and how many there are."""
        label, n_labels = np.zeros(rows.size, dtype=np.int64), 1
        for j in given:
            label = label * self.n_levels[j] + self.column(j)[rows]
            found, label = np.unique(label, return_inverse=True)
            n_labels = max(1, found.size)  # without any row, as without any given node
        return label, n_labels


class SparseObservedTester(ObservedTester):
    """The same of sparse columns, of which the stored cells are counted."""

    def __init__(self, coded: CodedCells, target: Target, resampling: Resampling, rule: CodedRule):
        self.coded = coded.with_columns([target.codes])  # the target is the last node
        self._begin(coded, target, resampling, rule)

    def column(self, j: int) -> np.ndarray:
        """Codes of a node in all rows."""
        return self.coded.spread(j)

    def _count(
        self, rows: np.ndarray, label: np.ndarray, n_labels: int, columns: np.ndarray,
        levels: Levels,
    ) -> np.ndarray:  # fmt: skip
        of_rows = np.full(self.coded.cells.n_rows, -1, dtype=np.int64)
        of_rows[rows] = label
        return count_stored(self.coded, columns, of_rows, n_labels, self.rows.weights, rows)


class ObservedPartTester(PartTester):
    """G² and information of one part."""

    def __init__(self, table: ObservedTester, t: int):
        super().__init__(table.n_features)
        self.table, self.t, self.rule = table, t, table.rule
        self.larger_sets_need_more_rows = self.rule.df != "adjusted"
        if self.rule.kind == "mi":
            self.information_tolerance = self.rule.min_bits
        rows, nodes = table.resampling.rows(t), np.arange(table.n_features + 1)
        counts, levels = table.count(rows, np.zeros(rows.size, dtype=np.int64), 1, nodes)
        self.levels = levels.summed((counts[0] > 0).astype(np.int64)).astype(np.float64)

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        return joined(
            [
                self._columns(int(y), np.array([x]), tuple(sorted(given)))
                for x, y, *given in pairs.tolist()
            ]
        )

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        table = self.table
        rows = table.complete_rows(self.t, [y, *given])
        stratum, n_strata = table.strata(rows, given)
        n_y, found, start = int(table.n_levels[y]), [], 0
        label = stratum * n_y + table.column(y)[rows]
        room = MOST_CELLS // (n_strata * n_y)
        while start < columns.size:
            fits = np.searchsorted(np.cumsum(table.n_levels[columns[start:]]), room, side="right")
            some = columns[start : start + max(1, int(fits))]
            counts, levels = table.count(rows, label, n_strata * n_y, some)
            found.append(self._decide(y, some, given, counts.reshape(n_strata, n_y, -1), levels))
            start += some.size
        return joined(found)

    def _decide(
        self, y: int, columns: np.ndarray, given: tuple[int, ...], counts: np.ndarray,
        levels: Levels,
    ) -> Outcome:  # fmt: skip
        """Results of tests from counts of shape (strata, levels of y, levels of the columns)."""
        rule, rows = self.rule, self.table.rows
        information, counted = measure_observed(MEASURES["conditional"], counts, levels, rows)
        n = counted / rows.times
        pair = np.maximum(self.levels[columns] - 1, 0) * max(self.levels[y] - 1, 0)
        if rule.df == "adjusted":
            in_strata = levels.summed((counts.sum(axis=1) > 0).astype(np.int64))
            of_y = (levels.summed(counts) > 0).sum(axis=1)
            both = np.maximum(in_strata - 1, 0) * np.maximum(of_y - 1, 0)
            df = both.sum(axis=0).astype(np.float64)
        elif rule.df == "slices":
            df = pair * (levels.summed(counts.sum(axis=1)) > 0).sum(axis=0)
        else:
            df = pair * self.levels[list(given)].prod()
        g2 = information * (2 * n * np.log(2))
        pvalue = np.where(df > 0, chdtrc(np.maximum(df, 1), g2), 1.0)
        # without a row nothing is decided, but of a column that holds one value or none
        reliable = (df * rule.samples_per_df <= n) & ((n > 0) | (pair == 0))
        above = information > rule.min_bits if rule.kind == "mi" else pvalue <= rule.alpha
        return Outcome(above & reliable, reliable, information, g2, df, pvalue)


class ObservedPermutationTester(PermutationPartTester):
    """G² against permuted tables, in one part."""

    def __init__(self, table: ObservedTester, t: int):
        PartTester.__init__(self, table.n_features)
        self.table, self.rule, self.t = table, table.rule, t  # type: ignore[assignment]
        self.rows = table.resampling.rows(t)

    def _one(self, x: int, y: int, given: tuple[int, ...]) -> tuple:
        self.rows = self.table.complete_rows(self.t, [x, y, *given])  # type: ignore[attr-defined]
        if not self.rows.size:  # nothing is decided, but of a column that holds one value or none
            return False, self._holds_one(x) or self._holds_one(y), 0.0, 0.0, 0.0, 1.0
        return super()._one(x, y, given)

    def _holds_one(self, j: int) -> bool:
        """Whether a node holds one value or none in the part."""
        table: Any = self.table
        return np.unique(table.column(j)[table.complete_rows(self.t, [j])]).size < 2

    def _in_rows(self, x: int, y: int, given: tuple[int, ...]) -> tuple[np.ndarray, ...]:
        table: Any = self.table
        codes, rows = table.codes, self.rows
        return table.strata(rows, given)[0], codes[rows, x], codes[rows, y]


class ObservedCorrelations(TableTester):
    """Fisher's z of partial correlations, each of the rows in which all its columns are observed.

    Parameters
    ----------
    values : ndarray of shape (n, p)
        The columns, NaN where they are missing.
    target : ndarray of shape (n,)
        The target.
    relevance : ndarray of shape (n_parts, p)
        Correlation of every column with the target.
    resampling : Resampling
        The parts of the rows.
    alpha : float
        Largest p-value of a dependence.
    """

    def __init__(
        self, values: np.ndarray, target: np.ndarray, relevance: np.ndarray,
        resampling: Resampling, alpha: float,
    ):  # fmt: skip
        self.values = np.column_stack([np.asarray(values, dtype=np.float64), target])
        self.resampling, self.alpha = resampling, alpha
        self.n_features, self.n_parts = values.shape[1], resampling.n_parts
        self.relevance = np.abs(relevance)

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""
        return ObservedCorrelationTester(self, t)


class ObservedCorrelationTester(PartTester):
    """Fisher's z in one part."""

    def __init__(self, table: ObservedCorrelations, t: int):
        super().__init__(table.n_features)
        rows, weight = table.resampling.rows(t), table.resampling.weight
        self.values, self.alpha = table.values[rows], table.alpha
        self.weight = np.ones(rows.size) if weight is None else weight[rows]
        self.constant = ~(np.fmin.reduce(self.values) < np.fmax.reduce(self.values))

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        return joined(
            [self._columns(int(y), np.array([x]), tuple(given)) for x, y, *given in pairs.tolist()]
        )

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        shared = self.values[:, [y, *given]]
        rows = ~np.isnan(shared).any(axis=1)
        n, R = observed_correlations(
            self.values[np.ix_(rows, columns)], shared[rows], self.weight[rows]
        )
        r = partial_correlation(R[:, 0, 1], R[:, 0, 2:], R[:, 1, 2:], R[:, 2:, 2:])
        free = n - len(given) - 3
        z = np.sqrt(np.maximum(free, 0.0)) * np.arctanh(r)
        pvalue = erfc(np.abs(z) / np.sqrt(2))
        # without a row nothing is decided, but of a column that holds one value or none
        reliable = (free > 0) | ((n == 0) & (self.constant[columns] | self.constant[y]))
        information = -0.5 / np.log(2) * np.log1p(-r * r)
        dependent = (pvalue <= self.alpha) & reliable
        return Outcome(dependent, reliable, information, z**2, np.ones(r.size), pvalue)


def observed_correlations(
    columns: np.ndarray, shared: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows in which each column is observed, and correlations in them of it and shared variables.

    Parameters
    ----------
    columns : ndarray of shape (n, tests)
        A column for each test, NaN where it is missing.
    shared : ndarray of shape (n, m)
        What all tests share, without missing cells.
    weight : ndarray of shape (n,)
        Of the rows.

    Returns
    -------
    ndarray of shape (tests,), ndarray of shape (tests, 1 + m, 1 + m)
        The column is the first variable; those that are constant have correlations of 0.
    """
    missing = np.isnan(columns)
    counted = np.where(missing, 0.0, weight[:, None])
    n = counted.sum(axis=0)
    some = np.where(n > 0, n, 1.0)
    means = np.where(missing, 0.0, columns * weight[:, None]).sum(axis=0) / some
    x = np.where(missing, 0.0, columns - means)
    v = shared - (shared.mean(axis=0) if len(shared) else 0.0)
    m = v.shape[1]
    sums = np.empty((n.size, 1 + m))
    sums[:, 0], sums[:, 1:] = (counted * x).sum(axis=0), counted.T @ v
    squares = np.empty((n.size, 1 + m, 1 + m))
    squares[:, 0, 0] = (counted * x * x).sum(axis=0)
    squares[:, 0, 1:] = squares[:, 1:, 0] = (counted * x).T @ v
    squares[:, 1:, 1:] = (counted.T @ (v[:, :, None] * v[:, None]).reshape(len(v), m * m)).reshape(
        n.size, m, m
    )
    diagonal = np.einsum("tii->ti", squares)
    spread = deviations(n[:, None], sums, diagonal)
    root = np.sqrt(np.where(spread > 0, spread, 1.0))
    R = squares - sums[:, :, None] * sums[:, None] / some[:, None, None]
    R /= root[:, :, None] * root[:, None]
    varies = spread > 0
    R = np.where(varies[:, :, None] & varies[:, None], R, 0.0)
    np.einsum("tii->ti", R)[...] = 1.0
    return n, np.clip(R, -1.0, 1.0)

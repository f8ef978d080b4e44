"""Tests from counts of codes: G², or a threshold on the information."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from ensfs._core import discrete, fold_pairs, independence
from ensfs._core.encode import check_codes
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.target import Target
from ensfs.independence._permutations import PermutationPartTester
from ensfs.independence._testers import (
    CACHE_BYTES,
    ByteLimitedCache,
    Outcome,
    PartTester,
    TableTester,
)
from ensfs.statistics import CountedRows, Resampling
from ensfs.statistics.formulas import information

#: Information of a column x (f) and y given the strata (g), over the sums that are counted.
CONDITIONAL = information("f", "y", given="g")
#: Columns from which on bit planes of the strata are worth making.
FEW_COLUMNS = 8
#: Largest table of counts of one thread.
MOST_CELLS = 1 << 22


@dataclass(frozen=True)
class CodedRule:
    """When counts show a dependence.

    Attributes
    ----------
    kind : {"g2", "mi", "permutation"}
        G² with its p-value; more information than `min_bits`; or G² against permuted tables.
    alpha, min_bits : float
        Largest p-value of a dependence, or the information in bits that a dependence exceeds.
    df : {"full", "slices", "adjusted"}
        How degrees of freedom are counted (see `ensfs.measures.g_square`).
    samples_per_df : float
        A test with fewer rows for each degree of freedom is not reliable; 0: all tests are.
    n_permutations, distribution, seed :
        Of "permutation": see `PermutationTest`.
    """

    kind: str = "g2"
    alpha: float = 0.01
    min_bits: float = 0.01
    df: str = "full"
    samples_per_df: float = 5
    n_permutations: int = 1000
    distribution: str = "permuted"
    seed: int = 0


class Counts(NamedTuple):
    """Sums over cells, each of shape (tests, parts)."""

    value: np.ndarray
    strata: np.ndarray
    degrees: np.ndarray

    @classmethod
    def empty(cls, n_tests: int, n_parts: int) -> Counts:
        return cls(*(np.zeros((n_tests, n_parts), dtype=np.int64) for _ in range(3)))


class CodedTester(TableTester):
    """Tests from counts of coded columns.

    Strata are numbered once for each set of given columns. A batch of columns is counted in one
    pass over the strata, on bit planes if the strata are few; each count serves all parts. Rows
    with weights are added up for one test after the other.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8 or uint16, Fortran order
        Dense codes of every column.
    n_levels : ndarray of shape (p,), int32
        Levels of every column.
    target : Target
        Classes.
    resampling : Resampling
        The parts of the rows: all of them, or leave-one-out (see `make_coded_tester`).
    rule : CodedRule
        When counts show a dependence.
    n_threads : int, default=1
        Number of threads.
    """

    def __init__(
        self,
        codes: np.ndarray,
        n_levels: np.ndarray,
        target: Target,
        resampling: Resampling,
        rule: CodedRule,
        n_threads: int = 1,
    ):
        n, p = codes.shape
        n_classes = len(target.classes)
        if n_classes > np.iinfo(codes.dtype).max + 1:
            if n_classes > 2**16:
                raise ValueError(
                    f"y has {n_classes} classes; at most {2**16} can be counted. A target with so "
                    "many values is numeric, or an identifier."
                )
            codes = codes.astype(np.uint16)
        self.codes = codes
        self.y = target.codes.astype(codes.dtype)
        self.n_levels = np.append(n_levels, n_classes).astype(np.int32)
        check_codes(self.codes, self.n_levels[:-1])
        check_codes(self.y[:, None], self.n_levels[-1:])
        self.resampling, self.rule, self.n_threads = resampling, rule, n_threads
        self.n, self.n_features, self.n_parts = n, p, resampling.n_parts
        self.rows = CountedRows.of(resampling)
        self._klogk: Any = self.rows.table
        assert resampling.is_all_rows or resampling.is_leave_one_out
        self.fold = None if resampling.is_all_rows else resampling.fold
        self.levels = self._part_levels()
        self._work_size = min(
            MOST_CELLS,
            independence.workspace_size(max(4096, n), int(self.n_levels.max()), self.n_parts),
        )
        max_bytes = max(CACHE_BYTES, codes.nbytes)
        self._strata = ByteLimitedCache(max_bytes)
        self._shared = ByteLimitedCache(max_bytes)
        self._first: Counts | None = None
        self._first = self._count_columns(p, np.arange(p), ())
        self.relevance = self._first.value.T * (self.rows.unit / self.rows.n[:, None])

    @property
    def n_rows(self) -> np.ndarray:
        """Rows of each part."""
        return self.resampling.n_rows

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""
        return (PermutationPartTester if self.rule.kind == "permutation" else CodedPartTester)(
            self, t
        )

    def _part_levels(self) -> np.ndarray:
        """Levels of the nodes that occur in each part."""
        fold = self.fold
        if fold is None:
            return self.n_levels[None, :].astype(np.float64)
        out = np.empty((self.n_parts, self.n_features + 1), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            table = np.empty((self.n_parts + 1, int(self.n_levels.max())), dtype=np.int32)
            independence.count_levels(
                self.codes, self.y, self.n_levels, fold, start, stop, table, out
            )

        for_blocks(work, self.n_features + 1, self.n_threads, cells=self.n)
        return out.astype(np.float64)

    def column(self, j: int) -> np.ndarray:
        """Codes of a node."""
        return self.y if j == self.n_features else self.codes[:, j]

    def part_rows(self, t: int) -> Any:
        """The rows of part ``t``."""
        return slice(None) if self.fold is None else self.fold != t

    # ------------------------------------------------------------------ strata

    def strata(self, given: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """Stratum of each row, a combination of the given columns, and the number of strata."""
        if not given:
            return np.zeros(self.n, dtype=np.int32), 1

        def make() -> tuple[np.ndarray, int]:
            return self.refine(*self.strata(given[:-1]), given[-1])

        return self._strata.get_or_make(given, make, 4 * self.n)

    def refine(self, label: np.ndarray, count: int, j: int) -> tuple[np.ndarray, int]:
        """Labels of the combinations of a label and a column that occur."""
        size = 1 << max(10, int(2 * self.n - 1).bit_length())
        out = np.empty(self.n, dtype=np.int32)
        found = independence.refine(
            label, count, self.column(j), int(self.n_levels[j]), np.empty(size, dtype=np.int32),
            np.empty(size, dtype=np.int64), out,
        )  # fmt: skip
        return out, found

    # ------------------------------------------------------------------ counts

    def count_columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Counts:
        """Counts of columns and node `y` in the strata of the given columns, for all parts."""
        if self._first is not None and not given and y == self.n_features not in columns:
            return Counts(*(each[columns] for each in self._first))
        if self.n_parts == 1:
            return self._count_columns(y, columns, given)
        # the other parts will need most of these counts too
        key = (y, columns.tobytes(), given)
        size = columns.nbytes * (1 + 3 * self.n_parts)
        return self._shared.get_or_make(key, lambda: self._count_columns(y, columns, given), size)

    def _count_columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Counts:
        out = Counts.empty(columns.size, self.n_parts)
        if not columns.size:
            return out
        stratum, n_strata = self.strata(given)
        n_y = int(self.n_levels[y])
        sizes = (
            independence.workspace_size(n_strata * n_y, 1, self.n_parts) * self.n_levels[columns]
        )
        few = sizes <= (self._work_size if self.rows.weights is None else 0)
        small = np.nonzero(few)[0]
        for i in np.nonzero(~few)[0]:
            for all_tests, one in zip(
                out, self._count_large(int(columns[i]), y, given), strict=True
            ):
                all_tests[i] = one
        if not small.size:
            return out
        label = stratum * np.int32(n_y) + self.column(y)
        label_planes, margins = self._label_planes(label, n_strata * n_y, small.size)
        counted = out if small.size == columns.size else Counts.empty(small.size, self.n_parts)
        chosen = np.ascontiguousarray(columns[small])
        planes, plane_start = (None, None) if label_planes is None else self._planes

        def work(start: int, stop: int) -> None:
            independence.test_columns(
                self.codes, self.y, chosen, start, stop, label, n_strata, n_y, self.n_levels,
                self.fold, CONDITIONAL.array, self._klogk, self.resampling.n_rows, planes,
                plane_start, label_planes, margins,
                np.empty(int(sizes[small].max()), dtype=np.int32), counted.value, counted.strata,
                counted.degrees,
            )  # fmt: skip

        for_blocks(work, small.size, self.n_threads, cells=self.n)
        if counted is not out:
            for all_tests, some in zip(out, counted, strict=True):
                all_tests[small] = some
        return out

    def count_pairs(self, pairs: np.ndarray) -> Counts:
        """Counts of pairs given columns of their own, for all parts."""
        if self.n_parts == 1 or not len(pairs):
            return self._count_pairs(pairs)
        keys = [row.tobytes() for row in pairs]
        known = {key: self._shared[key] for key in keys if key in self._shared}
        new = [i for i, key in enumerate(keys) if key not in known]
        counted = self._count_pairs(np.ascontiguousarray(pairs[new]))
        for k, i in enumerate(new):
            known[keys[i]] = [each[k].copy() for each in counted]
            self._shared.get_or_make(keys[i], partial(known.get, keys[i]), 24 * self.n_parts + 400)
        rows = [known[key] for key in keys]
        return Counts(*(np.array(each) for each in zip(*rows, strict=True)))

    def _count_pairs(self, pairs: np.ndarray) -> Counts:
        out = Counts.empty(len(pairs), self.n_parts)
        if self.rows.weights is not None:
            self._count_large_pairs(pairs, range(len(pairs)), out)
            return out
        most = independence.most_planes
        planes, plane_start, all_rows = None, None, None
        if self._has_planes:
            (planes, plane_start), all_rows = self._planes, self._all_rows

        def work(start: int, stop: int) -> None:
            independence.test_pairs(
                self.codes, self.y, pairs, start, stop, self.n_levels, self.fold,
                CONDITIONAL.array, self._klogk, self.resampling.n_rows, planes, plane_start,
                all_rows,
                None if all_rows is None else np.empty((2 * most, all_rows.size), dtype=np.uint64),
                np.empty((most, self.n_parts), dtype=np.int32),
                np.empty(self.n, dtype=np.int32), np.empty(self._work_size, dtype=np.int32),
                out.value, out.strata, out.degrees,
            )  # fmt: skip

        for_blocks(work, len(pairs), self.n_threads, cells=self.n * pairs.shape[1])
        self._count_large_pairs(pairs, np.nonzero(out.value[:, 0] < 0)[0], out)
        return out

    def _count_large_pairs(self, pairs: np.ndarray, some: Iterable[int], out: Counts) -> None:
        for i in some:
            x, y, *given = pairs[i].tolist()
            for all_tests, one in zip(out, self._count_large(x, y, tuple(given)), strict=True):
                all_tests[i] = one

    def _count_large(self, x: int, y: int, given: tuple[int, ...]) -> Counts:
        """Counts with more cells than a table holds: combinations that occur are numbered."""
        z, n_z = self.strata(given)
        zx, n_zx = self.refine(z, n_z, x)
        zy, n_zy = self.refine(z, n_z, y)
        zyx, n_zyx = self.refine(zy, n_zy, x)
        of_x, of_y = np.empty(n_zx, dtype=np.int32), np.empty(n_zy, dtype=np.int32)
        of_x[zx], of_y[zy] = z, z
        out = Counts.empty(1, self.n_parts)
        for t in range(self.n_parts):
            rows = self.part_rows(t)
            weight = None if self.rows.weights is None else self.rows.weights[rows]

            def count(label: np.ndarray, size: int, rows: Any = rows, weight: Any = weight) -> Any:
                # whole numbers below 2**53, also as floats
                return np.bincount(label[rows], weight, minlength=size).astype(np.int64)

            in_z, in_zx, in_zy = count(z, n_z), count(zx, n_zx), count(zy, n_zy)
            in_zyx = count(zyx, n_zyx)
            cells = {"g": in_z, "fg": in_zx, "gy": in_zy, "fgy": in_zyx}
            value = CONDITIONAL.of(
                {name: int(self.rows.klogk[c].sum()) for name, c in cells.items()}
            )
            levels_x = np.bincount(of_x[in_zx > 0], minlength=n_z)[in_z > 0]
            levels_y = np.bincount(of_y[in_zy > 0], minlength=n_z)[in_z > 0]
            # each term may be off by a unit
            out.value[0, t] = value if value > n_z + n_zx + n_zy + n_zyx else 0
            out.strata[0, t] = np.count_nonzero(in_z)
            out.degrees[0, t] = int(((levels_x - 1) * (levels_y - 1)).sum())
        return Counts(*(each[0] for each in out))

    # ------------------------------------------------------------------ bit planes

    def _label_planes(self, label: np.ndarray, n_labels: int, n_columns: int) -> tuple[Any, Any]:
        """Planes of the labels and how many rows each has in each fold, or None if not worth it."""
        if (
            not self._has_planes or n_labels > independence.most_planes or n_columns < FEW_COLUMNS
        ):  # fmt: skip
            return None, None
        planes = np.empty((n_labels, self._planes[0].shape[1]), dtype=np.uint64)
        margins = np.empty((n_labels, self.n_parts), dtype=np.int32)
        independence.make_label_planes(label, self._positions, self.fold, planes, margins)
        return planes, margins

    @property
    def _has_planes(self) -> bool:
        return self.codes.dtype == np.uint8 and self.n_parts <= fold_pairs.max_parts

    @lazy_property
    def _positions(self) -> np.ndarray | None:
        """Bit of each row, if each fold has words of its own."""
        return None if self.fold is None else self.resampling.word_positions()[0]

    @lazy_property
    def _planes(self) -> tuple[np.ndarray, np.ndarray]:
        """Bit planes of the nodes with few levels, and where those of each node begin."""
        levels = self.n_levels.astype(np.int64)
        few = levels <= independence.max_plane_levels
        start = np.concatenate([[0], np.cumsum(np.where(few, levels - 1, 0))])
        words = -(-self.n // 64) if self.fold is None else self.resampling.word_positions()[1]
        planes = np.empty((int(start[-1]), words), dtype=np.uint64)

        def make(codes: np.ndarray, start: np.ndarray, first: int, stop: int) -> None:
            buffer = None if self.fold is None else np.empty(64 * words, dtype=np.uint8)
            discrete.make_planes(codes, start, first, stop, planes, self._positions, buffer)

        p = self.n_features
        for_blocks(
            lambda a, b: make(self.codes, start[: p + 1], a, b), p, self.n_threads, cells=self.n
        )
        make(self.y[:, None], start[p:], 0, 1)
        return planes, start

    @lazy_property
    def _all_rows(self) -> np.ndarray:
        """A bit plane of all rows."""
        planes = np.empty((1, self._planes[0].shape[1]), dtype=np.uint64)
        margins = np.empty((1, self.n_parts), dtype=np.int32)
        label = np.zeros(self.n, dtype=np.int32)
        independence.make_label_planes(label, self._positions, self.fold, planes, margins)
        return planes[0]


class CodedPartTester(PartTester):
    """G² and information of one part."""

    def __init__(self, table: CodedTester, t: int):
        super().__init__(table.n_features)
        self.table, self.t, self.rule = table, t, table.rule
        self.n = table.n_rows[t].item()
        self.levels = table.levels[t]
        self.larger_sets_need_more_rows = self.rule.df != "adjusted"
        if self.rule.kind == "mi":
            self.information_tolerance = self.rule.min_bits

    def relevance_to(self, y: int) -> np.ndarray:
        """Information of every node on node `y`, in bits."""
        counts = self.table.count_columns(y, np.arange(self.table.n_features + 1), ())
        return counts.value[:, self.t] * (self.table.rows.unit / self.table.rows.n[self.t])

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        pair = (self.levels[columns] - 1) * (self.levels[y] - 1)
        testable, given_levels = self._testable(pair, self.levels[list(given)].prod())
        counts = self.table.count_columns(y, columns[testable], given)
        return scatter(self._decide(pair[testable], given_levels, counts), testable, columns.size)

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        levels = self.levels[pairs]
        pair = (levels[:, 0] - 1) * (levels[:, 1] - 1)
        testable, given_levels = self._testable(pair, levels[:, 2:].prod(axis=1))
        counts = self.table.count_pairs(pairs[testable])
        return scatter(self._decide(pair[testable], given_levels, counts), testable, len(pairs))

    def _testable(self, pair: np.ndarray, given_levels: Any) -> tuple[Any, Any]:
        """Mask of the tests that can be reliable, known before counting, and the strata of each."""
        if self.rule.df == "full" and self.rule.samples_per_df:
            testable = pair * given_levels * self.rule.samples_per_df <= self.n
            if not testable.all():
                return testable, np.broadcast_to(given_levels, pair.shape)[testable]
        return slice(None), given_levels

    def _decide(self, pair: np.ndarray, given_levels: Any, counts: Counts) -> Outcome:
        """Results of tests from their counts; `pair` is (levels of x - 1) (levels of y - 1)."""
        rule, t = self.rule, self.t
        information = counts.value[:, t] * (self.table.rows.unit / self.table.rows.n[t])
        g2 = information * (2 * self.n * np.log(2))
        if rule.df == "adjusted":
            df = counts.degrees[:, t].astype(np.float64)
        else:
            df = pair * (counts.strata[:, t] if rule.df == "slices" else given_levels)
        pvalue = np.where(df > 0, chdtrc(np.maximum(df, 1), g2), 1.0)
        reliable = df * rule.samples_per_df <= self.n
        above = information > rule.min_bits if rule.kind == "mi" else pvalue <= rule.alpha
        return Outcome(above & reliable, reliable, information, g2, df, pvalue)


def scatter(outcome: Outcome, testable: Any, size: int) -> Outcome:
    """Results of all tests, from those of the testable ones; the others are unreliable."""
    if isinstance(testable, slice):
        return outcome
    everything = Outcome(
        np.zeros(size, dtype=bool), np.zeros(size, dtype=bool), np.zeros(size), np.zeros(size),
        np.ones(size), np.full(size, np.nan),
    )  # fmt: skip
    for whole, part in zip(everything, outcome, strict=True):
        whole[testable] = part
    return everything

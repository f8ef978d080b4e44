"""Tests of conditional independence, for the selectors that search with them.

Nodes are the columns of a table, numbered as they stand, and the target after the last column. The
tests of a table serve every part of its rows; ``part(t)`` gives those of one part:

- `CodedTests`: G², a threshold on the information, or permutations, from counts of codes;
- `GaussianTests`: Fisher's z of partial correlations;
- `SeparationTests`: whatever an object with ``separated(x, y, given)`` says, such as `OracleTest`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc, erfc, xlogy
from scipy.stats import random_table

from ensfs._core import discrete, independence
from ensfs._target import Target
from ensfs._threads import for_blocks
from ensfs.statistics import Parts, Source, log_table

__all__ = ["OracleTest"]

#: Eigenvalues of a correlation matrix below this share of the largest are 0, and so is the variance
#: that a column keeps when others are given.
SINGULAR = 1e-10
#: Correlations are kept this far from 1.
ALMOST_ONE = 1 - 1e-15
#: A permuted statistic that falls short of the observed one by no more than this reaches it.
EQUAL = 1e-9
#: Columns from which on bit planes of the strata are worth making.
FEW_COLUMNS = 8
#: Sets of nodes that an oracle keeps.
MOST_TRAILS = 4096
#: Largest table of counts of one thread.
MOST_CELLS = 1 << 22
#: What is kept for later tests may take so many bytes, or as many as the codes of the table.
CACHE_BYTES = 16 * 2**20


class Outcome(NamedTuple):
    """What a batch of tests found, one entry for each.

    A test that has too few rows says nothing: it is neither `reliable` nor `dependent`. Information
    is in bits. The statistic has a chi-square distribution with `df` degrees of freedom if the two
    are independent.
    """

    dependent: np.ndarray
    reliable: np.ndarray
    information: np.ndarray
    statistic: np.ndarray
    df: np.ndarray
    pvalue: np.ndarray


class Recent(OrderedDict):
    """What was used last, as long as it takes no more than a number of bytes."""

    def __init__(self, most_bytes: int):
        super().__init__()
        self.most_bytes, self.n_bytes = most_bytes, 0
        self._sizes: dict[Hashable, int] = {}

    def find(self, key: Hashable, make: Callable[[], Any], size: int) -> Any:
        """The value of a key; if it is not there it is made, and takes so many bytes."""
        if key in self:
            self.move_to_end(key)
            return self[key]
        value = self[key] = make()
        self._sizes[key] = size
        self.n_bytes += size
        while self.n_bytes > self.most_bytes and len(self) > 1:
            self.n_bytes -= self._sizes.pop(self.popitem(last=False)[0])
        return value


class PartTests(ABC):
    """The tests of one part of the rows.

    Attributes
    ----------
    target : int
        Number of the target, which is the last node.
    n_tests, n_unreliable : int
        Tests so far, and how many of them had too few rows.
    """

    def __init__(self, target: int):
        self.target = target
        self.n_tests = 0
        self.n_unreliable = 0
        self.advance: Callable[[], None] = lambda: None  # called after each batch of tests
        self._known: dict[tuple[int, int, tuple[int, ...]], Outcome] = {}

    def columns(self, y: int, columns: np.ndarray, given: Iterable[int]) -> Outcome:
        """Test each of some columns against node `y`, given the same nodes."""
        outcome = self._columns(y, np.asarray(columns, dtype=np.int64), tuple(sorted(given)))
        return self._counted(outcome)

    def pairs(self, pairs: np.ndarray) -> Outcome:
        """Test pairs: in each row two nodes, and those that are given."""
        return self._counted(self._pairs(np.ascontiguousarray(pairs, dtype=np.int64)))

    def pair(self, x: int, y: int, given: Iterable[int]) -> Outcome:
        """Test one pair, or recall its test; the entries of the outcome are numbers."""
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        if key not in self._known:
            outcome = self.pairs(np.array([[key[0], key[1], *key[2]]]))
            self._known[key] = Outcome(*(each[0] for each in outcome))
        return self._known[key]

    def _counted(self, outcome: Outcome) -> Outcome:
        self.advance()
        self.n_tests += outcome.reliable.size
        self.n_unreliable += outcome.reliable.size - int(np.count_nonzero(outcome.reliable))
        return outcome

    @abstractmethod
    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        """Test columns against one node."""

    @abstractmethod
    def _pairs(self, pairs: np.ndarray) -> Outcome:
        """Test pairs given nodes of their own."""


class Tests(ABC):
    """The tests of a table, part by part.

    Attributes
    ----------
    n_features, n_parts : int
        Columns and parts.
    relevance : ndarray of shape (n_parts, n_features)
        Association of every column with the target, nothing given.
    """

    n_features: int
    n_parts: int
    relevance: np.ndarray

    @abstractmethod
    def part(self, t: int) -> PartTests:
        """The tests of part ``t``."""


# ---------------------------------------------------------------------- counts of codes


@dataclass(frozen=True)
class CodedRule:
    """When counts speak of dependence.

    Attributes
    ----------
    kind : {"g2", "mi", "permutation"}
        G² with its p-value, more information than a threshold, or the share of permuted tables with
        as large a G².
    alpha, threshold : float
        Largest p-value, or the information in bits that must be exceeded.
    df : {"full", "slices", "adjusted", "perm"}
        How degrees of freedom are counted (see `ensfs.measures.g_square`); "perm" takes the mean of
        the permuted G².
    samples_per_df : float
        A test with fewer rows for each degree of freedom is not reliable; 0 takes all.
    n_permutations, seed : int
        For "permutation" and "perm".
    """

    kind: str = "g2"
    alpha: float = 0.01
    threshold: float = 0.01
    df: str = "full"
    samples_per_df: float = 5
    n_permutations: int = 1000
    seed: int = 0

    @property
    def permutes(self) -> bool:
        """Whether tables are permuted."""
        return self.kind == "permutation" or (self.kind == "g2" and self.df == "perm")


class Counts(NamedTuple):
    """Sums over cells, each of shape (tests, parts)."""

    value: np.ndarray
    strata: np.ndarray
    degrees: np.ndarray

    @classmethod
    def empty(cls, n_tests: int, n_parts: int) -> Counts:
        return cls(*(np.zeros((n_tests, n_parts), dtype=np.int64) for _ in range(3)))


class CodedTests(Tests):
    """Tests from counts of coded columns.

    Strata are numbered once for each set of given columns. A batch of columns is counted in one
    pass over the strata, on bit planes where these are few; a count serves all parts.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8 or uint16, Fortran order
        Dense codes of every column.
    n_levels : ndarray of shape (p,), int32
        Levels of every column.
    target : Target
        Classes.
    parts : Parts
        The parts.
    rule : CodedRule
        When counts speak of dependence.
    n_threads : int, default=1
        Threads.
    """

    def __init__(
        self,
        codes: np.ndarray,
        n_levels: np.ndarray,
        target: Target,
        parts: Parts,
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
        self.parts, self.rule, self.n_threads = parts, rule, n_threads
        self.n, self.n_features, self.n_parts = n, p, parts.n_parts
        self.T, self.unit = log_table(n)
        self.fold = parts.fold if parts.leave_out else None
        self.levels = self._part_levels()
        self._work_size = min(
            MOST_CELLS, independence.room(max(4096, n), int(self.n_levels.max()), self.n_parts)
        )
        most_bytes = max(CACHE_BYTES, codes.nbytes)
        self._strata = Recent(most_bytes)
        self._shared = Recent(most_bytes)
        self._first: Counts | None = None
        self._first = self._count_columns(p, np.arange(p), ())
        self.relevance = self._first.value.T * (self.unit / parts.n_rows[:, None])

    def part(self, t: int) -> PartTests:
        """The tests of part ``t``."""
        return (PermutedPart if self.rule.permutes else CodedPart)(self, t)

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

    # ------------------------------------------------------------------ strata

    def strata(self, given: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """Number of the combination of the given columns in each row, and how many there are."""
        if not given:
            return np.zeros(self.n, dtype=np.int32), 1

        def make() -> tuple[np.ndarray, int]:
            return self.refine(*self.strata(given[:-1]), given[-1])

        return self._strata.find(given, make, 4 * self.n)

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
        if self._first is not None and not given and y == self.n_features:
            return Counts(*(each[columns] for each in self._first))
        if self.n_parts == 1:
            return self._count_columns(y, columns, given)
        # the other parts will ask for most of them too
        key = (y, columns.tobytes(), given)
        size = columns.nbytes * (1 + 3 * self.n_parts)
        return self._shared.find(key, lambda: self._count_columns(y, columns, given), size)

    def _count_columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Counts:
        out = Counts.empty(columns.size, self.n_parts)
        if not columns.size:
            return out
        stratum, n_strata = self.strata(given)
        n_y = int(self.n_levels[y])
        room = independence.room(n_strata * n_y, 1, self.n_parts) * self.n_levels[columns]
        small = np.nonzero(room <= self._work_size)[0]
        for i in np.nonzero(room > self._work_size)[0]:
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
                self.fold, self.T, self.parts.n_rows, planes, plane_start, label_planes, margins,
                np.empty(int(room[small].max()), dtype=np.int32),
                counted.value, counted.strata, counted.degrees,
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
            self._shared.find(keys[i], partial(known.get, keys[i]), 24 * self.n_parts + 400)
        rows = [known[key] for key in keys]
        return Counts(*(np.array(each) for each in zip(*rows, strict=True)))

    def _count_pairs(self, pairs: np.ndarray) -> Counts:
        out = Counts.empty(len(pairs), self.n_parts)
        most = independence.most_planes
        planes, plane_start, all_rows = None, None, None
        if self._has_planes:
            (planes, plane_start), all_rows = self._planes, self._all_rows

        def work(start: int, stop: int) -> None:
            independence.test_pairs(
                self.codes, self.y, pairs, start, stop, self.n_levels, self.fold, self.T,
                self.parts.n_rows, planes, plane_start, all_rows,
                None if all_rows is None else np.empty((2 * most, all_rows.size), dtype=np.uint64),
                np.empty((most, self.n_parts), dtype=np.int32),
                np.empty(self.n, dtype=np.int32), np.empty(self._work_size, dtype=np.int32),
                out.value, out.strata, out.degrees,
            )  # fmt: skip

        for_blocks(work, len(pairs), self.n_threads, cells=self.n * pairs.shape[1])
        for i in np.nonzero(out.value[:, 0] < 0)[0]:
            x, y, *given = pairs[i].tolist()
            for all_tests, one in zip(out, self._count_large(x, y, tuple(given)), strict=True):
                all_tests[i] = one
        return out

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
            rows = slice(None) if self.fold is None else self.fold != t
            in_z, in_zx = np.bincount(z[rows], minlength=n_z), np.bincount(zx[rows], minlength=n_zx)
            in_zy = np.bincount(zy[rows], minlength=n_zy)
            in_zyx = np.bincount(zyx[rows], minlength=n_zyx)
            value = sum(int(self.T[each].sum()) for each in (in_z, in_zyx))
            value -= sum(int(self.T[each].sum()) for each in (in_zx, in_zy))
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
        return self.codes.dtype == np.uint8 and self.n_parts <= discrete.max_parts

    @cached_property
    def _positions(self) -> np.ndarray | None:
        """Bit of each row, if each fold has words of its own."""
        return None if self.fold is None else self.parts.word_positions[0]

    @cached_property
    def _planes(self) -> tuple[np.ndarray, np.ndarray]:
        """Bit planes of the nodes with few levels, and where those of each node begin."""
        levels = self.n_levels.astype(np.int64)
        few = levels <= independence.max_plane_levels
        start = np.concatenate([[0], np.cumsum(np.where(few, levels - 1, 0))])
        words = -(-self.n // 64) if self.fold is None else self.parts.word_positions[1]
        planes = np.empty((int(start[-1]), words), dtype=np.uint64)

        def make(codes: np.ndarray, start: np.ndarray, first: int, stop: int) -> None:
            room = None if self.fold is None else np.empty(64 * words, dtype=np.uint8)
            discrete.make_planes(codes, start, first, stop, planes, self._positions, room)

        p = self.n_features
        for_blocks(
            lambda a, b: make(self.codes, start[: p + 1], a, b), p, self.n_threads, cells=self.n
        )
        make(self.y[:, None], start[p:], 0, 1)
        return planes, start

    @cached_property
    def _all_rows(self) -> np.ndarray:
        """A bit plane of all rows."""
        planes = np.empty((1, self._planes[0].shape[1]), dtype=np.uint64)
        margins = np.empty((1, self.n_parts), dtype=np.int32)
        label = np.zeros(self.n, dtype=np.int32)
        independence.make_label_planes(label, self._positions, self.fold, planes, margins)
        return planes[0]


class CodedPart(PartTests):
    """G² and information of one part."""

    def __init__(self, tests: CodedTests, t: int):
        super().__init__(tests.n_features)
        self.tests, self.t, self.rule = tests, t, tests.rule
        self.n = int(tests.parts.n_rows[t])
        self.levels = tests.levels[t]

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        pair = (self.levels[columns] - 1) * (self.levels[y] - 1)
        worth, given_levels = self._worth(pair, self.levels[list(given)].prod())
        counts = self.tests.count_columns(y, columns[worth], given)
        return spread(self._judge(pair[worth], given_levels, counts), worth, columns.size)

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        levels = self.levels[pairs]
        pair = (levels[:, 0] - 1) * (levels[:, 1] - 1)
        worth, given_levels = self._worth(pair, levels[:, 2:].prod(axis=1))
        counts = self.tests.count_pairs(pairs[worth])
        return spread(self._judge(pair[worth], given_levels, counts), worth, len(pairs))

    def _worth(self, pair: np.ndarray, given_levels: Any) -> tuple[Any, Any]:
        """Which tests can be reliable, before anything is counted, and levels given in these."""
        if self.rule.df == "full" and self.rule.samples_per_df:
            worth = pair * given_levels * self.rule.samples_per_df <= self.n
            if not worth.all():
                return worth, np.broadcast_to(given_levels, pair.shape)[worth]
        return slice(None), given_levels

    def _judge(self, pair: np.ndarray, given_levels: Any, counts: Counts) -> Outcome:
        """What counts say; `pair` is (levels of x - 1) (levels of y - 1)."""
        rule, t = self.rule, self.t
        information = counts.value[:, t] * (self.tests.unit / self.n)
        g2 = information * (2 * self.n * np.log(2))
        if rule.df == "adjusted":
            df = counts.degrees[:, t].astype(np.float64)
        else:
            df = pair * (counts.strata[:, t] if rule.df == "slices" else given_levels)
        pvalue = np.where(df > 0, chdtrc(np.maximum(df, 1), g2), 1.0)
        reliable = df * rule.samples_per_df <= self.n
        above = information > rule.threshold if rule.kind == "mi" else pvalue <= rule.alpha
        return Outcome(above & reliable, reliable, information, g2, df, pvalue)


def spread(outcome: Outcome, worth: Any, size: int) -> Outcome:
    """An outcome for all tests from that of the tests that were worth it."""
    if isinstance(worth, slice):
        return outcome
    everything = Outcome(
        np.zeros(size, dtype=bool), np.zeros(size, dtype=bool), np.zeros(size), np.zeros(size),
        np.ones(size), np.full(size, np.nan),
    )  # fmt: skip
    for whole, part in zip(everything, outcome, strict=True):
        whole[worth] = part
    return everything


class PermutedPart(PartTests):
    """G² against tables with the same margins in every stratum, for few rows.

    Each test draws its tables from a generator of its own, so that the order of tests is nothing.
    """

    def __init__(self, tests: CodedTests, t: int):
        super().__init__(tests.n_features)
        self.tests, self.rule = tests, tests.rule
        self.rows = np.arange(tests.n)
        if tests.fold is not None:
            self.rows = np.nonzero(tests.fold != t)[0]

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        return self._pairs(np.array([[x, y, *given] for x in columns.tolist()], dtype=np.int64))

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        found = [
            self._one(min(x, y), max(x, y), tuple(sorted(given))) for x, y, *given in pairs.tolist()
        ]
        if not found:
            nothing = np.empty(0)
            return Outcome(nothing > 0, nothing > 0, nothing, nothing, nothing, nothing)
        return Outcome(*(np.array(each) for each in zip(*found, strict=True)))

    def _one(self, x: int, y: int, given: tuple[int, ...]) -> tuple:
        observed, permuted = self._g_squares(x, y, given)
        pvalue, df = 1.0, 0.0
        if permuted is not None:
            df = float(permuted.mean())
        if permuted is not None and self.rule.kind == "permutation":
            as_large = int(np.count_nonzero(permuted >= observed - EQUAL))
            pvalue = (1 + as_large) / (permuted.size + 1)
        elif permuted is not None:
            pvalue = float(chdtrc(df, observed))
        information = observed / (2 * self.rows.size * np.log(2))
        return pvalue <= self.rule.alpha, True, information, observed, df, pvalue

    def _g_squares(self, x: int, y: int, given: tuple[int, ...]) -> tuple[float, Any]:
        """G² of the table, and of permuted ones; None if there is nothing to permute.

        Tables are drawn for margins in order of size, strata in order of their margins: neither the
        order of rows nor the names of levels matter.
        """
        rng = np.random.default_rng([self.rule.seed, x, y, *given])
        observed, permuted = 0.0, None
        for rows, columns, cells in sorted(self._strata(x, y, given)):
            n, margins = sum(rows), np.array(rows + columns)
            fixed = xlogy(n, n) - xlogy(margins, margins).sum()
            drawn = random_table.rvs(
                rows, columns, size=self.rule.n_permutations, random_state=rng
            )  # fmt: skip
            observed += 2 * (xlogy(cells, cells).sum() + fixed)
            here_permuted = 2 * (xlogy(drawn, drawn).sum(axis=(1, 2)) + fixed)
            permuted = here_permuted if permuted is None else permuted + here_permuted
        return max(0.0, float(observed)), permuted

    def _strata(
        self, x: int, y: int, given: tuple[int, ...]
    ) -> Iterator[tuple[list[int], list[int], list[int]]]:
        """Both margins and the cells of each stratum in which both columns vary, by size."""
        stratum = self.tests.strata(given)[0][self.rows]
        codes_x, codes_y = (self.tests.column(j)[self.rows] for j in (x, y))
        for z in np.unique(stratum):
            here = stratum == z
            levels_x, at_x = np.unique(codes_x[here], return_inverse=True)
            levels_y, at_y = np.unique(codes_y[here], return_inverse=True)
            if levels_x.size < 2 or levels_y.size < 2:
                continue
            table = np.zeros((levels_x.size, levels_y.size), dtype=np.int64)
            np.add.at(table, (at_x, at_y), 1)
            margins = table.sum(axis=1), table.sum(axis=0)
            rows, columns, cells = (np.sort(each, axis=None).tolist() for each in (*margins, table))
            yield rows, columns, cells


# ---------------------------------------------------------------------- correlations


def partial_correlation(
    r: np.ndarray, x: np.ndarray, y: np.ndarray, given: np.ndarray
) -> np.ndarray:
    """Correlation of pairs of variables that is left when others are given.

    Parameters
    ----------
    r : ndarray of shape (tests,)
        Correlation of each pair.
    x, y : ndarray of shape (tests, m)
        Correlations of the two with the variables that are given.
    given : ndarray of shape (tests, m, m), or (1, m, m) for all
        Correlations of these with each other. Directions in which they do not vary are left out.

    Returns
    -------
    ndarray of shape (tests,)
        Partial correlations; 0 where x or y is a linear function of what is given.
    """
    if not given.shape[-1]:
        return np.clip(r, -ALMOST_ONE, ALMOST_ONE)
    variances, directions = np.linalg.eigh(given)
    kept = variances > SINGULAR * variances[:, -1:]
    scale = np.where(kept, 1 / np.sqrt(np.where(kept, variances, 1.0)), 0.0)
    on_x = np.einsum("tm,tmk->tk", x, np.broadcast_to(directions, (len(x), *given.shape[1:])))
    on_y = np.einsum("tm,tmk->tk", y, np.broadcast_to(directions, (len(y), *given.shape[1:])))
    on_x, on_y = on_x * scale, on_y * scale
    left = (1 - (on_x**2).sum(axis=1)) * (1 - (on_y**2).sum(axis=1))
    determined = np.minimum(1 - (on_x**2).sum(axis=1), 1 - (on_y**2).sum(axis=1)) <= SINGULAR
    partial = (r - (on_x * on_y).sum(axis=1)) / np.sqrt(np.where(determined, 1.0, left))
    return np.where(determined, 0.0, np.clip(partial, -ALMOST_ONE, ALMOST_ONE))


def fisher_z(r: np.ndarray, n: int, n_given: int) -> tuple[np.ndarray, np.ndarray]:
    """Fisher's z of partial correlations given so many variables, and its p-value."""
    z = np.sqrt(max(0, n - n_given - 3)) * np.arctanh(r)
    return z, erfc(np.abs(z) / np.sqrt(2))


class GaussianTests(Tests):
    """Fisher's z of partial correlations, from rows of the correlation matrix that are kept.

    Parameters
    ----------
    source : Source
        Correlations with their signs; relevance is that with the target.
    parts : Parts
        The parts.
    alpha : float
        Largest p-value.
    """

    def __init__(self, source: Source, parts: Parts, alpha: float):
        self.source, self.n_rows, self.alpha = source, parts.n_rows, alpha
        self.n_features, self.n_parts = source.n_features, source.n_parts
        self.relevance = np.abs(source.relevance)
        self._rows = Recent(max(CACHE_BYTES, 8 * (self.n_features + 1) ** 2))

    def part(self, t: int) -> PartTests:
        """The tests of part ``t``."""
        return GaussianPart(self, t)

    def row(self, j: int) -> np.ndarray:
        """Correlations of node ``j`` with every node, in every part."""
        return self._rows.find(j, partial(self._row, j), 8 * self.n_parts * (self.n_features + 1))

    def _row(self, j: int) -> np.ndarray:
        row = np.ones((self.n_parts, self.n_features + 1))
        if j == self.n_features:
            row[:, :-1] = self.source.relevance
            return row
        values = np.empty((self.n_parts, self.n_features))
        self.source.redundancy([(j, np.arange(self.n_parts))], values)
        row[:, :-1], row[:, -1] = values, self.source.relevance[:, j]
        row[:, j] = 1.0
        return row


class GaussianPart(PartTests):
    """Fisher's z in one part."""

    def __init__(self, tests: GaussianTests, t: int):
        super().__init__(tests.n_features)
        self.tests, self.t = tests, t
        self.n = int(tests.n_rows[t])
        self._place = np.full(tests.n_features + 1, -1)
        self._matrix = np.empty((0, 0))

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        rows = np.empty((len(given), self.target + 1))
        for row, g in zip(rows, given, strict=True):
            row[:] = self.tests.row(g)[self.t]
        among = rows[:, list(given)][None]
        x = rows[:, columns].T
        r = self.tests.row(y)[self.t, columns]
        return self._judge(
            partial_correlation(r, x, np.broadcast_to(rows[:, y], x.shape), among), len(given)
        )

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        R, place = self._correlations(np.unique(pairs))
        at = place[pairs]
        x, y, given = at[:, :1], at[:, 1:2], at[:, 2:]
        partial = partial_correlation(
            R[at[:, 0], at[:, 1]], R[x, given], R[y, given], R[given[:, :, None], given[:, None]]
        )
        return self._judge(partial, given.shape[1])

    def _correlations(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Correlation matrix of some nodes at least, and the place of each of them in it."""
        if (self._place[nodes] < 0).any():
            known = np.nonzero(self._place >= 0)[0]
            nodes = np.union1d(known, nodes)
            self._matrix = np.array([self.tests.row(int(j))[self.t, nodes] for j in nodes])
            self._place[nodes] = np.arange(nodes.size)
        return self._matrix, self._place

    def _judge(self, r: np.ndarray, n_given: int) -> Outcome:
        z, pvalue = fisher_z(r, self.n, n_given)
        reliable = np.full(r.size, self.n - n_given - 3 > 0)
        information = -0.5 / np.log(2) * np.log1p(-r * r)
        dependent = (pvalue <= self.tests.alpha) & reliable
        return Outcome(dependent, reliable, information, z**2, np.ones(r.size), pvalue)


# ---------------------------------------------------------------------- a graph that is known


class SeparationTests(Tests):
    """What an object with ``separated(x, y, given)`` says of the nodes of a table."""

    def __init__(self, oracle: Any, n_features: int, n_parts: int):
        known = getattr(oracle, "n_nodes", n_features + 1)
        if known != n_features + 1:
            raise ValueError(
                f"test knows {known} nodes, which is {known - 1} columns and the target; X has "
                f"{n_features} columns."
            )
        self.oracle, self.n_features, self.n_parts = oracle, n_features, n_parts
        outcome = self.part(0).columns(n_features, np.arange(n_features), ())
        self.relevance = np.repeat(outcome.information[None], n_parts, axis=0)

    def part(self, t: int) -> PartTests:
        """The tests of part ``t``, which are the same in each."""
        return SeparationPart(self.oracle, self.n_features)


class SeparationPart(PartTests):
    """Nodes that are separated, or not."""

    def __init__(self, oracle: Any, target: int):
        super().__init__(target)
        self.oracle = oracle

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        return self._judge([self.oracle.separated(x, y, given) for x in columns.tolist()])

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        return self._judge(
            [self.oracle.separated(x, y, tuple(given)) for x, y, *given in pairs.tolist()]
        )

    @staticmethod
    def _judge(separated: list[bool]) -> Outcome:
        dependent = ~np.array(separated, dtype=bool)
        as_number = dependent.astype(np.float64)
        always = np.ones_like(dependent)
        return Outcome(dependent, always, as_number, as_number, always * 1.0, 1 - as_number)


class OracleTest:
    """Independence as a directed acyclic graph has it, for trying algorithms on true networks.

    Give it to a selector as `test`; then the data are not looked at.

    Parameters
    ----------
    dag : array-like of shape (n_nodes, n_nodes), mapping or networkx.DiGraph
        The graph: an entry (i, j) that is not 0 for an edge from i to j; or the parents of each
        node; or a graph with nodes in their order.
    target : int or str, optional
        Node that is the target, by position or name; the last by default. The others are the
        columns of the table, in their order.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    names : list
        Names of the nodes, the target last; their positions if they have none.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import IAMB, OracleTest
    >>> oracle = OracleTest({"a": [], "b": ["a"], "c": [], "y": ["b", "c"]})
    >>> oracle.separated(0, 3, [1])
    True
    >>> IAMB(test=oracle).fit(np.zeros((5, 3)), [0, 1, 0, 1, 0]).markov_blanket_
    array([1, 2])
    """

    def __init__(self, dag: Any, target: int | str | None = None):
        edges, names = _read_dag(dag)
        last = _position(names, target)
        order = [j for j in range(len(names)) if j != last] + [last]
        self.dag = edges[np.ix_(order, order)]
        self.names = [names[j] for j in order]
        self.n_nodes = len(names)
        self._parents = [np.nonzero(self.dag[:, j])[0].tolist() for j in range(self.n_nodes)]
        self._children = [np.nonzero(self.dag[j])[0].tolist() for j in range(self.n_nodes)]
        self._reached: dict[tuple[int, frozenset[int]], set[int]] = {}
        self._check_acyclic()

    def _check_acyclic(self) -> None:
        waiting = self.dag.sum(axis=0)
        free = np.nonzero(waiting == 0)[0].tolist()
        n_done = 0
        while free:
            n_done += 1
            for child in self._children[free.pop()]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    free.append(child)
        if n_done < self.n_nodes:
            caught = [self.names[j] for j in np.nonzero(waiting)[0]]
            raise ValueError(f"The graph has a cycle through some of the nodes {caught}.")

    def separated(self, x: int, y: int, given: Sequence[int] = ()) -> bool:
        """Whether the given nodes d-separate two others; columns by number, the target last."""
        for j in (x, y, *given):
            if not 0 <= j < self.n_nodes:
                raise ValueError(f"The graph has nodes 0 to {self.n_nodes - 1}; got {j}.")
        if x in given or y in given:
            return True
        key = (y, frozenset(given))
        if key not in self._reached:
            if len(self._reached) >= MOST_TRAILS:
                self._reached.clear()
            self._reached[key] = self._reachable(*key)
        return x not in self._reached[key]

    def _reachable(self, start: int, given: frozenset[int]) -> set[int]:
        """Nodes at the end of an active trail."""
        opened = set(given)  # a collider is open if it or a descendant is given
        waiting = list(given)
        while waiting:
            for parent in self._parents[waiting.pop()]:
                if parent not in opened:
                    opened.add(parent)
                    waiting.append(parent)
        seen: set[tuple[int, bool]] = set()
        reached = set()
        trails = [(start, True)]  # a node, and whether it was entered from a child
        while trails:
            node, from_child = trails.pop()
            if (node, from_child) in seen:
                continue
            seen.add((node, from_child))
            if node not in given:
                reached.add(node)
                trails += [(child, False) for child in self._children[node]]
            if (from_child and node not in given) or (not from_child and node in opened):
                trails += [(parent, True) for parent in self._parents[node]]
        return reached


def _read_dag(dag: Any) -> tuple[np.ndarray, list]:
    """Edges as a square mask, and the names of the nodes."""
    if hasattr(dag, "nodes") and hasattr(dag, "predecessors"):
        dag = {node: list(dag.predecessors(node)) for node in dag.nodes}
    if not isinstance(dag, Mapping):
        edges = np.asarray(dag)
        if edges.ndim != 2 or edges.shape[0] != edges.shape[1]:
            raise ValueError(f"dag must be a square matrix of edges; got shape {edges.shape}.")
        return edges != 0, list(range(len(edges)))
    names = list(dag)
    position = {name: j for j, name in enumerate(names)}
    edges = np.zeros((len(names), len(names)), dtype=bool)
    for name, parents in dag.items():
        unknown = [parent for parent in parents if parent not in position]
        if unknown:
            raise ValueError(f"Node {name!r} has parents that are no nodes: {unknown}.")
        edges[[position[parent] for parent in parents], position[name]] = True
    return edges, names


def _position(names: list, target: int | str | None) -> int:
    if not names:
        raise ValueError("The graph has no nodes.")
    if target is None:
        return len(names) - 1
    if target in names:
        return names.index(target)
    if isinstance(target, (int, np.integer)) and -len(names) <= target < len(names):
        return int(target) % len(names)
    raise ValueError(f"target={target!r} is no node of the graph; its nodes are {names}.")

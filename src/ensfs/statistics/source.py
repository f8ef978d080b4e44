"""What a source of statistics answers."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ensfs._core import greedy
from ensfs._utils.threads import for_blocks
from ensfs.statistics.ahead import Ahead
from ensfs.statistics.entry_tests import EntryTests
from ensfs.statistics.resampling import Resampling

#: Statistics of targets are kept in what the sums of the parts leave of twice the table, and at
#: least in this much.
CACHE_BYTES = 16 * 2**20

#: If the lazy searches of the parts would read more than this many times all pairs of one part, the
#: parts are searched jointly instead, which reads every pair, but each only once.
MAX_LAZY_READ_RATIO = 2

#: Correlations of this size are rounding, as in the compiled ones.
ROUNDING = 1e-14


class PartStatistics(Protocol):
    """What every statistic that a selector searches on can tell of the parts."""

    @property
    def relevance(self) -> np.ndarray:
        """Relevance of every column in every part, of shape (n_parts, n_features)."""


class RelevanceSource(ABC):
    """Relevance of every column of a table, part by part.

    Attributes
    ----------
    n_features, n_parts, n_threads : int
        Columns, parts, and threads to use.
    relevance : ndarray of shape (n_parts, n_features)
        Relevance of every column in every part.
    constant : ndarray of bool, shape (n_parts, n_features)
        Columns that do not vary in a part.
    signed : bool
        Whether the sign of a relevance or an association is there only to be averaged, as that of
        correlations, and is not part of the measure.
    """

    signed = False
    #: Relevance for every output, if there are several.
    output_relevance: np.ndarray | None = None
    #: Whether `take` gives a source of some of the columns.
    supports_take = False
    n_features: int
    n_parts: int
    n_threads: int
    relevance: np.ndarray
    constant: np.ndarray

    @property
    @abstractmethod
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read: with the target, and with the columns asked for."""

    def take(self, columns: np.ndarray) -> Any:
        """A source of some of the columns, in this order."""
        raise TypeError(f"{type(self).__name__} has all columns, or none.")


class Source(RelevanceSource):
    """Statistics of a table, part by part: relevance, and association of pairs of columns."""

    #: How many columns each variable stands for in a mean over selected ones, if not one.
    sizes: np.ndarray | None = None

    @abstractmethod
    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Association of every column with the columns asked for.

        Parameters
        ----------
        requests : iterable of (column, part_ids)
            For each column the parts that want it; no part may want two.
        out : ndarray of shape (n_parts, n_features)
            Row ``t`` is written for every part ``t`` that wants a column.
        ahead : callable, optional
            Gives the columns that may be asked for next, the likeliest first, for sources to which
            a reading of the rows is dear.
        """

    def averaged(self) -> Source:
        """The parts seen as one, with the mean of each measure over the parts."""
        return AveragedSource(self)


class SearchSteps(Protocol):
    """The steps of a lazy search in some parts."""

    def __call__(
        self, state: SearchState, start: int, stop: int, criterion: int,
        hints: np.ndarray | None, limit: int, /,
    ) -> int:  # fmt: skip
        """Go on from `start` selected columns towards `stop`.

        Gives how many are selected when about `limit` pairs were read; -1 if no column has a score
        that can be compared. `criterion` holds flags, `hints` columns that are likely to win.
        """


class Removal(Protocol):
    """Removal of redundant columns."""

    def __call__(
        self, g: int, columns: np.ndarray, relevance: np.ndarray, tolerance: float,
        removed_by: np.ndarray, /,
    ) -> np.ndarray:  # fmt: skip
        """Remove those of some columns that column ``g`` makes redundant; the others, in order.

        `columns` may be overwritten.
        """


class LazySource(Source):
    """A source with searches of its own, which read only the pairs that they need.

    Attributes
    ----------
    resampling : Resampling
        The parts.
    supports_lazy : bool
        Whether it has them for these parts and these statistics.
    parts_at_once : int
        How many parts a search may have.
    shares_reads : bool
        Whether `association` reads the rows once for all parts, which is cheaper than lazy searches
        that need most of the pairs.
    """

    resampling: Resampling
    supports_lazy = True
    parts_at_once = 1
    shares_reads = False

    @abstractmethod
    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> SearchSteps:
        """A lazy search in some parts.

        Parameters
        ----------
        part_ids : range
            At most `parts_at_once` parts.
        k : int
            Number of columns.
        first : ndarray of int, or None
            What every part chooses first, if all columns are to be compared with it at once.

        Returns
        -------
        SearchSteps
        """

    @property
    def cells_of_pair(self) -> int:
        """About how many cells a search reads to measure a pair."""
        return self.resampling.largest_part

    def pairs_of_joint_search(self, k: int) -> int:
        """Pairs that take as long in lazy searches as all parts take together, each read once."""
        return MAX_LAZY_READ_RATIO * (k - 1) * self.n_features

    def forget_searches(self) -> None:
        """Free what the searches of the parts share."""


def pairs_with(u: int, n_features: int) -> int:
    """Distinct pairs of all columns with the target and with `u` of the columns."""
    return (u + 1) * (2 * n_features - u) // 2


class SearchState:
    """What a lazy search knows of every column in some parts, and what it chose.

    Attributes
    ----------
    relevance : ndarray of shape (parts, columns)
        Relevance, -inf for constant columns.
    terms : ndarray of shape (parts, columns)
        Sum (or least, or largest) of the terms so far; to begin with, what they start from.
    evaluated : ndarray of int, shape (parts, columns)
        How many they are; negative for a column that is taken.
    nearest_value, nearest : ndarray of shape (parts, columns), or None
        The largest term, and the place of the choice that it is with, if asked for.
    selected, scores, redundancy, depth : ndarray of shape (parts, k)
        In the order of selection: the columns, their scores, the mean of their terms (or the
        largest), and how many terms were evaluated.
    arrays : SearchArrays
        All of them, as the kernels take them.
    """

    def __init__(self, relevance: np.ndarray, terms: np.ndarray, k: int, nearest: bool):
        self.relevance = relevance
        self.terms = terms
        self.evaluated = np.zeros(relevance.shape, dtype=np.int32)
        self.nearest_value = np.zeros(relevance.shape) if nearest else None
        self.nearest = np.full(relevance.shape, -1, dtype=np.int32) if nearest else None
        n_parts, p = relevance.shape
        self.selected = np.empty((n_parts, k), dtype=np.int64)
        self.scores, self.redundancy = np.empty((n_parts, k)), np.empty((n_parts, k))
        self.depth = np.empty((n_parts, k), dtype=np.int32)
        self.arrays = greedy.SearchArrays(
            relevance, terms, self.evaluated, self.nearest_value, self.nearest, self.selected,
            self.scores, self.redundancy, self.depth,
            np.empty((n_parts, greedy.scores_size(p))), np.empty(relevance.shape, dtype=np.int32),
            np.empty(p, dtype=np.int64),
        )  # fmt: skip


class CachingSource(Source):
    """A source that keeps the additive statistics of the columns asked for, while they fit."""

    def __init__(self, resampling: Resampling, n_features: int, n_threads: int, table_bytes: int):
        self.resampling = resampling
        self.n_parts = resampling.n_parts
        self.n_features = n_features
        self.n_threads = n_threads
        # six numbers for each column in each part: its sums, scores and the like
        in_use = 6 * 8 * resampling.n_parts * n_features
        self._budget = max(CACHE_BYTES, int(1.7 * table_bytes) - in_use)
        self._start_reading()

    def _start_reading(self) -> None:
        """Begin with nothing read."""
        self._cache: OrderedDict[int, Any] = OrderedDict()
        self._read: set[int] = set()
        self._lock = threading.Lock()

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read."""
        return pairs_with(len(self._read), self.n_features)

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Association of every column with the columns asked for; see `Source.association`.

        Parts that search in threads of their own wait for each other: the rows may come from a
        reader with one place in its file, and what is read for one part serves the next.
        """
        with self._lock:
            self._answer(requests, out, ahead)

    @property
    def _columns_per_reading(self) -> int:
        """How many columns a reading of the rows is for, if more are asked for soon."""
        return 1

    def _answer(
        self, requests: Iterable[tuple[int, np.ndarray]], out: np.ndarray, ahead: Ahead | None
    ) -> None:
        known, missing = [], []
        for g, part_ids in requests:
            self._read.add(g)
            if g in self._cache:
                self._cache.move_to_end(g)
                known.append((g, part_ids))
            else:
                missing.append((g, part_ids))
        self._finish_all(known, out)
        at_once = min(256, max(1, self._budget // self._bytes_per_target))
        for start in range(0, len(missing), at_once):
            group = missing[start : start + at_once]
            targets = [g for g, _ in group]
            if ahead is not None:
                targets += self._further(targets, ahead, min(at_once, self._columns_per_reading))
            while len(self._cache) > at_once - len(targets):
                self._release(self._cache.popitem(last=False)[1])
            self._cache.update(zip(targets, self._compute(targets), strict=True))
            self._finish_all(group, out)

    def _further(self, targets: list[int], ahead: Ahead, n: int) -> list[int]:
        """Columns that may be asked for next, so many that there are `n` with the targets."""
        further: dict[int, None] = {}
        if len(targets) < n:
            for g in ahead():
                if g not in self._cache and g not in targets:
                    further[g] = None
                if len(targets) + len(further) == n:
                    break
        return list(further)

    def _finish_all(self, requests: list[tuple[int, np.ndarray]], out: np.ndarray) -> None:
        def work(start: int, stop: int) -> None:
            for g, part_ids in requests[start:stop]:
                self._finish(g, self._cache[g], part_ids, out)

        for_blocks(work, len(requests), self.n_threads, block=1)

    def _release(self, statistics: Any) -> None:
        """Take back what was dropped from the cache."""

    @property
    @abstractmethod
    def _bytes_per_target(self) -> int:
        """Size of what `_compute` gives for one column."""

    @abstractmethod
    def _compute(self, targets: list[int]) -> list[Any]:
        """Read the rows once for the additive statistics of every column with each target."""

    @abstractmethod
    def _finish(self, g: int, statistics: Any, part_ids: np.ndarray, out: np.ndarray) -> None:
        """Turn the statistics of target ``g`` into associations in some parts."""


@dataclass(frozen=True)
class Sources:
    """The sources of one selector, on the same parts.

    Attributes
    ----------
    columns : RelevanceSource
        Gives the relevance of every column.
    pairs : Source
        Gives the association of pairs of columns; mostly the same source.
    tests : EntryTests, optional
        Decide which columns may enter.
    """

    columns: RelevanceSource
    pairs: Source
    tests: EntryTests | None = None

    @classmethod
    def of_one(cls, source: Source) -> Sources:
        """One source for both."""
        return cls(source, source)

    @property
    def supports_take(self) -> bool:
        """Whether `take` gives the sources of some of the columns."""
        return self.columns.supports_take and self.pairs.supports_take

    def take(self, columns: np.ndarray) -> Sources:
        """The sources of some of the columns; what was one source stays one."""
        taken: dict[int, Any] = {}

        def of(source: Any) -> Any:
            if id(source) not in taken:
                taken[id(source)] = source.take(columns)
            return taken[id(source)]

        tests = None if self.tests is None else self.tests.take(columns, of(self.tests.source))
        return Sources(of(self.columns), of(self.pairs), tests)

    @property
    def relevance(self) -> np.ndarray:
        """Relevance of every column in every part."""
        return self.columns.relevance

    @property
    def output_relevance(self) -> np.ndarray | None:
        """The same for every output, of shape (n_outputs, n_parts, n_features), if several."""
        return self.columns.output_relevance

    def averaged(self) -> Sources:
        """The parts seen as one, with the mean of each measure over the parts."""
        pairs = self.pairs.averaged()
        return Sources(
            pairs if self.pairs is self.columns else AveragedRelevance(self.columns), pairs
        )


class AveragedRelevance(RelevanceSource):
    """The parts of a source seen as one, with the mean of the relevance over the parts.

    Signed correlations are averaged first and made absolute afterwards. Values that are negative by
    their definition stay so.
    """

    def __init__(self, source: RelevanceSource):
        self._of_parts = source
        self.n_features = source.n_features
        self.n_parts = 1
        self.n_threads = source.n_threads
        self.relevance = self._mean(source.relevance)[None]
        self.constant = np.asarray(source.constant.all(axis=0, keepdims=True))

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read."""
        return self._of_parts.n_pairs_read

    def _mean(self, values: np.ndarray) -> np.ndarray:
        """The mean over the parts, exactly 0 where only rounding is left of it."""
        mean = values.mean(axis=0)
        mean[np.abs(mean) <= ROUNDING] = 0.0
        return np.abs(mean) if self._of_parts.signed else mean


class AveragedSource(AveragedRelevance, Source):
    """The parts of a source seen as one: every measure is its mean over the parts."""

    def __init__(self, source: Source):
        super().__init__(source)
        self.source = source
        self._all = np.arange(source.n_parts)
        self._values = np.empty((source.n_parts, source.n_features))

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Mean association over the parts; see `Source.association`."""
        for g, _ in requests:
            self.source.association([(g, self._all)], self._values, ahead)
            out[0] = self._mean(self._values)

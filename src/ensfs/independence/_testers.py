"""The interface between a test of independence and the searches that use it.

A *tester* applies one test to one table: `TableTester` to all parts of its rows, `PartTester` to
one of them. Nodes are the columns by their positions, and the target, which has the number after
the last column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ensfs.statistics.outputs import combine_outputs

#: Default size limit of each cache, in bytes; tables whose codes need more raise it to that size.
CACHE_BYTES = 16 * 2**20


#: Two nodes, the lower one first, and those that are given, in ascending order.
SingleTest = tuple[int, int, tuple[int, ...]]


def single_test(x: int, y: int, given: Iterable[int]) -> SingleTest:
    """A test as it is looked up."""
    return min(x, y), max(x, y), tuple(sorted(given))


class Outcome(NamedTuple):
    """Results of a batch of tests, one entry for each; of numbers for a single test.

    A test with too few rows is neither `reliable` nor `dependent`. Information is in bits. Under
    independence the statistic has a chi-square distribution with `df` degrees of freedom.
    """

    dependent: np.ndarray
    reliable: np.ndarray
    information: np.ndarray
    statistic: np.ndarray
    df: np.ndarray
    pvalue: np.ndarray

    @property
    def separated(self) -> np.ndarray:
        """Where a reliable test found no dependence."""
        return self.reliable & ~self.dependent

    def one(self, i: int) -> Outcome:
        """The result of test ``i`` alone."""
        return Outcome(*(each[i] for each in self))


class ByteLimitedCache(OrderedDict):
    """A cache that drops the least recently used entries once they exceed a number of bytes."""

    def __init__(self, max_bytes: int):
        super().__init__()
        self.max_bytes, self.n_bytes = max_bytes, 0
        self._sizes: dict[Hashable, int] = {}

    def get_or_make(self, key: Hashable, make: Callable[[], Any], size: int) -> Any:
        """Return the entry of a key; a missing one is made and accounted for with `size` bytes."""
        if key in self:
            self.move_to_end(key)
            return self[key]
        value = self[key] = make()
        self._sizes[key] = size
        self.n_bytes += size
        while self.n_bytes > self.max_bytes and len(self) > 1:
            self.n_bytes -= self._sizes.pop(self.popitem(last=False)[0])
        return value


class PartTester(ABC):
    """A test of independence on one part of the rows.

    Attributes
    ----------
    target : int
        Number of the target: the last node, unless a search is told to take another.
    n_tests, n_unreliable : int
        Tests made so far, and how many of them had too few rows.
    advance : callable
        Called after each batch of tests, to report progress.
    larger_sets_need_more_rows : bool
        Whether a test becomes unreliable, never reliable, when more nodes are given.
    information_tolerance : float
        Difference of the information, in bits, that counts as none.
    """

    larger_sets_need_more_rows: bool = True
    information_tolerance: float = 0.01

    def __init__(self, target: int):
        self.target = target
        self.n_tests = 0
        self.n_unreliable = 0
        self.advance: Callable[[], None] = lambda: None
        self._single_tests: dict[SingleTest, Outcome] = {}
        self._ahead: dict[SingleTest, tuple[Outcome, int]] = {}

    def columns(self, y: int, columns: np.ndarray, given: Iterable[int]) -> Outcome:
        """Test each of several columns against node `y`, all given the same nodes."""
        outcome = self._columns(y, np.asarray(columns, dtype=np.int64), tuple(sorted(given)))
        return self._counted(outcome)

    def pairs(self, pairs: np.ndarray) -> Outcome:
        """Test pairs of nodes: each row holds the two nodes, then the nodes that are given."""
        return self._counted(self._pairs(np.ascontiguousarray(pairs, dtype=np.int64)))

    def pair(self, x: int, y: int, given: Iterable[int]) -> Outcome:
        """Test one pair of nodes, or return its result if it was tested before."""
        key = single_test(x, y, given)
        if key not in self._single_tests:
            if key in self._ahead:
                outcome, i = self._ahead.pop(key)
                one = outcome.one(i)
                self.n_tests += 1
                self.n_unreliable += not one.reliable
            else:
                one = self.pairs(np.array([[key[0], key[1], *key[2]]])).one(0)
            self._single_tests[key] = one
        return self._single_tests[key]

    def test_ahead(self, tests: Iterable[tuple[int, int, Iterable[int]]]) -> None:
        """Test pairs that `pair` will be asked for, all at once; only those asked for are counted.

        Each test is two nodes and those that are given.
        """
        keys = {single_test(*each) for each in tests}
        by_size: dict[int, list[SingleTest]] = {}
        for key in keys - self._single_tests.keys() - self._ahead.keys():
            by_size.setdefault(len(key[2]), []).append(key)
        for some in by_size.values():
            outcome = self._pairs(np.array([[x, y, *given] for x, y, given in some]))
            self._ahead.update({key: (outcome, i) for i, key in enumerate(some)})

    def relevance_to(self, y: int) -> np.ndarray:
        """Association of every node with node `y`, nothing given."""
        raise TypeError(f"{type(self).__name__} has but one target.")

    def _counted(self, outcome: Outcome) -> Outcome:
        self.advance()
        self.n_tests += outcome.reliable.size
        self.n_unreliable += outcome.reliable.size - int(np.count_nonzero(outcome.reliable))
        return outcome

    @abstractmethod
    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        """Test columns against one node, all given the same nodes."""

    @abstractmethod
    def _pairs(self, pairs: np.ndarray) -> Outcome:
        """Test pairs, each given nodes of its own."""


class TableTester(ABC):
    """A test of independence on a table, for every part of its rows.

    Attributes
    ----------
    n_features, n_parts : int
        Number of columns and of parts.
    relevance : ndarray of shape (n_parts, n_features)
        Association of every column with the target, nothing given.
    """

    n_features: int
    n_parts: int
    relevance: np.ndarray

    #: Relevance for every output, if there are several.
    output_relevance: np.ndarray | None = None

    @abstractmethod
    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""

    def outputs_of_part(self, t: int) -> list[PartTester]:
        """The tester of part ``t`` for every output of the target."""
        return [self.part(t)]


class OutputTesters(TableTester):
    """Tests with several outputs of the target, each of which is searched for alone.

    Parameters
    ----------
    testers : sequence of TableTester
        One for each output.
    combine : {"mean", "max"}
        How relevance is combined.
    """

    def __init__(self, testers: Sequence[TableTester], combine: str):
        self._testers = testers
        self.n_features, self.n_parts = testers[0].n_features, testers[0].n_parts
        self.output_relevance = np.array([each.relevance for each in testers])
        self.relevance = combine_outputs(self.output_relevance, combine)

    def part(self, t: int) -> PartTester:
        """The tester of part ``t`` for the first output."""
        return self._testers[0].part(t)

    def outputs_of_part(self, t: int) -> list[PartTester]:
        """The tester of part ``t`` for every output of the target."""
        return [each.part(t) for each in self._testers]

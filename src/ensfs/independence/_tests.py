"""What tests of conditional independence have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

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

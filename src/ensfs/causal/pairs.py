"""Tests of pairs of nodes, by their places, for selectors that draw a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs.causal._base import Decisions
from ensfs.independence import Outcome, PartTests


class Pairs:
    """Tests of pairs of nodes by their places, noting those with the target."""

    def __init__(self, tests: PartTests, nodes: np.ndarray, log: Decisions):
        self.tests, self.nodes, self.log = tests, nodes, log
        self.n_nodes = nodes.size

    def marginal(self, a: int) -> Outcome:
        """Test node ``a`` against all nodes after it, nothing given."""
        outcome = self.tests.columns(int(self.nodes[a]), self.nodes[a + 1 :], ())
        if self.nodes.size > a + 1:  # the last is the target
            last = Outcome(*(each[-1] for each in outcome))
            self.log.note(int(self.nodes[a]), (), last)
        return outcome

    def batch(self, rows: list[tuple[int, ...]], log: bool = True) -> Outcome:
        """Test pairs, each followed by what is given."""
        pairs = self.nodes[np.array(rows)]
        outcome = self.tests.pairs(pairs)
        if not log:
            return outcome
        done: set[int] = set()  # a pair may be there with several sets, of which the first counts
        for i in np.nonzero(pairs[:, 1] == self.tests.target)[0]:
            j, one = int(pairs[i, 0]), Outcome(*(each[i] for each in outcome))
            if j not in done:
                self.log.note(j, pairs[i, 2:], one)
            if is_separated(one):
                done.add(j)
        return outcome

    def one(self, a: int, b: int, given: tuple[int, ...]) -> Outcome:
        """Test a pair, or recall its test."""
        a, b = min(a, b), max(a, b)
        outcome = self.tests.pair(
            int(self.nodes[a]), int(self.nodes[b]), self.nodes[list(given)].tolist()
        )
        if b == self.nodes.size - 1:
            self.log.note(int(self.nodes[a]), self.nodes[list(given)], outcome)
        return outcome


def is_separated(outcome: Outcome) -> Any:
    """Where tests that had enough rows found no dependence."""
    return outcome.reliable & ~outcome.dependent

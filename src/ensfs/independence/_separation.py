"""Tests that are answered by an object, such as a known graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ensfs.independence._testers import Outcome, PartTester, TableTester


class Oracle(Protocol):
    """Answers questions about independence. Columns have their positions, the target comes last."""

    def separated(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Whether node `x` is independent of node `y` given some others."""


class SeparationTester(TableTester):
    """Tests that are answered by an object with a method ``separated(x, y, given)``."""

    def __init__(self, oracle: Oracle, n_features: int, n_parts: int):
        n_nodes = getattr(oracle, "n_nodes", n_features + 1)
        if n_nodes != n_features + 1:
            raise ValueError(
                f"test must have a node for each column of X and one for the target; it has "
                f"{n_nodes} nodes, X has {n_features} columns."
            )
        self.oracle, self.n_features, self.n_parts = oracle, n_features, n_parts
        outcome = self.part(0).columns(n_features, np.arange(n_features), ())
        self.relevance = np.repeat(outcome.information[None], n_parts, axis=0)

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``; all parts have the same answers."""
        return SeparationPartTester(self.oracle, self.n_features)


class SeparationPartTester(PartTester):
    """Answers of the object, which need no rows."""

    def __init__(self, oracle: Oracle, target: int):
        super().__init__(target)
        self.oracle = oracle

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        return self._decide([self.oracle.separated(x, y, given) for x in columns.tolist()])

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        return self._decide(
            [self.oracle.separated(x, y, tuple(given)) for x, y, *given in pairs.tolist()]
        )

    @staticmethod
    def _decide(separated: list[bool]) -> Outcome:
        dependent = ~np.array(separated, dtype=bool)
        as_number = dependent.astype(np.float64)
        always = np.ones_like(dependent)
        return Outcome(dependent, always, as_number, as_number, always * 1.0, 1 - as_number)

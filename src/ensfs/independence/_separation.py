"""Tests that are answered by an object, such as a known graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ensfs.data.variables import Variables
from ensfs.independence._testers import Outcome, PartTester, TableTester


class Oracle(Protocol):
    """Answers questions about independence. Columns have their positions, the target comes last."""

    def separated(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Whether node `x` is independent of node `y` given some others."""


class SeparationTester(TableTester):
    """Tests that are answered by an object with a method ``separated(x, y, given)``."""

    def __init__(self, oracle: Oracle, variables: Variables, n_parts: int):
        n_columns, n_features = variables.n_columns, variables.n_variables
        n_nodes = getattr(oracle, "n_nodes", n_columns + 1)
        if n_nodes != n_columns + 1:
            raise ValueError(
                f"test must have a node for each column of X and one for the target; it has "
                f"{n_nodes} nodes, X has {n_columns} columns."
            )
        self.oracle, self.n_features, self.n_parts = oracle, n_features, n_parts
        self._nodes = np.append(variables.column(np.arange(n_features)), n_columns)
        outcome = self.part(0).columns(n_features, np.arange(n_features), ())
        self.relevance = np.repeat(outcome.information[None], n_parts, axis=0)

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``; all parts have the same answers."""
        return SeparationPartTester(self.oracle, self._nodes)


class SeparationPartTester(PartTester):
    """Answers of the object, which need no rows."""

    def __init__(self, oracle: Oracle, nodes: np.ndarray):
        super().__init__(nodes.size - 1)
        self.oracle = oracle
        self.nodes = nodes  # as the object numbers them

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        at, among = int(self.nodes[y]), tuple(self.nodes[list(given)].tolist())
        return self._decide(
            [self.oracle.separated(x, at, among) for x in self.nodes[columns].tolist()]
        )

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        rows = self.nodes[pairs].tolist()
        return self._decide([self.oracle.separated(x, y, tuple(given)) for x, y, *given in rows])

    @staticmethod
    def _decide(separated: list[bool]) -> Outcome:
        dependent = ~np.array(separated, dtype=bool)
        as_number = dependent.astype(np.float64)
        always = np.ones_like(dependent)
        return Outcome(dependent, always, as_number, as_number, always * 1.0, 1 - as_number)

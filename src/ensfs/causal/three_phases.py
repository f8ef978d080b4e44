"""The three phases of TPDA: drafting, thickening, thinning."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.ties import by_decreasing
from ensfs.causal.graph import SeparatingSets
from ensfs.causal.pairs import Pairs, is_separated
from ensfs.independence import Outcome


class ThreePhases:
    """The phases of TPDA on nodes by their places."""

    def __init__(self, pairs: Pairs, n_nodes: int, selector: Any):
        self.pairs, self.selector, self.n_nodes = pairs, selector, n_nodes
        self.edges = np.zeros((n_nodes, n_nodes), dtype=bool)
        self.around: list[set[int]] = [set() for _ in range(n_nodes)]
        self.separating = SeparatingSets(pairs.nodes)
        self.information: dict[tuple[int, int], float] = {}
        self.waiting: list[tuple[int, int]] = []
        self.n_capped = 0

    def _join(self, a: int, b: int) -> None:
        self.edges[a, b] = self.edges[b, a] = True
        self.around[a].add(b)
        self.around[b].add(a)

    def _part(self, a: int, b: int) -> None:
        self.edges[a, b] = self.edges[b, a] = False
        self.around[a].discard(b)
        self.around[b].discard(a)

    def draft(self) -> None:
        """Join dependent pairs, the most informative first, unless a path joins them already."""
        found: list[tuple[float, int, int]] = []
        for a in range(self.n_nodes - 1):
            outcome = self.pairs.marginal(a)
            for i in np.nonzero(outcome.dependent)[0].tolist():
                found.append((float(outcome.information[i]), a, a + 1 + i))
            self.separating.put(a, a + 1 + np.nonzero(~outcome.dependent)[0])
        values = np.array([each[0] for each in found])
        component = np.arange(self.n_nodes)
        for i in by_decreasing(values, np.ones(values.size, dtype=bool)):
            value, a, b = found[i]
            self.information[a, b] = value
            if component[a] != component[b]:
                self._join(a, b)
                component[component == component[b]] = component[a]
            else:
                self.waiting.append((a, b))

    def thicken(self) -> None:
        """Join the waiting pairs that cannot be separated."""
        for a, b in self.waiting:
            given = self.separate_by_near(a, b)
            if given is None:
                self._join(a, b)
            else:
                self.separating.put(a, b, given)

    def thin(self, separate: Any) -> None:
        """Part pairs that another path joins and that can be separated, the weakest first."""
        edges = [(int(a), int(b)) for a, b in np.argwhere(np.triu(self.edges))]
        for a, b in sorted(edges, key=lambda pair: (self.information[pair], pair)):
            self._part(a, b)
            given = separate(a, b) if b in self._reached(a, -1) else None
            if given is None:
                self._join(a, b)
            else:
                self.separating.put(a, b, given)

    def _reached(self, start: int, without: int) -> set[int]:
        """Nodes that a path joins with a node, without going through another."""
        reached, waiting = {start}, [start]
        while waiting:
            for j in self.around[waiting.pop()]:
                if j != without and j not in reached:
                    reached.add(j)
                    waiting.append(j)
        return reached

    def _between(self, a: int, b: int) -> set[int]:
        """Neighbours of ``a`` on a path to ``b`` that does not come back to ``a``."""
        return (self.around[a] & self._reached(b, without=a)) - {b}

    def separate_by_near(self, a: int, b: int) -> tuple[int, ...] | None:
        """A set of neighbours of one end that separates, dropping the worst member each time."""
        near = [sorted(self._between(a, b)), sorted(self._between(b, a))]
        for among in sorted(near, key=len):
            given = tuple(among)
            outcome = self._test(a, b, given)
            if outcome is None:
                continue
            if is_separated(outcome):
                return given
            value = float(outcome.information)
            while len(given) > 1:
                smaller = [tuple(j for j in given if j != drop) for drop in given]
                outcomes = [self.pairs.one(a, b, each) for each in smaller]
                least = min(float(each.information) for each in outcomes)
                best = next(i for i, each in enumerate(outcomes) if each.information <= least)
                if is_separated(outcomes[best]):
                    return smaller[best]
                if least > value:
                    break
                value, given = least, smaller[best]
        return None

    def separate_by_far(self, a: int, b: int) -> tuple[int, ...] | None:
        """A set of neighbours and their neighbours that separates, dropping the useless ones."""
        sides: list[list[int]] = []
        for x, y in ((a, b), (b, a)):
            near = self._between(x, y)
            beyond: set[int] = set().union(*(self.around[j] for j in near))
            beyond &= self._reached(y, without=x)
            sides.append(sorted((near | beyond) - {a, b}))
        smaller_side = min(sides, key=len)
        given = tuple(smaller_side)
        while True:
            outcome = self._test(a, b, given)
            if outcome is None:
                return None
            if is_separated(outcome):
                return given
            if len(given) <= 1:
                return None
            left = list(given)
            for drop in given:
                smaller = tuple(j for j in given if j != drop)
                without = self.pairs.one(a, b, smaller)
                if is_separated(without):
                    return smaller
                if without.information <= outcome.information + self.selector.threshold:
                    left.remove(drop)
            if not 0 < len(left) < len(given):
                return None
            given = tuple(left)

    def _test(self, a: int, b: int, given: tuple[int, ...]) -> Outcome | None:
        """Test a pair, if so many nodes may be given."""
        if not self.selector._allows(len(given)):
            self.n_capped += 1
            return None
        return self.pairs.one(a, b, given)

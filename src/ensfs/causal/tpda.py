"""The graph of all columns and the target by three-phase dependency analysis (TPDA)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.ties import by_decreasing
from ensfs.causal._graph_selector import GRAPH_DOCS, GraphSelector, PairTester
from ensfs.causal.graph import SeparatingSets
from ensfs.independence import InformationTest, Outcome


@with_docs(GRAPH_DOCS)
class TPDASelector(GraphSelector):
    """Graph of all columns and the target in three phases; keeps the blanket of the target.

    Drafting: pairs by decreasing mutual information get an edge if no path joins them yet.
    Thickening: the other pairs get an edge if the nodes on the paths between them do not separate
    them. Thinning: edges go whose ends can be separated after all. Directions come as in
    `PCSelector`. The number of tests grows with the square of the number of columns rather than
    with the number of sets of neighbours.

    Parameters
    ----------
    {alpha, keep}
    test : {"auto", "g2", "mi", "permutation", "fisherz"} or object, default="auto"
        The test of independence, as of `PCSelector`, but "auto" is "mi" if the target is classes.
    max_conditioning : int, default=8
        The most columns that a test may be given; a pair that needs more keeps its edge.
    {counting_parameters}

    Attributes
    ----------
    {indices_, markov_blanket_, neighbours_, roles_, graph_, separating_sets_, n_conflicts_}
    n_capped_ : int
        Pairs that kept their edge because more than `max_conditioning` columns stood between them.
    {support_, ranking_, scores_, relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_}
    {output_relevance_, n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    J. Cheng, R. Greiner, J. Kelly, D. Bell and W. Liu (2002), Learning Bayesian networks from data:
    an information-theory based approach, Artificial Intelligence 137, 43-90.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import TPDASelector
    >>> rng = np.random.default_rng(0)
    >>> left, right = rng.integers(0, 2, (2, 1000))
    >>> y = (left | right) ^ (rng.random(1000) < 0.1)
    >>> effect = y ^ (rng.random(1000) < 0.1)
    >>> TPDASelector().fit(np.column_stack([left, right, effect]), y).neighbours_
    array([0, 1, 2])
    """

    _test_of_classes = InformationTest

    def __init__(
        self, alpha=0.01, *, keep="blanket", test="auto", max_conditioning=8, discretizer="mdl",
        discrete_features="auto", target_bins=3, multi_output="mean", missing="auto", include=None,
        exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            alpha, keep=keep, test=test, max_conditioning=max_conditioning, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip

    def _skeleton(self, pairs: PairTester) -> tuple[np.ndarray, SeparatingSets, dict[str, Any]]:
        phases = ThreePhases(pairs, self._allows)
        phases.draft()
        phases.thicken()
        phases.thin(phases.separate_by_near)
        phases.thin(phases.separate_by_far)
        return phases.edges, phases.separating, {"n_capped": phases.n_capped}


class ThreePhases:
    """The phases of TPDA on nodes by their places.

    Parameters
    ----------
    pairs : PairTester
        The tests.
    allows : callable
        Whether a test may be given that many nodes.
    """

    def __init__(self, pairs: PairTester, allows: Callable[[int], bool]):
        self.pairs, self.allows = pairs, allows
        self.n_nodes = n_nodes = pairs.n_nodes
        self.edges = np.zeros((n_nodes, n_nodes), dtype=bool)
        self.around: list[set[int]] = [set() for _ in range(n_nodes)]
        self.separating = SeparatingSets(pairs.nodes)
        self.information: dict[tuple[int, int], float] = {}
        self.waiting: list[tuple[int, int]] = []
        self.n_capped = 0

    def _connect(self, a: int, b: int) -> None:
        self.edges[a, b] = self.edges[b, a] = True
        self.around[a].add(b)
        self.around[b].add(a)

    def _disconnect(self, a: int, b: int) -> None:
        self.edges[a, b] = self.edges[b, a] = False
        self.around[a].discard(b)
        self.around[b].discard(a)

    def draft(self) -> None:
        """Connect dependent pairs, the most informative first, unless a path joins them already."""
        found: list[tuple[float, int, int]] = []
        for a in range(self.n_nodes - 1):
            places, outcome = self.pairs.marginal(a)
            for i in np.nonzero(outcome.dependent)[0].tolist():
                found.append((float(outcome.information[i]), a, int(places[i])))
            self.separating.put(a, places[~outcome.dependent])
        values = np.array([each[0] for each in found])
        component = np.arange(self.n_nodes)
        for a in self.pairs.fixed:
            self._connect(a, self.n_nodes - 1)
            component[a] = self.n_nodes - 1
        for i in by_decreasing(values, np.ones(values.size, dtype=bool)):
            value, a, b = found[i]
            self.information[a, b] = value
            if component[a] != component[b]:
                self._connect(a, b)
                component[component == component[b]] = component[a]
            else:
                self.waiting.append((a, b))

    def thicken(self) -> None:
        """Connect the waiting pairs that cannot be separated."""
        for a, b in self.waiting:
            given = self.separate_by_near(a, b)
            if given is None:
                self._connect(a, b)
            else:
                self.separating.put(a, b, given)

    def thin(self, separate: Callable[[int, int], tuple[int, ...] | None]) -> None:
        """Disconnect pairs that can be separated and that another path joins, the weakest first."""
        edges = [
            (int(a), int(b))
            for a, b in np.argwhere(np.triu(self.edges))
            if not self.pairs.is_fixed(int(a), int(b))
        ]
        for a, b in sorted(edges, key=lambda pair: (self.information[pair], pair)):
            self._disconnect(a, b)
            given = separate(a, b) if b in self._reached(a, -1) else None
            if given is None:
                self._connect(a, b)
            else:
                self.separating.put(a, b, given)

    def _reached(self, start: int, without: int) -> set[int]:
        """Nodes that a path joins with `start`, without passing through `without`."""
        reached, waiting = {start}, [start]
        while waiting:
            for j in self.around[waiting.pop()]:
                if j != without and j not in reached:
                    reached.add(j)
                    waiting.append(j)
        return reached

    def _between(self, a: int, b: int) -> set[int]:
        """Neighbours of ``a`` on a path to ``b`` that does not return to ``a``."""
        return (self.around[a] & self._reached(b, without=a)) - {b}

    def separate_by_near(self, a: int, b: int) -> tuple[int, ...] | None:
        """A separating set of neighbours of one end, dropping the worst member in each step."""
        near = [sorted(self._between(a, b)), sorted(self._between(b, a))]
        for among in sorted(near, key=len):
            given = tuple(among)
            outcome = self._test(a, b, given)
            if outcome is None:
                continue
            if outcome.separated:
                return given
            value = float(outcome.information)
            while len(given) > 1:
                smaller = [tuple(j for j in given if j != drop) for drop in given]
                outcomes = [self.pairs.one(a, b, each) for each in smaller]
                least = min(float(each.information) for each in outcomes)
                best = next(i for i, each in enumerate(outcomes) if each.information <= least)
                if outcomes[best].separated:
                    return smaller[best]
                if least > value:
                    break
                value, given = least, smaller[best]
        return None

    def separate_by_far(self, a: int, b: int) -> tuple[int, ...] | None:
        """A separating set of neighbours and their neighbours; useless members are dropped."""
        sides: list[list[int]] = []
        for x, y in ((a, b), (b, a)):
            near = self._between(x, y)
            beyond: set[int] = set().union(*(self.around[j] for j in near))
            beyond &= self._reached(y, without=x)
            sides.append(sorted((near | beyond) - {a, b}))
        smaller_side = min(sides, key=len)
        given = tuple(smaller_side)
        tolerance = self.pairs.tester.information_tolerance
        while True:
            outcome = self._test(a, b, given)
            if outcome is None:
                return None
            if outcome.separated:
                return given
            if len(given) <= 1:
                return None
            left = list(given)
            for drop in given:
                smaller = tuple(j for j in given if j != drop)
                without = self.pairs.one(a, b, smaller)
                if without.separated:
                    return smaller
                if without.information <= outcome.information + tolerance:
                    left.remove(drop)
            if not 0 < len(left) < len(given):
                return None
            given = tuple(left)

    def _test(self, a: int, b: int, given: tuple[int, ...]) -> Outcome | None:
        """Test a pair, unless the test would be given too many nodes."""
        if not self.allows(len(given)):
            self.n_capped += 1
            return None
        return self.pairs.one(a, b, given)

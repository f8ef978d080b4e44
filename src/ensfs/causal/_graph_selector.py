"""What selectors share that draw a graph of all columns and the target."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from ensfs._utils.docs import read_descriptions
from ensfs._utils.sklearn import StrOptions
from ensfs._utils.ties import by_decreasing
from ensfs.causal._base import CAUSAL_DOCS, BlanketResult, CausalDetails, CausalSelector, Decisions
from ensfs.causal.graph import CausalGraph, SeparatingSets, orient
from ensfs.independence import Outcome, PartTester, TableTester
from ensfs.search.selection import Selection
from ensfs.training.contract import TrainingData

#: The sets that separate a pair of nodes without an edge, by their places, the lower one first.
SetsOfPair = Callable[[int, int], list[tuple[int, ...]]]


#: Parameters and attributes of all selectors that draw a graph.
GRAPH_DOCS = CAUSAL_DOCS | read_descriptions("""
keep : {"blanket", "adjacent", "connected"}, default="blanket"
    Which columns are selected: the neighbours of the target and the other parents of its
    children; the neighbours alone; or all columns that a path of edges joins with the target.
indices_ : ndarray
    Selected columns by decreasing relevance.
markov_blanket_ : ndarray
    Neighbours of the target and other parents of its children, in ascending order.
neighbours_ : ndarray
    Neighbours of the target in ascending order.
roles_ : dict of int to str
    "parent", "child", "neighbour" (an edge without direction), "spouse", or "connected" for
    each selected column.
graph_ : CausalGraph
    The graph of the columns and the target, which has the number `n_features_in_`; with several
    outputs a list of graphs, and so `separating_sets_`.
separating_sets_ : mapping of (int, int) to ndarray
    What separates each pair of nodes without an edge, the lower node first.
n_conflicts_ : int
    Edges that were asked for in both directions; the clearer one is given, or none.
scores_ : ndarray of shape (`n_features_in_`,)
    Relevance of each selected column; NaN if not selected.
""")


class GraphSelector(CausalSelector):
    """Draw the graph, then read off which columns to keep."""

    _parameter_constraints: dict = {
        **CausalSelector._parameter_constraints,
        "keep": [StrOptions({"blanket", "adjacent", "connected"})],
    }

    def __init__(self, alpha=0.01, *, keep="blanket", **parameters):
        super().__init__(alpha, **parameters)
        self.keep = keep

    def _search(
        self,
        tester: PartTester,
        candidates: np.ndarray,
        relevance: np.ndarray,
        included: np.ndarray,
    ) -> BlanketResult:
        nodes = np.append(candidates, tester.target)
        decisions = Decisions(relevance.size)
        pairs = PairTester(tester, nodes, decisions, included)
        skeleton, separating, learned = self._skeleton(pairs)
        sets_of_pair = self._separating_sets_for(pairs, skeleton, separating)
        adjacency, n_conflicts = orient(skeleton, sets_of_pair)
        graph = CausalGraph(adjacency, nodes)
        columns = {
            "blanket": graph.markov_blanket,
            "adjacent": graph.neighbours,
            "connected": graph.connected,
        }[self.keep]()
        kept = columns[by_decreasing(relevance[columns], ~np.isin(columns, included))]
        kept = np.concatenate([included, kept])
        roles = graph.roles()
        learned |= {
            "markov_blanket": graph.markov_blanket(),
            "neighbours": graph.neighbours(),
            "roles": {j: roles[j] for j in kept.tolist()},
            "graph": graph,
            "n_conflicts": n_conflicts,
            "separating_sets": separating,
        }
        return BlanketResult(kept.tolist(), relevance[kept].tolist(), decisions, learned)

    @abstractmethod
    def _skeleton(self, pairs: PairTester) -> tuple[np.ndarray, SeparatingSets, dict[str, Any]]:
        """The edges as a symmetric mask, what separates the other pairs, further attributes."""

    def _separating_sets_for(
        self, pairs: PairTester, skeleton: np.ndarray, separating: SeparatingSets
    ) -> SetsOfPair:
        """The sets from which the directions of edges follow."""
        return lambda a, b: [separating.at(a, b)]

    def store(
        self, data: TrainingData, sources: TableTester, selection: Selection[CausalDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        for graph in self.graph_ if isinstance(self.graph_, list) else [self.graph_]:
            target, group_of = graph.nodes[-1], self._variables.group_of
            graph.names = [
                "target" if j == target else group_of.get(int(j), self._name(int(j)))
                for j in graph.nodes
            ]


class PairTester:
    """Tests of pairs of nodes by their places; records the tests against the target."""

    def __init__(
        self, tester: PartTester, nodes: np.ndarray, decisions: Decisions, included: np.ndarray
    ):
        self.tester, self.nodes, self.decisions = tester, nodes, decisions
        self.n_nodes = nodes.size
        #: Places whose edge to the target, the last place, is there without a test.
        self.fixed = np.searchsorted(nodes, included).tolist()

    def is_fixed(self, a: int, b: int) -> bool:
        """Whether the edge between two places is there without a test."""
        return max(a, b) == self.n_nodes - 1 and min(a, b) in self.fixed

    def marginal(self, a: int) -> tuple[np.ndarray, Outcome]:
        """Test node ``a`` against the nodes after it, nothing given; also the places of these."""
        places = np.arange(a + 1, self.n_nodes - (a in self.fixed))
        outcome = self.tester.columns(int(self.nodes[a]), self.nodes[places], ())
        if places.size and places[-1] == self.n_nodes - 1:  # the last node is the target
            self.decisions.record(int(self.nodes[a]), (), outcome.one(-1))
        return places, outcome

    def batch(self, rows: list[tuple[int, ...]], record: bool = True) -> Outcome:
        """Test pairs: each row holds the two places, then those that are given."""
        pairs = self.nodes[np.array(rows)]
        outcome = self.tester.pairs(pairs)
        if not record:
            return outcome
        separated: set[int] = set()  # a pair may occur with several sets; the first one decides
        for i in np.nonzero(pairs[:, 1] == self.tester.target)[0].tolist():
            j, one = int(pairs[i, 0]), outcome.one(i)
            if j not in separated:
                self.decisions.record(j, pairs[i, 2:], one)
            if one.separated:
                separated.add(j)
        return outcome

    def one(self, a: int, b: int, given: tuple[int, ...]) -> Outcome:
        """Test one pair, or return its result if it was tested before."""
        a, b = min(a, b), max(a, b)
        outcome = self.tester.pair(
            int(self.nodes[a]), int(self.nodes[b]), self.nodes[list(given)].tolist()
        )
        if b == self.nodes.size - 1:
            self.decisions.record(int(self.nodes[a]), self.nodes[list(given)], outcome)
        return outcome

"""What selectors share that search for the neighbours of the target: its parents and children.

A column is a neighbour of a node if no set of other neighbours separates the two. The selectors
differ in how they find one (`NeighbourSearch._one_sided`); checking that the relation holds from
both sides, and adding spouses, is the same for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from ensfs._utils.docs import read_descriptions
from ensfs.causal._base import CAUSAL_DOCS, BlanketResult, CausalSelector, Decisions
from ensfs.independence import Outcome, PartTester

#: Parameters and attributes of all selectors of neighbours.
NEIGHBOUR_DOCS = CAUSAL_DOCS | read_descriptions("""
symmetric : bool, default=True
    Whether a neighbour must have the target among its own neighbours.
max_conditioning : int, default=3
    The most columns that a test may be given; None: any number, which takes time.
neighbours_ : ndarray
    Parents and children in ascending order.
one_sided_neighbours_ : ndarray
    Columns, in ascending order, that nothing separates from the target, but that do not have the
    target among their own neighbours, so that `symmetric` leaves them out.
markov_blanket_ : ndarray
    All selected columns in ascending order: the neighbours, and the spouses if asked for.
roles_ : dict of int to str
    "neighbour" or "spouse" for each selected column.
scores_ : ndarray of shape (`n_features_in_`,)
    Least information of each neighbour, in bits, over its tests, or that of a spouse; NaN if
    not selected.
""")


class NeighbourSelector(CausalSelector):
    """Select the neighbours of the target, and on request their other parents, the spouses."""

    _parameter_constraints: dict = {
        **CausalSelector._parameter_constraints,
        "symmetric": ["boolean"],
        "spouses": ["boolean"],
    }

    #: How neighbours are searched for.
    _search_class: ClassVar[type[NeighbourSearch]]

    def __init__(
        self, alpha=0.01, *, symmetric=True, spouses=False, test="auto", max_conditioning=3,
        discretizer="mdl", discrete_features="auto", target_bins=3, multi_output="mean",
        missing="auto", include=None, exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            alpha, test=test, max_conditioning=max_conditioning, discretizer=discretizer,
            discrete_features=discrete_features, target_bins=target_bins, multi_output=multi_output,
            missing=missing, include=include, exclude=exclude, feature_groups=feature_groups,
            n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.symmetric = symmetric
        self.spouses = spouses

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        if not self.symmetric:
            return super().why_nothing()
        removed = getattr(self, "one_sided_neighbours_", None)
        if removed is None:  # an ensemble ran the search, and nothing was stored here
            return (
                f"{super().why_nothing()} symmetric=False also selects columns that do not have "
                "the target among their own neighbours."
            )
        if not removed.size:
            return super().why_nothing()
        names = ", ".join(map(self._name, removed[:3].tolist()))
        return (
            f"nothing separates {removed.size} column(s) from the target (such as {names}), but "
            "none of them has the target among its own neighbours. Set symmetric=False to select "
            "them nevertheless."
        )

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        one_sided = bool((self.one_sided_neighbours_ == j).any()) and not self.support_[j]
        return super().explain_row(j) | ({"reason": "not mutual"} if one_sided else {})

    def _search(
        self,
        tester: PartTester,
        candidates: np.ndarray,
        relevance: np.ndarray,
        included: np.ndarray,
    ) -> BlanketResult:
        decisions = Decisions(relevance.size)
        nodes = np.append(candidates, tester.target)
        return self._found_by(
            self._search_class(tester, nodes, self._allows, decisions, included.tolist())
        )

    def search_all(self, tester: PartTester, n_nodes: int) -> Iterator[BlanketResult]:
        """The neighbours of every node in turn, each searched once where its order allows that."""
        shared: dict[int, OneSided] = {}
        for target in range(n_nodes):
            tester.target = target
            nodes = np.append(np.delete(np.arange(n_nodes), target), target)
            decisions = Decisions(n_nodes)
            yield self._found_by(
                self._search_class(tester, nodes, self._allows, decisions, shared=shared)
            )

    def _found_by(self, search: NeighbourSearch) -> BlanketResult:
        """Neighbours, and spouses if they are asked for, of the target of a search."""
        target = search.tester.target
        neighbours = search.neighbours(target, self.symmetric)
        least = search.one_sided(target).least
        scores = [least[j] for j in neighbours]
        roles = dict.fromkeys(neighbours, "neighbour")
        if self.spouses:
            for j, information in search.spouses(neighbours, self.symmetric).items():
                roles[j] = "spouse"
                scores.append(information)
        learned = {
            "neighbours": np.sort(np.array(neighbours, dtype=np.int64)),
            "one_sided_neighbours": np.sort(np.setdiff1d(list(least), neighbours).astype(np.int64)),
            "markov_blanket": np.sort(np.array(list(roles), dtype=np.int64)),
            "roles": roles,
        }
        return BlanketResult(list(roles), scores, search.decisions, learned)


@dataclass
class OneSided:
    """Neighbours of a node, whether or not it is among theirs.

    Attributes
    ----------
    least : dict of int to float
        Neighbours in order of entry, with the least information of each over its tests, in bits.
    separating : dict of int to tuple of int
        What separates the other nodes from the node.
    tied : set of int
        Nodes that were tied with another one, so that their places decided.
    """

    least: dict[int, float] = field(default_factory=dict)
    separating: dict[int, tuple[int, ...]] = field(default_factory=dict)
    tied: set[int] = field(default_factory=set)


class NeighbourSearch(ABC):
    """Neighbours of nodes; each node is searched once.

    Parameters
    ----------
    tester : PartTester
        The tests.
    nodes : ndarray
        Candidates and the target.
    allows : callable
        Whether a test may be given that many nodes.
    decisions : Decisions
        Where tests against the target are recorded.
    included : sequence of int
        Nodes that are neighbours of the target without a test.
    shared : dict of int to OneSided, optional
        What was found for nodes among all nodes in ascending order, by searches with other targets.
    """

    def __init__(
        self,
        tester: PartTester,
        nodes: np.ndarray,
        allows: Callable[[int], bool],
        decisions: Decisions,
        included: Sequence[int] = (),
        shared: dict[int, OneSided] | None = None,
    ):
        self.tester, self.nodes, self.allows, self.decisions = tester, nodes, allows, decisions
        self.included, self.shared = included, shared
        self._searched: dict[int, OneSided] = {}

    @abstractmethod
    def _one_sided(self, y: int, rest: np.ndarray) -> OneSided:
        """Search for the neighbours of a node among some nodes; ties go to those that come first.

        Neighbours without a test are not among them.
        """

    def fixed(self, y: int) -> list[int]:
        """Neighbours of a node without a test."""
        if y == self.tester.target:
            return list(self.included)
        return [self.tester.target] if y in self.included else []

    def one_sided(self, y: int) -> OneSided:
        """Neighbours of a node, whether or not it is among theirs."""
        if y not in self._searched:
            found = None if self.shared is None else self._share(y, self.shared)
            if found is None:
                rest = self.nodes[(self.nodes != y) & ~np.isin(self.nodes, self.fixed(y))]
                found = self._one_sided(y, rest)
            self._searched[y] = found
        return self._searched[y]

    def _share(self, y: int, shared: dict[int, OneSided]) -> OneSided | None:
        """What was found with other targets; None where it depends on the target's place.

        The target is the last node, which decides only where it is tied with others.
        """
        if y not in shared:
            nodes = np.sort(self.nodes)
            shared[y] = self._one_sided(y, nodes[nodes != y])
        return None if self.tester.target in shared[y].tied else shared[y]

    def neighbours(self, y: int, symmetric: bool) -> list[int]:
        """Neighbours of a node in order of entry, with `symmetric` only the mutual ones."""
        found = list(self.one_sided(y).least)
        return [x for x in found if not symmetric or y in self.one_sided(x).least]

    def record(self, y: int, columns: Any, given: Iterable[int], outcome: Outcome) -> None:
        """Record tests of columns against node `y` if that is the target."""
        if y == self.tester.target:
            self.decisions.record(columns, given, outcome)

    def separate(self, x: int, y: int, among: list[int]) -> tuple[tuple[int, ...], Outcome] | None:
        """The first set of some nodes, small ones first, that separates two others."""
        for given in subsets(among, self.allows):
            outcome = self.tester.pair(x, y, given)
            if outcome.separated:
                return given, outcome
        return None

    def spouses(self, neighbours: list[int], symmetric: bool) -> dict[int, float]:
        """Neighbours of the target's neighbours that depend on the target given these.

        The values are the information of each on the target, in bits.
        """
        target = self.tester.target
        found: dict[int, float] = {}
        for child in neighbours:
            for j in self.neighbours(child, symmetric):
                if j == target or j in neighbours or j in found:
                    continue
                given = self._separating_set(j, neighbours, symmetric)
                if given is None or child in given:
                    continue
                outcome = self.tester.pair(j, target, (*given, child))
                if outcome.dependent:
                    self.record(target, j, (*given, child), outcome)
                    found[j] = float(outcome.information)
        return found

    def _separating_set(
        self, j: int, neighbours: list[int], symmetric: bool
    ) -> tuple[int, ...] | None:
        """What separates a node from the target: as found before, else among their neighbours."""
        target = self.tester.target
        known = self.one_sided(target).separating
        if j in known:
            return known[j]
        for among in (neighbours, self.neighbours(j, symmetric)):
            found = self.separate(j, target, [g for g in among if g not in (j, target)])
            if found is not None:
                return found[0]
        return None


def strength(outcome: Outcome) -> np.ndarray:
    """Minus the logarithm of the p-value; where that underflows, larger values by the statistic."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            outcome.pvalue > 0, -np.log(outcome.pvalue), 1e4 + outcome.statistic / outcome.df
        )


def subsets(
    nodes: list[int], allows: Callable[[int], bool], always: Sequence[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Subsets of some nodes, small ones first, each followed by the nodes of `always`."""
    for size in range(len(nodes) + 1):
        if not allows(size + len(always)):
            return
        for some in combinations(nodes, size):
            yield (*some, *always)

"""Independence in a known graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ensfs.independence._separation import SeparationTester
from ensfs.independence._testers import TableTester
from ensfs.independence.tests import IndependenceTest, TableToTest, refuse_groups

#: How many sets of reachable nodes an oracle caches.
MAX_CACHED_TRAILS = 4096


class OracleTest(IndependenceTest):
    """Independence in a directed acyclic graph (d-separation), to try algorithms on known networks.

    As the `test` of a selector it answers from the graph; the data are not used.

    Parameters
    ----------
    dag : array-like of shape (n_nodes, n_nodes), mapping or networkx.DiGraph
        The graph: a matrix with a nonzero entry (i, j) for an edge from i to j; a mapping of each
        node to its parents; or a networkx graph, whose order of nodes is kept.
    target : int or str, optional
        Node that is the target, by position or name; the last by default. The other nodes are
        the columns of the table, in their order.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    names : list
        Names of the nodes, the target last; their positions if they have none.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import IAMB, OracleTest
    >>> oracle = OracleTest({"a": [], "b": ["a"], "c": [], "y": ["b", "c"]})
    >>> oracle.separated(0, 3, [1])
    True
    >>> IAMB(test=oracle).fit(np.zeros((5, 3)), [0, 1, 0, 1, 0]).markov_blanket_
    array([1, 2])
    """

    target_kind = "auto"

    def __init__(self, dag: Any, target: int | str | None = None):
        self.dag = dag
        self.target = target
        self._read_graph()

    def set_params(self, **parameters: Any) -> OracleTest:
        """Change the graph or the target."""
        super().set_params(**parameters)
        self._read_graph()
        return self

    def make_tester(self, table: TableToTest) -> TableTester:
        """Answer from the graph; the data are not used."""
        refuse_groups(table, "an OracleTest")
        return SeparationTester(self, table.data.variables, table.resampling.n_parts)

    def _read_graph(self) -> None:
        edges, names = _read_dag(self.dag)
        last = _position(names, self.target)
        order = [j for j in range(len(names)) if j != last] + [last]
        edges = edges[np.ix_(order, order)]
        self.names = [names[j] for j in order]
        self.n_nodes = len(names)
        self._parents = [np.nonzero(edges[:, j])[0].tolist() for j in range(self.n_nodes)]
        self._children = [np.nonzero(edges[j])[0].tolist() for j in range(self.n_nodes)]
        self._reached: dict[tuple[int, frozenset[int]], set[int]] = {}
        self._check_acyclic()

    def _check_acyclic(self) -> None:
        waiting = np.array([len(parents) for parents in self._parents])
        free = np.nonzero(waiting == 0)[0].tolist()
        n_done = 0
        while free:
            n_done += 1
            for child in self._children[free.pop()]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    free.append(child)
        if n_done < self.n_nodes:
            caught = [self.names[j] for j in np.nonzero(waiting)[0]]
            raise ValueError(f"The graph has a cycle through some of the nodes {caught}.")

    def separated(self, x: int, y: int, given: Sequence[int] = ()) -> bool:
        """Whether the given nodes d-separate two others; columns by position, the target last."""
        for j in (x, y, *given):
            if not 0 <= j < self.n_nodes:
                raise ValueError(f"The graph has nodes 0 to {self.n_nodes - 1}; got {j}.")
        if x in given or y in given:
            return True
        key = (y, frozenset(given))
        if key not in self._reached:
            if len(self._reached) >= MAX_CACHED_TRAILS:
                self._reached.clear()
            self._reached[key] = self._reachable(*key)
        return x not in self._reached[key]

    def _reachable(self, start: int, given: frozenset[int]) -> set[int]:
        """Nodes at the end of an active trail."""
        opened = set(given)  # a collider is open if it or a descendant is given
        waiting = list(given)
        while waiting:
            for parent in self._parents[waiting.pop()]:
                if parent not in opened:
                    opened.add(parent)
                    waiting.append(parent)
        seen: set[tuple[int, bool]] = set()
        reached = set()
        trails = [(start, True)]  # a node, and whether it was entered from a child
        while trails:
            node, from_child = trails.pop()
            if (node, from_child) in seen:
                continue
            seen.add((node, from_child))
            if node not in given:
                reached.add(node)
                trails += [(child, False) for child in self._children[node]]
            if (from_child and node not in given) or (not from_child and node in opened):
                trails += [(parent, True) for parent in self._parents[node]]
        return reached


def _read_dag(dag: Any) -> tuple[np.ndarray, list]:
    """Edges as a square mask, and the names of the nodes."""
    if hasattr(dag, "nodes") and hasattr(dag, "predecessors"):
        dag = {node: list(dag.predecessors(node)) for node in dag.nodes}
    if not isinstance(dag, Mapping):
        edges = np.asarray(dag)
        if edges.ndim != 2 or edges.shape[0] != edges.shape[1]:
            raise ValueError(f"dag must be a square matrix of edges; got shape {edges.shape}.")
        return edges != 0, list(range(len(edges)))
    names = list(dag)
    position = {name: j for j, name in enumerate(names)}
    edges = np.zeros((len(names), len(names)), dtype=bool)
    for name, parents in dag.items():
        unknown = [parent for parent in parents if parent not in position]
        if unknown:
            raise ValueError(
                f"Node {name!r} lists parents that are not nodes of the graph: {unknown}."
            )
        edges[[position[parent] for parent in parents], position[name]] = True
    return edges, names


def _position(names: list, target: int | str | None) -> int:
    if not names:
        raise ValueError("The graph has no nodes.")
    if target is None:
        return len(names) - 1
    if target in names:
        return names.index(target)
    if isinstance(target, (int, np.integer)) and -len(names) <= target < len(names):
        return int(target) % len(names)
    raise ValueError(f"target must be a node of the graph, one of {names}; got {target!r}.")

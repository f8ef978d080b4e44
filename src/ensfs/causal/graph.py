"""Graphs with directed and undirected edges, and the rules that give edges a direction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from importlib import import_module
from itertools import combinations, groupby
from typing import Any

import numpy as np

from ensfs.data.variables import Variables


class CausalGraph:
    """A graph of columns and the target; edges have a direction where it is known.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n_nodes, n_nodes)
        True at (i, j) for an edge from i to j; an edge without direction is there both ways.
    nodes : ndarray of shape (n_nodes,), optional
        Number of each node: the columns, and one more for the target, which is the last. By default
        the places.
    names : list of str, optional
        Names of the nodes; by default x0, x1, ..., and "target" for the last.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import CausalGraph
    >>> graph = CausalGraph(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]))
    >>> graph.markov_blanket(0)
    array([1, 2])
    >>> graph.directed
    array([[0, 2],
           [1, 2]])
    """

    def __init__(
        self,
        adjacency: Any,
        nodes: np.ndarray | None = None,
        names: list[str] | None = None,
    ):
        self.adjacency = np.asarray(adjacency) != 0
        n = len(self.adjacency)
        if self.adjacency.shape != (n, n) or n == 0:
            raise ValueError(
                f"adjacency must be a square matrix with a row for each node; got shape "
                f"{self.adjacency.shape}."
            )
        self.nodes = np.arange(n) if nodes is None else np.asarray(nodes)
        self.names = [f"x{j}" for j in self.nodes[:-1]] + ["target"] if names is None else names

    def in_columns(self, variables: Variables) -> CausalGraph:
        """The same of the columns of the table as it was given; the last node is the target."""
        return CausalGraph(self.adjacency, nodes_in_columns(self.nodes, variables))

    @property
    def directed(self) -> np.ndarray:
        """Edges with a direction, from and to, by the numbers of the nodes."""
        return self.nodes[np.argwhere(self.adjacency & ~self.adjacency.T)]

    @property
    def undirected(self) -> np.ndarray:
        """Edges without a direction, by the numbers of the nodes, the lower place first."""
        return self.nodes[np.argwhere(np.triu(self.adjacency & self.adjacency.T))]

    def _place(self, node: int | None) -> int:
        if node is None:
            return self.nodes.size - 1
        found = np.nonzero(self.nodes == node)[0]
        if not found.size:
            raise ValueError(f"There is no node {node!r} in the graph.")
        return int(found[0])

    def _numbers(self, mask: np.ndarray) -> np.ndarray:
        return self.nodes[np.nonzero(mask)[0]]

    def neighbours(self, node: int | None = None) -> np.ndarray:
        """Nodes with an edge to a node, by default the target."""
        at = self._place(node)
        return self._numbers(self.adjacency[at] | self.adjacency[:, at])

    def parents(self, node: int | None = None) -> np.ndarray:
        """Nodes with a directed edge to a node, by default the target."""
        at = self._place(node)
        return self._numbers(self.adjacency[:, at] & ~self.adjacency[at])

    def children(self, node: int | None = None) -> np.ndarray:
        """Nodes with a directed edge from a node, by default the target."""
        at = self._place(node)
        return self._numbers(self.adjacency[at] & ~self.adjacency[:, at])

    def spouses(self, node: int | None = None) -> np.ndarray:
        """Other parents of the children of a node, by default the target, without neighbours."""
        at = self._place(node)
        arrows = self.adjacency & ~self.adjacency.T
        mask = arrows[:, arrows[at]].any(axis=1)
        mask &= ~(self.adjacency[at] | self.adjacency[:, at])
        mask[at] = False
        return self._numbers(mask)

    def markov_blanket(self, node: int | None = None) -> np.ndarray:
        """Neighbours and spouses of a node, by default the target, in ascending order."""
        return np.union1d(self.neighbours(node), self.spouses(node))

    def connected(self, node: int | None = None) -> np.ndarray:
        """Nodes that a path of any edges joins with a node, by default the target."""
        at = self._place(node)
        either = self.adjacency | self.adjacency.T
        reached = np.zeros(self.nodes.size, dtype=bool)
        reached[at] = True
        front = reached
        while front.any():
            front = either[front].any(axis=0) & ~reached
            reached = reached | front
        reached[at] = False
        return self._numbers(reached)

    def roles(self, node: int | None = None) -> dict[int, str]:
        """What the nodes joined with a node, by default the target, are to it."""
        roles = {int(j): "connected" for j in self.connected(node)}
        for role, members in (
            ("spouse", self.spouses(node)), ("neighbour", self.neighbours(node)),
            ("parent", self.parents(node)), ("child", self.children(node)),
        ):  # fmt: skip
            roles |= {int(j): role for j in members}
        return roles

    def plot(self, node: int | None = None, **kwargs: Any) -> Any:
        """Draw the graph around a node, by default the target (matplotlib must be installed).

        Parameters
        ----------
        node : int, optional
            Number of the node in the middle.
        **kwargs : dict
            For `ensfs.plotting.CausalGraphDisplay.from_graph`.

        Returns
        -------
        CausalGraphDisplay
            The display, drawn.
        """
        # by name: this room is below that of the pictures, which needs it
        plotting = import_module("ensfs.plotting")
        return plotting.CausalGraphDisplay.from_graph(self, node, **kwargs)

    def to_networkx(self) -> Any:
        """The graph as a networkx.DiGraph of names (networkx must be installed).

        An edge without direction is there both ways; the attribute `directed` tells.
        """
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        for a, b in np.argwhere(self.adjacency):
            graph.add_edge(self.names[a], self.names[b], directed=not self.adjacency[b, a])
        return graph

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        lines = []
        for a, b in np.argwhere(self.adjacency):
            if not self.adjacency[b, a]:
                lines.append(f"  {_dot_id(self.names[a])} -> {_dot_id(self.names[b])};")
            elif a < b:
                lines.append(f"  {_dot_id(self.names[a])} -> {_dot_id(self.names[b])} [dir=none];")
        alone = ~(self.adjacency | self.adjacency.T).any(axis=0)
        lines += [f"  {_dot_id(self.names[j])};" for j in np.nonzero(alone)[0]]
        return "\n".join(["digraph {", *lines, "}"])

    def __repr__(self) -> str:
        return (
            f"CausalGraph({self.nodes.size} nodes, {len(self.directed)} directed and "
            f"{len(self.undirected)} undirected edges)"
        )


class SeparatingSets(Mapping[tuple[int, int], np.ndarray]):
    """What separates each pair of nodes without an edge, the lower node first.

    Most pairs need nothing to be separated: these are marked, and take no more room than a bit
    matrix. A pair may be asked for in either order.

    Parameters
    ----------
    nodes : ndarray of shape (n_nodes,)
        Numbers of the nodes, in ascending order.
    """

    def __init__(self, nodes: np.ndarray):
        self.nodes = nodes
        self._by_nothing = np.zeros((nodes.size, nodes.size), dtype=bool)
        self._by_some: dict[tuple[int, int], tuple[int, ...]] = {}

    def in_columns(self, variables: Variables) -> SeparatingSets:
        """The same of the columns of the table as it was given; the last node is the target."""
        told = copy(self)
        told.nodes = nodes_in_columns(self.nodes, variables)
        return told

    def put(self, a: int, b: Any, given: tuple[int, ...] = ()) -> None:
        """Keep what separates two places; of many places ``b`` after ``a`` with nothing."""
        if given:
            self._by_some[a, b] = given
        else:
            self._by_nothing[a, b] = True

    def at(self, a: int, b: int) -> tuple[int, ...]:
        """Places that separate two places, the lower one first."""
        return self._by_some.get((a, b), ())

    def __getitem__(self, pair: tuple[int, int]) -> np.ndarray:
        low, high = min(pair), max(pair)
        a, b = np.searchsorted(self.nodes, (low, high)).tolist()
        inside = b < self.nodes.size and self.nodes[a] == low and self.nodes[b] == high
        if not inside or ((a, b) not in self._by_some and not self._by_nothing[a, b]):
            raise KeyError(pair)
        return self.nodes[list(self.at(a, b))]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for a, b in self.places():
            yield int(self.nodes[a]), int(self.nodes[b])

    def places(self) -> list[tuple[int, int]]:
        """Pairs of places, in ascending order."""
        by_nothing = [(a, b) for a, b in np.argwhere(self._by_nothing).tolist()]
        return sorted([*by_nothing, *self._by_some])

    def __len__(self) -> int:
        return int(self._by_nothing.sum()) + len(self._by_some)

    def __repr__(self) -> str:
        return f"SeparatingSets({len(self)} pairs)"


def nodes_in_columns(nodes: np.ndarray, variables: Variables) -> np.ndarray:
    """Numbers of nodes, the last of which is the target, by the columns of the table."""
    return np.append(variables.column(nodes[:-1]), variables.n_columns)


def _dot_id(name: Any) -> str:
    text = str(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def orient(
    skeleton: np.ndarray, separating: Callable[[int, int], Sequence[tuple[int, ...]]]
) -> tuple[np.ndarray, int]:
    """Directions that follow from what separates nodes.

    Parameters
    ----------
    skeleton : ndarray of bool, shape (n, n)
        The edges, symmetric.
    separating : callable
        Gives the sets that separate a pair without an edge, the lower one first. A node between the
        two is an effect of both, a collider, if it is in fewer than half of them.

    Returns
    -------
    adjacency : ndarray of bool, shape (n, n)
        True at (i, j) for an edge from i to j, and both ways where the direction is open.
    n_conflicts : int
        Edges that colliders asked for both ways. They get the direction of the clearer one; those
        that are asked for alike stay without direction.
    """
    adjacency, asked = skeleton.copy(), np.zeros_like(skeleton)
    colliders = sorted(_colliders(skeleton, separating))
    for _, alike in groupby(colliders, key=lambda found: found[0]):
        level = np.zeros_like(skeleton)
        for _, a, middle, b in alike:
            asked[[a, b], middle] = True
            if adjacency[[a, b], middle].all():  # else a clearer one wants an edge the other way
                level[[a, b], middle] = True
        adjacency &= ~(level.T & ~level)
    while _apply_rules(adjacency):
        pass
    return adjacency, int((asked & asked.T).sum()) // 2


def _colliders(
    skeleton: np.ndarray, separating: Callable[[int, int], Sequence[tuple[int, ...]]]
) -> Iterator[tuple[tuple[float, int], int, int, int]]:
    """Colliders: how clear (the least is the clearest), cause, common effect, cause.

    The smaller the share of separating sets that hold the effect, the clearer, and the more sets
    say so.
    """
    for middle in range(len(skeleton)):
        for a, b in combinations(np.nonzero(skeleton[middle])[0].tolist(), 2):
            if not skeleton[a, b]:
                sets = separating(a, b)
                holding = sum(middle in each for each in sets)
                if 2 * holding < len(sets):
                    yield (holding / len(sets), -len(sets)), a, middle, b


def _apply_rules(adjacency: np.ndarray) -> bool:
    """One pass of Meek's rules over the open edges; whether some edge got a direction.

    All rules see the graph before the pass, so that the order of the nodes is nothing. Directions
    that together would make another collider or a cycle are not given.
    """
    asked = np.zeros_like(adjacency)
    for a, b in np.argwhere(adjacency & adjacency.T):
        asked[a, b] = _follows(adjacency, a, b)
    arrows = (adjacency & ~adjacency.T) | asked
    joined = (adjacency | adjacency.T) | np.eye(len(adjacency), dtype=bool)
    given = [
        (a, b)
        for a, b in np.argwhere(asked & ~asked.T)
        if not (asked[:, b] & ~joined[a]).any() and not _leads_to(arrows, b, a)
    ]
    for a, b in given:
        adjacency[b, a] = False
    return bool(given)


def _follows(adjacency: np.ndarray, a: int, b: int) -> bool:
    """Whether the rules turn the open edge a - b into a -> b."""
    arrows = adjacency & ~adjacency.T
    joined = adjacency | adjacency.T
    into_b = arrows[:, b]
    if (into_b & ~joined[a]).any() or _leads_to(arrows, b, a):
        return False  # it would make another collider, or a cycle
    if (arrows[:, a] & ~joined[b]).any():  # c -> a - b, and a is no collider
        return True
    if (arrows[a] & into_b).any():  # a -> c -> b, and there is no cycle
        return True
    between = np.nonzero(adjacency[a] & adjacency[:, a] & into_b)[0]  # a - c -> b, a - d -> b
    return bool((~joined[np.ix_(between, between)]).sum() > between.size)


def _leads_to(arrows: np.ndarray, start: int, end: int) -> bool:
    """Whether a path of arrows leads from one node to another."""
    reached = front = arrows[start]
    while front.any() and not reached[end]:
        front = arrows[front].any(axis=0) & ~reached
        reached = reached | front
    return bool(reached[end])

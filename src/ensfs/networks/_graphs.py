"""Directed acyclic graphs as lists of parents: ``parents[v]`` holds the numbers of v's parents."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import combinations

import numpy as np

Parents = Sequence[Sequence[int]]


def children_of(parents: Parents) -> list[list[int]]:
    """Children of every node, in increasing order."""
    children: list[list[int]] = [[] for _ in parents]
    for node, above in enumerate(parents):
        for parent in above:
            children[parent].append(node)
    return children


def topological_order(parents: Parents) -> list[int]:
    """Nodes after all of their parents, the lowest number first; not all if there is a cycle."""
    children = children_of(parents)
    waiting = [len(above) for above in parents]
    ready = [node for node, count in enumerate(waiting) if count == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order


def find_cycle(parents: Parents) -> list[int]:
    """Nodes of one directed cycle, each before its child, the first one also last; or nothing."""
    left = set(range(len(parents))) - set(topological_order(parents))
    if not left:
        return []
    # Every node that is left has a parent that is left: walking up must come back.
    walk, node = [], min(left)
    while node not in walk:
        walk.append(node)
        node = next(parent for parent in parents[node] if parent in left)
    return [node, *reversed(walk[walk.index(node) :])]


def markov_blanket(parents: Parents, target: int) -> list[int]:
    """Parents, children and the children's other parents, in increasing order."""
    blanket = set(parents[target])
    for node, above in enumerate(parents):
        if target in above:
            blanket.update(above, (node,))
    return sorted(blanket - {target})


def adjacency(parents: Parents) -> np.ndarray:
    """Boolean matrix whose cell ``[a, b]`` says that there is an edge from a to b."""
    matrix = np.zeros((len(parents), len(parents)), dtype=bool)
    for node, above in enumerate(parents):
        matrix[list(above), node] = True
    return matrix


def equivalence_class(parents: Parents) -> np.ndarray:
    """Edges of the completed partially directed graph, those without a direction in both cells.

    The edges of colliders whose parents are not adjacent keep their direction, and so do the edges
    that Meek's rules derive from them; all others point either way in some equivalent graph.
    Nothing is shared with the search for a graph, which is tested against this.
    """
    edges = adjacency(parents)
    adjacent = edges | edges.T
    apart = ~adjacent & ~np.eye(len(parents), dtype=bool)
    directed = np.zeros_like(edges)
    for node, above in enumerate(parents):
        above_ = list(above)
        directed[above_, node] = apart[np.ix_(above_, above_)].any(axis=1)
    while True:
        free = adjacent & ~directed & ~directed.T
        compelled = free & _meek(directed, free, apart)
        if not compelled.any():
            return directed | free
        directed |= compelled


def _meek(directed: np.ndarray, free: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Edges that one of the first three rules directs: the fourth needs background knowledge."""
    counts = directed.astype(np.float32)
    away_from_collider = counts.T @ apart > 0
    away_from_cycle = counts @ counts > 0
    rules = away_from_collider | away_from_cycle
    for a, b in np.argwhere(free & ~rules):
        between = np.flatnonzero(free[a] & directed[:, b])
        rules[a, b] = any(apart[c, d] for c, d in combinations(between, 2))
    return rules

"""Search for the graph with the best score: greedy, and simulated annealing with a polish.

A graph is a list of parents, ``parents[v]`` a sorted tuple of node numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ensfs.networks import _graphs
from ensfs.networks.scores import FamilyScores, with_parent

#: Scores that differ by less than this share are equal: they are sums of thousands of terms.
TOLERANCE = 1e-11
#: Steps that greedy search walks on without a better graph before it stops.
PATIENCE = 25
#: By how much the temperature of annealing falls from the first to the last operation.
COOLING = 1e4
_ADD, _REMOVE, _REVERSE = range(3)

Parents = list[tuple[int, ...]]


class Structure(NamedTuple):
    """A graph and its score."""

    parents: Parents
    score: float


def greedy_search(
    scores: FamilyScores,
    rng: np.random.Generator | None = None,
    *,
    max_parents: int = 3,
    start: Parents | None = None,
    n_restarts: int = 20,
) -> Structure:
    """Add, remove or reverse the arc that gains most, until no arc gains; then try again nearby.

    From the best graph so found the search walks on over the best graphs that it has not seen, up
    to 25 steps without a better one, because optima of single steps are often a few reversals away
    from a better one. A restart begins at the best graph with random arcs added and removed, half
    as many as there are nodes.

    Parameters
    ----------
    scores : FamilyScores
        What is maximised, and the rows.
    rng : Generator, optional
        For the restarts; None is the generator of seed 0.
    max_parents : int, default=3
        The most parents of a node.
    start : list of tuple of int, optional
        Parents to start with; no arcs by default.
    n_restarts : int, default=20
        Number of restarts. Families are counted once, so that one costs little.

    Returns
    -------
    Structure
        The best graph seen. No single step improves it.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    arcs = _Arcs(scores, max_parents)
    best = _climb(arcs, start)
    for _ in range(n_restarts if scores.n_nodes > 1 else 0):
        again = _climb(arcs, _perturbed(best.parents, rng, max_parents))
        if _is_better(again.score, best.score):
            best = again
    return Structure(best.parents, scores.total(best.parents))


def _is_better(score: float, than: float) -> bool:
    return score > than + TOLERANCE * abs(than)


def _perturbed(parents: Parents, rng: np.random.Generator, max_parents: int) -> Parents:
    """The graph after some random additions and removals of arcs."""
    parents = list(parents)
    for kind, u, v in rng.random((max(1, len(parents) // 2), 3)).tolist():
        change = _try_adding if kind < 0.5 else _try_removing
        for node, above in change(parents, u, v, max_parents):
            parents[node] = above
    return parents


class _Arcs:
    """What arcs into a node gain, remembered for each set of its parents."""

    def __init__(self, scores: FamilyScores, max_parents: int):
        self.scores, self.max_parents = scores, max_parents
        self._known: dict[tuple[int, tuple[int, ...]], tuple[np.ndarray, np.ndarray]] = {}

    def into(self, node: int, above: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Gains of adding an arc from each node, and of removing it; -inf where there is none."""
        key = (node, above)
        if key not in self._known:
            self._known[key] = self._gains(node, above)
        return self._known[key]

    def _gains(self, node: int, above: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        p = self.scores.n_nodes
        adding, removing = np.full(p, -np.inf), np.full(p, -np.inf)
        before = self.scores.score(node, above)
        for other in above:
            without = tuple(v for v in above if v != other)
            removing[other] = self.scores.score(node, without) - before
        others = [v for v in range(p) if v != node and v not in above]
        if others and len(above) < self.max_parents:
            adding[others] = np.array(self.scores.with_each(node, above, others)) - before
        return adding, removing


def _climb(arcs: _Arcs, start: Parents | None) -> Structure:
    """The best steps from one graph; the best graph seen."""
    state = _Greedy(arcs, start)
    best = Structure(list(state.parents), arcs.scores.total(state.parents))
    score, seen, steps_without = best.score, {tuple(state.parents)}, 0
    while steps_without < PATIENCE:
        gain = state.take_best_step(seen)
        if gain is None:
            break
        score += gain
        steps_without += 1
        seen.add(tuple(state.parents))
        if _is_better(score, best.score):
            best, steps_without = Structure(list(state.parents), score), 0
    return best


class _Greedy:
    """The gains of all single steps from a graph, renewed where the graph changes."""

    def __init__(self, arcs: _Arcs, start: Parents | None):
        p = arcs.scores.n_nodes
        self.arcs = arcs
        self.parents: Parents = list(start) if start is not None else [()] * p
        self.adding = np.full((p, p), -np.inf)  # gain of an arc from row to column
        self.removing = np.full((p, p), -np.inf)
        for node in range(p):
            self._renew(node)
        self.adjacency = _graphs.adjacency(self.parents)
        self.reach = _descendants(self.adjacency)
        # gains that should be equal differ by the rounding of the scores that they are made of
        self.tied = TOLERANCE * (1 + abs(arcs.scores.total([()] * p)))

    def _renew(self, node: int) -> None:
        """Gains of the arcs into a node."""
        self.adding[:, node], self.removing[:, node] = self.arcs.into(node, self.parents[node])

    def take_best_step(self, seen: set) -> float | None:
        """Take the step that gains most, or loses least, to a graph not seen; return the gain.

        Of equal ones adding comes before removing and reversing, then the lower node decides.
        """
        gains = self._gains()
        while True:
            best = gains.max()
            if best == -np.inf:
                return None
            first = int(np.argmax(gains >= best - self.tied))
            kind, a, b = (int(i) for i in np.unravel_index(first, gains.shape))
            changed = self._changed(kind, a, b)
            graph = list(self.parents)
            for node, above in changed:
                graph[node] = above
            if tuple(graph) not in seen:
                gain = float(gains[kind, a, b])
                self._take(kind, a, b, changed)
                return gain
            gains[kind, a, b] = -np.inf

    def _take(self, kind: int, a: int, b: int, changed: list[tuple[int, tuple[int, ...]]]) -> None:
        """Add, remove or reverse the arc from a to b, which changes these families."""
        for node, above in changed:
            self.parents[node] = above
            self._renew(node)
        self.adjacency[a, b], self.adjacency[b, a] = kind == _ADD, kind == _REVERSE
        if kind == _ADD:
            self.reach |= np.outer(self.reach[:, a], self.reach[b])
        else:
            self.reach = _descendants(self.adjacency)

    def _gains(self) -> np.ndarray:
        """Gain of adding, removing and reversing each arc; -inf where that is impossible."""
        add = np.where(self.reach.T, -np.inf, self.adding)
        # an arc can be turned unless there is another way from its start to its end
        below = self.reach.astype(np.float32)
        np.fill_diagonal(below, 0)
        detour = (self.adjacency.astype(np.float32) @ below) > 0
        turn = np.where(self.adjacency & ~detour, self.removing + self.adding.T, -np.inf)
        return np.stack([add, self.removing, turn])

    def _changed(self, kind: int, a: int, b: int) -> list[tuple[int, tuple[int, ...]]]:
        """The families that a step on the arc from a to b changes."""
        if kind == _ADD:
            return [(b, with_parent(self.parents[b], a))]
        without = (b, tuple(v for v in self.parents[b] if v != a))
        if kind == _REMOVE:
            return [without]
        return [without, (a, with_parent(self.parents[a], b))]


def annealing_search(
    scores: FamilyScores,
    rng: np.random.Generator,
    *,
    n_operations: int = 2100,
    max_parents: int = 3,
    polish: bool = True,
) -> Structure:
    """Simulated annealing from the empty graph, then greedy steps.

    Each operation tries to add an arc, to remove one, or to exchange two nodes. One that lowers the
    score by d is done with probability exp(-d / T); T falls from the largest gain of a single arc
    to a ten-thousandth of it.

    Parameters
    ----------
    scores : FamilyScores
        What is maximised, and the rows.
    rng : Generator
        Where the random numbers come from.
    n_operations : int, default=2100
        Number of operations.
    max_parents : int, default=3
        The most parents of a node.
    polish : bool, default=True
        Whether greedy steps go on from the best graph seen.

    Returns
    -------
    Structure
        The best graph seen.
    """
    p = scores.n_nodes
    parents: Parents = [()] * p
    if p < 2:
        return Structure(parents, scores.total(parents))
    empty = [scores.score(node, ()) for node in range(p)]
    top = max(max(scores.with_each(b, (), range(b))) - empty[b] for b in range(1, p))
    top = max(top, 1e-12)  # independent columns: nothing gains
    score = sum(empty)
    best = Structure(list(parents), score)
    kinds = rng.integers(3, size=n_operations).tolist()
    draws = rng.random((n_operations, 3)).tolist()
    for k in range(n_operations):
        u, v, chance = draws[k]
        changed = _OPERATIONS[kinds[k]](parents, u, v, max_parents)
        if not changed:
            continue
        gain = sum(scores.score(i, new) - scores.score(i, parents[i]) for i, new in changed)
        temperature = top * COOLING ** (-k / max(1, n_operations - 1))
        if gain >= 0 or chance < math.exp(gain / temperature):
            for node, above in changed:
                parents[node] = above
            score += gain
            if _is_better(score, best.score):
                best = Structure(list(parents), score)
    if polish:
        best = _climb(_Arcs(scores, max_parents), best.parents)
    return Structure(best.parents, scores.total(best.parents))


def _try_adding(parents: Parents, u: float, v: float, max_parents: int) -> list:
    """A random arc, unless it is there, closes a cycle or gives a node too many parents."""
    a, b = _pair(len(parents), u, v)
    if a in parents[b] or len(parents[b]) >= max_parents or _is_ancestor(parents, b, a):
        return []
    return [(b, with_parent(parents[b], a))]


def _try_removing(parents: Parents, u: float, v: float, max_parents: int) -> list:
    """A random arc of the graph, if there is any."""
    which = int(u * sum(map(len, parents)))
    for node, above in enumerate(parents):
        if which < len(above):
            return [(node, above[:which] + above[which + 1 :])]
        which -= len(above)
    return []


def _try_exchanging(parents: Parents, u: float, v: float, max_parents: int) -> list:
    """Two random nodes trade their places in the graph; only what changes is named."""
    a, b = _pair(len(parents), u, v)
    other = {a: b, b: a}
    changed = []
    for node, above in enumerate(parents):
        place = other.get(node, node)
        if place == node and a not in above and b not in above:
            continue
        new = tuple(sorted(other.get(parent, parent) for parent in above))
        if new != parents[place]:
            changed.append((place, new))
    return changed


_OPERATIONS = (_try_adding, _try_removing, _try_exchanging)


def _pair(p: int, u: float, v: float) -> tuple[int, int]:
    """Two different nodes from two uniform numbers."""
    a, b = int(u * p), int(v * (p - 1))
    return a, b + (b >= a)


def _is_ancestor(parents: Parents, node: int, of: int) -> bool:
    """Whether there is a directed path from `node` to `of`."""
    stack, found = [of], set()
    while stack:
        for parent in parents[stack.pop()]:
            if parent == node:
                return True
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return False


def _descendants(adjacency: np.ndarray) -> np.ndarray:
    """``[a, b]``: whether b is a or can be reached from a."""
    reach = adjacency | np.eye(len(adjacency), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if np.array_equal(further, reach):
            return reach
        reach = further

"""Exact probabilities of nodes given others, by elimination, for many rows at a time.

Rows with the same missing cells are answered together. A factor is an array whose first axis is
the rows and whose other axes are the states of missing nodes, in increasing order of the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

#: Most cells of the tables of one block of rows.
_CELLS = 1 << 22
#: Most states of a table for one row.
_MOST_STATES = 1 << 24

Factor = tuple[tuple[int, ...], np.ndarray]


@dataclass(frozen=True)
class Graph:
    """The shape of a network: parents and number of states of each node.

    The table of a node has an axis for each parent, in their order, then one for the node.
    """

    parents: Sequence[tuple[int, ...]]
    n_levels: Sequence[int]

    def family(self, node: int) -> tuple[int, ...]:
        """The nodes of the axes of a node's table."""
        return (*self.parents[node], node)

    def shape(self, node: int) -> tuple[int, ...]:
        """The shape of a node's table."""
        return tuple(self.n_levels[v] for v in self.family(node))


@dataclass(frozen=True)
class Group:
    """Rows with the same missing cells, and where their families stand in the tables.

    Attributes
    ----------
    rows : ndarray of int
        The rows.
    missing : tuple of int
        The nodes without a state, in increasing order.
    scopes : dict of int to tuple of int
        For each node the missing ones of its family.
    places : dict of int to ndarray
        For each node the flat places in its table, an axis of rows and one for each missing node.
    """

    rows: np.ndarray
    missing: tuple[int, ...]
    scopes: dict[int, tuple[int, ...]]
    places: dict[int, np.ndarray]


def group_rows(
    graph: Graph, codes: np.ndarray, nodes: Sequence[int] | None = None, keep: Sequence[int] = ()
) -> Iterator[Group]:
    """Rows with the same missing cells.

    Parameters
    ----------
    graph : Graph
        The network.
    codes : ndarray of int, shape (n_rows, n_nodes)
        States, -1 where missing.
    nodes : sequence of int, optional
        Nodes whose families are wanted, for all groups; None is those that matter for `keep`.
    keep : sequence of int
        Nodes whose probabilities are wanted.
    """
    missing = codes < 0
    patterns, which = np.unique(missing, axis=0, return_inverse=True)
    which = which.ravel()
    for k, pattern in enumerate(patterns):
        unknown = tuple(np.flatnonzero(pattern).tolist())
        wanted = nodes if nodes is not None else _relevant(graph, pattern, keep)
        rows = np.flatnonzero(which == k)
        scopes = {
            v: tuple(sorted(set(graph.family(v)).intersection(unknown))) for v in wanted
        }  # fmt: skip
        widest = max((prod(graph.n_levels[w] for w in s) for s in scopes.values()), default=1)
        step = max(1, _CELLS // max(1, widest * max(1, len(scopes))))
        for start in range(0, rows.size, step):
            block = rows[start : start + step]
            places = {v: _places(graph, v, codes[block], scopes[v]) for v in wanted}
            known = tuple(w for w in unknown if any(w in scope for scope in scopes.values()))
            yield Group(block, known, scopes, places)


def _relevant(graph: Graph, missing: np.ndarray, keep: Sequence[int]) -> list[int]:
    """Nodes that have a state or are wanted, and their ancestors: the others sum to one."""
    stack = [v for v in range(len(missing)) if not missing[v] or v in keep]
    found = set(stack)
    while stack:
        for parent in graph.parents[stack.pop()]:
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return sorted(found)


def _places(graph: Graph, node: int, codes: np.ndarray, scope: tuple[int, ...]) -> np.ndarray:
    """Flat places of a family's states in the table of the node."""
    out = np.zeros((len(codes), *(1 for _ in scope)), dtype=np.intp)
    for member, levels in zip(graph.family(node), graph.shape(node), strict=True):
        if member in scope:
            axes = [1] * out.ndim
            axes[1 + scope.index(member)] = levels
            state = np.arange(levels).reshape(axes)
        else:
            state = codes[:, member].reshape(-1, *(1 for _ in scope)).astype(np.intp)
        out = out * levels + state
    return out


def make_factors(group: Group, tables: Sequence[np.ndarray]) -> tuple[list[Factor], np.ndarray]:
    """Factors of a group's families, and the logarithm of those without missing nodes."""
    factors: list[Factor] = []
    log_known = np.zeros(group.rows.size)
    with np.errstate(divide="ignore"):
        for node, scope in group.scopes.items():
            values = tables[node].ravel()[group.places[node]]
            if scope:
                factors.append((scope, values))
            else:
                log_known += np.log(values)
    return factors, log_known


def eliminate(
    factors: list[Factor], keep: tuple[int, ...], n_levels: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Sum the product of factors over all nodes but some.

    Parameters
    ----------
    factors : list of (scope, array)
        Factors of the same rows.
    keep : tuple of int
        Nodes to keep, in increasing order.
    n_levels : sequence of int
        Number of states of each node.

    Returns
    -------
    table : ndarray of shape (n_rows, *states of the nodes to keep)
        The sums, scaled so that the largest of a row is one (zero if all are).
    log_scale : ndarray of shape (n_rows,)
        Logarithm of what they were divided by.
    """
    left = {v for scope, _ in factors for v in scope}.difference(keep)
    n_rows = len(factors[0][1])
    log_scale = np.zeros(n_rows)
    while left:
        node = min(left, key=lambda v: (_size_after(factors, v, n_levels), v))
        left.remove(node)
        scope, product = _product([f for f in factors if node in f[0]], n_levels)
        summed = product.sum(axis=1 + scope.index(node))
        rest = tuple(v for v in scope if v != node)
        summed, log_part = _scaled(summed)
        log_scale += log_part
        factors = [f for f in factors if node not in f[0]] + [(rest, summed)]
    scope, table = _product([*factors, (keep, np.ones((1, *(1 for _ in keep))))], n_levels)
    table = np.broadcast_to(table, (n_rows, *(n_levels[v] for v in scope)))
    table, log_part = _scaled(table)
    return table, log_scale + log_part


def _size_after(factors: list[Factor], node: int, n_levels: Sequence[int]) -> int:
    """States of the table that remains when a node is summed out."""
    nodes = {v for scope, _ in factors if node in scope for v in scope}
    return prod(n_levels[v] for v in nodes)


def _product(factors: list[Factor], n_levels: Sequence[int]) -> Factor:
    """Product of factors, over all of their nodes."""
    scope = tuple(sorted({v for each, _ in factors for v in each}))
    if prod(n_levels[v] for v in scope) > _MOST_STATES:
        raise ValueError(
            f"The network is too dense for exact probabilities: a table of {len(scope)} variables "
            f"would have more than {_MOST_STATES} states. Use fewer parents (max_parents), or "
            "give more of the cells."
        )
    result: np.ndarray | None = None
    for each, values in factors:
        sizes = dict(zip(each, values.shape[1:], strict=True))
        aligned = values.reshape(len(values), *(sizes.get(v, 1) for v in scope))
        result = aligned if result is None else result * aligned
    assert result is not None
    return scope, result


def _scaled(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row divided by its largest value, and the logarithm of that."""
    top = values.reshape(len(values), -1).max(axis=1)
    with np.errstate(divide="ignore"):
        log_top = np.log(top)
    safe = np.where(top > 0, top, 1.0)
    return values / safe.reshape(-1, *(1 for _ in values.shape[1:])), log_top


def posterior(
    graph: Graph, tables: Sequence[np.ndarray], codes: np.ndarray, target: int
) -> np.ndarray:
    """Probability of each state of a node given the known cells of every row.

    Parameters
    ----------
    graph : Graph
        The network.
    tables : sequence of ndarray
        Probabilities of each node.
    codes : ndarray of int, shape (n_rows, n_nodes)
        States, -1 where missing; those of the target are not looked at.
    target : int
        The node.

    Returns
    -------
    ndarray of shape (n_rows, n_states)
        For a row that the network holds impossible, the probabilities without any cell.
    """
    codes = codes.copy()
    codes[:, target] = -1
    out = np.empty((len(codes), graph.n_levels[target]))
    for group in group_rows(graph, codes, keep=(target,)):
        factors, log_known = make_factors(group, tables)
        table, log_scale = eliminate(factors, (target,), graph.n_levels)
        totals = table.sum(axis=1)
        possible = (totals > 0) & np.isfinite(log_known + log_scale)
        out[group.rows] = np.where(possible[:, None], table / np.where(totals, totals, 1)[:, None],
                                   np.nan)  # fmt: skip
    impossible = np.isnan(out[:, 0])
    if impossible.any():
        nothing = np.full((1, codes.shape[1]), -1)
        out[impossible] = posterior(graph, tables, nothing, target)
    return out


def log_likelihood(graph: Graph, tables: Sequence[np.ndarray], codes: np.ndarray) -> np.ndarray:
    """Logarithm of the probability of the known cells of every row."""
    out = np.empty(len(codes))
    for group in group_rows(graph, codes):
        factors, log_known = make_factors(group, tables)
        out[group.rows] = log_known
        if factors:
            table, log_scale = eliminate(factors, (), graph.n_levels)
            with np.errstate(divide="ignore"):
                out[group.rows] += np.log(table) + log_scale
    return out

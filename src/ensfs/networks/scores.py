"""The Bayesian information criterion of families: a node and its parents, each counted once."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from ensfs._core import families, independence
from ensfs.independence._testers import CACHE_BYTES, ByteLimitedCache

Family = tuple[int, tuple[int, ...]]


class FamilyScores:
    r"""BIC of families over rows of codes, remembered.

    The score of a node :math:`i` with parents whose combinations of states are :math:`u` is
    :math:`\sum_{u,x} n_{xu} \ln(n_{xu} / n_u) - \frac{\ln n}{2} q_i (r_i - 1)`, where
    :math:`q_i` is the number of combinations and :math:`r_i` that of the node's states. The score
    of a graph is the sum over its nodes.

    Parameters
    ----------
    codes : ndarray of int, shape (n_rows, n_nodes)
        States 0, 1, ... of each node; -1 is a missing cell. A family with missing cells is counted
        in the rows that have all of its cells, and the likelihood is scaled up to all rows.
    n_levels : sequence of int
        Number of states of each node.
    weights : ndarray of shape (n_rows,), optional
        How often each row counts.

    Attributes
    ----------
    n_rows, n_nodes : int
        Shape of the table.
    n_counted : int
        Families counted so far.
    """

    def __init__(
        self, codes: np.ndarray, n_levels: Sequence[int], weights: np.ndarray | None = None
    ):
        self.n_rows, self.n_nodes = codes.shape
        self.n_levels = [int(levels) for levels in n_levels]
        missing = codes < 0
        self._has_missing = bool(missing.any())
        self._observed = [~missing[:, j] for j in range(self.n_nodes)] if self._has_missing else []
        # missing cells are a state of their own where strata are numbered, and then left out
        filled = np.where(missing, self.n_levels, codes) if self._has_missing else codes
        most = max(self.n_levels, default=0) + self._has_missing
        self._codes = np.asfortranarray(filled, dtype=np.uint8 if most <= 256 else np.uint16)
        self._size = 1 << max(10, (2 * self.n_rows - 1).bit_length())
        self._table = np.empty(self._size, dtype=np.int32)
        self._keys = np.empty(self._size, dtype=np.int64)
        self._strata = ByteLimitedCache(CACHE_BYTES)
        self._known: dict[Family, float] = {}
        self._weights = weights
        self._total = self.n_rows if weights is None else float(weights.sum())
        self._half_log = 0.5 * np.log(self._total)
        numbers = np.arange(self.n_rows + 1, dtype=np.float64)
        self._klogk = xlogy(numbers, numbers)
        self._levels = np.array(self.n_levels, dtype=np.int32)

    @property
    def n_counted(self) -> int:
        """Families counted so far."""
        return len(self._known)

    def score(self, node: int, parents: tuple[int, ...]) -> float:
        """BIC of a node with parents, which are in increasing order."""
        key = (node, parents)
        found = self._known.get(key)
        if found is None:
            if parents:
                return self.with_each(node, parents[:-1], parents[-1:])[0]
            found = self._known[key] = self._score(node, parents)
        return found

    def with_each(self, node: int, parents: tuple[int, ...], others: Sequence[int]) -> list[float]:
        """BIC of a node with its parents and, in turn, each of some others."""
        keys = [(node, with_parent(parents, other)) for other in others]
        new = [i for i, key in enumerate(keys) if key not in self._known]
        room = self._size // (self.strata(parents)[1] * self.n_levels[node]) if new else 0
        whole = self._weights is None and not self._has_missing
        together = [i for i in new if self.n_levels[others[i]] <= room and whole]
        if together:
            likelihoods = self._likelihoods(node, parents, [others[i] for i in together])
            for i, likelihood in zip(together, likelihoods.tolist(), strict=True):
                self._known[keys[i]] = likelihood - self._penalty(*keys[i])
        for i in new:
            if keys[i] not in self._known:
                self._known[keys[i]] = self._score(*keys[i])
        return [self._known[key] for key in keys]

    def _likelihoods(
        self, node: int, parents: tuple[int, ...], others: Sequence[int]
    ) -> np.ndarray:
        """Log-likelihoods of the families of a node with one parent more, counted densely."""
        label, n_labels = self.strata(parents)
        label = np.multiply(label, self.n_levels[node], dtype=np.int32)
        np.add(label, self._codes[:, node], out=label)
        out = np.empty(len(others))
        families.added_likelihoods(
            label, n_labels, self.n_levels[node], self._codes, np.array(others, dtype=np.int64),
            self._levels, self._klogk, self._table, out,
        )  # fmt: skip
        return out

    def _penalty(self, node: int, parents: tuple[int, ...]) -> float:
        n_combinations = math.prod(self.n_levels[parent] for parent in parents)
        return float(self._half_log * n_combinations * (self.n_levels[node] - 1))

    def total(self, parents: Sequence[Sequence[int]]) -> float:
        """BIC of a graph."""
        return sum(self.score(node, tuple(sorted(above))) for node, above in enumerate(parents))

    def _score(self, node: int, parents: tuple[int, ...]) -> float:
        counts = self._count(node, parents)
        likelihood = xlogy(counts, counts).sum()
        rows = counts.sum(axis=1)
        likelihood -= xlogy(rows, rows).sum()
        if self._has_missing:
            n_counted = rows.sum()
            likelihood *= self._total / n_counted if n_counted else 0.0
        return float(likelihood) - self._penalty(node, parents)

    def _count(self, node: int, parents: tuple[int, ...]) -> np.ndarray:
        """Rows of each combination of the parents that occurs, by the state of the node."""
        label, n_labels = self.strata(parents)
        levels = self.n_levels[node]
        place: np.ndarray = label.astype(np.intp)
        place *= levels
        place = place + self._codes[:, node]
        weights = self._weights
        if self._has_missing:
            observed = np.logical_and.reduce([self._observed[j] for j in (node, *parents)])
            place = place[observed]
            weights = None if weights is None else weights[observed]
        counts = np.bincount(place, weights, minlength=n_labels * levels)
        return counts.reshape(n_labels, levels)

    def strata(self, given: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """Number of each row's combination of states of the given nodes, and how many occur."""
        if not given:
            return np.zeros(self.n_rows, dtype=np.int32), 1
        return self._strata.get_or_make(given, lambda: self._refine(given), 4 * self.n_rows)

    def _refine(self, given: tuple[int, ...]) -> tuple[np.ndarray, int]:
        label, count = self.strata(given[:-1])
        last = given[-1]
        out = np.empty(self.n_rows, dtype=np.int32)
        levels = self.n_levels[last] + self._has_missing
        found = independence.refine(
            label, count, self._codes[:, last], levels, self._table, self._keys, out
        )
        return out, found


def with_parent(parents: tuple[int, ...], node: int) -> tuple[int, ...]:
    """Parents with one more, in increasing order."""
    return tuple(sorted((*parents, node)))

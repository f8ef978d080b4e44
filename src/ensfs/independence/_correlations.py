"""Tests from partial correlations: Fisher's z."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import erfc

from ensfs.independence._testers import (
    CACHE_BYTES,
    ByteLimitedCache,
    Outcome,
    PartTester,
    TableTester,
)
from ensfs.statistics import Resampling, Source, by_score

#: Eigenvalues of a correlation matrix below this share of the largest count as 0, and so does the
#: share of its variance that a column keeps given others.
SINGULAR = 1e-10
#: Largest absolute correlation, so that Fisher's z stays finite.
MAX_CORRELATION = 1 - 1e-15


def partial_correlation(
    r: np.ndarray, x: np.ndarray, y: np.ndarray, given: np.ndarray
) -> np.ndarray:
    """Partial correlations of pairs of variables given others.

    Parameters
    ----------
    r : ndarray of shape (tests,)
        Correlation of each pair.
    x, y : ndarray of shape (tests, m)
        Correlations of each of the two with the given variables.
    given : ndarray of shape (tests, m, m), or (1, m, m) if all tests share them
        Correlations among the given variables. The matrix may be singular.

    Returns
    -------
    ndarray of shape (tests,)
        Partial correlations; 0 where x or y is a linear function of the given variables.
    """
    if not given.shape[-1]:
        return np.clip(r, -MAX_CORRELATION, MAX_CORRELATION)
    variances, directions = np.linalg.eigh(given)
    kept = variances > SINGULAR * variances[:, -1:]
    scale = np.where(kept, 1 / np.sqrt(np.where(kept, variances, 1.0)), 0.0)
    on_x = np.einsum("tm,tmk->tk", x, np.broadcast_to(directions, (len(x), *given.shape[1:])))
    on_y = np.einsum("tm,tmk->tk", y, np.broadcast_to(directions, (len(y), *given.shape[1:])))
    on_x, on_y = on_x * scale, on_y * scale
    left = (1 - (on_x**2).sum(axis=1)) * (1 - (on_y**2).sum(axis=1))
    determined = np.minimum(1 - (on_x**2).sum(axis=1), 1 - (on_y**2).sum(axis=1)) <= SINGULAR
    partial = (r - (on_x * on_y).sum(axis=1)) / np.sqrt(np.where(determined, 1.0, left))
    return np.where(determined, 0.0, np.clip(partial, -MAX_CORRELATION, MAX_CORRELATION))


def fisher_z(r: np.ndarray, n: float, n_given: int) -> tuple[np.ndarray, np.ndarray]:
    """Fisher's z of partial correlations given `n_given` variables, and its two-sided p-value."""
    z = np.sqrt(max(0, n - n_given - 3)) * np.arctanh(r)
    return z, erfc(np.abs(z) / np.sqrt(2))


class CorrelationTester(TableTester):
    """Fisher's z of partial correlations; rows of the correlation matrix are cached.

    Parameters
    ----------
    source : Source
        Source of signed correlations; its relevance is the correlation with the target.
    resampling : Resampling
        The parts of the rows.
    alpha : float
        Largest p-value of a dependence.
    """

    def __init__(self, source: Source, resampling: Resampling, alpha: float):
        self.source, self.n_rows, self.alpha = source, resampling.n_rows, alpha
        self.n_features, self.n_parts = source.n_features, source.n_parts
        self.relevance = np.abs(source.relevance)
        self._rows = ByteLimitedCache(max(CACHE_BYTES, 8 * (self.n_features + 1) ** 2))

    def part(self, t: int) -> PartTester:
        """The tester of part ``t``."""
        return CorrelationPartTester(self, t)

    def row(self, j: int) -> np.ndarray:
        """Correlations of node ``j`` with every node, in every part."""
        return self._rows.get_or_make(
            j, partial(self._row, j), 8 * self.n_parts * (self.n_features + 1)
        )

    def _row(self, j: int) -> np.ndarray:
        row = np.ones((self.n_parts, self.n_features + 1))
        if j == self.n_features:
            row[:, :-1] = self.source.relevance
            return row
        values = np.empty((self.n_parts, self.n_features))
        self.source.association(
            [(j, np.arange(self.n_parts))], values, partial(by_score, self.relevance)
        )
        row[:, :-1], row[:, -1] = values, self.source.relevance[:, j]
        row[:, j] = 1.0
        return row


class CorrelationPartTester(PartTester):
    """Fisher's z in one part."""

    def __init__(self, table: CorrelationTester, t: int):
        super().__init__(table.n_features)
        self.table, self.t = table, t
        self.n = table.n_rows[t].item()
        self._place = np.full(table.n_features + 1, -1)
        self._matrix = np.empty((0, 0))

    def relevance_to(self, y: int) -> np.ndarray:
        """Absolute correlation of every node with node `y`."""
        return np.abs(self.table.row(y)[self.t])

    def _columns(self, y: int, columns: np.ndarray, given: tuple[int, ...]) -> Outcome:
        rows = np.empty((len(given), self.table.n_features + 1))
        for row, g in zip(rows, given, strict=True):
            row[:] = self.table.row(g)[self.t]
        among = rows[:, list(given)][None]
        x = rows[:, columns].T
        r = self.table.row(y)[self.t, columns]
        return self._decide(
            partial_correlation(r, x, np.broadcast_to(rows[:, y], x.shape), among), len(given)
        )

    def _pairs(self, pairs: np.ndarray) -> Outcome:
        R, place = self._correlations(np.unique(pairs))
        at = place[pairs]
        x, y, given = at[:, :1], at[:, 1:2], at[:, 2:]
        partial = partial_correlation(
            R[at[:, 0], at[:, 1]], R[x, given], R[y, given], R[given[:, :, None], given[:, None]]
        )
        return self._decide(partial, given.shape[1])

    def _correlations(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A correlation matrix that covers `nodes`, and the place of each node in it."""
        if (self._place[nodes] < 0).any():
            nodes = np.union1d(np.nonzero(self._place >= 0)[0], nodes)
            self._matrix = np.array([self.table.row(int(j))[self.t, nodes] for j in nodes])
            self._place[nodes] = np.arange(nodes.size)
        return self._matrix, self._place

    def _decide(self, r: np.ndarray, n_given: int) -> Outcome:
        z, pvalue = fisher_z(r, self.n, n_given)
        reliable = np.full(r.size, self.n - n_given - 3 > 0)
        information = -0.5 / np.log(2) * np.log1p(-r * r)
        dependent = (pvalue <= self.table.alpha) & reliable
        return Outcome(dependent, reliable, information, z**2, np.ones(r.size), pvalue)

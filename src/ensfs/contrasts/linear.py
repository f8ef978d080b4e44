"""Effects in a straight line, which trees need more rows to see."""

from __future__ import annotations

import numpy as np
from scipy import stats

from ensfs.contrasts.prediction import scores_of_codes
from ensfs.data.bins import NOMINAL
from ensfs.measures.forest import ForestTarget

#: Columns whose scores are held at a time.
_COLUMNS = 256


class LinearEffects:
    """F tests of ordered columns against what the trees of a round explain.

    A split at the middle of a normal column keeps 2 / pi of what it says about a target in a
    straight line, so trees need half as many rows again for a weak effect.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, p)
        The columns in bins, or as levels.
    nominal : ndarray of shape (p,)
        Which of them have levels without an order: these are not tested.
    weight : ndarray of shape (n,), optional
        Weights of the rows.
    """

    def __init__(self, codes: np.ndarray, nominal: np.ndarray, weight: np.ndarray | None):
        self.codes, self.nominal = codes, nominal
        self.weight = np.ones(codes.shape[0]) if weight is None else weight

    def p_values(self, target: ForestTarget) -> np.ndarray:
        """P-values of the columns; 1 where levels have no order.

        The normal scores of a column are regressed on the target, on its classes, or on what is
        left of these; missing cells have the score 0. A weight is how often its row is there.
        """
        found = np.ones(self.codes.shape[1])
        basis = self._basis(target)
        rank, rest = basis.shape[1], self.weight.sum() - 1 - basis.shape[1]
        if rank == 0 or rest <= 0:
            return found
        ordered = np.nonzero(self.nominal != NOMINAL)[0]
        for start in range(0, ordered.size, _COLUMNS):
            columns = ordered[start : start + _COLUMNS]
            share = self._shares(columns, basis)
            with np.errstate(divide="ignore"):
                found[columns] = stats.f.sf(share / (1.0 - share) * rest / rank, rank, rest)
        return found

    def _basis(self, target: ForestTarget) -> np.ndarray:
        """Orthonormal columns that span the target about its mean, in rows of equal weight."""
        outputs = target.outputs if target.values is None else target.values[None]
        assert outputs is not None
        away = self._centred(outputs.T)
        left, sizes, _ = np.linalg.svd(away, full_matrices=False)
        return left[:, sizes > 1e-9 * max(sizes[0], 1e-300)]

    def _shares(self, columns: np.ndarray, basis: np.ndarray) -> np.ndarray:
        """Share of the variance of the normal scores of columns that the target explains."""
        scores = np.column_stack([scores_of_codes(self.codes[:, j], self.weight) for j in columns])
        away = self._centred(scores)
        squares = np.sum(away**2, axis=0)
        explained = np.sum((basis.T @ away) ** 2, axis=0)
        shares = np.zeros(columns.size)
        np.divide(explained, squares, out=shares, where=squares > 0.0)
        return np.minimum(shares, 1.0)

    def _centred(self, values: np.ndarray) -> np.ndarray:
        away = values - np.average(values, axis=0, weights=self.weight)
        return away * np.sqrt(self.weight)[:, None]

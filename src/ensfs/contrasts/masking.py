"""Which relevant columns can take the place of which."""

from __future__ import annotations

import numpy as np

from ensfs.contrasts.null_distribution import paired_p_values, significant
from ensfs.contrasts.replicates import Replicates, upper_quantile
from ensfs.measures.forest import ForestTarget

#: Trees of a forest, at least.
LEAST_TREES = 100
#: Depth of a tree, at most: surrogates of small nodes say little.
MOST_DEPTH = 6


class Masking:
    """Masking scores of the relevant columns, compared with those of contrasts."""

    def __init__(self, replicates: Replicates):
        self.replicates, self.ace = replicates, replicates.ace

    def find(
        self, number: int, columns: np.ndarray, target: ForestTarget
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which of the relevant columns masks which, which does at least in part, and the scores.

        In part: more than contrasts, but too little to take its place.
        """
        n = columns.size
        if n == 1:
            none = np.zeros((1, 1), dtype=bool)
            return none, none, np.zeros((1, 1))
        ace = self.ace
        forest = self.replicates.forest(columns, target, 2 * n, LEAST_TREES, MOST_DEPTH)

        def replicate(r: int) -> tuple[np.ndarray, np.ndarray]:
            one = forest.replicate(self.replicates.seed_of(number, 1, r), masking=True)
            return one.masking, upper_quantile(one.contrast_masking, ace.quantile)

        scores, chance = self.replicates.repeat(
            f"{self.replicates.round_name(number)}: masking", replicate, self._is_clear
        )
        partly = self._are_above(scores, chance)
        masks = partly & self._are_above(scores, self._limits(scores, chance))
        return masks, partly, scores.mean(axis=0)

    def _limits(self, scores: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """What masking has to exceed in each replicate: chance, and a share of the most."""
        # a column stands in for itself perfectly: the diagonal is what it could mask at most
        most = np.diagonal(scores, axis1=1, axis2=2)
        return np.maximum(chance, self.ace.min_association * most)

    def _are_above(self, scores: np.ndarray, limits: np.ndarray) -> np.ndarray:
        """Which pairs of different columns are significantly above the limits of the first."""
        pairs = ~np.eye(scores.shape[1], dtype=bool)
        above = np.zeros(pairs.shape, dtype=bool)
        p_values = paired_p_values(scores, limits[:, :, None])
        above[pairs] = significant(p_values[pairs], self.ace.alpha, self.ace.correction)
        return above

    def _is_clear(self, scores: np.ndarray, thresholds: np.ndarray) -> bool:
        """Whether every pair is significant at a tenth of the level, or far from the level."""
        limits = self._limits(scores, thresholds)
        p_values = paired_p_values(scores, limits[:, :, None])
        p_values = p_values[~np.eye(p_values.shape[0], dtype=bool)]
        above = significant(p_values, self.ace.alpha / 10, self.ace.correction)
        return bool((above | (p_values > 0.5)).all())

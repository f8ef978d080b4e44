"""Stability of many selections."""

import numpy as np

from ensfs.evaluation import jaccard_stability, nogueira_stability


class Stability:
    """Masks of selections."""

    params = ([(10, 1_000), (100, 1_000), (100, 10_000)],)
    param_names = ("sets_columns",)

    def setup(self, size):
        self.masks = np.random.default_rng(0).random(size) < 0.05

    def time_jaccard(self, size):
        jaccard_stability(self.masks)

    def time_nogueira(self, size):
        nogueira_stability(self.masks)

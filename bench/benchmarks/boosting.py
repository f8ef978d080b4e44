"""Stumps and their boosting."""

import numpy as np

from ensfs import RpBoostClassifier
from ensfs.ensemble._stumps import best_stump, sort_rows


class Stumps:
    """One round: sort the rows of all columns, find the best stump."""

    params = [(1_000, 2), (700, 34), (5_000, 60), (20_000, 20)]
    param_names = ("shape",)

    def setup(self, shape):
        rng = np.random.default_rng(0)
        self.values = np.asfortranarray(rng.normal(size=shape))
        self.gradient = rng.normal(size=shape[0])

    def time_round(self, shape):
        best_stump(self.values, sort_rows(self.values), self.gradient)


class RpBoost:
    """A hundred rounds."""

    params = [None, "normal"]
    param_names = ("projection",)

    def setup(self, projection):
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(1_000, 20))
        self.y = self.X[:, :3].sum(axis=1) > 0
        self.model = RpBoostClassifier(100, projection=projection, random_state=0)

    def time_fit(self, projection):
        self.model.fit(self.X, self.y)

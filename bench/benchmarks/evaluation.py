"""Stability of many selections, diversity of many members, ranks of many methods."""

import numpy as np

from benchmarks.common import continuous
from ensfs import MIM, MRMR
from ensfs.evaluation import (
    agreement,
    ambiguity,
    bias_variance,
    compare_selectors,
    ensemble_gain,
    error_correlation,
    friedman_holm,
    jaccard_stability,
    nogueira_stability,
)


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


class Diversity:
    """Outputs of an ensemble of 30 members for three classes."""

    params = ([1_000, 20_000],)
    param_names = ("n_rows",)

    def setup(self, n):
        rng = np.random.default_rng(0)
        self.outputs = rng.dirichlet([1.0, 1.0, 1.0], size=(30, n))
        self.y = rng.integers(3, size=n)

    def time_error_correlation(self, n):
        error_correlation(self.outputs, self.y)

    def time_ambiguity(self, n):
        ambiguity(self.outputs.argmax(axis=2))

    def time_agreement(self, n):
        agreement(self.outputs.argmax(axis=2))

    def time_ensemble_gain(self, n):
        ensemble_gain(self.outputs.argmax(axis=2), self.y, loss="conditional_entropy")

    def time_bias_variance(self, n):
        bias_variance(self.outputs.argmax(axis=2), self.y)


class Ranks:
    """Results of 20 methods on 100 data sets."""

    def setup(self):
        self.results = np.random.default_rng(0).random((100, 20)).round(2)

    def time_friedman_holm(self):
        friedman_holm(self.results)


class Comparison:
    """Two selectors in ten folds, with models on their columns."""

    def setup(self):
        self.X, self.y = continuous(200, 1_000)

    def time_compare(self):
        compare_selectors([MRMR(10), MIM(10)], self.X, self.y, baseline=False)

"""The measures as plain functions: all columns against the target, and pairs of columns."""

import numpy as np

from benchmarks.common import coded, continuous
from ensfs.measures import (
    conditional_mutual_information,
    entropy,
    f_test,
    g_square,
    mutual_information,
    pairwise,
    pearson,
    symmetrical_uncertainty,
)


class Pearson:
    """Correlation with a numeric target; with folds, all leave-one-out parts at once."""

    params = ([(500, 10_000), (500, 2_500), (2_000, 2_500), (100_000, 50)], [None, 20])
    param_names = ("shape", "folds")

    def setup(self, shape, folds):
        self.X, y = continuous(*shape)
        self.y = y + np.random.default_rng(1).standard_normal(len(y))

    def time_measure(self, shape, folds):
        pearson(self.X, self.y, folds=folds)

    def peakmem_measure(self, shape, folds):
        pearson(self.X, self.y, folds=folds)


class FTest:
    """One-way analysis of variance for classes; with folds, all leave-one-out parts at once."""

    params = ([(500, 10_000), (500, 2_500), (2_000, 2_500), (100_000, 50)], [None, 20])
    param_names = ("shape", "folds")

    def setup(self, shape, folds):
        self.X, self.y = continuous(*shape)

    def time_measure(self, shape, folds):
        f_test(self.X, self.y, folds=folds)

    def peakmem_measure(self, shape, folds):
        f_test(self.X, self.y, folds=folds)


class MutualInformation:
    """Contingency tables of coded columns with the class; few and many levels."""

    params = (
        [(100, 7_000), (800, 7_000), (800, 28_000), (5_000, 2_000)],
        [2, 4, 12],
        [None, 20],
    )
    param_names = ("shape", "n_levels", "folds")

    def setup(self, shape, n_levels, folds):
        self.X, self.y = coded(*shape, n_levels)

    def time_measure(self, shape, n_levels, folds):
        mutual_information(self.X, self.y, folds=folds)

    def peakmem_measure(self, shape, n_levels, folds):
        mutual_information(self.X, self.y, folds=folds)


class Uncertainty:
    """Entropy and symmetrical uncertainty of coded columns."""

    params = ([(100, 7_000), (800, 7_000), (800, 28_000), (5_000, 2_000)], [2, 5, 12], [None, 20])
    param_names = ("shape", "n_levels", "folds")

    def setup(self, shape, n_levels, folds):
        self.X, self.y = coded(*shape, n_levels)

    def time_entropy(self, shape, n_levels, folds):
        entropy(self.X, folds=folds)

    def time_symmetrical_uncertainty(self, shape, n_levels, folds):
        symmetrical_uncertainty(self.X, self.y, folds=folds)

    def peakmem_symmetrical_uncertainty(self, shape, n_levels, folds):
        symmetrical_uncertainty(self.X, self.y, folds=folds)


class Conditional:
    """Information with the class given one column, and the test of it."""

    params = ([(100, 7_000), (800, 7_000), (800, 28_000), (5_000, 2_000)], [2, 5])
    param_names = ("shape", "n_levels")

    def setup(self, shape, n_levels):
        self.X, self.y = coded(*shape, n_levels)
        self.z = self.X[:, 0].copy()

    def time_conditional_mutual_information(self, shape, n_levels):
        conditional_mutual_information(self.X, self.y, self.z)

    def peakmem_conditional_mutual_information(self, shape, n_levels):
        conditional_mutual_information(self.X, self.y, self.z)

    def time_g_square(self, shape, n_levels):
        g_square(self.X, self.y, self.z)


class Pairwise:
    """All pairs of columns."""

    params = (
        [(500, 250), (500, 500), (500, 1_000), (2_000, 500)],
        ["pearson", "mutual_information", "symmetrical_uncertainty"],
    )
    param_names = ("shape", "measure")

    def setup(self, shape, measure):
        make = continuous if measure == "pearson" else lambda n, p: coded(n, p, 3)
        self.X = make(*shape)[0]

    def time_pairs(self, shape, measure):
        pairwise(self.X, measure=measure)

    def peakmem_pairs(self, shape, measure):
        pairwise(self.X, measure=measure)

"""Decompositions: the information theoretic one beside one selection on the same data."""

from benchmarks.common import coded, continuous
from ensfs import MRMR, InputDecimation, ITDecomposition, IteratedFCBFDecomposition


class Coded:
    """Columns that share a factor; half as many show how it grows."""

    params = (["ITD", "IFCBF", "MRMR"], [(100, 50_000, 3), (100, 25_000, 3), (500, 10_000, 3)])
    param_names = ("method", "n_p_levels")
    timeout = 300

    def setup(self, method, size):
        self.X, self.y = coded(*size)
        self.estimator = {
            "ITD": ITDecomposition(30),
            "IFCBF": IteratedFCBFDecomposition(30),
            "MRMR": MRMR(30),
        }[method]

    def time_fit(self, method, size):
        self.estimator.fit(self.X, self.y)

    def peakmem_fit(self, method, size):
        self.estimator.fit(self.X, self.y)


class Noise:
    """Every column counts as relevant and none is redundant: the hardest case."""

    params = ([10_000, 50_000],)
    param_names = ("p",)
    timeout = 300

    def setup(self, p):
        self.X, self.y = coded(100, p, 3, common=0.0)

    def time_itd(self, p):
        ITDecomposition(30).fit(self.X, self.y)


class Decimation:
    """Correlations with three classes, and the greedy variant."""

    params = ([None, "mean"], [(500, 10_000), (5_000, 1_000)])
    param_names = ("redundancy", "n_p")

    def setup(self, redundancy, size):
        self.X, y = continuous(*size)
        self.y = y + (self.X[:, 0] > 1)
        self.estimator = InputDecimation(50, redundancy=redundancy)

    def time_fit(self, redundancy, size):
        self.estimator.fit(self.X, self.y)

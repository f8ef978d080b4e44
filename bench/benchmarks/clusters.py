"""Random cluster ensembles: rows make the matrix of pairs large, columns the subspaces."""

import numpy as np

from ensfs import RandomClusterEnsemble
from ensfs._core import clusters
from ensfs.datasets import make_waveform

THREADS = [1, 2]


class Waves:
    """Fifty clusterings."""

    params = ([(500, 40), (1_000, 40), (2_000, 40), (500, 230)], THREADS)
    param_names = ("shape", "threads")

    def setup(self, shape, threads):
        n, p = shape
        self.X, _ = make_waveform(n, n_noise=p - 21, random_state=0)
        self.selector = RandomClusterEnsemble(n_estimators=50, random_state=0, n_jobs=threads)

    def time_fit(self, shape, threads):
        self.selector.fit(self.X)

    def peakmem_fit(self, shape, threads):
        self.selector.fit(self.X)


class CoAssociation:
    """The kernel alone: 200 clusterings."""

    params = [1_000, 2_000, 4_000]
    param_names = ("n",)

    def setup(self, n):
        rng = np.random.default_rng(0)
        self.labels = rng.integers(-2, 4, size=(200, n)).clip(-1).astype(np.int16)
        self.counts = np.zeros(n * (n - 1) // 2, dtype=np.uint16)

    def time_count(self, n):
        clusters.co_association(self.labels, 0, n, self.counts)

"""ACE: one round on wide tables, and the kernel with and without masking."""

import numpy as np

from benchmarks.common import continuous
from ensfs import ACE
from ensfs.measures.forest import ContrastForest, ForestTarget

THREADS = [1, 2]


class OneRound:
    """The base, then n and p halved."""

    params = ([(1_000, 500), (500, 500), (1_000, 250)], THREADS)
    param_names = ("shape", "threads")

    def setup(self, shape, threads):
        self.X, self.y = continuous(*shape)
        self.selector = ACE(n_replicates=10, max_iter=1, random_state=0, n_jobs=threads)

    def time_fit(self, shape, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, shape, threads):
        self.selector.fit(self.X, self.y)


class Forest:
    """One replicate of fifty trees."""

    params = ([(1_000, 40), (10_000, 40), (1_000, 1_000)], [False, True])
    param_names = ("shape", "masking")

    def setup(self, shape, masking):
        n, p = shape
        if masking and p > 100:
            raise NotImplementedError  # masking is for the few columns that are relevant
        rng = np.random.default_rng(0)
        codes = np.asfortranarray(rng.integers(255, size=shape, dtype=np.uint8))
        target = ForestTarget.of_numbers(rng.normal(size=n) + codes[:, 0] / 100)
        candidates = 2 * p if masking else int(np.ceil(np.sqrt(2 * p)))
        self.forest = ContrastForest(codes, np.zeros(p, np.uint8), target, 50, 6, 5, candidates)
        self.seed = np.random.SeedSequence(0)

    def time_replicate(self, shape, masking):
        self.forest.replicate(self.seed, masking=masking)

"""The filters that count: one size varies at a time, so that growth can be read off.

The base sizes are those of bench/compare.
"""

import inspect

import ensfs
from benchmarks.common import coded, coded_mask, continuous, continuous_mask
from ensfs import CFS, FCBF, FastEnsemble, InnerEnsemble
from ensfs.selection._greedy import GreedyInformation

# (n, p, levels): the bases, then n and p halved
SIZES = [(1_000, 20_000, 5), (500, 20_000, 5), (1_000, 10_000, 5), (800, 100_000, 2)]
THREADS = [1, 2]

GREEDY = [
    name
    for name in ensfs.__all__
    if inspect.isclass(c := getattr(ensfs, name)) and issubclass(c, GreedyInformation)
]


class FCBFCoded:
    """No factor is common to all columns: it would let the first remove all others."""

    params = (SIZES, THREADS)
    param_names = ("n_p_levels", "threads")

    def setup(self, size, threads):
        self.X, self.y = coded(*size, common=0.0)
        self.selector = FCBF(discrete_features=coded_mask(size[1]), n_jobs=threads)

    def time_fit(self, size, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, threads):
        self.selector.fit(self.X, self.y)


class CFSCoded:
    """The three searches."""

    params = ([(1_000, 5_000, 5), (1_000, 2_500, 5), (500, 5_000, 5)],
              ["forward", "best_first", "floating"])  # fmt: skip
    param_names = ("n_p_levels", "search")

    def setup(self, size, search):
        self.X, self.y = coded(*size, common=0.0)
        self.selector = CFS(search, discrete_features=coded_mask(size[1]))

    def time_fit(self, size, search):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, search):
        self.selector.fit(self.X, self.y)


class Greedy:
    """The criteria of the greedy engine."""

    params = (
        GREEDY,
        [(1_000, 20_000, 5, 50), (500, 20_000, 5, 50), (1_000, 10_000, 5, 50),
         (1_000, 20_000, 5, 25), (800, 50_000, 2, 50)],
        THREADS,
    )  # fmt: skip
    param_names = ("criterion", "n_p_levels_k", "threads")

    def setup(self, criterion, size, threads):
        n, p, n_levels, k = size
        self.X, self.y = coded(n, p, n_levels, common=0.0)
        make = getattr(ensfs, criterion)
        self.selector = make(k, discrete_features=coded_mask(p), n_jobs=threads)

    def time_fit(self, criterion, size, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, criterion, size, threads):
        self.selector.fit(self.X, self.y)


class Ensembles:
    """Twenty parts of each kind of filter."""

    params = (["fast", "inner"], ["FCBF", "CFS", "CMIM"], [1_000, 2_000, 4_000], THREADS)
    param_names = ("ensemble", "filter", "p", "threads")

    def setup(self, ensemble, name, p, threads):
        self.X, self.y = coded(500, p, 3, common=0.0)
        selector = getattr(ensfs, name)(discrete_features=coded_mask(p))
        make = FastEnsemble if ensemble == "fast" else InnerEnsemble
        self.selector = make(selector, n_parts=20, n_jobs=threads)

    def time_fit(self, ensemble, name, p, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, ensemble, name, p, threads):
        self.selector.fit(self.X, self.y)


class ContinuousColumns:
    """FCBF on numbers: cutting them is most of the work."""

    params = ([(500, 2_500), (500, 5_000), (1_000, 2_500)], ["mdl", "equal_frequency", "sigma"])
    param_names = ("shape", "discretizer")

    def setup(self, shape, discretizer):
        self.X, self.y = continuous(*shape)
        mask = continuous_mask(shape[1])
        self.selector = FCBF(discretizer=discretizer, discrete_features=mask)

    def time_fit(self, shape, discretizer):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, shape, discretizer):
        self.selector.fit(self.X, self.y)

"""Selectors by tests of conditional independence: one size varies at a time."""

import inspect

import numpy as np

import ensfs
from ensfs import (
    IAMB,
    FastEnsemble,
    HybridCausalSelector,
    OracleTest,
    PCSelector,
    PermutationTest,
)
from ensfs.causal._base import CausalSelector
from ensfs.causal._graph_selector import GraphSelector

THREADS = [1, 2]

CAUSAL = [
    name
    for name in ensfs.__all__
    if inspect.isclass(c := getattr(ensfs, name)) and issubclass(c, CausalSelector)
]
GRAPHS = [name for name in CAUSAL if issubclass(getattr(ensfs, name), GraphSelector)]


def network(n, p, n_levels=2, n_parents=2, seed=0):
    """Make columns that follow a few earlier ones each, and a target in their midst."""
    rng = np.random.default_rng(seed)
    X = rng.integers(n_levels, size=(n, p + 1), dtype=np.int8)
    for j in range(1, p + 1):
        for parent in rng.integers(j, size=n_parents):
            rows = rng.random(n) < 0.4
            X[rows, j] = X[rows, parent]
    target = p // 2
    return np.asfortranarray(np.delete(X, target, axis=1)), X[:, target].astype(np.int64)


class Blankets:
    """The local selectors; the last size is that of SIDO."""

    params = (
        [name for name in CAUSAL if name not in GRAPHS],
        [(5_000, 40, 3), (10_000, 40, 3), (5_000, 80, 3), (12_000, 5_000, 2)],
        THREADS,
    )
    param_names = ("selector", "n_p_levels", "threads")

    def setup(self, name, size, threads):
        self.X, self.y = network(*size)
        self.selector = getattr(ensfs, name)(n_jobs=threads)

    def time_fit(self, name, size, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, name, size, threads):
        self.selector.fit(self.X, self.y)


class AllBlankets:
    """The blankets of all columns at once; twice as many columns should cost about four times."""

    params = (["IAMB", "MMPC", "HITONPC"], [(5_000, 40, 3), (10_000, 40, 3), (5_000, 80, 3)])
    param_names = ("selector", "n_p_levels")

    def setup(self, name, size):
        self.X, y = network(*size)
        self.X = np.asfortranarray(np.column_stack([self.X, y]))
        self.selector = getattr(ensfs, name)()

    def time_all(self, name, size):
        ensfs.markov_blankets(self.X, self.selector)


class Graphs:
    """Graphs of all columns."""

    params = (
        GRAPHS,
        [(5_000, 40, 3), (10_000, 40, 3), (5_000, 80, 3)],
        ["full", "adjusted"],
    )
    param_names = ("selector", "n_p_levels", "df")

    def setup(self, name, size, df):
        self.X, self.y = network(*size)
        c = getattr(ensfs, name)
        self.selector = c(test=c._test_of_classes(df=df))

    def time_fit(self, name, size, df):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, name, size, df):
        self.selector.fit(self.X, self.y)


class Hybrids:
    """The published schemes, on the size of SIDO and half of it."""

    params = (["H-PC", "H-TPDA", "H-GS", "H-IAMB"], [2_500, 5_000])
    param_names = ("scheme", "p")

    def setup(self, scheme, p):
        self.X, self.y = network(12_000, p)
        self.selector = HybridCausalSelector(causal=scheme)

    def time_fit(self, scheme, p):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, scheme, p):
        self.selector.fit(self.X, self.y)


class Ensembles:
    """Parts that are counted together: twice as many should cost much less than twice."""

    params = ([5, 10, 20],)
    param_names = ("parts",)

    def setup(self, parts):
        self.X, self.y = network(5_000, 40, 3)
        self.selector = FastEnsemble(IAMB(), n_parts=parts)

    def time_fit(self, parts):
        self.selector.fit(self.X, self.y)


class Tests:
    """Continuous columns, few rows, and a graph that is known."""

    params = (["fisherz", "permutation", "oracle"],)
    param_names = ("test",)

    def setup(self, test):
        rng = np.random.default_rng(0)
        self.X, self.y = network(200 if test == "permutation" else 5_000, 30, 3)
        if test == "fisherz":
            self.X = self.X + rng.standard_normal(self.X.shape)
        dag = np.triu(rng.random((31, 31)) < 0.1, 1)
        self.selector = {
            "fisherz": IAMB(test="fisherz"),
            "permutation": IAMB(test=PermutationTest(200)),
            "oracle": PCSelector(test=OracleTest(dag)),
        }[test]

    def time_fit(self, test):
        self.selector.fit(self.X, self.y)

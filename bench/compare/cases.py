"""The tables that all contestants get: synthetic, seeded, the same in every run.

The strength of the effects was set, before ensfs was timed on them, so that the parts of an
ensemble (20 parts, k = 20) choose about as many distinct columns as those of the tables for which
the targets were stated: 76, 43, 21 and 41 here, 76, 58, 19 and 33 there. The fewer, the more an
ensemble gains by sharing; weaker effects gave up to 294, so the ensemble's ratios hold for tables
like these and not for all.
"""

import inspect
import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import ensfs
from ensfs.causal._base import CausalSelector
from ensfs.causal._graph_selector import GraphSelector

ROOT = Path(__file__).resolve().parents[2]
NETWORKS = Path(os.environ.get("ENSFS_DATA", ROOT.parent / "shared" / "data")) / "networks"

# Figures that cannot be measured here: praznik is an R package and fast-mRMR a C++ program, neither
# installs from the package index. They were measured once, on this kind of machine, with one
# thread and k=50 (milliseconds), and praznik also for 20 runs with k=20 (seconds).
QUOTED_MS = {
    "mi-100x7000": {"praznik": 88, "fast-mRMR": 71},
    "mi-5000x2000": {"praznik": 868, "fast-mRMR": 347},
    "mi-800x100000": {"praznik": 6440, "fast-mRMR": 3500},
}
QUOTED_20_RUNS_S = {"mi-100x7000": 1.9, "mi-5000x2000": 8.2, "mi-800x100000": 53}

# praznik again, one thread, k=50 for the selectors: on another table of the same shape. CMIM is
# lazy there too, so its time depends on the table as well.
QUOTED_FILTERS_MS = {
    ("fcbf-1000x20000", "CMIM"): 83,
    ("fcbf-1000x20000", "JMI"): 3552,
    ("pairs-2000x1000", "pairwise MI"): 1806,
}

# bnlearn, an R package, all targets of a sample of 5,000 rows, one thread: seconds, mean F1.
QUOTED_CAUSAL = {
    ("alarm", "IAMB", "blankets"): (0.13, 0.84),
    ("alarm", "PCSelector", "blankets"): (0.24, None),
}


@dataclass(frozen=True)
class Case:
    """A table: its shape, and how it is made."""

    name: str
    n: int
    p: int
    n_levels: int | None = None
    n_classes: int = 2
    methods: tuple[str, ...] = ("MRMR",)
    common: float = 0.5  # share of the cells that show a factor which all coded columns have

    @property
    def discrete(self):
        return self.n_levels is not None

    @property
    def title(self):
        kind = f"{self.n_levels} levels" if self.discrete else "continuous"
        return f"n={self.n:,}, p={self.p:,}, {kind}, {self.n_classes} classes"

    def load(self):
        """Return ``X`` (float64, or int8 codes) and ``y``."""
        return discrete_table(self) if self.discrete else continuous_table(self)

    def small(self):
        """Return a case of this kind that takes no time."""
        return replace(self, n=min(self.n, 200), p=min(self.p, 800))


#: All public selectors of blankets or neighbours, and PC for the graphs.
BLANKETS = tuple(
    name
    for name in ensfs.__all__
    if inspect.isclass(c := getattr(ensfs, name))
    and issubclass(c, CausalSelector)
    and (not issubclass(c, GraphSelector) or name == "PCSelector")
)


@dataclass(frozen=True)
class NetworkCase:
    """Rows drawn from a published Bayesian network, whose file is at hand."""

    name: str
    n: int = 5_000
    methods: tuple[str, ...] = BLANKETS

    @property
    def title(self):
        return f"network {self.name}, n={self.n:,}, the seed 0"

    def load(self):
        """Return the codes of all variables, and the network."""
        from ensfs.datasets import read_bif

        network = read_bif(NETWORKS / f"{self.name}.bif.gz")
        return network.sample(self.n, random_state=0), network

    def small(self):
        """Return a case of this kind that takes no time."""
        return replace(self, n=min(self.n, 1_000))


@dataclass(frozen=True)
class TwinCase:
    """Relevant columns, then a twin of each, then noise; the target is two classes."""

    name: str
    n: int
    p: int
    least: float = 1.0  # effects are drawn between this and 2 - this
    noise: float = 0.1  # what twins differ in; 0: identical columns
    n_relevant: int = 20
    methods: tuple[str, ...] = ("ACE",)

    @property
    def title(self):
        effects = (
            "equal effects" if self.least == 1 else f"effects {self.least} to {2 - self.least}"
        )
        twins = f"twins with noise {self.noise}" if self.noise else "identical twins"
        k = self.n_relevant
        return f"n={self.n:,}, p={self.p:,}, {k} relevant, {k} {twins}, {effects}, 2 classes"

    def load(self):
        """Return ``X`` and ``y``."""
        rng = np.random.default_rng(0)
        k = self.n_relevant
        X = rng.standard_normal((self.n, self.p))
        X[:, k : 2 * k] = X[:, :k] + self.noise * X[:, k : 2 * k]
        effects = rng.uniform(self.least, 2.0 - self.least, k)
        return X, (X[:, :k] @ effects + rng.standard_normal(self.n) > 0).astype(np.int64)

    def small(self):
        """Return a case of this kind that takes little time."""
        return replace(self, n=min(self.n, 300), p=min(self.p, 30), n_relevant=3)


CASES = {
    case.name: case
    for case in (
        Case("f-500x10000", 500, 10_000),
        Case("mi-100x7000", 100, 7_000, n_levels=3),
        Case("mi-5000x2000", 5_000, 2_000, n_levels=4, n_classes=5),
        Case("mi-800x100000", 800, 100_000, n_levels=2),
        Case("fcbf-1000x20000", 1_000, 20_000, n_levels=5, methods=("FCBF", "CMIM", "JMI"),
             common=0.0),
        Case("fcbf-800x100000", 800, 100_000, n_levels=2, methods=("FCBF",), common=0.0),
        Case("pairs-2000x1000", 2_000, 1_000, n_levels=5, methods=("pairwise MI",), common=0.0),
        Case("itd-100x50000", 100, 50_000, n_levels=3, methods=("ITD",)),
        Case("noise-100x50000", 100, 50_000, n_levels=3, methods=("ITD",), common=0.0),
        NetworkCase("alarm"),
        NetworkCase("insurance"),
        NetworkCase("win95pts"),
        Case("blanket-12000x5000", 12_000, 5_000, n_levels=2, methods=("IAMB", "H-PC"),
             common=0.0),
        TwinCase("ace-1000x500", 1_000, 500),
        TwinCase("ace-1000x500-weak", 1_000, 500, least=0.5, noise=0.0),
        TwinCase("ace-1000x5000", 1_000, 5_000, methods=()),
    )
}  # fmt: skip

GROUPS = {
    "mrmr": [name for name, case in CASES.items() if "MRMR" in case.methods],
    "filters": [name for name in CASES if name.startswith(("fcbf-", "pairs-"))],
    "decompositions": [name for name, case in CASES.items() if "ITD" in case.methods],
    "ace": [name for name in CASES if name.startswith("ace-")],
    "causal": [name for name, case in CASES.items() if "IAMB" in case.methods],
}


def continuous_table(case, n_relevant=100, n_redundant=500, effect=1.25, seed=0):
    """Relevant columns, noisy copies of them, and noise; columns in random order."""
    rng = np.random.default_rng(seed)
    y = rng.integers(case.n_classes, size=case.n)
    X = rng.standard_normal((case.n, case.p))
    n_relevant = min(n_relevant, case.p // 2)
    n_redundant = min(n_redundant, case.p - n_relevant)
    X[:, :n_relevant] += np.outer(y, rng.uniform(0.0, effect, n_relevant))
    source = rng.integers(n_relevant, size=n_redundant)
    copies = slice(n_relevant, n_relevant + n_redundant)
    X[:, copies] = X[:, source] + rng.uniform(0.2, 1.0, n_redundant) * X[:, copies]
    return np.ascontiguousarray(X[:, rng.permutation(case.p)]), y


def discrete_table(case, n_relevant=100, n_redundant=500, strength=0.6, seed=0):
    """The same with codes: a relevant cell shows the class, a redundant one its source.

    Every column also shows a common factor in some of its cells, as measured tables do; without it
    the quotient of relevance and redundancy is decided by columns whose redundancy is noise. Tables
    for FCBF go without it (``common=0``): there it would let the first column remove all others.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(case.n_classes, size=case.n)
    X = rng.integers(case.n_levels, size=(case.n, case.p), dtype=np.int8)
    factor = rng.integers(case.n_levels, size=case.n)
    for j in range(case.p):
        cells = rng.random(case.n) < case.common
        X[cells, j] = factor[cells]
        if j < n_relevant:
            shown = rng.integers(case.n_levels, size=case.n_classes)[y]
        elif j < n_relevant + n_redundant:
            shown = X[:, rng.integers(n_relevant)]
        else:
            continue
        cells = rng.random(case.n) < rng.uniform(0.0, strength)
        X[cells, j] = shown[cells]
    return np.ascontiguousarray(X[:, rng.permutation(case.p)]), y

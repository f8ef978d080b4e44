"""The selectors: one size varies at a time, so that growth can be read off.

The base sizes are those of bench/compare. Gate changes on one thread only: two threads depend on
what else the machine does.
"""

import numpy as np

from benchmarks.common import coded, coded_mask, continuous, continuous_mask
from ensfs import (
    CMIM,
    JMI,
    MRMR,
    FastEnsemble,
    InnerEnsemble,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
)

# (n, p, k): the base, then n, p and k halved or doubled
CONTINUOUS = [
    (500, 10_000, 50),
    (250, 10_000, 50), (1_000, 10_000, 50),
    (500, 5_000, 50), (500, 20_000, 50),
    (500, 10_000, 25), (500, 10_000, 100),
]  # fmt: skip
# (n, p, levels, classes, k)
CODED = [
    (100, 7_000, 3, 2, 50),
    (5_000, 2_000, 4, 5, 50),
    (800, 50_000, 2, 2, 50),
    (400, 50_000, 2, 2, 50), (800, 25_000, 2, 2, 50), (800, 50_000, 2, 2, 25),
]  # fmt: skip
SCHEMES = ["quotient", "difference"]
THREADS = [1, 2]


class MRMRContinuous:
    """F relevance, absolute correlation as redundancy."""

    params = (CONTINUOUS, SCHEMES, THREADS)
    param_names = ("n_p_k", "scheme", "threads")

    def setup(self, size, scheme, threads):
        n, p, k = size
        self.X, self.y = continuous(n, p)
        self.selector = MRMR(k, scheme=scheme, discrete_features=continuous_mask(p), n_jobs=threads)

    def time_fit(self, size, scheme, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, scheme, threads):
        self.selector.fit(self.X, self.y)


class MRMRSinglePrecision:
    """The same from float32: half the bytes."""

    params = (SCHEMES, THREADS)
    param_names = ("scheme", "threads")

    def setup(self, scheme, threads):
        self.X, self.y = continuous(500, 10_000, dtype="float32")
        mask = continuous_mask(10_000)
        self.selector = MRMR(50, scheme=scheme, discrete_features=mask, n_jobs=threads)

    def time_fit(self, scheme, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, scheme, threads):
        self.selector.fit(self.X, self.y)


class MRMRCoded:
    """Mutual information for both."""

    params = (CODED, SCHEMES, THREADS)
    param_names = ("n_p_levels_classes_k", "scheme", "threads")

    def setup(self, size, scheme, threads):
        n, p, n_levels, n_classes, k = size
        self.X, self.y = coded(n, p, n_levels, n_classes)
        self.selector = MRMR(k, scheme=scheme, discrete_features=coded_mask(p), n_jobs=threads)

    def time_fit(self, size, scheme, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, scheme, threads):
        self.selector.fit(self.X, self.y)


class FastEnsembleContinuous:
    """Whole selections on every part, from shared statistics."""

    params = (
        [(500, 10_000, 20), (1_000, 10_000, 20), (500, 20_000, 20), (500, 10_000, 40)],
        [5, 20, 50],
        THREADS,
    )
    param_names = ("n_p_k", "parts", "threads")

    def setup(self, size, parts, threads):
        n, p, k = size
        self.X, self.y = continuous(n, p)
        selector = MRMR(k, discrete_features=continuous_mask(p))
        self.selector = FastEnsemble(selector, n_parts=parts, n_jobs=threads)

    def time_fit(self, size, parts, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, parts, threads):
        self.selector.fit(self.X, self.y)


class StabilityContinuous:
    """A hundred halves; compare with one run of the selector on all rows (`MRMRContinuous`)."""

    params = ([(500, 10_000, 20), (500, 2_000, 20), (2_000, 2_000, 20)], [10, 50], THREADS)
    param_names = ("n_p_k", "pairs", "threads")

    def setup(self, size, pairs, threads):
        n, p, k = size
        self.X, self.y = continuous(n, p)
        selector = MRMR(k, discrete_features=continuous_mask(p))
        self.selector = StabilitySelector(selector, n_pairs=pairs, threshold=0.9, n_jobs=threads)

    def time_fit(self, size, pairs, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, pairs, threads):
        self.selector.fit(self.X, self.y)


class AutomaticSize:
    """Columns that pass a test, beside as many of them by number."""

    params = ([(500, 10_000)], [MRMR, CMIM, JMI])
    param_names = ("n_p", "selector")

    def setup(self, size, cls):
        self.X, self.y = continuous(*size)
        if cls is not MRMR:
            self.X = (self.X > 0).astype(np.int8)
        self.automatic = cls("auto")
        self.by_number = cls(self.automatic.fit(self.X, self.y).indices_.size)

    def time_automatic(self, size, cls):
        self.automatic.fit(self.X, self.y)

    def time_by_number(self, size, cls):
        self.by_number.fit(self.X, self.y)


class Weights:
    """Rows with whole weights of 0 to 3, and with weights that are none; as long as without."""

    params = (["continuous", "coded"], ["none", "whole", "real"])
    param_names = ("columns", "weights")

    def setup(self, columns, weights):
        if columns == "continuous":
            self.X, self.y = continuous(500, 10_000)
        else:
            self.X, self.y = coded(800, 10_000, 3, 2)
        rng = np.random.default_rng(0)
        whole = rng.integers(0, 4, len(self.y)).astype(float)
        real = rng.exponential(size=len(self.y))
        self.weight = {"none": None, "whole": whole, "real": real}[weights]
        self.selector = MRMR(20)

    def time_fit(self, columns, weights):
        self.selector.fit(self.X, self.y, sample_weight=self.weight)


class MissingCells:
    """A tenth of the cells is missing, beside a complete table."""

    params = (["complete", "mean", "corrected", "available", "level"],)
    param_names = ("missing",)

    def setup(self, missing):
        counts = missing == "level"
        X, self.y = coded(1_000, 2_000, 4, 2) if counts else continuous(500, 5_000)
        self.X = X.astype(float)
        if missing != "complete":
            self.X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
        way = "auto" if missing == "complete" else missing
        self.selector = JMI(20, missing=way) if counts else MRMR(20, scheme="FCQ", missing=way)

    def time_fit(self, missing):
        self.selector.fit(self.X, self.y)


class ChosenColumns:
    """Columns that are included or excluded, beside none."""

    params = ([(500, 10_000)], [MRMR, JMI])
    param_names = ("n_p", "selector")

    def setup(self, size, cls):
        self.X, self.y = continuous(*size)
        if cls is not MRMR:
            self.X = (self.X > 0).astype(np.int8)
        self.free, self.excluding = cls(20), cls(20, exclude=[3, 5_000])
        self.including = cls(20, include=[3, 5_000])

    def time_free(self, size, cls):
        self.free.fit(self.X, self.y)

    def time_excluding(self, size, cls):
        self.excluding.fit(self.X, self.y)

    def time_including(self, size, cls):
        self.including.fit(self.X, self.y)


class GroupsAndOutputs:
    """Groups of columns, and several targets, beside the same table without."""

    params = ([(500, 4_000)], [MRMR, JMI])
    param_names = ("n_p", "selector")

    def setup(self, size, cls):
        self.X, self.y = continuous(*size)
        if cls is not MRMR:
            self.X = (self.X > 0).astype(np.int8)
        self.labels = np.column_stack([self.y, self.X[:, :2] > 0]).astype(int)
        self.plain = cls(10)
        groups = np.arange(size[1]).reshape(-1, 4).tolist()
        self.grouped = cls(10, feature_groups=groups)

    def time_plain(self, size, cls):
        self.plain.fit(self.X, self.y)

    def time_groups(self, size, cls):
        self.grouped.fit(self.X, self.y)

    def time_three_outputs(self, size, cls):
        self.plain.fit(self.X, self.labels)


class NumberOfColumns:
    """Cross-validation of the number of columns: one fit of the selector in each fold."""

    params = ([(500, 2_000), (500, 10_000)],)
    param_names = ("n_p",)

    def setup(self, size):
        self.X, self.y = continuous(*size)
        self.selector = SelectorCV(MRMR(discrete_features=continuous_mask(size[1])))

    def time_fit(self, size):
        self.selector.fit(self.X, self.y)


class FastEnsembleCoded:
    """The same with contingency counts."""

    params = (
        [
            (100, 7_000, 3, 2, 20),
            (5_000, 2_000, 4, 5, 20),
            (800, 50_000, 2, 2, 20),
            (2_000, 5_000, 16, 2, 20),
            (500, 4_000, 64, 10, 20),
        ],
        [5, 20, 50],
        THREADS,
    )
    param_names = ("n_p_levels_classes_k", "parts", "threads")

    def setup(self, size, parts, threads):
        n, p, n_levels, n_classes, k = size
        self.X, self.y = coded(n, p, n_levels, n_classes)
        selector = MRMR(k, discrete_features=coded_mask(p))
        self.selector = FastEnsemble(selector, n_parts=parts, n_jobs=threads)

    def time_fit(self, size, parts, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, size, parts, threads):
        self.selector.fit(self.X, self.y)


class InnerEnsembleFit:
    """One selection on measures averaged over the parts."""

    params = (["continuous", "coded"], [2_000, 4_000, 8_000], [20], THREADS)
    param_names = ("kind", "p", "parts", "threads")

    def setup(self, kind, p, parts, threads):
        if kind == "continuous":
            (self.X, self.y), mask = continuous(500, p), continuous_mask(p)
        else:
            (self.X, self.y), mask = coded(500, p, 3), coded_mask(p)
        selector = MRMR(20, discrete_features=mask)
        self.selector = InnerEnsemble(selector, n_parts=parts, n_jobs=threads)

    def time_fit(self, kind, p, parts, threads):
        self.selector.fit(self.X, self.y)

    def peakmem_fit(self, kind, p, parts, threads):
        self.selector.fit(self.X, self.y)


class Blocks:
    """The ensemble from row blocks of several sizes: the same answer, more overhead."""

    params = ([500, 2_000, 8_000],)
    param_names = ("rows_per_block",)

    def setup(self, rows_per_block):
        X, y = continuous(8_000, 500)
        starts = range(0, len(y), rows_per_block)
        pieces = [(X[i : i + rows_per_block], y[i : i + rows_per_block]) for i in starts]
        self.blocks = RowBlocks(pieces)
        self.selector = FastEnsemble(MRMR(10, discrete_features=continuous_mask(500)))

    def time_fit(self, rows_per_block):
        self.selector.fit(self.blocks)

    def peakmem_fit(self, rows_per_block):
        self.selector.fit(self.blocks)

    def track_readings(self, rows_per_block):
        return self.selector.fit(self.blocks).n_readings_


class DaskPartitions:
    """The ensemble from a Dask array, without a cluster: what the tasks of a pass cost."""

    params = ([500, 2_000, 8_000],)
    param_names = ("rows_per_partition",)

    def setup(self, rows_per_partition):
        try:
            import dask.array as da
        except ImportError:
            raise NotImplementedError("Dask is not installed") from None
        X, y = continuous(8_000, 500)
        self.X = da.from_array(X, chunks=(rows_per_partition, 500))
        self.y = da.from_array(y, chunks=rows_per_partition)
        self.selector = FastEnsemble(MRMR(10, discrete_features=continuous_mask(500)))

    def time_fit(self, rows_per_partition):
        self.selector.fit(self.X, self.y)

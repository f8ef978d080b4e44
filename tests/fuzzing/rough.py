"""Tables as they are: gaps, weights, sparse cells, chosen and grouped columns, several outputs."""

import numpy as np
from rough_tables import (
    EVERY,
    assert_same,
    learned,
    mixed_frame,
    rows_of,
    sparse_table,
    stored,
    with_options,
)
from sklearn.utils.validation import has_fit_parameter

from ensfs import RowBlocks
from fuzzing.case import Case, small_limits


class Rough(Case):
    """Some selectors and decompositions, each with options and a target of its own."""

    def run(self):
        """One thread and four, blocks, sparse and dense, weights and repeated rows."""
        gaps, p = bool(self.rng.random() < 0.7), max(5, min(self.p, 8))
        self.is_sparse = bool(self.rng.random() < 0.5)
        make = sparse_table if self.is_sparse else mixed_frame
        self.X = make(self.rng, self.n, p, gaps)
        self.order = self.rng.permutation(p).tolist()
        self.kind = f"{make.__name__} of {self.n} rows{' with gaps' * gaps}"
        self.counts[make.__name__] += 1
        for name in self.rng.choice(list(EVERY), 4, replace=False).tolist():
            self.kind, before = f"{self.kind}, {name}", self.kind
            self.try_ways(name, with_options(EVERY[name], **self.options()), self.target())
            self.kind = before

    def options(self):
        order = self.order
        some = {
            "include": order[:1], "exclude": order[1:2], "feature_groups": [order[2:4]],
            "multi_output": self.rng.choice(["max", "joint"]).item(),
            "missing": self.rng.choice(["level", "mean", "available", "distribute"]).item(),
            "discrete_features": True, "target_bins": 4,
            "discretizer": self.rng.choice(["equal_frequency", "sigma"]).item(),
        }  # fmt: skip
        return {name: value for name, value in some.items() if self.rng.random() < 0.3}

    def target(self):
        kind, n = self.rng.integers(4), self.n
        numbers = self.rng.normal(size=(n, 2)).round(2)
        return [self.labels, numbers[:, 0], self.rng.integers(0, 2, (n, 2)), numbers][kind]

    def try_ways(self, name, estimator, y):
        """Fits that must give the same: to the last bit, but for other orders of additions."""
        self.counts[name] += 1
        X, weight, how = self.X, self.rng.integers(0, 4, self.n), {}
        if has_fit_parameter(estimator, "sample_weight") and self.rng.random() < 0.5:
            how["sample_weight"] = weight if self.rng.random() < 0.5 else self.rng.random(self.n)
        one = learned(estimator, X, y, self.fold, **how)
        if isinstance(one, str):  # of several members, threads may name another one's error
            self.counts["refused"] += 1
            return
        self.keep(*one[0], *one[1])
        with small_limits(self.rng):
            if "n_jobs" in estimator.get_params(deep=False):
                four = estimator.set_params(n_jobs=4)
                assert_same(learned(four, X, y, self.fold, **how), one, exact=True)
            if self.rng.random() < 0.5:
                found = learned(estimator, self.blocks_of(y, **how), None, self.fold)
                if not (isinstance(found, str) and ("locks" in found or "memory" in found)):
                    assert_same(found, one, exact=True)
        if self.is_sparse:
            sparse = stored(X, self.rng.choice(["csr", "csc"]))
            found = learned(estimator, sparse, y, self.fold, **how)
            if not (isinstance(found, str) and "sparse" in found):
                assert_same(found, one)

    def blocks_of(self, y, sample_weight=None):
        cuts = np.unique([0, *self.rng.integers(1, self.n, 2), self.n])
        rows = list(map(slice, cuts[:-1], cuts[1:]))
        weights = [() if sample_weight is None else (sample_weight[r],) for r in rows]
        return RowBlocks(
            [(rows_of(self.X, r), y[r], *w) for r, w in zip(rows, weights, strict=True)]
        )

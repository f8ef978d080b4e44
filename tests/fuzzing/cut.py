"""Continuous columns that are cut into intervals, and what is selected by counts of these."""

import math
from fractions import Fraction

import numpy as np
import twins
from greedy_twins import CRITERIA
from sklearn.base import clone

from ensfs.discretize import DISCRETIZERS
from fuzzing.counts import Counts
from fuzzing.tables import continuous, with_copies


class Cut(Counts):
    """Continuous columns, cut by a discretizer, with classes as the target."""

    in_blocks = False  # there is no discretizer for blocks

    def make_table(self):
        """The table, its target, and what is counted: intervals between checked cut points."""
        X, kind = continuous(self.rng, self.n, self.p, self.fold)
        strength = self.rng.uniform(0, 3, self.p) * (self.rng.random(self.p) < 0.5)
        X += (X.std(axis=0) * strength * self.labels[:, None]).astype(X.dtype)
        X = with_copies(X, self.rng)
        self.X, self.y = X, self.labels
        self.discretizer = str(self.rng.choice(["mdl", "equal_frequency", "sigma"]))
        self.kind = f"cut by {self.discretizer}: {kind}"
        self.coding = {"discretizer": self.discretizer, "discrete_features": False}
        fitted = clone(DISCRETIZERS[self.discretizer]).fit(X, self.y)
        self.codes = fitted.transform(X)
        self.keep(self.codes, *fitted.cut_points_)
        self.counts[f"columns cut by {self.discretizer}"] += self.p
        for x, cuts, codes in zip(X.T, fitted.cut_points_, self.codes.T, strict=True):
            if self.compare:
                self.check_cuts(x, cuts, fitted)
                self.check_codes(x, cuts, codes)

    def check_cuts(self, x, cuts, fitted):
        """Compare the cut points of a column with their definition, exact but for one rounding."""
        if self.discretizer == "mdl":
            expected = twins.mdl_cuts(x.tolist(), self.y.tolist(), fitted.better_encoding)
            self.equal("cuts by mdl", cuts, expected)
            return
        if self.discretizer == "sigma":
            expected, size = sigma_cuts(x)
        else:
            expected, size = quantiles(x, fitted.n_bins)
        good = len(cuts) == len(expected) and all(
            abs(Fraction(a) - b) <= 1e-12 * size + 1e-15 * abs(b)
            for a, b in zip(cuts.tolist(), expected, strict=True)
        )
        self.require(f"cuts by {self.discretizer}", "" if good else f"{cuts}, not {expected}")

    def check_codes(self, x, cuts, codes):
        """Bins are closed on the right, the middle one of three by sigma on both sides."""
        bins = np.searchsorted(cuts, x.astype(float), side="left")
        if self.discretizer == "sigma" and cuts.size:
            bins = np.where(x < cuts[0], 0, np.where(x > cuts[1], 2, 1))
        bins, codes = bins.tolist(), codes.tolist()
        pairs = set(zip(bins, codes, strict=True))
        good = len(pairs) == len(set(bins)) == len(set(codes))
        self.require("codes", "" if good else f"{codes} in bins {bins}")

    def measure(self):
        """The measures take discrete columns, which other cases have."""

    def select(self):
        """Some criteria; MRMR has one discretizer."""
        names = self.rng.choice(list(CRITERIA), 2, replace=False).tolist()
        self.select_greedily([*names, *(("MIQ", "MID") if self.discretizer == "sigma" else ())])

    def options_of(self, name):
        return {"discrete_features": False} if name in ("MIQ", "MID") else self.coding

    def check_half(self, name, selector, X, y, found):
        """A fit on the rows alone would cut the columns by these."""


def sigma_cuts(x):
    """The mean minus and plus half a standard deviation, and that half."""
    values = [Fraction(float(v)) for v in x]
    mean = sum(values) / len(values)
    squares = sum((v - mean) ** 2 for v in values)
    if not squares:
        return [], 0.0
    half = math.sqrt(squares / (4 * (len(values) - 1)))
    return [mean - Fraction(half), mean + Fraction(half)], half


def quantiles(x, n_bins):
    """The distinct quantiles but the largest value, and the largest gap that one lies in."""
    values = sorted(Fraction(float(v)) for v in x)
    found, gap = set(), 0.0
    for i in range(1, n_bins):
        place = Fraction(i * (len(values) - 1), n_bins)
        low, high = values[math.floor(place)], values[math.ceil(place)]
        found.add(low + (high - low) * (place - math.floor(place)))
        gap = max(gap, float(high - low))
    return sorted(found - {values[-1]}), gap

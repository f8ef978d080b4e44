"""Tables of discrete values: information, and what is selected by it."""

from functools import partial

import exact_twins as exact
import numpy as np
import twins
import uncertainty_twins as uncertainty
from greedy_twins import CRITERIA

from ensfs import (
    CFS,
    FCBF,
    MRMR,
    FastEnsemble,
    InputDecimation,
    ITDecomposition,
    IteratedFCBFDecomposition,
    measures,
)
from fuzzing import blankets
from fuzzing.case import Case
from fuzzing.tables import discrete


class Counts(Case):
    """Discrete columns with classes as the target."""

    #: How the selectors are to take the columns.
    coding = {"discrete_features": True}

    def run(self):
        self.k = min(self.k, 3) if self.p > 20 else self.k
        self.make_table()
        self.counts[self.kind] += 1
        self.whole = self.make_part(slice(None))
        self.parts = [self.make_part(rows) for rows in self.rows()]
        self.measure()
        self.select()
        self.select_by_uncertainty()
        self.decompose()
        if self.p <= 8:
            blankets.find(self)

    def make_table(self):
        """The table and its target; `codes` are what is counted of it."""
        self.X, kind = discrete(self.rng, self.n, self.p, self.labels)
        self.codes, self.kind = self.X, f"counts: {kind}"
        if self.rng.random() < 0.7:
            self.y = self.labels * self.rng.choice([1, 7])
        else:
            self.y = self.labels.astype(str)

    def make_part(self, rows):
        return exact.CountsPart(self.codes[rows], self.y[rows])

    # ------------------------------------ measures

    def measure(self):
        X, y, whole, columns, tiny = self.X, self.y, self.whole, range(self.p), 1e-13
        for name, slow in (
            ("mutual_information", "information"),
            ("symmetrical_uncertainty", "uncertainty"),
        ):
            measure = getattr(measures, name)
            self.close(
                name, measure(X, y), lambda slow=slow: [whole.measure(slow, f) for f in columns],
                tiny,
            )  # fmt: skip
            self.close(
                f"{name} of parts", measure(X, y, folds=self.fold, n_jobs=4),
                lambda slow=slow: [[t.measure(slow, f) for t in self.parts] for f in columns], tiny,
            )  # fmt: skip
            self.close(
                f"pairwise {name}", measures.pairwise(X[:, :12], name),
                lambda slow=slow: [
                    [whole.measure(slow, f, g) for f in columns[:12]] for g in columns[:12]
                ], tiny,
            )  # fmt: skip
        self.close(
            "entropy", measures.entropy(X), lambda: [twins.entropy(x) for x in whole.columns], tiny
        )
        self.measure_given(tiny)

    def measure_given(self, tiny):
        given = self.X[:, : self.rng.integers(1, 3)]
        z = list(map(tuple, given.tolist()))
        columns, y = self.whole.columns, self.whole.y
        self.close(
            "conditional_mutual_information",
            measures.conditional_mutual_information(self.X, self.y, given),
            lambda: [twins.conditional(x, y, z) for x in columns], tiny,
        )  # fmt: skip
        df = str(self.rng.choice(["full", "slices", "adjusted"]))
        found = measures.g_square(self.X, self.y, given, df=df)
        self.close(
            f"g_square {df}", np.array([found.statistic, found.df, found.pvalue]).T,
            lambda: [twins.g_square(x, y, z, df) for x in columns], 1e-9,
        )  # fmt: skip

    # ------------------------------------ selections

    def select(self):
        names = self.rng.choice(list(CRITERIA), 5, replace=False).tolist()
        self.select_greedily([*names, "MIQ", "MID"])

    def options_of(self, name):
        """How a selector is to take the columns."""
        return self.coding

    def select_greedily(self, names):
        for name in names:
            quotient = name == "MIQ"
            if name in CRITERIA:
                make, scores = CRITERIA[name], partial(exact.information_scores, name=name)
            else:
                make = partial(MRMR, scheme=name)
                scores = partial(
                    exact.mrmr_scores, relevance="mutual_information", quotient=quotient
                )
            selector, wrong = make(self.k, **self.options_of(name)), self.greedy(scores, quotient)
            self.check_selections(name, selector, self.X, self.y, wrong)
            if name in ("MIQ", names[0]):
                self.check_halves(name, selector, self.X, self.y, wrong)

    def check_half(self, name, selector, X, y, found):
        self.equal(f"{name}, alone", selector.fit(X, y).indices_, found)

    def select_by_uncertainty(self):
        searches = ["forward", "best_first", "floating"] if self.p <= 12 else ["forward"]
        for name, selector, slow in (
            ("FCBF", FCBF(**self.coding), uncertainty.fcbf),
            *(
                (f"CFS {search}", CFS(search, **self.coding),
                 lambda part, search=search: getattr(uncertainty.SlowCFS(part), search)(self.p))
                for search in searches
            ),
        ):  # fmt: skip
            one = self.fit(name, selector, self.X, self.y)
            fast = FastEnsemble(selector, folds=self.fold)
            fast = self.fit(f"FastEnsemble {name}", fast, self.X, self.y)
            if self.compare:
                self.equal(name, one.indices_, slow(self.whole))
                for part, found in zip(self.parts, fast.part_selections_, strict=True):
                    self.equal(f"{name} of a part", found, slow(part))

        def wrong(part, found):
            expected = uncertainty.fcbf(part)
            return "" if found == expected else f"{found}, not {expected}"

        self.check_halves("FCBF", FCBF(**self.coding), self.X, self.y, wrong)

    # ------------------------------------ decompositions

    def decompose(self):
        n_subsets, threshold = int(self.rng.integers(1, 5)), float(self.rng.choice([0.0, 0.1, 0.5]))
        for decomposition, slow in (
            (ITDecomposition, uncertainty.itd),
            (IteratedFCBFDecomposition, uncertainty.iterated_fcbf),
        ):
            name, found = decomposition.__name__, decomposition(n_subsets, threshold, **self.coding)
            found = self.fit(name, found, self.X, self.y, blocks=False).subsets_
            if self.compare:
                found = [subset.tolist() for subset in found]
                self.equal(name, found, slow(self.whole, n_subsets, threshold))
        self.decimate()

    def decimate(self):
        relevance = "mutual_information"
        found = InputDecimation(self.k, relevance=relevance, binary="allow", **self.coding)
        found = self.fit("InputDecimation by information", found, self.X, self.y, blocks=False)
        for label, subset in zip(found.classes_, found.subsets_, strict=True):
            if self.compare:
                part = exact.CountsPart(self.codes, self.y == label)
                part.constant = self.constant
                coefficients = [part.measure("information", f) for f in range(self.p)]
                scores = partial(exact.decimation_scores, part, coefficients, None)
                problem = exact.what_is_wrong(part, subset.tolist(), self.k, scores)
                self.require(f"InputDecimation by information, class {label}", problem)

    @property
    def constant(self):
        """The columns that hold one value, whether or not they were cut."""
        return [len(set(x)) == 1 for x in self.X.T.tolist()]

"""Tables of numbers: correlations, F statistics, and what is selected by them."""

from functools import partial

import exact_twins as exact
import numpy as np

from ensfs import MRMR, ForwardSelection, InputDecimation, measures
from fuzzing.case import Case
from fuzzing.tables import continuous, with_copies


class Numbers(Case):
    """Continuous columns with classes or numbers as the target."""

    def run(self):
        rng = self.rng
        X, kind = continuous(rng, self.n, self.p, self.fold)
        X = with_copies(X, rng)
        y = X[:, 0].astype(float) * rng.uniform(0, 2) + rng.normal(size=self.n)
        self.kind = f"numbers: {kind}"
        self.counts[self.kind] += 1
        self.numeric = rng.random() < 0.5
        self.X, self.y = X, y if self.numeric else self.labels
        if self.compare:
            self.whole = self.make_part(slice(None))
            self.parts = [self.make_part(rows) for rows in self.rows()]
        self.measure()
        self.select()
        self.select_forward()
        if not self.numeric:
            self.decimate()

    def make_part(self, rows):
        return exact.NumbersPart(self.X[rows], self.y[rows], classes=not self.numeric)

    # ------------------------------------ measures

    def measure(self):
        X, y, columns = self.X, self.y, range(self.p)
        if self.numeric:
            self.close(
                "pearson", measures.pearson(X, y),
                lambda: [self.whole.pearson(f) for f in columns], 1e-12,
            )  # fmt: skip
            self.close(
                "pearson of parts", measures.pearson(X, y, folds=self.fold, n_jobs=4),
                lambda: [[part.pearson(f) for part in self.parts] for f in columns], 1e-12,
            )  # fmt: skip
        n_of_parts = np.array([rows.sum() for rows in self.rows()])
        self.close_f(
            "f_test", measures.f_test(X, y), lambda: [self.whole.f_test(f) for f in columns], self.n
        )
        self.close_f(
            "f_test of parts", measures.f_test(X, y, folds=self.fold),
            lambda: [[part.f_test(f) for part in self.parts] for f in columns], n_of_parts,
        )  # fmt: skip
        self.close(
            "pairwise pearson", measures.pairwise(X),
            lambda: [[self.whole.pair(f, g) for f in columns] for g in columns], 1e-12,
        )  # fmt: skip

    def close_f(self, name, found, expected, n):
        """As `close`; an F of numbers that is large must fit what its column leaves of y."""
        if not self.numeric:
            self.close(name, found, expected, 1e-12)
            return
        self.counts[name] += 1
        self.keep(found)
        if self.compare:
            expected = np.array(expected())
            left, right = (1 / (1 + f / np.maximum(n - 2, 1)) for f in (found, expected))
            with np.errstate(invalid="ignore"):
                good = np.abs(found - expected) <= 1e-9 * expected + 1e-12
            good |= (found == expected) | (np.abs(left - right) < 5e-14 + 2e-15 * n)
            self.require(name, "" if good.all() else f"{found}, not {expected}")

    # ------------------------------------ selections

    def select(self):
        relevance = "pearson" if self.numeric else "f_test"
        for scheme in ("quotient", "difference"):
            selector = MRMR(
                self.k, relevance=relevance, redundancy="pearson", scheme=scheme,
                discrete_features=False,
            )  # fmt: skip
            quotient = scheme == "quotient"
            scores = partial(exact.mrmr_scores, relevance=relevance, quotient=quotient)
            name, wrong = f"MRMR {relevance} {scheme}", self.greedy(scores, quotient)
            self.check_selections(name, selector, self.X, self.y, wrong)
            self.check_halves(name, selector, self.X, self.y, wrong)

    def select_forward(self):
        tolerance = float(self.rng.choice([0.0, 0.01, 0.2]))
        selector = ForwardSelection(self.k, tolerance=tolerance)

        def wrong(part, found):
            scores = partial(exact.ForwardSteps(part).scores, tolerance)
            return exact.what_is_wrong(part, found, self.k, scores, least=exact.TIE)

        self.check_selections("ForwardSelection", selector, self.X, self.y, wrong, inner=False)
        self.check_halves("ForwardSelection", selector, self.X, self.y, wrong)

    def decimate(self):
        redundancy = self.rng.choice([None, "sum", "mean"])
        found = InputDecimation(self.k, redundancy=redundancy, binary="allow")
        name = f"InputDecimation {redundancy}"
        found = self.fit(name, found, self.X, self.y, blocks=False)
        for c, subset in enumerate(found.subsets_) if self.compare else ():
            coefficients = [self.whole.with_class(f, c) for f in range(self.p)]
            scores = partial(exact.decimation_scores, self.whole, coefficients, redundancy)
            problem = exact.what_is_wrong(self.whole, subset.tolist(), self.k, scores)
            self.require(f"{name}, class {c}", problem)

"""Exact measures of parts of a table, and what a selection by them must be.

Floats are integers times a power of two, so sums of squares and products are exact; what is left is
the rounding of one division and one root. A measure comes as an interval that the library's value
must lie in, a score as an interval that follows from these. So a selection is wrong if, and only
if, no rounding within the promised errors leads to it.
"""

import math
from fractions import Fraction
from functools import cache, cached_property

import greedy_twins
import numpy as np
import twins

#: Scores that differ by less are tied, and the lower column wins.
TIE = 1e-12


def whole(x):
    """The values of a column as integers, times a power of two."""
    ratios = [float(v).as_integer_ratio() for v in x]
    top = max(d for _, d in ratios)
    return [a * (top // d) for a, d in ratios]


def around(value, relative, absolute):
    """An interval; exact zeros and infinities stay what they are."""
    if value == 0 or math.isinf(value):
        return value, value
    error = relative * abs(value) + absolute
    return value - error, value + error


# ---------------------------------------- measures of a part


class NumbersPart:
    """Numbers in some rows; the target is classes or numbers."""

    def __init__(self, X, y, classes):
        self.n, self.p = X.shape
        self.classes = classes
        columns = [whole(x) for x in X.T]
        A = np.array(columns if classes else [*columns, whole(y)], dtype=object).T
        S = A.sum(axis=0)
        self.C = self.n * (A.T @ A) - np.outer(S, S)  # n² times the covariances
        self.A, self.y = A, np.asarray(y)
        self.labels, self.sizes = np.unique(self.y, return_counts=True) if classes else ([], [])
        self.constant = [self.C[f, f] == 0 for f in range(self.p)]
        self.same = [tuple(x) for x in X.T.tolist()]

    @cache  # noqa: B019
    def correlation(self, f, g):
        """Pearson's correlation, rounded once; column p is the target."""
        c, squares = self.C[f, g], self.C[f, f] * self.C[g, g]
        return math.copysign(math.sqrt(c * c / squares), c) if squares and c else 0.0

    def pearson(self, f):
        return self.correlation(f, self.p)

    def pair(self, f, g):
        return self.correlation(f, g)

    @cache  # noqa: B019
    def f_test(self, f):
        """F of an analysis of variance, or of a line."""
        if self.classes:
            return self._f_classes(f)
        if self.n <= 2 or self.constant[f] or not self.C[self.p, self.p]:
            return 0.0
        c = self.C[f, self.p] ** 2
        left = self.C[f, f] * self.C[self.p, self.p] - c
        return (c * (self.n - 2)) / left if left else math.inf

    def _f_classes(self, f):
        labels, x = np.unique(self.y), self.A[:, f]
        k = len(labels)
        if self.constant[f] or k < 2 or self.n <= k:
            return 0.0
        groups = [x[self.y == c] for c in labels]
        of_means = sum(Fraction(int(g.sum()) ** 2, len(g)) for g in groups)
        between = of_means - Fraction(int(x.sum()) ** 2, self.n)
        within = int((x * x).sum()) - of_means
        if not within:
            return math.inf
        return float(between * (self.n - k) / (within * (k - 1)))

    def relevance(self, measure, f):
        return self.f_test(f) if measure == "f_test" else self.pearson(f)

    @cached_property
    def class_sums(self):
        """n times the sums over each class of what columns are above their means."""
        S = self.A.sum(axis=0)
        each = zip(self.labels, self.sizes.tolist(), strict=True)
        sums = [self.n * self.A[self.y == c].sum(axis=0) - size * S for c, size in each]
        return np.array(sums, dtype=object).T

    def with_class(self, f, c):
        """Absolute correlation of column f with the indicator of a class, rounded once."""
        size = int(self.sizes[c])
        squares = self.C[f, f] * size * (self.n - size)
        return math.sqrt(self.class_sums[f, c] ** 2 / squares) if squares else 0.0

    #: Errors that are promised for parts of any offset.
    relative, absolute = 1e-9, 1e-12


class CountsPart:
    """Discrete values in some rows; the target is classes."""

    relative, absolute = 1e-13, 5e-14

    def __init__(self, X, y):
        self.n, self.p = X.shape
        self.columns, self.y = X.T.tolist(), np.asarray(y).tolist()
        self.constant = [len(set(x)) == 1 for x in self.columns]
        self.same = [tuple(x) for x in self.columns]
        self._known = {}

    def measure(self, name, f, g=None):
        """A measure of column f with the target, or with column g."""
        key = name, f, g
        if key not in self._known:
            slow = getattr(twins, name.removeprefix("corrected "))
            if name.startswith("corrected "):
                slow = twins.corrected(slow)
            x, z = self.columns[f], self.y if g is None else self.columns[g]
            given = [x, self.y, z] if name == "conditional" else [x, z]
            self._known[key] = slow(*given)
        return self._known[key]

    def term(self, name, f, g):
        """The term of a greedy criterion."""
        key = name, f, g
        if key not in self._known:
            slow = greedy_twins.DEFINITIONS[name][0]
            self._known[key] = slow(self.columns[f], self.columns[g], self.y)
        return self._known[key]

    def relevance(self, measure, f):
        return self.measure("information", f)

    def pair(self, f, g):
        return self.measure("information", f, g)


class MeanPart:
    """Measures that are averaged over parts, with their signs."""

    def __init__(self, parts):
        self.parts, self.p = parts, parts[0].p
        self.constant = [all(part.constant[f] for part in parts) for f in range(self.p)]
        self.same = [tuple(part.same[f] for part in parts) for f in range(self.p)]
        self.relative, self.absolute = parts[0].relative, parts[0].absolute

    def _mean(self, values):
        mean = math.fsum(values) / len(self.parts)
        return mean if math.isinf(mean) or abs(mean) > 1e-14 else 0.0  # opposite ones cancel

    def measure(self, name, f, g=None):
        return self._mean(part.measure(name, f, g) for part in self.parts)

    def relevance(self, measure, f):
        return self._mean(part.relevance(measure, f) for part in self.parts)

    def term(self, name, f, g):
        return self._mean(part.term(name, f, g) for part in self.parts)

    def pair(self, f, g):
        return self._mean(part.pair(f, g) for part in self.parts)


# ---------------------------------------- greedy selections


def tie_cut(best, quotient):
    """The least score that is tied with the best."""
    if math.isinf(best):
        return best
    return best - TIE * (abs(best) if quotient else max(abs(best), 1.0))


def mrmr_scores(part, chosen, relevance, quotient):
    """Scores of the columns that are left."""
    scores = {}
    for f in range(part.p):
        if f in chosen or part.constant[f]:
            continue
        low, high = around(abs(part.relevance(relevance, f)), part.relative, part.absolute)
        if not chosen or (quotient and high == 0):
            scores[f] = low, high
            continue
        terms = [around(abs(part.pair(f, g)), part.relative, part.absolute) for g in chosen]
        less, more = (math.fsum(each) / len(chosen) for each in zip(*terms, strict=True))
        if not quotient:
            scores[f] = low - more, high - less
        else:
            scores[f] = (
                max(low, 0.0) / more if more > 0 else math.inf,
                high / less if less > 0 else math.inf,
            )
    return scores


def information_scores(part, chosen, name):
    """Scores of the columns that are left, by a criterion of `greedy_twins`."""
    combine = greedy_twins.DEFINITIONS[name][1]
    scores = {}
    for f in range(part.p):
        if f in chosen or part.constant[f]:
            continue
        score = part.measure("information", f)
        if chosen:
            score = combine(score, [part.term(name, f, g) for g in chosen])
        scores[f] = around(score, part.relative, part.absolute * (1 + len(chosen)))
    return scores


def decimation_scores(part, coefficients, redundancy, chosen):
    """Coefficients of the columns that are left, and what they do not share with the chosen."""
    left = [f for f in range(part.p) if f not in chosen]
    scores = {}
    for f in [f for f in left if not part.constant[f]] or left:
        score = coefficients[f]
        if redundancy and chosen:
            apart = math.fsum(1 - abs(part.pair(f, g)) for g in chosen)
            score += apart / len(chosen) if redundancy == "mean" else apart
        scores[f] = around(score, part.relative, part.absolute * (1 + len(chosen)))
    return scores


def what_is_wrong(part, found, k, scores_of, quotient=False, least=-math.inf):
    """Why columns cannot be those of a greedy selection of ``k``, or an empty string.

    A search may end before columns whose score may be `least`.
    """
    chosen = []
    for g in found:
        scores = scores_of(chosen)
        if g not in scores:
            return f"column {g} at place {len(chosen)} is taken, or constant"
        best = max(low for low, _ in scores.values())
        if scores[g][1] < tie_cut(best, quotient):
            return f"column {g} at place {len(chosen)} is not the best: {scores}"
        highest = max(high for _, high in scores.values())
        for f in range(g):
            tied = f in scores and scores[f][0] >= tie_cut(highest, quotient)
            if f in scores and (tied or part.same[f] == part.same[g]):
                return f"column {g} at place {len(chosen)} comes before its equal {f}: {scores}"
        chosen.append(g)
    scores = scores_of(chosen) if len(chosen) < k else {}
    if any(low > least for low, _ in scores.values()):
        return f"there are columns left after {chosen}: {scores}"
    return ""


class ForwardSteps:
    """What the chosen columns leave of the others and of the target of a part.

    Eliminations without fractions: all numbers stay integers, and what is left is a quotient of
    two of them.
    """

    def __init__(self, part):
        self.part, self.chosen = part, []
        self.C = part.C[: part.p, : part.p]
        if part.classes:
            self.outputs = part.class_sums
            self.sizes = [part.n * int(size) for size in part.sizes]
        else:
            self.outputs = part.C[: part.p, part.p :]
            self.sizes = [part.C[part.p, part.p]]
        self.pivot, self.error = 1, part.relative

    def _take(self, g):
        """Take off what column g explains; rounding errors grow where little was left of it."""
        self.error /= self._share(g)
        row, outputs, pivot = self.C[g], self.outputs[g], self.C[g, g]
        self.outputs = (pivot * self.outputs - np.outer(self.C[:, g], outputs)) // self.pivot
        self.C = (pivot * self.C - np.outer(self.C[:, g], row)) // self.pivot
        self.pivot = pivot
        self.chosen.append(g)

    def _share(self, f):
        """The share of a column that is left."""
        return self.C[f, f] / (self.pivot * self.part.C[f, f])

    def _gain(self, f):
        """The share of the target that what is left of a column explains."""
        each = zip(self.outputs[f], self.sizes, strict=True)
        explained = sum(Fraction(int(b) ** 2, int(size)) for b, size in each if size)
        return float(explained / (self.pivot * self.C[f, f]))

    def scores(self, tolerance, chosen):
        """Gains of the columns that may enter; it may also be that they may not."""
        for g in chosen[len(self.chosen) :]:
            self._take(g)
        found = {}
        for f in range(self.part.p):
            share = 0.0 if self.part.constant[f] or f in chosen else self._share(f)
            if share <= max(0.0, tolerance - self.error):
                continue
            gain, error = self._gain(f), self.error / share
            low = gain - error if share > tolerance + self.error else -1.0
            found[f] = low, gain + error
        return found

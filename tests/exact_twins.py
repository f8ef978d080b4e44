"""Exact measures of parts of a table, and what a selection by them must be.

Floats are integers times a power of two, so sums of squares and products are exact; what is left is
the rounding of one division and one root. A measure comes as an interval that the library's value
must lie in, a score as an interval that follows from these. So a selection is wrong if, and only
if, no rounding within the promised errors leads to it.
"""

import math
from fractions import Fraction
from functools import cache

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
            slow = getattr(twins, name)
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


def mrmr_scores(part, relevance, quotient, chosen):
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


def information_scores(part, name, chosen):
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


def what_is_wrong(part, found, k, scores_of, quotient=False):
    """Why columns cannot be those of a greedy selection of ``k``, or an empty string."""
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
    if len(chosen) < k and scores_of(chosen):
        return f"there are columns left after {chosen}"
    return ""


# ---------------------------------------- selections by symmetrical uncertainty


def by_decreasing(items, key):
    """Items by decreasing key; equal ones, each within the tolerance of the next, as they came."""
    ordered = sorted(items, key=key, reverse=True)
    groups, place = {}, 0
    for a, b in zip([None, *ordered], ordered, strict=False):
        place += a is not None and key(a) - key(b) > TIE
        groups[b] = place
    return sorted(items, key=lambda item: groups[item])


def fcbf(part, threshold=0.0):
    """The columns that stay."""
    r = [part.measure("uncertainty", f) for f in range(part.p)]
    rest = by_decreasing([f for f in range(part.p) if r[f] > threshold + TIE], lambda f: r[f])
    kept = []
    while rest:
        f = rest.pop(0)
        kept.append(f)
        rest = [q for q in rest if not part.measure("uncertainty", f, q) >= r[q] - 1e-8]
    return kept


class SlowCFS:
    """Searches by merits from the whole matrix; ties within 1e-12 go to the lower column."""

    def __init__(self, part):
        self.p = part.p
        self.r = [part.measure("uncertainty", f) for f in range(part.p)]
        self.among = [
            [part.measure("uncertainty", min(f, g), max(f, g)) for g in range(part.p)]
            for f in range(part.p)
        ]

    def merit(self, columns):
        s = sorted(columns)
        if not s:
            return 0.0
        pairs = math.fsum(self.among[f][g] for f in s for g in s if f < g)
        return math.fsum(self.r[f] for f in s) / math.sqrt(len(s) + 2 * pairs)

    def best(self, merits):
        """The column with the largest merit."""
        top = max(merits.values())
        return min(f for f, merit in merits.items() if merit >= top - 1e-12)

    def forward(self, most):
        found, merit = [], 0.0
        while len(found) < most:
            merits = {f: self.merit([*found, f]) for f in range(self.p) if f not in found}
            if not merits or max(merits.values()) <= merit + 1e-10:
                break
            found.append(self.best(merits))
            merit = merits[found[-1]]
        return found

    def best_first(self, most):
        """Open sets by merit, the earlier first among equals; five of them, five failures."""
        todo, seen, best, best_merit, stale = [(0.0, [])], set(), [], 0.0, 0
        while todo and stale < 5:
            _, found = todo.pop(0)
            if len(found) >= most:
                continue
            improved = False
            for f in range(self.p):
                more = frozenset([*found, f])
                if f in found or more in seen:
                    continue
                seen.add(more)
                merit = self.merit(more)
                todo.append((merit, [*found, f]))
                if merit > best_merit + 1e-5:
                    best, best_merit, improved = [*found, f], merit, True
            stale = 0 if improved else stale + 1
            places = by_decreasing(range(len(todo)), lambda i, todo=todo: todo[i][0])
            todo = [todo[i] for i in places[:5]]
        return best

    def floating(self, most):
        best, found = {0: (0.0, [])}, []
        while len(found) < most:
            merits = {f: self.merit([*found, f]) for f in range(self.p) if f not in found}
            found = [*found, self.best(merits)]
            merit, k = self.merit(found), len(found)
            if k not in best or merit > best[k][0] + 1e-12:
                best[k] = merit, found
            else:
                found = best[k][1]
            while len(found) > 2:
                left = {w: self.merit([g for g in found if g != w]) for w in found}
                w = self.best(left)
                if left[w] <= best[len(found) - 1][0] + 1e-12:
                    break
                found = [g for g in found if g != w]
                best[len(found)] = left[w], found
            top = max(merit for merit, _ in best.values())
            if len(found) > min(k for k in best if best[k][0] >= top - 1e-12) + 10:
                break
        top = max(merit for merit, _ in best.values())
        return best[min(k for k in best if best[k][0] >= top - 1e-12)][1]

    def locally_predictive(self, found):
        found = list(found)
        for f in by_decreasing(range(self.p), lambda f: self.r[f]):
            if f in found or self.r[f] <= 1e-12:
                continue
            if not any(self.among[f][g] > self.r[f] + 1e-12 for g in found):
                found.append(f)
        return found


def itd(part, n_subsets, threshold):
    """Subsets of a decomposition: seeds by conditional information, then an allocation."""
    r = [part.measure("uncertainty", f) for f in range(part.p)]
    left = by_decreasing([f for f in range(part.p) if r[f] > TIE], lambda f: r[f])
    seeds = left[:1]
    while left and len(seeds) < n_subsets:
        rest = [f for f in left if f not in seeds]
        if not rest:
            break
        least = {f: min(part.measure("conditional", f, s) for s in seeds) for f in rest}
        seeds.append(next(f for f in rest if least[f] >= max(least.values()) - TIE))
    subsets = [[s] for s in seeds]
    for f in [f for f in left if f not in seeds]:
        worst = [max(part.measure("uncertainty", f, z) for z in D) - r[f] for D in subsets]
        at = next(i for i, w in enumerate(worst) if w <= min(worst) + TIE)
        if worst[at] < threshold - TIE:
            subsets[at].append(f)
    return subsets

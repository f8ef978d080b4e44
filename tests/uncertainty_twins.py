"""Selections and decompositions by symmetrical uncertainty, slowly, from measures of a part."""

import math

from exact_twins import TIE


def by_decreasing(items, key):
    """Items by decreasing key; equal ones, each within the tolerance of the next, as they came."""
    ordered = sorted(items, key=key, reverse=True)
    groups, place = {}, 0
    for a, b in zip([None, *ordered], ordered, strict=False):
        place += a is not None and key(a) - key(b) > TIE
        groups[b] = place
    return sorted(items, key=lambda item: groups[item])


def fcbf(part, threshold=0.0, among=None):
    """The columns that stay, of all or of some."""
    r = [part.measure("uncertainty", f) for f in range(part.p)]
    among = [f for f in range(part.p) if among is None or f in among]
    rest = by_decreasing([f for f in among if r[f] > threshold + TIE], lambda f: r[f])
    kept = []
    while rest:
        f = rest.pop(0)
        kept.append(f)
        rest = [q for q in rest if not part.measure("uncertainty", f, q) >= r[q] - 1e-8]
    return kept


def iterated_fcbf(part, n_subsets, threshold):
    """What stays, then what stays of the rest, and so on."""
    left, subsets = list(range(part.p)), []
    while len(subsets) < n_subsets and (found := fcbf(part, threshold, left)):
        subsets.append(found)
        left = [f for f in left if f not in found]
    return subsets


class SlowCFS:
    """Searches by merits from the whole matrix; ties within 1e-12 go to the lower column."""

    def __init__(self, part, measure="uncertainty"):
        self.p = part.p
        self.r = [part.measure(measure, f) for f in range(part.p)]
        self.among = [
            [part.measure(measure, min(f, g), max(f, g)) for g in range(part.p)]
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

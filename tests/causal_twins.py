"""Slow twins of the causal selectors, and tables to try them on."""

from collections import Counter
from itertools import chain, combinations, product

import numpy as np
from scipy.stats import chi2

#: Counts of the cells (a, b, c) of a chain a -> b -> c and of a collider a -> c <- b.
CHAIN = {"000": 320, "001": 80, "010": 20, "011": 80, "111": 320, "110": 80, "101": 20, "100": 80}
COLLIDER = {"000": 225, "001": 25, "010": 25, "011": 225, "100": 25, "101": 225, "110": 25}
COLLIDER["111"] = 225


def table_of(cells):
    rows = [[int(level) for level in cell] for cell in cells]
    return np.repeat(rows, list(cells.values()), axis=0)


def without(table, j):
    """The columns but one, and that one as the target."""
    return np.delete(table, j, axis=1), table[:, j]


def names_of(columns, j, n=3):
    """Letters of columns of a table that lacks column j."""
    return {"ABCDEFGH"[np.delete(np.arange(n), j)[k]] for k in columns}


class SlowTests:
    """G² with full degrees of freedom, from dictionaries; the target is the last column."""

    def __init__(self, table, alpha, samples_per_df):
        self.columns = [column.tolist() for column in np.asarray(table).T]
        self.levels = [len(set(column)) for column in self.columns]
        self.alpha, self.h = alpha, samples_per_df

    def __call__(self, x, y, given):
        """Whether the test can be relied on, whether it finds dependence, and G²."""
        n = len(self.columns[0])
        z = list(zip(*(self.columns[g] for g in given), strict=True)) if given else [()] * n
        a, b = self.columns[x], self.columns[y]
        cells, za = Counter(zip(z, a, b, strict=True)), Counter(zip(z, a, strict=True))
        zb, strata = Counter(zip(z, b, strict=True)), Counter(z)
        g2 = 2 * sum(
            c * np.log(c * strata[k] / (za[k, i] * zb[k, j])) for (k, i, j), c in cells.items()
        )
        df = self.df(x, y, given)
        if n < self.h * df:
            return False, False, 0.0
        return True, df > 0 and chi2.sf(max(g2, 0), df) <= self.alpha, g2

    def df(self, x, y, given):
        pair = (self.levels[x] - 1) * (self.levels[y] - 1)
        return pair * int(np.prod([self.levels[g] for g in given]))

    def strength(self, x, y, given):
        """Minus the logarithm of the p-value; where that is 0, more, by the statistic."""
        statistic, df = max(self(x, y, given)[2], 0), self.df(x, y, given)
        pvalue = chi2.sf(statistic, df)
        return -np.log(pvalue) if pvalue > 0 else 1e4 + statistic / df

    def separates(self, x, y, given):
        reliable, dependent, _ = self(x, y, given)
        return reliable and not dependent


def shrink_slow(test, target, members, restart):
    again = True
    while again:
        again = False
        for x in list(members):
            reliable, dependent, _ = test(x, target, [g for g in members if g != x])
            if reliable and not dependent:
                members.remove(x)
                if restart:
                    again = True
                    break
    return members


def grow_shrink_slow(test, target, order):
    members, again = [], True
    while again:
        again = False
        for x in order:
            if x not in members and test(x, target, members)[1]:
                members.append(x)
                again = True
                break
    return shrink_slow(test, target, members, restart=True)


def strongest(test, target, members):
    found = [(test(x, target, members), x) for x in range(target) if x not in members]
    found = [(g2, x) for (_, dependent, g2), x in found if dependent]
    best = max((g2 for g2, _ in found), default=0)
    return next((x for g2, x in found if g2 >= best - 1e-9), None)


def iamb_slow(test, target):
    members = []
    while (x := strongest(test, target, members)) is not None:
        members.append(x)
    return shrink_slow(test, target, members, restart=False)


def inter_iamb_slow(test, target):
    members, seen = [], {frozenset()}
    while (x := strongest(test, target, members)) is not None:
        for old in list(members):
            others = [g for g in [*members, x] if g != old]
            reliable, dependent, _ = test(old, target, others)
            if reliable and not dependent:
                members.remove(old)
        members.append(x)
        if frozenset(members) in seen:
            break
        seen.add(frozenset(members))
    return members


def subsets_slow(nodes, most):
    """Sets of at most so many nodes, small ones first."""
    return chain.from_iterable(combinations(nodes, k) for k in range(min(most, len(nodes)) + 1))


def separated_slow(test, x, y, among, most):
    """Whether some set of at most so many nodes separates two others."""
    return any(test.separates(x, y, given) for given in subsets_slow(among, most))


def mmpc_slow(test, y, n, most):
    """Neighbours of node y among n nodes, not checked from the other side, in order of entry."""
    weakest = {x: test.strength(x, y, ()) for x in range(n) if x != y and test(x, y, ())[1]}
    members = []
    while weakest:
        largest = max(weakest.values())
        newest = next(x for x, value in weakest.items() if value >= largest - 1e-9)
        del weakest[newest]
        for given in [(*older, newest) for older in subsets_slow(members, most - 1)]:
            for x in list(weakest):
                reliable, dependent, _ = test(x, y, given)
                if reliable and not dependent:
                    del weakest[x]
                elif reliable:
                    weakest[x] = min(weakest[x], test.strength(x, y, given))
        members.append(newest)
    for x in list(members):
        if separated_slow(test, x, y, [g for g in members if g != x], most):
            members.remove(x)
    return members


def hiton_slow(test, y, n, most):
    """Neighbours of node y among n nodes, not checked from the other side, in order of entry."""
    candidates = [x for x in range(n) if x != y and test(x, y, ())[1]]
    members = []
    for newest in sorted(candidates, key=lambda x: -round(test.strength(x, y, ()), 9)):
        members.append(newest)
        for x in [newest, *members[:-1]]:  # if the newest leaves, the others stay as they were
            if separated_slow(test, x, y, [g for g in members if g != x], most):
                members.remove(x)
    return members


def mutual_slow(neighbours, y):
    """Neighbours of a node that have it among theirs."""
    return [x for x in neighbours(y) if y in neighbours(x)]


def skeleton_slow(test, n):
    """Edges and separating sets by the stable PC algorithm, one test after the other."""
    adjacent = {x: {y for y in range(n) if y != x} for x in range(n)}
    separating, size = {}, 0
    while any(len(adjacent[x]) - 1 >= size for x in range(n)):
        frozen = {x: sorted(adjacent[x]) for x in range(n)}
        for x in range(n):
            for y in frozen[x]:
                if y not in adjacent[x]:
                    continue
                for given in combinations([g for g in frozen[x] if g != y], size):
                    reliable, dependent, _ = test(x, y, list(given))
                    if reliable and not dependent:
                        adjacent[x].discard(y)
                        adjacent[y].discard(x)
                        separating[min(x, y), max(x, y)] = set(given)
                        break
        size += 1
    return adjacent, separating


# ---------------------------------------------------------------------- graphs


def random_dag(rng, n, share=0.4):
    order = rng.permutation(n)
    return np.triu(rng.random((n, n)) < share, 1)[np.ix_(order, order)]


def blanket_of(dag, j):
    """Parents, children, and other parents of children."""
    children = np.nonzero(dag[j])[0]
    found = set(np.nonzero(dag[:, j])[0]) | set(children)
    found |= set(chain.from_iterable(np.nonzero(dag[:, c])[0] for c in children))
    return {int(k) for k in found - {j}}


def colliders(dag):
    n = len(dag)
    return {
        (a, c, b)
        for a, b in combinations(range(n), 2)
        for c in range(n)
        if dag[a, c] and dag[b, c] and not dag[a, b] and not dag[b, a]
    }


def is_acyclic(dag):
    power = dag.astype(int)
    for _ in dag:
        if np.trace(power):
            return False
        power = power @ dag
    return True


def equivalence_class(dag):
    """The union of all acyclic graphs with the same edges and colliders."""
    edges = np.argwhere(dag)
    union = np.zeros_like(dag)
    for turned in product([False, True], repeat=len(edges)):
        other = np.zeros_like(dag)
        for (a, b), turn in zip(edges, turned, strict=True):
            other[(b, a) if turn else (a, b)] = True
        if is_acyclic(other) and colliders(other) == colliders(dag):
            union |= other
    return union


def random_table(rng):
    """A few rows of a few columns, one with three levels; the last one is the target."""
    n, p = int(rng.integers(30, 150)), int(rng.integers(2, 6))
    table = sample(random_dag(rng, p + 1), n, rng)
    table[:, 0] += table[:, p - 1] & (rng.random(n) < 0.5)
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])


def sample(dag, n, rng, strength=0.8):
    """Binary columns, each a noisy function of the columns that point to it, by clear margins."""
    values = np.zeros((n, len(dag)), dtype=np.int8)
    done: set[int] = set()
    while len(done) < len(dag):
        for j in set(range(len(dag))) - done:
            parents = np.nonzero(dag[:, j])[0]
            if set(parents.tolist()) <= done:
                weights = (
                    strength * (1 + np.arange(parents.size)) * rng.choice([-1, 1], parents.size)
                )
                score = (2 * values[:, parents] - 1) @ weights
                values[:, j] = rng.random(n) < 1 / (1 + np.exp(-score))
                done.add(j)
    return values

"""Trees with out-of-bag importance and masking, against trees in plain Python."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ensfs._core import forest

WORD = (1 << 64) - 1
TOLERANCE = 1e-12


class Random:
    """The random numbers of the kernel (splitmix64)."""

    def __init__(self, seed):
        self.state = int(seed)

    def below(self, m):
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        return (((z ^ (z >> 31)) >> 32) * m) >> 32


def permute_slow(column, seed):
    random, out = Random(seed), []
    for i, code in enumerate(column):
        k = random.below(i + 1)
        out.append(code)
        out[i], out[k] = out[k], code
    return out


def impurity(y, weights, n_classes):
    """Variance of numbers, Gini's impurity of classes."""
    y, weights = np.asarray(y), np.asarray(weights, dtype=float)
    if n_classes:
        shares = np.bincount(y, weights, minlength=n_classes) / weights.sum()
        return 1 - np.sum(shares**2)
    mean = np.average(y, weights=weights)
    return np.average((y - mean) ** 2, weights=weights)


def decrease(y, weights, left, n_classes):
    """Impurity of the node less that of its children, by their shares."""
    total = impurity(y, weights, n_classes)
    for side in (left, ~left):
        if not side.any():
            return 0.0
        share = weights[side].sum() / weights.sum()
        total -= share * impurity(y[side], weights[side], n_classes)
    return total


def apart(y, weights, left, n_classes):
    """Mean of numbers, or shares of the classes, on the left minus those on the right."""
    Y = np.eye(n_classes)[y] if n_classes else y[:, None]
    return np.subtract(
        *(np.average(Y[side], axis=0, weights=weights[side]) for side in (left, ~left))
    )


def worth(bag, out, nominal, n_classes):
    """What a split is worth to rows that did not choose it, and what it is credited with.

    `bag` and `out` are (y, weights, goes left).
    """
    if out[2].all() or not out[2].any():
        return 0.0, 0.0
    inside, outside = apart(*bag, n_classes), apart(*out, n_classes)
    together = inside @ outside
    if together <= 0:
        return 0.0, 0.0
    sides = [out[1][side].sum() / out[1].sum() for side in (out[2], ~out[2])]
    value = np.prod(sides) * together**2 / (inside @ inside)
    return value, value if nominal else np.prod(sides) * together


def principal_direction(away, w):
    """The first principal direction by twenty steps of the power method, from the farthest level.

    The steps are part of the definition: they do not tell directions apart that are almost as long.
    """
    scatter = (away * w[:, None]).T @ away
    far = w * np.sum(away**2, axis=1)
    direction = away[np.argmax(far >= far.max() * (1 - 1e-9))]  # the first of equal ones
    for _ in range(20):
        product = scatter @ direction
        if not product.any():
            break
        direction = product / np.linalg.norm(product)
    return direction


def ordered_levels(x, y, weights, nominal, n_classes):
    """The codes that occur, in the order in which a split may part them."""
    levels = np.unique(x)
    if not nominal or levels.size == 1:
        return levels
    if not n_classes:
        means = [np.average(y[x == v], weights=weights[x == v]) for v in levels]
        return levels[np.lexsort((levels, means))]
    w = np.array([weights[x == v].sum() for v in levels])
    shares = np.array([np.bincount(y[x == v], weights[x == v], n_classes) for v in levels])
    shares /= w[:, None]
    away = shares - np.bincount(y, weights, n_classes) / weights.sum()
    direction = principal_direction(away, w)
    return levels[np.lexsort((levels, np.round(shares @ direction, 9)))]


def best_split(x, y, weights, nominal, n_classes, min_leaf):
    """Codes that go left where the impurity of rows in the bag falls most, or None."""
    best, left_codes = TOLERANCE, None
    levels = ordered_levels(x, y, weights, nominal, n_classes)
    for k in range(1, levels.size):
        left = np.isin(x, levels[:k])
        if min(weights[left].sum(), weights[~left].sum()) < min_leaf:
            continue
        gain = decrease(y, weights, left, n_classes)
        if gain > best + TOLERANCE:
            best, left_codes = gain, set(levels[:k].tolist())
    if left_codes is not None and nominal:
        heavier_left = 2 * weights[np.isin(x, list(left_codes))].sum() >= weights.sum()
        if heavier_left:  # codes that are not in the bag go with most of the rows
            left_codes |= set(range(256)) - set(levels.tolist())
    elif left_codes is not None:
        left_codes = set(range(max(left_codes) + 1))
    return left_codes


def association(x, left, weights, nominal):
    """Predictive association of the best surrogate split on x (spec: lambda)."""
    w, w_left = weights.sum(), weights[left].sum()
    agreement = [0.0]
    if nominal:
        agreement.append(
            sum(
                max(weights[left & (x == v)].sum(), weights[~left & (x == v)].sum())
                for v in np.unique(x)
            )
        )
    else:
        for v in np.unique(x)[:-1]:
            same = weights[(x <= v) == left].sum()
            agreement += [same, w - same]
    least = min(w_left, w - w_left) / w
    return max(0.0, (least - (1 - max(agreement) / w)) / least)


def grow_slow(X, nominal, y, n_classes, seed, mtry, max_depth, min_leaf):
    """Importances of all columns, and the nodes of columns in the first half with associations."""
    n, n_columns = X.shape
    random = Random(seed)
    times = np.zeros(n)
    for _ in range(n):
        times[random.below(n)] += 1
    importances, nodes = np.zeros(n_columns), []
    order = list(range(n_columns))
    n_out = np.sum(times == 0)
    stack = [(np.ones(n, dtype=bool), 0)]
    while stack:
        here, depth = stack.pop()
        bag, out = here & (times > 0), here & (times == 0)
        w = times[bag]
        if depth == max_depth or w.sum() < 2 * min_leaf or not out.any():
            continue
        if n_classes and np.unique(y[bag]).size == 1:
            continue
        best, gain, codes, earned = None, TOLERANCE, None, 0.0
        for k in range(mtry):
            at = k + random.below(n_columns - k)
            order[k], order[at] = order[at], order[k]
            j = order[k]
            left = best_split(X[bag, j], y[bag], w, nominal[j], n_classes, min_leaf)
            if left is None:
                continue
            goes = np.isin(X[:, j], list(left))
            value, credit = worth(
                (y[bag], w, goes[bag]), (y[out], np.ones(out.sum()), goes[out]), nominal[j],
                n_classes,
            )  # fmt: skip
            if value > gain + TOLERANCE:
                best, gain, codes, earned = j, value, left, credit
        if best is None:
            continue
        credit = earned * out.sum() / n_out
        importances[best] += credit
        goes = np.isin(X[:, best], list(codes))
        if best < n_columns // 2:
            row = [association(X[bag, j], goes[bag], w, nominal[j]) for j in range(n_columns)]
            nodes.append((best, credit, row))
        stack += [(here & ~goes, depth + 1), (here & goes, depth + 1)]
    return importances, nodes


def grow(X, Z, nominal, y, n_classes, seeds, mtry, max_depth, min_leaf, blocks=1):
    n, p = X.shape
    n_trees, n_columns = len(seeds), p if Z is None else 2 * p
    importances = np.full((n_trees, n_columns), np.nan)
    most = max(1, min(2**max_depth - 1, n // min_leaf))
    nodes = (
        np.zeros(n_trees, dtype=np.int32),
        np.zeros((n_trees, most), dtype=np.int32),
        np.zeros((n_trees, most)),
        np.zeros((n_trees, most, n_columns)),
    )
    width = max(2, n_classes)
    for start in range(0, n_trees, blocks):
        workspace = forest.TreeWorkspace(
            width, max_depth, np.empty((2, n), dtype=np.int32), np.empty((5, n)),
            np.empty(n_columns, dtype=np.int32), np.empty(256 * (width + 2) + 4 * width),
            np.empty(5 * (max_depth + 2), dtype=np.int64),
        )  # fmt: skip
        forest.grow(
            forest.TreeTable(
                np.asfortranarray(X), None if Z is None else np.asfortranarray(Z),
                nominal.astype(np.uint8),
            ),
            forest.TreeTarget(None, y.astype(np.int32), n_classes)
            if n_classes
            else forest.TreeTarget(y),
            seeds, mtry, max_depth, min_leaf, start, min(start + blocks, n_trees), workspace,
            importances, forest.TreeNodes(*nodes),
        )  # fmt: skip
    return importances, nodes


def random_problem(seed, n, p, n_classes, n_levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_levels, size=(n, p), dtype=np.uint8)
    Z = rng.permuted(X, axis=0)
    nominal = rng.random(p) < 0.5
    # dyadic numbers without ties: sums are exact and no two splits are equally good
    y = rng.permutation(n) - n / 2 + X[:, 0]
    y = rng.integers(n_classes, size=n) if n_classes else y / 16.0
    seeds = rng.integers(2**63, size=3, dtype=np.uint64)
    return X, Z, nominal, y, seeds


@example(  # two directions of almost the same length
    seed=13950, n=22, p=2, n_classes=3, n_levels=5, max_depth=2, min_leaf=1, all_columns=False,
)  # fmt: skip
@example(  # classes with the same share along the direction
    seed=1844184862, n=26, p=2, n_classes=4, n_levels=256, max_depth=1, min_leaf=2,
    all_columns=True,
)  # fmt: skip
@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
    p=st.integers(1, 4),
    n_classes=st.sampled_from([0, 0, 2, 3, 4]),
    n_levels=st.sampled_from([2, 5, 256]),
    max_depth=st.integers(1, 4),
    min_leaf=st.integers(1, 3),
    all_columns=st.booleans(),
)
def test_trees(seed, n, p, n_classes, n_levels, max_depth, min_leaf, all_columns):
    X, Z, nominal, y, seeds = random_problem(seed, n, p, n_classes, n_levels)
    mtry = 2 * p if all_columns else p
    importances, (counts, columns, gains, associations) = grow(
        X, Z, nominal, y, n_classes, seeds, mtry, max_depth, min_leaf
    )
    both, kinds = np.hstack([X, Z]), np.tile(nominal, 2)
    for t, tree in enumerate(seeds):
        slow, nodes = grow_slow(both, kinds, y, n_classes, tree, mtry, max_depth, min_leaf)
        np.testing.assert_allclose(importances[t], slow, rtol=1e-9, atol=1e-9)
        assert columns[t, : counts[t]].tolist() == [node[0] for node in nodes]
        np.testing.assert_allclose(gains[t, : counts[t]], [node[1] for node in nodes], atol=1e-9)
        for found, (_, _, expected) in zip(associations[t], nodes, strict=False):
            np.testing.assert_allclose(found, expected, atol=1e-12)
    again = grow(X, Z, nominal, y, n_classes, seeds, mtry, max_depth, min_leaf, blocks=3)
    np.testing.assert_array_equal(again[0], importances)
    np.testing.assert_array_equal(again[1][3], associations)


@given(seed=st.integers(0, 2**64 - 1), n=st.integers(1, 50))
def test_permuted_columns(seed, n):
    X = np.asfortranarray(np.arange(2 * n).reshape(n, 2) % 256, dtype=np.uint8)
    Z = np.empty_like(X, order="F")
    seeds = np.array([seed, seed ^ 12345], dtype=np.uint64)
    forest.permute_columns(X, seeds, 0, 2, Z)
    for j in range(2):
        assert sorted(Z[:, j]) == sorted(X[:, j])
        assert Z[:, j].tolist() == permute_slow(X[:, j].tolist(), seeds[j])


def test_permutations_are_uniform():
    X = np.asfortranarray(np.tile(np.arange(3, dtype=np.uint8)[:, None], (1, 6000)))
    Z = np.empty_like(X, order="F")
    forest.permute_columns(X, np.arange(6000, dtype=np.uint64), 0, 6000, Z)
    counts = np.unique(Z, axis=1, return_counts=True)[1]
    assert counts.size == 6
    assert np.all(np.abs(counts - 1000) < 150)


def test_association_of_a_small_node():
    """Two of five rows go left; a surrogate that errs once in ten has association 0.75."""
    left = np.array([1.0] * 4 + [0.0] * 6)
    ones = np.ones(10)
    x = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1], dtype=np.uint8)
    assert forest.association(x, ones, left, False) == pytest.approx(0.75, abs=1e-15)
    assert forest.association(1 - x, ones, left, False) == pytest.approx(0.75, abs=1e-15)
    assert forest.association(x, ones, left, True) == pytest.approx(0.75, abs=1e-15)
    # agreement in six of ten rows is what always going right gives
    x = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1, 0], dtype=np.uint8)
    assert forest.association(x, ones, left, False) == 0.0
    assert forest.association(np.zeros(10, dtype=np.uint8), ones, left, False) == 0.0


def test_column_with_many_levels_has_no_advantage():
    """Noise with many levels is credited as much as noise with two, out of the bag."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(200, size=400), rng.integers(2, size=400)]).astype(np.uint8)
    nominal = np.array([True, True])
    totals = np.zeros(2)
    for _ in range(300):
        y = rng.normal(size=400)
        seeds = rng.integers(2**63, size=4, dtype=np.uint64)
        totals += grow(X, None, nominal, y, 0, seeds, 1, 1, 5)[0].sum(axis=0)
    assert 0.7 < totals[0] / totals[1] < 1.4


def test_worth_where_both_kinds_of_rows_agree():
    """Where the sides are as far apart out of the bag as in it, the worth is the decrease."""
    rng = np.random.default_rng(0)
    for n_classes in (0, 2, 4):
        y = rng.integers(n_classes, size=30) if n_classes else rng.normal(size=30)
        rows = y, np.ones(30), rng.random(30) < 0.4
        expected = decrease(*rows, n_classes)
        for nominal in (False, True):
            found = worth(rows, rows, nominal, n_classes)
            assert found == pytest.approx((expected, expected), rel=1e-12)
            assert worth((y, np.ones(30), ~rows[2]), rows, nominal, n_classes) == (0.0, 0.0)

"""Orders of members by definition, and votes of the first of them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from ensfs.ensemble import order_members
from ensfs.ensemble._orders import (
    _whole_fitness,
    accuracy_and_distance,
    by_fitness,
    fitness,
    prefix_right,
)

TREES = np.array([[0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]])
TRUTH = np.array([0, 1, 1, 0, 1])


def fitness_slow(members, y, alpha):
    """Fitness as it is printed, in fractions."""
    n, m = len(y), len(members)
    a = [Fraction(sum(p == t for p, t in zip(h, y, strict=True)), n) for h in members]
    d = [
        Fraction(sum(p != q for g in members for p, q in zip(h, g, strict=True)), n * max(1, m - 1))
        for h in members
    ]
    share = lambda values, v: v / max(values) if max(values) else Fraction(0)  # noqa: E731
    return [alpha * share(a, a[i]) + (1 - alpha) * share(d, d[i]) for i in range(m)]


def test_worked_numbers():
    right, distance = accuracy_and_distance(TREES, TRUTH, 2)
    assert right.tolist() == [5, 4, 3, 3]
    assert distance.tolist() == [5, 7, 9, 9]
    half = Fraction(1, 2)
    np.testing.assert_allclose(
        fitness(right, distance, half), [7 / 9, 71 / 90, 4 / 5, 4 / 5], atol=1e-12
    )
    assert (_whole_fitness(right, distance, Fraction(5, 10)) * 5).tolist() == [350, 355, 360, 360]
    assert by_fitness(right, distance, half).tolist() == [2, 3, 1, 0]
    assert by_fitness(right, distance, Fraction(1)).tolist() == [0, 1, 2, 3]
    orders = [np.array([2, 3, 1, 0]), np.array([0, 1, 2, 3])]
    found = prefix_right(TREES, TRUTH, 2, orders)
    assert (found / 5).tolist() == [[3 / 5, 3 / 5, 1, 1], [1, 4 / 5, 1, 1]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 8), st.integers(1, 3),
       st.integers(0, 10))  # fmt: skip
def test_fitness(seed, m, n, n_classes, i):
    rng = np.random.default_rng(seed)
    members, y = rng.integers(n_classes, size=(m, n)), rng.integers(n_classes, size=n)
    exact = fitness_slow(members.tolist(), y.tolist(), Fraction(i, 10))
    order = order_members(members, y, alpha=i / 10)
    assert order.tolist() == sorted(range(m), key=lambda h: (-exact[h], h))
    terms = accuracy_and_distance(members, y, n_classes)
    found = fitness(*terms, Fraction(i, 10))
    np.testing.assert_allclose(found, [float(each) for each in exact], atol=1e-12)


def test_fitness_of_counts_that_do_not_fit_into_64_bits():
    right = np.array([2**40, 2**40 - 1], dtype=np.int64)
    distance = np.array([2**50 - 1, 2**50], dtype=np.int64)
    for i in range(1001):
        a = Fraction(i, 1000)
        exact = [a * Fraction(int(r), 2**40) + (1 - a) * Fraction(int(d), 2**50)
                 for r, d in zip(right, distance, strict=True)]  # fmt: skip
        expected = [0, 1] if exact[0] >= exact[1] else [1, 0]
        assert by_fitness(right, distance, a).tolist() == expected


def test_accuracy():
    assert order_members(TREES, TRUTH, "accuracy").tolist() == [0, 1, 2, 3]
    assert order_members(TREES[::-1], TRUTH, "accuracy").tolist() == [3, 2, 0, 1]


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(3, 10))
def test_kappa(seed, m, n):
    rng = np.random.default_rng(seed)
    members, y = rng.integers(3, size=(m, n)), rng.integers(3, size=n)
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    kappa = {}
    for i, j in pairs:
        if len(set(members[i]) | set(members[j])) == 1:
            kappa[i, j] = 1.0
        else:
            kappa[i, j] = cohen_kappa_score(members[i], members[j])
    order = []
    for pair in sorted(pairs, key=lambda each: (round(kappa[each], 12), each)):
        order += [member for member in pair if member not in order]
    ties = len({round(v, 9) for v in kappa.values()}) < len(pairs)
    found = order_members(members, y, "kappa").tolist()
    assert sorted(found) == list(range(m))
    if not ties:
        assert found == order


def on_hull_slow(points, p):
    """Whether a point is the only best one for some weights of both coordinates."""
    weights = [(np.cos(t), np.sin(t)) for t in np.linspace(1e-4, np.pi / 2 - 1e-4, 4001)]
    values = np.array([[a * x + b * y for x, y in points] for a, b in weights])
    return (values.argmin(axis=1) == p).any()


def test_hull():
    """Six members: the first ones are those of pairs on the hull of kappa and error."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=60)
    members = np.array([np.where(rng.random(60) < e, 1 - y, y) for e in (0.1, 0.2, 0.3, 0.3, 0.4)])
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    points = [(cohen_kappa_score(members[i], members[j]),
               ((members[i] != y).mean() + (members[j] != y).mean()) / 2)
              for i, j in pairs]  # fmt: skip
    chosen = [p for p in range(len(pairs)) if on_hull_slow(points, p)]
    first = {member for p in chosen for member in pairs[p]}
    order = order_members(members, y, "hull").tolist()
    assert sorted(order) == list(range(5))
    assert set(order[: len(first)]) == first
    best = min(chosen, key=lambda p: points[p][1])
    assert set(order[:2]) == set(pairs[best])


def test_any_labels():
    text = np.array(["no", "yes"])
    for rule in ("fitness", "accuracy", "kappa", "hull"):
        expected = order_members(TREES, TRUTH, rule).tolist()
        assert order_members(text[TREES], text[TRUTH], rule).tolist() == expected


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 8), st.integers(1, 4))
def test_prefix_right(seed, m, n, n_classes):
    rng = np.random.default_rng(seed)
    members, y = rng.integers(n_classes, size=(m, n)), rng.integers(n_classes, size=n)
    orders = [rng.permutation(m) for _ in range(3)]
    found = prefix_right(members, y, n_classes, orders)
    np.testing.assert_array_equal(prefix_right(members, y, n_classes, orders, 3), found)
    for order, right in zip(orders, found, strict=True):
        for size in range(1, m + 1):
            counts = np.stack([(members[order[:size]] == c).sum(axis=0) for c in range(n_classes)])
            assert right[size - 1] == (counts.argmax(axis=0) == y).sum()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: order_members(TREES, TRUTH, "best"), "rule must be 'fitness', 'accuracy'"),
        (lambda: order_members(TREES, TRUTH, alpha=2), "alpha must lie between 0 and 1"),
        (lambda: order_members(TREES[0], TRUTH), "predictions must have the shape"),
        (lambda: order_members(TREES, TRUTH[:3]), "y must have a class for each of the 5"),
        (lambda: order_members([[np.nan, 1]], [0, 1]), "missing"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()

"""Cut points of rows that have weights: a weight is how often its row is there."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.discretize import EqualFrequencyDiscretizer, MDLDiscretizer, SigmaDiscretizer

DISCRETIZERS = [
    SigmaDiscretizer(), SigmaDiscretizer(0.0), EqualFrequencyDiscretizer(4),
    EqualFrequencyDiscretizer(2), MDLDiscretizer(), MDLDiscretizer(better_encoding=True),
]  # fmt: skip

Y = np.repeat([0, 1], 6)
W = np.array([2, 1, 0, 3, 1, 1, 1, 2, 1, 1, 0, 1.0])
A = np.array([1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6.0])[:, None]
B = np.array([2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9.0])[:, None]


def test_worked_numbers():
    assert MDLDiscretizer().fit(A, Y, sample_weight=W).cut_points_[0] == [4.5]
    quartiles = EqualFrequencyDiscretizer(4)
    np.testing.assert_allclose(quartiles.fit(B, sample_weight=W).cut_points_[0], [3, 4, 6])
    np.testing.assert_allclose(quartiles.fit(B, sample_weight=W / 2).cut_points_[0], [3, 4, 7])
    codes = SigmaDiscretizer().fit(B, sample_weight=W).transform(B)
    assert codes.ravel().tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]


def table(seed, n, decimals):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = np.round(rng.normal(size=(n, 3)) + y[:, None] * [0, 1, 3], decimals)
    X[rng.random((n, 3)) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("discretizer", DISCRETIZERS, ids=repr)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), largest=st.sampled_from([1, 3, 100]),
    decimals=st.sampled_from([0, 2, 12]),
)  # fmt: skip
def test_whole_weights_are_repeated_rows(discretizer, seed, n, largest, decimals):
    X, y = table(seed, n, decimals)
    w = np.random.default_rng(seed).integers(0, largest + 1, n)
    w[0] = 1
    fast = discretizer.fit(X, y, sample_weight=w)
    cuts, codes, n_levels = fast.cut_points_, fast.transform(X), fast.n_levels_
    slow = discretizer.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert [each.size for each in cuts] == [each.size for each in slow.cut_points_]
    for a, b in zip(cuts, slow.cut_points_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(codes, slow.transform(X))
    np.testing.assert_array_equal(n_levels, slow.n_levels_)


def quantile_slow(x, w, share):
    """The value at place 1 + (W - 1) share, between the values that the weights reach."""
    order = np.argsort(x)
    total = math.fsum(w)

    def reached(place):
        so_far = 0.0
        for i in order:
            so_far += w[i]
            if so_far >= place - 1e-9 * total:
                return x[i]
        return x[order[-1]]

    h = 1 + (total - 1) * share
    low = math.floor(h)
    t = h - low
    return (1 - t) * reached(low) + t * reached(min(low + 1, total))


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), scale=st.sampled_from([0.1, 1, 30]))
def test_real_weights(seed, n, scale):
    X, _ = table(seed, n, 2)
    x = np.nan_to_num(X[:, :1])
    w = np.random.default_rng(seed).exponential(size=n) * scale
    found = EqualFrequencyDiscretizer(4).fit(x, sample_weight=w).cut_points_[0]
    wanted = [quantile_slow(x[:, 0], w, j / 4) for j in (1, 2, 3) if w.sum() > 1]
    wanted = np.unique(np.round([c for c in wanted if c < x.max() - 1e-9], 9))
    np.testing.assert_allclose(np.unique(np.round(found, 9)), wanted, atol=2e-9)
    mean = math.fsum(w * x[:, 0]) / math.fsum(w)
    if w.sum() > 1 and np.ptp(x) > 0:
        deviation = math.sqrt(math.fsum(w * (x[:, 0] - mean) ** 2) / (math.fsum(w) - 1))
        sigma = SigmaDiscretizer().fit(x, sample_weight=w).cut_points_[0]
        wanted = [mean - deviation / 2, mean + deviation / 2]
        np.testing.assert_allclose(sigma, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("discretizer", DISCRETIZERS, ids=repr)
def test_a_weight_of_one_in_all_has_no_cuts(discretizer):
    w = np.full(len(A), 1 / len(A))
    assert discretizer.fit(A, Y, sample_weight=w).cut_points_[0].size == 0


def mdl_slow(x, y, w):
    """Cut points of Fayyad and Irani, with sums of weights in place of numbers of rows."""

    def entropy(rows):
        total = math.fsum(w[i] for i in rows)
        of_class = [
            math.fsum(w[i] for i in rows if y[i] == c) for c in sorted({y[i] for i in rows})
        ]
        return -math.fsum(t / total * math.log2(t / total) for t in of_class), len(of_class), total

    rows = sorted(range(len(x)), key=lambda i: x[i])
    e, k, total = entropy(rows)
    best, least = None, e - 1e-12
    for place in range(1, len(rows)):
        if x[rows[place - 1]] < x[rows[place]]:
            left, right = entropy(rows[:place]), entropy(rows[place:])
            after = (left[2] * left[0] + right[2] * right[0]) / total
            if after < least:
                best, least = place, after - 1e-12
    if best is None or total <= 1 or k < 2:
        return []
    (e1, k1, n1), (e2, k2, n2) = entropy(rows[:best]), entropy(rows[best:])
    cost = math.log2(total - 1) + math.log2(3**k - 2) - (k * e - k1 * e1 - k2 * e2)
    if e - (n1 * e1 + n2 * e2) / total <= cost / total:
        return []
    sides = [(x[part], y[part], w[part]) for part in (rows[:best], rows[best:])]
    middle = (x[rows[best - 1]] + x[rows[best]]) / 2
    return sorted([*mdl_slow(*sides[0]), middle, *mdl_slow(*sides[1])])


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 40), scale=st.sampled_from([0.3, 1, 5]))
def test_real_weights_of_mdl(seed, n, scale):
    X, y = table(seed, n, 2)
    x = np.nan_to_num(X)
    w = np.random.default_rng(seed).exponential(size=n) * scale
    found = MDLDiscretizer().fit(x, y, sample_weight=w).cut_points_
    for j, cuts in enumerate(found):
        np.testing.assert_allclose(cuts, mdl_slow(x[:, j], y, w))


def test_bad_weights():
    with pytest.raises(ValueError, match="one weight for each of the 12 rows"):
        SigmaDiscretizer().fit(A, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MDLDiscretizer().fit(A, [0, 1], sample_weight=W)
    with pytest.raises(ValueError, match="y"):
        MDLDiscretizer().fit(A, sample_weight=W)

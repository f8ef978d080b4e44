"""Measures of rows that have weights: a weight is how often its row is there."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.measures import (
    conditional_mutual_information,
    entropy,
    f_test,
    g_square,
    mutual_information,
    pairwise,
    pearson,
    symmetrical_uncertainty,
)

# ---------------------------------------- the definitions, slowly


def entropy_slow(w, *columns):
    totals = defaultdict(list)
    for weight, cell in zip(w, zip(*columns, strict=True), strict=True):
        totals[cell].append(weight)
    total = math.fsum(w)
    shares = [math.fsum(each) / total for each in totals.values()]
    return -math.fsum(p * math.log2(p) for p in shares if p > 0)


def information_slow(w, x, y):
    return entropy_slow(w, x) + entropy_slow(w, y) - entropy_slow(w, x, y)


def conditional_slow(w, x, y, z):
    of_z = entropy_slow(w, z)
    return entropy_slow(w, x, z) + entropy_slow(w, y, z) - entropy_slow(w, x, y, z) - of_z


def mean_slow(w, x):
    return math.fsum(a * b for a, b in zip(w, x, strict=True)) / math.fsum(w)


def products_slow(w, x, y):
    mx, my = mean_slow(w, x), mean_slow(w, y)
    return math.fsum(c * (a - mx) * (b - my) for c, a, b in zip(w, x, y, strict=True))


def pearson_slow(w, x, y):
    both = products_slow(w, x, x) * products_slow(w, y, y)
    return products_slow(w, x, y) / math.sqrt(both) if both > 0 else 0.0


def f_slow(w, x, y):
    classes = sorted({c for c, weight in zip(y, w, strict=True) if weight > 0})
    between = within = 0.0
    for c in classes:
        of_c = [weight if each == c else 0.0 for weight, each in zip(w, y, strict=True)]
        between += math.fsum(of_c) * (mean_slow(of_c, x) - mean_slow(w, x)) ** 2
        within += products_slow(of_c, x, x)
    k, total = len(classes), math.fsum(w)
    if k < 2 or total <= k or between < 1e-20:
        return 0.0
    return between / (k - 1) / (within / (total - k)) if within > 1e-20 else math.inf


# ---------------------------------------- worked numbers

Y = np.repeat([0, 1], 6)
W = np.array([2, 1, 0, 3, 1, 1, 1, 2, 1, 1, 0, 1.0])
A = np.array([1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6.0])
B = np.array([2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9.0])
D = np.array(list("rrsrrssttttt"))


@pytest.mark.parametrize(
    ("weight", "f", "g2", "p"),
    [
        (W, 25.0285714286, 16.3488382094, 0.0002817701),
        (W / 2, 10.4285714286, 8.1744191047, 0.0167860087),
    ],
)
def test_worked_numbers(weight, f, g2, p):
    a, d = A[:, None], D[:, None]
    assert f_test(a, Y, sample_weight=weight)[0] == pytest.approx(f, rel=1e-9)
    assert pearson(a, B, sample_weight=weight)[0] == pytest.approx(0.7533772218, rel=1e-9)
    pairs = pairwise(np.column_stack([A, B]), sample_weight=weight)
    assert pairs[0, 1] == pytest.approx(0.7533772218, rel=1e-9)
    bits = mutual_information(d, Y, sample_weight=weight)
    assert bits[0] == pytest.approx(0.8423709932, rel=1e-9)
    shared = symmetrical_uncertainty(d, Y, sample_weight=weight)
    assert shared[0] == pytest.approx(0.6970994946, rel=1e-9)
    test = g_square(d, Y, sample_weight=weight)
    assert test.statistic[0] == pytest.approx(g2, rel=1e-9)
    assert test.df[0] == 2
    assert test.pvalue[0] == pytest.approx(p, abs=1e-9)


# ---------------------------------------- properties


def table(seed, n, largest):
    """Codes, numbers, a target and whole weights, at least one of them above 0."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, rng.integers(1, 12, size=4), size=(n, 4))
    numbers = np.round(rng.normal(size=(n, 4)) * 4, 1) + codes
    w = rng.integers(0, largest + 1, n)
    w[rng.integers(n)] = 1
    return codes, numbers, rng.integers(0, 3, n), w


def measured(codes, numbers, y, folds, **weights):
    """Every measure, in all parts."""
    weights["folds"] = folds
    alone = {"sample_weight": weights["sample_weight"]} if "sample_weight" in weights else {}
    yield f_test(numbers, y, **weights)
    f = f_test(numbers, numbers[:, 0] + y, **weights)
    yield 1 / (1 + f)  # where a column explains all, only rounding is left to divide by
    yield pearson(numbers, y, **weights)
    yield entropy(codes, **weights)
    yield mutual_information(codes, y, **weights)
    yield symmetrical_uncertainty(codes, y, **weights)
    yield conditional_mutual_information(codes, y, codes[:, 1:3], **weights)
    for df in ("full", "slices", "adjusted"):
        yield from g_square(codes, y, codes[:, 1], df=df, **alone)
    for measure in ("pearson", "mutual_information", "symmetrical_uncertainty"):
        columns = numbers if measure == "pearson" else codes
        yield pairwise(columns, measure, **alone)


def expand(w, *arrays):
    return [None if each is None else np.repeat(each, w, axis=0) for each in arrays]


@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), largest=st.sampled_from([1, 3, 40]),
    parts=st.booleans(),
)  # fmt: skip
def test_whole_weights_are_repeated_rows(seed, n, largest, parts):
    codes, numbers, y, w = table(seed, n, largest)
    folds = None
    if parts:
        folds = np.random.default_rng(seed).integers(0, 3, n)
        if np.unique(folds[w > 0]).size < 2:
            return
    fast = measured(codes, numbers, y, folds, sample_weight=w)
    slow = measured(*expand(w, codes, numbers, y, folds))
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 40), scale=st.sampled_from([1e-3, 1, 1e6]))
def test_real_weights(seed, n, scale):
    codes, numbers, y, w = table(seed, n, 3)
    w = w * np.random.default_rng(seed).exponential(size=n) * scale
    if not w.any():
        return
    weights = {"sample_weight": w}
    columns, z = codes.T.tolist(), codes[:, 1].tolist()
    close = {"rtol": 1e-8, "atol": 1e-9}
    np.testing.assert_allclose(
        entropy(codes, **weights), [entropy_slow(w, x) for x in columns], **close
    )
    bits = mutual_information(codes, y, **weights)
    np.testing.assert_allclose(bits, [information_slow(w, x, y) for x in columns], **close)
    np.testing.assert_allclose(
        conditional_mutual_information(codes, y, codes[:, 1], **weights),
        [conditional_slow(w, x, y, z) for x in columns], **close,
    )  # fmt: skip
    np.testing.assert_allclose(
        g_square(codes, y, **weights).statistic, 2 * w.sum() * math.log(2) * bits, **close
    )
    shared = symmetrical_uncertainty(codes, y, **weights)
    assert ((shared >= 0) & (shared <= 1)).all()
    np.testing.assert_allclose(
        pearson(numbers, y, **weights), [pearson_slow(w, x, y) for x in numbers.T], **close
    )
    np.testing.assert_allclose(
        f_test(numbers, y, **weights), [f_slow(w, x, y) for x in numbers.T], **close
    )


@given(seed=st.integers(0, 2**32 - 1), bits=st.integers(21, 51))
def test_heavy_rows(seed, bits):
    """Sums of weights that have no table of logarithms."""
    codes, numbers, y, w = table(seed, 12, 1)
    w = w * 2**bits // 13
    light = w * 2.0**-bits
    for measure in (mutual_information, symmetrical_uncertainty):
        np.testing.assert_allclose(
            measure(codes, y, sample_weight=w), measure(codes, y, sample_weight=light), atol=1e-12
        )
    np.testing.assert_allclose(
        pearson(numbers, y, sample_weight=w), pearson(numbers, y, sample_weight=light), atol=1e-12
    )


def test_weights_of_one_are_no_weights():
    codes, numbers, y, _ = table(0, 50, 1)
    for ones in (np.ones(50), [1] * 50, pd.Series(np.ones(50), index=range(50, 100))):
        for a, b in zip(
            measured(codes, numbers, y, None, sample_weight=ones),
            measured(codes, numbers, y, None),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)


def test_rows_of_weight_zero_may_hold_anything():
    X = np.array([[1.0, 2.0], [2.0, np.nan], [4.0, 1.0], [3.0, 5.0]])
    w = [1, 0, 1, 1]
    kept = [0, 2, 3]
    assert f_test(X, [0, 9, 1, 1], sample_weight=w).tolist() == f_test(X[kept], [0, 1, 1]).tolist()
    masked = np.ma.masked_invalid(X)
    assert (pearson(masked, [1, 2, 3, 4], sample_weight=w) == pearson(X[kept], [1, 3, 4])).all()


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, -1, 1], "finite numbers of at least 0; got .*-1.* for row 1"),
        ([1, np.nan, 1], "finite numbers of at least 0; got .*nan.* for row 1"),
        ([np.inf, 1, 1], "finite numbers of at least 0; got .*inf.* for row 0"),
        ([0, 0, 0], "must not be zero for all rows"),
        ([1, 1], r"shape \(2,\), but one weight for each of the 3 rows"),
        (2.0, r"shape \(\), but one weight"),
        (np.ones((3, 1)), r"shape \(3, 1\), but one weight"),
        (["a", "b", "c"], "must hold numbers"),
        ([2.0**53, 1, 1], r"less than 2\*\*53"),
    ],
)
def test_bad_weights(weight, words):
    X, y = np.array([[0], [1], [1]]), [0, 1, 1]
    for measure in (f_test, pearson, mutual_information, g_square):
        with pytest.raises(ValueError, match=words):
            measure(X, y, sample_weight=weight)

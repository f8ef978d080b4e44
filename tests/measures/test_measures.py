"""Measures against their definitions, recomputed from the rows that remain."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import f_classif, f_regression
from sklearn.model_selection import KFold

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

# -------------------------------------------------- the definitions, slowly


def each_column(slow, X, y, fold=None):
    """The slow measure of every column, on all rows or on all rows but a fold."""
    X, y = np.asarray(X), np.asarray(y)
    if fold is None:
        return np.array([slow(x.tolist(), y.tolist()) for x in X.T])
    fold = np.asarray(fold)
    return np.array(
        [[slow(x[fold != t].tolist(), y[fold != t].tolist()) for t in np.unique(fold)] for x in X.T]
    )


def close(actual, expected, atol=0.0):
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=atol)


# Correlations of unrelated columns are near 0, where a relative error says nothing: the
# sums of n rounded products leave about n * 1e-16 of a correlation.
NEAR_ZERO = 1e-13

# -------------------------------------------------- tables to try


def shapes(max_rows=40, max_columns=6, max_folds=6):
    return st.tuples(
        st.integers(0, 2**32 - 1),
        st.integers(4, max_rows),
        st.integers(1, max_columns),
        st.integers(2, max_folds),
    )


def outlier(X, rng):
    """One value of 1e8 in every column, in row 1."""
    X = X.copy()
    X[1] = 1e8
    return X


COLUMNS = {
    "normal": lambda rng, n, p: rng.normal(size=(n, p)),
    "mean 1e8": lambda rng, n, p: 1e8 + rng.normal(size=(n, p)),
    "mean -1e8, float32": lambda rng, n, p: np.float32(-1e4 + rng.normal(size=(n, p))),
    "scales": lambda rng, n, p: rng.normal(size=(n, p)) * 10.0 ** rng.integers(-9, 9, p),
    "heavy ties": lambda rng, n, p: rng.integers(0, 3, (n, p)).astype(float),
    "float32": lambda rng, n, p: rng.normal(size=(n, p)).astype(np.float32),
    "integers": lambda rng, n, p: rng.integers(-1000, 1000, (n, p)),
    "small integers": lambda rng, n, p: rng.integers(0, 200, (n, p)).astype(np.uint8),
    "booleans": lambda rng, n, p: rng.random((n, p)) < 0.5,
    "constant": lambda rng, n, p: np.full((n, p), 0.1),
    "constant or not": lambda rng, n, p: np.where(
        rng.random(p) < 0.5, 0.1, rng.normal(size=(n, p))
    ),
    "outlier": lambda rng, n, p: outlier(rng.normal(size=(n, p)), rng),
}


@pytest.fixture(params=COLUMNS)
def columns(request):
    return COLUMNS[request.param]


def fold_of(n, n_folds):
    return np.arange(n) % n_folds


# -------------------------------------------------- Pearson


@settings(max_examples=15)
@given(shape=shapes())
@pytest.mark.parametrize("kind", COLUMNS)
def test_pearson(kind, shape):
    seed, n, p, e = shape
    e = min(e, n)
    rng = np.random.default_rng(seed)
    X, y = COLUMNS[kind](rng, n, p), rng.normal(size=n)
    numbers = np.asarray(X, dtype=np.float64)
    close(pearson(X, y), each_column(twins.pearson, numbers, y), NEAR_ZERO)
    actual = pearson(X, y, folds=e)
    assert actual.shape == (p, e)
    close(actual, each_column(twins.pearson, numbers, y, fold_of(n, e)), NEAR_ZERO)


@settings(max_examples=20)
@given(shape=shapes(), centre=st.sampled_from([0.0, 1e8, -1e8]))
def test_pearson_with_a_target_far_from_zero(shape, centre):
    seed, n, p, e = shape
    rng = np.random.default_rng(seed)
    y = centre + rng.normal(size=n)
    X = 1e8 + rng.normal(size=(n, p)) + (y[:, None] - centre)
    close(pearson(X, y), each_column(twins.pearson, X, y), NEAR_ZERO)
    expected = each_column(twins.pearson, X, y, fold_of(n, min(e, n)))
    close(pearson(X, y, folds=min(e, n)), expected, NEAR_ZERO)


def test_pearson_of_a_large_table_with_a_large_mean():
    rng = np.random.default_rng(0)
    y = rng.normal(size=5000)
    X = 1e8 + rng.normal(size=(5000, 3)) + np.outer(y, [0.0, 0.1, 3.0])
    close(pearson(X, y), each_column(twins.pearson, X, y), NEAR_ZERO)
    expected = each_column(twins.pearson, X, y, fold_of(5000, 20))
    close(pearson(X, y, folds=20), expected, NEAR_ZERO)


@pytest.mark.parametrize("row", [0, 1, 5, 6, 30, 39])
@pytest.mark.parametrize("mean", [0.0, 1e8])
def test_an_outlier_in_the_fold_that_is_left_out(row, mean):
    rng = np.random.default_rng(row)
    y = rng.normal(size=40)
    X = mean + rng.normal(size=(40, 4)) + y[:, None]
    X[row] += 1e8
    fold = fold_of(40, 4)
    close(pearson(X, y, folds=fold), each_column(twins.pearson, X, y, fold))
    labels = (y > 0).astype(int)
    close(f_test(X, labels, folds=fold), each_column(twins.f_classes, X, labels, fold))


def test_a_level_that_changes_between_folds():
    """The first fold lies 1e8 away from the others: the centre must not be taken from it."""
    rng = np.random.default_rng(0)
    y, fold = rng.normal(size=40), np.arange(40) // 10
    X = rng.normal(size=(40, 4)) + y[:, None]
    X[10:] += 1e8
    close(pearson(X, y, folds=fold), each_column(twins.pearson, X, y, fold))


def test_an_outlier_of_the_target_in_the_fold_that_is_left_out():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 4)), rng.normal(size=40)
    y[6] = 1e8
    fold = fold_of(40, 4)
    close(pearson(X, y, folds=fold), each_column(twins.pearson, X, y, fold), NEAR_ZERO)


def test_a_column_that_is_constant_in_one_part():
    rng = np.random.default_rng(0)
    X = np.full((12, 3), [0.1, 0.3, 1e8 + 0.7])
    X[::3] += rng.normal(size=(4, 3))
    y, labels, fold = rng.normal(size=12), np.arange(12) // 3 % 2, fold_of(12, 3)
    expected = each_column(twins.pearson, X, y, fold)
    assert (expected[:, 0] == 0).all()
    assert (expected[:, 1:] != 0).all()
    np.testing.assert_array_equal(pearson(X, y, folds=fold)[:, 0], 0)
    close(pearson(X, y, folds=fold), expected)
    np.testing.assert_array_equal(f_test(X, labels, folds=fold)[:, 0], 0)
    close(f_test(X, labels, folds=fold), each_column(twins.f_classes, X, labels, fold))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(6, 40), e=st.integers(2, 5))
def test_columns_that_are_constant_in_parts(seed, n, e):
    """Everything but one fold holds one awkward value, whatever the first rows hold."""
    rng = np.random.default_rng(seed)
    fold, left_out = fold_of(n, e), rng.integers(e)
    X = np.tile(rng.normal(size=6) * 10.0 ** rng.integers(-3, 9, 6), (n, 1))
    X[fold == left_out] += rng.normal(size=((fold == left_out).sum(), 6))
    labels = rng.integers(0, 3, n)
    close(f_test(X, labels, folds=fold), each_column(twins.f_classes, X, labels, fold))
    y = rng.normal(size=n)
    close(pearson(X, y, folds=fold), each_column(twins.pearson, X, y, fold), NEAR_ZERO)


def test_pearson_of_a_constant_target_is_zero():
    X = np.random.default_rng(0).normal(size=(9, 2))
    np.testing.assert_array_equal(pearson(X, np.full(9, 0.1)), 0)
    np.testing.assert_array_equal(pearson(X, np.full(9, 0.1), folds=3), 0)


def test_correlations_of_a_balanced_design_are_exactly_zero():
    design = np.indices((3, 3, 4)).reshape(3, -1).T
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows = design[rng.permutation(len(design))]
        X = np.stack([rng.integers(0, 6, 4)[x] for x in rows.T], axis=1)
        for g in range(3):
            others = [f for f in range(3) if f != g]
            np.testing.assert_array_equal(pearson(X, X[:, g])[others], 0)


def test_pearson_stays_within_one():
    rng = np.random.default_rng(0)
    y = rng.normal(size=50)
    X = np.outer(y, rng.normal(size=40)) + 1e5
    r = pearson(X, y)
    assert (np.abs(r) <= 1).all()
    close(np.abs(r), 1)


def test_a_target_whose_squares_overflow_is_refused():
    X = np.random.default_rng(0).normal(size=(9, 2))
    y = np.linspace(-1e200, 1e200, 9)
    with pytest.raises(ValueError, match="too large"):
        pearson(X, y)
    with pytest.raises(ValueError, match="too large"):
        f_test(X, y + 0.5)


# -------------------------------------------------- F


@settings(max_examples=15)
@given(shape=shapes(), n_classes=st.integers(2, 5))
@pytest.mark.parametrize("kind", COLUMNS)
def test_f_test(kind, shape, n_classes):
    seed, n, p, e = shape
    e = min(e, n)
    rng = np.random.default_rng(seed)
    X, y = COLUMNS[kind](rng, n, p), rng.integers(0, n_classes, n)
    numbers = np.asarray(X, dtype=np.float64)
    # F is a ratio of squares, so its zeros are blurred by the square of NEAR_ZERO
    close(f_test(X, y), each_column(twins.f_classes, numbers, y), 1e-20)
    expected = each_column(twins.f_classes, numbers, y, fold_of(n, e))
    close(f_test(X, y, folds=e), expected, 1e-20)


@settings(max_examples=25)
@given(shape=shapes(), spread=st.sampled_from([1e-6, 1e-3]))
def test_well_separated_classes(shape, spread):
    seed, n, p, e = shape
    e = min(e, n)
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    X = rng.normal(size=(4, p))[y] * 10 + spread * rng.normal(size=(n, p))
    close(f_test(X, y), each_column(twins.f_classes, X, y))
    close(f_test(X, y, folds=e), each_column(twins.f_classes, X, y, fold_of(n, e)))


def test_f_equals_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 3, 60)
    close(f_test(X, y), f_classif(X, y)[0])
    numeric = X[:, 0] + rng.normal(size=60)
    close(f_test(X, numeric), f_regression(X, numeric)[0])


@settings(max_examples=25)
@given(shape=shapes())
def test_f_of_a_numeric_target(shape):
    seed, n, p, e = shape
    e = min(e, n)
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    X = rng.normal(size=(n, p)) + y[:, None]
    slow = twins.f_numbers
    close_f(f_test(X, y), each_column(slow, X, y))
    if n - math.ceil(n / e) > 2:
        close_f(f_test(X, y, folds=e), each_column(slow, X, y, fold_of(n, e)))


def close_f(actual, expected):
    """F of a regression is r*r / (1 - r*r) times n - 2: ill-conditioned where r is near 1.

    An error of 1e-16 in r*r is one of 1e-16 * F in F, so beyond 1e5 that is allowed for.
    """
    rtol = np.maximum(1e-9, 1e-14 * expected)
    assert (np.abs(actual - expected) <= rtol * expected).all()


def test_a_class_that_is_absent_from_a_part():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    y = np.array(["a", "b", "c", "a", "b", "a", "a", "b", "a", "a", "b", "a"])
    fold = np.where(y == "c", 1, np.arange(12) % 2)
    assert set(y[fold != 1]) == {"a", "b"}
    close(f_test(X, y, folds=fold), each_column(twins.f_classes, X, y, fold))
    codes = (X > 0).astype(int)
    close(
        mutual_information(codes, y, folds=fold),
        each_column(twins.information, codes, y, fold),
        1e-14,
    )


def test_a_part_with_one_class_has_no_relevance():
    X = np.random.default_rng(0).normal(size=(8, 2))
    y = np.arange(8) % 2
    np.testing.assert_array_equal(f_test(X, y, folds=y), 0)
    np.testing.assert_array_equal(mutual_information(X > 0, y, folds=y), 0)


def test_f_is_infinite_where_only_the_class_means_differ():
    X = np.array([[0.1, 1.0], [0.1, 2.0], [0.7, 3.0], [0.7, 9.0]])
    F = f_test(X, [0, 0, 1, 1])
    assert F[0] == math.inf
    assert np.isfinite(F[1])


def test_known_values():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [6.0, 5.0], [7.0, 4.0]])
    assert f_test(X, [0, 0, 1, 1]).tolist() == [50.0, 18.0]
    close(pearson([[1, 2], [2, 1], [3, 5], [4, 4]], [1, 2, 3, 4]), [1, 0.5**0.5])
    assert mutual_information([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).tolist() == [
        1.0,
        0.0,
    ]


# -------------------------------------------------- layouts of the same numbers


def layouts(X):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), 99, dtype=X.dtype)
    wide[::2, ::3] = X
    return {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "strided": wide[::2, ::3],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "read-only": np.frombuffer(X.tobytes(), dtype=X.dtype).reshape(X.shape),
    }


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16, np.uint8, bool])
@pytest.mark.parametrize("shape", [(5, 3), (70, 40), (33, 300)])
def test_layouts_do_not_matter(dtype, shape):
    rng = np.random.default_rng(0)
    X = (100 + 30 * rng.normal(size=shape)).astype(dtype)
    y, labels = rng.normal(size=shape[0]), rng.integers(0, 3, shape[0])
    for layout in layouts(X).values():
        for measure, target in [
            (pearson, y),
            (f_test, labels),
            (mutual_information, labels),
        ]:
            for folds in (None, 4):
                np.testing.assert_array_equal(
                    measure(layout, target, folds=folds),
                    measure(np.ascontiguousarray(X), target, folds=folds),
                )


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool, np.float32])
def test_numbers_of_any_type_are_the_same_numbers(dtype):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2 if dtype is bool else 100, (30, 4)).astype(dtype)
    y = rng.integers(0, 3, 30)
    np.testing.assert_array_equal(f_test(X, y), f_test(X.astype(np.float64), y))
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_array_equal(f_test(frame, y), f_test(X, y))


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads_do_not_matter(n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 1100)), rng.integers(0, 3, 50)
    codes = rng.integers(0, 12, (50, 1100))
    for folds in (None, 5):
        for measure, table, target in [
            (pearson, X, X[:, 0]),
            (f_test, X, y),
            (mutual_information, codes, y),
        ]:
            np.testing.assert_array_equal(
                measure(table, target, folds=folds, n_jobs=n_jobs),
                measure(table, target, folds=folds),
            )


# -------------------------------------------------- mutual information


@settings(max_examples=60)
@given(
    shape=shapes(max_rows=150),
    levels=st.lists(st.integers(1, 12), min_size=1, max_size=5),
    n_classes=st.integers(1, 12),
)
def test_mutual_information(shape, levels, n_classes):
    seed, n, _, e = shape
    e = min(e, n)
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(0, k, n) for k in levels], axis=1)
    y = (X[:, 0] + rng.integers(0, n_classes, n)) % n_classes
    close(mutual_information(X, y), each_column(twins.information, X, y), 1e-13)
    expected = each_column(twins.information, X, y, fold_of(n, e))
    close(mutual_information(X, y, folds=e), expected, 1e-13)


@pytest.mark.parametrize(
    ("n", "levels", "n_classes", "e"),
    [
        (700, [1, 2, 3, 4, 5, 6, 7, 8], 8, 20),
        (700, [2, 8, 9, 40, 200, 256], 3, 3),
        (900, [2, 300, 9, 700], 9, 2),
        (900, [2, 8, 257], 300, 7),
        (2100, [3, 8, 9], 2, 4),
        (300, [300, 2], 300, 300),
    ],
)
def test_mutual_information_of_many_levels(n, levels, n_classes, e):
    rng = np.random.default_rng(n)
    y = rng.integers(0, n_classes, n)
    X = np.stack([(y + rng.integers(0, k, n)) % k for k in levels], axis=1)
    close(mutual_information(X, y), each_column(twins.information, X, y), 1e-12)
    expected = each_column(twins.information, X[:, :4], y, fold_of(n, e))
    close(mutual_information(X[:, :4], y, folds=e), expected, 1e-12)


def test_mutual_information_of_identifiers():
    n = 5000
    X = np.stack([np.arange(n), np.arange(n) // 2], axis=1)
    close(mutual_information(X, np.arange(n)), [math.log2(n), math.log2(n / 2)])


def test_mutual_information_does_not_depend_on_labels_or_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 11, (200, 5)), rng.integers(0, 4, 200)
    expected = mutual_information(X, y)
    rows = rng.permutation(200)
    np.testing.assert_array_equal(mutual_information(X[rows], y[rows]), expected)
    np.testing.assert_array_equal(mutual_information(50 - 3 * X, 7 - y), expected)
    words = np.array(list("zyxwvutsrqp"), dtype=object)
    np.testing.assert_array_equal(mutual_information(words[X], words[y].astype(str)), expected)
    np.testing.assert_array_equal(mutual_information(X / 7, y), expected)
    folded = mutual_information(X, y, folds=5)
    np.testing.assert_array_equal(mutual_information(words[X], y, folds=np.arange(200) % 5), folded)


@settings(max_examples=60)
@given(
    a=st.lists(st.integers(1, 6), min_size=1, max_size=9),
    b=st.lists(st.integers(1, 6), min_size=1, max_size=9),
    copies=st.integers(1, 3),
)
def test_independent_columns_share_nothing(a, b, copies):
    """Counts a[i] * b[j] are exactly independent: the information is exactly 0."""
    pairs = [
        (i, j) for i, u in enumerate(a) for j, v in enumerate(b) for _ in range(u * v * copies)
    ]
    x, y = np.array(pairs).T
    assert mutual_information(x[:, None], y).tolist() == [0.0]
    assert pairwise(np.stack([x, y], axis=1), "mutual_information")[0, 1] == 0.0


def test_nothing_is_negative():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (1000, 50)), rng.integers(0, 2, 1000)
    assert (mutual_information(X, y) >= 0).all()
    assert (mutual_information(X, y, folds=10) >= 0).all()


# -------------------------------------------------- entropy, uncertainty, conditions


def letters(text):
    return np.array(list(text))


def test_worked_example():
    """Check 1 of the specification."""
    x, y, z = map(letters, ("00001111", "00011110", "01010101"))
    X = x[:, None]
    assert entropy(np.stack([x, y], axis=1)).tolist() == [1, 1]
    for measure in (mutual_information, symmetrical_uncertainty):
        np.testing.assert_allclose(measure(X, y), [0.1887218755], rtol=0, atol=1e-9)
    test = g_square(X, y)
    np.testing.assert_allclose(test.statistic, [2.0929925751], rtol=0, atol=1e-9)
    assert test.df.tolist() == [1]
    np.testing.assert_allclose(test.pvalue, [0.1479759594], rtol=0, atol=1e-9)
    np.testing.assert_allclose(conditional_mutual_information(X, y, z), [0.5], rtol=0, atol=1e-12)
    test = g_square(X, y, z)
    np.testing.assert_allclose(test.statistic, [5.5451774445], rtol=0, atol=1e-9)
    assert test.df.tolist() == [2]
    np.testing.assert_allclose(test.pvalue, [0.0625], rtol=1e-12)


def test_either_or():
    """Check 2."""
    a, b = letters("00110011"), letters("01010101")
    c = a != b
    assert symmetrical_uncertainty(a[:, None], c).tolist() == [0]
    assert conditional_mutual_information(a[:, None], c, b).tolist() == [1]


@pytest.mark.parametrize(("df", "degrees"), [("full", 6), ("slices", 6), ("adjusted", 1)])
def test_degrees_of_freedom(df, degrees):
    """Check 4."""
    x, y, z = map(letters, ("00112201", "01010011", "00001122"))
    test = g_square(x[:, None], y, z, df=df)
    assert test.statistic.tolist() == [0]
    assert test.df.tolist() == [degrees]
    assert test.pvalue.tolist() == [1]


def test_koller_and_sahami():
    """Check 18: what a column adds to its blanket."""
    x, z, c = map(letters, ("00011110", "00001111", "00011101"))
    bits = conditional_mutual_information(x[:, None], c, z)[0]
    assert bits == pytest.approx(0.4669171867, abs=1e-9)
    assert bits * math.log(2) == pytest.approx(0.3236423315, abs=1e-9)


codes = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(2, 90), st.integers(1, 5), st.integers(1, 14)
)


def draw_codes(shape):
    """A table with a constant now and then, a target with 1 to 12 classes, three conditions."""
    seed, n, p, top = shape
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(1, top + 1, p), (n, p))
    y = rng.integers(0, rng.integers(1, 13), n)
    Z = rng.integers(0, rng.integers(1, 6, 3), (n, 3))
    X[:, 0] = np.where(rng.random(n) < 0.5, X[:, 0], y)
    return X, y, Z, rng


@settings(max_examples=60)
@given(shape=codes, e=st.integers(2, 5))
def test_entropy_and_uncertainty(shape, e):
    X, y, _, _ = draw_codes(shape)
    n, e = len(y), min(e, len(y))
    close(entropy(X), [twins.entropy(x) for x in X.T.tolist()], 1e-12)
    close(
        entropy(X, folds=e),
        each_column(lambda x, _: twins.entropy(x), X, y, fold_of(n, e)),
        1e-12,
    )
    su = symmetrical_uncertainty(X, y)
    close(su, each_column(twins.uncertainty, X, y), 1e-12)
    assert (su >= 0).all()
    assert (su <= 1).all()
    parts = symmetrical_uncertainty(X, y, folds=e)
    assert parts.shape == (X.shape[1], e)
    close(parts, each_column(twins.uncertainty, X, y, fold_of(n, e)), 1e-12)
    np.testing.assert_array_equal(symmetrical_uncertainty(X, y, n_jobs=2), su)
    # symmetric, to the last bit
    back = [symmetrical_uncertainty(y[:, None], x)[0] for x in X.T]
    np.testing.assert_array_equal(back, su)


@settings(max_examples=60)
@given(shape=codes, e=st.integers(2, 4), k=st.integers(1, 3))
def test_conditional_information(shape, e, k):
    X, y, Z, _ = draw_codes(shape)
    n, e, Z = len(y), min(e, len(y)), Z[:, :k]
    given_rows = list(map(tuple, Z.tolist()))
    expected = [twins.conditional(x, y.tolist(), given_rows) for x in X.T.tolist()]
    actual = conditional_mutual_information(X, y, Z)
    close(actual, expected, 1e-12)
    assert (actual >= 0).all()
    if k == 1:
        np.testing.assert_array_equal(conditional_mutual_information(X, y, Z[:, 0]), actual)
        listed = conditional_mutual_information(X, y, Z[:, 0].tolist())
        np.testing.assert_array_equal(listed, actual)
    np.testing.assert_array_equal(conditional_mutual_information(X, y, Z.tolist()), actual)
    np.testing.assert_array_equal(conditional_mutual_information(X, y, Z, n_jobs=2), actual)
    parts = conditional_mutual_information(X, y, Z, folds=e)
    assert parts.shape == (X.shape[1], e)
    for t in range(e):
        rows = np.nonzero(fold_of(n, e) != t)[0]
        for x, value in zip(X.T, parts[:, t], strict=True):
            some = [given_rows[i] for i in rows]
            assert value == pytest.approx(
                twins.conditional(x[rows].tolist(), y[rows].tolist(), some), rel=1e-9, abs=1e-12
            )


@settings(max_examples=40)
@given(shape=codes)
def test_chain_rule(shape):
    """I(x, z; y) = I(z; y) + I(x; y | z), and the other way round."""
    X, y, Z, _ = draw_codes(shape)
    z = Z[:, 0]
    for x in X.T:
        both = np.unique(np.stack([x, z]), axis=1, return_inverse=True)[1].ravel()
        whole = mutual_information(both[:, None], y)[0]
        for a, b in ((x, z), (z, x)):
            first = mutual_information(b[:, None], y)[0]
            second = conditional_mutual_information(a[:, None], y, b)[0]
            assert whole == pytest.approx(first + second, abs=1e-12)
        a = conditional_mutual_information(x[:, None], y, z)[0]
        b = conditional_mutual_information(y[:, None], x, z)[0]
        assert a == pytest.approx(b, abs=1e-12)


@settings(max_examples=40)
@given(shape=codes)
def test_rows_and_labels_do_not_matter(shape):
    X, y, Z, rng = draw_codes(shape)
    rows, label = rng.permutation(len(y)), rng.permutation(20)
    word = np.array([f"w{i:02d}" for i in label])
    order = rng.permutation(X.shape[1])
    measures = {
        "entropy": lambda X, y, Z: entropy(X),
        "information": lambda X, y, Z: mutual_information(X, y),
        "uncertainty": lambda X, y, Z: symmetrical_uncertainty(X, y),
        "conditional": conditional_mutual_information,
        "G": lambda X, y, Z: g_square(X, y, Z).statistic,
        "p": lambda X, y, Z: g_square(X, y, Z, df="adjusted").pvalue,
    }
    for name, measure in measures.items():
        one = measure(X, y, Z)
        for other in (
            measure(X[rows], y[rows], Z[rows]),
            measure(label[X], label[y], label[Z]),
            measure(word[X], word[y], word[Z]),
            measure(X, y, Z[:, ::-1]),
        ):
            np.testing.assert_array_equal(one, other, err_msg=name)
        np.testing.assert_array_equal(one[order], measure(X[:, order], y, Z), err_msg=name)


@settings(max_examples=60)
@given(shape=codes, df=st.sampled_from(["full", "slices", "adjusted"]), k=st.integers(0, 3))
def test_g_square(shape, df, k):
    X, y, Z, _ = draw_codes(shape)
    Z = Z[:, :k]
    test = g_square(X, y, Z if k else None, df=df)
    given_rows = list(map(tuple, Z.tolist()))
    for j, x in enumerate(X.T.tolist()):
        statistic, degrees, p = twins.g_square(x, y.tolist(), given_rows, df)
        assert test.statistic[j] == pytest.approx(statistic, rel=1e-9, abs=1e-9)
        assert test.df[j] == degrees
        assert test.pvalue[j] == pytest.approx(p, rel=1e-9, abs=1e-12)


def test_g_square_given_very_many_columns():
    """The product of the levels is beyond any whole number of 64 bits."""
    rng = np.random.default_rng(0)
    X, y, Z = rng.integers(0, 2, (30, 2)), rng.integers(0, 2, 30), rng.integers(0, 2, (30, 80))
    test = g_square(X, y, Z)
    assert (test.df > 1e24).all()
    assert test.pvalue.tolist() == [1, 1]
    assert g_square(X, y, Z, df="slices").df.tolist() == [30, 30]


def test_more_conditions_than_two_bytes_hold():
    """Two columns of few levels with 70,000 combinations."""
    n = 70_000
    rng = np.random.default_rng(0)
    x, y, i = rng.integers(0, 2, n), rng.integers(0, 2, n), np.arange(n)
    for measure in (conditional_mutual_information, g_square):
        with pytest.raises(ValueError, match="z has 70000 distinct combinations"):
            measure(x[:, None], y, np.stack([i % 300, i // 300], axis=1))
    # in strata of two rows: one bit wherever both differ
    z = i // 2
    share = np.mean((x[::2] != x[1::2]) & (y[::2] != y[1::2]))
    pair = np.stack([z % 300, z // 300], axis=1)
    assert conditional_mutual_information(x[:, None], y, pair)[0] == pytest.approx(share, abs=1e-9)


def test_bad_arguments_of_conditions():
    X, y = np.arange(12).reshape(6, 2) % 3, np.arange(6) % 2
    with pytest.raises(ValueError, match="df must be 'full', 'slices' or 'adjusted'; got 'half'"):
        g_square(X, y, df="half")
    for measure in (conditional_mutual_information, g_square):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            measure(X, y, np.arange(5))
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            measure(X, y[:-1], np.arange(6))


# -------------------------------------------------- folds


@pytest.mark.parametrize("measure", [pearson, f_test, mutual_information, symmetrical_uncertainty])
def test_every_way_to_give_folds(measure):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, (23, 3)), rng.integers(0, 2, 23)
    fold = np.arange(23) % 4
    expected = measure(X, y, folds=fold)
    np.testing.assert_array_equal(measure(X, y, folds=4), expected)
    words = np.array(["a", "b", "c", "d"])[fold]
    np.testing.assert_array_equal(measure(X, y, folds=words), expected)
    blocks = np.repeat(np.arange(4), [6, 6, 6, 5])
    np.testing.assert_array_equal(measure(X, y, folds=KFold(4)), measure(X, y, folds=blocks))


def test_folds_of_one_row_each():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    fold = np.arange(9)
    close(pearson(X, y, folds=9), each_column(twins.pearson, X, y, fold), NEAR_ZERO)


# -------------------------------------------------- pairs of columns


@settings(max_examples=15)
@given(shape=shapes(max_columns=12))
@pytest.mark.parametrize("kind", COLUMNS)
def test_pairwise_pearson(kind, shape):
    seed, n, p, _ = shape
    X = COLUMNS[kind](np.random.default_rng(seed), n, p)
    numbers = np.asarray(X, dtype=np.float64)
    expected = [each_column(twins.pearson, numbers, g) for g in numbers.T]
    close(pairwise(X), expected, NEAR_ZERO)


@settings(max_examples=25)
@given(shape=shapes(max_rows=100), top=st.integers(1, 12))
def test_pairwise_mutual_information(shape, top):
    seed, n, p, _ = shape
    X = np.random.default_rng(seed).integers(0, top, (n, p))
    expected = [each_column(twins.information, X, g) for g in X.T]
    actual = pairwise(X, "mutual_information")
    close(actual, expected, 1e-13)
    np.testing.assert_array_equal(actual, actual.T)
    np.testing.assert_array_equal(pairwise(X, "mutual_information", n_jobs=2), actual)


@settings(max_examples=25)
@given(shape=shapes(max_rows=100), top=st.integers(1, 12))
def test_pairwise_uncertainty(shape, top):
    seed, n, p, _ = shape
    X = np.random.default_rng(seed).integers(0, top, (n, p))
    actual = pairwise(X, "symmetrical_uncertainty")
    close(actual, [each_column(twins.uncertainty, X, g) for g in X.T], 1e-12)
    np.testing.assert_array_equal(actual, actual.T)
    np.testing.assert_array_equal(np.diag(actual), [float(np.ptp(x) > 0) for x in X.T])
    assert (actual >= 0).all()
    assert (actual <= 1).all()
    np.testing.assert_array_equal(pairwise(X, "symmetrical_uncertainty", n_jobs=2), actual)


def test_base():
    """Information in other units is that in bits over the bits of a unit; others have none."""
    rng = np.random.default_rng(0)
    X, y, z = rng.integers(0, 3, (50, 4)), rng.integers(0, 2, 50), rng.integers(0, 2, 50)
    calls = (
        lambda **options: entropy(X, **options),
        lambda **options: mutual_information(X, y, folds=5, **options),
        lambda **options: conditional_mutual_information(X, y, z, **options),
        lambda **options: pairwise(X, "mutual_information", **options),
    )
    for call in calls:
        assert np.array_equal(call(base=2), call())
        np.testing.assert_allclose(call(base=math.e), call() * math.log(2), rtol=1e-14)
        np.testing.assert_allclose(call(base=10), call() * math.log10(2), rtol=1e-14)
        for base in (1, 0.5, -2, np.nan, np.inf, "e"):
            with pytest.raises(ValueError, match="base must be a number above 1"):
                call(base=base)
    for measure in ("pearson", "symmetrical_uncertainty"):
        assert np.array_equal(pairwise(X, measure, base=10), pairwise(X, measure))


def test_pairwise_measure_is_named():
    with pytest.raises(ValueError, match=r"measure must be 'pearson'.*got 'cosine'"):
        pairwise(np.eye(3), "cosine")


# -------------------------------------------------- what bad input gets


@pytest.mark.parametrize("measure", [pearson, f_test])
@pytest.mark.parametrize("folds", [None, 3])
def test_values_that_are_no_numbers(measure, folds):
    X, y = np.random.default_rng(0).normal(size=(9, 3)), np.arange(9) % 2
    for value, message in [
        (np.nan, "column 1 has 1 missing"),
        (np.inf, "column 1 has 1 infinite"),
        (1e200, "too large"),
    ]:
        bad = X.copy()
        bad[4, 1] = value
        with pytest.raises(ValueError, match=message):
            measure(bad, y, folds=folds, missing="error")
    with pytest.raises(ValueError, match="text or categories"):
        measure(X.astype(str), y, folds=folds)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        measure(X, y[:-1], folds=folds)


@pytest.mark.parametrize("folds", [None, 3])
def test_missing_values_and_lengths_in_mutual_information(folds):
    X, y = np.arange(18.0).reshape(9, 2), np.arange(9) % 2
    bad = X.copy()
    bad[4, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has 1 missing"):
        mutual_information(bad, y, folds=folds, missing="error")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mutual_information(X, y[:-1], folds=folds)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_pairwise_refuses_values_that_are_no_numbers(value):
    X = np.random.default_rng(0).normal(size=(9, 3))
    X[2, 2] = value
    with pytest.raises(ValueError, match="column 2 has 1"):
        pairwise(X, missing="error")
    X[2, 2] = 1e200
    with pytest.raises(ValueError, match="too large"):
        pairwise(X)


# -------------------------------------------------- what stands beside X


FRAMES = {
    "pandas": lambda X: X,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "array": lambda X: X.to_numpy(),
    "list": lambda X: X.to_numpy().tolist(),
    "tuple": lambda X: tuple(map(tuple, X.to_numpy().tolist())),
}


def coded_columns(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, 3, n) for name in "abc"}), rng.integers(0, 2, n)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_given_columns_of_any_library(frame):
    X, y = coded_columns()
    expected = g_square(X.to_numpy(), y, X.to_numpy()[:, :2])
    test = g_square(frame(X), y, frame(X[["a", "b"]]))
    for a, b in zip(test, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    bits = conditional_mutual_information(frame(X), y, frame(X[["a"]]))
    assert bits.tolist() == conditional_mutual_information(X, y, X["a"]).tolist()


@pytest.mark.parametrize("z", [None, 5, "abc", {"a": [1, 2]}])
def test_given_nothing_that_could_be_a_column(z):
    X, y = coded_columns()
    with pytest.raises(ValueError, match=f"z must be a column .* got {type(z).__name__}"):
        conditional_mutual_information(X, y, z)


@pytest.mark.parametrize(("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_errors_tell_what_is_given_from_the_table(value, what):
    X, y = coded_columns()
    z = np.zeros((60, 2))
    z[3, 1] = value
    for measure in (conditional_mutual_information, g_square):
        with pytest.raises(ValueError, match=f"Input z contains {what}.*: column 1 has 1"):
            measure(X, y, z, missing="error")
        with pytest.raises(ValueError, match=f"Input X contains {what}.*: column 1 has 1"):
            measure(z, y, X, missing="error")


def test_correlations_of_small_values():
    X = np.random.default_rng(0).standard_normal((30, 3))
    np.testing.assert_allclose(pairwise(X * [1, 1e-140, 1]), pairwise(X), rtol=1e-9)
    for call in (pairwise, lambda table: pearson(table, X[:, 0])):
        with pytest.raises(ValueError, match="column 1 differ by so little"):
            call(X * [1, 1e-150, 1])


@pytest.mark.parametrize("measure", [mutual_information, symmetrical_uncertainty, g_square, f_test])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "the target y is None"),
        ([0, None, 1] * 20, "Input y contains NaN: 20 missing"),
        (["a", None, "b"] * 20, "Input y contains NaN: 20 missing"),
        (np.ma.masked_array([0, 1] * 30, mask=[0, 1] * 30), "Input y contains NaN: 30 missing"),
        (np.arange(60).astype("datetime64[D]"), "the target y holds dates"),
        (["a", 1] * 30, "the target y mixes values"),
        (np.zeros((60, 2)), "y should be a 1d array"),
        (np.zeros(59), "inconsistent numbers of samples"),
    ],
)
def test_bad_targets_are_named(measure, y, message):
    with pytest.raises(ValueError, match=message):
        measure(coded_columns()[0], y)


def test_masked_conditions_are_missing():
    X, y = coded_columns()
    z = np.ma.masked_array(X["a"].to_numpy(), mask=y == 1)
    with pytest.raises(ValueError, match="of the masked array has"):
        conditional_mutual_information(X, y, z, missing="error")
    text = np.where(y == 1, "none", X["a"].to_numpy().astype(str))
    level = conditional_mutual_information(X, y, z)
    np.testing.assert_array_equal(level, conditional_mutual_information(X, y, text))


# -------------------------------------------------- digits


@given(
    seed=st.integers(0, 999), exponent=st.integers(-6, 16), spread=st.integers(0, 40),
    n=st.integers(4, 40),
)  # fmt: skip
def test_pairwise_and_pearson_agree_on_what_is_constant(seed, exponent, spread, n):
    """Columns that differ in their last digits only are not constant."""
    rng = np.random.default_rng(seed)
    origin = 10.0**exponent
    x = origin + rng.integers(0, spread + 1, n) * np.spacing(origin)
    X = np.column_stack([x, np.full(n, origin), np.full(n, 0.1), rng.normal(size=n)])
    found = pairwise(X)
    for j in (0, 1, 2, 3):
        np.testing.assert_allclose(found[j, 3], pearson(X, X[:, 3])[j], atol=1e-9)
    constant = np.array([np.unique(column).size == 1 for column in X.T])
    assert (found[constant] == 0).all()
    np.testing.assert_array_equal(np.diag(found), np.where(constant, 0.0, 1.0))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_keep_their_digits(dtype):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    small = rng.integers(0, 200, (60, 3)) + 100 * y[:, None] * [1, 0, 2]
    large = (2**60 + small).astype(dtype)
    np.testing.assert_allclose(pearson(large, y), pearson(small, y), atol=1e-12)
    np.testing.assert_allclose(f_test(large, y), f_test(small, y), rtol=1e-9)
    np.testing.assert_allclose(pairwise(large), pairwise(small), atol=1e-12)
    np.testing.assert_allclose(
        pearson(small, large[:, 0], folds=3), pearson(small, small[:, 0], folds=3), atol=1e-12
    )


def test_a_target_with_too_many_values_is_blamed_itself():
    n = 65537
    for y in (np.arange(n), np.arange(n).astype(str)):
        with pytest.raises(ValueError, match="y has 65537 classes; at most 65536"):
            mutual_information(np.zeros((n, 1), dtype=int), y)


@pytest.mark.parametrize("n_jobs", ["2", 1.5])
def test_n_jobs_is_a_whole_number(n_jobs):
    X, y = np.arange(12).reshape(6, 2) % 5, np.arange(6) % 2
    for measure in (pearson, f_test, mutual_information, symmetrical_uncertainty):
        with pytest.raises(TypeError, match="n_jobs must be an int or None; got"):
            measure(X, y, n_jobs=n_jobs)
    with pytest.raises(TypeError, match="n_jobs must be an int or None; got"):
        pairwise(X, "mutual_information", n_jobs=n_jobs)


@pytest.mark.parametrize("levels", [8, 9, 20, 300])
def test_conditional_information_of_many_levels(levels):
    rng = np.random.default_rng(levels)
    X, y, z = rng.integers(0, levels, (900, 2)), rng.integers(0, 3, 900), rng.integers(0, 4, 900)
    expected = [twins.conditional(x, y, z) for x in X.T]
    close(conditional_mutual_information(X, y, z), expected)

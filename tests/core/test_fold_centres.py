"""Moments of parts from those of folds that lie far apart, against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import fold_centres
from ensfs.statistics.continuous_sums import Runs
from ensfs.statistics.fold_centres import FoldsOfParts, OwnSums
from ensfs.statistics.resampling import Resampling

# ---------------------------------------- slow twins


def exact(values):
    return [Fraction(float(v)) for v in values]


def covariance_slow(x, y):
    """Sum of the products of the deviations from the means; exact."""
    x, y = exact(x), exact(y)
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))


def f_slow(x, classes):
    """The F statistic of an analysis of variance."""
    x, n, present = exact(x), len(x), sorted(set(classes.tolist()))
    of_class = [[v for v, k in zip(x, classes, strict=True) if k == c] for c in present]
    means = [sum(v) / len(v) for v in of_class]
    between = sum(len(v) * (m - sum(x) / n) ** 2 for v, m in zip(of_class, means, strict=True))
    within = sum((a - m) ** 2 for v, m in zip(of_class, means, strict=True) for a in v)
    if len(present) < 2 or n <= len(present) or between == 0:
        return 0.0
    return (
        float(between / (len(present) - 1) / (within / (n - len(present)))) if within else math.inf
    )


def f_of_regression_slow(x, y):
    """The F statistic of a straight line."""
    xx, yy, xy = covariance_slow(x, x), covariance_slow(y, y), covariance_slow(x, y)
    if xy == 0 or len(x) <= 2:
        return 0.0
    left = xx * yy - xy * xy
    return float(xy * xy * (len(x) - 2) / left) if left else math.inf


# ---------------------------------------- tables to try


@st.composite
def tables(draw):
    """Columns and a target whose folds lie up to 1e12 standard deviations apart."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    e, p = draw(st.integers(2, 5)), draw(st.integers(1, 40))
    fold = rng.permutation(
        np.r_[np.arange(e), np.arange(e), rng.integers(0, e, draw(st.integers(4, 30)))]
    )
    n = fold.size
    y = rng.normal(size=n)
    X = rng.normal(size=(n, p)) + y[:, None] * rng.normal(size=p)
    X += (rng.normal(size=(e, p)) * 10.0 ** rng.integers(0, 13, (e, p)))[fold]
    if draw(st.booleans()):
        y = y + (rng.normal(size=e) * 10.0 ** draw(st.integers(0, 12)))[fold]
    constant = draw(st.sampled_from(["no", "in folds", "in all but a fold"]))
    if constant != "no":
        X[:, 0] = fold if constant == "in folds" else np.where(fold == 0, X[:, 0], 0.1)
    return X.astype(draw(st.sampled_from([np.float32, np.float64]))), y, fold, rng


def own_sums(X, fold, classes=None, y=None):
    """Sums of the whole table from the first row of each group."""
    n_folds, n_classes = int(fold.max()) + 1, 1 if classes is None else 3
    group = fold if classes is None else fold * n_classes + classes
    if y is not None:
        first = np.array([np.nonzero(fold == e)[0][0] for e in range(n_folds)])
        y = y - y[first][fold]
    own = OwnSums(group, n_folds, n_classes, y)
    sums = own.empty(X.shape[1])
    own.add(X, Runs.of(group, None), 0, X.shape[1], sums)
    parts = Resampling.leave_one_out(fold, n_folds)
    return own, sums, own.moments(sums, FoldsOfParts.of(parts)), parts


# ---------------------------------------- against the twins


@settings(max_examples=40)
@given(table=tables())
def test_deviations_of_parts(table):
    X, _, fold, rng = table
    for classes in (None, rng.integers(0, 3, len(X))):
        _, _, moments, parts = own_sums(X, fold, classes)
        for t in range(parts.n_parts):
            inside = fold != t
            for j in range(min(X.shape[1], 3)):
                squares = covariance_slow(X[inside, j], X[inside, j])
                expected = 1 / math.sqrt(squares) if squares else 0.0
                assert moments.inverse[t, j] == pytest.approx(expected, rel=1e-12, abs=0)


@settings(max_examples=40)
@given(table=tables())
def test_f_statistics_of_parts(table):
    X, _, fold, rng = table
    classes = rng.integers(0, 3, len(X))
    own, sums, moments, parts = own_sums(X, fold, classes)
    counts = np.array([np.bincount(classes[fold == t], minlength=3) for t in range(parts.n_folds)])
    found = own.f_statistics(sums, moments, parts.combine_counts(counts).astype(np.float64))
    for t in range(parts.n_parts):
        inside = fold != t
        for j in range(min(X.shape[1], 3)):
            expected = f_slow(X[inside, j], classes[inside])
            assert found[t, j] == pytest.approx(expected, rel=1e-10, abs=1e-25)


@settings(max_examples=40)
@given(table=tables())
def test_regressions_of_parts(table):
    X, y, fold, _ = table
    own, sums, moments, parts = own_sums(X, fold, y=y)
    _, _, of_y, _ = own_sums(y[:, None], fold)
    products = own.products(sums, moments, of_y)
    found = own.f_of_regression(sums, moments, of_y, products, parts.n_rows.astype(np.float64))
    for t in range(parts.n_parts):
        inside = fold != t
        for j in range(min(X.shape[1], 3)):
            expected = covariance_slow(X[inside, j], y[inside])
            scale = moments.inverse[t, j] * of_y.inverse[t, 0]
            assert products[t, j] * scale == pytest.approx(float(expected) * scale, abs=1e-13)
            if abs(products[t, j] * scale) > 1e-6:
                expected = f_of_regression_slow(X[inside, j], y[inside])
                assert found[t, j] == pytest.approx(expected, rel=1e-9)


@settings(max_examples=40)
@given(table=tables())
def test_products_of_columns_in_parts(table):
    """Written for the pairs with a column that lies apart, left as they are for others."""
    X, _, fold, rng = table
    _, _, moments, parts = own_sums(X, fold)
    centres, p, e = moments.centres, X.shape[1], parts.n_folds
    centres.apart[:p] = rng.integers(0, 2, p)
    D = X - centres.shift[:, :p][fold]
    targets = rng.integers(0, p, 3)
    sums = np.zeros((len(centres.apart) // 32, 4, e, 32))
    for k, g in enumerate(targets):
        folds = np.array([(D[fold == t] * D[fold == t, g : g + 1]).sum(axis=0) for t in range(e)])
        sums[:, k] = (
            np.pad(folds, ((0, 0), (0, len(centres.apart) - p))).reshape(e, -1, 32).swapaxes(0, 1)
        )
    out = [np.full((len(sums), e, 32), 7.0) for _ in targets]
    fold_centres.centre_products(sums, 0, centres.arrays(), targets, out)
    for g, each in zip(targets, out, strict=True):
        found = each.swapaxes(0, 1).reshape(e, -1)[:, :p]
        wanted = (centres.apart[:p] | centres.apart[g]).astype(bool)
        assert (found[:, ~wanted] == 7).all()
        for t in range(e):
            for j in np.nonzero(wanted)[0][:3]:
                expected = float(covariance_slow(X[fold != t, j], X[fold != t, g]))
                size = moments.inverse[t, j] * moments.inverse[t, g]
                assert found[t, j] * size == pytest.approx(expected * size, abs=1e-13)


def test_classes_that_are_spread_evenly_over_the_folds():
    """Offsets of the folds cancel in the means of the classes, exactly."""
    rng = np.random.default_rng(0)
    fold, classes = np.repeat(np.arange(3), 20), np.tile([0, 1], 30)
    X = rng.normal(size=(60, 1)) + classes[:, None] + np.array([0, 1e12, -3e11])[fold][:, None]
    own, sums, moments, _ = own_sums(X, fold, classes)
    found = own.f_statistics(sums, moments, np.tile([20.0, 20.0, 0.0], (3, 1)))
    for t in range(3):
        assert found[t, 0] == pytest.approx(f_slow(X[fold != t, 0], classes[fold != t]), rel=1e-12)


def test_folds_without_rows():
    fold = np.array([0, 0, 2, 2, 3, 3])
    X = np.array([[1.0], [2.0], [1e9], [1e9 + 1], [5.0], [7.0]])
    own = OwnSums(fold, 5, 1, None)
    sums = own.empty(1)
    own.add(X, Runs.of(fold, None), 0, 1, sums)
    folds = FoldsOfParts.of(Resampling.leave_one_out(fold, 5))
    assert folds.first.tolist() == [2, 0, 0, 0, 0]
    inverse = own.moments(sums, folds).inverse[:, 0]
    for t in range(5):
        x = X[fold != t, 0]
        assert inverse[t] == pytest.approx(1 / math.sqrt(covariance_slow(x, x)), rel=1e-12)


def test_kernels_check_their_shapes():
    X, fold = np.arange(12.0).reshape(6, 2), np.array([0, 0, 1, 1, 2, 2])
    _, _, moments, _ = own_sums(X, fold)
    centres = moments.centres
    good = list(centres.arrays())
    sums, out = np.zeros((1, 1, 3, 32)), [np.zeros((1, 3, 32))]
    fold_centres.centre_products(sums, 0, tuple(good), np.array([0]), out)
    for place in range(7):
        bad = list(good)
        bad[place] = bad[place][:-1].copy()
        with pytest.raises(ValueError, match=r"must (have|be|lie)"):
            fold_centres.centre_products(sums, 0, tuple(bad), np.array([0]), out)
    with pytest.raises(ValueError, match=r"must (have|be|lie)"):
        fold_centres.centre_products(sums, 1, tuple(good), np.array([0]), out)
    with pytest.raises(ValueError, match=r"must (have|be|lie)"):
        fold_centres.centre_products(sums, 0, tuple(good), np.array([32]), out)

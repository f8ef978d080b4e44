"""Parts whose folds lie far apart are right, wherever their sums come from.

Batches, sites and patients differ in level, often by much more than they vary: leaving out one of
them is what the parts are for.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import MRMR, FastEnsemble, RowBlocks
from ensfs.data.target import make_target
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import greedy_search
from ensfs.statistics import ContinuousSource, Resampling

# ---------------------------------------- the definitions, in exact fractions


def deviations(x):
    values = [Fraction(float(v)) for v in x]
    mean = sum(values) / len(values)
    return [v - mean for v in values]


def product(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def pearson_slow(x, y):
    a, b = deviations(x), deviations(y)
    squares = product(a, a) * product(b, b)
    if squares == 0:
        return 0.0
    r = product(a, b)
    return math.copysign(math.sqrt(r * r / squares), r)


def f_slow(x, y, classes):
    """F of an analysis of variance, or of a straight line."""
    n = len(x)
    a, b = deviations(x), deviations(y)
    if not classes:
        explained, left = product(a, b) ** 2, product(a, a) * product(b, b) - product(a, b) ** 2
        k = 2
    else:
        groups = [[v for v, label in zip(a, y, strict=True) if label == c] for c in set(y.tolist())]
        k = len(groups)
        explained = sum(sum(group) ** 2 / len(group) for group in groups) / max(1, k - 1)
        left = product(a, a) - explained * (k - 1)
    if explained == 0 or k < 2 or n <= k:
        return 0.0
    return float(explained * (n - k) / left) if left else math.inf


# ---------------------------------------- tables


@st.composite
def tables(draw):
    """A table, a target and folds that lie up to 1e12 standard deviations apart."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    e, p = draw(st.integers(2, 4)), draw(st.integers(2, 6))
    extra = rng.integers(0, e, draw(st.integers(8, 40)))
    fold = np.r_[np.repeat(np.arange(e), 3), extra]
    fold = np.sort(fold) if draw(st.booleans()) else rng.permutation(fold)
    n, kind = fold.size, draw(st.sampled_from(["classes", "numbers", "numbers apart"]))
    y = rng.normal(size=n)
    X = rng.normal(size=(n, p)) + y[:, None] * rng.uniform(0, 3, p)
    size = 10.0 ** rng.uniform(0, 12, (e, p)) if draw(st.booleans()) else 10.0 ** rng.uniform(0, 12)
    X += (rng.normal(size=(e, p)) * size * rng.integers(0, 2, (e, p)))[fold]
    if kind == "classes":
        y = (y > rng.normal(size=n) / 2).astype(int) + (rng.random(n) < 0.2)
    elif kind == "numbers apart":
        y = y + (rng.normal(size=e) * 10.0 ** rng.uniform(0, 12))[fold]
    if draw(st.booleans()):
        X[:, 0] = draw(st.sampled_from([fold, np.where(fold == 0, X[:, 0], 0.1)]))
    order, dtype = draw(st.sampled_from("CF")), draw(st.sampled_from([np.float32, np.float64]))
    return np.asarray(X.astype(dtype), order=order), y, fold, kind == "classes"


def without_each(fold):
    return Resampling.leave_one_out(fold, int(fold.max()) + 1)


@st.composite
def resamplings(draw, fold):
    """All folds but one, or any folds."""
    e = int(fold.max()) + 1
    if draw(st.booleans()):
        return without_each(fold)
    part = st.lists(st.booleans(), min_size=e, max_size=e).filter(any)
    return Resampling(fold, np.array(draw(st.lists(part, min_size=1, max_size=4))))


def source_of(X, y, parts, classes, relevance="f_test", **options):
    target = make_target(y, len(y), kind="classes" if classes else "numeric", warn_constant=False)
    return ContinuousSource(X, target, parts, relevance=relevance, **options)


def blocks_of(X, y, parts, classes, cut, relevance="f_test"):
    blocks = RowBlocks([(X[:cut], y[:cut]), (X[cut:], y[cut:])])
    data = blocks.make_data(discrete_features=False)
    target = make_target(y, len(y), kind="classes" if classes else "numeric", warn_constant=False)
    return data.continuous_source(target, parts, relevance=relevance, signed=False, n_threads=1)


def redundancies(source):
    """Redundancy of every pair in every part."""
    out = np.empty((source.n_features, source.n_parts, source.n_features))
    for g in range(source.n_features):
        source.association([(g, np.arange(source.n_parts))], out[g])
    return out


# ---------------------------------------- against the definitions


@settings(max_examples=60)
@given(table=tables(), data=st.data())
def test_relevance(table, data):
    X, y, fold, classes = table
    parts = data.draw(resamplings(fold))
    found = source_of(X, y, parts, classes).relevance
    r = None if classes else source_of(X, y, parts, classes, "pearson", signed=True).relevance
    for t, part in enumerate(found):
        inside = parts.rows(t)
        for j, x in enumerate(X[inside].T):
            expected = f_slow(x, y[inside], classes)
            assert part[j] == pytest.approx(expected, rel=1e-9, abs=1e-20 if classes else 1e-12)
            if r is not None:
                expected = pearson_slow(x, y[inside])
                assert r[t, j] == pytest.approx(expected, rel=1e-9, abs=1e-13)


@settings(max_examples=40)
@given(table=tables(), data=st.data())
def test_redundancy(table, data):
    X, y, fold, classes = table
    parts = data.draw(resamplings(fold))
    found = redundancies(source_of(X, y, parts, classes))
    for t in range(found.shape[1]):
        Z = X[parts.rows(t)].T
        for g, z in enumerate(Z):
            for j, x in enumerate(Z):
                expected = abs(pearson_slow(x, z))
                assert found[g, t, j] == pytest.approx(expected, rel=1e-9, abs=1e-13)


# ---------------------------------------- the same bits everywhere


@settings(max_examples=40)
@given(
    table=tables(),
    cut=st.integers(1, 12),
    relevance=st.sampled_from(["f_test", "pearson"]),
    data=st.data(),
)
def test_blocks_and_threads_give_the_same_bits(table, cut, relevance, data):
    X, y, fold, classes = table
    parts = data.draw(resamplings(fold))
    relevance = "f_test" if classes else relevance
    one = source_of(X, y, parts, classes, relevance)
    pairs = redundancies(one)
    wide = np.zeros((len(X), 2 * X.shape[1] + 1), dtype=X.dtype)[:, 1::2]
    wide[:] = X
    for other in (
        source_of(X, y, parts, classes, relevance, n_threads=4),
        source_of(wide, y, parts, classes, relevance),
        blocks_of(X, y, parts, classes, cut, relevance),
    ):
        np.testing.assert_array_equal(one.relevance, other.relevance)
        np.testing.assert_array_equal(one.constant, other.constant)
        np.testing.assert_array_equal(pairs, redundancies(other))


@settings(max_examples=40)
@given(table=tables(), scheme=st.sampled_from(["quotient", "difference"]))
def test_lazy_searches_give_the_same_bits(table, scheme):
    criterion = Criterion(combine="mean", score=scheme)
    X, y, fold, classes = table
    lazy = greedy_search(source_of(X, y, without_each(fold), classes), X.shape[1], criterion)
    source = source_of(X, y, without_each(fold), classes)
    source.supports_lazy = False
    full = greedy_search(source, X.shape[1], criterion)
    for mine, other in (
        (lazy.columns, full.columns),
        (lazy.scores, full.scores),
        (lazy.details.redundancy, full.details.redundancy),
    ):
        for of_part, of_other in zip(mine, other, strict=True):
            np.testing.assert_array_equal(of_part, of_other)


def test_other_columns_do_not_matter():
    """A column that lies apart changes no bit of the pairs of others."""
    rng = np.random.default_rng(0)
    fold, y = np.arange(60) % 2, rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 40))
    apart = np.c_[X, rng.normal(size=60) + 1e9 * fold]
    parts = without_each(fold)
    alone, beside = source_of(X, y, parts, True), source_of(apart, y, parts, True)
    assert alone.centres is None
    assert beside.centres is not None
    np.testing.assert_array_equal(alone.relevance, beside.relevance[:, :-1])
    np.testing.assert_array_equal(redundancies(alone), redundancies(beside)[:-1, :, :-1])


# ---------------------------------------- selections


def test_the_part_without_the_centre_selects_by_its_own_rows():
    rng = np.random.default_rng(0)
    batch = np.repeat([0, 1], 100)
    y = rng.normal(size=200)
    X = rng.normal(size=(200, 3)) + y[:, None] * [0, 1, 3] + 1e8 * batch[:, None]
    ensemble = FastEnsemble(MRMR(1), folds=batch).fit(X, y)
    assert ensemble.part_selections_.tolist() == [[2], [2]]
    for dtype in (np.float32, np.float64):
        Z = (X - 1e8 * batch[:, None] + 1e4 * batch[:, None]).astype(dtype)
        ensemble = FastEnsemble(MRMR(3), folds=batch).fit(Z, y)
        for t in (0, 1):
            alone = MRMR(3).fit(Z[batch != t], y[batch != t])
            assert ensemble.part_selections_[t].tolist() == alone.indices_.tolist()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), classes=st.booleans(), scheme=st.sampled_from("QD"))
def test_parts_select_as_their_rows_alone(seed, classes, scheme):
    rng = np.random.default_rng(seed)
    fold = rng.permutation(np.repeat(np.arange(4), 15))
    y = rng.normal(size=60)
    X = rng.normal(size=(60, 12)) + y[:, None] * rng.uniform(0, 2, 12)
    X += 10.0 ** rng.uniform(0, 6, 12) * (fold == 0)[:, None]
    y = (y > 0).astype(int) if classes else y
    selector = MRMR(5, scheme="difference" if scheme == "D" else "quotient")
    ensemble = FastEnsemble(selector, folds=fold).fit(X, y)
    alone = MRMR(5, scheme=selector.scheme).fit(X[fold != 0], y[fold != 0])
    assert ensemble.part_selections_[0].tolist() == alone.indices_.tolist()

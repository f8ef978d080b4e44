"""Counts of coded columns, exactly, and mutual information from them."""

import math
from collections import Counter

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import discrete
from ensfs.data.target import Target
from ensfs.statistics import CodedSource, Resampling, formulas, log_table

# ---------------------------------------- slow twins


def uncertainty_slow(f, g, y):
    both = twins.entropy(f) + twins.entropy(g)
    return 2 * twins.information(f, g) / both if both > 0 else 0.0


def conditional_slow(f, g, y):
    n, of_g = len(f), Counter(g)
    fg, yg = Counter(zip(f, g, strict=True)), Counter(zip(y, g, strict=True))
    return math.fsum(
        c / n * math.log2(c * of_g[w] / (fg[u, w] * yg[v, w]))
        for (u, v, w), c in Counter(zip(f, y, g, strict=True)).items()
    )


MEASURES = {
    "mutual_information": lambda f, g, y: twins.information(f, g),
    "symmetrical_uncertainty": uncertainty_slow,
    "conditional": conditional_slow,
    "joint": twins.joint,
    "relative": twins.relative,
    "shared": lambda f, g, y: twins.information(f, g) - conditional_slow(f, y, g),
}


def plane_slow(codes, level):
    """Bit i of a whole number is set where code i is the level."""
    return sum(1 << i for i, code in enumerate(codes) if code == level)


def tables_slow(codes, row, shape):
    table = np.zeros(shape, dtype=int)
    for i in range(codes.shape[0]):
        for f in range(codes.shape[1]):
            table[row[i], codes[i, f]] += 1
    return table


# ---------------------------------------- planes


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 200),
    levels=st.lists(st.integers(1, 8), min_size=1, max_size=6),
)
def test_planes(seed, n, levels):
    rng = np.random.default_rng(seed)
    codes = np.asfortranarray(
        np.stack([rng.integers(0, k, n) for k in levels], axis=1).astype(np.uint8)
    )
    start = np.r_[0, np.cumsum(np.array(levels) - 1)].astype(np.int64)
    planes = np.full((start[-1], -(-n // 64)), 2**64 - 1, dtype=np.uint64)
    middle = len(levels) // 2
    discrete.make_planes(codes, start, 0, middle, planes)
    discrete.make_planes(codes, start, middle, len(levels), planes)
    for f, k in enumerate(levels):
        for level in range(1, k):
            words = planes[start[f] + level - 1].tolist()
            bits = sum(word << (64 * w) for w, word in enumerate(words))
            assert bits == plane_slow(codes[:, f], level)


def test_planes_check_their_shapes():
    codes = np.zeros((65, 1), dtype=np.uint8, order="F")
    with pytest.raises(ValueError, match="must have"):
        discrete.make_planes(codes, np.array([0, 1]), 0, 1, np.empty((1, 1), dtype=np.uint64))


# ---------------------------------------- tables for row blocks


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 60),
    p=st.integers(1, 6),
    places=st.integers(1, 12),
    rows=st.integers(1, 5),
)
def test_tables(seed, n, p, places, rows):
    rng = np.random.default_rng(seed)
    codes = np.asfortranarray(rng.integers(0, places, (n, p)).astype(np.int32))
    row = rng.integers(0, rows, n).astype(np.int32)
    out = np.full((rows, places), 7, dtype=np.int32)
    discrete.add_tables(codes, row, out)
    np.testing.assert_array_equal(out - 7, tables_slow(codes, row, out.shape))


# ---------------------------------------- information of pairs, in every part


def make_source(codes, y, fold=None, n_threads=1, measure="mutual_information"):
    n_levels = codes.max(axis=0) + 1
    dtype = np.uint8 if n_levels.max() <= 256 else np.uint16
    parts = (
        Resampling.all_rows(len(y))
        if fold is None
        else Resampling.leave_one_out(fold, int(fold.max()) + 1)
    )
    target = Target("classes", False, y.astype(np.int32), np.arange(y.max() + 1))
    return CodedSource(
        np.asfortranarray(codes.astype(dtype)), n_levels.astype(np.int32), target, parts,
        measure=measure, n_threads=n_threads,
    )  # fmt: skip


def dense(x):
    return np.unique(x, return_inverse=True)[1]


@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1500, 3000),
    levels=st.lists(st.sampled_from([1, 2, 3, 5, 8, 9, 16, 60, 256]), min_size=1, max_size=7),
    n_classes=st.sampled_from([2, 8, 9, 20]),
)
def test_columns_counted_together(seed, n, levels, n_classes):
    rng = np.random.default_rng(seed)
    codes = np.stack([dense(rng.integers(0, k, n)) for k in levels], axis=1)
    y = dense(rng.integers(0, n_classes, n))
    source, p = make_source(codes, y), len(levels)
    found = np.empty((1, p))
    source.association([(0, np.array([0]))], found)
    for f in range(p):
        assert source.entropy(0)[f] == pytest.approx(twins.entropy(codes[:, f]), abs=1e-12)
        relevance = twins.information(codes[:, f], y)
        assert source.relevance[0, f] == pytest.approx(relevance, abs=1e-12)
        with_first = twins.information(codes[:, f], codes[:, 0])
        assert found[0, f] == pytest.approx(with_first, abs=1e-12)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 200),
    levels=st.lists(st.integers(1, 14), min_size=1, max_size=4),
    n_classes=st.integers(1, 12),
    e=st.integers(0, 4),
    wide=st.booleans(),
)
def test_information_of_every_pair(seed, n, levels, n_classes, e, wide):
    rng = np.random.default_rng(seed)
    codes = np.stack([dense(rng.integers(0, k, n)) for k in levels], axis=1)
    y = dense(rng.integers(0, n_classes, n))
    fold = rng.permutation(np.arange(n) % e) if e > 1 else None
    source = make_source(codes, y, fold)
    if wide:  # the same codes as shorts
        target = Target("classes", False, y.astype(np.int32), np.arange(y.max() + 1))
        source = CodedSource(
            np.asfortranarray(codes.astype(np.uint16)), (codes.max(axis=0) + 1).astype(np.int32),
            target, source.resampling,
        )  # fmt: skip
    masks = [np.ones(n, dtype=bool)] if fold is None else [fold != t for t in range(e)]
    for t, rows in enumerate(masks):
        for f in range(len(levels)):
            x = codes[rows, f].tolist()
            expected = twins.information(x, y[rows].tolist())
            assert source.relevance[t, f] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert source.constant[t, f] == (len(set(x)) == 1)
    out = np.empty((len(masks), len(levels)))
    for g in range(len(levels)):
        source.association([(g, np.arange(len(masks)))], out)
        for t, rows in enumerate(masks):
            for f in range(len(levels)):
                expected = twins.information(codes[rows, f].tolist(), codes[rows, g].tolist())
                assert out[t, f] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_every_measure_has_a_twin():
    assert set(MEASURES) == set(formulas.MEASURES)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 200),
    levels=st.lists(st.integers(1, 11), min_size=1, max_size=4),
    n_classes=st.integers(1, 11),
    e=st.integers(0, 3),
)
@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure(measure, seed, n, levels, n_classes, e):
    """Planes up to 8 levels and classes, codes beyond, mixed in one table; whole and in parts."""
    rng = np.random.default_rng(seed)
    codes = np.stack([dense(rng.integers(0, k, n)) for k in levels], axis=1)
    y = dense(rng.integers(0, n_classes, n))
    fold = rng.permutation(np.arange(n) % e) if e > 1 else None
    source = make_source(codes, y, fold, measure=measure)
    masks = [np.ones(n, dtype=bool)] if fold is None else [fold != t for t in range(e)]
    out, again = np.empty((2, len(masks), len(levels)))
    twice = make_source(codes, y, fold, n_threads=2, measure=measure)
    np.testing.assert_array_equal(source.relevance, twice.relevance)
    for g in range(len(levels)):
        source.association([(g, np.arange(len(masks)))], out)
        twice.association([(g, np.arange(len(masks)))], again)
        np.testing.assert_array_equal(out, again)
        for t, rows in enumerate(masks):
            given_g, labels = codes[rows, g].tolist(), y[rows].tolist()
            for f in range(len(levels)):
                expected = MEASURES[measure](codes[rows, f].tolist(), given_g, labels)
                assert out[t, f] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("n", [63, 64, 65, 256, 257, 511, 512, 513, 1100])
def test_any_number_of_words(measure, n):
    """Every way in which the kernels walk through the words of a plane."""
    rng = np.random.default_rng(n)
    codes = np.stack([dense(rng.integers(0, k, n)) for k in (2, 3, 4, 8, 9)], axis=1)
    y = dense(rng.integers(0, 3, n))
    fold = np.arange(n) % 3
    for source, rows in (
        (make_source(codes, y, measure=measure), np.ones(n, dtype=bool)),
        (make_source(codes, y, fold, measure=measure), fold != 2),
    ):
        out = np.empty((source.n_parts, 5))
        for g in range(5):
            source.association([(g, np.arange(source.n_parts))], out)
            expected = [
                MEASURES[measure](x, codes[rows, g].tolist(), y[rows].tolist())
                for x in codes[rows].T.tolist()
            ]
            np.testing.assert_allclose(out[-1], expected, rtol=1e-9, atol=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 90),
    p=st.integers(1, 8),
    top=st.integers(1, 12),
)
def test_removal(seed, n, p, top):
    """The compiled elimination does what the vectors of the measure say."""
    rng = np.random.default_rng(seed)
    codes = np.stack([dense(rng.integers(0, k, n)) for k in rng.integers(1, top + 1, p)], axis=1)
    y = dense(rng.integers(0, 3, n))
    source = make_source(codes, y, measure="symmetrical_uncertainty")
    relevance = np.ascontiguousarray(source.relevance[0])
    g, *columns = rng.permutation(p).tolist()
    values = np.empty((1, p))
    source.association([(g, np.array([0]))], values)
    removed_by = np.full(p, -1)
    stay = source.eliminator(0)(g, np.array(columns, dtype=np.int64), relevance, 1e-8, removed_by)
    gone = [q for q in columns if values[0, q] >= relevance[q] - 1e-8]
    assert stay.tolist() == [q for q in columns if q not in gone]
    assert np.nonzero(removed_by == g)[0].tolist() == sorted(gone)
    assert (np.delete(removed_by, gone) == -1).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_three_columns_with_many_levels(measure):
    """Cells of three columns that are hashed."""
    rng = np.random.default_rng(0)
    codes = np.stack([rng.permutation(np.arange(700) % k) for k in (300, 2, 260)], axis=1)
    y = rng.permutation(np.arange(700) % 50)
    source = make_source(codes, y, measure=measure)
    out = np.empty((1, 3))
    for g in range(3):
        source.association([(g, np.array([0]))], out)
        expected = [
            MEASURES[measure](x, codes[:, g].tolist(), y.tolist()) for x in codes.T.tolist()
        ]
        np.testing.assert_allclose(out[0], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("n", "levels", "n_classes"),
    [(600, (300, 2, 9), 2), (600, (8, 7, 256), 257), (5000, (5000, 2500, 3), 2)],
)
def test_many_levels(n, levels, n_classes):
    """Codes of two bytes, tables that are hashed, classes without planes."""
    rng = np.random.default_rng(n)
    codes = np.stack([rng.permutation(np.arange(n) % k) for k in levels], axis=1)
    y = rng.permutation(np.arange(n) % n_classes)
    source = make_source(codes, y)
    out = np.empty((1, 3))
    expected = [twins.information(x, y.tolist()) for x in codes.T.tolist()]
    np.testing.assert_allclose(source.relevance[0], expected, rtol=1e-9, atol=1e-12)
    source.association([(0, np.array([0]))], out)
    first = codes[:, 0].tolist()
    expected = [twins.information(x, first) for x in codes.T.tolist()]
    np.testing.assert_allclose(out[0], expected, rtol=1e-9, atol=1e-12)


# ---------------------------------------- counts that serve all parts


def skewed_codes(rng, n, levels, one_in):
    """Codes of a column with so many levels, of which one is frequent."""
    codes = rng.integers(0, levels, n)
    codes[rng.random(n) < one_in] = 0
    return dense(codes)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([12, 40, 130, 400, 1500]),
    levels=st.lists(st.integers(2, 300), min_size=1, max_size=3),
    n_classes=st.sampled_from([2, 8, 9, 40]),
    e=st.sampled_from([2, 5, 20, 64]),
    one_in=st.sampled_from([0.0, 0.9]),
)
@pytest.mark.parametrize("measure", ["mutual_information", "joint", "relative"])
def test_shared_counts_are_those_of_each_part(measure, seed, n, levels, n_classes, e, one_in):
    """Bit for bit what a part has alone; the part alone is compared with plain Python."""
    rng = np.random.default_rng(seed)
    codes = np.stack([skewed_codes(rng, n, k, one_in) for k in (*levels, 4)], axis=1)
    y, fold = skewed_codes(rng, n, n_classes, 0.0), rng.permutation(np.arange(n) % min(e, n // 2))
    source = make_source(codes, y, fold, measure=measure)
    p, n_parts = codes.shape[1], source.n_parts
    shared, alone = np.empty((n_parts, p)), np.empty((1, p))
    chosen = rng.integers(0, p, n_parts)  # each part asks for a column of its own
    source.association([(g, np.nonzero(chosen == g)[0]) for g in range(p)], shared)
    for t in rng.permutation(n_parts)[:3]:
        rows = fold != t
        part = make_part(source, codes, y, rows, measure)
        np.testing.assert_array_equal(source.relevance[t], part.relevance[0])
        np.testing.assert_array_equal(source.constant[t], part.constant[0])
        part.association([(int(chosen[t]), np.array([0]))], alone)
        np.testing.assert_array_equal(shared[t], alone[0])
        given_g, labels = codes[rows, chosen[t]].tolist(), y[rows].tolist()
        expected = [MEASURES[measure](x, given_g, labels) for x in codes[rows].T.tolist()]
        np.testing.assert_allclose(alone[0], expected, rtol=1e-9, atol=1e-12)


def make_part(source, codes, y, rows, measure):
    """The rows of one part alone, with the logarithms of the whole table."""
    inside = Resampling(np.where(rows, 0, 1), np.array([[True, False]]))
    target = Target("classes", False, y.astype(np.int32), np.arange(y.max() + 1))
    n_levels = (codes.max(axis=0) + 1).astype(np.int32)
    dtype = np.uint8 if n_levels.max() <= 256 else np.uint16
    codes = np.asfortranarray(codes.astype(dtype))
    return CodedSource(codes, n_levels, target, inside, measure=measure)


def test_what_was_counted_may_be_forgotten(monkeypatch):
    """The same values where only a few pairs are kept."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, (200, 300))
    y, fold = rng.integers(0, 2, 200), np.arange(200) % 20
    kept = make_source(codes, y, fold)
    monkeypatch.setattr("ensfs.statistics.part_counts.CACHE_BYTES", 1)
    monkeypatch.setattr("ensfs.statistics.part_counts.MIN_SLOTS", 4)
    forgotten = make_source(codes, y, fold)
    np.testing.assert_array_equal(kept.relevance, forgotten.relevance)
    first, second = np.empty((2, 20, 300))
    kept.association([(7, np.arange(20))], first)
    forgotten.association([(7, np.arange(20))], second)
    np.testing.assert_array_equal(first, second)


def test_shared_counts_check_their_arrays():
    table = make_source(np.arange(20)[:, None] % 10, np.arange(20) % 2)._table
    bounds, gains = np.array([0, 10, 20]), np.zeros(20, np.int64)
    counts, keys, cells = np.zeros(256, np.int32), np.empty(128, np.int64), np.empty(20, np.int32)
    arrays = (gains, counts, keys, cells)
    kept = (np.full(4, -1), np.empty((4, 2), dtype=np.int64))
    discrete.SharedCounts(table, bounds, *arrays, *kept)
    with pytest.raises(ValueError, match="counts must have 256"):
        discrete.SharedCounts(table, bounds, gains, counts[:128], keys, cells, *kept)
    with pytest.raises(ValueError, match="last of bounds"):
        discrete.SharedCounts(table, bounds // 2, *arrays, *kept)
    with pytest.raises(ValueError, match="power of two"):
        discrete.SharedCounts(table, bounds, *arrays, kept[0][:3], kept[1][:3])
    with pytest.raises(ValueError, match="joints must have the shape"):
        discrete.SharedCounts(table, bounds, *arrays, kept[0], np.empty((4, 1), np.int64))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_rows_in_another_order(dtype):
    rng = np.random.default_rng(0)
    codes, order = np.asfortranarray(rng.integers(0, 9, (30, 4)).astype(dtype)), rng.permutation(30)
    out = np.zeros_like(codes)
    discrete.order_rows(codes, order, 1, 3, out)
    np.testing.assert_array_equal(out[:, 1:3], codes[order, 1:3])
    assert not out[:, [0, 3]].any()
    with pytest.raises(ValueError, match="order must lie in"):
        discrete.order_rows(codes, order + 1, 1, 3, out)


def test_the_information_of_a_column_with_itself_is_its_entropy():
    x = np.repeat([0, 1, 2], [4, 2, 2])
    source = make_source(x[:, None], x)
    assert source.relevance.tolist() == [[1.5]]


# ---------------------------------------- k log k


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 100_000])
def test_table_of_k_log_k(n):
    T, unit = log_table(n)
    assert T.dtype == np.int64
    assert T.size == n + 1
    assert T[0] == 0
    assert 0 <= T.max() < 2**62
    for k in {1, n // 3, n // 2, n} - {0}:
        exact = k * math.log2(k)
        assert abs(int(T[k]) * unit - exact) <= unit / 2 + 4e-16 * exact
    if n >= 1024:
        assert T[1024] * unit == 10240

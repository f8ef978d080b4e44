"""The kernels of ``cuts`` against plain Python."""

import math

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import cuts

TOLERANCE = 1e-12


def mdl_fast(X, y, n_classes, better_encoding=False):
    n, m = X.shape
    found = np.empty((n, m), order="F")
    n_cuts = np.empty(m, dtype=np.int64)
    klogk = np.array([k * math.log2(k) if k else 0.0 for k in range(n + 1)])
    cuts.mdl_cuts(
        np.asfortranarray(X),
        np.asfortranarray(np.argsort(X, axis=0)),
        y.astype(np.int32),
        n_classes,
        klogk,
        better_encoding,
        np.empty(n),
        np.empty(n, dtype=np.int32),
        np.empty(3 * n_classes, dtype=np.int32),
        np.empty(n, dtype=np.uint8),
        found,
        n_cuts,
    )
    return [found[: n_cuts[j], j].tolist() for j in range(m)]


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 60),
    p=st.integers(1, 3),
    n_classes=st.sampled_from([1, 2, 3, 10, 40]),
    n_values=st.sampled_from([1, 2, 5, 30, 1000]),
    dtype=st.sampled_from([np.float32, np.float64]),
    missing=st.sampled_from([0.0, 0.2, 1.0]),
    better_encoding=st.booleans(),
)
def test_mdl(seed, n, p, n_classes, n_values, dtype, missing, better_encoding):
    rng = np.random.default_rng(seed)
    # Columns that follow the classes, so that there is something to cut; many ties.
    y = rng.integers(0, n_classes, size=n)
    signal = rng.permutation(n_classes)[y][:, None] * n_values / n_classes
    noise = rng.integers(0, n_values, size=(n, p))
    X = np.floor(np.where(rng.random((n, p)) < 0.8, signal, noise)) / 8 - n_values / 16
    X[rng.random((n, p)) < missing] = np.nan
    X = X.astype(dtype)
    slow = [twins.mdl_cuts(column, y.tolist(), better_encoding) for column in X.T]
    assert mdl_fast(X, y, n_classes, better_encoding) == slow


@pytest.mark.parametrize("better_encoding", [False, True])
@pytest.mark.parametrize("n_classes", [41, 300, 599, 600, 601, 700])
def test_mdl_many_classes(n_classes, better_encoding):
    # 3**41 is beyond 64 bits, 3**647 beyond a double. Groups of many classes, a gap between groups.
    y = np.concatenate([np.arange(n_classes), np.tile(np.arange(4), 400)])
    X = np.where(y < 2, 0.0, 10.0) + np.arange(y.size) % 3
    expected = twins.mdl_cuts(X, y.tolist(), better_encoding)
    assert expected
    assert mdl_fast(X[:, None], y, n_classes, better_encoding) == [expected]


def test_mdl_log2_at_the_switch():
    # With k classes once each and twice k rows of another, the verdict hangs on log2(3**k - 2).
    for n_classes in (2, 20, 600, 601, 680):
        y = np.concatenate([np.arange(n_classes), np.zeros(3 * n_classes, dtype=int)])
        X = (np.arange(y.size) >= n_classes).astype(float)
        assert mdl_fast(X[:, None], y, n_classes) == [twins.mdl_cuts(X, y.tolist())]


def test_mdl_gives_each_class_its_interval():
    y = np.repeat(np.arange(200), 30)
    X = np.arange(y.size, dtype=float)
    found = mdl_fast(X[:, None], y, 200)
    assert found == [(np.arange(1, 200) * 30 - 0.5).tolist()]


def test_mdl_long_column_sums_without_drift():
    # Two cuts tie exactly (a mirror image); the first must win after 100,000 additions.
    half = np.repeat([0, 1, 0, 1], [100, 40_000, 200, 10_000])
    y = np.concatenate([half, half[::-1]])
    found = mdl_fast(np.arange(y.size, dtype=float)[:, None], y, 2)
    assert found == [[99.5, 40_099.5, 40_299.5, 60_299.5, 60_499.5, 100_499.5]]


def test_mdl_neighbouring_numbers():
    # No number lies between the two values, and their mean may round up to the larger one.
    for low in (1.0, np.nextafter(1.0, 2), -np.nextafter(1.0, 2), 5e-324, -5e-324, 1.7e308):
        high = np.nextafter(low, np.inf)
        X = np.array([low] * 5 + [high] * 5)
        (found,) = mdl_fast(X[:, None], np.repeat([0, 1], 5), 2)
        assert found == [low]
    X = np.array([-1.5e308] * 5 + [1.7e308] * 5)
    (found,) = mdl_fast(X[:, None], np.repeat([0, 1], 5), 2)
    assert -1.5e308 < found[0] < 1.7e308


def equal_frequency_fast(X, n_bins):
    m = X.shape[1]
    found = np.empty((m, n_bins - 1))
    levels = np.empty((m, n_bins), dtype=np.int32)
    n_cuts = np.empty(m, dtype=np.int64)
    cuts.equal_frequency_cuts(np.asfortranarray(np.sort(X, axis=0)), found, levels, n_cuts)
    return [(found[j, : n_cuts[j]].tolist(), levels[j, : n_cuts[j] + 1].tolist()) for j in range(m)]


def equal_frequency_slow(column, n_bins):
    seen = np.sort(column[~np.isnan(column)]).astype(np.float64)
    if seen.size == 0:
        return [], [0]
    found = np.unique([np.quantile(seen, j / n_bins) for j in range(1, n_bins)])
    found = found[found < seen[-1]]
    occupied = np.isin(np.arange(found.size + 1), np.searchsorted(found, seen))
    return found.tolist(), (np.cumsum(occupied) - 1).tolist()


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 50),
    n_bins=st.sampled_from([2, 4, 8, 64]),
    n_values=st.sampled_from([1, 3, 20, 1000]),
    dtype=st.sampled_from([np.float32, np.float64]),
    missing=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_equal_frequency(seed, n, n_bins, n_values, dtype, missing):
    # Powers of two, so that numpy's quantile is free of rounding errors too.
    rng = np.random.default_rng(seed)
    X = rng.integers(-n_values, n_values, size=(n, 2)).astype(dtype)
    X[rng.random((n, 2)) < missing] = np.nan
    assert equal_frequency_fast(X, n_bins) == [equal_frequency_slow(x, n_bins) for x in X.T]


def test_equal_frequency_meets_values_exactly():
    # 0.29 * 100 is not 29 in floating point: an inexact position would cut a little below.
    ((found, levels),) = equal_frequency_fast(np.arange(101.0)[:, None], 100)
    assert found == list(range(1, 100))
    assert levels == list(range(100))


def digitise(X, cut_points, levels=None, dtype=np.uint8):
    n_cuts = [len(c) for c in cut_points]
    levels = [np.arange(k + 1) for k in n_cuts] if levels is None else levels
    codes = np.empty(X.shape, dtype=dtype, order="F")
    cuts.digitise(
        np.asfortranarray(X),
        np.concatenate([*cut_points, np.empty(0)]),
        np.cumsum([0, *n_cuts]),
        np.concatenate(levels).astype(np.int32),
        np.array([level[-1] + 1 for level in levels], dtype=np.int32),
        codes,
    )
    return codes


@settings(deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    n_cuts=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    values=st.sampled_from([np.float32, np.float64]),
    codes=st.sampled_from([np.uint8, np.uint16]),
)
def test_digitise(seed, n, n_cuts, values, codes):
    rng = np.random.default_rng(seed)
    X = rng.integers(-30, 30, size=(n, len(n_cuts))).astype(values)
    X[rng.random(X.shape) < 0.1] = np.nan
    cut_points = [np.sort(rng.choice(np.arange(-30.0, 30.0), k, replace=False)) for k in n_cuts]
    slow = np.column_stack(
        [
            np.where(np.isnan(x), len(c) + 1, np.searchsorted(c, x, side="left"))
            for x, c in zip(X.T, cut_points, strict=True)
        ]
    )
    np.testing.assert_array_equal(digitise(X, cut_points, dtype=codes), slow)


def test_digitise_more_bins_than_codes():
    # 400 bins, but only two levels: bin numbers must not pass through the small type.
    X = np.array([-1.0, 0.0, 300.0, 399.0, np.nan])[:, None]
    levels = [np.repeat([0, 1], [300, 101])]
    codes = digitise(X, [np.arange(400.0)], levels)
    assert codes.ravel().tolist() == [0, 0, 1, 1, 2]


def test_digitise_reads_read_only_arrays():
    X = np.ones((3, 2), order="F")
    X.flags.writeable = False
    assert digitise(X, [np.array([0.0]), np.array([2.0])]).tolist() == [[1, 0]] * 3


def test_shapes_are_checked():
    X = np.zeros((4, 2), order="F")
    with pytest.raises(ValueError, match="shapes"):
        cuts.sigma_cuts(X, 0.5, np.empty((1, 2)), np.empty(2, dtype=np.int64))
    with pytest.raises(ValueError, match="shapes"):
        cuts.equal_frequency_cuts(
            X, np.empty((2, 4)), np.empty((2, 4), dtype=np.int32), np.empty(2, dtype=np.int64)
        )
    with pytest.raises(ValueError, match="shapes"):
        digitise(X, [np.array([0.0])])
    with pytest.raises(ValueError, match="shapes"):
        mdl_fast(X, np.zeros(3), 2)

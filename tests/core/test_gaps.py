"""Kernels of columns with missing cells against plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import gaps
from ensfs.data.encode import encode_with_gaps


def tables(seed, layout, dtype=np.float64):
    """A table with missing cells, some columns without any or without a value."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (rng.integers(1, 40), rng.integers(1, 700))) + rng.choice([0, 1e6])
    X = X.astype(dtype)
    X[rng.random(X.shape) < rng.choice([0, 0.1, 0.6, 1.0], X.shape[1])] = np.nan
    return {"C": X, "F": np.asfortranarray(X), "every second": np.repeat(X, 2, axis=1)[:, ::2]}[
        layout
    ], rng


@given(
    seed=st.integers(0, 10_000),
    layout=st.sampled_from(["C", "F", "every second"]),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
)
def test_means_and_filled_columns(seed, layout, dtype, weighted):
    X, rng = tables(seed, layout, dtype)
    n, p = X.shape
    weight = rng.random(n) + 0.1 if weighted else None
    w = np.ones(n) if weight is None else weight
    origin, (total, seen, count) = np.full(p, np.nan), np.zeros((3, p))
    for rows in np.array_split(np.arange(n), 2):  # blocks of rows make no difference
        of_rows = None if weight is None else weight[rows]
        gaps.add_means(X[rows[0] : rows[-1] + 1] if rows.size else X[:0], of_rows, origin, total,
                       seen, count)  # fmt: skip
    for j in range(p):
        there = ~np.isnan(X[:, j])
        x = X[there, j].astype(np.float64)
        sums = [0.0, 0.0]
        for value, times in zip(x, w[there], strict=True):
            sums = [sums[0] + times * (value - x[0]), sums[1] + times]
        assert [total[j], seen[j]] == sums  # the same additions in the same order
        assert count[j] == x.size
        assert np.isnan(origin[j]) if not x.size else origin[j] == x[0]
    out, means = np.empty_like(X), rng.normal(size=p)
    gaps.fill(X, means, out)
    np.testing.assert_array_equal(out, np.where(np.isnan(X), means.astype(dtype), X))


@given(
    seed=st.integers(0, 10_000),
    layout=st.sampled_from(["C", "F", "every second"]),
    dtype=st.sampled_from([np.float64, np.float32]),
    last=st.sampled_from([0, 5, 253, 254, 255]),
    share=st.sampled_from([0.0, 0.02, 0.3, 1.0]),
    n_threads=st.sampled_from([1, 3]),
)
def test_codes(seed, layout, dtype, last, share, n_threads):
    """Missing cells have the code after the last, whichever way columns are coded."""
    X, rng = tables(seed, layout, dtype)
    wide = rng.random(X.shape[1]) < share
    X[:, wide] = np.where(np.isnan(X[:, wide]), np.nan, np.rint(X[:, wide] % (last + 1)))
    X[0, wide], X[-1, wide] = 0, last  # the first and the last value of a window
    coded = encode_with_gaps(X, n_threads)
    for j in range(X.shape[1]):
        levels, codes = np.unique(X[:, j], return_inverse=True)
        n_missing = np.isnan(X[:, j]).sum()
        if coded.n_levels[j] == 0:  # a window of 256 numbers, one of them for the missing cells
            assert np.nanmax(X[:, j]) - np.nanmin(X[:, j]) > 255 - (n_missing > 0)
            continue
        assert coded.n_levels[j] == levels.size
        np.testing.assert_array_equal(coded.codes[:, j], codes)
        np.testing.assert_array_equal(coded.levels(j), levels)
        assert coded.levels(j).dtype == dtype
        assert coded.n_missing[j] == n_missing
        assert coded.incomplete[j] == (n_missing > 0)


def test_lengths_are_checked():
    X = np.zeros((3, 2))
    with pytest.raises(ValueError, match="count"):
        gaps.add_means(X, None, np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(1))


@given(
    n=st.integers(1, 40), p=st.integers(1, 70), seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from([np.float64, np.float32]), order=st.sampled_from("CF"),
)  # fmt: skip
def test_bits(n, p, seed, dtype, order):
    """A bit for each missing cell, at the place of its row; what was marked stays."""
    rng = np.random.default_rng(seed)
    X = np.array(np.where(rng.random((n, p)) < 0.3, np.nan, 1.0), dtype=dtype, order=order)
    columns = np.sort(rng.permutation(p)[: rng.integers(1, p + 1)])
    n_bytes = (n + 7) // 8 + 1
    place = rng.permutation(8 * n_bytes)[:n]
    before = rng.integers(0, 256, (columns.size, n_bytes)).astype(np.uint8)
    out = before.copy()
    gaps.add_bits(X, columns, place, out)
    bits = np.unpackbits(before, axis=1, bitorder="little")
    for i, j in np.argwhere(np.isnan(X[:, columns])):
        bits[j, place[i]] = 1
    np.testing.assert_array_equal(out, np.packbits(bits, axis=1, bitorder="little"))


def test_bits_of_other_shapes():
    X, out = np.ones((3, 2)), np.zeros((1, 1), dtype=np.uint8)
    for columns, place, message in (
        ([2], [0, 1, 2], "columns"), ([0], [0, 1, 8], "place"), ([0], [0, 1], "place"),
        ([0, 1], [0, 1, 2], "out"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            gaps.add_bits(X, np.array(columns), np.array(place), out)


@given(
    seed=st.integers(0, 10_000),
    layout=st.sampled_from(["C", "F", "every second"]),
    dtype=st.sampled_from([np.float64, np.float32]),
    weighted=st.booleans(),
    n_groups=st.integers(1, 4),
)
def test_observed_and_common_rows(seed, layout, dtype, weighted, n_groups):
    """Row by row, the same additions in the same order, on top of what is there."""
    X, rng = tables(seed, layout, dtype)
    n, p = X.shape
    a = int(rng.integers(0, p))
    b = int(rng.integers(a, p + 1))
    weight = rng.random(n) + 0.1 if weighted else None
    w = np.ones(n) if weight is None else weight
    group = rng.integers(0, n_groups, n)
    centre_of, centres = rng.integers(0, 2, n_groups), rng.normal(size=(2, p))
    out = rng.normal(size=(n_groups, 3, p))
    wanted = out.copy()
    targets = np.where(rng.random((2, n)) < 0.2, np.nan, rng.normal(size=(2, n)))
    pairs = rng.normal(size=(2, n_groups, 6, p))
    wanted_pairs = pairs.copy()
    gaps.add_observed(X, a, b, group, centre_of, centres, weight, out)
    gaps.add_common(X, a, b, centres[0], targets, group, weight, pairs)
    for i in range(n):
        there = a + np.nonzero(~np.isnan(X[i, a:b]))[0]
        x, g = X[i, there].astype(np.float64), group[i]
        d = x - centres[centre_of[g], there]
        for k, term in enumerate((w[i], w[i] * d, w[i] * d * d)):
            wanted[g, k, there] += term
        d = x - centres[0, there]
        for t in np.nonzero(~np.isnan(targets[:, i]))[0]:
            y, wy = targets[t, i], w[i] * targets[t, i]
            terms = (w[i], w[i] * d, wy, w[i] * d * d, wy * y, wy * d)
            for k, term in enumerate(terms):
                wanted_pairs[t, g, k, there] += term
    np.testing.assert_array_equal(out, wanted)
    np.testing.assert_array_equal(pairs, wanted_pairs)

"""Neighbours under changing masks against sorting all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import neighbours


def distances_slow(A, B, mask):
    return [[sum((x - z) ** 2 for x, z, used in zip(a, b, mask, strict=True) if used) for b in B]
            for a in A]  # fmt: skip


def labels_slow(distances, y, n_classes, k):
    """Vote of the k nearest: sorted by distance and place; the lowest of the commonest classes."""
    labels = []
    for row in distances:
        nearest = sorted(range(len(row)), key=lambda j: (row[j], j))[:k]
        counts = [sum(y[j] == c for j in nearest) for c in range(n_classes)]
        labels.append(counts.index(max(counts)))
    return labels


def labels_fast(D, a, b, sign, y, n_classes, k, cut=0, near=None):
    n = len(D)
    out = np.empty(n, dtype=np.int32)
    near = np.tile(np.arange(k), n) if near is None else near
    work = near, np.empty(k), np.zeros(n_classes, dtype=np.int32)
    for start, stop in ((0, min(cut, n)), (min(cut, n), n)):
        neighbours.neighbour_labels(D, a, b, sign, y, n_classes, k, start, stop, *work, out)
    return out


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 6),
    m=st.sampled_from([1, 2, 5, 7, 8, 9, 17, 63, 64, 65, 130]),
    p=st.integers(1, 4),
    n_classes=st.integers(1, 4),
    k=st.integers(1, 5),
)
def test_flips(seed, n, m, p, n_classes, k):
    """Whole numbers: distances are exact, and tie often."""
    rng = np.random.default_rng(seed)
    A, B = rng.integers(0, 5, size=(n, p)) * 1.0, rng.integers(0, 5, size=(m, p)) * 1.0
    y = rng.integers(n_classes, size=m).astype(np.int32)
    k = min(k, m)
    mask = rng.random(p) < 0.5
    D = np.array(distances_slow(A, B, mask), dtype=float)
    near = np.concatenate([rng.permutation(m)[:k] for _ in range(n)])  # what was found before
    for j in range(p):
        sign = -1.0 if mask[j] else 1.0
        flipped = mask ^ (np.arange(p) == j)
        after = distances_slow(A, B, flipped)
        a, b = np.ascontiguousarray(A[:, j]), np.ascontiguousarray(B[:, j])
        before = D.copy()
        found = labels_fast(D, a, b, sign, y, n_classes, k, cut=n // 2, near=near)
        np.testing.assert_array_equal(D, before)
        assert found.tolist() == labels_slow(after, y.tolist(), n_classes, k)
        neighbours.change_distances(before, a, b, sign, 0, n)
        np.testing.assert_array_equal(before, after)
        neighbours.change_distances(before, a, b, -sign, 0, n)
        np.testing.assert_array_equal(before, D)
    same = labels_fast(D, np.zeros(n), np.zeros(m), 0.0, y, n_classes, k)
    assert same.tolist() == labels_slow(D.tolist(), y.tolist(), n_classes, k)


def among_fast(D, b, sign, y, n_classes, k, cut=0, near=None):
    n = len(D)
    out = np.empty(n, dtype=np.int32)
    near = np.tile(np.arange(k), n) if near is None else near
    work = near, np.empty(n), np.empty(n, dtype=np.int64), np.empty(n * k)
    counts = np.zeros(n_classes, dtype=np.int32)
    for start, stop in ((0, min(cut, n)), (min(cut, n), n)):
        neighbours.labels_among(D, b, sign, y, n_classes, k, start, stop, *work, counts, out)
    return out


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([2, 3, 5, 8, 9, 16, 17, 31, 32, 33, 34, 65, 130]),
    p=st.integers(1, 4),
    n_classes=st.integers(1, 4),
    k=st.integers(1, 5),
)
def test_flips_of_rows_among_themselves(seed, n, p, n_classes, k):
    """Whole numbers: distances are exact, and tie often."""
    rng = np.random.default_rng(seed)
    A, y = rng.integers(0, 5, size=(n, p)) * 1.0, rng.integers(n_classes, size=n).astype(np.int32)
    k, mask = min(k, n - 1), rng.random(p) < 0.5
    D = np.array(distances_slow(A, A, mask), dtype=float)
    np.fill_diagonal(D, np.inf)
    near = np.concatenate([rng.permutation(n)[:k] for _ in range(n)])  # what was found before
    for j in range(p):
        after = np.array(distances_slow(A, A, mask ^ (np.arange(p) == j)), dtype=float)
        np.fill_diagonal(after, np.inf)
        sign, column = -1.0 if mask[j] else 1.0, np.ascontiguousarray(A[:, j])
        found = among_fast(D, column, sign, y, n_classes, k, cut=int(rng.integers(n)), near=near)
        assert found.tolist() == labels_slow(after.tolist(), y.tolist(), n_classes, k)
        order = np.argsort(after, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(near.reshape(n, k), order)


def with_more_fast(D, b, sign, y, n_classes, k, size, known, listed, cut=0):
    n = len(D)
    out = np.empty(n, dtype=np.int32)
    work = np.empty(k), np.empty(k, dtype=np.int64), np.zeros(n_classes, dtype=np.int32)
    for start, stop in ((0, min(cut, n)), (min(cut, n), n)):
        neighbours.labels_with_more(D, b, sign, y, n_classes, k, size, start, stop, known, listed,
                                    *work, out)  # fmt: skip
    return out


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([2, 3, 5, 9, 17, 33, 65]),
    n_classes=st.integers(1, 4),
    k=st.integers(1, 5),
    more=st.integers(0, 6),
    spread=st.sampled_from([2, 5, 50]),
)
def test_a_column_more_by_lists_of_near_rows(seed, n, n_classes, k, more, spread):
    """Lists that tell, and that do not; whole numbers, which tie often."""
    rng = np.random.default_rng(seed)
    A, y = rng.integers(0, spread, size=(n, 3)) * 1.0, rng.integers(n_classes, size=n)
    k = min(k, n - 1)
    size, y = min(k + more, n - 1), y.astype(np.int32)
    D = np.array(distances_slow(A, A, [True, True, False]), dtype=float)
    np.fill_diagonal(D, np.inf)
    order = np.argsort(D, axis=1, kind="stable")[:, :size]
    known = np.take_along_axis(D, order, axis=1).ravel()
    b = np.ascontiguousarray(A[:, 2])
    for sign in (1.0, 0.5, 0.0):
        after = D + sign * (b[:, None] - b) ** 2
        found = with_more_fast(D, b, sign, y, n_classes, k, size, known, order.ravel(),
                               cut=int(rng.integers(n)))  # fmt: skip
        assert found.tolist() == labels_slow(after.tolist(), y.tolist(), n_classes, k)


def test_arguments_of_a_column_more_are_checked():
    D, y, b = np.zeros((3, 3)), np.zeros(3, dtype=np.int32), np.zeros(3)
    known, listed = np.zeros(6), np.array([1, 2, 0, 2, 0, 1])
    with pytest.raises(ValueError, match="sign must be at least 0; got -1"):
        with_more_fast(D, b, -1.0, y, 2, 1, 2, known, listed)
    for k, size in ((0, 2), (2, 1), (1, 3)):
        lists = np.zeros(3 * size), np.zeros(3 * size, dtype=np.int64)
        with pytest.raises(ValueError, match=rf"k first; got {k} and {size}"):
            with_more_fast(D, b, 1.0, y, 2, k, size, *lists)
    with pytest.raises(ValueError, match=r"listed must lie in 0 .. 2; got 3"):
        with_more_fast(D, b, 1.0, y, 2, 1, 2, known, listed + 1)
    with pytest.raises(ValueError, match="known must have 6 entries; got 5"):
        with_more_fast(D, b, 1.0, y, 2, 1, 2, known[:5], listed)
    with pytest.raises(ValueError, match="b must have 3 entries; got 2"):
        with_more_fast(D, b[:2], 1.0, y, 2, 1, 2, known, listed)


def test_rows_that_are_infinitely_far():
    D = np.full((3, 3), np.inf)
    D[0, 2] = D[1, 0] = D[2, 1] = 4.0
    y = np.array([0, 1, 2], dtype=np.int32)
    zeros = np.zeros(3)
    assert labels_fast(D, zeros, zeros, 1.0, y, 3, 1).tolist() == [2, 0, 1]


def test_no_distance_is_negative():
    D = np.array([[0.01]])
    neighbours.change_distances(D, np.array([0.3]), np.array([0.1]), -1.0, 0, 1)
    assert D[0, 0] == 0.0


def test_arguments_are_checked():
    D, y = np.zeros((2, 3)), np.zeros(3, dtype=np.int32)
    a, b = np.zeros(2), np.zeros(3)
    with pytest.raises(ValueError, match=r"k must lie in 1 .. 3; got 4"):
        labels_fast(D, a, b, 1.0, y, 2, 4)
    with pytest.raises(ValueError, match=r"y must lie in 0 .. 1; got 2"):
        labels_fast(D, a, b, 1.0, y + np.int32(2), 2, 1)
    for near in (np.array([0, 3]), np.array([-1, 0])):
        with pytest.raises(ValueError, match=r"near must lie in 0 .. 2"):
            labels_fast(D, a, b, 1.0, y, 2, 1, near=near)
    with pytest.raises(ValueError, match="near must have 4 entries; got 2"):
        labels_fast(D, a, b, 1.0, y, 2, 2, near=np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="a must have 2 entries; got 3"):
        labels_fast(D, b, b, 1.0, y, 2, 1)
    with pytest.raises(ValueError, match="b must have 3 entries; got 2"):
        neighbours.change_distances(D, a, a, 1.0, 0, 2)
    with pytest.raises(ValueError, match="rows must be a range"):
        neighbours.change_distances(D, a, b, 1.0, 0, 3)


def test_arguments_of_rows_among_themselves_are_checked():
    D, y, b = np.zeros((3, 3)), np.zeros(3, dtype=np.int32), np.zeros(3)
    with pytest.raises(ValueError, match=r"k must lie in 1 .. 2; got 3"):
        among_fast(D, b, 1.0, y, 2, 3)
    with pytest.raises(ValueError, match="D must have 3 entries; got 2"):
        among_fast(D[:, :2].copy(), b, 1.0, y, 2, 1)
    with pytest.raises(ValueError, match=r"near must lie in 0 .. 2"):
        among_fast(D, b, 1.0, y, 2, 1, near=np.array([0, 3, 1]))
    with pytest.raises(ValueError, match="b must have 3 entries; got 2"):
        among_fast(D, b[:2], 1.0, y, 2, 1)
    found = np.full(3, 9)  # of a call that was not the first
    work = np.zeros(3, dtype=np.int64), b, found, np.empty(3), np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match=r"found must lie in 0 .. 1"):
        neighbours.labels_among(D, b, 1.0, y, 2, 1, 1, 3, *work, np.empty(3, dtype=np.int32))

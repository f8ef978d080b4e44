"""Prefix votes against counting anew for every prefix."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import votes


def prefix_right_slow(members, order, y, n_classes):
    """Rows that the vote of the first members gets right, counted anew for each prefix."""
    right = []
    for size in range(1, len(order) + 1):
        n_right = 0
        for i, label in enumerate(y):
            said = [members[m][i] for m in order[:size]]
            counts = [said.count(c) for c in range(n_classes)]
            n_right += counts.index(max(counts)) == label
        right.append(n_right)
    return right


def prefix_right(members, order, y, n_classes, cut=0):
    n = members.shape[1]
    counts = np.full((n, n_classes), 7, dtype=np.int32)
    winner = np.full(n, 0, dtype=members.dtype)
    right = np.zeros(len(order), dtype=np.int64)
    for start, stop in ((0, min(cut, n)), (min(cut, n), n)):
        votes.prefix_votes(members, order, y, n_classes, start, stop, counts, winner, right)
    return right


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 8),
    n=st.integers(1, 12),
    n_classes=st.integers(1, 5),
    dtype=st.sampled_from([np.uint8, np.uint16]),
    cut=st.integers(0, 12),
)
def test_prefix_votes(seed, m, n, n_classes, dtype, cut):
    rng = np.random.default_rng(seed)
    members = rng.integers(n_classes, size=(m, n)).astype(dtype)
    y = rng.integers(n_classes, size=n).astype(dtype)
    order = rng.integers(m, size=rng.integers(1, 2 * m + 1))
    expected = prefix_right_slow(members.tolist(), order.tolist(), y.tolist(), n_classes)
    assert prefix_right(members, order, y, n_classes, cut).tolist() == expected


def test_more_rows_than_a_block():
    rng = np.random.default_rng(0)
    for n_classes in (2, 3):
        members = rng.integers(n_classes, size=(5, 5000)).astype(np.uint8)
        y = rng.integers(n_classes, size=5000).astype(np.uint8)
        shares = np.stack([(members == c).sum(axis=0) for c in range(n_classes)])
        right = prefix_right(members, np.arange(5), y, n_classes)
        assert right[-1] == (shares.argmax(axis=0) == y).sum()


def test_arguments_are_checked():
    members, y = np.zeros((2, 4), dtype=np.uint8), np.zeros(4, dtype=np.uint8)
    with pytest.raises(ValueError, match=r"order must lie in 0 .. 1; got 2"):
        prefix_right(members, np.array([0, 2]), y, 2)
    with pytest.raises(ValueError, match=r"votes must lie in 0 .. 1; got 3"):
        prefix_right(members + np.uint8(3), np.array([0]), y, 2)
    with pytest.raises(ValueError, match=r"y must lie in 0 .. 1; got 2"):
        prefix_right(members, np.array([0]), y + np.uint8(2), 2)
    with pytest.raises(ValueError, match="y must have 4 entries; got 3"):
        prefix_right(members, np.array([0]), y[:3].copy(), 2)
    with pytest.raises(ValueError, match="counts must have the shape"):
        votes.prefix_votes(
            members, np.array([0]), y, 2, 0, 4, np.zeros((4, 1), np.int32), y.copy(),
            np.zeros(1, np.int64),
        )  # fmt: skip

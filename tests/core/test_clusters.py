import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import clusters


def co_association_slow(labels):
    """Count, for each pair of rows, the clusterings in which both were drawn and are together."""
    n = labels.shape[1]
    return [
        sum(1 for row in labels if row[i] >= 0 and row[i] == row[j])
        for i in range(n)
        for j in range(i + 1, n)
    ]


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    n_clusterings=st.integers(1, 12),
    split=st.integers(0, 40),
)
def test_co_association(seed, n, n_clusterings, split):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 4, size=(n_clusterings, n)).astype(np.int16)
    counts = np.zeros(n * (n - 1) // 2, dtype=np.uint16)
    middle = min(split, n)
    clusters.co_association(labels, 0, middle, counts)
    clusters.co_association(labels, middle, n, counts)
    assert counts.tolist() == co_association_slow(labels)


def test_counts_are_added():
    labels = np.array([[0, 0, 1], [2, 2, 2]], dtype=np.int16)
    counts = np.array([10, 20, 30], dtype=np.uint16)
    clusters.co_association(labels, 0, 3, counts)
    assert counts.tolist() == [12, 21, 31]


def test_shapes_are_checked():
    labels = np.zeros((2, 4), dtype=np.int16)
    with pytest.raises(ValueError, match="co_association"):
        clusters.co_association(labels, 0, 4, np.zeros(5, dtype=np.uint16))
    with pytest.raises(ValueError, match="co_association"):
        clusters.co_association(labels, 0, 5, np.zeros(6, dtype=np.uint16))

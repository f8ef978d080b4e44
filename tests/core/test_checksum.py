"""Weighted sums of words against whole numbers of Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core.checksum import weighted_sum


def weighted_sum_slow(X, rows, columns):
    total = 0
    for i, row in enumerate(X.tolist()):
        for j, word in enumerate(row):
            total += (word ^ (word >> 32)) * int(rows[i]) * int(columns[j])
    return total % 2**64


def odd(rng, n):
    return rng.integers(0, 2**63, n, dtype=np.uint64) | np.uint64(1)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 20),
    p=st.integers(0, 40),
    size=st.sampled_from([1, 2, 4, 8]),
    layout=st.sampled_from(["C", "F", "strided", "reversed"]),
)
def test_weighted_sum(seed, n, p, size, layout):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2 ** (8 * size - 1), (n, p)).astype(f"u{size}")
    rows, columns = odd(rng, n), odd(rng, p)
    if layout == "strided":
        wide = np.zeros((2 * n, 3 * p), dtype=X.dtype)[::2, ::3]
        wide[:] = X
        X = wide
    elif layout == "reversed":
        X = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    else:
        X = np.asarray(X, order=layout)
    assert weighted_sum(X, rows, columns) == weighted_sum_slow(X, rows, columns)


def test_numbers_of_weights_are_checked():
    X, three, four = np.zeros((3, 4), dtype=np.uint8), np.ones(3, "u8"), np.ones(4, "u8")
    assert weighted_sum(X, three, four) == 0
    for rows, columns in ((four, four), (three, three)):
        with pytest.raises(ValueError, match="must be 3 and 4 numbers"):
            weighted_sum(X, rows, columns)

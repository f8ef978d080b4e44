"""Tables that differ have different checksums."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.data.checksum import checksum
from ensfs.data.columns import read_columns


def of(X):
    return checksum(read_columns(X))


@given(
    seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from([np.float64, np.float32, np.int64, np.uint8, bool, object]),
)
def test_any_cell_and_any_two_rows_matter(seed, dtype):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (30, 4))
    X = X.astype(str).astype(object) if dtype is object else X.astype(dtype)
    same = np.asfortranarray(X.copy())
    assert of(X) == of(same)
    i, j = rng.integers(30), rng.integers(4)
    other = X.copy()
    other[i, j] = next(v for v in X.ravel() if v != X[i, j])
    assert of(other) != of(X)
    swapped = X.copy()
    a, b = rng.integers(0, 30, 2)
    swapped[[a, b]] = X[[b, a]]
    assert (of(swapped) == of(X)) == bool((X[a] == X[b]).all())


def test_signs_and_types():
    X = np.zeros((3, 2))
    assert of(X) != of(np.where(np.eye(3, 2), -1.0, 0.0))
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 0.25, 2.0], "c": ["x", "y", "x"]})
    assert of(frame) == of(frame.copy())
    assert of(frame) != of(frame.assign(c=["x", "z", "x"]))
    assert of(frame) != of(frame.assign(b=[0.5, 0.25, 2.5]))
    assert of(frame) != of(frame.assign(a=[1, 3, 2]))


@pytest.mark.parametrize("power", [0, 20, 40, 62])
def test_small_whole_numbers_as_floats(power):
    """Their words differ in the highest bits only."""
    rng = np.random.default_rng(power)
    X = rng.choice([0.0, 2.0, 4.0, -(2.0**power)], size=(64, 3))
    seen = {of(X)}
    for i in range(63):
        swapped = X.copy()
        swapped[[i, i + 1]] = X[[i + 1, i]]
        if not np.array_equal(swapped, X):
            seen.add(of(swapped))
    differ = sum(not np.array_equal(X[i], X[i + 1]) for i in range(63))
    assert len(seen) == 1 + differ

"""Likelihoods of families of a network against counting cell by cell."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import families


def likelihood_slow(label, y, x):
    """Sum of n log(n / rows of the combination), cell by cell."""
    rows = list(zip(label.tolist(), x.tolist(), y.tolist(), strict=True))
    given_ = [(a, b) for a, b, _ in rows]
    return math.fsum(
        rows.count(cell) * math.log(rows.count(cell) / given_.count(cell[:2])) for cell in set(rows)
    )


def likelihoods_fast(label, n_labels, y, n_y, codes, columns, n_levels):
    n = len(codes)
    numbers = np.arange(n + 1.0)
    klogk = numbers * np.log(np.maximum(numbers, 1.0))
    table = np.full(n_labels * n_y * int(n_levels.max()), 7, dtype=np.int32)
    out = np.empty(len(columns))
    families.added_likelihoods(
        (label * n_y + y).astype(np.int32), n_labels, n_y, codes,
        np.array(columns, dtype=np.int64), n_levels.astype(np.int32), klogk, table, out,
    )  # fmt: skip
    return out


@given(seed=st.integers(0, 2**32 - 1), wide=st.booleans())
def test_likelihoods(seed, wide):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    n_levels = rng.integers(1, 5, size=p)
    codes = np.asfortranarray(
        rng.integers(n_levels, size=(n, p)), dtype=np.uint16 if wide else np.uint8
    )
    label, y = rng.integers(3, size=n), rng.integers(2, size=n)
    columns = rng.integers(p, size=3).tolist()
    found = likelihoods_fast(label, 3, y, 2, codes, columns, n_levels)
    expected = [likelihood_slow(label, y, codes[:, j]) for j in columns]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_arrays_of_other_shapes_are_refused():
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(3, size=(20, 2)), dtype=np.uint8)
    label, y, n_levels = rng.integers(2, size=20), rng.integers(2, size=20), np.array([3, 3])
    for wrong, message in [
        ({"label": label + 2}, "label must lie in"),
        ({"columns": [2]}, "columns must lie in"),
        ({"n_levels": np.array([2, 2])}, "codes must lie in"),
        ({"n_levels": np.array([3])}, "n_levels must have 2"),
        ({"label": label[:19], "y": y[:19]}, "label must have 20"),
    ]:
        given_ = {"label": label, "y": y, "columns": [0, 1], "n_levels": n_levels} | wrong
        with pytest.raises(ValueError, match=message):
            likelihoods_fast(
                given_["label"], 2, given_["y"], 2, codes, given_["columns"], given_["n_levels"]
            )

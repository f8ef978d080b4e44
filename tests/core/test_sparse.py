"""Kernels of sparse columns against the same on dense ones, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from sparse_twins import tables

from ensfs._core import sparse
from ensfs.data.sparse_columns import read_sparse


@given(tables())
@settings(max_examples=50)
def test_sums_and_products(table):
    """Sums around any shift, and products with a column, are those of the dense columns."""
    X, y = table
    n, p = X.shape
    columns = read_sparse(scipy.sparse.csc_array(X))
    dense = X.astype(np.float64)
    rng = np.random.default_rng(n)
    shift = rng.choice([0.0, 1.5], p)
    group, target = y.astype(np.int32), rng.normal(size=n)
    size = np.bincount(group, minlength=4)
    s, q, xy = np.zeros((3, 4, p))
    sparse.add_sums(
        columns.cells, columns.values, 0, p, group, size, shift, s, q, None, None, None, target,
        np.bincount(group, target, 4), xy, np.zeros((2, 4)),
    )  # fmt: skip
    moved, folds = dense - shift, group
    out = np.zeros((1, 4, 32))
    sparse.add_products(
        columns.cells, columns.values, 0, p, shift[None], target, np.bincount(folds, target, 4),
        folds, size.astype(np.int32), out, np.zeros((2, 4)),
    )  # fmt: skip
    for g in range(4):
        rows = group == g
        scale = 1 + np.abs(moved[rows]).sum(axis=0) ** 2
        assert (np.abs(s[g] - moved[rows].sum(axis=0)) <= 1e-13 * scale).all()
        assert (np.abs(q[g] - (moved[rows] ** 2).sum(axis=0)) <= 1e-13 * scale).all()
        assert (np.abs(xy[g] - target[rows] @ moved[rows]) <= 1e-12 * scale).all()
        assert (np.abs(out[0, g, :p] - target[rows] @ moved[rows]) <= 1e-12 * scale).all()


def test_places_are_checked():
    starts, rows = np.array([0, 2, 3]), np.array([0, 4, 1], dtype=np.int32)
    assert sparse.StoredCells(starts, rows, 5).ascending
    with pytest.raises(ValueError, match="rows must lie in"):
        sparse.StoredCells(starts, rows, 4)
    with pytest.raises(ValueError, match="starts must"):
        sparse.StoredCells(np.array([0, 2]), rows, 5)
    with pytest.raises(ValueError, match="ascend"):
        sparse.StoredCells(np.array([0, 3, 2]), rows, 5)
    twice = sparse.StoredCells(np.array([0, 2]), np.array([1, 1], dtype=np.int32), 5)
    assert not twice.ascending
    group, size = np.zeros(5, dtype=np.int32), np.array([5])
    scratch, place = np.empty(5), np.empty(2, dtype=np.int64)
    with pytest.raises(ValueError, match="rows must ascend"):
        sparse.centres(twice, np.ones(2), 0, 1, group, size, np.empty((1, 1)), scratch, place)

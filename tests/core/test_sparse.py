"""Kernels of sparse columns against the same on dense ones, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sparse_twins import tables

from ensfs._core import sparse, sparse_gaps
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


@given(tables(), st.booleans())
@settings(max_examples=40)
def test_sums_of_observed_cells(table, weighted):
    """Sums around any centres, and with a target, are those of the rows that are observed."""
    X, y = table
    (n, p), rng = X.shape, np.random.default_rng(X.size)
    dense = X.astype(np.float64)
    dense[rng.random(X.shape) < 0.2] = np.nan
    rows, cells = np.nonzero(dense != 0)
    columns = read_sparse(
        scipy.sparse.csc_array((dense[rows, cells], (rows, cells)), shape=X.shape),
        allow_missing=True,
    )
    weight = rng.random(n) + 0.1 if weighted else None
    times = np.ones(n) if weight is None else weight
    group, target = y.astype(np.int64), rng.normal(size=n)
    target[rng.random(n) < 0.2] = np.nan
    centres, centre_of = rng.choice([0.0, 1.5], (2, p)), np.array([0, 1, 0, 1])
    out, pairs = np.zeros((4, 3, p)), np.zeros((4, 6, p))
    seen = ~np.isnan(target)
    of_target = (times[seen], times[seen] * target[seen], times[seen] * target[seen] ** 2)
    sparse_gaps.add_observed(
        columns.cells, columns.values, 0, p, group, np.bincount(group, minlength=4),
        np.bincount(group, times, 4), centre_of, centres, weight, out, np.zeros((2, 4)),
    )  # fmt: skip
    sparse_gaps.add_common(
        columns.cells, columns.values, 0, p, centres[0], target, group,
        np.bincount(group[seen], minlength=4),
        np.stack([np.bincount(group[seen], each, 4) for each in of_target]).astype(float), weight,
        pairs, np.zeros((4, 4)),
    )  # fmt: skip
    for g in range(4):
        for f in range(p):
            there = (group == g) & ~np.isnan(dense[:, f])
            w, d = times[there], dense[there, f] - centres[centre_of[g], f]
            both = there & seen
            v, t, u = dense[both, f] - centres[0, f], target[both], times[both]
            scale = 1e-12 * (1 + (w * d * d).sum() + (u * v * v).sum())
            wanted = [w.sum(), w @ d, w @ (d * d)]
            np.testing.assert_allclose(out[g, :, f], wanted, rtol=1e-11, atol=scale)
            wanted = [u.sum(), u @ v, u @ t, u @ (v * v), u @ (t * t), u @ (v * t)]
            np.testing.assert_allclose(pairs[g, :, f], wanted, rtol=1e-11, atol=scale)

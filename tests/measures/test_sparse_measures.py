"""Measures of sparse tables are those of the dense ones."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sparse_twins import tables

from ensfs.measures import (
    conditional_mutual_information,
    entropy,
    f_test,
    g_square,
    mutual_information,
    pairwise,
    pearson,
    symmetrical_uncertainty,
)

COUNTED = (mutual_information, symmetrical_uncertainty)


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix"])
def test_worked_example(form):
    y = np.repeat([0, 1], 5)
    x = np.array([0, 0, 3, 0, 1, 0, 2, 0, 5, 4])
    v = np.array([1, 0, 0, 0, 0, 0, 0, 1, 1, 0])
    X = getattr(scipy.sparse, form)(np.stack([x, v], axis=1))
    only_v = getattr(scipy.sparse, form)(v[:, None])
    np.testing.assert_allclose(f_test(X, y), [1.4202898551, 0.4], rtol=1e-9)
    np.testing.assert_allclose(pearson(X, v.astype(float))[0], 0.0605227533, rtol=1e-8)
    np.testing.assert_allclose(mutual_information(only_v, y), [0.0348515546], rtol=1e-8)
    np.testing.assert_allclose(symmetrical_uncertainty(X, v)[0], 0.2602119868, rtol=1e-9)
    found = conditional_mutual_information(only_v, y, x)
    np.testing.assert_allclose(found, [0.0099865470], rtol=1e-8)


@given(tables(rows=(4, 40)), st.sampled_from([None, 2, 3]), st.sampled_from([1, 4]))
@settings(max_examples=60)
def test_counts(table, folds, n_jobs):
    X, y = table
    sparse = scipy.sparse.csr_array(X)
    for measure in COUNTED:
        expected = measure(X, y, folds=folds)
        assert np.array_equal(measure(sparse, y, folds=folds, n_jobs=n_jobs), expected)
    assert np.array_equal(entropy(sparse, folds=folds), entropy(X, folds=folds))
    z = (np.arange(y.size) // 2) % 3
    expected = conditional_mutual_information(X, y, z, folds=folds)
    found = conditional_mutual_information(sparse, y, z, folds=folds, n_jobs=n_jobs)
    assert np.array_equal(found, expected)
    two = np.stack([z, y], axis=1)
    assert np.array_equal(
        conditional_mutual_information(sparse, y, scipy.sparse.csc_array(two), folds=folds),
        conditional_mutual_information(X, y, two, folds=folds),
    )


@given(tables(rows=(6, 40)), st.sampled_from([None, 2, 3]))
@settings(max_examples=60)
def test_sums(table, folds):
    X, y = table
    sparse = scipy.sparse.csr_array(X)
    np.testing.assert_allclose(
        f_test(sparse, y, folds=folds), f_test(X, y, folds=folds), rtol=1e-10, atol=1e-13
    )
    numbers = np.random.default_rng(1).normal(size=y.size)
    np.testing.assert_allclose(
        pearson(sparse, numbers, folds=folds), pearson(X, numbers, folds=folds),
        rtol=1e-10, atol=1e-13,
    )  # fmt: skip


def test_weights():
    """Rows of weight 0 are not there; whole weights and others are those of the dense table."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (30, 4)), rng.integers(0, 2, 30)
    weight = (np.arange(30) % 3 > 0).astype(float)
    sparse = scipy.sparse.csr_array(X)
    for measure in (f_test, mutual_information):
        found = measure(sparse, y, sample_weight=weight)
        np.testing.assert_allclose(found, measure(X[weight > 0], y[weight > 0]), rtol=1e-12)
        some = rng.random(30) + 0.1
        for w, folds in (
            (2 * weight, None), (np.arange(30) % 4, np.arange(30) % 5), (some, np.arange(30) % 5),
            (1000 * weight, None),
        ):  # fmt: skip
            np.testing.assert_allclose(
                measure(sparse, y, sample_weight=w, folds=folds),
                measure(X, y, sample_weight=w, folds=folds), rtol=1e-10, atol=1e-13,
            )  # fmt: skip
    third = X[:, 0]
    w = np.arange(30) % 4
    np.testing.assert_allclose(
        conditional_mutual_information(sparse, y, third, sample_weight=w),
        conditional_mutual_information(X, y, third, sample_weight=w), rtol=1e-10, atol=1e-13,
    )  # fmt: skip


def stored(X):
    """A dense table whose zeros are not stored."""
    rows, columns = np.nonzero(X)
    return scipy.sparse.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)


#: Weights of so many rows, of every kind.
WEIGHTS = {
    "none": lambda rng, n: None,
    "whole": lambda rng, n: np.maximum(rng.integers(0, 4, n), np.arange(n) == 0),
    "large": lambda rng, n: 1000 * rng.integers(1, 4, n),
    "fractions": lambda rng, n: rng.random(n) + 0.01,
}


def holey(table, share, weights):
    """A table with missing cells, its sparse twin, its target and weights."""
    X, y = table
    rng = np.random.default_rng(y.size)
    if share:
        X = X.astype(X.dtype if X.dtype.kind == "f" else np.float64)
        X[(X != 0) & (rng.random(X.shape) < share)] = np.nan
    return X, stored(X), y, WEIGHTS[weights](rng, y.size)


@given(tables(rows=(4, 40)), st.sampled_from([0, 0.3]), st.sampled_from(sorted(WEIGHTS)))
@settings(max_examples=100)
def test_pairwise(table, share, weights):
    X, sparse, _, weight = holey(table, share, weights)
    ways = {
        "pearson": ("auto", "mean", "available"),
        "mutual_information": ("auto", "available"),
        "symmetrical_uncertainty": ("auto", "available", "distribute"),
    }
    for measure, some in ways.items():
        for missing in some:
            options = {"measure": measure, "sample_weight": weight, "missing": missing}
            found, expected = pairwise(sparse, **options), pairwise(X, **options)
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
            assert (found == found.T).all()
            if measure != "pearson" and not share and weight is None:
                assert np.array_equal(found, expected)
            np.testing.assert_array_equal(pairwise(sparse, n_jobs=4, **options), found)


@given(
    tables(rows=(4, 40)), st.sampled_from([0, 0.3]), st.sampled_from(sorted(WEIGHTS)),
    st.sampled_from(["full", "slices", "adjusted"]), st.sampled_from(["auto", "available"]),
)  # fmt: skip
@settings(max_examples=100)
def test_g_square(table, share, weights, df, missing):
    X, sparse, y, weight = holey(table, share, weights)
    z = np.random.default_rng(1).integers(0, 3, (y.size, 2))
    given = [(None, None), (z[:, 0], z[:, 0]), (z, z), (scipy.sparse.csc_array(z), z)]
    options = {"df": df, "sample_weight": weight, "missing": missing}
    for of_sparse, of_dense in given:
        expected = g_square(X, y, of_dense, **options)
        for found in (
            g_square(sparse, y, of_sparse, **options),
            g_square(X, y, of_sparse, **options),
        ):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)
            assert found.df.dtype == expected.df.dtype


@pytest.mark.parametrize("missing", ["error", "auto", "available"])
def test_bad_tables(missing):
    X, y = stored(np.eye(6)), [0, 1] * 3
    for call in (lambda T: pairwise(T, missing=missing), lambda T: g_square(T, y, missing=missing)):
        X.data[3] = np.inf
        with pytest.raises(ValueError, match="column 3"):
            call(X)
        X.data[3] = np.nan
        if missing == "error":
            with pytest.raises(ValueError, match="NaN: column 3"):
                call(X)
        else:
            call(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        g_square(stored(np.eye(6)), y, [0, 1] * 4)

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
    mutual_information,
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

"""Searches for blankets in sparse tables: what the dense table gives, by tests that count."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sparse_twins import tables, untidy

from ensfs import (
    HITONPC,
    IAMB,
    MMPC,
    FastEnsemble,
    FisherZTest,
    G2Test,
    GrowShrink,
    HybridCausalSelector,
    InformationTest,
    InterIAMB,
    PCSelector,
    PermutationTest,
    StabilitySelector,
    TPDASelector,
)

LOOSE = {"test": G2Test(samples_per_df=1)}
SELECTORS = [
    IAMB(0.2, **LOOSE), InterIAMB(0.2, test=G2Test("slices", samples_per_df=0)),
    GrowShrink(0.2, test=G2Test("adjusted", samples_per_df=0)), MMPC(0.1, **LOOSE),
    HITONPC(0.1, **LOOSE), PCSelector(0.1, max_conditioning=2, **LOOSE),
    TPDASelector(), IAMB(test=InformationTest(0.02)), HybridCausalSelector(),
    FastEnsemble(IAMB(0.2, **LOOSE), n_parts=4),
    StabilitySelector(IAMB(0.2, **LOOSE), n_pairs=4, n_folds=8, threshold=0.6),
]  # fmt: skip
quiet = pytest.mark.filterwarnings(
    "ignore:.*had too few rows", "ignore:.* selected no column", "ignore:Only .* columns",
    "ignore:.*causal selector kept nothing", "ignore:No threshold bounds", "ignore:y is constant",
)  # fmt: skip
ids = {"ids": lambda s: repr(s).replace(" ", "")[:60]}


def network(seed, n=160, p=12):
    """Words that depend on the class, on each other, and on nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.poisson(0.25, (n, p))
    X[:, 2] += 2 * ((y == 1) & (rng.random(n) < 0.8))
    X[:, 5] = np.where(rng.random(n) < 0.8, X[:, 2], X[:, 5])
    X[:, 7] += (y == 2) & (rng.random(n) < 0.7)
    X[:, 9] = 0
    return X, y


def assert_same(sparse, dense):
    for name in ("indices_", "ranking_", "support_", "n_tests_", "part_selections_"):
        if hasattr(dense, name):
            np.testing.assert_equal(getattr(sparse, name), getattr(dense, name), err_msg=name)
    for name in ("scores_", "relevance_", "pvalues_", "selection_frequency_"):
        if hasattr(dense, name):
            found, wanted = getattr(sparse, name), getattr(dense, name)
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15, err_msg=name)


@quiet
@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("selector", SELECTORS, **ids)
def test_equal_to_dense(selector, dtype):
    for seed in range(2):
        X, y = network(seed)
        X = X.astype(dtype)
        dense = clone(selector).fit(X, y)
        for sparse in (scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X), untidy(X)):
            assert_same(clone(selector).fit(sparse, y), dense)


@quiet
@pytest.mark.parametrize("selector", SELECTORS[:5], **ids)
def test_weights_outputs_and_choices(selector):
    X, y = network(3)
    sparse = scipy.sparse.csr_array(X)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    assert_same(
        clone(selector).fit(sparse, y, sample_weight=w),
        clone(selector).fit(X, y, sample_weight=w),
    )
    both = np.column_stack([y, X[:, 5] > 0]).astype(int)
    assert_same(clone(selector).fit(sparse, both), clone(selector).fit(X, both))
    chosen = clone(selector).set_params(include=[4], exclude=[2])
    assert_same(clone(chosen).fit(sparse, y), clone(chosen).fit(X, y))
    numbers = y + np.random.default_rng(1).normal(size=len(y))
    assert_same(clone(selector).fit(sparse, numbers), clone(selector).fit(X, numbers))


@quiet
@settings(max_examples=20, deadline=None)
@given(tables(rows=(10, 40)), st.sampled_from(["full", "slices", "adjusted"]))
def test_any_table(table, df):
    X, y = table
    selector = IAMB(0.4, test=G2Test(df, samples_per_df=0), max_conditioning=2)
    assert_same(clone(selector).fit(scipy.sparse.csc_array(X), y), clone(selector).fit(X, y))


@quiet
def test_threads_and_transform():
    X, y = network(5, p=40)
    sparse = scipy.sparse.csr_matrix(X)
    one = IAMB(0.2, **LOOSE).fit(sparse, y)
    assert_same(IAMB(0.2, n_jobs=4, **LOOSE).fit(sparse, y), one)
    out = one.transform(sparse)
    assert out.format == "csr"
    assert out.dtype == sparse.dtype
    np.testing.assert_array_equal(out.toarray(), X[:, one.support_])


def test_refusals():
    X, y = network(6)
    sparse = scipy.sparse.csr_array(X.astype(float))
    for test, target in ((FisherZTest(), y * 1.0), (PermutationTest(10), y), ("auto", y + 0.5)):
        numbers = target if isinstance(test, PermutationTest) else target + X[:, 1] / 7
        with pytest.raises(TypeError, match=r"Test does not support sparse.*toarray"):
            IAMB(test=test).fit(sparse, numbers)

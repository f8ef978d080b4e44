"""Decompositions of sparse tables, and classifiers on them: what the dense table gives."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.utils import get_tags
from sparse_twins import untidy

from ensfs import (
    DecompositionClassifier,
    DecompositionRegressor,
    InputDecimation,
    InputDecimationClassifier,
    ITDecomposition,
    IteratedFCBFDecomposition,
    PCASubspace,
    RandomPartitionDecomposition,
    RandomSubspaceDecomposition,
)

DECOMPOSITIONS = [
    ITDecomposition(3, 0.05),
    ITDecomposition(4, 0.3, order="index", discretizer="sigma"),
    ITDecomposition(2, 0.0, stop_at_zero=True, include=[1], exclude=[2]),
    IteratedFCBFDecomposition(4),
    IteratedFCBFDecomposition(3, threshold=0.02, discretizer="equal_frequency"),
    InputDecimation(4),
    InputDecimation(5, redundancy="mean"),
    InputDecimation("share", relevance="mutual_information"),
    RandomPartitionDecomposition(3, random_state=0),
    RandomSubspaceDecomposition(4, random_state=0, exclude=[0]),
]
quiet = pytest.mark.filterwarnings("ignore:Only .* of .* subsets", "ignore:Class .* has one row")


def text(seed, n=90, p=30, dtype=float):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.poisson(0.3, (n, p)) * rng.integers(1, 4, (n, p))
    X[:, 3] += 2 * (y == 1)
    X[:, 7] *= y == 2
    X[:, 8] = X[:, 7] * (rng.random(n) < 0.8)
    X[:, 9] = 0
    return X.astype(dtype), y


def forms(X):
    yield scipy.sparse.csr_matrix(X)
    yield scipy.sparse.csc_array(X)
    yield scipy.sparse.coo_array(X)
    yield untidy(X)


def same_subsets(a, b):
    assert [each.tolist() for each in a.subsets_] == [each.tolist() for each in b.subsets_]


@quiet
@pytest.mark.parametrize("dtype", [float, int])
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=lambda d: repr(d)[:60])
def test_equal_to_dense(decomposition, dtype):
    for seed in range(2):
        X, y = text(seed, dtype=dtype)
        dense = clone(decomposition).fit(X, y)
        for sparse in forms(X):
            fitted = clone(decomposition).fit(sparse, y)
            same_subsets(fitted, dense)
            for name in ("relevance_", "seed_scores_"):
                if hasattr(dense, name):
                    np.testing.assert_allclose(
                        getattr(fitted, name), getattr(dense, name), rtol=1e-12, atol=1e-13
                    )
            assert str(fitted.explain()).splitlines()[0] == str(dense.explain()).splitlines()[0]


@quiet
@pytest.mark.parametrize(
    "decomposition", [ITDecomposition(3, 0.05), ITDecomposition(3, 0.3, order="index")]
)
def test_where_columns_go(decomposition):
    """The nearest member and what is shared with it, of every column that found a subset."""
    X, y = text(3, n=150, p=60)
    dense, sparse = decomposition.fit(X, y), clone(decomposition).fit(scipy.sparse.csr_array(X), y)
    same_subsets(sparse, dense)
    placed = np.concatenate(dense.subsets_)
    np.testing.assert_allclose(sparse.redundancy_[placed], dense.redundancy_[placed], rtol=1e-12)
    np.testing.assert_array_equal(sparse.nearest_[placed], dense.nearest_[placed])


@quiet
@pytest.mark.parametrize("decomposition", DECOMPOSITIONS[:8], ids=lambda d: repr(d)[:60])
def test_whole_weights_and_several_outputs(decomposition):
    X, y = text(4)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    sparse = scipy.sparse.csr_array(X)
    for weight in (w, 0.7 * w):
        dense = clone(decomposition).fit(X, y, sample_weight=weight)
        same_subsets(clone(decomposition).fit(sparse, y, sample_weight=weight), dense)
    if "multi_output" in decomposition.get_params():
        both = np.column_stack([y, X[:, 5] > 0]).astype(int)
        same_subsets(clone(decomposition).fit(sparse, both), clone(decomposition).fit(X, both))


@quiet
@pytest.mark.parametrize("sparse", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        DecompositionClassifier(random_state=0),
        DecompositionClassifier(
            LogisticRegression(), RandomSubspaceDecomposition(5), n_per_subset=2, random_state=0
        ),
        DecompositionClassifier(MultinomialNB(), IteratedFCBFDecomposition(3), voting="hard"),
        InputDecimationClassifier(MultinomialNB(), 4),
    ],
    ids=lambda m: repr(m)[:50],
)
def test_classifiers(model, sparse, weighted):
    X, y = text(5)
    w = {"sample_weight": np.random.default_rng(1).integers(0, 3, len(y))} if weighted else {}
    dense = clone(model).fit(X, y, **w)
    fitted = clone(model).fit(sparse(X), y, **w)
    for a, b in zip(fitted.estimators_features_, dense.estimators_features_, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(
        fitted.predict_proba(sparse(X)), dense.predict_proba(X), rtol=1e-4, atol=1e-6
    )
    assert get_tags(model).input_tags.sparse


def test_regressor():
    X, y = text(6)
    numbers = X[:, 3] + y
    model = DecompositionRegressor(
        decomposition=RandomPartitionDecomposition(3), random_state=0
    ).fit(scipy.sparse.csr_array(X), numbers)
    dense = clone(model).fit(X, numbers)
    np.testing.assert_allclose(model.predict(scipy.sparse.csr_array(X)), dense.predict(X))


def test_refusals_name_the_class():
    X, y = text(7)
    sparse = scipy.sparse.csr_array(X)
    for model in (
        PCASubspace(),
        DecompositionClassifier(decomposition=PCASubspace()),
        DecompositionClassifier(GaussianNB()),
        InputDecimationClassifier(GaussianNB()),
    ):
        assert not get_tags(model).input_tags.sparse
        with pytest.raises(TypeError, match=rf"{type(model).__name__} .*toarray"):
            model.fit(sparse, y)
    with pytest.raises(TypeError, match=r"InputDecimation .*'cv'.*toarray"):
        InputDecimation("cv").fit(sparse, y)

"""Classifiers by Fisher's direction, against the formulas with all matrices formed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics.pairwise import rbf_kernel

from ensfs import FisherSubspace, KernelTIPCACClassifier, TIPCACClassifier
from ensfs.fisher.tipcac import kept_eigenvalues


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def slow_direction(X, y, d):
    """W formed, applied twice to the difference of the means."""
    P = (X - X.mean(axis=0)).T
    U, q, _ = np.linalg.svd(P, full_matrices=False)
    U, q = U[:, :d], q[:d]
    W = q[-1] * U @ np.diag(1 / q) @ U.T + np.eye(len(P)) - U @ U.T
    f = W @ (X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
    return W @ f / np.linalg.norm(f)


@pytest.mark.parametrize("d", ["auto", 3, 1])
def test_direction(d, cancer):
    X, y = cancer
    model = TIPCACClassifier(n_components=d).fit(X[:200], y[:200])
    expected = slow_direction(X[:200], y[:200], 30 if d == "auto" else d)
    np.testing.assert_allclose(model.components_, expected[None], atol=1e-9)
    z = (X - X[:200].mean(axis=0)) @ expected
    wanted = np.where(z >= model.threshold_[0], 0, 1)
    assert (model.predict(X) == wanted).mean() > 0.99  # rows at the threshold itself
    assert (model.decision_function(X) > 0).tolist() == (model.predict(X) == 1).tolist()
    assert model.score(X[200:], y[200:]) > 0.9
    assert z[:200][y[:200] == 0].mean() > z[:200][y[:200] == 1].mean()


@pytest.mark.parametrize("tail", ["one", "last"])
def test_kernel_direction(tail, cancer):
    X, y = cancer[0][:120], cancer[1][:120]
    model = KernelTIPCACClassifier(tail=tail).fit(X, y)
    n = len(X)
    centre = np.eye(n) - 1 / n
    K = rbf_kernel(X, gamma=1 / 128)
    values, vectors = np.linalg.eigh(centre @ K @ centre)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = next(k for k in range(1, n + 1) if values[:k].sum() >= 0.955 * np.trace(K @ centre))
    scale = np.full(n, 1.0 if tail == "one" else values[kept - 1])
    scale[:kept] = values[:kept]
    n0, n1 = (y == 0).sum(), (y == 1).sum()
    nu = np.where(y == 0, 1 / n0, -1 / n1)
    expected = np.sqrt(n0 * n1) * vectors @ np.diag(1 / scale) @ vectors.T @ nu
    np.testing.assert_allclose(model.dual_coef_[0], expected, atol=1e-7 * abs(expected).max())
    assert model.score(*cancer) > 0.9


def test_eigenvalues_that_are_kept():
    assert kept_eigenvalues(np.array([6.0, 3, 1, 0]), 0.9, "one").tolist() == [6, 3, 1, 1]
    assert kept_eigenvalues(np.array([6.0, 3, 0.5, -0.1]), 0.9, "last").tolist() == [6, 3, 3, 3]
    assert kept_eigenvalues(np.array([6.0, 3, 1, -1e-17]), 1.0, "last").tolist() == [6, 3, 1, 1]


def test_another_kernel(cancer):
    X, y = cancer[0][:100], cancer[1][:100]
    by_name = KernelTIPCACClassifier(kernel="linear", tail="last").fit(X, y)
    by_call = KernelTIPCACClassifier(kernel=lambda a, b: a @ b, tail="last").fit(X, y)
    np.testing.assert_allclose(by_name.dual_coef_[0], by_call.dual_coef_[0], atol=1e-8)
    assert by_name.score(X, y) > 0.9


def test_several_classes_are_pairs_and_a_list():
    X, y = load_wine(return_X_y=True)
    model = TIPCACClassifier().fit(X, y)
    assert model.components_.shape == (3, 13)
    for i, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = np.isin(y, [a, b])
        pair = TIPCACClassifier().fit(X[rows], y[rows])
        np.testing.assert_allclose(pair.components_[0], model.components_[i])
    assert not hasattr(model, "decision_function")
    assert model.score(X, y) > 0.95


def test_two_rows_and_equal_rows():
    model = TIPCACClassifier(threshold="middle").fit([[0.0, 0.0], [4.0, 3.0]], ["u", "v"])
    np.testing.assert_allclose(np.abs(model.components_), [[0.8, 0.6]])
    assert model.predict([[0.5, 0.0], [3.0, 3.0]]).tolist() == ["u", "v"]
    assert TIPCACClassifier().fit(np.ones((4, 2)), [0, 0, 0, 1]).predict([[1, 1]]).tolist() == [0]
    assert KernelTIPCACClassifier().fit(np.ones((4, 2)), [0, 0, 0, 1]).score([[1, 1]], [0]) == 1


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 300)) + y[:, None] * (np.arange(300) < 20)
    model = TIPCACClassifier(threshold="middle")
    assert model.fit(X[:30], y[:30]).score(X[30:], y[30:]) > 0.8


def test_subspace():
    X, y = load_digits(return_X_y=True)
    model = FisherSubspace().fit(X[::2], y[::2])
    Z = model.transform(X)
    assert Z.shape == (len(X), 9)
    means = np.array([X[::2][y[::2] == c].mean(axis=0) for c in range(10)]) - model.mean_
    W = model.whitening_.apply(np.eye(64))
    # the projection keeps all distances between the whitened means
    whitened, projected = means @ W, means @ model.components_.T
    for a in range(10):
        np.testing.assert_allclose(
            np.linalg.norm(whitened - whitened[a], axis=1),
            np.linalg.norm(projected - projected[a], axis=1),
            atol=1e-8,
        )


def test_subspace_of_means_on_a_line():
    X = np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [3.0, 0.1], [4.0, 0.0], [5.0, 0.1]])
    assert FisherSubspace(n_components=1).fit_transform(X, [0, 0, 1, 1, 2, 2]).shape == (6, 1)
    assert FisherSubspace().fit_transform(np.ones((4, 3)), [0, 0, 1, 1]).shape == (4, 1)


def test_names_and_text():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = FisherSubspace().set_output(transform="pandas").fit(X, y)
    assert model.transform(X).columns.tolist() == ["fishersubspace0", "fishersubspace1"]
    bad = pd.DataFrame({"a": [1.0, 2, 3], "b": ["x", "y", "z"]})
    with pytest.raises(ValueError, match="column 'b' holds text, and TIPCACClassifier takes"):
        TIPCACClassifier().fit(bad, [0, 1, 0])
    with pytest.raises(ValueError, match="at least two classes"):
        TIPCACClassifier().fit(X, np.zeros(178))


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000])
def test_the_scale_of_the_columns_does_not_matter(factor, cancer):
    """Squares of such numbers overflow or vanish; a power of two changes no digit."""
    X, y = cancer
    expected = TIPCACClassifier().fit(X, y)
    model = TIPCACClassifier().fit(factor * X, y)
    np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(factor * X), expected.predict(X))


def test_a_kernel_that_is_set_after_fit_changes_nothing(cancer):
    X, y = cancer
    model = KernelTIPCACClassifier().fit(X, y)
    expected = model.decision_function(X)
    model.set_params(kernel="linear", gamma=3.0)
    np.testing.assert_array_equal(model.decision_function(X), expected)


def test_a_kernel_that_does_not_exist(cancer):
    with pytest.raises(ValueError, match=r"kernel must be a function or one of .*; got 'nonsense'"):
        KernelTIPCACClassifier(kernel="nonsense").fit(*cancer)


def test_a_kernel_that_is_not_finite(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match=r"kernel must be finite .* cells of up to 1\.\d+e\+201"):
        KernelTIPCACClassifier().fit(1e200 * X, y)
    model = KernelTIPCACClassifier(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="kernel must be finite"):
        model.predict(np.full((1, 30), 1e308))

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from ensfs import PCASubspace

X, Y = load_iris(return_X_y=True)


def test_one_subset_seen_through_its_components():
    fitted = PCASubspace(2).fit(X)
    assert [columns.tolist() for columns in fitted.subsets_] == [[0, 1, 2, 3]]
    np.testing.assert_allclose(fitted.transformer(0).transform(X), PCA(2).fit_transform(X))


def test_columns_are_not_scaled():
    scaled = X * [1, 1, 1000, 1]
    component = PCASubspace(1).fit(scaled).pca_.components_[0]
    assert abs(component[2]) > 0.999


@pytest.mark.parametrize(("n_components", "kept"), [(None, 4), (0.95, 2), (3, 3)])
def test_number_of_components(n_components, kept):
    assert PCASubspace(n_components).fit(X).pca_.n_components_ == kept


def test_bad_tables():
    with pytest.raises(ValueError, match="column 1 has 1 missing"):
        PCASubspace().fit([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match="n_components=5"):
        PCASubspace(5).fit(X)
    with pytest.raises(ValueError, match="holds text"):
        PCASubspace().fit([["a", "b"], ["c", "d"]])
    with pytest.raises(ValueError, match=r"columns are numbers\. Encode it as numbers"):
        PCASubspace().fit([["a", "b"], ["c", "d"]])


@pytest.mark.parametrize(
    ("dtype", "large", "too_large"), [("float64", 1e150, 1e160), ("float32", 1e16, 1e25)]
)
def test_squares_that_are_too_large(dtype, large, too_large):
    assert PCASubspace().fit((X * large).astype(dtype)).pca_.n_components_ == 4
    with pytest.raises(ValueError, match=f"too large for {dtype}. Scale the columns first"):
        PCASubspace().fit((X * too_large).astype(dtype))


def test_the_components_of_an_unfitted_one():
    with pytest.raises(NotFittedError):
        PCASubspace().transformer(0)


@pytest.mark.parametrize("n_components", [None, 1, 0.9])
def test_constant_columns(n_components):
    X = np.column_stack([np.ones(20), np.full(20, 0.1)])
    with pytest.warns(UserWarning, match="All columns are constant: their principal components"):
        fitted = PCASubspace(n_components).fit(X)
    np.testing.assert_allclose(fitted.transformer(0).transform(X), 0.0, atol=1e-12)
    X[:, 0] = np.arange(20)
    assert PCASubspace(n_components).fit(X).transformer(0).transform(X)[:, 0].std() > 1


@pytest.mark.parametrize("scale", [1e-170, 1e-300])
def test_squares_that_vanish(scale):
    with pytest.raises(ValueError, match=r"squares vanish in float64\. Scale the columns first"):
        PCASubspace(0.5).fit(scale * X)

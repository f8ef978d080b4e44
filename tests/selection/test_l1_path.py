"""The order of entry against coordinate descent on a fine grid of penalties."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Lasso

from ensfs import L1Path, RowBlocks


def standardized(values):
    return (values - values.mean(0)) / values.std(0)


def entries_slow(X, y, penalties):
    """The largest penalty on the grid for which the lasso uses a column; 0 if none does."""
    Z, y = standardized(X), standardized(y)
    entry = np.zeros(X.shape[1])
    for penalty in penalties:
        used = Lasso(penalty, tol=1e-10, max_iter=100_000).fit(Z, y).coef_ != 0
        entry[used & (entry == 0)] = penalty
    return entry


def test_numbers_against_a_grid():
    X, y = load_diabetes(return_X_y=True)
    selector = L1Path(10).fit(X, y)
    grid = np.geomspace(1, 1e-4, 300)
    slow = entries_slow(X, y, grid)
    assert selector.indices_.size == 10
    # a column is used on the grid from the first penalty below its entry on
    assert (selector.scores_ >= slow - 1e-12).all()
    assert (selector.scores_ <= slow * (grid[0] / grid[1]) * (1 + 1e-9)).all()


def test_classes_enter_where_they_enter_first():
    X, y = load_iris(return_X_y=True)
    selector = L1Path(4).fit(X, y)
    grid = np.geomspace(1, 1e-3, 200)
    slow = np.array([entries_slow(X, (y == c).astype(float), grid) for c in range(3)])
    assert (selector.scores_ <= slow.max(0) * (grid[0] / grid[1]) * (1 + 1e-9)).all()
    assert (selector.scores_ >= slow.max(0) - 1e-12).all()
    assert selector.entered_for_.tolist() == slow.argmax(0).tolist()


def test_first_score_is_the_correlation():
    X, y = load_diabetes(return_X_y=True)
    first = L1Path(1).fit(X, y)
    r = [abs(np.corrcoef(column, y)[0, 1]) for column in X.T]
    assert first.indices_.tolist() == [np.argmax(r)]
    assert first.scores_[first.indices_[0]] == pytest.approx(max(r))
    np.testing.assert_allclose(first.relevance_, r)


def test_two_classes_and_their_numbers_are_the_same():
    X, y = load_diabetes(return_X_y=True)
    high = y > 150
    as_text = L1Path(5).fit(X, np.where(high, "high", "low"))
    as_numbers = L1Path(5).fit(X, high.astype(float) + 0.5)
    assert as_text.indices_.tolist() == as_numbers.indices_.tolist()


def test_constant_columns_never_enter():
    X, y = load_diabetes(return_X_y=True)
    X = np.column_stack([np.ones(len(y)), X[:, :2]])
    with pytest.warns(UserWarning, match="Only 2 of 3 columns were selected"):
        selector = L1Path(3).fit(X, y)
    assert np.isnan(selector.scores_[0])
    assert selector.entered_for_[0] == -1


def test_scale_does_not_matter():
    X, y = load_diabetes(return_X_y=True)
    scaled = L1Path(6).fit(X * np.geomspace(1e-200, 1e200, 10), 1e150 * y)
    assert scaled.indices_.tolist() == L1Path(6).fit(X, y).indices_.tolist()


def test_row_blocks_are_refused():
    with pytest.raises(TypeError, match="L1Path does not support RowBlocks"):
        L1Path(1).fit(RowBlocks([(np.eye(3), [0, 1, 0])]))

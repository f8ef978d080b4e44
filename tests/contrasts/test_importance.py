"""Importances in forests beyond those of permuted copies."""

import numpy as np
import pandas as pd
import pytest

from ensfs import ForestImportance


def many_levels(seed, n=400):
    """Four binary causes beside 26 columns of noise with 30 levels."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 2, (n, 4)), rng.integers(0, 30, (n, 26))])
    y = ((2 * X[:, :4] - 1).sum(1) + rng.normal(size=n) > 0).astype(int)
    return X, y


def test_levels_do_not_pay():
    for seed in range(5):
        X, y = many_levels(seed)
        assert sorted(ForestImportance(4, random_state=seed).fit(X, y).indices_) == [0, 1, 2, 3]


def test_noise_has_mean_zero():
    X, y = many_levels(7)
    noise = np.array(
        [ForestImportance(1, random_state=seed).fit(X, y).scores_[4:].mean() for seed in range(10)]
    )
    assert abs(noise.mean()) < 4 * noise.std(ddof=1) / np.sqrt(10) + 1e-4


@pytest.mark.filterwarnings("ignore:Missing in all rows")
def test_constant_columns_come_last():
    """Noise may score below 0, and so below them."""
    rng = np.random.default_rng(1)
    y = np.arange(120) % 2
    X = np.column_stack([np.ones(120), np.full(120, np.nan), rng.normal(size=(120, 2))])
    X[:, 2] += y
    fitted = ForestImportance(4, n_estimators=30).fit(X, y)
    assert fitted.scores_[3] < 0
    assert fitted.indices_.tolist() == [2, 3, 0, 1]


def test_score_is_importance_minus_contrast():
    X, y = many_levels(1)
    fitted = ForestImportance(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        fitted.scores_, fitted.feature_importances_ - fitted.contrast_importances_
    )
    assert fitted.indices_.tolist() == np.argsort(-fitted.scores_, kind="stable")[:5].tolist()


def test_interactions_and_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8))
    y = X[:, 2] * X[:, 5] + X[:, 7] ** 2 + 0.2 * rng.normal(size=500)
    fitted = ForestImportance(3, random_state=0).fit(X, y)
    assert sorted(fitted.indices_) == [2, 5, 7]


def test_mixed_columns():
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abcde"), 300)
    X = pd.DataFrame(
        {"noise": rng.normal(size=300), "letter": letters, "other": rng.normal(size=300)}
    )
    y = np.isin(letters, ["b", "d"])
    assert ForestImportance(1, random_state=0).fit(X, y).get_feature_names_out() == ["letter"]


def test_same_seed_and_any_threads():
    X, y = many_levels(2, 150)
    fits = [ForestImportance(3, random_state=3, n_jobs=j).fit(X, y) for j in (1, 2)]
    np.testing.assert_array_equal(fits[0].scores_, fits[1].scores_)
    other = ForestImportance(3, random_state=4).fit(X, y)
    assert (other.scores_ != fits[0].scores_).any()


@pytest.mark.filterwarnings("ignore:y is constant")
def test_constant_target():
    fitted = ForestImportance(2, random_state=0).fit(np.arange(40.0).reshape(10, 4), np.zeros(10))
    assert fitted.indices_.tolist() == [0, 1]
    assert (fitted.scores_ == 0).all()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("include", [None, [1]])
def test_columns_that_say_nothing(include):
    rng = np.random.default_rng(0)
    X, y = np.zeros((60, 4)), rng.integers(0, 2, 60)
    with pytest.warns(UserWarning, match="ForestImportance selected columns of relevance 0"):
        found = ForestImportance(2, include=include).fit(X, y)
    assert found.indices_.size == 2

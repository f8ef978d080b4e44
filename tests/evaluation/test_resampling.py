"""Five times two folds: the halves, the scores, the hook."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from ensfs import MRMR
from ensfs.evaluation import cross_validate_5x2


def slow(make, X, y, seed):
    scores = []
    for i in range(5):
        pair = []
        for train, test in StratifiedKFold(2, shuffle=True, random_state=seed + i).split(X, y):
            predicted = make().fit(X[train], y[train]).predict(X[test])
            pair.append(balanced_accuracy_score(y[test], predicted))
        scores.append(pair)
    return scores


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.mark.parametrize("seed", [0, 7])
def test_by_definition(wine, seed):
    X, y = wine
    scores = cross_validate_5x2(GaussianNB(), X, y, random_state=seed)
    np.testing.assert_array_equal(scores, slow(GaussianNB, X, y, seed))


def test_any_number_of_jobs(wine):
    tree = DecisionTreeClassifier(random_state=0)
    one = cross_validate_5x2(tree, *wine)
    with joblib.parallel_config("threading"):  # processes take seconds to start
        np.testing.assert_array_equal(cross_validate_5x2(tree, *wine, n_jobs=2), one)
    np.testing.assert_array_equal(cross_validate_5x2(tree, *wine), one)


def test_progress(wine):
    calls = []
    cross_validate_5x2(GaussianNB(), *wine, progress=lambda *call: calls.append(call))
    assert calls == [(done, 10) for done in range(1, 11)]


def test_random_states(wine):
    state = np.random.RandomState(3)
    first = cross_validate_5x2(GaussianNB(), *wine, random_state=state)
    second = cross_validate_5x2(GaussianNB(), *wine, random_state=state)
    again = cross_validate_5x2(GaussianNB(), *wine, random_state=np.random.RandomState(3))
    assert (first != second).any()
    np.testing.assert_array_equal(first, again)
    assert cross_validate_5x2(GaussianNB(), *wine, random_state=None).shape == (5, 2)


def test_selection_is_inside_the_halves():
    """On pure noise a selection that had seen the test rows would look better than chance."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 500)), np.arange(60) % 2

    def make():
        return make_pipeline(MRMR(5), GaussianNB())

    scores = cross_validate_5x2(make(), X, y)
    np.testing.assert_array_equal(scores, slow(make, X, y, 0))
    leaked = cross_validate_5x2(GaussianNB(), make()[0].fit_transform(X, y), y)
    assert scores.mean() < 0.6 < leaked.mean()


def test_classes_count_alike():
    y = np.repeat([0, 1], [90, 10])
    scores = cross_validate_5x2(DummyClassifier(), np.zeros((100, 1)), y)
    np.testing.assert_array_equal(scores, 0.5)
    plain = cross_validate_5x2(DummyClassifier(), np.zeros((100, 1)), y, scoring="accuracy")
    np.testing.assert_allclose(plain, 0.9)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, sparse.csr_matrix])
def test_tables(wine, make):
    X, y = wine
    tree = DecisionTreeClassifier(random_state=0)
    columns = {f"x{j}": X[:, j] for j in range(13)}
    table = make(X if make is sparse.csr_matrix else columns)
    expected = cross_validate_5x2(tree, X, y)
    np.testing.assert_array_equal(cross_validate_5x2(tree, table, y), expected)


def test_errors_are_not_swallowed(wine):
    X, y = wine
    with pytest.raises(ValueError, match="NaN"):
        cross_validate_5x2(GaussianNB(), np.where(X > 1000, np.nan, X), y)
    with pytest.raises(ValueError, match=r"classes|continuous"):
        cross_validate_5x2(GaussianNB(), X, X[:, 0])
    with pytest.raises(ValueError, match="inconsistent"):
        cross_validate_5x2(GaussianNB(), X[:-1], y)
    with pytest.raises(ValueError, match="y is None"):
        cross_validate_5x2(GaussianNB(), X, None)


@pytest.mark.parametrize("whole", [False, True])
def test_halves_for_regressors_do_not_look_at_the_numbers(whole):
    """Whole numbers would be stratified as classes otherwise."""
    X, y = load_diabetes(return_X_y=True)
    y = y if whole else y + 0.5
    scores = cross_validate_5x2(LinearRegression(), X, y, random_state=3)
    for i, pair in enumerate(scores):
        folds = KFold(2, shuffle=True, random_state=3 + i).split(X)
        for score, (train, test) in zip(pair, folds, strict=True):
            predicted = LinearRegression().fit(X[train], y[train]).predict(X[test])
            assert score == pytest.approx(-np.sqrt(np.mean((predicted - y[test]) ** 2)))

"""Ensembles of regressors on subsets, weights of rows, and stages."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ensfs import (
    DecompositionClassifier,
    DecompositionRegressor,
    InputDecimationClassifier,
    ITDecomposition,
    PCASubspace,
    RandomPartitionDecomposition,
    RandomSubspaceDecomposition,
)

X, Y = load_diabetes(return_X_y=True)


def test_mean_of_the_members():
    parts = RandomPartitionDecomposition(3, random_state=0)
    model = DecompositionRegressor(LinearRegression(), parts, weights=[1, 2, 4]).fit(X, Y)
    predictions = [LinearRegression().fit(X[:, s], Y).predict(X[:, s]) for s in
                   model.decomposition_.subsets_]  # fmt: skip
    np.testing.assert_allclose(model.predict(X), np.average(predictions, axis=0, weights=[1, 2, 4]))


def test_target_is_always_numbers():
    """Whole numbers are no classes here, and the decomposition sees them as three bins."""
    y = np.arange(len(X)) % 30
    parts = ITDecomposition(2, random_state=0)
    model = DecompositionRegressor(None, RandomPartitionDecomposition(2)).fit(X, y)
    assert model.predict(X).mean() == pytest.approx(y.mean(), abs=0.5)
    by_classes = DecompositionRegressor(None, parts).fit(X, np.rint(Y / 10))
    assert by_classes.decomposition_.n_subsets_ == 2


def test_principal_components():
    model = DecompositionRegressor(LinearRegression(), PCASubspace(10)).fit(X, Y)
    expected = LinearRegression().fit(X, Y).predict(X)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-9)


def test_without_subsets_the_mean():
    noise, y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 3), [0.5, 1.5, 1.5, 0.5] * 3
    few_bins = pytest.warns(UserWarning, match="Equal values leave 2 of target_bins=3")
    with few_bins, pytest.warns(UserWarning, match="Only 0 of 10"):
        model = DecompositionRegressor().fit(noise, y, sample_weight=[2, 1, 1, 2] * 3)
    assert model.predict(noise).tolist() == [pytest.approx(5 / 6)] * 12


def test_text_as_target_is_refused():
    with pytest.raises(ValueError, match="y holds text"):
        DecompositionRegressor().fit(X, np.where(Y > 100, "a", "b"))


ENSEMBLES = {
    "regressor": DecompositionRegressor(None, ITDecomposition(3), random_state=0),
    "classifier": DecompositionClassifier(None, ITDecomposition(3), random_state=0),
    "votes": DecompositionClassifier(None, ITDecomposition(3), voting="hard", random_state=0),
    "decimation": InputDecimationClassifier(random_state=0),
}


@pytest.mark.filterwarnings("ignore:Equal values leave 2 of target_bins=3")  # classes as numbers
@pytest.mark.parametrize("model", ENSEMBLES.values(), ids=ENSEMBLES)
@pytest.mark.parametrize("frame", [False, True])
def test_whole_weights_are_repeated_rows(model, frame):
    table, y = load_wine(return_X_y=True, as_frame=True)
    weights = np.random.default_rng(0).integers(0, 3, size=len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    table = table if frame else table.to_numpy()
    repeated = table.iloc[rows] if frame else table[rows]
    expected = model.fit(repeated, y.to_numpy()[rows])
    expected = np.asarray(list(expected.staged_predict(table)))
    weighted = model.fit(table, y, sample_weight=weights)
    np.testing.assert_allclose(list(weighted.staged_predict(table)), expected, atol=1e-9)
    assert all(np.isfinite(each).all() for each in expected)


def test_classes_of_weight_0_are_forgotten():
    table, y = load_wine(return_X_y=True)
    model = DecompositionClassifier(decomposition=RandomPartitionDecomposition(2), random_state=0)
    model.fit(table, y, sample_weight=np.where(y == 1, 0.0, 0.5))
    assert model.classes_.tolist() == [0, 2]
    assert model.class_prior_.tolist() == [(y == 0).sum() / (y != 1).sum(),
                                           (y == 2).sum() / (y != 1).sum()]  # fmt: skip


def test_fractions_need_a_decomposition_that_does_not_count_rows():
    table, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(0).random(len(y))
    subspaces = RandomSubspaceDecomposition(4, 5)
    model = DecompositionClassifier(decomposition=subspaces, random_state=0)
    fitted = model.fit(table, y, sample_weight=weights)
    seed = fitted.estimators_[0].random_state
    columns = fitted.estimators_features_[0]
    alone = DecisionTreeClassifier(random_state=seed).fit(table[:, columns], y, weights)
    np.testing.assert_array_equal(
        fitted.estimators_[0].predict_proba(table[:, columns]),
        alone.predict_proba(table[:, columns]),
    )
    model = DecompositionClassifier(decomposition=PCASubspace())
    with pytest.raises(ValueError, match="whole numbers for PCASubspace"):
        model.fit(table, y, sample_weight=weights)


def test_members_without_weights_are_named():
    model = DecompositionClassifier(KNeighborsClassifier(), RandomPartitionDecomposition(2))
    with pytest.raises(ValueError, match="KNeighborsClassifier"):
        model.fit(X, Y > 100, sample_weight=np.ones(len(Y)))


def test_stages():
    table, y = load_wine(return_X_y=True)
    names = pd.DataFrame(table)
    model = DecompositionClassifier(None, RandomSubspaceDecomposition(4, 3), random_state=0)
    model.fit(names, y)
    stages = list(model.staged_predict_proba(names))
    assert len(stages) == 4
    np.testing.assert_array_equal(stages[-1], model.predict_proba(names))
    first = model.estimators_[0].predict_proba(table[:, model.estimators_features_[0]])
    np.testing.assert_array_equal(stages[0], first)
    labels = list(model.staged_predict(names))
    np.testing.assert_array_equal(labels[-1], model.predict(names))
    assert [each.argmax(axis=1).tolist() for each in stages] == [each.tolist() for each in labels]

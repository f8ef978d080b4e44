"""Stages of any ensemble end with what the ensemble predicts."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from ensfs import DecompositionClassifier, RandomSubspaceDecomposition
from ensfs._utils.combine import prefix_medians
from ensfs.evaluation import staged_errors

WINE, DIABETES = load_wine(return_X_y=True, as_frame=True), load_diabetes(return_X_y=True)
LABELS = np.array(["x", "z", "y"])[WINE[1]]

CLASSIFIERS = [
    RandomForestClassifier(8, random_state=0),
    BaggingClassifier(n_estimators=6, max_features=3, random_state=0),
    AdaBoostClassifier(n_estimators=5, random_state=0),
    BaggingClassifier(LinearSVC(), n_estimators=4, max_features=2, random_state=0),
    DecompositionClassifier(None, RandomSubspaceDecomposition(5, 3), random_state=0),
]


@pytest.mark.parametrize("ensemble", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("labels", [WINE[1].to_numpy(), LABELS, WINE[1].to_numpy() + 1])
def test_classifiers(ensemble, labels):
    X = WINE[0]
    ensemble.fit(X[::2], labels[::2])
    errors = staged_errors(ensemble, X[1::2], labels[1::2])
    assert len(errors) == len(ensemble.estimators_)
    assert errors[-1] == pytest.approx(1 - ensemble.score(X[1::2], labels[1::2]))
    assert errors.max() <= 1


REGRESSORS = [
    RandomForestRegressor(8, random_state=0),
    BaggingRegressor(n_estimators=6, max_features=3, random_state=0),
    AdaBoostRegressor(n_estimators=5, random_state=0),
]


@pytest.mark.parametrize("ensemble", REGRESSORS, ids=str)
def test_regressors(ensemble):
    X, y = DIABETES
    ensemble.fit(X[::2], y[::2])
    errors = staged_errors(ensemble, X[1::2], y[1::2])
    expected = np.sqrt(np.mean((ensemble.predict(X[1::2]) - y[1::2]) ** 2))
    assert errors[-1] == pytest.approx(expected)
    first = ensemble.estimators_[0]
    columns = getattr(ensemble, "estimators_features_", [np.arange(10)])[0]
    alone = np.sqrt(np.mean((first.predict(X[1::2][:, columns]) - y[1::2]) ** 2))
    assert errors[0] == pytest.approx(alone)


def test_medians_are_those_of_boosting():
    X, y = DIABETES
    boosting = AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=6,
                                 random_state=0).fit(X, y)  # fmt: skip
    values = np.array([member.predict(X) for member in boosting.estimators_])
    weights = boosting.estimator_weights_[: len(values)]
    for ours, theirs in zip(prefix_medians(values, weights), boosting.staged_predict(X),
                            strict=True):  # fmt: skip
        np.testing.assert_array_equal(ours, theirs)


def test_an_error_of_ones_own():
    X, y = DIABETES
    forest = RandomForestRegressor(3, random_state=0).fit(X, y)
    errors = staged_errors(forest, X, y, error=lambda true, found: np.abs(true - found).max())
    assert errors[-1] == np.abs(forest.predict(X) - y).max()


def test_bad_arguments():
    X, y = DIABETES
    with pytest.raises(ValueError, match="has no list of members"):
        staged_errors(DecisionTreeRegressor().fit(X, y), X, y)
    forest = RandomForestRegressor(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="y must be one-dimensional"):
        staged_errors(forest, X, y[:, None])

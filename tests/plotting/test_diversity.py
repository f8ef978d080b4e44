import itertools

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, root_mean_squared_error
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ensfs import DecompositionClassifier, PCASubspace
from ensfs.plotting import DiversityErrorDisplay
from ensfs.plotting.diversity import member_predictions, pairwise_kappa


@pytest.mark.parametrize("seed", range(20))
def test_kappa_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    predictions = rng.integers(0, rng.integers(2, 5), size=(4, 30)).astype(str)
    kappa = pairwise_kappa(predictions)
    for i, j in itertools.product(range(4), repeat=2):
        expected = cohen_kappa_score(predictions[i], predictions[j])
        np.testing.assert_allclose(kappa[i, j], expected, atol=1e-12)


def test_members_that_always_say_the_same_agree():
    np.testing.assert_array_equal(pairwise_kappa(np.ones((2, 5))), np.ones((2, 2)))


def test_known_values():
    y = np.array([0, 0, 1, 1])
    shown = DiversityErrorDisplay.from_predictions(
        [[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], y, ensemble_prediction=[0, 1, 1, 1]
    )
    np.testing.assert_allclose(shown.diversity, [0.5, -1.0, -0.5])
    np.testing.assert_allclose(shown.error, [0.125, 0.5, 0.625])
    assert shown.ensemble_error == 0.25
    np.testing.assert_allclose(shown.centre_.get_xdata(), [-1 / 3])
    shown = DiversityErrorDisplay.from_predictions([[1, 2], [4, 6]], [1, 2], kind="rmse")
    np.testing.assert_allclose(shown.diversity, [12.5**0.5])
    np.testing.assert_allclose(shown.error, [12.5**0.5 / 2])


TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize("labels", [["a", "b", "c"], [1, 2, 3], [-1.0, 0.0, 1.0]], ids=str)
@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(TREE, n_estimators=5, max_features=2, random_state=0),
        RandomForestClassifier(4, random_state=0),
        AdaBoostClassifier(n_estimators=5, random_state=0),
        VotingClassifier([("a", TREE), ("b", LogisticRegression(max_iter=2000))]),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("frame", [True, False])
def test_members_speak_the_classes_of_the_ensemble(ensemble, labels, frame):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X if frame else X.to_numpy()
    y = np.array(labels)[y]
    ensemble.fit(X, y)
    predictions = member_predictions(ensemble, X)
    assert np.isin(predictions, labels).all()
    assert (predictions == y).mean() > 0.6
    shown = DiversityErrorDisplay.from_estimator(ensemble, X, y)
    assert shown.ensemble_error == np.mean(ensemble.predict(X) != y)


@pytest.mark.parametrize(
    "ensemble",
    [
        DecompositionClassifier(TREE, decomposition=PCASubspace(2), n_per_subset=3),
        BaggingClassifier(
            make_pipeline(StandardScaler(), LogisticRegression()), n_estimators=3, random_state=0
        ),
    ],
    ids=lambda each: type(each).__name__,
)
def test_members_may_be_pipelines(ensemble):
    X, y = load_iris(return_X_y=True)
    shown = DiversityErrorDisplay.from_estimator(ensemble.fit(X, y), X, y)
    assert len(shown.diversity) == 3
    assert np.max(shown.error) < 0.3


def test_a_class_may_be_in_no_row_of_y():
    shown = DiversityErrorDisplay.from_predictions([[0, 1, 2], [0, 1, 1]], [0, 1, 1])
    np.testing.assert_allclose(shown.error, [1 / 6])


def test_regressors():
    X, y = load_diabetes(return_X_y=True)
    bagging = BaggingRegressor(n_estimators=4, max_features=3, random_state=0).fit(X, y)
    shown = DiversityErrorDisplay.from_estimator(bagging, X, y)
    members = [
        member.predict(X[:, columns])
        for member, columns in zip(bagging.estimators_, bagging.estimators_features_, strict=True)
    ]
    pairs = list(itertools.combinations(members, 2))
    np.testing.assert_allclose(shown.diversity, [root_mean_squared_error(a, b) for a, b in pairs])
    errors = [(root_mean_squared_error(a, y) + root_mean_squared_error(b, y)) / 2 for a, b in pairs]
    np.testing.assert_allclose(shown.error, errors)
    assert "RMSE" in shown.ax_.get_xlabel()


def test_what_has_no_members():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="LogisticRegression has no list of members"):
        DiversityErrorDisplay.from_estimator(LogisticRegression(max_iter=2000).fit(X, y), X, y)
    with pytest.raises(ValueError, match="GradientBoostingClassifier has no list of members"):
        DiversityErrorDisplay.from_estimator(
            GradientBoostingClassifier(n_estimators=2).fit(X, y), X, y
        )


@pytest.mark.filterwarnings("ignore:Only 0 of")
def test_an_ensemble_without_members():
    X, y = load_iris(return_X_y=True)
    empty = DecompositionClassifier().fit(X * 0, y)
    with pytest.raises(ValueError, match="DecompositionClassifier was fitted without members"):
        DiversityErrorDisplay.from_estimator(empty, X, y)


@pytest.mark.parametrize(
    ("predictions", "y", "options", "message"),
    [
        ([[1, 2]], [1, 2], {}, "at least two members"),
        ([1, 2], [1, 2], {}, "at least two members"),
        ([[1, 2], [1, 2]], [1], {}, "each of the 2 predicted rows"),
        ([[1, 2], [1, 2]], [1, 2], {"kind": "q"}, "kind must be"),
        (
            [[1, 2], [1, 2]],
            [1, 2],
            {"ensemble_prediction": [1]},
            r"2 rows of y; got the sh.* \(1,\)",
        ),
        ([[1, 2], [1, 2]], [1, 2], {"ensemble_prediction": 1}, r"2 rows of y; got the sh.* \(\)"),
        ([["a", "b"], ["a", "b"]], [1, 2], {}, "predictions must hold .* 'a' is not a class"),
        ([[1, 2], [1, 2]], ["a", "b"], {}, "predictions must hold .* 1 is not a class"),
        ([[1, 2], [1, 2]], [1, 2], {"ensemble_prediction": ["a", "b"]}, "'a' is not a class"),
        ([[0.2, 1.0], [0.0, 1.0]], [0, 1], {}, "0.2 is not a class; kind='rmse'"),
        ([[0.0, np.nan], [0.0, 1.0]], [0, 1], {}, "predictions must not hold missing"),
        ([["a", None], ["a", "b"]], ["a", "b"], {}, "predictions must not hold missing"),
        ([["a", "b"], ["a", "b"]], ["a", None], {}, "y must not hold missing"),
        ([[0.0, np.nan], [0.0, 1.0]], [0, 1], {"kind": "rmse"}, "predictions must be finite"),
        ([["a", "b"], ["a", "b"]], [0, 1], {"kind": "rmse"}, "predictions must be finite"),
        ([[0, 1], [0, 1]], [0, np.inf], {"kind": "rmse"}, "y must be finite"),
        (np.zeros((2, 0)), [], {}, "at least one column"),
        (np.ma.masked_array([[0, 1], [0, 1]], [[0, 1], [0, 0]]), [0, 1], {}, "masked"),
    ],
)
def test_bad_predictions(predictions, y, options, message):
    with pytest.raises(ValueError, match=message):
        DiversityErrorDisplay.from_predictions(predictions, y, **options)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, bool])
def test_differences_of_integers_do_not_overflow(dtype):
    largest = 1 if dtype is bool else np.iinfo(dtype).max
    predictions = np.array([[largest, 0], [0, 0]], dtype=dtype)
    display = DiversityErrorDisplay.from_predictions(
        predictions, np.zeros(2, dtype=dtype), kind="rmse"
    )
    expected = largest / np.sqrt(2)
    np.testing.assert_allclose([*display.diversity, *display.error], [expected, expected / 2])


def test_other_columns_have_an_error_that_says_so():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(3, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="X has 3 features"):
        DiversityErrorDisplay.from_estimator(forest, X[:, :3], y)


def test_members_for_one_class_each_are_refused():
    X, y = load_iris(return_X_y=True)
    ensemble = OneVsRestClassifier(DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="OneVsRestClassifier tell one class from the others"):
        DiversityErrorDisplay.from_estimator(ensemble, X, y)


def test_two_ensembles_on_the_same_axes_differ_without_colour():
    first = DiversityErrorDisplay.from_predictions([[0, 1], [1, 1]], [0, 1], name="one")
    second = DiversityErrorDisplay.from_predictions(
        [[0, 1], [0, 0]], [0, 1], name="two", ax=first.ax_
    )
    assert first.points_.get_marker() != second.points_.get_marker()
    assert len(first.ax_.get_legend().get_texts()) == 2

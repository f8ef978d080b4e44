"""Experts for parts of the rows: numbers of the paper, routes, priors, averages."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ensfs import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    ExpertAverageClassifier,
    IntervalExpertsClassifier,
    RandomExpertsClassifier,
)
from ensfs.ensemble._experts import ScaledLogistic, correct_priors
from ensfs.ensemble._routing import HashRoute, IntervalRoute

EVERY = [
    ClusterExpertsClassifier, ClassClusterExpertsClassifier, IntervalExpertsClassifier,
    RandomExpertsClassifier,
]  # fmt: skip


def corners(n, seed=0):
    """Four clouds whose classes are opposite corners, as in the paper."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0, 0], [4.5, 3], [1, 3], [3, 0.1]])
    which = np.arange(4 * n) % 4
    return centres[which] + rng.normal(size=(4 * n, 2)), np.array([1, 1, 2, 2])[which]


def test_intercepts_are_corrected_as_printed():
    """t = .3 in all rows, s = .6 in the part, intercept -.2."""
    p = 1 / (1 + math.exp(0.2))
    found = correct_priors(np.array([[1 - p, p]]), np.array([0.4, 0.6]), np.array([0.7, 0.3]))
    assert math.log(found[0, 1] / found[0, 0]) == pytest.approx(-1.452762968495368, abs=1e-12)


@given(st.integers(0, 10**6))
def test_corrected_priors_are_shifts_of_logarithms(seed):
    rng = np.random.default_rng(seed)
    proba, shares, priors = (rng.dirichlet(np.ones(3)) for _ in range(3))
    shifted = np.exp(np.log(proba) + np.log(priors / shares))
    found = correct_priors(proba[None], shares, priors)[0]
    np.testing.assert_allclose(found, shifted / shifted.sum(), rtol=1e-9)


def test_intervals_of_the_paper():
    column = np.array([[0.0], [1], [4], [10]])
    route = IntervalRoute(0, column[:, 0], 4)
    assert route(column).tolist() == [0, 0, 1, 3]
    assert route(np.array([[-3.0], [99]])).tolist() == [0, 3]


def test_the_part_of_a_row_is_a_function_of_the_row():
    X = np.random.default_rng(0).normal(size=(400, 3))
    route = HashRoute(4, 7)
    parts = route(X)
    np.testing.assert_array_equal(route(X[::-1])[::-1], parts)
    np.testing.assert_array_equal(route(X[5:6]), parts[5:6])
    assert np.bincount(parts, minlength=4).min() > 60
    zeros = np.array([[0.0, 1], [-0.0, 1]])
    assert np.ptp(route(zeros)) == 0
    assert (HashRoute(4, 8)(X) != parts).any()


@pytest.mark.parametrize("cls", EVERY)
def test_probabilities_come_from_the_expert_of_the_part(cls):
    X, y = corners(100)
    model = cls(LogisticRegression(), correct_priors=True, random_state=0).fit(X, y)
    parts = model.route(X)
    proba = model.predict_proba(X)
    codes = np.searchsorted([1, 2], y)
    overall = np.bincount(codes) / codes.size
    for k in np.unique(parts):
        rows = np.flatnonzero(parts == k)
        expert = model.estimators_[k]
        expected = correct_priors(expert.predict_proba(X[rows]), model.part_priors_[k], overall)
        np.testing.assert_allclose(proba[rows], expected)
        if cls is not ClassClusterExpertsClassifier:
            again = LogisticRegression(random_state=expert.random_state).fit(X[rows], codes[rows])
            np.testing.assert_allclose(again.coef_, expert.coef_)
            assert model.n_rows_[k] == rows.size
    plain = cls(LogisticRegression(), random_state=0).fit(X, y)
    k = parts[0]
    np.testing.assert_allclose(
        plain.predict_proba(X[:1]), plain.estimators_[k].predict_proba(X[:1])
    )


def test_local_experts_solve_what_one_line_cannot():
    X, y = corners(500)
    test_X, test_y = corners(500, seed=1)
    scores = {
        cls.__name__: cls(random_state=0).fit(X, y).score(test_X, test_y)
        for cls in [*EVERY, ExpertAverageClassifier]
    }
    assert LogisticRegression().fit(X, y).score(test_X, test_y) < 0.62
    assert scores["RandomExpertsClassifier"] < 0.62
    assert scores["ClusterExpertsClassifier"] > 0.85
    assert scores["ClassClusterExpertsClassifier"] > 0.8
    assert scores["IntervalExpertsClassifier"] > 0.75
    assert scores["ExpertAverageClassifier"] > 0.88
    corrected = ClusterExpertsClassifier(correct_priors=True, random_state=0).fit(X, y)
    assert corrected.score(test_X, test_y) < 0.75  # each cluster is nearly of one class


def test_each_class_is_clustered_and_each_combination_has_an_expert():
    X, y = corners(50)
    model = ClassClusterExpertsClassifier(random_state=0).fit(X, y)
    assert len(model.estimators_) == 4
    own = model._route.clusters(model._for_clusters(X))
    for k, (first, second) in enumerate(model._route.combinations):
        rows = ((y == 1) & (own[:, 0] == first)) | ((y == 2) & (own[:, 1] == second))
        assert model.n_rows_[k] == rows.sum()
        np.testing.assert_array_equal(model.parts_[k], np.flatnonzero(rows))
    wine_X, wine_y = load_wine(return_X_y=True)
    three = ClassClusterExpertsClassifier(GaussianNB(), random_state=0).fit(wine_X, wine_y)
    assert len(three.estimators_) == 8
    many = np.arange(200) % 20
    with pytest.raises(ValueError, match="n_clusters=2 with 20 classes makes more than 10,000"):
        ClassClusterExpertsClassifier().fit(np.random.default_rng(0).normal(size=(200, 2)), many)


def test_parts_of_one_class_and_without_rows():
    X = np.array([[0.0], [0.1], [0.2], [0.9], [1.0], [4.0], [3.9], [3.8]])
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    model = IntervalExpertsClassifier(LogisticRegression(), n_parts=4).fit(X, y)
    assert model.n_rows_.tolist() == [4, 1, 0, 3]
    assert [e is None for e in model.estimators_] == [False, True, True, True]
    t = 0.5  # share of class 1
    np.testing.assert_allclose(model.predict_proba([[3.95]])[0, 1], (3 + t) / (3 + 1))
    np.testing.assert_allclose(model.predict_proba([[2.5]]), model.overall_.predict_proba([[2.5]]))


def test_the_column_of_the_intervals():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"ward": list("abc") * 20, "flag": np.arange(60) % 2, "dose": rng.normal(size=60)}
    )
    y = np.arange(60) % 2
    model = IntervalExpertsClassifier(GaussianNB()).fit(table, y)
    assert model.feature_ == 4  # ward has become three columns
    assert IntervalExpertsClassifier(GaussianNB(), feature="dose").fit(table, y).feature_ == 4
    assert IntervalExpertsClassifier(GaussianNB(), feature=1).fit(table, y).feature_ == 3
    for bad, message in [
        ("price", "feature must be a column of the table"),
        ("ward", "feature must be a column of numbers"),
        (7, "feature must be below the number of columns"),
    ]:
        with pytest.raises(ValueError, match=message):
            IntervalExpertsClassifier(GaussianNB(), feature=bad).fit(table, y)


def test_other_clusterers_and_few_distinct_rows():
    X, y = corners(30)
    model = ClusterExpertsClassifier(clusterer=AgglomerativeClustering(), n_parts=3).fit(X, y)
    assert model.n_rows_.size == 3
    X = np.array([[0.0], [1.0]] * 5)
    model = ClusterExpertsClassifier(n_parts=4, random_state=0).fit(X, [0, 1] * 5)
    assert model.n_rows_.tolist() == [5, 5]
    assert model.predict(X).tolist() == [0, 1] * 5


def test_averages_are_means_of_any_classifiers():
    X, y = corners(40)
    members = [GaussianNB(), IntervalExpertsClassifier()]
    model = ExpertAverageClassifier(members, random_state=0).fit(X, y)
    expected = np.mean([each.predict_proba(X) for each in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected)
    kinds = [type(each).__name__ for each in ExpertAverageClassifier(n_parts=9)._make(2)]
    assert kinds == [c.__name__ for c in EVERY[:3]]
    for k, classes, clusters in [(4, 2, 2), (9, 2, 3), (4, 3, 2), (4, 4, 1), (9, 10, 1)]:
        assert ExpertAverageClassifier(n_parts=k)._make(classes)[1].n_clusters == clusters
    with pytest.raises(ValueError, match="experts must hold classifiers with predict_proba"):
        ExpertAverageClassifier([1]).fit(X, y)


def weighted_and_repeated(model, X, y, weight):
    """Fitted with weights, and with so many copies of each row."""
    rows = np.repeat(np.arange(len(y)), weight)
    table = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    return clone(model).fit(X, y, sample_weight=weight), clone(model).fit(table, y[rows])


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("correct_priors", [False, True])
def test_weights_are_repetitions(cls, correct_priors):
    """Clouds that lie apart: k-means finds them wherever it begins."""
    rng = np.random.default_rng(0)
    X, y = corners(25)
    X = X + 20 * (np.arange(100) % 4)[:, None] * [1, -1]
    y = np.where(rng.random(100) < 0.2, 3 - y, y)
    weight = rng.integers(0, 4, size=100)
    model = cls(GaussianNB(), correct_priors=correct_priors, random_state=0)
    one, two = weighted_and_repeated(model, X, y, weight)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(one.priors_, two.priors_)
    np.testing.assert_allclose(one.n_rows_, two.n_rows_)
    assert not set(np.concatenate(one.parts_)) & set(np.flatnonzero(weight == 0))
    np.testing.assert_allclose([weight[part].sum() for part in one.parts_], one.n_rows_)


def test_weights_of_the_default_experts_and_of_averages():
    X, y = load_wine(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, size=y.size)
    one, two = weighted_and_repeated(ScaledLogistic(tol=1e-10, max_iter=1000), X, y, weight)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-7)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(
        ScaledLogistic().fit(X, y).predict_proba(X), pipeline.predict_proba(X)
    )
    bayes = GaussianNB(var_smoothing=0)
    members = [IntervalExpertsClassifier(bayes, n_parts=2), bayes]
    one, two = weighted_and_repeated(ExpertAverageClassifier(members), X, y, weight)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-9)


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"ward": list("abc") * 20, "dose": rng.normal(size=60)})
    y = np.arange(60) % 2
    weight = (table["ward"] != "c").to_numpy(dtype=float)
    model = IntervalExpertsClassifier(GaussianNB(), n_parts=2, feature="dose")
    one, two = clone(model).fit(table, y, sample_weight=weight), model
    two.fit(table[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(one.predict_proba(table), two.predict_proba(table))
    assert one.feature_ == 2  # the level "c" has no column
    for cls in [*EVERY, ExpertAverageClassifier]:
        with pytest.raises(ValueError, match="needs at least 2 classes; got 1 class"):
            cls().fit(table, y, sample_weight=y)
        with pytest.raises(ValueError, match="not negative"):
            cls().fit(table, y, sample_weight=-np.ones(60))
    for model in (
        IntervalExpertsClassifier(KNeighborsClassifier()),
        ExpertAverageClassifier([KNeighborsClassifier()]),
    ):
        with pytest.raises(ValueError, match="got weights for KNeighborsClassifier"):
            model.fit(table[["dose"]], y, sample_weight=np.ones(60))


@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
@pytest.mark.parametrize("standardize", [False, True])
def test_the_scale_of_the_columns_does_not_matter(scale, standardize):
    """Squares of such numbers overflow or vanish; a power of two changes no digit."""
    X, y = load_iris(return_X_y=True)
    models = [
        ClusterExpertsClassifier(n_parts=3, standardize=standardize, random_state=0),
        ClassClusterExpertsClassifier(standardize=standardize, random_state=0),
        IntervalExpertsClassifier(n_parts=3),
        ExpertAverageClassifier(random_state=0),
    ]
    for model in models:
        expected = clone(model).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(model.fit(scale * X, y).predict_proba(scale * X), expected)


def test_intervals_of_the_widest_range():
    X = 2.0**1023 * np.linspace(-1, 1, 9)[:, None]
    model = IntervalExpertsClassifier(n_parts=4).fit(X, np.arange(9) % 2)
    np.testing.assert_array_equal(model.route(X), [0, 0, 1, 1, 2, 2, 3, 3, 3])

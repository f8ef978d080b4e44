"""RpBoost: known numbers, a slow twin, weights, stages, tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import RpBoostClassifier
from ensfs.datasets import make_pattern
from ensfs.ensemble._projections import PROJECTIONS, n_directions

PAPER_X, PAPER_Y = np.array([[0, 3], [1, 1], [2, 2], [3, 0]]), np.array([1, 1, -1, 1])


@pytest.mark.parametrize(("alpha", "rho", "sse"), [(0, -0.5, 2), (4, -0.25, 2.25)])
def test_first_round_of_the_paper(alpha, rho, sse):
    model = RpBoostClassifier(1, projection=None, alpha=alpha).fit(PAPER_X, PAPER_Y)
    assert model.init_.tolist() == [0.5]
    assert model.stumps_[0][0].tolist() == (0, 1.5, rho)
    assert model.train_error_[0][0] * 4 == pytest.approx(sse, abs=1e-12)
    assert sse == pytest.approx(3 - (4 * 12 / 64 if alpha else 1), abs=1e-12)


def test_scores_become_probabilities_and_a_score_of_zero_is_positive():
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([-1, 1, 1])
    model = RpBoostClassifier(3, projection=None, alpha=1.0).fit(X, y)
    model._boosters = [model._boosters[0]._replace(init=-model.decision_function([[0.0]])[0]
                                                   + model.init_[0])]  # fmt: skip
    assert model.decision_function([[0.0]]).tolist() == [0.0]
    assert model.predict([[0.0]]).tolist() == [1]
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]
    for shift, expected in [(-9.0, [1.0, 0.0]), (9.0, [0.0, 1.0])]:  # clipped
        model._boosters = [model._boosters[0]._replace(init=shift)]
        assert model.predict_proba([[0.0]]).tolist() == [expected]


def slow_lsboost(X, y, weight, n_rounds, alpha):
    """All stumps in every round, row by row."""
    F = np.full(len(X), (weight * y).sum() / weight.sum())
    for _ in range(n_rounds):
        r = weight * (y - F)
        best = (0.0, 0, -np.inf)
        for j in range(X.shape[1]):
            cuts = np.unique(X[:, j])
            for t in [-np.inf, *(cuts[:-1] / 2 + cuts[1:] / 2)]:
                c = (np.where(X[:, j] > t, 1, -1) * r).sum()
                if abs(c) > abs(best[0]) + 1e-9 * np.abs(r).sum():
                    best = (c, j, t)
        c, j, t = best
        F = F + c / (weight.sum() + alpha) * np.where(X[:, j] > t, 1, -1)
    return F


@given(seed=st.integers(0, 10**6), alpha=st.sampled_from([0.0, 5.0]))
@settings(max_examples=30)
def test_boosting_without_projections_is_its_definition(seed, alpha):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 25))
    X = rng.integers(0, 4, size=(n, 3)).astype(float)
    y = np.append([1, -1], rng.choice([-1, 1], size=n - 2))
    weight = rng.integers(1, 4, size=n).astype(float)
    model = RpBoostClassifier(6, projection=None, alpha=alpha).fit(X, y, weight)
    expected = slow_lsboost(X, y, weight, 6, alpha)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)
    squared = (weight * (y - expected) ** 2).sum() / weight.sum()
    assert model.train_error_[0][-1] == pytest.approx(squared, abs=1e-9)
    assert (np.diff(model.train_error_[0]) <= 1e-12).all()


@pytest.mark.parametrize("projection", [None, *PROJECTIONS])
def test_weights_are_repetitions(projection):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), rng.integers(3, size=40)
    weight = rng.integers(0, 4, size=40)
    model = RpBoostClassifier(20, projection=projection, random_state=0)
    one = model.fit(X, y, weight).decision_function(X)
    two = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).decision_function(X)
    np.testing.assert_allclose(one, two, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_end_at_the_whole(n_classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.digitize(X[:, 0] + X[:, 1], [0, 1][: n_classes - 1])
    model = RpBoostClassifier(15, random_state=0).fit(X, y)
    for method in ("decision_function", "predict_proba", "predict"):
        stages = list(getattr(model, f"staged_{method}")(X))
        assert len(stages) == 15
        np.testing.assert_allclose(stages[-1], getattr(model, method)(X), atol=1e-12)
        shorter = RpBoostClassifier(4, random_state=0).fit(X, y)
        np.testing.assert_allclose(stages[3], getattr(shorter, method)(X), atol=1e-12)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(proba.argmax(axis=1), model.predict(X))


@pytest.mark.parametrize("projection", [None, *PROJECTIONS])
def test_directions_that_are_drawn_again_are_the_same(projection):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 4)), rng.integers(3, size=40)
    options = {"projection": projection, "random_state": 0, "tol": 0.3}
    kept = RpBoostClassifier(12, **options).fit(X, y)
    drawn = RpBoostClassifier(12, low_memory=True, **options).fit(X, y)
    assert drawn.directions_ == [None] * 3
    for method in ("decision_function", "predict_proba", "predict"):
        np.testing.assert_array_equal(getattr(drawn, method)(X), getattr(kept, method)(X))
    drawn.set_params(projection="binary", dimension=2, random_state=5)  # changes nothing now
    for one, two in zip(drawn.staged_predict(X), kept.staged_predict(X), strict=True):
        np.testing.assert_array_equal(one, two)


def test_tolerance_stops_early():
    X = np.arange(10.0)[:, None]
    model = RpBoostClassifier(100, projection=None, tol=1e-6).fit(X, X[:, 0] > 4)
    assert model.n_iter_ == 1
    assert model.train_error_[0].tolist() == [0.0]


def test_directions():
    rng = np.random.default_rng(0)
    for name, draw in PROJECTIONS.items():
        matrix = draw(rng, 5, 4)
        assert matrix.shape == (5, 4)
        if name == "binary":
            assert set(np.unique(matrix)) == {-1, 1}
        if name in ("uniform", "orthonormal"):
            np.testing.assert_allclose(np.linalg.norm(matrix, axis=0), 1)
        if name == "uniform":
            assert (matrix >= 0).all()
        if name == "orthonormal":
            np.testing.assert_allclose(matrix.T @ matrix, np.eye(4), atol=1e-12)
    sizes = [n_directions(d, 5, "normal") for d in ("same", "sub", "super", 7, 0.5, 2.0)]
    assert sizes == [5, 3, 10, 7, 3, 10]
    with pytest.raises(ValueError, match="dimension must be at most the number of columns, 5"):
        n_directions("super", 5, "orthonormal")


def test_categories_become_columns_of_zeros_and_ones():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = pd.DataFrame({"dose": rng.normal(size=60), "ward": np.array(["a", "b"])[y]})
    table.loc[:3, "ward"] = "c"
    model = RpBoostClassifier(10, projection=None).fit(table, y)
    assert model.stumps_[0]["column"][0] in (1, 2)
    coded = np.column_stack([table["dose"], *(table["ward"] == w for w in "abc")]).astype(float)
    plain = RpBoostClassifier(10, projection=None).fit(coded, y)
    np.testing.assert_array_equal(model.decision_function(table), plain.decision_function(coded))
    new = table.assign(ward="never seen")
    coded[:, 1:] = 0
    np.testing.assert_array_equal(model.decision_function(new), plain.decision_function(coded))


def test_projections_follow_a_slope_that_single_columns_cannot():
    X, y = make_pattern("linear")
    train = np.random.default_rng(0).choice(len(X), 600, replace=False)
    scores = [
        RpBoostClassifier(60, projection=p, random_state=0).fit(X[train], y[train]).score(X, y)
        for p in (None, "normal")
    ]
    assert scores[1] > 0.95
    assert scores[1] > scores[0]


@pytest.mark.parametrize(
    ("name", "positives"),
    [
        ("linear", 3280), ("sine", 3212), ("parabolic", 2794), ("polynomial", 2572),
        ("annulus", 2124), ("checkerboard", 3645), ("parity", 4821), ("disjunctive", 1008),
    ],
)  # fmt: skip
def test_patterns(name, positives):
    X, y = make_pattern(name)
    assert X.shape == (6561, 2)
    assert (X.min(), X.max()) == (0, 4)
    assert y.sum() == positives


def test_unknown_patterns_are_named():
    with pytest.raises(ValueError, match=r"name must be one of .*; got 'spiral'"):
        make_pattern("spiral")

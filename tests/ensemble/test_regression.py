"""Iterated bagging and boosting by weights."""

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from joblib import parallel_config
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from ensfs import IteratedBaggingRegressor, RandomOracleRegressor, ReweightedAdaBoostRegressor
from ensfs._utils.combine import weighted_median
from ensfs.ensemble.regression import boosting_step

X, Y = make_friedman1(150, noise=0.5, random_state=0)


def residuals_slow(stage, X, residual):
    """What is left of a residual: minus the mean of the members that have not seen the row."""
    members = [(m.predict(X), set(rows.tolist())) for m, rows in
               zip(stage.estimators_, stage.estimators_samples_, strict=True)]  # fmt: skip
    left = []
    for i, r in enumerate(residual):
        unseen = [predicted[i] for predicted, rows in members if i not in rows]
        left.append(r - sum(unseen) / len(unseen))
    return np.array(left)


def test_stages_are_fitted_on_what_is_left():
    model = IteratedBaggingRegressor(n_stages=3, n_estimators=30, tolerance=9, random_state=0)
    model.fit(X, Y)
    residual = Y
    for stage, msr in zip(model.stages_, model.residual_path_, strict=True):
        again = BaggingRegressor(DecisionTreeRegressor(), 30, random_state=stage.random_state)
        np.testing.assert_allclose(again.fit(X, residual).predict(X), stage.predict(X))
        residual = residuals_slow(stage, X, residual)
        assert msr == pytest.approx(np.mean(residual**2))
    total = sum(stage.predict(X) for stage in model.stages_)
    np.testing.assert_allclose(model.predict(X), total)
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_stages_ == 3
    np.testing.assert_allclose(stages[0], model.stages_[0].predict(X))


def test_it_stops_when_residuals_grow():
    """Trees explain noise once more in each stage; the stages after the least residual go."""
    noise = np.random.default_rng(0).normal(size=150)
    model = IteratedBaggingRegressor(n_stages=30, n_estimators=30, random_state=0).fit(X, noise)
    path = model.residual_path_
    assert len(path) < 30
    assert path[-1] > 1.1 * path.min()
    assert all(path[i] <= 1.1 * path[: i + 1].min() for i in range(len(path) - 1))
    assert model.n_stages_ == len(model.stages_) == path.argmin() + 1


def test_rows_that_all_members_have_seen():
    with pytest.warns(UserWarning, match=r"All 2 members of a stage have seen \d+ of the rows"):
        model = IteratedBaggingRegressor(n_stages=2, n_estimators=2, random_state=0).fit(X, Y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.filterwarnings("ignore:All .* members of a stage")
def test_jobs_and_oracles():
    member = RandomOracleRegressor(DecisionTreeRegressor(min_samples_leaf=5))
    model = IteratedBaggingRegressor(member, 2, n_estimators=5, random_state=1)
    expected = model.fit(X, Y).predict(X)
    with parallel_config("threading"):
        several = model.set_params(n_jobs=2).fit(X, Y).predict(X)
    np.testing.assert_array_equal(several, expected)


#: Errors of the predictions 1, 2.5, 2, 5 for the truth 1, 2, 3, 3.
ERRORS = np.array([0, 0.5, 1, 2])


def test_step_of_the_paper():
    quarter = np.full(4, 0.25)
    mean, weights = boosting_step(ERRORS, quarter, "linear")
    assert mean == pytest.approx(0.4375, abs=1e-12)
    assert mean / (1 - mean) == pytest.approx(7 / 9, abs=1e-12)
    expected = [0.222992685661, 0.237452494014, 0.252849938762, 0.286704881564]
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    assert boosting_step(ERRORS, quarter, "square")[0] == pytest.approx(0.328125, abs=1e-12)
    exponential = boosting_step(ERRORS, quarter, "exponential")[0]
    assert exponential == pytest.approx(0.311697279011, abs=1e-12)


def boost_slow(X, y, n, loss, depth):
    """AdaBoost.R2 with weights, as the paper has it: members and their weights."""
    w, members = np.full(len(y), 1 / len(y)), []
    for _ in range(n):
        tree = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y, sample_weight=w)
        e = [abs(p - t) for p, t in zip(tree.predict(X), y, strict=True)]
        shares = [each / max(e) for each in e]
        rule = {"linear": lambda s: s, "square": lambda s: s * s,
                "exponential": lambda s: 1 - math.exp(-s)}[loss]  # fmt: skip
        losses = [rule(s) for s in shares]
        mean = math.fsum(a * b for a, b in zip(w, losses, strict=True))
        if mean >= 0.5:
            break
        beta = mean / (1 - mean)
        w = np.array([a * beta ** (1 - b) for a, b in zip(w, losses, strict=True)])
        w /= w.sum()
        members.append((tree, math.log(1 / beta)))
    return members


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_boosting_by_weights(loss):
    member = DecisionTreeRegressor(max_depth=2)
    model = ReweightedAdaBoostRegressor(member, 12, loss=loss, random_state=0).fit(X, Y)
    slow = boost_slow(X, Y, 12, loss, 2)
    assert len(model.estimators_) == len(slow)
    np.testing.assert_allclose(model.estimator_weights_[: len(slow)], [w for _, w in slow])
    values = np.array([tree.predict(X) for tree, _ in slow])
    expected = weighted_median(values, np.array([w for _, w in slow]))
    np.testing.assert_allclose(model.predict(X), expected)
    assert len(list(model.staged_predict(X))) == len(slow)


def test_a_perfect_member_ends_it():
    model = ReweightedAdaBoostRegressor(DecisionTreeRegressor(), 10, random_state=0).fit(X, Y)
    assert len(model.estimators_) == 1
    assert model.estimator_weights_[0] == 1.0
    np.testing.assert_allclose(model.predict(X), Y)


def test_columns_that_cannot_be_read_are_named():
    table = pd.DataFrame(X[:, :2], columns=["dose", "ward"])
    model = ReweightedAdaBoostRegressor(n_estimators=2).fit(table, Y)
    for bad, message in [
        (table.assign(ward=np.nan), "column 'ward' has 150 missing"),
        (table.assign(ward=np.inf), "column 'ward' has 150 infinite"),
        (table.assign(ward="a"), "column 'ward' holds text, and the default members"),
    ]:
        for method in (lambda bad=bad: model.predict(bad), lambda bad=bad: model.fit(bad, Y)):
            with pytest.raises(ValueError, match=message):
                method()
    assert model.fit(scipy.sparse.csr_array(X), Y).predict(scipy.sparse.csr_array(X)).size == 150


def test_members_must_take_weights():
    with pytest.raises((TypeError, ValueError), match="sample_weight"):
        ReweightedAdaBoostRegressor(KNeighborsRegressor()).fit(X, Y)


def test_it_fits_linear_models_and_real_data():
    table, y = load_diabetes(return_X_y=True)
    model = ReweightedAdaBoostRegressor(LinearRegression(), 5, random_state=0)
    assert model.fit(table, y).score(table, y) > 0.4

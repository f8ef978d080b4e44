"""Random oracles: distances by definition, sides, members, weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from ensfs import RandomOracleClassifier, RandomOracleRegressor
from ensfs.data.columns import read_columns
from ensfs.ensemble._distances import MixedScaler, nearest

X, Y = load_diabetes(return_X_y=True)


def distance_slow(a, b, low, high):
    """Squared distance of two rows: numbers by the training range, 1 for levels that differ."""
    total = 0.0
    for x, z, lo, hi in zip(a, b, low, high, strict=True):
        if isinstance(x, str) or isinstance(z, str):
            total += x != z
        elif hi > lo:
            total += ((x - z) / (hi - lo)) ** 2
    return total


def random_table(seed, n):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "dose": rng.normal(size=n), "ward": rng.choice(["a", "b", "c"], size=n),
        "same": np.ones(n), "age": rng.integers(20, 90, size=n),
        "sex": rng.choice(["f", "m"], size=n),
    })  # fmt: skip


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(1, 4))
def test_distances(seed, n, n_prototypes):
    table, new = random_table(seed, n), random_table(seed + 1, 5)
    new.loc[0, "ward"] = "never seen"
    scaler = MixedScaler().fit(read_columns(table))
    points = scaler.transform(read_columns(new))
    prototypes = scaler.transform(read_columns(table))
    rows = table.itertuples(index=False)
    low = [0 if table[c].dtype == object else table[c].min() for c in table]
    high = [0 if table[c].dtype == object else table[c].max() for c in table]
    rows, others = list(rows), list(new.itertuples(index=False))
    slow = np.array([[distance_slow(a, b, low, high) for b in rows] for a in others])
    fast = ((points[:, None] - prototypes[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(fast, slow, atol=1e-9)
    chosen = nearest(points, prototypes[:n_prototypes])
    for i, k in enumerate(chosen):
        least = slow[i, :n_prototypes].min()
        assert slow[i, k] == pytest.approx(least, abs=1e-9)
        assert all(slow[i, j] > least + 1e-13 for j in range(k))


def test_sides_of_the_paper():
    """Rows (0,0), (1,0), (0,1), (1,1) with a = (0,0) and b = (1,1): ties to a."""
    rows = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=float)
    assert nearest(rows, rows[[0, 3]]).tolist() == [0, 0, 0, 1]


def test_two_prototypes_are_a_hyperplane():
    model = RandomOracleRegressor(random_state=0).fit(X, Y)
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    a, b = model.prototypes_
    side = scaled @ (b - a) > (b @ b - a @ a) / 2
    np.testing.assert_array_equal(model.route(X), side)
    assert model.n_rows_.tolist() == [(~side).sum(), side.sum()]


def test_each_row_is_answered_by_its_member():
    model = RandomOracleRegressor(LinearRegression(), n_prototypes=3, random_state=1).fit(X, Y)
    side = model.route(X)
    expected = np.empty(len(Y))
    for s in range(3):
        alone = LinearRegression().fit(X[side == s], Y[side == s])
        expected[side == s] = alone.predict(X[side == s])
    np.testing.assert_allclose(model.predict(X), expected)


def test_one_prototype_is_the_model_itself():
    model = RandomOracleRegressor(LinearRegression(), n_prototypes=1).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), LinearRegression().fit(X, Y).predict(X))


def test_equal_rows_have_one_member():
    model = RandomOracleRegressor(random_state=0).fit(np.ones((4, 2)), [1, 2, 3, 4])
    assert len(model.estimators_) == 1
    assert model.predict([[5.0, 5.0]]) == pytest.approx(2.5)


def test_prototypes_differ_and_do_not_depend_on_the_order_of_rows():
    table = np.repeat(X[:10], 20, axis=0)
    model = RandomOracleRegressor(n_prototypes=8, random_state=0).fit(table, np.tile(Y[:10], 20))
    assert len(np.unique(model.prototypes_, axis=0)) == 8
    order = np.random.default_rng(0).permutation(200)
    again = RandomOracleRegressor(n_prototypes=8, random_state=0)
    again.fit(table[order], np.tile(Y[:10], 20)[order])
    np.testing.assert_array_equal(again.prototypes_, model.prototypes_)


def test_text_columns():
    table = random_table(0, 60)
    y = (table["ward"] == "a") * 3.0 + table["age"] / 50
    member = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LinearRegression())
    model = RandomOracleRegressor(member, random_state=0).fit(table, y)
    assert model.score(table, y) > 0.9
    assert model.predict(table.assign(ward="never seen")).shape == (60,)
    with pytest.raises(ValueError, match=r"'ward' holds text.*Encode it"):
        RandomOracleRegressor().fit(table, y)
    with pytest.raises(ValueError, match=r"'dose' must hold numbers, as in fit; got text"):
        model.predict(table.assign(dose="high"))


def test_classes_of_parts():
    table, y = load_wine(return_X_y=True)
    labels = np.array(["one", "two", "three"])[y]
    model = RandomOracleClassifier(n_prototypes=12, random_state=0).fit(table, labels)
    proba = model.predict_proba(table)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.classes_.tolist() == ["one", "three", "two"]
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(table))
    assert model.score(table, labels) == 1.0


def test_parts_of_one_class_get_a_constant():
    table = np.array([[0.0], [0.1], [10.0], [10.1], [10.2], [10.3]])
    y = ["a", "a", "b", "c", "b", "c"]
    for seed in range(20):
        oracle = RandomOracleClassifier(LogisticRegression(), random_state=seed).fit(table, y)
        kinds = [type(member) for member in oracle.estimators_]
        if DummyClassifier in kinds and LogisticRegression in kinds:
            break
    else:
        raise AssertionError("no seed divided the rows by class")
    assert oracle.predict(table)[:2].tolist() == ["a", "a"]
    assert not hasattr(RandomOracleClassifier(RidgeClassifier()), "predict_proba")


def test_weights():
    weights = np.random.default_rng(0).integers(0, 3, size=len(Y))
    model = RandomOracleRegressor(DecisionTreeRegressor(max_depth=3), random_state=0)
    rows = np.repeat(np.arange(len(Y)), weights)
    expected = model.fit(X[rows], Y[rows]).predict(X)
    np.testing.assert_allclose(model.fit(X, Y, sample_weight=weights).predict(X), expected)
    with pytest.raises(ValueError, match="KNeighborsRegressor"):
        RandomOracleRegressor(KNeighborsRegressor()).fit(X, Y, sample_weight=weights)


def test_in_hosts():
    host = BaggingRegressor(RandomOracleRegressor(), 10, random_state=0)
    plain = BaggingRegressor(None, 10, random_state=0)
    predicted = host.fit(X, Y).predict(X)
    assert not np.array_equal(predicted, plain.fit(X, Y).predict(X))
    table, y = load_wine(return_X_y=True)
    host = BaggingClassifier(RandomOracleClassifier(), 10, random_state=0)
    assert host.fit(table[::2], y[::2]).score(table[1::2], y[1::2]) > 0.9


def test_without_randomness_all_members_are_equal():
    """The oracle off and an unpruned tree: an ensemble by randomization is the tree."""
    host = BaggingRegressor(RandomOracleRegressor(LinearRegression(), n_prototypes=1), 3,
                            bootstrap=False, random_state=0).fit(X, Y)  # fmt: skip
    first, second, third = (member.predict(X) for member in host.estimators_)
    np.testing.assert_allclose(first, second)
    np.testing.assert_allclose(first, third)

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ensfs import (
    DecompositionClassifier,
    InputDecimation,
    InputDecimationClassifier,
    ITDecomposition,
    PCASubspace,
    RandomPartitionDecomposition,
    RandomSubspaceDecomposition,
)
from ensfs.data import columns as reading
from ensfs.data import target as reading_y

X, Y = load_wine(return_X_y=True)
LABELS = np.array(["one", "two", "three"])[Y]


def test_mean_of_the_members():
    model = DecompositionClassifier(GaussianNB(), ITDecomposition(3)).fit(X, LABELS)
    assert model.classes_.tolist() == ["one", "three", "two"]
    subsets = ITDecomposition(3).fit(X, LABELS).subsets_
    proba = np.mean([GaussianNB().fit(X[:, s], LABELS).predict_proba(X[:, s]) for s in subsets], 0)
    np.testing.assert_allclose(model.predict_proba(X), proba, atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[proba.argmax(axis=1)])
    for columns, subset in zip(model.estimators_features_, subsets, strict=True):
        np.testing.assert_array_equal(columns, subset)


def test_members_are_shaped_as_those_of_bagging():
    """Whoever knows ``estimators_`` and ``estimators_features_`` can do it alone."""
    model = DecompositionClassifier(decomposition=PCASubspace(3), n_per_subset=2, random_state=0)
    model.fit(X, LABELS)
    members = zip(model.estimators_, model.estimators_features_, strict=True)
    proba = np.mean([member.predict_proba(X[:, columns]) for member, columns in members], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), proba)
    assert len(model.estimators_) == 2


def test_votes_and_weights():
    decomposition = RandomPartitionDecomposition(3, random_state=0)
    model = DecompositionClassifier(GaussianNB(), decomposition, voting="hard", weights=[1, 2, 4])
    model.fit(X, LABELS)
    votes = np.zeros((len(X), 3))
    members = zip(model.estimators_, model.estimators_features_, [1, 2, 4], strict=True)
    for member, columns, weight in members:
        predicted = member.predict(X[:, columns])
        votes += weight * (predicted[:, None] == model.classes_)
    np.testing.assert_allclose(model.predict_proba(X), votes / 7)


def test_a_tie_of_votes_goes_to_the_first_class():
    class Says(GaussianNB):
        def predict(self, X):
            return np.full(len(X), self.classes_[self.n_features_in_ % 2])

    model = DecompositionClassifier(Says(), RandomPartitionDecomposition(2), voting="hard")
    assert set(model.fit(X[:, :3], Y).predict(X[:, :3])) == {0}


def test_several_members_for_each_subset():
    decomposition = RandomSubspaceDecomposition(3, 4)
    model = DecompositionClassifier(None, decomposition, n_per_subset=2, random_state=0).fit(X, Y)
    assert len(model.estimators_) == 6
    assert len({member.random_state for member in model.estimators_}) == 6
    np.testing.assert_array_equal(model.estimators_features_[0], model.estimators_features_[1])
    assert not np.array_equal(model.estimators_features_[0], model.estimators_features_[2])


def test_the_random_state_decides():
    tree = DecisionTreeClassifier(max_features=1)
    model = DecompositionClassifier(tree, RandomSubspaceDecomposition(5, 3), random_state=1)
    first = clone(model).fit(X, Y).predict_proba(X[::3] + 0.1)
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict_proba(X[::3] + 0.1), first)
    several = clone(model).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(several.predict_proba(X[::3] + 0.1), first)
    other = clone(model).set_params(random_state=2).fit(X, Y)
    assert not np.array_equal(other.predict_proba(X[::3] + 0.1), first)


def test_a_decomposition_keeps_its_own_random_state():
    decomposition = RandomPartitionDecomposition(3, random_state=5)
    model = DecompositionClassifier(decomposition=decomposition, random_state=0).fit(X, Y)
    expected = RandomPartitionDecomposition(3, random_state=5).fit(X)
    for columns, own in zip(model.estimators_features_, expected.subsets_, strict=True):
        np.testing.assert_array_equal(columns, own)


def test_a_class_that_a_member_never_saw():
    class Forgetful(GaussianNB):
        def fit(self, X, y):
            return super().fit(X[y != "two"], y[y != "two"])

    model = DecompositionClassifier(Forgetful(), RandomPartitionDecomposition(2)).fit(X, LABELS)
    proba = model.predict_proba(X)
    assert proba.shape == (len(X), 3)
    assert (proba[:, 2] == 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_without_subsets_the_classes_keep_their_shares():
    noise, y = np.array([[0, 0], [1, 0], [0, 1], [1, 1]] * 3), [0, 1, 1, 0] * 3
    with pytest.warns(UserWarning, match="Only 0 of 10"):
        model = DecompositionClassifier().fit(noise, y)
    assert model.estimators_ == []
    np.testing.assert_array_equal(model.predict_proba(noise), np.full((12, 2), 0.5))
    assert set(model.predict(noise)) == {0}


def test_one_class():
    with pytest.warns(UserWarning, match=r"y is constant|Only 0"):
        model = DecompositionClassifier().fit(X, np.ones(len(X)))
    assert set(model.predict(X)) == {1.0}


def test_members_without_probabilities():
    with pytest.raises(ValueError, match="LinearSVC has no predict_proba"):
        DecompositionClassifier(LinearSVC(), ITDecomposition(2)).fit(X, Y)
    member = make_pipeline(StandardScaler(), LinearSVC())
    model = DecompositionClassifier(member, ITDecomposition(2), voting="hard").fit(X, Y)
    assert model.score(X, Y) > 0.9


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, -1, 2], [0, 0, 0], [1, np.nan, 1], ["a", "b", "c"]]
)
def test_bad_weights(weights):
    with pytest.raises(ValueError, match="weights must"):
        DecompositionClassifier(decomposition=ITDecomposition(3), weights=weights).fit(X, Y)


def test_missing_values_pass_if_everyone_can_take_them():
    holes = X.copy()
    holes[::7, 3] = np.nan
    model = DecompositionClassifier(decomposition=RandomPartitionDecomposition(3), random_state=0)
    assert model.fit(holes, Y).score(holes, Y) > 0.9
    counted = DecompositionClassifier(decomposition=ITDecomposition(3), random_state=0)
    assert counted.fit(holes, Y).score(holes, Y) > 0.9
    with pytest.raises(ValueError, match="NaN"):
        counted.set_params(decomposition__missing="error").fit(holes, Y)
    with pytest.raises(ValueError, match="NaN"):
        model.set_params(estimator=GaussianNB()).fit(holes, Y)


@pytest.mark.parametrize("dtype", ["Float64", "Int64", "boolean"])
def test_missing_values_of_any_type_pass(dtype):
    table = pd.DataFrame({"a": pd.array([1, 0, None] * 30, dtype=dtype), "b": np.arange(90.0)})
    y = np.arange(90) % 3
    model = DecompositionClassifier(None, RandomPartitionDecomposition(1)).fit(table, y)
    assert model.score(table, y) == 1.0
    counted = DecompositionClassifier(None, ITDecomposition(1)).fit(table, y)
    assert 0 in counted.estimators_features_[0]  # with a level for what is missing
    with pytest.raises(ValueError, match="Input X contains NaN: column 'a' has 30 missing"):
        counted.set_params(decomposition__missing="error").fit(table, y)


def test_infinite_values_never_pass():
    model = DecompositionClassifier(None, RandomPartitionDecomposition(1)).fit(X, LABELS)
    table = X.copy()
    table[2, 3] = np.inf
    message = r"Input X contains infinity \(inf\): column 3 has 1 infinite"
    with pytest.raises(ValueError, match=message):
        model.predict(table)
    with pytest.raises(ValueError, match=message):
        model.fit(table, LABELS)


@pytest.mark.parametrize("model", [DecompositionClassifier(), InputDecimationClassifier()])
def test_missing_classes_are_named(model):
    labels = LABELS.astype(object)
    labels[4] = None
    with pytest.raises(ValueError, match="Input y contains NaN: 1 missing"):
        model.fit(X, labels)


def test_text_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{j}": np.where(rng.random(len(X)) < 0.5, LABELS, "x")
                          for j in range(6)})  # fmt: skip
    member = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = DecompositionClassifier(member, ITDecomposition(2, 0.5)).fit(frame, LABELS)
    assert model.score(frame, LABELS) > 0.9
    assert model.decomposition_.feature_names_in_.tolist() == frame.columns.tolist()


def test_trees_do_not_read_text():
    frame = pd.DataFrame(
        {"age": X[:, 0], "code": (Y + 1).astype(str), "ward": np.where(Y, "a", "b")}
    )
    model = DecompositionClassifier(decomposition=ITDecomposition(1))
    with pytest.raises(ValueError, match=r"'ward' holds text.*Encode it"):
        model.fit(frame, Y)
    model.fit(frame[["age", "code"]], Y)  # numbers, as text
    with pytest.raises(ValueError, match="'code' holds text"):
        model.predict(frame[["age", "code"]].assign(code="b"))


def test_in_a_pipeline_with_a_search():
    model = make_pipeline(StandardScaler(), DecompositionClassifier(GaussianNB(), random_state=0))
    grid = {"decompositionclassifier__decomposition": [ITDecomposition(2), ITDecomposition(4)],
            "decompositionclassifier__estimator__var_smoothing": [1e-9, 1e-3]}  # fmt: skip
    search = GridSearchCV(model, grid, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9


def test_input_decimation_is_the_decomposition_of_that_name():
    one = InputDecimationClassifier(GaussianNB(), 4).fit(X, Y)
    other = DecompositionClassifier(GaussianNB(), InputDecimation(4)).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert one.total_features_ == one.decomposition_.total_features_
    assert one.common_features_ == one.decomposition_.common_features_


def test_input_decimation_has_several_members_for_each_class():
    model = InputDecimationClassifier(n_features_per_class=[2, 3, 4], n_per_class=2, random_state=0)
    model.fit(X, Y)
    assert [columns.size for columns in model.estimators_features_] == [2, 2, 3, 3, 4, 4]


def test_input_decimation_learns_its_sizes_with_its_own_members():
    forest = RandomForestClassifier(3, max_depth=2)
    model = InputDecimationClassifier(forest, "cv", cv=2, random_state=0).fit(X, Y)
    assert isinstance(model.decomposition_.estimator, RandomForestClassifier)
    assert max(model.decomposition_.cv_scores_.values()) > 0.8


def test_input_decimation_with_two_classes_is_never_silent():
    iris, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="two classes"):
        model = InputDecimationClassifier(n_features_per_class=2).fit(iris[:100], y[:100])
    np.testing.assert_array_equal(*model.estimators_features_)
    with pytest.raises(ValueError, match="two classes"):
        InputDecimationClassifier(binary="raise").fit(iris[:100], y[:100])


def test_decimated_inputs_help_where_each_class_has_its_columns():
    """The paper's first artificial set: ten columns for each of three classes among a hundred."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    table = rng.uniform(-100, 100, size=(180, 100))
    for c in range(3):
        table[np.ix_(y == c, np.arange(10 * c, 10 * c + 10))] = rng.normal(40, 5, size=(60, 10))
    decimated = InputDecimationClassifier(GaussianNB(), 10).fit(table, y)
    own = [np.arange(10 * c, 10 * c + 10) for c in range(3)]
    found = [
        np.isin(columns, own[c]).mean() for c, columns in enumerate(decimated.estimators_features_)
    ]
    assert min(found) >= 0.8
    assert cross_val_score(InputDecimationClassifier(GaussianNB(), 10), table, y, cv=3).mean() > 0.9


def test_input_decimation_votes_without_probabilities():
    model = InputDecimationClassifier(LinearSVC(), 4, voting="hard", random_state=0).fit(X, Y)
    assert model.score(X, Y) > 0.6
    with pytest.raises(ValueError, match="set voting='hard'"):
        InputDecimationClassifier(LinearSVC(), 4).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        DecompositionClassifier(decomposition=ITDecomposition(missing="error")),
        InputDecimationClassifier(missing="error"),
    ],
    ids=["any", "decimation"],
)
def test_errors_name_the_column(model):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    model = clone(model).fit(frame, Y)
    for value, message in ((np.nan, "'c2'.* missing"), (np.inf, "'c2'.* infinite")):
        bad = frame.copy()
        bad.loc[3, "c2"] = value
        with pytest.raises(ValueError, match=message):
            clone(model).fit(bad, Y)
        with pytest.raises(ValueError, match=message):
            model.predict(bad)
    dates = frame.assign(c2=pd.date_range("2026-01-01", periods=len(frame)))
    with pytest.raises((TypeError, ValueError), match="'c2'"):
        clone(model).fit(dates, Y)


@pytest.mark.parametrize("beside", ["bool", "boolean", "Int64", "Float64", "int64"])
def test_categories_of_text_beside_other_kinds(beside):
    text = np.where(Y == 1, "u", "v")
    frame = pd.DataFrame({"a": X[:, 0], "h": pd.Series(Y > 0).astype("int64").astype(beside)})
    plain, categories = frame.assign(g=text), frame.assign(g=pd.Categorical(text))
    members = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = DecompositionClassifier(members, ITDecomposition(2))
    expected = model.fit(plain, Y).predict_proba(plain)
    np.testing.assert_array_equal(model.fit(categories, Y).predict_proba(categories), expected)
    with pytest.raises(ValueError, match="column 'g' holds text, and the default members take"):
        DecompositionClassifier().fit(categories, Y)


def test_sizes_are_learnt_from_numbers():
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame["c2"] = np.where(frame["c2"] > 2.3, "high", "low")
    members = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    model = InputDecimationClassifier(members, 4, relevance="mutual_information")
    assert model.fit(frame, Y).score(frame, Y) > 0.8
    with pytest.raises(ValueError, match=r"'c2' holds text.*n_features_per_class"):
        model.set_params(n_features_per_class="cv").fit(frame, Y)


@pytest.mark.parametrize("kind", ["array", "frame", "mixed"])
@pytest.mark.parametrize(
    "model",
    [
        DecompositionClassifier(GaussianNB(), ITDecomposition(2)),
        DecompositionClassifier(GaussianNB(), RandomPartitionDecomposition(2)),
        InputDecimationClassifier(GaussianNB(), 4),
    ],
    ids=["ITD", "random", "decimation"],
)
def test_the_table_is_read_once(model, kind, monkeypatch):
    """Each of these has reads of its own: none may happen beside the one of the ensemble."""
    calls = []

    def counted(name, function):
        return lambda *args, **kwargs: calls.append(name) or function(*args, **kwargs)

    for reader in ("_read_array", "_read_frame"):
        monkeypatch.setattr(reading, reader, counted("table", getattr(reading, reader)))
    monkeypatch.setattr(reading_y, "read_target", counted("target", reading_y.read_target))
    table = X if kind == "array" else pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    if kind == "mixed":
        table["c2"] = np.round(table["c2"]).astype(int)
    model = clone(model).fit(table, Y)
    assert calls == ["table"]
    model.predict(table)
    assert calls == ["table", "table"]


class FirstColumns(BaseEstimator):
    """A decomposition of another package."""

    def fit(self, X, y):
        assert isinstance(X, pd.DataFrame)
        assert len(y) == len(X)
        self.subsets_ = [np.array([0, 1]), np.array([2, 3])]
        return self

    def transformer(self, subset):
        return None


def test_decompositions_of_others_get_what_was_given():
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    model = DecompositionClassifier(GaussianNB(), FirstColumns()).fit(table, Y)
    assert [each.tolist() for each in model.estimators_features_] == [[0, 1], [2, 3]]


def test_text_of_any_length_as_classes():
    labels = LABELS.astype(np.dtypes.StringDType())
    model = DecompositionClassifier(decomposition=ITDecomposition(2), random_state=0)
    expected = clone(model).fit(X, LABELS.astype(object)).predict(X)
    np.testing.assert_array_equal(model.fit(X, labels).predict(X), expected)

"""Classifiers that are networks: structures, missing cells, tables of any kind, combiners."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import Binarizer
from sklearn.utils.estimator_checks import check_estimator

from ensfs import BayesianNetworkClassifier, NetworkCombinerClassifier
from ensfs.datasets import load_lucas_network, make_field_and_nerve
from ensfs.networks.combiner import mean_filter, share_by_bins, weighted_vote
from ensfs.networks.scores import FamilyScores

QUICK = {"n_bootstrap": 8, "n_operations": 300, "random_state": 0}
FRAMES = {
    "pandas": lambda X: X,
    "polars": pl.DataFrame,
    "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
}


@pytest.fixture(scope="module")
def eyes():
    return make_field_and_nerve(300, 0.8, random_state=0)


def slow_naive_bayes(X, y, row, smoothing=1.0):
    """Posterior from smoothed shares; missing cells say nothing."""
    out = []
    for c in np.unique(y):
        p = ((y == c).sum() + smoothing / 2) / (len(y) + smoothing)
        for j, cell in enumerate(row):
            if cell < 0:
                continue
            levels = len(np.unique(X[:, j]))
            n = (y == c).sum()
            p *= (((X[:, j] == cell) & (y == c)).sum() + smoothing / levels) / (n + smoothing)
        out.append(p)
    return np.array(out) / sum(out)


def test_without_edges_the_given_graph_is_naive_bayes(eyes):
    X, y = eyes
    model = BayesianNetworkClassifier(structure="given").fit(X, y)
    rows = X[:40].astype(float)
    rows[np.random.default_rng(0).random(rows.shape) < 0.3] = np.nan
    expected = [slow_naive_bayes(X, y, np.nan_to_num(row, nan=-1)) for row in rows]
    np.testing.assert_allclose(model.predict_proba(rows), expected, atol=1e-12)
    assert model.network_.children("class") == tuple(f"x{j}" for j in range(12))
    assert not hasattr(model, "edge_probabilities_")


def test_learned_graphs_find_the_sectors():
    """Rows enough: each field sector is tied to its nerve sector, and to no other."""
    X, y = make_field_and_nerve(4000, 0.9, random_state=1)
    model = BayesianNetworkClassifier(search="greedy", n_bootstrap=5, random_state=0).fit(X, y)
    skeleton = model.network_.adjacency() | model.network_.adjacency().T
    for i, j in product(range(6), range(6, 12)):
        assert skeleton[i, j] == (j == i + 6)
    assert model.score_ >= FamilyScores(np.column_stack([X, y]).astype(int), [3] * 12 + [2]).total(
        [*((12,) for _ in range(12)), ()]
    )
    assert model.score(X, y) > 0.9
    assert model.edge_probabilities_.shape == (13, 13)


def test_controls_alone_decide_the_graph(eyes):
    X, y = eyes
    model = BayesianNetworkClassifier(structure="controls", **QUICK).fit(X, y)
    assert model.network_.children("class") == tuple(f"x{j}" for j in range(12))
    other = X.copy()
    other[y == 1] = np.random.default_rng(0).integers(3, size=other[y == 1].shape)
    again = BayesianNetworkClassifier(structure="controls", **QUICK).fit(other, y)
    assert again.network_.edges == model.network_.edges
    ill = BayesianNetworkClassifier(structure="controls", controls=1, **QUICK).fit(X, y)
    assert ill.edge_probabilities_.shape == (12, 12)
    with pytest.raises(ValueError, match=r"controls must be one of the classes \[0, 1\]; got 7"):
        BayesianNetworkClassifier(structure="controls", controls=7, **QUICK).fit(X, y)


def test_a_hidden_class_is_found_without_labels():
    X, y = make_field_and_nerve(600, 1.0, random_state=0)
    edges = [("class", j) for j in range(12)] + [(i, i + 6) for i in range(6)]
    model = BayesianNetworkClassifier(edges, structure="hidden", random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert (np.diff(model.log_likelihood_path_) >= 0).all()
    names = np.array(["well", "ill"])[y]
    named = BayesianNetworkClassifier(edges, structure="hidden", random_state=0).fit(X, names)
    assert named.score(X, names) == model.score(X, y)


@pytest.mark.parametrize("structure", ["given", "hidden"])
@pytest.mark.parametrize("kind", ["states", "numbers", "gaps"])
def test_weights_of_a_given_graph_are_repetitions(eyes, structure, kind):
    X, y = (each[:90] for each in eyes)
    X, rng = X.astype(float), np.random.default_rng(0)
    if kind == "numbers":
        X = X + rng.normal(size=X.shape)
    if kind == "gaps":
        X[rng.random(X.shape) < 0.05] = np.nan
    weight = rng.integers(0, 4, size=90)
    options = {"structure": structure, "random_state": 0, "n_starts": 1}
    if structure == "hidden":
        options["edges"] = [("class", j) for j in range(12)]
    one = BayesianNetworkClassifier(**options).fit(X, y, sample_weight=weight)
    two = BayesianNetworkClassifier(**options).fit(np.repeat(X, weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-9)
    assert one.score_ == pytest.approx(two.score_, rel=1e-12)
    np.testing.assert_allclose(one.log_likelihood_path_, two.log_likelihood_path_, rtol=1e-12)


@pytest.mark.parametrize("structure", ["all", "controls"])
def test_weights_of_learned_graphs_say_how_often_rows_are_drawn(eyes, structure):
    X, y = eyes
    noise = np.random.default_rng(0).integers(3, size=X.shape)
    both = np.vstack([X, noise])
    weight = np.repeat([1.0, 1e-9], len(X))
    model = BayesianNetworkClassifier(structure=structure, **QUICK)
    model.fit(both, np.concatenate([y, y]), sample_weight=weight)
    of_eyes = model.edge_probabilities_.sum()
    model.fit(both, np.concatenate([y, y]), sample_weight=1 - weight)
    assert model.edge_probabilities_.sum() + 2 < of_eyes
    model.fit(both, np.concatenate([y, y]), sample_weight=(weight == 1).astype(float))
    expected = BayesianNetworkClassifier(structure=structure, **QUICK).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


def test_rows_without_weight_have_no_states():
    table = pd.DataFrame({"ward": list("abc") * 20, "flag": np.arange(60) % 2})
    y = np.arange(60) // 20
    weight = (y < 2) & (table["ward"] != "c")
    model = BayesianNetworkClassifier(structure="given").fit(table, y, sample_weight=weight)
    assert model.classes_.tolist() == [0, 1]
    assert model.network_.states["ward"] == ("a", "b")
    with pytest.raises(ValueError, match="sample_weight must be None for a discretizer"):
        BayesianNetworkClassifier(structure="given", discretizer=Binarizer()).fit(
            np.random.default_rng(0).normal(size=(60, 2)), y, sample_weight=2 * np.ones(60)
        )


def test_edges_by_name_and_number_and_their_errors():
    X, y = load_lucas_network().sample(300, 0, target="Lung_cancer", as_frame=True)
    edges = [("Smoking", "class"), ("class", "Coughing"), ("class", 3), ("Allergy", "Coughing")]
    model = BayesianNetworkClassifier(edges, structure="given").fit(X, y)
    assert model.network_.parents("Coughing") == ("Allergy", "class")
    assert model.network_.parents(X.columns[3]) == ("class",)
    for bad, message in [
        ([("Smoking", "no such")], r"edges must hold names or numbers of columns, or 'class'"),
        ([("Smoking", 11)], "edges must hold names or numbers of columns"),
        (["Smoking"], r"edges must hold pairs \(parent, child\); got 'Smoking'"),
        ([("Smoking", "class"), ("class", "Smoking")], "edges must not close a cycle; got"),
    ]:
        with pytest.raises(ValueError, match=message):
            BayesianNetworkClassifier(bad, structure="given").fit(X, y)
    X = X.rename(columns={"Smoking": "class"})
    model = BayesianNetworkClassifier(structure="given").fit(X, y)
    assert model.class_name_ == "class_"


def mixed():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    table = pd.DataFrame(
        {
            "dose": y + rng.normal(scale=0.7, size=120),
            "ward": np.where(rng.random(120) < 0.8, np.array(["a", "b"])[y], "c"),
            "kind": pd.Categorical(np.where(rng.random(120) < 0.7, np.array(["u", "v"])[y], "v")),
            "flag": rng.random(120) < 0.5 + 0.3 * y,
            "count": rng.integers(3, size=120) + y,
        }
    )
    return table, y


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_tables_of_any_kind_with_gaps_in_all_columns(frame):
    table, y = mixed()
    gaps = np.random.default_rng(1).random(table.shape) < 0.15
    holed = table.copy()
    for j, name in enumerate(table.columns):
        holed[name] = holed[name].astype(object if name in ("ward", "flag") else holed[name].dtype)
        if name in ("flag", "count"):
            holed[name] = holed[name].astype("boolean" if name == "flag" else "Int64")
        holed.loc[gaps[:, j], name] = None
    model = BayesianNetworkClassifier(structure="given").fit(frame(holed), y)
    expected = BayesianNetworkClassifier(structure="given").fit(holed, y)
    np.testing.assert_allclose(model.predict_proba(frame(holed)), expected.predict_proba(holed))
    assert model.score(frame(table), y) > 0.8
    assert model.network_.states["ward"] == ("a", "b", "c")
    assert len(model.log_likelihood_path_) > 1


def test_states_that_were_not_there_in_fit_are_not_known():
    table, y = mixed()
    model = BayesianNetworkClassifier(structure="given").fit(table, y)
    new, gap = table.iloc[:5].copy(), table.iloc[:5].copy()
    new["ward"], gap["ward"] = "never seen", None
    np.testing.assert_array_equal(model.predict_proba(new), model.predict_proba(gap))
    new = table.iloc[:5].assign(count=77)
    np.testing.assert_array_equal(
        model.predict_proba(new), model.predict_proba(table.iloc[:5].assign(count=np.nan))
    )


def test_columns_without_values_and_identifiers_say_nothing():
    table, y = mixed()
    odd = table.assign(empty=np.nan, label=[f"row {i}" for i in range(120)])
    model = BayesianNetworkClassifier(structure="given").fit(odd, y)
    plain = BayesianNetworkClassifier(structure="given").fit(table, y)
    np.testing.assert_allclose(model.predict_proba(odd), plain.predict_proba(table), atol=1e-12)


@pytest.mark.parametrize("discretizer", ["equal_frequency", "mdl", "sigma"])
def test_numbers_are_cut(discretizer):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 3
    X = rng.normal(size=(200, 4)) + 2 * y[:, None] * [1, 1, 0, 0]
    X[rng.random(X.shape) < 0.1] = np.nan
    model = BayesianNetworkClassifier(discretizer=discretizer, **QUICK).fit(X, y)
    assert model.score(X, y) > 0.75
    if discretizer == "equal_frequency":
        assert model.network_.states["x0"] == ("0", "1", "2")
    whole = np.rint(X)
    coded = BayesianNetworkClassifier(structure="given", discrete_features=True).fit(whole, y)
    known = whole[~np.isnan(whole[:, 0]), 0]
    assert len(coded.network_.states["x0"]) == np.unique(known).size


@pytest.mark.parametrize("which", [-1, 0.5, "some", None])
def test_discrete_columns_are_a_list(which):
    with pytest.raises(ValueError, match="'discrete_features' parameter"):
        BayesianNetworkClassifier(discrete_features=which).fit([[0.1], [0.2]], [0, 1])


def test_infinities_and_few_rows_are_refused():
    with pytest.raises(ValueError, match="column 1 has 1 infinite"):
        BayesianNetworkClassifier().fit([[0.1, np.inf], [0.2, 1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"Found array with 1 sample\(s\)"):
        BayesianNetworkClassifier().fit([[1.0]], [0])


# -- combiners -------------------------------------------------------------------------------------


def test_mean_filter_of_the_paper():
    np.testing.assert_allclose(
        mean_filter([[0, 3, 6], [9, 12, 15], [18, 21, 24]]),
        [[6, 7.5, 9], [10.5, 12, 13.5], [15, 16.5, 18]],
    )


@given(seed=st.integers(0, 10**6), empty=st.sampled_from(["zero", "prior"]))
@settings(max_examples=30)
def test_tables_of_the_combiner_cell_by_cell(seed, empty):
    rng = np.random.default_rng(seed)
    n, bins = int(rng.integers(2, 50)), int(rng.integers(2, 9))
    given, y = rng.random((n, 2)).round(1), rng.integers(2, size=n)
    raw = share_by_bins(given, y, bins, empty)
    smooth = mean_filter(raw)
    place = [[min(int(bins * p), bins - 1) for p in row] for row in given]
    for a, b in product(range(bins), repeat=2):
        inside = [y[i] for i in range(n) if place[i] == [a, b]]
        nothing = 0 if empty == "zero" else y.mean()
        assert raw[a, b] == pytest.approx(np.mean(inside) if inside else nothing, abs=1e-12)
        near = [raw[i, j] for i, j in product(range(bins), repeat=2)
                if abs(i - a) <= 1 and abs(j - b) <= 1]  # fmt: skip
        assert smooth[a, b] == pytest.approx(np.mean(near), abs=1e-12)


def test_votes_are_weighted_by_accuracy():
    np.testing.assert_allclose(
        weighted_vote(np.array([[0.9, 0.5]]), np.array([0.9, 0.6])), [(0.81 + 0.3) / 1.5]
    )
    np.testing.assert_allclose(weighted_vote(np.array([[0.9, 0.5]]), np.zeros(2)), [0.7])


def test_the_three_combiners(eyes):
    X, y = eyes
    members = [("line", LogisticRegression()), ("bayes", GaussianNB())]
    models = {
        method: NetworkCombinerClassifier(members, method=method, random_state=0).fit(X, y)
        for method in ("network", "vote", "both")
    }
    p = {method: model.predict_proba(X)[:, 1] for method, model in models.items()}
    np.testing.assert_allclose(p["both"], (p["network"] + p["vote"]) / 2)
    model = models["vote"]
    given = np.column_stack([member.predict_proba(X)[:, 1] for member in model.estimators_])
    np.testing.assert_allclose(p["vote"], weighted_vote(given, model.accuracies_))
    bins = np.minimum((8 * given).astype(int), 7)
    np.testing.assert_allclose(p["network"], model.cpd_[bins[:, 0], bins[:, 1]])
    np.testing.assert_allclose(model.cpd_, mean_filter(model.raw_cpd_))
    for scores in p.values():
        assert roc_auc_score(y, scores) > 0.9


def test_each_of_several_classes_has_a_table():
    rng = np.random.default_rng(0)
    y = np.arange(240) % 3
    X = rng.normal(size=(240, 3)) + 2 * np.eye(3)[y]
    members = [("line", LogisticRegression()), ("bayes", GaussianNB())]
    model = NetworkCombinerClassifier(members, random_state=0).fit(X, y)
    assert model.cpd_.shape == (3, 8, 8)
    given = np.stack([member.predict_proba(X) for member in model.estimators_], axis=-1)
    bins = np.minimum((8 * given).astype(int), 7)
    said = np.stack([model.cpd_[k][bins[:, k, 0], bins[:, k, 1]] for k in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), said / said.sum(axis=1, keepdims=True))
    assert model.score(X, y) > 0.8


def test_bad_members_of_a_combiner(eyes):
    X, y = eyes
    with pytest.raises(ValueError, match="cv must give at least one fold; got 0"):
        NetworkCombinerClassifier(cv=[]).fit(X, y)
    for members, message in [
        ([("one", GaussianNB())], r"estimators must hold two pairs \(name, classifier\)"),
        ([("a", GaussianNB()), ("b", object())], "estimators must have predict_proba; 'b'"),
    ]:
        with pytest.raises(ValueError, match=message):
            NetworkCombinerClassifier(members).fit(X, y)
    nested = NetworkCombinerClassifier([("a", GaussianNB()), ("b", GaussianNB())])
    assert nested.set_params(a__var_smoothing=0.5).estimators[0][1].var_smoothing == 0.5


def test_a_given_graph_passes_the_checks_of_scikit_learn():
    assert check_estimator(BayesianNetworkClassifier(structure="given"), on_skip=None)


# -- eyes ------------------------------------------------------------------------------------------


def test_made_eyes_follow_their_network():
    X, y, network = make_field_and_nerve(20_000, 1.0, random_state=0, return_network=True)
    assert abs(y.mean() - 0.5) < 0.02
    for i in range(6):
        assert network.parents(f"nerve{i}") == ("class",)
        assert network.parents(f"field{i}") == (f"nerve{i}", "class")
        for c in (0, 1):
            shares = np.bincount(X[y == c, i], minlength=3) / (y == c).sum()
            assert np.abs(shares - network.probabilities[f"nerve{i}"][c]).max() < 0.02
    X, y = make_field_and_nerve(20_000, 0.0, random_state=0)
    assert np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)).max() < 0.03
    frame, labels = make_field_and_nerve(5, random_state=0, as_frame=True)
    assert list(frame.columns[:2]) == ["nerve0", "nerve1"]
    assert set(labels) <= {"healthy", "glaucoma"}
    with pytest.raises(ValueError, match="severity must be a number from 0 to 1; got 2"):
        make_field_and_nerve(5, 2)

"""`include` and `exclude`: the same meaning in every selector and decomposition."""

import warnings

import numpy as np
import pandas as pd
import pytest
from families import ESTIMATORS, GRAPHS, GREEDY, SELECTORS, example
from greedy_twins import CRITERIA, search_slow
from hypothesis import given, settings
from hypothesis import strategies as st

import ensfs
from ensfs import (
    CFS,
    CMIM,
    FCBF,
    IAMB,
    JMI,
    MIM,
    MMPC,
    MRMR,
    FastEnsemble,
    ForwardSelection,
    HybridCausalSelector,
    InnerEnsemble,
    L1Path,
    OracleTest,
    PCSelector,
    RankEnsemble,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
    TPDASelector,
)
from ensfs.causal._base import CausalSelector
from ensfs.decomposition._base import BaseDecomposition

DECOMPOSITIONS = [c for c in ESTIMATORS if issubclass(c, BaseDecomposition)]
ids = {"ids": lambda c: c.__name__}


def with_choice(estimator, **choice):
    """The estimator, or the selector that it runs, with columns chosen."""
    parameters = estimator.get_params(deep=False)
    if "exclude" in parameters:
        return estimator.set_params(**{k: v for k, v in choice.items() if k in parameters})
    assert "selector" in parameters  # nothing that selects is without the choice
    return estimator.set_params(selector=MRMR(4, **choice))


@pytest.fixture(scope="module")
def table():
    """Columns of all strengths, some of which repeat others, and three classes."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 9))
    X[:, :4] += np.array([2.0, 1.2, 0.8, 1.0]) * y[:, None]
    X[:, 4] = X[:, 0] + 0.3 * rng.normal(size=150)
    return pd.DataFrame(X, columns=list("abcdefghi")), y


def rows_of(fitted):
    """What is said of every column, by name, but for the reason of columns that are chosen."""
    rows = {row["feature"]: dict(row) for row in fitted.explain()}
    for row in rows.values():
        row.pop("reason", None)
    return rows


def same(a, b):
    return a == b or (a != a and b != b)


# ---------------------------------------------------------------- exclude


@pytest.mark.filterwarnings("ignore:Only .* columns:UserWarning", "ignore:.*had too few rows")
@pytest.mark.filterwarnings("ignore:Only .* subsets could be made:UserWarning")
@pytest.mark.parametrize("c", [*SELECTORS, *DECOMPOSITIONS], **ids)
def test_excluded_is_dropped(c, table):
    X, y = table
    out = ["h", "a"]
    fitted = with_choice(example(c), exclude=out).fit(X, y)
    dropped = with_choice(example(c), exclude=None).fit(X.drop(columns=out), y)
    assert fitted.n_features_in_ == 9
    kept = [j for j, name in enumerate(X.columns) if name not in out]
    if hasattr(fitted, "indices_"):
        np.testing.assert_array_equal(fitted.indices_, np.array(kept)[dropped.indices_])
        np.testing.assert_array_equal(fitted.scores_[kept], dropped.scores_)
        np.testing.assert_array_equal(fitted.ranking_[kept], dropped.ranking_)
        assert np.isnan(fitted.scores_[[0, 7]]).all()
        assert fitted.transform(X).shape == (150, dropped.indices_.size)
    else:
        for found, expected in zip(fitted.subsets_, dropped.subsets_, strict=True):
            np.testing.assert_array_equal(found, np.array(kept)[expected])
    if hasattr(fitted, "relevance_"):
        np.testing.assert_array_equal(fitted.relevance_[kept], dropped.relevance_)
        assert np.isnan(fitted.relevance_[[0, 7]]).all()
    rows, expected = rows_of(fitted), rows_of(dropped)
    for name in X.columns[kept]:
        assert rows[name].keys() == expected[name].keys()
        assert all(same(rows[name][key], expected[name][key]) for key in rows[name]), name
    for name in out:
        assert fitted.explain(name)["reason"] == ["excluded"]


@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_ways_to_name_columns(c, table):
    X, y = table
    mask = np.isin(X.columns, ["a", "h"])
    found = [
        with_choice(example(c), exclude=how).fit(X, y).indices_.tolist()
        for how in (["h", "a"], [7, 0], [-2, 0], mask, mask.tolist(), pd.Index(["a", "h"]))
    ]
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize("exclude", [["when", "mess"], [True, False, False, True]])
def test_excluded_columns_are_not_looked_at(exclude):
    """Neither dates nor lists nor text are in the way if they are not there."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    frame = pd.DataFrame({"when": pd.date_range("2020", periods=40), "x": rng.normal(size=40) + y})
    frame["z"], frame["mess"] = rng.normal(size=40), [[i] for i in range(40)]
    assert MRMR(1, exclude=exclude).fit(frame, y).get_feature_names_out().tolist() == ["x"]
    values = frame[["z", "x"]].to_numpy(dtype=object)
    values = np.column_stack([np.array([{}] * 40, dtype=object), values])
    assert MRMR(1, exclude=[0]).fit(values, y).indices_.tolist() == [2]


def test_errors_name_the_column_as_it_was_given():
    X = np.random.default_rng(0).normal(size=(20, 4))
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="column 2 has 1 infinite"):
        MRMR(1, exclude=[0]).fit(X, np.arange(20) % 2)


def test_a_share_is_one_of_the_others(table):
    X, y = table
    assert MRMR(0.5, exclude=["a"]).fit(X, y).indices_.size == 4
    assert MRMR(0.5).fit(X, y).indices_.size == 5


def test_discrete_features_mean_the_columns_as_given():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 9, (60, 4)), np.arange(60) % 2
    whole = JMI(2, discrete_features=[2, 3], exclude=[0, 1]).fit(X, y)
    part = JMI(2, discrete_features=True).fit(X[:, 2:], y)
    np.testing.assert_array_equal(whole.indices_ - 2, part.indices_)
    assert whole.cut_points_ == part.cut_points_ == {}
    cut = JMI(2, exclude=[0, 1], discretizer="equal_frequency").fit(X.astype(float), y)
    assert set(cut.cut_points_) == {2, 3}


def test_a_fitted_discretizer_with_excluded_columns(table):
    X, y = table[0].to_numpy(), table[1]
    discretizer = ensfs.EqualFrequencyDiscretizer(3).fit(X)
    whole = JMI(3, discretizer=discretizer, exclude=[0, 4]).fit(X, y)
    kept = [1, 2, 3, 5, 6, 7, 8]
    part = JMI(3, discretizer="equal_frequency").set_params(
        discretizer=ensfs.EqualFrequencyDiscretizer(3)
    )
    np.testing.assert_array_equal(whole.indices_, np.array(kept)[part.fit(X[:, kept], y).indices_])


def test_given_relevance_has_a_number_for_every_column(table):
    X, y = table[0].to_numpy(), table[1]
    numbers = np.array([9, 1, 2, 3, 4, 5, 6, 7, 8.0])
    assert MRMR(1, relevance=numbers, exclude=[0]).fit(X, y).indices_.tolist() == [8]
    with pytest.raises(ValueError, match="for each of 9 columns"):
        MRMR(1, relevance=numbers[1:], exclude=[0]).fit(X, y)


def test_numbers_of_an_oracle_are_those_of_the_columns():
    """x0 -> y -> x2, and x1 beside it."""
    graph = np.zeros((4, 4))
    graph[0, 3] = graph[3, 2] = 1
    X, y = np.random.default_rng(0).integers(0, 2, (40, 3)), np.arange(40) % 2
    for c in (IAMB, MMPC, PCSelector):
        selector = c(test=OracleTest(graph), exclude=[1]).fit(X, y)
        assert sorted(selector.indices_.tolist()) == [0, 2]
        assert selector.explain("x1")["reason"] == ["excluded"]


def test_the_graph_has_the_columns_as_given(table):
    X, y = np.random.default_rng(3).integers(0, 2, (300, 4)), np.arange(300) % 2
    X[:, 3] = y ^ (np.arange(300) % 9 == 0)
    for c in (PCSelector, TPDASelector):
        selector = c(exclude=[0, 1]).fit(X, y)
        assert selector.graph_.nodes.tolist() == [2, 3, 4]
        assert selector.graph_.names == ["x2", "x3", "target"]
        assert selector.indices_.tolist() == selector.neighbours_.tolist() == [3]
        assert selector.separating_sets_[2, 4].tolist() == []


# ---------------------------------------------------------------- include


@pytest.mark.filterwarnings("ignore:Only .* columns:UserWarning", "ignore:.*had too few rows")
@pytest.mark.parametrize("c", SELECTORS, **ids)
def test_included_come_first(c, table):
    X, y = table
    inside = ["i", "b"]  # noise, and a column that is not the best
    fitted = with_choice(example(c), include=inside, exclude=["f"]).fit(X, y)
    assert fitted.indices_[:2].tolist() == [8, 1]
    assert fitted.ranking_[[8, 1]].tolist() == [1, 2]
    assert np.isnan(fitted.scores_[[8, 1]]).all()
    assert not fitted.support_[5]
    assert fitted.explain("i")["reason"] == ["included"]
    if hasattr(fitted, "selection_frequency_"):
        assert (fitted.selection_frequency_[[8, 1]] == 1).all()
    limit = fitted.get_params(deep=False).get("n_features_to_select")
    if limit is not None:
        assert fitted.indices_.size <= limit
        if "exclude" in fitted.get_params(deep=False):
            with pytest.raises(ValueError, match="counts the included columns: include names 2"):
                fitted.set_params(n_features_to_select=1).fit(X, y)
            alone = fitted.set_params(n_features_to_select=2).fit(X, y)
            assert alone.indices_.tolist() == [8, 1]


@pytest.mark.filterwarnings("ignore:Only .* subsets could be made:UserWarning")
@pytest.mark.parametrize("c", DECOMPOSITIONS, **ids)
def test_included_are_in_every_subset(c, table):
    X, y = table
    if "include" not in c().get_params():
        assert c is ensfs.PCASubspace
        return
    others = with_choice(example(c), exclude=["i", "b", "f"]).fit(X, y)
    fitted = with_choice(example(c), include=["i", "b"], exclude=["f"]).fit(X, y)
    for found, expected in zip(fitted.subsets_, others.subsets_, strict=True):
        np.testing.assert_array_equal(found, [*expected, 8, 1])
    assert fitted.explain("i")["reason"] == ["included"]
    assert fitted.explain("f")["reason"] == ["excluded"]


def test_classifiers_on_chosen_subsets(table):
    X, y = table
    model = ensfs.DecompositionClassifier(
        decomposition=ensfs.ITDecomposition(2, include=["i"], exclude=["a"]), random_state=0
    ).fit(X, y)
    assert all(8 in columns and 0 not in columns for columns in model.estimators_features_)
    model.predict(X)
    model = ensfs.InputDecimationClassifier(
        n_features_per_class=2, include=["i"], exclude=["a"], random_state=0
    ).fit(X, y)
    assert all(8 in columns and 0 not in columns for columns in model.estimators_features_)


@pytest.mark.parametrize("c", [*GREEDY, FCBF, CFS, MRMR, IAMB, ForwardSelection, L1Path], **ids)
def test_constant_columns_may_be_included(c, table):
    X, y = table
    X = X.assign(c=1.0)
    fitted = c(include=["c", "b"])
    if "n_features_to_select" in fitted.get_params():
        fitted.set_params(n_features_to_select=4)
    fitted.fit(X, y)
    assert fitted.indices_[:2].tolist() == [2, 1]
    assert np.isfinite(fitted.scores_[fitted.indices_[2:]]).all()


@settings(max_examples=40)
@given(
    name=st.sampled_from(sorted(CRITERIA)),
    seed=st.integers(0, 10_000),
    levels=st.integers(2, 3),
    included=st.lists(st.integers(0, 5), unique=True, max_size=3),
    k=st.integers(0, 3),
)
def test_greedy_searches_begin_with_included_columns(name, seed, levels, included, k):
    """By the definition: they are selected, and the others have terms with them."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, levels, (24, 6)), rng.integers(0, 2, 24)
    X[0], X[1] = 0, 1
    y[0], y[1] = 0, 1
    k = max(1, len(included) + k)
    expected, scores, _ = search_slow(name, X, y, k, included=included)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*relevance 0")
        selector = CRITERIA[name](k, include=included, discrete_features=True).fit(X, y)
    assert selector.indices_.tolist() == expected
    assert selector.scores_[expected] == pytest.approx(scores, abs=1e-9, nan_ok=True)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), included=st.lists(st.integers(0, 5), unique=True, max_size=3))
def test_forward_selection_is_least_squares(seed, included):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 6)), rng.normal(size=40)
    selector = ForwardSelection(5, include=included, tolerance=0.0).fit(X, y)

    def explained(columns):
        design = np.column_stack([np.ones(40), X[:, columns]])
        left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        return 1 - (left @ left) / ((y - y.mean()) @ (y - y.mean()))

    chosen = list(included)
    for _ in range(5 - len(included)):
        chosen.append(max(set(range(6)) - set(chosen), key=lambda f: explained([*chosen, f])))
    assert selector.indices_.tolist() == chosen
    free = chosen[len(included) :]
    gains = [
        explained(chosen[: chosen.index(f) + 1]) - explained(chosen[: chosen.index(f)])
        for f in free
    ]
    assert selector.scores_[free] == pytest.approx(gains, abs=1e-9)


def test_included_columns_have_no_penalty_in_the_path(table):
    """The lasso on what a regression on the included columns leaves of the others."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 5))
    y = X @ [2.0, 1.0, 0.5, 0.0, 0.0] + rng.normal(size=80)
    selector = L1Path(4, include=[1]).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    t = (y - y.mean()) / y.std()
    left = Z - np.outer(Z[:, 1], Z[:, 1] @ Z) / 80
    t = t - Z[:, 1] * (Z[:, 1] @ t) / 80
    penalties = np.abs(left.T @ t) / 80
    first = int(np.argmax(penalties))
    assert selector.indices_[:2].tolist() == [1, first]
    assert selector.scores_[first] == pytest.approx(penalties[first], rel=1e-9)


# ---------------------------------------------------------------- the worked example


Y = np.array(list("000000111111"))
F = np.array(
    [list(f) for f in ("000001111110", "000011111100", "000001111101", "010101010101", "0" * 12)]
    + [list("000001111110")]
).T


def test_worked_example_of_filters():
    selector = FCBF(include=[1]).fit(F, Y)
    assert selector.indices_.tolist() == [1, 0]
    assert selector.removed_by_.tolist() == [-1, -1, 0, -2, -2, 0]
    assert FCBF(include=[3]).fit(F, Y).indices_.tolist() == [3, 0]
    assert FCBF(exclude=[0]).fit(F, Y).indices_.tolist() == [2]
    selector = CFS("forward", include=[1]).fit(F, Y)
    assert selector.indices_[0] == 1
    assert set(selector.indices_.tolist()) == {1, 0, 2, 5}
    assert selector.merit_ == pytest.approx(0.3671558254, abs=1e-10)
    selector = CFS("forward", exclude=[0]).fit(F, Y)
    assert set(selector.indices_.tolist()) == {2, 5}
    assert selector.merit_ == pytest.approx(0.4259826804, abs=1e-10)


def test_worked_example_of_information():
    selector = CMIM(3, correction=None, include=[1]).fit(F, Y)
    assert selector.indices_.tolist() == [1, 0, 2]
    assert selector.scores_[[1, 0, 2]] == pytest.approx(
        [np.nan, 0.3166890883, 0.3166890883], abs=1e-10, nan_ok=True
    )
    selector = CMIM(3, correction=None, exclude=[0]).fit(F, Y)
    assert selector.indices_.tolist() == [2, 5, 1]
    assert selector.scores_[[2, 5, 1]] == pytest.approx(
        [0.3499775784, 0.3492190488, 0.0484156759], abs=1e-10
    )
    selector = JMI(3, correction=None, include=[3]).fit(F, Y)
    assert selector.indices_.tolist() == [3, 0, 2]
    assert selector.scores_[[3, 0, 2]] == pytest.approx(
        [np.nan, 0.5408520830, 1.1583445442], abs=1e-10, nan_ok=True
    )


A = [1, 2, 9, 4, 2, 3, 6, 5, 5, 7, 0, 6]
B = [2, 1, 3, 3, 5, 4, 4, 6, 8, 8, 7, 9]
Q = [0, 0, 1, 0, 1, 0, 2, 1, 2, 2, 1, 2]
E = [3, 1, 2, 5, 2, 4, 3, 2, 6, 4, 1, 5]
NUMBERS = np.array([A, B, Q, E], dtype=float).T


def test_worked_example_of_numbers():
    selector = MRMR(3, scheme="FCQ").fit(NUMBERS, Y)
    relevance = [0.7373271889, 18.4615384615, 20, 0.4705882353]
    assert selector.relevance_ == pytest.approx(relevance, rel=1e-9)
    assert selector.indices_.tolist() == [2, 1, 0]
    assert selector.scores_[[2, 1, 0]] == pytest.approx([20, 23.6415061906, 1.8154672703])
    selector = MRMR(3, scheme="FCQ", include=[3]).fit(NUMBERS, Y)
    assert selector.indices_.tolist() == [3, 2, 1]
    assert selector.scores_[[3, 2, 1]] == pytest.approx(
        [np.nan, 61.6225067109, 30.5717984234], rel=1e-9, nan_ok=True
    )


# ---------------------------------------------------------------- blankets and graphs


@pytest.fixture(scope="module")
def chain():
    """y causes a, a causes b, b causes c; d is noise."""
    rng = np.random.default_rng(7)

    def noisy(x, share):
        return x ^ (rng.random(x.size) < share)

    y = rng.integers(0, 2, 2000)
    a = noisy(y, 0.1)
    b = noisy(a, 0.1)
    c = noisy(b, 0.1)
    return np.column_stack([a, b, c, rng.integers(0, 2, 2000)]), y


@pytest.mark.parametrize("c", [c for c in SELECTORS if issubclass(c, CausalSelector)], **ids)
def test_included_columns_condition_and_stay(c, chain):
    X, y = chain
    how = {"keep": "adjacent"} if c in GRAPHS else {}
    assert c(**how).fit(X, y).indices_.tolist() == [0]
    selector = c(include=[1], **how).fit(X, y)
    assert selector.indices_.tolist() == [1, 0]  # b does not separate a from y
    assert c(include=[0], **how).fit(X, y).indices_.tolist() == [0]
    selector = c(include=[0], exclude=[1], **how).fit(X, y)  # a separates c without b
    assert selector.indices_.tolist() == [0]
    assert selector.explain("x0")["reason"] == ["included"]
    assert c(exclude=[0], **how).fit(X, y).indices_.tolist() == [1]


def test_steps_of_a_hybrid_begin_with_included_columns(chain):
    X, y = chain
    selector = HybridCausalSelector(include=[3], exclude=[0]).fit(X, y)
    assert selector.indices_.tolist() == [3, 1]
    assert selector.candidates_[0] == 3
    assert 0 not in selector.candidates_
    with pytest.raises(ValueError, match="include belongs to HybridCausalSelector"):
        HybridCausalSelector(causal=IAMB(include=[1])).fit(X, y)
    foreign = HybridCausalSelector(ensfs.L1Path(2), include=[3], exclude=[0]).fit(X, y)
    assert foreign.indices_[0] == 3
    assert 0 not in foreign.candidates_


def test_too_many_included_columns_for_tests():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (60, 8)), np.arange(60) % 2
    with pytest.warns(UserWarning, match="include names so many columns"):
        IAMB(include=[0, 1, 2, 3]).fit(X, y)


# ---------------------------------------------------------------- ensembles, sizes and blocks


def test_parts_begin_with_included_columns(table):
    X, y = table
    for selector in (MRMR(4), JMI(4), FCBF(), CFS(), IAMB()):
        selector.set_params(include=["i"], exclude=["a"])
        ensemble = FastEnsemble(selector, n_parts=4).fit(X, y)
        assert all(part[0] == 8 and 0 not in part for part in ensemble.part_selections_)
        for t, part in enumerate(ensemble.part_selections_):
            rows = np.arange(150) % 4 != t
            if not ensemble.cut_points_:
                alone = selector.fit(X[rows], y[rows]).indices_
                np.testing.assert_array_equal(part, alone)


def test_a_stable_selection_does_not_count_included_columns(table):
    X, y = table
    chosen = StabilitySelector(MRMR(4, include=["i"], exclude=["a"]), n_pairs=10, threshold=0.9)
    chosen.fit(X, y)
    assert chosen.mean_size_ == 3
    assert chosen.error_bound_ == pytest.approx(
        ensfs.evaluation.stability_bound(3, 7, 0.9, 10), rel=1e-12
    )
    forest = StabilitySelector(
        ensfs.ForestImportance(3, include=["i"], exclude=["a"], n_estimators=20, random_state=0),
        n_pairs=2, threshold=0.6,
    ).fit(X, y)  # fmt: skip
    assert forest.indices_[0] == 8
    assert not forest.support_[0]


def test_sizes_begin_with_the_included_columns(table):
    X, y = table
    search = SelectorCV(MRMR(include=["i", "h"], exclude=["a"]), cv=3).fit(X, y)
    assert search.cv_results_["size"].tolist() == [2, 3, 5, 7, 8]
    assert search.indices_[:2].tolist() == [8, 7]
    with pytest.raises(ValueError, match="sizes counts the included columns"):
        SelectorCV(MRMR(include=["i", "h"]), sizes=[1, 3], cv=3).fit(X, y)


def test_members_of_a_rank_ensemble(table):
    X, y = table
    ensemble = RankEnsemble(
        [("forward", ForwardSelection()), ("path", L1Path())], 3, include=["i"], exclude=["a"]
    ).fit(X, y)
    assert ensemble.indices_[0] == 8
    assert all(order[0] == 8 and 0 not in order for each in ensemble.orders_ for order in each)


@pytest.mark.parametrize("k", [3, "auto"])
@pytest.mark.parametrize("c", [*GREEDY, MRMR, FCBF, CFS], **ids)
def test_blocks(c, k):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 120)
    X = rng.integers(0, 3, (120, 6))
    X[:, 2] = np.where(rng.random(120) < 0.6, y, X[:, 2])
    X[:, 4] = np.where(rng.random(120) < 0.6, y, X[:, 4])
    blocks = RowBlocks([(X[i : i + 50], y[i : i + 50]) for i in range(0, 120, 50)])
    if k == "auto" and c in (FCBF, CFS):
        k = None
    how = {"n_features_to_select": k, "include": [5], "exclude": [2], "discrete_features": True}
    inside, outside = c(**how).fit(X, y), c(**how).fit(blocks)
    np.testing.assert_array_equal(inside.indices_, outside.indices_)
    np.testing.assert_array_equal(inside.scores_, outside.scores_)
    np.testing.assert_array_equal(inside.relevance_, outside.relevance_)
    ensemble = FastEnsemble(c(**how), n_parts=3)
    np.testing.assert_array_equal(ensemble.fit(X, y).indices_, ensemble.fit(blocks).indices_)
    if k == 3:
        inner = InnerEnsemble(c(**how), n_parts=3)
        np.testing.assert_array_equal(inner.fit(X, y).indices_, inner.fit(blocks).indices_)
        assert inner.indices_[0] == 5


def test_blocks_of_numbers(table):
    X, y = table[0].to_numpy(), table[1]
    blocks = RowBlocks([(X[i : i + 40], y[i : i + 40]) for i in range(0, 150, 40)])
    for selector in (MRMR(4), MRMR("auto"), ForwardSelection(4)):
        selector.set_params(include=[8], exclude=[0])
        np.testing.assert_array_equal(selector.fit(X, y).indices_, selector.fit(blocks).indices_)
        assert selector.indices_[0] == 8
        assert 0 not in selector.indices_


def test_tests_are_given_the_included_columns():
    """ "auto": a copy of an included column does not enter, and the level is that of the others."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    X = rng.integers(0, 2, (300, 6))
    X[:, 0] = np.where(rng.random(300) < 0.7, y, X[:, 0])
    X[:, 1] = X[:, 0]
    X[:, 2] = np.where(rng.random(300) < 0.6, y, X[:, 2])
    for c in (CMIM, JMI, MRMR):
        how = {"relevance": "mutual_information"} if c is MRMR else {}
        selector = c("auto", include=[1], exclude=[5], **how).fit(X, y)
        assert selector.indices_.tolist() == [1, 2]
        assert np.isnan(selector.entry_pvalues_[[1, 5]]).all()
        assert selector.entry_pvalues_[0] == 1
    selector = MIM("auto", include=[4], min_features_to_select=4).fit(X, y)
    assert selector.indices_.tolist()[:4] == [4, 0, 1, 2]
    noise = rng.integers(0, 2, (300, 5))
    with pytest.warns(UserWarning, match="only 0 of 3 columns pass the test at 0.00333"):
        selector = CMIM(
            "auto", include=[4], exclude=[0], min_features_to_select=3, expected_false=0.01
        ).fit(noise, y)
    assert selector.indices_.size == 3
    assert selector.indices_[0] == 4


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"include": ["a"], "exclude": ["b", "a"]}, "include and exclude both name column 'a'"),
        ({"include": ["nobody"]}, r"include names columns that X does not have: \['nobody'\]"),
        ({"exclude": [3, 12]}, r"exclude names columns \[12\], but X has 9 columns"),
        ({"exclude": ["a", "a"]}, "exclude names column 'a' more than once"),
        ({"include": [0, -9]}, "include names column 'a' more than once"),
        ({"exclude": list("abcdefghi")}, "exclude name all 9 column"),
        ({"include": [True, False]}, "include is a mask of length 2, but X has 9 columns"),
        ({"exclude": "a"}, "exclude"),
        ({"exclude": [[0, 1]]}, "exclude must be one-dimensional"),
        ({"include": [0.5]}, "include must be"),
    ],
)
def test_wrong_choices(choice, message, table):
    for c in (MRMR, FCBF, IAMB, ensfs.ACE, ensfs.ITDecomposition):
        with pytest.raises(ValueError, match=message):
            c(**choice).fit(*table)

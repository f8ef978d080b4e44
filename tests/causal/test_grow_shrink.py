"""Markov blankets against plain programs, true graphs and the worked examples."""

import importlib.util
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from ensfs import (
    IAMB,
    MMPC,
    FastEnsemble,
    GrowShrink,
    InnerEnsemble,
    InterIAMB,
    OracleTest,
    RowBlocks,
)

spec = importlib.util.spec_from_file_location("twins", Path(__file__).parent / "causal_twins.py")
twins = importlib.util.module_from_spec(spec)
spec.loader.exec_module(twins)

LOCAL = [GrowShrink, IAMB, InterIAMB]
MMMB = {"spouses": True}


@pytest.mark.parametrize("c", [*LOCAL, lambda: MMPC(spouses=True)])
@pytest.mark.parametrize(
    ("cells", "blankets"),
    [
        (twins.CHAIN, ["B", "AC", "B"]),
        (twins.COLLIDER, ["BC", "AC", "AB"]),
    ],
)
def test_worked_examples(c, cells, blankets):
    table = twins.table_of(cells)
    for j, blanket in enumerate(blankets):
        selector = c().fit(*twins.without(table, j))
        assert twins.names_of(selector.markov_blanket_, j) == set(blanket)
        assert set(selector.indices_) == set(selector.markov_blanket_)


def test_parents_and_children_of_the_worked_examples():
    for cells, found in ((twins.CHAIN, ["B", "AC", "B"]), (twins.COLLIDER, ["C", "C", "AB"])):
        for j, neighbours in enumerate(found):
            selector = MMPC().fit(*twins.without(twins.table_of(cells), j))
            assert twins.names_of(selector.neighbours_, j) == set(neighbours)
            np.testing.assert_array_equal(selector.markov_blanket_, selector.neighbours_)


def test_numbers_of_the_worked_examples():
    a_from = IAMB().fit(*twins.without(twins.table_of(twins.CHAIN), 0))
    np.testing.assert_allclose(a_from.relevance_, [0.278072, 0.095619], atol=5e-7)
    np.testing.assert_allclose(a_from.scores_, [0.278072, np.nan], atol=5e-7)
    np.testing.assert_array_equal(a_from.separating_sets_[1], [0])
    assert a_from.pvalues_[1] == 1
    a_from = IAMB().fit(*twins.without(twins.table_of(twins.COLLIDER), 0))
    np.testing.assert_allclose(a_from.relevance_, [0, 0.146793], atol=5e-7)
    np.testing.assert_allclose(a_from.scores_, [0.118709, 0.146793], atol=5e-7)
    assert a_from.indices_.tolist() == [1, 0]
    assert a_from.roles_ == {1: "neighbour or spouse", 0: "spouse"}


def test_a_scan_by_index_starts_again_after_each_addition():
    """B is independent of A until C is given: without another scan it would be lost."""
    X, y = twins.without(twins.table_of(twins.COLLIDER), 0)
    selector = GrowShrink(order="index").fit(X, y)
    assert selector.indices_.tolist() == [1, 0]


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    alpha=st.sampled_from([0.01, 0.2]),
    h=st.sampled_from([0, 2, 5]),
)
def test_plain_programs_find_the_same(seed, alpha, h):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 150)), int(rng.integers(2, 6))
    table = twins.sample(twins.random_dag(rng, p + 1), n, rng)
    table[:, 0] += table[:, p - 1] & (rng.random(n) < 0.5)  # a third level
    table = np.column_stack([np.unique(c, return_inverse=True)[1] for c in table.T])
    test = twins.SlowTests(table, alpha, h)
    X, y = table[:, :-1], table[:, -1]
    parameters = {"alpha": alpha, "samples_per_df": h}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        index = GrowShrink(order="index", **parameters).fit(X, y)
        by_strength = GrowShrink(**parameters).fit(X, y)
        iamb = IAMB(**parameters).fit(X, y)
        inter = InterIAMB(**parameters).fit(X, y)
    assert index.indices_.tolist() == twins.grow_shrink_slow(test, p, range(p))
    order = np.argsort(-np.round(by_strength.relevance_, 12), kind="stable").tolist()
    assert by_strength.indices_.tolist() == twins.grow_shrink_slow(test, p, order)
    assert iamb.indices_.tolist() == twins.iamb_slow(test, p)
    assert inter.indices_.tolist() == twins.inter_iamb_slow(test, p)


@pytest.mark.parametrize("c", [*LOCAL, lambda **k: MMPC(spouses=True, max_conditioning=None, **k)])
def test_true_graphs_give_true_blankets(c):
    rng = np.random.default_rng(0)
    for _ in range(12):
        n = int(rng.integers(2, 9))
        dag = twins.random_dag(rng, n, 0.35)
        for j in range(n):
            selector = c(test=OracleTest(dag, target=j)).fit(*twins.without(np.eye(n), j))
            nodes = np.delete(np.arange(n), j)
            assert set(nodes[selector.markov_blanket_]) == twins.blanket_of(dag, j)


def test_spouses_need_a_separating_set():
    """Asia: without a search for what separates them, dysp would be a spouse of tub."""
    asia = {
        "asia": [], "tub": ["asia"], "smoke": [], "lung": ["smoke"], "bronc": ["smoke"],
        "either": ["tub", "lung"], "xray": ["either"], "dysp": ["bronc", "either"],
    }  # fmt: skip
    names = list(asia)
    for j, name in enumerate(names):
        selector = MMPC(spouses=True, test=OracleTest(asia, target=name))
        selector.fit(*twins.without(np.eye(8), j))
        dag = np.array([[a in asia[b] for b in names] for a in names])
        found = set(np.delete(np.arange(8), j)[selector.markov_blanket_])
        assert found == twins.blanket_of(dag, j)


def test_symmetry():
    """One-sided, a descendant can look like a neighbour; it does not see the target as one."""
    dag = {"t": [], "a": ["t"], "b": ["a", "c"], "c": [], "y": ["t"]}
    one_sided = MMPC(symmetric=False, test=OracleTest(dag)).fit(*twins.without(np.eye(5), 4))
    both = MMPC(test=OracleTest(dag)).fit(*twins.without(np.eye(5), 4))
    assert set(both.neighbours_) <= set(one_sided.neighbours_)
    assert both.neighbours_.tolist() == [0]


def test_many_rows_of_a_faithful_network():
    rng = np.random.default_rng(3)
    dag = twins.random_dag(rng, 7, 0.35)
    table = twins.sample(dag, 50_000, rng)
    for j in range(7):
        X, y = twins.without(table, j)
        nodes = np.delete(np.arange(7), j)
        for c in LOCAL:
            assert set(nodes[c(0.001).fit(X, y).markov_blanket_]) == twins.blanket_of(dag, j)


def test_continuous_columns():
    rng = np.random.default_rng(0)
    n = 2000
    cause, other, noise = rng.standard_normal((3, n))
    y = cause + 0.5 * rng.standard_normal(n)
    effect = y + other + 0.5 * rng.standard_normal(n)
    X = np.column_stack([noise, cause, other, effect, cause])
    for c in LOCAL:
        assert c().fit(X, y).markov_blanket_.tolist() == [1, 2, 3]
    assert MMPC(spouses=True).fit(X[:, :4], y).markov_blanket_.tolist() == [1, 2, 3]
    blocks = RowBlocks([(X[i : i + 300], y[i : i + 300]) for i in range(0, n, 300)])
    in_memory, streamed = IAMB().fit(X, y), IAMB().fit(blocks)
    np.testing.assert_array_equal(in_memory.pvalues_, streamed.pvalues_)


def test_continuous_columns_and_classes():
    """With "auto" the columns are cut; a test of discrete columns asked for by name refuses."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.standard_normal((500, 3))
    X[:, 1] += 2 * y
    selector = IAMB().fit(X, y)
    assert selector.markov_blanket_.tolist() == [1]
    assert 1 in selector.cut_points_
    for test in ("g2", "mi", "permutation"):
        with pytest.raises(ValueError, match="column 0 is continuous and cannot be coded"):
            IAMB(test=test).fit(X, y)
    with pytest.raises(ValueError, match="continuous"):
        IAMB(test="g2").fit((X > 0).astype(int), X[:, 0])
    with pytest.raises(ValueError, match="text"):
        IAMB(test="fisherz").fit(X, np.where(y, "a", "b"))


@pytest.mark.parametrize("c", [*LOCAL, MMPC])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0), ("alpha", 1), ("alpha", -0.1), ("alpha", "0.01"), ("test", "chi2"),
        ("test", None), ("df", "none"), ("samples_per_df", -1), ("max_conditioning", -1),
        ("max_conditioning", 1.5), ("threshold", -0.1), ("n_permutations", 0),
        ("discretizer", "best"),
    ],
)  # fmt: skip
def test_bad_parameters(c, name, value):
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match=name):
        c(**{name: value}).fit(X, y)


def test_bad_orders():
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match="order"):
        GrowShrink(order="random").fit(X, y)


def test_too_few_rows_are_told():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 3)), rng.integers(0, 4, 40)
    for c in [*LOCAL, MMPC]:
        with pytest.warns(UserWarning, match="3 of 3 tests had too few rows"):
            selector = c().fit(X, y)
        assert selector.indices_.size == 0
        assert np.isnan(selector.pvalues_).all()
        assert selector.explain()["test"] == ["too few rows"] * 3


def test_permutations_work_with_few_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 40)
    X = np.column_stack([rng.integers(0, 4, 40), y ^ (rng.random(40) < 0.2)])
    selector = IAMB(test="permutation", n_permutations=200).fit(X, y)
    assert selector.markov_blanket_.tolist() == [1]
    again = clone(selector).fit(X, y)
    np.testing.assert_array_equal(selector.pvalues_, again.pvalues_)
    assert IAMB(df="perm", n_permutations=200).fit(X, y).markov_blanket_.tolist() == [1]


def test_edges_of_the_data():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 3))
    X[:, 2] = 1
    for c in [*LOCAL, MMPC]:
        with pytest.warns(UserWarning, match="y is constant"):
            assert c().fit(X, np.ones(200)).indices_.size == 0
        copies = c().fit(np.column_stack([X, X[:, 0], X[:, 0]]), X[:, 0] ^ (rng.random(200) < 0.1))
        assert copies.markov_blanket_.tolist() == ([] if c is MMPC else [0])


@pytest.mark.parametrize("c", [*LOCAL, MMPC])
def test_independent_columns(c):
    X = np.random.default_rng(5).integers(0, 2, (1000, 6))
    assert c(0.001).fit(X[:, 1:], X[:, 0]).indices_.size == 0


def test_at_most_so_many_are_given():
    rng = np.random.default_rng(0)
    dag = np.zeros((6, 6), dtype=bool)
    dag[:5, 5] = True
    table = twins.sample(dag, 5000, rng, 0.5)
    for most in (0, 1, 2):
        selector = IAMB(max_conditioning=most).fit(table[:, :5], table[:, 5])
        assert selector.indices_.size == most + 1
        assert max(len(each) for each in selector.separating_sets_.values() or [()]) <= most


@pytest.mark.parametrize("c", [*LOCAL, MMPC, lambda **k: MMPC(spouses=True, **k)])
@pytest.mark.parametrize(
    "parameters", [{}, {"df": "adjusted"}, {"test": "mi"}, {"test": "fisherz"}]
)
def test_parts_of_an_ensemble(c, parameters):
    """Each part equals the selector on its rows, though all are counted together."""
    rng = np.random.default_rng(1)
    table = twins.sample(twins.random_dag(rng, 12, 0.3), 400, rng)
    table[:, 3] += table[:, 4]
    X, y = table[:, 1:], table[:, 0]
    if parameters.get("test") == "fisherz":
        X = X + rng.standard_normal(X.shape)
    ensemble = FastEnsemble(c(**parameters), n_parts=4).fit(X, y)
    for t, columns in enumerate(ensemble.part_selections_):
        rows = np.arange(400) % 4 != t
        alone = c(**parameters).fit(X[rows], y[rows])
        assert columns.tolist() == alone.indices_.tolist()
    votes = sum(np.isin(np.arange(11), columns) for columns in ensemble.part_selections_)
    assert set(ensemble.indices_) == set(np.nonzero(votes >= 2)[0])
    two = FastEnsemble(c(**parameters), n_parts=4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(two.scores_, ensemble.scores_)


def test_parts_of_permutations():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 4))
    y = X[:, 1] ^ (rng.random(60) < 0.2)
    selector = IAMB(test="permutation", n_permutations=100)
    for t, columns in enumerate(FastEnsemble(selector, n_parts=3).fit(X, y).part_selections_):
        rows = np.arange(60) % 3 != t
        assert columns.tolist() == clone(selector).fit(X[rows], y[rows]).indices_.tolist()


def test_no_average_over_parts():
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match="averaged over parts"):
        InnerEnsemble(IAMB(), n_parts=3).fit(X, y)


def test_discrete_row_blocks_are_refused():
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match="need the table in memory"):
        IAMB().fit(RowBlocks([(X[::2], y[::2]), (X[1::2], y[1::2])]))


def test_bagging():
    X, y = twins.without(twins.table_of(twins.COLLIDER), 2)
    for c in [*LOCAL, MMPC]:
        bagging = BaggingClassifier(
            make_pipeline(c(), BernoulliNB()), n_estimators=3, random_state=0
        )
        assert bagging.fit(X, y).score(X, y) > 0.6


def test_threads_and_memory_order_change_nothing():
    rng = np.random.default_rng(2)
    table = twins.sample(twins.random_dag(rng, 15, 0.3), 1000, rng)
    X, y = table[:, 1:], table[:, 0]
    for c in [*LOCAL, MMPC]:
        one = c().fit(np.ascontiguousarray(X), y)
        two = c(n_jobs=2).fit(np.asfortranarray(X), y)
        np.testing.assert_array_equal(one.indices_, two.indices_)
        np.testing.assert_array_equal(one.pvalues_, two.pvalues_)
        assert one.n_tests_ == two.n_tests_


def test_explanations():
    X, y = twins.without(twins.table_of(twins.COLLIDER), 0)
    selector = IAMB().fit(pd.DataFrame(X, columns=["other", "child"]), y)
    assert repr(selector.explain()) == (
        "feature  selected  rank  relevance  role                 test       given  p-value\n"
        "child    yes       1     0.1468     neighbour or spouse  dependent  other  1.191e-80\n"
        "other    yes       2     0          spouse               dependent  child  1.841e-36"
    )
    assert pickle.loads(pickle.dumps(selector)).explain("child")["given"] == ["other"]


def test_columns_with_many_levels():
    """An identifier has as many levels as rows; nothing can be said of it, and it is quick."""
    rng = np.random.default_rng(0)
    n = 3000
    y = rng.integers(0, 2, n)
    X = pd.DataFrame({"id": [f"r{i}" for i in range(n)], "x": y ^ (rng.random(n) < 0.1)})
    assert IAMB().fit(X, y).markov_blanket_.tolist() == [1]
    free = IAMB(samples_per_df=0).fit(X, y)
    assert free.relevance_[0] == pytest.approx(np.log2(n) - np.log2(n / 2), abs=0.01)
    assert free.markov_blanket_.tolist() == [0]  # which is what was asked for
    target = IAMB(samples_per_df=0).fit(X[["id"]], [f"c{i // 2}" for i in range(n)])
    assert target.relevance_[0] == pytest.approx(np.log2(n / 2), abs=1e-9)

"""PC and TPDA against plain programs, true graphs and the worked examples."""

import pickle

import causal_twins as twins
import numpy as np
import pandas as pd
import pytest
from families import GRAPHS
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from ensfs import FastEnsemble, G2Test, InformationTest, OracleTest, PCSelector, TPDASelector


def edges_of(selector):
    """Directed and undirected edges as sets of pairs."""
    graph = selector.graph_
    return set(map(tuple, graph.directed.tolist())), set(map(tuple, graph.undirected.tolist()))


@pytest.mark.parametrize("c", GRAPHS)
def test_chain(c):
    table = twins.table_of(twins.CHAIN)
    selector = c().fit(table[:, :2], table[:, 2])
    assert edges_of(selector) == (set(), {(0, 1), (1, 2)})
    assert {pair: given.tolist() for pair, given in selector.separating_sets_.items()} == {
        (0, 2): [1]
    }
    assert selector.markov_blanket_.tolist() == selector.neighbours_.tolist() == [1]
    assert selector.roles_ == {1: "neighbour"}
    assert selector.n_conflicts_ == 0


@pytest.mark.parametrize("c", GRAPHS)
def test_collider(c):
    table = twins.table_of(twins.COLLIDER)
    selector = c().fit(table[:, :2], table[:, 2])
    assert edges_of(selector) == ({(0, 2), (1, 2)}, set())
    assert selector.separating_sets_[0, 1].tolist() == []
    assert selector.roles_ == {0: "parent", 1: "parent"}
    from_a = c().fit(table[:, 1:], table[:, 0])
    assert from_a.roles_ == {1: "child", 0: "spouse"}
    assert from_a.neighbours_.tolist() == [1]
    assert from_a.markov_blanket_.tolist() == [0, 1]
    explained = from_a.explain(0)[0]
    assert (explained["reason"], explained["role"], explained["p-value"]) == (
        "separated",
        "spouse",
        1,
    )


def test_drafting_and_thresholds():
    """The collider: information of 0 between the causes never enters the draft."""
    table = twins.table_of(twins.COLLIDER)
    for min_bits, n_selected in ((0.2, 0), (0.1, 2)):
        selector = TPDASelector(test=InformationTest(min_bits)).fit(table[:, :2], table[:, 2])
        assert selector.indices_.size == n_selected


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1), alpha=st.sampled_from([0.01, 0.2]), h=st.sampled_from([0, 5])
)
def test_a_plain_program_finds_the_same_skeleton(seed, alpha, h):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 200)), int(rng.integers(2, 6))
    table = twins.sample(twins.random_dag(rng, p + 1), n, rng)
    table = np.column_stack([np.unique(c, return_inverse=True)[1] for c in table.T])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        selector = PCSelector(alpha, test=G2Test(samples_per_df=h))
        selector.fit(table[:, :-1], table[:, -1])
    adjacent, separating = twins.skeleton_slow(twins.SlowTests(table, alpha, h), p + 1)
    either = selector.graph_.adjacency | selector.graph_.adjacency.T
    assert {x: set(np.nonzero(either[x])[0].tolist()) for x in range(p + 1)} == adjacent
    found = {pair: set(given.tolist()) for pair, given in selector.separating_sets_.items()}
    assert found == separating


def test_true_graphs_give_their_equivalence_class():
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(2, 7))
        dag = twins.random_dag(rng, n, 0.5)
        for sepset in ("first", "majority"):
            selector = PCSelector(sepset=sepset, test=OracleTest(dag))
            selector.fit(np.eye(n)[:, :-1], np.arange(n))
            np.testing.assert_array_equal(selector.graph_.adjacency, twins.equivalence_class(dag))
            assert selector.n_conflicts_ == 0


def test_many_rows_of_a_faithful_network():
    rng = np.random.default_rng(3)
    dag = twins.random_dag(rng, 7, 0.35)
    table = twins.sample(dag, 50_000, rng)
    selector = PCSelector(0.001).fit(table[:, :-1], table[:, -1])
    np.testing.assert_array_equal(selector.graph_.adjacency, twins.equivalence_class(dag))


def test_continuous_columns():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 3000))
    y = a + b + 0.5 * rng.standard_normal(3000)
    effect = y + 0.5 * rng.standard_normal(3000)
    selector = PCSelector().fit(np.column_stack([a, b, effect]), y)
    assert edges_of(selector) == ({(0, 3), (1, 3), (3, 2)}, set())
    assert TPDASelector().fit(np.column_stack([a, b, effect]), y).neighbours_.tolist() == [0, 1, 2]


def test_what_is_kept():
    rng = np.random.default_rng(0)
    dag = np.zeros((6, 6), dtype=bool)  # 0 -> 1 -> target -> 2 <- 3, and 4 alone
    dag[[0, 1, 5, 3], [1, 5, 2, 2]] = True
    for keep, columns in {
        "adjacent": {1, 2},
        "blanket": {1, 2, 3},
        "connected": {0, 1, 2, 3},
    }.items():
        selector = PCSelector(keep=keep, test=OracleTest(dag)).fit(np.zeros((4, 5)), [0, 1, 0, 1])
        assert set(selector.indices_) == columns
        assert set(selector.markov_blanket_) == {1, 2, 3}
    table = twins.sample(dag, 5000, rng)
    selector = TPDASelector(keep="connected").fit(table[:, :5], table[:, 5])
    assert set(selector.indices_) == {0, 1, 2, 3}
    with pytest.raises(ValueError, match="keep"):
        PCSelector(keep="all").fit(table[:, :5], table[:, 5])


def test_at_most_so_many_are_given():
    rng = np.random.default_rng(0)
    table = twins.sample(twins.random_dag(rng, 8, 0.5), 3000, rng)
    for most in (0, 1, 2):
        selector = PCSelector(max_conditioning=most).fit(table[:, :-1], table[:, -1])
        assert max(map(len, selector.separating_sets_.values()), default=0) <= most
    selector = TPDASelector(test=InformationTest(0.001))
    assert selector.fit(table[:, :-1], table[:, -1]).n_capped_ == 0
    selector.set_params(max_conditioning=0)
    assert selector.fit(table[:, :-1], table[:, -1]).n_capped_ > 0


@pytest.mark.parametrize("c", GRAPHS)
@pytest.mark.parametrize("test", ["auto", G2Test("adjusted"), "fisherz"], ids=str)
def test_parts_of_an_ensemble(c, test):
    rng = np.random.default_rng(1)
    table = twins.sample(twins.random_dag(rng, 8, 0.3), 400, rng)
    table[:, 3] += table[:, 4]
    X, y = table[:, 1:], table[:, 0]
    if test == "fisherz":
        X = X + rng.standard_normal(X.shape)
    ensemble = FastEnsemble(c(test=test), n_parts=3).fit(X, y)
    for t, columns in enumerate(ensemble.part_selections_):
        rows = np.arange(400) % 3 != t
        assert columns.tolist() == c(test=test).fit(X[rows], y[rows]).indices_.tolist()


def test_threads_and_memory_order_change_nothing():
    rng = np.random.default_rng(2)
    table = twins.sample(twins.random_dag(rng, 12, 0.3), 1000, rng)
    for c in GRAPHS:
        one = c().fit(np.ascontiguousarray(table[:, 1:]), table[:, 0])
        two = c(n_jobs=2).fit(np.asfortranarray(table[:, 1:]), table[:, 0])
        np.testing.assert_array_equal(one.graph_.adjacency, two.graph_.adjacency)
        np.testing.assert_array_equal(one.pvalues_, two.pvalues_)


def test_order_of_columns_changes_nothing():
    """Of the skeleton; with votes of separating sets of the directions too."""
    rng = np.random.default_rng(4)
    table = twins.sample(twins.random_dag(rng, 9, 0.4), 600, rng)
    X, y = table[:, 1:], table[:, 0]
    order = rng.permutation(8)
    places = np.append(order, 8)
    for sepset in ("first", "majority"):
        selector = PCSelector(sepset=sepset)
        one = selector.fit(X, y).graph_.adjacency[np.ix_(places, places)]
        other = selector.fit(X[:, order], y).graph_.adjacency
        np.testing.assert_array_equal(one | one.T, other | other.T)
        if sepset == "majority":
            np.testing.assert_array_equal(one, other)


def test_names_and_pickles():
    table = twins.table_of(twins.COLLIDER)
    frame = pd.DataFrame(table[:, :2], columns=["left", "right"])
    selector = pickle.loads(pickle.dumps(PCSelector().fit(frame, table[:, 2])))
    assert selector.graph_.names == ["left", "right", "target"]
    assert '"left" -> "target";' in selector.graph_.to_dot()


def test_bagging():
    table = twins.table_of(twins.COLLIDER)
    for c in GRAPHS:
        bagging = BaggingClassifier(
            make_pipeline(c(), BernoulliNB()), n_estimators=3, random_state=0
        )
        assert bagging.fit(table[:, :2], table[:, 2]).score(table[:, :2], table[:, 2]) > 0.6


def test_one_column():
    X = np.array([[0], [1]] * 50)
    for c in GRAPHS:
        assert c().fit(X, X[:, 0]).neighbours_.tolist() == [0]

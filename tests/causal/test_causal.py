"""What every selector by tests of independence must pass, and every selector of neighbours."""

from functools import partial

import causal_twins as twins
import numpy as np
import pandas as pd
import pytest
from families import BLANKETS, CAUSAL, GRAPHS, NEIGHBOURS
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline

from ensfs import (
    IAMB,
    FastEnsemble,
    G2Test,
    InnerEnsemble,
    OracleTest,
    PermutationTest,
    RowBlocks,
    TPDASelector,
)
from ensfs.datasets import load_lucas_network, read_bif

#: Selectors of the blanket of the target: by themselves, or with spouses.
WITH_SPOUSES = [partial(c, spouses=True) for c in NEIGHBOURS]
LOCAL = [*BLANKETS, *NEIGHBOURS]
ASIA = {
    "asia": [], "tub": ["asia"], "smoke": [], "lung": ["smoke"], "bronc": ["smoke"],
    "either": ["tub", "lung"], "xray": ["either"], "dysp": ["bronc", "either"],
}  # fmt: skip


@pytest.mark.parametrize("c", [*BLANKETS, *WITH_SPOUSES, *GRAPHS])
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


@pytest.mark.parametrize("c", NEIGHBOURS)
def test_parents_and_children_of_the_worked_examples(c):
    for cells, found in ((twins.CHAIN, ["B", "AC", "B"]), (twins.COLLIDER, ["C", "C", "AB"])):
        for j, neighbours in enumerate(found):
            selector = c().fit(*twins.without(twins.table_of(cells), j))
            assert twins.names_of(selector.neighbours_, j) == set(neighbours)
            np.testing.assert_array_equal(selector.markov_blanket_, selector.neighbours_)


@pytest.mark.parametrize("c", [*BLANKETS, *WITH_SPOUSES])
def test_true_graphs_give_true_blankets(c):
    rng = np.random.default_rng(0)
    for _ in range(12):
        n = int(rng.integers(2, 9))
        dag = twins.random_dag(rng, n, 0.35)
        for j in range(n):
            selector = c(test=OracleTest(dag, target=j), max_conditioning=None)
            selector.fit(*twins.without(np.eye(n), j))
            nodes = np.delete(np.arange(n), j)
            assert set(nodes[selector.markov_blanket_]) == twins.blanket_of(dag, j)


def oracle_selections(c, network, **parameters):
    """Names of what is selected for each variable when the network itself answers the tests."""
    for target in network.names:
        columns = [name for name in network.names if name != target]
        selector = c(test=network.oracle(target), **parameters)
        selector.fit(np.zeros((4, len(columns))), [0, 1, 0, 1])
        yield target, {columns[j] for j in selector.indices_}


# TPDA goes by amounts of information, which an oracle has not
@pytest.mark.parametrize("c", [c for c in CAUSAL if c is not TPDASelector])
def test_neighbours_or_blankets_of_lucas(c):
    network = load_lucas_network()
    for target, found in oracle_selections(c, network):
        if c in NEIGHBOURS:
            assert found == {*network.parents(target), *network.children(target)}
        else:
            assert found == set(network.markov_blanket(target))


@pytest.mark.parametrize("c", NEIGHBOURS)
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "sachs", "survey"])
@pytest.mark.parametrize("spouses", [False, True])
def test_neighbours_of_published_networks(c, name, spouses, data_dir):
    network = read_bif(data_dir / "networks" / f"{name}.bif.gz")
    for target, found in oracle_selections(c, network, spouses=spouses):
        expected = {*network.parents(target), *network.children(target)}
        if spouses:
            expected = set(network.markov_blanket(target))
        assert found == expected


@pytest.mark.parametrize("c", WITH_SPOUSES)
def test_spouses_need_a_separating_set(c):
    """Asia: without a search for what separates them, dysp would be a spouse of tub."""
    names = list(ASIA)
    dag = np.array([[a in ASIA[b] for b in names] for a in names])
    for j, name in enumerate(names):
        selector = c(test=OracleTest(ASIA, target=name)).fit(*twins.without(np.eye(8), j))
        found = set(np.delete(np.arange(8), j)[selector.markov_blanket_])
        assert found == twins.blanket_of(dag, j)


@pytest.mark.parametrize("c", NEIGHBOURS)
def test_symmetry(c):
    """One-sided, a descendant can look like a neighbour; it does not see the target as one."""
    dag = {"t": [], "a": ["t"], "b": ["a", "c"], "c": [], "y": ["t"]}
    one_sided = c(symmetric=False, test=OracleTest(dag)).fit(*twins.without(np.eye(5), 4))
    both = c(test=OracleTest(dag)).fit(*twins.without(np.eye(5), 4))
    assert set(both.neighbours_) <= set(one_sided.neighbours_)
    assert both.neighbours_.tolist() == [0]


def test_continuous_columns():
    rng = np.random.default_rng(0)
    n = 2000
    cause, other, noise = rng.standard_normal((3, n))
    y = cause + 0.5 * rng.standard_normal(n)
    effect = y + other + 0.5 * rng.standard_normal(n)
    X = np.column_stack([noise, cause, other, effect, cause])
    for c in BLANKETS:
        assert c().fit(X, y).markov_blanket_.tolist() == [1, 2, 3]
    for c in WITH_SPOUSES:
        assert c().fit(X[:, :4], y).markov_blanket_.tolist() == [1, 2, 3]
    blocks = RowBlocks([(X[i : i + 300], y[i : i + 300]) for i in range(0, n, 300)])
    in_memory, streamed = IAMB().fit(X, y), IAMB().fit(blocks)
    np.testing.assert_array_equal(in_memory.pvalues_, streamed.pvalues_)


def test_continuous_columns_and_classes():
    """A test that counts has the columns cut, or refuses them if there is no discretizer."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    X = rng.standard_normal((500, 3))
    X[:, 1] += 2 * y
    selector = IAMB().fit(X, y)
    assert selector.markov_blanket_.tolist() == [1]
    assert 1 in selector.cut_points_
    for test in ("g2", "mi", "permutation"):
        named = IAMB(test=test).fit(X, y)
        assert named.markov_blanket_.tolist() == [1]
        np.testing.assert_array_equal(named.cut_points_[1], selector.cut_points_[1])
        with pytest.raises(ValueError, match="column 0 is continuous and cannot be coded"):
            IAMB(test=test, discretizer=None).fit(X, y)
    thirds = IAMB(test="g2").fit((X > 0).astype(int), X[:, 0])
    assert thirds.markov_blanket_.tolist() == [0]
    with pytest.raises(ValueError, match="text"):
        IAMB(test="fisherz").fit(X, np.where(y, "a", "b"))


@pytest.mark.parametrize("c", CAUSAL)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0), ("alpha", 1), ("alpha", -0.1), ("alpha", "0.01"),
        ("test", None), ("test", "chi2"), ("test", G2Test), ("max_conditioning", -1),
        ("max_conditioning", 1.5), ("discretizer", "best"),
    ],
)  # fmt: skip
def test_bad_parameters(c, name, value):
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match=name):
        c(**{name: value}).fit(X, y)


def test_too_few_rows_are_told():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 3)), rng.integers(0, 4, 40)
    for c in LOCAL:
        with pytest.warns(UserWarning, match="3 of 3 tests had too few rows"):
            selector = c().fit(X, y)
        assert selector.indices_.size == 0
        assert np.isnan(selector.pvalues_).all()
        assert selector.explain()["reason"] == ["too few rows"] * 3


def test_permutations_work_with_few_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 40)
    X = np.column_stack([rng.integers(0, 4, 40), y ^ (rng.random(40) < 0.2)])
    selector = IAMB(test=PermutationTest(200)).fit(X, y)
    assert selector.markov_blanket_.tolist() == [1]
    again = clone(selector).fit(X, y)
    np.testing.assert_array_equal(selector.pvalues_, again.pvalues_)
    smooth = IAMB(test=PermutationTest(200, distribution="chi2")).fit(X, y)
    assert smooth.markov_blanket_.tolist() == [1]
    assert smooth.pvalues_[1] < 1 / 201 == selector.pvalues_[1]


def test_edges_of_the_data():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 3))
    X[:, 2] = 1
    for c in LOCAL:
        with pytest.warns(UserWarning, match="y is constant"):
            assert c().fit(X, np.ones(200)).indices_.size == 0
        copies = c().fit(np.column_stack([X, X[:, 0], X[:, 0]]), X[:, 0] ^ (rng.random(200) < 0.1))
        assert copies.markov_blanket_.tolist() == ([] if c in NEIGHBOURS else [0])


@pytest.mark.parametrize("c", CAUSAL)
def test_independent_columns(c):
    X = np.random.default_rng(5).integers(0, 2, (1000, 6))
    assert c(0.001).fit(X[:, 1:], X[:, 0]).indices_.size == 0


@pytest.mark.parametrize("c", [*LOCAL, *WITH_SPOUSES])
@pytest.mark.parametrize("test", ["auto", G2Test("adjusted"), "mi", "fisherz"], ids=str)
def test_parts_of_an_ensemble(c, test):
    """Each part equals the selector on its rows, though all are counted together."""
    rng = np.random.default_rng(1)
    table = twins.sample(twins.random_dag(rng, 12, 0.3), 400, rng)
    table[:, 3] += table[:, 4]
    X, y = table[:, 1:], table[:, 0]
    if test == "fisherz":
        X = X + rng.standard_normal(X.shape)
    ensemble = FastEnsemble(c(test=test), n_parts=4).fit(X, y)
    for t, columns in enumerate(ensemble.part_selections_):
        rows = np.arange(400) % 4 != t
        alone = c(test=test).fit(X[rows], y[rows])
        assert columns.tolist() == alone.indices_.tolist()
    votes = sum(np.isin(np.arange(11), columns) for columns in ensemble.part_selections_)
    assert set(ensemble.indices_) == set(np.nonzero(votes >= 2)[0])
    two = FastEnsemble(c(test=test), n_parts=4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(two.scores_, ensemble.scores_)


def test_parts_of_permutations():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 4))
    y = X[:, 1] ^ (rng.random(60) < 0.2)
    selector = IAMB(test=PermutationTest(100))
    for t, columns in enumerate(FastEnsemble(selector, n_parts=3).fit(X, y).part_selections_):
        rows = np.arange(60) % 3 != t
        assert columns.tolist() == clone(selector).fit(X[rows], y[rows]).indices_.tolist()


def test_no_average_over_parts():
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match="averaged over parts"):
        InnerEnsemble(IAMB(), n_parts=3).fit(X, y)


@pytest.mark.parametrize("test", [G2Test(), G2Test("adjusted", samples_per_df=1), "mi"], ids=repr)
def test_row_blocks_are_tested_as_memory(test):
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    X, y = np.tile(X, (2, 1)), np.tile(y, 2)
    blocks = RowBlocks([(X[:5], y[:5]), (X[5:70], y[5:70]), (X[70:], y[70:])])
    for c in LOCAL:
        whole, found = c(test=test).fit(X, y), c(test=test).fit(blocks)
        assert {name for name in vars(found) if name.endswith("_")} == {
            name for name in vars(whole) if name.endswith("_")
        } | {"n_readings_"}
        assert found.n_readings_ == 3
        for name in ("indices_", "scores_", "pvalues_", "relevance_", "n_tests_"):
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), name)
        assert repr(found.separating_sets_) == repr(whole.separating_sets_)
    with pytest.raises(ValueError, match="PermutationTest needs the table in memory"):
        IAMB(test="permutation").fit(blocks)


def test_bagging():
    X, y = twins.without(twins.table_of(twins.COLLIDER), 2)
    for c in LOCAL:
        bagging = BaggingClassifier(
            make_pipeline(c(), BernoulliNB()), n_estimators=3, random_state=0
        )
        assert bagging.fit(X, y).score(X, y) > 0.6


def test_threads_and_memory_order_change_nothing():
    rng = np.random.default_rng(2)
    table = twins.sample(twins.random_dag(rng, 15, 0.3), 1000, rng)
    X, y = table[:, 1:], table[:, 0]
    for c in LOCAL:
        one = c().fit(np.ascontiguousarray(X), y)
        two = c(n_jobs=2).fit(np.asfortranarray(X), y)
        np.testing.assert_array_equal(one.indices_, two.indices_)
        np.testing.assert_array_equal(one.pvalues_, two.pvalues_)
        assert one.n_tests_ == two.n_tests_


def test_columns_with_many_levels():
    """An identifier has as many levels as rows; nothing can be said of it, and it is quick."""
    rng = np.random.default_rng(0)
    n = 3000
    y = rng.integers(0, 2, n)
    X = pd.DataFrame({"id": [f"r{i}" for i in range(n)], "x": y ^ (rng.random(n) < 0.1)})
    named = {"discrete_features": ["id", "x"]}  # otherwise it counts as constant
    assert IAMB(**named).fit(X, y).markov_blanket_.tolist() == [1]
    free = IAMB(test=G2Test(samples_per_df=0), **named).fit(X, y)
    assert free.relevance_[0] == pytest.approx(np.log2(n) - np.log2(n / 2), abs=0.01)
    assert free.markov_blanket_.tolist() == [0]  # which is what was asked for
    alone = IAMB(test=G2Test(samples_per_df=0), discrete_features=["id"])
    target = alone.fit(X[["id"]], [f"c{i // 2}" for i in range(n)])
    assert target.relevance_[0] == pytest.approx(np.log2(n / 2), abs=1e-9)

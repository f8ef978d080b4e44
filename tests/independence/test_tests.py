"""Tests of independence as objects: shorthands, parameters, clones, grid search."""

import pickle

import causal_twins as twins
import numpy as np
import pytest
from families import CAUSAL, TESTS
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import ensfs.independence
from ensfs import (
    IAMB,
    FastEnsemble,
    FisherZTest,
    G2Test,
    InformationTest,
    OracleTest,
    PCSelector,
    PermutationTest,
    TPDASelector,
)

SHORTHANDS = {
    "g2": G2Test(),
    "mi": InformationTest(),
    "permutation": PermutationTest(),
    "fisherz": FisherZTest(),
}
CHAIN = {"a": [], "b": ["a"], "c": ["b"]}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    table = twins.sample(twins.random_dag(rng, 7, 0.4), 300, rng)
    return table[:, 1:], table[:, 0]


def test_every_test_but_the_oracle_has_a_shorthand():
    assert ensfs.independence.TESTS == {name: type(test) for name, test in SHORTHANDS.items()}
    assert set(TESTS) == {*ensfs.independence.TESTS.values(), OracleTest}


@pytest.mark.parametrize("name", SHORTHANDS)
@pytest.mark.parametrize("c", CAUSAL)
def test_shorthands_are_the_defaults(c, name, data):
    X, y = data
    short, long = c(test=name).fit(X, y), c(test=SHORTHANDS[name]).fit(X, y)
    np.testing.assert_array_equal(short.indices_, long.indices_)
    np.testing.assert_array_equal(short.scores_, long.scores_)
    np.testing.assert_array_equal(short.pvalues_, long.pvalues_)
    assert short.n_tests_ == long.n_tests_


@pytest.mark.parametrize("c", CAUSAL)
def test_auto_depends_on_the_target(c, data):
    X, y = data
    counting = InformationTest() if c is TPDASelector else G2Test()
    numbers = y + np.random.default_rng(1).normal(size=y.size)
    for target, test in ((y, counting), (numbers, FisherZTest())):
        auto, named = c().fit(X, target), c(test=test).fit(X, target)
        np.testing.assert_array_equal(auto.pvalues_, named.pvalues_)


@pytest.mark.parametrize(
    "test",
    [G2Test("slices"), InformationTest(0.05, df="adjusted"), PermutationTest(9), FisherZTest(),
     OracleTest(CHAIN, target="a")],
    ids=str,
)  # fmt: skip
def test_tests_are_cloned_and_left_alone(test):
    before = pickle.dumps(test.get_params())
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    selector = clone(IAMB(test=test)).fit(X, y)
    assert selector.test is not test
    assert selector.test.get_params().keys() == test.get_params().keys()
    IAMB(test=test).fit(X, y)
    assert pickle.dumps(test.get_params()) == before
    assert {name for name in vars(test) if name.endswith("_")} == set()
    again = pickle.loads(pickle.dumps(selector)).fit(X, y)
    np.testing.assert_array_equal(again.indices_, selector.indices_)


def test_parameters_can_be_searched(data):
    X, y = data
    pipeline = make_pipeline(IAMB(test=G2Test()), LogisticRegression())
    grid = {"iamb__test__df": ["full", "adjusted"], "iamb__test__samples_per_df": [0, 5]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_estimator_[0].test.get_params() == {
        name.split("__")[2]: value for name, value in search.best_params_.items()
    }
    whole = GridSearchCV(IAMB(), {"test": ["g2", G2Test("adjusted")]}, scoring=lambda *_: 0, cv=2)
    assert whole.fit(X, y).best_params_ == {"test": "g2"}


def test_ensembles_reach_the_test(data):
    X, y = data
    ensemble = FastEnsemble(IAMB(test=G2Test()), n_parts=3)
    ensemble.set_params(selector__test__df="adjusted").fit(X, y)
    expected = FastEnsemble(IAMB(test=G2Test("adjusted")), n_parts=3).fit(X, y)
    np.testing.assert_array_equal(ensemble.selection_frequency_, expected.selection_frequency_)
    assert ensemble.selector_.test.df == "adjusted"


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (G2Test("none"), "'df' parameter of G2Test"),
        (G2Test("perm"), "'df' parameter of G2Test"),
        (G2Test(samples_per_df=-1), "'samples_per_df' parameter of G2Test"),
        (InformationTest(-0.1), "'min_bits' parameter of InformationTest"),
        (InformationTest(samples_per_df="5"), "'samples_per_df' parameter of InformationTest"),
        (PermutationTest(0), "'n_permutations' parameter of PermutationTest"),
        (PermutationTest(distribution="normal"), "'distribution' parameter of PermutationTest"),
        (PermutationTest(random_state="a"), "'random_state' parameter of PermutationTest"),
    ],
)
def test_bad_parameters_name_the_test(test, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        IAMB(test=test).fit(X, y)
    with pytest.raises(ValueError, match=message):
        FastEnsemble(IAMB(test=test), n_parts=2).fit(X, y)


def test_oracles_have_parameters():
    oracle = OracleTest(CHAIN, target="a")
    assert oracle.get_params() == {"dag": CHAIN, "target": "a"}
    assert oracle.names == ["b", "c", "a"]
    oracle.set_params(target="c")
    assert oracle.names == ["a", "b", "c"]
    assert oracle.separated(0, 2, [1])
    assert clone(oracle).names == oracle.names


def test_any_object_that_answers():
    class NothingIsSeparated:
        def separated(self, x, y, given):
            return len(given) > 0 and x == 0

    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    assert IAMB(test=NothingIsSeparated()).fit(X, y).markov_blanket_.tolist() == [1]


def test_information_tests_decide_by_bits_alone():
    """Of the chain a -> b -> c, I(a; c) is 0.0956 bits and I(a; b) 0.2781."""
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    for min_bits, keep in ((0.01, [0, 1]), (0.2, [0]), (0.3, [])):
        selector = PCSelector(test=InformationTest(min_bits), max_conditioning=0).fit(X, y)
        assert selector.neighbours_.tolist() == keep


def test_seeds_of_permutations(data):
    X, y = data[0][:40], data[1][:40]
    a, b, c = (IAMB(test=PermutationTest(99, random_state=s)).fit(X, y) for s in (0, 0, 1))
    np.testing.assert_array_equal(a.pvalues_, b.pvalues_)
    assert (a.pvalues_ != c.pvalues_).any()

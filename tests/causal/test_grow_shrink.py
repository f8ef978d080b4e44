"""GrowShrink, IAMB and InterIAMB against plain programs and the worked examples."""

import pickle

import causal_twins as twins
import numpy as np
import pandas as pd
import pytest
from families import BLANKETS
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import IAMB, G2Test, GrowShrink, InterIAMB


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
    table = twins.random_table(rng)
    p = table.shape[1] - 1
    test = twins.SlowTests(table, alpha, h)
    X, y = table[:, :-1], table[:, -1]
    parameters = {"alpha": alpha, "test": G2Test(samples_per_df=h)}
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


def test_many_rows_of_a_faithful_network():
    rng = np.random.default_rng(3)
    dag = twins.random_dag(rng, 7, 0.35)
    table = twins.sample(dag, 50_000, rng)
    for j in range(7):
        X, y = twins.without(table, j)
        nodes = np.delete(np.arange(7), j)
        for c in BLANKETS:
            assert set(nodes[c(0.001).fit(X, y).markov_blanket_]) == twins.blanket_of(dag, j)


def test_bad_orders():
    X, y = twins.without(twins.table_of(twins.CHAIN), 0)
    with pytest.raises(ValueError, match="order"):
        GrowShrink(order="random").fit(X, y)


def test_at_most_so_many_are_given():
    rng = np.random.default_rng(0)
    dag = np.zeros((6, 6), dtype=bool)
    dag[:5, 5] = True
    table = twins.sample(dag, 5000, rng, 0.5)
    for most in (0, 1, 2):
        selector = IAMB(max_conditioning=most).fit(table[:, :5], table[:, 5])
        assert selector.indices_.size == most + 1
        assert max(len(each) for each in selector.separating_sets_.values() or [()]) <= most


def test_explanations():
    X, y = twins.without(twins.table_of(twins.COLLIDER), 0)
    selector = IAMB().fit(pd.DataFrame(X, columns=["other", "child"]), y)
    assert repr(selector.explain()) == (
        "feature  selected  rank  relevance  role                 reason     given  p-value\n"
        "child    yes       1     0.1468     neighbour or spouse  dependent  other  1.191e-80\n"
        "other    yes       2     0          spouse               dependent  child  1.841e-36"
    )
    assert pickle.loads(pickle.dumps(selector)).explain("child")["given"] == ["other"]

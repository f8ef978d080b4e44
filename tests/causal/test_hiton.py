"""HITONPC against a plain program; what all selectors of neighbours share is in test_causal.py."""

from functools import partial

import causal_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import HITONPC, MMPC, G2Test, OracleTest


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    alpha=st.sampled_from([0.01, 0.2]),
    h=st.sampled_from([0, 2, 5]),
    most=st.sampled_from([0, 1, 3]),
)
def test_a_plain_program_finds_the_same(seed, alpha, h, most):
    rng = np.random.default_rng(seed)
    table = twins.random_table(rng)
    p = table.shape[1] - 1
    slow = partial(twins.hiton_slow, twins.SlowTests(table, alpha, h), n=p + 1, most=most)
    selector = HITONPC(alpha, test=G2Test(samples_per_df=h), max_conditioning=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        both = selector.fit(table[:, :-1], table[:, -1]).indices_.tolist()
        selector.set_params(symmetric=False)
        one_sided = selector.fit(table[:, :-1], table[:, -1]).indices_.tolist()
    assert one_sided == slow(p)
    assert both == twins.mutual_slow(slow, p)


def test_a_member_leaves_when_a_later_one_separates_it():
    """b has the strongest association with y, and yet is only an effect of both causes of y."""
    rng = np.random.default_rng(0)
    n = 2000
    a, c = rng.integers(0, 2, (2, n))
    y = np.where(rng.random(n) < 0.7, a & c, rng.integers(0, 2, n))
    b = np.where(rng.random(n) < 0.98, 2 * a + c, rng.integers(0, 4, n))
    table = np.column_stack([b, a, c, y])
    strengths = [twins.SlowTests(table, 0.01, 0).strength(x, 3, ()) for x in range(3)]
    assert np.argmax(strengths) == 0
    selector = HITONPC().fit(table[:, :3], y)
    assert selector.neighbours_.tolist() == [1, 2]
    assert selector.separating_sets_[0].tolist() == [1, 2]
    assert selector.explain(0)["reason"] == ["separated"]


def test_scores_are_the_least_information():
    """Of the collider a -> c <- b, I(a; c) is 0.1468 bits and I(a; c | b) 0.2655."""
    table = twins.table_of(twins.COLLIDER)
    selector = HITONPC().fit(table[:, :2], table[:, 2])
    np.testing.assert_allclose(selector.scores_[0], 0.146793, atol=5e-7)
    np.testing.assert_allclose(selector.scores_, selector.relevance_)
    assert [row["given"] for row in selector.explain()] == [None, None]


def test_true_graphs_give_what_mmpc_finds():
    rng = np.random.default_rng(1)
    for _ in range(10):
        dag = twins.random_dag(rng, 8, 0.3)
        oracle = OracleTest(dag)
        X, y = np.eye(8)[:, :-1], np.arange(8)
        hiton, mmpc = (c(test=oracle, max_conditioning=None).fit(X, y) for c in (HITONPC, MMPC))
        assert hiton.neighbours_.tolist() == mmpc.neighbours_.tolist()
        assert hiton.neighbours_.tolist() == np.nonzero((dag | dag.T)[7])[0].tolist()

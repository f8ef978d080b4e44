"""MMPC against a plain program; what all selectors of neighbours share is in test_causal.py."""

from functools import partial

import causal_twins as twins
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import MMPC, G2Test


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    alpha=st.sampled_from([0.01, 0.2]),
    h=st.sampled_from([0, 2, 5]),
    most=st.sampled_from([1, 3]),
)
def test_a_plain_program_finds_the_same(seed, alpha, h, most):
    rng = np.random.default_rng(seed)
    table = twins.random_table(rng)
    p = table.shape[1] - 1
    slow = partial(twins.mmpc_slow, twins.SlowTests(table, alpha, h), n=p + 1, most=most)
    selector = MMPC(alpha, test=G2Test(samples_per_df=h), max_conditioning=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        both = selector.fit(table[:, :-1], table[:, -1]).indices_.tolist()
        selector.set_params(symmetric=False)
        one_sided = selector.fit(table[:, :-1], table[:, -1]).indices_.tolist()
    assert one_sided == slow(p)
    assert both == twins.mutual_slow(slow, p)


def test_columns_whose_pvalues_underflow_come_by_the_statistic():
    """All of them have p = 0: the one with fewer degrees of freedom is the stronger."""
    y = np.arange(600) % 4
    X = np.column_stack([np.arange(600) % 16, y])  # either tells the target exactly
    selector = MMPC(test=G2Test(samples_per_df=0), max_conditioning=0).fit(X, y)
    assert selector.pvalues_.tolist() == [0.0, 0.0]
    assert selector.indices_.tolist() == [1, 0]
    assert twins.mmpc_slow(twins.SlowTests(np.column_stack([X, y]), 0.01, 0), 2, 3, 0) == [1, 0]

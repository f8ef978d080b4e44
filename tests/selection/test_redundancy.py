"""The family of Brown et al.: its members, and scores below 0."""

import math
from itertools import accumulate

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import CIFE, JMI, LCSI, MIM, MRMR
from ensfs.search.criteria import Criterion
from ensfs.statistics.formulas import MEASURES

# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")


def table(seed, n, p):
    """Codes of few levels, so that many scores are tied; copies, and columns that need others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(1, 4, p), (n, p))
    y = (X[:, rng.integers(p)] + X[:, rng.integers(p)] + (rng.random(n) < 0.2)) % 3
    y[0] = (y[1] + 1) % 3  # two classes at least
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    return X, y, p


tables = st.builds(table, st.integers(0, 2**32 - 1), st.integers(4, 60), st.integers(1, 9))


def fit_both(one, other, data):
    X, y, _ = data
    one, other = (s.set_params(discrete_features=True).fit(X, y) for s in (one, other))
    np.testing.assert_array_equal(one.indices_, other.indices_)
    return one, other


@settings(max_examples=60)
@given(data=tables)
def test_mim_is_a_member(data):
    member, mim = fit_both(
        LCSI(data[2], beta=0, gamma=0), MIM(data[2], correction="miller_madow"), data
    )
    np.testing.assert_array_equal(member.scores_, mim.scores_)
    assert member.n_pairs_read_ == mim.n_pairs_read_


@settings(max_examples=60)
@given(data=tables)
@pytest.mark.parametrize(("correction", "scheme"), [(None, "MID"), ("miller_madow", "difference")])
def test_mrmr_is_a_member(correction, scheme, data):
    member, mrmr = fit_both(
        LCSI(data[2], gamma=0, correction=correction),
        MRMR(data[2], relevance="mutual_information", scheme=scheme, correction=correction),
        data,
    )
    np.testing.assert_array_equal(member.scores_, mrmr.scores_)
    assert member.n_pairs_read_ == mrmr.n_pairs_read_


@settings(max_examples=60)
@given(data=tables)
@pytest.mark.parametrize("correction", [None, "miller_madow"])
def test_cife_is_a_member(correction, data):
    member, cife = fit_both(
        LCSI(data[2], average=False, correction=correction),
        CIFE(data[2], correction=correction),
        data,
    )
    np.testing.assert_allclose(member.scores_, cife.scores_, rtol=1e-9, atol=1e-12)


@settings(max_examples=60)
@given(data=tables)
@pytest.mark.parametrize("correction", [None, "miller_madow"])
def test_jmi_is_a_member(correction, data):
    """I(f, g; y) = I(g; y) + I(f; y) - (I(f; g) - I(f; g | y)), in sum over g."""
    member, jmi = fit_both(
        LCSI(data[2], correction=correction), JMI(data[2], correction=correction), data
    )
    order = jmi.indices_
    relevance_before = list(accumulate(jmi.relevance_[order], initial=0.0))
    for j, f in enumerate(order[1:], start=1):
        expected = relevance_before[j] + j * member.scores_[f]
        assert jmi.scores_[f] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_columns_that_need_each_other_gain():
    a, b = np.array([0, 0, 1, 1, 0, 0, 1, 1]), np.array([0, 1, 0, 1, 0, 1, 0, 1])
    X, y = np.stack([a, b], axis=1), a ^ b

    def scores(selector):
        return selector.set_params(correction=None).fit(X, y).scores_.tolist()

    assert scores(CIFE(2)) == [0, 1]
    assert scores(LCSI(2)) == [0, 1]
    assert scores(LCSI(2, gamma=0.25)) == [0, 0.25]
    assert scores(LCSI(2, gamma=0)) == [0, 0]


def test_copies_fall_below_0():
    """Each copy selected before takes off all that the column tells."""
    x, y = np.array([0, 0, 0, 1, 1, 1, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    told = twins.information(x, y)
    selector = CIFE(3, correction=None).fit(np.stack([x, x, x], axis=1), y)
    assert selector.indices_.tolist() == [0, 1, 2]
    np.testing.assert_allclose(selector.scores_, [told, 0, -told], rtol=0, atol=1e-12)
    assert selector.informative_.tolist() == [True, False, False]


def test_only_scores_that_cannot_rise_are_searched_lazily():
    shared = MEASURES["shared"]
    assert not Criterion(shared, "sum", "difference").bounded
    assert Criterion(MEASURES["joint"], "sum", "difference").bounded
    for correction in (None, "miller_madow"):
        assert not LCSI(correction=correction)._scoring.bounded
        assert not LCSI(beta=0, correction=correction)._scoring.bounded
        assert LCSI(gamma=0, correction=correction)._scoring.bounded
        assert LCSI(gamma=0, average=False, correction=correction)._scoring.bounded


@pytest.mark.parametrize("name", ["beta", "gamma"])
@pytest.mark.parametrize("value", [-0.1, "1", None, math.nan, math.inf])
def test_weights_must_be_numbers_of_at_least_0(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of LCSI must be a float"):
        LCSI(1, **{name: value}).fit([[0], [1]], [0, 1])

"""Continuous columns of row blocks are cut where they are cut in memory."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import KBinsDiscretizer

from ensfs import CFS, FCBF, JMI, MRMR, FastEnsemble, InnerEnsemble, RowBlocks
from ensfs._core import cuts
from ensfs.discretize import EqualFrequencyDiscretizer, MDLDiscretizer, SigmaDiscretizer

SELECTORS = {
    "MIQ": MRMR(4, scheme="MIQ"),
    "JMI": JMI(4),
    "FCBF": FCBF(),
    "CFS": CFS(),
    "JMI, parts": FastEnsemble(JMI(4), n_parts=3),
    "MID, averaged": InnerEnsemble(MRMR(4, scheme="MID"), n_parts=3),
}


def mixed(seed, n, extreme=False):
    """Numbers of several types and sizes, text, and codes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3)
    frame = pd.DataFrame(rng.normal(size=(n, 5)) + y[:, None] * rng.uniform(0, 1, 5))
    frame.columns = [f"c{j}" for j in range(5)]
    frame["c1"] = (1e9 + frame["c1"]).astype(np.float64)
    frame["c2"] = frame["c2"].astype(np.float32)
    frame["count"] = rng.poisson(40, n) + y
    frame["constant"] = 0.1
    frame["text"] = rng.choice(list("uvw"), n)
    frame["code"] = np.where(rng.random(n) < 0.5, y, rng.integers(0, 3, n))
    if extreme:
        frame["large"], frame["small"] = frame["c0"] * 1e200, frame["c3"] * 1e-250
    return frame, y


def blocks_of(X, y, cuts):
    bounds = [0, *sorted({c for c in cuts if 0 < c < len(y)}), len(y)]
    return RowBlocks([(X[a:b], y[a:b]) for a, b in itertools.pairwise(bounds)])


def with_discretizer(selector, discretizer):
    """MRMR always cuts by "sigma"."""
    names = {"discretizer", "selector__discretizer"} & set(selector.get_params())
    return clone(selector).set_params(**dict.fromkeys(names, discretizer))


def assert_same(one, other):
    for name in ("indices_", "scores_", "relevance_", "removed_by_", "n_pairs_needed_"):
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.cut_points_.keys() == other.cut_points_.keys()
    for j, found in one.cut_points_.items():
        np.testing.assert_array_equal(found, other.cut_points_[j])


@settings(max_examples=3)
@given(data=st.data())
@pytest.mark.parametrize("name", SELECTORS)
def test_sigma(name, data):
    n = data.draw(st.integers(6, 60), label="rows")
    X, y = mixed(data.draw(st.integers(0, 2**32 - 1)), n, data.draw(st.booleans()))
    at = data.draw(st.lists(st.integers(1, n), max_size=3))
    given_ = data.draw(st.sampled_from(["sigma", SigmaDiscretizer(1.0)]))
    selector = with_discretizer(SELECTORS[name], given_)
    whole = clone(selector).fit(X, y)
    found = selector.fit(blocks_of(X, y, at))
    assert_same(whole, found)
    assert len(found.cut_points_) >= 6


def test_excluded_columns_and_several_targets():
    X, y = mixed(0, 90)
    for selector in (
        JMI(3, discretizer="sigma", exclude=["c0", "text"]),
        JMI(3, discretizer="sigma", multi_output="mean"),
    ):
        target = y if selector.exclude else np.column_stack([y, y[::-1]])
        whole = clone(selector).fit(X, target)
        assert_same(whole, selector.fit(blocks_of(X, target, [20, 50])))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "discretizer",
    [
        SigmaDiscretizer(),
        EqualFrequencyDiscretizer(4),
        KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
    ],
)
def test_fitted_on_a_sample(discretizer, weighted):
    X, y = mixed(1, 150)
    X = X[["c0", "c1", "c3", "c4"]].to_numpy()
    weight = np.random.default_rng(0).integers(1, 4, 150) if weighted else None
    for fitted in (discretizer.fit(X[:60]), FrozenEstimator(discretizer)):
        selector = JMI(3, discretizer=fitted)
        whole = JMI(3, discretizer=fitted).fit(X, y, sample_weight=weight)
        rest = [] if weight is None else [weight]
        blocks = [tuple(a[i : i + 40] for a in (X, y, *rest)) for i in range(0, 150, 40)]
        assert_same(whole, selector.fit(RowBlocks(blocks)))


def test_what_needs_the_table():
    X, y = mixed(0, 60)
    blocks, sample = blocks_of(X, y, [20]), X[["c0", "c3"]].to_numpy()
    for discretizer, shown in (
        ("mdl", "'mdl'"),
        ("equal_frequency", "'equal_frequency'"),
        (EqualFrequencyDiscretizer(3), "EqualFrequencyDiscretizer"),
        (MDLDiscretizer().fit(sample, y), "MDLDiscretizer"),
    ):
        with pytest.raises(ValueError, match=f"discretizer={shown}.* needs the table in memory"):
            JMI(2, discretizer=discretizer).fit(blocks)
    weighted = RowBlocks([(X, y, np.arange(60) % 3 + 1.0)])
    with pytest.raises(ValueError, match=r"rows have weights.* it can be a disc.* fitted"):
        JMI(2, discretizer="sigma").fit(weighted)
    large = X.assign(c0=2**60 + np.arange(60))
    with pytest.raises(ValueError, match="in memory where rows have weights, or columns hold"):
        JMI(2, discretizer="sigma").fit(blocks_of(large, y, [20]))


def test_missing_values_are_named():
    X, y = mixed(0, 60)
    X.loc[33, "c3"] = np.nan
    fitted = SigmaDiscretizer().fit(X.loc[:20, ["c0", "c1", "c2", "c3", "c4", "count", "constant"]])
    for discretizer in ("sigma", fitted):
        with pytest.raises(ValueError, match="'c3'"):
            JMI(2, discretizer=discretizer, missing="error").fit(blocks_of(X, y, [20, 40]))


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), cut=st.integers(0, 60))
def test_sums_of_deviations(seed, n, cut):
    """Of values, or of squared deviations, whatever the blocks."""
    X = np.asfortranarray(np.random.default_rng(seed).normal(1e6, 1e3, (n, 3)))
    mean, ones = X.mean(axis=0), np.ones(3)
    for centre, terms in ((None, X), (mean, (X - mean) ** 2)):
        whole, parts = np.zeros((2, 3)), np.zeros((2, 3))
        cuts.add_deviations(X, ones, centre, *whole)
        for piece in (X[:cut], X[cut:]):
            cuts.add_deviations(np.asfortranarray(piece), ones, centre, *parts)
        np.testing.assert_array_equal(whole, parts)
        expected = [math.fsum(column) for column in terms.T]
        np.testing.assert_allclose(whole.sum(axis=0), expected, rtol=1e-15)
    with pytest.raises(ValueError, match="scale"):
        cuts.add_deviations(X, np.ones(2), None, *np.zeros((2, 3)))

"""Sources and what they keep."""

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import statistics
from ensfs.data.target import make_target
from ensfs.statistics import AveragedSource, CachingSource, ContinuousSource, Resampling

# ---------------------------------------- sources


def make_source(X, y, fold=None, **options):
    parts = (
        Resampling.all_rows(len(y))
        if fold is None
        else Resampling.leave_one_out(fold, int(fold.max()) + 1)
    )
    target = make_target(y, len(y), warn_constant=False)
    return ContinuousSource(X, target, parts, relevance="f_test", **options)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(6, 60),
    p=st.integers(1, 40),
    e=st.integers(1, 5),
    mean=st.sampled_from([0.0, 1e8]),
    single=st.booleans(),
    signed=st.booleans(),
)
def test_redundancy_of_every_pair(seed, n, p, e, mean, single, signed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + mean
    if single:
        X = (X - mean + 1000).astype(np.float32)
    X[:, rng.integers(p)] = 7
    y = np.arange(n) % 2
    fold = None if e == 1 else rng.permutation(np.arange(n) % e)
    source = make_source(X, y, fold, signed=signed)
    source.supports_lazy = False
    masks = [np.ones(n, dtype=bool)] if fold is None else [fold != t for t in range(e)]
    out = np.empty((len(masks), p))
    for g in rng.permutation(p)[:3]:
        source.association([(int(g), np.arange(len(masks)))], out)
        expected = [[twins.pearson(x[m], X[m, g]) for x in X.T] for m in masks]
        expected = expected if signed else np.abs(expected)
        np.testing.assert_allclose(out, expected, rtol=1e-9, atol=1e-13)


def test_an_outlier_in_the_fold_that_is_left_out_costs_no_digits():
    rng = np.random.default_rng(0)
    X = 1e8 + rng.normal(size=(40, 5))
    X[7] += 1e8
    fold = np.arange(40) % 4
    source, out = make_source(X, np.arange(40) % 2, fold), np.empty((4, 5))
    for g in range(5):
        source.association([(g, np.arange(4))], out)
        for t in range(4):
            expected = [abs(twins.pearson(x[fold != t], X[fold != t, g])) for x in X.T]
            np.testing.assert_allclose(out[t], expected, rtol=1e-9)


def test_parts_may_want_different_columns():
    rng = np.random.default_rng(0)
    X, fold = rng.normal(size=(30, 6)), np.arange(30) % 4
    source = make_source(X, np.arange(30) % 2, fold)
    out = np.full((4, 6), 9.0)
    source.association([(2, np.array([0, 3])), (5, np.array([1]))], out)
    for t, g in ((0, 2), (1, 5), (3, 2)):
        expected = [abs(twins.pearson(x[fold != t], X[fold != t, g])) for x in X.T]
        np.testing.assert_allclose(out[t], expected, rtol=1e-9, atol=1e-13)
    assert (out[2] == 9).all()


def test_pairs_are_counted_once():
    rng = np.random.default_rng(0)
    source = make_source(rng.normal(size=(20, 7)), np.arange(20) % 2, np.arange(20) % 3)
    out, seen = np.empty((3, 7)), {frozenset([f, "y"]) for f in range(7)}
    assert source.n_pairs_read == len(seen)
    for g in (3, 0, 3, 6):
        source.association([(g, np.arange(3))], out)
        seen |= {frozenset([g, f]) for f in range(7) if f != g}
        assert source.n_pairs_read == len(seen)


@pytest.mark.parametrize("budget", [1, 2 * 8 * 3 * 40, 10**9])
def test_what_is_kept_is_bounded(budget, monkeypatch):
    rng = np.random.default_rng(0)
    X, fold = rng.normal(size=(20, 40)), np.arange(20) % 3
    monkeypatch.setattr(statistics.source, "CACHE_BYTES", budget)
    source = make_source(X, np.arange(20) % 2, fold)
    source._budget = budget  # without the allowance of the size of the table
    room = max(1, budget // source._bytes_per_target)
    reference = make_source(X, np.arange(20) % 2, fold)
    out, other = np.empty((2, 3, 40))
    for wanted in ([0], [1, 2], [3, 4, 5], [0], [5, 1, 0], list(rng.permutation(3))):
        requests = [(int(g), np.array([t])) for t, g in enumerate(wanted)]
        source.association(requests, out)
        reference.association(requests, other)
        rows = np.arange(len(wanted))
        np.testing.assert_array_equal(out[rows], other[rows])
        assert isinstance(source, CachingSource)
        assert len(source._cache) <= room


def test_averages_over_parts():
    rng = np.random.default_rng(0)
    X, fold = rng.normal(size=(30, 6)), np.arange(30) % 4
    y = np.arange(30) % 2
    source = make_source(X, y, fold, signed=True)
    averaged, out, each = AveragedSource(source), np.empty((1, 6)), np.empty((4, 6))
    assert averaged.n_parts == 1
    np.testing.assert_allclose(averaged.relevance[0], source.relevance.mean(axis=0))
    averaged.association([(2, np.array([0]))], out)
    source.association([(2, np.arange(4))], each)
    np.testing.assert_allclose(out[0], np.abs(each.mean(axis=0)))
    assert averaged.n_pairs_read == source.n_pairs_read

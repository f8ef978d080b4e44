"""Combinations of opinions, against their definitions in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._utils.combine import (
    out_of_bag,
    out_of_bag_means,
    out_of_bag_shares,
    prefix_means,
    prefix_medians,
    vote_shares,
    weighted_median,
)


def median_slow(values, weights):
    """Smallest value such that those up to it have half of the weight."""
    total = math.fsum(weights)
    for value in sorted(values):
        below = math.fsum(w for v, w in zip(values, weights, strict=True) if v <= value)
        if 2 * below >= total:
            return value
    raise AssertionError


def random_votes(seed, m, n, k):
    rng = np.random.default_rng(seed)
    return rng.integers(k, size=(m, n)), rng.integers(1, 5, size=m).astype(float)


shapes = {
    "seed": st.integers(0, 2**32 - 1),
    "m": st.integers(1, 7),
    "n": st.integers(1, 6),
    "k": st.integers(1, 4),
}


@given(**shapes)
def test_vote_shares(seed, m, n, k):
    votes, weights = random_votes(seed, m, n, k)
    for given_weights in (None, weights):
        w = np.ones(m) if given_weights is None else weights
        expected = [[sum(w[votes[:, x] == c]) / sum(w) for c in range(k)] for x in range(n)]
        np.testing.assert_allclose(vote_shares(votes, k, given_weights), expected, atol=1e-12)


@given(**shapes)
def test_medians(seed, m, n, k):
    values, weights = random_votes(seed, m, n, k)
    stages = list(prefix_medians(values, weights))
    assert len(stages) == m
    for size, stage in enumerate(stages, 1):
        for x in range(n):
            assert stage[x] == median_slow(values[:size, x].tolist(), weights[:size].tolist())


def test_medians_of_the_additions():
    """Values 3, 1, 2 with weights .5, .3, .4: after one, two, three members 3, 3, 2."""
    stages = prefix_medians(np.array([[3.0], [1.0], [2.0]]), np.array([0.5, 0.3, 0.4]))
    assert [stage.tolist() for stage in stages] == [[3], [3], [2]]


def test_half_of_the_weight_but_for_rounding():
    values = np.array([[1.0], [2.0], [3.0]])
    assert weighted_median(values, np.array([0.3, 0.1, 0.2]))[0] == 1.0


@given(**shapes)
def test_prefix_means(seed, m, n, k):
    values, weights = random_votes(seed, m, n, k)
    for size, stage in enumerate(prefix_means(values, weights), 1):
        expected = np.average(values[:size], axis=0, weights=weights[:size])
        np.testing.assert_allclose(stage, expected, atol=1e-12)


def test_means_begin_with_the_first_weight():
    stages = prefix_means([np.array([4.0]), np.array([6.0])], [0.0, 2.0])
    assert [stage.tolist() for stage in stages] == [[0.0], [6.0]]


@given(**shapes)
def test_out_of_bag(seed, m, n, k):
    votes, _ = random_votes(seed, m, n, k)
    rng = np.random.default_rng(seed)
    samples = [rng.integers(n, size=n) for _ in range(m)]
    unseen = out_of_bag(samples, n)
    shares, means = out_of_bag_shares(votes, unseen, k), out_of_bag_means(votes, unseen)
    for x in range(n):
        asked = [votes[i, x] for i in range(m) if x not in samples[i]]
        if not asked:
            assert np.isnan(shares[x]).all()
            assert np.isnan(means[x])
            continue
        assert shares[x].tolist() == [asked.count(c) / len(asked) for c in range(k)]
        assert means[x] == pytest.approx(sum(asked) / len(asked))

"""The kernel of stumps against all cuts of all columns."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import stumps
from ensfs.ensemble._stumps import TOLERANCE, best_stump, sort_rows


def slow_stump(values, gradient):
    """Every cut of every column, in their order: the first that scores as well as the best."""
    cuts = []
    for j, column in enumerate(values.T):
        distinct = sorted(set(column.tolist()))
        middles = [a / 2 + b / 2 for a, b in pairwise(distinct)]
        for threshold in [-np.inf, *middles]:
            signs = np.where(column > threshold, 1.0, -1.0)
            cuts.append((j, threshold, float(signs @ gradient)))
    least = max(abs(score) for _, _, score in cuts) - TOLERANCE * np.abs(gradient).sum()
    return next(cut for cut in cuts if abs(cut[2]) >= least)


def tables(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    kind = seed % 5
    if kind == 0:
        values = rng.integers(-2, 3, size=(n, d)).astype(float)
    elif kind == 1:  # differences of a few bits
        values = 1.0 + 1e-12 * rng.integers(0, 9, size=(n, d))
    elif kind == 4:  # most rows share a bucket, with ties among them
        values = np.round(rng.normal(size=(7 * n, d)), 1)
        values[0] = 1e6
    else:
        values = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-200, 200)
    n = len(values)
    gradient = rng.integers(-3, 4, size=n).astype(float) if kind < 3 else rng.normal(size=n)
    return np.asfortranarray(values), gradient


@given(st.integers(0, 10**6))
def test_the_best_stump_of_all(seed):
    values, gradient = tables(seed)
    order = sort_rows(values)
    for j, rows in enumerate(order):
        assert sorted(rows.tolist()) == list(range(len(values)))
        assert (np.diff(values[rows, j]) >= 0).all()
    column, threshold, score = slow_stump(values, gradient)
    for found in (best_stump(values, gradient, order), best_stump(values, gradient)):
        assert found.column == column
        assert found.score == pytest.approx(score, abs=1e-9)
        above = values[:, column] > found.threshold
        np.testing.assert_array_equal(above, values[:, column] > threshold)


@given(seed=st.integers(0, 10**6), shape=st.sampled_from(["normal", "skewed", "discrete"]))
@settings(max_examples=25)
def test_buckets_find_what_sorting_finds(seed, shape):
    """Many rows, so that most buckets are never put in order."""
    rng = np.random.default_rng(seed)
    values = np.asfortranarray(rng.normal(size=(int(rng.integers(500, 3000)), 4)))
    if shape == "skewed":
        values = (values * values) ** 2  # by products, which are the same on all machines
    elif shape == "discrete":
        values = np.rint(3 * values)
    gradient = rng.normal(size=len(values)) + 0.2 * np.sign(values[:, 2] - 1)
    found, expected = best_stump(values, gradient), best_stump(values, gradient, sort_rows(values))
    assert found[:2] == expected[:2]
    assert found.score == pytest.approx(expected.score, rel=1e-12)


def test_the_stump_of_the_paper():
    X = np.asfortranarray([[0.0, 3], [1, 1], [2, 2], [3, 0]])
    gradient = np.array([0.5, 0.5, -1.5, 0.5])
    assert best_stump(X, gradient) == best_stump(X, gradient, sort_rows(X)) == (0, 1.5, -2.0)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_columns_too_uneven_for_buckets_are_sorted(n_threads):
    rng = np.random.default_rng(0)
    values = np.asfortranarray(1e8 + rng.normal(size=(5000, 3)))
    values[:, 1] = -0.0
    values[::2, 1] = 0.0
    values[0, 2] = 1e15  # all others share a bucket
    gradient = rng.normal(size=5000)
    expected = best_stump(values, gradient, sort_rows(values))
    found = best_stump(values, gradient, n_threads=n_threads)
    assert found[:2] == expected[:2]
    assert found.score == pytest.approx(expected.score, rel=1e-12)
    assert best_stump(values, gradient, sort_rows(values), n_threads) == expected
    numbers, places, best = np.empty(10_000), np.empty(15_002, dtype=np.int32), np.empty(3)
    stumps.scores_by_buckets(values, gradient, gradient.sum(), 0, 3, numbers, places, best)
    assert (best < 0).tolist() == [False, False, True]
    assert best[1] == pytest.approx(abs(gradient.sum()))  # -0.0 is 0.0: no cut between them


def test_bad_arguments_of_the_kernel_are_named():
    values = np.zeros((3, 2), order="F")
    order = np.zeros((2, 3), dtype=np.int32)
    numbers, places, best = np.zeros(6), np.zeros(11, dtype=np.int32), np.zeros(2)
    ask = stumps.scores_by_buckets
    with pytest.raises(ValueError, match="numbers must have at least 6 entries"):
        ask(values, np.zeros(3), 0.0, 0, 2, numbers[:5], places, best)
    with pytest.raises(ValueError, match="places must have at least 11 entries"):
        ask(values, np.zeros(3), 0.0, 0, 2, numbers, places[:10], best)
    with pytest.raises(ValueError, match="gradient must have 3 entries"):
        ask(values, np.zeros(2), 0.0, 0, 2, numbers, places, best)
    with pytest.raises(ValueError, match="columns must be a range"):
        ask(values, np.zeros(3), 0.0, 1, 3, numbers, places, best)
    with pytest.raises(ValueError, match="best must have 2 entries"):
        ask(values, np.zeros(3), 0.0, 0, 2, numbers, places, best[:1])
    with pytest.raises(ValueError, match="columns must be a range"):
        stumps.first_by_buckets(values, np.zeros(3), 0.0, 2, 1.0, numbers, places)
    assert stumps.first_by_buckets(values, np.zeros(3), 0.0, 0, 1.0, numbers, places) is None
    with pytest.raises(ValueError, match="order must have the shape"):
        stumps.best_scores(values, order[:, :2].copy(), np.zeros(3), 0.0, 0, 2, best)
    with pytest.raises(ValueError, match="order must lie in"):
        stumps.best_scores(values, order + 3, np.zeros(3), 0.0, 0, 2, np.zeros(2))
    with pytest.raises(ValueError, match="gradient must have 3 entries"):
        stumps.best_scores(values, order, np.zeros(2), 0.0, 0, 2, np.zeros(2))
    with pytest.raises(ValueError, match="columns must be a range"):
        stumps.best_scores(values, order, np.zeros(3), 0.0, 0, 3, np.zeros(2))
    with pytest.raises(ValueError, match="no stump with an absolute score"):
        stumps.first_stump(values, order, np.zeros(3), 0.0, 0, 1.0)

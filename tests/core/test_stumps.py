"""The kernel of stumps against all cuts of all columns."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
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
    kind = seed % 4
    if kind == 0:
        values = rng.integers(-2, 3, size=(n, d)).astype(float)
    elif kind == 1:  # differences of a few bits
        values = 1.0 + 1e-12 * rng.integers(0, 9, size=(n, d))
    else:
        values = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-200, 200)
    gradient = rng.integers(-3, 4, size=n).astype(float) if kind < 3 else rng.normal(size=n)
    return np.asfortranarray(values), gradient


@given(st.integers(0, 10**6))
def test_the_best_stump_of_all(seed):
    values, gradient = tables(seed)
    order = sort_rows(values)
    for j, rows in enumerate(order):
        assert sorted(rows.tolist()) == list(range(len(values)))
        assert (np.diff(values[rows, j]) >= 0).all()
    found = best_stump(values, order, gradient)
    column, threshold, score = slow_stump(values, gradient)
    assert found.column == column
    assert found.score == pytest.approx(score, abs=1e-9)
    above = values[:, column] > found.threshold
    np.testing.assert_array_equal(above, values[:, column] > threshold)


def test_the_stump_of_the_paper():
    X = np.asfortranarray([[0.0, 3], [1, 1], [2, 2], [3, 0]])
    assert best_stump(X, sort_rows(X), np.array([0.5, 0.5, -1.5, 0.5])) == (0, 1.5, -2.0)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_columns_too_uneven_for_buckets_are_sorted_all_the_same(n_threads):
    rng = np.random.default_rng(0)
    values = np.asfortranarray(1e8 + rng.normal(size=(5000, 3)))
    values[:, 1] = -0.0
    values[::2, 1] = 0.0
    values[0, 2] = 1e15  # all others share a bucket
    order = sort_rows(values, n_threads)
    for j in range(3):
        assert (np.diff(values[order[j], j]) >= 0).all()
    gradient = rng.normal(size=5000)
    one, many = (best_stump(values, order, gradient, n) for n in (1, n_threads))
    assert one == many
    assert one.column != 1


def test_bad_arguments_of_the_kernel_are_named():
    values = np.zeros((3, 2), order="F")
    order = np.zeros((2, 3), dtype=np.int32)
    done, work = np.zeros(2, dtype=np.uint8), np.zeros(7, dtype=np.int32)
    with pytest.raises(ValueError, match="order must have the shape"):
        stumps.order_rows(values, 0, 2, work, order[:, :2].copy(), done)
    with pytest.raises(ValueError, match="work must have at least 7 entries"):
        stumps.order_rows(values, 0, 2, work[:6], order, done)
    with pytest.raises(ValueError, match="order must lie in"):
        stumps.best_scores(values, order + 3, np.zeros(3), 0.0, 0, 2, np.zeros(2))
    with pytest.raises(ValueError, match="gradient must have 3 entries"):
        stumps.best_scores(values, order, np.zeros(2), 0.0, 0, 2, np.zeros(2))
    with pytest.raises(ValueError, match="columns must be a range"):
        stumps.best_scores(values, order, np.zeros(3), 0.0, 0, 3, np.zeros(2))
    with pytest.raises(ValueError, match="no stump with an absolute score"):
        stumps.first_stump(values, order, np.zeros(3), 0.0, 0, 1.0)

"""Whitening and thresholds, against matrices that are formed and lists that are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.fisher.whitening import best_threshold, n_whitened, whiten

RNG = np.random.RandomState(0)
P = np.array([[3.0, 1.0], [1.0, -1.0], [-3.0, -1.0], [-1.0, 1.0]])  # columns of the example


def matrix_of(whitening):
    """W itself, row after row."""
    return whitening.apply(np.eye(len(whitening.mean)))


def test_worked_whitening():
    whitening = whiten(P, 2, RNG)
    squares = whitening.singular_values**2
    np.testing.assert_allclose(squares, [20.94427191, 3.05572809], atol=1e-8)
    W = matrix_of(whitening)
    expected = [[0.4145898034, -0.1381966011], [-0.1381966011, 0.9673762079]]
    np.testing.assert_allclose(W, expected, atol=1e-9)
    np.testing.assert_allclose(W @ P.T @ P @ W.T, 3.05572809 * np.eye(2), atol=1e-8)
    np.testing.assert_allclose(matrix_of(whiten(P, 1, RNG)), np.eye(2), atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), p=st.integers(1, 8))
def test_whitening(seed, n, p):
    X = np.random.default_rng(seed).normal(size=(n, p))
    whitening = whiten(X, "auto", RNG)
    d = len(whitening.singular_values)
    assert d <= min(n_whitened(n), p, n - 1)
    U, q, _ = np.linalg.svd((X - X.mean(axis=0)).T, full_matrices=False)
    U, q = U[:, :d], q[:d]
    W = q[-1] * U @ np.diag(1 / q) @ U.T + np.eye(p) - U @ U.T if d else np.eye(p)
    np.testing.assert_allclose(matrix_of(whitening), W, atol=1e-9)


def test_numbers_of_components():
    assert [n_whitened(n) for n in (2, 16, 100)] == [1, 16, 44]
    assert whiten(np.ones((5, 3)), "auto", RNG).singular_values.size == 0


def test_large_tables_are_decomposed_at_random_but_well():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6)) @ rng.normal(size=(6, 550)) + 0.01 * rng.normal(size=(600, 550))
    found = whiten(X, 6, np.random.RandomState(0))
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:6]
    np.testing.assert_allclose(found.singular_values, exact, rtol=1e-6)


def right(z, first, t):
    return sum((place >= t) == one for place, one in zip(z, first, strict=True))


def test_worked_threshold():
    z, first = np.arange(1.0, 7), np.array([0, 1, 1, 0, 0, 1], dtype=bool)
    assert [right(z, first, t) for t in z] == [3, 4, 3, 2, 3, 4]
    assert right(z, first, 4.0) == 2  # the mean of the two best, 2 and 6
    assert best_threshold(z, first, "mean") == (2.0, "lowest")
    assert best_threshold(z, first, "middle") == (1.5, "middle")


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=12))
def test_thresholds(rows):
    z, first = np.array([float(r[0]) for r in rows]), np.array([r[1] for r in rows])
    best = max(right(z, first, t) for t in z)
    winners = [t for t in z if right(z, first, t) == best]
    mean, rule = best_threshold(z, first, "mean")
    assert right(z, first, mean) == best
    if rule == "mean":
        assert mean == pytest.approx(np.mean(winners))
    else:
        assert mean == min(winners)
        assert right(z, first, np.mean(winners)) < best
    middle, _ = best_threshold(z, first, "middle")
    assert right(z, first, middle) == best

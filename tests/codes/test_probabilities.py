"""Platt's scaling and the coupling of probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import _sigmoid_calibration

from ensfs.codes import couple, dense_code, one_vs_one, pairwise_coupling, platt_scaling


def slow_coupling(r, n):
    """Hastie and Tibshirani's algorithm, as they print it."""
    size = len(r)
    p = np.full(size, 1 / size)
    others = [[j for j in range(size) if j != i] for i in range(size)]
    for _ in range(20_000):
        before = p.copy()
        for i in range(size):
            wanted = sum(n[i][j] * r[i][j] for j in others[i])
            has = sum(n[i][j] * p[i] / (p[i] + p[j]) for j in others[i])
            p[i] *= wanted / has
            p /= p.sum()
        if abs(p - before).max() < 1e-14:
            break
    return p


def test_worked_platt():
    found = platt_scaling([-2, -1, -0.5, 0.3, 0.4, 1, 2], [0, 0, 1, 0, 1, 1, 1])
    np.testing.assert_allclose(found, (-0.786526258526, -0.273840765144), atol=1e-8)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_platt(seed, scale):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    y = rng.integers(2, size=n)
    y[:2] = 0, 1
    scores = rng.normal(size=n) + y * rng.uniform(0, 2)
    slope, intercept = platt_scaling(scale * scores, y)
    # the gradient of the likelihood is 0
    p = 1 / (1 + np.exp(slope * scale * scores + intercept))
    target = np.where(y == 1, (y.sum() + 1) / (y.sum() + 2), 1 / (n - y.sum() + 2))
    assert abs((target - p).sum()) < 1e-8
    assert abs((target - p) @ scores) < 1e-8
    np.testing.assert_allclose(
        (slope * scale, intercept), _sigmoid_calibration(scores, y), atol=2e-4
    )
    counts = rng.integers(0, 3, size=n)
    counts[:2] = 1
    np.testing.assert_allclose(
        platt_scaling(scores, y, counts),
        platt_scaling(np.repeat(scores, counts), np.repeat(y, counts)),
        atol=1e-8,
    )


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0]])
def test_platt_of_one_class_is_its_smoothed_share(y):
    slope, intercept = platt_scaling([1.0, 2.0, 4.0], y)
    expected = 4 / 5 if y[0] else 1 / 5
    assert slope == pytest.approx(0, abs=1e-9)
    assert 1 / (1 + np.exp(intercept)) == pytest.approx(expected)


def test_platt_of_separated_and_of_constant_scores():
    slope, intercept = platt_scaling(np.r_[-np.ones(50), np.ones(50)], np.arange(100) >= 50)
    p = 1 / (1 + np.exp(slope * np.array([-1, 1]) + intercept))
    np.testing.assert_allclose(p, [1 / 52, 51 / 52], atol=1e-9)
    slope, intercept = platt_scaling(np.zeros(10), [1] * 7 + [0] * 3)
    assert 1 / (1 + np.exp(intercept)) == pytest.approx((7 * 8 / 9 + 3 / 5) / 10)


def test_worked_coupling():
    r = np.array([[0, 0.6, 0.9], [0.4, 0, 0.5], [0.1, 0.5, 0]])
    expected = [0.597111426119, 0.245287636642, 0.157600937240]
    np.testing.assert_allclose(pairwise_coupling(r), expected, atol=1e-11)
    p = np.array([0.5, 0.3, 0.2])
    consistent = p[:, None] / (p[:, None] + p)
    np.testing.assert_allclose(pairwise_coupling(consistent), p, atol=1e-11)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_coupling(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 6))
    upper = np.triu(rng.uniform(0.05, 0.95, size=(2, size, size)), 1)
    r = upper + np.tril(1 - upper.transpose(0, 2, 1), -1)
    n = rng.integers(1, 20, size=(size, size))
    n = np.triu(n, 1) + np.triu(n, 1).T
    expected = [slow_coupling(each, n) for each in r]
    np.testing.assert_allclose(pairwise_coupling(r, n), expected, atol=1e-8)


def test_coupling_of_codes_returns_consistent_probabilities():
    p = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    for code in (dense_code(4), one_vs_one(4)):
        with_one, with_other = p @ (code == 1), p @ (code == -1)
        found = couple(with_one / (with_one + with_other), code)
        np.testing.assert_allclose(found, p, atol=1e-9)


def test_coupling_of_certain_columns():
    code = one_vs_one(3)
    p = couple(np.array([[1.0, 1.0, 0.5], [0.0, 0.5, 1.0]]), code)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert p.argmax(axis=1).tolist() == [0, 1]

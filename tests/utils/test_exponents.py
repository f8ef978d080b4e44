"""Powers of two that bring numbers near 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from ensfs._utils.exponents import MOST, Standardizer, brought_down, exponents


def test_exponents():
    X = np.array([[0.0, 3.0, -1e300, 5e-324], [0.0, -0.5, 1.0, 0.0]])
    assert exponents(X, axis=0).tolist() == [0, 2, 997, -1073]
    assert int(exponents(X)) == 997
    assert int(exponents(np.empty((0, 2)))) == 0


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
def test_the_largest_is_brought_below_one_and_nothing_is_lost(numbers):
    X = np.array(numbers)
    near = brought_down(X, exponents(X))
    largest = np.abs(near).max()
    assert largest == 0 or 0.5 <= largest < 1
    back = np.ldexp(near, exponents(X))
    kept = np.abs(near) >= 2.0**-1022  # smaller ones vanish beside the largest
    np.testing.assert_array_equal(back[kept], X[kept])


def test_what_is_far_beyond_stays_finite():
    assert brought_down(np.array([1e308, -1e308]), np.array(-1000)).tolist() == [MOST, -MOST]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("scale", [1.0, 2.0**1000, 2.0**-1000])
def test_standardized_as_by_scikit_learn(weighted, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) + rng.normal(size=4)
    weight = rng.random(30) if weighted else None
    expected = StandardScaler().fit(X, sample_weight=weight).transform(X)
    ours = Standardizer().fit(scale * X, sample_weight=weight).transform(scale * X)
    np.testing.assert_array_equal(ours, expected)

"""The discretisers against plain definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import parametrize_with_checks

from ensfs.discretise import SigmaDiscretiser, sigma_codes

DISCRETISERS = [SigmaDiscretiser()]


@parametrize_with_checks(DISCRETISERS)
def test_scikit_learn(estimator, check):
    check(estimator)


def sigma_slow(column, width=0.5):
    seen = column[~np.isnan(column)].astype(np.float64)
    if seen.size == 0 or seen.min() == seen.max():
        return np.where(np.isnan(column), 1, 0)
    spread = width * seen.std(ddof=1)
    codes = np.where(
        column > seen.mean() + spread, 2, np.where(column < seen.mean() - spread, 0, 1)
    )
    return np.where(np.isnan(column), 3, codes)


def test_sigma_check_9():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [10.0]])
    discretiser = SigmaDiscretiser().fit(X)
    np.testing.assert_allclose(
        discretiser.cut_points_[0], [4 - 0.5 * 3.5355339059, 4 + 0.5 * 3.5355339059], rtol=1e-10
    )
    assert discretiser.transform(X).ravel().tolist() == [0, 0, 1, 1, 2]


def test_sigma_is_strict_on_both_sides():
    # Mean 2, sample variance 4: both cut points (1 and 3) are values of the column.
    X = np.array([0.0, 0.0, 1.0, 3.0, 4.0, 4.0, 2.0])[:, None]
    X = np.concatenate([X, [[2.0]]])
    width = 1.0 / X.std(ddof=1)
    discretiser = SigmaDiscretiser(width=width).fit(X)
    low, high = discretiser.cut_points_[0]
    probe = np.array(
        [np.nextafter(low, -9), low, np.nextafter(low, 9), high, np.nextafter(high, 9)]
    )
    assert discretiser.transform(probe[:, None]).ravel().tolist() == [0, 1, 1, 1, 2]


@settings(deadline=None)
@given(
    X=hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 30), st.integers(1, 5)),
        elements=st.one_of(st.integers(-3, 3).map(float), st.just(np.nan)),
    )
)
def test_sigma_slow_twin(X):
    codes, _ = sigma_codes(X)
    # Values within rounding of a cut point may fall on either side in the twin; small integers
    # keep the sums exact, and widths of half a deviation are met only by exact cases.
    np.testing.assert_array_equal(codes, np.column_stack([sigma_slow(column) for column in X.T]))
    np.testing.assert_array_equal(codes, SigmaDiscretiser().fit_transform(X))


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e307])
def test_sigma_extreme_values(scale):
    X = np.array([1.0, 2.0, 3.0, 4.0, 10.0])[:, None] * scale
    assert SigmaDiscretiser().fit_transform(X).ravel().tolist() == [0, 0, 1, 1, 2]

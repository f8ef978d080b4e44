"""What correlated members leave of an error."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from ensfs.evaluation import error_correlation
from ensfs.plotting import ErrorReductionDisplay


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_lines_follow_the_formula():
    shown = ErrorReductionDisplay.from_correlations([0, 0.5, 1], max_members=4)
    np.testing.assert_allclose(shown.lines_[0].get_ydata(), [1, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(shown.lines_[1].get_ydata(), [1, 3 / 4, 2 / 3, 5 / 8])
    np.testing.assert_array_equal(shown.lines_[2].get_ydata(), 1)
    assert shown.marked_ is None


def test_an_ensemble_is_marked():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    votes = np.where(rng.random((25, 400)) < 0.2, 1 - y, y)
    shown = ErrorReductionDisplay.from_predictions(votes, y)
    delta = error_correlation(votes, y)
    assert shown.member == (25, delta)
    np.testing.assert_allclose(shown.marked_.get_xydata(), [[25, (1 + 24 * delta) / 25]])
    assert shown.lines_[0].get_xdata()[-1] == 25


def test_what_cannot_be_drawn():
    with pytest.raises(ValueError, match=r"correlations must lie between 0 and 1; got 1\.2"):
        ErrorReductionDisplay.from_correlations([1.2])
    with (
        pytest.warns(UserWarning, match="is not defined"),
        pytest.raises(ValueError, match="no correlation to draw"),
    ):
        ErrorReductionDisplay.from_predictions([[0, 1], [0, 1]], [0, 1])

"""Margins of two subspaces."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_wine

from ensfs import WeightedSubspaceBaggingClassifier
from ensfs.plotting import MarginsDisplay


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_rows_with_different_signs_are_marked():
    shown = MarginsDisplay(first=[0.5, -0.2, 0, np.nan, -1], second=[0.1, 0.4, -1, 1, 1]).plot()
    np.testing.assert_array_equal(shown.points_.get_xdata(), [0.5, 0])
    np.testing.assert_array_equal(shown.marked_.get_xdata(), [-0.2, -1])
    np.testing.assert_array_equal(shown.marked_.get_ydata(), [0.4, 1])


def test_from_an_ensemble():
    X, y = load_wine(return_X_y=True)
    model = WeightedSubspaceBaggingClassifier(
        n_estimators=5, n_subspaces=3, n_oob_estimators=10, random_state=0
    ).fit(X, y)
    shown = MarginsDisplay.from_estimator(model, subspaces=(2, 0))
    drawn = len(shown.points_.get_xdata()) + len(shown.marked_.get_xdata())
    assert drawn == (~np.isnan(model.margins_[[0, 2]]).any(axis=0)).sum()
    assert shown.ax_.get_xlabel() == "margin in subspace 2 (9 columns)"
    with pytest.raises(ValueError, match=r"subspaces must be below their number, 3; got \(0, 3\)"):
        MarginsDisplay.from_estimator(model, subspaces=(0, 3))
    with pytest.raises(ValueError, match="must hold a margin for each row"):
        MarginsDisplay(first=[1, 2], second=[1]).plot()

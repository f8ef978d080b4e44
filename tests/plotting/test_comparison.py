import numpy as np
import pytest
from sklearn.datasets import load_wine

from ensfs import MRMR, SelectorCV
from ensfs.evaluation import compare_selectors
from ensfs.plotting import AccuracyDisplay, SelectorComparisonDisplay


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_points_are_scores_and_stabilities(wine):
    found = compare_selectors({"four": MRMR(4), "two": MRMR(2)}, *wine)
    shown = SelectorComparisonDisplay.from_comparison(found)
    for i, line in enumerate(shown.lines_):
        assert line.get_xdata()[0] == found.stability[i].stability
        assert line.get_ydata()[0] == found.scores[i].mean()
    np.testing.assert_array_equal(shown.score_errors, found.standard_errors()[:2])
    assert shown.all_columns == found.scores[2].mean()
    legend = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert legend == ["four", "two"]
    assert shown.ax_.get_ylabel().startswith("accuracy")


def test_selectors_without_stability_are_left_out(wine):
    found = compare_selectors({"all": MRMR(13), "two": MRMR(2)}, *wine, cv=3, baseline=False)
    shown = SelectorComparisonDisplay.from_comparison(found)
    assert len(shown.lines_) == 1
    assert shown.all_columns is None
    nothing = compare_selectors([MRMR(13)], *wine, cv=3)
    with pytest.raises(ValueError, match="No selector has a stability"):
        SelectorComparisonDisplay.from_comparison(nothing)


def test_the_curve_of_a_search(wine):
    search = SelectorCV(MRMR(), cv=3, scoring="balanced_accuracy").fit(*wine)
    shown = AccuracyDisplay.from_search(search)
    np.testing.assert_array_equal(shown.line_.get_ydata(), search.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(shown.line_.get_xdata(), search.cv_results_["size"])
    assert shown.chosen == search.n_features_
    assert shown.ax_.get_ylabel() == "cross-validated balanced accuracy"
    assert [text.get_text() for text in shown.ax_.texts] == [f"{search.n_features_} chosen"]

"""Gains, stages, and curves of bias and variance: what is drawn is what was measured."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from ensfs.evaluation import ambiguity, bias_variance, ensemble_gain, staged_errors
from ensfs.plotting import BiasVarianceDisplay, GainDisplay, StagedErrorDisplay

RNG = np.random.default_rng(0)
Y = RNG.integers(3, size=60)
ENSEMBLES = [np.where(RNG.random((size, 60)) < 0.3, RNG.integers(3, size=(size, 60)), Y)
             for size in (3, 5, 8)]  # fmt: skip


@pytest.mark.parametrize("loss", ["error", "conditional_entropy"])
def test_gains(loss):
    display = GainDisplay.from_predictions(ENSEMBLES, Y, loss=loss, name="masks")
    x, gains = display.points_.get_data()
    np.testing.assert_allclose(x, [ambiguity(each) for each in ENSEMBLES])
    np.testing.assert_allclose(gains, [ensemble_gain(each, Y, loss=loss) for each in ENSEMBLES])
    assert display.correlation_ == pytest.approx(np.corrcoef(x, gains)[0, 1])
    (text,) = [each.get_text() for each in display.ax_.get_legend().get_texts()]
    assert text == f"masks: r = {display.correlation_:.2f}"
    second = GainDisplay.from_predictions(ENSEMBLES[:1], Y, loss=loss, ax=display.ax_)
    assert np.isnan(second.correlation_)
    assert second.points_.get_color() != display.points_.get_color()


def test_stages():
    X, y = load_wine(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(7, random_state=0).fit(X[::2], y[::2])
    display = StagedErrorDisplay.from_estimator(forest, X[1::2], y[1::2], name="forest")
    members, errors = display.line_.get_data()
    assert members.tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_allclose(errors, staged_errors(forest, X[1::2], y[1::2]))
    assert display.ax_.get_ylabel() == "error rate"
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(3, random_state=0).fit(X, y)
    assert StagedErrorDisplay.from_estimator(forest, X, y).ax_.get_ylabel() == "RMSE"
    own = StagedErrorDisplay.from_estimator(forest, X, y, error=lambda a, b: np.abs(a - b).mean())
    assert own.ax_.get_ylabel() == "error"


@pytest.mark.parametrize("method", ["james", "kohavi_wolpert"])
def test_terms_add_up(method):
    response = RNG.dirichlet([1, 1, 1], size=60)
    results = [bias_variance(each, response=response, classes=[0, 1, 2], method=method)
               for each in ENSEMBLES]  # fmt: skip
    display = BiasVarianceDisplay.from_results([2, 4, 8], results, value_name="nodes")
    curves = {line.get_label(): line.get_ydata() for line in display.lines_}
    total = sum(np.asarray(curve) for name, curve in curves.items() if name != "error")
    np.testing.assert_allclose(total, curves["error"], atol=1e-12)
    assert len(curves) == 4
    assert display.ax_.get_xlabel() == "nodes"


def test_bad_arguments():
    result = bias_variance(ENSEMBLES[0], Y)
    other = bias_variance(ENSEMBLES[0], Y, method="kohavi_wolpert")
    with pytest.raises(ValueError, match="at least one ensemble"):
        GainDisplay.from_predictions([], Y)
    with pytest.raises(ValueError, match="as many as values, 2; got 1"):
        BiasVarianceDisplay.from_results([1, 2], [result])
    with pytest.raises(ValueError, match="by the same method"):
        BiasVarianceDisplay.from_results([1, 2], [result, other])
    with pytest.raises(ValueError, match="what bias_variance gave"):
        BiasVarianceDisplay.from_results([1], [0.5])

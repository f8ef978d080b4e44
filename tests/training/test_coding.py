"""Discretizers inside of selectors: by name, as objects, fitted or not."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import KBinsDiscretizer

from ensfs import (
    FCBF,
    IAMB,
    JMI,
    EqualFrequencyDiscretizer,
    ITDecomposition,
    MDLDiscretizer,
    SigmaDiscretizer,
)
from ensfs.data import table as tables
from ensfs.data import target as targets
from ensfs.discretize import DISCRETIZERS
from ensfs.discretize import _base as discretizer_base
from ensfs.discretize import targets as discretized_targets
from ensfs.training import classes
from ensfs.training import estimator as estimators

OWN = {
    "mdl": MDLDiscretizer(better_encoding=True),
    "sigma": SigmaDiscretizer(),
    "equal_frequency": EqualFrequencyDiscretizer(),
}
KBINS = KBinsDiscretizer(4, encode="ordinal", strategy="uniform", quantile_method="linear")


def mixed(n=90):
    """Continuous columns with a discrete one between them."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    X = pd.DataFrame(
        rng.normal(size=(n, 4)) + y[:, None] * [0.2, 1.0, 0.0, 0.6], columns=list("abcd")
    )
    X.insert(1, "count", (y + rng.integers(0, 2, n)) % 4)
    return X, y


def result(selector, X, y):
    selector.fit(X, y)
    return selector.indices_, selector.scores_, selector.relevance_, selector.cut_points_


def assert_same(found, expected):
    for a, b in zip(found[:3], expected[:3], strict=True):
        np.testing.assert_array_equal(a, b)
    assert list(found[3]) == list(expected[3])
    for j, cuts in expected[3].items():
        np.testing.assert_array_equal(found[3][j], cuts)


@pytest.mark.parametrize("as_array", [False, True])
@pytest.mark.parametrize("discretizer", OWN.values(), ids=OWN)
def test_fitted_discretizers_beside_discrete_columns(discretizer, as_array):
    X, y = mixed()
    expected = result(JMI(3, discretizer=discretizer), X, y)
    everything = X.to_numpy() if as_array else X
    fitted = clone(discretizer).fit(everything, y)
    assert fitted.n_features_in_ == 5
    assert_same(result(JMI(3, discretizer=fitted), everything, y), expected)
    continuous = X[list("abcd")]
    fitted = clone(discretizer).fit(continuous.to_numpy() if as_array else continuous, y)
    assert_same(result(JMI(3, discretizer=fitted), everything, y), expected)


def test_frozen_discretizers():
    X, y = mixed()
    frozen = FrozenEstimator(clone(OWN["sigma"]).fit(X))
    assert_same(result(JMI(3, discretizer=frozen), X, y), result(JMI(3, discretizer="sigma"), X, y))


def test_fitted_discretizers_find_their_columns_by_name():
    X, y = mixed()
    fitted = MDLDiscretizer(better_encoding=True).fit(X[["d", "count", "a", "b", "c"]], y)
    text = X.assign(city=np.array(["rome", "oslo"])[y % 2])
    expected = result(JMI(3, discretizer="mdl"), text, y)
    assert_same(result(JMI(3, discretizer=fitted), text, y), expected)
    with pytest.raises(ValueError, match=r"discretizer was not fitted on column 'e'.*[Ff]it"):
        JMI(3, discretizer=fitted).fit(X.assign(e=X["a"] + X["b"]), y)


def test_fitted_discretizers_of_other_columns():
    X, y = mixed()
    fitted = SigmaDiscretizer().fit(X.to_numpy()[:, :2])
    with pytest.raises(ValueError, match=r"on 2 column.* X has 5, of which 4 are continuous"):
        JMI(3, discretizer=fitted).fit(X.to_numpy(), y)


@pytest.mark.parametrize("as_array", [False, True])
def test_fitted_transformers_of_others(as_array):
    X, y = mixed()
    everything, continuous = X, X[list("abcd")]
    if as_array:
        everything, continuous = X.to_numpy(), continuous.to_numpy()
    expected = result(JMI(3, discretizer=KBINS), everything, y)
    for part in (everything, continuous):
        fitted = clone(KBINS).fit(part)
        assert_same(result(JMI(3, discretizer=fitted), everything, y), expected)


def test_a_transformer_of_columns_that_are_now_text():
    X, y = mixed()
    fitted = clone(KBINS).fit(X)
    with pytest.raises(ValueError, match=r"column 'count' holds text.*continuous columns"):
        JMI(3, discretizer=fitted).fit(X.assign(count=X["count"].astype(str)), y)


@pytest.mark.parametrize("name", DISCRETIZERS)
@pytest.mark.parametrize("make", [partial(JMI, 3), FCBF, IAMB])
def test_names_are_short_for_objects(name, make):
    X, y = mixed()
    a, b = make(discretizer=name).fit(X, y), make(discretizer=OWN[name]).fit(X, y)
    np.testing.assert_array_equal(a.indices_, b.indices_)
    np.testing.assert_array_equal(a.scores_, b.scores_)


def test_parameters_of_discretizers_are_checked():
    X, y = mixed()
    with pytest.raises(ValueError, match="'n_bins' parameter of EqualFrequencyDiscretizer must be"):
        JMI(3, discretizer=EqualFrequencyDiscretizer(n_bins=1)).fit(X, y)


class Doubled(SigmaDiscretizer):
    """A subclass with a rule of its own."""

    def transform(self, X):
        return super().transform(X) // 2


def test_subclasses_keep_their_own_rule():
    X, y = mixed()
    coded = JMI(3, discretizer=Doubled()).fit(X, y)
    plain = JMI(3, discretizer="sigma").fit(X, y)
    assert (coded.relevance_ != plain.relevance_).any()


@pytest.mark.parametrize("make", [partial(JMI, 3), FCBF, IAMB, partial(ITDecomposition, 2)])
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("name", OWN)
def test_the_table_and_the_target_are_read_once(name, fitted, make, monkeypatch):
    X, y = mixed()
    discretizer = clone(OWN[name]).fit(X, y) if fitted else name
    calls = []

    def counted(function):
        return lambda *args, **kwargs: calls.append(function.__name__) or function(*args, **kwargs)

    for module, function in [
        (estimators, tables.make_table),
        (discretizer_base, tables.make_table),
        (classes, targets.make_target),
        (discretized_targets, targets.make_target),
    ]:
        monkeypatch.setattr(module, function.__name__, counted(function))
    make(discretizer=discretizer).fit(X, y)
    assert sorted(calls) == ["make_table", "make_target"]


@pytest.mark.parametrize("name", OWN)
def test_large_integers_are_cut_with_all_their_digits(name):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    small = rng.integers(0, 400, (90, 3)) + 100 * y[:, None]
    large = 2**60 + small
    expected = JMI(2, discretizer=name).fit(small, y)
    found = JMI(2, discretizer=name).fit(large, y)
    np.testing.assert_array_equal(found.relevance_, expected.relevance_)
    np.testing.assert_array_equal(found.indices_, expected.indices_)
    for j, cuts in expected.cut_points_.items():  # as near as floats of this size come
        np.testing.assert_allclose(found.cut_points_[j] - 2.0**60, cuts, atol=128)


@pytest.mark.parametrize("make", [partial(JMI, 1), FCBF, IAMB])
@pytest.mark.parametrize("name", OWN)
def test_the_largest_floats_give_no_warning(name, make):
    """Codes depend on the order of values, so a factor changes nothing but sigma's last digits."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.uniform(-1, 1, (90, 3)) + y[:, None] * [0.5, 0, 0.1]
    X *= 1.9 / np.abs(X).max()  # differences beyond all floats
    for factor in (1.0, 2.0**1023):
        found = make(discretizer=name).fit(X * factor, y)
        if factor == 1.0:
            expected = found
    np.testing.assert_array_equal(found.indices_, expected.indices_)
    np.testing.assert_array_equal(found.relevance_, expected.relevance_)

"""The contract of selectors that ensembles can run on parts."""

import inspect

import numpy as np
import pytest

import ensfs
from ensfs import MRMR
from ensfs.data.table import make_table
from ensfs.selection._base import BaseSelector, PartSelector
from ensfs.statistics import Resampling
from ensfs.training.memory import MemoryTrainingData

CLASSES = [each for each in map(ensfs.__dict__.get, ensfs.__all__) if inspect.isclass(each)]
SELECTORS = [each for each in CLASSES if issubclass(each, BaseSelector)]
PART_SELECTORS = [each for each in SELECTORS if issubclass(each, PartSelector)]
METHODS = ("read_options", "sources", "select", "store", "explain_row")


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 5))
    return X, (X[:, 0] + X[:, 1] + rng.integers(0, 2, 400)) // 2


@pytest.mark.parametrize("c", PART_SELECTORS)
def test_the_methods_are_documented_and_leave_the_parameters_alone(c, table):
    for name in METHODS:
        assert getattr(c, name).__doc__, name
    selector = c()
    before = dict(vars(selector))
    options = selector.read_options()
    assert dict(vars(selector)) == before
    assert set(options) == {"discrete_features", "integral_is_discrete"}


@pytest.mark.parametrize("c", PART_SELECTORS)
def test_a_fit_is_one_part_of_all_rows(c, table):
    """What an ensemble does with several parts, done by hand with one."""
    X, y = table
    selector = c()
    if "n_features_to_select" in selector.get_params():
        selector.set_params(n_features_to_select=3)
    fitted = c(**selector.get_params(deep=False)).fit(X, y)
    data = MemoryTrainingData(make_table(X, **selector.read_options()), y)
    sources = selector.sources(data, Resampling.all_rows(len(y)), 1)
    selection = selector.select(sources, selector.size_for(data.variables), data.variables.included)
    assert len(selection.columns) == len(selection.scores) == 1
    selector._set_variables(data.variables)
    selector.store(data, sources, selection)
    np.testing.assert_array_equal(selector.indices_, fitted.indices_)
    np.testing.assert_array_equal(selector.scores_, fitted.scores_)
    assert str(selector.explain()) == str(fitted.explain())
    assert selector.explain_row(2)["feature"] == "x2"
    if not c.decides_size:
        assert selector.indices_.size == 3


@pytest.mark.parametrize("c", [c for c in SELECTORS if c.prefix_stable])
def test_prefixes(c, table):
    X, y = table
    known = "random_state" in c().get_params()
    how = {"random_state": 0} if known else {}
    fitted = c(n_features_to_select=3, **how).fit(X, y)
    for k in (1, 2, 3):
        alone = c(n_features_to_select=k, **how).fit(X, y)
        np.testing.assert_array_equal(fitted.selection_of_size(k), alone.indices_)


def test_a_selection_cannot_be_changed(table):
    X, y = table
    data = MemoryTrainingData(make_table(X), y)
    selector = MRMR(2)
    sources = selector.sources(data, Resampling.all_rows(400), 1)
    selection = selector.select(sources, 2, data.variables.included)
    with pytest.raises(AttributeError):
        selection.n_pairs_read = 0

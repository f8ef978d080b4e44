"""MRMR with relevance from a forest, a function or an array."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif, mutual_info_classif

from ensfs import MRMR, FastEnsemble, ForestImportance, RowBlocks


def quotient_slow(relevance, X, k):
    """The definition: relevance over the mean absolute correlation with the selected columns."""
    r = np.abs(np.corrcoef(X.T))
    chosen = [int(np.argmax(relevance))]
    while len(chosen) < k:
        score = relevance / r[:, chosen].mean(1)
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
    return chosen


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def test_array(wine):
    X, y = wine
    relevance = np.random.default_rng(0).random(13)
    selector = MRMR(8, relevance=relevance).fit(X, y)
    assert selector.indices_.tolist() == quotient_slow(relevance, X, 8)
    assert selector.measures_ == ("given", "pearson", "quotient")
    np.testing.assert_array_equal(selector.relevance_, relevance)
    blocks = RowBlocks([(X[:60], y[:60]), (X[60:], y[60:])])
    assert MRMR(8, relevance=relevance).fit(blocks).indices_.tolist() == selector.indices_.tolist()


def test_function_with_p_values_is_the_measure_by_name(wine):
    X, y = wine
    by_function = MRMR(6, relevance=f_classif).fit(X, y)
    assert by_function.indices_.tolist() == MRMR(6, scheme="FCQ").fit(X, y).indices_.tolist()
    other = MRMR(6, relevance=lambda X, y: mutual_info_classif(X, y, random_state=0)).fit(X, y)
    assert other.indices_.size == 6


def test_function_is_called_for_every_part(wine):
    X, y = wine
    by_function = FastEnsemble(MRMR(4, relevance=f_classif), n_parts=5).fit(X, y)
    by_name = FastEnsemble(MRMR(4, scheme="FCQ"), n_parts=5).fit(X, y)
    np.testing.assert_array_equal(by_function.part_selections_, by_name.part_selections_)


def test_forest(wine):
    X, y = wine
    selector = MRMR(6, scheme="RFCQ").fit(X, y)
    assert selector.measures_ == ("forest", "pearson", "quotient")
    assert selector.indices_.tolist() == quotient_slow(selector.relevance_, X, 6)
    # another seed, the same forest otherwise
    importance = ForestImportance(13, random_state=0).fit(X, y).scores_
    assert np.corrcoef(np.maximum(importance, 0), selector.relevance_)[0, 1] > 0.98


def test_forest_sees_what_is_not_linear():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    y = X[:, 3] ** 2 + 0.1 * rng.normal(size=300)
    assert MRMR(1, relevance="forest").fit(X, y).indices_.tolist() == [3]


def test_errors(wine):
    X, y = wine
    with pytest.raises(ValueError, match="one number for each of 13 columns"):
        MRMR(2, relevance=np.ones(5)).fit(X, y)
    with pytest.raises(ValueError, match="finite and not negative"):
        MRMR(2, relevance=np.arange(13) - 1.0).fit(X, y)
    with pytest.raises(TypeError, match="whole table in memory"):
        MRMR(2, relevance="forest").fit(RowBlocks([(X, y)]))
    with pytest.raises(ValueError, match="scheme='FCQ' means relevance='f_test'"):
        MRMR(2, relevance=np.ones(13), scheme="FCQ").fit(X, y)

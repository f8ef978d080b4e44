"""Inputs at the edge that once went wrong."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import KBinsDiscretizer

from ensfs import CFS, CMIM, FCBF, MRMR, FastEnsemble, InnerEnsemble, RowBlocks
from ensfs.measures import f_test, pairwise


@pytest.mark.parametrize("seed", range(5))
def test_two_rows_leave_no_freedom_for_a_regression(seed):
    X = np.random.default_rng(seed).normal(size=(2, 3))
    assert f_test(X, [0.5, 1.7]).tolist() == [0, 0, 0]
    found = MRMR(3, relevance="f_test").fit(X, [0.5, 1.7])
    assert sorted(found.indices_) == [0, 1, 2]
    three = np.random.default_rng(seed).normal(size=(3, 3))
    parts = (
        FastEnsemble(MRMR(2, relevance="f_test"), n_parts=3)
        .fit(three, [0.5, 1.7, 0.1])
        .part_selections_
    )
    assert parts.min() >= 0


def test_more_classes_than_can_be_counted():
    X, y = (np.arange(70_000) % 2)[:, None], np.arange(70_000).astype(str)
    with pytest.raises(ValueError, match="70000 classes"):
        CMIM(1).fit(X, y)


@pytest.mark.parametrize("levels", [9, 20, 33, 37])
def test_independent_columns_with_many_levels_share_nothing(levels):
    grid = np.stack(np.meshgrid(*[np.arange(levels)] * 2, indexing="ij"), -1).reshape(-1, 2)
    assert pairwise(grid, "mutual_information")[0, 1] == 0
    blocks = RowBlocks([(grid[:, :1], grid[:, 1])])
    assert MRMR(1, scheme="MIQ", discrete_features=[0]).fit(blocks).relevance_.tolist() == [0]


def test_what_an_earlier_fit_learned_is_forgotten():
    rng = np.random.default_rng(0)
    frame, y = pd.DataFrame(rng.normal(size=(30, 6)), columns=list("abcdef")), np.arange(30) % 2
    selector = MRMR(2).fit(frame, y)
    selector.fit(RowBlocks([(frame.to_numpy()[:, :4], y)]))
    assert not hasattr(selector, "feature_names_in_")
    assert selector.get_feature_names_out().size == 2
    ensemble = InnerEnsemble(MRMR(2), n_parts=3).fit(frame, y)
    assert ensemble.measures_[0] == "f_test"
    with pytest.warns(UserWarning, match="InnerEnsemble selected no column"):
        ensemble.set_params(selector=CMIM(2)).fit(frame, y)
    assert not hasattr(ensemble, "measures_")


def test_a_cap_holds_for_locally_predictive_columns_too():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 8))
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 3).astype(int)
    for k in (1, 2):
        found = CFS(n_features_to_select=k, locally_predictive=True).fit(X, y)
        assert found.indices_.size == k


def test_targets_of_blocks_are_read_as_those_of_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = pd.Series(rng.integers(0, 40, 60)).astype("category")
    whole = MRMR(2).fit(X, y)
    blocks = MRMR(2).fit(RowBlocks([(X[:30], y[:30]), (X[30:], y[30:])]))
    assert whole.measures_ == blocks.measures_
    # the categories stand in another order, as text
    np.testing.assert_allclose(whole.relevance_, blocks.relevance_, rtol=1e-12)
    masked = np.ma.masked_array(np.arange(30) % 2, np.arange(30) == 3)
    with pytest.raises(ValueError, match="NaN"):
        MRMR(2).fit(RowBlocks([(X[:30], masked)]))
    with pytest.raises(ValueError, match="not of the kind of block 0"):
        MRMR(2).fit(RowBlocks([(X[:30], np.arange(30) % 2), (X[30:], list("ab") * 15)]))


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
def test_ensembles_keep_the_cut_points(ensemble):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 0] += 3 * y
    fitted = ensemble(FCBF(), n_parts=3).fit(X, y)
    assert sorted(fitted.cut_points_) == [0, 1, 2]
    assert fitted.cut_points_[0].size > 0


def test_discretizers_of_others():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc"))
    y = (frame["b"] > 0).astype(int)
    bins = KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    expected = FCBF().fit(bins.fit_transform(frame).astype(int), y).indices_
    np.testing.assert_array_equal(FCBF(discretizer=bins).fit(frame, y).indices_, expected)
    fitted = bins.fit(frame)
    np.testing.assert_array_equal(FCBF(discretizer=fitted).fit(frame, y).indices_, expected)

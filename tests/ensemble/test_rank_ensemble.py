"""Rank ensembles: aggregation by definition, members on all rows and on halves."""

import math
import warnings
from itertools import permutations

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import scale

from ensfs import FCBF, MRMR, FastEnsemble, ForestImportance, ForwardSelection, L1Path, RankEnsemble
from ensfs.ensemble.rank_aggregation import AGGREGATIONS, borda, interleaving, robust_rank

ORDERS = [np.array([2, 0, 1]), np.array([0, 3]), np.array([4, 2, 0, 1])]


def rho_slow(places, n_features):
    """Kolde's rho by binomial sums: the chance that at least i of m places are as good."""
    m = len(places)
    shares = sorted(min(place / n_features, 1.0) for place in places)
    chances = [
        sum(math.comb(m, j) * r**j * (1 - r) ** (m - j) for j in range(i, m + 1))
        for i, r in enumerate(shares, 1)
    ]
    return min(1.0, m * min(chances))


def place(order, f):
    return list(order).index(f) + 1 if f in order else math.inf


def test_reciprocal_rank():
    scores = AGGREGATIONS["reciprocal_rank"](ORDERS, 6)
    expected = [sum(1 / place(order, f) for order in ORDERS) for f in range(6)]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_borda():
    expected = [2 / 3 + 1 + 2 / 4, 1 / 3 + 1 / 4, 1 + 3 / 4, 1 / 2, 1, 0]
    np.testing.assert_allclose(borda(ORDERS, 6), expected, atol=1e-12)


def test_interleaving():
    turns = -interleaving(ORDERS, 6)
    assert np.argsort(turns, kind="stable").tolist() == [2, 0, 4, 3, 1, 5]


def test_robust_rank():
    expected = [rho_slow([place(order, f) for order in ORDERS], 6) for f in range(6)]
    np.testing.assert_allclose(np.exp(-robust_rank(ORDERS, 6)), expected, atol=1e-12)


def test_robust_rank_is_calibrated():
    """Over all pairs of orders of four columns rho is no more often small than it says."""
    every = [np.array(order) for order in permutations(range(4))]
    rho = np.array([np.exp(-robust_rank([a, b], 4)[0]) for a in every for b in every])
    for level in (0.1, 0.25, 0.5):
        assert (rho <= level + 1e-12).mean() <= level + 1e-12


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_members_are_combined(aggregation, wine):
    X, y = wine
    members = [("forward", ForwardSelection()), ("l1", L1Path()), ("mrmr", MRMR())]
    fitted = RankEnsemble(members, 4, aggregation=aggregation).fit(X, y)
    orders = [m.set_params(n_features_to_select=13) for _, m in members]
    orders = [m.fit(X, y).indices_ for m in orders]
    scores = AGGREGATIONS[aggregation](orders, 13)
    np.testing.assert_allclose(fitted.scores_, scores)
    assert fitted.indices_.tolist() == np.argsort(-scores, kind="stable")[:4].tolist()
    for member, order in zip(fitted.places_, orders, strict=True):
        assert member[order].tolist() == list(range(1, len(order) + 1))
    row = fitted.explain(int(fitted.indices_[0]))[0]
    assert row["mrmr"] == place(orders[2], fitted.indices_[0])


def test_halves_are_shared(wine):
    X, y = wine
    members = [("a", ForwardSelection()), ("b", ForwardSelection())]
    fitted = RankEnsemble(members, 3, n_halves=6, random_state=0).fit(X, y)
    for first, second in zip(*fitted.orders_, strict=True):
        assert first.tolist() == second.tolist()
    assert len({tuple(order) for order in fitted.orders_[0]}) > 1
    p = X.shape[1]
    shares = [np.mean([1 / place(order, f) for order in fitted.orders_[0]]) for f in range(p)]
    np.testing.assert_allclose(np.nan_to_num(1 / fitted.places_[0]), shares)
    frequency = np.mean([[f in order[:3] for f in range(p)] for order in fitted.orders_[0]], axis=0)
    np.testing.assert_allclose(fitted.selection_frequency_, frequency)


def test_selectors_of_scikit_learn(wine):
    X, y = wine
    members = [("k", SelectKBest(k=3)), ("rfe", RFE(LogisticRegression(), n_features_to_select=1))]
    fitted = RankEnsemble(members, 5).fit(X, y)
    assert fitted.places_[0].argmin() == np.argmax(members[0][1].fit(X, y).scores_)
    with pytest.raises(TypeError, match="VarianceThreshold gives no order"):
        RankEnsemble([("v", VarianceThreshold())], 5).fit(X, y)


def test_default_members(wine):
    """Those of the documentation; with too few rows for halves one run of MRMR."""
    X, y = wine
    fitted = RankEnsemble(None, 4, random_state=0).fit(X, y)
    assert fitted.member_names_ == ["forest", "mrmr", "forward", "l1"]
    seed = fitted.estimators_[1].random_state
    votes = FastEnsemble(MRMR(13), parts="halves", random_state=seed).fit(X, y)
    assert fitted.orders_[1][0].tolist() == votes.indices_.tolist()
    assert fitted.orders_[2][0].tolist() == ForwardSelection(13).fit(X, y).indices_.tolist()
    few = RankEnsemble(None, 4).fit(X[::12], y[::12])  # 15 rows
    assert few.orders_[1][0].tolist() == MRMR(13).fit(X[::12], y[::12]).indices_.tolist()
    halves = RankEnsemble(None, 4, n_halves=2).fit(X[::7], y[::7])
    assert [type(each) for each in halves.estimators_[1:2]] == [MRMR]


def test_an_ensemble_ranks_as_deep_as_others(wine):
    X, y = wine
    members = [("votes", FastEnsemble(MRMR(2))), ("sized", FastEnsemble(MRMR(), n_parts=4))]
    fitted = RankEnsemble([*members, ("decides", FastEnsemble(FCBF()))], 3, include=[4]).fit(X, y)
    assert [len(orders[0]) for orders in fitted.orders_[:2]] == [13, 13]
    assert all(orders[0][0] == 4 for orders in fitted.orders_[:2])
    assert 0 < len(fitted.orders_[2][0]) < 13
    assert members[0][1].selector.n_features_to_select == 2  # the given ones stay as they were


def test_frequencies_need_halves(wine):
    X, y = wine
    fitted = RankEnsemble(None, 4, n_halves=2).fit(X, y)
    assert fitted.selection_frequency_.max() == 1.0
    assert not hasattr(fitted.set_params(n_halves=0).fit(X, y), "selection_frequency_")


def test_seeds_and_jobs(wine):
    X, y = wine
    fits = [RankEnsemble(None, 5, random_state=1, n_halves=2, n_jobs=j).fit(X, y) for j in (1, 2)]
    np.testing.assert_array_equal(fits[0].scores_, fits[1].scores_)
    kept = RankEnsemble([("f", ForestImportance(random_state=5))], 4, random_state=1).fit(X, y)
    alone = ForestImportance(4, random_state=5).fit(X, y)
    assert kept.indices_.tolist() == alone.indices_.tolist()


def test_parameters_of_members():
    ensemble = RankEnsemble([("forward", ForwardSelection()), ("l1", L1Path())])
    ensemble.set_params(forward__tolerance=0.5, n_features_to_select=3)
    assert ensemble.get_params()["forward__tolerance"] == 0.5
    assert ensemble.estimators[0][1].tolerance == 0.5


def test_errors(wine):
    X, y = wine
    with pytest.raises(ValueError, match="at least one member"):
        RankEnsemble([]).fit(X, y)
    with pytest.raises(ValueError, match="not unique"):
        RankEnsemble([("a", L1Path()), ("a", L1Path())]).fit(X, y)


class SaysSomething(SelectKBest):
    def fit(self, X, y):
        warnings.warn("something", UserWarning, stacklevel=2)
        return super().fit(X, y)


def test_filters_of_warnings_stay_as_they_were(wine):
    """They belong to the process: threads must neither change them nor leave them changed."""
    X, y = wine
    before = list(warnings.filters)
    RankEnsemble(None, 5, random_state=1, n_halves=4, n_jobs=4).fit(X, y)
    assert warnings.filters == before


def test_warnings_of_members_are_passed_on(wine):
    X, y = wine
    members = [("few", ForwardSelection()), ("cuts", SaysSomething())]
    with pytest.warns(UserWarning, match="something") as caught:
        RankEnsemble(members, 3, n_halves=3, n_jobs=2).fit(X, y)
    assert {str(each.message) for each in caught} == {"something"}

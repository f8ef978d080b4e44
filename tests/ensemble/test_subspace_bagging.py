"""Weighted subspace bagging: numbers of the paper, the programmes against others, the ensemble."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.datasets import load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from ensfs import WeightedSubspaceBaggingClassifier
from ensfs.ensemble._margin_weights import (
    Margins,
    expected_error,
    largest_least_margin,
    least_slack,
    lost_to,
    lost_vote,
    one_vs_rest_margins,
    pairwise_margins,
    weight_spaces,
)
from ensfs.evaluation import bagging_error, friedman_holm

PAPER = np.array([[0.8, -0.2, 0.6, 0.1], [-0.4, 0.9, 0.2, 0.3], [0.2, 0.1, -0.1, 0.9]])
QUICK = {"n_estimators": 15, "n_subspaces": 4, "n_oob_estimators": 12, "random_state": 0}


def slow_lost_vote(margin, k):
    wrong = (1 - margin) / 2
    return sum(
        comb(k, t) * wrong**t * (1 - wrong) ** (k - t) for t in range((k + 1) // 2, k + 1)
    )  # fmt: skip


def slow_lost_to(right, other, k):
    """Over all numbers of votes for the two classes and the rest."""
    rest = 1 - right - other
    total = Fraction(0)
    for a in range(k + 1):
        for b in range(a, k - a + 1):
            ways = comb(k, a) * comb(k - a, b)
            total += ways * right**a * other**b * rest ** (k - a - b)
    return total


def test_votes_that_are_lost():
    known = {(0.5, 3): 5 / 32, (0.5, 4): 67 / 256, (0.2, 5): 992 / 3125, (0, 7): 0.5,
             (1, 8): 0, (-1, 8): 1, (0.2, 100): 0.027099197757009,
             (-0.2, 101): 0.9791033089952995}  # fmt: skip
    for (margin, k), expected in known.items():
        assert lost_vote(margin, k) == pytest.approx(expected, abs=1e-12)
    pairs = [(0.5, 0.3, 3, 11 / 25), (0.75, 0.25, 3, 5 / 32), (0.5, 0.3, 25, 0.1519542682229428)]
    for right, other, k, expected in pairs:
        found = lost_to(np.array([right]), np.array([other]), k)
        assert found == pytest.approx(expected, abs=1e-12)
    assert bagging_error([1 / 2, -1 / 5, np.nan], 3) == pytest.approx(0.402125, abs=1e-12)
    with pytest.raises(ValueError, match="margins must hold numbers from -1 to 1"):
        bagging_error([2.0], 3)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 9))
def test_votes_that_are_lost_by_counting(a, b, k):
    right, other = Fraction(a, 24), Fraction(b, 24)
    found = lost_to(np.array([float(right)]), np.array([float(other)]), k)[0]
    assert found == pytest.approx(float(slow_lost_to(right, other, k)), abs=1e-12)
    margin = Fraction(a - b, 12)
    assert lost_vote(float(margin), k) == pytest.approx(float(slow_lost_vote(margin, k)), abs=1e-12)


def test_the_programme_of_the_paper():
    margins = Margins(PAPER, np.arange(4), 4)
    best, path = weight_spaces(margins, np.arange(7) / 10, 11)
    assert best.gamma == pytest.approx(0.3)
    np.testing.assert_allclose(best.weights, [1 / 2, 1 / 3, 1 / 6], atol=1e-7)
    found = {round(each.gamma, 6): each for each in path}
    assert found[0.3].slack == pytest.approx(1 / 12, abs=1e-9)
    assert found[0.3].error == pytest.approx(0.158939595053, abs=1e-9)
    assert found[0.4].slack == pytest.approx(0.406666667, abs=1e-9)
    assert found[0.4].error == pytest.approx(0.166471319979, abs=1e-9)
    np.testing.assert_allclose(found[0.4].weights, [0.6, 4 / 15, 2 / 15], atol=1e-9)
    extra = found[round(37 / 140, 6)]
    np.testing.assert_allclose(extra.weights, [1 / 2, 11 / 28, 3 / 28], atol=1e-9)
    assert extra.error == pytest.approx(0.159912168335, abs=1e-9)
    assert largest_least_margin(margins) == pytest.approx(37 / 140, abs=1e-9)


#: Table 3 of the paper: errors of AdaBoost, bagging, forest, random subspaces, weighted ones.
TABLE = """
18.70 15.54 14.34 7.91 5.89; 3.31 4.41 3.53 3.76 2.79; 30.43 26.66 28.09 28.06 26.57;
25.23 25.70 24.61 24.06 22.87; 13.72 13.75 14.28 13.49 11.62; 11.10 9.42 9.59 10.17 9.33;
11.70 17.27 12.83 13.47 12.27; 23.11 21.0 22.09 23.46 18.39; 19.06 21.21 18.81 17.76 15.58;
16.19 17.12 16.30 16.38 13.06; 17.12 14.49 15.52 20.97 14.60; 6.01 7.29 6.60 5.74 5.49;
26.21 24.26 24.12 25.27 23.73; 8.53 12.55 9.39 8.55 6.73; 13.52 23.43 16.29 20.43 18.76;
0.89 3.93 2.79 11.17 3.44; 1.72 4.68 2.28 2.80 1.75; 4.90 3.24 3.52 5.60 2.96;
37.26 32.31 32.53 33.01 32.42
"""


def test_ranks_of_the_printed_table():
    errors = [[float(cell) for cell in row.split()] for row in TABLE.split(";")]
    test = friedman_holm(errors, greater_is_better=False)
    assert test.n_datasets == 19
    np.testing.assert_allclose(test.mean_ranks, [3.21, 3.68, 3.11, 3.58, 1.42], atol=0.005)
    assert test.friedman.statistic == pytest.approx(25.47, abs=0.005)
    assert test.friedman.pvalue == pytest.approx(4.0e-5, abs=0.05e-5)


def primal(margins, gamma):
    """The programme as it is stated, dense."""
    n_spaces, n = margins.values.shape
    slacks = np.zeros((n, margins.n_rows))
    slacks[np.arange(n), margins.row] = -1
    found = linprog(
        np.concatenate([np.zeros(n_spaces), np.ones(margins.n_rows)]),
        A_ub=np.hstack([-margins.values.T, slacks]),
        b_ub=np.full(n, -gamma),
        A_eq=np.concatenate([np.ones(n_spaces), np.zeros(margins.n_rows)])[None],
        b_eq=[1.0],
    )
    return found.fun


def slack_of(margins, weights, gamma):
    missed = np.maximum(gamma - weights @ margins.values, 0)
    most = np.zeros(margins.n_rows)
    np.maximum.at(most, margins.row, missed)
    return most.sum()


@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3]), gamma=st.floats(-0.5, 1))
@settings(max_examples=40)
def test_weights_are_optimal(seed, n_classes, gamma):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(n_classes), size=(4, 12))
    y = rng.integers(n_classes, size=12)
    for margins in (pairwise_margins(shares, y), one_vs_rest_margins(shares, y)):
        weights, slack = least_slack(margins, gamma)
        expected = primal(margins, gamma)
        assert slack == pytest.approx(expected, abs=1e-8)
        assert slack_of(margins, weights, gamma) == pytest.approx(expected, abs=1e-7)
        assert weights.sum() == pytest.approx(1)
    best, path = weight_spaces(margins, np.linspace(0, 1, 5), 9)
    assert len(path) in (5, 6)
    assert min(each.error for each in path) <= best.error + 0.05


def test_errors_of_two_classes_and_of_pairs_agree():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(2), size=(3, 20))
    y = rng.integers(2, size=20)
    margins, weights = pairwise_margins(shares, y), np.array([0.5, 0.2, 0.3])
    mixed = np.tensordot(weights, shares, axes=1)
    rows = np.arange(20)
    expected = lost_to(mixed[rows, y], mixed[rows, 1 - y], 11).mean()
    assert expected_error(margins, weights, 11, shares, y) == pytest.approx(expected, abs=1e-12)
    three = rng.dirichlet(np.ones(3), size=(3, 20))
    bound = expected_error(pairwise_margins(three, y), weights, 11, three, y)
    mixed = np.tensordot(weights, three, axes=1)
    votes = rng.multinomial(11, mixed, size=(4000, 20))
    right = votes[:, rows, y]
    votes[:, rows, y] = -1
    assert (votes.max(axis=2) >= right).mean() <= bound + 0.01


@pytest.mark.parametrize("margin", ["pairwise", "one_vs_rest"])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_attributes_agree_with_each_other(margin, voting):
    X, y = load_wine(return_X_y=True)
    model = WeightedSubspaceBaggingClassifier(margin=margin, voting=voting, **QUICK).fit(X, y)
    assert [c.size for c in model.subspaces_] == [9] * 4  # two thirds of 13, rounded up
    assert len({tuple(c) for c in model.subspaces_}) == 4
    known = ~np.isnan(model.oob_shares_).any(axis=(0, 2))
    np.testing.assert_allclose(model.oob_shares_[:, known].sum(axis=2), 1)
    rows = np.arange(len(y))
    others = np.delete(model.oob_shares_[0, 0], y[0])
    assert model.margins_[0, 0] == model.oob_shares_[0, 0, y[0]] - others.max()
    assert np.isnan(model.margins_).any(axis=0).tolist() == (~known).tolist()
    assert model.weights_.sum() == pytest.approx(1)
    assert model.n_per_subspace_.sum() == len(model.estimators_) == 15
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        assert member.n_features_in_ == columns.size
    assert model.expected_error_ <= model.gamma_path_[:, 2].min() + 0.02
    assert model.gamma_ in model.gamma_path_[:, 0]
    if voting == "hard":
        votes = np.stack(
            [m.predict(X[:, c]) for m, c in
             zip(model.estimators_, model.estimators_features_, strict=True)]
        )  # fmt: skip
        shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
        np.testing.assert_allclose(model.predict_proba(X), shares)
    assert model.score(X, y) > 0.95
    assert rows.size == model.margins_.shape[1]


def test_members_may_be_reused_and_spaces_given():
    X, y = load_iris(return_X_y=True)
    spaces = [(GaussianNB(), [0, 1]), (None, [2, 3])]
    model = WeightedSubspaceBaggingClassifier(spaces=spaces, reuse=True, **QUICK).fit(X, y)
    assert [c.tolist() for c in model.subspaces_] == [[0, 1], [2, 3]]
    assert model.weights_[1] > model.weights_[0]
    kinds = {type(m).__name__ for m in model.estimators_}
    assert "DecisionTreeClassifier" in kinds
    assert len(model.estimators_) == 15
    for bad, message in [([1], r"spaces must hold pairs"), ([(None, [9])], "columns from 0 to 3")]:
        with pytest.raises(ValueError, match=message):
            WeightedSubspaceBaggingClassifier(spaces=bad).fit(X, y)


@pytest.mark.parametrize("gammas", [[], [[0.5]], [np.nan], ["a"]])
def test_parameters_that_hold_nothing(gammas):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="gammas must be one or more finite numbers; got"):
        WeightedSubspaceBaggingClassifier(gammas=gammas).fit(X, y)
    with pytest.raises(ValueError, match="spaces must hold at least one pair"):
        WeightedSubspaceBaggingClassifier(spaces=[]).fit(X, y)


def test_fewer_subspaces_than_asked_for():
    X, y = load_iris(return_X_y=True)
    model = WeightedSubspaceBaggingClassifier(**{**QUICK, "n_subspaces": 25})
    with pytest.warns(UserWarning, match="only 4 subspaces of 3 of 4 columns"):
        model.fit(X, y)
    assert model.n_subspaces_ == 4
    rng = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="only 15 subspaces of 4 of 6 columns"):
        assert len({tuple(c) for _, c in model._make_spaces(6, rng)}) == 15
    with pytest.raises(ValueError, match="max_features must be between 1 and"):
        WeightedSubspaceBaggingClassifier(max_features=5).fit(X, y)
    with pytest.raises(ValueError, match="needs at least 2 classes; got 1 class"):
        WeightedSubspaceBaggingClassifier(**QUICK).fit(X, np.zeros(150))


def test_no_row_left_out_everywhere():
    X, y = np.array([[0.0, 1], [1, 0], [0, 0]]), [0, 1, 1]
    model = WeightedSubspaceBaggingClassifier(
        n_subspaces=2, max_features=1, n_oob_estimators=1, random_state=0
    )
    with pytest.warns(UserWarning, match="all subspaces weigh the same"):
        model.fit(X, y)
    assert model.weights_.tolist() == [0.5, 0.5]

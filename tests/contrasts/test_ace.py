"""ACE: the tests against contrasts, masking, residual rounds, and what users see of them."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ensfs import ACE, RowBlocks
from ensfs.contrasts.linear import LinearEffects
from ensfs.contrasts.null_distribution import chance_p_values, paired_p_values, significant
from ensfs.contrasts.prediction import normal_scores
from ensfs.contrasts.rounds import Search, _upper_mean
from ensfs.contrasts.state import ACERound, State
from ensfs.measures.forest import ContrastForest, ForestTarget, gini_impurity

QUICK = {"n_replicates": 12, "n_estimators": 25, "random_state": 0}


def noise(n, p, seed):
    return np.random.default_rng(seed).normal(size=(n, p))


def twins(seed, n=400, p=12):
    """y depends on columns 0 and 1; column 2 is 0 with a little noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 2] = X[:, 0] + rng.normal(scale=0.01, size=n)
    return X, X[:, 0] + X[:, 1] + rng.normal(scale=0.5, size=n)


# ------------------------------------------------------------------------------ statistics


def test_t_test_of_five_differences():
    differences = np.array([0.2, 0.1, 0.3, 0.25, 0.15])
    p = paired_p_values(differences + 7.0, np.full(5, 7.0))
    assert stats.t.isf(p, 4) == pytest.approx(5.6568542495, abs=1e-9)
    assert p == pytest.approx(0.0024063392, abs=1e-10)


def test_equal_differences():
    scores = np.array([[0.3, -0.3, 0.0]] * 4)
    assert paired_p_values(scores, np.zeros((4, 1))).tolist() == [0.0, 1.0, 1.0]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 20), m=st.integers(1, 5))
def test_paired_p_values(seed, n, m):
    rng = np.random.default_rng(seed)
    scores, thresholds = rng.normal(size=(n, m)), rng.normal(size=(n, 1))
    expected = stats.ttest_rel(
        scores, np.broadcast_to(thresholds, scores.shape), alternative="greater"
    )
    np.testing.assert_allclose(paired_p_values(scores, thresholds), expected.pvalue, rtol=1e-9)


def test_corrections():
    p = np.array([0.001, 0.012, 0.02, 0.04, 0.2])
    assert significant(p, 0.05, None).tolist() == [True] * 4 + [False]
    assert significant(p, 0.05, "bonferroni").tolist() == [True] + [False] * 4
    assert significant(p, 0.05, "holm").tolist() == [True, True] + [False] * 3
    assert significant(p, 0.05, "fdr_bh").tolist() == [True] * 3 + [True, False]
    # a p-value that follows one above its level is not significant, however small its own
    assert significant(np.array([0.02, 0.03]), 0.05, "holm").tolist() == [True, True]
    assert significant(np.array([0.03, 0.04]), 0.05, "holm").tolist() == [False, False]
    assert significant(np.empty(0), 0.05, "fdr_bh").size == 0


def test_chance_counts_the_contrasts():
    contrasts = np.arange(2000.0).reshape(20, 100)
    scores = np.array([-1.0, 0.0, 0.5, 1000.0, 1949.0])
    expected = (1 + np.array([2000, 2000, 1999, 1000, 51])) / 2001
    np.testing.assert_allclose(chance_p_values(scores, contrasts), expected, rtol=1e-12)


def test_chance_continues_the_tail():
    """Beyond the 51st largest contrast: a tail with the mean excess of the fifty largest."""
    contrasts = np.arange(2000.0)
    mean_excess = np.mean(np.arange(1, 51))
    for excess in (0.0, 3.0, 20.0, 500.0):
        expected = 52 / 2001 * (1 + excess / (50 * mean_excess)) ** -50
        assert chance_p_values(np.array(1949.0 + excess), contrasts) == pytest.approx(expected)


def test_chance_where_contrasts_are_equal():
    p = chance_p_values(np.array([-1.0, 0.0, 0.1]), np.zeros((10, 3)))
    assert p.tolist() == [1.0, 1.0, 0.0]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 400))
def test_chance_falls_with_the_score(seed, n):
    rng = np.random.default_rng(seed)
    contrasts = rng.exponential(size=n).round(2)
    p = chance_p_values(np.sort(np.r_[rng.exponential(2.0, size=20), contrasts]), contrasts)
    assert (np.diff(p) <= 1e-15).all()
    assert ((p >= 0) & (p <= 1)).all()
    if np.unique(contrasts).size == n:
        assert (p > 0).all()


def test_chance_without_a_tail():
    """Contrasts that are all equal, such as 0, are never reached by what is above them."""
    assert chance_p_values(np.array([0.0, 0.1]), np.zeros(8)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("n", [30, 300, 5_000])
def test_chance_keeps_the_level(n):
    """New draws have p-values below any level at most as often as it says, far in the tail too."""
    rng = np.random.default_rng(n)
    hits = np.zeros(2)
    levels = np.array([0.01, 0.0005])
    for _ in range(200):
        p = chance_p_values(rng.exponential(size=1_000), rng.exponential(size=n))
        hits += (p[:, None] <= levels).mean(axis=0) / 200
    assert (hits <= 1.1 * levels).all()
    assert (hits >= 0.4 * levels).all()


def test_effects_in_a_straight_line():
    """One-way analysis of variance of the normal scores for classes, correlation for numbers."""
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(200, size=(90, 4), dtype=np.uint8))
    codes[:, 3] = 7
    classes, numbers = rng.integers(4, size=90), rng.normal(size=90) + codes[:, 0] / 80
    linear = LinearEffects(codes, np.array([0, 0, 1, 0], np.uint8), None)
    found = linear.p_values(ForestTarget.of_groups(np.eye(4)[classes]))
    scores = [normal_scores(codes[:, j]) for j in range(2)]
    expected = [stats.f_oneway(*(x[classes == c] for c in range(4))).pvalue for x in scores]
    np.testing.assert_allclose(found, [*expected, 1.0, 1.0], rtol=1e-9)
    found = linear.p_values(ForestTarget.of_numbers(numbers))
    expected = [stats.pearsonr(x, numbers).pvalue for x in scores]
    np.testing.assert_allclose(found, [*expected, 1.0, 1.0], rtol=1e-9)


def test_weights_of_a_straight_line():
    """Whole weights give what repeated rows give."""
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(200, size=(60, 3), dtype=np.uint8))
    y = rng.integers(3, size=60)
    nominal, weight = np.zeros(3, np.uint8), rng.integers(1, 4, 60)
    weighted = LinearEffects(codes, nominal, weight.astype(float)).p_values(
        ForestTarget.of_groups(np.eye(3)[y], 1.0, weight.astype(float))
    )
    rows = np.repeat(np.arange(60), weight)
    repeated = LinearEffects(np.asfortranarray(codes[rows]), nominal, None)
    expected = repeated.p_values(ForestTarget.of_groups(np.eye(3)[y[rows]]))
    np.testing.assert_allclose(weighted, expected, rtol=1e-9)


def test_weak_effects_in_a_straight_line_are_found():
    """Eight weak effects among sixty columns: most are found, and little noise."""
    found, false = 0, 0
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 60))
        y = 0.25 * X[:, :8].sum(axis=1) + rng.normal(size=400)
        kept = ACE(max_iter=1, n_replicates=2, n_estimators=25, random_state=0).fit(X, y).support_
        found, false = found + kept[:8].sum(), false + kept[8:].sum()
    assert found >= 12
    assert false <= 2


# ------------------------------------------------------------------------------ forests


def test_importance_is_a_share_of_the_impurity():
    """Two classes as numbers, as classes, and beside a third that nobody has: all the same."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=150)
    codes = np.asfortranarray(np.column_stack([y, rng.integers(9, size=150)]).astype(np.uint8))
    seed = np.random.SeedSequence(0)
    found = [
        ContrastForest(codes, np.zeros(2, np.uint8), target, 20, 3, 2, 4).replicate(seed)
        for target in (
            ForestTarget.of_classes(y, 2),
            ForestTarget.of_numbers(7.0 * y),
            ForestTarget.of_classes(y, 3),
        )
    ]
    for other in found[1:]:
        np.testing.assert_allclose(other.importances, found[0].importances, rtol=1e-9)
    assert 0.5 < found[0].importances[0] < 1.1


def test_forest_does_not_depend_on_threads():
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(200, size=(120, 5), dtype=np.uint8))
    nominal = np.array([0, 1, 0, 0, 1], dtype=np.uint8)
    for target in (
        ForestTarget.of_numbers(rng.normal(size=120)),
        ForestTarget.of_classes(rng.integers(3, size=120), 3),
    ):
        found = [
            ContrastForest(codes, nominal, target, 20, 4, 2, 10, threads).replicate(
                np.random.SeedSequence(1), masking=True
            )
            for threads in (1, 2, 3)
        ]
        for other in found[1:]:
            for name in ("importances", "contrasts", "masking", "contrast_masking"):
                np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))


def test_masking_in_batches(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(9, size=(80, 3), dtype=np.uint8))
    target = ForestTarget.of_numbers(rng.normal(size=80))
    forest = ContrastForest(codes, np.zeros(3, np.uint8), target, 10, 3, 2, 6)
    whole = forest.replicate(np.random.SeedSequence(3), masking=True)
    monkeypatch.setattr("ensfs.measures.forest._CELLS", 1)
    one = forest.replicate(np.random.SeedSequence(3), masking=True)
    np.testing.assert_allclose(one.masking, whole.masking, rtol=1e-12)
    np.testing.assert_allclose(one.importances, whole.importances, rtol=1e-12)
    # a column stands in for itself perfectly: the diagonal is its importance
    np.testing.assert_allclose(np.diagonal(whole.masking), whole.importances, rtol=1e-12)


# ------------------------------------------------------------------------------ what is selected


@pytest.mark.parametrize("seed", range(3))
def test_a_twin_is_masked(seed):
    X, y = twins(seed)
    ace = ACE(random_state=seed, n_estimators=25).fit(X, y)
    kept = set(ace.indices_.tolist())
    assert kept in ({0, 1}, {1, 2})
    gone = ({0, 2} - kept).pop()
    assert ace.decision_[gone] == "masked"
    assert ace.masked_by_[gone] == (kept & {0, 2}).pop()
    assert ace.masking_[ace.masked_by_[gone], gone] > 0
    assert (ace.masked_by_[ace.indices_] == -1).all()


def test_of_identical_columns_one_stays():
    X, y = twins(0)
    X[:, 5] = X[:, 0]
    X[:, 2] = noise(400, 1, 9)[:, 0]
    ace = ACE(**QUICK).fit(X, (y > 0).astype(int))
    assert sorted(ace.indices_) in ([0, 1], [1, 5])
    kept = next(j for j in ace.indices_ if j != 1)
    assert ace.masked_by_[5 - kept] == kept


def test_columns_do_not_win_ties_against_their_contrasts():
    """Two levels, two classes, few rows: most gains are tied, and all of it is chance."""
    rng = np.random.default_rng(0)
    differences = []
    for seed in range(60):
        codes = np.asfortranarray(rng.integers(2, size=(60, 10), dtype=np.uint8))
        target = ForestTarget.of_classes(rng.integers(2, size=60), 2)
        forest = ContrastForest(codes, np.zeros(10, np.uint8), target, 20, 4, 2, 20)
        found = forest.replicate(np.random.SeedSequence(seed))
        differences.append(found.importances.mean() - found.contrasts.mean())
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences)) < 2.5 * error


def test_noise_is_rejected():
    """Twenty noise columns: at most one table of twenty lets one through, at level 0.05."""
    found = 0
    for seed in range(20):
        y = np.random.default_rng(100 + seed).normal(size=300)
        found += ACE(random_state=seed).fit(noise(300, 20, seed), y).indices_.size > 0
    assert found <= 1


def test_weak_columns_among_many():
    """Eight weak columns with a twin each among a hundred: one of each pair, and little noise.

    At level 0.05 up to 1.3 columns of noise are to be expected in three tables.
    """
    found, false = [], 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 100))
        X[:, 8:16] = X[:, :8] + rng.normal(scale=0.1, size=(600, 8))
        y = X[:, :8].sum(axis=1) + rng.normal(scale=2.0, size=600) > 0
        kept = ACE(random_state=seed, n_replicates=15).fit(X, y).support_
        found.append(kept[:8].astype(int) + kept[8:16])
        false += kept[16:].sum()
    assert np.mean(np.array(found) > 0) >= 0.9
    assert np.max(found) == 1
    assert false <= 2


def test_twins_do_not_hide_each_other():
    """A weak column with four copies among many columns: one of them stays."""
    found = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 80))
        X[:, 1:5] = X[:, :1] + rng.normal(scale=0.05, size=(300, 4))
        y = 0.4 * X[:, 0] + rng.normal(size=300)
        ace = ACE(random_state=seed).fit(X, y)
        found += ace.support_[:5].sum() == 1
        assert ace.support_.sum() <= 2
    assert found >= 2


def test_trees_for_many_columns(monkeypatch):
    """By default a column is tried at five roots or more on average, in at least 100 trees."""
    sizes = []
    make = ContrastForest.__post_init__
    monkeypatch.setattr(
        ContrastForest,
        "__post_init__",
        lambda self: (sizes.append((self.codes.shape[1], self.n_trees)), make(self))[1],
    )
    options = {"n_replicates": 2, "max_iter": 1, "random_state": 0, "max_depth": 1}
    ACE(**options).fit(noise(40, 8, 0), np.arange(40.0))
    assert sizes == [(8, 100)]
    sizes.clear()
    ACE(max_features=6, **options).fit(noise(40, 300, 0), np.arange(40.0))
    assert sizes[0] == (300, 500)  # 600 columns and contrasts, six at a root
    assert 1 <= sizes[-1][0] < 150  # those that are left


def test_many_levels_of_noise_are_rejected():
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    X["many"] = pd.Categorical(rng.integers(40, size=n).astype(str))
    y = X["a"] + rng.normal(size=n)
    ace = ACE(**QUICK).fit(X, y)
    assert ace.get_feature_names_out().tolist() == ["a"]
    assert ace.decision_[2] == "rejected"


@pytest.mark.parametrize("n_numbers", [0, 1, 2])
def test_many_nominal_columns(n_numbers):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.choice(list("abc"), 200) for j in range(60)})
    for j in range(n_numbers):
        X[f"x{j}"] = 0.0 if j else rng.normal(size=200)
    ace = ACE(n_replicates=4, n_estimators=20, random_state=0).fit(X, X["c7"] == "a")
    assert ace.get_feature_names_out().tolist() == ["c7"]


def test_a_weak_column_is_found_in_the_residual():
    found = {1: 0, 10: 0}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 8))
        y = 3 * X[:, 0] + 0.3 * X[:, 1] + rng.normal(scale=0.3, size=300)
        for max_iter in found:
            ace = ACE(max_iter=max_iter, random_state=seed, n_estimators=25).fit(X, y)
            found[max_iter] += bool(ace.support_[1])
    assert found[10] == 4
    assert found[1] < 4


def search_of(X, y):
    ace = ACE(random_state=0)
    data = ace._read(X, y, 1, discrete_features="auto")
    return Search(ace, data.table, data.target("auto"), 1)


@pytest.mark.parametrize("classes", [False, True])
def test_the_prediction_takes_the_better_of_two_models(classes):
    """A sum of weak effects is for the linear model, a product for boosting."""
    X = noise(400, 10, 0)
    for score, linear_is_better in ((X.sum(axis=1), True), (X[:, 0] * X[:, 1], False)):
        search = search_of(X, score > 0 if classes else score)
        columns = list(range(10))
        mixed = search._loss(search.predictor.predict(columns))
        boosted = search._loss(
            search.predictor.out_of_fold(search.codes, search.predictor.boosting(columns))
        )
        assert mixed <= boosted
        assert (mixed < 0.6 * boosted) == linear_is_better


def test_levels_without_an_order_are_for_boosting_alone():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{j}": rng.choice(list("abc"), 200) for j in range(3)})
    search = search_of(X, rng.normal(size=200) + (X["c0"] == "b"))
    boosted = search.predictor.out_of_fold(search.codes, search.predictor.boosting([0, 1, 2]))
    np.testing.assert_array_equal(search.predictor.predict([0, 1, 2]), boosted)


def test_confirmed_columns_count_as_found():
    """Four columns of twenty are confirmed; the fifth is beyond chance in their company only."""
    search = Search.__new__(Search)
    search.ace = SimpleNamespace(alpha=0.05)
    chance = np.ones(20)
    chance[[0, 7]] = 0.5, 0.003
    search.found_before = []
    assert not search._are_beyond(chance, 2).any()
    search.found_before = [0, 1, 2, 3]
    # 0.003 <= 0.0125 * 5 / 20; what was confirmed is beyond chance by its own p-value only
    assert np.nonzero(search._are_beyond(chance, 2))[0].tolist() == [7]
    assert not search._are_beyond(chance, 4).any()


def test_columns_beyond_the_limit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = 2 * X[:, 0] + 1.2 * X[:, 1] + 0.2 * rng.normal(size=300)
    X[:, 5] = X[:, 1]
    whole = ACE(**QUICK).fit(X, y)
    cut = ACE(**QUICK, n_features_to_select=1).fit(X, y)
    assert cut.indices_.tolist() == whole.selection_of_size(1).tolist() == [0]
    (beyond,) = whole.indices_[1:]
    assert cut.explain(int(beyond))["reason"] == ["confirmed, beyond n_features_to_select"]


@pytest.mark.parametrize(
    ("task", "y", "message"),
    [
        ("classification", np.linspace(0, 1, 60), "Use task='regression' or 'auto'"),
        ("regression", ["a", "b"] * 30, "use task='classification' or 'auto'"),
    ],
)
def test_errors_name_the_task(task, y, message):
    with pytest.raises(ValueError, match=message):
        ACE(task=task).fit(np.random.default_rng(0).normal(size=(60, 3)), y)


def test_the_limit_is_checked_before_the_search(monkeypatch):
    monkeypatch.setattr(Search, "run", lambda self: pytest.fail("searched"))
    with pytest.raises(ValueError, match="n_features_to_select"):
        ACE(n_features_to_select=True).fit(np.zeros((60, 3)) + np.arange(60)[:, None], [0, 1] * 30)


def test_finds_that_are_not_needed_beside_the_others():
    """Of the finds of a round, the weakest first: 7 says nothing, 3 and 5 say the same."""
    search = Search.__new__(Search)
    search.state = SimpleNamespace(confirmed=[1, 5, 3, 7])
    search.predictor = SimpleNamespace(predict=lambda columns: columns)
    search._loss = lambda columns: 1.0 if {3, 5} & set(columns) else 2.0
    needed, prediction = search._needed([5, 3, 7], [1, 5, 3, 7])
    assert needed == prediction == [1, 5]


def test_a_column_that_is_masked_in_part_goes_if_it_does_not_help(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    X[:, 1] += 1.5 * X[:, 0]
    y = X[:, 0] + X[:, 1] + rng.normal(scale=0.5, size=400)
    options = QUICK | {"min_association": 0.9}
    kept = ACE(**options).fit(X, y)
    assert sorted(kept.indices_) == [0, 1]
    (doubtful,) = kept.rounds_[0].in_part
    monkeypatch.setattr(Search, "_loss", lambda self, prediction: 1.0)
    gone, first = ACE(**options).fit(X, y), ACE(max_iter=1, **options).fit(X, y)
    assert set(kept.indices_) - set(gone.indices_) == {doubtful}
    assert gone.feature_importances_[doubtful] == first.feature_importances_[doubtful] > 0


def test_what_is_withdrawn_leaves_no_rounding():
    def found(number, importance, kept):
        nothing = np.empty(0)
        each = np.array([[importance]])
        return ACERound(number, nothing, each, nothing, nothing, nothing, nothing, nothing, kept)

    first, second = found(1, 0.1, np.array([0])), found(2, 0.2, np.array([0]))
    state = State([0], np.ones(1), None, None, [first, second])
    assert state.importances()[0] == 0.1 + 0.2
    second.kept = np.empty(0, dtype=np.int64)
    assert state.importances()[0] == 0.1 != 0.1 + 0.2 - 0.2


def test_columns_that_help_next_to_nothing_together_go(monkeypatch):
    """Six columns go along with one of the two that decide; not all of them are masked."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (2, 2000))
    y = (a == 0) & (b != 1)
    relatives = rng.random((6, 2000)) < np.where(a == 0, 0.5, 0.25)
    X = np.column_stack([a, b, *relatives, rng.integers(0, 3, 2000)])
    ace = ACE(**QUICK).fit(X, y)
    assert sorted(ace.indices_) == [0, 1]
    assert (ace.decision_[2:] == "rejected").all()
    assert sorted(ace.rounds_[0].kept) == [0, 1]
    monkeypatch.setattr("ensfs.contrasts.rounds._LITTLE", -1.0)
    kept = ACE(**QUICK).fit(X, y)
    assert set(kept.indices_) & set(range(2, 8))
    np.testing.assert_array_equal(kept.rounds_[0].importances, ace.rounds_[0].importances)


def test_how_large_a_mean_may_be():
    """Two standard errors above it; values far below zero do not lift it above zero."""
    values = np.array([1.0, -1.0, 2.0, -2.0, 0.0, 0.0]) + 3.0
    expected = 3.0 + 2.0 * values.std() / np.sqrt(6)
    assert _upper_mean(values) == pytest.approx(expected, rel=1e-12)
    rare = np.append(np.zeros(999), -1.0)
    assert rare.mean() + 2.0 * rare.std() / np.sqrt(1000) > 0.0 == _upper_mean(rare)
    assert _upper_mean(-rare) == pytest.approx(0.001 + 2.0 * rare.std() / np.sqrt(1000), rel=1e-12)


def test_finds_that_do_not_help_to_predict_are_withdrawn(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = 3 * X[:, 0] + 0.3 * X[:, 1] + rng.normal(scale=0.3, size=300)
    options = {"n_estimators": 25, "n_replicates": 10, "random_state": 0}
    assert ACE(**options).fit(X, y).indices_.tolist() == [0, 1]
    monkeypatch.setattr(Search, "_loss", lambda self, prediction: 1.0)
    ace, first = ACE(**options).fit(X, y), ACE(max_iter=1, **options).fit(X, y)
    assert ace.indices_.tolist() == first.indices_.tolist() == [0]
    assert ace.n_iter_ == 2
    assert 1 in ace.rounds_[-1].relevant
    assert ace.rounds_[-1].new.size == 0
    assert ace.decision_[1] == "rejected"
    np.testing.assert_allclose(ace.feature_importances_[1:], first.feature_importances_[1:])


def test_classes_have_residual_rounds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    score = np.column_stack([2 * X[:, 0], 2 * X[:, 1], np.zeros(500)]) + rng.gumbel(size=(500, 3))
    y = np.array(["a", "b", "c"])[score.argmax(axis=1)]
    ace = ACE(**QUICK).fit(X, y)
    assert sorted(ace.indices_) == [0, 1]
    assert [each.number for each in ace.rounds_] == list(range(1, ace.n_iter_ + 1))
    assert ace.n_iter_ > 1


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6])
def test_halves_of_the_classes_are_gini_on_average(m):
    """The decrease of impurity of a split, over all halves of the classes: that of Gini."""
    rng = np.random.default_rng(m)
    y = np.append(np.arange(m), rng.integers(m, size=40))
    left = rng.random(y.size) < 0.4
    shares = [np.bincount(y[s], minlength=m) / s.sum() for s in (left, ~left)]
    weight = left.mean() * (~left).mean()
    expected = weight * np.sum((shares[0] - shares[1]) ** 2) / gini_impurity(y)
    target = ForestTarget.of_groups(np.eye(m)[y])
    decreases = []
    for half in combinations(range(m), m // 2):
        signs = np.where(np.isin(np.arange(m), half), 1.0, -1.0)
        values = target.values if target.outputs is None else signs @ target.outputs
        decreases.append(weight * (values[left].mean() - values[~left].mean()) ** 2)
    assert target.scale * np.mean(decreases) == pytest.approx(expected, rel=1e-12)


def test_many_classes_are_halved_at_random():
    target = ForestTarget.of_groups(np.eye(7)[np.arange(70) % 7])
    rng = np.random.default_rng(0)
    halves = np.array([target.half(rng)[:7] > 0 for _ in range(200)])
    assert set(halves.sum(axis=1)) == {3}
    assert (np.abs(halves.mean(axis=0) - 3 / 7) < 0.12).all()
    assert np.unique(halves, axis=0).shape[0] == 35


def test_text_columns_matter_by_level():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "black"], size=400)
    X = pd.DataFrame({"noise": rng.normal(size=400), "colour": colour})
    effect = {"red": 1.0, "green": -1.0, "blue": 1.0, "black": -1.0}
    y = np.array([effect[c] for c in colour]) + rng.normal(size=400)
    assert ACE(**QUICK).fit(X, y).get_feature_names_out().tolist() == ["colour"]


def test_an_interaction_is_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 5))
    y = X[:, 0] * X[:, 1] + 0.3 * X[:, 0] + rng.normal(scale=0.3, size=800)
    assert sorted(ACE(random_state=0).fit(X, y).indices_) == [0, 1]


# ------------------------------------------------------------------------------ the interface


@pytest.fixture(scope="module")
def fitted():
    X, y = twins(0)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    return ACE(**QUICK).fit(frame, y)


def test_attributes(fitted):
    p = fitted.n_features_in_
    assert set(fitted.decision_) <= {"confirmed", "masked", "rejected"}
    np.testing.assert_array_equal(fitted.decision_ == "confirmed", fitted.support_)
    np.testing.assert_array_equal(fitted.decision_ == "masked", fitted.masked_by_ >= 0)
    assert scipy.sparse.issparse(fitted.masking_)
    assert fitted.masking_.shape == (p, p)
    assert fitted.masking_.diagonal().sum() == 0
    relevant = fitted.decision_ != "rejected"
    assert (fitted.pvalues_[relevant] <= 0.05 / p).all()
    assert (fitted.feature_importances_ >= 0).all()
    assert (
        fitted.feature_importances_[relevant].min() > fitted.feature_importances_[~relevant].max()
    )
    first = fitted.rounds_[0]
    n = len(first.importances)
    assert first.importances.shape == (n, p)
    assert first.contrasts.shape == (n, 3)
    assert first.chance.shape == (p,)
    assert first.chance[first.relevant].max() < first.chance[np.nonzero(~relevant)[0]].min()
    np.testing.assert_array_equal(first.thresholds, first.contrasts[:, 2])
    np.testing.assert_array_equal(
        first.pvalues, paired_p_values(first.importances, first.thresholds[:, None])
    )
    assert fitted.n_iter_ == fitted.rounds_[-1].number
    assert fitted.rounds_[-1].new.size == 0


def test_explain(fitted):
    table = fitted.explain()
    assert table["feature"][:2] == [f"c{j}" for j in fitted.indices_]
    gone = np.nonzero(fitted.decision_ == "masked")[0][0]
    row = fitted.explain(int(gone))[0]
    assert row["masked by"] == f"c{fitted.masked_by_[gone]}"
    assert row["reason"] == "masked"
    assert row["round"] is None


def test_clear_decisions_take_fewer_replicates():
    X, y = twins(0)
    ace = ACE(random_state=0, n_estimators=25).fit(X, y)
    assert any(len(each.importances) < 30 for each in ace.rounds_)


def test_threads_and_memory_order_do_not_matter():
    X, y = twins(1)
    one = ACE(**QUICK).fit(X, y)
    for other in (ACE(n_jobs=2, **QUICK).fit(X, y), ACE(**QUICK).fit(np.asfortranarray(X), y)):
        np.testing.assert_array_equal(other.feature_importances_, one.feature_importances_)
        np.testing.assert_array_equal(other.pvalues_, one.pvalues_)
        np.testing.assert_array_equal(other.masking_.toarray(), one.masking_.toarray())


def test_scale_of_the_target():
    X, y = twins(2)
    one = ACE(max_iter=1, **QUICK).fit(X, y)
    for factor in (1e-200, 1e150):
        other = ACE(max_iter=1, **QUICK).fit(X, y * factor)
        np.testing.assert_array_equal(other.indices_, one.indices_)
        np.testing.assert_allclose(other.pvalues_, one.pvalues_, rtol=1e-6)


def test_monotone_transformations_change_nothing():
    X, y = twins(0, n=200)
    one = ACE(**QUICK).fit(X, y)
    other = ACE(**QUICK).fit(np.exp(X), y)
    np.testing.assert_array_equal(other.feature_importances_, one.feature_importances_)


def test_at_most_so_many_columns():
    X, y = twins(0)
    whole = ACE(**QUICK).fit(X, y)
    one = ACE(n_features_to_select=1, **QUICK).fit(X, y)
    assert one.indices_.tolist() == whole.indices_[:1].tolist()
    assert one.decision_[whole.indices_].tolist() == ["confirmed"] * 2


def test_one_column_and_constant_columns():
    X, y = twins(0)
    assert ACE(**QUICK).fit(X[:, :1], y).indices_.tolist() == [0]
    X[:, 5] = 3.0
    ace = ACE(**QUICK).fit(X, y)
    assert ace.feature_importances_[5] == 0
    assert ace.pvalues_[5] > 0.999


def test_constant_target_selects_nothing():
    with pytest.warns(UserWarning, match="constant"):
        ace = ACE(**QUICK).fit(noise(40, 3, 0), np.zeros(40))
    assert ace.indices_.size == 0
    assert ace.rounds_ == []
    assert ace.decision_.tolist() == ["rejected"] * 3


def test_few_rows_are_warned_of():
    with pytest.warns(UserWarning, match="at least 30"):
        ACE(**QUICK).fit(noise(20, 2, 0), np.arange(20) / 8)


def test_tasks():
    X = noise(200, 3, 0)
    y = np.clip(np.rint(X[:, 0]), -1, 1)
    numbers = ACE(task="regression", **QUICK).fit(X, y)
    classes = ACE(task="classification", **QUICK).fit(X, y)
    assert numbers.indices_.tolist() == classes.indices_.tolist() == [0]
    with pytest.raises(ValueError, match="classes are needed"):
        ACE(task="classification").fit(X, X[:, 0])


def test_row_blocks_are_refused():
    with pytest.raises(TypeError, match="ACE does not support RowBlocks"):
        ACE().fit(RowBlocks([(noise(10, 2, 0), np.arange(10))]))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0),
        ("quantile", 1.5),
        ("correction", "sidak"),
        ("n_replicates", 1),
    ],
)
def test_parameters_are_checked(name, value):
    with pytest.raises(ValueError, match=name):
        ACE(**{name: value}).fit(noise(40, 2, 0), np.arange(40.0))


def test_max_features():
    X, y = twins(0)
    for value in (1, 3, 0.5, 1.0, 500):
        assert ACE(max_features=value, max_iter=1, **QUICK).fit(X, y).support_[1]


@pytest.mark.parametrize("labels", [[0, 1, 2], [2, 1, 0]])
def test_finds_of_all_classes_are_in_order_of_importance(labels):
    """The residuals of three classes are one round: what is cut off does not depend on labels."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 5))
    X[:, 0] += y == 0
    X[:, 1] += 4.0 * (y == 2)
    X[:, 2] += 2.0 * (y == 1)
    how = {"max_iter": 1, "n_replicates": 5, "random_state": 0}
    fitted = ACE(**how).fit(X, np.array(labels)[y])
    assert fitted.indices_.size >= 2
    assert (np.diff(fitted.feature_importances_[fitted.indices_]) <= 0).all()
    assert fitted.indices_[0] == 1
    one = ACE(n_features_to_select=1, **how).fit(X, np.array(labels)[y])
    assert one.indices_.tolist() == [1]

"""Comparison of selectors, against a loop over folds; and no leak."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from ensfs import FCBF, MRMR, FastEnsemble
from ensfs.evaluation import compare_selectors, holm, nogueira_stability

SELECTORS = {
    "mrmr": MRMR(4),
    "ensemble": FastEnsemble(MRMR(4), n_parts=4),
    "best": SelectKBest(k=4),
    "rfe": RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=4),
}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def result(wine):
    return compare_selectors(SELECTORS, *wine, estimator=GaussianNB())


def test_scores_and_selections_of_each_fold(result, wine):
    X, y = wine
    folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=0).split(X, y))
    assert result.names == (*SELECTORS, "all columns")
    for i, selector in enumerate(SELECTORS.values()):
        masks = []
        for t, (train, test) in enumerate(folds):
            mask = clone(selector).fit(X[train], y[train]).get_support()
            model = GaussianNB().fit(X[train][:, mask], y[train])
            score = model.score(X[test][:, mask], y[test])
            assert result.scores[i, t] == pytest.approx(score, rel=1e-12)
            assert result.sizes[i, t] == 4
            masks.append(mask)
        assert result.stability[i] == nogueira_stability(np.array(masks))
        assert (result.seconds[i] > 0).all()
    whole = [GaussianNB().fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds]
    np.testing.assert_allclose(result.scores[-1], whole, rtol=1e-12)
    assert result.sizes[-1].tolist() == [13] * 10
    assert result.stability[-1] is None
    assert 0.4 < result.shared_rows < 0.5  # none within a repetition, a half otherwise


def test_ranks_and_tests(result):
    means = result.scores.mean(axis=1)
    assert result.control == int(np.argmax(means))
    ranks = stats.rankdata(-result.scores.round(12), axis=0).mean(axis=1)
    np.testing.assert_allclose(result.mean_ranks, ranks, rtol=1e-12)
    others = [i for i in range(5) if i != result.control]
    for i in others:
        d = result.scores[i] - result.scores[result.control]
        t = d.mean() / math.sqrt((1 / 10 + result.test_rows) * d.var(ddof=1))
        assert result.pvalues[i] == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-9)
    assert math.isnan(result.pvalues[result.control])
    np.testing.assert_allclose(result.adjusted_pvalues[others], holm(result.pvalues[others]))
    assert result.test_rows == pytest.approx(1, rel=0.01)


def test_tables(result):
    rows = result.rows()
    assert list(rows[0]) == [
        "method", "accuracy", "sd", "columns", "stability", "low", "high", "seconds", "mean rank",
        "p-value",
    ]  # fmt: skip
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert frame["method"].tolist() == list(result.names)
    assert result.to_polars()["accuracy"].to_list() == frame["accuracy"].tolist()
    assert isinstance(result.to_polars(), pl.DataFrame)
    text = str(result)
    assert text.splitlines()[1].startswith("mrmr")
    assert "two training sets share 44% of their rows" in text
    assert "<table>" in result._repr_html_()


def test_names_from_data_are_escaped(wine):
    found = compare_selectors({"<b>x</b>": MRMR(2)}, *wine, cv=3, baseline=False)
    assert "<b>" not in found._repr_html_()


def test_names_of_a_sequence(wine):
    found = compare_selectors([MRMR(2), SelectKBest(k=2), MRMR(3)], *wine, cv=2, baseline=False)
    assert found.names == ("MRMR 1", "SelectKBest", "MRMR 2")


def test_numbers_to_predict():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = compare_selectors([MRMR(3)], X, y, cv=KFold(4))
    assert found.score_name == "R2"
    assert found.scores.shape == (2, 4)
    assert found.shared_rows == pytest.approx(2 / 3, abs=0.01)
    error = compare_selectors([MRMR(3)], X, y, scoring="neg_mean_absolute_error")
    assert error.score_name == "neg_mean_absolute_error"
    assert (error.scores < 0).all()


def test_threads(result, wine):
    two = compare_selectors(SELECTORS, *wine, estimator=GaussianNB(), n_jobs=2)
    np.testing.assert_array_equal(two.scores, result.scores)
    np.testing.assert_array_equal(two.mean_ranks, result.mean_ranks)


def test_selecting_nothing_predicts_without_columns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(48, 3)), np.arange(48) % 4 == 0
    found = compare_selectors([FCBF(0.9)], X, y, cv=4, baseline=False)
    assert found.sizes.tolist() == [[0, 0, 0, 0]]
    np.testing.assert_allclose(found.scores, 0.75)
    assert found.stability == (None,)


def test_no_leak():
    """Noise predicts nothing, though selecting before the folds would claim that it does."""
    honest, leaking = [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 2000)), rng.permutation(np.arange(80) % 2)
        found = compare_selectors(
            [MRMR(10), SelectKBest(k=10)], X, y, estimator=LogisticRegression(), cv=5,
            baseline=False,
        )  # fmt: skip
        honest.append(found.scores.mean())
        chosen = MRMR(10).fit_transform(X, y)
        before = compare_selectors(
            [VarianceThreshold()], chosen, y, estimator=LogisticRegression(), cv=5, baseline=False
        )
        leaking.append(before.scores.mean())
    assert abs(np.mean(honest) - 0.5) < 0.08
    assert np.mean(leaking) > 0.8


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({}, [[1.0]], [0]), {}, "at least one selector; got none"),
        (({"all columns": MRMR()}, [[1.0]], [0]), {}, "must not be named 'all columns'"),
        (([MRMR()], [[1.0]], None), {}, "requires y to be passed"),
    ],
)
def test_bad_arguments(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        compare_selectors(*arguments, **options)


def test_what_selects_nothing_and_single_folds(wine):
    with pytest.raises(TypeError, match="'GaussianNB' is GaussianNB"):
        compare_selectors([GaussianNB()], *wine)
    X, y = wine
    with pytest.raises(ValueError, match="at least two folds; got 1"):
        compare_selectors([MRMR(2)], X, y, cv=[(np.arange(100), np.arange(100, 178))])

"""The number of columns by cross-validation, against a loop over folds and sizes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from ensfs import CFS, JMI, MRMR, FastEnsemble, RowBlocks, SelectorCV


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def scores_slow(selector, name, model, X, y, sizes, splitter, score=None):
    """Scores (n_sizes, n_folds) with a fit for each."""
    scores = np.empty((len(sizes), splitter.get_n_splits()))
    for i, (train, test) in enumerate(splitter.split(X, y)):
        for row, k in zip(scores, sizes, strict=True):
            chosen = clone(selector).set_params(**{name: k}).fit(X[train], y[train])
            columns = np.flatnonzero(chosen.get_support())
            if hasattr(chosen, "indices_"):
                columns = chosen.indices_
            fitted = clone(model).fit(X[train][:, columns], y[train])
            row[i] = fitted.score(X[test][:, columns], y[test])
    return scores


def chosen_slow(scores, sizes, rule):
    means = scores.mean(axis=1).round(12)
    best = next(i for i in range(len(sizes)) if means[i] == means.max())
    least = means[best]
    if rule == "one_se":
        least = least - scores[best].std(ddof=1) / np.sqrt(scores.shape[1])
    return next(k for k, mean in zip(sizes, means, strict=True) if mean >= least - 1e-11)


@pytest.mark.parametrize("rule", ["one_se", "best"])
@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (MRMR(), "n_features_to_select"),
        (JMI(discretizer="sigma"), "n_features_to_select"),
        (CFS(), "n_features_to_select"),
        (FastEnsemble(MRMR(), n_parts=4), "n_features_to_select"),
        (SelectKBest(), "k"),
        (RFE(DecisionTreeClassifier(random_state=0)), "n_features_to_select"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_scores_and_choice(selector, name, rule, wine):
    X, y = wine
    sizes, folds = [1, 2, 4, 6], StratifiedKFold(4)
    search = SelectorCV(selector, GaussianNB(), sizes=sizes, cv=4, rule=rule).fit(X, y)
    scores = scores_slow(selector, name, GaussianNB(), X, y, sizes, folds)
    results = search.cv_results_
    assert results["size"].tolist() == sizes
    for i in range(4):
        np.testing.assert_allclose(results[f"split{i}_test_score"], scores[:, i], rtol=1e-12)
    np.testing.assert_allclose(results["mean_test_score"], scores.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(results["std_test_score"], scores.std(axis=1), atol=1e-12)
    assert search.n_features_ == chosen_slow(scores, sizes, rule)
    alone = clone(selector).set_params(**{name: search.n_features_}).fit(X, y)
    np.testing.assert_array_equal(search.get_support(), alone.get_support())
    np.testing.assert_array_equal(search.transform(X), alone.transform(X))


def test_one_fit_of_nested_selectors_in_each_fold(wine, monkeypatch):
    fits = []
    fit = MRMR.fit
    monkeypatch.setattr(MRMR, "fit", lambda self, *data: fits.append(1) or fit(self, *data))
    SelectorCV(MRMR(), GaussianNB(), cv=5).fit(*wine)
    assert len(fits) == 5 + 1  # and one on all rows


def test_sizes_by_default():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    for p, last in ((4, [1, 2, 3, 4]), (100, [70, 100]), (101, [70, 100]), (130, [70, 100])):
        X = rng.normal(size=(40, p))
        search = SelectorCV(MRMR(), GaussianNB(), cv=2).fit(X, y)
        assert search.cv_results_["size"].tolist()[-len(last) :] == last


def test_the_model_by_default(wine):
    X, y = load_diabetes(return_X_y=True)
    numbers = SelectorCV(sizes=[2, 5], cv=KFold(3), scoring="neg_mean_absolute_error").fit(X, y)
    assert (numbers.cv_results_["mean_test_score"] < 0).all()
    text = pd.DataFrame({"a": np.array(["x", "y", "z"])[wine[1]], "b": wine[0][:, 0]})
    words = SelectorCV(MRMR(), cv=3).fit(text, np.array(list("uvw"))[wine[1]])
    assert words.n_features_ == 1
    assert words.get_feature_names_out().tolist() == ["a"]


def test_groups_go_to_the_splitter(wine):
    X, y = wine
    groups = np.arange(178) % 6
    search = SelectorCV(MRMR(), GaussianNB(), sizes=[2, 4], cv=GroupKFold(3))
    search.fit(X, y, groups=groups)
    listed = list(GroupKFold(3).split(X, y, groups))
    same = SelectorCV(MRMR(), GaussianNB(), sizes=[2, 4], cv=listed).fit(X, y)
    for name, values in same.cv_results_.items():
        np.testing.assert_array_equal(search.cv_results_[name], values)


def test_threads_and_reasons(wine):
    one = SelectorCV(MRMR(), GaussianNB()).fit(*wine)
    two = SelectorCV(MRMR(), GaussianNB(), n_jobs=2).fit(*wine)
    np.testing.assert_array_equal(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"]
    )
    assert repr(one.explain()) == repr(MRMR(one.n_features_).fit(*wine).explain())
    foreign = SelectorCV(SelectKBest(), GaussianNB(), cv=3).fit(*wine)
    assert list(foreign.explain(0)[0]) == ["feature", "selected", "rank", "score", "reason"]
    tree = RFE(DecisionTreeClassifier(random_state=0))
    without = SelectorCV(tree, GaussianNB(), sizes=3, cv=3).fit(*wine)
    assert np.isnan(without.scores_).all()


def test_one_standard_error_never_takes_more():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 20)), rng.permutation(np.arange(60) % 2)
        best, fewer = (
            SelectorCV(MRMR(), GaussianNB(), rule=rule).fit(X, y) for rule in ("best", "one_se")
        )
        assert fewer.n_features_ <= best.n_features_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [0, 2]}, "sizes must lie between 1 and the 13 columns"),
        ({"sizes": 14}, "sizes must lie"),
        ({"sizes": [1.5]}, "sizes must be an integer or several"),
        ({"rule": "elbow"}, "'rule' parameter"),
        ({"selector": VarianceThreshold()}, "no parameter for the number of columns"),
        ({"selector": LogisticRegression()}, "'selector' parameter"),
    ],
)
def test_bad_parameters(options, message, wine):
    with pytest.raises(ValueError, match=message):
        SelectorCV(**options).fit(*wine)


def test_bad_data(wine):
    X, y = wine
    with pytest.raises(ValueError, match="requires y to be passed"):
        SelectorCV().fit(X)
    with pytest.raises(TypeError, match="SelectorCV does not support RowBlocks"):
        SelectorCV().fit(RowBlocks([(X, y)]))

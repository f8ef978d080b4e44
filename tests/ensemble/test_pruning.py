"""FitSelect and forward selection against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ensfs import FitSelectClassifier, ForwardSelectionClassifier
from ensfs.ensemble import order_members
from ensfs.ensemble.forward_members import add_members
from ensfs.evaluation import staged_errors

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::3], Y[::3]


def majority(votes, n_classes):
    counts = np.stack([(votes == c).sum(axis=0) for c in range(n_classes)])
    return counts.argmax(axis=0)


def fit_select_slow(model, X, y, folds, seeds):
    """FitSelect as it is written down, for a forest; weights and sizes by trying all."""
    n_classes, found = len(set(y)), []
    for (train, test), seed in zip(folds, seeds, strict=True):
        forest = RandomForestClassifier(model.n_estimators, random_state=seed)
        forest.fit(X[train], y[train])
        votes = np.array([tree.predict(X[test]) for tree in forest.estimators_]).astype(int)
        found.append((votes, y[test]))
    best = None
    for i in range(11):
        sizes, means = [], []
        for votes, truth in found:
            order = order_members(votes, truth, alpha=i / 10)
            accuracy = [(majority(votes[order[:n]], n_classes) == truth).mean()
                        for n in range(1, len(votes) + 1)]  # fmt: skip
            sizes.append(int(np.argmax(accuracy)) + 1)
            means.append(max(accuracy))
        if best is None or np.mean(means) > best[0] + 1e-12:
            best = np.mean(means), i / 10, sizes
    return best


@pytest.mark.parametrize("table", ["breast", "wine"])
def test_fit_select(table):
    data, y = (X, Y) if table == "breast" else load_wine(return_X_y=True)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=1).split(data, y))
    model = FitSelectClassifier(n_estimators=12, cv=folds, random_state=0).fit(data, y)
    from ensfs._utils.members import child_seeds

    seeds = [int(s.generate_state(1)[0] >> 1) for s in child_seeds(0, 2)[1].spawn(3)]
    score, alpha, sizes = fit_select_slow(model, data, y, folds, seeds)
    assert model.accuracy_path_.max() == pytest.approx(score)
    assert model.alpha_ == pytest.approx(alpha)
    assert model.n_selected_.tolist() == sizes
    assert len(model.estimators_) == sum(sizes)
    votes = np.array([tree.predict(data) for tree in model.estimators_]).astype(int)
    np.testing.assert_array_equal(model.predict(data), majority(votes, len(set(y))))
    assert [each.size for each in model.fitness_] == [12] * 3
    for curve, size in zip(model.prefix_scores_, sizes, strict=True):
        assert curve.argmax() + 1 == size


def test_steps_are_multiples():
    model = FitSelectClassifier(n_estimators=25, step=10, random_state=0).fit(X, Y)
    assert set(model.n_selected_.tolist()) <= {10, 20, 25}
    assert [each.size for each in model.prefix_scores_] == [3, 3, 3]


def test_scoring_by_shares_of_votes():
    folds = list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, Y))
    model = FitSelectClassifier(n_estimators=8, cv=folds, alphas=2, scoring="roc_auc",
                                random_state=0).fit(X, Y)  # fmt: skip
    best = []
    for (train, test), curve in zip(folds, model.prefix_scores_, strict=True):
        assert train.size
        n = curve.argmax() + 1
        members = model.estimators_[sum(best) : sum(best) + n]
        shares = np.mean([tree.predict(X[test]) for tree in members], axis=0)
        assert curve[n - 1] == pytest.approx(roc_auc_score(Y[test], shares))
        best.append(n)
    assert model.n_selected_.tolist() == best
    by_accuracy = FitSelectClassifier(n_estimators=8, cv=folds, alphas=2, random_state=0)
    by_scorer = FitSelectClassifier(n_estimators=8, cv=folds, alphas=2, scoring="accuracy",
                                    random_state=0)  # fmt: skip
    first, second = by_accuracy.fit(X, Y), by_scorer.fit(X, Y)
    np.testing.assert_allclose(first.accuracy_path_, second.accuracy_path_)
    assert first.n_selected_.tolist() == second.n_selected_.tolist()


LIBRARIES = {
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=3), 8, max_features=5),
    "list": [GaussianNB(), DecisionTreeClassifier(), make_pipeline(StandardScaler(),
             LogisticRegression())],
}  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
@pytest.mark.parametrize("c", [FitSelectClassifier, ForwardSelectionClassifier])
def test_any_library(c, library):
    table, y = load_iris(return_X_y=True)
    table = np.hstack([table, table[:, ::-1] + np.random.default_rng(0).normal(size=table.shape)])
    labels = np.array(["x", "z", "y"])[y]
    model = c(library, random_state=0).fit(table[::2], labels[::2])
    assert model.score(table[1::2], labels[1::2]) > 0.85
    proba = model.predict_proba(table)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(table))
    again = c(library, random_state=0, n_jobs=2).fit(table[::2], labels[::2])
    np.testing.assert_array_equal(again.predict_proba(table), proba)
    errors = staged_errors(model, table, labels)
    assert len(errors) == len(model.estimators_)
    assert errors[-1] == pytest.approx(1 - model.score(table, labels))


def add_members_slow(votes, truth, n_classes, n_init, steps):
    right = lambda members: sum(majority(votes[members], n_classes) == truth)  # noqa: E731
    members = sorted(range(len(votes)), key=lambda m: (-(votes[m] == truth).sum(), m))[:n_init]
    path = [right(members)]
    for _ in range(steps):
        members.append(max(range(len(votes)), key=lambda m: (right([*members, m]), -m)))
        path.append(right(members))
    return members, path


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 12), st.integers(1, 4),
       st.integers(1, 3))  # fmt: skip
def test_adding_members(seed, m, n, n_classes, n_init):
    rng = np.random.default_rng(seed)
    votes, y = rng.integers(n_classes, size=(m, n)), rng.integers(n_classes, size=n)
    members, right = add_members(votes, y, n_classes, n_init, 5)
    slow = add_members_slow(votes, y, n_classes, n_init, 5)
    assert (members.tolist(), right.tolist()) == slow


def test_forward_selection_takes_the_shortest_best():
    model = ForwardSelectionClassifier(n_estimators=15, max_steps=20, random_state=0).fit(X, Y)
    (path,) = model.accuracy_path_
    assert model.n_steps_[0] == path.argmax() + 1 == model.estimator_weights_.sum()
    votes = np.array([tree.predict(X) for tree in model.estimators_]).astype(int)
    shares = np.average(votes, axis=0, weights=model.estimator_weights_)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], shares)


def test_bags_and_starts():
    model = ForwardSelectionClassifier(n_estimators=15, max_steps=4, n_bags=3, n_init=2,
                                       random_state=0).fit(X, Y)  # fmt: skip
    assert [each.size for each in model.accuracy_path_] == [5] * 3
    assert (model.n_steps_ >= 2).all()
    assert model.estimator_weights_.sum() == model.n_steps_.sum()


def test_no_folds():
    with pytest.raises(ValueError, match="cv must give at least one fold; got 0"):
        FitSelectClassifier(n_estimators=3, cv=[]).fit(X, Y)
    with pytest.raises(ValueError, match="cv cannot divide these rows: n_splits=3 cannot"):
        FitSelectClassifier(n_estimators=3).fit(X[:4], [0, 1, 0, 1])


def test_bad_arguments():
    for c in (FitSelectClassifier, ForwardSelectionClassifier):
        with pytest.raises(ValueError, match="at least one classifier"):
            c([]).fit(X, Y)
        with pytest.raises(ValueError, match="has no list of members"):
            c(GaussianNB()).fit(X, Y)
        with pytest.raises(ValueError, match="1 class"):
            c(n_estimators=3).fit(X, np.ones(len(X)))

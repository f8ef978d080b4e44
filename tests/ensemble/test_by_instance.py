"""Members that are asked about a row, against counting among its neighbours."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.svm import SVC

from ensfs import InstancePruningClassifier


@pytest.fixture(scope="module")
def rows():
    return make_classification(160, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)


def slow_votes(model, X, y, x):
    """Votes of the members that are right about most neighbours that they have not seen."""
    members = model.estimator_.estimators_
    samples = model.estimator_.estimators_samples_
    nearest = np.argsort(((X - x) ** 2).sum(axis=1), kind="stable")[: model.n_neighbors]
    asked = []
    for member, seen in zip(members, samples, strict=True):
        unseen = [i for i in nearest if i not in set(seen)]
        if unseen:
            share = np.mean([member.predict(X[[i]])[0] == y[i] for i in unseen])
        else:
            others = [i for i in range(len(X)) if i not in set(seen)]
            right = sum(member.predict(X[[i]])[0] == y[i] for i in others)
            share = (right + 1) / (len(others) + 2)
        asked.append(share > model.threshold)
    asked = asked if any(asked) else [True] * len(members)
    votes = [m.predict([x])[0] for m, a in zip(members, asked, strict=True) if a]
    return np.bincount(np.array(votes, dtype=int), minlength=3) / len(votes), sum(asked)


@pytest.mark.parametrize("threshold", [0.5, 0.9])
@pytest.mark.parametrize("ensemble", [BaggingClassifier(n_estimators=7), RandomForestClassifier(7)])
def test_votes(ensemble, threshold, rows):
    X, y = rows
    model = InstancePruningClassifier(
        ensemble, n_neighbors=5, threshold=threshold, random_state=0
    ).fit(X[:100], y[:100])
    for x in X[100:115]:
        shares, n_asked = slow_votes(model, X[:100], y[:100], x)
        np.testing.assert_allclose(model.predict_proba([x])[0], shares)
        assert model.n_asked([x])[0] == n_asked
    assert model.score(X[100:], y[100:]) > 0.6


def test_competence_and_columns_of_members():
    X, y = load_wine(return_X_y=True)
    names = np.array(["u", "v", "w"])[y]
    ensemble = BaggingClassifier(n_estimators=9, max_features=4)
    model = InstancePruningClassifier(ensemble, random_state=0).fit(X, names)
    assert model.competence_.shape == (178, 9)
    for m, seen in enumerate(model.estimator_.estimators_samples_):
        assert np.isnan(model.competence_[np.unique(seen), m]).all()
        assert np.isnan(model.competence_[:, m]).sum() == len(np.unique(seen))
    assert set(model.predict(X)) == {"u", "v", "w"}


def test_all_members_vote_where_none_is_good(rows):
    X, y = rows
    model = InstancePruningClassifier(threshold=0.999, n_neighbors=100, random_state=0).fit(X, y)
    assert (model.n_asked(X) == 50).any()


def test_ensembles_without_samples(rows):
    with pytest.raises(ValueError, match="estimator must have estimators_ after fit"):
        InstancePruningClassifier(SVC()).fit(*rows)

"""Ensembles of several labels, against counting votes and chains by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_multilabel_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from ensfs import ChainEnsembleClassifier, RandomLabelsetsClassifier
from ensfs.ensemble.multilabel import draw_labelsets


@pytest.fixture(scope="module")
def labelled():
    return make_multilabel_classification(200, n_features=8, n_classes=5, random_state=0)


class _Votes:
    """A member that always says the same number."""

    def __init__(self, number):
        self.number = number

    def predict(self, X):
        return np.full(len(X), self.number)


def test_worked_votes():
    model = RandomLabelsetsClassifier(labelset_size=2)
    model.labelsets_ = [np.array([0, 1]), np.array([1, 2]), np.array([0, 2])]
    model.estimators_ = [_Votes(0b01), _Votes(0b11), _Votes(0b01)]  # (1,0), (1,1), (1,0)
    model._shares, model._one_class_each = np.zeros(3), False
    scores = model._label_probabilities(np.zeros((1, 2)))
    assert scores.tolist() == [[1, 0.5, 0.5]]
    assert (scores > 0.5).tolist() == [[True, False, False]]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 8), size=st.integers(1, 4))
def test_labelsets(seed, n, size):
    size = min(size, n)
    sets = draw_labelsets(n, size, 2 * n, np.random.default_rng(seed))
    different = {tuple(each) for each in sets}
    assert len(different) == len(sets) <= 2 * n
    assert all(len(each) == size and (np.diff(each) > 0).all() for each in sets)
    assert set(np.concatenate(sets)) == set(range(n))  # every label is in a set


def test_labelsets_vote(labelled):
    X, Y = labelled
    model = RandomLabelsetsClassifier(GaussianNB(), n_models=6, random_state=0).fit(X[::2], Y[::2])
    votes, asked = np.zeros(Y.shape), np.zeros(5)
    for labels in model.labelsets_:
        combinations = Y[::2][:, labels] @ [1, 2, 4]
        found = GaussianNB().fit(X[::2], combinations).predict(X)
        votes[:, labels] += np.stack([(found >> k) & 1 for k in range(3)], axis=1)
        asked[labels] += 1
    np.testing.assert_allclose(model.predict_proba(X), votes / asked)
    np.testing.assert_array_equal(model.predict(X), votes / asked > 0.5)


def test_chains(labelled):
    X, Y = labelled
    model = ChainEnsembleClassifier(GaussianNB(), 4, random_state=0).fit(X[::2], Y[::2])
    p = np.mean([chain.predict_proba(X) for chain in model.estimators_], axis=0)
    np.testing.assert_array_equal(model.predict_proba(X), p)
    assert len({tuple(chain.order_) for chain in model.estimators_}) > 1
    votes = ChainEnsembleClassifier(RidgeClassifier(), 4, random_state=0).fit(X, Y)
    assert set(np.unique(votes.predict_proba(X) * 4)) <= {0, 1, 2, 3, 4}


@pytest.mark.parametrize("c", [RandomLabelsetsClassifier, ChainEnsembleClassifier])
def test_constant_labels_frames_and_jobs(c, labelled):
    X, Y = labelled
    Y = Y.copy()
    Y[:, 1], Y[:, 3] = 1, 0
    frame = pd.DataFrame(Y, columns=list("abcde"))
    one, two = (c(random_state=0, n_jobs=n).fit(X, frame) for n in (1, 2))
    assert (one.predict(X)[:, 1] == 1).all()
    assert (one.predict(X)[:, 3] == 0).all()
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    all_the_same = c(random_state=0).fit(X, np.ones((200, 2), dtype=int))
    assert (all_the_same.predict(X) == 1).all()


@pytest.mark.parametrize("c", [RandomLabelsetsClassifier, ChainEnsembleClassifier])
def test_classes_are_labels_of_which_a_row_has_one(c):
    X, y = load_iris(return_X_y=True)
    model = c(random_state=0).fit(X[::2], np.array(["s", "v", "w"])[y[::2]])
    assert model.classes_.tolist() == ["s", "v", "w"]
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert (model.predict(X[1::2]) == np.array(["s", "v", "w"])[y[1::2]]).mean() > 0.9


@pytest.mark.parametrize("c", [RandomLabelsetsClassifier, ChainEnsembleClassifier])
def test_labels_that_are_not_zero_or_one(c, labelled):
    X, Y = labelled
    with pytest.raises(ValueError, match="y must hold 0 and 1 for each label"):
        c().fit(X, Y + 1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        c().fit(X, Y[:-1])


def test_sets_of_many_labels():
    """Combinations of 62 labels still have different numbers; those of more would not."""
    rng = np.random.default_rng(0)
    Y = np.repeat(rng.integers(2, size=(4, 70)), 5, axis=0)
    X = np.arange(20.0)[:, None]
    model = RandomLabelsetsClassifier(n_models=4, labelset_size=62, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, np.concatenate(model.labelsets_)],
                                  Y[:, np.concatenate(model.labelsets_)])  # fmt: skip
    with pytest.raises(ValueError, match="'labelset_size' parameter"):
        RandomLabelsetsClassifier(labelset_size=63).fit(X, Y)

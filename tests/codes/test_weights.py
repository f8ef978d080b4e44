"""Sample weights of classifiers made of dichotomies, of labels and of Fisher's directions."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ensfs import (
    DDAGClassifier,
    ECOCClassifier,
    FisherSubspace,
    KernelTIPCACClassifier,
    LabelGroupClassifier,
    MinimalECOCClassifier,
    NestedDichotomiesClassifier,
    RandomLabelsetsClassifier,
    TIPCACClassifier,
)
from ensfs.codes._base import distinct_rows
from ensfs.codes._tuning import two_fold_error

MODELS = {
    "TIPCAC": TIPCACClassifier(random_state=0),
    "TIPCAC, middle": TIPCACClassifier(n_components=2, threshold="middle", random_state=0),
    "kernel": KernelTIPCACClassifier(gamma=0.5),
    "kernel, last": KernelTIPCACClassifier(gamma=0.5, variance=0.8, tail="last"),
    "subspace": FisherSubspace(random_state=0),
    "graph": DDAGClassifier(random_state=0),
    "graph of others": DDAGClassifier(GaussianNB(), fisher=False),
    "nested": NestedDichotomiesClassifier(GaussianNB(), 5, random_state=0),
    "code, bootstrap": ECOCClassifier(GaussianNB(), bootstrap=True, random_state=0),
    "minimal": MinimalECOCClassifier(GaussianNB(), random_state=0),
    "minimal, held out": MinimalECOCClassifier(GaussianNB(), validation=0.3, random_state=0),
    "label sets": RandomLabelsetsClassifier(random_state=0),
    "label groups": LabelGroupClassifier(random_state=0),
}


def table(seed):
    """Three classes of 12 different rows, and whole weights, some of them 0."""
    rng = np.random.default_rng(seed)
    y = np.arange(36) % 3
    X = rng.normal(size=(36, 4)) + np.eye(3, 4)[y] * 2
    return X, y, rng.integers(0, 4, size=36).astype(float)


def outcome(model, X):
    if isinstance(model, FisherSubspace):
        return model.transform(X)
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            return getattr(model, method)(X)
    return model.predict(X)


def fresh(name):
    model = MODELS[name]
    return type(model)(**model.get_params(deep=False))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_weights_are_repetitions(name, seed):
    X, y, weight = table(seed)
    other = np.random.default_rng(seed + 1).permutation(
        np.repeat(np.arange(36), weight.astype(int))
    )
    weighted = fresh(name).fit(X, y, sample_weight=weight)
    repeated = fresh(name).fit(X[other], y[other])
    np.testing.assert_allclose(outcome(weighted, X), outcome(repeated, X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_weight_zero_are_not_there(name):
    X, y, weight = table(3)
    weight[y == 1] = 0.0
    model = fresh(name).fit(X, y, sample_weight=weight)
    assert model.classes_.tolist() == [0, 2]


@pytest.mark.parametrize(
    "model",
    [
        DDAGClassifier(KNeighborsClassifier()),
        ECOCClassifier(KNeighborsClassifier()),
        MinimalECOCClassifier(KNeighborsClassifier()),
        NestedDichotomiesClassifier(KNeighborsClassifier()),
        RandomLabelsetsClassifier(KNeighborsClassifier()),
        LabelGroupClassifier(KNeighborsClassifier()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_members_that_take_no_weights_are_named(model):
    X, y, weight = table(0)
    with pytest.raises(ValueError, match="got weights for KNeighborsClassifier"):
        model.fit(X, y, sample_weight=weight)


def test_weights_that_are_no_whole_numbers_draw_as_many_rows():
    X, y, weight = table(5)
    model = ECOCClassifier(bootstrap=True, random_state=0).fit(X, y, sample_weight=weight / 3)
    assert {len(rows) for rows in model.estimators_samples_} == {int((weight > 0).sum())}
    heavy = np.where(np.arange(36) < 3, 1e6, 1e-6)  # one row of each class has nearly all weight
    model = ECOCClassifier(bootstrap=True, random_state=0).fit(X, y, sample_weight=heavy + 0.25)
    assert all((rows < 3).mean() > 0.9 for rows in model.estimators_samples_)


def test_different_rows_stand_in_an_order_of_their_own():
    X = np.array([[2.0, 0.0], [1.0, 0.0], [2.0, -0.0], [1.0, 0.0]])
    y = np.array([0, 0, 0, 1])
    order, group = distinct_rows(X, y)
    assert group[0] == group[2]
    assert len(set(group)) == 3
    assert (np.diff(group[order]) >= 0).all()
    words = np.array([["b", 1], ["a", 2], ["b", 1]], dtype=object)
    assert distinct_rows(words, np.zeros(3, dtype=int))[1].tolist() == [1, 0, 1]
    shuffled = np.array([3, 1, 0, 2])
    again = distinct_rows(X[shuffled], y[shuffled])[1]
    assert again.tolist() == group[shuffled].tolist()


def test_tuning_counts_weights():
    X, y, weight = table(7)
    side, folds = np.where(y == 0, 1, -1), np.arange(36) % 2
    weight += 1.0
    expected = 0.0
    for fold in range(2):
        seen, other = folds != fold, folds == fold
        machine = SVC().fit(X[seen], side[seen], sample_weight=weight[seen])
        expected += weight[other][machine.predict(X[other]) != side[other]].sum()
    assert two_fold_error(SVC(), X, side, folds, weight) == pytest.approx(expected)
    model = MinimalECOCClassifier(tune="grid", random_state=0).fit(X, y, sample_weight=weight)
    assert set(model.estimators_[0].best_params_) == {"C", "gamma"}

"""Labels by their groups, as the system for facial expressions has it."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.datasets import load_wine, make_multilabel_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from ensfs import LabelGroupClassifier
from ensfs.codes import platt_scaling
from ensfs.codes.labels import _nearest_group


@pytest.fixture(scope="module")
def labelled():
    return make_multilabel_classification(240, n_features=8, n_classes=4, random_state=0)


@pytest.mark.parametrize("estimator", [LinearDiscriminantAnalysis(), GaussianNB()])
def test_scores_and_scaling(estimator, labelled):
    X, Y = labelled
    model = LabelGroupClassifier(estimator).fit(X, Y)
    groups = sorted({tuple(row) for row in Y.tolist()})
    assert model.groups_.astype(int).tolist() == [list(group) for group in groups]
    which = [groups.index(tuple(row)) for row in Y.tolist()]
    twin = estimator.fit(X, which)
    method = "decision_function" if hasattr(twin, "decision_function") else "predict_proba"
    of_groups = getattr(twin, method)(X)
    expected = np.zeros(Y.shape)
    for k in range(4):
        for i, group in enumerate(groups):
            expected[:, k] += group[k] * of_groups[:, i] / len(groups)
    np.testing.assert_allclose(model.label_scores(X), expected, atol=1e-9)
    for k in range(4):
        slope, intercept = platt_scaling(expected[:, k], Y[:, k])
        p = expit(-(slope * expected[:, k] + intercept))
        np.testing.assert_allclose(model.predict_proba(X)[:, k], p, atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) > 0.5)
    assert (model.predict(X) == Y).mean() > 0.7


def test_bounds_of_the_published_scores():
    """With 12 groups, the score of a label in three of them never passes 1/4."""
    sets = [(), (1, 2), (1, 2, 5), (4,), (6,), (1, 4), (1, 4, 7), (4, 7), (4, 6, 7), (6, 7)]
    sets += [(1,), (1, 2, 4)]
    groups = np.array([[unit in each for unit in (1, 2, 4, 5, 6, 7)] for each in sets])
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(12), 8)
    X = rng.normal(size=(96, 5)) + 4 * rng.normal(size=(12, 5))[which]
    model = LabelGroupClassifier(random_state=0).fit(X, groups[which])
    bounds = [1 / 2, 1 / 4, 1 / 2, 1 / 12, 1 / 4, 1 / 3]
    np.testing.assert_allclose(model.groups_.mean(axis=0), bounds)
    assert (model.label_scores(X) <= np.array(bounds) + 1e-12).all()
    raw = (model.label_scores(X) > 0.5) != groups[which]
    assert (model.predict(X) != groups[which]).mean() < raw.mean() / 2  # what scaling is for


def test_cross_fitted_scaling(labelled):
    X, Y = labelled
    models = [LabelGroupClassifier(GaussianNB(), calibrate=c).fit(X, Y) for c in ("train", 4)]
    assert not np.allclose(models[0].slopes_, models[1].slopes_)
    np.testing.assert_allclose(models[0].label_scores(X), models[1].label_scores(X))


def test_given_groups():
    groups = np.array([[0, 0, 0], [1, 1, 0], [0, 1, 1]])
    rows = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    assert _nearest_group(rows.astype(bool), groups.astype(bool)).tolist() == [1, 1, 0, 0]
    X = np.arange(4.0)[:, None] * 5
    model = LabelGroupClassifier(GaussianNB(), groups).fit(np.vstack([X, X + 0.1]), [*rows] * 2)
    assert model.groups_.tolist() == (groups == 1).tolist()
    for bad, message in ((groups[:, :2], "a column for each of the 3"), (groups + 1, "0 and 1")):
        with pytest.raises(ValueError, match=message):
            LabelGroupClassifier(GaussianNB(), bad).fit(X, rows)


def test_classes_and_one_group():
    X, y = load_wine(return_X_y=True)
    model = LabelGroupClassifier(GaussianNB()).fit(X, y)
    assert model.score(X, y) > 0.9
    same = LabelGroupClassifier(GaussianNB()).fit(X, np.tile([1, 0], (178, 1)))
    assert (same.predict(X) == [1, 0]).all()


def test_labels_have_the_names_of_their_columns():
    X, Y = make_multilabel_classification(60, n_classes=3, random_state=0)
    model = LabelGroupClassifier(GaussianNB())
    assert model.fit(X, Y).labels_.tolist() == [0, 1, 2]
    assert model.fit(X, pd.DataFrame(Y, columns=["a", "b", "c"])).labels_.tolist() == [
        "a",
        "b",
        "c",
    ]
    assert model.fit(X, np.where(Y[:, 0], "yes", "no")).labels_.tolist() == ["no", "yes"]

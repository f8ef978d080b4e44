"""Output codes: every design and rule of decoding against a few lines, weights, probabilities."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data

from ensfs import ECOCClassifier
from ensfs.codes import one_vs_one, pairwise_coupling, platt_scaling, separability_weights
from ensfs.codes.decoding import RULES, decode, hit_shares, likeness

DESIGNS = ["one_vs_all", "one_vs_one", "dense", "sparse", "balanced", "binary", "gray"]
DESIGNS += ["discriminant"]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(200, centers=6, n_features=4, cluster_std=2.0, random_state=0)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_designs(design, n_classes, blobs):
    X, y = blobs[0][blobs[1] < n_classes], blobs[1][blobs[1] < n_classes]
    model = ECOCClassifier(GaussianNB(), design, random_state=0).fit(X, y)
    code = model.code_book_
    assert code.shape == (n_classes, model.n_columns_)
    assert len(model.estimators_) == model.n_columns_
    assert model.score(X, y) > 0.7
    for j, member in enumerate(model.estimators_):
        rows = code[y, j] != 0
        twin = GaussianNB().fit(X[rows], code[y, j][rows])
        np.testing.assert_array_equal(member.predict_proba(X), twin.predict_proba(X))


@pytest.mark.parametrize("decoding", RULES)
def test_decodings(decoding, blobs):
    """Every rule decodes the margins of the members as its function does."""
    X, y = blobs
    estimator = LinearDiscriminantAnalysis()
    model = ECOCClassifier(estimator, decoding=decoding, n_columns=12, random_state=1)
    model.fit(X[::2], y[::2])
    code = model.code_book_
    outputs = np.stack([m.decision_function(X) for m in model.estimators_], axis=1)
    options = {}
    if decoding == "l1":
        outputs = np.stack([m.predict_proba(X)[:, 1] for m in model.estimators_], axis=1) * 2 - 1
    if decoding == "loss_weighted":
        options["weights"] = hit_shares(outputs[::2], y[::2], code)
    if decoding == "probabilistic":
        scales = [platt_scaling(outputs[::2, j], code[y[::2], j] == 1) for j in range(12)]
        options["slopes"], options["intercepts"] = np.array(scales).T
    expected = likeness(decode(outputs, code, decoding, **options), decoding)
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)
    assert model.score(X[1::2], y[1::2]) > 0.8


def test_members_of_any_kind(wine):
    """Margins, probabilities, or predictions alone."""
    X, y = wine
    for estimator in (LinearSVC(random_state=0), KNeighborsClassifier(), _Voter(), None):
        model = ECOCClassifier(estimator, random_state=0).fit(X[::2], y[::2])
        assert model.score(X[1::2], y[1::2]) > 0.8


class _Voter(DecisionTreeClassifier):
    """A classifier without probabilities."""

    @property
    def predict_proba(self):
        raise AttributeError


def test_the_two_sides_of_a_pair_of_classes(wine):
    X, y = wine
    two = y < 2
    model = ECOCClassifier(LogisticRegression()).fit(X[two], y[two])
    assert model.code_book_.tolist() == [[1], [-1]]
    plain = LogisticRegression().fit(X[two], y[two])
    np.testing.assert_array_equal(model.predict(X[two]), plain.predict(X[two]))
    assert model.decision_function(X[two]).shape == (two.sum(),)


def test_two_classes_and_duplicates_are_bagging(wine):
    X, y = wine
    two = y < 2
    model = ECOCClassifier(duplicates=True, bootstrap=True, n_columns=9, random_state=0)
    model.fit(X[two], y[two])
    assert model.code_book_.shape == (2, 9)
    votes = [
        (1 - m.predict(X[two]) * model.code_book_[0, j]) // 2
        for j, m in enumerate(model.estimators_)
    ]
    np.testing.assert_array_equal(model.predict(X[two]), np.mean(votes, axis=0) > 0.5)


def test_a_matrix_and_a_callable(wine):
    X, y = wine
    code = np.array([[1, 0, 1, -1], [-1, 1, 1, 1], [0, -1, -1, 1]])
    given = ECOCClassifier(GaussianNB(), code.tolist()).fit(X, y)
    np.testing.assert_array_equal(given.code_book_, code)
    made = ECOCClassifier(GaussianNB(), lambda n, rng: one_vs_one(n)).fit(X, y)
    np.testing.assert_array_equal(made.code_book_, one_vs_one(3))
    with pytest.raises(ValueError, match="design must have a row for each of the 3 classes"):
        ECOCClassifier(design=code[:2]).fit(X, y)


def test_weights_by_separability(blobs):
    X, y = blobs
    model = ECOCClassifier(
        GaussianNB(), "balanced", weights="separability", decoding="l1", random_state=0
    ).fit(X, y)
    outputs = np.stack([2 * m.predict_proba(X)[:, 1] - 1 for m in model.estimators_], axis=1)
    expected = separability_weights(outputs, y, model.code_book_)
    np.testing.assert_allclose(model.column_weights_, expected)
    np.testing.assert_allclose(model.column_weights_.sum(axis=1), 1)
    scores = model.decision_function(X)
    assert scores.min() >= 0
    assert scores.max() <= 1


def test_weights_from_rows_that_members_have_not_seen(blobs):
    X, y = blobs
    model = ECOCClassifier(bootstrap=True, weights="separability_oob", random_state=0).fit(X, y)
    unseen = np.ones((len(X), model.n_columns_), dtype=bool)
    for j, rows in enumerate(model.estimators_samples_):
        assert rows.shape == (len(X),)
        unseen[rows, j] = False
    outputs = np.stack([m.predict(X) for m in model.estimators_], axis=1)
    expected = separability_weights(outputs, y, model.code_book_, counted=unseen)
    np.testing.assert_allclose(model.column_weights_, expected)
    plain = ECOCClassifier(bootstrap=True, weights="separability", random_state=0).fit(X, y)
    assert np.abs(plain.column_weights_ - expected).max() > 0.001


def test_bootstrap_samples_have_both_sides():
    X = np.arange(40.0)[:, None]
    y = np.r_[0, np.ones(39, dtype=int)]
    model = ECOCClassifier(
        bootstrap=True, duplicates=True, n_columns=30, n_draws=1, random_state=0
    ).fit(X, y)
    assert all(0 in rows for rows in model.estimators_samples_)
    model.set_params(estimator=SVC()).fit(X[:2], y[:2])  # each sample must hold both rows


@pytest.mark.parametrize("calibrate", [True, 3])
@pytest.mark.parametrize("design", ["one_vs_one", "dense", "one_vs_all"])
def test_probabilities(calibrate, design, blobs):
    X, y = blobs
    model = ECOCClassifier(
        LinearDiscriminantAnalysis(), design, calibrate=calibrate, n_columns=15, random_state=0
    )
    p = model.fit(X[::2], y[::2]).predict_proba(X[1::2])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X[1::2]), p.argmax(axis=1))
    losses = -np.log(p[np.arange(len(p)), y[1::2]])
    assert losses.mean() < 0.6 < np.log(6)


def test_probabilities_of_pairs_are_coupled(blobs):
    X, y = blobs
    model = ECOCClassifier(LinearSVC(random_state=0), "one_vs_one", calibrate=True).fit(X, y)
    outputs = np.stack([m.decision_function(X) for m in model.estimators_], axis=1)
    r = np.zeros((len(X), 6, 6))
    first, second = np.triu_indices(6, 1)
    for j, (a, b) in enumerate(zip(first, second, strict=True)):
        rows = np.isin(y, [a, b])
        slope, intercept = platt_scaling(outputs[rows, j], y[rows] == a)
        r[:, a, b] = 1 / (1 + np.exp(slope * outputs[:, j] + intercept))
    np.testing.assert_allclose(model.predict_proba(X), pairwise_coupling(r), atol=1e-9)


def test_cross_fitted_probabilities_survive_a_class_of_one_row():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0, np.arange(50, 150)]
    p = ECOCClassifier(design="one_vs_all", calibrate=5).fit(X[rows], y[rows]).predict_proba(X)
    assert np.isfinite(p).all()


def test_no_probabilities_without_calibration(wine):
    assert not hasattr(ECOCClassifier().fit(*wine), "predict_proba")


@pytest.mark.parametrize("design", ["dense", "one_vs_one"])
@pytest.mark.parametrize("options", [{}, {"calibrate": True}, {"weights": "separability"}])
def test_weights_are_repetitions(design, options):
    estimator = ECOCClassifier(GaussianNB(), design, random_state=0, **options)
    check_sample_weight_equivalence_on_dense_data("ECOCClassifier", estimator)


def test_rows_of_weight_zero_are_not_there(wine):
    X, y = wine
    weight = (y < 2).astype(float)
    model = ECOCClassifier(random_state=0).fit(X, y, weight)
    assert model.classes_.tolist() == [0, 1]


def test_text_frames_and_jobs(wine):
    X, y = wine
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(13)])
    names = np.array(["zinfandel", "albana", "merlot"])[y]
    one, two = (
        ECOCClassifier(bootstrap=True, random_state=3, n_jobs=n).fit(frame, names) for n in (1, 2)
    )
    np.testing.assert_array_equal(one.decision_function(frame), two.decision_function(frame))
    assert set(one.predict(frame)) == set(names)
    assert one.feature_names_in_.tolist() == frame.columns.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "separability", "decoding": "loss"}, 'unless decoding is "hamming" or "l1"'),
        ({"weights": "separability", "calibrate": True}, "weights must be None with calibrate"),
        ({"weights": "separability_oob"}, "set bootstrap=True"),
        ({"design": "one_vs_one", "decoding": "inverse_hamming"}, "needs a code without 0"),
        ({"n_columns": 1}, "n_columns must allow a different word"),
        ({"design": "random"}, "'design' parameter"),
        ({"calibrate": 1}, "'calibrate' parameter"),
    ],
)
def test_options_that_do_not_work(options, message, wine):
    X, y = wine
    with pytest.raises(ValueError, match=message):
        ECOCClassifier(**options).fit(X, y).predict(X)


def test_more_columns_than_exist(wine):
    with pytest.warns(UserWarning, match="n_columns=9 is more than the 3 different dense"):
        model = ECOCClassifier(n_columns=9).fit(*wine)
    assert model.n_columns_ == 3


def test_one_class():
    with pytest.raises(ValueError, match="at least two classes in y; got one class"):
        ECOCClassifier().fit([[1.0], [2.0]], [1, 1])

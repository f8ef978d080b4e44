import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from ensfs import InputDecimation

IRIS = load_iris(return_X_y=True)


def as_lists(arrays):
    return [array.tolist() for array in arrays]


def correlation_slow(x, y):
    x, y = x - x.mean(), y - y.mean()
    size = np.sqrt((x @ x) * (y @ y))
    return abs(x @ y) / size if size > 1e-12 else 0.0


def decimate_slow(X, y, size, redundancy):
    """Column after column, as it is written down."""
    p, subsets = X.shape[1], []
    constant = [len(set(X[:, j])) == 1 for j in range(p)]
    for c in sorted(set(y)):
        v = [correlation_slow(X[:, j], (y == c).astype(float)) for j in range(p)]
        chosen = []
        while len(chosen) < size:
            score = {}
            for j in set(range(p)) - set(chosen):
                apart = [1 - correlation_slow(X[:, j], X[:, m]) for m in chosen]
                if redundancy is None or not apart:
                    apart = [0.0]
                total = sum(apart) / (len(apart) if redundancy == "mean" else 1)
                score[j] = -1.0 if constant[j] else v[j] + total
            best = max(score.values())
            chosen.append(min(j for j in score if score[j] >= best - 1e-9))
        subsets.append(chosen)
    return subsets


def test_iris():
    fitted = InputDecimation(2).fit(*IRIS)
    assert as_lists(fitted.subsets_) == [[2, 3], [1, 2], [3, 2]]
    expected = [0.717415668686, 0.603347827349, 0.922765384704, 0.887343696611]
    np.testing.assert_allclose(fitted.relevance_[:, 0], expected, atol=1e-9)
    assert (fitted.total_features_, fitted.common_features_) == (3, 1)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.n_features_per_class_.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("redundancy", "subsets"),
    [("sum", [[2, 1, 0], [1, 0, 3], [3, 0, 1]]), ("mean", [[2, 1, 3], [1, 0, 2], [3, 0, 1]])],
)
def test_iris_with_redundancy(redundancy, subsets):
    fitted = InputDecimation(3, redundancy=redundancy).fit(*IRIS)
    assert as_lists(fitted.subsets_) == subsets
    if redundancy == "sum":
        expected = [0.922765384704, 1.174907723019, 1.728092108667]
        np.testing.assert_allclose(fitted.subset_scores_[0], expected, atol=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, "sum", "mean"]))
@pytest.mark.filterwarnings("ignore:Class .* has one row:UserWarning")
def test_against_the_definition(seed, redundancy):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(6, 30), rng.integers(1, 8)
    y = np.concatenate([[0, 1, 2], rng.integers(4, size=n - 3)])
    X = rng.integers(-2, 3, size=(n, p)).astype(float)  # small numbers: ties and constants
    X[:, rng.random(p) < 0.2] = 7.0
    size = int(rng.integers(1, p + 1))
    fitted = InputDecimation(size, redundancy=redundancy).fit(X, y)
    assert as_lists(fitted.subsets_) == decimate_slow(X, y, size, redundancy)


def test_constant_columns_come_last():
    X = np.column_stack([np.ones(150), IRIS[0], np.zeros(150)])
    for redundancy in (None, "sum", "mean"):
        fitted = InputDecimation(6, redundancy=redundancy).fit(X, IRIS[1])
        assert all(columns[-2:].tolist() == [0, 5] for columns in fitted.subsets_)


@pytest.mark.parametrize("redundancy", [None, "sum", "mean"])
def test_columns_without_a_cut_are_not_constant(redundancy):
    """By MDL both have one level, and no information on a class."""
    y = np.arange(90) % 3
    X = np.random.default_rng(0).normal(size=(90, 5))
    X[:, 1] += 3 * (y == 1)
    X[:, [0, 4]] = 7.0
    decimation = InputDecimation(4, relevance="mutual_information", redundancy=redundancy)
    for subset in decimation.fit(X, y).subsets_:
        assert subset[0] == 1
        assert sorted(subset[1:3]) == [2, 3]
        assert subset[3] == 0
    table = pd.DataFrame(X).astype({0: str}).rename(columns=str)
    if redundancy is None:  # which is by correlations
        for subset in decimation.fit(table, y).subsets_:
            assert subset.tolist() == [1, 2, 3, 0]


def test_sizes():
    X, y = IRIS
    assert as_lists(InputDecimation([1, 2, 3]).fit(X, y).subsets_) == [[2], [1, 2], [3, 2, 0]]
    assert InputDecimation(0.5).fit(X, y).n_features_per_class_.tolist() == [2, 2, 2]
    shared = InputDecimation("share", share=0.6).fit(X, y)
    for c, columns in enumerate(shared.subsets_):
        v = shared.relevance_[:, c]
        assert v[columns].sum() >= 0.6 * v.sum() > v[columns[:-1]].sum()
    everything = InputDecimation("share", share=1.0).fit(X, y)
    assert everything.common_features_ == 4
    with pytest.raises(ValueError, match=r"n_features_per_class must be an int.*got True"):
        InputDecimation(True).fit(X, y)


def cv_slow(X, y, grid, member):
    """Accuracy of the ensemble with the same number of columns for every class."""
    right = dict.fromkeys(grid, 0)
    for train, test in StratifiedKFold(5).split(X, y):
        for size in grid:
            subsets = InputDecimation(size).fit(X[train], y[train]).subsets_
            proba = [member.fit(X[train][:, s], y[train]).predict_proba(X[test][:, s])
                     for s in subsets]  # fmt: skip
            right[size] += (np.mean(proba, axis=0).argmax(axis=1) == y[test]).sum()
    return {size: count / len(y) for size, count in right.items()}


def test_sizes_by_cross_validation():
    X, y = IRIS
    noisy = np.column_stack([X, np.random.default_rng(0).normal(scale=3, size=(150, 6))])
    member = GaussianNB()
    fitted = InputDecimation("cv", estimator=member).fit(noisy, y)
    expected = cv_slow(noisy, y, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], member)
    assert fitted.cv_scores_ == pytest.approx(expected)
    best = max(expected.values())
    smallest = min(size for size, score in expected.items() if score == best)
    assert fitted.n_features_per_class_.tolist() == [smallest] * 3
    again = InputDecimation("cv", estimator=member, n_jobs=2).fit(noisy, y)
    assert again.cv_scores_ == fitted.cv_scores_
    fitted.set_params(n_features_per_class=2).fit(X, y)
    assert not hasattr(fitted, "cv_scores_")


def test_folds_may_be_given():
    X, y = IRIS
    folds = list(StratifiedKFold(5).split(X, y))
    fitted = InputDecimation("cv", estimator=GaussianNB(), cv=folds).fit(X, y)
    assert fitted.cv_scores_ == InputDecimation("cv", estimator=GaussianNB()).fit(X, y).cv_scores_
    with pytest.raises(ValueError, match="cv must test every row once"):
        InputDecimation("cv", cv=folds[:2]).fit(X, y)


def test_sizes_of_their_own_by_cross_validation():
    X, y = IRIS
    fitted = InputDecimation("cv", per_class=True, random_state=0).fit(X, y)
    common = InputDecimation("cv", random_state=0).fit(X, y)
    assert fitted.cv_scores_ == common.cv_scores_
    assert len(set(common.n_features_per_class_)) == 1
    assert len(set(fitted.n_features_per_class_)) > 1


def test_mutual_information():
    rng = np.random.default_rng(0)
    y = np.array(list("abc"))[rng.integers(3, size=60)]
    X = rng.integers(3, size=(60, 5))
    X[:, 2] = np.where(rng.random(60) < 0.8, y == "b", X[:, 2])
    fitted = InputDecimation(1, relevance="mutual_information").fit(X, y)
    for c, label in enumerate("abc"):
        slow = [mutual_info_score(y == label, column) / np.log(2) for column in X.T]
        np.testing.assert_allclose(fitted.relevance_[:, c], slow, atol=1e-9)
    assert fitted.subsets_[1].tolist() == [2]
    text = InputDecimation(1, relevance="mutual_information").fit(pd.DataFrame(X.astype(str)), y)
    np.testing.assert_array_equal(text.relevance_, fitted.relevance_)


def test_any_function_as_relevance():
    X, y = IRIS
    fitted = InputDecimation(2, relevance=lambda X, inside: X[inside == 1].mean(axis=0)).fit(X, y)
    expected = np.array([X[y == c].mean(axis=0) for c in range(3)]).T
    np.testing.assert_allclose(fitted.relevance_, expected)
    with pytest.raises(ValueError, match="relevance must give a finite number for each of the 4"):
        InputDecimation(2, relevance=lambda X, inside: [1.0]).fit(X, y)


def test_of_tied_columns_the_first():
    """Two coefficients that differ by 2e-14, on both sides of an edge of rounding to 12 digits."""
    X, y = IRIS
    edge = 0.1234567890125
    near = np.array([edge - 1e-14, edge + 1e-14])
    fitted = InputDecimation(1, relevance=lambda table, inside: near).fit(X[:, :2], y)
    assert as_lists(fitted.subsets_) == [[0], [0], [0]]


def test_global_weight():
    v = InputDecimation(1).fit(*IRIS).relevance_
    half = InputDecimation(1, global_weight=0.5).fit(*IRIS)
    np.testing.assert_allclose(half.relevance_, 0.5 * v + 0.5 * v.mean(axis=1, keepdims=True))
    whole = InputDecimation(2, global_weight=1).fit(*IRIS)
    assert whole.total_features_ == whole.common_features_ == 2


def test_two_classes_are_never_silent():
    X, y = IRIS[0][:100], IRIS[1][:100]
    with pytest.raises(ValueError, match=r"two classes.*binary='allow'"):
        InputDecimation(2).fit(X, y)
    with pytest.warns(UserWarning, match="two classes"):
        fitted = InputDecimation(2, binary="allow").fit(X, y)
    np.testing.assert_array_equal(*fitted.subsets_)


def test_a_class_with_one_row():
    with pytest.warns(UserWarning, match="Class 2 has one row"):
        InputDecimation(2).fit(IRIS[0][:101], IRIS[1][:101])


@pytest.mark.parametrize("sizes", [5, [1, 2], [1, 2, 5], [0, 1, 1], [1.5, 1, 1], [[1, 1, 1]]])
def test_bad_sizes(sizes):
    with pytest.raises(ValueError, match="n_features_per_class"):
        InputDecimation(sizes).fit(*IRIS)


def test_bad_tables():
    X, y = IRIS
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match="column 1 has 1 missing"):
        InputDecimation(missing="error").fit(bad, y)
    with pytest.raises(ValueError, match="holds text"):
        InputDecimation().fit([["a"], ["b"], ["c"]] * 2, [0, 1, 2] * 2)
    with pytest.raises(ValueError, match="Unknown label type"):
        InputDecimation().fit(X, X[:, 0])


def test_explain():
    X, y = load_iris(return_X_y=True, as_frame=True)
    fitted = InputDecimation(2).fit(X, y)
    row = fitted.explain("petal length (cm)")[0]
    assert row["classes"] == "0, 1, 2"
    assert row["rank"] == 1
    assert row["most for"] == "0"
    assert fitted.explain("sepal length (cm)")[0]["classes"] is None

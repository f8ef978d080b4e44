"""Codes of minimal length: enumeration, repair, search, and the classifier."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine, make_blobs
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ensfs import MinimalECOCClassifier
from ensfs.codes import binary_code, gray_code, min_row_distance
from ensfs.codes._evolution import Search, evolve, learn, migrated
from ensfs.codes._minimal_codes import (
    all_designs,
    chromosome_number,
    code_of,
    design_of,
    repaired_bits,
    repaired_words,
    words_of_bits,
)
from ensfs.codes._tuning import TunedClassifier, exponents_of, two_fold_error
from ensfs.codes.designs import words_to_code


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(150, centers=5, n_features=3, cluster_std=3.0, random_state=1)


@pytest.mark.parametrize(
    ("n", "count"), [(2, 1), (3, 3), (4, 3), (5, 140), (6, 420), (7, 840), (8, 840)]
)
def test_all_designs(n, count):
    designs = list(all_designs(n))
    assert len(designs) == len(set(designs)) == count
    for design in designs[:: max(1, count // 10)]:
        assert design_of(code_of(design, n)) == design


@given(st.data())
def test_order_and_complement_of_columns_do_not_matter(data):
    n = data.draw(st.integers(2, 9))
    n_digits = (n - 1).bit_length()
    words = data.draw(st.permutations(range(2**n_digits)))[:n]
    code = words_to_code(np.array(words))
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n_digits, max_size=n_digits))
    order = data.draw(st.permutations(range(n_digits)))
    assert design_of((code * signs)[:, order]) == design_of(code)
    numbers = [
        int("".join("1" if c > 0 else "0" for c in (code * s)[:, o].ravel()), 2)
        for o in map(list, permutations(range(n_digits)))
        for s in [-code[0]]
    ]
    assert chromosome_number(design_of(code), n) == min(numbers)


def test_worked_repair():
    assert repaired_words(np.array([3, 3, 1, 0, 3]), 3).tolist() == [3, 1, 0, 2, 7]


@given(st.data())
def test_repair(data):
    n_digits = data.draw(st.integers(1, 4))
    n = data.draw(st.integers(2, 2**n_digits))
    words = np.array(data.draw(st.lists(st.integers(0, 2**n_digits - 1), min_size=n, max_size=n)))
    found = repaired_words(words, n_digits)
    taken = []
    for word, new in zip(words.tolist(), found.tolist(), strict=True):  # the definition
        if word in taken:
            free = [w for w in range(2**n_digits) if w not in taken]
            word = min(free, key=lambda w: ((w ^ word).bit_count(), w))
        assert new == word
        taken.append(new)
    if (n - 1).bit_length() == n_digits:
        bits = np.array([[(w >> k) & 1 for k in range(n_digits)[::-1]] for w in words]).ravel()
        np.testing.assert_array_equal(words_of_bits(bits, n_digits), words)
        np.testing.assert_array_equal(words_of_bits(repaired_bits(bits, n_digits), n_digits), found)


def slow_fitness(code, X, y, folds, estimator):
    """Wrong rows of a code in two folds, each column fitted anew."""
    wrong = 0
    for fold in (0, 1):
        train, test = folds != fold, folds == fold
        sides = [
            estimator.fit(X[train], column[y[train]]).predict(X[test])
            for column in code.T
        ]  # fmt: skip
        distance = [(np.stack(sides, axis=1) != word).sum(axis=1) for word in code]
        wrong += (np.argmin(distance, axis=0) != y[test]).sum()
    return wrong


def test_exhaustive_search_finds_the_best_code(blobs):
    X, y = blobs
    model = MinimalECOCClassifier(GaussianNB(), random_state=0)
    folds = model._unseen_folds(X, y, _rng_of_folds(0))
    model.fit(X, y)
    keys = {}
    for design in all_designs(5):
        code = code_of(design, 5)
        wrong = slow_fitness(code, X, y, folds, GaussianNB())
        keys[design] = wrong, -min_row_distance(code), chromosome_number(design, 5)
    best = min(keys, key=keys.get)
    np.testing.assert_array_equal(model.code_book_, code_of(best, 5))
    assert model.fitness_path_ == pytest.approx([keys[best][0] / len(y)])
    assert model.n_codes_ == 140
    assert model.dichotomies_.shape == (15, 5)
    assert model.n_fits_ == 2 * 15 + 3
    assert model.n_iter_ == 1


def _rng_of_folds(seed):
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[1])


@pytest.mark.parametrize("search", ["genetic", "pbil"])
def test_searches_find_what_is_best_of_all(search, blobs):
    X, y = blobs
    exact = MinimalECOCClassifier(GaussianNB(), random_state=0).fit(X, y)
    found = MinimalECOCClassifier(GaussianNB(), search, random_state=0).fit(X, y)
    np.testing.assert_array_equal(found.code_book_, exact.code_book_)
    assert found.fitness_path_[-1] == exact.fitness_path_[0]
    assert (np.diff(found.fitness_path_) <= 0).all()
    assert found.n_codes_ <= 140
    assert found.n_fits_ <= 33


def test_six_classes_need_at_most_62_fits():
    X, y = make_blobs(120, centers=6, random_state=0)
    model = MinimalECOCClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert model.n_codes_ == 420
    assert model.n_fits_ == 2 * 25 + 3 <= 62  # sides of one class against five do not occur


def test_many_classes():
    X, y = make_blobs(200, centers=12, cluster_std=0.5, random_state=0)
    model = MinimalECOCClassifier(
        GaussianNB(), generations=8, population=12, islands=3, decoding="euclidean", random_state=0
    ).fit(X, y)
    assert model.code_book_.shape == (12, 4)
    assert len(np.unique(model.code_book_, axis=0)) == 12
    assert len(model.fitness_path_) <= 8
    binary = MinimalECOCClassifier(GaussianNB(), "binary", decoding="euclidean").fit(X, y)
    assert model.score(X, y) > binary.score(X, y)
    with pytest.raises(ValueError, match="is for up to 8 classes; got 12"):
        model.set_params(search="exhaustive").fit(X, y)


def test_codes_without_a_search():
    X, y = make_blobs(80, centers=8, random_state=0)
    for search, design in (("binary", binary_code), ("gray", gray_code)):
        model = MinimalECOCClassifier(GaussianNB(), search).fit(X, y)
        np.testing.assert_array_equal(model.code_book_, design(8))
        assert model.n_fits_ == 3
        assert model.fitness_path_.size == 0


@pytest.mark.parametrize("decoding", ["inverse_hamming", "attenuated", "laplacian", "loss", "l1"])
@pytest.mark.parametrize("validation", [3, 0.3])
def test_decodings_and_validation(decoding, validation, blobs):
    X, y = blobs
    model = MinimalECOCClassifier(
        GaussianNB(), decoding=decoding, validation=validation, random_state=0, n_jobs=1
    ).fit(X, y)
    n_folds = validation if validation == 3 else 1
    assert model.n_fits_ == 15 * n_folds + 3
    assert model.score(X, y) > 0.5
    assert model.decision_function(X).shape == (150, 5)


def test_folds_have_all_classes(blobs):
    X, y = blobs
    for validation, n_held in ((2, 150), (0.3, 45)):
        model = MinimalECOCClassifier(validation=validation)
        folds = model._unseen_folds(X, y, _rng_of_folds(0))
        assert (folds >= 0).sum() == n_held
        assert set(y[folds == 0]) == set(y[folds != 0]) == set(range(5))


@pytest.mark.parametrize("validation", [2, 0.5])
def test_a_class_of_one_row(validation):
    X = np.array([[0.0], [5.0], [5.1], [5.2], [9.0], [9.1], [9.3]])
    y = np.array([0, 1, 1, 1, 2, 2, 2])
    model = MinimalECOCClassifier(GaussianNB(), validation=validation, random_state=0).fit(X, y)
    assert model.code_book_.shape == (3, 2)


def test_jobs_and_seeds(blobs):
    X, y = blobs
    a, b = (
        MinimalECOCClassifier(search="genetic", generations=3, random_state=5, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(X))


def test_population_must_fill_the_islands(blobs):
    with pytest.raises(ValueError, match="at least two codes for each of the 4 islands; got 7"):
        MinimalECOCClassifier(population=7).fit(*blobs)


def ones(strings):
    return [-int(bits.sum()) for bits in strings]


@pytest.mark.parametrize("method", [evolve, learn])
def test_search_of_bits(method):
    search = Search(16, ones, generations=120, patience=60)
    found = method(search, np.random.default_rng(0))
    assert found.value <= -14
    assert found.path == sorted(found.path, reverse=True)
    assert -found.best.sum() == found.value


def test_search_stops_without_gain():
    search = Search(4, lambda strings: [0] * len(strings), generations=50, patience=10)
    assert len(evolve(search, np.random.default_rng(0)).path) == 11


def test_the_best_of_all_islands_move_at_once():
    islands = [[(1, "a"), (5, "b")], [(0, "c"), (9, "d")], [(3, "e"), (4, "f")]]
    assert migrated(islands) == [
        [(1, "a"), (3, "e")], [(0, "c"), (1, "a")], [(0, "c"), (3, "e")]
    ]  # fmt: skip
    assert migrated(islands[:1]) == islands[:1]


@pytest.mark.parametrize("search", ["grid", "genetic"])
def test_tuning(search):
    X, y = load_wine(return_X_y=True)
    X, y = StandardScaler().fit_transform(X), np.where(y == 1, 1, -1)
    model = TunedClassifier(make_pipeline(StandardScaler(), SVC()), search, random_state=0)
    model.fit(X[::2], y[::2])
    assert set(model.best_params_) == {"svc__C", "svc__gamma"}
    assert 2**-5 <= model.best_params_["svc__C"] <= 2**15
    assert model.score(X[1::2], y[1::2]) > 0.9
    assert model.decision_function(X).shape == (178,)


def test_tuning_of_the_members(blobs):
    X, y = blobs
    rows = y < 3
    model = MinimalECOCClassifier(tune="grid", random_state=0).fit(X[rows], y[rows])
    tuned = model.estimators_[0]
    folds = np.empty(rows.sum(), dtype=int)
    side = model.code_book_[y[rows], 0]
    folds[np.argsort(side, kind="stable")] = np.arange(rows.sum()) % 2
    errors = {
        (c, g): two_fold_error(SVC(C=2.0**c, gamma=2.0**g), X[rows], side, folds)
        for c in (-5, 0, 5, 10, 15)
        for g in (-15, -10.5, -6, -1.5, 3)
    }
    best = min(errors, key=lambda pair: (errors[pair], pair))
    assert tuned.best_params_ == {"C": 2.0 ** best[0], "gamma": 2.0 ** best[1]}
    with pytest.raises(ValueError, match="one parameter C and one parameter gamma"):
        MinimalECOCClassifier(RidgeClassifier(), tune="grid").fit(X, y)


def test_exponents_of_bits():
    assert exponents_of(np.zeros(32, dtype=np.int8)) == (-5, -15)
    assert exponents_of(np.ones(32, dtype=np.int8)) == (15, 3)

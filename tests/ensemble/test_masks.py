"""Masks of columns: neighbours by definition, the climb of the paper, members."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

from ensfs import FeatureMaskClassifier
from ensfs.ensemble._mask_search import NeighbourScores, climb, random_mask
from ensfs.evaluation import ambiguity, staged_errors

X, Y = load_wine(return_X_y=True)

ROWS = np.array([[0, 5, 1], [1, 4, 9], [2, 1, 2], [8, 6, 8], [9, 2, 1], [10, 3, 9], [4, 0, 5],
                 [7, 7, 5]], dtype=float)  # fmt: skip
CLASSES = np.array([0, 0, 0, 1, 1, 1, 0, 1])


def labels_slow(test, train, y, mask, k, loo):
    """k nearest by sorting; numbers by squared differences, text by 1 for what differs."""
    labels = []
    for i, row in enumerate(test):
        distance = []
        for j, other in enumerate(train):
            if loo and i == j:
                continue
            total = 0.0
            for a, b, used in zip(row, other, mask, strict=True):
                if used:
                    total += (a != b) if isinstance(a, str) else (a - b) ** 2
            distance.append((total, j))
        nearest = [y[j] for _, j in sorted(distance)[:k]]
        labels.append(min(set(nearest), key=lambda c: (-nearest.count(c), c)))
    return labels


def climb_slow(score, mask):
    mask, rounds, improved = list(mask), 0, True
    best = score(mask)
    while improved:
        improved, rounds = False, rounds + 1
        for j in range(len(mask)):
            flipped = [bit != (j == i) for i, bit in enumerate(mask)]
            if any(flipped) and score(flipped) > best:
                best, mask, improved = score(flipped), flipped, True
    return mask, best, rounds


def right(truth, labels):
    return float(np.count_nonzero(truth == labels))


def scores_of(test, train, truth, y, k, own=None):
    p = train.shape[1]
    return NeighbourScores(truth, right, test, train, y, np.arange(p), np.ones(p), 2, k, own=own)


@pytest.mark.parametrize("k", [1, 3])
def test_climb_of_the_spec(k):
    """Leave-one-out from the mask 011: 2 right, then 111 (7), then 110 (8); two rounds."""
    scores = scores_of(ROWS, ROWS, CLASSES, CLASSES, k, own=0)
    path = []
    scores.set_mask(np.array([True, True, True]))
    if k == 1:
        assert scores.labels().tolist() == [0, 0, 0, 1, 0, 1, 0, 1]
    for mask in ([0, 1, 1], [1, 1, 1], [1, 1, 0]):
        scores.set_mask(np.array(mask, dtype=bool))
        path.append(scores.score())
    if k == 1:
        assert path == [2, 7, 8]
    mask, best, rounds = climb(scores, np.array([False, True, True]))
    assert mask.tolist() == [True, True, False]
    assert (best, rounds) == (8, 2)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 4), st.integers(1, 3),
       st.booleans())  # fmt: skip
def test_climbs(seed, n, p, k, loo):
    """Whole numbers, so that distances are exact and tie often."""
    rng = np.random.default_rng(seed)
    table, y = rng.integers(0, 4, size=(n, p)).astype(float), rng.integers(2, size=n)
    test, train = (table, table) if loo else (table[: n // 2], table[n // 2 :])
    truth, known = (y, y) if loo else (y[: n // 2], y[n // 2 :])
    k = min(k, len(train) - loo)
    start = random_mask(p, rng)

    def score(mask):
        return right(truth, labels_slow(test.tolist(), train.tolist(), known, mask, k, loo))

    found = climb(scores_of(test, train, truth, known, k, 0 if loo else None), start)
    slow = climb_slow(score, start.tolist())
    assert (found[0].tolist(), *found[1:]) == slow


def masked_knn(model, columns, X):
    """Votes of scikit-learn's neighbours on the standardized columns of each mask."""
    return [KNeighborsClassifier(1, algorithm="brute").fit(columns[:, mask], Y).predict(X[:, mask])
            for mask in model.masks_]  # fmt: skip


def test_members_are_neighbours_on_their_columns():
    model = FeatureMaskClassifier(n_estimators=6, random_state=0).fit(X, Y)
    standard = scale(X)
    new = X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) / 3
    scaled = (new - X.mean(axis=0)) / X.std(axis=0)
    votes = np.array(masked_knn(model, standard, scaled))
    counts = np.stack([(votes == c).sum(axis=0) for c in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(new), counts / 6)
    np.testing.assert_array_equal(model.predict(new), counts.argmax(axis=1))
    for member, columns, mask in zip(model.estimators_, model.estimators_features_, model.masks_,
                                     strict=True):  # fmt: skip
        assert columns.tolist() == np.nonzero(mask)[0].tolist()
        assert member.predict(new[:, columns]).shape == (178,)
    errors = staged_errors(model, new, Y)
    assert errors[-1] == pytest.approx(1 - model.score(new, Y))


def test_no_single_flip_improves_a_mask():
    model = FeatureMaskClassifier(n_estimators=3, validation="loo", random_state=0).fit(X, Y)
    standard = scale(X)

    def loo_accuracy(mask):
        neighbours = KNeighborsClassifier(1, algorithm="brute").fit(standard[:, mask], Y)
        nearest = neighbours.kneighbors(None, 1, return_distance=False)[:, 0]
        return (Y[nearest] == Y).mean()

    assert (model.search_rounds_ >= 1).all()
    for mask, score in zip(model.masks_, model.mask_scores_, strict=True):
        assert score == pytest.approx(loo_accuracy(mask))
        for j in range(13):
            flipped = mask ^ (np.arange(13) == j)
            if flipped.any():
                assert loo_accuracy(flipped) <= score + 1e-12


def test_the_best_candidates_are_kept():
    model = FeatureMaskClassifier(n_estimators=4, n_candidates=9, search="random", random_state=0)
    everything = FeatureMaskClassifier(n_estimators=9, n_candidates=9, search="random",
                                       random_state=0).fit(X, Y)  # fmt: skip
    model.fit(X, Y)
    order = np.sort(np.argsort(-everything.mask_scores_, kind="stable")[:4])
    np.testing.assert_array_equal(model.masks_, everything.masks_[order])
    np.testing.assert_array_equal(model.mask_scores_, everything.mask_scores_[order])
    assert model.search_rounds_.tolist() == [0] * 4
    with pytest.raises(ValueError, match="n_candidates must be at least n_estimators, 4; got 3"):
        model.set_params(n_candidates=3).fit(X, Y)


def test_searched_masks_are_better_and_random_ones_differ():
    random = FeatureMaskClassifier(search="random", n_candidates=20, random_state=0).fit(X, Y)
    searched = FeatureMaskClassifier(n_candidates=20, random_state=0).fit(X, Y)
    assert searched.mask_scores_.mean() > random.mask_scores_.mean()
    votes = [member.predict(X[:, c]) for member, c in
             zip(random.estimators_, random.estimators_features_, strict=True)]  # fmt: skip
    assert ambiguity(votes) >= 0


def test_text_is_one_unit_apart():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"ward": rng.choice(list("abc"), size=40),
                          "dose": rng.integers(3, size=40),
                          "sex": rng.choice(["f", "m"], size=40)})  # fmt: skip
    y = np.where(table["ward"] == "a", 1, table["dose"] > 1).astype(int)
    options = {"n_estimators": 5, "scale": False, "validation": "loo", "random_state": 0}
    model = FeatureMaskClassifier(**options).fit(table, y)
    rows = list(table.itertuples(index=False))
    for mask, score in zip(model.masks_, model.mask_scores_, strict=True):
        assert score == np.mean(labels_slow(rows, rows, y, mask, 1, True) == y)
        for j in range(3):
            flipped = mask ^ (np.arange(3) == j)
            if flipped.any():
                assert np.mean(labels_slow(rows, rows, y, flipped, 1, True) == y) <= score
    votes = np.array([labels_slow(rows, rows, y, mask, 1, False) for mask in model.masks_])
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], votes.mean(axis=0))
    unknown = table.assign(ward="never seen")
    assert model.predict(unknown).shape == (40,)


def test_little_memory_gives_the_same():
    for validation in (0.43, "loo"):
        model = FeatureMaskClassifier(n_estimators=3, validation=validation, random_state=0)
        expected = model.fit(X, Y)
        masks, proba = expected.masks_, expected.predict_proba(X)
        small = model.set_params(max_bytes=5000, max_rounds=20).fit(X, Y)
        np.testing.assert_array_equal(small.masks_, masks)
        np.testing.assert_array_equal(small.predict_proba(X), proba)


def test_options_of_the_search():
    base = {"n_estimators": 4, "random_state": 0}
    first = FeatureMaskClassifier(**base).fit(X, Y)
    again = FeatureMaskClassifier(**base, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(first.masks_, again.masks_)
    np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
    other = FeatureMaskClassifier(**base, resplit=True).fit(X, Y)
    assert not np.array_equal(first.masks_, other.masks_)
    short = FeatureMaskClassifier(**base, max_rounds=1).fit(X, Y)
    assert short.search_rounds_.tolist() == [1] * 4
    named = FeatureMaskClassifier(**base, scoring="balanced_accuracy").fit(X, Y)
    given_ = FeatureMaskClassifier(**base, scoring=balanced_accuracy_score).fit(X, Y)
    np.testing.assert_array_equal(named.masks_, given_.masks_)


def test_any_classifier():
    table, y = load_iris(return_X_y=True)
    labels = np.array(["x", "z", "y"])[y]
    model = FeatureMaskClassifier(GaussianNB(), 3, random_state=0)
    with pytest.warns(UserWarning, match="GaussianNB is fitted anew for every mask"):
        model.fit(table, labels)
    assert model.score(table, labels) > 0.9
    assert isinstance(model.estimators_[0], GaussianNB)
    columns, codes = model.estimators_features_[0], np.searchsorted(["x", "y", "z"], labels)
    np.testing.assert_array_equal(
        model.estimators_[0].predict(table[:, columns]),
        GaussianNB().fit(table[:, columns], codes).predict(table[:, columns]),
    )
    with pytest.warns(UserWarning, match="fitted anew"):
        model.set_params(validation="loo", n_estimators=1, max_rounds=1).fit(table[::3], y[::3])


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000])
def test_the_scale_of_the_columns_does_not_matter(factor):
    """Squares of such numbers overflow or vanish; a power of two changes no digit."""
    model = FeatureMaskClassifier(n_estimators=3, n_candidates=3, random_state=0)
    expected = model.fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(factor * X, Y).predict_proba(factor * X), expected)

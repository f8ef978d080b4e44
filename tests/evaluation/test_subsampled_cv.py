"""Sub-sampled cross-validation: sizes of the paper, rows, overlap."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from ensfs.evaluation import SubsampledCV, repeated_predictions


def table(n):
    return np.zeros((n, 1))


@pytest.mark.parametrize(
    ("n", "train_size", "sizes"),
    [(214, None, (106, 213, 2, 1)), (214, 71, (71, 143, 2, 1)), (150, 1 / 3, (50, 101, 2, 1))],
)
def test_sizes_of_the_paper(n, train_size, sizes):
    assert SubsampledCV(train_size=train_size)._sizes(n) == sizes


def test_too_large_a_training_set():
    with pytest.raises(ValueError, match=r"train_size must be at most 106 of 214 rows .*got 107"):
        next(SubsampledCV(train_size=107).split(table(214)))


@given(st.integers(0, 2**32 - 1), st.integers(21, 60), st.floats(0.05, 0.95), st.integers(1, 3))
def test_every_row_is_predicted_equally_often(seed, n, variability, n_repeats):
    cv = SubsampledCV(n_repeats, variability=variability, random_state=seed)
    m, t, k, q = cv._sizes(n)
    assert t <= n
    assert k <= t
    splits = list(cv.split(table(n)))
    assert len(splits) == cv.get_n_splits(table(n)) == n_repeats * k * q
    for train, test in splits:
        assert len(set(train)) == len(train) == m
        assert not set(train) & set(test)
    per_repeat = k * q
    for r in range(n_repeats):
        rows = np.concatenate([test for _, test in splits[r * per_repeat : (r + 1) * per_repeat]])
        assert sorted(rows) == list(range(n))


def test_too_few_rows():
    with pytest.raises(ValueError, match=r"variability must leave a row of 3 .*, at most 0.5; got"):
        next(SubsampledCV(variability=0.75).split(table(3)))


def test_training_sets_that_leave_out_a_row_overlap_as_chosen():
    """Among those that leave out row 0, two share 1 - variability of their rows on average."""
    for variability in (0.3, 0.5):
        cv = SubsampledCV(300, 30, variability=variability, random_state=0)
        sets = [set(train) for train, test in cv.split(table(61)) if 0 in test]
        sets = [each for each in sets if len(each | {0}) > len(each)]
        shared = [len(a & b) / 30 for a, b in pairwise(sets)]
        expected = 30 / (cv._sizes(61)[1] - 1)
        assert np.mean(shared) == pytest.approx(expected, abs=0.02)


def test_seeds():
    first = list(SubsampledCV(2, random_state=3).split(table(20)))
    again = list(SubsampledCV(2, random_state=3).split(table(20)))
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(np.concatenate(one), np.concatenate(two))


def test_in_scikit_learn_and_on_frames():
    X, y = load_wine(return_X_y=True, as_frame=True)
    cv = SubsampledCV(2, random_state=0)
    tree = DecisionTreeClassifier(random_state=0)
    assert len(cross_val_score(tree, X, y, cv=cv)) == 4
    found = repeated_predictions(tree, X, y, cv=cv, n_jobs=2)
    assert found.shape == (2, 178)
    expected = np.empty((2, 178), dtype=int)
    for i, (train, test) in enumerate(cv.split(X)):
        fitted = DecisionTreeClassifier(random_state=0).fit(X.iloc[train], y.iloc[train])
        expected[i // 2, test] = fitted.predict(X.iloc[test])
    np.testing.assert_array_equal(found, expected)
    names = pd.Series(np.array(["a", "b", "c"])[y])
    text = repeated_predictions(tree, X, names, cv=KFold(3))
    assert text.shape == (1, 178)
    with pytest.raises(ValueError, match="equally many test sets; got from 0 to 1"):
        repeated_predictions(tree, X, y, cv=iter_one())


class iter_one:  # noqa: N801
    """Tests the first rows only."""

    def split(self, X, y):
        yield np.arange(100, 178), np.arange(100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_repeats": 0}, "n_repeats must be an integer of at least 1"),
        ({"variability": 1.0}, "variability must lie strictly between 0 and 1"),
        ({"train_size": 1.5}, "train_size must be None, an integer"),
        ({"train_size": 0}, "train_size must be an integer of at least 1"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        next(SubsampledCV(**options).split(table(20)))
    with pytest.raises(ValueError, match="X must be given"):
        SubsampledCV().get_n_splits()

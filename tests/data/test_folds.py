"""Which fold each row belongs to."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from ensfs.data.folds import make_folds


def test_interleaved():
    fold, n_folds = make_folds("interleaved", 7, 3)
    assert fold.tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert fold.dtype == np.int32
    assert n_folds == 3
    assert make_folds(3, 7)[0].tolist() == fold.tolist()
    assert make_folds(np.int64(3), 7)[1] == 3


def test_blocks():
    fold, n_folds = make_folds("blocks", 8, 3)
    assert fold.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    assert fold.dtype == np.int32
    assert n_folds == 3


@pytest.mark.parametrize(
    "labels",
    [
        [20, -1, 20, 3],
        np.array([2.0, 0.0, 2.0, 1.0]),
        ["c", "a", "c", "b"],
        pd.Series(["c", "a", "c", "b"]),
    ],
)
def test_labels(labels):
    fold, n_folds = make_folds(labels, 4)
    assert fold.tolist() == [2, 0, 2, 1]
    assert fold.dtype == np.int32
    assert n_folds == 3


def test_splitters():
    assert make_folds(KFold(2), 4)[0].tolist() == [0, 0, 1, 1]
    y = np.array([0, 0, 0, 1, 1, 1])
    fold, n_folds = make_folds(StratifiedKFold(3), 6, y=y)
    assert n_folds == 3
    for f in range(3):
        assert sorted(y[fold == f]) == [0, 1]


@pytest.mark.parametrize(
    ("splitter", "message"),
    [
        (ShuffleSplit(3, test_size=0.5, random_state=0), "several|none"),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), "several"),
        (TimeSeriesSplit(2), "none"),
    ],
)
def test_splitters_must_partition(splitter, message):
    with pytest.raises(ValueError, match=rf"exactly one test set, but.*({message}).*KFold"):
        make_folds(splitter, 9)


def test_a_splitter_that_needs_groups_says_so():
    with pytest.raises(ValueError, match="groups"):
        make_folds(GroupKFold(2), 4)


@pytest.mark.parametrize("folds", ["interleaved", "blocks"])
def test_more_parts_than_rows(folds):
    with pytest.warns(UserWarning, match="n_parts=20 exceeds the 3 rows; 3 folds of one row"):
        fold, n_folds = make_folds(folds, 3, 20)
    assert fold.tolist() == [0, 1, 2]
    assert n_folds == 3


@pytest.mark.parametrize("n_parts", [1, 0, -2, True, 2.5, None])
def test_too_few_parts(n_parts):
    with pytest.raises(ValueError, match="n_parts must be an int of at least 2; got"):
        make_folds("interleaved", 10, n_parts)


@pytest.mark.parametrize("folds", [1, 0, True])
def test_too_few_folds(folds):
    with pytest.raises(ValueError, match="folds must be an int of at least 2; got"):
        make_folds(folds, 10)


def test_one_row():
    with pytest.raises(ValueError, match="at least 2 rows; got n_samples = 1"):
        make_folds("blocks", 1, 5)


def test_one_label():
    with pytest.raises(ValueError, match="At least 2 folds are needed; got 1"):
        make_folds([4, 4, 4], 3)


@pytest.mark.parametrize("labels", [[0, 1], [[0, 1, 0]]])
def test_one_label_for_each_row(labels):
    with pytest.raises(ValueError, match="one fold label for each of the 3 rows"):
        make_folds(labels, 3)


@pytest.mark.parametrize("labels", [[0, np.nan, 1], ["a", None, "b"], [0, np.inf, 1]])
def test_missing_labels(labels):
    with pytest.raises(ValueError, match="folds contains NaN"):
        make_folds(labels, 3)


def test_unknown_word():
    with pytest.raises(ValueError, match=r"'interleaved', 'blocks', an int.*got 'random'"):
        make_folds("random", 10, 2)

"""Columns as few codes, for trees."""

import numpy as np
import pandas as pd
import pytest

from ensfs.data.table import make_table


def test_bins_keep_order_and_distinct_values():
    rng = np.random.default_rng(0)
    few = rng.choice([-1.5, 0.0, 7.25], size=600)
    many = rng.normal(size=600)
    skewed = np.where(rng.random(600) < 0.99, 0.0, rng.random(600))
    X = np.column_stack([few, many, skewed])
    codes = make_table(X).bins()
    assert codes.dtype == np.uint8
    assert codes.flags.f_contiguous
    for j in range(3):
        order = np.argsort(X[:, j], kind="stable")
        assert (np.diff(codes[order, j].astype(int)) >= 0).all()
        assert codes[:, j].min() == 0
    assert np.unique(codes[:, 0]).tolist() == [0, 1, 2]
    assert np.unique(codes[:, 1]).size == 255
    assert np.bincount(codes[:, 1]).max() <= 3
    assert np.unique(codes[:, 2]).size == np.unique(skewed).size
    np.testing.assert_array_equal(make_table(np.asfortranarray(X)).bins(), codes)
    np.testing.assert_array_equal(make_table(X, n_threads=2).bins(), codes)


def test_bins_of_equal_values_are_one():
    x = np.concatenate([np.zeros(500), np.arange(1, 301)])
    codes = make_table(x[:, None]).bins(16)[:, 0]
    assert (codes[:500] == 0).all()
    assert (codes[500:] > 0).all()
    assert codes.max() < 16


def test_bins_of_integers_and_levels():
    rng = np.random.default_rng(0)
    numbers = rng.integers(-50, 50, size=400)
    wide = rng.integers(0, 10**9, size=400)
    levels = np.array([f"l{v:03d}" for v in rng.integers(0, 300, size=400)])
    X = pd.DataFrame({"a": numbers, "b": wide, "c": levels})
    table = make_table(X)
    codes = table.bins()
    assert table.nominal.tolist() == [False, False, True]
    np.testing.assert_array_equal(codes[:, 0], np.unique(numbers, return_inverse=True)[1])
    assert codes[:, 1].max() <= 254
    few = table.bins(10)[:, 2]
    counts = pd.Series(levels).value_counts()
    assert few.max() == 9
    for code in range(9):  # the frequent levels keep a code each
        assert np.unique(levels[few == code]).size == 1
    assert counts[np.unique(levels[few == 9])].max() <= counts[np.unique(levels[few < 9])].min()
    named = make_table(X, discrete_features=["b"])
    assert named.nominal.tolist() == [False, True, True]


def test_bins_name_the_column_with_missing_values():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 1.0]})
    with pytest.raises(ValueError, match="'b' has 1 missing"):
        make_table(X).bins()

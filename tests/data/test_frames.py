"""Rows and columns of tables, and data frames as arrays."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ensfs import MRMR
from ensfs.data.frames import columns_to_array, take

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


def test_take(frame):
    data = {"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [1.5, 2.5, 3.5]}
    rows, columns = np.array([2, 0]), np.array([2, 1])
    found = take(frame(data), rows, columns)
    assert type(found) is type(frame(data))
    assert take(frame(data)).shape == (3, 3)
    assert np.asarray(found).tolist() == [[3.5, "z"], [1.5, "x"]]
    np.testing.assert_array_equal(
        take(np.arange(6).reshape(2, 3), columns=columns), [[2, 1], [5, 4]]
    )


def test_an_array_has_the_type_of_the_whole_frame(frame):
    X = frame({"i": [1, 2], "f": [0.5, 1.5], "t": ["x", "y"]})
    assert columns_to_array(X, np.array([0]), MRMR()).tolist() == [[1], [2]]
    assert columns_to_array(X, np.array([0]), MRMR()).dtype == object
    numbers = take(X, columns=np.array([0, 1]))
    assert columns_to_array(numbers, np.array([0]), MRMR()).dtype == np.float64


def test_columns_after_dates(frame):
    X = frame({"d": [datetime.datetime(2020, 1, 1)] * 2, "a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert columns_to_array(X, np.array([2]), MRMR()).tolist() == [[3.0], [4.0]]
    with pytest.raises(ValueError, match="column 'd' holds dates"):
        columns_to_array(X, np.array([0, 2]), MRMR())


def test_only_the_selected_columns_of_one_type_are_read(frame):
    X = frame({"a": [1.0, 2.0], "b": [np.nan, 4.0], "c": [5.0, 6.0]})
    assert columns_to_array(X, np.array([2, 0]), MRMR(missing="error")).tolist() == [
        [5.0, 1.0],
        [6.0, 2.0],
    ]
    with pytest.raises(ValueError, match="NaN: column 'b' has 1 missing"):
        columns_to_array(X, np.array([0, 1]), MRMR(missing="error"))


def test_transform_reads_the_selected_columns_only(frame):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    values = rng.normal(size=(40, 3)) + 3 * y[:, None] * [0, 0, 1]
    names = ["a", "b", "c"]
    selector = MRMR(1).fit(frame(dict(zip(names, values.T, strict=True))), y)
    assert selector.indices_.tolist() == [2]
    values[0, 0] = np.nan
    X = frame(dict(zip(names, values.T, strict=True)))
    np.testing.assert_array_equal(selector.transform(X), values[:, [2]])
    renamed = frame(dict(zip(["a", "b", "d"], values.T, strict=True)))
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(renamed)


def test_transform_of_text_of_any_length():
    X = np.array([["u", "a"], ["v", "a"], ["u", "b"], ["v", "b"]], dtype=np.dtypes.StringDType())
    selector = MRMR(1).fit(X, [0, 1, 0, 1])
    assert selector.transform(X).tolist() == [["u"], ["v"], ["u"], ["v"]]

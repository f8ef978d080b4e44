"""What targets become, and what bad ones get."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from ensfs.data.target import distinct, make_target

TEXT = ["b", "a", "b", "c"]
INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
CLASSES = {
    "list": TEXT,
    "array": np.array(TEXT),
    "object": np.array(TEXT, dtype=object),
    "pandas": pd.Series(TEXT),
    "pandas categorical": pd.Series(TEXT, dtype=pd.CategoricalDtype(["z", "c", "b", "a"])),
    "pandas Categorical": pd.Categorical(TEXT),
    "polars": pl.Series(TEXT),
    "polars categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "polars enum": pl.Series(TEXT, dtype=pl.Enum(["c", "b", "a"])),
    "pyarrow": pa.chunked_array([TEXT]),
    "pyarrow array": pa.array(TEXT),
    "pyarrow dictionary": pa.chunked_array([pa.array(TEXT).dictionary_encode()]),
}


@pytest.mark.parametrize("y", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("kind", ["auto", "classes"])
def test_text_is_classes(y, kind):
    target = make_target(y, 4, kind=kind)
    assert target.kind == "classes"
    assert target.codes.tolist() == [1, 0, 1, 2]
    assert target.codes.dtype == np.int32
    assert target.classes.tolist() == ["a", "b", "c"]
    assert target.values is None
    assert not target.constant


@pytest.mark.parametrize(
    "y", [[5, -1, 5, 0], [5.0, -1.0, 5.0, 0.0], np.array([5, -1, 5, 0], dtype=object)]
)
def test_few_whole_numbers_are_classes(y):
    target = make_target(y, 4)
    assert target.kind == "classes"
    assert target.codes.tolist() == [2, 0, 2, 1]
    assert target.classes.tolist() == [-1, 0, 5]


def test_booleans_are_classes():
    target = make_target([True, False, True], 3)
    assert target.classes.tolist() == [False, True]
    assert target.codes.tolist() == [1, 0, 1]
    assert make_target([True, False], 2, kind="numeric").values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize(
    ("n", "n_distinct", "kind"),
    [(32, 32, "classes"), (33, 33, "numeric"), (330, 33, "classes"), (329, 33, "numeric")],
)
def test_whole_numbers(dtype, n, n_distinct, kind):
    y = (np.arange(n) % n_distinct).astype(dtype)
    assert make_target(y, n).kind == kind
    assert make_target(y, n, kind="classes").classes.size == n_distinct
    np.testing.assert_array_equal(make_target(y, n, kind="numeric").values, y)


def test_fractions_are_numeric():
    target = make_target(np.array([0.5, 1, 2], dtype=np.float32), 3)
    assert target.kind == "numeric"
    assert target.values.dtype == np.float64
    assert target.values.tolist() == [0.5, 1.0, 2.0]
    assert target.codes is None
    assert target.classes is None


def test_fractions_cannot_be_classes():
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.*bin y"):
        make_target([0.5, 1, 2], 3, kind="classes")


@pytest.mark.parametrize("y", [["a", "b"], pd.Categorical([1, 2])])
def test_text_cannot_be_numeric(y):
    with pytest.raises(ValueError, match="text target cannot be used with a continuous measure"):
        make_target(y, 2, kind="numeric")


@pytest.mark.parametrize("y", [[1, 2], ["a", "b"]])
def test_unknown_kind(y):
    with pytest.raises(ValueError, match="kind must be 'auto', 'classes' or 'numeric'"):
        make_target(y, 2, kind="ordinal")


def test_no_target():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        make_target(None, 3)


def test_length():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        make_target([0, 1], 3)


@pytest.mark.parametrize(
    "y",
    [
        np.array([[0], [1], [0]]),
        pd.DataFrame({"y": [0, 1, 0]}),
        pl.DataFrame({"y": [0, 1, 0]}),
        pa.table({"y": [0, 1, 0]}),
    ],
)
def test_column_vector(y):
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        assert make_target(y, 3).codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("y", [np.zeros((3, 2)), pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}), 7])
def test_several_outputs(y):
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        make_target(y, 3)


@pytest.mark.parametrize(
    "y",
    [
        [0.0, np.nan],
        ["a", None],
        [1, None],
        np.array(["a", np.nan], dtype=object),
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a", None]),
        pd.Categorical(["a", None]),
        pl.Series([1, None]),
        pl.Series(["a", None]),
        np.ma.masked_array([1, 2], mask=[0, 1]),
    ],
)
def test_missing(y):
    with pytest.raises(
        ValueError, match=r"^Input y contains NaN: 1 missing value\(s\). Drop these rows.$"
    ):
        make_target(y, 2)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite(value):
    with pytest.raises(ValueError, match=r"Input y contains infinity \(inf\): 1 infinite"):
        make_target([0.5, value], 2)


@pytest.mark.parametrize(
    "y",
    [
        [1, "a"],
        np.array(["a", 1.5], dtype=object),
        pd.Categorical(["a", 1]),
        pd.Series(pd.Categorical(["a", 1])),
    ],
)
def test_mixed(y):
    with pytest.raises(ValueError, match="the target y mixes values of the types"):
        make_target(y, 2)


def test_other_bad_targets():
    with pytest.raises(ValueError, match="Complex data not supported"):
        make_target([1j, 2], 2)
    with pytest.raises(ValueError, match="the target y holds dates or durations"):
        make_target(np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), 2)
    with pytest.raises(TypeError, match=r"y is sparse.*toarray"):
        make_target(scipy.sparse.csr_array(np.eye(2)), 2)


@pytest.mark.parametrize("y", [["a", "a"], [1, 1], [0.5, 0.5]])
def test_constant(y):
    with pytest.warns(UserWarning, match="y is constant.*every column has relevance 0"):
        assert make_target(y, 2).constant
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make_target(y, 2, warn_constant=False).constant


@pytest.mark.parametrize("dtype", [*INTEGERS, np.dtype(">i4")], ids=str)
@given(data=st.data())
def test_distinct_values_as_numpy_finds_them(dtype, data):
    info = np.iinfo(dtype)
    centre = data.draw(st.sampled_from([info.min, 0, 5, info.max]))
    width = data.draw(st.sampled_from([0, 3, 300, 70_000, 2**70]))
    whole = st.integers(max(info.min, centre - width), min(info.max, centre + width))
    values = np.array(data.draw(st.lists(whole, min_size=1, max_size=20)), dtype=dtype)
    for each in (values, np.repeat(values, 2)[::2]):  # also where they do not lie side by side
        classes, codes = distinct(each)
        expected, places = np.unique(each, return_inverse=True)
        assert classes.dtype == expected.dtype
        assert classes.tolist() == expected.tolist()
        assert codes.dtype == np.int32
        assert codes.tolist() == places.tolist()

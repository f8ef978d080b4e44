"""Names and types of the columns of data frames."""

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ensfs.data import schema
from ensfs.data.columns import read_columns
from ensfs.data.schema import column_names, read_schema, take_columns

WIDE = {f"x{j}": [j + 0.25, 1.0, 2.0] for j in range(300)} | {
    "city": ["rome", "oslo", "bonn"],
    "count": [1, 2, 3],
    "flag": [True, False, True],
}
FRAMES = {
    "pandas": pd.DataFrame,
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param](WIDE)


def test_the_types_are_those_of_narwhals(frame):
    found = read_schema(frame)
    expected = list(nw.from_native(frame).schema.values())
    assert [found.types[code] for code in found.which] == expected
    assert len(found.types) == len(set(expected))
    np.testing.assert_array_equal(
        found.mask(lambda dtype: dtype.is_integer()), [each.is_integer() for each in expected]
    )


def test_each_type_is_looked_up_once(frame, monkeypatch):
    looked_up = []
    column_of = schema.column_of
    monkeypatch.setattr(schema, "column_of", lambda X, j: looked_up.append(j) or column_of(X, j))
    n_types = len(read_schema(frame).types)
    assert n_types <= 5
    objects = [t for t in getattr(frame, "dtypes", []) if t is np.dtype(object)]  # before pandas 3
    assert len(looked_up) == n_types + len(objects)


def test_types_of_objects_are_looked_up_in_every_column():
    X = pd.DataFrame({"a": pd.Series(["x"], dtype=object), "b": pd.Series([1], dtype=object)})
    found = read_schema(X)
    assert [found.types[code] for code in found.which] == [nw.String, nw.Object]


def test_columns_of_one_type_are_one_block(frame):
    blocks = read_columns(frame).blocks
    assert [block.columns.size for block in blocks[:-1]] == [300, 1, 1]
    np.testing.assert_array_equal(blocks[0].values[0], np.arange(300) + 0.25)


def test_a_pandas_frame_of_one_type_is_not_copied():
    values = np.random.default_rng(0).normal(size=(4, 50))
    X = pd.DataFrame(values, columns=[f"x{j}" for j in range(50)])
    assert np.shares_memory(read_columns(X).blocks[0].values, X.to_numpy())


def test_pyarrow_tables_in_chunks():
    whole = pa.table({f"x{j}": np.arange(6.0) + j for j in range(3)})
    chunked = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 3), whole.slice(4)])
    assert chunked.column(0).num_chunks == 3
    for X in (whole, chunked):
        np.testing.assert_array_equal(
            read_columns(X).blocks[0].values, np.arange(6.0)[:, None] + np.arange(3)
        )


def test_names_and_columns_in_any_order(frame):
    part = take_columns(frame, np.array([301, 2, 0]))
    assert column_names(part) == ["count", "x2", "x0"]
    assert column_names(frame) == list(WIDE)

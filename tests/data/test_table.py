"""What tables of every kind become, and what bad input gets."""

import datetime
import decimal
import fractions
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs.data.table import make_table
from ensfs.data.target import make_target
from ensfs.data.values import differences

MIXED = {
    "age": [41, 23, 35, 23],
    "income": [1.5, 2.25, -3.0, 0.0],
    "member": [True, False, True, True],
    "city": ["rome", "oslo", "rome", "bonn"],
}


def pandas_object_frame(data):
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in data.items()})


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas-arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "pandas-object": pandas_object_frame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def halves(values, columns):
    """A discretizer for tests: below or above the mean."""
    means = values.mean(axis=0)
    return (values > means).astype(np.int64), [np.array([mean]) for mean in means]


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


# ---------------------------------------------------------------------- numbers


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_float_array_is_not_copied(dtype, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(5, 3)), dtype=dtype, order=order)
    table = make_table(X)
    assert table.continuous() is X
    assert (table.n_rows, table.n_features, table.names) == (5, 3, None)
    assert not table.discrete.any()


def test_strides_are_kept():
    X = np.arange(24.0).reshape(4, 6)[::-1, ::2]
    assert make_table(X).continuous() is X


@pytest.mark.parametrize(
    ("dtype", "result"),
    [
        (np.float16, np.float32),
        (np.longdouble, np.float64),
        (">f8", np.float64),
        (">f4", np.float32),
        (np.int8, np.float64),
        (np.uint64, np.float64),
        (">i4", np.float64),
        (bool, np.float64),
        (object, np.float64),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_numbers_are_converted(dtype, result, order):
    X = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype, order=order)
    values = make_table(X).continuous()
    assert values.dtype == result
    assert values.dtype.isnative
    np.testing.assert_array_equal(values, [[1, 0], [0, 1], [1, 1]])


def test_unaligned_numbers():
    raw = np.zeros(4, dtype=[("pad", "i1"), ("x", "f8", (3,)), ("k", "i4", (2,))])
    raw["x"] = np.arange(12).reshape(4, 3) / 2
    raw["k"] = [[0, 1], [1, 1], [2, 1], [0, 1]]
    np.testing.assert_array_equal(make_table(raw["x"]).continuous(), raw["x"])
    assert make_table(raw["k"]).codes().n_levels.tolist() == [3, 1]


def test_lists_and_array_likes():
    assert make_table([[1.5, 2], [3, 4]]).continuous().tolist() == [[1.5, 2.0], [3.0, 4.0]]
    assert make_table([[1, "a"], [2, "b"]]).discrete.tolist() == [True, True]
    assert make_table([[1.5, "a"], [2.5, "b"]]).discrete.tolist() == [False, True]


def test_frames_of_numbers(frame):
    data = {name: MIXED[name] for name in ("age", "income", "member")}
    values = make_table(frame(data)).continuous()
    assert values.dtype == np.float64
    np.testing.assert_array_equal(values, np.column_stack(list(data.values())).astype(float))


def test_a_float32_frame_stays_float32():
    X = pd.DataFrame(np.ones((3, 2), dtype=np.float32), columns=["a", "b"])
    assert make_table(X).continuous().dtype == np.float32


def test_text_cannot_be_continuous(frame):
    with pytest.raises(ValueError, match=r"column 'city' holds text.*mutual information.*drop"):
        make_table(frame(MIXED)).continuous()


# ---------------------------------------------------------------------- kinds and codes


def test_all_libraries_give_the_same_table(frame):
    table = make_table(frame(MIXED))
    assert table.names.tolist() == list(MIXED)
    assert table.names.dtype == object
    assert table.discrete.tolist() == [True, False, True, True]
    codes = table.codes(halves)
    assert codes.codes.flags.f_contiguous
    assert codes.codes.dtype == np.uint8
    assert codes.codes.T.tolist() == [[2, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 1], [2, 1, 2, 0]]
    assert codes.n_levels.tolist() == [3, 2, 2, 3]
    assert codes.n_levels.dtype == np.int32
    assert [levels.tolist() for levels in codes.levels] == [
        [23, 35, 41],
        [0, 1],
        [False, True],
        ["bonn", "oslo", "rome"],
    ]
    assert list(codes.cut_points) == [1]
    np.testing.assert_allclose(codes.cut_points[1], [0.1875])


CATEGORIES = {
    "pandas": pd.DataFrame({"c": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"])}),
    "polars-categorical": pl.DataFrame({"c": pl.Series(["b", "a", "b"], dtype=pl.Categorical)}),
    "polars-enum": pl.DataFrame({"c": pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"]))}),
    "pyarrow": pa.table({"c": pa.array(["b", "a", "b"]).dictionary_encode()}),
}


@pytest.mark.parametrize("X", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_are_coded_in_sorted_order(X):
    codes = make_table(X).codes()
    assert codes.codes[:, 0].tolist() == [1, 0, 1]
    assert codes.levels[0].tolist() == ["a", "b"]


def test_categories_of_numbers_are_discrete_whatever_their_number():
    X = pd.DataFrame({"c": pd.Categorical([*range(100, 0, -1), 1])})
    table = make_table(X)
    assert table.discrete.tolist() == [True]
    assert table.codes().codes[:, 0].tolist() == [*range(99, -1, -1), 0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64])
def test_integers_with_many_values_are_continuous(dtype):
    X = np.stack([np.arange(66) % 5, np.arange(66) % 6], axis=1).astype(dtype)
    assert make_table(X).discrete.tolist() == [True, False]
    X = X.astype(np.int64) * 1000  # beyond the window of the kernel
    assert make_table(X).discrete.tolist() == [True, False]


def test_whole_floats_are_discrete_only_on_demand():
    rows = np.arange(66)
    X = np.stack([rows % 5, rows % 6, rows % 3 + 0.5, rows % 2 * 1e6, rows % 3 - 1], axis=1)
    assert not make_table(X).discrete.any()
    table = make_table(X, integral_is_discrete=True)
    assert table.discrete.tolist() == [True, False, False, True, True]
    codes = table.codes(halves)
    assert codes.levels[3].tolist() == [0.0, 1e6]
    assert codes.levels[4].tolist() == [-1.0, 0.0, 1.0]
    assert codes.levels[4].dtype == np.float64
    assert codes.codes[:3, 4].tolist() == [0, 1, 2]


def test_a_missing_value_does_not_make_a_float_column_discrete():
    X = np.array([[0.0, 1.0], [np.nan, 0.0]])
    assert make_table(X, integral_is_discrete=True).discrete.tolist() == [False, True]


@pytest.mark.parametrize("which", [[False, True, False], [1], np.array([1]), [-2], ("b",), ["b"]])
def test_discrete_features(which):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 3)), columns=["a", "b", "c"])
    table = make_table(X, discrete_features=which)
    assert table.discrete.tolist() == [False, True, False]
    codes = table.codes(halves)
    assert codes.n_levels.tolist() == [2, 6, 2]
    assert codes.levels[1].tolist() == sorted(X["b"])
    assert sorted(codes.cut_points) == [0, 2]


def test_no_discrete_features():
    assert not make_table([[1, 2], [3, 4]], discrete_features=[]).discrete.any()
    assert make_table([[1, 2], [3, 4]], discrete_features=True).discrete.all()


@pytest.mark.parametrize(
    ("which", "message"),
    [
        (["b", "x", "y"], r"does not have: \['x', 'y'\]"),
        ([True, False], r"mask of length 2.*3 columns"),
        ([0, 3], r"columns \[3\].*3 columns"),
        ("b", r"must be 'auto', a bool, a mask, indices or names; got 'b'"),
        ([0.5], r"must be 'auto', a bool, a mask, indices or names"),
        ([[0]], r"one-dimensional"),
    ],
)
def test_bad_discrete_features(which, message):
    X = pd.DataFrame(np.zeros((2, 3)), columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=message):
        make_table(X, discrete_features=which)


def test_names_need_a_named_table():
    with pytest.raises(ValueError, match="no column names; use indices"):
        make_table(np.zeros((2, 2)), discrete_features=["a"])


def test_continuous_columns_need_a_discretizer():
    with pytest.raises(ValueError, match=r"column 1 is continuous.*Discretize.*discrete_features"):
        make_table([[1, 0.5], [2, 1.5]], discrete_features=[0]).codes()


@pytest.mark.parametrize(("n_levels", "dtype"), [(256, np.uint8), (257, np.uint16)])
def test_the_type_of_the_codes(n_levels, dtype):
    X = np.stack([np.arange(n_levels) * 7, np.arange(n_levels) % 2], axis=1)
    codes = make_table(X, discrete_features=True).codes()
    assert codes.codes.dtype == dtype
    assert codes.n_levels.tolist() == [n_levels, 2]
    assert codes.codes[:, 0].tolist() == list(range(n_levels))
    assert codes.levels[0].tolist() == X[:, 0].tolist()


def test_too_many_levels():
    X = pd.DataFrame({"a": [0, 1] * 32769, "id": np.arange(65538)})
    with pytest.raises(ValueError, match=r"column 'id' has 65538 distinct values; at most 65536"):
        make_table(X, discrete_features=True).codes()
    X = X.assign(id=np.minimum(X["id"], 65536).astype(str))
    with pytest.raises(ValueError, match=r"column 'id' has 65537 distinct values.*identifier"):
        make_table(X).codes()


def test_empty_bins_leave_no_gap():
    X = np.array([[0.0], [1.0], [2.0]])
    codes = make_table(X).codes(lambda *_: (np.array([[0], [5], [5]]), [np.arange(5.0)]))
    assert codes.codes[:, 0].tolist() == [0, 1, 1]
    assert codes.n_levels.tolist() == [2]


def test_the_discretizer_gets_all_continuous_columns_together():
    seen = []

    def discretize(values, columns):
        seen.append(values.copy())
        assert columns.tolist() == [0, 2, 3]
        return halves(values, columns)

    X = pd.DataFrame({"a": [0.5, 1.5], "s": ["x", "x"], "b": [3.0, 4.0], "i": [5, 6]})
    make_table(X, discrete_features=[]).codes(discretize)
    assert len(seen) == 1
    np.testing.assert_array_equal(seen[0], [[0.5, 3.0, 5.0], [1.5, 4.0, 6.0]])


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), p=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_codes_depend_on_the_values_only(seed, n, p):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, p))
    expected = [np.unique(column, return_inverse=True)[1].tolist() for column in X.T]
    names = [f"x{j}" for j in range(p)]
    text = np.array(["abcdefg"[v + 3] for v in X.ravel()]).reshape(X.shape)
    for same in (X, X.astype(object), X.tolist(), X * 1000):
        assert make_table(same).codes().codes.T.tolist() == expected
    for same in (text, text.astype(object), text.astype(np.dtypes.StringDType())):
        table = make_table(same, discrete_features=True)  # no column is an identifier
        assert table.codes().codes.T.tolist() == expected
    whole = make_table(X.astype(float), integral_is_discrete=True)
    assert whole.codes().codes.T.tolist() == expected
    frame = make_table(pd.DataFrame(text, columns=names), discrete_features=names)
    assert frame.codes().codes.T.tolist() == expected
    assert make_table(pl.DataFrame(X, schema=names)).codes().codes.T.tolist() == expected


def test_levels_are_found_later_even_if_the_array_has_changed():
    X = np.array([[5, 1], [7, 1], [5, 2]])
    codes = make_table(X).codes()
    X[:] = 0
    assert [levels.tolist() for levels in codes.levels] == [[5, 7], [1, 2]]


# ---------------------------------------------------------------------- identifiers

ID = [f"p{i}" for i in range(6)]


@pytest.mark.parametrize(
    "make",
    [lambda v: v, lambda v: np.array(v, dtype=object), pd.Categorical],
    ids=["text", "objects", "categories"],
)
def test_text_with_another_value_in_each_row_counts_as_constant(make):
    X = pd.DataFrame({"a": [0, 1] * 3, "id": make(ID), "city": list("uvuvuw")})
    message = (
        "column 'id' of text or categories has another value in each row, as an identifier has."
    )
    with pytest.warns(UserWarning, match=message):
        codes = make_table(X).codes()
    assert codes.n_levels.tolist() == [2, 1, 3]
    assert codes.levels[1].size == 1
    assert (codes.codes[:, 1] == 0).all()
    with pytest.warns(UserWarning, match=message):
        assert (make_table(X).bins()[:, 1] == 0).all()
    for named in (["a", "id"], [0, 1], True):
        assert make_table(X, discrete_features=named).codes().n_levels[1] == 6
        assert make_table(X, discrete_features=named).bins()[:, 1].tolist() == list(range(6))
    with pytest.warns(UserWarning, match="as an identifier has"):
        assert make_table(X, discrete_features=["a"]).codes().n_levels.tolist() == [2, 1, 3]


def test_several_identifiers_are_counted():
    X = pd.DataFrame({"one": ID, "two": ID[::-1], "city": list("uvuvuw")})
    with pytest.warns(UserWarning, match=r"column 'one' .*, and so have 1 more column"):
        make_table(X).codes()


def test_integers_and_single_rows_are_no_identifiers():
    assert make_table(np.arange(5)[:, None]).codes().n_levels.tolist() == [5]
    assert make_table([["x"]]).codes().n_levels.tolist() == [1]


# ---------------------------------------------------------------------- large integers


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("origin", [2**53, 2**60, 2**62 + 12345])
def test_large_integers_keep_their_digits(dtype, origin):
    offsets = np.array([[7, 0, 3, 1, 8], [1, 2, 3, 4, 5]]).T
    X = (origin + offsets).astype(dtype)
    X[:, 1] = offsets[:, 1]
    table = make_table(X, discrete_features=[])
    assert table.integer_centres == {0: origin + 7}
    np.testing.assert_array_equal(table.centred()[:, 0], offsets[:, 0] - 7)
    np.testing.assert_array_equal(table.centred()[:, 1], offsets[:, 1])
    np.testing.assert_array_equal(table.continuous(), X.astype(np.float64))


def test_differences_of_integers_never_wrap():
    for values in (
        np.array([-(2**63), 2**63 - 1, 0, -1, 5]),
        np.array([0, 2**64 - 1, 2**63, 5], dtype=np.uint64),
    ):
        for centre in values.tolist():
            expected = [float(v - centre) for v in values.tolist()]
            assert differences(values, centre).tolist() == expected


def test_small_integers_are_left_alone():
    X = np.array([[2**53, 1], [-(2**53), 2]])
    table = make_table(X, discrete_features=[])
    assert table.integer_centres == {}
    assert table.centred() is table.continuous()


def test_constants_are_found_with_all_digits():
    X = np.array([[2**60, 2**60], [2**60, 2**60 + 1]])
    assert make_table(X, discrete_features=[]).hold_one_value(np.arange(2)).tolist() == [
        True,
        False,
    ]


# ---------------------------------------------------------------------- missing and infinite


def test_missing_values_in_floats_are_named():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, np.nan, np.nan], "c": [np.inf, 0, 0]})
    table = make_table(X)
    assert np.isnan(table.continuous()[1, 1])  # whoever reads the values finds it
    with pytest.raises(ValueError, match=r"contains NaN: column 'b' has 2 missing.*1 more column"):
        table.check_finite()
    with pytest.raises(
        ValueError, match=r"infinity \(inf\): column 'c' has 1 infinite.*[Rr]eplace"
    ):
        table.check_finite([0, 2])
    table.check_finite([0])
    with pytest.raises(ValueError, match=r"column 'b'.*SimpleImputer"):
        table.codes(halves)
    with pytest.raises(ValueError, match=r"column 'b'"):
        make_table(X, discrete_features=True).codes()


def test_check_finite_passes_finite_values():
    make_table(np.full((3, 2), 1e308)).check_finite()
    make_table(np.ones((3, 2), dtype=int)).check_finite()


MISSING = {
    "pandas text": pd.DataFrame({"a": [1, 2], "b": ["x", None]}),
    "pandas object": pd.DataFrame({"b": pd.Series(["x", np.nan], dtype=object)}),
    "pandas category": pd.DataFrame({"b": pd.Categorical(["x", None])}),
    "polars text": pl.DataFrame({"b": ["x", None]}),
    "pyarrow": pa.table({"a": [1, 2], "b": ["x", None]}),
    "NaT": pd.DataFrame({"b": pd.Series(["x", pd.NaT], dtype=object)}),
}


@pytest.mark.parametrize("X", MISSING.values(), ids=MISSING)
def test_missing_values_elsewhere_are_named(X):
    with pytest.raises(ValueError, match=r"contains NaN: column 'b' has \d missing.*SimpleImputer"):
        make_table(X)


NUMBERS_WITH_NULLS = {
    "pandas Float64": pd.DataFrame({"a": [1.0, 2.0], "b": pd.array([1, None], dtype="Float64")}),
    "pandas Int64": pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="Int64")}),
    "pandas two Int64": pd.DataFrame({"a": [1, 2], "b": [1, None]}, dtype="Int64"),
    "pandas boolean": pd.DataFrame({"a": [1, 2], "b": pd.array([True, None], dtype="boolean")}),
    "pandas arrow": pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="int64[pyarrow]")}),
    "polars": pl.DataFrame({"a": [1.0, 2.0], "b": [1.0, None]}),
    "polars int": pl.DataFrame({"a": [1, 2], "b": [1, None]}),
    "polars bool": pl.DataFrame({"a": [1, 2], "b": [True, None]}),
    "pyarrow": pa.table({"a": [1.0, 2.0], "b": [1.0, None]}),
    "pyarrow int": pa.table({"a": [1, 2], "b": [1, None]}),
    "object": pd.DataFrame({"a": [1.0, 2.0], "b": pd.Series([1.0, None], dtype=object)}),
    "object NA": pd.DataFrame({"a": [1, 2], "b": pd.Series([True, pd.NA], dtype=object)}),
    "pandas sparse": pd.DataFrame({"a": [1, 2], "b": pd.arrays.SparseArray([1.0, np.nan])}),
    "polars decimal": pl.DataFrame({"a": [1, 2], "b": [decimal.Decimal(1), None]}),
    "pyarrow decimal": pa.table({"a": [1, 2], "b": [decimal.Decimal(1), None]}),
}


@pytest.mark.parametrize("X", NUMBERS_WITH_NULLS.values(), ids=NUMBERS_WITH_NULLS)
def test_missing_numbers_become_nan(X):
    table = make_table(X)
    np.testing.assert_array_equal(table.continuous(), [[1.0, 1.0], [2.0, np.nan]])
    with pytest.raises(ValueError, match=r"NaN: column 'b' has 1 missing"):
        table.check_finite()
    with pytest.raises(ValueError, match=r"NaN: column 'b' has 1 missing"):
        table.codes(halves)
    with pytest.raises(ValueError, match=r"NaN: column 'b' has 1 missing"):
        make_table(X, discrete_features=True).codes()


NO_VALUES = {
    "objects": np.array([[None], [None]]),
    "pandas": pd.DataFrame({0: [None, None]}),
    "pandas categories": pd.DataFrame({0: pd.Categorical([None, None])}),
    "polars": pl.DataFrame({"b": [None, None]}),
    "polars text": pl.DataFrame({"b": pl.Series([None, None], dtype=pl.String)}),
    "pyarrow": pa.table({"b": pa.nulls(2)}),
}


@pytest.mark.parametrize("X", NO_VALUES.values(), ids=NO_VALUES)
def test_columns_without_any_value_are_missing_numbers(X):
    table = make_table(X)
    assert np.isnan(table.continuous()).all()
    for discrete in ("auto", True):
        with pytest.raises(ValueError, match=r"NaN: column .* has 2 missing"):
            make_table(X, discrete_features=discrete).codes(halves)


def test_masked_arrays():
    X = np.ma.masked_array(np.ones((3, 2)), mask=[[0, 0], [0, 1], [0, 1]])
    with pytest.raises(ValueError, match=r"NaN: column 1 of the masked array has 2 missing"):
        make_table(X)
    assert make_table(np.ma.masked_array(np.ones((3, 2)))).continuous().shape == (3, 2)


# ---------------------------------------------------------------------- what is no table


@pytest.mark.parametrize("X", [[1, 2, 3], np.arange(3.0), pd.Series([1, 2]), pl.Series([1, 2])])
def test_tables_have_two_dimensions(X):
    with pytest.raises(ValueError, match=r"Expected 2D array[\s\S]*Reshape your data"):
        make_table(X)


def test_three_dimensions():
    with pytest.raises(ValueError, match="Expected 2D array, got 3D"):
        make_table(np.zeros((2, 2, 2)))


@pytest.mark.parametrize("X", [5, "abc", None, {"a": [1, 2]}, iter([[1, 2]])])
def test_no_table_at_all(X):
    with pytest.raises(ValueError, match=rf"got {type(X).__name__} instead\. X must be a table"):
        make_table(X)


@pytest.mark.parametrize("X", [np.empty((0, 3)), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})])
def test_no_rows(X):
    with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=.*a minimum of 1 is required"):
        make_table(X)


@pytest.mark.parametrize("X", [np.empty((3, 0)), pd.DataFrame(index=range(3))])
def test_no_columns(X):
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"):
        make_table(X)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse(kind):
    with pytest.raises(TypeError, match=r"sparse.*X\.toarray\(\)"):
        make_table(kind(np.eye(3)))


def test_lazy_tables():
    with pytest.raises(TypeError, match=r"LazyFrame.*X\.collect\(\)"):
        make_table(pl.LazyFrame({"a": [1, 2]}))


class DaskFrame:
    """The outside of a Dask data frame."""

    columns = pd.Index(["a", "b"])

    def __dask_graph__(self):
        raise AssertionError

    def __array__(self, dtype=None, copy=None):
        return np.eye(2)


def test_dask_frames():
    with pytest.raises(
        TypeError, match=r"Dask DaskFrame, and .* Take a sample, X\.sample\(frac=0.01\)"
    ):
        make_table(DaskFrame())


def test_tables_of_other_libraries():
    other = type("Relation", (), {"columns": ["a"], "__array__": DaskFrame.__array__})()
    with pytest.raises(TypeError, match=r"not supported.*pandas, polars or pyarrow"):
        make_table(other)


@pytest.mark.parametrize(
    "X", [np.eye(2) * 1j, [[1j, 2]], pd.DataFrame({"a": [1j, 2]}), np.array([[1j]], dtype=object)]
)
def test_complex(X):
    with pytest.raises(ValueError, match="Complex data not supported"):
        make_table(X)


def test_ragged_lists():
    with pytest.raises(ValueError, match="rows of the table differ in length"):
        make_table([[1, 2], [3]])


# ---------------------------------------------------------------------- columns that cannot be used

DAY = datetime.date(2020, 1, 1)
DATES = {
    "pandas datetime": pd.DataFrame({"a": [1], "when": pd.to_datetime(["2020-01-01"])}),
    "pandas zone": pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]).tz_localize("UTC")}),
    "pandas duration": pd.DataFrame({"when": pd.to_timedelta(["1 day"])}),
    "pandas period": pd.DataFrame({"when": pd.period_range("2020", periods=1, freq="M")}),
    "pandas date": pd.DataFrame({"when": [DAY]}),
    "polars date": pl.DataFrame({"a": [1], "when": [DAY]}),
    "polars datetime": pl.DataFrame({"when": [datetime.datetime(2020, 1, 1)]}),
    "polars duration": pl.DataFrame({"when": [datetime.timedelta(1)]}),
    "polars time": pl.DataFrame({"when": [datetime.time(1)]}),
    "pyarrow": pa.table({"when": [DAY]}),
}


@pytest.mark.parametrize("X", DATES.values(), ids=DATES)
def test_dates(X):
    with pytest.raises(ValueError, match=r"column 'when' holds dates or durations.*numbers.*drop"):
        make_table(X)


def test_arrays_of_dates():
    with pytest.raises(ValueError, match="column 0 holds dates"):
        make_table(np.array([["2020-01-01"]], dtype="datetime64[D]"))


NESTED = {
    "pandas": pd.DataFrame({"deep": [[1, 2], [3]]}),
    "polars list": pl.DataFrame({"deep": [[1, 2], [3]]}),
    "polars struct": pl.DataFrame({"deep": [{"a": 1}, {"a": 2}]}),
    "pyarrow": pa.table({"deep": [[1, 2], [3]]}),
}


@pytest.mark.parametrize("X", NESTED.values(), ids=NESTED)
def test_nested_columns(X):
    with pytest.raises(ValueError, match=r"column 'deep' holds nested values.*drop"):
        make_table(X)


def test_dictionaries():
    X = np.array([[1.0, 2.0], [3.0, {"foo": "bar"}]], dtype=object)
    with pytest.raises(TypeError, match=r"column 1: argument must be .* string.* number"):
        make_table(X)


@pytest.mark.parametrize(
    ("values", "types"),
    [
        (["a", 1, 2.5], "float, int, str"),
        (["a", True], "bool, str"),
        ([True, 2], "bool, int"),
        (["a", b"a"], "bytes, str"),
        (["a", 1, None], "int, str"),
    ],
)
def test_mixed_columns(values, types):
    X = pd.DataFrame({"m": pd.Series(values, dtype=object)})
    with pytest.raises(ValueError, match=rf"column 'm' mixes values of the types {types}.*text"):
        make_table(X)


def test_mixed_categories():
    X = pd.DataFrame({"m": pd.Categorical(["x", 1, "x"])})
    with pytest.raises(ValueError, match=r"column 'm' mixes values of the types int, str.*text"):
        make_table(X)
    used = X.iloc[[0, 2]]  # the level that is not there does not matter
    assert make_table(used).n_features == 1


def test_unknown_objects():
    with pytest.raises(ValueError, match=r"column 0 holds values of type 'Thing'.*drop"):
        make_table(np.array([[type("Thing", (), {})()]], dtype=object))


def test_decimals_are_numbers():
    values = [decimal.Decimal("1.5"), decimal.Decimal(2)]
    for X in (pl.DataFrame({"a": values}), pd.DataFrame({"a": values}), pa.table({"a": values})):
        assert make_table(X).continuous().tolist() == [[1.5], [2.0]]


def test_signalling_nan_is_missing():
    X = pd.DataFrame({"a": [decimal.Decimal("sNaN"), decimal.Decimal(2)]})
    with pytest.raises(ValueError, match="NaN: column 'a' has 1 missing"):
        make_table(X).check_finite()
    with pytest.raises(ValueError, match="Input y contains NaN: 1 missing"):
        make_target(np.array([decimal.Decimal("sNaN"), decimal.Decimal(2)]), 2)


@pytest.mark.parametrize(
    "huge", [fractions.Fraction(10) ** 400, decimal.Decimal(10) ** 400, 10**400, -(10**400)]
)
def test_numbers_beyond_floats(huge):
    values = np.array([huge, 0.5], dtype=object)
    with pytest.raises(ValueError, match="column 0 holds numbers that are too large for float64"):
        make_table(values[:, None])
    with pytest.raises(ValueError, match="the target y holds numbers that are too large"):
        make_target(values, 2)
    fine = np.array([fractions.Fraction(1, 3), decimal.Decimal("Infinity")], dtype=object)
    assert make_table(fine[:, None]).continuous().tolist() == [[1 / 3], [np.inf]]


TEXT = np.dtypes.StringDType


def test_text_of_any_length():
    """NumPy's StringDType, as a column and as a target, with and without missing values."""
    words = np.array(["rome", "oslo", "rome"], dtype=TEXT())
    assert make_table(words[:, None]).codes().codes[:, 0].tolist() == [1, 0, 1]
    target = make_target(words, 3)
    assert target.classes.tolist() == ["oslo", "rome"]
    assert target.codes.tolist() == [1, 0, 1]
    missing = np.array(["rome", np.nan, "oslo"], dtype=TEXT(na_object=np.nan))
    with pytest.raises(ValueError, match="NaN: column 0 has 1 missing"):
        make_table(missing[:, None])


def test_objects_that_are_whole():
    table = make_table(np.array([[1, 2**63], [2, 5]], dtype=object))
    assert table.discrete.tolist() == [True, True]
    assert table.continuous()[0, 1] == 2.0**63


@pytest.mark.parametrize("values", [[2**64, 5], [2**63, -1], [-(2**63) - 1, 0]])
def test_integers_beyond_64_bits(values):
    wide = str(max(values, key=abs))
    objects = pd.DataFrame({"a": [1, 2], "id": np.array(values, dtype=object)})
    for X in (objects, pl.DataFrame({"a": [1, 2], "id": pl.Series(values, dtype=pl.Int128)})):
        with pytest.raises(ValueError, match=f"'id' holds integers beyond 64 bits, such as {wide}"):
            make_table(X)
    with pytest.raises(ValueError, match="the target y holds integers beyond 64 bits"):
        make_target(pl.Series(values, dtype=pl.Int128), 2)
    with pytest.raises(ValueError, match="the target y holds integers beyond 64 bits"):
        make_target(np.array(values, dtype=object), 2)


@pytest.mark.parametrize("dtype", [pl.Int128, pl.UInt128])
@pytest.mark.parametrize("offset", [0, 2**60, 2**63])
def test_integers_of_128_bits_that_fit_into_64(dtype, offset):
    codes = np.arange(40) % 3
    values = pl.Series([offset + int(code) for code in codes], dtype=dtype)
    table = make_table(pl.DataFrame({"a": np.arange(40) % 2, "c": values}))
    assert table.discrete.tolist() == [True, True]
    np.testing.assert_array_equal(table.codes().codes[:, 1], codes)
    np.testing.assert_array_equal(make_target(values, 40).codes, codes)
    with pytest.raises(ValueError, match=r"column 'c' has 1 missing value"):
        make_table(pl.DataFrame({"c": pl.Series([1, None], dtype=dtype)})).check_finite()


# ---------------------------------------------------------------------- names


def test_labels():
    assert make_table(np.zeros((2, 2))).label(1) == "column 1"
    assert make_table(pd.DataFrame({"age": [1]})).label(0) == "column 'age'"


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(np.zeros((2, 3)), columns=["a", "b", "a"]),
        pa.Table.from_arrays([pa.array([1, 2])] * 3, names=["a", "b", "a"]),
    ],
)
def test_duplicate_names(X):
    with pytest.raises(ValueError, match=r"unique; these occur more than once: \['a'\].*[Rr]ename"):
        make_table(X)


@pytest.mark.parametrize("columns", [[0, 1], [3, 3], [1.5, 2.5], [("a", 1), ("a", 2)]])
def test_names_that_are_no_text_are_ignored(columns):
    X = pd.DataFrame({"p": [1, 2], "q": ["x", "y"]})
    X.columns = pd.Index(columns)
    table = make_table(X)
    assert table.names is None
    assert table.discrete.tolist() == [True, True]


def test_mixed_names():
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        make_table(pd.DataFrame(np.zeros((2, 2)), columns=["a", 1]))


def test_no_data_frame_library_is_imported_for_arrays():
    import subprocess

    code = (
        "import sys; sys.modules.update(dict.fromkeys(['pandas', 'polars', 'pyarrow']));"
        "import numpy as np; from ensfs.data.table import make_table;"
        "make_table(np.eye(3)).continuous(); make_table([[1, 'a']]).codes()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

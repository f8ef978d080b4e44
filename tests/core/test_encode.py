"""The encoder against sorting: any type, layout and span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import encode
from ensfs.data.encode import (
    MAX_DISCRETE_VALUES,
    encode_integers,
    encode_integral_floats,
    few_integral_values,
)

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
LAYOUTS = ["C", "F", "strided", "reversed", "transposed"]


def encode_slow(X):
    """Codes and sorted distinct values of each column."""
    pairs = [np.unique(column, return_inverse=True) for column in X.T]
    return np.stack([codes for _, codes in pairs], axis=1), [levels for levels, _ in pairs]


def lay_out(X, layout):
    """The same values with other strides."""
    n, p = X.shape
    if layout == "C":
        return np.ascontiguousarray(X)
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "strided":
        big = np.zeros((2 * n, 3 * p), dtype=X.dtype)
        big[::2, ::3] = X
        return big[::2, ::3]
    if layout == "reversed":
        return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    big = np.zeros((p, 2 * n), dtype=X.dtype)
    big[:, ::2] = X.T
    return big[:, ::2].T


def assert_coded(coded, X):
    """Every column of ``X`` is coded as sorting does it, or spans more than 256."""
    codes, levels = encode_slow(X)
    for j in range(X.shape[1]):
        if coded.n_levels[j] == 0:
            assert int(levels[j][-1]) - int(levels[j][0]) > 255
            continue
        assert coded.n_levels[j] == levels[j].size
        np.testing.assert_array_equal(coded.codes[:, j], codes[:, j])
        np.testing.assert_array_equal(coded.levels(j), levels[j])
        assert coded.levels(j).dtype == X.dtype


@st.composite
def integer_tables(draw):
    dtype = np.dtype(draw(st.sampled_from(INTEGERS)))
    info = np.iinfo(dtype)
    n, p = draw(st.integers(1, 140)), draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    span = draw(st.sampled_from([1, 2, 3, 5, 17, 64, 65, 255, 256, 257, 1000]))
    span = min(span, int(info.max) - int(info.min) + 1)
    edges = [int(info.min), int(info.max) - span + 1, -3, 0, 100]
    low = draw(st.sampled_from([e for e in edges if info.min <= e <= info.max - span + 1]))
    X = rng.integers(low, low + span - 1, size=(n, p), endpoint=True, dtype=dtype)
    return lay_out(X, draw(st.sampled_from(LAYOUTS)))


@given(integer_tables(), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_integers(X, n_threads):
    assert_coded(encode_integers(X, n_threads), X)


@given(integer_tables(), st.sampled_from(["f4", "f8"]), st.sampled_from(LAYOUTS))
@settings(max_examples=200, deadline=None)
def test_whole_floats(X, dtype, layout):
    X = X.astype(np.int64) if X.dtype.kind == "i" else X
    X = lay_out(np.where(np.abs(X.astype(float)) < 2**20, X, 0).astype(dtype), layout)
    assert_coded(encode_integral_floats(X), X)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("bad", [0.5, -0.25, 1e-30, 5e-324, np.nan, np.inf, -np.inf, 1e30, 1e300])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("row", [0, 3, 99])
def test_floats_that_are_not_whole(dtype, bad, layout, row):
    X = np.tile(np.array([0, 1, 2], dtype=dtype), (100, 1))
    with np.errstate(over="ignore", under="ignore"):
        X[row, 1] = bad
    coded = encode_integral_floats(lay_out(X, layout))
    expected = 2 if dtype == "f4" and bad == 5e-324 else 0  # no such float32: it is 0
    assert coded.n_levels.tolist() == [1, expected, 1]


def test_negative_zero_is_zero():
    coded = encode_integral_floats(np.array([[0.0], [-0.0], [1.0]]))
    assert coded.n_levels[0] == 2
    assert coded.codes[:, 0].tolist() == [0, 0, 1]


def test_floats_beyond_the_exact_range_are_left_to_sorting():
    X = np.array([[2.0**60], [2.0**60 + 1024]])
    assert encode_integral_floats(X).n_levels.tolist() == [0]
    assert few_integral_values(X, np.array([0])).tolist() == [True]


@pytest.mark.parametrize("n_distinct", [1, 255, 256, 257])
@pytest.mark.parametrize("dtype", ["i2", "u2", "i4", "i8", "u8"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_number_of_levels(n_distinct, dtype, layout):
    column = np.random.default_rng(0).permutation(np.repeat(np.arange(n_distinct), 2))
    X = np.stack([column, column[::-1]], axis=1).astype(dtype)
    coded = encode_integers(lay_out(X, layout))
    assert coded.n_levels.tolist() == [n_distinct if n_distinct <= 256 else 0] * 2
    assert_coded(coded, X)


def test_values_at_both_ends_of_the_type_are_not_neighbours():
    info = np.iinfo(np.int64)
    X = np.array([[info.min, info.max], [info.max, info.min], [info.min, info.max]])
    assert encode_integers(X).n_levels.tolist() == [0, 0]
    assert few_integral_values(X, np.array([0, 1])).all()


def test_booleans():
    X = np.array([[True, False, True], [False, False, True]])
    coded = encode_integers(X)
    assert coded.n_levels.tolist() == [2, 1, 1]
    assert coded.levels(0).tolist() == [False, True]
    assert coded.levels(2).tolist() == [True]
    assert coded.levels(0).dtype == bool


@pytest.mark.parametrize("dtype", ["i1", "u1", "?"])
def test_bytes_that_are_codes_are_not_copied(dtype):
    X = np.asfortranarray(np.arange(40).reshape(20, 2) // 2 % 2, dtype=dtype)
    coded = encode_integers(X)
    assert np.shares_memory(coded.codes, X)
    assert not coded.codes.flags.writeable
    assert_coded(coded, X)


@pytest.mark.parametrize("values", [[1, 2], [0, 2], [-1, 0], [-128, 127], list(range(-128, 128))])
def test_bytes_that_are_no_codes_are_copied(values):
    X = np.asfortranarray(np.tile(np.array(values, dtype="i1"), (2, 2)).T)
    X[:2, 0] = values[:2]
    coded = encode_integers(X)
    assert not np.shares_memory(coded.codes, X)
    assert_coded(coded, X)


@pytest.mark.parametrize("n", [1, 7, 8, 31, 32, 63, 64, 65, 97, 200])
@pytest.mark.parametrize("p", [1, 8, 15, 16, 17, 40, 255, 257, 300])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "f4"])
def test_rows_are_turned_over(n, p, dtype):
    X = np.random.default_rng(n * p).integers(0, 7, size=(n, p)).astype(dtype)
    coded = encode_integral_floats(X) if dtype == "f4" else encode_integers(X)
    codes, _ = encode_slow(X)
    np.testing.assert_array_equal(coded.codes, codes)


def test_a_rare_value_outside_the_first_guess_is_found():
    X = np.zeros((1000, 3), dtype=np.int64)
    X[501, 0], X[501, 1], X[501, 2] = 200, -200, 70_000
    coded = encode_integers(X)
    assert coded.n_levels.tolist() == [2, 2, 0]
    assert coded.levels(0).tolist() == [0, 200]
    assert coded.levels(1).tolist() == [-200, 0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_threads_and_panels_do_not_change_the_codes(layout):
    X = np.random.default_rng(1).integers(-5, 6, size=(130, 1500)) * 3
    X[:, 700] *= 1000
    X = lay_out(X, layout)
    one, two = encode_integers(X, 1), encode_integers(X, 2)
    np.testing.assert_array_equal(one.n_levels, two.n_levels)
    coded = one.n_levels > 0
    assert not coded[700]
    np.testing.assert_array_equal(one.codes[:, coded], two.codes[:, coded])
    assert_coded(two, X)


def test_only_the_block_of_columns_is_written():
    X = np.arange(20, dtype=np.uint32).reshape(4, 5)
    codes = np.full((4, 5), 77, dtype=np.uint8, order="F")
    n_levels, seen = np.full(5, -1, dtype=np.int32), np.zeros((5, 4), dtype=np.uint64)
    encode.encode_small(X, np.zeros(5, dtype=np.uint64), 1, 3, codes, n_levels, seen)
    assert n_levels.tolist() == [-1, 4, 4, -1, -1]
    assert (codes[:, [0, 3, 4]] == 77).all()
    assert seen[1, 0] == 1 << 1 | 1 << 6 | 1 << 11 | 1 << 16


@given(integer_tables())
@settings(max_examples=100, deadline=None)
def test_column_ranges(X):
    bits = 8 * X.dtype.itemsize
    sign = 1 << (bits - 1) if X.dtype.kind == "i" else 0
    low, high = np.empty(X.shape[1], np.uint64), np.empty(X.shape[1], np.uint64)
    encode.column_ranges(X.view(f"u{X.dtype.itemsize}"), sign, 0, X.shape[1], low, high)
    assert [int(v) - sign for v in low] == X.min(axis=0).tolist()
    assert [int(v) - sign for v in high] == X.max(axis=0).tolist()


def test_a_read_only_table_is_read():
    X = np.arange(6).reshape(3, 2)
    X.flags.writeable = False
    assert encode_integers(X).n_levels.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("n_distinct", "few"), [(MAX_DISCRETE_VALUES, True), (MAX_DISCRETE_VALUES + 1, False)]
)
def test_few_integral_values(n_distinct, few):
    column = np.repeat(1000 * np.arange(n_distinct), 20)
    X = np.stack([column, column + 0.5], axis=1)
    assert few_integral_values(X, np.array([0, 1])).tolist() == [few, False]

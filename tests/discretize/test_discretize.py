"""The discretizers against plain definitions."""

import re
from decimal import Decimal

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from ensfs import MRMR, RowBlocks
from ensfs.discretize import (
    EqualFrequencyDiscretizer,
    MDLDiscretizer,
    SigmaDiscretizer,
    equal_frequency_codes,
    mdl_codes,
    sigma_codes,
)

DISCRETIZERS = [
    EqualFrequencyDiscretizer(),
    MDLDiscretizer(),
    MDLDiscretizer(better_encoding=True),
    SigmaDiscretizer(),
]
each = pytest.mark.parametrize("discretizer", DISCRETIZERS, ids=str)


@parametrize_with_checks(DISCRETIZERS)
def test_scikit_learn(estimator, check):
    check(estimator)


def table(seed=0, n=60, p=5, n_classes=3, n_values=40, dtype=np.float64):
    """Columns of which the first ones follow the classes; ties, negative numbers."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, size=n)
    X = rng.integers(-n_values, n_values, size=(n, p)).astype(dtype)
    X[:, : p // 2 + 1] += (y * n_values)[:, None]
    return X, y


def plain(discretizer, X, y):
    """The codes by the plain functions."""
    if isinstance(discretizer, SigmaDiscretizer):
        return sigma_codes(X, width=discretizer.width)
    if isinstance(discretizer, EqualFrequencyDiscretizer):
        return equal_frequency_codes(X, discretizer.n_bins)
    return mdl_codes(X, y, int(y.max()) + 1, discretizer.better_encoding)


# --- mean and standard deviation ------------------------------------------------------------------


def sigma_slow(column, width=0.5):
    seen = column[~np.isnan(column)].astype(np.float64)
    if seen.size == 0 or seen.min() == seen.max():
        return np.where(np.isnan(column), 1, 0)
    spread = width * seen.std(ddof=1)
    codes = np.where(
        column > seen.mean() + spread, 2, np.where(column < seen.mean() - spread, 0, 1)
    )
    return np.where(np.isnan(column), 3, codes)


def test_sigma_check_9():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [10.0]])
    discretizer = SigmaDiscretizer().fit(X)
    np.testing.assert_allclose(
        discretizer.cut_points_[0], [4 - 0.5 * 3.5355339059, 4 + 0.5 * 3.5355339059], rtol=1e-10
    )
    assert discretizer.transform(X).ravel().tolist() == [0, 0, 1, 1, 2]


def test_sigma_is_strict_on_both_sides():
    # Mean 0 and sample variance 36 / 9: both cut points, -1 and 1, are values of the column.
    X = np.array([-4.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 4.0])[:, None]
    discretizer = SigmaDiscretizer().fit(X)
    assert discretizer.cut_points_[0].tolist() == [-1.0, 1.0]
    assert discretizer.transform(X).ravel().tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    probe = np.array([np.nextafter(-1.0, -2.0), np.nextafter(1.0, 2.0)])[:, None]
    assert discretizer.transform(probe).ravel().tolist() == [0, 2]


@settings(deadline=None)
@given(
    X=hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        st.tuples(st.integers(1, 30), st.integers(1, 5)),
        elements=st.one_of(st.integers(-3, 3).map(float), st.just(np.nan)),
    )
)
def test_sigma_slow_twin(X):
    codes, cut_points = sigma_codes(X)
    np.testing.assert_array_equal(codes, SigmaDiscretizer().fit_transform(X))
    for column, found, cuts in zip(X.T, codes.T, cut_points, strict=True):
        # Where the mean is no floating-point number, a value on a cut may fall on either side.
        clear = (np.abs(column[:, None] - cuts) > 1e-12).all(axis=1) | np.isnan(column)
        np.testing.assert_array_equal(found[clear], sigma_slow(column)[clear])


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e200, 1e307])
def test_sigma_extreme_values(scale):
    X = np.array([1.0, 2.0, 3.0, 4.0, 10.0])[:, None] * scale
    assert SigmaDiscretizer().fit_transform(X).ravel().tolist() == [0, 0, 1, 1, 2]


# --- equal frequency ------------------------------------------------------------------------------


def test_equal_frequency_check_8():
    X = np.array([1.0, 2, 2, 2, 3, 4, 5, 9])[:, None]
    discretizer = EqualFrequencyDiscretizer(n_bins=4).fit(X)
    assert discretizer.cut_points_[0].tolist() == [2, 2.5, 4.25]
    assert discretizer.bin_codes_[0].tolist() == [0, 0, 1, 2]
    assert discretizer.n_levels_.tolist() == [3]
    assert discretizer.transform(X).ravel().tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    # A new value in the bin (2, 2.5], which was empty, goes to the bin below.
    assert discretizer.transform([[2.2]]).tolist() == [[0]]


@pytest.mark.parametrize("n_bins", [2, 3, 5, 7, 10])
def test_equal_frequency_without_ties(n_bins):
    n = 10 * 3 * 7
    X = np.random.default_rng(n_bins).permutation(n).astype(float)[:, None]
    codes = EqualFrequencyDiscretizer(n_bins).fit_transform(X)
    assert np.bincount(codes.ravel()).tolist() == [n // n_bins] * n_bins


def test_equal_frequency_levels_have_no_gaps():
    X, _ = table(n=40, n_values=6, p=20)
    discretizer = EqualFrequencyDiscretizer(16).fit(X)
    for codes, n_levels in zip(discretizer.transform(X).T, discretizer.n_levels_, strict=True):
        assert np.unique(codes).tolist() == list(range(n_levels))


def test_equal_frequency_many_bins_need_two_bytes():
    X = np.random.default_rng(0).permutation(2000).astype(float)[:, None]
    for n_bins, dtype in [(255, np.uint8), (256, np.uint16), (1000, np.uint16)]:
        codes = EqualFrequencyDiscretizer(n_bins).fit_transform(X)
        assert codes.dtype == dtype
        assert codes.max() == n_bins - 1
    # 255 levels fit one byte even when NaN takes the code 255.
    discretizer = EqualFrequencyDiscretizer(255).fit(X)
    assert discretizer.transform([[np.nan]]).tolist() == [[255]]


# --- minimum description length -------------------------------------------------------------------


@pytest.mark.parametrize("better_encoding", [False, True])
@pytest.mark.parametrize(("n", "cut"), [(8, 4.5), (4, 2.5)])
def test_mdl_check_7(n, cut, better_encoding):
    X = np.arange(1.0, n + 1)[:, None]
    discretizer = MDLDiscretizer(better_encoding).fit(X, np.repeat([0, 1], n // 2))
    assert [c.tolist() for c in discretizer.cut_points_] == [[cut]]
    assert discretizer.transform([[cut], [np.nextafter(cut, 9)]]).ravel().tolist() == [0, 1]


def test_mdl_iris_as_weka():
    X, y = load_iris(return_X_y=True)
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
    for found, cuts in zip(MDLDiscretizer().fit(X, y).cut_points_, expected, strict=True):
        np.testing.assert_allclose(found, cuts, rtol=1e-12)


@pytest.mark.parametrize("better_encoding", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_mdl_slow_twin_on_real_data(load, better_encoding):
    X, y = load(return_X_y=True)
    X = X[:, :8]
    discretizer = MDLDiscretizer(better_encoding).fit(X, y)
    for found, column in zip(discretizer.cut_points_, X.T, strict=True):
        assert found.tolist() == twins.mdl_cuts(column, y.tolist(), better_encoding)


def test_mdl_encodings_differ():
    X, y = load_iris(return_X_y=True)
    n_levels = MDLDiscretizer(better_encoding=True).fit(X, y).n_levels_
    assert n_levels.tolist() == [4, 3, 4, 3]
    assert MDLDiscretizer().fit(X, y).n_levels_.tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize(
    "rename",
    [
        lambda y: np.array(["setosa", "versicolor", "virginica"])[y],
        lambda y: np.array(["b", "c", "a"], dtype=object)[y],
        lambda y: y * 1000.0 - 500,
        lambda y: (y * 7 - 3).astype(np.int8),
        lambda y: y.astype(object),
        lambda y: pytest.importorskip("pandas").Series(list("xyz"))[y].astype("category"),
        lambda y: pytest.importorskip("polars").Series(["xyz"[i] for i in y]),
    ],
)
def test_mdl_classes_of_any_type(rename):
    X, y = load_iris(return_X_y=True)
    discretizer = MDLDiscretizer().fit(X, rename(y))
    assert discretizer.classes_.size == 3
    for found, cuts in zip(
        discretizer.cut_points_, MDLDiscretizer().fit(X, y).cut_points_, strict=True
    ):
        np.testing.assert_array_equal(found, cuts)


def test_mdl_classes_beyond_64_bits():
    y = np.array([-(10**30), 10**30] * 5, dtype=object)
    with pytest.raises(ValueError, match="the target y holds integers beyond 64 bits"):
        MDLDiscretizer().fit(np.arange(10.0)[:, None], y)


def test_mdl_boolean_classes():
    X, y = load_iris(return_X_y=True)
    found = MDLDiscretizer().fit(X, y == 0).cut_points_[2]
    np.testing.assert_allclose(found, [2.45])


def test_mdl_one_class():
    X, _ = table()
    discretizer = MDLDiscretizer().fit(X, np.ones(len(X)))
    assert discretizer.n_levels_.tolist() == [1] * X.shape[1]
    assert not discretizer.transform(X).any()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array(["a", 1, 2.5] * 20, dtype=object), "mixes values"),
        (["a", 1, 2.5] * 20, "mixes values"),
        (np.zeros((60, 2)), "1d array"),
        (np.repeat([0.0, np.nan], 30), "NaN"),
        ([0, None, 1] * 20, "NaN: 20 missing"),
        (["a", None, "b"] * 20, "NaN: 20 missing"),
        (np.ma.masked_array([0, 1] * 30, mask=[0, 1] * 30), "NaN: 30 missing"),
        (np.arange(60).astype("datetime64[D]"), "target y holds dates"),
        (np.zeros(59), "inconsistent numbers of samples"),
        (None, "requires y"),
    ],
)
def test_mdl_bad_target(y, message):
    X, _ = table()
    with pytest.raises(ValueError, match=message):
        MDLDiscretizer().fit(X, y)


@pytest.mark.parametrize("n_bins", [2, 3, 5])
def test_mdl_numeric_target(n_bins):
    """Numbers are cut into bins of equal frequency, weighted ones too, which are the classes."""
    X, y = table(n=90)
    numbers = y + np.random.default_rng(1).normal(size=90)
    weight = np.arange(90) % 4
    for w in (None, weight):
        bins = EqualFrequencyDiscretizer(n_bins).fit(numbers[:, None], sample_weight=w)
        classes = bins.transform(numbers[:, None]).ravel()
        found = MDLDiscretizer(target_bins=n_bins).fit(X, numbers, sample_weight=w)
        expected = MDLDiscretizer().fit(X, classes, sample_weight=w)
        assert [each.tolist() for each in found.cut_points_] == [
            each.tolist() for each in expected.cut_points_
        ]
        assert any(each.size for each in found.cut_points_)
        np.testing.assert_array_equal(found.target_cut_points_, bins.cut_points_[0])
        assert found.classes_.tolist() == list(range(n_bins))
        assert expected.target_cut_points_ is None
    with pytest.raises(ValueError, match=r"numbers with fractions.*Use EqualFrequencyDiscretizer"):
        MDLDiscretizer(target_bins=None).fit(X, numbers)
    with pytest.raises(ValueError, match="target_bins"):
        MDLDiscretizer(target_bins=1).fit(X, numbers)


# --- what all of them do --------------------------------------------------------------------------


@each
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 50),
    p=st.integers(1, 4),
    n_classes=st.sampled_from([2, 3, 30]),
    n_values=st.sampled_from([1, 3, 100]),
    dtype=st.sampled_from([np.float32, np.float64]),
    missing=st.sampled_from([0.0, 0.2]),
)
def test_properties(discretizer, seed, n, p, n_classes, n_values, dtype, missing):
    X, y = table(seed, n, p, n_classes, n_values, dtype)
    rng = np.random.default_rng(seed)
    X[rng.random((n, p)) < missing] = np.nan
    discretizer = clone(discretizer).fit(X, y)
    codes = discretizer.transform(X)

    assert codes.dtype == np.uint8
    assert (codes < discretizer.n_levels_).all()
    assert len(discretizer.cut_points_) == p
    for column, cuts, n_levels in zip(
        X.T, discretizer.cut_points_, discretizer.n_levels_, strict=True
    ):
        assert cuts.dtype == np.float64
        assert (np.diff(cuts) > 0).all()
        assert n_levels <= len(cuts) + 1 + np.isnan(column).any()
    # NaN has a code of its own; codes grow with the values.
    for j in range(p):
        seen = np.isfinite(X[:, j])
        assert not np.isin(codes[~seen, j], codes[seen, j]).any()
        order = np.argsort(X[seen, j])
        assert (np.diff(codes[seen, j][order].astype(int)) >= 0).all()

    # The plain functions, memory orders, row order, duplicated columns, a shift by whole numbers.
    plain_codes, plain_cuts = plain(discretizer, X, y)
    assert plain_codes.flags.f_contiguous
    np.testing.assert_array_equal(codes, plain_codes)
    for a, b in zip(discretizer.cut_points_, plain_cuts, strict=True):
        np.testing.assert_array_equal(a, b)
    for order in "CF":
        again = clone(discretizer).fit_transform(np.array(X, order=order), y)
        np.testing.assert_array_equal(codes, again)
    rows = rng.permutation(n)
    np.testing.assert_array_equal(codes[rows], clone(discretizer).fit_transform(X[rows], y[rows]))
    twice = clone(discretizer).fit_transform(np.hstack([X, X]), y)
    np.testing.assert_array_equal(np.hstack([codes, codes]), twice)
    if not isinstance(discretizer, SigmaDiscretizer):
        # Any increasing map; exact for these small numbers.
        np.testing.assert_array_equal(codes, clone(discretizer).fit_transform(X**3 + 7, y))
        np.testing.assert_array_equal(codes, clone(discretizer).fit_transform(X * 4 - 100, y))


def test_float32_is_not_rounded_further():
    X, y = table(dtype=np.float32)
    for discretizer in DISCRETIZERS:
        single, double = clone(discretizer).fit(X, y), clone(discretizer).fit(X.astype(float), y)
        for a, b in zip(single.cut_points_, double.cut_points_, strict=True):
            np.testing.assert_array_equal(a, b)


@each
def test_sigma_shift_of_a_large_mean(discretizer):
    X, y = table(n=200)
    codes = clone(discretizer).fit_transform(X, y)
    np.testing.assert_array_equal(codes, clone(discretizer).fit_transform(X + 2.0**40, y))


@each
def test_threads_do_not_change_the_result(discretizer):
    X, y = table(n=1000, p=300)
    one = clone(discretizer).set_params(n_jobs=1).fit(X, y)
    codes = one.transform(X)
    for n_jobs in (None, 2, 3, -1):
        other = clone(discretizer).set_params(n_jobs=n_jobs).fit(X, y)
        for a, b in zip(one.cut_points_, other.cut_points_, strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(codes, other.transform(X))


@each
def test_constant_columns(discretizer):
    # 0.1 + 0.1 + ... is not ten times 0.1: equality of the values decides, not their deviation.
    X = np.column_stack([np.full(10, 0.1), np.arange(10.0), np.full(10, np.nan)])
    discretizer = clone(discretizer).fit(X, np.repeat([0, 1], 5))
    codes = discretizer.transform(X)
    assert discretizer.cut_points_[0].size == discretizer.cut_points_[2].size == 0
    assert discretizer.n_levels_[0] == 1
    assert discretizer.n_levels_[2] == 2
    assert (codes[:, 0] == 0).all()
    assert (codes[:, 2] == 1).all()
    assert (
        discretizer.transform([[9.0, 5.0, 1.0], [-9.0, 5.0, 0.0]])[:, [0, 2]].tolist()
        == [[0, 0]] * 2
    )


@each
def test_missing_values(discretizer):
    X, y = table()
    X[::7, 0] = np.nan
    discretizer = clone(discretizer).fit(X, y)
    alone = clone(discretizer).fit(X[~np.isnan(X[:, 0]), :1], y[~np.isnan(X[:, 0])])
    np.testing.assert_array_equal(discretizer.cut_points_[0], alone.cut_points_[0])
    assert discretizer.n_levels_[0] == alone.n_levels_[0] + 1
    # The last code is NaN's where fit saw NaN, and the next one where it did not.
    last = discretizer.transform(np.full((1, X.shape[1]), np.nan))[0]
    assert last[0] == discretizer.n_levels_[0] - 1
    assert last[1:].tolist() == discretizer.n_levels_[1:].tolist()


@each
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_names_the_column(discretizer, value):
    pd = pytest.importorskip("pandas")
    X, y = table()
    good = clone(discretizer).fit(X, y)
    X[3, 0] = np.nan
    X[4, 2] = value
    for call in (lambda: clone(discretizer).fit(X, y), lambda: good.transform(X)):
        with pytest.raises(ValueError, match="infinity in column 2"):
            call()
    with pytest.raises(ValueError, match="infinity in column 'c'"):
        clone(discretizer).fit(pd.DataFrame(X, columns=list("abcde")), y)


@each
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_text_and_dates_name_the_column(discretizer, library):
    frames = pytest.importorskip(library)
    y, size = np.arange(20) % 2, np.arange(20.0)
    good = frames.DataFrame({"size": size, "flag": y == 1})
    assert clone(discretizer).fit(good, y).transform(good).shape == (20, 2)
    with pytest.raises(ValueError, match="column 'kind' holds text"):
        clone(discretizer).fit(frames.DataFrame({"size": size, "kind": ["u", "v"] * 10}), y)
    with pytest.raises(ValueError, match="column 'day' holds dates"):
        clone(discretizer).fit(frames.DataFrame({"day": size.astype("datetime64[us]")}), y)
    with pytest.raises(ValueError, match="column 1 holds text"):
        clone(discretizer).fit(np.array([[1.5, "u"]] * 20, dtype=object), y)


def no_tables(X):
    """What is no table of numbers, by the numbers it is made of."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    n = len(X)
    return {
        "list column": pl.DataFrame({"a": [[1, 2]] * n}),
        "lazy": pl.DataFrame({"a": X[:, 0]}).lazy(),
        "dict": {"a": X[:, 0]},
        "generator": (row for row in X),
        "ragged": [[1.0, 2.0]] * (n - 1) + [[1.0]],
        "records": np.array([(1, 2.0)] * n, dtype=[("a", int), ("b", float)]),
        "duplicate names": pd.DataFrame(X[:, :2], columns=["a", "a"]),
        "mixed names": pd.DataFrame(X[:, :2], columns=["a", 1]),
        "text": "abc",
        "nothing": None,
        "one column": X[:, 0],
        "no rows": X[:0],
        "complex": X + 1j,
        "mixed": np.resize(np.array(["a", 1.5], dtype=object), (n, 1)),
    }


@each
@pytest.mark.parametrize("kind", no_tables(np.ones((60, 5))))
def test_errors_are_those_of_the_selectors(discretizer, kind):
    X, y = table()
    good = clone(discretizer).fit(X, y)
    with pytest.raises((TypeError, ValueError)) as expected:
        MRMR(1).fit(no_tables(X)[kind], y)
    for call in (lambda X: clone(discretizer).fit(X, y), good.transform):
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            call(no_tables(X)[kind])


@each
def test_masked_cells_are_missing(discretizer):
    X, y = table()
    masked = np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool))
    masked[:10, 1] = np.ma.masked
    holes = X.copy()
    holes[:10, 1] = np.nan
    codes = clone(discretizer).fit(masked, y).transform(masked)
    np.testing.assert_array_equal(codes, clone(discretizer).fit(holes, y).transform(holes))


def test_row_blocks_are_no_table():
    X, y = table()
    with pytest.raises(ValueError, match=r"got RowBlocks instead\. X must be a table"):
        SigmaDiscretizer().fit(RowBlocks([(X, y)]))


@each
@pytest.mark.parametrize(
    "digits",
    [
        lambda: [["1"], ["2"], ["3"], ["4"]],
        lambda: np.array([["1"], ["2"], ["3"], ["4"]]),
        lambda: np.array([[b"1"], [b"2"], [b"3"], [b"4"]]),
        lambda: np.array([[b"1"], [b"2"], [b"3"], [b"4"]], dtype=object),
        lambda: pytest.importorskip("pandas").DataFrame({0: list("1234")}, dtype="string"),
        lambda: pytest.importorskip("pandas").DataFrame({0: [1, 2, 3, 4]}, dtype="category"),
    ],
)
def test_digits_in_text_are_no_numbers(discretizer, digits):
    with pytest.raises(ValueError, match="column 0 holds text or categories, and only numbers"):
        clone(discretizer).fit(digits(), [0, 0, 1, 1])
    good = clone(discretizer).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="column 0 holds text or categories, and only numbers"):
        good.transform(digits())


def tables_with_gaps():
    """The column 1, nothing, 3 and a column without any value, by the library they come from."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    gaps, decimals = [1, None, 3] * 10, [Decimal(1), None, Decimal(3)] * 10
    bits = [False, None, True] * 10
    return {
        "objects": np.array([gaps, [None] * 30], dtype=object).T,
        "booleans": np.array([bits, [None] * 30], dtype=object).T,
        "pandas": pd.DataFrame({"a": pd.array(gaps, dtype="Int64"), "b": [None] * 30}),
        "pandas objects": pd.DataFrame({"a": pd.Series([1, pd.NA, 3] * 10), "b": [None] * 30}),
        "pandas sparse": pd.DataFrame({"a": gaps, "b": np.nan}, dtype="Sparse[float]"),
        "polars": pl.DataFrame({"a": gaps, "b": [None] * 30}),
        "polars booleans": pl.DataFrame({"a": bits, "b": pl.Series([None] * 30, dtype=pl.String)}),
        "polars decimals": pl.DataFrame({"a": decimals, "b": [None] * 30}),
        "pyarrow": pa.table({"a": gaps, "b": pa.nulls(30)}),
        "pyarrow decimals": pa.table({"a": decimals, "b": pa.nulls(30)}),
    }


@each
@pytest.mark.parametrize("kind", tables_with_gaps())
def test_missing_values_of_any_library(discretizer, kind):
    X, y = tables_with_gaps()[kind], np.tile([0, 1, 1], 10)
    discretizer = clone(discretizer).fit(X, y)
    assert discretizer.n_levels_[1] == 2
    codes = discretizer.transform(X)
    assert (codes[1::3, 0] == discretizer.n_levels_[0] - 1).all()
    assert (codes[:, 1] == 1).all()
    plain = clone(discretizer).fit(np.array([[1.0, np.nan, 3.0] * 10, [np.nan] * 30]).T, y)
    np.testing.assert_array_equal(discretizer.n_levels_, plain.n_levels_)


def test_integers_of_128_bits():
    """They are read where 64 bits hold them, else the column is named."""
    pl = pytest.importorskip("polars")
    X = pl.DataFrame({"a": [0.5, 1.5], "c": pl.Series([1, 2], dtype=pl.Int128)})
    assert EqualFrequencyDiscretizer(2).fit(X).cut_points_[1].tolist() == [1.5]
    with pytest.raises(ValueError, match="column 'c' holds integers beyond 64 bits"):
        EqualFrequencyDiscretizer().fit(X.with_columns(pl.col("c") * 10**20))


@each
def test_huge_finite_values_are_not_infinite(discretizer):
    X = np.array([-1.7e308, -1.6e308, 1.6e308, 1.7e308, 1.7e308, 1.7e308])[:, None]
    codes = clone(discretizer).fit_transform(X, [0, 0, 1, 1, 1, 1]).ravel()
    assert (codes[:2] < codes[2:].min()).all()


@each
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(discretizer, library):
    frames = pytest.importorskip(library)
    X, y = table()
    names = ["a", "b", "c", "d", "e"]
    frame = frames.DataFrame({name: column for name, column in zip(names, X.T, strict=True)})
    discretizer = clone(discretizer).set_output(transform=library).fit(frame, y)
    codes = discretizer.transform(frame)
    assert isinstance(codes, frames.DataFrame)
    assert list(codes.columns) == names
    assert discretizer.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(codes.to_numpy(), clone(discretizer).fit_transform(X, y))
    for wrong in (names[::-1], ["a", "b"]):
        with pytest.raises(ValueError, match="feature names"):
            discretizer.transform(frame[wrong])
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 5"):
        clone(discretizer).fit(X, y).transform(X[:, :2])


@pytest.mark.parametrize(
    "discretizer",
    [
        SigmaDiscretizer(width=-1),
        EqualFrequencyDiscretizer(n_bins=1),
        EqualFrequencyDiscretizer(n_bins=2.5),
        EqualFrequencyDiscretizer(n_bins=65536),
        MDLDiscretizer(better_encoding="yes"),
    ],
)
def test_bad_parameters(discretizer):
    X, y = table()
    with pytest.raises(ValueError, match="parameter of"):
        discretizer.fit(X, y)


def test_too_many_levels():
    X = np.arange(65536.0)[:, None]
    with pytest.raises(ValueError, match="at most 65535"):
        equal_frequency_codes(X, 65536)

"""Sparse columns have the cut points of dense ones."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sparse_twins import FORMATS, tables, untidy

from ensfs.data.sparse_columns import read_sparse
from ensfs.data.table import make_table
from ensfs.data.target import make_target
from ensfs.discretize import EqualFrequencyDiscretizer, MDLDiscretizer, SigmaDiscretizer
from ensfs.discretize.sparse_cuts import code_cells

DISCRETIZERS = (
    SigmaDiscretizer(), SigmaDiscretizer(width=0.1), EqualFrequencyDiscretizer(),
    EqualFrequencyDiscretizer(2), EqualFrequencyDiscretizer(11), MDLDiscretizer(),
    MDLDiscretizer(better_encoding=True),
)  # fmt: skip


@given(tables(rows=(2, 80)), st.sampled_from(DISCRETIZERS))
@settings(max_examples=150)
def test_cuts_and_codes(table, discretizer):
    X, y = table
    target = make_target(y, len(y), kind="classes", warn_constant=False)
    codes, cuts = discretizer.fit_and_code(make_table(X).continuous(), target)
    columns = read_sparse(scipy.sparse.csr_array(X))
    found, bins = discretizer.sparse_cuts(columns, target, 1)
    assert [each.tolist() for each in found] == [each.tolist() for each in cuts]
    stored = np.zeros(columns.rows.size, dtype=np.uint16)
    zero, all_columns = np.zeros(X.shape[1], dtype=np.int32), np.arange(X.shape[1])
    code_cells(columns, all_columns, found, bins, stored, zero, pairs=discretizer.middle_is_closed)
    for j in range(X.shape[1]):
        whole = np.full(len(X), zero[j])
        whole[columns.column(j)[0]] = stored[columns.starts[j] : columns.starts[j + 1]]
        assert whole.tolist() == codes[:, j].tolist()


def test_large_columns():
    rng = np.random.default_rng(0)
    n = 5000
    y = rng.integers(0, 3, n)
    X = np.where(rng.random((n, 6)) < 0.2, rng.normal(size=(n, 6)) + y[:, None], 0.0)
    X[:, 1] *= 1e160
    X[:, 2] *= 1e-200
    X[:, 3] = np.abs(X[:, 3])
    X[:, 4] = -np.abs(X[:, 4])
    target = make_target(y, n, kind="classes")
    for discretizer in DISCRETIZERS:
        cuts = discretizer.fit_and_code(X, target)[1]
        for n_threads in (1, 4):
            columns = read_sparse(scipy.sparse.csc_array(X))
            found = discretizer.sparse_cuts(columns, target, n_threads)[0]
            assert [each.tolist() for each in found] == [each.tolist() for each in cuts]


def learned(discretizer):
    """Everything that a discretizer has learned, as lists."""
    names = ("cut_points_", "n_levels_", "bin_codes_", "classes_", "target_cut_points_")
    return {
        name: [np.asarray(each).tolist() for each in getattr(discretizer, name)]
        for name in names
        if getattr(discretizer, name, None) is not None
    }


def with_gaps(rng, X, share):
    """A table, a share of whose cells other than 0 are missing; integers become floats."""
    X = X.astype(X.dtype if X.dtype.kind == "f" else np.float64)
    X[(X != 0) & (rng.random(X.shape) < share)] = np.nan
    return X


def stored(X, kind):
    """A dense table whose zeros are not stored."""
    rows, columns = np.nonzero(X)
    parts = (X[rows, columns], (rows, columns))
    return scipy.sparse.coo_array(parts, shape=X.shape).asformat(kind)


@given(
    tables(rows=(2, 50)), st.sampled_from(DISCRETIZERS), st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([None, "whole", "large", "fractions"]), st.sampled_from(FORMATS),
)  # fmt: skip
@settings(max_examples=200)
def test_estimators(table, discretizer, share, weights, kind):
    """What is learned, and codes of old and new rows, with weights and missing cells."""
    X, y = table
    rng = np.random.default_rng(len(X))
    X = with_gaps(rng, X, share) if share else X
    weight = {
        None: None, "whole": rng.integers(0, 4, len(X)), "large": rng.integers(0, 400, len(X)),
        "fractions": rng.integers(1, 9, len(X)) / 4,
    }[weights]  # fmt: skip
    if weight is not None:
        weight[0] = 3
    dense = clone(discretizer).fit(X, y, sample_weight=weight)
    found = clone(discretizer).fit(stored(X, kind), y, sample_weight=weight)
    assert learned(found) == learned(dense)
    for rows in (X, -X[::-1] if X.dtype.kind == "f" else X[::-1]):
        expected, codes = dense.transform(rows), found.transform(stored(rows, kind))
        assert codes.format == (kind if kind in ("csr", "csc") else "csc")
        assert codes.dtype == expected.dtype
        assert codes.toarray().tolist() == expected.tolist()
        assert (codes.data != 0).all()


@pytest.mark.parametrize("discretizer", DISCRETIZERS, ids=str)
@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_untidy_tables_stay_as_they_are(discretizer, kind):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 5)) < 0.4, rng.integers(1, 9, (40, 5)), 0).astype(float)
    y, given = rng.integers(0, 2, 40), untidy(X, kind)
    parts = [given.data.copy(), given.indices.copy(), given.indptr.copy()]
    for make in (getattr(scipy.sparse, f"{kind}_array"), getattr(scipy.sparse, f"{kind}_matrix")):
        table = make(given)
        codes = clone(discretizer).fit_transform(table, y)
        assert isinstance(codes, make)
        np.testing.assert_array_equal(codes.toarray(), clone(discretizer).fit_transform(X, y))
    for before, after in zip(parts, (given.data, given.indices, given.indptr), strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("discretizer", DISCRETIZERS[::3], ids=str)
def test_bad_sparse_tables(discretizer):
    X = scipy.sparse.csr_array(np.eye(6))
    y = [0, 1] * 3
    X.data[3] = np.inf
    with pytest.raises(ValueError, match=r"infinity \(inf\): column 3"):
        clone(discretizer).fit(X, y)
    weight = np.ones(6)
    weight[3] = 0
    fitted = clone(discretizer).fit(X, y, sample_weight=weight)  # that row does not exist
    with pytest.raises(ValueError, match="expecting 6 features"):
        fitted.transform(scipy.sparse.csr_array(np.eye(5)))

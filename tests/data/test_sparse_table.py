"""Sparse tables are read as the dense tables that they stand for."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sparse_twins import FORMATS, dense_table, tables, untidy

from ensfs.data.sparse_columns import read_sparse
from ensfs.data.sparse_table import make_sparse_table
from ensfs.data.table import make_table


def check_columns(columns, X):
    assert columns.n_rows, columns.n_features == X.shape
    for j in range(X.shape[1]):
        rows, values = columns.column(j)
        assert rows.tolist() == np.nonzero(X[:, j])[0].tolist()
        assert values.tolist() == X[rows, j].tolist()
        assert columns.spread(j).tolist() == X[:, j].tolist()


@given(tables(), st.sampled_from(FORMATS), st.sampled_from(["array", "matrix"]))
@settings(max_examples=40)
def test_formats(table, form, container):
    X, _ = table
    if X.shape[1] * X.shape[0] == 0:
        return
    sparse = getattr(scipy.sparse, f"{form}_{container}")(X)
    before = sparse.toarray()
    check_columns(read_sparse(sparse), X)
    np.testing.assert_array_equal(sparse.toarray(), before)


@given(tables(), st.sampled_from(["csr", "csc"]), st.sampled_from([np.int32, np.int64]))
@settings(max_examples=40)
def test_untidy(table, form, index):
    """Duplicates are added up, stored zeros are zeros; the matrix that was given stays as it is."""
    X, _ = table
    if X.dtype.kind == "f":
        X = np.rint(X)  # halves of floats may be rounded
    sparse = untidy(X, form, index)
    data, indices = sparse.data.copy(), sparse.indices.copy()
    check_columns(read_sparse(sparse), sparse.toarray())
    np.testing.assert_array_equal(sparse.toarray(), X)
    np.testing.assert_array_equal(sparse.data, data)
    np.testing.assert_array_equal(sparse.indices, indices)


@given(tables(), st.booleans())
@settings(max_examples=60)
def test_kinds_and_codes(table, integral):
    """Kinds and codes are those of the dense table."""
    X, _ = table
    dense = make_table(X, integral_is_discrete=integral)
    sparse = make_sparse_table(scipy.sparse.csr_array(X), integral_is_discrete=integral)
    assert sparse.discrete.tolist() == dense.discrete.tolist()
    assert sparse.has_same_kinds(integral_is_discrete=integral)
    codes = make_table(X, discrete_features=True).codes()
    coded = sparse.rank_codes(np.arange(X.shape[1]))
    for few in (coded, coded.without_implicit(), coded.take(np.arange(X.shape[1]))):
        assert few.n_levels.tolist() == codes.n_levels.tolist()
        for j in range(X.shape[1]):
            assert few.spread(j).tolist() == codes.codes[:, j].tolist()


def test_many_values():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((500, 3)) < 0.7, rng.normal(size=(500, 3)), 0.0)
    codes = make_table(X, discrete_features=True).codes()
    coded = make_sparse_table(scipy.sparse.csc_array(X)).rank_codes(np.array([0, 2]))
    for j in (0, 2):
        assert coded.n_levels[j] == codes.n_levels[j]
        assert coded.spread(j).tolist() == codes.codes[:, j].tolist()


def test_memory_is_shared():
    X = scipy.sparse.csc_array(dense_table(np.random.default_rng(1), 30, 5))
    X.sort_indices()
    columns = read_sparse(X)
    assert np.shares_memory(columns.values, X.data)
    assert np.shares_memory(columns.rows, X.indices)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(value):
    X = scipy.sparse.csr_array(np.array([[0, 1.0, 0], [2, value, value]]))
    what = "NaN: column 1 has 1 missing" if np.isnan(value) else "infinity.*column 1 has 1 infinite"
    with pytest.raises(ValueError, match=what):
        read_sparse(X)


def test_bad_matrices():
    with pytest.raises(ValueError, match="0 sample"):
        read_sparse(scipy.sparse.csr_array((0, 3)))
    with pytest.raises(ValueError, match="0 feature"):
        read_sparse(scipy.sparse.csr_array((3, 0)))
    with pytest.raises(ValueError, match=r"[Cc]omplex"):
        read_sparse(scipy.sparse.csr_array(np.eye(3) * 1j))
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        read_sparse(scipy.sparse.csr_array(np.array([[2**60, 0], [0, 1]])))
    with pytest.raises(ValueError, match="2D"):
        read_sparse(scipy.sparse.coo_array(np.array([1.0, 0.0, 2.0])))
    broken = scipy.sparse.csc_array(np.eye(3))
    broken.indices = np.array([0, 7, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="broken sparse matrix"):
        read_sparse(broken)


def test_too_many_levels():
    n = 2**16 + 1
    X = scipy.sparse.csc_array(np.arange(1, n + 1, dtype=np.float64)[:, None])
    table = make_sparse_table(X)
    with pytest.raises(ValueError, match="column 0 has 65537 distinct values"):
        table.rank_codes(np.array([0]))
    assert table.n_distinct(np.array([0])).tolist() == [n]

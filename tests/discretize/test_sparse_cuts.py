"""Sparse columns have the cut points of dense ones."""

import numpy as np
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sparse_twins import tables

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

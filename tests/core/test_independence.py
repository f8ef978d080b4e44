"""Counts in strata against counts in dictionaries."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._core import independence
from ensfs.data.target import make_target
from ensfs.independence import CodedRule, CodedTester
from ensfs.independence._counts import CONDITIONAL
from ensfs.statistics import Resampling


def counts_slow(x, y, z):
    """Conditional mutual information in bits, strata, and degrees of freedom that have rows."""
    cells, zx = Counter(zip(z, y, x, strict=True)), Counter(zip(z, x, strict=True))
    zy, strata = Counter(zip(z, y, strict=True)), Counter(z)
    bits = sum(
        c * np.log2(c * strata[k] / (zx[k, i] * zy[k, j])) for (k, j, i), c in cells.items()
    ) / len(x)
    degrees = sum(
        (sum(key[0] == k for key in zx) - 1) * (sum(key[0] == k for key in zy) - 1) for k in strata
    )
    return bits, len(strata), degrees


def random_table(seed, n, p, levels):
    """Codes of p columns and a target that follow each other a little."""
    rng = np.random.default_rng(seed)
    n_levels = rng.integers(1, levels + 1, p + 1)
    table = rng.integers(0, n_levels, (n, p + 1))
    table[:, -1] = np.where(rng.random(n) < 0.5, table[:, 0], table[:, -1])
    table = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T])
    return table


def make_tests(table, fold=None, n_threads=1, work_size=None, dtype=np.uint8, **rule):
    n = len(table)
    parts = Resampling.all_rows(n)
    if fold is not None:
        parts = Resampling.leave_one_out(fold, int(fold.max()) + 1)
    codes = np.asfortranarray(table[:, :-1].astype(dtype))
    target = make_target(table[:, -1], n, kind="classes", warn_constant=False)
    n_levels = (table[:, :-1].max(axis=0) + 1).astype(np.int32)
    tests = CodedTester(codes, n_levels, target, parts, CodedRule(**rule), n_threads)
    if work_size is not None:
        tests._work_size = work_size
        tests._shared.clear()
    return tests


def check_counts(tests, counts, rows_of, triples):
    for i, (x, y, z) in enumerate(triples):
        for t, rows in enumerate(rows_of):
            bits, strata, degrees = counts_slow(
                x[rows].tolist(), y[rows].tolist(), list(map(tuple, z[rows].tolist()))
            )
            value = counts.value[i, t] * tests.rows.unit / np.count_nonzero(rows)
            assert value == pytest.approx(bits, abs=1e-12)
            assert counts.strata[i, t] == strata
            assert counts.degrees[i, t] == degrees


shapes = {
    "seed": st.integers(0, 2**32 - 1), "n": st.integers(3, 200), "p": st.integers(3, 12),
    "levels": st.sampled_from([2, 3, 9]), "n_given": st.integers(0, 2),
    "folds": st.sampled_from([0, 2, 3]), "work_size": st.sampled_from([None, 0, 60]),
    "dtype": st.sampled_from([np.uint8, np.uint16]), "n_threads": st.sampled_from([1, 2]),
}  # fmt: skip


@given(**shapes)
def test_columns_and_pairs(seed, n, p, levels, n_given, folds, work_size, dtype, n_threads):
    """Any path through the kernels: bit planes, rows, folds, and tables that are too large."""
    table = random_table(seed, n, p, levels)
    fold = np.arange(n) % folds if folds else None
    tests = make_tests(table, fold, n_threads, work_size, dtype)
    rows_of = [np.ones(n, dtype=bool)] if fold is None else [fold != t for t in range(folds)]
    given, columns = tuple(range(n_given)), np.arange(n_given, p)
    triples = [(table[:, j], table[:, p], table[:, :n_given]) for j in columns]
    check_counts(tests, tests.count_columns(p, columns, given), rows_of, triples)
    pairs = np.array([[j, p, *given] for j in columns])
    check_counts(tests, tests.count_pairs(pairs), rows_of, triples)
    if fold is not None:
        present = [[np.unique(column[rows]).size for column in table.T] for rows in rows_of]
        np.testing.assert_array_equal(tests.levels, present)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 300), levels=st.integers(1, 3000))
def test_refine_numbers_combinations(seed, n, levels):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, n, n).astype(np.int32)
    column = np.minimum(rng.integers(0, levels, n), 65535).astype(np.uint16)
    size = 1 << max(10, int(2 * n - 1).bit_length())
    out = np.empty(n, dtype=np.int32)
    found = independence.refine(
        label, n, column, levels, np.empty(size, np.int32), np.empty(size, np.int64), out
    )
    seen: dict = {}
    expected = [seen.setdefault(each, len(seen)) for each in zip(label, column, strict=True)]
    assert found == len(seen)
    np.testing.assert_array_equal(out, expected)


def test_bit_planes_are_used_and_give_the_same():
    table = random_table(1, 1000, 30, 2)
    tests = make_tests(table)
    assert tests._label_planes(tests.y.astype(np.int32), 2, 30)[0] is not None
    few, many = (
        tests.count_columns(30, np.arange(5), ()),
        tests.count_columns(30, np.arange(30), ()),
    )
    np.testing.assert_array_equal(many.value[:5], few.value)


def test_shapes_are_checked():
    tests = make_tests(random_table(0, 50, 3, 2))
    label = np.zeros(50, dtype=np.int32)
    out = [np.zeros((3, 1), dtype=np.int64) for _ in range(3)]
    common = (tests.n_levels, None, CONDITIONAL.array, tests.rows.table, tests.resampling.n_rows)
    columns = np.arange(3)
    for wrong in (label[:-1], label):  # labels, and the room for counts
        with pytest.raises(ValueError, match=r"must have|must be"):
            independence.test_columns(
                tests.codes, tests.y, columns, 0, 3, wrong, 1, 2, *common, None, None, None, None,
                np.empty(1, dtype=np.int32), *out,
            )  # fmt: skip
    with pytest.raises(ValueError, match=r"must have|must be"):
        independence.test_pairs(
            tests.codes, tests.y, np.zeros((3, 1), dtype=np.int64), 0, 3, *common,
            None, None, None, None, None, label,
            np.empty(1, dtype=np.int32), *out,
        )  # fmt: skip
    with pytest.raises(ValueError, match=r"must have|must be"):
        independence.refine(
            label, 1, tests.y, 2, np.empty(100, np.int32), np.empty(100, np.int64), label.copy()
        )

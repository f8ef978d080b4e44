"""Counts of blocks on bit planes against counts of one row after the other."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import fold_pairs
from ensfs.scale import block_counts
from ensfs.scale.block_counts import BlockCounts, CodedRows, Counts, Label, Request


def counts_slow(codes, columns, levels, fold, y, weights, tables, margin):
    """Add every cell to the tables, row after row."""
    for i in range(len(codes)):
        times = 1 if weights is None else weights[i]
        margin[fold[i], y[i]] += times
        at = 0
        for j in columns:
            tables[fold[i], y[i], at + codes[i, j]] += times
            at += levels[j]


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 200),
    levels=st.lists(st.integers(1, 12), min_size=1, max_size=6),
    n_folds=st.integers(1, 9),
    n_classes=st.integers(1, 20),
    dtype=st.sampled_from([np.int32, np.int64]),
    weighted=st.booleans(),
    wide=st.booleans(),
    data=st.data(),
)
def test_counts(seed, n, levels, n_folds, n_classes, dtype, weighted, wide, data):
    rng = np.random.default_rng(seed)
    codes = np.asfortranarray(rng.integers(0, levels, (n, len(levels))))
    codes = codes.astype(np.int32 if wide else np.uint8, order="F")
    offset = np.concatenate([[0], np.cumsum(levels)])
    fold = rng.integers(0, n_folds, n).astype(np.int32)
    classes = rng.integers(0, n_classes, (2, n)).astype(np.int32)
    weights = rng.integers(1, 5, n) if weighted else None
    before, sizes = codes.copy(), [*levels, n_classes, n_classes]
    found = BlockCounts(CodedRows(codes, fold, tuple(classes), weights), offset, n_folds)
    found = pickle.loads(pickle.dumps(found))
    dtype = np.int64 if weighted else dtype
    every = np.column_stack([codes, classes[1], classes[0]])  # output -2 comes before -1
    requests, state, expected = [], [], []
    for _ in range(3):
        nodes = data.draw(st.lists(st.integers(-2, len(levels) - 1), max_size=3))
        some = data.draw(
            st.none() | st.lists(st.integers(0, len(levels) - 1), min_size=1).map(np.array)
        )
        of_nodes = tuple(sizes[g] for g in nodes)
        y = np.zeros(n, dtype=np.int64)
        for g, size in zip(nodes, of_nodes, strict=True):
            y = y * size + every[:, g]
        keys: list = [None] * len(nodes)
        label = Label(tuple(nodes), of_nodes, tuple(keys))
        np.testing.assert_array_equal(found.combinations(label), np.unique(y))
        if nodes and data.draw(st.booleans()):  # number those that occur
            keys[-1], y = np.unique(y, return_inverse=True)
            label = label._replace(keys=tuple(keys))
            assert label.n_levels == keys[-1].size
        columns = range(len(levels)) if some is None else some
        width = sum(levels[j] for j in columns)
        start = rng.integers(0, 9, (n_folds, label.n_levels, width)).astype(dtype)
        counts = Counts(start, np.zeros((n_folds, label.n_levels), dtype=np.int64))
        requests.append(Request(label, some))
        state.append(counts)
        expected.append(Counts(start.copy(), counts.margin.copy()))
        counts_slow(codes, columns, levels, fold, y, weights, *expected[-1])
    found.add(requests, state)
    for counts, slow in zip(state, expected, strict=True):
        np.testing.assert_array_equal(counts.tables, slow.tables)
        np.testing.assert_array_equal(counts.margin, slow.margin)
    assert np.array_equal(codes, before)


@pytest.mark.parametrize(
    ("n_folds", "levels", "on_planes"),
    [(1, 8, True), (20, 8, True), (1000, 2, False), (20, 9, False)],
)
def test_planes_are_for_few_levels_and_folds_with_many_rows(n_folds, levels, on_planes):
    n = 4000
    codes = np.zeros((n, 1), dtype=np.uint8, order="F")
    fold = (np.arange(n) % n_folds).astype(np.int32)
    rows = CodedRows(codes, fold, (fold * 0,), None)
    counts = BlockCounts(rows, np.array([0, levels]), n_folds)
    assert counts._few.all() == on_planes
    assert block_counts.MOST_PLANES == 49  # a column of eight levels with another


def test_planes_that_do_not_belong_to_the_tables():
    planes, marked = np.zeros((2, 6), dtype=np.uint64), np.zeros((2, 3), dtype=np.int64)
    fold_pairs.count_planes(planes, marked)
    with pytest.raises(ValueError, match="planes must have a multiple of 4 words; got 6"):
        fold_pairs.count_planes(planes, np.zeros((2, 4), dtype=np.int64))

    def add(places=0, tables=(3, 2, 3), scratch=3, target=1, column=0):
        fold_pairs.add_pairs(
            planes, np.array([0, 2]), marked, np.array([column]), np.array([places]),
            planes[:target], marked[:target],
            np.zeros(3, dtype=np.int64), np.zeros(tables, dtype=np.int32),
            np.zeros((scratch, 3), dtype=np.int64),
        )  # fmt: skip

    add()
    with pytest.raises(ValueError, match="places must be a range"):
        add(places=1)
    for column in (-1, 1):
        with pytest.raises(ValueError, match=r"columns must lie in 0 \.\. 0"):
            add(column=column)
    with pytest.raises(ValueError, match="levels of tables must have 3 entries; got 2"):
        add(target=2)
    with pytest.raises(ValueError, match="scratch must have at least 3"):
        add(scratch=2)
    with pytest.raises(ValueError, match="folds of tables"):
        add(tables=(2, 2, 3))

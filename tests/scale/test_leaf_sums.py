"""Sums of partitions are those of the table, in whatever order they are merged."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from engines import MATRIX, Shuffled, assert_same, cut, table_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from ensfs import MRMR, FastEnsemble, RowBlocks
from ensfs.scale import continuous_blocks, leaf_sums
from ensfs.scale.leaf_sums import LeafSums, LeafTask, Rows
from ensfs.statistics.leaf_products import products_of_rows
from ensfs.statistics.row_tree import add_in_tree

LEAF = 8


class Chain(LeafTask):
    """The sum of the sums of leaves, with the rows that each is made of."""

    name = "chain"

    def sums_of(self, rows):
        """The sums; each leaf is summed row after row."""
        assert rows.start % LEAF == 0
        assert rows.X[:, 0].tolist() == rows.about[0].tolist() == [*range(rows.start, rows.stop)]
        assert rows.about[1] is None
        leaves = [rows.X[at : at + LEAF, 1] for at in range(0, len(rows.X), LEAF)]
        sums = add_in_tree(np.array([sum(leaf.tolist())]) for leaf in leaves)
        return {"sum": sums, "rows": np.array([len(rows.X)])}


def total_slow(values):
    """The sum along the tree, with zeros beyond the last leaf."""
    level = [sum(values[at : at + LEAF].tolist()) for at in range(0, len(values), LEAF)]
    while len(level) > 1:
        level += [0.0] * (len(level) % 2)
        level = [level[i] + level[i + 1] for i in range(0, len(level), 2)]
    return level[0]


@st.composite
def partitions(draw):
    n = draw(st.integers(1, 300))
    kind = draw(st.sampled_from(["any", "tiny", "leaves"]))
    if kind == "tiny":
        sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=9))
        at = np.cumsum(sizes * n)
        return n, [int(i) for i in at if i < n]
    if kind == "leaves":
        return n, [i for i in draw(st.lists(st.integers(0, 40).map(lambda k: 8 * k))) if i < n]
    return n, draw(st.lists(st.integers(0, n), max_size=61))


@given(table=partitions(), seed=st.integers(0, 2**32 - 1))
def test_merged_in_any_order_and_nesting(table, seed):
    n, at = table
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
    X = np.stack([np.arange(n), values], axis=1)
    task, old = Chain(), leaf_sums.LEAF
    leaf_sums.LEAF = LEAF
    leaf_sums.n_leaves = lambda n_rows: -(-n_rows // LEAF)
    try:
        states = []
        bounds = [0, *sorted(at), n]
        for a, b in itertools.pairwise(bounds):
            rows = Rows(a, X[a:b], (np.arange(a, b), None))
            some = task.add(rows, LeafSums(n))
            before = pickle.dumps(some)
            if states and rng.random() < 0.5:  # partitions of a run are added to one state
                state = copy.deepcopy(states[-1])
                task.add(rows, state)
                states[-1] = state
            else:
                states.append(some)
            assert pickle.dumps(some) == before
        while len(states) > 1:
            one, other = (states.pop(rng.integers(len(states))) for _ in range(2))
            before = pickle.dumps(other)
            states.append(task.merge(copy.deepcopy(one), pickle.loads(before)))
            assert pickle.dumps(other) == before
        found = states[0].total()
    finally:
        leaf_sums.LEAF = old
        leaf_sums.n_leaves = row_tree_leaves
    assert found["sum"].tolist() == [total_slow(values)]
    assert found["rows"].tolist() == [n]
    assert not states[0].rows


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40_000))
def test_errors_grow_as_the_tree_does(seed, n):
    """Products with a column of ones, beside exact sums."""
    rng = np.random.default_rng(seed)
    x = 0.1 + rng.random(n) * 10.0 ** rng.integers(-3, 4)
    X = np.stack([np.ones(n), x], axis=1)
    sums = products_of_rows(X, None, None, np.array([0]), np.zeros((1, 32)), 1)
    exact = math.fsum(x)
    assert abs(sums[0, 0, 0, 1] - exact) <= 2 * max(1, math.log2(n)) * np.spacing(exact)


row_tree_leaves = leaf_sums.n_leaves


def test_rows_that_wait_do_not_keep_their_partition():
    X = np.zeros((5000, 2))
    state = LeafSums(10_000)
    state.add(Rows(0, X, (np.arange(5000), None)), Sizes())
    (waiting,) = state.rows[1]
    assert len(waiting.X) == 5000 - 4096
    assert waiting.X.base is None
    assert waiting.about[0].base is None
    assert list(state.nodes) == [(0, 0)]


class Sizes(LeafTask):
    """Numbers of rows."""

    name = "sizes"

    def sums_of(self, rows):
        """Their number."""
        return np.array([len(rows.X)])


# ---------------------------------------- selectors on several leaves

N = 13_000
CUTS = {
    "leaves": [4096, 8192, 12288],
    "near leaves": [4095, 4097, 8191, 8192, 8193],
    "small at an end": [0, 1, 3, 4094, 4095, 4096, 4096, 4099, 12_999],
    "61": sorted(np.random.default_rng(0).integers(0, N, 60).tolist()),
}


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(
    ("target", "name"),
    [("classes", "FCQ"), ("classes", "fast"), ("classes", "inner"), ("values", "quotient")],
)
def test_memory_is_blocks_is_partitions_on_several_leaves(target, name, cuts):
    X, y = table_of("numbers", target, 0, N, 6)
    selector, parts = MATRIX["numbers", target][name], cut(X, y, CUTS[cuts])
    whole = clone(selector).fit(X, y)
    assert_same(whole, clone(selector).fit(Shuffled(parts, 1)))
    assert_same(whole, clone(selector).fit(RowBlocks([each for each in parts if len(each[1])])))


@pytest.mark.parametrize("folds", ["blocks", "interleaved", "apart"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("target", ["classes", "values"])
@pytest.mark.parametrize("single", [False, True])
def test_folds_and_weights_on_several_leaves(folds, weighted, target, single):
    X, y = table_of("numbers", target, 1, N, 5)
    fold = np.sort(np.arange(N) % 6) if folds == "blocks" else np.arange(N) % 6
    if folds == "apart":  # each part is one of two folds
        fold %= 2
        X = X + 1e9 * fold[:, None]
    X = X.astype(np.float32 if single else np.float64)
    weight = np.random.default_rng(2).integers(1, 9, N) / 8 if weighted else None
    selector = FastEnsemble(MRMR(4), folds=fold)
    whole = clone(selector).fit(X, y, sample_weight=weight)
    bounds = [0, 3, 4097, 9000, N]
    parts = [
        (X[a:b], y[a:b], *(() if weight is None else (weight[a:b],)))
        for a, b in itertools.pairwise(bounds)
    ]
    assert_same(whole, clone(selector).fit(Shuffled(parts, 3)))
    assert_same(whole, clone(selector).fit(RowBlocks(parts)))


@pytest.mark.parametrize("most", [0, continuous_blocks.FIRST_ROWS_BYTES])
def test_centres_of_folds_are_read_with_the_others_or_later(most, monkeypatch):
    X, y = table_of("numbers", "classes", 1, 5000, 5)
    fold = np.arange(5000) % 2
    selector, X = FastEnsemble(MRMR(4), folds=fold), X + 1e9 * fold[:, None]
    monkeypatch.setattr(continuous_blocks, "FIRST_ROWS_BYTES", most)
    found = clone(selector).fit(RowBlocks(cut(X, y, [700, 4500])))
    assert_same(clone(selector).fit(X, y), found)
    assert found.n_readings_ == (5 if most else 6)


@settings(max_examples=2)
@given(seed=st.integers(0, 2**32 - 1), threads=st.sampled_from([2, 3]))
def test_threads_and_columns_on_several_leaves(seed, threads):
    X, y = table_of("numbers", "classes", seed, N, 40)
    for selector in (MRMR(5), FastEnsemble(MRMR(5), n_parts=7)):
        whole = clone(selector).fit(X, y)
        assert_same(whole, clone(selector).set_params(n_jobs=threads).fit(X, y))
        assert_same(whole, clone(selector).fit(np.asfortranarray(X.to_numpy()), y))

"""Sums over rows follow one tree: that of a plain twin, in every kernel."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import MRMR
from ensfs._core import continuous
from ensfs._core import panels as panel_kernels
from ensfs.data.target import make_target
from ensfs.statistics import ContinuousSource, Resampling, leaf_products
from ensfs.statistics.continuous_sums import Runs, SumCentres
from ensfs.statistics.row_tree import LEAF, FoldCells, RowsInLanes, rows_by_lane

# ---------------------------------------- slow twins


def tree_slow(leaves):
    """Sums of leaves, two by two; what is not there counts as 0."""
    level = list(leaves)
    while len(level) > 1:
        level += [0.0] * (len(level) % 2)
        level = [level[i] + level[i + 1] for i in range(0, len(level), 2)]
    return level[0]


def sum_slow(values, rows=None):
    """Sum of values along the tree: those of some rows of the table, leaf by leaf."""
    leaves = []
    for start in range(0, len(values), LEAF):
        total = 0.0
        for i in range(start, min(start + LEAF, len(values))):
            if rows is None or rows[i]:
                total += float(values[i])
        leaves.append(total)
    return tree_slow(leaves)


def lanes_slow(values):
    """The same of all rows, which are summed in 32 lanes of each leaf."""
    leaves = []
    for start in range(0, len(values), LEAF):
        lane = [0.0] * 32
        for i, v in enumerate(values[start : start + LEAF]):
            lane[i % 32] += float(v)
        v = [(lane[i] + lane[i + 8]) + (lane[i + 16] + lane[i + 24]) for i in range(8)]
        leaves.append(((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])))
    return tree_slow(leaves)


# ---------------------------------------- tables to try


def folds_of(kind, n, e, rng):
    if kind == "interleaved":
        return (np.arange(n) % e).astype(np.int32)
    fold = rng.integers(0, e, n).astype(np.int32)
    return np.sort(fold) if kind == "blocks" else fold


shapes = st.tuples(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 31, 4095, 4096, 4097, 8192, 9000, 16384, 20481]),
    st.integers(1, 5),
    st.sampled_from(["interleaved", "blocks", "random"]),
    st.sampled_from([np.float32, np.float64]),
)


def make(shape):
    seed, n, e, kind, dtype = shape
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)).astype(dtype), folds_of(kind, n, e, rng), e, rng


# ---------------------------------------- kernels


@settings(max_examples=25)
@given(shape=shapes, weighted=st.booleans(), order=st.sampled_from("CF"))
def test_sums_of_groups(shape, weighted, order):
    X, fold, e, rng = make(shape)
    weight = rng.integers(1, 4, len(X)) / 2 if weighted else None
    y = rng.normal(size=len(X))
    sums = {name: np.zeros((e, 2)) for name in ("s", "q", "xy")}
    runs = Runs.of(fold.astype(np.int64), y, weight)
    SumCentres(np.zeros(2), None, 0).add(np.asarray(X, order=order), runs, 0, 2, sums)
    x = X[:, 1].astype(float)
    wx = x if weight is None else weight * x
    for g in range(e):
        assert sums["s"][g, 1] == sum_slow(wx, fold == g)
        assert sums["q"][g, 1] == sum_slow(wx * x, fold == g)
        assert sums["xy"][g, 1] == sum_slow(wx * y, fold == g)


@settings(max_examples=25)
@given(shape=shapes)
def test_products_in_panels(shape):
    X, fold, e, _ = make(shape)
    shift = np.zeros((1, 32))
    trees = [(*rows_by_lane(len(X)), np.array([0, len(X)]))]
    cells = FoldCells.of(fold, e)
    trees.append((cells.order, cells.tree(), cells.bounds))
    for order, tree, bounds in trees:
        panels = np.empty((1, len(X), 32), dtype=X.dtype)
        panel_kernels.pack_panels(X, order, bounds, shift, 0, 1, panels)
        y = np.zeros((1, len(X), 4))
        panel_kernels.target_rows(panels, shift, bounds, np.array([1, 0]), y[0])
        out = np.empty((1, 4, tree.n_folds, 32))
        panel_kernels.products(panels, shift, y, tree, 0, 1, out)
        products = X[:, 0].astype(float) * X[:, 1].astype(float)
        if order is trees[0][0]:
            assert out[0, 0, 0, 0] == lanes_slow(products)
        else:
            assert out[0, 1, :, 1].tolist() == [sum_slow(products, fold == g) for g in range(e)]
        assert (out[0, 2:] == 0).all()


@settings(max_examples=20)
@given(shape=shapes, apart=st.booleans())
def test_every_row_is_packed_once(shape, apart):
    """In the lanes that a lazy search reads, and in panels, from a centre or one of each fold."""
    X, fold, n_folds, rng = make(shape)
    shift = rng.normal(size=(n_folds, 32)) if apart else rng.normal(size=(1, 32))
    lanes, cells = RowsInLanes(fold, n_folds), FoldCells.of(fold, n_folds)
    exist = lanes.rows >= 0
    assert np.array_equal(np.sort(lanes.rows[exist]), np.arange(len(X)))
    assert np.array_equal(lanes.folds()[exist], fold[lanes.rows[exist]])
    assert lanes.lanes.n_places == lanes.rows.size
    places = lanes.rows.size + 8
    columns, place = np.empty((2, places), dtype=X.dtype), np.empty(2, dtype=np.int32)
    panel_kernels.pack_columns(
        X, 0, 2, shift, columns, place, lanes.rows, lanes.folds() if apart else None
    )
    own = np.broadcast_to(shift, (n_folds, 32))[fold][:, :2]
    D = X.astype(float) - own
    if X.dtype == np.float64:
        assert np.array_equal(columns[:, : lanes.rows.size][:, exist], D[lanes.rows[exist]].T)
    expected = [sum_slow(D[:, 0] * D[:, 1], fold == g) for g in range(n_folds)]
    panels, y = np.empty((1, len(X), 32), dtype=X.dtype), np.zeros((1, len(X), 4))
    panel_kernels.pack_panels(X, cells.order, cells.bounds, shift, 0, 1, panels)
    panel_kernels.target_rows(panels, shift, cells.bounds, np.array([1]), y[0])
    out = np.empty((1, 4, n_folds, 32))
    panel_kernels.products(panels, shift, y, cells.tree(), 0, 1, out)
    assert out[0, 0, :, 0].tolist() == expected


@pytest.mark.parametrize("kind", ["interleaved", "blocks", "random", "apart", "all rows"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [300, 4096, 13000])
def test_searches_find_what_readings_give(kind, dtype, n):
    """Products of pairs that a lazy search reads, and those of whole columns: the same bits."""
    rng = np.random.default_rng(0)
    y, resampling = rng.integers(0, 3, n), Resampling.all_rows(n)
    X = rng.normal(size=(n, 40)) @ rng.normal(size=(40, 40)) + y[:, None]
    if kind != "all rows":
        resampling = Resampling.leave_one_out(folds_of(kind, n, 20, rng), 20)
    if kind == "apart":  # each part is a fold
        resampling = Resampling(resampling.fold, np.eye(20))
        X += 1e6 * rng.normal(size=(20, 40))[resampling.fold]
    target = make_target(y, n)
    source = ContinuousSource(X.astype(dtype), target, resampling, relevance="f_test")
    assert (source.centres is not None) == (kind == "apart")
    p = X.shape[1]
    parts = np.arange(resampling.n_parts)
    read = np.empty((resampling.n_parts, p))
    source.association([(3, parts)], read)
    first = np.full(resampling.n_parts, 3)
    if kind == "all rows":
        with_first = np.empty(p)
        workspace, place = source._packed_workspace(), np.full(p, -1, dtype=np.int32)
        source._pack_and_compare(3, workspace, place, with_first)
        np.testing.assert_array_equal(with_first, read[0])
    else:
        with_first = source._folds_side_by_side(first)[2]
        np.testing.assert_array_equal(with_first, read)


# ---------------------------------------- the tree itself


@given(
    leaves=st.lists(st.integers(0, 200), unique=True, min_size=1, max_size=40).map(sorted),
    seed=st.integers(0, 2**32 - 1),
)
def test_nodes_are_joined_as_in_the_whole_tree(leaves, seed):
    values = np.random.default_rng(seed).normal(size=len(leaves))
    joined = panel_kernels.joins_of(np.array(leaves), np.array([0, len(leaves)]))
    nodes = []
    for value, n in zip(values, joined, strict=True):
        nodes.append(value)
        for _ in range(n):
            right = nodes.pop()
            nodes[-1] += right
    whole = np.zeros(max(leaves) + 1)
    whole[leaves] = values
    assert nodes == [tree_slow(whole)]


@pytest.mark.parametrize("wrong", [[0, 0], [0, 2], [1, 0]])
def test_joins_that_leave_no_single_node(wrong):
    joined = np.array(wrong, dtype=np.uint8)
    with pytest.raises(ValueError, match="joined must leave one node"):
        panel_kernels.RowTree(np.array([0, 2, 4]), np.array([0, 2]), joined)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 200_000), scale=st.integers(0, 12))
def test_errors_grow_with_the_logarithm_of_the_rows(seed, n, scale):
    """A leaf errs by at most half a unit a row, and each level of the tree by as much more."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) * 10.0 ** rng.uniform(-scale, scale, n)
    sums = {name: np.zeros((1, 1)) for name in ("s", "q")}
    runs = Runs.of(np.zeros(n, dtype=np.int64), None)
    SumCentres(np.zeros(1), None, 0).add(x[:, None], runs, 0, 1, sums)
    size = math.fsum(np.abs(x))
    steps = min(n, LEAF) + math.log2(max(n / LEAF, 1)) + 1
    assert abs(sums["s"][0, 0] - math.fsum(x)) <= steps * 2.0**-53 * size


def test_no_rows_make_no_sums():
    assert continuous.leaf_rows == LEAF
    sums = {name: np.zeros((2, 3)) for name in ("s", "q")}
    runs = Runs.of(np.zeros(0, dtype=np.int64), None)
    SumCentres(np.zeros(3), None, 0).add(np.zeros((0, 3)), runs, 0, 3, sums)
    assert (sums["s"] == 0).all()


@settings(max_examples=15)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([1, 33, 4096, 4097, 13000]), st.integers(1, 14),
    st.sampled_from([np.float32, np.float64]), st.sampled_from("CF"), st.integers(1, 3),
)  # fmt: skip
def test_products_of_all_pairs(seed, n, p, dtype, order, n_threads):
    rng = np.random.default_rng(seed)
    X = np.array(rng.normal(size=(n, p)), dtype=dtype, order=order)
    shift = rng.normal(size=p).astype(dtype).astype(np.float64)
    found = leaf_products.products_of_pairs(X, shift, n_threads)
    centred = X.astype(np.float64) - shift
    for f, g in {(0, 0), (0, p - 1), (p // 2, p - 1), (p - 1, p - 1)}:
        assert found[f, g] == lanes_slow(centred[:, f] * centred[:, g])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_search_in_products_of_all_pairs(monkeypatch, order, numeric, weighted):
    """A search that has all products gives what one gives that reads columns, to the last bit."""
    rng = np.random.default_rng(5)
    X = np.array(rng.normal(size=(5000, 30)), order=order)
    X[:, 10:20] += X[:, :10]
    X[:, 7] = 3.0
    y = X[:, 3] + X[:, 12] + rng.normal(size=len(X))
    weight = rng.random(len(X)) if weighted else None

    def found():
        target, scheme = (y, "difference") if numeric else (y > 0, "quotient")
        selector = MRMR(12, scheme=scheme).fit(X, target, sample_weight=weight)
        return [
            selector.ranking_, selector.scores_, selector.redundancy_, selector.n_pairs_read_,
            str(selector.explain()),
        ]  # fmt: skip

    with monkeypatch.context() as patched:
        patched.setattr(leaf_products, "COLUMNS_FOR_EACH", 0)
        expected = found()
    asked = []
    monkeypatch.setattr(leaf_products, "LEAST_BYTES", 0)
    products = leaf_products.products_of_pairs
    monkeypatch.setattr(
        leaf_products, "products_of_pairs", lambda *given: asked.append(1) or products(*given)
    )
    for one, other in zip(found(), expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert asked


def test_all_pairs_only_of_few_columns():
    """Neither of small tables, nor of so many columns that calls would be long."""
    row = np.zeros(1)
    tall = np.broadcast_to(row, (2**22, 100))
    assert leaf_products.worth_all_pairs(tall, 100)
    assert not leaf_products.worth_all_pairs(tall[:1000], 100)
    assert not leaf_products.worth_all_pairs(tall, 10)
    assert not leaf_products.worth_all_pairs(np.broadcast_to(row, (2**22, 1025)), 1025)

"""Kernels that write where data says refuse places outside of their arrays, and name them."""

import numpy as np
import pytest

from ensfs._core import continuous, cuts, discrete, encode, forest, gram, independence
from ensfs._core import panels as panel_kernels
from ensfs.independence._counts import CONDITIONAL

OUTSIDE = [-1, 3, 2**30]


def with_one(value, dtype, n=40, stop=3):
    """Places of which one is the value."""
    places = (np.arange(n) % stop).astype(dtype)
    places[n // 2] = value
    return places


@pytest.mark.parametrize("value", OUTSIDE)
def test_tables_of_row_blocks(value):
    row, codes = (np.arange(40) % 3).astype(np.int32), np.zeros((40, 2), np.int32, order="F")
    tables = np.zeros((3, 3), dtype=np.int32)
    with pytest.raises(ValueError, match=rf"row must lie in 0 \.\. 2; got {value}"):
        discrete.add_tables(codes, with_one(value, np.int32), tables)
    codes[:, 1] = with_one(value, np.int32)
    with pytest.raises(ValueError, match=rf"codes must lie in 0 \.\. 2; got {value}"):
        discrete.add_tables(codes, row, tables)


@pytest.mark.parametrize("value", [-1, 64, 2**40])
def test_positions_of_planes(value):
    codes, planes = np.zeros((40, 1), np.uint8, order="F"), np.zeros((1, 1), dtype=np.uint64)
    start, buffer = np.array([0, 1]), np.zeros(64, dtype=np.uint8)
    with pytest.raises(ValueError, match=rf"position must lie in 0 \.\. 63; got {value}"):
        discrete.make_planes(codes, start, 0, 1, planes, with_one(value, np.int64), buffer)
    with pytest.raises(ValueError, match=r"plane_start must ascend from 0 to at most 1; got 2"):
        discrete.make_planes(codes, np.array([0, 2]), 0, 1, planes)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_codes_beyond_their_levels(dtype):
    codes = np.zeros((40, 2), dtype=dtype, order="F")
    encode.check_codes(codes, np.array([1, 1], dtype=np.int32))
    codes[7, 1] = 255
    with pytest.raises(ValueError, match=r"codes of column 1 must lie in 0 \.\. 254; got 255"):
        encode.check_codes(codes, np.array([1, 255], dtype=np.int32))
    encode.check_codes(codes, np.array([1, 256], dtype=np.int32))
    encode.check_codes(codes[:0], np.array([0, 0], dtype=np.int32))


def test_rooms_of_the_encoder():
    X, base = np.zeros((4, 2), dtype=np.uint8), np.zeros(2, dtype=np.uint64)
    codes, seen = np.zeros((4, 2), np.uint8, order="F"), np.zeros((2, 4), dtype=np.uint64)
    levels = np.zeros(2, dtype=np.int32)
    for arrays, name in (
        ((X[:0], base, codes, levels, seen), "X must have rows"),
        ((X, base[:1], codes, levels, seen), "base and n_levels"),
        ((X, base, codes[:, :1], levels, seen), "codes"),
        ((X, base, codes, levels[:1], seen), "base and n_levels"),
        ((X, base, codes, levels, seen[:1]), "seen"),
    ):
        with pytest.raises(ValueError, match=name):
            encode.encode_small(*arrays[:2], 0, 2, *arrays[2:])
    for values, low, name in ((X[:0], base, "X must have rows"), (X, base[:1], "low and high")):
        with pytest.raises(ValueError, match=name):
            encode.column_ranges(values, 0, 0, 2, low, base)
    X = np.asfortranarray(X)
    for values, stop, each, bits, name in (
        (X[:0], 2, levels, seen, "X must have rows"),
        (X, 3, levels, seen, "columns must be a range"),
        (X, 2, levels[:1], seen, "n_levels must have 2"),
        (X, 2, levels, seen[:1], "seen must have the shape"),
    ):
        with pytest.raises(ValueError, match=name):
            encode.look_at_bytes(values, 0, stop, 256, each, bits)


@pytest.mark.parametrize("value", OUTSIDE)
def test_classes(value):
    y, X = with_one(value, np.int32), np.zeros((40, 1), order="F")
    with pytest.raises(ValueError, match=rf"mdl_cuts: y must lie in 0 \.\. 2; got {value}"):
        cuts.mdl_cuts(
            X, np.arange(40)[:, None].copy(order="F"), y, 3, np.zeros(41), False, np.empty(40),
            np.empty(40, np.int32), np.empty(9, np.int32), np.empty(40, np.uint8), X.copy("F"),
            np.empty(1, np.int64),
        )  # fmt: skip
    with pytest.raises(ValueError, match=rf"classes must lie in 0 \.\. 2; got {value}"):
        grow(y, None)


def grow(classes, y, n_trees=1, nodes=None):
    workspace = forest.TreeWorkspace(
        3, 2, np.empty((2, 40), np.int32), np.empty((5, 40)), np.empty(1, np.int32),
        np.empty(256 * 5 + 12), np.empty(20, np.int64),
    )  # fmt: skip
    table = forest.TreeTable(np.zeros((40, 1), np.uint8, order="F"), None, np.zeros(1, np.uint8))
    forest.grow(
        table, forest.TreeTarget(y, classes, 0 if classes is None else 3),
        np.zeros(n_trees, np.uint64), 1, 2, 1.0, 0, 1, workspace, np.empty((1, 1)),
        None if nodes is None else forest.TreeNodes(*nodes),
    )  # fmt: skip


def test_arrays_of_trees():
    classes, one = with_one(0, np.int32), np.zeros(1, dtype=np.int32)
    for arguments, name in (
        ((classes[:-1], None), "classes must have 40 entries; got 39"),
        ((None, np.zeros(39)), "y must have 40 entries; got 39"),
        ((classes, None, 0), "trees must be a range of 0 .. 0"),
        (
            (classes, None, 1, (one, one[None], np.zeros((1, 1)), np.zeros((1, 1, 1)))),
            "nodes of a tree must have at least 3 entries; got 1",
        ),
    ):
        with pytest.raises(ValueError, match=name):
            grow(*arguments)


@pytest.mark.parametrize("value", OUTSIDE)
def test_labels_and_folds(value):
    wrong, right = with_one(value, np.int32), with_one(0, np.int32)
    column = (np.arange(40) % 3).astype(np.uint8)
    room = np.empty(128, np.int32), np.empty(128, np.int64), np.empty(40, np.int32)
    message = rf"must lie in 0 \.\. 2; got {value}"
    with pytest.raises(ValueError, match=rf"label {message}"):
        independence.refine(wrong, 3, column, 3, *room)
    with pytest.raises(ValueError, match=r"column must lie in 0 \.\. 1; got 2"):
        independence.refine(right, 3, column, 2, *room)
    planes, margins = np.empty((3, 1), np.uint64), np.empty((3, 3), np.int32)
    with pytest.raises(ValueError, match=rf"label {message}"):
        independence.make_label_planes(wrong, None, None, planes, margins)
    with pytest.raises(ValueError, match=rf"fold {message}"):
        independence.make_label_planes(right, None, wrong, planes, margins)
    position = with_one(-1 if value < 0 else 64 + value, np.int64)
    with pytest.raises(ValueError, match=r"position must lie in 0 \.\. 63; got"):
        independence.make_label_planes(right, position, None, planes, margins)
    levels, table = np.full(2, 3, np.int32), np.empty((4, 3), np.int32)
    codes = np.asfortranarray(column[:, None])
    with pytest.raises(ValueError, match=rf"fold {message}"):
        independence.count_levels(
            codes, column, levels, wrong, 0, 2, table, np.empty((3, 2), np.int32)
        )
    with pytest.raises(ValueError, match=r"table must have room for 4 levels"):
        independence.count_levels(
            codes, column, levels + 1, right, 0, 2, table, np.empty((3, 2), np.int32)
        )


@pytest.mark.parametrize("value", OUTSIDE)
def test_counts_in_strata(value):
    column = (np.arange(40) % 3).astype(np.uint8)
    codes, levels = np.asfortranarray(column[:, None]), np.full(2, 3, np.int32)
    wrong, right = with_one(value, np.int32), with_one(0, np.int32)
    sums = np.zeros_like(CONDITIONAL.array), np.zeros(41, np.int64)
    parts, work = np.full(3, 40), np.zeros(10_000, np.int32)
    out = [np.zeros((1, 3), np.int64) for _ in range(3)]
    message = rf"must lie in 0 \.\. 2; got {value}"

    def columns(which=0, label=right, fold=right):
        independence.test_columns(
            codes, column, np.array([which]), 0, 1, label, 1, 3, levels, fold, *sums, parts,
            None, None, None, None, work, *out,
        )  # fmt: skip

    def pairs(which=0, fold=right):
        independence.test_pairs(
            codes, column, np.array([[which, 1]]), 0, 1, levels, fold, *sums, parts,
            None, None, None, None, None, right.copy(), work, *out,
        )  # fmt: skip

    columns()
    pairs()
    with pytest.raises(ValueError, match=rf"label {message}"):
        columns(label=wrong)
    for count in (columns, pairs):
        with pytest.raises(ValueError, match=rf"fold {message}"):
            count(fold=wrong)
        with pytest.raises(ValueError, match=rf"must lie in 0 \.\. 1; got {value}"):
            count(value)


@pytest.mark.parametrize("value", OUTSIDE)
def test_groups_and_folds_of_sums(value):
    X, rows, bounds = np.zeros((40, 3)), np.arange(40), np.array([0, 20, 40])
    sums = np.zeros((3, 3))

    def add(groups, bounds=bounds):
        none = (None, -1, None, None, None, None)
        leaves = np.array([0, len(groups)])
        continuous.add_sums(X, 0, 3, rows, bounds, groups, leaves, X[0], sums, sums.copy(), *none)

    with pytest.raises(ValueError, match=rf"groups must lie in 0 \.\. 2; got {value}"):
        add(np.array([0, value]))
    for wrong in ([0, 20, 41], [-1, 20, 40], [0, 30, 20]):
        with pytest.raises(ValueError, match="bounds of the runs must ascend"):
            add(np.array([0, 1]), np.array(wrong))
        panels, shift = np.zeros((1, 40, 32)), np.zeros((1, 32))
        with pytest.raises(ValueError, match=r"bounds of the folds must ascend"):
            panel_kernels.pack_panels(X, rows, np.array(wrong), shift, 0, 1, panels)
        with pytest.raises(ValueError, match=r"bounds of the folds must ascend"):
            panel_kernels.target_rows(panels, shift, np.array(wrong), rows[:1], np.zeros((40, 4)))
    with pytest.raises(ValueError, match=r"targets must lie in 0 \.\. 31; got"):
        panel_kernels.target_rows(
            panels, shift, bounds, np.array([-1 if value < 0 else 32]), np.zeros((40, 4))
        )


def test_products_of_a_leaf():
    X, shift = np.zeros((40, 3)), np.zeros(3)
    scratch, out = np.empty(gram.scratch_size(3)), np.zeros((6, 6))
    assert gram.columns_with(3) == 6
    gram.products_of_leaf(X, shift, scratch, out)
    for wrong, message in [
        ((np.zeros((4097, 3)), shift, scratch, out), r"rows of X must be a range of 0 \.\. 4096"),
        ((X[:0], shift, scratch, out), "rows of X"),
        ((X, shift[:2], scratch, out), "shift must have at least 3 entries; got 2"),
        ((X, shift, scratch[1:], out), "scratch must have at least"),
        ((X, shift, scratch, np.zeros((3, 3))), r"out must have the shape \(6, 6\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            gram.products_of_leaf(*wrong)

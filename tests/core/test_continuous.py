"""Sums of continuous columns against sums that are exactly rounded."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import continuous, weighted
from ensfs._core import panels as panel_kernels
from ensfs.statistics.continuous_sums import Runs
from ensfs.statistics.fold_centres import in_panels
from ensfs.statistics.row_tree import FoldCells, rows_by_lane

# ---------------------------------------- slow twins


def sum_slow(values):
    return math.fsum(float(v) for v in values)


def fold_sums_slow(columns, fold, n_folds):
    """Sum of every column (a list of lists) in every fold."""
    return np.array(
        [
            [sum_slow(v for v, f in zip(x, fold, strict=True) if f == t) for x in columns]
            for t in range(n_folds)
        ]
    )


def leave_out_slow(folds):
    """Sum over all folds but one, for each fold."""
    return np.array(
        [
            [sum_slow(np.delete(column, t)) for column in np.transpose(folds)]
            for t in range(len(folds))
        ]
    )


def products_slow(X, shift, targets, groups, n_groups):
    """Sums of shifted products with every target in groups of rows; shift (1 or groups, p)."""
    own = np.broadcast_to(shift, (n_groups, shift.shape[1]))
    D = [[float(v) - own[g, j] for v, g in zip(x, groups, strict=True)] for j, x in enumerate(X.T)]
    return np.array(
        [
            fold_sums_slow(
                [[a * b for a, b in zip(d, D[g], strict=True)] for d in D], groups, n_groups
            )
            for g in targets
        ]
    )


def close(actual, expected):
    """The error of a sum is measured against the size of its terms, here about 1."""
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


# ---------------------------------------- tables to try

tables = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.integers(1, 70),
    st.integers(1, 5),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from(["C", "F", "strided", "reversed"]),
)


def layout(X, order):
    if order == "strided":
        wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
        wide[::2, ::3] = X
        return wide[::2, ::3]
    if order == "reversed":
        return np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    return np.asarray(X, order=order)


def make(table):
    seed, n, p, e, dtype, order = table
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) + 3).astype(dtype)
    fold = rng.integers(0, e, n).astype(np.int32)
    shift = np.zeros(-(-p // 32) * 32)
    shift[:p] = X[0]  # a shift is a value of its column
    return layout(X, order), fold, shift, e, rng


# ---------------------------------------- centres


@given(table=tables, m=st.integers(1, 15))
def test_middle_of_rows(table, m):
    X, _, _, _, rng = make(table)
    rows = rng.integers(0, len(X), m)
    out = np.empty(X.shape[1])
    continuous.middle_of_rows(X, rows, out)
    expected = [sorted(x[rows].tolist())[(m - 1) // 2] for x in X.T]
    assert out.tolist() == expected


def test_middle_of_rows_checks_its_shapes():
    X = np.ones((20, 2))
    for rows, width in ((0, 2), (16, 2), (3, 1)):
        with pytest.raises(ValueError, match=r"must have|must be"):
            continuous.middle_of_rows(X, np.zeros(rows, dtype=np.int64), np.empty(width))


# ---------------------------------------- sums


def runs(group):
    """Rows, bounds, groups and leaves of the runs, for `add_sums`."""
    found = Runs.of(group.astype(np.int64), None)
    return found.rows, found.bounds, found.groups, found.leaves


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 9000), n_groups=st.integers(1, 50))
def test_runs_keep_the_order_of_the_rows_of_a_group(seed, n, n_groups):
    group = np.random.default_rng(seed).integers(0, n_groups, n)
    rows, bounds, groups, leaves = runs(group)
    assert bounds[leaves].tolist() == [*range(0, n, 4096), n]
    assert bounds.tolist() == sorted({*bounds.tolist(), 0, n})
    seen = {}
    for a, b, g in zip(bounds[:-1], bounds[1:], groups, strict=True):
        seen.setdefault(int(g), []).extend(rows[a:b].tolist())
    assert seen == {g: np.nonzero(group == g)[0].tolist() for g in seen}
    assert sum(map(len, seen.values())) == n


@settings(max_examples=60)
@given(table=tables, start=st.integers(0, 5))
def test_sums_and_squares_by_fold_and_class(table, start):
    X, fold, shift, e, rng = make(table)
    n, p = X.shape
    start = min(start, p)
    classes = rng.integers(0, 3, n).astype(np.int32)
    class_shift = np.ascontiguousarray(X[rng.integers(0, n, 3)], dtype=np.float64)
    common = int(rng.integers(-1, 3))
    if common >= 0:
        class_shift[common] = shift[:p]
    sums = np.zeros((4, 3 * e, p - start))
    continuous.add_sums(
        X, start, p, *runs(3 * fold + classes), shift[:p], *sums[:2], class_shift, common,
        *sums[2:], None, None,
    )  # fmt: skip
    s, q = sums[:2].reshape(2, e, 3, p - start).sum(axis=2)
    class_s, class_q = sums[2:].reshape(2, e, 3, p - start)
    D = [(X[:, j].astype(float) - shift[j]).tolist() for j in range(start, p)]
    if start < p:
        close(s, fold_sums_slow(D, fold, e))
        close(q, fold_sums_slow([[v * v for v in d] for d in D], fold, e))
        for c in range(3):
            rows = np.nonzero(classes == c)[0]
            D = [(X[rows, j].astype(float) - class_shift[c, j]).tolist() for j in range(start, p)]
            close(class_s[:, c], fold_sums_slow(D, fold[rows], e))
            squares = [[v * v for v in d] for d in D]
            close(class_q[:, c], fold_sums_slow(squares, fold[rows], e))


@settings(max_examples=40)
@given(table=tables)
def test_products_with_a_numeric_target(table):
    X, fold, shift, e, rng = make(table)
    n, p = X.shape
    y = rng.normal(size=n)
    s, q, xy = np.zeros((3, e, p))
    continuous.add_sums(
        X, 0, p, *runs(fold), shift[:p], s, q, None, -1, None, None, y, xy
    )  # fmt: skip
    D = [((x.astype(float) - c) * y).tolist() for x, c in zip(X.T, shift, strict=False)]
    close(xy, fold_sums_slow(D, fold, e))


@settings(max_examples=30)
@given(table=tables, start=st.integers(0, 5))
def test_sums_from_a_centre_of_each_group(table, start):
    X, fold, shift, e, rng = make(table)
    n, p = X.shape
    start = min(start, p)
    centres = X[rng.integers(0, n, e)].astype(np.float64)
    y = rng.normal(size=n)
    s, q, xy = np.zeros((3, e, p - start))
    continuous.add_sums(
        X, start, p, *runs(fold), shift[:p], s, q, None, -1, None, None, y, xy,
        np.ascontiguousarray(centres[:, start:]),
    )  # fmt: skip
    D = (X - centres[fold])[:, start:].astype(float).T.tolist()
    if start < p:
        close(s, fold_sums_slow(D, fold, e))
        close(q, fold_sums_slow([[v * v for v in d] for d in D], fold, e))
        close(xy, fold_sums_slow([(np.array(d) * y).tolist() for d in D], fold, e))


def test_sums_do_not_depend_on_blocks_of_columns():
    rng = np.random.default_rng(0)
    n = 9000
    X, fold = rng.normal(size=(n, 600)), rng.integers(0, 4, n).astype(np.int32)
    shift, y = X[0].copy(), rng.normal(size=n)
    whole = np.zeros((3, 4, 600))
    none = (None, -1, None, None)
    continuous.add_sums(X, 0, 600, *runs(fold), shift, whole[0], whole[1], *none, y, whole[2])
    for order in "CF":
        for c, d in ((0, 7), (7, 300), (300, 600)):
            part = np.zeros((3, 4, d - c))
            continuous.add_sums(
                np.asarray(X, order=order), c, d, *runs(fold), shift, *part[:2], *none, y, part[2]
            )
            np.testing.assert_array_equal(part, whole[:, :, c:d])


def test_sums_check_their_shapes():
    X, rows, group = np.ones((5, 3)), np.arange(6), np.zeros(1, dtype=np.int64)
    leaves = np.array([0, 1])
    good, short, none = np.zeros((1, 3)), np.zeros((1, 2)), (None, -1, None, None, None, None)
    for s, q, n in ((short, good, 5), (good, short, 5), (good, good, 6)):
        bounds = np.array([0, n])
        with pytest.raises(ValueError, match=r"must have|must be"):
            continuous.add_sums(X, 0, 3, rows[:n], bounds, group, leaves, np.zeros(3), s, q, *none)
    for wrong in ([0, 2], [0, 0], [1, 0]):
        with pytest.raises(ValueError, match=r"bounds of the leaves|runs of the leaves"):
            continuous.add_sums(
                X, 0, 3, rows[:5], np.array([0, 5]), group, np.array(wrong), np.zeros(3), good,
                good.copy(), *none,
            )  # fmt: skip


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("name", ["own_s", "own_q", "xy", "centres", "own_shift", "y"])
def test_sums_check_the_arrays_that_not_all_have(name, weights):
    X, rows, group = np.ones((5, 3)), np.arange(5), np.zeros(1, dtype=np.int64)
    arrays = {each: np.zeros((1, 3)) for each in ("own_s", "own_q", "xy", "centres", "own_shift")}
    arrays["y"] = np.ones(5)

    def add(own_shift, own_s, own_q, y, xy, centres):
        first = (X, 0, 3, rows, np.array([0, 5]), group, np.array([0, 1]))
        sums = (np.zeros((1, 3)), np.zeros((1, 3)))
        if weights:
            weighted.add_sums(
                *first, np.ones(5), np.zeros(3), *sums, own_shift, own_s, own_q, y, xy, centres
            )
        else:
            continuous.add_sums(
                *first, np.zeros(3), *sums, own_shift, -1, own_s, own_q, y, xy, centres
            )
        return sums[0]

    assert add(**arrays).tolist() == [[5.0, 5.0, 5.0]]
    arrays[name] = arrays[name][..., :2].copy()
    with pytest.raises(ValueError, match=rf"^(rows of )?{name} must have"):
        add(**arrays)


# ---------------------------------------- all folds but one


@given(
    seed=st.integers(0, 2**32 - 1),
    e=st.integers(1, 12),
    width=st.integers(1, 40),
    outlier=st.booleans(),
)
def test_leave_out(seed, e, width, outlier):
    rng = np.random.default_rng(seed)
    folds = rng.normal(size=(e, width))
    if outlier:
        folds[rng.integers(e)] = 1e20
    out = np.empty((e, width))
    continuous.leave_out(folds, out, np.empty((e + 1) * width))
    expected = leave_out_slow(folds)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


@given(
    seed=st.integers(0, 2**32 - 1),
    e=st.integers(1, 12),
    n_parts=st.integers(1, 9),
    width=st.integers(1, 80),
)
def test_combine_parts(seed, e, n_parts, width):
    """The folds of a part are added in their order, and nothing else is rounded."""
    rng = np.random.default_rng(seed)
    folds = rng.normal(size=(e, width))
    parts = [np.sort(rng.permutation(e)[: rng.integers(1, e + 1)]) for _ in range(n_parts)]
    bounds = np.cumsum([0, *map(len, parts)])
    out = np.full((n_parts, width + 2), 7.0)
    members = np.concatenate(parts).astype(np.int32)
    continuous.combine_parts(folds, members, bounds, out[:, 1:-1])
    for of_part, row in zip(parts, out, strict=True):
        expected = folds[of_part[0]].copy()
        for fold in of_part[1:]:
            expected += folds[fold]
        np.testing.assert_array_equal(row[1:-1], expected)
        assert row[[0, -1]].tolist() == [7.0, 7.0]


@pytest.mark.parametrize(
    ("members", "bounds", "n_parts", "message"),
    [
        ([0, 3], [0, 2], 1, r"members must lie in 0 \.\. 2"),
        ([0, 1], [0, 3], 1, "bounds of the parts must ascend"),
        ([0, 1], [0, 2], 2, "out must"),
        ([0, 1], [0, 2, 2], 2, "folds of a part must have at least 1"),
    ],
)
def test_parts_that_cannot_be_combined(members, bounds, n_parts, message):
    members, bounds = np.array(members, dtype=np.int32), np.array(bounds)
    with pytest.raises(ValueError, match=message):
        continuous.combine_parts(np.ones((3, 4)), members, bounds, np.empty((n_parts, 4)))


def test_leave_out_into_rows_that_are_apart():
    folds, out = np.arange(6.0).reshape(3, 2), np.zeros((3, 5))
    continuous.leave_out(folds, out[:, 1:3], np.empty(8))
    assert out.tolist() == [[0, 6, 8, 0, 0], [0, 4, 6, 0, 0], [0, 2, 4, 0, 0]]
    with pytest.raises(ValueError, match=r"must have|must be"):
        continuous.leave_out(folds, out, np.empty(8))
    with pytest.raises(ValueError, match=r"must have|must be"):
        continuous.leave_out(folds, out[:, 1:3], np.empty(7))


# ---------------------------------------- products with other columns


def packed(X, shift, groups, n_groups):
    """Panels of 32 columns, rows group after group, and their cells; shift (1 or groups, p)."""
    n, p = X.shape
    cells = FoldCells.of(groups, n_groups)
    panels = np.empty((-(-p // 32), n, 32), dtype=X.dtype)
    panel_kernels.pack_panels(X, cells.order, cells.bounds, shift, 0, len(panels), panels)
    return panels, cells


def gathered(panels, shift, bounds, targets):
    y = np.zeros((-(-len(targets) // 4), panels.shape[1], 4))
    for k, group in enumerate(y):
        panel_kernels.target_rows(
            panels, shift, bounds, np.array(targets[4 * k : 4 * k + 4]), group
        )
    return y


def from_panels(values, p):
    """(panels, parts, 32) as (parts, p)."""
    return values.swapaxes(0, 1).reshape(values.shape[1], -1)[:, :p]


@settings(max_examples=30)
@given(table=tables, n_targets=st.integers(1, 9), by_fold=st.booleans())
def test_products_without_one_fold(table, n_targets, by_fold):
    X, fold, shift, e, rng = make(table)
    p = X.shape[1]
    shift = shift[None]
    if by_fold:
        shift = np.repeat(shift, e, axis=0)
        shift[:, :p] = X[rng.integers(0, len(X), e)]
    targets = rng.integers(0, p, n_targets)
    panels, cells = packed(X, shift, fold, e)
    y, tree = gathered(panels, shift, cells.bounds, targets), cells.tree()
    groups = len(y)
    at_once = [np.empty((len(panels), e, 32)) for _ in targets]
    room = np.empty((4 * groups + 2, e, 32))
    panel_kernels.part_products(panels, shift, y, tree, 0, len(panels), at_once, room)
    expected = products_slow(X, shift[:, :p], targets, fold, e)
    for t in range(n_targets):
        close(from_panels(at_once[t], p), leave_out_slow(expected[t]))
    sums = np.empty((len(panels), 4 * groups, e, 32))
    panel_kernels.products(panels, shift, y, tree, 0, len(panels), sums)
    in_two_steps = [np.empty((len(panels), e, 32)) for _ in targets]
    panel_kernels.products_leave_out(sums, in_two_steps, np.empty((e + 1, 32)))
    np.testing.assert_array_equal(at_once, in_two_steps)


@settings(max_examples=30)
@given(table=tables, n_targets=st.integers(1, 5))
def test_products_over_all_rows(table, n_targets):
    X, _, shift, _, rng = make(table)
    n, p = X.shape
    targets, shift = rng.integers(0, p, n_targets), shift[None]
    order, tree = rows_by_lane(n)
    bounds = np.array([0, n])
    panels = np.empty((-(-p // 32), n, 32), dtype=X.dtype)
    panel_kernels.pack_panels(X, order, bounds, shift, 0, len(panels), panels)
    y = gathered(panels, shift, bounds, targets)
    sums = np.empty((len(panels), 4 * len(y), 1, 32))
    panel_kernels.products(panels, shift, y, tree, 0, len(panels), sums)
    out = list(sums.swapaxes(0, 1)[:n_targets])
    found = np.array([from_panels(each, p) for each in out])
    close(found, products_slow(X, shift[:, :p], targets, np.zeros(n, dtype=int), 1))


def test_panels_hold_every_value_once():
    X = np.arange(70.0).reshape(2, 35)
    panels, cells = packed(X, np.zeros((1, 64)), np.array([1, 0]), 2)
    assert cells.bounds.tolist() == [0, 1, 2]
    assert panels[0, 0].tolist() == X[1, :32].tolist()
    assert panels[1, 1, :3].tolist() == X[0, 32:].tolist()
    assert (panels[1, :, 3:] == 0).all()


# ---------------------------------------- from sums to measures


def test_deviations_are_nothing_where_only_rounding_is_left():
    n = np.array([10.0])
    out = np.empty((1, 3))
    x = np.array([0.1] * 10)
    s = np.array([[x.sum(), 10.0, 0.0]])
    q = np.array([[(x * x).sum(), 10.0 + 1e-3, 0.0]])
    apart = np.zeros(3, dtype=np.uint8)
    continuous.inverse_deviations(s, q, n, out, apart)
    assert apart.tolist() == [1, 1, 0]  # far from the centre, compared with the deviations
    assert out[0, 0] == 0
    assert out[0, 1] == pytest.approx(1 / math.sqrt(1e-3), rel=1e-9)
    assert out[0, 2] == 0


@pytest.mark.parametrize("signed", [True, False])
def test_correlations_from_sums(signed):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5))
    D = X - X[0]
    s, q, n = D.sum(axis=0)[None], (D * D).sum(axis=0)[None], np.array([20.0])
    inverse, out = np.empty_like(s), np.full((1, 5), 9.0)
    continuous.inverse_deviations(s, q, n, inverse, np.zeros(5, dtype=np.uint8))
    continuous.pearson_from_sums(
        in_panels((D * D[:, :1]).sum(axis=0)[None]), s, inverse, n, s[:, 0].copy(),
        inverse[:, 0].copy(), np.array([0]), out, signed,
    )  # fmt: skip
    expected = np.corrcoef(X.T)[0]
    np.testing.assert_allclose(out[0], expected if signed else np.abs(expected), rtol=1e-9)


def test_only_the_parts_wanted_are_written():
    ones, out = np.ones((3, 2)), np.full((3, 2), 9.0)
    continuous.pearson_from_sums(
        in_panels(ones), ones, ones, np.ones(3), np.ones(3), np.ones(3), np.array([1]), out, True
    )
    assert out.tolist() == [[9, 9], [0, 0], [9, 9]]


def test_f_from_sums_by_hand():
    """Two classes with values 1, 2 and 6, 7: F = 50, measured from any centres."""
    s = np.array([[[1.0], [1.0]]])  # from 1 and from 6
    q = np.array([[[1.0], [1.0]]])
    out, apart = np.empty((1, 1)), np.zeros(1, dtype=np.uint8)
    continuous.f_from_sums(
        s, q, np.array([[2.0, 2.0]]), np.array([[1.0], [6.0]]), np.array([1.0]), 0, out, apart,
        np.empty((2, 1)),
    )  # fmt: skip
    assert out[0, 0] == pytest.approx(50)
    assert apart[0] == 0

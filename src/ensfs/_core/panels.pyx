"""Columns as kernels read them: packed one after the other, or in panels of 32, row by row.

And the products of panels with several targets at once.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.layout cimport LANES, PANEL
from ensfs._core.sum_tree cimport DEPTH, check_joins

cdef extern from "continuous.h":
    void continuous_init() noexcept
    void pack_panel_double "ENSFS_CONTINUOUS(pack_panel_double)"(
        const double*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, double*) noexcept nogil
    void pack_panel_float "ENSFS_CONTINUOUS(pack_panel_float)"(
        const float*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, float*) noexcept nogil
    void pack_columns_double "ENSFS_CONTINUOUS(pack_columns_double)"(
        const double*, int64_t, int64_t, const int64_t*, const int32_t*, int64_t, int64_t,
        const double*, int64_t, double*, int64_t) noexcept nogil
    void pack_columns_float "ENSFS_CONTINUOUS(pack_columns_float)"(
        const float*, int64_t, int64_t, const int64_t*, const int32_t*, int64_t, int64_t,
        const double*, int64_t, float*, int64_t) noexcept nogil
    void panel_products_double "ENSFS_CONTINUOUS(panel_products_double)"(
        const double*, const double*, int64_t, const double*, const int64_t*, const int64_t*,
        const uint8_t*, int64_t, double*, int64_t) noexcept nogil
    void panel_products_float "ENSFS_CONTINUOUS(panel_products_float)"(
        const float*, const double*, int64_t, const double*, const int64_t*, const int64_t*,
        const uint8_t*, int64_t, double*, int64_t) noexcept nogil
    void add_row_lanes(const double*, double*) noexcept nogil
    void leave_one_out(
        const double*, int64_t, int64_t, int64_t, double*, int64_t, double*) noexcept nogil

continuous_init()

ctypedef fused real:
    float
    double


def joins_of(
    const int64_t[::1] leaves,        # IN  (cells,) leaf of each cell, ascending in each fold
    const int64_t[::1] cells,         # IN  (folds + 1,) where the cells of each fold begin
):
    """How often two nodes of the tree of a fold are added after each of its cells."""
    cdef Py_ssize_t e, c, depth
    cdef int64_t apart[DEPTH]   # the lowest level, as a bit, that has two nodes in the same one
    cdef uint8_t[::1] joined

    out = bytearray(leaves.shape[0])
    check_bounds(cells, leaves.shape[0], "bounds of the folds")
    if leaves.shape[0] == 0:
        return out
    joined = out
    for e in range(cells.shape[0] - 1):
        depth = 0
        for c in range(cells[e], cells[e + 1]):
            if c == cells[e + 1] - 1:
                joined[c] = <uint8_t>depth
                break
            apart[depth] = highest_bit(leaves[c] ^ leaves[c + 1])
            while depth and apart[depth - 1] < apart[depth]:
                apart[depth - 1] = apart[depth]
                joined[c] += 1
                depth -= 1
            depth += 1
    return out


cdef class RowTree:
    """Where the rows of every fold lie in panels, leaf after leaf, and how their sums are added.

    Without folds the rows of a leaf lie lane after lane: the row modulo 32.
    """

    cdef const int64_t[::1] cells, bounds
    cdef const uint8_t[::1] joined
    cdef readonly Py_ssize_t n_folds   # 1 without folds
    cdef Py_ssize_t n_leaves           # 0 with folds

    def __init__(
        self,
        const int64_t[::1] bounds,        # IN  (cells + 1,) where the rows of each cell begin: a
                                          #     fold in a leaf, or 32 lanes for each leaf
        const int64_t[::1] cells=None,    # IN  (folds + 1,) where the cells of each fold begin
        const uint8_t[::1] joined=None,   # IN  (cells,) how often two nodes are added after each
    ):
        cdef Py_ssize_t n_cells = bounds.shape[0] - 1

        check_bounds(bounds, bounds[n_cells], "bounds of the cells")
        self.bounds, self.cells, self.joined, self.n_leaves = bounds, cells, joined, 0
        if cells is None:
            self.n_folds, self.n_leaves = 1, n_cells // LANES
            check_length(n_cells, self.n_leaves * LANES, "lanes of the leaves")
        else:
            self.n_folds = cells.shape[0] - 1
            check_bounds(cells, n_cells, "bounds of the folds")
            check_joins(cells, joined)

    cdef int check(self, Py_ssize_t n, bint by_fold) except -1:
        """Raise an error unless there are as many rows, and folds if that is wanted."""
        if by_fold and self.cells is None:
            raise ValueError("folds are needed")
        return check_length(n, self.bounds[self.bounds.shape[0] - 1], "rows of panels")


cdef void panel_products(
    const real* panel, const double* shift, int64_t fold_step, const double* y, RowTree tree,
    double* sums, int64_t step,
) noexcept nogil:
    """Products of a panel with four targets, fold by fold."""
    cdef int64_t every_lane[LANES + 1]
    cdef uint8_t nothing[LANES]
    cdef double lanes[4 * LANES * PANEL]
    cdef double node[DEPTH][4 * PANEL]
    cdef Py_ssize_t leaf, i, k, depth = 0

    if tree.n_leaves == 0 and tree.cells is not None:
        if real is double:
            panel_products_double(
                panel, shift, fold_step, y, &tree.cells[0], &tree.bounds[0], &tree.joined[0],
                tree.n_folds, sums, step)
        else:
            panel_products_float(
                panel, shift, fold_step, y, &tree.cells[0], &tree.bounds[0], &tree.joined[0],
                tree.n_folds, sums, step)
        return
    for i in range(LANES):
        every_lane[i], nothing[i] = i, 0
    every_lane[LANES] = LANES
    for leaf in range(tree.n_leaves):
        if real is double:
            panel_products_double(
                panel, shift, 0, y, every_lane, &tree.bounds[LANES * leaf], nothing, LANES, lanes,
                LANES * PANEL)
        else:
            panel_products_float(
                panel, shift, 0, y, every_lane, &tree.bounds[LANES * leaf], nothing, LANES, lanes,
                LANES * PANEL)
        add_row_lanes(lanes, node[depth])
        depth += 1
        k = leaf
        while depth > 1 and (k & 1 or leaf == tree.n_leaves - 1):
            depth -= 1
            for i in range(4 * PANEL):
                node[depth - 1][i] += node[depth][i]
            k >>= 1
    for i in range(4):
        memcpy(sums + i * step, &node[0][PANEL * i], PANEL * sizeof(double))


cdef inline int64_t highest_bit(int64_t value) noexcept nogil:
    """The highest bit that is set."""
    cdef int64_t bit = 1

    while bit <= value // 2:
        bit *= 2
    return bit


cdef inline int check_shifts(
    const double[:, ::1] shift, Py_ssize_t n_folds, Py_ssize_t n_panels
) except -1:
    """Raise an error unless there is a shift of every column, for all folds or for each."""
    if shift.shape[0] != 1:
        check_length(shift.shape[0], n_folds, "shift")
    return check_space(shift.shape[1], PANEL * n_panels, "rows of shift")


cdef inline int check_panel(double[:, :, ::1] panels, Py_ssize_t n_folds) except -1:
    """Raise an error unless the panels of `out` have sums of every fold."""
    check_length(panels.shape[1], n_folds, "folds of out")
    return check_length(panels.shape[2], PANEL, "columns of a panel of out")


def pack_panels(
    const real[:, :] X,               # IN  (n, p)
    const int64_t[::1] rows,          # IN  (n,) row order: folds one after the other
    const int64_t[::1] bounds,        # IN  (folds + 1,) rows of each fold
    const double[:, ::1] shift,       # IN  (1 or folds, at least 32 * panels)
    Py_ssize_t start, Py_ssize_t stop,    # panels
    real[:, :, ::1] out,              # OUT (panels, n, 32)
):
    """Copy columns to panels of 32, rows in the given order."""
    cdef Py_ssize_t b, n = rows.shape[0], p = X.shape[1], n_folds = bounds.shape[0] - 1
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)

    check_space(n, 1, "rows")
    check_range(start, stop, min(out.shape[0], (p + PANEL - 1) // PANEL), "panels")
    check_length(out.shape[1], n, "rows of out")
    check_length(out.shape[2], PANEL, "columns of a panel of out")
    check_shifts(shift, n_folds, stop)
    check_bounds(bounds, n, "bounds of the folds")
    with nogil:
        for b in range(start, stop):
            if real is double:
                pack_panel_double(
                    &X[0, PANEL * b], rs, cs, &rows[0], &bounds[0], n_folds,
                    min(PANEL, p - PANEL * b), &shift[0, PANEL * b], fold_step, &out[b, 0, 0])
            else:
                pack_panel_float(
                    &X[0, PANEL * b], rs, cs, &rows[0], &bounds[0], n_folds,
                    min(PANEL, p - PANEL * b), &shift[0, PANEL * b], fold_step, &out[b, 0, 0])


def pack_columns(
    const real[:, :] X,               # IN  (n, p)
    Py_ssize_t start, Py_ssize_t stop,
    const double[:, ::1] shift,       # IN  (1 or folds, p or more)
    real[:, ::1] out,                 # OUT (p, padded rows): one packed column per row
    int32_t[::1] place,               # OUT (p,) row of each column in `out`
    const int64_t[::1] rows=None,     # IN  row for each place of a packed column, or -1
    const int32_t[::1] fold=None,     # IN  fold of each place, if they have shifts of their own
):
    """Pack the columns ``start:stop`` for the lazy search, each in its own row."""
    cdef Py_ssize_t f, n = X.shape[0] if rows is None else rows.shape[0]
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef const int64_t* rows_at = NULL
    cdef const int32_t* fold_at = NULL
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]

    check_range(start, stop, X.shape[1], "columns")
    check_length(out.shape[0], X.shape[1], "out")
    check_space(out.shape[1], n, "rows of out")
    check_length(place.shape[0], X.shape[1], "place")
    check_space(shift.shape[1], stop, "rows of shift")
    if stop <= start or n == 0:
        return
    if rows is not None:
        rows_at = &rows[0]
    if shift.shape[0] != 1:
        check_length(fold.shape[0], n, "fold")
        check_places(fold, shift.shape[0], "fold")
        fold_at = &fold[0]
    with nogil:
        if real is double:
            pack_columns_double(
                &X[0, start], rs, cs, rows_at, fold_at, n, stop - start, &shift[0, start],
                fold_step, &out[start, 0], out.shape[1])
        else:
            pack_columns_float(
                &X[0, start], rs, cs, rows_at, fold_at, n, stop - start, &shift[0, start],
                fold_step, &out[start, 0], out.shape[1])
        for f in range(start, stop):
            place[f] = <int32_t>f


def target_rows(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, at least 32 * panels)
    const int64_t[::1] bounds,        # IN  (folds + 1,) rows of each fold
    const int64_t[::1] targets,       # IN  up to four columns
    double[:, ::1] out,               # OUT (n, 4), zero for missing targets
):
    """Gather target columns, shifted, side by side."""
    cdef Py_ssize_t i, t, g, e, n_folds = bounds.shape[0] - 1
    cdef bint by_fold = shift.shape[0] > 1
    cdef double sh

    check_shifts(shift, n_folds, panels.shape[0])
    check_range(0, targets.shape[0], 4, "targets")
    check_shape(out.shape, panels.shape[1], 4, "out")
    check_bounds(bounds, out.shape[0], "bounds of the folds")
    check_places(targets, PANEL * panels.shape[0], "targets")
    with nogil:
        for t in range(targets.shape[0]):
            g = targets[t]
            for e in range(n_folds):
                sh = 0.0 if real is double else shift[e if by_fold else 0, g]
                for i in range(bounds[e], bounds[e + 1]):
                    out[i, t] = <double>panels[g // PANEL, i, g % PANEL] - sh


def products(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, 32 * panels)
    const double[:, :, ::1] y,        # IN  (groups, n, 4) targets, four side by side
    RowTree tree,                     # IN
    Py_ssize_t start, Py_ssize_t stop,    # panels
    double[:, :, :, ::1] out,         # OUT (stop - start, 4 * groups, folds, 32)
):
    """Sums of products of every column with every target in every fold."""
    cdef Py_ssize_t b, k, n_folds = tree.n_folds, n_groups = y.shape[0]
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]

    check_range(start, stop, panels.shape[0], "panels")
    check_shifts(shift, n_folds, stop)
    check_shape(out.shape, stop - start, 4 * n_groups, "out")
    check_length(out.shape[2], n_folds, "folds of out")
    check_length(out.shape[3], PANEL, "columns of a panel of out")
    check_space(panels.shape[1], 1, "rows of panels")
    check_length(y.shape[1], panels.shape[1], "rows of y")
    check_length(y.shape[2], 4, "targets of a group")
    tree.check(panels.shape[1], False)
    with nogil:
        for b in range(start, stop):
            for k in range(n_groups):
                panel_products(
                    &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0], tree,
                    &out[b - start, 4 * k, 0, 0], n_folds * PANEL)


def part_products(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, 32 * panels)
    const double[:, :, ::1] y,        # IN  (groups, n, 4) targets, four side by side
    RowTree tree,                     # IN  with folds
    Py_ssize_t start, Py_ssize_t stop,    # panels
    list out,                         # OUT one array (panels, folds, 32) a target, 256 at most
    double[:, :, ::1] workspace,      # TEMP (4 * groups + 2, folds, 32)
):
    """Leave-one-fold-out sums of products of every column with every target, in one pass."""
    cdef Py_ssize_t b, k, n_folds = tree.n_folds, n_groups = y.shape[0]
    cdef Py_ssize_t n_targets = len(out)
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]
    cdef double* target_out[256]
    cdef double[:, :, ::1] view

    check_range(start, stop, panels.shape[0], "panels")
    check_space(panels.shape[1], 1, "rows of panels")
    check_space(workspace.shape[0], 4 * n_groups + 2, "workspace")
    check_length(workspace.shape[1], n_folds, "folds of workspace")
    check_shifts(shift, n_folds, stop)
    check_length(y.shape[1], panels.shape[1], "rows of y")
    check_length(y.shape[2], 4, "targets of a group")
    tree.check(panels.shape[1], True)
    check_range(0, n_targets, min(256, 4 * n_groups), "targets")
    for k in range(n_targets):
        view = out[k]
        check_space(view.shape[0], stop, "out")
        check_panel(view, n_folds)
        target_out[k] = &view[0, 0, 0]
    with nogil:
        for b in range(start, stop):
            for k in range(n_groups):
                panel_products(
                    &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0], tree,
                    &workspace[4 * k, 0, 0], n_folds * PANEL)
            for k in range(n_targets):
                leave_one_out(
                    &workspace[k, 0, 0], PANEL, n_folds, PANEL, target_out[k] + b * n_folds * PANEL,
                    PANEL, &workspace[4 * n_groups, 0, 0])


def products_leave_out(
    const double[:, :, :, ::1] sums,  # IN  (panels, targets or more, folds, 32)
    list out,                         # OUT one array (panels, folds, 32) for each target
    double[:, ::1] scratch,           # TEMP (folds + 1, 32)
):
    """Leave-one-fold-out sums of products from those of the folds."""
    cdef Py_ssize_t b, t, n_folds = sums.shape[2]
    cdef double[:, :, ::1] view

    for t in range(len(out)):
        view = out[t]
        check_length(view.shape[0], sums.shape[0], "out")
        check_panel(view, n_folds)
        check_range(t, t + 1, sums.shape[1], "targets")
        check_space(scratch.shape[0], n_folds + 1, "scratch")
        check_length(scratch.shape[1], PANEL, "rows of scratch")
        with nogil:
            for b in range(sums.shape[0]):
                leave_one_out(
                    &sums[b, t, 0, 0], PANEL, n_folds, PANEL, &view[b, 0, 0], PANEL,
                    &scratch[0, 0])

"""Columns in panels of 32, row by row, and their products with several targets at once."""

from libc.stdint cimport int64_t
from libc.string cimport memset

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.layout cimport LANES, PANEL

cdef extern from "continuous.h":
    void continuous_init() noexcept
    void pack_panel_double "ENSFS_CONTINUOUS(pack_panel_double)"(
        const double*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, double*) noexcept nogil
    void pack_panel_float "ENSFS_CONTINUOUS(pack_panel_float)"(
        const float*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, float*) noexcept nogil
    void panel_products_double "ENSFS_CONTINUOUS(panel_products_double)"(
        const double*, const double*, int64_t, const double*, const int64_t*, int64_t, double*,
        int64_t) noexcept nogil
    void panel_products_float "ENSFS_CONTINUOUS(panel_products_float)"(
        const float*, const double*, int64_t, const double*, const int64_t*, int64_t, double*,
        int64_t) noexcept nogil
    void leave_one_out(
        const double*, int64_t, int64_t, int64_t, double*, int64_t, double*) noexcept nogil

continuous_init()

ctypedef fused real:
    float
    double


cdef inline void panel_products(
    const real* panel, const double* shift, int64_t fold_step, const double* y,
    const int64_t* bounds, int64_t n_folds, double* sums, int64_t step,
) noexcept nogil:
    """Add the products of a panel with four targets, fold by fold."""
    if real is double:
        panel_products_double(panel, shift, fold_step, y, bounds, n_folds, sums, step)
    else:
        panel_products_float(panel, shift, fold_step, y, bounds, n_folds, sums, step)


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


def add_products(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, 32 * panels)
    const double[:, :, ::1] y,        # IN  (groups, n, 4) targets, four side by side
    const int64_t[::1] bounds,        # IN  (folds + 1,) rows of each fold
    Py_ssize_t start, Py_ssize_t stop,    # panels
    double[:, :, :, ::1] sums,        # OUT (stop - start, 4 * groups, folds, 32), added to
):
    """Add per-fold sums of products of every column with every target."""
    cdef Py_ssize_t b, k, n_folds = bounds.shape[0] - 1, n_groups = y.shape[0]
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]

    check_range(start, stop, panels.shape[0], "panels")
    check_shifts(shift, n_folds, stop)
    check_shape(sums.shape, stop - start, 4 * n_groups, "sums")
    check_length(sums.shape[2], n_folds, "folds of sums")
    check_length(sums.shape[3], PANEL, "columns of a panel of sums")
    if panels.shape[1] == 0:
        return
    with nogil:
        for b in range(start, stop):
            for k in range(n_groups):
                panel_products(
                    &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                    &bounds[0], n_folds, &sums[b - start, 4 * k, 0, 0], n_folds * PANEL)


def part_products(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, 32 * panels)
    const double[:, :, ::1] y,        # IN  (groups, n, 4) targets, four side by side
    const int64_t[::1] bounds,        # IN  (folds + 1,) rows of each fold
    Py_ssize_t start, Py_ssize_t stop,    # panels
    list out,                         # OUT one array (panels, folds, 32) a target, 256 at most
    double[:, :, ::1] workspace,           # TEMP (4 * groups + 2, folds, 32)
):
    """Leave-one-fold-out sums of products of every column with every target, in one pass."""
    cdef Py_ssize_t b, k, n_folds = bounds.shape[0] - 1, n_groups = y.shape[0]
    cdef Py_ssize_t n_targets = len(out)
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]
    cdef double* target_out[256]
    cdef double[:, :, ::1] view

    check_range(start, stop, panels.shape[0], "panels")
    check_space(panels.shape[1], 1, "rows of panels")
    check_space(workspace.shape[0], 4 * n_groups + 2, "workspace")
    check_length(workspace.shape[1], n_folds, "folds of workspace")
    check_shifts(shift, n_folds, stop)
    check_range(0, n_targets, min(256, 4 * n_groups), "targets")
    for k in range(n_targets):
        view = out[k]
        check_space(view.shape[0], stop, "out")
        check_panel(view, n_folds)
        target_out[k] = &view[0, 0, 0]
    with nogil:
        for b in range(start, stop):
            memset(&workspace[0, 0, 0], 0, 4 * n_groups * n_folds * PANEL * sizeof(double))
            for k in range(n_groups):
                panel_products(
                    &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                    &bounds[0], n_folds, &workspace[4 * k, 0, 0], n_folds * PANEL)
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


def products_all_rows(
    const double[:, :, :, ::1] sums,  # IN  (panels, targets or more, 32 lanes, 32)
    Py_ssize_t start,                 # IN  first panel
    list out,                         # OUT one array (panels, 1, 32) for each target
):
    """Sums over all rows from the 32 lanes (row modulo 32), folded as ``dot32`` folds them."""
    cdef Py_ssize_t b, t, f, i
    cdef double lane[8]
    cdef double[:, :, ::1] view

    for t in range(len(out)):
        view = out[t]
        check_length(sums.shape[2], LANES, "lanes of sums")
        check_range(t, t + 1, sums.shape[1], "targets")
        check_space(view.shape[0], start + sums.shape[0], "out")
        with nogil:
            for b in range(sums.shape[0]):
                for f in range(PANEL):
                    for i in range(8):
                        lane[i] = (
                            (sums[b, t, i, f] + sums[b, t, i + 8, f])
                            + (sums[b, t, i + 16, f] + sums[b, t, i + 24, f]))
                    view[start + b, 0, f] = (
                        ((lane[0] + lane[1]) + (lane[2] + lane[3]))
                        + ((lane[4] + lane[5]) + (lane[6] + lane[7])))

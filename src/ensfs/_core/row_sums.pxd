"""The rows that leaves of the tree of sums are made of, and a pass over their columns."""

from libc.stdint cimport int64_t

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.sum_tree cimport add_leaf, add_leaves, check_leaves, group_arrays

cdef struct summed_rows:
    const char* x                 # first of the columns
    bint is_float
    int64_t row_stride, column_stride, width, n_listed
    const int64_t* rows
    const int64_t* bounds
    const int64_t* groups
    const int64_t* leaves
    const double* weight          # of each row, or NULL
    const double* shift
    const double* centres         # of each group in place of `shift`, or NULL
    int64_t centre_step
    const double* own_shift       # of the classes, or NULL
    int64_t own_step, n_classes, common
    const double* y


cdef inline Py_ssize_t fill_sums(
    Py_ssize_t n_rows, Py_ssize_t start, Py_ssize_t stop, const int64_t[::1] rows,
    const int64_t[::1] bounds, const int64_t[::1] groups, const int64_t[::1] leaves,
    const double[::1] shift, double[:, ::1] s, double[:, ::1] q, const double[:, ::1] own_shift,
    double[:, ::1] own_s, double[:, ::1] own_q, const double[::1] y, double[:, ::1] xy,
    const double[:, ::1] centres, summed_rows* c, group_arrays* into
) except -1:
    """Check the arrays of a pass and fill them in, all but the table; how many sums a column has.

    0 if there is nothing to add.
    """
    cdef Py_ssize_t n_groups = s.shape[0], n_sums = 2 * n_groups, width = stop - start

    check_length(s.shape[1], width, "rows of s")
    check_shape(q.shape, n_groups, width, "q")
    check_range(0, rows.shape[0], n_rows, "rows")
    check_length(bounds.shape[0], groups.shape[0] + 1, "bounds of the runs")
    check_space(shift.shape[0], stop, "shift")
    check_bounds(bounds, rows.shape[0], "bounds of the runs")
    check_places(groups, n_groups, "groups")
    check_leaves(leaves, groups.shape[0])
    if centres is not None:
        check_shape(centres.shape, n_groups, width, "centres")
    if own_shift is not None:
        check_space(own_shift.shape[0], 1, "own_shift")
        check_space(own_shift.shape[1], stop, "rows of own_shift")
        check_shape(own_s.shape, n_groups, width, "own_s")
        check_shape(own_q.shape, n_groups, width, "own_q")
    if y is not None:
        check_length(y.shape[0], n_rows, "y")
        check_shape(xy.shape, n_groups, width, "xy")
    if groups.shape[0] == 0 or width == 0:
        return 0
    c.rows, c.bounds, c.groups, c.leaves = &rows[0], &bounds[0], &groups[0], &leaves[0]
    c.n_listed, c.shift, c.centre_step = rows.shape[0], &shift[start], width
    c.weight, c.centres, c.own_shift, c.y = NULL, NULL, NULL, NULL
    c.n_classes, c.common = 1, -1
    into.at, into.stride = [&s[0, 0], &q[0, 0], NULL, NULL, NULL], width
    if centres is not None:
        c.centres = &centres[0, 0]
    if own_shift is not None:
        c.n_classes, c.own_step = own_shift.shape[0], own_shift.shape[1]
        c.own_shift, into.at[2], into.at[3] = &own_shift[0, start], &own_s[0, 0], &own_q[0, 0]
        n_sums += 2 * n_groups
    if y is not None:
        c.y, into.at[4] = &y[0], &xy[0, 0]
        n_sums += n_groups
    return n_sums


cdef inline void add_columns(
    add_leaf add, summed_rows* c, group_arrays* into, int64_t n_columns, int64_t n_leaves,
    int64_t n_groups, int64_t step, double* spare
) noexcept nogil:
    """Add all leaves of the columns, `step` of them at once."""
    cdef int64_t done = 0, k
    cdef int64_t bytes_apart = c.column_stride * <int64_t>(
        sizeof(float) if c.is_float else sizeof(double))

    while done < n_columns:
        c.width = min(step, n_columns - done)
        add_leaves(add, c, 0, n_leaves, n_groups, c.width, into, spare)
        c.x += c.width * bytes_apart
        c.shift += c.width
        if c.centres != NULL:
            c.centres += c.width
        if c.own_shift != NULL:
            c.own_shift += c.width
        for k in range(5):
            if into.at[k] != NULL:
                into.at[k] += c.width
        done += c.width

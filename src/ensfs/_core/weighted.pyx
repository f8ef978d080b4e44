"""Sums over rows that have weights: a weight is how often its row is there.

Counts of weighted rows are whole numbers as well: weights come as multiples of a power of two.
"""

from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport check_length, check_places, check_range
from ensfs._core.row_sums cimport add_columns, fill_sums, summed_rows
from ensfs._core.sum_tree cimport columns_at_once, group_arrays, levels_above, room_for

cdef extern from "<math.h>" nogil:
    long long llrint(double)

cdef enum:
    SUMMED = 512   # columns summed together: their accumulators stay in the cache

ctypedef fused real:
    float
    double


cdef inline void _add_cell(
    double x, double w, double shift, double* s, double* q, double y, double* xy,
) noexcept nogil:
    """Add a value from a shift to a sum, a sum of squares and perhaps one of products."""
    cdef double d = x - shift, wd = w * d

    s[0] += wd
    q[0] += wd * d
    if xy != NULL:
        xy[0] += wd * y


cdef void add_leaf_rows(
    const void* context, int64_t leaf, const group_arrays* into
) noexcept nogil:
    """Add the rows of a leaf, run after run."""
    cdef const summed_rows* c = <const summed_rows*>context
    cdef const double* shift
    cdef const double* own_shift
    cdef double* at[5]
    cdef double w, x, y = 0.0
    cdef int64_t i, k, g, r, b

    for i in range(c.leaves[leaf], c.leaves[leaf + 1]):
        g = c.groups[i]
        for k in range(5):
            at[k] = NULL if into.at[k] == NULL else into.at[k] + g * into.stride
        shift = c.shift if c.centres == NULL else c.centres + g * c.centre_step
        own_shift = NULL
        if c.own_shift != NULL:
            own_shift = c.own_shift + (g % c.n_classes) * c.own_step
        for k in range(c.bounds[i], c.bounds[i + 1]):
            r = c.rows[k]
            w = c.weight[r]
            if c.y != NULL:
                y = c.y[r]
            for b in range(c.width):
                if c.is_float:
                    x = (<const float*>c.x)[r * c.row_stride + b * c.column_stride]
                else:
                    x = (<const double*>c.x)[r * c.row_stride + b * c.column_stride]
                _add_cell(
                    x, w, shift[b], at[0] + b, at[1] + b, y, NULL if c.y == NULL else at[4] + b)
                if own_shift != NULL:
                    _add_cell(x, w, own_shift[b], at[2] + b, at[3] + b, 0.0, NULL)


def add_sums(
    const real[:, :] X,               # IN  (n, p) rows of the block, any strides
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] rows,          # IN  (n,) the rows, those of a run side by side
    const int64_t[::1] bounds,        # IN  (runs + 1,) where the runs begin
    const int64_t[::1] groups,        # IN  (runs,) group of each run
    const int64_t[::1] leaves,        # IN  (leaves + 1,) first runs of the leaves of the tree
    const double[::1] weight,         # IN  (n,)
    const double[::1] shift,          # IN  (p,)
    double[:, ::1] s, double[:, ::1] q,   # OUT (groups, stop - start), zero before
    const double[:, ::1] own_shift,   # IN  (classes, p) of the groups c, c + classes, ..., or None
    double[:, ::1] own_s,             # OUT (groups, stop - start) or None
    double[:, ::1] own_q,
    const double[::1] y,              # IN  (n,) shifted numeric target, or None
    double[:, ::1] xy,                # OUT (groups, stop - start) or None
    const double[:, ::1] centres=None,  # IN  (groups, stop - start) in place of `shift`, or None
):
    """Weighted sums of the columns ``start:stop`` of rows that begin with a leaf, by group."""
    cdef Py_ssize_t width = stop - start, n_leaves = leaves.shape[0] - 1
    cdef Py_ssize_t n_groups = s.shape[0], n_sums
    cdef int64_t step
    cdef summed_rows c
    cdef group_arrays into
    cdef double[::1] spare

    check_range(start, stop, X.shape[1], "columns")
    check_places(rows, X.shape[0], "rows")
    check_length(weight.shape[0], X.shape[0], "weight")
    n_sums = fill_sums(
        X.shape[0], start, stop, rows, bounds, groups, leaves, shift, s, q, own_shift, own_s, own_q,
        y, xy, centres, &c, &into)
    if n_sums == 0:
        return
    c.is_float, c.weight = real is float, &weight[0]
    c.row_stride = X.strides[0] // <Py_ssize_t>sizeof(real)
    c.column_stride = X.strides[1] // <Py_ssize_t>sizeof(real)
    c.x = <const char*>&X[0, start]
    # rows that lie side by side are added row by row, columns that do column by column
    step = columns_at_once(n_leaves, n_sums, width, SUMMED if c.column_stride == 1 else 1)
    spare = room_for(levels_above(n_leaves) * n_sums * step)
    with nogil:
        add_columns(add_leaf_rows, &c, &into, width, n_leaves, n_groups, step, &spare[0])


def logs(
    const int64_t[::1] counts,        # IN  (n,) sums of whole weights, at most `total`
    double total, double scale,       # IN
    int64_t[::1] out,                 # OUT (n,)
):
    """``c * log2(c / total) * scale``, rounded, for each count: see ``weighted_log`` in C."""
    cdef Py_ssize_t i

    check_length(out.shape[0], counts.shape[0], "out")
    with nogil:
        for i in range(counts.shape[0]):
            out[i] = 0
            if counts[i] > 0:
                out[i] = llrint(counts[i] * log2(counts[i] / total) * scale)


def add_tables(
    const int32_t[::1, :] codes,      # IN  (n, p) place of each cell among the columns of a table
    const int32_t[::1] row,           # IN  (n,) row of the tables
    const int64_t[::1] weight,        # IN  (n,)
    int64_t[:, ::1] tables,           # OUT (rows, places), added to
):
    """Count every column against a target: one table with the levels of all columns abreast."""
    cdef Py_ssize_t i, f

    check_length(row.shape[0], codes.shape[0], "row")
    check_length(weight.shape[0], codes.shape[0], "weight")
    check_places(row, tables.shape[0], "row")
    for f in range(codes.shape[1]):
        check_places(codes[:, f], tables.shape[1], "codes")
        with nogil:
            for i in range(codes.shape[0]):
                tables[row[i], codes[i, f]] += weight[i]

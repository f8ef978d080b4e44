"""Sums over rows that have weights: a weight is how often its row is there.

Counts of weighted rows are whole numbers as well: weights come as multiples of a power of two.
"""

from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)

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


def add_sums(
    const real[:, :] X,               # IN  (n, p) rows of the block, any strides
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] rows,          # IN  (n,) the rows, those of a run side by side
    const int64_t[::1] bounds,        # IN  (runs + 1,) where the runs begin
    const int64_t[::1] groups,        # IN  (runs,) group of each run
    const double[::1] weight,         # IN  (n,)
    const double[::1] shift,          # IN  (p,)
    double[:, ::1] s, double[:, ::1] q,   # OUT (groups, stop - start), added to
    const double[:, ::1] own_shift,   # IN  (classes, p) of the groups c, c + classes, ..., or None
    double[:, ::1] own_s,             # OUT (groups, stop - start) or None
    double[:, ::1] own_q,
    const double[::1] y,              # IN  (n,) shifted numeric target, or None
    double[:, ::1] xy,                # OUT (groups, stop - start) or None
    const double[:, ::1] centres=None,  # IN  (groups, stop - start) in place of `shift`, or None
):
    """Add the weighted sums of the columns ``start:stop`` of a block of rows, group by group."""
    cdef Py_ssize_t n_runs = groups.shape[0], width = stop - start, first, last, step, i, k, b
    cdef int64_t g, r, n_classes = 1
    cdef double of_row = 0.0
    cdef const double* from_
    cdef const double* own = NULL
    cdef double* product = NULL

    check_range(start, stop, X.shape[1], "columns")
    check_length(s.shape[1], width, "rows of s")
    check_shape(q.shape, s.shape[0], width, "q")
    check_range(0, rows.shape[0], X.shape[0], "rows")
    check_places(rows, X.shape[0], "rows")
    check_length(weight.shape[0], X.shape[0], "weight")
    check_length(bounds.shape[0], n_runs + 1, "bounds of the runs")
    check_space(shift.shape[0], stop, "shift")
    check_bounds(bounds, rows.shape[0], "bounds of the runs")
    check_places(groups, s.shape[0], "groups")
    if centres is not None:
        check_shape(centres.shape, s.shape[0], width, "centres")
    if own_shift is not None:
        n_classes = own_shift.shape[0]
        check_space(own_shift.shape[1], stop, "rows of own_shift")
        check_shape(own_s.shape, s.shape[0], width, "own_s")
        check_shape(own_q.shape, s.shape[0], width, "own_q")
    if y is not None:
        check_length(y.shape[0], X.shape[0], "y")
        check_shape(xy.shape, s.shape[0], width, "xy")
    # rows that lie side by side are added row by row, columns that do column by column
    step = SUMMED if X.strides[1] == <Py_ssize_t>sizeof(real) else 1
    with nogil:
        first = 0
        while first < width:
            last = min(first + step, width)
            for i in range(n_runs):
                g = groups[i]
                from_ = &shift[start] if centres is None else &centres[g, 0]
                if own_shift is not None:
                    own = &own_shift[g % n_classes, start]
                for k in range(bounds[i], bounds[i + 1]):
                    r = rows[k]
                    if y is not None:
                        of_row = y[r]
                    for b in range(first, last):
                        if y is not None:
                            product = &xy[g, b]
                        _add_cell(
                            X[r, start + b], weight[r], from_[b], &s[g, b], &q[g, b], of_row,
                            product)
                        if own != NULL:
                            _add_cell(
                                X[r, start + b], weight[r], own[b], &own_s[g, b], &own_q[g, b],
                                0.0, NULL)
            first = last


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

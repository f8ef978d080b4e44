"""Sums of sparse columns: a cell that is not stored is 0.

Columns are summed from a shift, which is 0 unless most of their cells are stored. So a pass reads
the stored cells and nothing else, and what the others add follows from how many they are.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

from ensfs._core.checks cimport (
    check_bounds, check_folds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.layout cimport PANEL

cdef extern from "deviations.h":
    double deviations(double, double, double) noexcept nogil
    double f_ratio(double, double, double, double, int64_t) noexcept nogil

ctypedef fused value_t:
    float
    double

# Values whose median is a provisional centre.
cdef enum:
    CENTRE_CELLS = 7


cdef class StoredCells:
    """The rows of the stored cells of every column; `ascending` if no row is there twice."""

    def __init__(
        self,
        const int64_t[::1] starts,        # IN  (columns + 1,) where the cells of a column begin
        const int32_t[::1] rows,          # IN  (cells,) the row of each cell
        Py_ssize_t n_rows,                # IN
    ):
        cdef Py_ssize_t j, k
        cdef bint ascending = True

        check_bounds(starts, rows.shape[0], "starts")
        check_length(starts[0], 0, "what comes before the first column")
        check_length(starts[starts.shape[0] - 1], rows.shape[0], "starts")
        check_places(rows, n_rows, "rows")
        self.starts, self.rows = starts, rows
        self.n_rows, self.n_columns = n_rows, starts.shape[0] - 1
        with nogil:
            for j in range(starts.shape[0] - 1):
                for k in range(starts[j] + 1, starts[j + 1]):
                    ascending &= rows[k - 1] < rows[k]
        self.ascending = ascending

    cdef int check(self) except -1:
        """Raise an error if a row is there twice: there would be more cells than rows."""
        if not self.ascending:
            raise ValueError("rows must ascend within each column")
        return 0


cdef inline double _middle(const double* x, Py_ssize_t n) noexcept nogil:
    """The (lower) median of a few values, spread evenly."""
    cdef double few[CENTRE_CELLS]
    cdef Py_ssize_t i, j, size = min(n, <Py_ssize_t>CENTRE_CELLS)
    cdef double value

    for i in range(size):
        value = x[i * (n - 1) // max(size - 1, 1)]
        j = i
        while j > 0 and few[j - 1] > value:
            few[j] = few[j - 1]
            j -= 1
        few[j] = value
    return few[(size - 1) // 2]


def centres(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const int32_t[::1] group,             # IN  (rows,) group of each row
    const int64_t[::1] size,              # IN  (groups,) rows of each group
    double[:, ::1] out,                   # OUT (groups, stop - start)
    double[::1] scratch,                  # TEMP (rows,)
    int64_t[::1] place,                   # TEMP (groups + 1,)
):
    """Provisional centres of the groups: 0 where at most half of the cells are stored."""
    cdef Py_ssize_t f, k, g, at, n_groups = size.shape[0]
    cdef bint some

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_length(group.shape[0], cells.n_rows, "group")
    check_places(group, n_groups, "group")
    check_shape(out.shape, n_groups, stop - start, "out")
    check_space(scratch.shape[0], cells.n_rows, "scratch")
    check_length(place.shape[0], n_groups + 1, "place")
    cells.check()
    with nogil:
        for f in range(start, stop):
            for g in range(n_groups + 1):
                place[g] = 0
            for k in range(cells.starts[f], cells.starts[f + 1]):
                place[group[cells.rows[k]] + 1] += 1
            some = False
            for g in range(n_groups):
                out[g, f - start] = 0.0
                some |= 2 * place[g + 1] > size[g]
            if not some:
                continue
            for g in range(n_groups):
                place[g + 1] += place[g]
            for k in range(cells.starts[f], cells.starts[f + 1]):
                g = group[cells.rows[k]]
                scratch[place[g]] = values[k]
                place[g] += 1
            at = 0
            for g in range(n_groups):  # now place[g] is where the next group begins
                if 2 * (place[g] - at) > size[g]:
                    out[g, f - start] = _middle(&scratch[at], place[g] - at)
                at = place[g]


def add_sums(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const int32_t[::1] group,             # IN  (rows,) group of each row
    const int64_t[::1] size,              # IN  (groups,) rows of each group
    const double[::1] shift,              # IN  (stop - start,)
    double[:, ::1] s,                     # OUT (groups, stop - start) sums, added to
    double[:, ::1] q,                     # OUT (groups, stop - start) sums of squares, added to
    const double[:, ::1] own_shift,       # IN  (classes, stop - start), or None
    double[:, ::1] own_s,                 # OUT (groups, stop - start) sums from these, or None
    double[:, ::1] own_q,                 # OUT (groups, stop - start), or None
    const double[::1] y,                  # IN  (rows,) a numeric target, or None
    const double[::1] y_sum,              # IN  (groups,) its sums, or None
    double[:, ::1] xy,                    # OUT (groups, stop - start) products with it, or None
    double[:, ::1] scratch,               # TEMP (2, groups), zeros
):
    """Sums of every group; group ``g`` has the shift of class ``g mod classes`` of its own."""
    cdef Py_ssize_t f, b, k, g, c, i, width = stop - start, n_groups = size.shape[0]
    cdef Py_ssize_t n_classes = 1 if own_shift is None else own_shift.shape[0]
    cdef double d, h, zeros
    cdef bint moved

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_length(group.shape[0], cells.n_rows, "group")
    check_places(group, n_groups, "group")
    check_length(shift.shape[0], width, "shift")
    check_shape(s.shape, n_groups, width, "s")
    check_shape(q.shape, n_groups, width, "q")
    check_shape(scratch.shape, 2, n_groups, "scratch")
    if own_shift is not None:
        check_length(own_shift.shape[1], width, "rows of own_shift")
        check_shape(own_s.shape, n_groups, width, "own_s")
        check_shape(own_q.shape, n_groups, width, "own_q")
    if y is not None:
        check_length(y.shape[0], cells.n_rows, "y")
        check_length(y_sum.shape[0], n_groups, "y_sum")
        check_shape(xy.shape, n_groups, width, "xy")
    with nogil:
        for f in range(start, stop):
            b = f - start
            moved = shift[b] != 0.0
            if own_shift is not None:
                for c in range(n_classes):
                    moved |= own_shift[c, b] != 0.0
            if not moved:  # cells that are not stored add nothing
                for k in range(cells.starts[f], cells.starts[f + 1]):
                    i = cells.rows[k]
                    g, d = group[i], values[k]
                    s[g, b] += d
                    q[g, b] += d * d
                    if y is not None:
                        xy[g, b] += d * y[i]
                if own_shift is not None:
                    for k in range(cells.starts[f], cells.starts[f + 1]):
                        g = group[cells.rows[k]]
                        own_s[g, b], own_q[g, b] = s[g, b], q[g, b]
                continue
            for k in range(cells.starts[f], cells.starts[f + 1]):
                i = cells.rows[k]
                g, d = group[i], values[k] - shift[b]
                scratch[0, g] += 1.0
                s[g, b] += d
                q[g, b] += d * d
                if y is not None:
                    scratch[1, g] += y[i]
                    xy[g, b] += d * y[i]
                if own_shift is not None:
                    d = values[k] - own_shift[g % n_classes, b]
                    own_s[g, b] += d
                    own_q[g, b] += d * d
            for g in range(n_groups):
                zeros = <double>size[g] - scratch[0, g]
                if zeros > 0.0:
                    h = shift[b]
                    s[g, b] -= zeros * h
                    q[g, b] += zeros * (h * h)
                    if y is not None:
                        xy[g, b] -= h * (y_sum[g] - scratch[1, g])
                    if own_shift is not None:
                        h = own_shift[g % n_classes, b]
                        own_s[g, b] -= zeros * h
                        own_q[g, b] += zeros * (h * h)
                scratch[0, g] = scratch[1, g] = 0.0


def f_of_classes(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const int32_t[::1] group,             # IN  (rows,) class of each row
    const int64_t[::1] size,              # IN  (classes,) rows of each class
    double[::1] s,                        # OUT (columns,) sums
    double[::1] inverse,                  # OUT (columns,) inverse root of the squared deviations
    double[::1] f_statistic,              # OUT (columns,)
    double[::1] q,                        # OUT (columns,) sums of squares
    uint8_t[::1] moved,                   # OUT (columns,) whether most cells of a class are stored
    double[:, ::1] scratch,               # TEMP (3, classes), zeros
    int32_t[::1] touched,                 # TEMP (classes,)
):
    """F statistics from 0 over all rows; nothing is written for columns that are `moved`.

    Classes without a stored cell have the mean 0, so that they need not be looked at.
    """
    cdef Py_ssize_t f, k, c, i, n_touched, n_classes = size.shape[0]
    cdef double x, n = cells.n_rows, total, squares, mean, rest, within, between, length
    cdef int64_t present = 0

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_length(group.shape[0], cells.n_rows, "group")
    check_places(group, n_classes, "group")
    check_length(s.shape[0], cells.n_columns, "s")
    check_length(inverse.shape[0], cells.n_columns, "inverse")
    check_length(f_statistic.shape[0], cells.n_columns, "f_statistic")
    check_length(q.shape[0], cells.n_columns, "q")
    check_length(moved.shape[0], cells.n_columns, "moved")
    check_shape(scratch.shape, 3, n_classes, "scratch")
    check_length(touched.shape[0], n_classes, "touched")
    for c in range(n_classes):
        present += size[c] > 0
    with nogil:
        for f in range(start, stop):
            n_touched = 0
            for k in range(cells.starts[f], cells.starts[f + 1]):
                c, x = group[cells.rows[k]], values[k]
                if scratch[0, c] == 0.0:
                    touched[n_touched] = <int32_t>c
                    n_touched += 1
                scratch[0, c] += 1.0
                scratch[1, c] += x
                scratch[2, c] += x * x
            moved[f] = 0
            total = squares = within = between = length = 0.0
            rest = n
            for i in range(n_touched):
                c = touched[i]
                moved[f] |= 2.0 * scratch[0, c] > size[c]
                total += scratch[1, c]
                squares += scratch[2, c]
                within += deviations(scratch[1, c], scratch[2, c], size[c])
                length += scratch[1, c] * scratch[1, c] / size[c]
                rest -= size[c]
            mean = total / n
            for i in range(n_touched):
                c = touched[i]
                x = scratch[1, c] / size[c] - mean
                between += size[c] * x * x
                scratch[0, c] = scratch[1, c] = scratch[2, c] = 0.0
            if moved[f]:
                continue
            between += rest * mean * mean
            s[f], q[f] = total, squares
            f_statistic[f] = f_ratio(between, within, length, n, present)
            x = deviations(total, squares, n)
            inverse[f] = 1.0 / sqrt(x) if x > 0.0 else 0.0


def add_products(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const double[:, ::1] shift,           # IN  (1 or folds, columns or more) centres of columns
    const double[::1] y,                  # IN  (rows,) a column, from its own centres
    const double[::1] y_sum,              # IN  (folds,) its sums
    const int32_t[::1] fold,              # IN  (rows,) fold of each row; None if there is one
    const int32_t[::1] size,              # IN  (folds,) rows of each fold
    double[:, :, ::1] out,                # OUT (panels, folds, 32)
    double[:, ::1] scratch,               # TEMP (2, folds), zeros
):
    """Sums of products of the columns ``start:stop`` with another one in every fold."""
    cdef Py_ssize_t f, k, i, e, n_folds = size.shape[0], own = shift.shape[0] > 1
    cdef double total, rest, h
    cdef double* to
    cdef bint moved

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, min(cells.n_columns, shift.shape[1]), "columns")
    check_length(y.shape[0], cells.n_rows, "y")
    check_folds(fold, cells.n_rows, n_folds)
    check_length(y_sum.shape[0], n_folds, "y_sum")
    check_shape(scratch.shape, 2, n_folds, "scratch")
    check_space(out.shape[0] * PANEL, stop, "panels")
    check_length(out.shape[1], n_folds, "folds of out")
    check_length(out.shape[2], PANEL, "columns of a panel")
    if own:
        check_length(shift.shape[0], n_folds, "shift")
    with nogil:
        for f in range(start, stop):
            to = &out[f // PANEL, 0, f % PANEL]
            if fold is None and shift[0, f] == 0.0:
                total = 0.0
                for k in range(cells.starts[f], cells.starts[f + 1]):
                    total += values[k] * y[cells.rows[k]]
                to[0] = total
                continue
            if fold is None:
                h, total, rest = shift[0, f], 0.0, y_sum[0]
                for k in range(cells.starts[f], cells.starts[f + 1]):
                    i = cells.rows[k]
                    total += (values[k] - h) * y[i]
                    rest -= y[i]
                if cells.starts[f + 1] - cells.starts[f] < cells.n_rows:
                    total -= h * rest
                to[0] = total
                continue
            for e in range(n_folds):
                to[e * PANEL] = 0.0
            moved = False
            for e in range(shift.shape[0]):
                moved |= shift[e, f] != 0.0
            if not moved:
                for k in range(cells.starts[f], cells.starts[f + 1]):
                    i = cells.rows[k]
                    to[fold[i] * PANEL] += values[k] * y[i]
                continue
            for k in range(cells.starts[f], cells.starts[f + 1]):
                i = cells.rows[k]
                e = fold[i]
                to[e * PANEL] += (values[k] - shift[e if own else 0, f]) * y[i]
                scratch[0, e] += 1.0
                scratch[1, e] += y[i]
            for e in range(n_folds):
                if scratch[0, e] < size[e]:
                    to[e * PANEL] -= shift[e if own else 0, f] * (y_sum[e] - scratch[1, e])
                scratch[0, e] = scratch[1, e] = 0.0

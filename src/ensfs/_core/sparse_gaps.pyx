"""Sums of sparse columns over the rows in which they are observed, perhaps with weights.

A stored NaN is a missing cell; a cell that is not stored is 0. What the cells that are not stored
add follows from the sums over all rows without those over the stored cells.
"""

from libc.stdint cimport int64_t

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape
from ensfs._core.sparse cimport StoredCells

cdef enum:
    PAIR_SUMS = 6

ctypedef fused value_t:
    float
    double


def add_observed(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,) NaN where missing
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const int64_t[::1] group,             # IN  (rows,) group of each row
    const int64_t[::1] size,              # IN  (groups,) rows of each group
    const double[::1] total,              # IN  (groups,) their weight
    const int64_t[::1] centre_of,         # IN  (groups,) row of `centres` for each group
    const double[:, ::1] centres,         # IN  (any, stop - start) what values are measured from
    const double[::1] weight,             # IN  (rows,) or None
    double[:, :, ::1] out,                # OUT (groups, 3, stop - start): weight, sum, squares
    double[:, ::1] scratch,               # TEMP (2, groups), zeros
):
    """Sums of the observed cells of the columns ``start:stop`` in every group, added to `out`."""
    cdef Py_ssize_t f, b, k, i, g, n_groups = size.shape[0]
    cdef double x, d, left, w = 1.0

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_length(group.shape[0], cells.n_rows, "group")
    check_places(group, n_groups, "group")
    check_length(total.shape[0], n_groups, "total")
    check_length(centre_of.shape[0], n_groups, "centre_of")
    check_places(centre_of, centres.shape[0], "centre_of")
    check_length(centres.shape[1], stop - start, "rows of centres")
    check_length(out.shape[0], n_groups, "groups of out")
    check_length(out.shape[1], 3, "sums of out")
    check_length(out.shape[2], stop - start, "columns of out")
    check_shape(scratch.shape, 2, n_groups, "scratch")
    if weight is not None:
        check_length(weight.shape[0], cells.n_rows, "weight")
    with nogil:
        for f in range(start, stop):
            b = f - start
            for k in range(cells.starts[f], cells.starts[f + 1]):
                i = cells.rows[k]
                g, x = group[i], values[k]
                if weight is not None:
                    w = weight[i]
                scratch[0, g] += 1.0
                scratch[1, g] += w
                if x == x:
                    d = x - centres[centre_of[g], b]
                    out[g, 0, b] += w
                    out[g, 1, b] += w * d
                    out[g, 2, b] += w * d * d
            for g in range(n_groups):
                if scratch[0, g] < size[g]:
                    left, d = total[g] - scratch[1, g], -centres[centre_of[g], b]
                    out[g, 0, b] += left
                    out[g, 1, b] += left * d
                    out[g, 2, b] += left * d * d
                scratch[0, g] = scratch[1, g] = 0.0


def add_common(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,) NaN where missing
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const double[::1] centre,             # IN  (stop - start,) what values are measured from
    const double[::1] target,             # IN  (rows,) from its centre, NaN where missing
    const int64_t[::1] fold,              # IN  (rows,) fold of each row
    const int64_t[::1] size,              # IN  (folds,) rows in which the target is observed
    const double[:, ::1] total,           # IN  (3, folds) their weight, sums of it, of its squares
    const double[::1] weight,             # IN  (rows,) or None
    double[:, :, ::1] out,                # OUT (folds, 6, stop - start): weight, sums of column and
                                          #     target, of both squared, of products
    double[:, ::1] scratch,               # TEMP (4, folds), zeros
):
    """Sums over the rows that the columns ``start:stop`` have in common with a target."""
    cdef Py_ssize_t f, b, k, i, e, n_folds = size.shape[0]
    cdef double x, y, v, wy, left, left_y, w = 1.0

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_length(centre.shape[0], stop - start, "centre")
    check_length(target.shape[0], cells.n_rows, "target")
    check_length(fold.shape[0], cells.n_rows, "fold")
    check_places(fold, n_folds, "fold")
    check_shape(total.shape, 3, n_folds, "total")
    check_length(out.shape[0], n_folds, "folds of out")
    check_length(out.shape[1], PAIR_SUMS, "sums of out")
    check_length(out.shape[2], stop - start, "columns of out")
    check_shape(scratch.shape, 4, n_folds, "scratch")
    if weight is not None:
        check_length(weight.shape[0], cells.n_rows, "weight")
    with nogil:
        for f in range(start, stop):
            b = f - start
            for k in range(cells.starts[f], cells.starts[f + 1]):
                i = cells.rows[k]
                e, x, y = fold[i], values[k], target[i]
                if y != y:
                    continue
                if weight is not None:
                    w = weight[i]
                wy = w * y
                scratch[0, e] += 1.0
                scratch[1, e] += w
                scratch[2, e] += wy
                scratch[3, e] += wy * y
                if x == x:
                    v = x - centre[b]
                    out[e, 0, b] += w
                    out[e, 1, b] += w * v
                    out[e, 2, b] += wy
                    out[e, 3, b] += w * v * v
                    out[e, 4, b] += wy * y
                    out[e, 5, b] += wy * v
            for e in range(n_folds):
                if scratch[0, e] < size[e]:
                    v, left, left_y = -centre[b], total[0, e] - scratch[1, e], (
                        total[1, e] - scratch[2, e])
                    out[e, 0, b] += left
                    out[e, 1, b] += left * v
                    out[e, 2, b] += left_y
                    out[e, 3, b] += left * v * v
                    out[e, 4, b] += total[2, e] - scratch[3, e]
                    out[e, 5, b] += left_y * v
                scratch[0, e] = scratch[1, e] = scratch[2, e] = scratch[3, e] = 0.0

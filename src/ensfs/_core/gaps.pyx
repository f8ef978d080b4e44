"""Sums over the rows in which columns are observed; a missing cell is NaN.

The rows of a group are added one after the other, so blocks of rows make no difference.
"""

from libc.stdint cimport int64_t

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)

cdef enum:
    AT_ONCE = 32   # columns whose accumulators stay in the cache
    PAIR_SUMS = 6

ctypedef fused real:
    float
    double

pair_sums = PAIR_SUMS


def add_observed(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] group,         # IN  (n,) group of each row
    const int64_t[::1] centre_of,     # IN  (groups,) row of `centres` for each group
    const double[:, ::1] centres,     # IN  (any, p) what values are measured from
    const double[::1] weight,         # IN  (n,) or None
    double[:, :, ::1] out,            # OUT (groups, 3, p): weight, sum, sum of squares; added to
):
    """Add the observed cells of the columns ``start:stop``, group by group."""
    cdef Py_ssize_t i, f, a, b, n = X.shape[0]
    cdef int64_t g
    cdef double x, d, w = 1.0

    check_range(start, stop, X.shape[1], "columns")
    check_length(group.shape[0], n, "group")
    check_places(group, out.shape[0], "group")
    check_length(centre_of.shape[0], out.shape[0], "centre_of")
    check_places(centre_of, centres.shape[0], "centre_of")
    check_length(centres.shape[1], X.shape[1], "rows of centres")
    check_length(out.shape[1], 3, "sums of out")
    check_length(out.shape[2], X.shape[1], "columns of out")
    if weight is not None:
        check_length(weight.shape[0], n, "weight")
    with nogil:
        a = start
        while a < stop:
            b = min(a + AT_ONCE, stop)
            for i in range(n):
                g = group[i]
                if weight is not None:
                    w = weight[i]
                for f in range(a, b):
                    x = X[i, f]
                    if x == x:
                        d = x - centres[centre_of[g], f]
                        out[g, 0, f] += w
                        out[g, 1, f] += w * d
                        out[g, 2, f] += w * d * d
            a = b


def add_common(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    Py_ssize_t start, Py_ssize_t stop,
    const double[::1] centre,         # IN  (p,) what values are measured from
    const double[:, ::1] targets,     # IN  (targets, n) from their centre, NaN where missing
    const int64_t[::1] fold,          # IN  (n,) fold of each row
    const double[::1] weight,         # IN  (n,) or None
    double[:, :, :, ::1] out,         # OUT (targets, folds, 6, p): weight, sums of the column, of
                                      #     the target, of both squared, of products; added to
):
    """Add the rows that each of the columns ``start:stop`` has in common with each target."""
    cdef Py_ssize_t i, f, k, a, b, width, n = X.shape[0]
    cdef double y, wy, w = 1.0
    cdef double x
    cdef double* to
    cdef double seen[AT_ONCE]
    cdef double value[AT_ONCE]

    check_range(start, stop, X.shape[1], "columns")
    check_length(centre.shape[0], X.shape[1], "centre")
    check_length(targets.shape[1], n, "rows of targets")
    check_length(fold.shape[0], n, "fold")
    check_places(fold, out.shape[1], "fold")
    check_length(out.shape[0], targets.shape[0], "out")
    check_length(out.shape[2], PAIR_SUMS, "sums of out")
    check_space(out.shape[3], stop, "columns of out")
    if weight is not None:
        check_length(weight.shape[0], n, "weight")
    width = out.shape[3]
    with nogil:
        a = start
        while a < stop:
            b = min(a + AT_ONCE, stop) - a
            for i in range(n):
                if weight is not None:
                    w = weight[i]
                for f in range(b):
                    x = X[i, a + f]
                    seen[f] = 1.0 if x == x else 0.0
                    value[f] = x - centre[a + f] if x == x else 0.0
                for k in range(targets.shape[0]):
                    y = targets[k, i]
                    if y != y:
                        continue
                    wy = w * y
                    to = &out[k, fold[i], 0, a]
                    for f in range(b):
                        to[f] += w * seen[f]
                        to[width + f] += w * value[f]
                        to[2 * width + f] += wy * seen[f]
                        to[3 * width + f] += w * value[f] * value[f]
                        to[4 * width + f] += wy * y * seen[f]
                        to[5 * width + f] += wy * value[f]
            a += b


def add_means(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    const double[::1] weight,         # IN  (n,) or None
    double[::1] origin,               # IN/OUT (p,) first observed value, or NaN
    double[::1] total,                # OUT (p,) sums from the origin, added to
    double[::1] seen,                 # OUT (p,) weight of the observed rows, added to
):
    """Add the observed cells of a block of rows, one row after the other."""
    cdef Py_ssize_t i, f, a = 0, b, n = X.shape[0], p = X.shape[1]
    cdef double x, w = 1.0

    check_length(origin.shape[0], p, "origin")
    check_length(total.shape[0], p, "total")
    check_length(seen.shape[0], p, "seen")
    if weight is not None:
        check_length(weight.shape[0], n, "weight")
    with nogil:
        while a < p:
            b = min(a + AT_ONCE, p)
            for i in range(n):
                if weight is not None:
                    w = weight[i]
                for f in range(a, b):
                    x = X[i, f]
                    if x == x:
                        if origin[f] != origin[f]:
                            origin[f] = x
                        total[f] += w * (x - origin[f])
                        seen[f] += w
            a = b


def fill(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    const double[::1] means,          # IN  (p,)
    double[:, :] out,                 # OUT (n, p) any strides
):
    """Copy columns with a number in the place of missing cells."""
    cdef Py_ssize_t i, f, a = 0, b, n = X.shape[0], p = X.shape[1]
    cdef double x

    check_length(means.shape[0], p, "means")
    check_shape(out.shape, n, p, "out")
    with nogil:
        while a < p:
            b = min(a + AT_ONCE, p)
            for i in range(n):
                for f in range(a, b):
                    x = X[i, f]
                    out[i, f] = x if x == x else means[f]
            a = b

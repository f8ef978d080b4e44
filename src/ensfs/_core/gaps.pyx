"""Sums over the rows in which columns are observed; a missing cell is NaN.

The rows of a group are added one after the other, so blocks of rows make no difference.
"""

from cython.view cimport array
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)

cdef extern from "gaps.h":
    enum:
        OBSERVED       # columns that are summed together
    void gaps_init() noexcept
    void observe "ENSFS_GAPS(observe)"(
        const void*, bint, int64_t, int64_t, int64_t, int64_t, const double*, double*,
        double*) noexcept nogil
    void add_groups "ENSFS_GAPS(add_groups)"(
        const double*, const double*, int64_t, const int64_t*, const int64_t*, const double*,
        const double*, double*) noexcept nogil
    void add_pairs "ENSFS_GAPS(add_pairs)"(
        const double*, const double*, int64_t, const double*, const int64_t*, const double*,
        double*) noexcept nogil

gaps_init()

cdef enum:
    AT_ONCE = 32   # columns whose accumulators stay in the cache
    PAIR_SUMS = 6
    LINE = 512     # columns of a row that are read together
    TILE = 64      # rows of them that are made doubles at once

ctypedef fused real:
    float
    double

pair_sums = PAIR_SUMS


cdef double[::1] _zeros(Py_ssize_t n):
    """Memory for so many values, at least one."""
    cdef double[::1] made = array(shape=(max(1, n),), itemsize=sizeof(double), format="d")
    made[:] = 0.0
    return made


cdef inline void _copy_strip(
    const double* x, Py_ssize_t x_step, double* out, Py_ssize_t out_step, Py_ssize_t n_rows,
    Py_ssize_t width,
) noexcept nogil:
    """Copy a few columns of a matrix."""
    cdef Py_ssize_t i

    for i in range(n_rows):
        memcpy(out + i * out_step, x + i * x_step, width * sizeof(double))


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
    cdef Py_ssize_t i, a, m, width, n = X.shape[0], p = X.shape[1]
    cdef Py_ssize_t n_sums = 3 * out.shape[0], n_centres = centres.shape[0]
    cdef Py_ssize_t row_step = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t column_step = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef double value[TILE * OBSERVED]
    cdef double seen[TILE * OBSERVED]
    cdef double[::1] sums
    cdef double[::1] middle

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
    if n == 0 or n_sums == 0:
        return
    sums, middle = _zeros(n_sums * OBSERVED), _zeros(n_centres * OBSERVED)
    with nogil:
        a = start
        while a < stop:
            width = min(<Py_ssize_t>OBSERVED, stop - a)
            _copy_strip(&out[0, 0, a], p, &sums[0], OBSERVED, n_sums, width)
            _copy_strip(&centres[0, a], p, &middle[0], OBSERVED, n_centres, width)
            i = 0
            while i < n:
                m = min(<Py_ssize_t>TILE, n - i)
                observe(
                    &X[i, a], real is float, row_step, column_step, m, width, NULL, value, seen)
                add_groups(
                    value, seen, m, &group[i], &centre_of[0], &middle[0],
                    NULL if weight is None else &weight[i], &sums[0])
                i += m
            _copy_strip(&sums[0], OBSERVED, &out[0, 0, a], p, n_sums, width)
            a += width


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
    cdef Py_ssize_t i, k, a, m, width, n = X.shape[0], p = out.shape[3]
    cdef Py_ssize_t n_targets = targets.shape[0], n_sums = PAIR_SUMS * out.shape[1]
    cdef Py_ssize_t row_step = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef Py_ssize_t column_step = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef double value[TILE * OBSERVED]
    cdef double seen[TILE * OBSERVED]
    cdef double[::1] sums

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
    if n == 0 or n_targets == 0 or n_sums == 0:
        return
    sums = _zeros(n_targets * n_sums * OBSERVED)
    with nogil:
        a = start
        while a < stop:
            width = min(<Py_ssize_t>OBSERVED, stop - a)
            _copy_strip(&out[0, 0, 0, a], p, &sums[0], OBSERVED, n_targets * n_sums, width)
            i = 0
            while i < n:
                m = min(<Py_ssize_t>TILE, n - i)
                observe(
                    &X[i, a], real is float, row_step, column_step, m, width, &centre[a], value,
                    seen)
                for k in range(n_targets):
                    add_pairs(
                        value, seen, m, &targets[k, i], &fold[i],
                        NULL if weight is None else &weight[i], &sums[k * n_sums * OBSERVED])
                i += m
            _copy_strip(&sums[0], OBSERVED, &out[0, 0, 0, a], p, n_targets * n_sums, width)
            a += width


cdef inline void _add_row(
    const real* x, Py_ssize_t stride, Py_ssize_t n, double w, const double* origin, double* total,
    double* weight, double* count,
) noexcept nogil:
    """Add the observed cells of some columns of one row, abreast where they lie side by side."""
    cdef Py_ssize_t f
    cdef double v
    if stride == 1:
        for f in range(n):
            v = x[f]
            total[f] += w * (v - origin[f]) if v == v else 0.0
            weight[f] += w if v == v else 0.0
            count[f] += 1.0 if v == v else 0.0
        return
    for f in range(n):
        v = x[f * stride]
        if v == v:
            total[f] += w * (v - origin[f])
            weight[f] += w
            count[f] += 1.0


def add_means(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    const double[::1] weight,         # IN  (n,) or None
    double[::1] origin,               # IN/OUT (p,) first observed value, or NaN
    double[::1] total,                # OUT (p,) sums from the origin, added to
    double[::1] seen,                 # OUT (p,) weight of the observed rows, added to
    double[::1] count,                # OUT (p,) how many rows these are, added to
):
    """Add the observed cells of a block of rows, one row after the other."""
    cdef Py_ssize_t i, f, a = 0, b, n = X.shape[0], p = X.shape[1]
    cdef Py_ssize_t stride = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef double w = 1.0
    cdef double of[4][LINE]  # origin, total, weight, rows

    check_length(origin.shape[0], p, "origin")
    check_length(total.shape[0], p, "total")
    check_length(seen.shape[0], p, "seen")
    check_length(count.shape[0], p, "count")
    if weight is not None:
        check_length(weight.shape[0], n, "weight")
    with nogil:
        while a < p and n > 0:
            b = min(a + LINE, p)
            for f in range(a, b):
                i = 0
                while i < n and origin[f] != origin[f]:
                    origin[f] = X[i, f]
                    i += 1
                of[0][f - a], of[1][f - a] = origin[f], total[f]
                of[2][f - a], of[3][f - a] = seen[f], count[f]
            for i in range(n):
                if weight is not None:
                    w = weight[i]
                _add_row(&X[i, a], stride, b - a, w, of[0], of[1], of[2], of[3])
            for f in range(a, b):
                total[f], seen[f], count[f] = of[1][f - a], of[2][f - a], of[3][f - a]
            a = b


def add_bits(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    const int64_t[::1] columns,       # IN  (m,) those that are looked at
    const int64_t[::1] place,         # IN  (n,) bit of each row
    uint8_t[:, ::1] out,              # OUT (m, bytes) 1 where a cell is missing; others stay
):
    """Mark the missing cells of some columns, the lowest bit of a byte being its first place."""
    cdef Py_ssize_t i, f, a = 0, b, n = X.shape[0], m = columns.shape[0]
    cdef double x
    cdef int64_t at

    check_places(columns, X.shape[1], "columns")
    check_length(place.shape[0], n, "place")
    check_places(place, 8 * out.shape[1], "place")
    check_length(out.shape[0], m, "out")
    with nogil:
        while a < m:
            b = min(a + AT_ONCE, m)
            for i in range(n):
                at = place[i]
                for f in range(a, b):
                    x = X[i, columns[f]]
                    if x != x:
                        out[f, at >> 3] |= <uint8_t>(1 << (at & 7))
            a = b


ctypedef fused filled_t:
    float
    double


def fill(
    const real[:, :] X,               # IN  (n, p) any strides, NaN where missing
    const double[::1] means,          # IN  (p,)
    filled_t[:, :] out,               # OUT (n, p) any strides
):
    """Copy columns with a number in the place of missing cells."""
    cdef Py_ssize_t i, f, a = 0, b, n = X.shape[0], p = X.shape[1]
    cdef bint abreast = X.strides[1] == <Py_ssize_t>sizeof(real) and (
        out.strides[1] == <Py_ssize_t>sizeof(filled_t))
    cdef const real* x
    cdef const double* mean
    cdef filled_t* to

    check_length(means.shape[0], p, "means")
    check_shape(out.shape, n, p, "out")
    with nogil:
        if abreast and p > 0:
            mean = &means[0]
            for i in range(n):
                x, to = &X[i, 0], &out[i, 0]
                for f in range(p):
                    to[f] = <filled_t>(x[f] if x[f] == x[f] else mean[f])
        while a < p and not abreast:
            b = min(a + AT_ONCE, p)
            for i in range(n):
                for f in range(a, b):
                    out[i, f] = <filled_t>(X[i, f] if X[i, f] == X[i, f] else means[f])
            a = b

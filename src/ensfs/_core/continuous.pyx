"""Additive statistics of continuous columns: sums, products and what follows from them.

Matrices come as the user has them (any strides, float32 or float64); everything is summed in
float64 after a shift by a value near the middle of the column.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.layout cimport LANES, LEAF, PANEL
from ensfs._core.row_sums cimport add_columns, fill_sums, summed_rows
from ensfs._core.sum_tree cimport columns_at_once, group_arrays, levels_above, room_for

cdef extern from "continuous.h":
    void continuous_init() noexcept
    void group_sums_double "ENSFS_CONTINUOUS(group_sums_double)"(
        const double*, int64_t, int64_t, const int64_t*, int64_t, int64_t, int64_t, const double*,
        double*, double*, const double*, double*, double*, const double*, double*,
        double*) noexcept nogil
    void group_sums_float "ENSFS_CONTINUOUS(group_sums_float)"(
        const float*, int64_t, int64_t, const int64_t*, int64_t, int64_t, int64_t, const double*,
        double*, double*, const double*, double*, double*, const double*, double*,
        float*) noexcept nogil
    void middle_double "ENSFS_CONTINUOUS(middle_double)"(
        const double*, int64_t, int64_t, const int64_t*, int64_t, int64_t,
        double*) noexcept nogil
    void middle_float "ENSFS_CONTINUOUS(middle_float)"(
        const float*, int64_t, int64_t, const int64_t*, int64_t, int64_t,
        double*) noexcept nogil
    void combine_folds "ENSFS_CONTINUOUS(combine_folds)"(
        const double*, int64_t, const int32_t*, const int64_t*, int64_t, int64_t, double*,
        int64_t) noexcept nogil
    double dot32_double "ENSFS_CONTINUOUS(dot32_double)"(
        const double*, double, const double*, double, int64_t) noexcept nogil
    double dot32_float "ENSFS_CONTINUOUS(dot32_float)"(
        const float*, double, const float*, double, int64_t) noexcept nogil
    double pearson_of_product(
        double, const double*, const double*, double, int64_t, int64_t) noexcept nogil
    void leave_one_out(
        const double*, int64_t, int64_t, int64_t, double*, int64_t, double*) noexcept nogil
    void inverse_roots(
        const double*, const double*, double, int64_t, double*, uint8_t*) noexcept nogil
    double no_rounding(double) noexcept nogil
    void f_statistics(
        const double*, const double*, const double*, int64_t, int64_t, int64_t, const double*,
        const double*, int64_t, double*, int64_t, uint8_t*, double*) noexcept nogil

continuous_init()

cdef enum:
    SUMMED = 512   # columns summed together: their accumulators stay in the cache
    STRIDED = 16   # the same, where each column lies on its own

panel_width = PANEL
row_padding = LANES
leaf_rows = LEAF

ctypedef fused real:
    float
    double


def middle_of_rows(
    const real[:, :] X,               # IN  (n, p)
    const int64_t[::1] rows,          # IN  up to 15 rows
    double[::1] out,                  # OUT (p,)
):
    """Lower median of some rows in every column: a value of the column near its middle."""
    cdef Py_ssize_t m = rows.shape[0], p = X.shape[1]
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)

    if not 1 <= m <= 15:
        raise ValueError(f"rows must have 1 to 15 entries; got {m}")
    check_length(out.shape[0], p, "out")
    if p == 0:
        return
    with nogil:
        if real is double:
            middle_double(&X[0, 0], rs, cs, &rows[0], m, p, &out[0])
        else:
            middle_float(&X[0, 0], rs, cs, &rows[0], m, p, &out[0])


cdef void add_leaf_rows(
    const void* context, int64_t leaf, const group_arrays* into
) noexcept nogil:
    """Add the rows of a leaf, run after run."""
    cdef const summed_rows* c = <const summed_rows*>context
    cdef double copy[4 * STRIDED]
    cdef const double* shift
    cdef const double* own_shift
    cdef double* at[5]
    cdef int64_t i, g, k

    for i in range(c.leaves[leaf], c.leaves[leaf + 1]):
        g = c.groups[i]
        for k in range(5):
            at[k] = NULL if into.at[k] == NULL else into.at[k] + g * into.stride
        shift = c.shift if c.centres == NULL else c.centres + g * c.centre_step
        own_shift = NULL
        if c.own_shift != NULL and g % c.n_classes != c.common:
            own_shift = c.own_shift + (g % c.n_classes) * c.own_step
        if c.is_float:
            group_sums_float(
                <const float*>c.x, c.row_stride, c.column_stride, c.rows + c.bounds[i],
                c.bounds[i + 1] - c.bounds[i], c.n_listed - c.bounds[i], c.width, shift, at[0],
                at[1], own_shift, at[2], at[3], c.y, at[4], <float*>copy)
        else:
            group_sums_double(
                <const double*>c.x, c.row_stride, c.column_stride, c.rows + c.bounds[i],
                c.bounds[i + 1] - c.bounds[i], c.n_listed - c.bounds[i], c.width, shift, at[0],
                at[1], own_shift, at[2], at[3], c.y, at[4], copy)


def add_sums(
    const real[:, :] X,               # IN  (n, p) rows of the block, any strides
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] rows,          # IN  (n,) the rows, those of a run side by side
    const int64_t[::1] bounds,        # IN  (runs + 1,) where the runs begin
    const int64_t[::1] groups,        # IN  (runs,) group of each run
    const int64_t[::1] leaves,        # IN  (leaves + 1,) first runs of the leaves of the tree
    const double[::1] shift,          # IN  (p,)
    double[:, ::1] s, double[:, ::1] q,   # OUT (groups, stop - start), zero before
    const double[:, ::1] own_shift,   # IN  (classes, p) of the groups c, c + classes, ..., or None
    Py_ssize_t common,                # IN  class whose shift is the common one, or -1
    double[:, ::1] own_s,             # OUT (groups, stop - start) or None
    double[:, ::1] own_q,
    const double[::1] y,              # IN  (n,) shifted numeric target, or None
    double[:, ::1] xy,                # OUT (groups, stop - start) or None
    const double[:, ::1] centres=None,  # IN  (groups, stop - start) in place of `shift`, or None
):
    """Sums of the columns ``start:stop`` of rows that begin with a leaf, group by group."""
    cdef Py_ssize_t width = stop - start, n_leaves = leaves.shape[0] - 1
    cdef Py_ssize_t n_groups = s.shape[0], n_sums
    cdef int64_t step, g
    cdef summed_rows c
    cdef group_arrays into
    cdef double[::1] spare

    check_range(start, stop, X.shape[1], "columns")
    n_sums = fill_sums(
        X.shape[0], start, stop, rows, bounds, groups, leaves, shift, s, q, own_shift, own_s, own_q,
        y, xy, centres, &c, &into)
    if n_sums == 0:
        return
    c.is_float, c.common = real is float, common
    c.row_stride = X.strides[0] // <Py_ssize_t>sizeof(real)
    c.column_stride = X.strides[1] // <Py_ssize_t>sizeof(real)
    c.x = <const char*>&X[0, start]
    step = columns_at_once(n_leaves, n_sums, width, SUMMED if c.column_stride == 1 else STRIDED)
    spare = room_for(levels_above(n_leaves) * n_sums * step)
    with nogil:
        add_columns(add_leaf_rows, &c, &into, width, n_leaves, n_groups, step, &spare[0])
        if own_shift is not None and common >= 0:
            g = common
            while g < s.shape[0]:
                memcpy(&own_s[g, 0], &s[g, 0], width * sizeof(double))
                memcpy(&own_q[g, 0], &q[g, 0], width * sizeof(double))
                g += c.n_classes


def leave_out(
    const double[:, ::1] folds,       # IN  (folds, width)
    double[:, :] out,                 # OUT (folds, width), rows contiguous
    double[::1] scratch,              # TEMP ((folds + 1) * width,)
):
    """Sum of every fold but one, for each fold."""
    cdef Py_ssize_t width = folds.shape[1]

    check_shape(out.shape, folds.shape[0], width, "out")
    check_space(scratch.shape[0], (folds.shape[0] + 1) * width, "scratch")
    if width:
        with nogil:
            leave_one_out(
                &folds[0, 0], width, folds.shape[0], width, &out[0, 0],
                out.strides[0] // <Py_ssize_t>sizeof(double), &scratch[0])


def combine_parts(
    const double[:, ::1] folds,       # IN  (folds, width)
    const int32_t[::1] members,       # IN  folds of the parts, one part after the other
    const int64_t[::1] bounds,        # IN  (parts + 1,) where they begin
    double[:, :] out,                 # OUT (parts, width), rows contiguous
):
    """Sum of the folds of each part, in their order."""
    cdef Py_ssize_t width = folds.shape[1], n_parts = bounds.shape[0] - 1, t

    check_bounds(bounds, members.shape[0], "bounds of the parts")
    check_places(members, folds.shape[0], "members")
    check_shape(out.shape, n_parts, width, "out")
    for t in range(n_parts):
        check_space(bounds[t + 1] - bounds[t], 1, "folds of a part")
    if width and n_parts:
        with nogil:
            combine_folds(
                &folds[0, 0], width, &members[0], &bounds[0], n_parts, width, &out[0, 0],
                out.strides[0] // <Py_ssize_t>sizeof(double))


def f_from_sums(
    const double[:, :, ::1] s,        # IN  (parts, classes, width)
    const double[:, :, ::1] q,        # IN  (parts, classes, width)
    const double[:, ::1] n_class,     # IN  (parts, classes) rows of each class in each part
    const double[:, ::1] class_shift,  # IN  (classes, p)
    const double[::1] shift,          # IN  (p,)
    Py_ssize_t start,                 # IN  first of the columns
    double[:, ::1] out,               # OUT (parts, p), written at start : start + width
    uint8_t[::1] apart,               # OUT (width,) set where a part lies far from its centres
    double[:, ::1] scratch,           # TEMP (classes, width)
):
    """F statistics of a block of columns in every part."""
    cdef Py_ssize_t width = s.shape[2]

    check_space(scratch.shape[0], s.shape[1], "scratch")
    check_length(scratch.shape[1], width, "rows of scratch")
    check_length(apart.shape[0], width, "apart")
    check_shape(q.shape, s.shape[0], s.shape[1], "q")
    check_shape(n_class.shape, s.shape[0], s.shape[1], "n_class")
    check_length(class_shift.shape[0], s.shape[1], "class_shift")
    check_length(out.shape[0], s.shape[0], "out")
    check_range(start, start + width, min(shift.shape[0], out.shape[1]), "columns")
    if width:
        with nogil:
            f_statistics(
                &s[0, 0, 0], &q[0, 0, 0], &n_class[0, 0], s.shape[0], s.shape[1], width,
                &class_shift[0, start], &shift[start], shift.shape[0], &out[0, start],
                out.shape[1], &apart[0], &scratch[0, 0])


def inverse_deviations(
    const double[:, ::1] s,           # IN  (parts, p) sums
    const double[:, ::1] q,           # IN  (parts, p) sums of squares
    const double[::1] n,              # IN  (parts,) rows
    double[:, ::1] out,               # OUT (parts, p): 1 / sqrt(deviations), 0 if constant
    uint8_t[::1] apart,               # OUT (p,) set where a part lies far from the centre
):
    """Inverse root of the squared deviations of every column in every part."""
    cdef Py_ssize_t t, width = s.shape[1]

    check_shape(q.shape, s.shape[0], s.shape[1], "q")
    check_shape(out.shape, s.shape[0], s.shape[1], "out")
    check_length(n.shape[0], s.shape[0], "n")
    check_length(apart.shape[0], s.shape[1], "apart")
    if width:
        with nogil:
            for t in range(s.shape[0]):
                inverse_roots(&s[t, 0], &q[t, 0], n[t], width, &out[t, 0], &apart[0])


def pearson_from_sums(
    const double[:, :, ::1] products,  # IN  (panels, parts, 32) sums of products with column g
    const double[:, ::1] s,           # IN  (parts, p)
    const double[:, ::1] inverse,     # IN  (parts, p)
    const double[::1] n,              # IN  (parts,)
    const double[::1] s_g,            # IN  (parts,) sums of column g
    const double[::1] inverse_g,      # IN  (parts,)
    const int64_t[::1] parts,         # IN  the parts wanted
    double[:, ::1] out,               # OUT (parts, p), the rows wanted are written
    bint signed,
):
    """Pearson correlation (or its absolute value) of every column with column g."""
    cdef Py_ssize_t i, f, t, b, width, p = s.shape[1]
    cdef double mean, scale
    cdef const double* c
    cdef const double* st
    cdef const double* inv
    cdef double* o

    check_shape(inverse.shape, s.shape[0], p, "inverse")
    check_shape(out.shape, s.shape[0], p, "out")
    check_space(products.shape[0] * PANEL, p, "products")
    check_length(products.shape[1], s.shape[0], "parts of products")
    check_length(products.shape[2], PANEL, "columns of a panel of products")
    check_places(parts, s.shape[0], "parts")
    with nogil:
        for i in range(parts.shape[0]):
            t = parts[i]
            mean = s_g[t] / n[t]
            scale = inverse_g[t]
            b = 0
            while b * PANEL < p:
                width = min(PANEL, p - b * PANEL)
                c, o = &products[b, t, 0], &out[t, b * PANEL]
                st, inv = &s[t, b * PANEL], &inverse[t, b * PANEL]
                for f in range(width):
                    o[f] = no_rounding((c[f] - st[f] * mean) * (inv[f] * scale))
                if not signed:
                    for f in range(width):
                        o[f] = fabs(o[f])
                b += 1


def pearson_with(
    const real[:, ::1] packed,        # IN  (p, padded rows) the columns ``start:stop`` are packed
    Py_ssize_t n,                     # IN  rows
    double counted,                   # IN  the same, or the sum of their weights
    Py_ssize_t start, Py_ssize_t stop,
    Py_ssize_t g,                     # IN  column
    const real[::1] target,           # IN  (padded rows,) column g, packed
    const double[::1] shift,          # IN  (p,)
    const double[::1] s,              # IN  (p,) sums
    const double[::1] inverse,        # IN  (p,)
    double[::1] out,                  # OUT (p,)
):
    """|Pearson| of packed columns with one of them."""
    cdef Py_ssize_t f, rows = (n + LANES - 1) // LANES * LANES
    cdef double product

    check_range(start, stop, min(packed.shape[0], out.shape[0]), "columns")
    check_space(packed.shape[1], rows, "rows of packed")
    check_space(target.shape[0], rows, "target")
    with nogil:
        for f in range(start, stop):
            if real is double:
                product = dot32_double(&packed[f, 0], 0.0, &target[0], 0.0, rows)
            else:
                product = dot32_float(&packed[f, 0], shift[f], &target[0], shift[g], rows)
            out[f] = pearson_of_product(product, &s[0], &inverse[0], counted, f, g)

"""Additive statistics of continuous columns: sums, products and what follows from them.

Matrices come as the user has them (any strides, float32 or float64); everything is summed in
float64 after a shift by a value near the middle of the column.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from ensfs._core.checks cimport check_bounds, check_places
from ensfs._core.fold_centres cimport centred_product, fold_centres, read_centres

cdef extern from "continuous.h":
    ctypedef double (*pair_function)(void*, int64_t, int64_t, int64_t) noexcept nogil
    ctypedef struct column_store:
        const void* source
        int64_t row_stride, column_stride, n, packed_rows, packed_stride
        void* packed
        int32_t* place
        int64_t* n_packed
        const double* shift
        const double* sum
        const double* inverse
        const double* with_first
        const fold_centres* centres
        int is_float
        int64_t n_folds, part
        double rows_of_part
        double* fold_sums
    void continuous_init() noexcept
    void greedy_init() noexcept
    void group_sums_double(
        const double*, int64_t, int64_t, const int64_t*, int64_t, int64_t, int64_t, const double*,
        double*, double*, const double*, double*, double*, const double*, double*,
        double*) noexcept nogil
    void group_sums_float(
        const float*, int64_t, int64_t, const int64_t*, int64_t, int64_t, int64_t, const double*,
        double*, double*, const double*, double*, double*, const double*, double*,
        float*) noexcept nogil
    void middle_double(
        const double*, int64_t, int64_t, const int64_t*, int64_t, int64_t,
        double*) noexcept nogil
    void middle_float(
        const float*, int64_t, int64_t, const int64_t*, int64_t, int64_t,
        double*) noexcept nogil
    void pack_columns_double(
        const double*, int64_t, int64_t, const int64_t*, int64_t, int64_t, const double*, int64_t,
        int64_t, double*, int64_t) noexcept nogil
    void pack_columns_float(
        const float*, int64_t, int64_t, const int64_t*, int64_t, int64_t, const double*, int64_t,
        int64_t, float*, int64_t) noexcept nogil
    double dot32_double(const double*, double, const double*, double, int64_t) noexcept nogil
    double dot32_float(const float*, double, const float*, double, int64_t) noexcept nogil
    void fold_products_double(
        const double*, const double*, const double*, const double*, int, int64_t, int64_t,
        double*) noexcept nogil
    void fold_products_float(
        const float*, const double*, const float*, const double*, int, int64_t, int64_t,
        double*) noexcept nogil
    double pearson_of_product(
        double, const double*, const double*, double, int64_t, int64_t) noexcept nogil
    void pack_panel_double(
        const double*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, double*) noexcept nogil
    void pack_panel_float(
        const float*, int64_t, int64_t, const int64_t*, const int64_t*, int64_t, int64_t,
        const double*, int64_t, float*) noexcept nogil
    void panel_products_double(
        const double*, const double*, int64_t, const double*, const int64_t*, int64_t, double*,
        int64_t) noexcept nogil
    void panel_products_float(
        const float*, const double*, int64_t, const double*, const int64_t*, int64_t, double*,
        int64_t) noexcept nogil
    void leave_one_out(
        const double*, int64_t, int64_t, int64_t, double*, int64_t, double*) noexcept nogil
    double deviations(double, double, double) noexcept nogil
    int far_from_centre(double, double) noexcept nogil
    double no_rounding(double) noexcept nogil
    void f_statistics(
        const double*, const double*, const double*, int64_t, int64_t, int64_t, const double*,
        const double*, int64_t, double*, int64_t, uint8_t*, double*) noexcept nogil
    double pearson_pair(void*, int64_t, int64_t, int64_t) noexcept nogil
    ctypedef struct search_state:
        pair_function pair
        void (*prepare)(void*, int64_t, int64_t) noexcept nogil
        void* context
        const double* relevance
        double* terms
        int32_t* evaluated
        double* nearest_value
        int32_t* nearest
        double* bounds
        int32_t* touched
        int64_t* selected
        double* scores
        double* redundancy
        int32_t* depth
    int64_t room_for_scores(int64_t) noexcept nogil
    int32_t lazy_search(
        search_state*, int64_t, int64_t, int64_t, int32_t, int32_t, int, const int64_t*, int64_t*,
        int64_t) noexcept nogil

continuous_init()
greedy_init()

cdef enum:
    PANEL = 32     # columns of a panel
    LANES = 32     # rows of a packed column are padded to a multiple of this
    BLOCK = 512    # columns summed together: their accumulators stay in the cache
    STRIDED = 16   # the same, where each column lies on its own
    PARTS = 16     # parts searched together
    AT_ONCE = 16   # columns that they go through together, a block of tops: these stay in the cache

panel_width = PANEL
max_parts = PARTS
row_padding = LANES

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

    if m == 0 or m > 15 or out.shape[0] != p:
        raise ValueError("shapes do not agree")
    if p == 0:
        return
    with nogil:
        if real is double:
            middle_double(&X[0, 0], rs, cs, &rows[0], m, p, &out[0])
        else:
            middle_float(&X[0, 0], rs, cs, &rows[0], m, p, &out[0])


def add_sums(
    const real[:, :] X,               # IN  (n, p) rows of the block, any strides
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] rows,          # IN  (n,) the rows, those of a run side by side
    const int64_t[::1] bounds,        # IN  (runs + 1,) where the runs begin
    const int64_t[::1] groups,        # IN  (runs,) group of each run
    const double[::1] shift,          # IN  (p,)
    double[:, ::1] s, double[:, ::1] q,   # OUT (groups, stop - start), added to
    const double[:, ::1] own_shift,   # IN  (classes, p) of the groups c, c + classes, ..., or None
    Py_ssize_t common,                # IN  class whose shift is the common one, or -1
    double[:, ::1] own_s,             # OUT (groups, stop - start) or None
    double[:, ::1] own_q,
    const double[::1] y,              # IN  (n,) shifted numeric target, or None
    double[:, ::1] xy,                # OUT (groups, stop - start) or None
    const double[:, ::1] centres=None,  # IN  (groups, stop - start) in place of `shift`, or None
):
    """Add the sums of the columns ``start:stop`` of a block of rows, group by group."""
    cdef Py_ssize_t n_runs = groups.shape[0], width = stop - start, b, w, i
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef int64_t step = BLOCK if cs == 1 else STRIDED, g, n_classes = 1
    cdef real copy[4 * STRIDED]
    cdef const double* shift_at
    cdef const double* own_shift_at = NULL
    cdef const double* y_at = NULL
    cdef double* own_s_at = NULL
    cdef double* own_q_at = NULL
    cdef double* xy_at = NULL

    if q.shape[1] != width or s.shape[1] != width or q.shape[0] != s.shape[0]:
        raise ValueError("shapes do not agree")
    if rows.shape[0] > X.shape[0] or bounds.shape[0] != n_runs + 1 or shift.shape[0] < stop:
        raise ValueError("shapes do not agree")
    if centres is not None and (centres.shape[0] != s.shape[0] or centres.shape[1] != width):
        raise ValueError("shapes do not agree")
    check_bounds(bounds, rows.shape[0], "bounds of the runs")
    check_places(groups, s.shape[0], "groups")
    if n_runs == 0 or width == 0:
        return
    if own_shift is not None:
        n_classes = own_shift.shape[0]
    if y is not None:
        y_at = &y[0]
    with nogil:
        b = 0
        while b < width:
            w = min(step, width - b)
            for i in range(n_runs):
                g = groups[i]
                shift_at = &shift[start + b] if centres is None else &centres[g, b]
                own_shift_at = NULL
                if own_shift is not None and g % n_classes != common:
                    own_shift_at = &own_shift[g % n_classes, start + b]
                    own_s_at = &own_s[g, b]
                    own_q_at = &own_q[g, b]
                if y_at != NULL:
                    xy_at = &xy[g, b]
                if real is double:
                    group_sums_double(
                        &X[0, start + b], rs, cs, &rows[bounds[i]], bounds[i + 1] - bounds[i],
                        rows.shape[0] - bounds[i], w, shift_at, &s[g, b], &q[g, b],
                        own_shift_at, own_s_at, own_q_at, y_at, xy_at, copy)
                else:
                    group_sums_float(
                        &X[0, start + b], rs, cs, &rows[bounds[i]], bounds[i + 1] - bounds[i],
                        rows.shape[0] - bounds[i], w, shift_at, &s[g, b], &q[g, b],
                        own_shift_at, own_s_at, own_q_at, y_at, xy_at, copy)
            b += w
        if own_shift is not None and common >= 0:
            g = common
            while g < s.shape[0]:
                memcpy(&own_s[g, 0], &s[g, 0], width * sizeof(double))
                memcpy(&own_q[g, 0], &q[g, 0], width * sizeof(double))
                g += n_classes


def leave_out(
    const double[:, ::1] folds,       # IN  (folds, width)
    double[:, :] out,                 # OUT (folds, width), rows contiguous
    double[::1] scratch,              # TEMP ((folds + 1) * width,)
):
    """Sum of every fold but one, for each fold."""
    cdef Py_ssize_t width = folds.shape[1]

    if out.shape[0] != folds.shape[0] or out.shape[1] != width:
        raise ValueError("shapes do not agree")
    if scratch.shape[0] < (folds.shape[0] + 1) * width:
        raise ValueError("shapes do not agree")
    if width:
        with nogil:
            leave_one_out(
                &folds[0, 0], width, folds.shape[0], width, &out[0, 0],
                out.strides[0] // <Py_ssize_t>sizeof(double), &scratch[0])


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

    if scratch.shape[0] < s.shape[1] or scratch.shape[1] != width or apart.shape[0] != width:
        raise ValueError("shapes do not agree")
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
    cdef Py_ssize_t t, f
    cdef double ss

    if apart.shape[0] != s.shape[1]:
        raise ValueError("shapes do not agree")
    with nogil:
        for t in range(s.shape[0]):
            for f in range(s.shape[1]):
                ss = deviations(s[t, f], q[t, f], n[t])
                out[t, f] = 1.0 / sqrt(ss) if ss > 0.0 else 0.0
                apart[f] |= far_from_centre(q[t, f], ss)


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

    if out.shape[0] != s.shape[0] or out.shape[1] != p or products.shape[2] != PANEL:
        raise ValueError("shapes do not agree")
    if products.shape[0] * PANEL < p or products.shape[1] != s.shape[0]:
        raise ValueError("shapes do not agree")
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


def pack_columns(
    const real[:, :] X,               # IN  (n, p)
    Py_ssize_t start, Py_ssize_t stop,
    const double[:, ::1] shift,       # IN  (1 or folds, p or more)
    real[:, ::1] out,                 # OUT (p, padded rows): one packed column per row
    int32_t[::1] place,               # OUT (p,) row of each column in `out`
    const int64_t[::1] rows=None,     # IN  row for each place of a packed column, or -1
    Py_ssize_t n_folds=1,             # IN  folds that lie side by side in `rows`
):
    """Pack the columns ``start:stop`` for the lazy search, each in its own row."""
    cdef Py_ssize_t f, n = X.shape[0] if rows is None else rows.shape[0]
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)
    cdef const int64_t* rows_at = NULL

    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]

    if out.shape[1] < n or out.shape[0] != X.shape[1] or shift.shape[1] < stop:
        raise ValueError("shapes do not agree")
    if shift.shape[0] != 1 and shift.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if stop <= start or n == 0:
        return
    if rows is not None:
        rows_at = &rows[0]
    with nogil:
        if real is double:
            pack_columns_double(
                &X[0, start], rs, cs, rows_at, n, stop - start, &shift[0, start], fold_step,
                n_folds, &out[start, 0], out.shape[1])
        else:
            pack_columns_float(
                &X[0, start], rs, cs, rows_at, n, stop - start, &shift[0, start], fold_step,
                n_folds, &out[start, 0], out.shape[1])
        for f in range(start, stop):
            place[f] = <int32_t>f


def pearson_with(
    const real[:, ::1] packed,        # IN  (p, padded rows) the columns ``start:stop`` are packed
    Py_ssize_t n,                     # IN  rows
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

    if packed.shape[1] < rows or target.shape[0] < rows or stop > out.shape[0]:
        raise ValueError("shapes do not agree")
    with nogil:
        for f in range(start, stop):
            if real is double:
                product = dot32_double(&packed[f, 0], 0.0, &target[0], 0.0, rows)
            else:
                product = dot32_float(&packed[f, 0], shift[f], &target[0], shift[g], rows)
            out[f] = pearson_of_product(product, &s[0], &inverse[0], <double>n, f, g)


def part_pearson_with(
    const real[:, ::1] packed,        # IN  (p, room) folds side by side; ``start:stop`` are packed
    Py_ssize_t n_rows,                # IN  rows of the largest fold
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] columns,       # IN  some columns
    const real[:, ::1] targets,       # IN  (columns, room) the same, packed
    const int64_t[::1] wanted,        # IN  (parts,) which of them each part wants
    const double[::1] shift,          # IN  (p,)
    const double[:, ::1] s,           # IN  (parts, p) sums
    const double[:, ::1] inverse,     # IN  (parts, p)
    const double[::1] n,              # IN  (parts,)
    double[:, ::1] out,               # OUT (parts, p)
    double[::1] scratch,              # TEMP (3 * folds + 9,)
    tuple centres=None,               # IN  centres of the folds, by column, if some lie apart
):
    """|Pearson| of packed columns with one of the columns in every part."""
    cdef Py_ssize_t f, u, t, g, n_folds = s.shape[0]
    cdef double product
    cdef double* sums = &scratch[0]
    cdef double* left_out = sums + n_folds + 8
    cdef fold_centres own
    cdef const double* x_shift
    cdef const double* y_shift
    cdef bint by_fold = centres is not None

    if by_fold:
        read_centres(centres, &own)
        if own.fold_step != 1 or own.n_folds != n_folds or own.column_step < n_folds + 8:
            raise ValueError("shapes do not agree")

    if packed.shape[1] < n_rows * n_folds + 8 or targets.shape[1] < n_rows * n_folds + 8:
        raise ValueError("shapes do not agree")
    if scratch.shape[0] < 3 * n_folds + 9 or stop > out.shape[1] or wanted.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    with nogil:
        for f in range(start, stop):
            for u in range(columns.shape[0]):
                g = columns[u]
                x_shift, y_shift = &shift[f], &shift[g]
                if by_fold:
                    x_shift = own.shift + f * own.column_step
                    y_shift = own.shift + g * own.column_step
                if real is double:
                    fold_products_double(
                        &packed[f, 0], x_shift, &targets[u, 0], y_shift, by_fold, n_rows, n_folds,
                        sums)
                else:
                    fold_products_float(
                        &packed[f, 0], x_shift, &targets[u, 0], y_shift, by_fold, n_rows, n_folds,
                        sums)
                leave_one_out(sums, 1, n_folds, 1, left_out, 1, left_out + n_folds)
                for t in range(n_folds):
                    if wanted[t] == u:
                        product = left_out[t]
                        if by_fold and (own.apart[f] or own.apart[g]):
                            product = centred_product(&own, sums, f, g, t)
                        out[t, f] = pearson_of_product(
                            product, &s[t, 0], &inverse[t, 0], n[t], f, g)


def lazy_pearson_search(
    const real[:, :] X,               # IN  (n, p), read for columns packed on demand
    real[:, ::1] packed,              # IN/OUT (p, padded rows)
    int32_t[::1] place,               # IN/OUT (p,) row of each column in `packed`, or -1
    int64_t[::1] n_packed,            # IN/OUT (1,) rows in use, where columns are packed on demand
    const double[::1] shift,          # IN  (p,)
    const double[:, ::1] s,           # IN  (parts, p) sums
    const double[:, ::1] inverse,     # IN  (parts, p)
    const double[:, ::1] with_first,  # IN  (parts, p) the measure with the first one, if known
    const double[::1] n_rows,         # IN  (parts,) rows of each part
    Py_ssize_t first_part,            # IN  the fold that the first of them leaves out
    Py_ssize_t fold_rows,             # IN  rows of the largest fold
    double[::1] fold_sums,            # TEMP (folds + 8,), or None if all rows are one part
    tuple centres,                    # IN  centres of the folds, by column, or None
    const double[:, ::1] relevance,   # IN  (parts, p), -inf for constant columns
    double[:, ::1] terms,             # IN/OUT (parts, p) sum (or least) of the terms so far
    int32_t[:, ::1] evaluated,        # IN/OUT (parts, p) how many of them; negative if taken
    double[:, ::1] nearest_value,     # IN/OUT (parts, p) largest redundancy seen, or None
    int32_t[:, ::1] nearest,          # IN/OUT (parts, p) and with which choice
    double[:, ::1] bounds,            # TEMP (parts, scores_room(p))
    int32_t[:, ::1] touched,          # TEMP (parts, p)
    int64_t[:, ::1] selected,         # IN/OUT (parts, k) columns in the order of selection
    double[:, ::1] scores,            # OUT (parts, k) their scores
    double[:, ::1] redundancy,        # OUT (parts, k) the mean of their terms
    int32_t[:, ::1] depth,            # OUT (parts, k) how many of them were evaluated
    int64_t[::1] candidates,          # TEMP (p,)
    int start, int stop,              # IN  steps
    int criterion,                    # IN  flags
    const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
    Py_ssize_t limit,                 # IN  pairs to read at most
):
    """Steps of greedy selection by exact lazy evaluation in some parts; the step it came to.

    That is before `stop` if the limit was reached: calling again goes on from there.
    """
    cdef column_store store[PARTS]
    cdef search_state state[PARTS]
    cdef fold_centres own
    cdef Py_ssize_t t, p = X.shape[1], n_parts = relevance.shape[0]
    cdef int32_t reached

    if p == 0 or X.shape[0] == 0 or not 0 < n_parts <= PARTS or s.shape[0] != n_parts:
        raise ValueError("shapes do not agree")
    if selected.shape[0] != n_parts or not 0 <= start <= stop <= selected.shape[1]:
        raise ValueError("shapes do not agree")
    if bounds.shape[0] != n_parts or bounds.shape[1] < room_for_scores(p):
        raise ValueError("shapes do not agree")
    if candidates.shape[0] < p or touched.shape[0] != n_parts or touched.shape[1] != p:
        raise ValueError("shapes do not agree")
    if fold_sums is not None and packed.shape[1] < fold_rows * (fold_sums.shape[0] - 8) + 8:
        raise ValueError("shapes do not agree")
    if centres is not None:
        read_centres(centres, &own)
        if fold_sums is None or own.n_folds != fold_sums.shape[0] - 8 or own.fold_step != 1:
            raise ValueError("shapes do not agree")
        if own.column_step < own.n_folds + 8 or first_part + n_parts > own.n_parts:
            raise ValueError("shapes do not agree")
    for t in range(n_parts):
        store[t].centres = NULL if centres is None else &own
        store[t].source = &X[0, 0]
        store[t].row_stride = X.strides[0] // <Py_ssize_t>sizeof(real)
        store[t].column_stride = X.strides[1] // <Py_ssize_t>sizeof(real)
        store[t].n = X.shape[0]
        store[t].packed_rows = (X.shape[0] + LANES - 1) // LANES * LANES
        store[t].packed_stride = packed.shape[1]
        store[t].packed = &packed[0, 0]
        store[t].place = &place[0]
        store[t].n_packed = &n_packed[0]
        store[t].shift = &shift[0]
        store[t].sum = &s[t, 0]
        store[t].inverse = &inverse[t, 0]
        store[t].with_first = NULL if with_first is None else &with_first[t, 0]
        store[t].is_float = real is float
        store[t].rows_of_part = n_rows[t]
        store[t].n_folds = 0
        if fold_sums is not None:
            store[t].part = first_part + t
            store[t].n_folds = fold_sums.shape[0] - 8
            store[t].fold_sums = &fold_sums[0]
            store[t].packed_rows = fold_rows
        state[t].pair = pearson_pair
        state[t].prepare = NULL
        state[t].context = &store[t]
        state[t].relevance = &relevance[t, 0]
        state[t].terms = &terms[t, 0]
        state[t].evaluated = &evaluated[t, 0]
        state[t].nearest_value = NULL if nearest_value is None else &nearest_value[t, 0]
        state[t].nearest = NULL if nearest is None else &nearest[t, 0]
        state[t].bounds = &bounds[t, 0]
        state[t].touched = &touched[t, 0]
        state[t].selected = &selected[t, 0]
        state[t].scores = &scores[t, 0]
        state[t].redundancy = &redundancy[t, 0]
        state[t].depth = &depth[t, 0]
    with nogil:
        reached = lazy_search(
            state, n_parts, p, p if n_parts == 1 else AT_ONCE, start, stop, criterion,
            NULL if hints is None else &hints[0], &candidates[0], limit)
    return reached


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

    if n == 0 or out.shape[1] != n or out.shape[2] != PANEL or stop > out.shape[0]:
        raise ValueError("shapes do not agree")
    if shift.shape[1] < PANEL * stop or (fold_step and shift.shape[0] != n_folds):
        raise ValueError("shapes do not agree")
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

    if shift.shape[1] < PANEL * panels.shape[0] or (by_fold and shift.shape[0] != n_folds):
        raise ValueError("shapes do not agree")
    if targets.shape[0] > 4 or out.shape[0] != panels.shape[1] or out.shape[1] != 4:
        raise ValueError("shapes do not agree")
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

    if shift.shape[1] < PANEL * stop or (fold_step and shift.shape[0] != n_folds):
        raise ValueError("shapes do not agree")
    if sums.shape[1] != 4 * n_groups or sums.shape[2] != n_folds or sums.shape[3] != PANEL:
        raise ValueError("shapes do not agree")
    if panels.shape[1] == 0:
        return
    with nogil:
        for b in range(start, stop):
            for k in range(n_groups):
                if real is double:
                    panel_products_double(
                        &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                        &bounds[0], n_folds, &sums[b - start, 4 * k, 0, 0], n_folds * PANEL)
                else:
                    panel_products_float(
                        &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                        &bounds[0], n_folds, &sums[b - start, 4 * k, 0, 0], n_folds * PANEL)


def part_products(
    const real[:, :, ::1] panels,     # IN  (panels, n, 32)
    const double[:, ::1] shift,       # IN  (1 or folds, 32 * panels)
    const double[:, :, ::1] y,        # IN  (groups, n, 4) targets, four side by side
    const int64_t[::1] bounds,        # IN  (folds + 1,) rows of each fold
    Py_ssize_t start, Py_ssize_t stop,    # panels
    list out,                         # OUT one array (panels, folds, 32) a target, 256 at most
    double[:, :, ::1] work,           # TEMP (4 * groups + 2, folds, 32)
):
    """Leave-one-fold-out sums of products of every column with every target, in one pass."""
    cdef Py_ssize_t b, k, n_folds = bounds.shape[0] - 1, n_groups = y.shape[0]
    cdef Py_ssize_t n_targets = len(out)
    cdef int64_t fold_step = 0 if shift.shape[0] == 1 else shift.shape[1]
    cdef double* target_out[256]
    cdef double[:, :, ::1] view

    if work.shape[0] < 4 * n_groups + 2 or work.shape[1] != n_folds or panels.shape[1] == 0:
        raise ValueError("shapes do not agree")
    if shift.shape[1] < PANEL * stop or (fold_step and shift.shape[0] != n_folds):
        raise ValueError("shapes do not agree")
    if n_targets > 256 or n_targets > 4 * n_groups:
        raise ValueError("shapes do not agree")
    for k in range(n_targets):
        view = out[k]
        if view.shape[0] < stop or view.shape[1] != n_folds or view.shape[2] != PANEL:
            raise ValueError("shapes do not agree")
        target_out[k] = &view[0, 0, 0]
    with nogil:
        for b in range(start, stop):
            memset(&work[0, 0, 0], 0, 4 * n_groups * n_folds * PANEL * sizeof(double))
            for k in range(n_groups):
                if real is double:
                    panel_products_double(
                        &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                        &bounds[0], n_folds, &work[4 * k, 0, 0], n_folds * PANEL)
                else:
                    panel_products_float(
                        &panels[b, 0, 0], &shift[0, PANEL * b], fold_step, &y[k, 0, 0],
                        &bounds[0], n_folds, &work[4 * k, 0, 0], n_folds * PANEL)
            for k in range(n_targets):
                leave_one_out(
                    &work[k, 0, 0], PANEL, n_folds, PANEL, target_out[k] + b * n_folds * PANEL,
                    PANEL, &work[4 * n_groups, 0, 0])


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
        if view.shape[0] != sums.shape[0] or view.shape[1] != n_folds or view.shape[2] != PANEL:
            raise ValueError("shapes do not agree")
        if t >= sums.shape[1] or scratch.shape[0] <= n_folds or scratch.shape[1] != PANEL:
            raise ValueError("shapes do not agree")
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
        if sums.shape[2] != LANES or t >= sums.shape[1] or view.shape[0] < start + sums.shape[0]:
            raise ValueError("shapes do not agree")
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

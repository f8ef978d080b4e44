"""Products of all columns with all columns, leaf by leaf, and a lazy search that looks into them.

For tables with many rows and few columns: these take longer to copy than to multiply.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_range, check_shape, check_space
from ensfs._core.greedy cimport SearchArrays, greedy_init, lazy_search, search_state
from ensfs._core.layout cimport LANES, LEAF

cdef extern from "gram.h":
    enum:
        QUARTER
        LEAST_COLUMNS
    void gram_init() noexcept
    void gram_of_leaf "ENSFS_GRAM(gram_of_leaf)"(
        const double*, int64_t, int64_t, double*, double*) noexcept nogil
    double pearson_of_product(
        double, const double*, const double*, double, int64_t, int64_t) noexcept nogil

gram_init()
greedy_init()

ctypedef fused real:
    float
    double


def columns_with(Py_ssize_t p):
    """Columns that so many are filled up to."""
    return max(p, LEAST_COLUMNS)


def scratch_size(Py_ssize_t p):
    """Numbers that `add_leaf` needs for p columns."""
    return columns_with(p) * (4 * QUARTER + LANES * LEAST_COLUMNS)


cdef inline void pack_eight(
    const real* column, int64_t row_stride, double shift, int64_t n, double* out
) noexcept nogil:
    """Eight rows of a column, shifted; those beyond `n` count as 0."""
    cdef int64_t r

    if n >= 8:
        for r in range(8):
            out[r] = <double>column[r * row_stride] - shift
        return
    for r in range(8):
        out[r] = <double>column[r * row_stride] - shift if r < n else 0.0


cdef void pack_leaf(
    const real* x, int64_t row_stride, int64_t column_stride, const double* shift, int64_t n,
    int64_t p, int64_t width, double* out,
) noexcept nogil:
    """Pack a leaf as gram.h says, in the order in which it lies in memory."""
    cdef int64_t i, f, stop = (n + LANES - 1) // LANES * LANES
    cdef double* at

    if row_stride == 1:
        for f in range(p):
            for i in range(0, stop, 8):
                at = out + (i % LANES // 8 * width + f) * QUARTER + i // LANES * 8
                pack_eight(x + i + f * column_stride, 1, shift[f], n - i, at)
    else:
        for i in range(0, stop, 8):
            at = out + i % LANES // 8 * width * QUARTER + i // LANES * 8
            for f in range(p):
                pack_eight(
                    x + i * row_stride + f * column_stride, row_stride, shift[f], n - i,
                    at + f * QUARTER)
    for f in range(p, width):
        for i in range(4):
            memset(out + (i * width + f) * QUARTER, 0, stop // 4 * sizeof(double))


def products_of_leaf(
    const real[:, :] X,               # IN  (at most 4096, p) the rows of a leaf
    const double[::1] shift,          # IN  (p or more,) what columns are measured from
    double[::1] scratch,              # TEMP (scratch_size(p),)
    double[:, ::1] out,               # OUT (columns_with(p), the same) [f, g] for g >= f
):
    """Sums of products of all columns with all."""
    cdef int64_t n = X.shape[0], p = X.shape[1], width = columns_with(X.shape[1])
    cdef int64_t rs = X.strides[0] // <Py_ssize_t>sizeof(real)
    cdef int64_t cs = X.strides[1] // <Py_ssize_t>sizeof(real)

    check_range(1, n, LEAF, "rows of X")
    check_space(p, 1, "columns of X")
    check_space(shift.shape[0], p, "shift")
    check_space(scratch.shape[0], scratch_size(p), "scratch")
    check_shape(out.shape, width, width, "out")
    with nogil:
        pack_leaf(&X[0, 0], rs, cs, &shift[0], n, p, width, &scratch[0])
        gram_of_leaf(
            &scratch[0], width, (n + LANES - 1) // LANES * 8,
            &scratch[4 * QUARTER * width], &out[0, 0])


cdef struct product_table:
    const double* products
    int64_t stride
    const double* s
    const double* inverse
    double n


cdef double pearson_pair(void* context, int64_t f, int64_t g, int64_t place) noexcept nogil:
    """|Pearson| of two columns."""
    cdef const product_table* c = <const product_table*>context

    return pearson_of_product(
        c.products[min(f, g) * c.stride + max(f, g)], c.s, c.inverse, c.n, f, g)


def lazy_product_search(
    const double[:, ::1] products,    # IN  (p or more, the same) [f, g] for g >= f
    const double[::1] s,              # IN  (p,) sums
    const double[::1] inverse,        # IN  (p,) inverse root of the squared deviations
    double n,                         # IN  rows, or the sum of their weights
    SearchArrays arrays,              # IN/OUT of one part
    int start, int stop,              # IN  steps
    int criterion,                    # IN  flags
    const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
    Py_ssize_t limit,                 # IN  pairs to look at at most
):
    """Steps of greedy selection by exact lazy evaluation; the step it came to.

    That is before `stop` if the limit was reached: calling again goes on from there.
    """
    cdef Py_ssize_t p = arrays.n_features
    cdef search_state state
    cdef product_table table
    cdef int32_t reached

    check_length(arrays.n_parts, 1, "parts")
    check_space(products.shape[0], p, "products")
    check_length(products.shape[1], products.shape[0], "rows of products")
    check_length(s.shape[0], p, "s")
    check_length(inverse.shape[0], p, "inverse")
    arrays.check_steps(start, stop, hints)
    table.products, table.stride = &products[0, 0], products.shape[1]
    table.s, table.inverse, table.n = &s[0], &inverse[0], n
    arrays.fill(0, &state)
    state.pair, state.prepare, state.context = pearson_pair, NULL, &table
    with nogil:
        reached = lazy_search(
            &state, 1, p, p, start, stop, criterion, NULL if hints is None else &hints[0],
            &arrays.candidates[0], limit)
    return reached

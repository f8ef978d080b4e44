"""Lazy searches in sparse columns by their correlations."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t

from ensfs._core.checks cimport check_length, check_range, check_space
from ensfs._core.greedy cimport SearchArrays, greedy_init, lazy_search, search_state
from ensfs._core.sparse cimport StoredCells

cdef extern from "deviations.h":
    double no_rounding(double) noexcept nogil

greedy_init()

ctypedef fused value_t:
    float
    double

cdef struct product_store:
    const int64_t* starts
    const int32_t* rows
    const void* values
    bint is_float
    const double* shift             # (columns,) centres
    const double* sum               # (columns,) sums from them
    const double* inverse           # (columns,) inverse roots of the squared deviations
    const double* with_first        # (columns,) what is known of the first choice, or NULL
    const uint8_t* member           # (rows,) whether a row is in the part, or NULL for all
    double n                        # rows of the part
    int64_t n_rows
    double* targets                 # (places, rows) selected columns from their centres


cdef inline double _product(
    product_store* s, const value_t* values, int64_t f, const double* y, double y_sum
) noexcept nogil:
    """Sum of products of column f and a target, which is 0 in rows outside of the part."""
    cdef int64_t k, i
    cdef double total = 0.0, rest = y_sum, stored = 0.0, h = s.shift[f]

    if h == 0.0:
        for k in range(s.starts[f], s.starts[f + 1]):
            total += values[k] * y[s.rows[k]]
        return total
    for k in range(s.starts[f], s.starts[f + 1]):
        i = s.rows[k]
        total += (values[k] - h) * y[i]
        rest -= y[i]
        stored += 1.0 if s.member == NULL else s.member[i]
    return total - h * rest if stored < s.n else total


cdef double _pair(void* store, int64_t f, int64_t g, int64_t place) noexcept nogil:
    """Correlation of column f with the target at a place, without its sign."""
    cdef product_store* s = <product_store*>store
    cdef const double* y = s.targets + place * s.n_rows
    cdef double product

    if place == 0 and s.with_first != NULL:
        return s.with_first[f]
    if s.is_float:
        product = _product(s, <const float*>s.values, f, y, s.sum[g])
    else:
        product = _product(s, <const double*>s.values, f, y, s.sum[g])
    return fabs(
        no_rounding((product - s.sum[f] * (s.sum[g] / s.n)) * (s.inverse[f] * s.inverse[g])))


cdef inline void _spread(
    product_store* s, const value_t* values, int64_t g, double* y
) noexcept nogil:
    cdef int64_t i, k

    for i in range(s.n_rows):
        y[i] = 0.0 if s.member != NULL and not s.member[i] else -s.shift[g]
    for k in range(s.starts[g], s.starts[g + 1]):
        i = s.rows[k]
        if s.member == NULL or s.member[i]:
            y[i] = values[k] - s.shift[g]


cdef void _prepare(void* store, int64_t place, int64_t g) noexcept nogil:
    """Spread column g over all rows, as the target at a place."""
    cdef product_store* s = <product_store*>store
    cdef double* y = s.targets + place * s.n_rows

    if s.is_float:
        _spread(s, <const float*>s.values, g, y)
    else:
        _spread(s, <const double*>s.values, g, y)


cdef class SparseSearch:
    """Sparse columns in one part, for one thread."""

    cdef product_store store
    cdef object keep
    cdef Py_ssize_t n_columns, n_places

    def __init__(
        self,
        StoredCells cells,
        values,                           # IN  (cells,) float32 or float64
        const double[::1] shift,          # IN  (columns or more,)
        const double[::1] sums,           # IN  (columns,)
        const double[::1] inverse,        # IN  (columns,)
        const double[::1] with_first,     # IN  (columns,) or None
        const uint8_t[::1] member,        # IN  (rows,) or None for all
        double n,                         # IN  rows of the part
        double[:, ::1] targets,           # TEMP (places, rows)
    ):
        cdef const float[::1] narrow
        cdef const double[::1] wide
        cdef product_store* s = &self.store

        cells.check()
        check_length(values.shape[0], cells.rows.shape[0], "values")
        check_space(shift.shape[0], cells.n_columns, "shift")
        check_length(sums.shape[0], cells.n_columns, "sums")
        check_length(inverse.shape[0], cells.n_columns, "inverse")
        if with_first is not None:
            check_length(with_first.shape[0], cells.n_columns, "with_first")
        if member is not None:
            check_length(member.shape[0], cells.n_rows, "member")
        check_length(targets.shape[1], cells.n_rows, "rows of targets")
        check_space(targets.shape[0], 1, "targets")
        self.keep = (cells, values, shift, sums, inverse, with_first, member, targets)
        self.n_columns, self.n_places = cells.n_columns, targets.shape[0]
        s.starts, s.rows, s.values = &cells.starts[0], NULL, NULL
        s.is_float = values.dtype.itemsize == 4
        if cells.rows.shape[0]:
            s.rows = &cells.rows[0]
            if s.is_float:
                narrow = values
                s.values = &narrow[0]
            else:
                wide = values
                s.values = &wide[0]
        s.shift, s.sum, s.inverse = &shift[0], &sums[0], &inverse[0]
        s.with_first = NULL if with_first is None else &with_first[0]
        s.member = NULL if member is None else &member[0]
        s.n, s.n_rows, s.targets = n, cells.n_rows, &targets[0, 0]

    def search(
        self,
        SearchArrays arrays,              # IN/OUT of one part
        int start, int stop,              # IN  steps
        int criterion,                    # IN  flags
        const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
        Py_ssize_t limit,                 # IN  pairs to read at most
    ):
        """Steps of greedy selection by exact lazy evaluation; returns the step it came to."""
        cdef search_state state
        cdef Py_ssize_t p = arrays.n_features
        cdef int32_t reached

        check_length(arrays.n_parts, 1, "the parts of arrays")
        check_range(0, p, self.n_columns, "columns")
        check_range(0, stop, self.n_places, "targets")
        arrays.check_steps(start, stop, hints)
        arrays.fill(0, &state)
        state.pair = _pair
        state.prepare = _prepare
        state.context = &self.store
        with nogil:
            reached = lazy_search(
                &state, 1, p, p, start, stop, criterion, NULL if hints is None else &hints[0],
                &arrays.candidates[0], limit)
        return reached

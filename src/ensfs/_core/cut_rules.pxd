"""Arithmetic that the rules of cutting columns share, for rows with and without weights."""

from libc.math cimport INFINITY, fabs, log2, pow
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

cdef extern from *:
    """
    /* Entropies closer than this are equal: they are sums of few logarithms of counts. */
    #define ENSFS_ENTROPY_TOLERANCE 1e-12
    """
    const double ENTROPY_TOLERANCE "ENSFS_ENTROPY_TOLERANCE"


cdef inline void add_exactly(double* total, double* rest, double value) noexcept nogil:
    """Add with the rounding error kept in ``rest`` (Neumaier)."""
    cdef double new = total[0] + value

    if fabs(total[0]) >= fabs(value):
        rest[0] += (total[0] - new) + value
    else:
        rest[0] += (value - new) + total[0]
    total[0] = new


cdef inline double between(double a, double b, double share) noexcept nogil:
    """Return the value that lies at a share of the way from ``a`` to ``b``."""
    cdef double cut

    if b - a == INFINITY:
        cut = a * (1.0 - share) + b * share
    elif share < 0.5:
        cut = a + (b - a) * share
    else:
        cut = b - (b - a) * (1.0 - share)
    # A cut that rounding has moved onto ``b`` would take ``b`` into the lower bin.
    return cut if cut < b else a


cdef inline double log2_choices(int k) noexcept nogil:
    """Return log2(3**k - 2), where ``3**k`` may be beyond any double."""
    return log2(pow(3.0, k) - 2.0) if k <= 600 else k * log2(3.0)


cdef inline double midpoint(double a, double b) noexcept nogil:
    """Return the mean of ``a < b``, or ``a`` where rounding takes the mean to ``b``."""
    cdef double middle = 0.5 * (a + b)

    if fabs(middle) == INFINITY:
        middle = 0.5 * a + 0.5 * b
    return middle if a <= middle < b else a


cdef struct segments:
    # The segment of sorted rows that is looked at, and those that are left: the larger halves, of
    # which there are never more than log2(rows).
    Py_ssize_t first, last, n_left
    Py_ssize_t firsts[64]
    Py_ssize_t lasts[64]


cdef inline void start_segments(segments* rows, Py_ssize_t n, uint8_t* is_cut) noexcept nogil:
    """Look at all rows, with no cut yet."""
    rows.first, rows.last, rows.n_left = 0, n, 0
    memset(is_cut, 0, <size_t>n)


cdef inline bint next_segment(segments* rows, Py_ssize_t cut, uint8_t* is_cut) noexcept nogil:
    """Cut after row ``cut`` of the segment, unless negative, and go on; False if none is left."""
    cdef Py_ssize_t middle

    if cut >= 0:
        middle = rows.first + cut + 1
        is_cut[middle - 1] = 1
        if middle - rows.first < rows.last - middle:
            rows.firsts[rows.n_left], rows.lasts[rows.n_left] = middle, rows.last
            rows.last = middle
        else:
            rows.firsts[rows.n_left], rows.lasts[rows.n_left] = rows.first, middle
            rows.first = middle
        rows.n_left += 1
        return True
    if rows.n_left == 0:
        return False
    rows.n_left -= 1
    rows.first, rows.last = rows.firsts[rows.n_left], rows.lasts[rows.n_left]
    return True


cdef inline Py_ssize_t write_cuts(
    const double* x, const uint8_t* is_cut, Py_ssize_t n, double* cuts,
) noexcept nogil:
    """Write the midpoints after the rows with a cut, and return how many there are."""
    cdef Py_ssize_t i, n_cuts = 0

    for i in range(n):
        if is_cut[i]:
            cuts[n_cuts] = midpoint(x[i], x[i + 1])
            n_cuts += 1
    return n_cuts


ctypedef fused sorted_t:
    float
    double


cdef inline void number_bins(
    const sorted_t* x, const double* cuts, Py_ssize_t n_cuts, int32_t* levels,
) noexcept nogil:
    """Number the bins of sorted values; an empty bin has the number of the one below it."""
    cdef Py_ssize_t j, start, position = 0
    cdef int32_t level = -1

    for j in range(n_cuts):
        start = position
        while x[position] <= cuts[j]:
            position += 1
        level += position > start
        levels[j] = level
    levels[n_cuts] = level + 1

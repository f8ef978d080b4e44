"""Arithmetic that the rules of cutting columns share, for rows with and without weights."""

from libc.math cimport INFINITY, fabs, log2, pow

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

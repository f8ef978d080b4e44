"""Cut points of continuous columns, and the codes that cut points give to values.

Matrices are Fortran-ordered blocks of columns, so that threads can share a table by columns. NaN is
a missing value throughout: it never moves a cut point and has a code of its own.
"""

from libc.math cimport INFINITY, fabs, frexp, ldexp, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

ctypedef fused value_t:
    float
    double

ctypedef fused code_t:
    uint8_t
    uint16_t

# Columns with at most this many cut points compare every value with every cut (such a loop has no
# branches); above it a binary search is faster.
cdef enum:
    FEW_CUTS = 12


cdef inline void _add(double* total, double* rest, double value) noexcept nogil:
    """Add with the rounding error kept in ``rest`` (Neumaier)."""
    cdef double new = total[0] + value

    if fabs(total[0]) >= fabs(value):
        rest[0] += (total[0] - new) + value
    else:
        rest[0] += (value - new) + total[0]
    total[0] = new


cdef Py_ssize_t _sigma(
    const value_t* x, Py_ssize_t n, double width, double* cuts,
) noexcept nogil:
    """Write mean -/+ ``width`` sample deviations; no cuts for a constant column."""
    cdef double low = INFINITY, high = -INFINITY, scale = 1.0
    cdef double value, mean, deviation, total = 0.0, rest = 0.0
    cdef Py_ssize_t i, count = 0
    cdef int exponent

    for i in range(n):
        value = x[i]
        if value == value:
            count += 1
            low = min(low, value)
            high = max(high, value)
    if not low < high:
        return 0

    # A power of two brings extreme columns to where squares neither overflow nor vanish.
    value = max(fabs(low), fabs(high))
    if value > 1e100 or value < 1e-100:
        frexp(value, &exponent)
        scale = ldexp(1.0, -max(exponent, -1000))

    for i in range(n):
        if x[i] == x[i]:
            _add(&total, &rest, x[i] * scale)
    mean = (total + rest) / count
    total = 0.0
    rest = 0.0
    for i in range(n):
        if x[i] == x[i]:
            deviation = x[i] * scale - mean
            _add(&total, &rest, deviation * deviation)
    deviation = sqrt((total + rest) / (count - 1))
    cuts[0] = (mean - width * deviation) / scale
    cuts[1] = (mean + width * deviation) / scale
    return 2


def sigma_cuts(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    double width,                           # IN
    double[:, ::1] cuts not None,           # OUT  (n_features, 2)
    int64_t[::1] n_cuts not None,           # OUT  (n_features,)
):
    """Write mean -/+ ``width`` sample standard deviations of every column."""
    cdef Py_ssize_t j, n = X.shape[0], m = X.shape[1]

    if cuts.shape[0] != m or cuts.shape[1] != 2 or n_cuts.shape[0] != m:
        raise ValueError("sigma_cuts: the shapes of the arrays do not agree")
    with nogil:
        for j in range(m):
            n_cuts[j] = _sigma(&X[0, j], n, width, &cuts[j, 0])


cdef inline Py_ssize_t _n_below(
    const double* cuts, Py_ssize_t n_cuts, double value,
) noexcept nogil:
    """Count the sorted ``cuts`` strictly below ``value``."""
    cdef Py_ssize_t low = 0, length = n_cuts, half

    while length > 0:
        half = length // 2
        if cuts[low + half] < value:
            low += half + 1
            length -= half + 1
        else:
            length = half
    return low


cdef void _digitise(
    const value_t* x, Py_ssize_t n, const double* cuts, Py_ssize_t n_cuts,
    const int32_t* levels, int32_t missing, code_t* codes,
) noexcept nogil:
    cdef Py_ssize_t i, c
    cdef double cut

    if n_cuts > FEW_CUTS:
        for i in range(n):
            codes[i] = <code_t>(
                levels[_n_below(cuts, n_cuts, x[i])] if x[i] == x[i] else missing
            )
        return
    for i in range(n):
        codes[i] = 0
    for c in range(n_cuts):
        cut = cuts[c]
        for i in range(n):
            codes[i] += <code_t>(x[i] > cut)
    for i in range(n):
        codes[i] = <code_t>(levels[codes[i]] if x[i] == x[i] else missing)


def digitise(
    const value_t[::1, :] X not None,       # IN   (n_samples, n_features)
    const double[::1] cuts not None,        # IN   (offsets[-1],), ascending per column
    const int64_t[::1] offsets not None,    # IN   (n_features + 1,)
    const int32_t[::1] levels not None,     # IN   (offsets[-1] + n_features,)
    const int32_t[::1] missing not None,    # IN   (n_features,)
    code_t[::1, :] codes not None,          # OUT  (n_samples, n_features)
):
    """Write the codes of all values.

    The cut points of column ``j`` are ``cuts[offsets[j]:offsets[j + 1]]``. A value with ``b`` of
    them strictly below it lies in bin ``b`` and gets the code ``levels[offsets[j] + j + b]``; NaN
    gets ``missing[j]``.
    """
    cdef Py_ssize_t j, start, n = X.shape[0], m = X.shape[1]

    if (
        codes.shape[0] != n or codes.shape[1] != m or missing.shape[0] != m
        or offsets.shape[0] != m + 1 or offsets[0] != 0 or offsets[m] != cuts.shape[0]
        or levels.shape[0] != cuts.shape[0] + m
    ):
        raise ValueError("digitise: the shapes of the arrays do not agree")
    with nogil:
        for j in range(m):
            start = offsets[j]
            # Pointers, not items: a table without any cut point has an empty ``cuts``.
            _digitise(
                &X[0, j], n, &cuts[0] + start, offsets[j + 1] - start,
                &levels[0] + start + j, missing[j], &codes[0, j],
            )

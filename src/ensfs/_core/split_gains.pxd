"""What a split is worth to rows that did not choose it, and how well another column repeats it.

Functions are inline, so that the kernels of trees are compiled as one.
"""

from libc.stdint cimport int32_t, uint8_t

from ensfs._core.splits cimport MISSING, Bins, Split, goes_left


cdef inline double agreement(
    Split* split, double together, double square, double weight, bint nominal
) noexcept nogil:
    """What a split is worth to rows that did not choose it, times their weight, and its credit.

    ``together`` is the product of how far the sides are apart in the bag and out of it, ``square``
    that in the bag with itself, ``weight`` that of the rows left times right by all. The worth
    takes only the direction from the rows in the bag: the more values a column has, the further
    these are apart by chance. The credit takes their distance too, unless they sorted the levels.
    """
    cdef double worth
    if not together > 0.0:
        return 0.0
    worth = weight * together * together / square
    split.credit = worth if nominal else weight * together
    return worth


cdef inline double numeric_agreement(
    Split* split, double weight, double total, double w, double s, bint nominal
) noexcept nogil:
    """The same for numbers, whose sums are ``total`` and, on the left, ``s``."""
    return agreement(
        split, split.apart * (s / w - (total - s) / (weight - w)), split.apart * split.apart,
        w * (weight - w) / weight, nominal,
    )


cdef inline double class_agreement(
    Split* split, const double* apart, double weight, const double* total, double w,
    const double* left, int C, bint nominal,
) noexcept nogil:
    """The same for the weights of classes."""
    cdef double together = 0.0, square = 0.0
    cdef int c
    for c in range(C):
        together += apart[c] * (left[c] / w - (total[c] - left[c]) / (weight - w))
        square += apart[c] * apart[c]
    return agreement(split, together, square, w * (weight - w) / weight, nominal)


cdef inline double gain_numeric(
    Split* split, const uint8_t* x, const int32_t* rows, const double* y,
    Py_ssize_t start, Py_ssize_t stop, double total, bint nominal,
) noexcept nogil:
    """What a split of numbers is worth to rows of weight one, times their number."""
    cdef Py_ssize_t i, n = stop - start, n_left = 0
    cdef double s = 0.0
    cdef int left
    if split.threshold >= 0:            # no branch: rows go either way at random
        for i in range(start, stop):
            left = x[rows[i]] <= split.threshold
            n_left += left
            s += left * y[i]
    else:
        for i in range(start, stop):
            left = split.left[x[rows[i]]]
            n_left += left
            s += left * y[i]
    if n_left == 0 or n_left == n:
        return 0.0
    return numeric_agreement(split, n, total, n_left, s, nominal)


cdef inline double gain_classes(
    Split* split, const uint8_t* x, const int32_t* rows, const int32_t* y,
    Py_ssize_t start, Py_ssize_t stop, const double* total, int C, const double* apart,
    double* left, bint nominal,
) noexcept nogil:
    """The same for classes."""
    cdef Py_ssize_t i, n = stop - start, n_left = 0
    cdef int c
    for c in range(C):
        left[c] = 0.0
    for i in range(start, stop):
        if goes_left(split, x[rows[i]]):
            n_left += 1
            left[y[rows[i]]] += 1.0
    if n_left == 0 or n_left == n:
        return 0.0
    return class_agreement(split, apart, n, total, n_left, left, C, nominal)


cdef inline double weighted_gain_numeric(
    Split* split, const uint8_t* x, const int32_t* rows, const double* weights,
    const double* y, Py_ssize_t start, Py_ssize_t stop, double weight, double total, bint nominal,
) noexcept nogil:
    """What a split of numbers is worth to rows with weights, times the sum of these."""
    cdef Py_ssize_t i, n_left = 0
    cdef double s = 0.0, w = 0.0
    for i in range(start, stop):
        if goes_left(split, x[rows[i]]):
            n_left += 1
            w += weights[i]
            s += y[i]
    if n_left == 0 or n_left == stop - start or w >= weight:
        return 0.0
    return numeric_agreement(split, weight, total, w, s, nominal)


cdef inline double weighted_gain_classes(
    Split* split, const uint8_t* x, const int32_t* rows, const double* weights,
    const int32_t* y, Py_ssize_t start, Py_ssize_t stop, double weight, const double* total,
    int C, const double* apart, double* left, bint nominal,
) noexcept nogil:
    """The same for classes."""
    cdef Py_ssize_t i, n_left = 0
    cdef double w = 0.0
    cdef int c
    for c in range(C):
        left[c] = 0.0
    for i in range(start, stop):
        if goes_left(split, x[rows[i]]):
            n_left += 1
            w += weights[i]
            left[y[rows[i]]] += weights[i]
    if n_left == 0 or n_left == stop - start or w >= weight:
        return 0.0
    return class_agreement(split, apart, weight, total, w, left, C, nominal)


cdef inline double best_association(
    Bins* bins, bint nominal, double weight, double left, bint gaps=False
) noexcept nogil:
    """Predictive association of the best surrogate with a split that sends ``left`` left.

    ``bins`` holds for each code the weight and how much of it goes left. With gaps, the cells of
    the last code go where agreement is larger.
    """
    cdef double agree = 0.0, same = 0.0, value, w, w_left, least = min(left, weight - left)
    cdef double m = 0.0, m_left = 0.0
    cdef int u
    if gaps:
        m = bins.sums[2 * MISSING]
        m_left = bins.sums[2 * MISSING + 1]
    if nominal:                         # each level goes where most of it goes
        for u in range(bins.n_used):
            w = bins.sums[2 * bins.used[u]]
            w_left = bins.sums[2 * bins.used[u] + 1]
            agree += max(w_left, w - w_left)
    else:
        # codes up to some level left, the rest right, or the other way round
        same = weight - left - (m - m_left)
        for u in range(bins.n_used - 1 - gaps):
            w = bins.sums[2 * bins.used[u]]
            w_left = bins.sums[2 * bins.used[u] + 1]
            same += w_left - (w - w_left)
            agree = max(agree, max(same, weight - m - same))
        if gaps:
            agree += max(m_left, m - m_left)
            # missing cells against the rest
            same = left - m_left + m - m_left
            agree = max(agree, max(same, weight - same))
    value = (least - (weight - agree)) / least
    return value if value > 0.0 else 0.0

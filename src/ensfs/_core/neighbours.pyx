"""Nearest neighbours under masks of columns that change by one column at a time.

Squared distances between two sets of rows are kept; a column more or less adds or takes off the
squares of its differences. What a change would do to the neighbours is answered without writing it.
"""

from libc.float cimport DBL_MAX
from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport check_length, check_places, check_range

cdef enum:
    LANES = 8           # minima side by side, which compilers turn into vectors
    BLOCK = 64          # distances whose least is found before any is looked at alone
    FEW = 16            # the same where several are looked for, and found more often


cdef inline double _changed(double distance, double a, double b, double sign) noexcept nogil:
    """A squared distance with one column more (1), less (-1), or as it is (0)."""
    cdef double difference = a - b
    return distance + sign * (difference * difference)


cdef double _least(
    const double* row, const double* b, double a, double sign, Py_ssize_t n
) noexcept nogil:
    """Least of ``n`` changed distances."""
    cdef double[LANES] lanes
    cdef double value
    cdef Py_ssize_t j, lane

    for lane in range(LANES):
        lanes[lane] = DBL_MAX
    for j in range(n // LANES):
        for lane in range(LANES):
            value = _changed(row[j * LANES + lane], a, b[j * LANES + lane], sign)
            lanes[lane] = value if value < lanes[lane] else lanes[lane]
    for j in range(n - n % LANES, n):
        value = _changed(row[j], a, b[j], sign)
        lanes[0] = value if value < lanes[0] else lanes[0]
    for lane in range(1, LANES):
        lanes[0] = lanes[lane] if lanes[lane] < lanes[0] else lanes[0]
    return lanes[0]


cdef int64_t _nearest_one(
    const double* row, const double* b, double a, double sign, Py_ssize_t n
) noexcept nogil:
    """Place of the nearest, the lowest of equally near ones."""
    cdef Py_ssize_t block, first, best_first = 0, j
    cdef double value, best = DBL_MAX

    for block in range((n + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        value = _least(row + first, b + first, a, sign, min(<Py_ssize_t>BLOCK, n - first))
        if value < best:
            best = value
            best_first = first
    for j in range(best_first, min(best_first + BLOCK, n)):
        if _changed(row[j], a, b[j], sign) == best:
            return j
    return best_first


cdef void _nearest(
    const double* row, const double* b, double a, double sign, Py_ssize_t n, Py_ssize_t k,
    double* distance, int64_t* place,
) noexcept nogil:
    """The ``k`` nearest of ``n`` in order; the lower place of equally near ones first."""
    cdef Py_ssize_t block, first, size, j, found = 0, i
    cdef double value

    for block in range((n + FEW - 1) // FEW):
        first = block * FEW
        size = min(<Py_ssize_t>FEW, n - first)
        if found == k and _least(row + first, b + first, a, sign, size) >= distance[k - 1]:
            continue
        for j in range(first, first + size):
            value = _changed(row[j], a, b[j], sign)
            if found == k and value >= distance[k - 1]:
                continue
            i = found if found < k else k - 1
            while i > 0 and distance[i - 1] > value:
                distance[i] = distance[i - 1]
                place[i] = place[i - 1]
                i -= 1
            distance[i] = value
            place[i] = j
            found += found < k


cdef int32_t _vote(
    const int64_t* place, const int32_t* y, Py_ssize_t k, int32_t* counts
) noexcept nogil:
    """The class of most of the places, the lower one of equals; leaves the counts at 0."""
    cdef Py_ssize_t i
    cdef int32_t label, best = y[place[0]]

    for i in range(k):
        label = y[place[i]]
        counts[label] += 1
        if counts[label] > counts[best] or (counts[label] == counts[best] and label < best):
            best = label
    for i in range(k):
        counts[y[place[i]]] = 0
    return best


def change_distances(
    double[:, ::1] D not None,              # IN/OUT (n, m) squared distances
    const double[::1] a not None,           # IN     (n,) the column in the rows of D
    const double[::1] b not None,           # IN     (m,) the column in the columns of D
    double sign,                            # IN     1: one column more; -1: less
    Py_ssize_t start,                       # IN     rows start .. stop - 1
    Py_ssize_t stop,
):
    """Add the squared differences of a column, or take them off; never below 0."""
    cdef Py_ssize_t i, j, m = D.shape[1]
    cdef double value
    cdef double* row

    check_range(start, stop, D.shape[0], "rows")
    check_length(a.shape[0], D.shape[0], "a")
    check_length(b.shape[0], m, "b")
    with nogil:
        for i in range(start, stop):
            row = &D[i, 0]
            for j in range(m):
                value = _changed(row[j], a[i], b[j], sign)
                row[j] = value if value > 0.0 else 0.0


def neighbour_labels(
    const double[:, ::1] D not None,        # IN   (n, m) squared distances
    const double[::1] a not None,           # IN   (n,) a column in the rows of D
    const double[::1] b not None,           # IN   (m,) the same in the columns of D
    double sign,                            # IN   1: as if it were added; -1: taken off; 0: neither
    const int32_t[::1] y not None,          # IN   (m,) classes
    Py_ssize_t n_classes,                   # IN
    Py_ssize_t k,                           # IN   neighbours that vote
    Py_ssize_t start,                       # IN   rows start .. stop - 1
    Py_ssize_t stop,
    double[::1] distance not None,          # TEMP (k,)
    int64_t[::1] place not None,            # TEMP (k,)
    int32_t[::1] counts not None,           # TEMP (n_classes,) zeros
    int32_t[::1] labels not None,           # OUT  (n,)
):
    """The class that the nearest neighbours of each row vote for."""
    cdef Py_ssize_t i, m = D.shape[1]

    check_range(start, stop, D.shape[0], "rows")
    check_length(a.shape[0], D.shape[0], "a")
    check_length(b.shape[0], m, "b")
    check_length(y.shape[0], m, "y")
    check_length(labels.shape[0], D.shape[0], "labels")
    check_length(distance.shape[0], k, "distance")
    check_length(place.shape[0], k, "place")
    check_length(counts.shape[0], n_classes, "counts")
    check_places(y, n_classes, "y")
    if not 1 <= k <= m:
        raise ValueError(f"k must lie in 1 .. {m}; got {k}")
    with nogil:
        for i in range(start, stop):
            if k == 1:
                labels[i] = y[_nearest_one(&D[i, 0], &b[0], a[i], sign, m)]
                continue
            _nearest(&D[i, 0], &b[0], a[i], sign, m, k, &distance[0], &place[0])
            labels[i] = _vote(&place[0], &y[0], k, &counts[0])

"""Nearest neighbours under masks of columns that change by one column at a time.

Squared distances between two sets of rows are kept; a column more or less adds or takes off the
squares of its differences. What a change would do to the neighbours is answered without writing it.
"""

from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport check_length, check_places, check_range

cdef extern from "neighbours.h":
    void neighbours_init() noexcept
    void nearest_few "ENSFS_NEIGHBOURS(nearest_few)"(
        const double*, const double*, double, double, int64_t, int64_t, double*, int64_t*
    ) noexcept nogil
    void nearest_later "ENSFS_NEIGHBOURS(nearest_later)"(
        const double*, const double*, double, int64_t, int64_t, int64_t, double*, int64_t*, double*,
        int64_t*) noexcept nogil
    int64_t nearest_one "ENSFS_NEIGHBOURS(nearest_one)"(
        const double*, const double*, double, double, int64_t) noexcept nogil
    void change_row "ENSFS_NEIGHBOURS(change_row)"(
        double*, const double*, double, double, int64_t) noexcept nogil

neighbours_init()

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
    cdef Py_ssize_t i, m = D.shape[1]

    check_range(start, stop, D.shape[0], "rows")
    check_length(a.shape[0], D.shape[0], "a")
    check_length(b.shape[0], m, "b")
    with nogil:
        for i in range(start, stop):
            change_row(&D[i, 0], &b[0], a[i], sign, m)


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
    int64_t[::1] near not None,             # IN/OUT (n * k,) k different places for each row
    double[::1] distance not None,          # TEMP (k,)
    int32_t[::1] counts not None,           # TEMP (n_classes,) zeros
    int32_t[::1] labels not None,           # OUT  (n,)
):
    """The class that the nearest neighbours of each row vote for.

    Places in `near` become those of the nearest; the nearer they are before, the quicker it is. For
    k = 1 they are not looked at.
    """
    cdef Py_ssize_t i, m = D.shape[1]

    check_range(start, stop, D.shape[0], "rows")
    check_length(a.shape[0], D.shape[0], "a")
    check_length(b.shape[0], m, "b")
    check_length(y.shape[0], m, "y")
    check_length(labels.shape[0], D.shape[0], "labels")
    check_length(distance.shape[0], k, "distance")
    check_length(near.shape[0], D.shape[0] * k, "near")
    check_length(counts.shape[0], n_classes, "counts")
    check_places(y, n_classes, "y")
    if not 1 <= k <= m:
        raise ValueError(f"k must lie in 1 .. {m}; got {k}")
    check_places(near, m, "near")
    with nogil:
        for i in range(start, stop):
            if k == 1:
                labels[i] = y[nearest_one(&D[i, 0], &b[0], a[i], sign, m)]
                continue
            nearest_few(&D[i, 0], &b[0], a[i], sign, m, k, &distance[0], &near[i * k])
            labels[i] = _vote(&near[i * k], &y[0], k, &counts[0])


cdef double _farthest(
    const double* row, const double* b, double a, double sign, const int64_t* place, Py_ssize_t k
) noexcept nogil:
    """The largest changed distance of some places."""
    cdef Py_ssize_t i
    cdef double apart, value, largest = 0.0

    for i in range(k):
        apart = a - b[place[i]]
        value = row[place[i]] + sign * (apart * apart)
        if i == 0 or value > largest:
            largest = value
    return largest


def labels_among(
    const double[:, ::1] D not None,        # IN   (n, n) squared distances, the same both ways
    const double[::1] b not None,           # IN   (n,) a column
    double sign,                            # IN   1: as if it were added; -1: taken off; 0: neither
    const int32_t[::1] y not None,          # IN   (n,) classes
    Py_ssize_t n_classes,                   # IN
    Py_ssize_t k,                           # IN   neighbours that vote
    Py_ssize_t start,                       # IN   rows start .. stop - 1, each after those before
    Py_ssize_t stop,
    int64_t[::1] near not None,             # IN/OUT (n * k,) k different places for each row
    double[::1] bound not None,             # TEMP (n,) kept between the calls for all rows
    int64_t[::1] found not None,            # TEMP (n,) likewise
    double[::1] distance not None,          # TEMP (n * k,) likewise
    int32_t[::1] counts not None,           # TEMP (n_classes,) zeros
    int32_t[::1] labels not None,           # OUT  (n,) written by the call for the last row
):
    """`neighbour_labels` of rows among themselves; each pair of them is looked at once."""
    cdef Py_ssize_t i, n = D.shape[0]

    check_range(start, stop, n, "rows")
    check_length(D.shape[1], n, "D")
    check_length(b.shape[0], n, "b")
    check_length(y.shape[0], n, "y")
    check_length(near.shape[0], n * k, "near")
    check_length(bound.shape[0], n, "bound")
    check_length(found.shape[0], n, "found")
    check_length(distance.shape[0], n * k, "distance")
    check_length(counts.shape[0], n_classes, "counts")
    check_length(labels.shape[0], n, "labels")
    check_places(y, n_classes, "y")
    if not 1 <= k <= n - 1:
        raise ValueError(f"k must lie in 1 .. {n - 1}; got {k}")
    check_places(near, n, "near")
    if start > 0:
        check_places(found, k + 1, "found")
    with nogil:
        if start == 0:
            for i in range(n):
                bound[i] = _farthest(&D[i, 0], &b[0], b[i], sign, &near[i * k], k)
                found[i] = 0
        for i in range(start, stop):
            nearest_later(&D[i, 0], &b[0], sign, i, n, k, &bound[0], &found[0], &distance[0],
                          &near[0])
        if stop == n:
            for i in range(n):
                labels[i] = _vote(&near[i * k], &y[0], k, &counts[0])


cdef bint _nearest_listed(
    const double* known, const int64_t* listed, const double* b, double a, double sign,
    Py_ssize_t size, Py_ssize_t k, double* distance, int64_t* place
) noexcept nogil:
    """The k nearest of a list with a column more; whether no row beyond the list is as near.

    The list is in the order of the distances without the column, and these only grow.
    """
    cdef Py_ssize_t i, t, found = 0
    cdef int64_t j
    cdef double apart, value

    for t in range(size):
        if found == k and distance[k - 1] < known[t]:
            return True
        j = listed[t]
        apart = a - b[j]
        value = known[t] + sign * (apart * apart)
        i = found
        if found == k:
            i = k - 1
            if value > distance[i] or (value == distance[i] and j > place[i]):
                continue
        else:
            found += 1
        while i > 0 and (
            distance[i - 1] > value or (distance[i - 1] == value and place[i - 1] > j)
        ):
            distance[i] = distance[i - 1]
            place[i] = place[i - 1]
            i -= 1
        distance[i] = value
        place[i] = j
    return distance[k - 1] < known[size - 1]


def labels_with_more(
    const double[:, ::1] D not None,        # IN   (n, n) squared distances, inf in the diagonal
    const double[::1] b not None,           # IN   (n,) a column
    double sign,                            # IN   its weight, at least 0, as if it were added
    const int32_t[::1] y not None,          # IN   (n,) classes
    Py_ssize_t n_classes,                   # IN
    Py_ssize_t k,                           # IN   neighbours that vote
    Py_ssize_t size,                        # IN   length of the lists
    Py_ssize_t start,                       # IN   rows start .. stop - 1
    Py_ssize_t stop,
    const double[::1] known not None,       # IN   (n * size,) least distances of each row, in order
    const int64_t[::1] listed not None,     # IN   (n * size,) and whose they are
    double[::1] distance not None,          # TEMP (k,)
    int64_t[::1] place not None,            # TEMP (k,)
    int32_t[::1] counts not None,           # TEMP (n_classes,) zeros
    int32_t[::1] labels not None,           # OUT  (n,)
):
    """`labels_among` with a column more: the nearest were near before, so that few are looked at.

    A row whose list does not tell is read as a whole.
    """
    cdef Py_ssize_t i, n = D.shape[0]

    check_range(start, stop, n, "rows")
    check_length(D.shape[1], n, "D")
    check_length(b.shape[0], n, "b")
    check_length(y.shape[0], n, "y")
    check_length(known.shape[0], n * size, "known")
    check_length(listed.shape[0], n * size, "listed")
    check_length(distance.shape[0], k, "distance")
    check_length(place.shape[0], k, "place")
    check_length(counts.shape[0], n_classes, "counts")
    check_length(labels.shape[0], n, "labels")
    check_places(y, n_classes, "y")
    check_places(listed, n, "listed")
    if not sign >= 0.0:
        raise ValueError(f"sign must be at least 0; got {sign}")
    if not 1 <= k <= size <= n - 1:
        raise ValueError(f"k and size must lie in 1 .. {n - 1}, k first; got {k} and {size}")
    with nogil:
        for i in range(start, stop):
            if not _nearest_listed(&known[i * size], &listed[i * size], &b[0], b[i], sign, size, k,
                                   &distance[0], &place[0]):
                nearest_few(&D[i, 0], &b[0], b[i], sign, n, k, &distance[0], &place[0])
            labels[i] = _vote(&place[0], &y[0], k, &counts[0])

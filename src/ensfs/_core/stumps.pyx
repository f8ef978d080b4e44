"""The best stump of each column: the cut that splits a sum most unevenly.

A stump is 1 for rows above its threshold and -1 for the others. Its score is the sum of the rows'
gradients, each with the sign of the stump: ``total - 2 * (sum of the rows at or below)``. The cuts
of a column lie between its distinct values, and one lies below them all.

Without the order of the rows, they go into buckets of equal width, as many as there are rows.
Scores at the borders of buckets follow from the sums of gradients in them. Within a bucket a score
can only be so large, by the sum of absolute gradients; the few buckets where that is more than
what borders reach are put in order. Columns too uneven for that are left to the caller.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.string cimport memset

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)

cdef enum:
    MOST_ROWS = 64  # of a bucket that is put in order


cdef bint fill_buckets(
    const double* values, const double* gradient, Py_ssize_t n, double* sums, double* sizes,
    int32_t* place,
) noexcept nogil:
    """Sums of gradients and of their absolute values in buckets; False if the values cannot be."""
    cdef double low = values[0], high = values[0], scale
    cdef Py_ssize_t i, k

    for i in range(1, n):
        low = min(low, values[i])
        high = max(high, values[i])
    scale = (n - 1) / (high - low) if high > low else 0.0
    if not 0.0 <= scale < 1e300 or high - low > 1e300:
        return False
    memset(sums, 0, <size_t>n * sizeof(double))
    memset(sizes, 0, <size_t>n * sizeof(double))
    for i in range(n):
        k = <Py_ssize_t>((values[i] - low) * scale)
        place[i] = <int32_t>k
        sums[k] += gradient[i]
        sizes[k] += fabs(gradient[i])
    return True


cdef double score_by_buckets(
    const double* values, const double* gradient, Py_ssize_t n, double total, double* sums,
    double* sizes, int32_t* place, int32_t* start, int32_t* rows,
) noexcept nogil:
    """The largest absolute score of a stump on a column, or -1 if too many rows share a bucket."""
    cdef double border = total, top = fabs(total)
    cdef Py_ssize_t k
    cdef bint listed = False

    if not fill_buckets(values, gradient, n, sums, sizes, place):
        return -1.0
    for k in range(n):
        border -= 2.0 * sums[k]
        top = max(top, fabs(border))
    border = total
    for k in range(n):
        # no score between the two borders of a bucket is larger than this; rounding must not count
        if fabs(border - sums[k]) + sizes[k] > top * (1.0 + 1e-12):
            if not listed:
                list_rows(place, n, start, rows)
                listed = True
            if not sort_few(values, rows + start[k], start[k + 1] - start[k]):
                return -1.0
            top = score_within(
                values, gradient, rows + start[k], start[k + 1] - start[k], border, top
            )
        border -= 2.0 * sums[k]
    return top


cdef void list_rows(
    const int32_t* place, Py_ssize_t n, int32_t* start, int32_t* rows
) noexcept nogil:
    """The rows of each bucket, one bucket after the other; bucket k begins at start[k]."""
    cdef Py_ssize_t i

    memset(start, 0, <size_t>(n + 2) * sizeof(int32_t))
    for i in range(n):
        start[place[i] + 2] += 1
    for i in range(2, n + 2):
        start[i] += start[i - 1]
    for i in range(n):
        rows[start[place[i] + 1]] = <int32_t>i
        start[place[i] + 1] += 1


cdef bint sort_few(const double* values, int32_t* rows, Py_ssize_t n) noexcept nogil:
    """Put some rows in order; False if they are too many and not all equal."""
    cdef Py_ssize_t i, k
    cdef int32_t row

    if n > MOST_ROWS:
        for i in range(1, n):
            if values[rows[i]] != values[rows[0]]:
                return False
        return True
    for i in range(1, n):
        row = rows[i]
        k = i
        while k > 0 and values[rows[k - 1]] > values[row]:
            rows[k] = rows[k - 1]
            k -= 1
        rows[k] = row
    return True


cdef double score_within(
    const double* values, const double* gradient, const int32_t* rows, Py_ssize_t n, double border,
    double top,
) noexcept nogil:
    """The larger of `top` and the absolute scores of cuts between rows in order.

    `border` is the score of the cut below them all.
    """
    cdef Py_ssize_t i

    for i in range(n - 1):
        border -= 2.0 * gradient[rows[i]]
        if values[rows[i]] < values[rows[i + 1]]:
            top = max(top, fabs(border))
    return top


def scores_by_buckets(
    const double[::1, :] values,        # IN  (n, d) finite
    const double[::1] gradient,         # IN  (n,)
    double total,                       # IN  sum of the gradients
    Py_ssize_t first, Py_ssize_t stop,  # columns
    double[::1] numbers,                # TEMP (2 n,)
    int32_t[::1] places,                # TEMP (3 n + 2,)
    double[::1] best,                   # OUT (d,) largest absolute score, -1 if buckets do not do
):
    """The largest absolute score of a stump on each column, without the order of the rows."""
    cdef Py_ssize_t j, n = values.shape[0]

    check_buckets(values, gradient, first, stop, numbers, places)
    check_length(best.shape[0], values.shape[1], "best")
    with nogil:
        for j in range(first, stop):
            best[j] = score_by_buckets(
                &values[0, j], &gradient[0], n, total, &numbers[0], &numbers[n],
                &places[0], &places[2 * n], &places[n],
            )


def first_by_buckets(
    const double[::1, :] values,        # IN  (n, d) finite
    const double[::1] gradient,         # IN  (n,)
    double total,                       # IN  sum of the gradients
    Py_ssize_t j,                       # column
    double least,                       # least absolute score
    double[::1] numbers,                # TEMP (2 n,)
    int32_t[::1] places,                # TEMP (3 n + 2,)
):
    """What `first_stump` gives, without the order of the rows; None if buckets do not do."""
    cdef Py_ssize_t i, k, last = 0, n = values.shape[0]
    cdef double border = total, score
    cdef double infinity = float("inf")
    cdef int32_t* rows
    cdef int32_t* start

    check_buckets(values, gradient, j, j + 1, numbers, places)
    rows, start = &places[n], &places[2 * n]
    if fabs(total) >= least:
        return total, -infinity, -infinity
    if not fill_buckets(&values[0, j], &gradient[0], n, &numbers[0], &numbers[n], &places[0]):
        return None
    list_rows(&places[0], n, start, rows)
    for k in range(n):
        if start[k] == start[k + 1]:
            continue
        if k > 0 and fabs(border) >= least:
            return border, extreme(values, j, rows, last, start[k], 1), extreme(
                values, j, rows, start[k], start[k + 1], -1)
        if fabs(border - numbers[k]) + numbers[n + k] >= least * (1.0 - 1e-12):
            if not sort_few(&values[0, j], rows + start[k], start[k + 1] - start[k]):
                return None
            score = border
            for i in range(start[k], start[k + 1] - 1):
                score -= 2.0 * gradient[rows[i]]
                if fabs(score) >= least and values[rows[i], j] < values[rows[i + 1], j]:
                    return score, values[rows[i], j], values[rows[i + 1], j]
        border -= 2.0 * numbers[k]
        last = start[k]
    return None


cdef double extreme(
    const double[::1, :] values, Py_ssize_t j, const int32_t* rows, Py_ssize_t first,
    Py_ssize_t stop, int sign,
) noexcept nogil:
    """The largest value of some rows, or the least with the sign -1."""
    cdef double found = values[rows[first], j]
    cdef Py_ssize_t i

    for i in range(first + 1, stop):
        if sign * values[rows[i], j] > sign * found:
            found = values[rows[i], j]
    return found


cdef int check_buckets(
    const double[::1, :] values, const double[::1] gradient, Py_ssize_t first, Py_ssize_t stop,
    const double[::1] numbers, const int32_t[::1] places,
) except -1:
    """Raise an error unless there are rows, a gradient for each, and space to work in."""
    cdef Py_ssize_t n = values.shape[0]

    check_range(first, stop, values.shape[1], "columns")
    check_length(gradient.shape[0], n, "gradient")
    check_space(numbers.shape[0], 2 * n, "numbers")
    check_space(places.shape[0], 3 * n + 2, "places")
    if n == 0:
        raise ValueError("values must have at least one row")
    return 0


def best_scores(
    const double[::1, :] values,        # IN  (n, d)
    const int32_t[:, ::1] order,        # IN  (d, n) rows in the order of the values
    const double[::1] gradient,         # IN  (n,)
    double total,                       # IN  sum of the gradients
    Py_ssize_t start, Py_ssize_t stop,  # columns
    double[::1] best,                   # OUT (d,) largest absolute score
):
    """The largest absolute score of a stump on each column."""
    cdef Py_ssize_t i, j, n = values.shape[0]
    cdef double below, score, top
    cdef int32_t row, after

    check_columns(values, order, gradient, start, stop)
    check_length(best.shape[0], values.shape[1], "best")
    with nogil:
        for j in range(start, stop):
            below, top = 0.0, fabs(total)
            row = order[j, 0]
            for i in range(n - 1):
                after = order[j, i + 1]
                below += gradient[row]
                score = fabs(total - 2.0 * below)
                if score > top and values[row, j] < values[after, j]:
                    top = score
                row = after
            best[j] = top


def first_stump(
    const double[::1, :] values,        # IN  (n, d)
    const int32_t[:, ::1] order,        # IN  (d, n)
    const double[::1] gradient,         # IN  (n,)
    double total,                       # IN  sum of the gradients
    Py_ssize_t j,                       # column
    double least,                       # least absolute score
):
    """Score and neighbouring values of the lowest cut of a column that scores enough.

    The values below and above the cut; both are -inf for the cut below all rows.
    """
    cdef Py_ssize_t i, n = values.shape[0]
    cdef double below = 0.0, score
    cdef double infinity = float("inf")

    check_columns(values, order, gradient, j, j + 1)
    if fabs(total) >= least:
        return total, -infinity, -infinity
    for i in range(n - 1):
        below += gradient[order[j, i]]
        score = total - 2.0 * below
        if fabs(score) >= least and values[order[j, i], j] < values[order[j, i + 1], j]:
            return score, values[order[j, i], j], values[order[j, i + 1], j]
    raise ValueError(f"column {j} has no stump with an absolute score of at least {least}")


cdef int check_columns(
    const double[::1, :] values, const int32_t[:, ::1] order, const double[::1] gradient,
    Py_ssize_t start, Py_ssize_t stop,
) except -1:
    """Raise an error unless there are rows, a gradient for each, and their order by each column."""
    cdef Py_ssize_t j, n = values.shape[0]
    check_range(start, stop, values.shape[1], "columns")
    check_shape(order.shape, values.shape[1], n, "order")
    check_length(gradient.shape[0], n, "gradient")
    if n == 0:
        raise ValueError("values must have at least one row")
    for j in range(start, stop):
        check_places(order[j], n, "order")
    return 0

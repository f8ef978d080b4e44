"""The best stump of each column: the cut that splits a sum most unevenly.

A stump is 1 for rows above its threshold and -1 for the others. Its score is the sum of the rows'
gradients, each with the sign of the stump: ``total - 2 * (sum of the rows at or below)``. The cuts
of a column lie between its distinct values, and one lies below them all.

Rows are put in order by buckets of equal width, as many as there are rows, and by insertion within
and between them; columns too uneven for that are left to the caller.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memset

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)

cdef enum:
    MOST_MOVES = 8  # steps back for each row; sorting anew is then as fast


cdef bint sort_column(
    const double* values, Py_ssize_t n, int32_t* bucket, int32_t* start, int32_t* order,
) noexcept nogil:
    """Rows in the order of their values, by n buckets; False if too many share one."""
    cdef double low = values[0], high = values[0], scale, value
    cdef Py_ssize_t i, k, n_moves = 0
    cdef int32_t row, place

    for i in range(1, n):
        low = min(low, values[i])
        high = max(high, values[i])
    scale = (n - 1) / (high - low) if high > low else 0.0
    if not 0.0 <= scale < 1e300 or high - low > 1e300:
        return False
    memset(start, 0, <size_t>(n + 1) * sizeof(int32_t))
    for i in range(n):
        place = <int32_t>((values[i] - low) * scale)
        bucket[i] = place
        start[place + 1] += 1
    for i in range(n):
        start[i + 1] += start[i]
    for i in range(n):
        order[start[bucket[i]]] = <int32_t>i
        start[bucket[i]] += 1
    for i in range(1, n):
        row = order[i]
        value = values[row]
        k = i
        while k > 0 and values[order[k - 1]] > value:
            order[k] = order[k - 1]
            k -= 1
        order[k] = row
        n_moves += i - k
        if n_moves > MOST_MOVES * n:
            return False
    return True


def order_rows(
    const double[::1, :] values,        # IN  (n, d) finite
    Py_ssize_t first, Py_ssize_t stop,  # columns
    int32_t[::1] work,                  # TEMP (2 n + 1,)
    int32_t[:, ::1] order,              # OUT (d, n)
    uint8_t[::1] done,                  # OUT (d,) 0 where the values are too uneven for buckets
):
    """Rows of some columns in the order of their values."""
    cdef Py_ssize_t j, n = values.shape[0]

    check_range(first, stop, values.shape[1], "columns")
    check_space(work.shape[0], 2 * n + 1, "work")
    check_shape(order.shape, values.shape[1], n, "order")
    check_length(done.shape[0], values.shape[1], "done")
    if n == 0:
        raise ValueError("values must have at least one row")
    with nogil:
        for j in range(first, stop):
            done[j] = sort_column(&values[0, j], n, &work[0], &work[n], &order[j, 0])


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

"""The best stump of each column: the cut that splits a sum most unevenly.

A stump is 1 for rows above its threshold and -1 for the others. Its score is the sum of the rows'
gradients, each with the sign of the stump: ``total - 2 * (sum of the rows at or below)``. The cuts
of a column lie between its distinct values, and one lies below them all.

Rows are put in order by keys of 64 bits that NumPy sorts fast: the value rounded to 32 bits, made
an integer in the same order, and the row. Rows whose rounded values agree are then ordered by the
exact ones.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape

cdef enum:
    MOST_MOVES = 8  # steps back for each row; sorting anew is then as fast


cdef inline uint32_t ordered_bits(float value) noexcept nogil:
    """An integer whose order is that of the floats; 0.0 and -0.0 are one."""
    cdef uint32_t bits
    value += 0.0
    memcpy(&bits, &value, sizeof(uint32_t))
    return ~bits if bits >> 31 else bits | <uint32_t>0x80000000


def make_keys(
    const double[::1, :] values,        # IN  (n, d) finite
    Py_ssize_t start, Py_ssize_t stop,  # columns
    uint64_t[:, ::1] keys,              # OUT (d, n)
):
    """Keys of the rows of some columns; sorted, they are nearly in the order of the values."""
    cdef Py_ssize_t i, j, n = values.shape[0]

    check_range(start, stop, values.shape[1], "columns")
    check_shape(keys.shape, values.shape[1], n, "keys")
    with nogil:
        for j in range(start, stop):
            for i in range(n):
                keys[j, i] = (<uint64_t>ordered_bits(<float>values[i, j]) << 32) | <uint64_t>i


cdef bint finish_order(
    const double* values, const uint64_t* keys, Py_ssize_t n, int32_t* order,
) noexcept nogil:
    """Rows in the order of their values, from sorted keys; False if too many are out of place."""
    cdef Py_ssize_t i, k, n_moves = 0
    cdef int32_t row
    cdef double value

    for i in range(n):
        row = <int32_t>(keys[i] & <uint64_t>0xffffffff)
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
    const double[::1, :] values,        # IN  (n, d)
    const uint64_t[:, ::1] keys,        # IN  (d, n) sorted
    Py_ssize_t start, Py_ssize_t stop,  # columns
    int32_t[:, ::1] order,              # OUT (d, n)
    uint8_t[::1] done,                  # OUT (d,) 0 where rounded values agree too often
):
    """Rows of some columns in the order of their values."""
    cdef Py_ssize_t i, j, n = values.shape[0]

    check_range(start, stop, values.shape[1], "columns")
    check_shape(keys.shape, values.shape[1], n, "keys")
    check_shape(order.shape, values.shape[1], n, "order")
    check_length(done.shape[0], values.shape[1], "done")
    for j in range(start, stop):
        for i in range(n):
            if <Py_ssize_t>(keys[j, i] & <uint64_t>0xffffffff) >= n:
                raise ValueError(f"keys must hold rows below {n}")
    with nogil:
        for j in range(start, stop):
            done[j] = finish_order(&values[0, j], &keys[j, 0], n, &order[j, 0])


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

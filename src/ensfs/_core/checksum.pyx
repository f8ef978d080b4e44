"""A number by which words in memory are recognised when they are read again."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "checksum.h":
    void checksum_init() noexcept
    uint64_t weighted_uint8_t "ENSFS_CHECKSUM(weighted_uint8_t)"(
        const uint8_t*, int64_t, const uint64_t*, int64_t) noexcept nogil
    uint64_t weighted_uint16_t "ENSFS_CHECKSUM(weighted_uint16_t)"(
        const uint16_t*, int64_t, const uint64_t*, int64_t) noexcept nogil
    uint64_t weighted_uint32_t "ENSFS_CHECKSUM(weighted_uint32_t)"(
        const uint32_t*, int64_t, const uint64_t*, int64_t) noexcept nogil
    uint64_t weighted_uint64_t "ENSFS_CHECKSUM(weighted_uint64_t)"(
        const uint64_t*, int64_t, const uint64_t*, int64_t) noexcept nogil

checksum_init()

ctypedef fused word_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef inline uint64_t _weighted(
    const word_t* x, int64_t step, const uint64_t* weights, int64_t n
) noexcept nogil:
    if word_t is uint8_t:
        return weighted_uint8_t(x, step, weights, n)
    elif word_t is uint16_t:
        return weighted_uint16_t(x, step, weights, n)
    elif word_t is uint32_t:
        return weighted_uint32_t(x, step, weights, n)
    else:
        return weighted_uint64_t(x, step, weights, n)


def weighted_sum(
    const word_t[:, :] X not None,          # IN   (n, p), any strides
    const uint64_t[::1] rows not None,      # IN   (n,) odd weights
    const uint64_t[::1] columns not None,   # IN   (p,) odd weights
):
    """Sum of all words, each times the weights of its row and column, modulo ``2 ** 64``.

    A word that changes changes the sum.
    """
    cdef Py_ssize_t n = X.shape[0], p = X.shape[1], i
    cdef int64_t row_step = X.strides[0] // <Py_ssize_t>sizeof(word_t)
    cdef int64_t column_step = X.strides[1] // <Py_ssize_t>sizeof(word_t)
    cdef bint by_column = abs(X.strides[0]) < abs(X.strides[1])
    cdef uint64_t total = 0

    if rows.shape[0] != n or columns.shape[0] != p:
        raise ValueError(f"the weights of rows and columns must be {n} and {p} numbers")
    if n == 0 or p == 0:
        return 0
    with nogil:
        if by_column:
            for i in range(p):
                total += columns[i] * _weighted(&X[0, i], row_step, &rows[0], n)
        else:
            for i in range(n):
                total += rows[i] * _weighted(&X[i, 0], column_step, &columns[0], p)
    return total

"""Random numbers that are the same everywhere."""

from libc.stdint cimport uint64_t


cdef inline uint64_t next_bits(uint64_t* state) noexcept nogil:
    """Next 64 random bits (splitmix64)."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline Py_ssize_t random_below(uint64_t* state, Py_ssize_t m) noexcept nogil:
    """Random number in ``0 .. m - 1``, for ``m`` below ``2 ** 32``."""
    return <Py_ssize_t>(((next_bits(state) >> 32) * <uint64_t>m) >> 32)

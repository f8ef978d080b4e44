"""Sorting of a few numbers with their places, without branches into Python."""

from libc.stdint cimport int32_t

cdef enum:
    SHORT_RUN = 12


cdef inline void sort_pairs(
    double* keys, int32_t* places, Py_ssize_t n, double* other_keys, int32_t* other_places
) noexcept nogil:
    """Sort keys with their places, in a stable way: short runs by insertion, then merged.

    The others are scratch of the same length.
    """
    cdef Py_ssize_t i, j, a, b, middle, stop, first, width = SHORT_RUN
    cdef double key
    cdef int32_t place
    cdef double* from_keys = keys
    cdef int32_t* from_places = places
    cdef double* to_keys = other_keys
    cdef int32_t* to_places = other_places

    for i in range(1, n):
        key, place, j = keys[i], places[i], i
        while j % SHORT_RUN > 0 and keys[j - 1] > key:
            keys[j], places[j] = keys[j - 1], places[j - 1]
            j -= 1
        keys[j], places[j] = key, place
    while width < n:
        first = 0
        while first < n:
            middle, stop = min(first + width, n), min(first + 2 * width, n)
            a, b = first, middle
            for i in range(first, stop):
                if a < middle and (b >= stop or from_keys[a] <= from_keys[b]):
                    to_keys[i], to_places[i] = from_keys[a], from_places[a]
                    a += 1
                else:
                    to_keys[i], to_places[i] = from_keys[b], from_places[b]
                    b += 1
            first = stop
        from_keys, to_keys = to_keys, from_keys
        from_places, to_places = to_places, from_places
        width *= 2
    if from_keys != keys:
        for i in range(n):
            keys[i], places[i] = from_keys[i], from_places[i]

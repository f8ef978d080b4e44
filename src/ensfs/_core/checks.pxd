"""Checks of places that come from data, so that no kernel writes outside of its arrays."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

ctypedef fused place_t:
    uint8_t
    uint16_t
    int32_t
    int64_t


cdef inline int check_places(const place_t[::1] places, Py_ssize_t stop, str what) except -1:
    """Raise an error unless all places lie in ``0 .. stop - 1``."""
    cdef place_t low = 0, high = 0
    cdef Py_ssize_t i

    with nogil:
        for i in range(places.shape[0]):
            low = min(low, places[i])
            high = max(high, places[i])
    if low < 0 or (high >= stop and places.shape[0]):
        raise ValueError(f"{what} must lie in 0 .. {stop - 1}; got {low if low < 0 else high}")
    return 0


cdef inline int check_bounds(const int64_t[::1] bounds, Py_ssize_t stop, str what) except -1:
    """Raise an error unless the bounds of runs ascend and stay in ``0 .. stop``."""
    cdef Py_ssize_t i
    cdef int64_t before = 0

    if bounds.shape[0] == 0:
        raise ValueError(f"{what} must hold at least one bound")
    for i in range(bounds.shape[0]):
        if not before <= bounds[i] <= stop:
            raise ValueError(f"{what} must ascend from 0 to at most {stop}; got {bounds[i]}")
        before = bounds[i]
    return 0

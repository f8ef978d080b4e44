"""Checks of shapes and of places that come from data, so that no kernel leaves its arrays.

Each names the argument that is wrong.
"""

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


cdef inline int check_length(Py_ssize_t length, Py_ssize_t wanted, str what) except -1:
    """Raise an error unless an array has as many entries as are wanted."""
    if length != wanted:
        raise ValueError(f"{what} must have {wanted} entries; got {length}")
    return 0


cdef inline int check_space(Py_ssize_t length, Py_ssize_t least, str what) except -1:
    """Raise an error unless an array has at least so many entries."""
    if length < least:
        raise ValueError(f"{what} must have at least {least} entries; got {length}")
    return 0


cdef inline int check_shape(
    const Py_ssize_t* shape, Py_ssize_t n_rows, Py_ssize_t n_columns, str what
) except -1:
    """Raise an error unless an array of two dimensions has the shape that is wanted."""
    if shape[0] != n_rows or shape[1] != n_columns:
        raise ValueError(
            f"{what} must have the shape {(n_rows, n_columns)}; got {(shape[0], shape[1])}")
    return 0


cdef inline int check_range(
    Py_ssize_t start, Py_ssize_t stop, Py_ssize_t length, str what
) except -1:
    """Raise an error unless ``start:stop`` is a range among so many entries."""
    if not 0 <= start <= stop <= length:
        raise ValueError(f"{what} must be a range of 0 .. {length}; got {start} .. {stop}")
    return 0


cdef inline int check_folds(
    const int32_t[::1] fold, Py_ssize_t n, Py_ssize_t n_folds
) except -1:
    """Raise an error unless there is a fold of each row, if there are folds."""
    if fold is None:
        return check_length(n_folds, 1, "n_part without folds")
    check_length(fold.shape[0], n, "fold")
    return check_places(fold, n_folds, "fold")

"""How sums over rows are added along the fixed tree of sum_tree.h."""

from cython.view cimport array
from libc.stdint cimport int64_t, uint8_t

from ensfs._core.checks cimport check_bounds, check_length

cdef extern from "sum_tree.h":
    enum:
        DEPTH
        SUM_ARRAYS
    ctypedef struct group_arrays:
        double* at[5]
        int64_t stride
    ctypedef void (*add_leaf)(const void*, int64_t, const group_arrays*) noexcept nogil
    void add_leaves(
        add_leaf, const void*, int64_t, int64_t, int64_t, int64_t, const group_arrays*,
        double*) noexcept nogil


cdef enum:
    SPARE = 1 << 20   # values of the sums that wait for those of their sisters


cdef inline int64_t levels_above(Py_ssize_t n_leaves) noexcept nogil:
    """Levels of a tree above its leaves."""
    cdef int64_t levels = 0

    while (<int64_t>1 << levels) < n_leaves:
        levels += 1
    return levels


cdef inline int64_t columns_at_once(
    Py_ssize_t n_leaves, Py_ssize_t n_sums, Py_ssize_t width, Py_ssize_t most
) noexcept nogil:
    """Columns whose sums, so many of each, are added together: fewer where many have to wait."""
    cdef int64_t waiting = levels_above(n_leaves) * n_sums

    if waiting:
        most = min(most, max(8, SPARE // waiting))
    return max(1, min(most, width))


cdef inline double[::1] room_for(Py_ssize_t n):
    """Memory for so many values, at least one."""
    return array(shape=(max(1, n),), itemsize=sizeof(double), format="d")


cdef inline int check_leaves(const int64_t[::1] leaves, Py_ssize_t n_runs) except -1:
    """Raise an error unless the leaves hold all runs."""
    check_bounds(leaves, n_runs, "bounds of the leaves")
    return check_length(leaves[leaves.shape[0] - 1], n_runs, "runs of the leaves")


cdef inline int check_joins(const int64_t[::1] bounds, const uint8_t[::1] joined) except -1:
    """Raise an error unless of each fold with cells one node remains, and few wait at a time."""
    cdef Py_ssize_t e, c
    cdef int depth

    check_length(joined.shape[0], bounds[bounds.shape[0] - 1], "joined")
    for e in range(bounds.shape[0] - 1):
        depth = 0
        for c in range(bounds[e], bounds[e + 1]):
            depth += 1
            if joined[c] >= depth or depth > DEPTH:
                raise ValueError("joined must leave one node of each fold")
            depth -= joined[c]
        if bounds[e + 1] > bounds[e] and depth != 1:
            raise ValueError("joined must leave one node of each fold")
    return 0

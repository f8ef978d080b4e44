"""Which cells of a table are stored, column after column."""

from libc.stdint cimport int32_t, int64_t


cdef class StoredCells:
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] rows
    cdef readonly Py_ssize_t n_rows, n_columns
    cdef readonly bint ascending

    cdef int check(self) except -1

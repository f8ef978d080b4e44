"""The greedy search as the kernels that measure pairs drive it; see greedy.h."""

from libc.stdint cimport int32_t, int64_t

cdef extern from "greedy.h":
    ctypedef double (*pair_function)(void*, int64_t, int64_t, int64_t) noexcept nogil
    ctypedef struct search_state:
        pair_function pair
        void (*prepare)(void*, int64_t, int64_t) noexcept nogil
        void* context
        const double* relevance
        double* terms
        double least
        int32_t* evaluated
        double* nearest_value
        int32_t* nearest
        double* bounds
        int32_t* touched
        int64_t* selected
        double* scores
        double* redundancy
        int32_t* depth
    void greedy_init() noexcept
    int64_t scores_workspace(int64_t) noexcept nogil
    int32_t lazy_search(
        search_state*, int64_t, int64_t, int64_t, int32_t, int32_t, int, const int64_t*, int64_t*,
        int64_t) noexcept nogil


cdef class SearchArrays:
    cdef readonly Py_ssize_t n_parts, n_features, n_steps
    cdef const double[:, ::1] relevance
    cdef const double[::1] least
    cdef double[:, ::1] terms, nearest_value, bounds, scores, redundancy
    cdef int32_t[:, ::1] evaluated, nearest, touched, depth
    cdef int64_t[:, ::1] selected
    cdef int64_t[::1] candidates

    cdef void fill(self, Py_ssize_t t, search_state* state) noexcept
    cdef int check_steps(
        self, Py_ssize_t start, Py_ssize_t stop, const int64_t[::1] hints) except -1

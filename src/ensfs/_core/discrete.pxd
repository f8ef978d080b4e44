"""Coded columns as the kernels that count pairs take them; see discrete.h."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from ensfs._core.greedy cimport pair_function

cdef extern from "discrete.h":
    enum:
        MAX_PLANE_LEVELS
        MAX_ROWS
        N_SUMS
        FIXED_SIZE
    ctypedef struct measure_rows:
        int64_t rows[MAX_ROWS + 1][N_SUMS]
        double weights[MAX_ROWS]
        int is_one_row
        int is_divided
        int is_signed
        int uses_target
        int uses_fy
        int chance
        double chance_times
    ctypedef struct fixed_sums:
        int64_t rows[MAX_ROWS + 1]
        int64_t df[MAX_ROWS]
        int64_t df_per_level[MAX_ROWS]
    ctypedef struct count_table:
        int32_t* count
        int64_t* total
        int64_t* key
        int64_t size
        int32_t* cell
    ctypedef struct fold_counts_table:
        int64_t n_folds, n_slots
        const int64_t* bounds
        const int64_t* gains
        int64_t* keys
        int64_t* joints
    ctypedef struct code_store:
        const uint64_t* planes
        const int64_t* plane_start
        const int64_t* level_start
        int32_t* margins
        int64_t* entropy
        int32_t* observed
        const uint64_t* mask
        const void* codes
        int wide
        const uint16_t* y
        const int64_t* rows
        int64_t n_columns, n_total, n, n_words
        int64_t plane_levels
        const int64_t* weights
        int64_t counted, all
        const int64_t* klogk
        double log_total, log_scale
        double scale
        double chance
        uint64_t* targets
        int64_t target_stride
        const measure_rows* measure
        int32_t* cells
        fixed_sums* fixed
        double units[MAX_ROWS]
        count_table* scratch
        fold_counts_table* shared
        int64_t part
    void discrete_init() noexcept
    void set_target(code_store*, int64_t, int64_t) noexcept nogil


cdef class MeasureRows:
    cdef measure_rows measure


cdef class CodedTable:
    cdef code_store table       # without what belongs to a part
    cdef object keep
    cdef Py_ssize_t n_levels    # of all columns
    cdef Py_ssize_t most_levels  # of a column
    cdef double unit, chance


cdef class PairWorkspace:
    cdef Py_ssize_t n_places, n_cells
    cdef uint64_t[:, ::1] targets
    cdef int32_t[:, ::1] target_cells
    cdef int64_t[:, ::1] target_sums
    cdef int32_t[::1] counts, cells
    cdef int64_t[::1] keys, totals


cdef class SharedCounts:
    cdef fold_counts_table shared
    cdef count_table table
    cdef CodedTable coded
    cdef object keep


cdef class CodeStore:
    cdef code_store store
    cdef count_table table
    cdef object keep
    cdef readonly object entropy
    cdef Py_ssize_t n_targets

    cdef pair_function pair(self)

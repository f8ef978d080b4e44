"""The rows that leaves of the tree of sums are made of, and the pass over their columns."""

from libc.stdint cimport int64_t

from ensfs._core.sum_tree cimport add_leaf, add_leaves, group_arrays

cdef struct summed_rows:
    const char* x                 # first of the columns
    bint is_float
    int64_t row_stride, column_stride, width, n_listed
    const int64_t* rows
    const int64_t* bounds
    const int64_t* groups
    const int64_t* leaves
    const double* weight          # of each row, or NULL
    const double* shift
    const double* centres         # of each group in place of `shift`, or NULL
    int64_t centre_step
    const double* own_shift       # of the classes, or NULL
    int64_t own_step, n_classes, common
    const double* y


cdef inline void add_columns(
    add_leaf add, summed_rows* c, group_arrays* into, int64_t n_columns, int64_t n_leaves,
    int64_t n_groups, int64_t step, double* spare
) noexcept nogil:
    """Add all leaves of the columns, `step` of them at once."""
    cdef int64_t done = 0, k
    cdef int64_t bytes_apart = c.column_stride * <int64_t>(
        sizeof(float) if c.is_float else sizeof(double))

    while done < n_columns:
        c.width = min(step, n_columns - done)
        add_leaves(add, c, 0, n_leaves, n_groups, c.width, into, spare)
        c.x += c.width * bytes_apart
        c.shift += c.width
        if c.centres != NULL:
            c.centres += c.width
        if c.own_shift != NULL:
            c.own_shift += c.width
        for k in range(5):
            if into.at[k] != NULL:
                into.at[k] += c.width
        done += c.width

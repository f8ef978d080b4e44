"""Centres of folds, as the kernels that combine folds to parts take them."""

from libc.stdint cimport int64_t, uint8_t

from ensfs._core.checks cimport check_length, check_shape, check_space

cdef extern from "fold_centres.h":
    ctypedef struct fold_centres:
        const uint8_t* apart
        const double* shift
        const double* rest
        int64_t column_step, fold_step
        const double* away
        int64_t away_step
        int64_t n_folds, n_parts
        const double* size
        const uint8_t* member
        const int64_t* first
    ctypedef struct centres_of_column:
        const double* shift
        const double* rest
        const double* away
        int64_t fold_step, away_step
    ctypedef struct class_groups:
        const double* centres
        const double* s
        const double* q
        int64_t width
        const double* n
        int64_t n_folds, n_classes
        const double* shift
        int64_t stride
        const double* size
    ctypedef struct fold_regression:
        centres_of_column x, y
        const double* x_squares
        const double* y_squares
        const double* products
        int64_t step
    centres_of_column column_centres(const fold_centres*, int64_t) noexcept nogil
    double centred_product(
        const fold_centres*, const double*, int64_t, int64_t, int64_t) noexcept nogil
    double residual_squares(
        const fold_regression*, const double*, const uint8_t*, int64_t, int64_t, int64_t, double,
        double) noexcept nogil


cdef inline int read_centres(tuple given, fold_centres* c) except -1:
    """Centres as `FoldCentres.arrays` gives them; their columns lie side by side, or their folds.

    The pointers are good as long as the tuple is.
    """
    cdef const uint8_t[::1] apart
    cdef const double[:, ::1] shift, rest, away
    cdef const double[::1] size
    cdef const uint8_t[:, ::1] member
    cdef const int64_t[::1] first
    cdef bint by_column
    apart, shift, rest, away, size, member, first, by_column = given

    c.n_folds, c.n_parts = size.shape[0], member.shape[0]
    c.column_step, c.fold_step = 1, shift.shape[1]
    if by_column:
        c.column_step, c.fold_step = shift.shape[1], 1
    check_shape(rest.shape, shift.shape[0], shift.shape[1], "rest")
    check_space(shift.shape[1] if by_column else shift.shape[0], c.n_folds, "folds of shift")
    check_length(
        shift.shape[0] if by_column else shift.shape[1], apart.shape[0], "columns of shift")
    check_shape(away.shape, c.n_parts, apart.shape[0], "away")
    check_length(member.shape[1], c.n_folds, "rows of member")
    check_length(first.shape[0], c.n_parts, "first")
    c.apart, c.shift, c.rest, c.away = &apart[0], &shift[0, 0], &rest[0, 0], &away[0, 0]
    c.away_step, c.size = away.shape[1], &size[0]
    c.member, c.first = &member[0, 0], &first[0]
    return 0

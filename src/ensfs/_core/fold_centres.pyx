"""Parts of continuous columns whose folds lie far apart; see fold_centres.h.

Groups are the folds, or the classes in every fold: class c of fold e is group ``e * classes + c``.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t, uint8_t

from ensfs._core.checks cimport check_length, check_places, check_shape, check_space
from ensfs._core.fold_centres cimport (
    centres_of_column, class_groups, column_centres, fold_centres, fold_regression, read_centres,
    residual_squares
)
from ensfs._core.layout cimport PANEL

cdef extern from "fold_centres_levels.h":
    void fold_centres_init() noexcept
    void fold_moments_of "ENSFS_FOLD_CENTRES(fold_moments)"(
        const double*, const double*, const double*, int64_t, const double*, int64_t, int64_t,
        const double*, double*, double*) noexcept nogil
    void part_moments_of "ENSFS_FOLD_CENTRES(part_moments)"(
        const double*, const double*, int64_t, const double*, int64_t, const double*,
        const uint8_t*, int64_t, int64_t, double*, double*) noexcept nogil
    void f_of_part "ENSFS_FOLD_CENTRES(f_of_part)"(
        const class_groups*, const uint8_t*, int64_t, const double*, double*,
        double*) noexcept nogil
    void centred_panel "ENSFS_FOLD_CENTRES(centred_panel)"(
        const fold_centres*, int64_t, const double*, const centres_of_column*, int,
        double*) noexcept nogil

fold_centres_init()


cdef int check_by_fold(const fold_centres* own) except -1:
    """Raise an error unless the columns of a fold lie side by side."""
    if own.column_step != 1:
        raise ValueError("centres must be given by fold")
    return 0


cdef int check_folds(
    const double[:, ::1] array, Py_ssize_t n, Py_ssize_t width, str what
) except -1:
    """Raise an error unless each fold (or part) has a value for every column, or more."""
    check_length(array.shape[0], n, what)
    return check_space(array.shape[1], width, "rows of " + what)


cdef int check_members(
    const uint8_t[:, ::1] member, const int64_t[::1] first, Py_ssize_t n_folds
) except -1:
    """Raise an error unless it is known of each part which folds it has."""
    check_length(member.shape[1], n_folds, "rows of member")
    check_length(first.shape[0], member.shape[0], "first")
    return check_places(first, n_folds, "first")


def fold_moments(
    const double[:, ::1] centres,     # IN  (groups, width) centre of each group
    const double[:, ::1] s,           # IN  (groups, width) sums from there
    const double[:, ::1] q,           # IN  (groups, width) sums of squares
    const double[:, ::1] n,           # IN  (folds, classes) rows of each group
    const double[:, ::1] shift,       # IN  (folds, width or more) centre of each fold
    double[:, ::1] rest,              # OUT (folds, width or more) mean of the fold, from there
    double[:, ::1] squares,           # OUT (folds, width) squared deviations from the mean
):
    """Mean and squared deviations of every fold from the sums of its groups."""
    cdef Py_ssize_t e, n_folds = n.shape[0], n_classes = n.shape[1], width = s.shape[1]

    check_length(s.shape[0], n_folds * n_classes, "s")
    check_shape(q.shape, s.shape[0], width, "q")
    check_shape(centres.shape, s.shape[0], width, "centres")
    check_folds(shift, n_folds, width, "shift")
    check_folds(rest, n_folds, width, "rest")
    check_shape(squares.shape, n_folds, width, "squares")
    if not width:
        return
    with nogil:
        for e in range(n_folds):
            fold_moments_of(
                &centres[e * n_classes, 0], &s[e * n_classes, 0], &q[e * n_classes, 0], width,
                &n[e, 0], n_classes, width, &shift[e, 0], &rest[e, 0], &squares[e, 0])


def part_moments(
    const double[:, ::1] shift,       # IN  (folds, width or more) centre of each fold
    const double[:, ::1] rest,        # IN  (folds, width or more) mean of the fold, from there
    const double[:, ::1] squares,     # IN  (folds, width) squared deviations
    const double[::1] size,           # IN  (folds,) rows
    const uint8_t[:, ::1] member,     # IN  (parts, folds)
    const int64_t[::1] first,         # IN  (parts,) first fold with rows
    double[:, ::1] away,              # OUT (parts, width or more) mean, from the first centre
    double[:, ::1] inverse,           # OUT (parts, width) 1 / sqrt(deviations), 0 if constant
):
    """Mean and inverse root of the squared deviations of every part."""
    cdef Py_ssize_t t, b, n_folds = size.shape[0], n_parts = member.shape[0]
    cdef Py_ssize_t width = squares.shape[1]

    check_folds(shift, n_folds, width, "shift")
    check_shape(rest.shape, n_folds, shift.shape[1], "rest")
    check_length(squares.shape[0], n_folds, "squares")
    check_members(member, first, n_folds)
    check_folds(away, n_parts, width, "away")
    check_shape(inverse.shape, n_parts, width, "inverse")
    if not width:
        return
    with nogil:
        for t in range(n_parts):
            part_moments_of(
                &shift[0, 0], &rest[0, 0], shift.shape[1], &squares[0, 0], width, &size[0],
                &member[t, 0], n_folds, first[t], &away[t, 0], &inverse[t, 0])
            for b in range(width):
                inverse[t, b] = 1.0 / sqrt(inverse[t, b]) if inverse[t, b] > 0.0 else 0.0


def part_f(
    const double[:, ::1] centres,     # IN  (groups, width) centre of each group
    const double[:, ::1] s,           # IN  (groups, width) sums from there
    const double[:, ::1] q,           # IN  (groups, width) sums of squares
    const double[:, ::1] n,           # IN  (folds, classes) rows of each group
    const double[:, ::1] shift,       # IN  (folds, width or more) centre of each fold
    const double[::1] size,           # IN  (folds,) rows
    const uint8_t[:, ::1] member,     # IN  (parts, folds)
    const int64_t[::1] first,         # IN  (parts,) first fold with rows
    const double[:, ::1] n_class,     # IN  (parts, classes) rows of each class in each part
    double[:, ::1] out,               # OUT (parts, width)
    double[:, ::1] scratch,           # TEMP (classes, 32)
):
    """F statistics of every part from the sums of the classes in every fold."""
    cdef Py_ssize_t t, n_folds = n.shape[0], n_classes = n.shape[1], n_parts = member.shape[0]
    cdef Py_ssize_t width = s.shape[1]
    cdef class_groups groups

    check_length(s.shape[0], n_folds * n_classes, "s")
    check_shape(q.shape, s.shape[0], width, "q")
    check_shape(centres.shape, s.shape[0], width, "centres")
    check_folds(shift, n_folds, width, "shift")
    check_length(size.shape[0], n_folds, "size")
    check_members(member, first, n_folds)
    check_shape(n_class.shape, n_parts, n_classes, "n_class")
    check_shape(scratch.shape, n_classes, PANEL, "scratch")
    check_shape(out.shape, n_parts, width, "out")
    if not width:
        return
    groups.centres, groups.s, groups.q, groups.width = &centres[0, 0], &s[0, 0], &q[0, 0], width
    groups.n, groups.n_folds, groups.n_classes = &n[0, 0], n_folds, n_classes
    groups.shift, groups.stride, groups.size = &shift[0, 0], shift.shape[1], &size[0]
    with nogil:
        for t in range(n_parts):
            f_of_part(
                &groups, &member[t, 0], first[t], &n_class[t, 0], &scratch[0, 0], &out[t, 0])


def products_with(
    const double[:, :, ::1] products,  # IN  (panels, folds, 32) sums of the folds
    tuple centres,                    # IN  centres of the folds of the columns, by fold
    const double[::1] y_shift,        # IN  (folds,) centre of each fold of a target
    const double[::1] y_rest,         # IN  (folds,) its mean, from there
    const double[::1] y_away,         # IN  (parts,) mean of each part, from its first centre
    double[:, :, ::1] out,            # OUT (panels, parts, 32)
):
    """Sums of products of deviations of every column with a target, in every part."""
    cdef fold_centres own
    cdef centres_of_column y
    cdef Py_ssize_t b, p

    read_centres(centres, &own)
    p = out.shape[0] * PANEL
    check_by_fold(&own)
    check_length(own.fold_step, p, "columns of centres")
    check_shape(products.shape, out.shape[0], own.n_folds, "products")
    check_length(products.shape[2], PANEL, "columns of a panel of products")
    check_length(out.shape[1], own.n_parts, "parts of out")
    check_length(out.shape[2], PANEL, "columns of a panel of out")
    check_length(y_shift.shape[0], own.n_folds, "y_shift")
    check_length(y_rest.shape[0], own.n_folds, "y_rest")
    check_length(y_away.shape[0], own.n_parts, "y_away")
    y.shift, y.rest, y.away, y.fold_step, y.away_step = &y_shift[0], &y_rest[0], &y_away[0], 1, 1
    with nogil:
        for b in range(out.shape[0]):
            centred_panel(&own, PANEL * b, &products[b, 0, 0], &y, True, &out[b, 0, 0])


def regression_f(
    const double[:, ::1] products,    # IN  (folds, width) sums of products with y
    const double[:, ::1] squares,     # IN  (folds, width) squared deviations
    tuple centres,                    # IN  centres of the folds of the columns, by fold
    const double[::1] y_squares,      # IN  (folds,) squared deviations of y
    const double[::1] y_shift,        # IN  (folds,) centre of each fold of y
    const double[::1] y_rest,         # IN  (folds,) its mean, from there
    const double[:, ::1] covariance,  # IN  (parts, width) products of deviations in each part
    const double[:, ::1] inverse,     # IN  (parts, width) 1 / sqrt(deviations) of the columns
    const double[::1] n,              # IN  (parts,) rows
    double[:, ::1] out,               # OUT (parts, width)
):
    """F statistics of the regression of y on each column, also where little of y is left."""
    cdef fold_centres own
    cdef fold_regression line
    cdef Py_ssize_t t, f, width = products.shape[1], n_folds = products.shape[0]
    cdef double total, slope, left

    read_centres(centres, &own)
    check_by_fold(&own)
    check_length(own.n_folds, n_folds, "folds of centres")
    check_space(own.fold_step, width, "columns of centres")
    check_shape(squares.shape, n_folds, width, "squares")
    check_length(y_squares.shape[0], n_folds, "y_squares")
    check_length(y_shift.shape[0], n_folds, "y_shift")
    check_length(y_rest.shape[0], n_folds, "y_rest")
    check_length(n.shape[0], own.n_parts, "n")
    check_shape(covariance.shape, own.n_parts, width, "covariance")
    check_shape(inverse.shape, own.n_parts, width, "inverse")
    check_shape(out.shape, own.n_parts, width, "out")
    line.y.shift, line.y.rest, line.y.fold_step = &y_shift[0], &y_rest[0], 1
    line.y_squares, line.step = &y_squares[0], width
    with nogil:
        for t in range(own.n_parts):
            for f in range(width):
                out[t, f] = 0.0
                if covariance[t, f] == 0.0 or inverse[t, f] == 0.0 or n[t] <= 2.0:
                    continue
                total = 1.0 / (inverse[t, f] * inverse[t, f])
                slope = covariance[t, f] / total
                line.x, line.x_squares = column_centres(&own, f), &squares[0, f]
                line.products = &products[0, f]
                left = residual_squares(
                    &line, own.size, own.member + t * n_folds, n_folds, t, own.first[t], slope,
                    total)
                out[t, f] = INFINITY
                if left > 0.0:
                    out[t, f] = covariance[t, f] * slope * (n[t] - 2.0) / left


def centre_products(
    const double[:, :, :, ::1] sums,  # IN  (panels, targets or more, folds, 32) sums of the folds
    Py_ssize_t start,                 # IN  first panel
    tuple centres,                    # IN  centres of the folds, by fold
    const int64_t[::1] targets,       # IN  the columns that are targets
    list out,                         # OUT one array (panels, parts, 32) for each target
):
    """Sums of products of deviations in every part, for pairs of which a column lies apart.

    Those of other pairs are left as they are.
    """
    cdef fold_centres own
    cdef centres_of_column y
    cdef double[:, :, ::1] view
    cdef Py_ssize_t b, t, g

    read_centres(centres, &own)
    check_by_fold(&own)
    check_space(own.fold_step, (start + sums.shape[0]) * PANEL, "columns of centres")
    check_length(len(out), targets.shape[0], "out")
    check_space(sums.shape[1], targets.shape[0], "targets of sums")
    check_length(sums.shape[2], own.n_folds, "folds of sums")
    check_length(sums.shape[3], PANEL, "columns of a panel of sums")
    check_places(targets, own.fold_step, "targets")
    for t in range(targets.shape[0]):
        view, g = out[t], targets[t]
        check_space(view.shape[0], start + sums.shape[0], "panels of out")
        check_length(view.shape[1], own.n_parts, "parts of out")
        check_length(view.shape[2], PANEL, "columns of a panel of out")
        y = column_centres(&own, g)
        with nogil:
            for b in range(sums.shape[0]):
                centred_panel(
                    &own, PANEL * (start + b), &sums[b, t, 0, 0], &y, own.apart[g],
                    &view[start + b, 0, 0])

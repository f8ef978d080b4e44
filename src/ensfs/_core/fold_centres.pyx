"""Parts of continuous columns whose folds lie far apart; see fold_centres.h.

Groups are the folds, or the classes in every fold: class c of fold e is group ``e * classes + c``.
"""

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t, uint8_t

from ensfs._core.fold_centres cimport (
    centres_of_column, class_groups, column_centres, fold_centres, fold_regression, read_centres,
    residual_squares
)

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

cdef enum:
    PANEL = 32     # columns of a panel


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

    if s.shape[0] != n_folds * n_classes or centres.shape[0] != s.shape[0]:
        raise ValueError("shapes do not agree")
    if q.shape[0] != s.shape[0] or q.shape[1] != width or centres.shape[1] != width:
        raise ValueError("shapes do not agree")
    if shift.shape[0] != n_folds or shift.shape[1] < width or squares.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if rest.shape[0] != n_folds or rest.shape[1] < width or squares.shape[1] != width:
        raise ValueError("shapes do not agree")
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

    if shift.shape[0] != n_folds or rest.shape[0] != n_folds or squares.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if shift.shape[1] != rest.shape[1] or shift.shape[1] < width or away.shape[1] < width:
        raise ValueError("shapes do not agree")
    if member.shape[1] != n_folds or first.shape[0] != n_parts or away.shape[0] != n_parts:
        raise ValueError("shapes do not agree")
    if inverse.shape[0] != n_parts or inverse.shape[1] != width:
        raise ValueError("shapes do not agree")
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

    if s.shape[0] != n_folds * n_classes or centres.shape[0] != s.shape[0]:
        raise ValueError("shapes do not agree")
    if q.shape[0] != s.shape[0] or q.shape[1] != width or centres.shape[1] != width:
        raise ValueError("shapes do not agree")
    if shift.shape[0] != n_folds or shift.shape[1] < width or size.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if member.shape[1] != n_folds or first.shape[0] != n_parts or n_class.shape[0] != n_parts:
        raise ValueError("shapes do not agree")
    if n_class.shape[1] != n_classes or scratch.shape[0] != n_classes or scratch.shape[1] != PANEL:
        raise ValueError("shapes do not agree")
    if out.shape[0] != n_parts or out.shape[1] != width:
        raise ValueError("shapes do not agree")
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
    if products.shape[0] != out.shape[0] or products.shape[1] != own.n_folds:
        raise ValueError("shapes do not agree")
    if own.column_step != 1 or own.fold_step != p or out.shape[1] != own.n_parts:
        raise ValueError("shapes do not agree")
    if products.shape[2] != PANEL or out.shape[2] != PANEL:
        raise ValueError("shapes do not agree")
    if y_shift.shape[0] != own.n_folds or y_rest.shape[0] != own.n_folds:
        raise ValueError("shapes do not agree")
    if y_away.shape[0] != own.n_parts:
        raise ValueError("shapes do not agree")
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
    if own.column_step != 1 or own.n_folds != n_folds or squares.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if own.fold_step < width or squares.shape[1] != width or y_squares.shape[0] != n_folds:
        raise ValueError("shapes do not agree")
    if y_shift.shape[0] != n_folds or y_rest.shape[0] != n_folds or n.shape[0] != own.n_parts:
        raise ValueError("shapes do not agree")
    if covariance.shape[0] != own.n_parts or covariance.shape[1] != width:
        raise ValueError("shapes do not agree")
    if inverse.shape[0] != own.n_parts or inverse.shape[1] != width:
        raise ValueError("shapes do not agree")
    if out.shape[0] != own.n_parts or out.shape[1] != width:
        raise ValueError("shapes do not agree")
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
    if own.column_step != 1 or own.fold_step < (start + sums.shape[0]) * PANEL:
        raise ValueError("shapes do not agree")
    if targets.shape[0] != len(out) or targets.shape[0] > sums.shape[1]:
        raise ValueError("shapes do not agree")
    if sums.shape[2] != own.n_folds or sums.shape[3] != PANEL:
        raise ValueError("shapes do not agree")
    for t in range(targets.shape[0]):
        view, g = out[t], targets[t]
        if view.shape[0] < start + sums.shape[0] or view.shape[1] != own.n_parts:
            raise ValueError("shapes do not agree")
        if view.shape[2] != PANEL or not 0 <= g < own.fold_step:
            raise ValueError("shapes do not agree")
        y = column_centres(&own, g)
        with nogil:
            for b in range(sums.shape[0]):
                centred_panel(
                    &own, PANEL * (start + b), &sums[b, t, 0, 0], &y, own.apart[g],
                    &view[start + b, 0, 0])

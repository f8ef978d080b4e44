/* The continuous kernels of every instruction set, and the sums-to-measure arithmetic above them. */
#ifndef ENSFS_CONTINUOUS_H
#define ENSFS_CONTINUOUS_H

#include "deviations.h"
#include "dispatch.h"
#include "fold_centres.h"
#include "greedy.h"
#include "sum_tree.h"

/* Folds of a table as they lie in packed columns. A lane is the rows of one fold in one leaf; some
   lanes lie side by side, row by row, and those that have fewer rows are filled up. A table of one leaf
   has its folds as lanes. */
typedef struct {
    int64_t n_lanes, n_folds, n_groups;
    const int64_t *first;   /* lane of each group of lanes that lie side by side, and n_lanes */
    const int64_t *longest; /* rows of the longest of each group */
    /* How the lanes make folds; `fold` is NULL if they are the folds. */
    const int32_t *fold; /* of each lane */
    /* sums[into[i]] += sums[from[i]], one after the other, makes the tree of each fold */
    int64_t n_additions;
    const int32_t *into, *from;
    const int32_t *root; /* where the sum of each fold is then; n_lanes if it has no rows */
    double *sums;        /* scratch (n_lanes + 8) */
} fold_lanes;

/* Sums of the folds from those of their lanes. */
static void join_lanes(const fold_lanes *lanes, double *folds) {
    double *sums = lanes->sums;
    sums[lanes->n_lanes] = 0.0;
    for (int64_t i = 0; i < lanes->n_additions; i++) sums[lanes->into[i]] += sums[lanes->from[i]];
    for (int64_t e = 0; e < lanes->n_folds; e++) folds[e] = sums[lanes->root[e]];
}

/* Sums of four targets and 32 columns over the rows of a leaf from the 32 lanes (row modulo 32), which
   are added as `dot32` adds them; out[target][column]. */
static void add_row_lanes(const double *lanes, double *out) {
    for (int t = 0; t < 4; t++)
        for (int f = 0; f < 32; f++) {
            const double *at = lanes + 1024 * t + f;
            double v[8];
            for (int i = 0; i < 8; i++)
                v[i] = (at[32 * i] + at[32 * (i + 8)]) + (at[32 * (i + 16)] + at[32 * (i + 24)]);
            out[32 * t + f] = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
        }
}

/* What a group of rows is summed for: the columns alone, also from the group's own shift, or also
   their products with a numeric target. */
enum { PLAIN_SUMS, OWN_SHIFT, WITH_TARGET };

#define ENSFS_KERNELS "continuous_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int continuous_level = 0;
static void continuous_init(void) { continuous_level = chosen_level(); }

#define ENSFS_CONTINUOUS(name) ENSFS_PICK(continuous_level, name)

/* out[t] = sum of every fold but t, for rows of `width`: prefix plus suffix additions, because
   "total minus fold" cancels when the fold holds an outlier. `scratch` has (folds + 1) * width. */
static void leave_one_out(const double *restrict folds, int64_t fold_stride, int64_t n_folds,
                          int64_t width, double *restrict out, int64_t out_stride,
                          double *restrict scratch) {
    double *restrict prefix = scratch, *restrict suffix = scratch + width;
    for (int64_t b = 0; b < width; b++) prefix[b] = suffix[(n_folds - 1) * width + b] = 0.0;
    for (int64_t t = n_folds - 2; t >= 0; t--)
        for (int64_t b = 0; b < width; b++)
            suffix[t * width + b] = suffix[(t + 1) * width + b] + folds[(t + 1) * fold_stride + b];
    for (int64_t t = 0; t < n_folds; t++)
        for (int64_t b = 0; b < width; b++) {
            out[t * out_stride + b] = prefix[b] + suffix[t * width + b];
            prefix[b] += folds[t * fold_stride + b];
        }
}

/* Inverse roots of the squared deviations of `width` columns in one part of n rows, 0 where they are
   constant. apart[b] is set where the part lies far from the centre. Loops without branches: the
   compiler makes vectors of them. */
static void inverse_roots(const double *s, const double *q, double n, int64_t width, double *out,
                          uint8_t *apart) {
    int64_t n_far = 0;
    for (int64_t b = 0; b < width; b++) {
        out[b] = deviations(s[b], q[b], n);
        n_far += far_from_centre(q[b], out[b]);
    }
    if (n_far)
        for (int64_t b = 0; b < width; b++) apart[b] |= (uint8_t)far_from_centre(q[b], out[b]);
    for (int64_t b = 0; b < width; b++) {
        double inverse = 1.0 / sqrt(out[b] > 0.0 ? out[b] : 1.0);
        out[b] = out[b] > 0.0 ? inverse : 0.0;
    }
}

/* F statistics of `width` columns in `n_parts` parts from class sums that are already combined:
   s, q (parts, classes, width); n_class (parts, classes). `mean` is scratch (classes, width).
   apart[b] is set where some part lies far from its centres, or where the means of the classes are so
   nearly equal in it, seen from the centres, that digits are lost. */
static void f_statistics(const double *s, const double *q, const double *n_class, int64_t n_parts,
                         int64_t n_classes, int64_t width, const double *class_shift,
                         const double *shift, int64_t shift_stride, double *out, int64_t out_stride,
                         uint8_t *apart, double *mean) {
    for (int64_t t = 0; t < n_parts; t++) {
        const double *nc = n_class + t * n_classes;
        double n = 0.0;
        int64_t present = 0;
        for (int64_t c = 0; c < n_classes; c++) n += nc[c], present += nc[c] > 0;
        for (int64_t b = 0; b < width; b++) {
            double within = 0.0, between = 0.0, grand = 0.0, size = 0.0, squares = 0.0;
            for (int64_t c = 0; c < n_classes; c++) {
                if (nc[c] == 0) continue;
                int64_t at = (t * n_classes + c) * width + b;
                within += deviations(s[at], q[at], nc[c]);
                squares += q[at];
                /* class mean measured from the common shift, so that no large mean is left in it */
                double centre = class_shift[c * shift_stride + b] - shift[b], rest = s[at] / nc[c];
                mean[c * width + b] = centre + rest;
                size += nc[c] * (centre * centre + rest * rest);
                grand += nc[c] * mean[c * width + b];
            }
            grand /= n;
            for (int64_t c = 0; c < n_classes; c++) {
                if (nc[c] == 0) continue;
                double d = mean[c * width + b] - grand;
                between += nc[c] * d * d;
            }
            double f = f_ratio(between, within, size, n, present);
            out[t * out_stride + b] = f;
            if (far_from_centre(squares, within) || (f > 0.0 && between < 1e-11 * size)) apart[b] = 1;
        }
    }
}

/* A table of packed columns for the lazy search. Columns packed on demand are put side by side in the
   order of demand, so that no more memory is touched than they need. */
typedef struct {
    const void *source; /* the user's array, for columns packed on demand */
    int64_t row_stride, column_stride, n;
    int64_t packed_rows, packed_stride; /* rows that are read, and from column to column */
    void *packed;
    int32_t *place; /* of each column among the packed ones, or -1 */
    int64_t *n_packed;
    const double *shift, *sum, *inverse; /* per column: shift, sum(d), 1 / sqrt(deviations) */
    const double *with_first;    /* per column: the answer for the first selected column, or NULL */
    const fold_centres *centres; /* if the folds of some columns lie apart; else NULL */
    int is_float;
    /* Parts of folds, which lie in lanes. Else n_folds is 0. */
    const fold_lanes *lanes;
    int64_t n_folds, part;
    const int32_t *members; /* the folds of the part; NULL if it is all but fold `part` */
    int64_t n_members;
    double rows_of_part;
    double *fold_sums; /* scratch (n_folds + 8) */
} column_store;

/* Where the packed column f begins. */
static int64_t packed_column(column_store *c, int64_t f) {
    if (c->place[f] < 0) {
        int64_t at = *c->n_packed;
        if (c->is_float)
            ENSFS_CONTINUOUS(pack_columns_float)(
                (const float *)c->source + f * c->column_stride, c->row_stride, 0, NULL, NULL, c->n, 1,
                c->shift + f, 0, (float *)c->packed + at * c->packed_stride, c->packed_stride);
        else
            ENSFS_CONTINUOUS(pack_columns_double)(
                (const double *)c->source + f * c->column_stride, c->row_stride, 0, NULL, NULL, c->n, 1,
                c->shift + f, 0, (double *)c->packed + at * c->packed_stride, c->packed_stride);
        c->place[f] = (int32_t)at;
        *c->n_packed = at + 1;
    }
    return c->place[f] * c->packed_stride;
}

/* The sum of every fold but `part`, with the additions of `leave_one_out`. */
static inline double without_fold(const double *folds, int64_t n_folds, int64_t part) {
    double prefix = 0.0, suffix = 0.0;
    for (int64_t e = 0; e < part; e++) prefix += folds[e];
    for (int64_t e = n_folds - 1; e > part; e--) suffix += folds[e];
    return prefix + suffix;
}

/* The sum of some folds, at least one, with the additions of `combine_folds`. */
static inline double sum_of_folds(const double *folds, const int32_t *members, int64_t n) {
    double sum = folds[members[0]];
    for (int64_t i = 1; i < n; i++) sum += folds[members[i]];
    return sum;
}

/* Products of two columns whose folds are packed in lanes, fold by fold. Floats are shifted on
   load: by the centre of each fold if there are any, else by that of the column. */
static void products_of_folds(const column_store *c, int64_t at_f, int64_t f, int64_t at_g, int64_t g) {
    const fold_centres *own = c->centres;
    const double *shift_f = own ? own->shift + f * own->column_step : c->shift + f;
    const double *shift_g = own ? own->shift + g * own->column_step : c->shift + g;
    if (c->is_float)
        ENSFS_CONTINUOUS(fold_products_float)((const float *)c->packed + at_f, shift_f,
                                              (const float *)c->packed + at_g, shift_g, own != NULL,
                                              c->lanes, c->fold_sums);
    else
        ENSFS_CONTINUOUS(fold_products_double)((const double *)c->packed + at_f, NULL,
                                               (const double *)c->packed + at_g, NULL, 0,
                                               c->lanes, c->fold_sums);
}

/* The sum of products of columns f and g in the part from those of the folds. Where folds lie apart it
   is already that of the deviations: the `sum` of such a column is 0. */
static double product_in_part(const column_store *c, int64_t f, int64_t g) {
    if (c->centres && (c->centres->apart[f] || c->centres->apart[g]))
        return centred_product(c->centres, c->fold_sums, f, g, c->part);
    if (c->members) return sum_of_folds(c->fold_sums, c->members, c->n_members);
    return without_fold(c->fold_sums, c->n_folds, c->part);
}

/* |Pearson| of column f and column g, which was selected at `place`. */
static double pearson_pair(void *context, int64_t f, int64_t g, int64_t place) {
    column_store *c = (column_store *)context;
    if (place == 0 && c->with_first) return c->with_first[f];
    int64_t at_f = packed_column(c, f), at_g = packed_column(c, g);
    double product;
    if (c->n_folds) {
        products_of_folds(c, at_f, f, at_g, g);
        product = product_in_part(c, f, g);
    } else if (c->is_float)
        product =
            ENSFS_CONTINUOUS(dot32_float)((const float *)c->packed + at_f, c->shift[f],
                                          (const float *)c->packed + at_g, c->shift[g], c->packed_rows);
    else
        product = ENSFS_CONTINUOUS(dot32_double)((const double *)c->packed + at_f, 0.0,
                                                 (const double *)c->packed + at_g, 0.0, c->packed_rows);
    return pearson_of_product(product, c->sum, c->inverse, c->rows_of_part, f, g);
}

#endif

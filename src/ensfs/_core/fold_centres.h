/* Parts of columns whose folds lie far apart.

   One centre for a column costs digits in a part whose folds all lie far from it. So every fold has
   a centre of its own, and its sums are measured from there. The mean of a fold is its centre plus
   a small `rest`; a part adds to the sums of its folds how far their means lie from its own mean.
   That is measured from the centre of a fold of the part, so nothing cancels that is not small in
   the part as well. */
#ifndef ENSFS_FOLD_CENTRES_H
#define ENSFS_FOLD_CENTRES_H

#include <math.h>
#include <stdint.h>

#include "deviations.h"

/* Centres of the folds of all columns: column f of fold e is at f * column_step + e * fold_step. */
typedef struct {
    const uint8_t *apart; /* (columns) whether the folds lie apart */
    const double *shift;  /* centre of each fold */
    const double *rest;   /* its mean, measured from the centre */
    int64_t column_step, fold_step;
    const double *away; /* (parts, away_step) mean of a part, from the centre of its first fold */
    int64_t away_step;
    int64_t n_folds, n_parts;
    const double *size;    /* (folds) rows */
    const uint8_t *member; /* (parts, folds) whether a fold belongs to a part */
    const int64_t *first;  /* (parts) its first fold that has rows */
} fold_centres;

/* The same of one column, or of a numeric target. */
typedef struct {
    const double *shift, *rest, *away;
    int64_t fold_step, away_step;
} centres_of_column;

static inline centres_of_column column_centres(const fold_centres *c, int64_t f) {
    centres_of_column one = {c->shift + f * c->column_step, c->rest + f * c->column_step,
                             c->away + f, c->fold_step, c->away_step};
    return one;
}

/* How far the mean of fold e lies from the mean of a part that begins with fold `first`. */
static inline double deviation_of_fold(const centres_of_column *x, int64_t e, int64_t first,
                                       int64_t part) {
    return (x->shift[e * x->fold_step] - x->shift[first * x->fold_step]) +
           (x->rest[e * x->fold_step] - x->away[part * x->away_step]);
}

/* What one fold gives to a sum of products of deviations from the means of a part: its own sum of
   products, with its means as far from those of the part as they are (x, y), instead of as far as
   they are from its centres (x_rest, y_rest). */
static inline double product_of_fold(double product, double size, double x, double x_rest, double y,
                                     double y_rest) {
    return product + size * (x * y - x_rest * y_rest);
}

/* Sum of products of the deviations of two columns in a part, from those of the folds. */
static double centred_product(const fold_centres *c, const double *products, int64_t f, int64_t g,
                              int64_t part) {
    const centres_of_column x = column_centres(c, f), y = column_centres(c, g);
    const uint8_t *member = c->member + part * c->n_folds;
    const int64_t first = c->first[part], step = c->fold_step;
    double sum = 0.0;
    for (int64_t e = 0; e < c->n_folds; e++)
        if (member[e])
            sum += product_of_fold(products[e], c->size[e], deviation_of_fold(&x, e, first, part),
                                   x.rest[e * step], deviation_of_fold(&y, e, first, part),
                                   y.rest[e * step]);
    return sum;
}

/* Sums of the classes in every fold: class c of fold e is group e * n_classes + c. */
typedef struct {
    const double *centres, *s, *q; /* (groups, width) centre of each group, and sums from there */
    int64_t width;
    const double *n; /* (folds, classes) rows */
    int64_t n_folds, n_classes;
    const double *shift; /* (folds, stride) centre of each fold */
    int64_t stride;
    const double *size; /* (folds) rows */
} class_groups;

/* Moments of a column and of a numeric target in every fold. */
typedef struct {
    centres_of_column x, y;
    const double *x_squares, *y_squares; /* squared deviations from the means of the fold */
    const double *products;              /* sums of products from its centres */
    int64_t step;                        /* from fold to fold in x_squares and products */
} fold_regression;

/* How far fold e lies above the line of slope b through the centres of fold `first`. Where the folds
   lie far apart, large numbers cancel here: differences and products are exact. */
static inline double above_line(const fold_regression *r, double b, int64_t e, int64_t first) {
    const double x1 = r->x.shift[e * r->x.fold_step], x0 = r->x.shift[first * r->x.fold_step];
    const double y1 = r->y.shift[e * r->y.fold_step], y0 = r->y.shift[first * r->y.fold_step];
    const double x = x1 - x0, y = y1 - y0;
    /* what rounding of the differences lost */
    const double x_part = x1 - x, x_lost = (x1 - (x + x_part)) + (x_part - x0);
    const double y_part = y1 - y, y_lost = (y1 - (y + y_part)) + (y_part - y0);
    const double product = b * x, product_lost = fma(b, x, -product);
    return (y - product) + ((y_lost - product_lost) - b * x_lost) +
           (r->y.rest[e * r->y.fold_step] - b * r->x.rest[e * r->x.fold_step]);
}

/* Squared deviations of y from its regression on x in a part. `slope` is that of the regression but
   for rounding, `x_total` the squared deviations of x. 0 where only rounding is left. */
static double residual_squares(const fold_regression *r, const double *size, const uint8_t *member,
                               int64_t n_folds, int64_t part, int64_t first, double slope,
                               double x_total) {
    double n = 0.0, mean = 0.0, squares = 0.0, terms = 0.0, with_x = 0.0;
    for (int64_t e = 0; e < n_folds; e++)
        if (member[e]) n += size[e], mean += size[e] * above_line(r, slope, e, first);
    mean /= n;
    for (int64_t e = 0; e < n_folds; e++) {
        if (!member[e]) continue;
        const double x2 = r->x_squares[e * r->step], y2 = r->y_squares[e];
        const double xy = r->products[e * r->step] - size[e] * (r->x.rest[e * r->x.fold_step] *
                                                                r->y.rest[e * r->y.fold_step]);
        const double d = above_line(r, slope, e, first) - mean;
        squares += ((y2 - slope * xy) - slope * (xy - slope * x2)) + size[e] * (d * d);
        terms += y2 + slope * slope * x2 + size[e] * (d * d);
        with_x += (xy - slope * x2) + size[e] * (deviation_of_fold(&r->x, e, first, part) * d);
    }
    squares -= with_x * (with_x / x_total);
    return squares > rounding_share(n) * terms ? squares : 0.0;
}

#endif

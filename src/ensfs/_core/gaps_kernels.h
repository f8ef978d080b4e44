/* Sums over observed cells, once per instruction set. Columns lie side by side in the lanes and the
   rows of a sum follow each other, so that every instruction set adds in the same order. */
#include "lanes.h"

/* A few rows of `width` cells, measured from `from`, and 1 for each; both are 0 where a cell is NaN. Steps
   count cells. Inlined with constants, so that these become vectors. */
ENSFS_INLINE void LV(observe_rows)(const void *x, int is_float, int64_t row_step, int64_t column_step,
                                   int64_t n_rows, int64_t width, const double *from,
                                   double *restrict value, double *restrict seen) {
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t f = 0; f < width; f++) {
            const int64_t at = i * row_step + f * column_step, to = i * OBSERVED + f;
            const double cell = is_float ? ((const float *)x)[at] : ((const double *)x)[at];
            const double d = cell - from[f];
            seen[to] = cell == cell ? 1.0 : 0.0;
            value[to] = cell == cell ? d : 0.0;
        }
}

/* The same from `centre`, or as they are where it is NULL; beyond `width` columns all is 0. */
static void LV(observe)(const void *x, int is_float, int64_t row_step, int64_t column_step, int64_t n_rows,
                        int64_t width, const double *centre, double *restrict value,
                        double *restrict seen) {
    double from[OBSERVED] = {0};
    if (centre) memcpy(from, centre, (size_t)width * sizeof(double));
    if (column_step == 1 && width == OBSERVED) {
        if (is_float)
            LV(observe_rows)(x, 1, row_step, 1, n_rows, OBSERVED, from, value, seen);
        else
            LV(observe_rows)(x, 0, row_step, 1, n_rows, OBSERVED, from, value, seen);
        return;
    }
    memset(value, 0, sizeof(double) * OBSERVED * (size_t)n_rows);
    memset(seen, 0, sizeof(double) * OBSERVED * (size_t)n_rows);
    LV(observe_rows)(x, is_float, row_step, column_step, n_rows, width, from, value, seen);
}

/* Adds rows to `sums` (groups, 3, strip): weight, sum and sum of squares from the centres
   (any, strip) of the groups. */
static void LV(add_groups)(const double *value, const double *seen, int64_t n_rows, const int64_t *group,
                           const int64_t *centre_of, const double *centres, const double *weight,
                           double *sums) {
    for (int64_t i = 0; i < n_rows; i++) {
        const double *centre = centres + centre_of[group[i]] * OBSERVED;
        const double w = weight ? weight[i] : 1.0;
        double *to = sums + group[i] * 3 * OBSERVED;
        for (int64_t f = 0; f < OBSERVED; f += ENSFS_LANES) {
            const LV(lanes) there = LV(load_double)(seen + i * OBSERVED + f);
            const LV(lanes) d =
                (LV(load_double)(value + i * OBSERVED + f) - LV(load_double)(centre + f)) * there;
            const LV(lanes) wd = w * d;
            LV(lanes) *at = (LV(lanes) *)(to + f);
            *at += w * there;
            at = (LV(lanes) *)(to + OBSERVED + f);
            *at += wd;
            at = (LV(lanes) *)(to + 2 * OBSERVED + f);
            *at += wd * d;
        }
    }
}

/* Adds the rows that columns have in common with a target `y`, NaN where it is missing, to `sums`
   (folds, 6, strip): weight, sums of the column, of the target, of both squared, of products. */
static void LV(add_pairs)(const double *value, const double *seen, int64_t n_rows, const double *y,
                          const int64_t *fold, const double *weight, double *sums) {
    for (int64_t i = 0; i < n_rows; i++) {
        if (y[i] != y[i]) continue;
        const double w = weight ? weight[i] : 1.0, wy = w * y[i], wyy = wy * y[i];
        double *to = sums + fold[i] * 6 * OBSERVED;
        for (int64_t f = 0; f < OBSERVED; f += ENSFS_LANES) {
            const LV(lanes) there = LV(load_double)(seen + i * OBSERVED + f);
            const LV(lanes) x = LV(load_double)(value + i * OBSERVED + f), wx = w * x;
            const LV(lanes) more[6] = {w * there, wx, wy * there, wx * x, wyy * there, wy * x};
            for (int k = 0; k < 6; k++) {
                LV(lanes) *at = (LV(lanes) *)(to + k * OBSERVED + f);
                *at += more[k];
            }
        }
    }
}

/* Sums and products of continuous columns, once per instruction set and once per storage type. */
#include "lanes.h"

#define ENSFS_REAL double
#define ENSFS_IS_FLOAT 0
#include "continuous_kernels_real.h"
#undef ENSFS_REAL
#undef ENSFS_IS_FLOAT
#define ENSFS_REAL float
#define ENSFS_IS_FLOAT 1
#include "continuous_kernels_real.h"
#undef ENSFS_REAL
#undef ENSFS_IS_FLOAT

ENSFS_INLINE void LV(combine_columns)(const double *restrict folds, int64_t fold_stride,
                                      const int32_t *restrict members, int64_t n_members,
                                      const int width, double *restrict out) {
    double sum[32];
    for (int b = 0; b < width; b++) sum[b] = folds[members[0] * fold_stride + b];
    for (int64_t i = 1; i < n_members; i++)
        for (int b = 0; b < width; b++) sum[b] += folds[members[i] * fold_stride + b];
    for (int b = 0; b < width; b++) out[b] = sum[b];
}

/* out[t] = sum of the folds of part t in their order, for rows of `width`. The folds of part t are
   members[bounds[t]] up to members[bounds[t + 1]], at least one. 32 columns at a time: the sums stay in
   registers, and the folds in the cache. */
static void LV(combine_folds)(const double *restrict folds, int64_t fold_stride,
                              const int32_t *restrict members, const int64_t *restrict bounds,
                              int64_t n_parts, int64_t width, double *restrict out,
                              int64_t out_stride) {
    for (int64_t b = 0; b < width; b += 32)
        for (int64_t t = 0; t < n_parts; t++) {
            const int32_t *of_part = members + bounds[t];
            int64_t n = bounds[t + 1] - bounds[t];
            if (b + 32 <= width)
                LV(combine_columns)(folds + b, fold_stride, of_part, n, 32, out + t * out_stride + b);
            else
                LV(combine_columns)(folds + b, fold_stride, of_part, n, (int)(width - b),
                                    out + t * out_stride + b);
        }
}

/* Products of columns with columns in one leaf, once per instruction set. */
#include "lanes.h"

/* Columns of a tile: the sums of A by B of them stay in registers. */
#if ENSFS_LANES == 8
#define ENSFS_TILE_A 4
#define ENSFS_TILE_B 6
#else
#define ENSFS_TILE_A 3 /* half as many registers */
#define ENSFS_TILE_B 3
#endif

/* sums[a][b][8]: the products of every A column with every B column, in eight of the lanes. */
ENSFS_INLINE void LV(gram_tile)(const double *restrict x, const double *restrict y, int64_t n,
                                double *restrict sums, int64_t stride) {
    for (int k = 0; k < 8; k += ENSFS_LANES) {
        LV(lanes) sum[ENSFS_TILE_A][ENSFS_TILE_B];
        for (int a = 0; a < ENSFS_TILE_A; a++)
            for (int b = 0; b < ENSFS_TILE_B; b++) sum[a][b] = (LV(lanes)){0};
        for (int64_t i = k; i < n; i += 8) {
            LV(lanes) of_a[ENSFS_TILE_A];
            for (int a = 0; a < ENSFS_TILE_A; a++)
                of_a[a] = LV(load_double)(x + a * QUARTER + i);
            for (int b = 0; b < ENSFS_TILE_B; b++) {
                LV(lanes) of_b = LV(load_double)(y + b * QUARTER + i);
                for (int a = 0; a < ENSFS_TILE_A; a++) sum[a][b] += of_a[a] * of_b;
            }
        }
        for (int a = 0; a < ENSFS_TILE_A; a++)
            for (int b = 0; b < ENSFS_TILE_B; b++)
                *(LV(lanes) *)(sums + a * stride + 32 * b + k) = sum[a][b];
    }
}

/* out[f][g], g >= f: products of the columns of a leaf, each from the 32 lanes (row modulo 32), which
   are added as `dot32` adds them. Places of a column lie as `QUARTER` says, `n` in each quarter;
   there are at least LEAST_COLUMNS. The columns at the end are in two tiles if they fill none.
   `sums` is scratch (LEAST_COLUMNS, columns, 32). */
static void LV(gram_of_leaf)(const double *restrict packed, int64_t n_columns, int64_t n,
                             double *restrict sums, double *restrict out) {
    const int64_t stride = 32 * n_columns;
    for (int64_t next = 0; next < n_columns; next += ENSFS_TILE_A) {
        const int64_t last_a = n_columns - ENSFS_TILE_A, last_b = n_columns - ENSFS_TILE_B;
        const int64_t f = next < last_a ? next : last_a, first = f < last_b ? f : last_b;
        for (int q = 0; q < 4; q++) {
            const double *of_quarter = packed + q * n_columns * QUARTER;
            for (int64_t after = first; after < n_columns; after += ENSFS_TILE_B) {
                const int64_t g = after < last_b ? after : last_b;
                LV(gram_tile)(of_quarter + f * QUARTER, of_quarter + g * QUARTER, n,
                              sums + 32 * g + 8 * q, stride);
            }
        }
        for (int a = 0; a < ENSFS_TILE_A; a++)
            for (int64_t g = first; g < n_columns; g++) {
                const double *at = sums + a * stride + 32 * g;
                double v[8];
                for (int i = 0; i < 8; i++) v[i] = (at[i] + at[i + 8]) + (at[i + 16] + at[i + 24]);
                out[(f + a) * n_columns + g] =
                    ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
            }
    }
}
#undef ENSFS_TILE_A
#undef ENSFS_TILE_B

/* Sums over the cells of two columns in the strata of others. */
#ifndef ENSFS_INDEPENDENCE_H
#define ENSFS_INDEPENDENCE_H

#include "discrete.h"

enum { SUBTABLES = 4 };

typedef struct {
    int64_t value;    /* conditional mutual information times rows, in units of klogk */
    int64_t n_strata; /* strata with rows */
    int64_t degrees;  /* sum over them of (levels of x there - 1) (levels of y there - 1) */
} cell_sums;

/* table is (strata, levels of y, levels of x); margin holds the levels of x. The row is that of the
   information of x and y given the strata, with x for f and the strata for g: it uses the sums over
   the strata, with and without x and y, and no others. */
ENSFS_INLINE cell_sums sum_cells_of(const int32_t *table, int64_t n_strata, const int64_t n_y,
                                    const int64_t n_x, const int64_t *row, const int64_t *klogk,
                                    int64_t n, int32_t *margin) {
    cell_sums sums = {0, 0, 0};
    int64_t fgy = 0, fg = 0, gy = 0, g = 0;
    for (int64_t z = 0; z < n_strata; z++) {
        int64_t in_stratum = 0, levels_x = 0, levels_y = 0;
        for (int64_t x = 0; x < n_x; x++) margin[x] = 0;
        for (int64_t y = 0; y < n_y; y++, table += n_x) {
            int32_t in_row = 0;
            for (int64_t x = 0; x < n_x; x++) {
                fgy += klogk[table[x]];
                margin[x] += table[x];
                in_row += table[x];
            }
            gy += klogk[in_row];
            in_stratum += in_row;
            levels_y += in_row > 0;
        }
        if (in_stratum == 0) continue;
        for (int64_t x = 0; x < n_x; x++) {
            fg += klogk[margin[x]];
            levels_x += margin[x] > 0;
        }
        g += klogk[in_stratum];
        sums.n_strata++;
        sums.degrees += (levels_x - 1) * (levels_y - 1);
    }
    sums.value = row_value(row, fixed_sum(row, 0, g, 0, gy), 0, fg, 0, fgy);
    if (sums.value <= rounding(n, n_strata * n_y * n_x, n_strata * (n_x + n_y + 1))) sums.value = 0;
    return sums;
}

/* Numbers of levels that the compiler knows unroll the loops. */
static cell_sums sum_cells(const int32_t *table, int64_t n_strata, int64_t n_y, int64_t n_x,
                           const int64_t *row, const int64_t *klogk, int64_t n, int32_t *margin) {
    if (n_y == 2 && n_x == 2) return sum_cells_of(table, n_strata, 2, 2, row, klogk, n, margin);
    if (n_y == 2 && n_x == 3) return sum_cells_of(table, n_strata, 2, 3, row, klogk, n, margin);
    if (n_y == 3 && n_x == 3) return sum_cells_of(table, n_strata, 3, 3, row, klogk, n, margin);
    return sum_cells_of(table, n_strata, n_y, n_x, row, klogk, n, margin);
}

/* Bit planes are faster than rows up to so many cells of y and the strata: a plane costs a
   64th of the rows, times what a population count costs. */
static int plane_cells(void) {
    int most[3] = {4, 32, 96};
    return most[discrete_level];
}

#define ENSFS_KERNELS "independence_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static void independence_init(void) { discrete_init(); }

#endif

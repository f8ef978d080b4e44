/* Measures from sums of k*log2(k) over the cells of tables of counts.

   A measure is one row or two of coefficients over eight sums, perhaps divided by another row; see
   formulas.py, where the rows are written. The sums are whole numbers, so a row is exact.

   Of independent columns a row is about half a nat for each degree of freedom. These are the same row
   over the numbers of cells, so they grow evenly with the levels of f, and a row without what chance
   gives costs one product more. */
#ifndef ENSFS_MEASURES_H
#define ENSFS_MEASURES_H

#include <stdint.h>

#include "dispatch.h"

/* What a sum is over: all rows; the cells of f, of g, of both; and of the target y with these. A pair
   of columns needs the first four. */
enum { SUM_ALL, SUM_F, SUM_G, SUM_FG, SUM_Y, SUM_FY, SUM_GY, SUM_FGY, N_SUMS };
enum { MAX_ROWS = 2, DIVISOR = MAX_ROWS };
/* What becomes of what chance gives: it is kept, subtracted, or the least value of a row. */
enum { CHANCE_KEPT, CHANCE_SUBTRACTED, CHANCE_LEAST };

typedef struct {
    int64_t rows[MAX_ROWS + 1][N_SUMS]; /* the divisor last */
    double weights[MAX_ROWS];
    int is_one_row;  /* and nothing else; otherwise divided, or there is a second row */
    int is_divided;  /* by the divisor; otherwise in bits */
    int is_signed;   /* otherwise negative values are taken as 0 */
    int uses_target; /* some coefficient of a sum with y is not 0 */
    int uses_fy;
    int chance;
    double chance_times; /* this many times what chance gives */
} measure_rows;

/* The rows with all that does not depend on f added up, for a target g. */
typedef struct {
    int64_t rows[MAX_ROWS + 1];
    int64_t df[MAX_ROWS]; /* the degrees of freedom of a row if f had no level */
    int64_t df_per_level[MAX_ROWS];
} fixed_sums;
enum { FIXED_SIZE = 3 * MAX_ROWS + 1 };

/* Each k*log2(k) is rounded to a whole number of units, so a row that should be 0 may be off by a
   unit for each cell: this many for the cells of the largest table and of the others. */
ENSFS_INLINE int64_t rounding(int64_t n, int64_t cells, int64_t others) {
    return (cells < n ? cells : n) + (others < 3 * n ? others : 3 * n);
}

/* Sums of a row may wrap around on the way, but not in the end. */
ENSFS_INLINE int64_t fixed_sum(const int64_t *row, int64_t all, int64_t g, int64_t y, int64_t gy) {
    return (int64_t)((uint64_t)row[SUM_ALL] * (uint64_t)all + (uint64_t)row[SUM_G] * (uint64_t)g +
                     (uint64_t)row[SUM_Y] * (uint64_t)y + (uint64_t)row[SUM_GY] * (uint64_t)gy);
}

ENSFS_INLINE int64_t row_value(const int64_t *row, int64_t fixed, int64_t f, int64_t fg,
                               int64_t fy, int64_t fgy) {
    return (int64_t)((uint64_t)fixed + (uint64_t)row[SUM_F] * (uint64_t)f +
                     (uint64_t)row[SUM_FG] * (uint64_t)fg + (uint64_t)row[SUM_FY] * (uint64_t)fy +
                     (uint64_t)row[SUM_FGY] * (uint64_t)fgy);
}

/* The rows for a target g, from the sums that do not depend on f and the levels of g and y. */
ENSFS_INLINE fixed_sums fix_sums(const measure_rows *m, int64_t all, int64_t g, int64_t y, int64_t gy,
                                 int64_t levels_g, int64_t levels_y) {
    fixed_sums fixed;
    for (int r = 0; r <= MAX_ROWS; r++) fixed.rows[r] = fixed_sum(m->rows[r], all, g, y, gy);
    for (int r = 0; r < MAX_ROWS; r++) {
        fixed.df[r] = fixed_sum(m->rows[r], 1, levels_g, levels_y, levels_g * levels_y);
        fixed.df_per_level[r] =
            row_value(m->rows[r], 0, 1, levels_g, levels_y, levels_g * levels_y);
    }
    return fixed;
}

/* What a measure needs beside the sums: the levels of f, what a degree of freedom gives by chance and
   what rounding may leave of a row, both in units of the sums. */
typedef struct {
    int64_t levels_f;
    double chance;
    int64_t rounded;
} row_terms;

/* A row as it counts, from its value: chance as the measure has it, and 0 where only rounding, or less
   than nothing, is left. */
ENSFS_INLINE double counted_row(const measure_rows *m, const fixed_sums *fixed, int r, int64_t exact,
                                row_terms terms) {
    double value = (double)exact;
    if (m->chance != CHANCE_KEPT) {
        int64_t df = fixed->df[r] + fixed->df_per_level[r] * terms.levels_f;
        double by_chance = (double)df * (terms.chance * m->chance_times);
        if (m->chance == CHANCE_SUBTRACTED)
            value -= by_chance;
        else if (value < by_chance)
            value = by_chance;
    }
    double rounded = (double)terms.rounded;
    return value <= rounded && (!m->is_signed || value >= -rounded) ? 0.0 : value;
}

/* The measure from the sums that depend on f. `units` (one for each row) are its weight times the value
   of a unit. */
ENSFS_INLINE double measure_value(const measure_rows *m, const fixed_sums *fixed, int64_t f,
                                  int64_t fg, int64_t fy, int64_t fgy, row_terms terms,
                                  const double *units) {
    int64_t exact = row_value(m->rows[0], fixed->rows[0], f, fg, fy, fgy);
    double value = counted_row(m, fixed, 0, exact, terms) * units[0];
    if (m->is_one_row) return value;
    if (m->is_divided) {
        if (value == 0.0) return value;
        value /= (double)row_value(m->rows[DIVISOR], fixed->rows[DIVISOR], f, fg, fy, fgy);
        return value < 1.0 ? value : 1.0;
    }
    exact = row_value(m->rows[1], fixed->rows[1], f, fg, fy, fgy);
    return value + counted_row(m, fixed, 1, exact, terms) * units[1];
}

#endif

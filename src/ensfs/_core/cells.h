/* Cells of coded columns with many levels, counted row by row; part of discrete.h. */
#ifndef ENSFS_CELLS_H
#define ENSFS_CELLS_H

static inline int64_t code_at(const code_store *s, int64_t f, int64_t i) {
    if (f == s->n_columns - 1) return s->y[i];
    return s->wide ? ((const uint16_t *)s->codes)[f * s->n_total + i]
                   : ((const uint8_t *)s->codes)[f * s->n_total + i];
}

/* The cell of a pair of codes: its place in the table if the table is large enough for all pairs,
   else a place found by hashing (a place with count 0 is free). */
static inline int32_t cell_of(count_table *t, int64_t key, int direct) {
    if (direct) return (int32_t)key;
    uint64_t at = ((uint64_t)key * 0x9e3779b97f4a7c15u) >> 32;
    for (;; at++) {
        at &= (uint64_t)t->size - 1;
        if (t->count[at] == 0 || t->key[at] == key) break;
    }
    t->key[at] = key;
    return (int32_t)at;
}

/* The same place for rows with weights. */
static inline int32_t weighted_cell_of(count_table *t, int64_t key, int direct) {
    if (direct) return (int32_t)key;
    uint64_t at = ((uint64_t)key * 0x9e3779b97f4a7c15u) >> 32;
    for (;; at++) {
        at &= (uint64_t)t->size - 1;
        if (t->total[at] == 0 || t->key[at] == key) break;
    }
    t->key[at] = key;
    return (int32_t)at;
}

/* The sum of joint_by_codes for rows with weights. */
static int64_t joint_by_weights(const code_store *s, int64_t f, int64_t g, int64_t y) {
    count_table *t = s->scratch;
    int64_t levels_g = n_levels(s, g), levels_y = y < 0 ? 1 : n_levels(s, y), joint = 0;
    int64_t cells = n_levels(s, f) * levels_g * levels_y;
    int direct = cells <= t->size;
    for (int64_t q = 0; q < s->n; q++) {
        int64_t i = s->rows ? s->rows[q] : q;
        int64_t key = code_at(s, f, i) * levels_g + code_at(s, g, i);
        if (y >= 0) key = key * levels_y + code_at(s, y, i);
        t->cell[q] = weighted_cell_of(t, key, direct);
        t->total[t->cell[q]] += s->weights[i];
    }
    if (direct && cells < s->n) { /* few cells: no need to walk the rows again */
        for (int64_t k = 0; k < cells; k++) {
            joint += weighted_log(s, t->total[k]);
            t->total[k] = 0;
        }
        return joint;
    }
    for (int64_t q = 0; q < s->n; q++) {
        joint += weighted_log(s, t->total[t->cell[q]]);
        t->total[t->cell[q]] = 0; /* the logarithm of 0 counts as 0: each cell counts once */
    }
    return joint;
}

/* Columns whose cells are counted: two, or three with y. Which have wide codes is known to the compiler,
   as a sum of these flags; if one of the two has, it is g. */
enum { WIDE_F = 1, WIDE_G = 2, WITH_Y = 4 };
typedef struct {
    const void *f, *g;
    const uint16_t *y;
    int kind;
    int64_t levels_g, levels_y, cells;
} cell_columns;

static cell_columns columns_of_cells(const code_store *s, int64_t f, int64_t g, int64_t y) {
    int64_t last = s->n_columns - 1, swapped = f;
    if (f == last) f = g, g = swapped;
    const char *codes = (const char *)s->codes;
    int64_t column_bytes = s->n_total * (s->wide ? 2 : 1);
    cell_columns c = {s->y, s->y, NULL, WIDE_F | WIDE_G, n_levels(s, g), 1, 0};
    if (f < last) c.f = codes + f * column_bytes, c.kind = s->wide ? c.kind : WIDE_G;
    if (g < last) c.g = codes + g * column_bytes, c.kind = s->wide ? c.kind : 0;
    if (y >= 0) c.y = s->y, c.kind |= WITH_Y, c.levels_y = n_levels(s, y);
    c.cells = n_levels(s, f) * c.levels_g * c.levels_y;
    return c;
}

/* The cell of row i. */
ENSFS_INLINE int64_t cell_of_row(const cell_columns *c, const int kind, int64_t i) {
    int64_t f = kind & WIDE_F ? ((const uint16_t *)c->f)[i] : ((const uint8_t *)c->f)[i];
    int64_t g = kind & WIDE_G ? ((const uint16_t *)c->g)[i] : ((const uint8_t *)c->g)[i];
    int64_t cell = f * c->levels_g + g;
    return kind & WITH_Y ? cell * c->levels_y + c->y[i] : cell;
}

/* Columns that are counted together: so many, with so many cells, so many rows at a time. */
enum { GROUP_COLUMNS = 8, GROUP_CELLS = 1024, GROUP_ROWS = 1024 };

/* Whether columns can be counted so: all rows of bytes, for this part alone. */
static inline int counts_groups(const code_store *s) {
    return s->codes && !s->wide && !s->rows && !s->weights && !s->shared;
}

#define ENSFS_KERNELS "cells_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

#define ENSFS_OF_KIND(kind, name, ...) \
    switch (kind) { \
    case 0: return name(0, __VA_ARGS__); \
    case WIDE_G: return name(WIDE_G, __VA_ARGS__); \
    case WIDE_F | WIDE_G: return name(WIDE_F | WIDE_G, __VA_ARGS__); \
    case WITH_Y: return name(WITH_Y, __VA_ARGS__); \
    case WIDE_G | WITH_Y: return name(WIDE_G | WITH_Y, __VA_ARGS__); \
    default: return name(WIDE_F | WIDE_G | WITH_Y, __VA_ARGS__); \
    }

/* Adds rows to the counts of their cells. Four rows after each other have tables of their own, `stride`
   apart (0: the same), so that rows of one frequent cell need not wait for each other. */
ENSFS_INLINE void add_rows(const int kind, const cell_columns *c, const int64_t *rows, int64_t n,
                           int64_t stride, int32_t *count) {
    int64_t q = 0;
#define ENSFS_ROW(k) (rows ? rows[q + k] : q + k)
    for (; q + 4 <= n; q += 4) {
        count[cell_of_row(c, kind, ENSFS_ROW(0))] += 1;
        count[cell_of_row(c, kind, ENSFS_ROW(1)) + stride] += 1;
        count[cell_of_row(c, kind, ENSFS_ROW(2)) + 2 * stride] += 1;
        count[cell_of_row(c, kind, ENSFS_ROW(3)) + 3 * stride] += 1;
    }
    for (; q < n; q++) count[cell_of_row(c, kind, ENSFS_ROW(0))] += 1;
}

/* Sum of klogk over the cells, from all of them; they are emptied. */
static int64_t empty_cells(const int64_t *klogk, int64_t cells, int64_t stride, int32_t *count) {
    int64_t joint = 0;
    if (stride)
        for (int64_t k = 0; k < cells; k++)
            count[k] += count[k + stride] + count[k + 2 * stride] + count[k + 3 * stride];
    for (int64_t k = 0; k < cells; k++) joint += klogk[count[k]];
    memset(count, 0, (size_t)(cells + 3 * stride) * sizeof(int32_t));
    return joint;
}

/* The same where cells are many, from the rows: klogk[0] = 0, so each cell counts once. */
ENSFS_INLINE int64_t empty_rows(const int kind, const int64_t *klogk, const cell_columns *c,
                                const int64_t *rows, int64_t n, int32_t *count) {
    int64_t joint = 0;
    for (int64_t q = 0; q < n; q++) {
        int32_t *at = count + cell_of_row(c, kind, ENSFS_ROW(0));
        joint += klogk[*at];
        *at = 0;
    }
    return joint;
}
#undef ENSFS_ROW

ENSFS_INLINE int64_t count_of_kind(const int kind, const cell_columns *c, const int64_t *klogk,
                                   const int64_t *rows, int64_t n, int64_t size, int32_t *count) {
    int64_t cells = c->cells, stride = 8 * cells <= n && 4 * cells <= size ? cells : 0;
    if (rows)
        add_rows(kind, c, rows, n, stride, count);
    else
        add_rows(kind, c, NULL, n, stride, count);
    if (cells <= 2 * n) return empty_cells(klogk, cells, stride, count);
    return rows ? empty_rows(kind, klogk, c, rows, n, count)
                : empty_rows(kind, klogk, c, NULL, n, count);
}

static int64_t count_directly(const cell_columns *c, const int64_t *klogk, const int64_t *rows,
                              int64_t n, int64_t size, int32_t *count) {
    ENSFS_OF_KIND(c->kind, count_of_kind, c, klogk, rows, n, size, count);
}

/* The sum where the table has no place for every cell. */
static int64_t count_by_hashing(const code_store *s, int64_t f, int64_t g, int64_t y) {
    count_table *t = s->scratch;
    int64_t levels_g = n_levels(s, g), levels_y = y < 0 ? 1 : n_levels(s, y), joint = 0;
    for (int64_t q = 0; q < s->n; q++) {
        int64_t i = s->rows ? s->rows[q] : q;
        int64_t key = code_at(s, f, i) * levels_g + code_at(s, g, i);
        if (y >= 0) key = key * levels_y + code_at(s, y, i);
        t->cell[q] = cell_of(t, key, 0);
        t->count[t->cell[q]] += 1;
    }
    for (int64_t q = 0; q < s->n; q++) {
        joint += s->klogk[t->count[t->cell[q]]];
        t->count[t->cell[q]] = 0;
    }
    return joint;
}

/* ---------------------------------------------------------------- all parts at once */

/* The cells of all rows. Gives whether every cell has its place in the table. */
static int find_cells(const cell_columns *c, int64_t n, count_table *t) {
    if (c->cells <= t->size) {
        ENSFS_PICK(discrete_level, find_cells_directly)(c, n, t->cell);
        return 1;
    }
    for (int64_t q = 0; q < n; q++) {
        t->cell[q] = cell_of(t, cell_of_row(c, c->kind, q), 0);
        t->count[t->cell[q]] = 1; /* the place is taken */
    }
    for (int64_t q = 0; q < n; q++) t->count[t->cell[q]] = 0;
    return 0;
}

/* Sums of klogk over the cells without each fold, from a table for each fold. */
static void sum_by_tables(const code_store *s, int64_t cells, int64_t *joint) {
    const fold_counts_table *p = s->shared;
    const int32_t *cell = s->scratch->cell;
    int32_t *total = s->scratch->count, *count = total + cells;
    for (int64_t t = 0; t < p->n_folds; t++, count += cells) {
        for (int64_t q = p->bounds[t]; q < p->bounds[t + 1]; q++) count[cell[q]] += 1;
        for (int64_t k = 0; k < cells; k++) total[k] += count[k];
    }
    count = total + cells;
    for (int64_t t = 0; t < p->n_folds; t++, count += cells) {
        int64_t sum = 0;
        for (int64_t k = 0; k < cells; k++) sum += s->klogk[total[k] - count[k]];
        joint[t] = sum;
    }
    memset(total, 0, (size_t)((p->n_folds + 1) * cells) * sizeof(int32_t));
}

/* The same from counts of all rows, from which each fold is removed row by row: the sum changes by what
   a cell loses. Costs no more for many cells. With `gone`, the cells that a part does not have are
   counted too, and those of all rows are returned. */
ENSFS_INLINE int64_t sum_by_removal(const code_store *s, int64_t cells, int64_t *joint, int32_t *gone) {
    const fold_counts_table *p = s->shared;
    const int64_t *gains = p->gains, n = s->n_total;
    const int32_t *cell = s->scratch->cell;
    int32_t *count = s->scratch->count, *removed = count + s->scratch->size;
    int64_t all = 0, n_cells = 0;
    int few = cells <= 2 * n && cells <= s->scratch->size;
    if (few && !gone) {
        for (int64_t q = 0; q < n; q++) count[cell[q]] += 1;
        for (int64_t k = 0; k < cells; k++) all += s->klogk[count[k]];
    } else
        for (int64_t q = 0; q < n; q++) {
            int32_t c = count[cell[q]]++;
            all += gains[c];
            n_cells += c == 0;
        }
    for (int64_t t = 0; t < p->n_folds; t++) {
        int64_t sum = all, n_gone = 0, begin = p->bounds[t], end = p->bounds[t + 1];
        for (int64_t q = begin; q < end; q++) {
            int32_t c = count[cell[q]] - ++removed[cell[q]];
            sum -= gains[c];
            if (gone) n_gone += c == 0;
        }
        if (cells <= 16 * (end - begin) && few)
            memset(removed, 0, (size_t)cells * sizeof(int32_t));
        else
            for (int64_t q = begin; q < end; q++) removed[cell[q]] = 0;
        joint[t] = sum;
        if (gone) gone[t] = (int32_t)n_gone;
    }
    if (few)
        memset(count, 0, (size_t)cells * sizeof(int32_t));
    else
        for (int64_t q = 0; q < n; q++) count[cell[q]] = 0;
    return n_cells;
}

/* The sum in the part of the store, from those of all parts, which are kept. */
static int64_t shared_joint(const code_store *s, int64_t f, int64_t g, int64_t y) {
    const fold_counts_table *p = s->shared;
    int64_t key = 2 * (f * s->n_columns + g) + (y >= 0);
    uint64_t at = (uint64_t)f + (((uint64_t)g * 2 + (y >= 0)) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    int64_t slot = (int64_t)(at & (uint64_t)(p->n_slots - 1)), *joint = p->joints + slot * p->n_folds;
    if (p->keys[slot] != key) {
        cell_columns c = columns_of_cells(s, f, g, y);
        int64_t places = (p->n_folds + 1) * c.cells;
        int direct = find_cells(&c, s->n_total, s->scratch);
        if (direct && places <= 2 * s->n_total && places <= 2 * s->scratch->size)
            sum_by_tables(s, c.cells, joint);
        else
            sum_by_removal(s, c.cells, joint, NULL);
        p->keys[slot] = key;
    }
    return joint[s->part];
}

/* Entropies and numbers of levels of column f without each fold; entries of a part are `stride` after
   those of the one before. */
static void count_fold_margin(const code_store *s, int64_t f, int64_t stride, int64_t *entropy,
                              int32_t *observed, int64_t *joint, int32_t *gone) {
    const fold_counts_table *p = s->shared;
    cell_columns c = columns_of_cells(s, f, f, -1);
    c.levels_g = 0; /* the cell is the code of g */
    c.cells = n_levels(s, f);
    find_cells(&c, s->n_total, s->scratch);
    int64_t n_cells = sum_by_removal(s, c.cells, joint, gone);
    for (int64_t t = 0; t < p->n_folds; t++) {
        entropy[t * stride] = joint[t];
        observed[t * stride] = (int32_t)(n_cells - gone[t]);
    }
}

/* ---------------------------------------------------------------- one part */

/* Sum of klogk over the cells of two columns, or of three (y >= 0), with any number of levels. */
static int64_t joint_by_codes(const code_store *s, int64_t f, int64_t g, int64_t y) {
    if (s->weights) return joint_by_weights(s, f, g, y);
    if (s->shared) return shared_joint(s, f, g, y);
    cell_columns c = columns_of_cells(s, f, g, y);
    if (c.cells > s->scratch->size) return count_by_hashing(s, f, g, y);
    return count_directly(&c, s->klogk, s->rows, s->n, s->scratch->size, s->scratch->count);
}

/* Entropy and number of levels of column f in the part. */
static void count_margin_by_codes(code_store *s, int64_t f) {
    int32_t *count = s->scratch->count;
    int64_t levels = n_levels(s, f), wide = s->wide || f == s->n_columns - 1, entropy = 0;
    cell_columns c = columns_of_cells(s, f, f, -1);
    c.levels_g = 0; /* the cell is the code of g */
    c.cells = levels;
    int64_t stride = 4 * levels <= s->n ? levels : 0;
    if (wide)
        add_rows(WIDE_F | WIDE_G, &c, s->rows, s->n, stride, count);
    else
        add_rows(0, &c, s->rows, s->n, stride, count);
    s->observed[f] = 0;
    for (int64_t k = 0; k < levels; k++) {
        int64_t of_level = count[k];
        for (int64_t j = 1; stride && j < 4; j++) of_level += count[k + j * stride];
        entropy += s->klogk[of_level];
        s->observed[f] += of_level > 0;
    }
    s->entropy[f] = entropy;
    memset(count, 0, (size_t)(levels + 3 * stride) * sizeof(int32_t));
}

#endif

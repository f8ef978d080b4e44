/* Counts of coded columns and mutual information from them.

   Entropies are sums of k*log2(k) over counts k, taken from a table of 64-bit integers (fixed point,
   see log_table): integer sums are exact, so a result cannot depend on the order of levels,
   rows, blocks or threads, and the error stays below that of float64. */
#ifndef ENSFS_DISCRETE_H
#define ENSFS_DISCRETE_H

#include <math.h>

#include "dispatch.h"
#include "greedy.h"
#include "measures.h"

enum { MAX_PLANE_LEVELS = 8 };

/* Scratch for counting pairs with many levels. count is zero between uses. */
typedef struct {
    int32_t *count; /* (size,), or */
    int64_t *total; /* (size,) if the rows have weights */
    int64_t *key;   /* (size,) */
    int64_t size;   /* a power of two, at least 4 n */
    int32_t *cell;  /* (n,) */
} count_table;

/* Counts that serve all parts, of which each leaves out one fold: the joint sums of the pairs that were
   counted last. The codes have the rows fold after fold (the planes need not). The table of counts has
   twice its size. For one thread. */
typedef struct {
    int64_t n_folds, n_slots;
    const int64_t *bounds; /* (folds + 1,) where the folds begin */
    const int64_t *gains;  /* (n_total,) klogk[c + 1] - klogk[c] */
    int64_t *keys;         /* (slots,) pair that a slot has, or -1; slots are a power of two */
    int64_t *joints;       /* (slots, folds) its sum in each part */
} fold_counts_table;

/* Coded columns (the target is the last) seen through the rows of one part. The planes hold all
   rows; a column is counted against others after its planes were masked to the part (set_target),
   so the other side need not be masked.

   Rows may have weights, whole numbers: how often each is there. Then no column has planes. */
typedef struct {
    const uint64_t *planes;     /* (n_planes, n_words) */
    const int64_t *plane_start; /* first plane of each column; none for columns with many levels */
    const int64_t *level_start;
    int32_t *margins;     /* level counts in the part of the columns with planes: see column_margin */
    int64_t *entropy;     /* sum of klogk over each column's margin */
    int32_t *observed;    /* levels of each column that occur in the part */
    const uint64_t *mask; /* (n_words,) rows of the part, or NULL for all */
    const void *codes;    /* (columns, n_total) as bytes or shorts, for many levels */
    int wide;             /* codes are shorts */
    const uint16_t *y;    /* codes of the last column */
    const int64_t *rows;  /* (n,) rows of the part, or NULL for all */
    int64_t n_columns, n_total, n, n_words;
    int64_t plane_levels;   /* columns with at most so many levels are held in planes */
    const int64_t *weights; /* (n_total,), or NULL: each row is there once */
    int64_t counted;        /* n, or the weight of the part */
    int64_t all;            /* klogk of that */
    const int64_t *klogk;   /* NULL if it has to be computed: see weighted_log */
    double log_total, log_scale;
    double scale;      /* from fixed point to bits */
    double chance;     /* half a nat in fixed point: what a degree of freedom gives by chance */
    uint64_t *targets; /* masked planes of the columns to count against */
    int64_t target_stride;
    const measure_rows *measure;
    int32_t *cells;         /* (places, 64) counts of the cells (g, y), if the measure uses y */
    fixed_sums *fixed;      /* (places,) what the measure has of each target */
    double units[MAX_ROWS]; /* weight of each row, times the scale if the measure is in bits */
    count_table *scratch;
    fold_counts_table *shared; /* or NULL: pairs with many levels are counted for this part alone */
    int64_t part;
} code_store;

static inline int64_t n_levels(const code_store *s, int64_t f) {
    return s->level_start[f + 1] - s->level_start[f];
}

/* Whether a column is held in planes. */
static inline int has_planes(const code_store *s, int64_t f) {
    return n_levels(s, f) <= s->plane_levels;
}

/* Counts of the levels of a column with planes; it has one level more than planes, and a column
   without has one place that nobody uses. */
static inline int32_t *column_margin(const code_store *s, int64_t f) {
    return s->margins + s->plane_start[f] + f;
}

/* klogk of a sum of weights: from the table, or where that would be too long c*log2(c/total), which
   differs by a multiple of c that no measure sees. */
static inline int64_t weighted_log(const code_store *s, int64_t c) {
    if (s->klogk) return s->klogk[c];
    return c > 0 ? (int64_t)llrint((double)c * log2((double)c / s->log_total) * s->log_scale) : 0;
}

/* Sum of klogk over the whole table, from the counts of the inner cells and the margins (level 0
   included in the margins). */
ENSFS_INLINE int64_t joint_from_inner(const int64_t *inner, int64_t n_a, int64_t n_b, const int32_t *a,
                                      const int32_t *b, const int64_t *klogk) {
    int64_t rest_b[MAX_PLANE_LEVELS], joint = 0, corner = a[0];
    for (int64_t j = 0; j < n_b; j++) rest_b[j] = b[j + 1];
    for (int64_t i = 0; i < n_a; i++) {
        int64_t rest = a[i + 1];
        for (int64_t j = 0; j < n_b; j++) {
            int64_t c = inner[i * n_b + j];
            joint += klogk[c];
            rest -= c;
            rest_b[j] -= c;
        }
        joint += klogk[rest];
    }
    for (int64_t j = 0; j < n_b; j++) {
        joint += klogk[rest_b[j]];
        corner -= rest_b[j];
    }
    return joint + klogk[corner];
}

static int discrete_level = 0;
static void discrete_init(void) { discrete_level = chosen_level(); }

#include "cells.h"

/* The measure of columns f and g from their joint sum and numbers of levels, the sum of f and how many
   of its levels occur. */
ENSFS_INLINE double value_of_pair(const code_store *s, const fixed_sums *fixed, int64_t joint,
                                  int64_t sum_f, int64_t observed_f, int64_t levels_f,
                                  int64_t levels_g) {
    row_terms terms = {observed_f, s->chance,
                       rounding(s->counted, levels_f * levels_g, levels_f + levels_g)};
    return measure_value(s->measure, fixed, sum_f, joint, 0, 0, terms, s->units);
}

/* The same of f, g and the target together, from the sums over the cells (f, g), (f, y) and
   (f, g, y). */
ENSFS_INLINE double value_of_triple(const code_store *s, const fixed_sums *fixed, int64_t f, int64_t g,
                                    int64_t fg, int64_t fy, int64_t fgy, const int uses_fy) {
    int64_t levels_f = n_levels(s, f), levels_g = n_levels(s, g);
    int64_t cells = levels_f * levels_g, classes = n_levels(s, s->n_columns - 1);
    int64_t others = cells + (levels_g + (uses_fy ? levels_f : 0)) * classes;
    row_terms terms = {s->observed[f], s->chance, rounding(s->counted, cells * classes, others)};
    return measure_value(s->measure, fixed, s->entropy[f], fg, uses_fy ? fy : 0, fgy, terms, s->units);
}

enum { MAX_PARTS = 64 };

/* Coded columns (the target is the last) with up to eight levels, rows fold after fold, each fold in
   words of its own: what is counted once serves all parts that leave out one fold. */
typedef struct {
    const uint64_t *planes;      /* (n_planes, n_words) */
    const int64_t *plane_start;  /* (columns + 1,) */
    int32_t *margins;            /* (levels of all columns, folds): counts without each fold */
    int64_t *entropy;            /* (columns, folds): sums of klogk over them */
    int32_t *observed;           /* (columns, folds): levels that occur */
    const int64_t *n_part;       /* (folds,): rows of each part */
    const int64_t *total;        /* (folds,): klogk of them */
    const double *units;         /* (folds,): as of a code_store */
    double chance;               /* as of a code_store */
    const measure_rows *measure; /* of pairs, one row */
    const int64_t *klogk;
    int64_t n_columns, n_folds, fold_words, n_words;
} fold_store;

static inline int64_t fold_planes(const fold_store *s, int64_t f) {
    return s->plane_start[f + 1] - s->plane_start[f];
}

ENSFS_INLINE void prefetch_lines(const void *start, int64_t bytes) {
    for (int64_t at = 0; at < bytes; at += 64) ENSFS_PREFETCH((const char *)start + at);
}

/* What the measure has of column g in each part. */
static void fix_parts(const fold_store *s, int64_t g, fixed_sums *fixed) {
    for (int64_t t = 0; t < s->n_folds; t++)
        fixed[t] = fix_sums(s->measure, s->total[t], s->entropy[g * s->n_folds + t], 0, 0,
                            s->observed[g * s->n_folds + t], 0);
}

/* Asks for what measure_parts reads of column f: a walk over few columns of many waits for memory. */
ENSFS_INLINE void prefetch_fold_column(const fold_store *s, int64_t f) {
    int64_t e = s->n_folds, n_planes = fold_planes(s, f), first = s->plane_start[f];
    prefetch_lines(s->planes + first * s->n_words, n_planes * s->n_words * 8);
    prefetch_lines(s->margins + (first + f) * e, (n_planes + 1) * e * 4);
    prefetch_lines(s->entropy + f * e, e * 8);
}

#define ENSFS_KERNELS "discrete_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static inline int64_t and_count(const uint64_t *a, const uint64_t *b, int64_t n_words) {
    return ENSFS_PICK(discrete_level, and_count)(a, b, n_words);
}

static inline int64_t fold_counts(const uint64_t *a, const uint64_t *b, int64_t n_folds, int64_t words,
                                  int64_t *counts) {
    return ENSFS_PICK(discrete_level, fold_counts)(a, b, n_folds, words, counts);
}

#define ENSFS_DISCRETE(name) ENSFS_PICK(discrete_level, name)

/* Entropies and numbers of levels of the columns in the part, for rows with weights. */
static void weigh_margins(code_store *s) {
    int64_t *total = s->scratch->total;
    for (int64_t f = 0; f < s->n_columns; f++) {
        for (int64_t q = 0; q < s->n; q++) {
            int64_t i = s->rows ? s->rows[q] : q;
            total[code_at(s, f, i)] += s->weights[i];
        }
        s->entropy[f] = s->observed[f] = 0;
        for (int64_t k = 0; k < n_levels(s, f); k++) {
            s->entropy[f] += weighted_log(s, total[k]);
            s->observed[f] += total[k] > 0;
            total[k] = 0;
        }
    }
}

/* How many columns after each other have many levels, from f on. */
static int64_t many_levels(const code_store *s, int64_t f) {
    int64_t m = 0;
    while (f + m < s->n_columns && n_levels(s, f + m) > MAX_PLANE_LEVELS && m < GROUP_COLUMNS) m++;
    return m;
}

/* Level counts and entropies of the columns in the part. */
static void count_margins(code_store *s) {
    if (s->weights) {
        weigh_margins(s);
        return;
    }
    for (int64_t f = 0; f < s->n_columns; f++) {
        if (n_levels(s, f) > MAX_PLANE_LEVELS) {
            int64_t m = counts_groups(s) ? many_levels(s, f) : 0;
            if (m) m = ENSFS_PICK(discrete_level, group_size)(s, f, f + m, -1);
            if (m) ENSFS_PICK(discrete_level, count_group)(s, f, m, -1, s->entropy + f, s->observed + f);
            if (!m && !s->shared) count_margin_by_codes(s, f); /* else counted for all parts */
            if (m) f += m - 1;
            continue;
        }
        int32_t *margin = column_margin(s, f), rest = (int32_t)s->n;
        int64_t n_planes = s->plane_start[f + 1] - s->plane_start[f];
        for (int64_t k = 0; k < n_planes; k++) {
            const uint64_t *a = s->planes + (s->plane_start[f] + k) * s->n_words;
            margin[k + 1] = (int32_t)and_count(a, s->mask ? s->mask : a, s->n_words);
            rest -= margin[k + 1];
        }
        margin[0] = rest;
        s->entropy[f] = s->observed[f] = 0;
        for (int64_t k = 0; k <= n_planes; k++) {
            s->entropy[f] += s->klogk[margin[k]];
            s->observed[f] += margin[k] > 0;
        }
    }
}

/* Rows of the part where column f has level l, word w. */
static inline uint64_t level_word(const code_store *s, int64_t f, int64_t l, int64_t w) {
    const uint64_t *planes = s->planes + s->plane_start[f] * s->n_words + w;
    uint64_t mask = s->mask ? s->mask[w] : ~UINT64_C(0);
    if (l > 0) return planes[(l - 1) * s->n_words] & mask;
    if (!s->mask && w == s->n_words - 1 && s->n_total % 64)
        mask = (UINT64_C(1) << (s->n_total % 64)) - 1;
    for (int64_t k = 0; k < n_levels(s, f) - 1; k++) mask &= ~planes[k * s->n_words];
    return mask;
}

/* The planes of the cells of columns g and y; gives the sum of klogk over these cells. */
static int64_t set_target_cells(const code_store *s, int64_t place, int64_t g, int64_t y) {
    uint64_t *to = s->targets + place * s->target_stride;
    int32_t *cell = s->cells + place * MAX_PLANE_LEVELS * MAX_PLANE_LEVELS;
    int64_t sum = 0;
    for (int64_t l = 0; l < n_levels(s, g); l++)
        for (int64_t c = 0; c < n_levels(s, y); c++, to += s->n_words) {
            for (int64_t w = 0; w < s->n_words; w++)
                to[w] = level_word(s, g, l, w) & level_word(s, y, c, w);
            *cell = (int32_t)and_count(to, to, s->n_words);
            sum += s->klogk[*cell++];
        }
    return sum;
}

/* Makes column g the target at a place; if the measure uses y, g together with y. */
static void set_target(code_store *s, int64_t place, int64_t g) {
    uint64_t *to = s->targets + place * s->target_stride;
    int64_t y = s->n_columns - 1, gy = 0;
    if (s->measure->uses_target)
        gy = has_planes(s, g) && has_planes(s, y) ? set_target_cells(s, place, g, y)
                                                  : joint_by_codes(s, g, y, -1);
    else if (has_planes(s, g))
        for (int64_t l = 1; l < n_levels(s, g); l++)
            for (int64_t w = 0; w < s->n_words; w++) *to++ = level_word(s, g, l, w);
    s->fixed[place] = fix_sums(s->measure, s->all, s->entropy[g], s->entropy[y], gy,
                               s->observed[g], s->observed[y]);
}

static void prepare_target(void *store, int64_t place, int64_t g) {
    set_target((code_store *)store, place, g);
}

/* Level counts and entropies of every column without each fold. A column has one level more than
   planes, so its counts begin at plane_start[f] + f. */
static void count_fold_margins(fold_store *s) {
    int64_t e = s->n_folds, counts[MAX_PARTS];
    for (int64_t f = 0; f < s->n_columns; f++) {
        int32_t *margin = s->margins + (s->plane_start[f] + f) * e;
        for (int64_t t = 0; t < e; t++) margin[t] = (int32_t)s->n_part[t];
        for (int64_t k = 0; k < fold_planes(s, f); k++) {
            const uint64_t *a = s->planes + (s->plane_start[f] + k) * s->n_words;
            int64_t total = fold_counts(a, a, e, s->fold_words, counts);
            for (int64_t t = 0; t < e; t++) {
                margin[(k + 1) * e + t] = (int32_t)(total - counts[t]);
                margin[t] -= (int32_t)(total - counts[t]);
            }
        }
        for (int64_t t = 0; t < e; t++) {
            s->entropy[f * e + t] = s->observed[f * e + t] = 0;
            for (int64_t k = 0; k <= fold_planes(s, f); k++) {
                s->entropy[f * e + t] += s->klogk[margin[k * e + t]];
                s->observed[f * e + t] += margin[k * e + t] > 0;
            }
        }
    }
}

#endif

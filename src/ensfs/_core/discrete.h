/* Counts of coded columns and mutual information from them.

   Entropies are sums of k*log2(k) over counts k, taken from a table of 64-bit integers (fixed point,
   see statistics.py): integer sums are exact, so a result cannot depend on the order of levels,
   rows, blocks or threads, and the error stays below that of float64. */
#ifndef ENSFS_DISCRETE_H
#define ENSFS_DISCRETE_H

#include "dispatch.h"
#include "greedy.h"

enum { MAX_PLANE_LEVELS = 8 };

/* Each k*log2(k) is rounded to a whole number of units. Independent columns, whose information is 0,
   are left with no more than half a unit for each cell and level: at most 40 for 8 x 8 levels. */
enum { ROUNDING = 64 };

/* Scratch for counting pairs with many levels. count is zero between uses. */
typedef struct {
    int32_t *count; /* (size,) */
    int64_t *key;   /* (size,) */
    int64_t size;   /* a power of two, at least 4 n */
    int32_t *cell;  /* (n,) */
} count_table;

/* Coded columns (the target is the last) seen through the rows of one part. The planes hold all
   rows; a column is counted against others after its planes were masked to the part (set_target),
   so the other side need not be masked. */
typedef struct {
    const uint64_t *planes;     /* (n_planes, n_words) */
    const int64_t *plane_start; /* first plane of each column; none for columns with many levels */
    const int64_t *level_start;
    int32_t *margins;           /* level counts of all columns in the part, one after the other */
    int64_t *entropy;           /* sum of T over each column's margin */
    const uint64_t *mask;       /* (n_words,) rows of the part, or NULL for all */
    const void *codes;          /* (columns, n_total) as bytes or shorts, for many levels */
    int wide;                   /* codes are shorts */
    const uint16_t *y;          /* codes of the last column */
    const int64_t *rows;        /* (n,) rows of the part, or NULL for all */
    int64_t n_columns, n_total, n, n_words;
    const int64_t *T;
    double scale;               /* from fixed point to bits */
    uint64_t *targets;          /* masked planes of the columns to count against */
    int64_t target_stride;
    count_table *scratch;
} code_store;

static inline int64_t n_levels(const code_store *s, int64_t f) {
    return s->level_start[f + 1] - s->level_start[f];
}

/* Sum of T over the whole table, from the counts of the inner cells and the margins (level 0
   included in the margins). */
ENSFS_INLINE int64_t joint_from_inner(const int64_t *inner, int64_t n_a, int64_t n_b,
                                       const int32_t *a, const int32_t *b, const int64_t *T) {
    int64_t rest_b[MAX_PLANE_LEVELS], joint = 0, corner = a[0];
    for (int64_t j = 0; j < n_b; j++) rest_b[j] = b[j + 1];
    for (int64_t i = 0; i < n_a; i++) {
        int64_t rest = a[i + 1];
        for (int64_t j = 0; j < n_b; j++) {
            int64_t c = inner[i * n_b + j];
            joint += T[c];
            rest -= c;
            rest_b[j] -= c;
        }
        joint += T[rest];
    }
    for (int64_t j = 0; j < n_b; j++) {
        joint += T[rest_b[j]];
        corner -= rest_b[j];
    }
    return joint + T[corner];
}

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

/* Sum of T over the cells of a pair of columns with any number of levels. The table is emptied by
   walking the rows again, so its size costs nothing. */
static int64_t joint_by_codes(const code_store *s, int64_t f, int64_t g) {
    count_table *t = s->scratch;
    int64_t levels_g = n_levels(s, g), joint = 0;
    int direct = n_levels(s, f) * levels_g <= t->size;
    for (int64_t q = 0; q < s->n; q++) {
        int64_t i = s->rows ? s->rows[q] : q;
        t->cell[q] = cell_of(t, code_at(s, f, i) * levels_g + code_at(s, g, i), direct);
        t->count[t->cell[q]] += 1;
    }
    for (int64_t q = 0; q < s->n; q++) {
        joint += s->T[t->count[t->cell[q]]];
        t->count[t->cell[q]] = 0; /* T[0] = 0: each cell counts once */
    }
    return joint;
}

#define ENSFS_KERNELS "discrete_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int discrete_level = 0;
static void discrete_init(void) { discrete_level = chosen_level(); }

#define plane ENSFS_PICK(discrete_level, plane)
#define and_count ENSFS_PICK(discrete_level, and_count)
#define information_pair ENSFS_PICK(discrete_level, information_pair)

/* Level counts and entropies of the columns in the part. */
static void count_margins(code_store *s) {
    for (int64_t f = 0; f < s->n_columns; f++) {
        int32_t *margin = s->margins + s->level_start[f];
        int64_t n_planes = s->plane_start[f + 1] - s->plane_start[f], levels = n_levels(s, f);
        memset(margin, 0, (size_t)levels * sizeof(int32_t));
        if (levels <= MAX_PLANE_LEVELS) {
            int32_t rest = (int32_t)s->n;
            for (int64_t k = 0; k < n_planes; k++) {
                const uint64_t *a = s->planes + (s->plane_start[f] + k) * s->n_words;
                margin[k + 1] = (int32_t)and_count(a, s->mask ? s->mask : a, s->n_words);
                rest -= margin[k + 1];
            }
            margin[0] = rest;
        } else {
            for (int64_t q = 0; q < s->n; q++)
                margin[code_at(s, f, s->rows ? s->rows[q] : q)] += 1;
        }
        s->entropy[f] = 0;
        for (int64_t k = 0; k < levels; k++) s->entropy[f] += s->T[margin[k]];
    }
}

/* Makes column g the target at a place. */
static void set_target(code_store *s, int64_t place, int64_t g) {
    const uint64_t *from = s->planes + s->plane_start[g] * s->n_words;
    uint64_t *to = s->targets + place * s->target_stride;
    for (int64_t k = 0; k < s->plane_start[g + 1] - s->plane_start[g]; k++)
        for (int64_t w = 0; w < s->n_words; w++)
            to[k * s->n_words + w] = from[k * s->n_words + w] & (s->mask ? s->mask[w] : ~UINT64_C(0));
}

#endif

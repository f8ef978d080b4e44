/* Counts of coded columns and mutual information from them.

   Entropies are sums of k*log2(k) over counts k, taken from a table of 64-bit integers (fixed point,
   see statistics.py): integer sums are exact, so a result cannot depend on the order of levels,
   rows, blocks or threads, and the error stays below that of float64. */
#ifndef ENSFS_DISCRETE_H
#define ENSFS_DISCRETE_H

#include "dispatch.h"
#include "greedy.h"

#define ENSFS_KERNELS "discrete_kernels.h"
#include "per_level.h"

static int discrete_level = 0;
static void discrete_init(void) { discrete_level = chosen_level(); }

#define plane ENSFS_PICK(discrete_level, plane)
#define and_count ENSFS_PICK(discrete_level, and_count)
#define pair_counts ENSFS_PICK(discrete_level, pair_counts)
#define fold_counts ENSFS_PICK(discrete_level, fold_counts)

enum { MAX_PLANE_LEVELS = 8 };

/* sum of T over the whole table, from the counts of the inner cells and the margins a, b (level 0
   included in the margins). */
static inline int64_t joint_from_inner(const int64_t *inner, int64_t n_a, int64_t n_b,
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

/* Scratch for counting pairs with many levels. count and fold are zero between uses. */
typedef struct {
    int32_t *count, *fold; /* (size,) */
    int64_t *key;          /* (size,) */
    int64_t size;          /* a power of two, at least 4 n */
    int32_t *cell;         /* (n,) */
} count_table;

/* A table of coded columns, all rows in one part, for the lazy search. */
typedef struct {
    const uint64_t *planes;     /* (n_planes, n_words) */
    const int64_t *plane_start; /* first plane of each column; none for columns with many levels */
    const int32_t *margins;     /* level counts of all columns, one after the other */
    const int64_t *level_start;
    const int64_t *entropy;     /* sum of T over each column's margin */
    const void *codes;          /* (columns, n) as bytes or shorts, or NULL if all have planes */
    int wide;                   /* codes are shorts */
    int64_t n, n_words;
    const int64_t *T;
    double scale;               /* from fixed point to bits */
    count_table *scratch;
} code_store;

static inline int64_t code_at(const void *codes, int wide, int64_t i) {
    return wide ? ((const uint16_t *)codes)[i] : ((const uint8_t *)codes)[i];
}

/* The cell of a pair of codes: its place in the table if the table is large enough for all pairs,
   else a place found by hashing (a place with count 0 is free). */
static inline int32_t cell_of(count_table *t, int64_t a, int64_t b, int64_t n_levels_b,
                              int direct) {
    int64_t key = a * n_levels_b + b;
    if (direct) return (int32_t)key;
    uint64_t at = ((uint64_t)key * 0x9e3779b97f4a7c15u) >> 32;
    for (;; at++) {
        at &= (uint64_t)t->size - 1;
        if (t->count[at] == 0 || t->key[at] == key) break;
    }
    t->key[at] = key;
    return (int32_t)at;
}

/* Fills count and cell for all rows of a pair of coded columns. */
static void count_pair(count_table *t, const void *a, int wide_a, const void *b, int wide_b,
                       int64_t n, int64_t n_levels_a, int64_t n_levels_b) {
    int direct = n_levels_a * n_levels_b <= t->size;
    for (int64_t i = 0; i < n; i++) {
        t->cell[i] = cell_of(t, code_at(a, wide_a, i), code_at(b, wide_b, i), n_levels_b, direct);
        t->count[t->cell[i]] += 1;
    }
}

/* Sum of T over the counted cells; leaves the table empty. */
static int64_t collect_joint(count_table *t, int64_t n, const int64_t *T) {
    int64_t joint = 0;
    for (int64_t i = 0; i < n; i++) {
        joint += T[t->count[t->cell[i]]];
        t->count[t->cell[i]] = 0; /* T[0] = 0: each cell counts once */
    }
    return joint;
}

/* Sum of T for every part that leaves out one fold: only the cells that the fold touches change.
   out[t * stride], rows of fold t are rows[bounds[t]] to rows[bounds[t + 1] - 1]. */
static void collect_joint_parts(count_table *t, int64_t n, const int64_t *rows,
                                const int64_t *bounds, int64_t n_folds, const int64_t *T,
                                int64_t *out, int64_t stride) {
    for (int64_t k = 0; k < n_folds; k++) {
        int64_t change = 0;
        for (int64_t q = bounds[k]; q < bounds[k + 1]; q++) t->fold[t->cell[rows[q]]] += 1;
        for (int64_t q = bounds[k]; q < bounds[k + 1]; q++) {
            int32_t c = t->cell[rows[q]];
            if (t->fold[c] == 0) continue;
            change += T[t->count[c] - t->fold[c]] - T[t->count[c]];
            t->fold[c] = 0;
        }
        out[k * stride] = change;
    }
    int64_t joint = collect_joint(t, n, T);
    for (int64_t k = 0; k < n_folds; k++) out[k * stride] += joint;
}

static int64_t joint_by_codes(const code_store *s, int64_t f, int64_t g) {
    int64_t bytes = s->n * (s->wide ? 2 : 1);
    count_pair(s->scratch, (const char *)s->codes + f * bytes, s->wide,
               (const char *)s->codes + g * bytes, s->wide, s->n,
               s->level_start[f + 1] - s->level_start[f], s->level_start[g + 1] - s->level_start[g]);
    return collect_joint(s->scratch, s->n, s->T);
}

static int64_t joint_of_pair(const code_store *s, int64_t f, int64_t g) {
    int64_t n_f = s->plane_start[f + 1] - s->plane_start[f];
    int64_t n_g = s->plane_start[g + 1] - s->plane_start[g];
    const int32_t *margin_f = s->margins + s->level_start[f];
    const int32_t *margin_g = s->margins + s->level_start[g];
    int64_t levels_f = s->level_start[f + 1] - s->level_start[f];
    int64_t levels_g = s->level_start[g + 1] - s->level_start[g];
    if (levels_f > MAX_PLANE_LEVELS || levels_g > MAX_PLANE_LEVELS)
        return joint_by_codes(s, f, g);
    int64_t inner[(MAX_PLANE_LEVELS - 1) * (MAX_PLANE_LEVELS - 1)];
    pair_counts(s->planes + s->plane_start[f] * s->n_words, n_f,
                s->planes + s->plane_start[g] * s->n_words, n_g, s->n_words, inner);
    return joint_from_inner(inner, n_f, n_g, margin_f, margin_g, s->T);
}

/* Mutual information in bits of two columns over all rows; never negative. */
static double information_pair(void *context, int64_t f, int64_t g) {
    const code_store *s = (const code_store *)context;
    int64_t value = joint_of_pair(s, f, g) + s->T[s->n] - s->entropy[f] - s->entropy[g];
    return value > 0 ? (double)value * s->scale : 0.0;
}

#endif

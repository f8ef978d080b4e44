/* The subsets of a decomposition, their members side by side: bit m of a word belongs to member m.

   A chunk holds up to 256 members of one subset (128 if they have three levels: a row of both planes
   is a register then), row by row, a bit for each member and level. The rows that have a level of the
   column at hand are then summed for all members at once, by adders made of logical operations, which
   costs a few operations per member where counting the bits of pairs costs many times as much. From
   the counts, as bytes, a table gives a bound on the measure; the few members whose bound matters are
   measured exactly.

   The first chunks are fronts: copies of eight members of each subset, those that were closest to
   most columns before. One look at a front often tells that most subsets are out.

   The bound. With a_i, b_j the counts of the levels of the column and of a member (L levels each),
   o_ij those of the cells, and t_a(c) = c log2(c L / a) - (c - a / L) / ln 2, which is not negative,
   n I = sum_ij t_{a_i}(o_ij) - K with K = n (log2 L - H) of the member. t is rounded up and K down
   to whole units; sums that do not fit into a byte stay at 255, which says nothing. */
#ifndef ENSFS_CHUNKS_H
#define ENSFS_CHUNKS_H

#include "bits.h"
#include "measures.h"

enum { ENSFS_SLOTS = 256, MAX_CHUNK_PLANES = 3, ROWS_AT_ONCE = 4, ENSFS_FRONT = 8 };

/* Columns that are compared before the first of them finds its subset, and those of them that take
   every step together. */
enum { ENSFS_BATCH = 128, ENSFS_GROUP = 16 };

/* Members of a chunk, at most. Smaller chunks waste less when the first members tell enough. */
#define ENSFS_CHUNK(n_planes) ((n_planes) == 2 ? 128 : 256)

/* K is diminished by this share, for n I - SU / 2 * n H is what is compared: see chunk_limit. */
static const double EXPECTED_MEASURE = 0.2;

typedef struct {
    int64_t n_subsets, n_planes, n_rows;
    int64_t chunk;         /* members of a chunk, at most */
    int64_t n_banks;       /* of 16 entries that a table has */
    const uint8_t *tables; /* (rows + 1, 16 * n_banks): t_a in units, for a = 0 .. rows */
    double units_per_bit;
    int subtract_per_level;   /* whether K is subtracted level by level: the sums would not fit else */
    int slack;                /* by how much bounds are too large on average: half a unit per cell */
    const uint8_t *saturates; /* (rows + 1,) whether the sum is 255 if a cell of a level that has so
                            many rows has more than a table has entries */
    double most_entropy;      /* n log2 L */
    int32_t *first, *last;    /* (subsets,) chunks, -1 before there is one */
    int32_t *waiting;         /* (subsets,) member that came last and is in no chunk yet, or -1 */
    int32_t *waiting_next;    /* (columns,) the one before it */
    int64_t n_chunks;         /* in use */
    int32_t *next, *sizes;    /* (chunks,) */
    double *most_excess;      /* (chunks,) largest K of its members, in bits */
    int32_t *members;         /* (chunks, chunk) */
    uint64_t *bits;           /* (chunks, rows + 1, n_planes * chunk / 64); the last row is empty */
    uint8_t *margins;         /* (chunks, n_planes, chunk) counts of the levels */
    uint8_t *excess;          /* (chunks, 2, chunk) a part of K for each level of the column (0 unless
                                 subtract_per_level), the rest */
    int32_t *hits; /* (columns,) for how many columns a member was the closest of its subset */
    double guess;  /* what the largest measure of the least redundant subset will be */
} subset_chunks;

/* A column that is compared with the subsets, and what is known of it so far. Levels are in order of
   their counts, the most frequent first: its rows are not looked at. */
typedef struct {
    int64_t f;
    double limit;   /* the measure has to stay below it */
    double least;   /* of the limit and the largest measures of the subsets
                       that were compared to their end */
    int64_t i;      /* subset that is compared further, ... */
    double stop;    /* ... until a member has a measure above this */
    int stop_bound; /* chunk_limit of it, if it is the same for all chunks */
    int64_t n_levels;
    fixed_sums fixed; /* what its measure with any member has of it */
    uint8_t counts[MAX_CHUNK_PLANES + 1];
    int saturates;                        /* for all of them */
    uint16_t *rows[MAX_CHUNK_PLANES + 1]; /* rows of each level but the first, as their bytes ... */
    int64_t n_rows[MAX_CHUNK_PLANES + 1]; /* ... filled up to a multiple of four by the empty one */
    uint16_t *row_workspace;              /* (n_planes * (rows + 8),) */
    double entropy;                       /* n H in bits */
    double *largest;                      /* (subsets,) largest measure with a member so far */
    int32_t *nearest;                     /* (subsets,) that member, -1 if all were 0 */
    int32_t *at;                          /* (subsets,) chunk to look at next, -1 at the end */
    uint8_t *tops;                        /* (chunks,) largest bound of those that were looked at,
                                             but 0 if all above `largest` were measured */
    int64_t n_read;                       /* pairs that were compared */
    uint8_t *workspaces;                  /* (ENSFS_GROUP, n_planes * n_planes + 1, chunk) for a look:
                                        see lend_workspace */
    uint8_t *cells;                       /* (n_planes, n_planes, chunk) */
    uint8_t *bounds;                      /* (chunk,) */
} chunk_column;

/* Words of a row of a chunk. */
ENSFS_INLINE int64_t chunk_words(const subset_chunks *b) { return b->n_planes * b->chunk / 64; }

/* Word of a row and bit in it that plane j of member m has: slot j * chunk + m. Of 256 slots, which are
   32 bytes, slot k has byte k % 32 and bit k / 32. */
ENSFS_INLINE void chunk_place(const subset_chunks *b, int64_t j, int64_t m, int64_t *word,
                              int64_t *bit) {
    int64_t slot = j * b->chunk + m, k = slot % ENSFS_SLOTS;
    *word = slot / ENSFS_SLOTS * (ENSFS_SLOTS / 64) + k % 32 / 8;
    *bit = k % 8 * 8 + k / 32;
}

/* The largest bound (in units) with which the measure of a member of the chunk is at most `value`. */
ENSFS_INLINE int chunk_limit(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                             double value) {
    double limit = 0.5 * value * (c->entropy + b->most_entropy), more = value - EXPECTED_MEASURE;
    if (more > 0.0) limit -= 0.5 * more * b->most_excess[chunk];
    limit = limit * b->units_per_bit - 1e-6;
    return limit < 254.0 ? (limit > 0.0 ? (int)limit : 0) : 254;
}

/* Points the column at one of the workspaces of its group for cells and bounds; valid until the next
   look. */
ENSFS_INLINE void lend_workspace(const subset_chunks *b, chunk_column *c, int64_t k) {
    int64_t n_cells = b->n_planes * b->n_planes * b->chunk;
    c->cells = c->workspaces + k * (n_cells + b->chunk);
    c->bounds = c->cells + n_cells;
}

/* Lets the column be compared with subset i until a member has a measure above `stop`. */
ENSFS_INLINE void set_goal(const subset_chunks *b, chunk_column *c, int64_t i, double stop) {
    c->i = i;
    c->stop = stop;
    c->stop_bound = stop <= EXPECTED_MEASURE ? chunk_limit(b, c, 0, stop) : -1;
}

#endif

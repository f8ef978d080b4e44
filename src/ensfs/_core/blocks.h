/* The subsets of a decomposition, their members in blocks of eight: for any number of rows and levels.

   A column is compared with the eight members of a block side by side. A bound without logarithms comes
   first; only members whose bound is above what matters are measured. Included by allocate.h, between
   the kernels of discrete.h and those of blocks_kernels.h. */
#ifndef ENSFS_BLOCKS_H
#define ENSFS_BLOCKS_H

#include "discrete.h"

enum { ENSFS_BLOCK = 8, MAX_BLOCK_PLANES = 7 };

/* Up to so many planes all columns are taken to have as many: loops of fixed length are faster. */
enum { FIXED_PLANES = 3 };

/* The subsets of a decomposition. The members of a subset lie in blocks of eight, linked to a list
   that ends with -1, so that a column is compared with eight members side by side. Columns with more
   than eight levels (n_planes is 0 then) are compared one by one. */
typedef struct {
    int64_t n_subsets;
    int32_t *head, *open;  /* (subsets,) first block, and the one with room for new members */
    int32_t *before, *at;  /* last block that was compared with the column at hand, and the next */
    int32_t *nearest;      /* (subsets,) member with the largest measure so far, -1 if all were 0 */
    double *largest;       /* (subsets,) that measure */
    double guess;          /* what the largest measure of the least redundant subset will be */
    int64_t n_blocks;      /* in use */
    int32_t *next, *sizes; /* (blocks,) */
    int32_t *widest;       /* (blocks,) the most planes of a member that are looked at */
    int32_t *members;      /* (blocks, 8) */
    int64_t n_planes;      /* of every column, with empty ones where it has fewer levels */
    uint64_t *planes;      /* (blocks, n_planes, words, 8) */
    float *margins;        /* (blocks, n_planes + 1, 8) counts of the levels */
    float *inverses;       /* (blocks, n_planes + 1, 8) of these; 0 for an empty level */
    int64_t *entropies;    /* (blocks, 8) sums of klogk over the levels */
    float *halves;         /* (blocks, 8) half the entropies, in n times nats as the bounds */
    float slack;           /* for the rounding of float32, in n times nats */
    /* the column at hand: its planes (n_planes, words), counts of its levels, these over n, n over
       these (0 for an empty level), and its entropy */
    uint64_t *column_planes;
    int32_t column_widest; /* planes that are looked at */
    float column_margins[MAX_BLOCK_PLANES + 1], column_shares[MAX_BLOCK_PLANES + 1];
    float column_inverses[MAX_BLOCK_PLANES + 1], column_half;
    int64_t column_entropy;
    int64_t n_read; /* pairs that were compared */
} subset_blocks;

#endif

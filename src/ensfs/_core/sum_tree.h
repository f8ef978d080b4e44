/* Sums over rows follow a fixed tree. A leaf is the rows LEAF * j up to LEAF * (j + 1) of the whole
   table, summed row by row from 0; two leaves are added, two of these sums, and so on: the node k of
   a level is the sum of the nodes 2 k and 2 k + 1 of the level below, where what lies beyond the last
   row counts as 0. So a sum depends on the rows and their order and on nothing else: not on blocks,
   partitions or threads, nor on who adds what first. */
#ifndef ENSFS_SUM_TREE_H
#define ENSFS_SUM_TREE_H

#include <stdint.h>

enum {
    LEAF = 4096,
    DEPTH = 40 /* nodes that wait for their sister, one a level: enough for 2^50 rows */
};

/* Leaves that the first of two nodes has, where `n` leaves, at least two, are put in a tree. */
static inline int64_t left_leaves(int64_t n) {
    int64_t left = 1;
    while (2 * left < n) left *= 2;
    return left;
}

/* Sums of some groups of rows in some columns; row g of each is that of group g, `stride` apart. The
   last three may be NULL. */
enum { SUM_ARRAYS = 5 };
typedef struct {
    double *at[SUM_ARRAYS]; /* sums, squares, both from a centre of the group, products with y */
    int64_t stride;
} group_arrays;

/* Adds the rows of a leaf to some sums. */
typedef void (*add_leaf)(const void *context, int64_t leaf, const group_arrays *into);

/* Adds the leaves `first` up to `last`, in a tree, to sums that are 0. `spare` has room for as many
   sums as the tree has levels above the leaves. */
static void add_leaves(add_leaf add, const void *context, int64_t first, int64_t last, int64_t n_groups,
                       int64_t width, const group_arrays *into, double *spare) {
    if (last - first == 1) {
        add(context, first, into);
        return;
    }
    const int64_t middle = first + left_leaves(last - first);
    add_leaves(add, context, first, middle, n_groups, width, into, spare);
    group_arrays right = {{0}, width};
    for (int a = 0; a < SUM_ARRAYS; a++) {
        if (!into->at[a]) continue;
        right.at[a] = spare;
        for (int64_t i = 0; i < n_groups * width; i++) spare[i] = 0.0;
        spare += n_groups * width;
    }
    add_leaves(add, context, middle, last, n_groups, width, &right, spare);
    for (int a = 0; a < SUM_ARRAYS; a++)
        for (int64_t g = 0; into->at[a] && g < n_groups; g++) {
            double *left = into->at[a] + g * into->stride;
            const double *other = right.at[a] + g * width;
            for (int64_t b = 0; b < width; b++) left[b] += other[b];
        }
}

#endif

/* Products of all columns with all, leaf by leaf; see sum_tree.h. */
#ifndef ENSFS_GRAM_H
#define ENSFS_GRAM_H

#include "deviations.h"
#include "dispatch.h"
#include "greedy.h"
#include "sum_tree.h"

/* How a leaf is packed: the rows that are summed in the lanes 0 to 7 of all columns, column after
   column, then those of the lanes 8 to 15 and so on. What is read again and again lies together. */
enum {
    QUARTER_ROWS = LEAF / 4,
    QUARTER = QUARTER_ROWS + 8, /* columns a power of two apart would share cache sets */
    LEAST_COLUMNS = 6           /* so many are packed, the last of them zeros if need be */
};

#define ENSFS_KERNELS "gram_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int gram_level = 0;
static void gram_init(void) { gram_level = chosen_level(); }
#define ENSFS_GRAM(name) ENSFS_PICK(gram_level, name)

#endif

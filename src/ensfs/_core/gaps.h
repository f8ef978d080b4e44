/* Sums over the rows in which columns are observed. */
#ifndef ENSFS_GAPS_H
#define ENSFS_GAPS_H

#include "dispatch.h"

enum { OBSERVED = 16 }; /* columns that are summed together */

#define ENSFS_KERNELS "gaps_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int gaps_level = 0;
static void gaps_init(void) { gaps_level = chosen_level(); }
#define ENSFS_GAPS(name) ENSFS_PICK(gaps_level, name)

#endif

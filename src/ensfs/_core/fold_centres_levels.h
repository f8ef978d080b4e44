/* The kernels on centres of folds for every instruction set. */
#ifndef ENSFS_FOLD_CENTRES_LEVELS_H
#define ENSFS_FOLD_CENTRES_LEVELS_H

#include "deviations.h"
#include "dispatch.h"
#include "fold_centres.h"

#define ENSFS_KERNELS "fold_centres_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int fold_centres_level = 0;
static void fold_centres_init(void) { fold_centres_level = chosen_level(); }
#define ENSFS_FOLD_CENTRES(name) ENSFS_PICK(fold_centres_level, name)

#endif

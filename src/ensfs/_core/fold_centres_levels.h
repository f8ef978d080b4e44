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
#define fold_moments ENSFS_PICK(fold_centres_level, fold_moments)
#define part_moments ENSFS_PICK(fold_centres_level, part_moments)
#define f_of_part ENSFS_PICK(fold_centres_level, f_of_part)
#define centred_panel ENSFS_PICK(fold_centres_level, centred_panel)

#endif

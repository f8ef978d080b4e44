/* Distances under masks of columns for every instruction set. */
#ifndef ENSFS_NEIGHBOURS_H
#define ENSFS_NEIGHBOURS_H

#include <float.h>

#include "dispatch.h"

#define ENSFS_KERNELS "neighbours_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int neighbours_level = 0;
static void neighbours_init(void) { neighbours_level = chosen_level(); }
#define ENSFS_NEIGHBOURS(name) ENSFS_PICK(neighbours_level, name)

#endif

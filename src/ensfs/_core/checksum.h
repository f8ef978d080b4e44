/* Weighted sums of words for every instruction set. */
#ifndef ENSFS_CHECKSUM_H
#define ENSFS_CHECKSUM_H

#include "dispatch.h"

#define ENSFS_KERNELS "checksum_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int checksum_level = 0;
static void checksum_init(void) { checksum_level = chosen_level(); }
#define ENSFS_CHECKSUM(name) ENSFS_PICK(checksum_level, name)

#endif

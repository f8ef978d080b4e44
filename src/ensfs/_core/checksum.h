/* Weighted sums of words for every instruction set. */
#ifndef ENSFS_CHECKSUM_H
#define ENSFS_CHECKSUM_H

#include "dispatch.h"

#define ENSFS_KERNELS "checksum_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int checksum_level = 0;
static void checksum_init(void) { checksum_level = chosen_level(); }
#define weighted_uint8_t ENSFS_PICK(checksum_level, weighted_uint8_t)
#define weighted_uint16_t ENSFS_PICK(checksum_level, weighted_uint16_t)
#define weighted_uint32_t ENSFS_PICK(checksum_level, weighted_uint32_t)
#define weighted_uint64_t ENSFS_PICK(checksum_level, weighted_uint64_t)

#endif

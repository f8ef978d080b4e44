/* Columns into the subsets of a decomposition: each to the one whose closest member has the least in
   common with it. Members lie in chunks (chunks.h) if there are few rows and many members, else in
   blocks (blocks.h). */
#ifndef ENSFS_ALLOCATE_H
#define ENSFS_ALLOCATE_H

#include "blocks.h"
#include "chunks.h"
#include "discrete.h"

#define ENSFS_KERNELS "allocate_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

#include "blocks_search.h"
#include "chunks_search.h"

#endif

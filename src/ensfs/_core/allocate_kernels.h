/* What compares a column with the members of subsets, once per instruction set. */
#include "blocks_kernels.h"
#include "chunks_kernels.h"

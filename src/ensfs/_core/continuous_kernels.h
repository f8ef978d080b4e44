/* Sums and products of continuous columns, once per instruction set and once per storage type. */
#include "lanes.h"

#define ENSFS_REAL double
#define ENSFS_IS_FLOAT 0
#include "continuous_kernels_real.h"
#undef ENSFS_REAL
#undef ENSFS_IS_FLOAT
#define ENSFS_REAL float
#define ENSFS_IS_FLOAT 1
#include "continuous_kernels_real.h"
#undef ENSFS_REAL
#undef ENSFS_IS_FLOAT

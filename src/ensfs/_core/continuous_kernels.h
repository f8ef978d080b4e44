/* Sums and products of continuous columns, once per instruction set and once per storage type. */
#include "lanes.h"

#define REAL double
#define ENSFS_IS_FLOAT 0
#include "continuous_kernels_real.h"
#undef REAL
#undef ENSFS_IS_FLOAT
#define REAL float
#define ENSFS_IS_FLOAT 1
#include "continuous_kernels_real.h"
#undef REAL
#undef ENSFS_IS_FLOAT

/* `lanes`: as many doubles as a register of the instruction set holds, with the arithmetic of C.
   Included once per level, because GCC keeps vectors that are wider than a register in memory. */
#undef LANES
#if !defined(__GNUC__) && !defined(__clang__)
#define LANES 1
#elif ENSFS_LEVEL_NUMBER == 2
#define LANES 8
#elif ENSFS_LEVEL_NUMBER == 1
#define LANES 4
#else
#define LANES 2
#endif

#ifndef lanes
#define lanes LV(lanes)
#define lanes_float LV(lanes_float)
#define load_double LV(load_double)
#define load_float LV(load_float)
#endif

#if LANES == 1
typedef double lanes;
ENSFS_INLINE lanes load_float(const float *p) { return (double)*p; }
#else
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef float lanes_float __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
ENSFS_INLINE lanes load_float(const float *p) {
    return __builtin_convertvector(*(const lanes_float *)p, lanes);
}
#endif
ENSFS_INLINE lanes load_double(const double *p) { return *(const lanes *)p; }

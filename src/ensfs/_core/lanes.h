/* `lanes`: as many doubles as a register of the instruction set holds, with the arithmetic of C.
   Included once per level, because GCC keeps vectors that are wider than a register in memory. */
#undef ENSFS_LANES
#if !defined(__GNUC__) && !defined(__clang__)
#define ENSFS_LANES 1
#elif ENSFS_LEVEL_NUMBER == 2
#define ENSFS_LANES 8
#elif ENSFS_LEVEL_NUMBER == 1
#define ENSFS_LANES 4
#else
#define ENSFS_LANES 2
#endif

#if ENSFS_LANES == 1
typedef double LV(lanes);
ENSFS_INLINE LV(lanes) LV(load_float)(const float *p) { return (double)*p; }
#else
typedef double LV(lanes) __attribute__((vector_size(8 * ENSFS_LANES), aligned(8), may_alias));
typedef float LV(lanes_float) __attribute__((vector_size(4 * ENSFS_LANES), aligned(4), may_alias));
ENSFS_INLINE LV(lanes) LV(load_float)(const float *p) {
    return __builtin_convertvector(*(const LV(lanes_float) *)p, LV(lanes));
}
#endif
ENSFS_INLINE LV(lanes) LV(load_double)(const double *p) { return *(const LV(lanes) *)p; }

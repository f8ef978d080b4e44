/* `singles`: float32 numbers side by side, at most eight and no more than a register of the
   instruction set holds, with the arithmetic of C. Included once per level; see lanes.h. */
#undef ENSFS_SINGLES
#if !defined(__GNUC__) && !defined(__clang__)
#define ENSFS_SINGLES 1
#elif ENSFS_LEVEL_NUMBER >= 1
#define ENSFS_SINGLES 8
#else
#define ENSFS_SINGLES 4
#endif

#if ENSFS_SINGLES == 1
typedef float LV(singles);
ENSFS_INLINE LV(singles) LV(load_counts)(const int32_t *p) { return (float)*p; }
#else
typedef float LV(singles) __attribute__((vector_size(4 * ENSFS_SINGLES), aligned(4), may_alias));
typedef int32_t LV(counts) __attribute__((vector_size(4 * ENSFS_SINGLES), aligned(4), may_alias));
ENSFS_INLINE LV(singles) LV(load_counts)(const int32_t *p) {
    return __builtin_convertvector(*(const LV(counts) *)p, LV(singles));
}
#endif
ENSFS_INLINE LV(singles) LV(load_singles)(const float *p) { return *(const LV(singles) *)p; }
ENSFS_INLINE void LV(store_singles)(float *p, LV(singles) v) { *(LV(singles) *)p = v; }

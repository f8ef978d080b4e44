/* `singles`: float32 numbers side by side, at most eight and no more than a register of the
   instruction set holds, with the arithmetic of C. Included once per level; see lanes.h. */
#undef SINGLES
#if !defined(__GNUC__) && !defined(__clang__)
#define SINGLES 1
#elif ENSFS_LEVEL_NUMBER >= 1
#define SINGLES 8
#else
#define SINGLES 4
#endif

#ifndef singles
#define singles LV(singles)
#define load_singles LV(load_singles)
#define load_counts LV(load_counts)
#define store_singles LV(store_singles)
#endif

#if SINGLES == 1
typedef float singles;
ENSFS_INLINE singles load_counts(const int32_t *p) { return (float)*p; }
#else
typedef float singles __attribute__((vector_size(4 * SINGLES), aligned(4), may_alias));
typedef int32_t LV(counts) __attribute__((vector_size(4 * SINGLES), aligned(4), may_alias));
ENSFS_INLINE singles load_counts(const int32_t *p) {
    return __builtin_convertvector(*(const LV(counts) *)p, singles);
}
#endif
ENSFS_INLINE singles load_singles(const float *p) { return *(const singles *)p; }
ENSFS_INLINE void store_singles(float *p, singles v) { *(singles *)p = v; }

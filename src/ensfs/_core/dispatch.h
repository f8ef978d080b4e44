/* Which instruction set the kernels use: chosen once at import, the same answer on every level.

   Level 0 is portable C. Levels 1 and 2 exist where the compiler can build one source for several
   x86 instruction sets; elsewhere (MSVC, arm64) only level 0 is built. A kernel header is included
   once per level with LV(name) giving each copy its own names:

       #define ENSFS_KERNELS "continuous_kernels.h"
       #include "per_level.h"                                                                   */
#ifndef ENSFS_DISPATCH_H
#define ENSFS_DISPATCH_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define ENSFS_X86 1
#else
#define ENSFS_X86 0
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ENSFS_INLINE static inline __attribute__((always_inline))
#else
#define ENSFS_INLINE static inline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define ENSFS_PREFETCH(address) __builtin_prefetch(address)
#else
#define ENSFS_PREFETCH(address) ((void)0)
#endif

enum { LEVEL_GENERIC = 0, LEVEL_AVX2 = 1, LEVEL_AVX512 = 2 };

static int best_level(void) {
#if ENSFS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bitalg") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return LEVEL_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return LEVEL_AVX2;
#endif
    return LEVEL_GENERIC;
}

/* The level in use: the best one, or a lower one when ENSFS_SIMD asks for it. */
static int chosen_level(void) {
    int best = best_level();
    const char *wish = getenv("ENSFS_SIMD");
    if (wish != NULL) {
        if (strcmp(wish, "generic") == 0) return LEVEL_GENERIC;
        if (strcmp(wish, "avx2") == 0 && best >= LEVEL_AVX2) return LEVEL_AVX2;
    }
    return best;
}

#endif

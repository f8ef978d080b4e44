/* Which instruction set the kernels use: chosen once at import, the same answer on every level.

   Level 0 is portable C. Levels 1 and 2 exist where the compiler can build one function for several
   x86 instruction sets; elsewhere (MSVC, arm64) only level 0 is built. */
#ifndef ENSFS_DISPATCH_H
#define ENSFS_DISPATCH_H

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define ENSFS_X86 1
#else
#define ENSFS_X86 0
#endif

enum { LEVEL_GENERIC = 0, LEVEL_AVX2 = 1, LEVEL_AVX512 = 2 };

static int best_level(void) {
#if ENSFS_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq"))
        return LEVEL_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return LEVEL_AVX2;
#endif
    return LEVEL_GENERIC;
}

#endif

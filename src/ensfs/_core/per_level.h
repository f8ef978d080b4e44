/* Includes ENSFS_KERNELS once for each instruction set, under names ending in the level. */
#ifndef LV
#define ENSFS_JOIN_(a, b) a##_##b
#define ENSFS_JOIN(a, b) ENSFS_JOIN_(a, b)
#define LV(name) ENSFS_JOIN(name, ENSFS_LEVEL)
#if ENSFS_X86
#define ENSFS_PICK(level, name) \
    ((level) == 2 ? name##_avx512 : (level) == 1 ? name##_avx2 : name##_generic)
#else
#define ENSFS_PICK(level, name) (name##_generic)
#endif
#endif

#define ENSFS_LEVEL generic
#define ENSFS_LEVEL_NUMBER 0
#include ENSFS_KERNELS
#undef ENSFS_LEVEL
#undef ENSFS_LEVEL_NUMBER

#if ENSFS_X86
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,popcnt")
#endif
#define ENSFS_LEVEL avx2
#define ENSFS_LEVEL_NUMBER 1
#include ENSFS_KERNELS
#undef ENSFS_LEVEL
#undef ENSFS_LEVEL_NUMBER
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target( \
    "avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bitalg,avx512vpopcntdq"))), \
    apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512bitalg,avx512vpopcntdq,prefer-vector-width=512")
#endif
#define ENSFS_LEVEL avx512
#define ENSFS_LEVEL_NUMBER 2
#include ENSFS_KERNELS
#undef ENSFS_LEVEL
#undef ENSFS_LEVEL_NUMBER
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

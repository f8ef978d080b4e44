/* Bits of words: the place of the lowest that is set (x is not 0), and how many are set. */
#ifndef ENSFS_BITS_H
#define ENSFS_BITS_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
static inline int lowest_bit(uint64_t x) { return __builtin_ctzll(x); }
static inline int count_bits(uint64_t x) { return __builtin_popcountll(x); }
#else
static inline int lowest_bit(uint64_t x) { /* halves the bits that are left */
    int at = 0;
    for (int half = 32; half; half >>= 1)
        if (!(x & ((UINT64_C(1) << half) - 1))) {
            x >>= half;
            at += half;
        }
    return at;
}
static inline int count_bits(uint64_t x) { /* sums of pairs, of fours, of bytes, of all */
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = x + (x >> 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(x * UINT64_C(0x0101010101010101) >> 56);
}
#endif

#endif

/* The place of the lowest bit that is set; x is not 0. */
#ifndef ENSFS_BITS_H
#define ENSFS_BITS_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
static inline int lowest_bit(uint64_t x) { return __builtin_ctzll(x); }
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
#endif

#endif

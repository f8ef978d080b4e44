/* Pairs of doubles side by side, added with one instruction where the compiler has vectors. */
#ifndef ENSFS_PAIRS_H
#define ENSFS_PAIRS_H

#include "dispatch.h"

#if defined(__GNUC__) || defined(__clang__)
typedef double ensfs_pair __attribute__((vector_size(16), aligned(8), may_alias));
ENSFS_INLINE void add_pair(double *to, double first, double second) {
    *(ensfs_pair *)to += (ensfs_pair){first, second};
}
#else
ENSFS_INLINE void add_pair(double *to, double first, double second) {
    to[0] += first;
    to[1] += second;
}
#endif

#endif

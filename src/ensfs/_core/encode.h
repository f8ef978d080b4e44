/* Bytes into columns, and columns of bytes into dense codes. */
#ifndef ENSFS_ENCODE_H
#define ENSFS_ENCODE_H

#include "dispatch.h"

#define ENSFS_KERNELS "encode_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int encode_level = 0;
static void encode_init(void) { encode_level = chosen_level(); }
#define ENSFS_ENCODE(name) ENSFS_PICK(encode_level, name)

/* Which values occur among n bytes from low to high, which do: bit v - low for value v. */
static void mark_values(const uint8_t *x, int64_t n, uint8_t low, uint8_t high, uint64_t *bits) {
    int width = high - low + 1, n_words = (width + 63) / 64;
    uint64_t last = width % 64 ? (UINT64_C(1) << width % 64) - 1 : ~UINT64_C(0);
    memset(bits, 0, 4 * sizeof(uint64_t));
    bits[0] = 1;
    bits[(width - 1) / 64] |= UINT64_C(1) << (width - 1) % 64;
    for (int64_t i = 0, chunk = 32; i < n; chunk *= 2) { /* until every value was seen */
        int64_t stop = n - i < chunk ? n : i + chunk;
        if (n_words == 1) {
            uint64_t word = bits[0];
            if (word == last) return;
            for (; i < stop; i++) word |= UINT64_C(1) << (x[i] - low);
            bits[0] = word;
        } else {
            int complete = bits[n_words - 1] == last;
            for (int k = 0; k < n_words - 1; k++) complete &= bits[k] == ~UINT64_C(0);
            if (complete) return;
            for (; i < stop; i++) bits[(x[i] - low) >> 6] |= UINT64_C(1) << ((x[i] - low) & 63);
        }
    }
}

static inline int bit_of(const uint64_t *bits, int v) { return (int)(bits[v >> 6] >> (v & 63) & 1); }

/* The number of distinct values of n bytes; these are marked in 256 bits. */
static int distinct_bytes(const uint8_t *x, int64_t n, uint64_t *seen, uint8_t *low, uint8_t *high) {
    uint64_t bits[4];
    int count = 0;
    ENSFS_ENCODE(extremes)(x, n, low, high);
    mark_values(x, n, *low, *high, bits);
    memset(seen, 0, 4 * sizeof(uint64_t));
    for (int v = *low; v <= *high; v++)
        if (bit_of(bits, v - *low)) {
            seen[v >> 6] |= UINT64_C(1) << (v & 63);
            count++;
        }
    return count;
}

/* Replaces bytes by their rank among the distinct ones; gives how many these are, and marks them. */
static int densify(uint8_t *x, int64_t n, uint64_t *seen) {
    uint8_t low, high, rank[256], next = 0;
    int count = distinct_bytes(x, n, seen, &low, &high);
    if (count == high - low + 1) {
        if (low > 0) ENSFS_ENCODE(subtract)(x, n, low);
        return count;
    }
    for (int v = low; v <= high; v++) {
        rank[v] = next;
        if (bit_of(seen, v)) next++;
    }
    for (int64_t i = 0; i < n; i++) x[i] = rank[x[i]];
    return count;
}

#endif

/* Counts of rows for many slots at once, by adders made of logical operations.

   Included with ENSFS_SUM(name) giving the functions their names, ENSFS_SLICE the register that they
   work with, which holds ENSFS_SLICE_WORDS words, ENSFS_SUM_ROW(k) what row k of a list has for the
   slots of a slice, and ENSFS_TERNARY a logical operation on three slices. */

/* Adds three bits: the sum stays in a, what is carried is returned. Sums wait for each other, so a is
   used last. */
ENSFS_INLINE ENSFS_SLICE ENSFS_SUM(add_bits)(ENSFS_SLICE *a, ENSFS_SLICE b, ENSFS_SLICE c) {
#if ENSFS_LEVEL_NUMBER < 2
    ENSFS_SLICE half = b ^ c, carry = (b & c) | (half & *a);
    *a ^= half;
    return carry;
#else
    ENSFS_SLICE old = *a; /* odd; two or three */
    *a = ENSFS_TERNARY(old, b, c, 0x96);
    return ENSFS_TERNARY(old, b, c, 0xe8);
#endif
}

/* Exchanges the bits of a under ~mask, moved down, with those of b under mask. */
ENSFS_INLINE void ENSFS_SUM(exchange)(ENSFS_SLICE *a, ENSFS_SLICE *b, const int shift,
                                      const uint64_t mask) {
#if ENSFS_LEVEL_NUMBER < 2
    ENSFS_SLICE t = ((*a >> shift) ^ *b) & mask;
    *b ^= t;
    *a ^= t << shift;
#else
    ENSFS_SLICE none = {0}, under = none + mask,
                old = *a; /* the second where the first is set, or the third */
    *a = ENSFS_TERNARY(under, old, *b << shift, 0xca);
    *b = ENSFS_TERNARY(under, old >> shift, *b, 0xca);
#endif
}

/* Adds a bit to the slices from `first` on. */
ENSFS_INLINE void ENSFS_SUM(carry_on)(ENSFS_SLICE *s, const int first, const int n_slices,
                                      ENSFS_SLICE carry) {
    for (int k = first; k < n_slices; k++) {
        ENSFS_SLICE both = s[k] & carry;
        s[k] ^= carry;
        carry = both;
    }
}

/* Add 4, 8 or 16 rows, given as offsets in bytes; what is carried is returned. */
ENSFS_INLINE ENSFS_SLICE ENSFS_SUM(add_four)(ENSFS_SLICE *s, const char *from, const uint16_t *row,
                                             int64_t n_rows) {
    ENSFS_SLICE twos_a = ENSFS_SUM(add_bits)(&s[0], ENSFS_SUM_ROW(0), ENSFS_SUM_ROW(1));
    ENSFS_SLICE twos_b = ENSFS_SUM(add_bits)(&s[0], ENSFS_SUM_ROW(2), ENSFS_SUM_ROW(3));
    return ENSFS_SUM(add_bits)(&s[1], twos_a, twos_b);
}

ENSFS_INLINE ENSFS_SLICE ENSFS_SUM(add_eight)(ENSFS_SLICE *s, const char *from, const uint16_t *row,
                                              int64_t n_rows) {
    ENSFS_SLICE fours_a = ENSFS_SUM(add_four)(s, from, row, n_rows);
    ENSFS_SLICE fours_b = ENSFS_SUM(add_four)(s, from, row + 4, n_rows);
    return ENSFS_SUM(add_bits)(&s[2], fours_a, fours_b);
}

ENSFS_INLINE ENSFS_SLICE ENSFS_SUM(add_sixteen)(ENSFS_SLICE *s, const char *from, const uint16_t *row,
                                                int64_t n_rows) {
    ENSFS_SLICE eights_a = ENSFS_SUM(add_eight)(s, from, row, n_rows);
    ENSFS_SLICE eights_b = ENSFS_SUM(add_eight)(s, from, row + 8, n_rows);
    return ENSFS_SUM(add_bits)(&s[3], eights_a, eights_b);
}

/* From a word for each bit of the counts to a byte for each count. */
ENSFS_INLINE void ENSFS_SUM(to_bytes)(ENSFS_SLICE *s) {
    ENSFS_SUM(exchange)(&s[0], &s[4], 4, 0x0f0f0f0f0f0f0f0fu);
    ENSFS_SUM(exchange)(&s[1], &s[5], 4, 0x0f0f0f0f0f0f0f0fu);
    ENSFS_SUM(exchange)(&s[2], &s[6], 4, 0x0f0f0f0f0f0f0f0fu);
    ENSFS_SUM(exchange)(&s[3], &s[7], 4, 0x0f0f0f0f0f0f0f0fu);
    ENSFS_SUM(exchange)(&s[0], &s[2], 2, 0x3333333333333333u);
    ENSFS_SUM(exchange)(&s[1], &s[3], 2, 0x3333333333333333u);
    ENSFS_SUM(exchange)(&s[4], &s[6], 2, 0x3333333333333333u);
    ENSFS_SUM(exchange)(&s[5], &s[7], 2, 0x3333333333333333u);
    ENSFS_SUM(exchange)(&s[0], &s[1], 1, 0x5555555555555555u);
    ENSFS_SUM(exchange)(&s[2], &s[3], 1, 0x5555555555555555u);
    ENSFS_SUM(exchange)(&s[4], &s[5], 1, 0x5555555555555555u);
    ENSFS_SUM(exchange)(&s[6], &s[7], 1, 0x5555555555555555u);
}

/* How many of the rows each slot of a slice has, as bytes in s (8,). Rows are offsets in bytes, fewer
   than 2^n_slices, a multiple of four. */
ENSFS_INLINE void ENSFS_SUM(count_slice)(const uint64_t *bits, const uint16_t *row, int64_t n_rows,
                                         const int n_slices, ENSFS_SLICE *s) {
    const char *from = (const char *)bits;
    const uint16_t *end = row + n_rows;
    ENSFS_SLICE none = {0};
    s[0] = s[1] = s[2] = s[3] = s[4] = s[5] = s[6] = s[7] = none;
    switch (n_rows % 16) { /* first, while the compiler knows that all sums are 0 */
    case 4: s[2] = ENSFS_SUM(add_four)(s, from, row, n_rows); break;
    case 8: s[3] = ENSFS_SUM(add_eight)(s, from, row, n_rows); break;
    case 12:
        s[3] = ENSFS_SUM(add_eight)(s, from, row, n_rows);
        ENSFS_SUM(carry_on)(s, 2, 4, ENSFS_SUM(add_four)(s, from, row + 8, n_rows));
        break;
    default:
        if (row == end) break;
        s[4] = ENSFS_SUM(add_sixteen)(s, from, row, n_rows);
        row += 16;
    }
    for (row += n_rows % 16; row < end; row += 16)
        ENSFS_SUM(carry_on)(s, 4, n_slices, ENSFS_SUM(add_sixteen)(s, from, row, n_rows));
    ENSFS_SUM(to_bytes)(s);
}

#undef ENSFS_SUM
#undef ENSFS_SUM_ROW
#undef ENSFS_TERNARY
#undef ENSFS_SLICE

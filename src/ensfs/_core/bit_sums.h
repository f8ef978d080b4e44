/* Counts of rows for many slots at once, by adders made of logical operations.

   Included with SUM(name) giving the functions their names, `slice` the register that they work with,
   which holds SLICE_WORDS words, and SUM_ROW(k) what row k of a list has for the slots of a slice. */

/* Adds three bits: the sum stays in a, what is carried is returned. Sums wait for each other, so a is
   used last. */
ENSFS_INLINE slice SUM(add_bits)(slice *a, slice b, slice c) {
#if ENSFS_LEVEL_NUMBER < 2
    slice half = b ^ c, carry = (b & c) | (half & *a);
    *a ^= half;
    return carry;
#else
    slice old = *a; /* odd; two or three */
    *a = (slice)TERNARY((TERNARY_TYPE)old, (TERNARY_TYPE)b, (TERNARY_TYPE)c, 0x96);
    return (slice)TERNARY((TERNARY_TYPE)old, (TERNARY_TYPE)b, (TERNARY_TYPE)c, 0xe8);
#endif
}

/* Exchanges the bits of a under ~mask, moved down, with those of b under mask. */
ENSFS_INLINE void SUM(exchange)(slice *a, slice *b, const int shift, const uint64_t mask) {
#if ENSFS_LEVEL_NUMBER < 2
    slice t = ((*a >> shift) ^ *b) & mask;
    *b ^= t;
    *a ^= t << shift;
#else
    slice none = {0}, under = none + mask, old = *a; /* the second where the first is set, or the third */
    *a = (slice)TERNARY((TERNARY_TYPE)under, (TERNARY_TYPE)old, (TERNARY_TYPE)(*b << shift), 0xca);
    *b = (slice)TERNARY((TERNARY_TYPE)under, (TERNARY_TYPE)(old >> shift), (TERNARY_TYPE)*b, 0xca);
#endif
}

/* Adds a bit to the slices from `first` on. */
ENSFS_INLINE void SUM(carry_on)(slice *s, const int first, const int n_slices, slice carry) {
    for (int k = first; k < n_slices; k++) {
        slice both = s[k] & carry;
        s[k] ^= carry;
        carry = both;
    }
}

/* Add 4, 8 or 16 rows, given as offsets in bytes; what is carried is returned. */
ENSFS_INLINE slice SUM(add_four)(slice *s, const char *from, const uint16_t *row, int64_t n_rows) {
    slice twos_a = SUM(add_bits)(&s[0], SUM_ROW(0), SUM_ROW(1));
    slice twos_b = SUM(add_bits)(&s[0], SUM_ROW(2), SUM_ROW(3));
    return SUM(add_bits)(&s[1], twos_a, twos_b);
}

ENSFS_INLINE slice SUM(add_eight)(slice *s, const char *from, const uint16_t *row, int64_t n_rows) {
    slice fours_a = SUM(add_four)(s, from, row, n_rows);
    slice fours_b = SUM(add_four)(s, from, row + 4, n_rows);
    return SUM(add_bits)(&s[2], fours_a, fours_b);
}

ENSFS_INLINE slice SUM(add_sixteen)(slice *s, const char *from, const uint16_t *row, int64_t n_rows) {
    slice eights_a = SUM(add_eight)(s, from, row, n_rows);
    slice eights_b = SUM(add_eight)(s, from, row + 8, n_rows);
    return SUM(add_bits)(&s[3], eights_a, eights_b);
}

/* From a word for each bit of the counts to a byte for each count. */
ENSFS_INLINE void SUM(to_bytes)(slice *s) {
    SUM(exchange)(&s[0], &s[4], 4, 0x0f0f0f0f0f0f0f0fu);
    SUM(exchange)(&s[1], &s[5], 4, 0x0f0f0f0f0f0f0f0fu);
    SUM(exchange)(&s[2], &s[6], 4, 0x0f0f0f0f0f0f0f0fu);
    SUM(exchange)(&s[3], &s[7], 4, 0x0f0f0f0f0f0f0f0fu);
    SUM(exchange)(&s[0], &s[2], 2, 0x3333333333333333u);
    SUM(exchange)(&s[1], &s[3], 2, 0x3333333333333333u);
    SUM(exchange)(&s[4], &s[6], 2, 0x3333333333333333u);
    SUM(exchange)(&s[5], &s[7], 2, 0x3333333333333333u);
    SUM(exchange)(&s[0], &s[1], 1, 0x5555555555555555u);
    SUM(exchange)(&s[2], &s[3], 1, 0x5555555555555555u);
    SUM(exchange)(&s[4], &s[5], 1, 0x5555555555555555u);
    SUM(exchange)(&s[6], &s[7], 1, 0x5555555555555555u);
}

/* How many of the rows each slot of a slice has, as bytes in s (8,). Rows are offsets in bytes, fewer
   than 2^n_slices, a multiple of four. */
ENSFS_INLINE void SUM(count_slice)(const uint64_t *bits, const uint16_t *row, int64_t n_rows,
                                   const int n_slices, slice *s) {
    const char *from = (const char *)bits;
    const uint16_t *end = row + n_rows;
    slice none = {0};
    s[0] = s[1] = s[2] = s[3] = s[4] = s[5] = s[6] = s[7] = none;
    switch (n_rows % 16) { /* first, while the compiler knows that all sums are 0 */
    case 4: s[2] = SUM(add_four)(s, from, row, n_rows); break;
    case 8: s[3] = SUM(add_eight)(s, from, row, n_rows); break;
    case 12:
        s[3] = SUM(add_eight)(s, from, row, n_rows);
        SUM(carry_on)(s, 2, 4, SUM(add_four)(s, from, row + 8, n_rows));
        break;
    default:
        if (row == end) break;
        s[4] = SUM(add_sixteen)(s, from, row, n_rows);
        row += 16;
    }
    for (row += n_rows % 16; row < end; row += 16)
        SUM(carry_on)(s, 4, n_slices, SUM(add_sixteen)(s, from, row, n_rows));
    SUM(to_bytes)(s);
}

#undef SUM
#undef SUM_ROW
#undef TERNARY
#undef TERNARY_TYPE
#undef slice

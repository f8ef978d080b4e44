/* `bytes`: unsigned bytes side by side, as many as a register of the instruction set holds, and the
   tables that are looked up with them. Included once per level; see lanes.h. Every level gives the same
   answer. */
#undef ENSFS_BYTES
#if ENSFS_LEVEL_NUMBER == 2
#define ENSFS_BYTES 64
typedef __m512i LV(bytes);
ENSFS_INLINE LV(bytes) LV(load_bytes)(const uint8_t *p) { return _mm512_loadu_si512(p); }
ENSFS_INLINE void LV(store_bytes)(uint8_t *p, LV(bytes) x) { _mm512_storeu_si512(p, x); }
ENSFS_INLINE LV(bytes) LV(all_bytes)(int x) { return _mm512_set1_epi8((char)x); }
ENSFS_INLINE LV(bytes) LV(or_bytes)(LV(bytes) a, LV(bytes) b) { return _mm512_or_si512(a, b); }
ENSFS_INLINE LV(bytes) LV(max_bytes)(LV(bytes) a, LV(bytes) b) { return _mm512_max_epu8(a, b); }
ENSFS_INLINE LV(bytes) LV(subtract_bytes)(LV(bytes) a, LV(bytes) b) { return _mm512_sub_epi8(a, b); }
/* Sums stay at 255, differences at 0. */
ENSFS_INLINE LV(bytes) LV(add_up_to_255)(LV(bytes) a, LV(bytes) b) { return _mm512_adds_epu8(a, b); }
ENSFS_INLINE LV(bytes) LV(subtract_to_0)(LV(bytes) a, LV(bytes) b) { return _mm512_subs_epu8(a, b); }
/* Bit k of the result: byte k of a is at least that of b. */
ENSFS_INLINE uint64_t LV(at_least)(LV(bytes) a, LV(bytes) b) { return _mm512_cmpge_epu8_mask(a, b); }
/* x, but 255 where a is at least b. */
ENSFS_INLINE LV(bytes) LV(full_where)(LV(bytes) x, LV(bytes) a, LV(bytes) b) {
    return _mm512_mask_mov_epi8(x, _mm512_cmpge_epu8_mask(a, b), _mm512_set1_epi8(-1));
}
/* The first k bytes of x, 0 for the others; k is below ENSFS_BYTES. */
ENSFS_INLINE LV(bytes) LV(first_bytes)(LV(bytes) x, int k) {
    return _mm512_maskz_mov_epi8((UINT64_C(1) << k) - 1, x);
}
#elif ENSFS_LEVEL_NUMBER == 1
#define ENSFS_BYTES 32
typedef __m256i LV(bytes);
ENSFS_INLINE LV(bytes) LV(load_bytes)(const uint8_t *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
ENSFS_INLINE void LV(store_bytes)(uint8_t *p, LV(bytes) x) { _mm256_storeu_si256((__m256i *)p, x); }
ENSFS_INLINE LV(bytes) LV(all_bytes)(int x) { return _mm256_set1_epi8((char)x); }
ENSFS_INLINE LV(bytes) LV(or_bytes)(LV(bytes) a, LV(bytes) b) { return _mm256_or_si256(a, b); }
ENSFS_INLINE LV(bytes) LV(max_bytes)(LV(bytes) a, LV(bytes) b) { return _mm256_max_epu8(a, b); }
ENSFS_INLINE LV(bytes) LV(subtract_bytes)(LV(bytes) a, LV(bytes) b) { return _mm256_sub_epi8(a, b); }
ENSFS_INLINE LV(bytes) LV(add_up_to_255)(LV(bytes) a, LV(bytes) b) { return _mm256_adds_epu8(a, b); }
ENSFS_INLINE LV(bytes) LV(subtract_to_0)(LV(bytes) a, LV(bytes) b) { return _mm256_subs_epu8(a, b); }
ENSFS_INLINE uint64_t LV(at_least)(LV(bytes) a, LV(bytes) b) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a));
}
ENSFS_INLINE LV(bytes) LV(full_where)(LV(bytes) x, LV(bytes) a, LV(bytes) b) {
    return _mm256_or_si256(x, _mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a));
}
ENSFS_INLINE LV(bytes) LV(first_bytes)(LV(bytes) x, int k) {
    static const uint8_t first[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    return _mm256_and_si256(x, LV(load_bytes)(first + 32 - k));
}
#else
/* A number holds more than 255: sums are not cut off, and full_where finds those that would be. */
#define ENSFS_BYTES 1
typedef int LV(bytes);
ENSFS_INLINE LV(bytes) LV(load_bytes)(const uint8_t *p) { return *p; }
ENSFS_INLINE void LV(store_bytes)(uint8_t *p, LV(bytes) x) { *p = (uint8_t)x; }
ENSFS_INLINE LV(bytes) LV(all_bytes)(int x) { return x; }
ENSFS_INLINE LV(bytes) LV(or_bytes)(LV(bytes) a, LV(bytes) b) { return a | b; }
ENSFS_INLINE LV(bytes) LV(max_bytes)(LV(bytes) a, LV(bytes) b) { return a > b ? a : b; }
ENSFS_INLINE LV(bytes) LV(subtract_bytes)(LV(bytes) a, LV(bytes) b) { return a - b; }
ENSFS_INLINE LV(bytes) LV(add_up_to_255)(LV(bytes) a, LV(bytes) b) { return a + b; }
ENSFS_INLINE LV(bytes) LV(subtract_to_0)(LV(bytes) a, LV(bytes) b) { return a > b ? a - b : 0; }
ENSFS_INLINE uint64_t LV(at_least)(LV(bytes) a, LV(bytes) b) { return a >= b; }
ENSFS_INLINE LV(bytes) LV(full_where)(LV(bytes) x, LV(bytes) a, LV(bytes) b) {
    return a >= b ? 255 : x;
}
ENSFS_INLINE LV(bytes) LV(first_bytes)(LV(bytes) x, int k) { return k ? x : 0; }
#endif

/* The largest byte of x. */
ENSFS_INLINE int LV(largest_byte)(LV(bytes) x) {
#if ENSFS_LEVEL_NUMBER == 0
    return x;
#else
#if ENSFS_LEVEL_NUMBER == 2
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64(x, 1));
#else
    __m256i half = x;
#endif
    __m128i t = _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 8));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 4));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 2));
    return _mm_extract_epi16(_mm_max_epu8(t, _mm_srli_si128(t, 1)), 0) & 255;
#endif
}

/* A table of 16 * n_banks bytes (two banks or four), for look_up. */
typedef struct {
#if ENSFS_LEVEL_NUMBER == 2
    __m512i entries; /* twice if there are two banks */
#elif ENSFS_LEVEL_NUMBER == 1
    __m256i banks[4];
#else
    const uint8_t *entries;
#endif
} LV(byte_table);

ENSFS_INLINE LV(byte_table) LV(load_table)(const uint8_t *from, const int n_banks) {
    LV(byte_table) table;
#if ENSFS_LEVEL_NUMBER == 2
    table.entries = n_banks == 4 ? _mm512_loadu_si512(from)
                                 : _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)from));
#elif ENSFS_LEVEL_NUMBER == 1
    for (int k = 0; k < n_banks; k++)
        table.banks[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)from + k));
#else
    (void)n_banks;
    table.entries = from;
#endif
    return table;
}

/* Entries of a table for values below its length, garbage for others. */
ENSFS_INLINE LV(bytes) LV(look_up)(const LV(byte_table) * table, const int n_banks, LV(bytes) x) {
#if ENSFS_LEVEL_NUMBER == 2
    (void)n_banks;
    return _mm512_permutexvar_epi8(x, table->entries);
#elif ENSFS_LEVEL_NUMBER == 1
    __m256i by_16 = _mm256_slli_epi16(x, 3); /* bit 4 becomes the sign that blendv looks at */
    __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(table->banks[0], x),
                                     _mm256_shuffle_epi8(table->banks[1], x), by_16);
    if (n_banks == 2) return low;
    __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(table->banks[2], x),
                                      _mm256_shuffle_epi8(table->banks[3], x), by_16);
    return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(x, 2));
#else
    return table->entries[x & (16 * n_banks - 1)];
#endif
}

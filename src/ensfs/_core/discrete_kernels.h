/* Bit planes of coded columns, once per instruction set. */

static inline int64_t LV(popcount)(uint64_t x) {
#if ENSFS_LEVEL_NUMBER >= 1 || ((defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__))
    return __builtin_popcountll(x);
#else
    x = x - ((x >> 1) & 0x5555555555555555u);
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int64_t)((x * 0x0101010101010101u) >> 56);
#endif
}

/* Bit i of out is set where codes[i] == level; n_words * 64 codes are read. */
static void LV(plane)(const uint8_t *codes, int64_t n_words, uint8_t level, uint64_t *out) {
    for (int64_t w = 0; w < n_words; w++, codes += 64) {
#if ENSFS_LEVEL_NUMBER == 2
        out[w] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512((const void *)codes),
                                        _mm512_set1_epi8((char)level));
#elif ENSFS_LEVEL_NUMBER == 1
        __m256i l = _mm256_set1_epi8((char)level);
        __m256i low = _mm256_loadu_si256((const __m256i *)codes);
        __m256i high = _mm256_loadu_si256((const __m256i *)(codes + 32));
        uint64_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, l));
        uint64_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, l));
        out[w] = a | (b << 32);
#else
        uint64_t word = 0;
        for (int i = 0; i < 64; i++) word |= (uint64_t)(codes[i] == level) << i;
        out[w] = word;
#endif
    }
}

/* Rows that two planes share. */
static int64_t LV(and_count)(const uint64_t *a, const uint64_t *b, int64_t n_words) {
    int64_t total = 0, w = 0;
#if ENSFS_LEVEL_NUMBER == 2
    if (n_words >= 8) {
        __m512i sum = _mm512_setzero_si512();
        for (; w + 8 <= n_words; w += 8)
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(
                      _mm512_loadu_si512((const void *)(a + w)),
                      _mm512_loadu_si512((const void *)(b + w)))));
        if (w < n_words) {
            __mmask8 rest = (__mmask8)((1u << (n_words - w)) - 1);
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(
                      _mm512_maskz_loadu_epi64(rest, a + w),
                      _mm512_maskz_loadu_epi64(rest, b + w))));
        }
        return _mm512_reduce_add_epi64(sum);
    }
#endif
    for (; w < n_words; w++) total += LV(popcount)(a[w] & b[w]);
    return total;
}

/* Counts of the cells (level of a >= 1, level of b >= 1) of one pair of columns. */
static void LV(pair_counts)(const uint64_t *a, int64_t n_a, const uint64_t *b, int64_t n_b,
                            int64_t n_words, int64_t *counts) {
    for (int64_t i = 0; i < n_a; i++)
        for (int64_t j = 0; j < n_b; j++)
            counts[i * n_b + j] = LV(and_count)(a + i * n_words, b + j * n_words, n_words);
}

/* Rows that two planes share in each fold. A fold is a field of 8, 16 or 32 bits, whose counts are
   found for all fields of a word at once, or a number of whole words. */
static void LV(fold_counts)(const uint64_t *a, const uint64_t *b, int64_t n_folds,
                            int64_t field_bits, int32_t *counts) {
    if (field_bits >= 64) {
        int64_t words = field_bits / 64;
        for (int64_t t = 0; t < n_folds; t++, a += words, b += words) {
            int64_t total = 0;
            for (int64_t w = 0; w < words; w++) total += LV(popcount)(a[w] & b[w]);
            counts[t] = (int32_t)total;
        }
        return;
    }
    int64_t fields = 64 / field_bits;
    uint64_t mask = ((uint64_t)1 << field_bits) - 1;
    for (int64_t t = 0; t < n_folds; t += fields) {
        uint64_t x = *a++ & *b++;
        x = x - ((x >> 1) & 0x5555555555555555u);
        x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        if (field_bits > 8) x = (x + (x >> 8)) & 0x00ff00ff00ff00ffu;
        if (field_bits > 16) x = (x + (x >> 16)) & 0x0000ffff0000ffffu;
        int64_t stop = t + fields < n_folds ? fields : n_folds - t;
        for (int64_t k = 0; k < stop; k++, x >>= field_bits) counts[t + k] = (int32_t)(x & mask);
    }
}

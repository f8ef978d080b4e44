/* Comparison of a column with chunks of members, once per instruction set; see chunks.h. */

#ifndef slice
#define slice LV(slice)
#endif
#undef SLICE_WORDS
#if ENSFS_LEVEL_NUMBER >= 1
typedef uint64_t slice __attribute__((vector_size(32), aligned(8), may_alias));
#define SLICE_WORDS 4
#else
typedef uint64_t slice;
#define SLICE_WORDS 1
#endif

/* Adds three bits: the sum stays in a, what is carried is returned. Sums wait for each other, so a is
   used last. */
ENSFS_INLINE slice LV(add_bits)(slice *a, slice b, slice c) {
    slice half = b ^ c, carry = (b & c) | (half & *a);
    *a ^= half;
    return carry;
}

/* Exchanges the bits of a under ~mask, moved down, with those of b under mask. */
ENSFS_INLINE void LV(exchange)(slice *a, slice *b, const int shift, const uint64_t mask) {
    slice t = ((*a >> shift) ^ *b) & mask;
    *b ^= t;
    *a ^= t << shift;
}

/* How many of the rows each member of a chunk has: bytes out (256,). `bits` are those of one level
   of the members; fewer than 2^n_slices rows. */
ENSFS_INLINE void LV(count_rows)(const uint64_t *bits, const uint16_t *rows, int64_t n_rows,
                                 const int n_slices, uint8_t *out) {
    for (int w = 0; w < CHUNK_WORDS; w += SLICE_WORDS) {
        slice s[8], none = {0};
        s[0] = s[1] = s[2] = s[3] = s[4] = s[5] = s[6] = s[7] = none;
#define ENSFS_ROW(k) (*(const slice *)(bits + rows[r + k] + w))
        int64_t r = 0;
        for (; r + 8 <= n_rows; r += 8) {
            slice twos_a = LV(add_bits)(&s[0], ENSFS_ROW(0), ENSFS_ROW(1));
            slice twos_b = LV(add_bits)(&s[0], ENSFS_ROW(2), ENSFS_ROW(3));
            slice fours_a = LV(add_bits)(&s[1], twos_a, twos_b);
            twos_a = LV(add_bits)(&s[0], ENSFS_ROW(4), ENSFS_ROW(5));
            twos_b = LV(add_bits)(&s[0], ENSFS_ROW(6), ENSFS_ROW(7));
            slice fours_b = LV(add_bits)(&s[1], twos_a, twos_b);
            slice carry = LV(add_bits)(&s[2], fours_a, fours_b);
            for (int k = 3; k < n_slices; k++) {
                slice both = s[k] & carry;
                s[k] ^= carry;
                carry = both;
            }
        }
        if (r < n_rows) {
            slice twos_a = LV(add_bits)(&s[0], ENSFS_ROW(0), ENSFS_ROW(1));
            slice twos_b = LV(add_bits)(&s[0], ENSFS_ROW(2), ENSFS_ROW(3));
            slice carry = LV(add_bits)(&s[1], twos_a, twos_b);
            for (int k = 2; k < n_slices; k++) {
                slice both = s[k] & carry;
                s[k] ^= carry;
                carry = both;
            }
        }
#undef ENSFS_ROW
        /* from a word for each bit of the counts to a byte for each count */
        LV(exchange)(&s[0], &s[4], 4, 0x0f0f0f0f0f0f0f0fu);
        LV(exchange)(&s[1], &s[5], 4, 0x0f0f0f0f0f0f0f0fu);
        LV(exchange)(&s[2], &s[6], 4, 0x0f0f0f0f0f0f0f0fu);
        LV(exchange)(&s[3], &s[7], 4, 0x0f0f0f0f0f0f0f0fu);
        LV(exchange)(&s[0], &s[2], 2, 0x3333333333333333u);
        LV(exchange)(&s[1], &s[3], 2, 0x3333333333333333u);
        LV(exchange)(&s[4], &s[6], 2, 0x3333333333333333u);
        LV(exchange)(&s[5], &s[7], 2, 0x3333333333333333u);
        LV(exchange)(&s[0], &s[1], 1, 0x5555555555555555u);
        LV(exchange)(&s[2], &s[3], 1, 0x5555555555555555u);
        LV(exchange)(&s[4], &s[5], 1, 0x5555555555555555u);
        LV(exchange)(&s[6], &s[7], 1, 0x5555555555555555u);
#define ENSFS_STORE(k) memcpy(out + 32 * k + 8 * w, &s[k], sizeof(slice))
        ENSFS_STORE(0);
        ENSFS_STORE(1);
        ENSFS_STORE(2);
        ENSFS_STORE(3);
        ENSFS_STORE(4);
        ENSFS_STORE(5);
        ENSFS_STORE(6);
        ENSFS_STORE(7);
#undef ENSFS_STORE
    }
}

#if ENSFS_LEVEL_NUMBER >= 1
/* Entries of a table of 16 * n_banks for counts below that, garbage for others. */
ENSFS_INLINE __m256i LV(look_up)(const uint8_t *table, const int n_banks, __m256i c) {
#define ENSFS_BANK(k) \
    _mm256_shuffle_epi8( \
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 16 * (k)))), c)
    __m256i by_16 = _mm256_slli_epi16(c, 3); /* bit 4 becomes the sign that blendv looks at */
    __m256i low = _mm256_blendv_epi8(ENSFS_BANK(0), ENSFS_BANK(1), by_16);
    if (n_banks == 2) return low;
    __m256i high = _mm256_blendv_epi8(ENSFS_BANK(2), ENSFS_BANK(3), by_16);
    return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(c, 2));
#undef ENSFS_BANK
}

/* Bounds of all members of a chunk in units, from the cells; the largest is returned. */
ENSFS_INLINE int LV(bound_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                 const int n_planes, const int n_banks) {
    const uint8_t *margins = b->margins + chunk * n_planes * CHUNK;
    const uint8_t *excess = b->excess + chunk * 2 * CHUNK;
    const int size = b->sizes[chunk];
    const __m256i full = _mm256_set1_epi8(-1), beyond = _mm256_set1_epi8((char)(16 * n_banks));
    __m256i top = _mm256_setzero_si256();
    for (int m = 0; m < size; m += 32) {
        __m256i sum = _mm256_setzero_si256(), most = sum, most_sum = sum;
        __m256i first[MAX_CHUNK_PLANES + 1];
        const __m256i part = _mm256_loadu_si256((const __m256i *)(excess + m));
        for (int j = 0; j < n_planes; j++)
            first[j + 1] = _mm256_loadu_si256((const __m256i *)(margins + j * CHUNK + m));
        for (int i = n_planes; i >= 0; i--) {
            const uint8_t *table = b->tables + c->counts[i] * 16 * n_banks;
            __m256i rest = _mm256_set1_epi8((char)c->counts[i]);
            for (int j = n_planes; j >= 0; j--) {
                __m256i cell = rest; /* level 0 of the member has what the others leave */
                if (j) {
                    cell = first[j]; /* and so has level 0 of the column */
                    if (i)
                        cell = _mm256_loadu_si256(
                            (const __m256i *)(c->cells + ((i - 1) * n_planes + j - 1) * CHUNK + m));
                    first[j] = _mm256_sub_epi8(first[j], cell);
                    rest = _mm256_sub_epi8(rest, cell);
                }
                most = _mm256_max_epu8(most, cell);
                sum = _mm256_adds_epu8(sum, LV(look_up)(table, n_banks, cell));
            }
            most_sum = _mm256_max_epu8(most_sum, sum);
            sum = _mm256_subs_epu8(sum, part);
        }
        sum = _mm256_subs_epu8(sum, _mm256_loadu_si256((const __m256i *)(excess + CHUNK + m)));
        /* nothing is known where a count has no entry or a sum was too large */
        sum = _mm256_or_si256(sum, _mm256_cmpeq_epi8(_mm256_max_epu8(most, beyond), most));
        sum = _mm256_or_si256(sum, _mm256_cmpeq_epi8(most_sum, full));
        if (size - m < 32)
            sum = _mm256_and_si256(
                sum, _mm256_loadu_si256((const __m256i *)(FIRST_BYTES + 32 - (size - m))));
        _mm256_storeu_si256((__m256i *)(c->bounds + m), sum);
        top = _mm256_max_epu8(top, sum);
    }
    __m128i t = _mm_max_epu8(_mm256_castsi256_si128(top), _mm256_extracti128_si256(top, 1));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 8));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 4));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 2));
    return _mm_extract_epi16(_mm_max_epu8(t, _mm_srli_si128(t, 1)), 0) & 255;
}

/* Bit k of the result: bound k of 64 is at least `least`. */
ENSFS_INLINE uint64_t LV(bounds_from)(const uint8_t *bounds, int least) {
    __m256i low = _mm256_loadu_si256((const __m256i *)bounds), x = _mm256_set1_epi8((char)least);
    __m256i high = _mm256_loadu_si256((const __m256i *)(bounds + 32));
    low = _mm256_cmpeq_epi8(_mm256_max_epu8(low, x), low);
    high = _mm256_cmpeq_epi8(_mm256_max_epu8(high, x), high);
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}
#else
ENSFS_INLINE int LV(bound_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                 const int n_planes, const int n_banks) {
    int top = 0;
    for (int m = 0; m < b->sizes[chunk]; m++) {
        const uint8_t *margins = b->margins + chunk * n_planes * CHUNK + m;
        const uint8_t *excess = b->excess + chunk * 2 * CHUNK + m;
        int sum = -excess[CHUNK], beyond = 0, first[MAX_CHUNK_PLANES + 1];
        for (int j = 0; j < n_planes; j++) first[j + 1] = margins[j * CHUNK];
        for (int i = n_planes; i >= 0; i--) {
            const uint8_t *table = b->tables + c->counts[i] * 16 * n_banks;
            int rest = c->counts[i];
            for (int j = n_planes; j >= 0; j--) {
                int cell = rest;
                if (j) {
                    cell = i ? c->cells[((i - 1) * n_planes + j - 1) * CHUNK + m] : first[j];
                    first[j] -= cell;
                    rest -= cell;
                }
                beyond |= cell;
                sum += table[cell & (16 * n_banks - 1)];
            }
            sum -= excess[0];
        }
        sum = sum < 0 ? 0 : sum;
        c->bounds[m] = (uint8_t)(beyond >= 16 * n_banks || sum > 255 ? 255 : sum);
        top = c->bounds[m] > top ? c->bounds[m] : top;
    }
    return top;
}

ENSFS_INLINE uint64_t LV(bounds_from)(const uint8_t *bounds, int least) {
    uint64_t found = 0;
    for (int k = 0; k < 64; k++) found |= (uint64_t)(bounds[k] >= least) << k;
    return found;
}
#endif

/* Counts the cells of the column with all members of a chunk and bounds their measures. */
ENSFS_INLINE int LV(look_at)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                             const int n_planes, const int n_banks) {
    const int64_t stride = n_planes * CHUNK_WORDS;
    const uint64_t *bits = b->bits + chunk * (b->n_rows + 1) * stride;
    for (int i = 1; i <= n_planes; i++)
        for (int j = 0; j < n_planes; j++) {
            uint8_t *cells = c->cells + ((i - 1) * n_planes + j) * CHUNK;
            if (c->n_rows[i] < 64)
                LV(count_rows)(bits + j * CHUNK_WORDS, c->rows[i], c->n_rows[i], 6, cells);
            else
                LV(count_rows)(bits + j * CHUNK_WORDS, c->rows[i], c->n_rows[i], 8, cells);
        }
    return LV(bound_chunk)(b, c, chunk, n_planes, n_banks);
}

/* The measure of the column with member m of the chunk that was looked at last. */
ENSFS_INLINE double LV(measure_member)(const code_store *s, const subset_chunks *b,
                                       const chunk_column *c, int64_t chunk, int64_t m,
                                       const int n_planes) {
    int64_t joint = 0, levels = 1, rest_of_member = b->n_rows;
    int64_t first[MAX_CHUNK_PLANES + 1];
    const uint8_t *margins = b->margins + chunk * n_planes * CHUNK + m;
    for (int64_t j = 0; j < n_planes; j++) {
        first[j + 1] = margins[j * CHUNK];
        rest_of_member -= first[j + 1];
        levels += first[j + 1] > 0;
    }
    levels -= rest_of_member == 0;
    for (int64_t i = n_planes; i >= 0; i--) {
        int64_t rest = c->counts[i];
        for (int64_t j = n_planes; j > 0; j--) {
            int64_t cell = i ? c->cells[((i - 1) * n_planes + j - 1) * CHUNK + m] : first[j];
            first[j] -= cell;
            rest -= cell;
            joint += s->T[cell];
        }
        joint += s->T[rest];
    }
    return value_of_pair(s, joint, s->entropy[c->f], s->entropy[b->members[chunk * CHUNK + m]],
                         c->n_levels, levels);
}

static double LV(chunk_measure)(const code_store *s, const subset_chunks *b, const chunk_column *c,
                                int64_t chunk, int64_t m) {
    if (b->n_planes == 2) return LV(measure_member)(s, b, c, chunk, m, 2);
    return LV(measure_member)(s, b, c, chunk, m, (int)b->n_planes);
}

/* Counts and bounds for the numbers of planes and banks at hand. */
static int LV(look_at_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
    if (b->n_planes == 2)
        return b->n_banks == 2 ? LV(look_at)(b, c, chunk, 2, 2) : LV(look_at)(b, c, chunk, 2, 4);
    if (b->n_planes == 1)
        return b->n_banks == 2 ? LV(look_at)(b, c, chunk, 1, 2) : LV(look_at)(b, c, chunk, 1, 4);
    return b->n_banks == 2 ? LV(look_at)(b, c, chunk, 3, 2) : LV(look_at)(b, c, chunk, 3, 4);
}

/* Measures the members of subset i in the chunk that was looked at last whose bound is at least
   `least` and above what was found before, until one is so far above `stop` that the subset will
   hardly be needed again. */
ENSFS_INLINE void LV(measure_from)(const code_store *s, const subset_chunks *b, chunk_column *c,
                                   int64_t i, int64_t chunk, int least, double stop) {
    for (int first = 0; first < b->sizes[chunk]; first += 64)
        for (uint64_t left = LV(bounds_from)(c->bounds + first, least); left; left &= left - 1) {
            int m = first + lowest_bit(left);
            if (m >= b->sizes[chunk] || c->bounds[m] < least) continue;
            double value = LV(chunk_measure)(s, b, c, chunk, m);
            if (value <= c->largest[i]) continue;
            c->largest[i] = value;
            c->nearest[i] = b->members[chunk * CHUNK + m];
            if (value > SURELY * stop) return;
            int limit = chunk_limit(b, c, chunk, value);
            least = limit + 1 > least ? limit + 1 : least;
        }
}

/* Goes on through the chunks of subset i until a member has a measure above `stop`, or none is left.
   Only members whose bound is above `stop` are measured: what the largest measure is matters for the
   least redundant subset alone, see measure_chunk. */
static void LV(look_further)(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t i,
                             double stop) {
    while (c->at[i] >= 0 && c->largest[i] <= stop) {
        int64_t chunk = c->at[i];
        int top = LV(look_at_chunk)(b, c, chunk), limit = chunk_limit(b, c, chunk, stop);
        c->n_read += b->sizes[chunk];
        c->tops[chunk] = (uint8_t)top;
        c->at[i] = b->next[chunk];
        if (top <= limit) continue;
        LV(measure_from)(s, b, c, i, chunk, top, stop);
        if (c->largest[i] <= stop) LV(measure_from)(s, b, c, i, chunk, limit + 1, stop);
    }
}

/* Measures the members of a chunk that may be above the largest measure of subset i. */
static void LV(measure_chunk)(const code_store *s, const subset_chunks *b, chunk_column *c,
                              int64_t i, int64_t chunk) {
    const double no_stop = 2.0;
    int top = LV(look_at_chunk)(b, c, chunk);
    LV(measure_from)(s, b, c, i, chunk, top, no_stop);
    int limit = chunk_limit(b, c, chunk, c->largest[i]);
    if (top > limit) LV(measure_from)(s, b, c, i, chunk, limit + 1, no_stop);
    c->tops[chunk] = 0;
}

/* Compares the column with the fronts of all subsets: measures at most one member of each, the one
   with the largest bound, and only if that is above what `guess` asks for. */
static void LV(look_at_fronts)(const code_store *s, const subset_chunks *b, chunk_column *c,
                               double guess) {
    for (int64_t i = 0, chunk = -1; i < b->n_subsets; i++) {
        if (i % FRONT_SUBSETS == 0) {
            LV(look_at_chunk)(b, c, ++chunk);
            c->n_read += b->sizes[chunk];
        }
        int first = (int)(i % FRONT_SUBSETS) * FRONT, top = first;
        for (int m = first + 1; m < first + FRONT; m++)
            if (c->bounds[m] > c->bounds[top]) top = m;
        if (c->bounds[top] <= chunk_limit(b, c, chunk, guess)) continue;
        c->largest[i] = LV(chunk_measure)(s, b, c, chunk, top);
        if (c->largest[i] > 0.0) c->nearest[i] = b->members[chunk * CHUNK + top];
    }
}

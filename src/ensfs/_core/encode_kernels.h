/* Bytes turned over and looked through, once per instruction set. */

/* Smallest and largest of n bytes. */
static void LV(extremes)(const uint8_t *x, int64_t n, uint8_t *low, uint8_t *high) {
    uint8_t least = 255, most = 0;
    for (int64_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    *low = least;
    *high = most;
}

static void LV(subtract)(uint8_t *x, int64_t n, uint8_t low) {
    for (int64_t i = 0; i < n; i++) x[i] = (uint8_t)(x[i] - low);
}

/* Gives the bytes that are 255 the number after the largest of the others, and counts them. */
static int64_t LV(close_up)(uint8_t *x, int64_t n) {
    uint8_t most = 0, next;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        uint8_t other = x[i] == 255 ? 0 : x[i];
        most = other > most ? other : most;
        count += x[i] == 255;
    }
    next = count == n ? 0 : (uint8_t)(most + 1);
    for (int64_t i = 0; count && i < n; i++) x[i] = x[i] == 255 ? next : x[i];
    return count;
}

#if ENSFS_LEVEL_NUMBER >= 1
enum { LV(tile_rows) = 32, LV(tile_columns) = 16 };

/* 32 rows of 16 bytes as 16 columns of 32. Four times the rows of one half are interleaved with those of
   the other; after that row and column of every byte have changed places. */
ENSFS_INLINE void LV(turn_tile)(const uint8_t *x, int64_t step, uint8_t flip, uint8_t *out,
                                int64_t out_step) {
    __m256i a[16], b[16], flips = _mm256_set1_epi8((char)flip);
    for (int k = 0; k < 16; k++) {
        __m128i upper = _mm_loadu_si128((const __m128i *)(x + k * step));
        __m128i lower = _mm_loadu_si128((const __m128i *)(x + (k + 16) * step));
        a[k] = _mm256_inserti128_si256(_mm256_castsi128_si256(upper), lower, 1);
    }
    for (int round = 0; round < 4; round += 2) {
        for (int k = 0; k < 8; k++) {
            b[2 * k] = _mm256_unpacklo_epi8(a[k], a[k + 8]);
            b[2 * k + 1] = _mm256_unpackhi_epi8(a[k], a[k + 8]);
        }
        for (int k = 0; k < 8; k++) {
            a[2 * k] = _mm256_unpacklo_epi8(b[k], b[k + 8]);
            a[2 * k + 1] = _mm256_unpackhi_epi8(b[k], b[k + 8]);
        }
    }
    for (int k = 0; k < 16; k++)
        _mm256_storeu_si256((__m256i *)(out + k * out_step), _mm256_xor_si256(a[k], flips));
}
#else
enum { LV(tile_rows) = 8, LV(tile_columns) = 8 };

/* Exchanges the upper halves of the lanes of a with the lower ones of b. */
ENSFS_INLINE void exchange_halves(uint64_t *a, uint64_t *b, int shift, uint64_t mask) {
    uint64_t t = ((*a >> shift) ^ *b) & mask;
    *a ^= t << shift;
    *b ^= t;
}

/* 8 rows of 8 bytes, each held in a word, as 8 columns. */
ENSFS_INLINE void LV(turn_tile)(const uint8_t *x, int64_t step, uint8_t flip, uint8_t *out,
                                int64_t out_step) {
    uint64_t w[8], one = 1, flips = flip * UINT64_C(0x0101010101010101);
    uint8_t low_byte_first;
    memcpy(&low_byte_first, &one, 1);
    if (!low_byte_first) {
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++) out[c * out_step + r] = x[r * step + c] ^ flip;
        return;
    }
    for (int k = 0; k < 8; k++) memcpy(&w[k], x + k * step, 8);
    for (int k = 0; k < 4; k++) exchange_halves(&w[k], &w[k + 4], 32, UINT64_C(0x00000000ffffffff));
    for (int k = 0; k < 8; k += 4) {
        exchange_halves(&w[k], &w[k + 2], 16, UINT64_C(0x0000ffff0000ffff));
        exchange_halves(&w[k + 1], &w[k + 3], 16, UINT64_C(0x0000ffff0000ffff));
    }
    for (int k = 0; k < 8; k += 2)
        exchange_halves(&w[k], &w[k + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
    for (int k = 0; k < 8; k++) {
        w[k] ^= flips;
        memcpy(out + k * out_step, &w[k], 8);
    }
}
#endif

/* Rows of bytes that are `step` apart as columns that are `out_step` apart, some bits turned over. A few
   rows at a time, so that both are read and written by whole cache lines. The last tile of a row or
   column overlaps the one before. */
static void LV(turn)(const uint8_t *x, int64_t step, int64_t n_rows, int64_t n_columns, uint8_t flip,
                     uint8_t *out, int64_t out_step) {
    const int64_t high = LV(tile_rows), wide = LV(tile_columns), block = 64;
    if (n_rows < high || n_columns < wide) {
        for (int64_t c = 0; c < n_columns; c++)
            for (int64_t r = 0; r < n_rows; r++) out[c * out_step + r] = x[r * step + c] ^ flip;
        return;
    }
    for (int64_t first = 0; first < n_rows; first += block) {
        int64_t end = n_rows - first < block ? n_rows : first + block;
        int64_t ahead = n_rows - end < block ? n_rows : end + block;
        for (int64_t r = end; r < ahead; r++)
            for (int64_t c = 0; c < n_columns; c += 64) ENSFS_PREFETCH(x + r * step + c);
        for (int64_t next = 0; next < n_columns; next += wide) {
            int64_t c = n_columns - next < wide ? n_columns - wide : next;
            for (int64_t row = first; row < end; row += high) {
                int64_t r = end - row < high ? end - high : row;
                LV(turn_tile)(x + r * step + c, step, flip, out + c * out_step + r, out_step);
            }
        }
    }
}

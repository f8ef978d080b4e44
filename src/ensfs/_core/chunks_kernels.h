/* Comparison of a column with chunks of members, once per instruction set; see chunks.h. */

#undef SLICE_WORDS
#if ENSFS_LEVEL_NUMBER >= 1
typedef uint64_t LV(slice) __attribute__((vector_size(32), aligned(8), may_alias));
#define SLICE_WORDS 4
#else
typedef uint64_t LV(slice);
#define SLICE_WORDS 1
#endif

#define slice LV(slice)
#define SUM(name) LV(name)
#define SUM_ROW(k) (*(const slice *)(from + row[k]))
#define TERNARY _mm256_ternarylogic_epi64
#define TERNARY_TYPE __m256i
#include "bit_sums.h"

#if ENSFS_LEVEL_NUMBER >= 2
/* Two lists of equal length side by side, the second just behind the first. */
typedef uint64_t LV(wide_slice) __attribute__((vector_size(64), aligned(8), may_alias));
#define slice LV(wide_slice)
#define SUM(name) LV(wide_##name)
#define SUM_ROW(k) \
    (slice)_mm512_inserti64x4( \
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(from + row[k]))), \
        _mm256_loadu_si256((const __m256i *)(from + row[n_rows + k])), 1)
#define TERNARY _mm512_ternarylogic_epi64
#define TERNARY_TYPE __m512i
#include "bit_sums.h"

/* How many rows of each list each of 256 slots has: bytes out (2, 256). */
ENSFS_INLINE void LV(count_two_lists)(const uint64_t *bits, const uint16_t *rows, int64_t n_rows,
                                      const int n_slices, uint8_t *out) {
    LV(wide_slice) s[8];
    LV(wide_count_slice)(bits, rows, n_rows, n_slices, s);
#define ENSFS_STORE(k) \
    _mm256_storeu_si256((__m256i *)(out + 32 * k), _mm512_castsi512_si256((__m512i)s[k])); \
    _mm256_storeu_si256((__m256i *)(out + SLOTS + 32 * k), \
                        _mm512_extracti64x4_epi64((__m512i)s[k], 1))
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
#endif

/* How many of the rows each of 256 slots has: bytes out (256,). */
ENSFS_INLINE void LV(count_rows)(const uint64_t *bits, const uint16_t *rows, int64_t n_rows,
                                 const int n_slices, uint8_t *out) {
    for (int w = 0; w < SLOTS / 64; w += SLICE_WORDS) {
        LV(slice) s[8];
        LV(count_slice)(bits + w, rows, n_rows, n_slices, s);
#define ENSFS_STORE(k) memcpy(out + 32 * k + 8 * w, &s[k], sizeof(LV(slice)))
        ENSFS_STORE(0); /* no loop, which would keep the sums in memory */
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
ENSFS_INLINE int LV(largest_byte)(__m256i x) {
    __m128i t = _mm_max_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 8));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 4));
    t = _mm_max_epu8(t, _mm_srli_si128(t, 2));
    return _mm_extract_epi16(_mm_max_epu8(t, _mm_srli_si128(t, 1)), 0) & 255;
}
#endif

#if ENSFS_LEVEL_NUMBER >= 2
/* The table of a level of the column, twice if it has 32 entries, and how many rows the level has. */
typedef struct {
    __m512i entries, count;
} LV(level_table);

ENSFS_INLINE void LV(load_table)(LV(level_table) *table, const subset_chunks *b, int count,
                                 const int n_banks) {
    const uint8_t *from = b->tables + count * 16 * n_banks;
    table->entries = n_banks == 4
        ? _mm512_loadu_si512(from)
        : _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)from));
    table->count = _mm512_set1_epi8((char)count);
}

/* Bounds of all members of a chunk in units, from the cells; the largest is returned. */
ENSFS_INLINE int LV(bound_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                 const int n_planes, const int n_banks, const int in_parts,
                                 const int sure) {
    const uint8_t *margins = b->margins + chunk * n_planes * CHUNK(n_planes);
    const uint8_t *excess = b->excess + chunk * 2 * CHUNK(n_planes);
    const int size = b->sizes[chunk];
    const __m512i full = _mm512_set1_epi8(-1), beyond = _mm512_set1_epi8((char)(16 * n_banks));
    LV(level_table) tables[MAX_CHUNK_PLANES + 1];
    for (int i = 0; i <= n_planes; i++) LV(load_table)(&tables[i], b, c->counts[i], n_banks);
    __m512i top = _mm512_setzero_si512();
    for (int m = 0; m < size; m += 64) {
        __m512i sum = _mm512_setzero_si512(), most = sum, most_sum = sum;
        __m512i first[MAX_CHUNK_PLANES + 1];
        for (int j = 0; j < n_planes; j++)
            first[j + 1] = _mm512_loadu_si512(margins + j * CHUNK(n_planes) + m);
        for (int i = n_planes; i >= 0; i--) {
            __m512i rest = tables[i].count;
            for (int j = n_planes; j >= 0; j--) {
                __m512i cell = rest; /* level 0 of the member has what the others leave */
                if (j) {
                    cell = first[j]; /* and so has level 0 of the column */
                    if (i)
                        cell = _mm512_loadu_si512(
                            c->cells + ((i - 1) * n_planes + j - 1) * CHUNK(n_planes) + m);
                    first[j] = _mm512_sub_epi8(first[j], cell);
                    rest = _mm512_sub_epi8(rest, cell);
                }
                if (!sure) most = _mm512_or_si512(most, cell); /* tables end at a power of two */
                sum = _mm512_adds_epu8(sum, _mm512_permutexvar_epi8(cell, tables[i].entries));
            }
            if (!in_parts) continue;
            most_sum = _mm512_max_epu8(most_sum, sum);
            sum = _mm512_subs_epu8(sum, _mm512_loadu_si512(excess + m));
        }
        if (!in_parts) most_sum = sum;
        sum = _mm512_subs_epu8(sum, _mm512_loadu_si512(excess + CHUNK(n_planes) + m));
        /* nothing is known where a count has no entry or a sum was too large */
        __mmask64 unknown = _mm512_cmpeq_epu8_mask(most_sum, full);
        if (!sure) unknown |= _mm512_cmpge_epu8_mask(most, beyond);
        sum = _mm512_mask_mov_epi8(sum, unknown, full);
        if (size - m < 64) sum = _mm512_maskz_mov_epi8((UINT64_C(1) << (size - m)) - 1, sum);
        _mm512_storeu_si512(c->bounds + m, sum);
        top = _mm512_max_epu8(top, sum);
    }
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(top), _mm512_extracti64x4_epi64(top, 1));
    return LV(largest_byte)(half);
}

/* Bit k of the result: bound k of 64 is at least `least`. */
ENSFS_INLINE uint64_t LV(bounds_from)(const uint8_t *bounds, int least) {
    return _mm512_cmpge_epu8_mask(_mm512_loadu_si512(bounds), _mm512_set1_epi8((char)least));
}
#elif ENSFS_LEVEL_NUMBER == 1
/* The table of a level of the column, by banks, and how many rows the level has. */
typedef struct {
    __m256i banks[4], count;
} LV(level_table);

/* Entries of a table for counts below 16 * n_banks, garbage for others. */
ENSFS_INLINE __m256i LV(look_up)(const LV(level_table) *table, const int n_banks, __m256i c) {
    __m256i by_16 = _mm256_slli_epi16(c, 3); /* bit 4 becomes the sign that blendv looks at */
    __m256i low = _mm256_blendv_epi8(_mm256_shuffle_epi8(table->banks[0], c),
                                     _mm256_shuffle_epi8(table->banks[1], c), by_16);
    if (n_banks == 2) return low;
    __m256i high = _mm256_blendv_epi8(_mm256_shuffle_epi8(table->banks[2], c),
                                      _mm256_shuffle_epi8(table->banks[3], c), by_16);
    return _mm256_blendv_epi8(low, high, _mm256_slli_epi16(c, 2));
}

ENSFS_INLINE void LV(load_table)(LV(level_table) *table, const subset_chunks *b, int count,
                                 const int n_banks) {
    const __m128i *from = (const __m128i *)(b->tables + count * 16 * n_banks);
    for (int k = 0; k < n_banks; k++)
        table->banks[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128(from + k));
    table->count = _mm256_set1_epi8((char)count);
}

/* Bounds of all members of a chunk in units, from the cells; the largest is returned. */
ENSFS_INLINE int LV(bound_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                 const int n_planes, const int n_banks, const int in_parts,
                                 const int sure) {
    const uint8_t *margins = b->margins + chunk * n_planes * CHUNK(n_planes);
    const uint8_t *excess = b->excess + chunk * 2 * CHUNK(n_planes);
    const uint8_t *cells = c->cells;
    uint8_t *bounds = c->bounds;
    const int size = b->sizes[chunk];
    const __m256i full = _mm256_set1_epi8(-1), beyond = _mm256_set1_epi8((char)(16 * n_banks));
    LV(level_table) tables[MAX_CHUNK_PLANES + 1];
    for (int i = 0; i <= n_planes; i++) LV(load_table)(&tables[i], b, c->counts[i], n_banks);
    __m256i top = _mm256_setzero_si256();
    for (int m = 0; m < size; m += 32) {
        __m256i sum = _mm256_setzero_si256(), most = sum, most_sum = sum;
        __m256i first[MAX_CHUNK_PLANES + 1];
        for (int j = 0; j < n_planes; j++)
            first[j + 1] = _mm256_loadu_si256((const __m256i *)(margins + j * CHUNK(n_planes) + m));
        for (int i = n_planes; i >= 0; i--) {
            __m256i rest = tables[i].count;
            for (int j = n_planes; j >= 0; j--) {
                __m256i cell = rest; /* level 0 of the member has what the others leave */
                if (j) {
                    cell = first[j]; /* and so has level 0 of the column */
                    if (i)
                        cell = _mm256_loadu_si256((const __m256i *)(
                            cells + ((i - 1) * n_planes + j - 1) * CHUNK(n_planes) + m));
                    first[j] = _mm256_sub_epi8(first[j], cell);
                    rest = _mm256_sub_epi8(rest, cell);
                }
                if (!sure) most = _mm256_or_si256(most, cell); /* tables end at a power of two */
                sum = _mm256_adds_epu8(sum, LV(look_up)(&tables[i], n_banks, cell));
            }
            if (!in_parts) continue;
            most_sum = _mm256_max_epu8(most_sum, sum);
            sum = _mm256_subs_epu8(sum, _mm256_loadu_si256((const __m256i *)(excess + m)));
        }
        if (!in_parts) most_sum = sum;
        sum = _mm256_subs_epu8(
            sum, _mm256_loadu_si256((const __m256i *)(excess + CHUNK(n_planes) + m)));
        /* nothing is known where a count has no entry or a sum was too large */
        if (!sure)
            sum = _mm256_or_si256(sum, _mm256_cmpeq_epi8(_mm256_max_epu8(most, beyond), most));
        sum = _mm256_or_si256(sum, _mm256_cmpeq_epi8(most_sum, full));
        if (size - m < 32)
            sum = _mm256_and_si256(
                sum, _mm256_loadu_si256((const __m256i *)(FIRST_BYTES + 32 - (size - m))));
        _mm256_storeu_si256((__m256i *)(bounds + m), sum);
        top = _mm256_max_epu8(top, sum);
    }
    return LV(largest_byte)(top);
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
                                 const int n_planes, const int n_banks, const int in_parts,
                                 const int sure) {
    int top = 0;
    for (int m = 0; m < b->sizes[chunk]; m++) {
        const uint8_t *margins = b->margins + chunk * n_planes * CHUNK(n_planes) + m;
        const uint8_t *excess = b->excess + chunk * 2 * CHUNK(n_planes) + m;
        int sum = -excess[CHUNK(n_planes)], beyond = 0, first[MAX_CHUNK_PLANES + 1];
        for (int j = 0; j < n_planes; j++) first[j + 1] = margins[j * CHUNK(n_planes)];
        for (int i = n_planes; i >= 0; i--) {
            const uint8_t *table = b->tables + c->counts[i] * 16 * n_banks;
            int rest = c->counts[i];
            for (int j = n_planes; j >= 0; j--) {
                int cell = rest;
                if (j) {
                    cell = first[j];
                    if (i) cell = c->cells[((i - 1) * n_planes + j - 1) * CHUNK(n_planes) + m];
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

/* Counts the cells of the column with all members of a chunk. */
ENSFS_INLINE void LV(count_cells)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                  const int n_planes) {
    const int n_slots = n_planes * CHUNK(n_planes);
    const uint64_t *bits = b->bits + chunk * (b->n_rows + 1) * (n_slots / 64);
#if ENSFS_LEVEL_NUMBER >= 2
    if (n_planes == 2) {
        if (c->n_rows[1] < 64) LV(count_two_lists)(bits, c->rows[1], c->n_rows[1], 6, c->cells);
        else LV(count_two_lists)(bits, c->rows[1], c->n_rows[1], 8, c->cells);
        return;
    }
#endif
    for (int i = 1; i <= n_planes; i++)
        for (int k = 0; k < n_slots; k += SLOTS) {
            uint8_t *cells = c->cells + (i - 1) * n_slots + k;
            if (c->n_rows[i] < 64)
                LV(count_rows)(bits + k / 64, c->rows[i], c->n_rows[i], 6, cells);
            else
                LV(count_rows)(bits + k / 64, c->rows[i], c->n_rows[i], 8, cells);
        }
}

/* The measure of the column with member m of the chunk that was looked at last. */
ENSFS_INLINE double LV(measure_member)(const code_store *s, const subset_chunks *b,
                                       const chunk_column *c, int64_t chunk, int64_t m,
                                       const int n_planes) {
    int64_t joint = 0, levels = 1, rest_of_member = b->n_rows, entropy = 0;
    int64_t first[MAX_CHUNK_PLANES + 1];
    const uint8_t *margins = b->margins + chunk * n_planes * CHUNK(n_planes) + m;
    for (int64_t j = 0; j < n_planes; j++) {
        first[j + 1] = margins[j * CHUNK(n_planes)];
        rest_of_member -= first[j + 1];
        levels += first[j + 1] > 0;
        entropy += s->T[first[j + 1]]; /* sooner than the store of all columns is read */
    }
    levels -= rest_of_member == 0;
    entropy += s->T[rest_of_member];
    for (int64_t i = n_planes; i >= 0; i--) {
        int64_t rest = c->counts[i];
        for (int64_t j = n_planes; j > 0; j--) {
            int64_t cell = first[j];
            if (i) cell = c->cells[((i - 1) * n_planes + j - 1) * CHUNK(n_planes) + m];
            first[j] -= cell;
            rest -= cell;
            joint += s->T[cell];
        }
        joint += s->T[rest];
    }
    return value_of_pair(s, &c->fixed, joint, entropy, levels, c->n_levels);
}

static double LV(chunk_measure)(const code_store *s, const subset_chunks *b, const chunk_column *c,
                                int64_t chunk, int64_t m) {
    if (b->n_planes == 2) return LV(measure_member)(s, b, c, chunk, m, 2);
    return LV(measure_member)(s, b, c, chunk, m, (int)b->n_planes);
}

/* The two halves of a look, for the numbers of planes and banks at hand: counts, then bounds. */
static void LV(count_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
    if (b->n_planes == 2) LV(count_cells)(b, c, chunk, 2);
    else if (b->n_planes == 1) LV(count_cells)(b, c, chunk, 1);
    else LV(count_cells)(b, c, chunk, 3);
}

static int LV(largest_bound)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
#define ENSFS_BOUND(n_planes) \
    (b->n_banks == 4 ? LV(bound_chunk)(b, c, chunk, n_planes, 4, 1, 0) \
     : b->in_parts   ? LV(bound_chunk)(b, c, chunk, n_planes, 2, 1, 0) \
     : !c->sure      ? LV(bound_chunk)(b, c, chunk, n_planes, 2, 0, 0) \
                     : LV(bound_chunk)(b, c, chunk, n_planes, 2, 0, 1))
    if (b->n_planes == 2) return ENSFS_BOUND(2);
    return b->n_planes == 1 ? ENSFS_BOUND(1) : ENSFS_BOUND(3);
#undef ENSFS_BOUND
}

ENSFS_INLINE int LV(look_at_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
    LV(count_chunk)(b, c, chunk);
    return LV(largest_bound)(b, c, chunk);
}

/* Takes note of the measure of member m of a chunk of subset i. */
ENSFS_INLINE void LV(note_measure)(const subset_chunks *b, chunk_column *c, int64_t i, int64_t chunk,
                                   int m, double value) {
    if (value <= c->largest[i]) return;
    c->largest[i] = value;
    c->nearest[i] = b->members[chunk * b->chunk + m];
}

/* The first member of the chunk that was looked at last that has the bound `top`, which one has. */
ENSFS_INLINE int LV(place_of)(const subset_chunks *b, const chunk_column *c, int top) {
    int place = 0;
    for (int first = (int)b->chunk - 64; first >= 0; first -= 64) {
        uint64_t found = LV(bounds_from)(c->bounds + first, top);
        int here = first + lowest_bit(found | UINT64_C(1) << 63);
        place = found ? here : place; /* not a branch, which would be hard to predict */
    }
    return place;
}

/* Measures the members of subset i in the chunk that was looked at last whose bound is at least
   `least` and above what was found before, but for one that is known. */
ENSFS_INLINE void LV(measure_from)(const code_store *s, const subset_chunks *b, chunk_column *c,
                                   int64_t i, int64_t chunk, int least, int known) {
    for (int first = 0; first < b->sizes[chunk]; first += 64)
        for (uint64_t left = LV(bounds_from)(c->bounds + first, least); left; left &= left - 1) {
            int m = first + lowest_bit(left);
            if (m >= b->sizes[chunk] || c->bounds[m] < least || m == known) continue;
            LV(note_measure)(b, c, i, chunk, m, LV(chunk_measure)(s, b, c, chunk, m));
            int limit = chunk_limit(b, c, chunk, c->largest[i]);
            least = limit + 1 > least ? limit + 1 : least;
        }
}

/* One look at the next chunk for each of some columns. Only members whose bound is above the goal are
   measured, the one with the largest bound first, and the others if that one is not: what the largest
   measure is matters for the least redundant subset alone, see measure_chunk.
   All columns take a step before any takes the next: what was begun after a branch that is hard to
   predict is often lost, so the branches come last. */
static void LV(look_at_once)(const code_store *s, const subset_chunks *b, chunk_column **c,
                             int64_t n) {
    int tops[GROUP], limits[GROUP], likely[GROUP];
    int64_t chunks[GROUP], above[GROUP], n_above = 0;
    double values[GROUP];
    for (int64_t k = 0; k < n; k++) {
        chunks[k] = c[k]->at[c[k]->i];
        lend_room(b, c[k], k);
#if ENSFS_LEVEL_NUMBER >= 2
        LV(count_chunk)(b, c[k], chunks[k]);
    }
    /* apart: a wide load of what two stores just wrote would wait for them */
    for (int64_t k = 0; k < n; k++) tops[k] = LV(largest_bound)(b, c[k], chunks[k]);
#else
        tops[k] = LV(look_at_chunk)(b, c[k], chunks[k]);
    }
#endif
    for (int64_t k = 0; k < n; k++) {
        int64_t chunk = chunks[k];
        limits[k] = c[k]->stop_bound;
        if (limits[k] < 0) limits[k] = chunk_limit(b, c[k], chunk, c[k]->stop);
        c[k]->n_read += b->sizes[chunk];
        c[k]->tops[chunk] = (uint8_t)tops[k];
        c[k]->at[c[k]->i] = b->next[chunk];
        above[n_above] = k;
        n_above += tops[k] > limits[k] + b->slack;
    }
    for (int64_t h = 0; h < n_above; h++) {
        int64_t k = above[h];
        likely[h] = LV(place_of)(b, c[k], tops[k]);
        values[h] = LV(chunk_measure)(s, b, c[k], chunks[k], likely[h]);
    }
    for (int64_t h = 0; h < n_above; h++) {
        int64_t k = above[h], i = c[k]->i;
        LV(note_measure)(b, c[k], i, chunks[k], likely[h], values[h]);
        if (c[k]->largest[i] <= c[k]->stop)
            LV(measure_from)(s, b, c[k], i, chunks[k], limits[k] + b->slack + 1, likely[h]);
    }
}

/* Goes on through the chunks of the subset at hand up to the goal, or until none is left. */
static void LV(look_further)(const code_store *s, const subset_chunks *b, chunk_column *c) {
    while (c->at[c->i] >= 0 && c->largest[c->i] <= c->stop) LV(look_at_once)(s, b, &c, 1);
}

/* Measures the members of a chunk that may be above the largest measure of subset i. */
static void LV(measure_chunk)(const code_store *s, const subset_chunks *b, chunk_column *c,
                              int64_t i, int64_t chunk) {
    lend_room(b, c, 0);
    int top = LV(look_at_chunk)(b, c, chunk);
    int first = LV(place_of)(b, c, top);
    LV(note_measure)(b, c, i, chunk, first, LV(chunk_measure)(s, b, c, chunk, first));
    int limit = chunk_limit(b, c, chunk, c->largest[i]);
    if (top > limit) LV(measure_from)(s, b, c, i, chunk, limit + 1, first);
    c->tops[chunk] = 0;
}

/* Compares the column with the fronts of all subsets: measures at most one member of each, the one
   with the largest bound, and only if that is above what `guess` asks for. */
static void LV(look_at_fronts)(const code_store *s, const subset_chunks *b, chunk_column *c,
                               double guess) {
    const int64_t n = FRONT * b->n_subsets;
    lend_room(b, c, 0);
    for (int64_t first = 0; first < n; first += 64) {
        int64_t chunk = first / b->chunk, m = first % b->chunk;
        if (m == 0) {
            LV(look_at_chunk)(b, c, chunk);
            c->n_read += b->sizes[chunk];
        }
        int least = chunk_limit(b, c, chunk, guess) + b->slack + 1;
        uint64_t found = LV(bounds_from)(c->bounds + m, least);
        if (n - first < 64) found &= (UINT64_C(1) << (n - first)) - 1;
        while (found) {
            int64_t start = lowest_bit(found) / FRONT * FRONT, top = m + start;
            found &= ~(((UINT64_C(1) << FRONT) - 1) << start);
            for (int64_t k = top + 1; k < m + start + FRONT; k++)
                top = c->bounds[k] > c->bounds[top] ? k : top;
            int64_t i = (first + start) / FRONT;
            LV(note_measure)(b, c, i, chunk, (int)top, LV(chunk_measure)(s, b, c, chunk, top));
        }
    }
}

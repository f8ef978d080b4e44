/* Comparison of a column with chunks of members, once per instruction set; see chunks.h. */
#include "bytes.h"

#undef ENSFS_SLICE_WORDS
#if ENSFS_LEVEL_NUMBER >= 1
typedef uint64_t LV(slice) __attribute__((vector_size(32), aligned(8), may_alias));
#define ENSFS_SLICE_WORDS 4
#else
typedef uint64_t LV(slice);
#define ENSFS_SLICE_WORDS 1
#endif

#define ENSFS_SLICE LV(slice)
#define ENSFS_SUM(name) LV(name)
#define ENSFS_SUM_ROW(k) (*(const ENSFS_SLICE *)(from + row[k]))
#define ENSFS_TERNARY(a, b, c, table) \
    ((ENSFS_SLICE)_mm256_ternarylogic_epi64((__m256i)(a), (__m256i)(b), (__m256i)(c), table))
#include "bit_sums.h"

#if ENSFS_LEVEL_NUMBER >= 2
/* Two lists of equal length side by side, the second just behind the first. */
typedef uint64_t LV(wide_slice) __attribute__((vector_size(64), aligned(8), may_alias));
#define ENSFS_SLICE LV(wide_slice)
#define ENSFS_SUM(name) LV(wide_##name)
#define ENSFS_SUM_ROW(k) \
    (ENSFS_SLICE) _mm512_inserti64x4( \
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(from + row[k]))), \
        _mm256_loadu_si256((const __m256i *)(from + row[n_rows + k])), 1)
#define ENSFS_TERNARY(a, b, c, table) \
    ((ENSFS_SLICE)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), (__m512i)(c), table))
#include "bit_sums.h"

/* How many rows of each list each of 256 slots has: bytes out (2, 256). */
ENSFS_INLINE void LV(count_two_lists)(const uint64_t *bits, const uint16_t *rows, int64_t n_rows,
                                      const int n_slices, uint8_t *out) {
    LV(wide_slice) s[8];
    LV(wide_count_slice)(bits, rows, n_rows, n_slices, s);
#define ENSFS_STORE(k) \
    _mm256_storeu_si256((__m256i *)(out + 32 * k), _mm512_castsi512_si256((__m512i)s[k])); \
    _mm256_storeu_si256((__m256i *)(out + ENSFS_SLOTS + 32 * k), \
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
    for (int w = 0; w < ENSFS_SLOTS / 64; w += ENSFS_SLICE_WORDS) {
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

/* Bounds of all members of a chunk in units, from the cells; the largest is returned. */
ENSFS_INLINE int LV(bound_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                 const int n_planes, const int n_banks, const int subtract_per_level,
                                 const int saturates) {
    const uint8_t *margins = b->margins + chunk * n_planes * ENSFS_CHUNK(n_planes);
    const uint8_t *excess = b->excess + chunk * 2 * ENSFS_CHUNK(n_planes);
    const uint8_t *cells = c->cells;
    uint8_t *bounds = c->bounds;
    const int size = b->sizes[chunk];
    const LV(bytes) full = LV(all_bytes)(255), beyond = LV(all_bytes)(16 * n_banks);
    LV(byte_table) tables[MAX_CHUNK_PLANES + 1];
    for (int i = 0; i <= n_planes; i++)
        tables[i] = LV(load_table)(b->tables + c->counts[i] * 16 * n_banks, n_banks);
    LV(bytes) top = LV(all_bytes)(0);
    for (int m = 0; m < size; m += ENSFS_BYTES) {
        LV(bytes) sum = LV(all_bytes)(0), most = sum, most_sum = sum, first[MAX_CHUNK_PLANES + 1];
        for (int j = 0; j < n_planes; j++)
            first[j + 1] = LV(load_bytes)(margins + j * ENSFS_CHUNK(n_planes) + m);
        for (int i = n_planes; i >= 0; i--) {
            LV(bytes) rest = LV(all_bytes)(c->counts[i]);
            for (int j = n_planes; j >= 0; j--) {
                LV(bytes) cell = rest; /* level 0 of the member has what the others leave */
                if (j) {
                    cell = first[j]; /* and so has level 0 of the column */
                    if (i)
                        cell = LV(load_bytes)(cells +
                                              ((i - 1) * n_planes + j - 1) * ENSFS_CHUNK(n_planes) + m);
                    first[j] = LV(subtract_bytes)(first[j], cell);
                    rest = LV(subtract_bytes)(rest, cell);
                }
                if (!saturates) most = LV(or_bytes)(most, cell); /* tables end at a power of two */
                sum = LV(add_up_to_255)(sum, LV(look_up)(&tables[i], n_banks, cell));
            }
            if (!subtract_per_level) continue;
            most_sum = LV(max_bytes)(most_sum, sum);
            sum = LV(subtract_to_0)(sum, LV(load_bytes)(excess + m));
        }
        if (!subtract_per_level) most_sum = sum;
        sum = LV(subtract_to_0)(sum, LV(load_bytes)(excess + ENSFS_CHUNK(n_planes) + m));
        /* nothing is known where a count has no entry or a sum was too large */
        if (!saturates) sum = LV(full_where)(sum, most, beyond);
        sum = LV(full_where)(sum, most_sum, full);
        if (size - m < ENSFS_BYTES) sum = LV(first_bytes)(sum, size - m);
        LV(store_bytes)(bounds + m, sum);
        top = LV(max_bytes)(top, sum);
    }
    return LV(largest_byte)(top);
}

/* Bit k of the result: bound k of 64 is at least `least`. */
ENSFS_INLINE uint64_t LV(bounds_from)(const uint8_t *bounds, int least) {
    uint64_t found = 0;
    for (int k = 0; k < 64; k += ENSFS_BYTES)
        found |= LV(at_least)(LV(load_bytes)(bounds + k), LV(all_bytes)(least)) << k;
    return found;
}

/* Counts the cells of the column with all members of a chunk. */
ENSFS_INLINE void LV(count_cells)(const subset_chunks *b, const chunk_column *c, int64_t chunk,
                                  const int n_planes) {
    const int n_slots = n_planes * ENSFS_CHUNK(n_planes);
    const uint64_t *bits = b->bits + chunk * (b->n_rows + 1) * (n_slots / 64);
#if ENSFS_LEVEL_NUMBER >= 2
    if (n_planes == 2) {
        if (c->n_rows[1] < 64)
            LV(count_two_lists)(bits, c->rows[1], c->n_rows[1], 6, c->cells);
        else
            LV(count_two_lists)(bits, c->rows[1], c->n_rows[1], 8, c->cells);
        return;
    }
#endif
    for (int i = 1; i <= n_planes; i++)
        for (int k = 0; k < n_slots; k += ENSFS_SLOTS) {
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
    const uint8_t *margins = b->margins + chunk * n_planes * ENSFS_CHUNK(n_planes) + m;
    for (int64_t j = 0; j < n_planes; j++) {
        first[j + 1] = margins[j * ENSFS_CHUNK(n_planes)];
        rest_of_member -= first[j + 1];
        levels += first[j + 1] > 0;
        entropy += s->klogk[first[j + 1]]; /* sooner than the store of all columns is read */
    }
    levels -= rest_of_member == 0;
    entropy += s->klogk[rest_of_member];
    for (int64_t i = n_planes; i >= 0; i--) {
        int64_t rest = c->counts[i];
        for (int64_t j = n_planes; j > 0; j--) {
            int64_t cell = first[j];
            if (i) cell = c->cells[((i - 1) * n_planes + j - 1) * ENSFS_CHUNK(n_planes) + m];
            first[j] -= cell;
            rest -= cell;
            joint += s->klogk[cell];
        }
        joint += s->klogk[rest];
    }
    return value_of_pair(s, &c->fixed, joint, entropy, levels, levels, c->n_levels);
}

static double LV(chunk_measure)(const code_store *s, const subset_chunks *b, const chunk_column *c,
                                int64_t chunk, int64_t m) {
    if (b->n_planes == 2) return LV(measure_member)(s, b, c, chunk, m, 2);
    return LV(measure_member)(s, b, c, chunk, m, (int)b->n_planes);
}

/* The two halves of a look, for the numbers of planes and banks at hand: counts, then bounds. */
static void LV(count_chunk)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
    if (b->n_planes == 2)
        LV(count_cells)(b, c, chunk, 2);
    else if (b->n_planes == 1)
        LV(count_cells)(b, c, chunk, 1);
    else
        LV(count_cells)(b, c, chunk, 3);
}

static int LV(largest_bound)(const subset_chunks *b, const chunk_column *c, int64_t chunk) {
#define ENSFS_BOUND(n_planes) \
    (b->n_banks == 4         ? LV(bound_chunk)(b, c, chunk, n_planes, 4, 1, 0) \
     : b->subtract_per_level ? LV(bound_chunk)(b, c, chunk, n_planes, 2, 1, 0) \
     : !c->saturates         ? LV(bound_chunk)(b, c, chunk, n_planes, 2, 0, 0) \
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
static void LV(look_at_once)(const code_store *s, const subset_chunks *b, chunk_column **c, int64_t n) {
    int tops[ENSFS_GROUP], limits[ENSFS_GROUP], likely[ENSFS_GROUP];
    int64_t chunks[ENSFS_GROUP], above[ENSFS_GROUP], n_above = 0;
    double values[ENSFS_GROUP];
    for (int64_t k = 0; k < n; k++) {
        chunks[k] = c[k]->at[c[k]->i];
        lend_workspace(b, c[k], k);
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
static void LV(measure_chunk)(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t i,
                              int64_t chunk) {
    lend_workspace(b, c, 0);
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
    const int64_t n = ENSFS_FRONT * b->n_subsets;
    lend_workspace(b, c, 0);
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
            int64_t start = lowest_bit(found) / ENSFS_FRONT * ENSFS_FRONT, top = m + start;
            found &= ~(((UINT64_C(1) << ENSFS_FRONT) - 1) << start);
            for (int64_t k = top + 1; k < m + start + ENSFS_FRONT; k++)
                top = c->bounds[k] > c->bounds[top] ? k : top;
            int64_t i = (first + start) / ENSFS_FRONT;
            LV(note_measure)(b, c, i, chunk, (int)top, LV(chunk_measure)(s, b, c, chunk, top));
        }
    }
}

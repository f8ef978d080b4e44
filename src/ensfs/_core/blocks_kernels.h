/* Comparison of a column with blocks of members, once per instruction set; see blocks.h. */
#include "singles.h"

#if ENSFS_LEVEL_NUMBER == 2
/* Bits of `count` planes of f in a plane of the members of a block, whose words lie side by side. */
ENSFS_INLINE void LV(count_planes)(const uint64_t *z, const uint64_t *f, const int count,
                                   const int64_t n_words, int32_t *cells, int64_t stride) {
    __m512i sum[4];
    for (int i = 0; i < count; i++) sum[i] = _mm512_setzero_si512();
    for (int64_t w = 0; w < n_words; w++) {
        const __m512i of_members = _mm512_loadu_si512(z + w * ENSFS_BLOCK);
        for (int i = 0; i < count; i++) {
            __m512i both = _mm512_and_si512(of_members, _mm512_set1_epi64((int64_t)f[i * n_words + w]));
            sum[i] = _mm512_add_epi64(sum[i], _mm512_popcnt_epi64(both));
        }
    }
    for (int i = 0; i < count; i++)
        _mm256_storeu_si256((__m256i *)(cells + i * stride), _mm512_cvtepi64_epi32(sum[i]));
}
#elif ENSFS_LEVEL_NUMBER == 1
/* Set bits of every byte, looked up half by half. */
ENSFS_INLINE __m256i LV(bits_of_bytes)(__m256i x) {
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    return _mm256_add_epi8(
        _mm256_shuffle_epi8(bits, _mm256_and_si256(x, half)),
        _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), half)));
}

/* The same as with AVX-512, by bytes: each has room for the bits of 31 words. */
ENSFS_INLINE void LV(count_planes)(const uint64_t *z, const uint64_t *f, const int count,
                                   const int64_t n_words, int32_t *cells, int64_t stride) {
    __m256i sum[4][2];
    int64_t counts[ENSFS_BLOCK];
    for (int i = 0; i < count; i++) sum[i][0] = sum[i][1] = _mm256_setzero_si256();
    for (int64_t start = 0; start < n_words; start += 31) {
        const int64_t stop = start + 31 < n_words ? start + 31 : n_words;
        __m256i bytes[4][2];
        for (int i = 0; i < count; i++) bytes[i][0] = bytes[i][1] = _mm256_setzero_si256();
        for (int64_t w = start; w < stop; w++)
            for (int half = 0; half < 2; half++) {
                const __m256i *at = (const __m256i *)(z + w * ENSFS_BLOCK) + half;
                const __m256i of_members = _mm256_loadu_si256(at);
                for (int i = 0; i < count; i++) {
                    __m256i of_f = _mm256_set1_epi64x((int64_t)f[i * n_words + w]);
                    bytes[i][half] = _mm256_add_epi8(
                        bytes[i][half], LV(bits_of_bytes)(_mm256_and_si256(of_members, of_f)));
                }
            }
        for (int i = 0; i < count; i++)
            for (int half = 0; half < 2; half++)
                sum[i][half] = _mm256_add_epi64(
                    sum[i][half], _mm256_sad_epu8(bytes[i][half], _mm256_setzero_si256()));
    }
    for (int i = 0; i < count; i++) {
        _mm256_storeu_si256((__m256i *)counts, sum[i][0]);
        _mm256_storeu_si256((__m256i *)(counts + 4), sum[i][1]);
        for (int k = 0; k < ENSFS_BLOCK; k++) cells[i * stride + k] = (int32_t)counts[k];
    }
}
#endif

/* Rows that the levels 1, 2, ... of the column at hand share with those of the members of a block:
   cells (planes of f, planes of z, 8). */
ENSFS_INLINE void LV(count_block)(const uint64_t *z, const uint64_t *f, const int64_t planes_z,
                                  const int64_t planes_f, const int64_t n_words, int32_t *cells) {
#if ENSFS_LEVEL_NUMBER > 0 /* counts the bits of all members at once */
    const int64_t stride = planes_z * ENSFS_BLOCK;
    for (int64_t i = 0; i < planes_f; i += 4)
        for (int64_t j = 0; j < planes_z; j++) {
            const uint64_t *of_z = z + j * n_words * ENSFS_BLOCK, *of_f = f + i * n_words;
            int32_t *to = cells + i * stride + j * ENSFS_BLOCK;
            if (planes_f - i >= 4)
                LV(count_planes)(of_z, of_f, 4, n_words, to, stride);
            else if (planes_f - i == 3)
                LV(count_planes)(of_z, of_f, 3, n_words, to, stride);
            else if (planes_f - i == 2)
                LV(count_planes)(of_z, of_f, 2, n_words, to, stride);
            else
                LV(count_planes)(of_z, of_f, 1, n_words, to, stride);
        }
#else
    for (int64_t k = 0; k < ENSFS_BLOCK; k++)
        for (int64_t i = 0; i < planes_f; i++)
            for (int64_t j = 0; j < planes_z; j++) {
                int64_t count = 0;
                for (int64_t w = 0; w < n_words; w++)
                    count += LV(popcount)(z[(j * n_words + w) * ENSFS_BLOCK + k] & f[i * n_words + w]);
                cells[(i * planes_z + j) * ENSFS_BLOCK + k] = (int32_t)count;
            }
#endif
}

/* A bound on n times the information (in nats) of one cell that holds o rows where e are expected:
   with u = (o - e) / e, e ((1 + u) log(1 + u) - u) <= e (u^2 / 2 - u^3 / 6 + u^4 / 3) for u >= -1. */
ENSFS_INLINE LV(singles) LV(cell_bound)(LV(singles) o, LV(singles) e, LV(singles) inverse_e) {
    LV(singles) d = o - e, u = d * inverse_e;
    return d * u * ((u * (1.0f / 3.0f) - 1.0f / 6.0f) * u + 0.5f);
}

/* Bounds on the symmetrical uncertainty of the column at hand with the members of a block. They take
   no logarithms, and float32 with some slack for its rounding: a bound must not be too small. */
ENSFS_INLINE void LV(block_bounds)(const subset_blocks *b, int64_t block, const int64_t n_planes,
                                   const int64_t planes_z, const int64_t planes_f,
                                   const int64_t n_words, int32_t *cells, float *bounds) {
    LV(count_block)(b->planes + block * n_planes * n_words * ENSFS_BLOCK, b->column_planes, planes_z,
                    planes_f, n_words, cells);
    for (int64_t k = 0; k < ENSFS_BLOCK; k += ENSFS_SINGLES) {
        const float *margin = b->margins + block * (n_planes + 1) * ENSFS_BLOCK + k;
        const float *inverse = b->inverses + block * (n_planes + 1) * ENSFS_BLOCK + k;
        LV(singles) first[MAX_BLOCK_PLANES + 1]; /* level 0 of the column has what the others leave */
        LV(singles) sum = (LV(singles)){0} + b->slack;
        for (int64_t j = 0; j <= planes_z; j++) first[j] = LV(load_singles)(margin + j * ENSFS_BLOCK);
        for (int64_t i = planes_f; i >= 0; i--) {
            const float share = b->column_shares[i], of_share = b->column_inverses[i];
            LV(singles) rest = (LV(singles)){0} + b->column_margins[i];
            for (int64_t j = planes_z; j >= 0; j--) {
                LV(singles) cell = first[j];
                if (i && j)
                    cell = LV(load_counts)(cells + ((i - 1) * planes_z + j - 1) * ENSFS_BLOCK + k);
                if (i && !j) cell = rest;
                rest -= cell;
                first[j] -= cell;
                sum += LV(cell_bound)(cell, LV(load_singles)(margin + j * ENSFS_BLOCK) * share,
                                      LV(load_singles)(inverse + j * ENSFS_BLOCK) * of_share);
            }
        }
        LV(store_singles)(
            bounds + k, sum / (LV(load_singles)(b->halves + block * ENSFS_BLOCK + k) + b->column_half));
    }
}

/* The measure of the column at hand with a member of a block, from the cells. */
static double LV(member_measure)(const code_store *s, const subset_blocks *b, int64_t block, int64_t k,
                                 const int32_t *cells) {
    int64_t inner[MAX_BLOCK_PLANES * MAX_BLOCK_PLANES], n_planes = b->n_planes;
    int64_t levels_f = 0, levels_g = 0;
    /* level 0 is always there, which compilers cannot see */
    int32_t of_column[MAX_BLOCK_PLANES + 1] = {0}, of_member[MAX_BLOCK_PLANES + 1] = {0};
    const int64_t planes_f = b->column_widest, planes_z = b->widest[block];
    for (int64_t c = 0; c < planes_f * planes_z; c++) inner[c] = cells[c * ENSFS_BLOCK + k];
    for (int64_t l = 0; l <= n_planes; l++) {
        of_column[l] = (int32_t)b->column_margins[l];
        of_member[l] = (int32_t)b->margins[(block * (n_planes + 1) + l) * ENSFS_BLOCK + k];
        levels_f += of_column[l] > 0;
        levels_g += of_member[l] > 0;
    }
    int64_t joint = joint_from_inner(inner, planes_f, planes_z, of_column, of_member, s->klogk);
    return value_of_pair(s, s->fixed, joint, b->entropies[block * ENSFS_BLOCK + k], levels_g, levels_g,
                         levels_f);
}

/* Bounds on the measure of the column at hand with the members of a block; 1 without planes. */
static void LV(bound_members)(const code_store *s, const subset_blocks *b, int64_t block,
                              int32_t *cells, float *bounds) {
    if (b->n_planes == 2 && s->n_words == 1)
        LV(block_bounds)(b, block, 2, 2, 2, 1, cells, bounds);
    else if (b->n_planes == 2 && s->n_words == 2)
        LV(block_bounds)(b, block, 2, 2, 2, 2, cells, bounds);
    else if (b->n_planes == 2)
        LV(block_bounds)(b, block, 2, 2, 2, s->n_words, cells, bounds);
    else if (b->n_planes == 1)
        LV(block_bounds)(b, block, 1, 1, 1, s->n_words, cells, bounds);
    else if (b->n_planes)
        LV(block_bounds)(b, block, b->n_planes, b->widest[block], b->column_widest, s->n_words, cells,
                         bounds);
    else
        for (int k = 0; k < ENSFS_BLOCK; k++) bounds[k] = 1.0f;
}

/* Goes on through the members of subset i until one has a measure with column f (the column at hand)
   above `stop`, or none is left. In a block the largest bound comes first, and the rest often needs
   no look. Of equal measures of columns with more than four levels the first of the block is kept, as
   where members are measured one by one. The block of a member above `stop` comes to the front of its
   list: it is likely to be there for the next columns too. */
static void LV(compare_further)(const code_store *s, int64_t f, subset_blocks *b, int64_t i,
                                double stop) {
    int32_t cells[MAX_BLOCK_PLANES * MAX_BLOCK_PLANES * ENSFS_BLOCK];
    int32_t at = b->at[i], before = b->before[i], *next = b->next;
    double largest = b->largest[i];
    float bounds[ENSFS_BLOCK];
    while (at >= 0 && largest <= stop) {
        const int32_t *member = b->members + at * ENSFS_BLOCK;
        LV(bound_members)(s, b, at, cells, bounds);
        b->n_read += b->sizes[at];
        for (int closest = -1;;) {
            int top = 0;
            for (int k = 1; k < b->sizes[at]; k++)
                if (bounds[k] > bounds[top]) top = k;
            if (bounds[top] <= largest) break;
            bounds[top] = -1.0f;
            double value = b->n_planes ? LV(member_measure)(s, b, at, top, cells)
                                       : LV(pair_measure)((void *)s, member[top], f, 0);
            if (value > largest || (value == largest && top < closest)) {
                largest = value;
                closest = b->n_planes > FIXED_PLANES ? top : -1;
                b->nearest[i] = member[top];
            }
        }
        int32_t following = next[at];
        if (largest > stop && before >= 0) {
            next[before] = following;
            next[at] = b->head[i];
            b->head[i] = at;
        } else {
            before = at;
        }
        at = following;
    }
    b->at[i] = at;
    b->before[i] = before;
    b->largest[i] = largest;
}

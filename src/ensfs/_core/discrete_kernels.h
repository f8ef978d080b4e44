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

/* Bit i of plane k is set where codes[i] == k + 1; n_words * 64 codes are read, once. Planes are `stride`
   words apart. */
static void LV(planes)(const uint8_t *codes, int64_t n_words, int64_t n_planes, uint64_t *out,
                       int64_t stride) {
    for (int64_t w = 0; w < n_words; w++, codes += 64, out++) {
#if ENSFS_LEVEL_NUMBER == 2
        __m512i x = _mm512_loadu_si512((const void *)codes);
        for (int64_t k = 0; k < n_planes; k++)
            out[k * stride] = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8((char)(k + 1)));
#elif ENSFS_LEVEL_NUMBER == 1
        __m256i low = _mm256_loadu_si256((const __m256i *)codes);
        __m256i high = _mm256_loadu_si256((const __m256i *)(codes + 32));
        for (int64_t k = 0; k < n_planes; k++) {
            __m256i level = _mm256_set1_epi8((char)(k + 1));
            uint64_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, level));
            uint64_t b = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, level));
            out[k * stride] = a | (b << 32);
        }
#else
        for (int64_t k = 0; k < n_planes; k++) {
            uint64_t word = 0;
            for (int i = 0; i < 64; i++) word |= (uint64_t)(codes[i] == k + 1) << i;
            out[k * stride] = word;
        }
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
            sum = _mm512_add_epi64(
                sum, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_loadu_si512((const void *)(a + w)),
                                                          _mm512_loadu_si512((const void *)(b + w)))));
        if (w < n_words) {
            __mmask8 rest = (__mmask8)((1u << (n_words - w)) - 1);
            sum = _mm512_add_epi64(
                sum, _mm512_popcnt_epi64(_mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + w),
                                                          _mm512_maskz_loadu_epi64(rest, b + w))));
        }
        return _mm512_reduce_add_epi64(sum);
    }
#endif
    for (; w < n_words; w++) total += LV(popcount)(a[w] & b[w]);
    return total;
}

/* Sum of klogk over the cells of column f and the target at b; numbers of levels below 8 that are known
   to the compiler unroll everything. */
ENSFS_INLINE int64_t LV(joint_by_planes)(const code_store *s, int64_t f, int64_t g, const uint64_t *b,
                                         const int64_t n_a, const int64_t n_b) {
    int64_t inner[(MAX_PLANE_LEVELS - 1) * (MAX_PLANE_LEVELS - 1)], n_words = s->n_words;
    const uint64_t *a = s->planes + s->plane_start[f] * n_words;
    if (n_words <= 4) {
        for (int64_t i = 0; i < n_a; i++)
            for (int64_t j = 0; j < n_b; j++) {
                int64_t count = 0;
                for (int64_t w = 0; w < n_words; w++)
                    count += LV(popcount)(a[i * n_words + w] & b[j * n_words + w]);
                inner[i * n_b + j] = count;
            }
    } else {
        for (int64_t i = 0; i < n_a; i++)
            for (int64_t j = 0; j < n_b; j++)
                inner[i * n_b + j] = LV(and_count)(a + i * n_words, b + j * n_words, n_words);
    }
    return joint_from_inner(inner, n_a, n_b, column_margin(s, f), column_margin(s, g), s->klogk);
}

/* The measure of column f with column g, which is the target at a place. */
ENSFS_INLINE double LV(measure_pair)(const code_store *s, int64_t f, int64_t g, int64_t place) {
    const uint64_t *b = s->targets + place * s->target_stride;
    int64_t n_a = n_levels(s, f) - 1, n_b = n_levels(s, g) - 1, joint;
    if (n_a >= s->plane_levels || n_b >= s->plane_levels)
        joint = joint_by_codes(s, f, g, -1);
    else if (n_a == 1 && n_b == 1)
        joint = LV(joint_by_planes)(s, f, g, b, 1, 1);
    else if (n_a == 2 && n_b == 2)
        joint = LV(joint_by_planes)(s, f, g, b, 2, 2);
    else if (n_a == 3 && n_b == 3)
        joint = LV(joint_by_planes)(s, f, g, b, 3, 3);
    else
        joint = LV(joint_by_planes)(s, f, g, b, n_a, n_b);
    return value_of_pair(s, s->fixed + place, joint, s->entropy[f], s->observed[f], n_a + 1, n_b + 1);
}

/* The measure of columns f and g and of y together from planes; g is the target at a place. The cells
   of f and y are counted only if the measure uses them, which the compiler knows. */
ENSFS_INLINE double LV(triple_by_planes)(const code_store *s, int64_t f, int64_t g, int64_t place,
                                         const int uses_fy) {
    int64_t levels_f = n_levels(s, f), n_classes = n_levels(s, s->n_columns - 1);
    int64_t fgy = 0, fg = 0, fy = 0;
    int64_t in_class[MAX_PLANE_LEVELS * MAX_PLANE_LEVELS]; /* rows by class and level of f */
    const uint64_t *a = s->planes + s->plane_start[f] * s->n_words;
    const uint64_t *b = s->targets + place * s->target_stride;
    const int32_t *cells = s->cells + place * MAX_PLANE_LEVELS * MAX_PLANE_LEVELS;
    if (uses_fy) memset(in_class, 0, (size_t)(n_classes * levels_f) * sizeof(int64_t));
    for (int64_t l = 0; l < n_levels(s, g); l++) {
        int64_t in_level[MAX_PLANE_LEVELS] = {0}; /* rows with level l of g, by level of f */
        for (int64_t c = 0; c < n_classes; c++, b += s->n_words, cells++) {
            int64_t rest = *cells;
            if (rest == 0) continue;
            for (int64_t i = 1; i < levels_f; i++) {
                int64_t count = LV(and_count)(a + (i - 1) * s->n_words, b, s->n_words);
                fgy += s->klogk[count];
                in_level[i] += count;
                if (uses_fy) in_class[c * levels_f + i] += count;
                rest -= count;
            }
            fgy += s->klogk[rest];
            in_level[0] += rest;
            if (uses_fy) in_class[c * levels_f] += rest;
        }
        for (int64_t i = 0; i < levels_f; i++) fg += s->klogk[in_level[i]];
    }
    for (int64_t k = 0; uses_fy && k < n_classes * levels_f; k++) fy += s->klogk[in_class[k]];
    return value_of_triple(s, s->fixed + place, f, g, fg, fy, fgy, uses_fy);
}

/* The measure of column f, column g (the target at a place) and y together. */
ENSFS_INLINE double LV(measure_triple)(const code_store *s, int64_t f, int64_t g, int64_t place) {
    int64_t y = s->n_columns - 1;
    int uses_fy = s->measure->uses_fy;
    if (!has_planes(s, f) || !has_planes(s, g) || !has_planes(s, y))
        return value_of_triple(s, s->fixed + place, f, g, joint_by_codes(s, f, g, -1),
                               uses_fy ? joint_by_codes(s, f, y, -1) : 0, joint_by_codes(s, f, g, y),
                               uses_fy);
    return uses_fy ? LV(triple_by_planes)(s, f, g, place, 1) : LV(triple_by_planes)(s, f, g, place, 0);
}

/* The same for a search, which has them as a pair_function. */
static double LV(pair_measure)(void *context, int64_t f, int64_t g, int64_t place) {
    return LV(measure_pair)((const code_store *)context, f, g, place);
}

static double LV(triple_measure)(void *context, int64_t f, int64_t g, int64_t place) {
    return LV(measure_triple)((const code_store *)context, f, g, place);
}

/* The measure of columns of bytes, as many as are counted together from f on, with column g, which is the
   target at place 0. Gives their number: 0 if they have too many cells. */
static int64_t LV(measure_group)(const code_store *s, int64_t g, int64_t f, int64_t stop, double *out) {
    int64_t joint[GROUP_COLUMNS], m = LV(group_size)(s, f, stop, g);
    int32_t n_cells[GROUP_COLUMNS];
    if (m) LV(count_group)(s, f, m, g, joint, n_cells);
    for (int64_t j = 0; j < m; j++)
        out[j] = value_of_pair(s, s->fixed, joint[j], s->entropy[f + j], s->observed[f + j],
                               n_levels(s, f + j), n_levels(s, g));
    return m;
}

/* The measure of the columns from start to stop with column g, which is the target at place 0. */
static void LV(measure_columns)(const code_store *s, int64_t g, int64_t start, int64_t stop,
                                double *out) {
    int64_t f = start;
    if (s->measure->uses_target) {
        for (; f < stop; f++) *out++ = LV(measure_triple)(s, f, g, 0);
        return;
    }
    while (f < stop) {
        int64_t m = 0, by_codes = !has_planes(s, f) || !has_planes(s, g);
        if (by_codes && counts_groups(s)) m = LV(measure_group)(s, g, f, stop, out);
        if (m == 0) *out = LV(measure_pair)(s, f, g, 0), m = 1;
        f += m;
        out += m;
    }
}

/* Removes those of the columns from start to stop of a list whose measure with column g, the target at
   place 0, is not below their relevance. The others move up behind the first n_stay of the list, which
   stay already; returns how many stay now. */
static int64_t LV(remove_columns)(const code_store *s, int64_t g, int64_t *columns, int64_t start,
                                  int64_t stop, int64_t n_stay, const double *relevance,
                                  double tolerance, int64_t *removed_by) {
    for (int64_t i = start; i < stop; i++) {
        int64_t f = columns[i];
        if (LV(measure_pair)(s, f, g, 0) >= relevance[f] - tolerance)
            removed_by[f] = g;
        else
            columns[n_stay++] = f;
    }
    return n_stay;
}

/* Rows that two planes share in each fold, a fold being a number of whole words. */
static int64_t LV(fold_counts)(const uint64_t *a, const uint64_t *b, int64_t n_folds, int64_t words,
                               int64_t *counts) {
    int64_t total = 0, t = 0;
#if ENSFS_LEVEL_NUMBER == 2
    if (words == 1) {
        __m512i sum = _mm512_setzero_si512();
        for (; t + 8 <= n_folds; t += 8) {
            __m512i c = _mm512_popcnt_epi64(_mm512_and_si512(
                _mm512_loadu_si512((const void *)(a + t)), _mm512_loadu_si512((const void *)(b + t))));
            _mm512_storeu_si512((void *)(counts + t), c);
            sum = _mm512_add_epi64(sum, c);
        }
        total = _mm512_reduce_add_epi64(sum);
    }
#endif
    for (; t < n_folds; t++) {
        int64_t count = 0;
        for (int64_t w = t * words; w < (t + 1) * words; w++) count += LV(popcount)(a[w] & b[w]);
        counts[t] = count;
        total += count;
    }
    return total;
}

/* Sums of klogk over the cells of columns f and g in some parts, each all rows but those of one fold.
   The cells are counted once, fold by fold, for all parts. Without a list the parts are 0, 1, ... */
ENSFS_INLINE void LV(joint_of_parts)(const fold_store *s, int64_t f, int64_t g, const int64_t *part,
                                     int64_t n_parts, int64_t *joint) {
    int64_t e = s->n_folds, n_a = fold_planes(s, f), n_b = fold_planes(s, g);
    int64_t counts[MAX_PARTS], corner[MAX_PARTS], rest[MAX_PARTS];
    int64_t rest_b[MAX_PLANE_LEVELS][MAX_PARTS];
    const uint64_t *a = s->planes + s->plane_start[f] * s->n_words;
    const uint64_t *b = s->planes + s->plane_start[g] * s->n_words;
    const int32_t *margin_f = s->margins + (s->plane_start[f] + f) * e;
    const int32_t *margin_g = s->margins + (s->plane_start[g] + g) * e;
#define ENSFS_AT(k) (part ? part[k] : k)
    for (int64_t k = 0; k < n_parts; k++) joint[k] = 0, corner[k] = margin_f[ENSFS_AT(k)];
    for (int64_t j = 0; j < n_b; j++)
        for (int64_t k = 0; k < n_parts; k++) rest_b[j][k] = margin_g[(j + 1) * e + ENSFS_AT(k)];
    for (int64_t i = 0; i < n_a; i++) {
        for (int64_t k = 0; k < n_parts; k++) rest[k] = margin_f[(i + 1) * e + ENSFS_AT(k)];
        for (int64_t j = 0; j < n_b; j++) {
            int64_t total =
                LV(fold_counts)(a + i * s->n_words, b + j * s->n_words, e, s->fold_words, counts);
            for (int64_t k = 0; k < n_parts; k++) {
                int64_t c = total - counts[ENSFS_AT(k)];
                joint[k] += s->klogk[c];
                rest[k] -= c;
                rest_b[j][k] -= c;
            }
        }
        for (int64_t k = 0; k < n_parts; k++) joint[k] += s->klogk[rest[k]];
    }
    for (int64_t j = 0; j < n_b; j++)
        for (int64_t k = 0; k < n_parts; k++) {
            joint[k] += s->klogk[rest_b[j][k]];
            corner[k] -= rest_b[j][k];
        }
    for (int64_t k = 0; k < n_parts; k++) joint[k] += s->klogk[corner[k]];
#undef ENSFS_AT
}

/* The measure of columns f and g in each part; out[t] is set where bit t of `wanted` is. `fixed` is
   what the measure has of g in each part: see fix_parts. */
static void LV(measure_parts)(const fold_store *s, int64_t f, int64_t g, const fixed_sums *fixed,
                              uint64_t wanted, double *out) {
    int64_t joint[MAX_PARTS], part[MAX_PARTS], e = s->n_folds, n_parts = 0;
    int64_t levels_f = fold_planes(s, f) + 1, levels_g = fold_planes(s, g) + 1;
    const int64_t *sum_f = s->entropy + f * e, cells = levels_f * levels_g,
                  levels = levels_f + levels_g;
    for (int64_t t = 0; t < e; t++) {
        part[n_parts] = t;
        n_parts += wanted >> t & 1;
    }
    if (n_parts == e)
        LV(joint_of_parts)(s, f, g, NULL, e, joint);
    else
        LV(joint_of_parts)(s, f, g, part, n_parts, joint);
    for (int64_t k = 0; k < n_parts; k++) {
        int64_t t = part[k];
        row_terms terms = {s->observed[f * e + t], s->chance, rounding(s->n_part[t], cells, levels)};
        out[t] = measure_value(s->measure, fixed + t, sum_f[t], joint[k], 0, 0, terms, s->units + t);
    }
}

/* Scores of all columns, once per instruction set. */

/* The score for a sum of `1 / inverse_count` redundancies; with a part of them missing from the sum
   it is an upper bound, since no redundancy is negative. */
static inline double LV(mrmr_score)(double relevance, double redundancy_sum, double inverse_count,
                                    int scheme) {
    double mean = redundancy_sum * inverse_count;
    if (scheme == SCHEME_DIFFERENCE) return relevance - mean;
    double quotient = relevance / mean;
    if (!(mean > 0.0)) quotient = inverse_count == 0.0 ? relevance : INFINITY;
    return relevance > 0.0 ? quotient : relevance;
}

/* Adds `values` to the sums (if given), scores every column, and gives the largest score of the
   columns that are not taken; taken ones score -inf. */
static double LV(score_columns)(int64_t p, const double *restrict relevance,
                                const double *restrict values, double *restrict sums,
                                const int32_t *restrict taken, double inverse_count, int scheme,
                                double *restrict scores) {
    double lane[8], best = -INFINITY;
    if (values)
        for (int64_t f = 0; f < p; f++) sums[f] += values[f];
    if (scheme == SCHEME_DIFFERENCE)
        for (int64_t f = 0; f < p; f++) {
            double s = LV(mrmr_score)(relevance[f], sums[f], inverse_count, SCHEME_DIFFERENCE);
            scores[f] = taken[f] < 0 ? -INFINITY : s;
        }
    else
        for (int64_t f = 0; f < p; f++) {
            double s = LV(mrmr_score)(relevance[f], sums[f], inverse_count, SCHEME_QUOTIENT);
            scores[f] = taken[f] < 0 ? -INFINITY : s;
        }
    for (int k = 0; k < 8; k++) lane[k] = -INFINITY;
    int64_t f = 0;
    for (; f + 8 <= p; f += 8)
        for (int k = 0; k < 8; k++) lane[k] = scores[f + k] > lane[k] ? scores[f + k] : lane[k];
    for (; f < p; f++) best = scores[f] > best ? scores[f] : best;
    for (int k = 0; k < 8; k++) best = lane[k] > best ? lane[k] : best;
    return best;
}

/* Columns whose bound reaches `cut`, in order of index. Returns how many. */
static int64_t LV(reaching)(int64_t p, const double *bounds, double cut, int64_t *out) {
    int64_t n = 0, f = 0;
#if ENSFS_LEVEL_NUMBER == 2
    __m512d cut8 = _mm512_set1_pd(cut);
    for (; f + 8 <= p; f += 8) {
        unsigned hits = _mm512_cmp_pd_mask(_mm512_loadu_pd(bounds + f), cut8, _CMP_GE_OQ);
        for (; hits; hits &= hits - 1) out[n++] = f + __builtin_ctz(hits);
    }
#elif ENSFS_LEVEL_NUMBER == 1
    __m256d cut4 = _mm256_set1_pd(cut);
    for (; f + 4 <= p; f += 4) {
        unsigned hits = (unsigned)_mm256_movemask_pd(
            _mm256_cmp_pd(_mm256_loadu_pd(bounds + f), cut4, _CMP_GE_OQ));
        for (; hits; hits &= hits - 1) out[n++] = f + __builtin_ctz(hits);
    }
#endif
    for (; f < p; f++)
        if (bounds[f] >= cut) out[n++] = f;
    return n;
}

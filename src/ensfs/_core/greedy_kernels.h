/* Scores of all columns, once per instruction set. */

/* The score of a column from its terms (their sum, or the least of them). With terms missing it is an
   upper bound, since redundancies are not negative and a minimum only falls. */
ENSFS_INLINE double LV(column_score)(double relevance, double terms, double inverse_count,
                                     int scheme) {
    double mean = terms * inverse_count;
    if (scheme == SCHEME_DIFFERENCE) return relevance - mean;
    if (scheme == SCHEME_QUOTIENT) {
        double quotient = relevance / mean;
        if (!(mean > 0.0)) quotient = inverse_count == 0.0 ? relevance : INFINITY;
        return relevance > 0.0 ? quotient : relevance;
    }
    return inverse_count == 0.0 || relevance == -INFINITY ? relevance : terms;
}

ENSFS_INLINE void LV(score_by)(int64_t p, const double *restrict relevance,
                               const double *restrict terms, const int32_t *restrict taken,
                               double inverse_count, const int scheme, double *restrict scores) {
    for (int64_t f = 0; f < p; f++) {
        double s = LV(column_score)(relevance[f], terms[f], inverse_count, scheme);
        scores[f] = taken[f] < 0 ? -INFINITY : s;
    }
}

/* Joins `values` to the terms (if given), scores every column, and gives the largest score of the
   columns that are not taken; taken ones score -inf. */
static double LV(score_columns)(int64_t p, const double *restrict relevance,
                                const double *restrict values, double *restrict terms,
                                const int32_t *restrict taken, double inverse_count, int scheme,
                                double *restrict scores) {
    double lane[8], best = -INFINITY;
    if (values && scheme == SCHEME_MINIMUM)
        for (int64_t f = 0; f < p; f++) terms[f] = values[f] < terms[f] ? values[f] : terms[f];
    else if (values)
        for (int64_t f = 0; f < p; f++) terms[f] += values[f];
    if (scheme == SCHEME_QUOTIENT)
        LV(score_by)(p, relevance, terms, taken, inverse_count, SCHEME_QUOTIENT, scores);
    else if (scheme == SCHEME_DIFFERENCE)
        LV(score_by)(p, relevance, terms, taken, inverse_count, SCHEME_DIFFERENCE, scores);
    else
        LV(score_by)(p, relevance, terms, taken, inverse_count, SCHEME_MINIMUM, scores);
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

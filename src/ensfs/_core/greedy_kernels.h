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

/* Columns whose bound reaches `cut`, in order of index. Returns how many. Sixteen columns without a
   hit are passed over; where there are hits, nothing is left to guess for the branch prediction. */
static int64_t LV(reaching)(int64_t p, const double *bounds, double cut, int64_t *out) {
    int64_t n = 0;
    for (int64_t f = 0; f < p; f += 16) {
        const int64_t end = f + 16 < p ? f + 16 : p;
        int hits = 0;
        if (end == f + 16)
            for (int k = 0; k < 16; k++) hits |= bounds[f + k] >= cut;
        if (end == f + 16 && !hits) continue;
        for (int64_t i = f; i < end; i++) {
            out[n] = i;
            n += bounds[i] >= cut;
        }
    }
    return n;
}

/* Scores of all columns, once per instruction set. */

/* The score of a column from its terms (their sum, or the least or largest of them) and their weight,
   which is 0 while there are none. With terms missing it is an upper bound, if terms are not negative
   or only the least counts. */
ENSFS_INLINE double LV(column_score)(double relevance, double terms, double weight, int criterion) {
    double weighted = terms * weight;
    if (criterion & CRITERION_DIFFERENCE) return relevance - weighted;
    if (criterion & CRITERION_QUOTIENT) {
        double quotient = relevance / weighted;
        if (!(weighted > 0.0)) quotient = weight == 0.0 ? relevance : INFINITY;
        return relevance > 0.0 ? quotient : relevance;
    }
    if (criterion & CRITERION_DISCOUNT) {
        double apart = 1.0 - weighted, left = apart * (1.0 + weighted);
        /* of a copy nothing is left but for rounding, of an infinite relevance too */
        double worth = apart > ENSFS_COPY_TOLERANCE ? relevance * (left * left) : 0.0;
        return relevance > 0.0 ? worth : relevance;
    }
    return weight == 0.0 || relevance == -INFINITY ? relevance : terms;
}

ENSFS_INLINE void LV(score_by)(int64_t p, const double *restrict relevance,
                               const double *restrict terms, const int32_t *restrict taken,
                               double weight, const int criterion, double *restrict scores) {
    for (int64_t f = 0; f < p; f++) {
        double s = LV(column_score)(relevance[f], terms[f], weight, criterion);
        scores[f] = taken[f] < 0 ? -INFINITY : s;
    }
}

/* Writes the largest of every ENSFS_BLOCK_OF_TOPS scores behind the last of them, at scores[p]; gives
   the largest of all. NaN is passed over. Lanes are compared side by side, which is vectorised. */
ENSFS_INLINE double LV(write_tops)(int64_t p, double *restrict scores) {
    double best = -INFINITY, *restrict tops = scores + p;
    for (int64_t f = 0; f < p; f += ENSFS_BLOCK_OF_TOPS) {
        double lane[8], top = -INFINITY;
        if (f + ENSFS_BLOCK_OF_TOPS <= p) {
            for (int k = 0; k < 8; k++) lane[k] = scores[f + k] > top ? scores[f + k] : top;
            for (int k = 0; k < 8; k++)
                lane[k] = scores[f + 8 + k] > lane[k] ? scores[f + 8 + k] : lane[k];
            for (int k = 0; k < 4; k++) lane[k] = lane[k] > lane[k + 4] ? lane[k] : lane[k + 4];
            for (int k = 0; k < 4; k++) top = lane[k] > top ? lane[k] : top;
        } else
            for (int64_t i = f; i < p; i++) top = scores[i] > top ? scores[i] : top;
        tops[f / ENSFS_BLOCK_OF_TOPS] = top;
        best = top > best ? top : best;
    }
    return best;
}

/* Joins `values` to the terms (if given), scores every column, and gives the largest score of the
   columns that are not taken; taken ones score -inf. `scores` has room for the tops. */
static double LV(score_columns)(int64_t p, const double *restrict relevance,
                                const double *restrict values, double *restrict terms,
                                const int32_t *restrict taken, double weight, int criterion,
                                double *restrict scores) {
    if (values && criterion & CRITERION_MINIMUM)
        for (int64_t f = 0; f < p; f++) terms[f] = values[f] < terms[f] ? values[f] : terms[f];
    else if (values && criterion & CRITERION_MAXIMUM)
        for (int64_t f = 0; f < p; f++) terms[f] = values[f] > terms[f] ? values[f] : terms[f];
    else if (values)
        for (int64_t f = 0; f < p; f++) terms[f] += values[f];
    if (criterion & CRITERION_QUOTIENT)
        LV(score_by)(p, relevance, terms, taken, weight, CRITERION_QUOTIENT, scores);
    else if (criterion & CRITERION_DIFFERENCE)
        LV(score_by)(p, relevance, terms, taken, weight, CRITERION_DIFFERENCE, scores);
    else if (criterion & CRITERION_DISCOUNT)
        LV(score_by)(p, relevance, terms, taken, weight, CRITERION_DISCOUNT, scores);
    else
        LV(score_by)(p, relevance, terms, taken, weight, 0, scores);
    return LV(write_tops)(p, scores);
}

/* Columns from start to stop (start at a block of tops) whose bound reaches `cut`, in order of
   index. Returns how many. Bounds may have fallen since their tops were written, not risen. Where
   there are hits, nothing is left to guess for the branch prediction. */
static int64_t LV(reaching)(int64_t p, const double *bounds, int64_t start, int64_t stop, double cut,
                            int64_t *out) {
    const double *tops = bounds + p;
    int64_t n = 0;
    for (int64_t f = start; f < stop; f += ENSFS_BLOCK_OF_TOPS) {
        if (!(tops[f / ENSFS_BLOCK_OF_TOPS] >= cut)) continue;
        const int64_t end = f + ENSFS_BLOCK_OF_TOPS < stop ? f + ENSFS_BLOCK_OF_TOPS : stop;
        for (int64_t i = f; i < end; i++) {
            out[n] = i;
            n += bounds[i] >= cut;
        }
    }
    return n;
}

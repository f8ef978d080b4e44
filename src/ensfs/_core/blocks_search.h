/* The search for the least redundant subset among blocks of members; see blocks.h. */
#ifndef ENSFS_BLOCKS_SEARCH_H
#define ENSFS_BLOCKS_SEARCH_H

/* Makes f the column at hand. */
static void take_column(code_store *s, subset_blocks *b, int64_t f) {
    int64_t levels = n_levels(s, f);
    const int32_t *margin = column_margin(s, f);
    set_target(s, 0, f);
    for (int64_t i = 0; i < b->n_subsets; i++) {
        b->at[i] = b->head[i];
        b->before[i] = b->nearest[i] = -1;
        b->largest[i] = 0.0;
    }
    if (b->n_planes == 0) return;
    size_t size = sizeof(uint64_t) * (size_t)s->n_words;
    memset(b->column_planes, 0, size * (size_t)b->n_planes);
    memcpy(b->column_planes, s->targets, size * (size_t)(levels - 1));
    for (int64_t l = 0; l <= b->n_planes; l++) {
        int32_t count = l < levels ? margin[l] : 0;
        b->column_margins[l] = (float)count;
        b->column_shares[l] = (float)count / (float)s->n;
        b->column_inverses[l] = count ? (float)s->n / (float)count : 0.0f;
    }
    b->column_widest = (int32_t)(b->n_planes > FIXED_PLANES ? levels - 1 : b->n_planes);
    b->column_entropy = s->entropy[f];
    b->column_half = (float)(0.5 * 0.69314718055994531 * (double)s->n *
                             ((double)(s->klogk[s->n] - s->entropy[f]) * s->scale));
    b->slack = 1e-5f * (float)s->n;
}

/* Adds the column at hand to a subset. */
static void add_member(const code_store *s, subset_blocks *b, int64_t i, int64_t f) {
    int32_t block = b->open[i];
    if (block < 0 || b->sizes[block] == ENSFS_BLOCK) {
        block = b->open[i] = (int32_t)b->n_blocks++;
        b->next[block] = b->head[i];
        b->head[i] = block;
        b->sizes[block] = b->widest[block] = 0;
    }
    int64_t k = b->sizes[block]++, at = block;
    b->members[at * ENSFS_BLOCK + k] = (int32_t)f;
    if (b->n_planes == 0) return;
    if (b->column_widest > b->widest[at]) b->widest[at] = b->column_widest;
    for (int64_t w = 0; w < b->n_planes * s->n_words; w++)
        b->planes[(at * b->n_planes * s->n_words + w) * ENSFS_BLOCK + k] = b->column_planes[w];
    for (int64_t l = 0; l <= b->n_planes; l++) {
        b->margins[(at * (b->n_planes + 1) + l) * ENSFS_BLOCK + k] = b->column_margins[l];
        b->inverses[(at * (b->n_planes + 1) + l) * ENSFS_BLOCK + k] =
            b->column_margins[l] > 0.0f ? 1.0f / b->column_margins[l] : 0.0f;
    }
    b->entropies[at * ENSFS_BLOCK + k] = b->column_entropy;
    b->halves[at * ENSFS_BLOCK + k] = b->column_half;
}

/* The subset whose closest member has the least measure with the column at hand; of equal ones the
   first. Best first: the subset with the least maximum so far is compared further, so the others are
   read only until they are out. What the last columns ended with is a guess of how far every subset
   has to go anyway: it saves changing between them, and alters nothing else. Ends early when no
   subset can stay below `limit`. */
static int64_t least_redundant(const code_store *s, subset_blocks *b, int64_t f, double limit) {
    int64_t best, n = b->n_subsets;
    double guess = b->guess < limit ? b->guess : limit;
    for (int64_t i = 0; i < n; i++) ENSFS_DISCRETE(compare_further)(s, f, b, i, guess);
    for (;;) {
        double second = limit;
        best = 0;
        for (int64_t i = 1; i < n; i++) {
            double value = b->largest[i];
            if (value < b->largest[best]) {
                if (b->largest[best] < second) second = b->largest[best];
                best = i;
            } else if (value < second) {
                second = value;
            }
        }
        if (b->largest[best] >= limit || b->at[best] < 0) break;
        ENSFS_DISCRETE(compare_further)(s, f, b, best, second);
    }
    b->guess += 0.1 * (0.8 * b->largest[best] - b->guess);
    double tied = b->largest[best] + ENSFS_TIE_TOLERANCE;
    for (int64_t i = 0; i < best && b->largest[best] < limit; i++) {
        ENSFS_DISCRETE(compare_further)(s, f, b, i, tied);
        if (b->largest[i] <= tied) return i;
    }
    return best;
}

#endif

/* The search for the least redundant subset among chunks of members; see chunks.h.

   Columns come in batches. Each looks ahead at the members before its batch, in any order and by any
   thread; then they find their subsets one after the other, and those that found one wait until the end
   of the batch for a place in a chunk. */
#ifndef ENSFS_CHUNKS_SEARCH_H
#define ENSFS_CHUNKS_SEARCH_H

/* n H of a column in bits. */
static double whole_entropy(const code_store *s, int64_t f) {
    return (double)s->n * (double)(s->klogk[s->n] - s->entropy[f]) * s->scale;
}

/* Makes f the column to compare: its levels by their counts, and the rows of all but the first. */
static void prepare_column(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t f) {
    uint16_t *rows = c->row_workspace;
    int64_t row_bytes = 8 * chunk_words(b);
    const int32_t *margin = column_margin(s, f);
    int64_t order[MAX_CHUNK_PLANES + 1], levels = n_levels(s, f);
    for (int64_t l = 0; l < levels; l++) { /* by decreasing count */
        int64_t at = l;
        for (; at > 0 && margin[order[at - 1]] < margin[l]; at--) order[at] = order[at - 1];
        order[at] = l;
    }
    c->saturates = 1;
    for (int64_t i = 0; i <= b->n_planes; i++) {
        int64_t count = i < levels ? margin[order[i]] : 0, k = 0;
        c->counts[i] = (uint8_t)count;
        c->saturates &= b->saturates[count];
        c->rows[i] = rows;
        c->n_rows[i] = 0;
        if (i == 0) continue;
        for (int64_t w = 0; count && w < s->n_words; w++)
            for (uint64_t left = level_word(s, f, order[i], w); left; left &= left - 1)
                rows[k++] = (uint16_t)((64 * w + lowest_bit(left)) * row_bytes);
        /* two lists that are counted at once are equally long: the first has more rows */
        int64_t least = i == 2 && b->n_planes == 2 && discrete_level == LEVEL_AVX512 ? c->n_rows[1] : 0;
        while (k < least || k % ROWS_AT_ONCE) rows[k++] = (uint16_t)(b->n_rows * row_bytes);
        c->n_rows[i] = k;
        rows += k;
    }
    c->f = f;
    c->n_levels = levels;
    c->fixed = fix_sums(s->measure, s->klogk[s->n], s->entropy[f], 0, 0, levels, 0);
    c->entropy = whole_entropy(s, f);
}

/* A chunk of subset i, whose chunks all were looked at, with members that may be above its largest
   measure: the one with the largest bound, or -1. */
static int64_t unmeasured(const subset_chunks *b, const chunk_column *c, int64_t i) {
    int64_t found = -1;
    for (int64_t k = b->first[i]; k >= 0; k = b->next[k])
        if (c->tops[k] > chunk_limit(b, c, k, c->largest[i]) &&
            (found < 0 || c->tops[k] > c->tops[found]))
            found = k;
    return found;
}

/* Makes the largest measure of column f with subset i, whose chunks all were looked at, exact. */
static void measure_rest(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t i,
                         int64_t f) {
    for (int64_t chunk; (chunk = unmeasured(b, c, i)) >= 0;) {
        if (c->f != f) prepare_column(s, b, c, f);
        ENSFS_DISCRETE(measure_chunk)(s, b, c, i, chunk);
    }
}

/* Compares column f with subset i until a member has a measure above `stop`: first with those that
   wait, unless `met` says that this was done, then with its chunks. If there is none, the largest
   measure is exact in the end. */
static void go_further(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t f,
                       uint8_t *met, int64_t i, double stop) {
    if (c->largest[i] > stop) return;
    if (!met[i]) {
        for (int64_t z = b->waiting[i]; z >= 0; z = b->waiting_next[z]) {
            double value = ENSFS_DISCRETE(pair_measure)((void *)s, z, f, 0);
            c->n_read += 1;
            if (value <= c->largest[i]) continue;
            c->largest[i] = value;
            c->nearest[i] = (int32_t)z;
        }
        met[i] = 1;
    }
    if (c->at[i] >= 0) {
        if (c->f != f) prepare_column(s, b, c, f);
        set_goal(b, c, i, stop);
        ENSFS_DISCRETE(look_further)(s, b, c);
    }
    if (c->largest[i] <= stop) measure_rest(s, b, c, i, f);
}

/* The subset with the least maximum so far, the first of equal ones. `second` becomes the next
   maximum, or the limit if that is less. Branch-free: these branches are
   unpredictable. */
static int64_t least_so_far(const subset_chunks *b, const chunk_column *c, double *second) {
    double least = c->largest[0], next = c->limit;
    for (int64_t i = 1; i < b->n_subsets; i++) {
        double value = c->largest[i], more = value > least ? value : least;
        least = value < least ? value : least;
        next = more < next ? more : next;
    }
    int64_t best = 0;
    while (c->largest[best] > least) best++;
    *second = next;
    return best;
}

/* The subset whose closest member has the least measure with column f; of equal ones the first. Best
   first: the subset with the least maximum so far is compared further, so the others are read only
   until they are out. Ends early when no subset can stay below the limit. */
static int64_t least_of_chunks(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t f,
                               uint8_t *met) {
    int64_t best;
    double second;
    do {
        best = least_so_far(b, c, &second);
        if (c->largest[best] >= c->limit) return best;
        go_further(s, b, c, f, met, best, second);
    } while (c->largest[best] > second);
    double tied = c->largest[best] + ENSFS_TIE_TOLERANCE;
    for (int64_t i = 0; i < best; i++) {
        go_further(s, b, c, f, met, i, tied);
        if (c->largest[i] <= tied) return i;
    }
    return best;
}

/* Makes the subset with the least maximum the one to look at, as least_of_chunks does. False if
   nothing more can be found out before it is known which members wait. */
static int choose_subset(const code_store *s, const subset_chunks *b, chunk_column *c) {
    double second;
    for (;;) {
        int64_t best = least_so_far(b, c, &second);
        if (c->largest[best] >= c->limit) return 0;
        if (c->at[best] >= 0) {
            set_goal(b, c, best, second);
            return 1;
        }
        measure_rest(s, b, c, best, c->f);
        if (c->largest[best] <= second) return 0;
    }
}

/* Compares some columns (at most ENSFS_GROUP) with the chunks of subset i, each up to `guess`, or to
   less if a subset before this one is known to be less redundant. They take turns, so that a chunk
   stays in the nearest cache. */
static void look_in_turn(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t n,
                         int64_t i, double guess) {
    chunk_column *left[ENSFS_GROUP];
    int64_t n_left = 0;
    for (int64_t k = 0; k < n; k++) {
        double stop = guess < c[k].least ? guess : c[k].least;
        if (c[k].largest[i] > stop) continue;
        set_goal(b, &c[k], i, stop);
        left[n_left++] = &c[k];
    }
    for (int64_t chunk = b->first[i]; chunk >= 0 && n_left; chunk = b->next[chunk]) {
        int64_t still = 0;
        ENSFS_DISCRETE(look_at_once)(s, b, left, n_left);
        for (int64_t k = 0; k < n_left; k++) {
            left[still] = left[k];
            still += left[k]->largest[i] <= left[k]->stop;
        }
        n_left = still;
    }
    for (int64_t k = 0; k < n_left; k++) {
        measure_rest(s, b, left[k], i, left[k]->f);
        if (left[k]->largest[i] < left[k]->least) left[k]->least = left[k]->largest[i];
    }
}

/* Compares some columns (at most ENSFS_BATCH) further, each with the subset that is the least redundant
   so far, until nothing more can be found out. Many are open at a time, so groups are full. */
static void look_on(const code_store *s, const subset_chunks *b, chunk_column *c, int64_t n) {
    chunk_column *open[ENSFS_BATCH];
    int64_t n_open = 0;
    for (int64_t k = 0; k < n; k++)
        if (choose_subset(s, b, &c[k])) open[n_open++] = &c[k];
    while (n_open) {
        int64_t still = 0;
        for (int64_t first = 0; first < n_open; first += ENSFS_GROUP) {
            int64_t last = first + ENSFS_GROUP < n_open ? first + ENSFS_GROUP : n_open;
            ENSFS_DISCRETE(look_at_once)(s, b, open + first, last - first);
            for (int64_t k = first; k < last; k++) {
                chunk_column *one = open[still] = open[k];
                int done = one->largest[one->i] > one->stop || one->at[one->i] < 0;
                still += !done || choose_subset(s, b, one);
            }
        }
        n_open = still;
    }
}

/* What can be said of some columns (at most ENSFS_BATCH) before those just before them have found their
   subsets. What the last columns ended with is a guess of how far every subset has to go anyway: all
   columns go so far with one subset before they go on to the next. */
static void look_ahead(const code_store *s, const subset_chunks *b, chunk_column *c,
                       const int64_t *columns, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        for (int64_t i = 0; i < b->n_subsets; i++) {
            c[k].largest[i] = 0.0;
            c[k].nearest[i] = -1;
            c[k].at[i] = b->first[i];
        }
        c[k].n_read = 0;
        c[k].least = c[k].limit;
        prepare_column(s, b, &c[k], columns[k]);
        ENSFS_DISCRETE(look_at_fronts)(s, b, &c[k], b->guess < c[k].limit ? b->guess : c[k].limit);
    }
    for (int64_t i = 0; i < b->n_subsets; i++)
        for (int64_t k = 0; k < n; k += ENSFS_GROUP)
            look_in_turn(s, b, c + k, n - k < ENSFS_GROUP ? n - k : ENSFS_GROUP, i, b->guess);
    look_on(s, b, c, n);
}

/* Copies a member into a place of a chunk; the bits of the place are free. */
static void copy_member(const code_store *s, subset_chunks *b, int64_t chunk, int64_t m, int64_t f) {
    int64_t n_planes = b->n_planes, row_words = chunk_words(b), word, bit;
    for (int64_t l = 1; l <= n_planes; l++) {
        chunk_place(b, l - 1, m, &word, &bit);
        uint64_t *to = b->bits + chunk * (b->n_rows + 1) * row_words + word;
        int64_t count = l < n_levels(s, f) ? column_margin(s, f)[l] : 0;
        b->margins[(chunk * n_planes + l - 1) * b->chunk + m] = (uint8_t)count;
        for (int64_t w = 0; w < s->n_words && count; w++)
            for (uint64_t left = level_word(s, f, l, w); left; left &= left - 1)
                to[(64 * w + lowest_bit(left)) * row_words] |= UINT64_C(1) << bit;
    }
    double excess = b->most_entropy - whole_entropy(s, f);
    if (excess > b->most_excess[chunk]) b->most_excess[chunk] = excess;
    int64_t units = (int64_t)(excess * (1.0 - 0.5 * EXPECTED_MEASURE) * b->units_per_bit - 1e-6);
    units = units > 0 ? units : 0; /* rounded down */
    int64_t part = b->subtract_per_level ? units / (n_planes + 1) : 0,
            rest = units - part * (n_planes + 1);
    b->excess[2 * chunk * b->chunk + m] = (uint8_t)(part < 255 ? part : 255);
    b->excess[(2 * chunk + 1) * b->chunk + m] = (uint8_t)(rest < 255 ? rest : 255);
    b->members[chunk * b->chunk + m] = (int32_t)f;
}

/* A chunk without members. */
static int64_t new_chunk(subset_chunks *b) {
    int64_t chunk = b->n_chunks++, size = (b->n_rows + 1) * chunk_words(b);
    b->next[chunk] = -1;
    b->sizes[chunk] = 0;
    b->most_excess[chunk] = 0.0;
    memset(b->bits + chunk * size, 0, (size_t)size * sizeof(uint64_t));
    return chunk;
}

/* Puts a member into the last chunk of its subset, or a new one. */
static void add_to_chunk(const code_store *s, subset_chunks *b, int64_t i, int64_t f) {
    int64_t chunk = b->last[i];
    if (chunk < 0 || b->sizes[chunk] == b->chunk) {
        int32_t *link = chunk < 0 ? &b->first[i] : &b->next[chunk];
        chunk = new_chunk(b);
        *link = b->last[i] = (int32_t)chunk;
    }
    copy_member(s, b, chunk, b->sizes[chunk]++, f);
}

/* Counts that member z was the closest of subset i to a column; members with many hits replace those
   with fewer in the front. */
static void count_hit(const code_store *s, subset_chunks *b, int64_t i, int64_t z) {
    int32_t hits = ++b->hits[z];
    if (hits & (hits - 1)) return; /* now and then is enough */
    int64_t in_chunk = b->chunk / ENSFS_FRONT, chunk = i / in_chunk, word, bit;
    int64_t first = i % in_chunk * ENSFS_FRONT, least = first;
    int32_t fewest = INT32_MAX;
    const int32_t *member = b->members + chunk * b->chunk;
    for (int64_t m = first; m < first + ENSFS_FRONT; m++) {
        if (member[m] == z) return;
        int again = m > first && member[m] == member[first]; /* as in the beginning */
        int32_t its_hits = again ? -1 : b->hits[member[m]];
        if (its_hits >= fewest) continue;
        fewest = its_hits;
        least = m;
    }
    if (fewest >= hits) return;
    uint64_t *rows = b->bits + chunk * (b->n_rows + 1) * chunk_words(b);
    for (int64_t j = 0; j < b->n_planes; j++) {
        chunk_place(b, j, least, &word, &bit);
        for (int64_t r = 0; r < b->n_rows; r++)
            rows[r * chunk_words(b) + word] &= ~(UINT64_C(1) << bit);
    }
    copy_member(s, b, chunk, least, z);
}

/* The subset of column f, after look_ahead. */
static int64_t find_subset(code_store *s, subset_chunks *b, chunk_column *c, int64_t f, uint8_t *met) {
    c->f = -1; /* not prepared: its rows are seldom needed again, but limits depend on its entropy */
    c->entropy = whole_entropy(s, f);
    set_target(s, 0, f);
    memset(met, 0, (size_t)b->n_subsets);
    int64_t best = least_of_chunks(s, b, c, f, met);
    b->guess += 0.1 * (c->largest[best] - b->guess);
    if (f % 4) return best; /* for the fronts, the hits of a part of the columns tell as much */
    for (int64_t i = 0; i < b->n_subsets; i++)
        if (c->nearest[i] >= 0) count_hit(s, b, i, c->nearest[i]);
    return best;
}

/* Begins the subsets with their seeds, which fill the fronts at first. */
static void begin_subsets(const code_store *s, subset_chunks *b, const int64_t *seeds) {
    b->n_chunks = 0;
    b->guess = 0.0;
    for (int64_t i = 0; i < b->n_subsets; i++) {
        if (i % (b->chunk / ENSFS_FRONT) == 0) new_chunk(b);
        b->first[i] = b->last[i] = b->waiting[i] = -1;
        for (int k = 0; k < ENSFS_FRONT; k++) {
            int64_t chunk = b->n_chunks - 1;
            copy_member(s, b, chunk, b->sizes[chunk]++, seeds[i]);
        }
    }
    for (int64_t i = 0; i < b->n_subsets; i++) add_to_chunk(s, b, i, seeds[i]);
}

/* Lets a member wait for a place in the chunks of its subset. */
static void let_wait(subset_chunks *b, int64_t i, int64_t f) {
    b->waiting_next[f] = b->waiting[i];
    b->waiting[i] = (int32_t)f;
}

/* Gives all members that wait a place; the order within a subset does not matter. */
static void place_waiting(const code_store *s, subset_chunks *b) {
    for (int64_t i = 0; i < b->n_subsets; i++) {
        for (int64_t f = b->waiting[i]; f >= 0; f = b->waiting_next[f]) add_to_chunk(s, b, i, f);
        b->waiting[i] = -1;
    }
}

#endif

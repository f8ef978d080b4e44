/* Comparison of a column with blocks of members, once per instruction set; see blocks.h. */
#include "singles.h"

/* Rows that the levels 1, 2, ... of the column at hand share with those of the members of a block:
   cells (n_planes, n_planes, 8). */
ENSFS_INLINE void LV(count_block)(const uint64_t *z, const uint64_t *f, const int64_t n_planes,
                                  const int64_t n_words, int32_t *cells) {
#if ENSFS_LEVEL_NUMBER == 2 /* counts the bits of all members at once */
    for (int64_t i = 0; i < n_planes; i++)
        for (int64_t j = 0; j < n_planes; j++, cells += ENSFS_BLOCK) {
            int64_t counts[ENSFS_BLOCK] = {0};
            for (int64_t w = 0; w < n_words; w++)
                for (int k = 0; k < ENSFS_BLOCK; k++)
                    counts[k] +=
                        LV(popcount)(z[(j * n_words + w) * ENSFS_BLOCK + k] & f[i * n_words + w]);
            for (int k = 0; k < ENSFS_BLOCK; k++) cells[k] = (int32_t)counts[k];
        }
#else
    for (int64_t k = 0; k < ENSFS_BLOCK; k++)
        for (int64_t i = 0; i < n_planes; i++)
            for (int64_t j = 0; j < n_planes; j++) {
                int64_t count = 0;
                for (int64_t w = 0; w < n_words; w++)
                    count += LV(popcount)(z[(j * n_words + w) * ENSFS_BLOCK + k] & f[i * n_words + w]);
                cells[(i * n_planes + j) * ENSFS_BLOCK + k] = (int32_t)count;
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
                                   const int64_t n_words, int32_t *cells, float *bounds) {
    LV(count_block)(b->planes + block * n_planes * n_words * ENSFS_BLOCK, b->column_planes, n_planes,
                    n_words, cells);
    for (int64_t k = 0; k < ENSFS_BLOCK; k += ENSFS_SINGLES) {
        const float *margin = b->margins + block * (n_planes + 1) * ENSFS_BLOCK + k;
        const float *inverse = b->inverses + block * (n_planes + 1) * ENSFS_BLOCK + k;
        LV(singles) first[MAX_BLOCK_PLANES + 1]; /* level 0 of the column has what the others leave */
        LV(singles) sum = (LV(singles)){0} + b->slack;
        for (int64_t j = 0; j <= n_planes; j++) first[j] = LV(load_singles)(margin + j * ENSFS_BLOCK);
        for (int64_t i = n_planes; i >= 0; i--) {
            const float share = b->column_shares[i], of_share = b->column_inverses[i];
            LV(singles) rest = (LV(singles)){0} + b->column_margins[i];
            for (int64_t j = n_planes; j >= 0; j--) {
                LV(singles) cell = first[j];
                if (i && j)
                    cell = LV(load_counts)(cells + ((i - 1) * n_planes + j - 1) * ENSFS_BLOCK + k);
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
    for (int64_t c = 0; c < n_planes * n_planes; c++) inner[c] = cells[c * ENSFS_BLOCK + k];
    for (int64_t l = 0; l <= n_planes; l++) {
        of_column[l] = (int32_t)b->column_margins[l];
        of_member[l] = (int32_t)b->margins[(block * (n_planes + 1) + l) * ENSFS_BLOCK + k];
        levels_f += of_column[l] > 0;
        levels_g += of_member[l] > 0;
    }
    int64_t joint = joint_from_inner(inner, n_planes, n_planes, of_column, of_member, s->klogk);
    return value_of_pair(s, s->fixed, joint, b->entropies[block * ENSFS_BLOCK + k], levels_g, levels_g,
                         levels_f);
}

/* Bounds on the measure of the column at hand with the members of a block; 1 without planes. */
static void LV(bound_members)(const code_store *s, const subset_blocks *b, int64_t block,
                              int32_t *cells, float *bounds) {
    if (b->n_planes == 2 && s->n_words == 1)
        LV(block_bounds)(b, block, 2, 1, cells, bounds);
    else if (b->n_planes == 2 && s->n_words == 2)
        LV(block_bounds)(b, block, 2, 2, cells, bounds);
    else if (b->n_planes == 2)
        LV(block_bounds)(b, block, 2, s->n_words, cells, bounds);
    else if (b->n_planes == 1)
        LV(block_bounds)(b, block, 1, s->n_words, cells, bounds);
    else if (b->n_planes)
        LV(block_bounds)(b, block, b->n_planes, s->n_words, cells, bounds);
    else
        for (int k = 0; k < ENSFS_BLOCK; k++) bounds[k] = 1.0f;
}

/* Goes on through the members of subset i until one has a measure with column f (the column at hand)
   above `stop`, or none is left. In a block the largest bound comes first, and the rest often needs
   no look. The block of a member above `stop` comes to the front of its list: it is likely to be
   there for the next columns too. */
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
        for (;;) {
            int top = 0;
            for (int k = 1; k < b->sizes[at]; k++)
                if (bounds[k] > bounds[top]) top = k;
            if (bounds[top] <= largest) break;
            bounds[top] = -1.0f;
            double value = b->n_planes ? LV(member_measure)(s, b, at, top, cells)
                                       : LV(pair_measure)((void *)s, member[top], f, 0);
            if (value > largest) {
                largest = value;
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

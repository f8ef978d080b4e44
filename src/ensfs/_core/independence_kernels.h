/* Counts and labels of combinations of columns, once per instruction set. */

/* label * levels + column, in place. */
static void LV(extend_narrow)(int32_t *label, const uint8_t *column, int64_t n, int32_t levels) {
    for (int64_t i = 0; i < n; i++) label[i] = label[i] * levels + column[i];
}

/* The rows of a plane where a column has each of its levels; its planes are those of levels 1, 2, ...
 */
static void LV(split_plane)(const uint64_t *rows, const uint64_t *levels, int64_t n_levels,
                            int64_t n_words, uint64_t *out) {
    for (int64_t w = 0; w < n_words; w++) out[w] = rows[w];
    for (int64_t l = 1; l < n_levels; l++) {
        const uint64_t *level = levels + (l - 1) * n_words;
        uint64_t *to = out + l * n_words;
        for (int64_t w = 0; w < n_words; w++) {
            to[w] = rows[w] & level[w];
            out[w] &= ~level[w];
        }
    }
}

/* Counts of the cells (label, level of x) in each fold, from planes of the labels and of the levels of
   x but the first; margins (labels, folds) are the rows of the labels, table is (folds, labels,
   levels). */
static void LV(count_planes)(const uint64_t *label_planes, const uint64_t *x_planes,
                             const int32_t *margins, int64_t n_labels, int64_t n_x, int64_t n_folds,
                             int64_t n_words, int32_t *table) {
    int64_t counts[MAX_PARTS], cells = n_labels * n_x, fold_words = n_words / n_folds;
    for (int64_t label = 0; label < n_labels; label++, label_planes += n_words, table += n_x) {
        for (int64_t t = 0; t < n_folds; t++) table[t * cells] = margins[label * n_folds + t];
        for (int64_t level = 1; level < n_x; level++) {
            const uint64_t *x = x_planes + (level - 1) * n_words;
            if (n_folds == 1)
                counts[0] = LV(and_count)(label_planes, x, n_words);
            else
                LV(fold_counts)(label_planes, x, n_folds, fold_words, counts);
            for (int64_t t = 0; t < n_folds; t++) {
                table[t * cells + level] = (int32_t)counts[t];
                table[t * cells] -= (int32_t)counts[t];
            }
        }
    }
}

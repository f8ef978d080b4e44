/* Labels of combinations of columns, once per instruction set. */

/* label * levels + column, in place. */
static void LV(extend_narrow)(int32_t *label, const uint8_t *column, int64_t n, int32_t levels) {
    for (int64_t i = 0; i < n; i++) label[i] = label[i] * levels + column[i];
}

/* The rows of a plane where a column has each of its levels; its planes are those of levels 1, 2, ... */
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

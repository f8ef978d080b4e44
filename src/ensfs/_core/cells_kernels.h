/* The cells of all rows, once per instruction set: as many at a time as a register holds. */
ENSFS_INLINE void LV(find_cells_of_kind)(const int kind, const cell_columns *c, int64_t n,
                                         int32_t *restrict cell) {
    const uint8_t *f = (const uint8_t *)c->f, *g = (const uint8_t *)c->g;
    const uint16_t *wide_f = (const uint16_t *)c->f, *wide_g = (const uint16_t *)c->g, *y = c->y;
    const int32_t levels_g = (int32_t)c->levels_g, levels_y = (int32_t)c->levels_y;
    for (int64_t q = 0; q < n; q++) {
        int32_t of_f = kind & WIDE_F ? wide_f[q] : f[q], of_g = kind & WIDE_G ? wide_g[q] : g[q];
        int32_t of_row = of_f * levels_g + of_g;
        cell[q] = kind & WITH_Y ? of_row * levels_y + y[q] : of_row;
    }
}

static void LV(find_cells_directly)(const cell_columns *c, int64_t n, int32_t *cell) {
    if (c->kind == 0)
        LV(find_cells_of_kind)(0, c, n, cell);
    else if (c->kind == WIDE_G)
        LV(find_cells_of_kind)(WIDE_G, c, n, cell);
    else if (c->kind == (WIDE_F | WIDE_G))
        LV(find_cells_of_kind)(WIDE_F | WIDE_G, c, n, cell);
    else if (c->kind == WITH_Y)
        LV(find_cells_of_kind)(WITH_Y, c, n, cell);
    else
        LV(find_cells_of_kind)(c->kind, c, n, cell);
}

/* Columns from f on that are counted together with column g, in one table of few cells. */
ENSFS_INLINE int64_t LV(group_size)(const code_store *s, int64_t f, int64_t stop, int64_t g) {
    int64_t cells = g < 0 ? 1 : n_levels(s, g), most = s->n / 8, m = 0;
    if (most > GROUP_CELLS) most = GROUP_CELLS;
    if (most > s->scratch->size / 4) most = s->scratch->size / 4;
    if (stop > s->n_columns - 1) stop = s->n_columns - 1;
    for (; f + m < stop && m < GROUP_COLUMNS && f + m != g; m++) {
        cells *= n_levels(s, f + m);
        if (cells > most) break;
    }
    return m;
}

/* Counts m columns of bytes, from f on, together with column g (or without: -1), all rows of them.
   Four rows after each other have tables of their own. Gives the sums of klogk over the cells of each
   with g, and how many cells there are. */
static void LV(count_group)(const code_store *s, int64_t f, int64_t m, int64_t g, int64_t *joint,
                            int32_t *n_cells) {
    const uint8_t *codes = (const uint8_t *)s->codes;
    int64_t n = s->n_total, levels_g = g < 0 ? 1 : n_levels(s, g), cells = levels_g;
    int32_t *restrict count = s->scratch->count, of_column[GROUP_CELLS];
    uint16_t cell[GROUP_ROWS];
    for (int64_t j = 0; j < m; j++) cells *= n_levels(s, f + j);
    for (int64_t q = 0; q < n; q += GROUP_ROWS) {
        int64_t rows = n - q < GROUP_ROWS ? n - q : GROUP_ROWS, i = 0;
        uint16_t times = (uint16_t)levels_g;
        if (g < 0)
            memset(cell, 0, sizeof(cell));
        else if (g == s->n_columns - 1)
            memcpy(cell, s->y + q, (size_t)rows * sizeof(uint16_t));
        else
            for (int64_t k = 0; k < rows; k++) cell[k] = codes[g * n + q + k];
        for (int64_t j = 0; j < m; j++) {
            const uint8_t *x = codes + (f + j) * n + q;
            for (int64_t k = 0; k < rows; k++) cell[k] = (uint16_t)(cell[k] + x[k] * times);
            times = (uint16_t)(times * n_levels(s, f + j));
        }
        for (; i + 4 <= rows; i += 4) {
            uint64_t four;
            memcpy(&four, cell + i, 8);
            count[four & 0xffff] += 1;
            count[cells + (four >> 16 & 0xffff)] += 1;
            count[2 * cells + (four >> 32 & 0xffff)] += 1;
            count[3 * cells + (four >> 48)] += 1;
        }
        for (; i < rows; i++) count[cell[i]] += 1;
    }
    for (int64_t k = 0; k < cells; k++)
        count[k] += count[k + cells] + count[k + 2 * cells] + count[k + 3 * cells];
    for (int64_t j = 0, below = levels_g; j < m; j++) { /* cells for each level of column j */
        int64_t levels = n_levels(s, f + j), of_pair = levels * levels_g;
        memset(of_column, 0, (size_t)of_pair * sizeof(int32_t));
        for (int64_t k = 0; k < cells; k += levels_g)
            for (int64_t l = 0, to = k / below % levels * levels_g; l < levels_g; l++)
                of_column[to + l] += count[k + l];
        joint[j] = n_cells[j] = 0;
        for (int64_t k = 0; k < of_pair; k++) {
            joint[j] += s->klogk[of_column[k]];
            n_cells[j] += of_column[k] > 0;
        }
        below *= levels;
    }
    memset(count, 0, (size_t)(4 * cells) * sizeof(int32_t));
}

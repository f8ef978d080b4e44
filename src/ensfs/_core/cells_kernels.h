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

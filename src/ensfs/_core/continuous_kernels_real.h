/* Kernels on columns stored as ENSFS_REAL (double, already shifted; or float, as given, shifted on
   load: a float minus its shift need not be a float). All sums are float64.

   Row order inside each leaf is fixed (by row, or by row modulo 32) and leaves are added in a tree, see
   sum_tree.h, so the result does not depend on blocks, threads or the instruction set. */
#define LR(name) ENSFS_JOIN(ENSFS_JOIN(name, ENSFS_REAL), ENSFS_LEVEL)
#if ENSFS_IS_FLOAT
#define ENSFS_LOAD_SHIFTED(p, shift) (LV(load_float)(p) - (shift))
#else
#define ENSFS_LOAD_SHIFTED(p, shift) LV(load_double)(p)
#endif

/* Product of the n rows of a leaf in two packed columns, n a multiple of 32: row i is summed in lane
   i % 32. Several independent accumulators hide the latency of the addition. */
ENSFS_INLINE double LR(dot_leaf)(const ENSFS_REAL *x, double x_shift, const ENSFS_REAL *y, double y_shift,
                        int64_t n) {
    enum { EIGHT = 8 / ENSFS_LANES };
    LV(lanes) sum[4 * EIGHT];
    double v[8];
    (void)x_shift, (void)y_shift;
    for (int k = 0; k < 4 * EIGHT; k++) sum[k] = (LV(lanes)){0};
    for (int64_t i = 0; i < n; i += 32)
        for (int k = 0; k < 4 * EIGHT; k++)
            sum[k] += ENSFS_LOAD_SHIFTED(x + i + k * ENSFS_LANES, x_shift) *
                      ENSFS_LOAD_SHIFTED(y + i + k * ENSFS_LANES, y_shift);
    for (int k = 0; k < EIGHT; k++)
        *(LV(lanes) *)(v + k * ENSFS_LANES) =
            (sum[k] + sum[k + EIGHT]) + (sum[k + 2 * EIGHT] + sum[k + 3 * EIGHT]);
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/* Product of two packed columns of n rows, n a multiple of 32. */
static double LR(dot32)(const ENSFS_REAL *x, double x_shift, const ENSFS_REAL *y, double y_shift,
                        int64_t n) {
    double node[DEPTH];
    int depth = 0;
    for (int64_t leaf = 0; leaf * LEAF < n || leaf == 0; leaf++) {
        const int64_t start = leaf * LEAF, left = n - start;
        node[depth++] =
            LR(dot_leaf)(x + start, x_shift, y + start, y_shift, left < LEAF ? left : LEAF);
        for (int64_t k = leaf; k & 1; k >>= 1, depth--) node[depth - 2] += node[depth - 1];
    }
    for (; depth > 1; depth--) node[depth - 2] += node[depth - 1];
    return node[0];
}

/* sums[l] = the products of lane l, row after row; `count` registers of lanes at a time. The shifts
   are those of each lane, or one for all. */
ENSFS_INLINE void LR(some_lanes)(const ENSFS_REAL *restrict x, const double *restrict x_shift,
                                 const ENSFS_REAL *restrict y, const double *restrict y_shift,
                                 const int by_lane, int64_t n_rows, int64_t width, const int count,
                                 double *restrict sums) {
    LV(lanes) sum[8];
    for (int k = 0; k < count; k++) sum[k] = (LV(lanes)){0};
#if ENSFS_IS_FLOAT
    LV(lanes) x_by[8], y_by[8];
    for (int k = 0; k < count; k++) {
        x_by[k] = y_by[k] = (LV(lanes)){0};
        if (by_lane)
            x_by[k] = LV(load_double)(x_shift + k * ENSFS_LANES),
            y_by[k] = LV(load_double)(y_shift + k * ENSFS_LANES);
        else
            x_by[k] += x_shift[0], y_by[k] += y_shift[0];
    }
#else
    (void)x_shift, (void)y_shift, (void)by_lane;
#endif
    for (int64_t i = 0; i < n_rows; i++)
        for (int k = 0; k < count; k++)
            sum[k] += ENSFS_LOAD_SHIFTED(x + i * width + k * ENSFS_LANES, x_by[by_lane ? k : 0]) *
                      ENSFS_LOAD_SHIFTED(y + i * width + k * ENSFS_LANES, y_by[by_lane ? k : 0]);
    for (int k = 0; k < count; k++) *(LV(lanes) *)(sums + k * ENSFS_LANES) = sum[k];
}

/* The shifts of some lanes: those of their folds. */
ENSFS_INLINE const double *LR(lane_shifts)(const double *shift, const fold_lanes *lanes, int64_t first,
                                           double *room) {
    if (!lanes->fold) return shift + first;
    for (int64_t l = 0; l < 8 * ENSFS_LANES && first + l < lanes->n_lanes; l++)
        room[l] = shift[lanes->fold[first + l]];
    return room;
}

/* Products of two columns whose folds lie in lanes: those of each fold. The last register of a row may
   reach into the next one: `sums` needs room for 8 more than the folds, the columns for 8 more than
   their rows, and shifts `by_fold` for 8 more than there are folds. */
static void LR(fold_products)(const ENSFS_REAL *x, const double *x_shift, const ENSFS_REAL *y,
                              const double *y_shift, int by_fold, const fold_lanes *lanes,
                              double *sums) {
    double *const to = lanes->fold ? lanes->sums : sums;
    double x_room[8 * ENSFS_LANES] = {0}, y_room[8 * ENSFS_LANES] = {0};
    for (int64_t g = 0; g < lanes->n_groups; g++) {
        const int64_t n_rows = lanes->longest[g], first = lanes->first[g];
        const int64_t width = lanes->first[g + 1] - first;
        for (int64_t k = 0; k < width; k += 8 * ENSFS_LANES) {
            int64_t left = (width - k + ENSFS_LANES - 1) / ENSFS_LANES;
            const double *xs = x_shift, *ys = y_shift;
            if (ENSFS_IS_FLOAT && by_fold)
                xs = LR(lane_shifts)(x_shift, lanes, first + k, x_room),
                ys = LR(lane_shifts)(y_shift, lanes, first + k, y_room);
#define ENSFS_SOME(count) \
    case count: \
        if (ENSFS_IS_FLOAT && by_fold) \
            LR(some_lanes)(x + k, xs, y + k, ys, 1, n_rows, width, count, to + first + k); \
        else \
            LR(some_lanes)(x + k, xs, y + k, ys, 0, n_rows, width, count, to + first + k); \
        break;
            switch (left < 8 ? left : 8) {
                ENSFS_SOME(1)
                ENSFS_SOME(2) ENSFS_SOME(3) ENSFS_SOME(4) ENSFS_SOME(5) ENSFS_SOME(6) ENSFS_SOME(7)
                    ENSFS_SOME(8)
            }
#undef ENSFS_SOME
        }
        x += n_rows * width;
        y += n_rows * width;
    }
    if (lanes->fold) join_lanes(lanes, sums);
}

/* Adds `count` rows, at most 4, to the sums of their group, in their order, in the columns
   start..stop: d and d*d with d = x - shift; the same from the group's own shift, if it has one;
   d*y for a numeric target. Several rows at a time, because loading and storing the sums takes
   longer than adding to them. */
ENSFS_INLINE void LR(add_rows)(const ENSFS_REAL *const *rows, const int count, int64_t start,
                               int64_t stop, const double *restrict shift, double *restrict s,
                               double *restrict q, const int kind, const double *restrict own_shift,
                               double *restrict own_s, double *restrict own_q, const double *restrict y,
                               double *restrict xy) {
    const ENSFS_REAL *x0 = rows[0], *x1 = rows[1], *x2 = rows[2], *x3 = rows[3];
    const double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
    for (int64_t b = start; b < stop; b++) {
        double sum = s[b], square = q[b], own_sum = 0, own_square = 0, product = 0;
        if (kind == OWN_SHIFT) own_sum = own_s[b], own_square = own_q[b];
        if (kind == WITH_TARGET) product = xy[b];
#define ENSFS_ADD_ROW(r) \
    if (r < count) { \
        double v = (double)x##r[b], d = v - shift[b]; \
        sum += d; \
        square += d * d; \
        if (kind == OWN_SHIFT) { \
            double e = v - own_shift[b]; \
            own_sum += e; \
            own_square += e * e; \
        } \
        if (kind == WITH_TARGET) product += d * y##r; \
    }
        ENSFS_ADD_ROW(0)
        ENSFS_ADD_ROW(1) ENSFS_ADD_ROW(2) ENSFS_ADD_ROW(3)
#undef ENSFS_ADD_ROW
            s[b] = sum,
            q[b] = square;
        if (kind == OWN_SHIFT) own_s[b] = own_sum, own_q[b] = own_square;
        if (kind == WITH_TARGET) xy[b] = product;
    }
}

/* Sums of a block of columns over `n` rows of one group, read where they lie (any strides). The
   group has its own shift if `own_shift` is given, and a numeric target if `y` is. `n_listed` rows
   or more are listed: the others are read next. `copy` is scratch (4, width) for columns that do
   not lie side by side. */
static void LR(group_sums)(const ENSFS_REAL *restrict x, int64_t row_stride, int64_t column_stride,
                           const int64_t *restrict rows, int64_t n, int64_t n_listed, int64_t width,
                           const double *restrict shift, double *restrict s, double *restrict q,
                           const double *restrict own_shift, double *restrict own_s,
                           double *restrict own_q, const double *restrict y, double *restrict xy,
                           ENSFS_REAL *restrict copy) {
    const ENSFS_REAL *at[4];
    double target[4] = {0};
    const int kind = own_shift ? OWN_SHIFT : y ? WITH_TARGET : PLAIN_SUMS;
    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < 4 ? 1 : 4;
        for (int r = 0; r < 4; r++) {
            int64_t row = rows[i + (r < count ? r : 0)];
            at[r] = x + row * row_stride;
            if (y) target[r] = y[row];
            if (column_stride == 1 || r >= count) continue;
            for (int64_t b = 0; b < width; b++) copy[r * width + b] = at[r][b * column_stride];
            at[r] = copy + r * width;
        }
        const int64_t ahead = i + count + 4 < n_listed ? i + count + 4 : n_listed;
        for (int64_t b = 0; b < width; b += 64) {
            const int64_t end = b + 64 < width ? b + 64 : width;
            /* the next rows are a page or more away, where the hardware does not look */
            for (int64_t r = i + count; column_stride == 1 && r < ahead; r++)
                for (int64_t c = b; c < end; c += 64 / sizeof(ENSFS_REAL))
                    ENSFS_PREFETCH(x + rows[r] * row_stride + c);
#define ENSFS_ADD_ROWS(n_rows, what) \
    if (count == n_rows && kind == what) \
        LR(add_rows)(at, n_rows, b, end, shift, s, q, what, own_shift, own_s, own_q, target, xy);
            ENSFS_ADD_ROWS(4, PLAIN_SUMS)
            ENSFS_ADD_ROWS(4, OWN_SHIFT) ENSFS_ADD_ROWS(4, WITH_TARGET) ENSFS_ADD_ROWS(1, PLAIN_SUMS)
                ENSFS_ADD_ROWS(1, OWN_SHIFT) ENSFS_ADD_ROWS(1, WITH_TARGET)
#undef ENSFS_ADD_ROWS
        }
    }
}

/* Lower median of m rows, at most 15, in each of `width` columns: the rows are sorted by exchanges
   of neighbours, all columns at once. */
static void LR(middle)(const ENSFS_REAL *restrict x, int64_t row_stride, int64_t column_stride,
                       const int64_t *restrict rows, int64_t m, int64_t width, double *restrict out) {
    double v[15][64];
    for (int64_t b0 = 0; b0 < width; b0 += 64) {
        int64_t w = b0 + 64 < width ? 64 : width - b0;
        for (int64_t i = 0; i < m; i++)
            for (int64_t b = 0; b < w; b++)
                v[i][b] = (double)x[rows[i] * row_stride + (b0 + b) * column_stride];
        for (int64_t pass = 0; pass < m; pass++)
            for (int64_t i = pass % 2; i + 1 < m; i += 2)
                for (int64_t b = 0; b < w; b++) {
                    double low = v[i][b] < v[i + 1][b] ? v[i][b] : v[i + 1][b];
                    double high = v[i][b] < v[i + 1][b] ? v[i + 1][b] : v[i][b];
                    v[i][b] = low;
                    v[i + 1][b] = high;
                }
        for (int64_t b = 0; b < w; b++) out[b0 + b] = v[(m - 1) / 2][b];
    }
}

/* Packs the places `start` to `stop` of one column; see pack_columns. */
ENSFS_INLINE void LR(pack_rows)(const ENSFS_REAL *restrict column, int64_t row_stride,
                                const int64_t *restrict rows, int64_t start, int64_t stop,
                                const double *restrict shift, int64_t fold_step,
                                const int32_t *restrict fold, ENSFS_REAL *restrict out) {
    const int keep = sizeof(ENSFS_REAL) == sizeof(float); /* floats are shifted on load */
    if (fold_step == 0) {
        const double centre = shift[0], away = keep ? 0.0 : centre;
        for (int64_t i = start; i < stop; i++)
            out[i] = (ENSFS_REAL)((rows[i] < 0 ? centre : column[rows[i] * row_stride]) - away);
        return;
    }
    for (int64_t i = start; i < stop; i++) {
        double own = shift[fold[i] * fold_step];
        double v = rows[i] < 0 ? own : (double)column[rows[i] * row_stride];
        out[i] = (ENSFS_REAL)(keep ? v : v - own);
    }
}

/* Copies `width` neighbouring columns to packed columns of `packed` places each. Place i holds row
   rows[i] (nothing if negative) of fold fold[i], or row i if `rows` is NULL, for i < n; the rest holds
   nothing. The shift of column b in fold e is shift[e * fold_step + b].
   64 columns and 8 rows at a time: whole cache lines are read from a row-major source and written. */
static void LR(pack_columns)(const ENSFS_REAL *restrict x, int64_t row_stride, int64_t column_stride,
                             const int64_t *restrict rows, const int32_t *restrict fold, int64_t n,
                             int64_t width, const double *restrict shift, int64_t fold_step,
                             ENSFS_REAL *restrict out, int64_t packed) {
    const int keep = sizeof(ENSFS_REAL) == sizeof(float); /* floats are shifted on load */
    const int64_t rows_at_once = row_stride == 1 || width == 1 ? n : 8;
    for (int64_t b0 = 0; b0 < width; b0 += 64) {
        int64_t b1 = b0 + 64 < width ? b0 + 64 : width;
        for (int64_t i0 = 0; i0 < n; i0 += rows_at_once) {
            int64_t i1 = i0 + rows_at_once < n ? i0 + rows_at_once : n;
            for (int64_t b = b0; b < b1; b++) {
                const ENSFS_REAL *column = x + b * column_stride;
                ENSFS_REAL *o = out + b * packed;
                double sh = keep ? 0.0 : shift[b];
                if (rows) {
                    LR(pack_rows)(column, row_stride, rows, i0, i1, shift + b, fold_step, fold, o);
                    continue;
                }
                for (int64_t i = i0; i < i1; i++) {
                    /* a lone column of a row-major table: every row is another cache line */
                    if (width == 1 && i + 24 < n) ENSFS_PREFETCH(column + (i + 24) * row_stride);
                    o[i] = (ENSFS_REAL)((double)column[i * row_stride] - sh);
                }
            }
        }
        for (int64_t b = b0; b < b1; b++)
            for (int64_t i = n; i < packed; i++)
                out[b * packed + i] = keep ? (ENSFS_REAL)shift[b] : (ENSFS_REAL)0;
    }
}

/* Copies up to 32 neighbouring columns to a panel: out[row][32], rows in the order `rows`, which has
   those of a fold together. The shift of column b in fold e is shift[e * fold_step + b]. */
static void LR(pack_panel)(const ENSFS_REAL *restrict x, int64_t row_stride, int64_t column_stride,
                           const int64_t *restrict rows, const int64_t *restrict bounds,
                           int64_t n_folds, int64_t width, const double *restrict shift,
                           int64_t fold_step, ENSFS_REAL *restrict out) {
    const int keep = sizeof(ENSFS_REAL) == sizeof(float);
    for (int64_t e = 0; e < n_folds; e++)
        for (int64_t i = bounds[e]; i < bounds[e + 1]; i++) {
            const ENSFS_REAL *row = x + rows[i] * row_stride;
            const double *restrict own = shift + e * fold_step;
            ENSFS_REAL *o = out + i * 32;
            for (int64_t b = 0; b < width; b++)
                o[b] = keep ? row[b * column_stride]
                            : (ENSFS_REAL)((double)row[b * column_stride] - own[b]);
            for (int64_t b = width; b < 32; b++) o[b] = 0;
        }
}

/* sums[t][fold][32] = panel[row][32] * y[row][t] for up to four targets, each fold along its tree. The
   rows of fold f in its leaves are bounds[c] up to bounds[c + 1] for c from cells[f] on, and after cell
   c two nodes are added joined[c] times; 1 remains of a fold. A tile of ENSFS_TILE registers of columns
   by four targets stays in registers. The shift of a fold is at shift[fold * fold_step]. */
#if ENSFS_LANES == 8
#define ENSFS_TILE 4
#else
#define ENSFS_TILE 2 /* half as many registers */
#endif
static void LR(panel_products)(const ENSFS_REAL *restrict panel, const double *restrict shift,
                               int64_t fold_step, const double *restrict y,
                               const int64_t *restrict cells, const int64_t *restrict bounds,
                               const uint8_t *restrict joined, int64_t n_folds, double *restrict sums,
                               int64_t target_stride) {
    LV(lanes) node[DEPTH][ENSFS_TILE][4];
    for (int64_t f = 0; f < n_folds; f++) {
        for (int k = 0; k < 32; k += ENSFS_LANES * ENSFS_TILE) {
            double *restrict o = sums + f * 32 + k;
            const int64_t n_cells = cells[f + 1] - cells[f];
            int depth = 0;
            if (n_cells == 0)
                for (int w = 0; w < ENSFS_TILE; w++)
                    for (int t = 0; t < 4; t++) node[0][w][t] = (LV(lanes)){0};
            for (int64_t c = cells[f]; c < cells[f + 1]; c++) {
                LV(lanes) sum[ENSFS_TILE][4];
                for (int w = 0; w < ENSFS_TILE; w++)
                    for (int t = 0; t < 4; t++) sum[w][t] = (LV(lanes)){0};
                for (int64_t i = bounds[c]; i < bounds[c + 1]; i++)
                    for (int w = 0; w < ENSFS_TILE; w++) {
                        int at = k + ENSFS_LANES * w;
                        /* neighbouring rows are further apart than the hardware looks ahead */
                        ENSFS_PREFETCH(panel + (i + 32) * 32 + at);
                        LV(lanes)
                        x = ENSFS_LOAD_SHIFTED(panel + i * 32 + at,
                                               LV(load_double)(shift + f * fold_step + at));
                        for (int t = 0; t < 4; t++) sum[w][t] += x * y[4 * i + t];
                    }
                if (n_cells == 1)
                    for (int w = 0; w < ENSFS_TILE; w++)
                        for (int t = 0; t < 4; t++)
                            *(LV(lanes) *)(o + t * target_stride + ENSFS_LANES * w) = sum[w][t];
                else
                    for (int w = 0; w < ENSFS_TILE; w++)
                        for (int t = 0; t < 4; t++) node[depth][w][t] = sum[w][t];
                depth++;
                for (int j = joined[c]; j > 0; j--, depth--)
                    for (int w = 0; w < ENSFS_TILE; w++)
                        for (int t = 0; t < 4; t++) node[depth - 2][w][t] += node[depth - 1][w][t];
            }
            for (int w = 0; n_cells != 1 && w < ENSFS_TILE; w++)
                for (int t = 0; t < 4; t++)
                    *(LV(lanes) *)(o + t * target_stride + ENSFS_LANES * w) = node[0][w][t];
        }
    }
    (void)shift, (void)fold_step;
}
#undef ENSFS_TILE
#undef ENSFS_LOAD_SHIFTED
#undef LR

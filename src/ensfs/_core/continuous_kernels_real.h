/* Kernels on columns stored as REAL (double, already shifted; or float, as given, shifted on load:
   a float minus its shift need not be a float). All sums are float64.

   Row order inside each sum is fixed (by row, or by row modulo 32), so the result does not depend
   on blocks, threads or the instruction set. */
#define LR(name) ENSFS_JOIN(ENSFS_JOIN(name, REAL), ENSFS_LEVEL)
#define V_LOAD_R ENSFS_JOIN(V_LOAD, REAL)

/* Product of two packed columns of n rows, n a multiple of 32: lane i holds rows i, i + 32, ...
   Four independent accumulators hide the latency of the addition. */
static double LR(dot32)(const REAL *x, double x_shift, const REAL *y, double y_shift, int64_t n) {
    vec8 a0 = V_ZERO, a1 = V_ZERO, a2 = V_ZERO, a3 = V_ZERO;
    (void)x_shift, (void)y_shift;
    for (int64_t i = 0; i < n; i += 32) {
        V_MULADD(a0, V_LOAD_R(x + i, x_shift), V_LOAD_R(y + i, y_shift));
        V_MULADD(a1, V_LOAD_R(x + i + 8, x_shift), V_LOAD_R(y + i + 8, y_shift));
        V_MULADD(a2, V_LOAD_R(x + i + 16, x_shift), V_LOAD_R(y + i + 16, y_shift));
        V_MULADD(a3, V_LOAD_R(x + i + 24, x_shift), V_LOAD_R(y + i + 24, y_shift));
    }
    vec8 total = V_ADD(V_ADD(a0, a1), V_ADD(a2, a3));
    return V_SUM(total);
}

/* Per-fold sums of a block of columns read where they lie (any strides): d and d*d with
   d = x - shift; per class with the class's own shift; and d*y for a numeric target.
   Accumulators: s, q, xy (folds, stride); class_s, class_q (folds, classes, stride). */
static void LR(block_sums)(const REAL *restrict x, int64_t row_stride, int64_t column_stride,
                           int64_t n, int64_t width, const int32_t *restrict fold,
                           const double *restrict shift, double *restrict s, double *restrict q,
                           int64_t stride, const int32_t *restrict classes, int64_t n_classes,
                           const double *restrict class_shift, int64_t shift_stride,
                           double *restrict class_s, double *restrict class_q,
                           const double *restrict y, double *restrict xy,
                           double *restrict row_copy) {
    const int in_place = sizeof(REAL) == sizeof(double) && column_stride == 1;
    for (int64_t i = 0; i < n; i++) {
        const REAL *row = x + i * row_stride;
        const double *restrict v = in_place ? (const double *)row : row_copy;
        int64_t f = fold ? fold[i] : 0;
        double *restrict si = s + f * stride, *restrict qi = q + f * stride;
        if (!in_place)
            for (int64_t b = 0; b < width; b++) row_copy[b] = (double)row[b * column_stride];
        if (classes) {
            int64_t c = classes[i];
            const double *restrict sh = class_shift + c * shift_stride;
            double *restrict cs = class_s + (f * n_classes + c) * stride;
            double *restrict cq = class_q + (f * n_classes + c) * stride;
            for (int64_t b = 0; b < width; b++) {
                double d = v[b] - shift[b], e = v[b] - sh[b];
                si[b] += d;
                qi[b] += d * d;
                cs[b] += e;
                cq[b] += e * e;
            }
        } else {
            double *restrict xyi = xy + f * stride, yi = y[i];
            for (int64_t b = 0; b < width; b++) {
                double d = v[b] - shift[b];
                si[b] += d;
                qi[b] += d * d;
                xyi[b] += d * yi;
            }
        }
    }
}

/* Lower median of m rows, at most 15, in each of `width` columns: the rows are sorted by exchanges
   of neighbours, all columns at once. */
static void LR(middle)(const REAL *restrict x, int64_t row_stride, int64_t column_stride,
                       const int64_t *restrict rows, int64_t m, int64_t width,
                       double *restrict out) {
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

/* Copies `width` neighbouring columns to packed columns of `packed` rows each (zero past n).
   64 columns and 8 rows at a time: whole cache lines are read from a row-major source and written. */
static void LR(pack_columns)(const REAL *restrict x, int64_t row_stride, int64_t column_stride,
                             int64_t n, int64_t width, const double *restrict shift,
                             REAL *restrict out, int64_t packed) {
    const int keep = sizeof(REAL) == sizeof(float); /* floats are shifted on load */
    const int64_t rows_at_once = row_stride == 1 || width == 1 ? n : 8;
    for (int64_t b0 = 0; b0 < width; b0 += 64) {
        int64_t b1 = b0 + 64 < width ? b0 + 64 : width;
        for (int64_t i0 = 0; i0 < n; i0 += rows_at_once) {
            int64_t i1 = i0 + rows_at_once < n ? i0 + rows_at_once : n;
            for (int64_t b = b0; b < b1; b++) {
                const REAL *column = x + b * column_stride;
                REAL *o = out + b * packed;
                double sh = keep ? 0.0 : shift[b];
                for (int64_t i = i0; i < i1; i++) {
                    /* a lone column of a row-major table: every row is another cache line */
                    if (width == 1 && i + 24 < n) ENSFS_PREFETCH(column + (i + 24) * row_stride);
                    o[i] = (REAL)((double)column[i * row_stride] - sh);
                }
            }
        }
        for (int64_t b = b0; b < b1; b++)
            for (int64_t i = n; i < packed; i++)
                out[b * packed + i] = keep ? (REAL)shift[b] : (REAL)0;
    }
}

/* Copies up to 32 neighbouring columns to a panel: out[row][32], rows in the order `rows`. */
static void LR(pack_panel)(const REAL *restrict x, int64_t row_stride, int64_t column_stride,
                           const int64_t *restrict rows, int64_t n, int64_t width,
                           const double *restrict shift, REAL *restrict out) {
    const int keep = sizeof(REAL) == sizeof(float);
    for (int64_t i = 0; i < n; i++) {
        const REAL *row = x + rows[i] * row_stride;
        REAL *o = out + i * 32;
        for (int64_t b = 0; b < width; b++)
            o[b] = keep ? row[b * column_stride]
                        : (REAL)((double)row[b * column_stride] - shift[b]);
        for (int64_t b = width; b < 32; b++) o[b] = 0;
    }
}

/* sums[t][fold][32] += panel[row][32] * y[row][t] for up to four targets, row by row. The tile of
   TILE x 8 columns and four targets stays in registers. */
#if ENSFS_LEVEL_NUMBER == 2
#define TILE 4
#else
#define TILE 1
#endif
static void LR(panel_products)(const REAL *restrict panel, const double *restrict shift,
                               const double *restrict y, const int64_t *restrict bounds,
                               int64_t n_folds, double *restrict sums, int64_t target_stride) {
    for (int64_t f = 0; f < n_folds; f++) {
        for (int k = 0; k < 32; k += 8 * TILE) {
            double *restrict o = sums + f * 32 + k;
            vec8 acc[TILE][4];
            for (int w = 0; w < TILE; w++)
                for (int t = 0; t < 4; t++)
                    acc[w][t] = V_LOAD_double(o + t * target_stride + 8 * w, 0);
            for (int64_t i = bounds[f]; i < bounds[f + 1]; i++) {
                const REAL *row = panel + i * 32 + k;
                vec8 t0 = V_SET1(y[4 * i]), t1 = V_SET1(y[4 * i + 1]);
                vec8 t2 = V_SET1(y[4 * i + 2]), t3 = V_SET1(y[4 * i + 3]);
                for (int w = 0; w < TILE; w++) {
#if ENSFS_IS_FLOAT
                    vec8 x = V_SUB(V_LOAD_float(row + 8 * w, 0.0),
                                   V_LOAD_double(shift + k + 8 * w, 0));
#else
                    vec8 x = V_LOAD_double(row + 8 * w, 0);
#endif
                    V_MULADD(acc[w][0], x, t0);
                    V_MULADD(acc[w][1], x, t1);
                    V_MULADD(acc[w][2], x, t2);
                    V_MULADD(acc[w][3], x, t3);
                }
            }
            for (int w = 0; w < TILE; w++)
                for (int t = 0; t < 4; t++) V_STORE(o + t * target_stride + 8 * w, acc[w][t]);
        }
    }
    (void)shift;
}
#undef TILE
#undef LR
#undef V_LOAD_R

/* Moments of folds and parts for columns side by side, once per instruction set. */
#define ENSFS_STRIP \
    32 /* columns at a time: what is known of them stays in registers and the first cache */

/* Centre, mean (from there) and squared deviations of a fold from the sums of its classes: s and q
   (classes, stride), measured from `centres`; n (classes) rows. `shift` has the centre already. */
static void LV(fold_moments)(const double *centres, const double *s, const double *q, int64_t stride,
                             const double *n, int64_t n_classes, int64_t width,
                             const double *restrict shift, double *restrict rest,
                             double *restrict squares) {
    double size = 0.0;
    for (int64_t b = 0; b < width; b++) rest[b] = squares[b] = 0.0;
    for (int64_t c = 0; c < n_classes; c++) {
        const double *restrict centre = centres + c * stride, *restrict sum = s + c * stride;
        size += n[c];
        if (n[c] > 0)
            for (int64_t b = 0; b < width; b++) rest[b] += n[c] * (centre[b] - shift[b]) + sum[b];
    }
    if (size == 0.0) return;
    for (int64_t b = 0; b < width; b++) rest[b] /= size;
    for (int64_t c = 0; c < n_classes; c++) {
        const double *restrict centre = centres + c * stride, *restrict sum = s + c * stride;
        if (n[c] > 0)
            for (int64_t b = 0; b < width; b++) {
                double d = (centre[b] - shift[b]) + (sum[b] / n[c] - rest[b]);
                squares[b] += deviations(sum[b], q[c * stride + b], n[c]) + n[c] * (d * d);
            }
    }
}

/* Mean of a part, from the centre of its first fold, and its squared deviations, from the moments
   of its folds: shift and rest (folds, stride), squares (folds, width). */
static void LV(part_moments)(const double *shift, const double *rest, int64_t stride,
                             const double *squares, int64_t width, const double *size,
                             const uint8_t *member, int64_t n_folds, int64_t first,
                             double *restrict away, double *restrict total) {
    const double *restrict from = shift + first * stride;
    double n = 0.0;
    for (int64_t b = 0; b < width; b++) away[b] = total[b] = 0.0;
    for (int64_t e = 0; e < n_folds; e++) {
        const double *restrict at = shift + e * stride, *restrict mean = rest + e * stride;
        if (!member[e]) continue;
        n += size[e];
        for (int64_t b = 0; b < width; b++) away[b] += size[e] * ((at[b] - from[b]) + mean[b]);
    }
    for (int64_t b = 0; b < width; b++) away[b] /= n;
    for (int64_t e = 0; e < n_folds; e++) {
        const double *restrict at = shift + e * stride, *restrict mean = rest + e * stride;
        if (!member[e]) continue;
        for (int64_t b = 0; b < width; b++) {
            double d = (at[b] - from[b]) + (mean[b] - away[b]);
            total[b] += squares[e * width + b] + size[e] * (d * d);
        }
    }
}

/* Adds the squared deviations of a class from its mean in a part to `within`. `inner` is that mean
   when each fold is seen from its own centre. */
static void LV(class_moments)(const class_groups *g, const uint8_t *member, int64_t c, double rows,
                              int64_t b0, int64_t w, double *restrict within, double *restrict inner) {
    const double *from = NULL; /* a centre of the class: seen from there, equal values are 0 */
    double mean[ENSFS_STRIP] = {0};
    for (int64_t b = 0; b < w; b++) inner[b] = 0.0;
    for (int64_t e = 0; e < g->n_folds; e++) {
        const double n = g->n[e * g->n_classes + c];
        const int64_t at = (e * g->n_classes + c) * g->width + b0;
        const double *restrict centre = g->centres + at, *restrict s = g->s + at;
        const double *restrict shift = g->shift + e * g->stride + b0;
        if (!member[e] || n == 0) continue;
        if (from == NULL) from = centre;
        for (int64_t b = 0; b < w; b++) {
            mean[b] += n * (centre[b] - from[b]) + s[b];
            inner[b] += n * (centre[b] - shift[b]) + s[b];
        }
    }
    for (int64_t b = 0; b < w; b++) mean[b] /= rows, inner[b] /= rows;
    for (int64_t e = 0; e < g->n_folds; e++) {
        const double n = g->n[e * g->n_classes + c];
        const int64_t at = (e * g->n_classes + c) * g->width + b0;
        const double *restrict centre = g->centres + at, *restrict s = g->s + at;
        if (!member[e] || n == 0) continue;
        for (int64_t b = 0; b < w; b++) {
            double d = (centre[b] - from[b]) + (s[b] / n - mean[b]);
            within[b] += deviations(s[b], g->q[at + b], n) + n * (d * d);
        }
    }
}

/* How far the mean of a class lies from the mean of its part because its rows are not spread over
   the folds as those of the part are: exactly 0 if they are. `size` is the size of the terms. */
static void LV(imbalance)(const class_groups *g, const uint8_t *member, int64_t first, int64_t c,
                          double rows, double n_part, int64_t b0, int64_t w, double *restrict outer,
                          double *restrict size) {
    const double *restrict from = g->shift + first * g->stride + b0;
    for (int64_t b = 0; b < w; b++) outer[b] = size[b] = 0.0;
    for (int64_t e = 0; e < g->n_folds; e++) {
        /* whole numbers: no rounding below 2**53 */
        const double more = g->n[e * g->n_classes + c] * n_part - g->size[e] * rows;
        const double *restrict shift = g->shift + e * g->stride + b0;
        if (!member[e] || more == 0) continue;
        for (int64_t b = 0; b < w; b++) {
            double d = (shift[b] - from[b]) * (more / (rows * n_part));
            outer[b] += d;
            size[b] += fabs(d);
        }
    }
}

/* F statistics in a part; n_class (classes) are its rows, `inner` is scratch (classes, ENSFS_STRIP). */
static void LV(f_of_part)(const class_groups *g, const uint8_t *member, int64_t first,
                          const double *n_class, double *inner, double *restrict out) {
    double n = 0.0;
    int64_t present = 0;
    for (int64_t c = 0; c < g->n_classes; c++) n += n_class[c], present += n_class[c] > 0;
    for (int64_t b0 = 0; b0 < g->width; b0 += ENSFS_STRIP) {
        const int64_t w = b0 + ENSFS_STRIP < g->width ? ENSFS_STRIP : g->width - b0;
        double within[ENSFS_STRIP] = {0}, between[ENSFS_STRIP] = {0}, size[ENSFS_STRIP] = {0},
               grand[ENSFS_STRIP] = {0};
        double outer[ENSFS_STRIP], terms[ENSFS_STRIP];
        for (int64_t c = 0; c < g->n_classes; c++) {
            if (n_class[c] == 0) continue;
            LV(class_moments)(g, member, c, n_class[c], b0, w, within, inner + c * ENSFS_STRIP);
            for (int64_t b = 0; b < w; b++) grand[b] += n_class[c] * inner[c * ENSFS_STRIP + b];
        }
        for (int64_t b = 0; b < w; b++) grand[b] /= n;
        for (int64_t c = 0; c < g->n_classes; c++) {
            if (n_class[c] == 0) continue;
            LV(imbalance)(g, member, first, c, n_class[c], n, b0, w, outer, terms);
            for (int64_t b = 0; b < w; b++) {
                const double mean = inner[c * ENSFS_STRIP + b], d = outer[b] + (mean - grand[b]);
                between[b] += n_class[c] * (d * d);
                size[b] += n_class[c] * (terms[b] * terms[b] + mean * mean);
            }
        }
        for (int64_t b = 0; b < w; b++)
            out[b0 + b] = f_ratio(between[b], within[b], size[b], n, present);
    }
}

/* Sums of products of the deviations of 32 columns, from column f on, with y, in every part.
   `products` (folds, 32) are the sums of the folds; `out` (parts, 32) is written where a column
   lies apart, or everywhere if `all`. */
static void LV(centred_panel)(const fold_centres *c, int64_t f, const double *products,
                              const centres_of_column *y, int all, double *out) {
    const int64_t step = c->fold_step;
    for (int64_t t = 0; t < c->n_parts; t++) {
        const double *restrict from = c->shift + c->first[t] * step + f;
        const double *restrict away = c->away + t * c->away_step + f;
        double sum[32] = {0};
        for (int64_t e = 0; e < c->n_folds; e++) {
            if (!c->member[t * c->n_folds + e]) continue;
            const double *restrict shift = c->shift + e * step + f;
            const double *restrict rest = c->rest + e * step + f;
            const double *restrict product = products + e * 32;
            const double of_y = deviation_of_fold(y, e, c->first[t], t);
            const double y_rest = y->rest[e * y->fold_step], size = c->size[e];
            for (int64_t b = 0; b < 32; b++)
                sum[b] += product_of_fold(product[b], size, (shift[b] - from[b]) + (rest[b] - away[b]),
                                          rest[b], of_y, y_rest);
        }
        for (int64_t b = 0; b < 32; b++)
            if (all || c->apart[f + b]) out[t * 32 + b] = sum[b];
    }
}

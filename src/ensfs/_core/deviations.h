/* Deviations, correlations and F from sums: what rounding leaves of a 0 counts as 0. */
#ifndef ENSFS_DEVIATIONS_H
#define ENSFS_DEVIATIONS_H

#include <math.h>
#include <stdint.h>

/* The share of a sum of n squares that rounding may make up. Where n is the sum of large weights there
   are fewer squares than that. */
static inline double rounding_share(double n) {
    return 9e-16 * (n > 8.0 ? (n < 1e8 ? n : 1e8) : 8.0);
}

/* Squared deviations sum(d*d) - sum(d)^2 / n, exactly 0 where only rounding is left of them. */
static inline double deviations(double s, double q, double n) {
    double ss = q - s * s / n;
    return ss > rounding_share(n) * q ? ss : 0.0;
}

/* Whether sums of squares from a centre are so much larger than those from the mean that digits are
   lost: the mean is then about 32 standard deviations away. */
static inline int far_from_centre(double q, double ss) { return q > 1024.0 * ss; }

/* A correlation, exactly 0 where only rounding is left of it: columns without any redundancy have
   infinite quotients and are tied. */
static inline double no_rounding(double r) { return fabs(r) > 1e-14 ? r : 0.0; }

/* |Pearson| of the columns f and g over all n rows from the sum of their products. */
static inline double pearson_of_product(double product, const double *sum, const double *inverse,
                                        double n, int64_t f, int64_t g) {
    return fabs(no_rounding((product - sum[f] * (sum[g] / n)) * (inverse[f] * inverse[g])));
}

/* F from the squared deviations between and within `present` classes of n rows in all. Means that
   differ by rounding only are equal: without this a column that is constant in a part, but not in
   the fold that it leaves out, could reach infinity. `size` is what the squares of the means are
   made of. */
static inline double f_ratio(double between, double within, double size, double n, int64_t present) {
    if (present < 2 || n <= present || between <= rounding_share(n) * rounding_share(n) * size) return 0.0;
    return within > 0.0 ? (between / (present - 1)) / (within / (n - present)) : INFINITY;
}

#endif

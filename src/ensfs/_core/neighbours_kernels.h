/* Squared distances that change by one column, and their least, once per instruction set. All sets
   give the same bits: the least of the same numbers does not depend on how they are paired. */
#include "lanes.h"

/* A squared distance with one column more (1), less (-1), or as it is (0). */
#define ENSFS_CHANGED(j) (row[j] + sign * ((a - b[j]) * (a - b[j])))

/* A number in every lane. */
ENSFS_INLINE LV(lanes) LV(all)(double x) {
#if ENSFS_LANES == 1
    return x;
#else
    return x - (LV(lanes)){0};
#endif
}

/* The lesser of two numbers in each lane. */
ENSFS_INLINE LV(lanes) LV(lesser)(LV(lanes) x, LV(lanes) y) {
#if ENSFS_LEVEL_NUMBER == 2
    return (LV(lanes))_mm512_min_pd((__m512d)x, (__m512d)y);
#elif ENSFS_LEVEL_NUMBER == 1
    return (LV(lanes))_mm256_min_pd((__m256d)x, (__m256d)y);
#elif ENSFS_LANES == 1
    return x < y ? x : y;
#else
    typedef int64_t mask __attribute__((vector_size(8 * ENSFS_LANES)));
    mask less = (mask)(x < y);
    return (LV(lanes))((less & (mask)x) | (~less & (mask)y));
#endif
}

/* The larger of two numbers in each lane. */
ENSFS_INLINE LV(lanes) LV(larger)(LV(lanes) x, LV(lanes) y) {
#if ENSFS_LEVEL_NUMBER == 2
    return (LV(lanes))_mm512_max_pd((__m512d)x, (__m512d)y);
#elif ENSFS_LEVEL_NUMBER == 1
    return (LV(lanes))_mm256_max_pd((__m256d)x, (__m256d)y);
#else
    return -LV(lesser)(-x, -y);
#endif
}

/* Least of n changed distances. */
ENSFS_INLINE double LV(least_of)(const double *restrict row, const double *restrict b, double a,
                                 double sign, int64_t n) {
    enum { STEP = 4 * ENSFS_LANES };
    LV(lanes) least[4], every = LV(all)(DBL_MAX), at = LV(all)(a), times = LV(all)(sign);
    double best, lanes[ENSFS_LANES];
    int64_t j, lane, whole = n - n % STEP;
    least[0] = least[1] = least[2] = least[3] = every;
    for (j = 0; j < whole; j += STEP)
        for (lane = 0; lane < 4; lane++) {
            int64_t i = j + lane * ENSFS_LANES;
            LV(lanes) apart = at - LV(load_double)(b + i);
            LV(lanes) value = LV(load_double)(row + i) + times * (apart * apart);
            least[lane] = LV(lesser)(value, least[lane]);
        }
    least[0] = LV(lesser)(LV(lesser)(least[0], least[1]), LV(lesser)(least[2], least[3]));
    memcpy(lanes, &least[0], sizeof(lanes));
    best = lanes[0];
    for (lane = 1; lane < ENSFS_LANES; lane++) best = lanes[lane] < best ? lanes[lane] : best;
    for (; j < n; j++) {
        double value = ENSFS_CHANGED(j);
        best = value < best ? value : best;
    }
    return best;
}

/* Distances whose least is found before any is looked at alone. */
#define ENSFS_BLOCK 64

/* A bit for each lane whose number is at most a bound. */
ENSFS_INLINE unsigned LV(at_most)(LV(lanes) x, double bound) {
#if ENSFS_LEVEL_NUMBER == 2
    return _mm512_cmp_pd_mask((__m512d)x, _mm512_set1_pd(bound), _CMP_LE_OQ);
#elif ENSFS_LEVEL_NUMBER == 1
    __m256d less = _mm256_cmp_pd((__m256d)x, _mm256_set1_pd(bound), _CMP_LE_OQ);
    return (unsigned)_mm256_movemask_pd(less);
#else
    double lanes[ENSFS_LANES];
    unsigned bits = 0;
    memcpy(lanes, &x, sizeof(lanes));
    for (int lane = 0; lane < ENSFS_LANES; lane++) bits |= (unsigned)(lanes[lane] <= bound) << lane;
    return bits;
#endif
}

/* A bit for each lane whose number is at most its bound. */
ENSFS_INLINE unsigned LV(at_most_each)(LV(lanes) x, LV(lanes) bound) {
#if ENSFS_LEVEL_NUMBER == 2
    return _mm512_cmp_pd_mask((__m512d)x, (__m512d)bound, _CMP_LE_OQ);
#elif ENSFS_LEVEL_NUMBER == 1
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)x, (__m256d)bound, _CMP_LE_OQ));
#else
    double lanes[ENSFS_LANES], bounds[ENSFS_LANES];
    unsigned bits = 0;
    memcpy(lanes, &x, sizeof(lanes));
    memcpy(bounds, &bound, sizeof(bounds));
    for (int lane = 0; lane < ENSFS_LANES; lane++)
        bits |= (unsigned)(lanes[lane] <= bounds[lane]) << lane;
    return bits;
#endif
}

/* Take a place among the k nearest if it belongs there; the bound after it. While fewer than k are
   found, whatever is within the bound belongs there. */
ENSFS_INLINE double LV(take_place)(double value, int64_t j, int64_t k, double bound, int64_t *found,
                                   double *distance, int64_t *place) {
    int64_t i;
    if (*found == k ? value >= bound : value > bound) return bound;
    for (i = *found < k ? *found : k - 1; i > 0 && distance[i - 1] > value; i--) {
        distance[i] = distance[i - 1];
        place[i] = place[i - 1];
    }
    distance[i] = value;
    place[i] = j;
    *found += *found < k;
    return *found == k ? distance[k - 1] : bound;
}

/* The k nearest of n in order, the lower place of equally near ones first. `place` holds k different
   places before, those of rows that are probably near: nothing that is farther than all of them can
   be among the nearest, so that most rows need no comparison of their own. */
static void LV(nearest_few)(const double *row, const double *b, double a, double sign, int64_t n,
                            int64_t k, double *distance, int64_t *place) {
    enum { STEP = 4 * ENSFS_LANES };
    LV(lanes) at = LV(all)(a), times = LV(all)(sign), value[4], least;
    int64_t i, j, lane, found = 0, whole = n - n % STEP;
    unsigned bits;
    double bound = 0.0;
    for (i = 0; i < k; i++) {
        double known = ENSFS_CHANGED(place[i]);
        bound = i == 0 || known > bound ? known : bound;
    }
    for (j = 0; j < whole; j += STEP) {
        for (lane = 0; lane < 4; lane++) {
            LV(lanes) apart = at - LV(load_double)(b + j + lane * ENSFS_LANES);
            value[lane] = LV(load_double)(row + j + lane * ENSFS_LANES) + times * (apart * apart);
        }
        least = LV(lesser)(LV(lesser)(value[0], value[1]), LV(lesser)(value[2], value[3]));
        if (!LV(at_most)(least, bound)) continue;
        for (lane = 0; lane < 4; lane++) {
            bits = LV(at_most)(value[lane], bound);
            for (i = j + lane * ENSFS_LANES; bits; i++, bits >>= 1)
                if (bits & 1)
                    bound = LV(take_place)(ENSFS_CHANGED(i), i, k, bound, &found, distance, place);
        }
    }
    for (; j < n; j++)
        bound = LV(take_place)(ENSFS_CHANGED(j), j, k, bound, &found, distance, place);
}

/* Offer a row and a later one to each other as one of the k nearest; see `nearest_few`. */
ENSFS_INLINE void LV(offer)(double value, int64_t i, int64_t j, int64_t k, double *bound,
                            int64_t *found, double *distance, int64_t *place) {
    bound[i] = LV(take_place)(value, j, k, bound[i], found + i, distance + i * k, place + i * k);
    bound[j] = LV(take_place)(value, i, k, bound[j], found + j, distance + j * k, place + j * k);
}

/* The k nearest rows of row i and of later ones, as far as these two are concerned: a distance is
   the same both ways and is read once. Called for one row after the other, it offers every row the
   others in their order, so that the lower place of equally near ones comes first. `bound` holds for
   every row what its k nearest are not beyond. */
static void LV(nearest_later)(const double *row, const double *b, double sign, int64_t i, int64_t n,
                              int64_t k, double *bound, int64_t *found, double *distance,
                              int64_t *place) {
    enum { STEP = 4 * ENSFS_LANES };
    double a = b[i];
    LV(lanes) at = LV(all)(a), times = LV(all)(sign), value[4];
    int64_t j = i + 1, lane, at_lane;
    unsigned bits[4];
    for (; j + STEP <= n; j += STEP) {
        LV(lanes) own = LV(all)(bound[i]);
        for (lane = 0; lane < 4; lane++) {
            int64_t first = j + lane * ENSFS_LANES;
            LV(lanes) apart = at - LV(load_double)(b + first);
            value[lane] = LV(load_double)(row + first) + times * (apart * apart);
            bits[lane] = LV(at_most_each)(
                value[lane], LV(larger)(own, LV(load_double)(bound + first)));
        }
        if (!(bits[0] | bits[1] | bits[2] | bits[3])) continue;
        for (lane = 0; lane < 4; lane++)
            for (at_lane = j + lane * ENSFS_LANES; bits[lane]; at_lane++, bits[lane] >>= 1)
                if (bits[lane] & 1)
                    LV(offer)(ENSFS_CHANGED(at_lane), i, at_lane, k, bound, found, distance, place);
    }
    for (; j < n; j++) LV(offer)(ENSFS_CHANGED(j), i, j, k, bound, found, distance, place);
}

/* Place of the nearest of n, the lowest of equally near ones. */
static int64_t LV(nearest_one)(const double *row, const double *b, double a, double sign,
                               int64_t n) {
    int64_t first, j, best_first = 0;
    double best = DBL_MAX;
    for (first = 0; first < n; first += ENSFS_BLOCK) {
        int64_t size = n - first < ENSFS_BLOCK ? n - first : ENSFS_BLOCK;
        double value = LV(least_of)(row + first, b + first, a, sign, size);
        if (value < best) {
            best = value;
            best_first = first;
        }
    }
    for (j = best_first; j < n && j < best_first + ENSFS_BLOCK; j++)
        if (ENSFS_CHANGED(j) == best) return j;
    return best_first;
}

/* Write changed distances; never below 0. */
static void LV(change_row)(double *restrict row, const double *restrict b, double a, double sign,
                           int64_t n) {
    for (int64_t j = 0; j < n; j++) {
        double value = ENSFS_CHANGED(j);
        row[j] = value > 0.0 ? value : 0.0;
    }
}

#undef ENSFS_BLOCK
#undef ENSFS_CHANGED

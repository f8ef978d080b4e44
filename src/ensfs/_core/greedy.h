/* Greedy choice of the column with the best trade of relevance against mean redundancy.

   Scores within a relative 1e-12 of the best are tied, and the lower column wins. A constant column
   enters with relevance -inf and so comes after every other column. A column that is taken (or
   excluded) has evaluated[f] < 0. */
#ifndef ENSFS_GREEDY_H
#define ENSFS_GREEDY_H

#include <math.h>
#include <stdint.h>

enum { SCHEME_QUOTIENT = 0, SCHEME_DIFFERENCE = 1 };

#define TIE_TOLERANCE 1e-12

#include "dispatch.h"
#define ENSFS_KERNELS "greedy_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int greedy_level = 0;
static void greedy_init(void) { greedy_level = chosen_level(); }
#define score_columns ENSFS_PICK(greedy_level, score_columns)
#define reaching ENSFS_PICK(greedy_level, reaching)
#define mrmr_score mrmr_score_generic

/* The least score that counts as tied with `best`. */
static inline double tie_cut(double best, int scheme) {
    if (isinf(best)) return best;
    double size = fabs(best);
    if (scheme == SCHEME_DIFFERENCE && size < 1.0) size = 1.0;
    return best - TIE_TOLERANCE * size;
}

/* Redundancy of column f with column g, which was selected at `place`. */
typedef double (*pair_function)(void *context, int64_t f, int64_t g, int64_t place);

typedef struct {
    int64_t column;
    double score;
    int64_t n_read;
} greedy_choice;

/* What the search knows of every column; `nearest` is the selected column (by its place in the
   order of selection) with the largest redundancy seen, for explanations. */
typedef struct {
    const double *relevance;
    double *sums;
    int32_t *evaluated;
    double *nearest_value;
    int32_t *nearest;
} search_state;

/* Evaluates the missing redundancies of column f in the order of selection, and stops as soon as
   its bound falls below `cut`. Returns the bound reached. */
static double catch_up(pair_function pair, void *context, search_state *s, int64_t f,
                       const int64_t *selected, int32_t j, int scheme, double bound, double cut,
                       int64_t *n_read) {
    double inverse = j ? 1.0 / j : 0.0;
    while (s->evaluated[f] < j && bound >= cut) {
        int32_t place = s->evaluated[f];
        double value = pair(context, f, selected[place], place);
        if (value > s->nearest_value[f]) {
            s->nearest_value[f] = value;
            s->nearest[f] = place;
        }
        s->sums[f] += value;
        s->evaluated[f] = place + 1;
        *n_read += 1;
        bound = mrmr_score(s->relevance[f], s->sums[f], inverse, scheme);
    }
    return bound;
}

/* One step with j columns selected: exact lazy evaluation. Reads rows only for the columns whose
   bound still reaches the best complete score; the choice is that of a full evaluation.
   `bounds` and `candidates` are scratch of length p. */
static greedy_choice lazy_step(pair_function pair, void *context, int64_t p,
                               const int64_t *selected, int32_t j, search_state *s,
                               double *bounds, int64_t *candidates, int scheme) {
    greedy_choice choice = {-1, -INFINITY, 0};
    double best = -INFINITY, cut = -INFINITY;
    double top = score_columns(p, s->relevance, NULL, s->sums, s->evaluated, j ? 1.0 / j : 0.0,
                               scheme, bounds);
    double reach = top;
    int64_t n = 0;

    /* The highest bounds first, so that the rest meets a high score to beat. */
    for (int round = 0; round < 3; round++) {
        n = reaching(p, bounds, reach, candidates);
        for (int64_t i = 0; i < n; i++) {
            int64_t f = candidates[i];
            if (s->evaluated[f] < 0 || bounds[f] < cut) continue;
            bounds[f] = catch_up(pair, context, s, f, selected, j, scheme, bounds[f], cut,
                                 &choice.n_read);
            if (s->evaluated[f] == j && bounds[f] > best) {
                best = bounds[f];
                cut = tie_cut(best, scheme);
            }
        }
        reach = round == 0 && isfinite(top) && isfinite(cut) ? 0.5 * (cut + top) : cut;
    }
    for (int64_t i = 0; i < n && choice.column < 0; i++) {
        int64_t f = candidates[i];
        if (s->evaluated[f] == j && bounds[f] >= cut) {
            choice.column = f;
            choice.score = bounds[f];
        }
    }
    return choice;
}

/* One step with every redundancy known: adds those with the last choice (if any), then chooses. */
static greedy_choice full_step(int64_t p, int32_t j, const double *relevance, const double *values,
                               double *sums, const int32_t *taken, double *scores, int scheme) {
    greedy_choice choice = {-1, -INFINITY, 0};
    double best =
        score_columns(p, relevance, values, sums, taken, j ? 1.0 / j : 0.0, scheme, scores);
    double cut = tie_cut(best, scheme);
    for (int64_t f = 0; f < p; f++) {
        if (scores[f] >= cut && taken[f] >= 0) {
            choice.column = f;
            choice.score = scores[f];
            break;
        }
    }
    return choice;
}

#endif

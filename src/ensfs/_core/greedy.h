/* Greedy choice of the next column from its relevance and its terms with the selected columns.

   Scores within 1e-12 of the best (relative for quotients) are tied, and the lower column wins. A constant column
   enters with relevance -inf and so comes after every other column. A column that is taken (or
   excluded) has evaluated[f] < 0. */
#ifndef ENSFS_GREEDY_H
#define ENSFS_GREEDY_H

#include <math.h>
#include <stdint.h>

/* How the terms of a column (with each selected column) make its score. In the first two they are
   redundancies that weigh against the relevance; in the last two they are what the column adds. */
enum {
    SCHEME_QUOTIENT = 0,   /* relevance / mean of the terms */
    SCHEME_DIFFERENCE = 1, /* relevance - mean of the terms */
    SCHEME_MINIMUM = 2,    /* the least term; the relevance while there is none */
    SCHEME_SUM = 3,        /* the sum of the terms; the relevance while there is none */
};

#define TIE_TOLERANCE 1e-12

#include "dispatch.h"
#define ENSFS_KERNELS "greedy_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int greedy_level = 0;
static void greedy_init(void) { greedy_level = chosen_level(); }
#define score_columns ENSFS_PICK(greedy_level, score_columns)
#define reaching ENSFS_PICK(greedy_level, reaching)
#define column_score column_score_generic

/* The least score that counts as tied with `best`. */
static inline double tie_cut(double best, int scheme) {
    if (isinf(best)) return best;
    double size = fabs(best);
    if (scheme != SCHEME_QUOTIENT && size < 1.0) size = 1.0;
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
   order of selection) with the largest term seen, or the least for a minimum: for explanations. */
typedef struct {
    const double *relevance;
    double *terms;
    int32_t *evaluated;
    double *nearest_value;
    int32_t *nearest;
} search_state;

/* Evaluates the missing redundancies of column f in the order of selection, and stops as soon as
   its bound falls below `cut`. Returns the bound reached. For the minimum, the sum holds the least
   term so far, from the relevance or infinity on. */
static double catch_up(pair_function pair, void *context, search_state *s, int64_t f,
                       const int64_t *selected, int32_t j, int scheme, double bound, double cut,
                       int64_t *n_read) {
    double inverse = j ? 1.0 / j : 0.0;
    while (s->evaluated[f] < j && bound >= cut) {
        int32_t place = s->evaluated[f];
        double value = pair(context, f, selected[place], place);
        int deciding = scheme == SCHEME_MINIMUM ? value < s->terms[f] : value > s->nearest_value[f];
        if (deciding) {
            s->nearest_value[f] = value;
            s->nearest[f] = place;
        }
        if (scheme != SCHEME_MINIMUM)
            s->terms[f] += value;
        else if (deciding)
            s->terms[f] = value;
        s->evaluated[f] = place + 1;
        *n_read += 1;
        if (scheme != SCHEME_SUM || place + 1 == j)
            bound = column_score(s->relevance[f], s->terms[f], inverse, scheme);
    }
    return bound;
}

/* One step with j columns selected: exact lazy evaluation. Reads rows only for the columns whose
   bound still reaches the best complete score; the choice is that of a full evaluation.
   `hint` is a column that is likely to win, or -1; it saves reading, and changes nothing else.
   `bounds` and `candidates` are scratch of length p.
   After `limit` pairs (if it is positive) the step stops with column UNFINISHED; what was read is in
   the state, and calling again goes on. */
#define UNFINISHED (-2)
static greedy_choice lazy_step(pair_function pair, void *context, int64_t p,
                               const int64_t *selected, int32_t j, search_state *s,
                               double *bounds, int64_t *candidates, int scheme, int64_t hint,
                               int64_t limit) {
    greedy_choice choice = {-1, -INFINITY, 0};
    double best = -INFINITY, cut = -INFINITY;
    double top = score_columns(p, s->relevance, NULL, s->terms, s->evaluated, j ? 1.0 / j : 0.0,
                               scheme, bounds);
    double reach = top;
    int64_t n = 0;
    if (scheme == SCHEME_SUM && j) /* a sum of gains has no bound before it is complete */
        for (int64_t f = 0; f < p; f++)
            if (bounds[f] > -INFINITY) bounds[f] = top = reach = INFINITY;

    /* The highest bounds first (or the hint), so that the rest meets a high score to beat. */
    int hinted = hint >= 0 && s->evaluated[hint] >= 0 && bounds[hint] > -INFINITY;
    for (int round = 0; round < 3; round++) {
        if (round == 0 && hinted) {
            candidates[0] = hint;
            n = 1;
        } else {
            n = reaching(p, bounds, reach, candidates);
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t f = candidates[i];
            if (s->evaluated[f] < 0 || bounds[f] < cut) continue;
            bounds[f] = catch_up(pair, context, s, f, selected, j, scheme, bounds[f], cut,
                                 &choice.n_read);
            if (s->evaluated[f] == j && bounds[f] > best) {
                best = bounds[f];
                cut = tie_cut(best, scheme);
            }
            if (limit > 0 && choice.n_read >= limit) {
                choice.column = UNFINISHED;
                return choice;
            }
        }
        reach = round == 0 && isfinite(top) && isfinite(cut) ? 0.5 * (cut + top) : cut;
        if (round == 0 && hinted) {
            reach = cut;
            round = 1;
        }
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
                               double *terms, const int32_t *taken, double *scores, int scheme) {
    greedy_choice choice = {-1, -INFINITY, 0};
    double best =
        score_columns(p, relevance, values, terms, taken, j ? 1.0 / j : 0.0, scheme, scores);
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

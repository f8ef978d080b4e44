/* Greedy choice of the next column from its relevance and its terms with the selected columns.

   Scores within 1e-12 of the best (relative for quotients) are tied, and the lower column wins. A
   constant column enters with relevance -inf and so comes after every other column. A column that is
   taken (or excluded) has evaluated[f] < 0. */
#ifndef ENSFS_GREEDY_H
#define ENSFS_GREEDY_H

#include <math.h>
#include <stdint.h>

/* A criterion, from the terms of a column (one with each selected column) to its score: flags, as
   criteria.py sets them. The terms are added, or the least or the largest is kept; their sum may be
   divided by their number. Then they weigh against the relevance, or are the score themselves (the
   relevance is, while there are none). */
enum {
    CRITERION_MINIMUM = 1,    /* keep the least term */
    CRITERION_MEAN = 2,       /* divide the sum by the number of terms */
    CRITERION_DIFFERENCE = 4, /* relevance - terms */
    CRITERION_QUOTIENT = 8,   /* relevance / terms */
    CRITERION_MAXIMUM = 16,   /* keep the largest term */
    CRITERION_DISCOUNT = 32,  /* relevance * (1 - terms^2)^2 */
};

#define ENSFS_TIE_TOLERANCE 1e-12

/* A column whose association with another is so close to 1 is a copy of it. */
#define ENSFS_COPY_TOLERANCE 1e-14

/* Scores are followed by the largest of every so many of them, where a search looks first. */
#define ENSFS_BLOCK_OF_TOPS 16
static inline int64_t scores_workspace(int64_t p) {
    return p + (p + ENSFS_BLOCK_OF_TOPS - 1) / ENSFS_BLOCK_OF_TOPS;
}

#include "dispatch.h"
#define ENSFS_KERNELS "greedy_kernels.h"
#include "per_level.h"
#undef ENSFS_KERNELS

static int greedy_level = 0;
static void greedy_init(void) { greedy_level = chosen_level(); }
#define ENSFS_GREEDY(name) ENSFS_PICK(greedy_level, name)

/* The least score that counts as tied with `best`. */
static inline double tie_cut(double best, int criterion) {
    if (isinf(best)) return best;
    double size = fabs(best);
    if (!(criterion & CRITERION_QUOTIENT) && size < 1.0) size = 1.0;
    return best - ENSFS_TIE_TOLERANCE * size;
}

/* Redundancy of column f with column g, which was selected at `place`. */
typedef double (*pair_function)(void *context, int64_t f, int64_t g, int64_t place);

typedef struct {
    int64_t column;
    double score;
} greedy_choice;

/* The search in one part: what it reads rows with, what it knows of every column, what it chose.
   `nearest` is the selected column (by its place in the order of selection) with the largest term
   seen, or the least for a minimum: for explanations, or NULL. */
typedef struct {
    pair_function pair;
    void (*prepare)(void *context, int64_t place, int64_t g); /* called for each choice, or NULL */
    void *context;
    const double *relevance;
    double *terms; /* their sum, or the least or largest of them */
    int32_t *evaluated;
    double *nearest_value;
    int32_t *nearest;
    double *bounds; /* scratch, with room for the tops */
    /* scratch: columns that have terms. The bounds of the others stay as they are. */
    int32_t *touched;
    int64_t n_touched;
    /* in the order of selection: column, score, mean of its terms (or the largest), how many were
       evaluated */
    int64_t *selected;
    double *scores, *redundancy;
    int32_t *depth;
    double best, cut; /* of the step */
} search_state;

/* What the terms of j selected columns are multiplied by; 0 while there are none. */
static inline double weight_of_terms(int32_t j, int criterion) {
    if (j == 0) return 0.0;
    return criterion & CRITERION_MEAN ? 1.0 / j : 1.0;
}

/* Evaluates the missing terms of column f in the order of selection, and stops as soon as its bound
   falls below the cut. Returns how many it read. */
static int64_t catch_up(search_state *s, int64_t f, int32_t j, int criterion) {
    const int minimum = criterion & CRITERION_MINIMUM, maximum = criterion & CRITERION_MAXIMUM;
    double weight = weight_of_terms(j, criterion), bound = s->bounds[f];
    int32_t start = s->evaluated[f];
    while (s->evaluated[f] < j && bound >= s->cut) {
        int32_t place = s->evaluated[f];
        double value = s->pair(s->context, f, s->selected[place], place);
        if (s->nearest && (minimum ? value < s->terms[f] : value > s->nearest_value[f])) {
            s->nearest_value[f] = value;
            s->nearest[f] = place;
        }
        if (!(minimum || maximum))
            s->terms[f] += value;
        else if (minimum ? value < s->terms[f] : value > s->terms[f])
            s->terms[f] = value;
        if (place == 0) s->touched[s->n_touched++] = (int32_t)f;
        s->evaluated[f] = place + 1;
        bound = column_score_generic(s->relevance[f], s->terms[f], weight, criterion);
    }
    s->bounds[f] = bound;
    if (s->evaluated[f] == j && bound > s->best) {
        s->best = bound;
        s->cut = tie_cut(bound, criterion);
    }
    return s->evaluated[f] - start;
}

/* Catches up with the columns start..stop (start at a block of tops) whose bound reaches `reach`, in
   order of index, until `limit` pairs are read. Returns how many were read. */
static int64_t sweep(search_state *s, int64_t p, int64_t start, int64_t stop, int32_t j, int criterion,
                     double reach, int64_t *candidates, int64_t limit) {
    int64_t n = ENSFS_GREEDY(reaching)(p, s->bounds, start, stop, reach, candidates), n_read = 0;
    for (int64_t i = 0; i < n && n_read < limit; i++) {
        int64_t f = candidates[i];
        if (s->evaluated[f] >= 0 && s->bounds[f] >= s->cut) n_read += catch_up(s, f, j, criterion);
    }
    return n_read;
}

/* Writes the top of the block of column f anew. */
static void renew_top(double *bounds, int64_t p, int64_t f) {
    int64_t block = f / ENSFS_BLOCK_OF_TOPS, end = (block + 1) * ENSFS_BLOCK_OF_TOPS;
    double top = -INFINITY;
    for (int64_t i = block * ENSFS_BLOCK_OF_TOPS; i < end && i < p; i++)
        top = bounds[i] > top ? bounds[i] : top;
    bounds[p + block] = top;
}

/* Lists the columns that have terms. */
static void find_touched(search_state *s, int64_t p) {
    s->n_touched = 0;
    for (int64_t f = 0; f < p; f++)
        if (s->evaluated[f] > 0) s->touched[s->n_touched++] = (int32_t)f;
}

/* Bounds with j columns selected; gives the largest. `anew` if those of the step before are not
   there, or had another meaning. */
static double renew_bounds(search_state *s, int64_t p, int32_t j, int criterion, int anew) {
    const double weight = weight_of_terms(j, criterion);
    double top = -INFINITY;
    if (anew || 16 * s->n_touched > p)
        return ENSFS_GREEDY(score_columns)(p, s->relevance, NULL, s->terms, s->evaluated, weight,
                                           criterion, s->bounds);
    for (int64_t i = 0; i < s->n_touched; i++) {
        int32_t f = s->touched[i];
        if (s->evaluated[f] >= 0)
            s->bounds[f] = column_score_generic(s->relevance[f], s->terms[f], weight, criterion);
    }
    for (int64_t i = 0; i < s->n_touched; i++) renew_top(s->bounds, p, s->touched[i]);
    for (int64_t f = p; f < scores_workspace(p); f++) top = s->bounds[f] > top ? s->bounds[f] : top;
    return top;
}

/* Bounds of all columns, and a high score to beat: that of the hint, or of the highest bounds. */
static int64_t open_step(search_state *s, int64_t p, int32_t j, int criterion, int anew, int64_t hint,
                         int64_t *candidates, int64_t limit) {
    double top = renew_bounds(s, p, j, criterion, anew);
    s->best = s->cut = -INFINITY;
    if (hint >= 0 && s->evaluated[hint] >= 0 && s->bounds[hint] > -INFINITY)
        return catch_up(s, hint, j, criterion);
    int64_t n_read = sweep(s, p, 0, p, j, criterion, top, candidates, limit);
    if (isfinite(top) && isfinite(s->cut) && n_read < limit)
        n_read += sweep(s, p, 0, p, j, criterion, 0.5 * (s->cut + top), candidates, limit);
    return n_read;
}

/* The first column with a score of at least `cut` that has `evaluated` terms (any number if -1) and
   is not taken, or -1. */
static int64_t first_reaching(int64_t p, const double *scores, double cut, const int32_t *evaluated,
                              int32_t wanted) {
    for (int64_t f = 0; f < p; f++) {
        if (f % ENSFS_BLOCK_OF_TOPS == 0 && !(scores[p + f / ENSFS_BLOCK_OF_TOPS] >= cut))
            f += ENSFS_BLOCK_OF_TOPS - 1;
        else if (scores[f] >= cut && evaluated[f] >= 0 && (wanted < 0 || evaluated[f] == wanted))
            return f;
    }
    return -1;
}

/* Takes the first column among those that are tied for the best score. Returns whether there is one. */
static int close_step(search_state *s, int64_t p, int32_t j, int criterion) {
    int64_t f = first_reaching(p, s->bounds, s->cut, s->evaluated, j);
    if (f < 0) return 0;
    s->selected[j] = f;
    s->scores[j] = s->bounds[f];
    s->redundancy[j] = j ? s->terms[f] / (criterion & CRITERION_MAXIMUM ? 1 : j) : NAN;
    s->depth[j] = s->evaluated[f];
    s->evaluated[f] = -1;
    s->bounds[f] = -INFINITY;
    renew_top(s->bounds, p, f);
    if (s->prepare) s->prepare(s->context, j, f);
    return 1;
}

/* One step with j columns selected: reads rows only for the columns whose bound still reaches the
   best complete score, so that the best is that of a full evaluation. The parts go through the
   columns together, `at_once` at a time: they mostly read the same ones, which are still in the
   cache. Returns the number of pairs read, at least `limit` if it did not come to the end. */
static int64_t lazy_step(search_state *states, int64_t n_parts, int64_t p, int64_t at_once, int32_t j,
                         int criterion, int anew, int64_t hint, int64_t *candidates, int64_t limit) {
    int64_t n_read = 0;
    for (int64_t t = 0; t < n_parts && n_read < limit; t++)
        n_read += open_step(states + t, p, j, criterion, anew, hint, candidates, limit);
    for (int64_t start = 0; start < p; start += at_once) {
        int64_t stop = start + at_once < p ? start + at_once : p;
        for (int64_t t = 0; t < n_parts && n_read < limit; t++)
            n_read += sweep(states + t, p, start, stop, j, criterion, states[t].cut, candidates, limit);
    }
    return n_read;
}

/* Steps from `start` to `stop` of greedy selection by exact lazy evaluation in some parts. Another term
   must never raise the score of a column. `hints` are columns that are likely to win, or NULL; they
   save reading, and change nothing else. `candidates` is scratch of length p. Returns the step it came
   to: before `stop` when about `limit` pairs are read, and calling again goes on; -1 if a step has no
   column that can be compared. */
static int32_t lazy_search(search_state *states, int64_t n_parts, int64_t p, int64_t at_once,
                           int32_t start, int32_t stop, int criterion, const int64_t *hints,
                           int64_t *candidates, int64_t limit) {
    const int64_t step_costs = n_parts * p / 64; /* all scores of a step, in pairs */
    int64_t n_read = 0;
    for (int64_t t = 0; t < n_parts; t++) find_touched(states + t, p);
    for (int32_t j = start; j < stop; j++) {
        if (n_read >= limit) return j;
        int anew = j == start || j < 2; /* without a selected column the scores are the relevance */
        int64_t n = lazy_step(states, n_parts, p, at_once, j, criterion, anew, hints ? hints[j] : -1,
                              candidates, limit);
        if (n >= limit) return j;
        n_read += n + step_costs;
        for (int64_t t = 0; t < n_parts; t++)
            if (!close_step(states + t, p, j, criterion)) return -1;
    }
    return stop;
}

/* One step with every redundancy known: adds those with the last choice (if any), then chooses. */
static greedy_choice full_step(int64_t p, int32_t j, const double *relevance, const double *values,
                               double *terms, const int32_t *taken, double *scores, int criterion) {
    double best = ENSFS_GREEDY(score_columns)(p, relevance, values, terms, taken,
                                              weight_of_terms(j, criterion), criterion, scores);
    int64_t first = first_reaching(p, scores, tie_cut(best, criterion), taken, -1);
    greedy_choice choice = {first, -INFINITY};
    if (choice.column >= 0) choice.score = scores[choice.column];
    return choice;
}

#endif

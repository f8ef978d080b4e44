"""Greedy choice with every term known: one step for several parts at once."""

from libc.stdint cimport int32_t, int64_t

cdef extern from "greedy.h":
    enum:
        CRITERION_MINIMUM
        CRITERION_MEAN
        CRITERION_DIFFERENCE
        CRITERION_QUOTIENT
    ctypedef struct greedy_choice:
        int64_t column
        double score
    void greedy_init() noexcept
    int64_t room_for_scores(int64_t) noexcept nogil
    greedy_choice full_step(
        int64_t, int32_t, const double*, const double*, double*, const int32_t*, double*,
        int) noexcept nogil

greedy_init()

#: Flags of a criterion; see ``ensfs.search.criteria``.
minimum, mean, difference, quotient = (
    CRITERION_MINIMUM, CRITERION_MEAN, CRITERION_DIFFERENCE, CRITERION_QUOTIENT)


def scores_room(Py_ssize_t p):
    """Length of the scratch for the scores of `p` columns."""
    return room_for_scores(p)


def step(
    int j,                            # IN  columns selected so far
    const double[:, ::1] relevance,   # IN  (parts, p), -inf for constant columns
    const double[:, ::1] values,      # IN  (parts, p) terms with the last choice, or None
    double[:, ::1] terms,             # IN/OUT (parts, p) sum (or least) of the terms so far
    int32_t[:, ::1] taken,            # IN/OUT (parts, p) negative where taken
    double[::1] scores,               # TEMP (scores_room(p),)
    int criterion,                    # IN  flags
    Py_ssize_t start, Py_ssize_t stop,    # parts
    int64_t[::1] chosen,              # OUT (parts,)
    double[::1] chosen_score,         # OUT (parts,)
):
    """Join the last terms, then choose the next column of the parts ``start:stop``."""
    cdef Py_ssize_t t, p = relevance.shape[1]
    cdef greedy_choice choice

    if terms.shape[1] != p or taken.shape[1] != p or p == 0:
        raise ValueError("shapes do not agree")
    if scores.shape[0] < room_for_scores(p):
        raise ValueError("shapes do not agree")
    with nogil:
        for t in range(start, stop):
            choice = full_step(
                p, j, &relevance[t, 0], NULL if values is None else &values[t, 0], &terms[t, 0],
                &taken[t, 0], &scores[0], criterion)
            chosen[t] = choice.column
            chosen_score[t] = choice.score
            if choice.column >= 0:
                taken[t, choice.column] = -1

"""Greedy choice with every term known, for several parts, and the arrays of lazy searches."""

from libc.stdint cimport int32_t, int64_t

from ensfs._core.checks cimport check_length, check_shape, check_range, check_space
from ensfs._core.greedy cimport greedy_init, scores_workspace, search_state

cdef extern from "greedy.h":
    enum:
        CRITERION_MINIMUM
        CRITERION_MEAN
        CRITERION_DIFFERENCE
        CRITERION_QUOTIENT
        CRITERION_MAXIMUM
        CRITERION_DISCOUNT
    ctypedef struct greedy_choice:
        int64_t column
        double score
    greedy_choice full_step(
        int64_t, int32_t, const double*, const double*, double*, const int32_t*, double*,
        int) noexcept nogil

greedy_init()

#: Flags of a criterion; see ``ensfs.search.criteria``.
minimum, mean, difference, quotient, maximum, discount = (
    CRITERION_MINIMUM, CRITERION_MEAN, CRITERION_DIFFERENCE, CRITERION_QUOTIENT,
    CRITERION_MAXIMUM, CRITERION_DISCOUNT)


def scores_size(Py_ssize_t p):
    """Length of the workspace for the scores of `p` columns."""
    return scores_workspace(p)


cdef class SearchArrays:
    """What a lazy search knows of every column in some parts, and what it chose."""

    def __init__(
        self,
        const double[:, ::1] relevance,   # IN  (parts, p), -inf for constant columns
        double[:, ::1] terms,             # IN/OUT (parts, p) sum, least or largest of the terms
        int32_t[:, ::1] evaluated,        # IN/OUT (parts, p) how many of them; negative if taken
        double[:, ::1] nearest_value,     # IN/OUT (parts, p) largest redundancy seen, or None
        int32_t[:, ::1] nearest,          # IN/OUT (parts, p) and with which choice, or None
        int64_t[:, ::1] selected,         # IN/OUT (parts, k) columns in the order of selection
        double[:, ::1] scores,            # OUT (parts, k) their scores
        double[:, ::1] redundancy,        # OUT (parts, k) the mean (or largest) of their terms
        int32_t[:, ::1] depth,            # OUT (parts, k) how many of them were evaluated
        double[:, ::1] bounds,            # TEMP (parts, scores_size(p))
        int32_t[:, ::1] touched,          # TEMP (parts, p)
        int64_t[::1] candidates,          # TEMP (p,)
    ):
        cdef Py_ssize_t n_parts = relevance.shape[0], p = relevance.shape[1]
        cdef Py_ssize_t k = selected.shape[1]

        if n_parts == 0 or p == 0:
            raise ValueError("relevance must have at least one part and one column")
        check_shape(terms.shape, n_parts, p, "terms")
        check_shape(evaluated.shape, n_parts, p, "evaluated")
        if (nearest is None) != (nearest_value is None):
            raise ValueError("nearest and nearest_value must both be given, or neither")
        if nearest is not None:
            check_shape(nearest.shape, n_parts, p, "nearest")
            check_shape(nearest_value.shape, n_parts, p, "nearest_value")
        check_shape(selected.shape, n_parts, k, "selected")
        check_shape(scores.shape, n_parts, k, "scores")
        check_shape(redundancy.shape, n_parts, k, "redundancy")
        check_shape(depth.shape, n_parts, k, "depth")
        check_shape(bounds.shape, n_parts, scores_workspace(p), "bounds")
        check_shape(touched.shape, n_parts, p, "touched")
        check_length(candidates.shape[0], p, "candidates")
        self.n_parts, self.n_features, self.n_steps = n_parts, p, k
        self.relevance, self.terms, self.evaluated = relevance, terms, evaluated
        self.nearest_value, self.nearest = nearest_value, nearest
        self.selected, self.scores, self.redundancy = selected, scores, redundancy
        self.depth, self.bounds = depth, bounds
        self.touched, self.candidates = touched, candidates

    cdef void fill(self, Py_ssize_t t, search_state* state) noexcept:
        """Point the state of a search at the arrays of part ``t``."""
        state.relevance = &self.relevance[t, 0]
        state.terms = &self.terms[t, 0]
        state.evaluated = &self.evaluated[t, 0]
        state.nearest_value = NULL if self.nearest is None else &self.nearest_value[t, 0]
        state.nearest = NULL if self.nearest is None else &self.nearest[t, 0]
        state.bounds = &self.bounds[t, 0]
        state.touched = &self.touched[t, 0]
        state.selected = &self.selected[t, 0] if self.n_steps else NULL
        state.scores = &self.scores[t, 0] if self.n_steps else NULL
        state.redundancy = &self.redundancy[t, 0] if self.n_steps else NULL
        state.depth = &self.depth[t, 0] if self.n_steps else NULL

    cdef int check_steps(
        self, Py_ssize_t start, Py_ssize_t stop, const int64_t[::1] hints
    ) except -1:
        """Raise an error unless the arrays have places for the steps."""
        check_range(start, stop, self.n_steps, "steps")
        if hints is not None:
            check_space(hints.shape[0], stop, "hints")
        return 0


def step(
    int j,                            # IN  columns selected so far
    const double[:, ::1] relevance,   # IN  (parts, p), -inf for constant columns
    const double[:, ::1] values,      # IN  (parts, p) terms with the last choice, or None
    double[:, ::1] terms,             # IN/OUT (parts, p) sum, least or largest of the terms so far
    int32_t[:, ::1] taken,            # IN/OUT (parts, p) negative where taken
    double[::1] scores,               # TEMP (scores_size(p),)
    int criterion,                    # IN  flags
    Py_ssize_t start, Py_ssize_t stop,    # parts
    int64_t[::1] chosen,              # OUT (parts,)
    double[::1] chosen_score,         # OUT (parts,)
):
    """Join the last terms, then choose the next column of the parts ``start:stop``."""
    cdef Py_ssize_t t, p = relevance.shape[1]
    cdef greedy_choice choice

    if p == 0:
        raise ValueError("relevance must have at least one column")
    check_range(start, stop, relevance.shape[0], "parts")
    check_shape(terms.shape, relevance.shape[0], p, "terms")
    check_shape(taken.shape, relevance.shape[0], p, "taken")
    if values is not None:
        check_shape(values.shape, relevance.shape[0], p, "values")
    check_space(chosen.shape[0], stop, "chosen")
    check_space(chosen_score.shape[0], stop, "chosen_score")
    check_space(scores.shape[0], scores_workspace(p), "scores")
    with nogil:
        for t in range(start, stop):
            choice = full_step(
                p, j, &relevance[t, 0], NULL if values is None else &values[t, 0], &terms[t, 0],
                &taken[t, 0], &scores[0], criterion)
            chosen[t] = choice.column
            chosen_score[t] = choice.score
            if choice.column >= 0:
                taken[t, choice.column] = -1

"""Pairs of coded columns counted once for all parts that leave out one fold; see discrete.h."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from ensfs._core.checks cimport check_bounds, check_length, check_range, check_shape
from ensfs._core.discrete cimport MeasureRows, discrete_init, fixed_sums, measure_rows

cdef extern from "discrete.h":
    enum:
        MAX_PARTS
    ctypedef struct fold_store:
        const uint64_t* planes
        const int64_t* plane_start
        int32_t* margins
        int64_t* entropy
        int32_t* observed
        const int64_t* n_part
        const int64_t* total
        const double* units
        double chance
        const measure_rows* measure
        const int64_t* klogk
        int64_t n_columns, n_folds, fold_words, n_words
    void prefetch_lines(const void*, int64_t) noexcept nogil
    void prefetch_fold_column(const fold_store*, int64_t) noexcept nogil
    void fix_parts(const fold_store*, int64_t, fixed_sums*) noexcept nogil
    void measure_parts "ENSFS_DISCRETE(measure_parts)"(
        const fold_store*, int64_t, int64_t, const fixed_sums*, uint64_t, double*) noexcept nogil
    void count_fold_margins(fold_store*) noexcept nogil

discrete_init()

max_parts = MAX_PARTS

cdef enum:
    LOOK_AHEAD = 3  # columns: what takes as long as memory does to answer


cdef class FoldStore:
    """Coded columns, the target last, with each fold in words of its own: all parts at once."""

    cdef fold_store store
    cdef object keep

    def __init__(
        self,
        const uint64_t[:, ::1] planes,       # IN  (planes, folds * words of a fold)
        const int64_t[::1] plane_start,      # IN  (columns + 1,)
        const int64_t[::1] n_part,           # IN  (folds,) rows of each part
        const int64_t[::1] total,            # IN  (folds,) klogk of these
        const double[::1] units,             # IN  (folds,) weight of the row, times the value of a
                                             #     unit in bits unless the measure is divided
        double chance,                       # IN  half a nat in fixed point
        const int64_t[::1] klogk,            # IN  k * log2(k) in fixed point
        MeasureRows measure,                 # IN  of pairs, one row
        int32_t[:, ::1] margins,             # OUT (planes + columns, folds)
        int64_t[:, ::1] entropy,             # OUT (columns, folds)
        int32_t[:, ::1] observed,            # OUT (columns, folds) levels that occur
    ):
        cdef Py_ssize_t n_folds = n_part.shape[0]

        if not 1 <= n_folds <= MAX_PARTS:
            raise ValueError(f"n_part must have 1 to {MAX_PARTS} entries; got {n_folds}")
        if planes.shape[1] % n_folds:
            raise ValueError(
                f"planes must have a multiple of {n_folds} words; got {planes.shape[1]}")
        check_bounds(plane_start, planes.shape[0], "plane_start")
        check_length(total.shape[0], n_folds, "total")
        check_length(units.shape[0], n_folds, "units")
        check_shape(entropy.shape, plane_start.shape[0] - 1, n_folds, "entropy")
        check_shape(observed.shape, entropy.shape[0], n_folds, "observed")
        check_shape(margins.shape, planes.shape[0] + entropy.shape[0], n_folds, "margins")
        if measure.measure.uses_target or not (
            measure.measure.is_one_row or measure.measure.is_divided
        ):
            raise ValueError("the measure is not one row of pairs")
        self.keep = (
            planes, plane_start, n_part, total, units, klogk, measure, margins, entropy, observed)
        self.store.planes = &planes[0, 0] if planes.shape[0] else NULL
        self.store.plane_start = &plane_start[0]
        self.store.margins = &margins[0, 0]
        self.store.entropy, self.store.observed = &entropy[0, 0], &observed[0, 0]
        self.store.n_part = &n_part[0]
        self.store.total = &total[0]
        self.store.units, self.store.chance = &units[0], chance
        self.store.measure = &measure.measure
        self.store.klogk = &klogk[0]
        self.store.n_columns = entropy.shape[0]
        self.store.n_folds = n_folds
        self.store.fold_words = planes.shape[1] // n_folds
        self.store.n_words = planes.shape[1]
        with nogil:
            count_fold_margins(&self.store)

    def measure(
        self,
        Py_ssize_t g,                 # IN  column
        Py_ssize_t start, Py_ssize_t stop,    # columns
        double[:, ::1] out,           # OUT (parts, p)
    ):
        """The measure of the columns ``start:stop`` with column ``g`` in all parts."""
        cdef Py_ssize_t f, t
        cdef double values[MAX_PARTS]
        cdef fixed_sums fixed[MAX_PARTS]

        check_length(out.shape[0], self.store.n_folds, "out")
        check_range(start, stop, min(self.store.n_columns, out.shape[1]), "columns")
        check_range(g, g + 1, self.store.n_columns, "g")
        with nogil:
            fix_parts(&self.store, g, fixed)
            for f in range(start, stop):
                measure_parts(&self.store, f, g, fixed, ~<uint64_t>0, values)
                for t in range(self.store.n_folds):
                    out[t, f] = values[t]

    def redundant(
        self,
        Py_ssize_t g,                 # IN  column to compare with
        const int64_t[::1] columns,   # IN  columns to look at
        const uint64_t[::1] pending,  # IN  (p,) bit t: part t has not decided about the column
        const double[:, ::1] relevance,   # IN  (p, parts)
        double tolerance,
        uint64_t[::1] out,            # OUT (columns,) bit t: pending and redundant in part t
    ):
        """In which parts the columns know no more of the target than ``g`` knows of them."""
        cdef Py_ssize_t i, t, q, ahead, n_parts = self.store.n_folds
        cdef uint64_t bits, wanted
        cdef double values[MAX_PARTS]
        cdef fixed_sums fixed[MAX_PARTS]

        check_length(out.shape[0], columns.shape[0], "out")
        check_length(relevance.shape[1], n_parts, "rows of relevance")
        with nogil:
            fix_parts(&self.store, g, fixed)
            for i in range(columns.shape[0]):
                q = columns[i]
                if i + LOOK_AHEAD < columns.shape[0]:
                    ahead = columns[i + LOOK_AHEAD]
                    prefetch_fold_column(&self.store, ahead)
                    prefetch_lines(&relevance[ahead, 0], n_parts * sizeof(double))
                wanted = pending[q]
                measure_parts(&self.store, q, g, fixed, wanted, values)
                bits = 0
                for t in range(n_parts):
                    if wanted >> t & 1 and values[t] >= relevance[q, t] - tolerance:
                        bits |= <uint64_t>1 << t
                out[i] = bits


def remove_in_part(
    const int64_t[::1] columns,       # IN  columns that were looked at: at least the pending
    const uint64_t[::1] redundant,    # IN  (columns,) bit t: redundant in part t
    Py_ssize_t t,                     # IN  part
    Py_ssize_t g,                     # IN  column that removes
    const double[::1] key,            # IN  (p,) what the part orders its columns by
    int64_t[::1] removed_by,          # OUT (p,)
    uint64_t[::1] pending,            # IN/OUT (p,) bit t: part t has not decided about the column
):
    """Remove from one part what ``g`` makes redundant: (the next column or -1, pairs compared)."""
    cdef Py_ssize_t i, q, n_compared = 0, best = -1

    with nogil:
        for i in range(columns.shape[0]):
            q = columns[i]
            if pending[q] >> t & 1:
                n_compared += 1
                if redundant[i] >> t & 1:
                    removed_by[q] = g
                    pending[q] &= ~(<uint64_t>1 << t)
                elif best < 0 or key[q] > key[best]:
                    best = q
    return best, n_compared

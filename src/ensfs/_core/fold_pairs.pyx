"""Pairs of coded columns counted once for all parts that leave out one fold; see discrete.h."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
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
    int64_t fold_counts "ENSFS_DISCRETE(fold_counts)"(
        const uint64_t*, const uint64_t*, int64_t, int64_t, int64_t*) noexcept nogil

discrete_init()

max_parts = MAX_PARTS

ctypedef fused count_t:
    int32_t
    int64_t

cdef enum:
    LOOK_AHEAD = 3  # columns: what takes as long as memory does to answer


cdef inline Py_ssize_t check_fold_words(Py_ssize_t words, Py_ssize_t n_folds) except -1:
    """Words of a fold, if all folds have as many; else an error."""
    check_space(n_folds, 1, "folds")
    if words % n_folds:
        raise ValueError(f"planes must have a multiple of {n_folds} words; got {words}")
    return words // n_folds


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


def count_planes(
    const uint64_t[:, ::1] planes,    # IN  (planes, folds * words of a fold)
    int64_t[:, ::1] out,              # OUT (planes, folds)
):
    """Rows that each plane marks in each fold, a fold being a number of whole words."""
    cdef Py_ssize_t k, n_folds = out.shape[1], words

    check_length(out.shape[0], planes.shape[0], "out")
    words = check_fold_words(planes.shape[1], n_folds)
    with nogil:
        for k in range(planes.shape[0]):
            fold_counts(&planes[k, 0], &planes[k, 0], n_folds, words, &out[k, 0])


def add_pairs(
    const uint64_t[:, ::1] planes,    # IN  (planes, folds * words of a fold) of all columns
    const int64_t[::1] plane_start,   # IN  (columns + 1,)
    const int64_t[:, ::1] marked,     # IN  (planes, folds) as `count_planes` gives them
    const int64_t[::1] columns,       # IN  (m,) those to count
    const int64_t[::1] places,        # IN  (m,) where the levels of each begin in the tables
    const uint64_t[:, ::1] target,    # IN  (levels - 1, folds * words) planes of one more column
    const int64_t[:, ::1] target_marked,  # IN  (levels - 1, folds)
    const int64_t[::1] n_rows,        # IN  (folds,)
    count_t[:, :, ::1] tables,        # OUT (folds, levels, places), added to
    int64_t[:, ::1] scratch,          # TEMP (levels + 2, folds)
):
    """Count some columns against a target, fold by fold, from the rows that two planes share.

    What planes do not mark is level 0, so its counts are what the others leave.
    """
    cdef Py_ssize_t f, i, j, k, e, n_folds = n_rows.shape[0], n_target = target.shape[0], at, words
    cdef int64_t* counts = &scratch[0, 0]
    cdef int64_t* rest = &scratch[1, 0]

    words = check_fold_words(planes.shape[1], n_folds)
    check_bounds(plane_start, planes.shape[0], "plane_start")
    check_shape(marked.shape, planes.shape[0], n_folds, "marked")
    check_places(columns, plane_start.shape[0] - 1, "columns")
    check_length(places.shape[0], columns.shape[0], "places")
    check_length(target.shape[1], planes.shape[1], "words of target")
    check_shape(target_marked.shape, n_target, n_folds, "target_marked")
    check_length(tables.shape[0], n_folds, "folds of tables")
    check_length(tables.shape[1], n_target + 1, "levels of tables")
    check_space(scratch.shape[0], n_target + 2, "scratch")
    check_length(scratch.shape[1], n_folds, "rows of scratch")
    for k in range(places.shape[0]):
        f = columns[k]
        at = places[k] + plane_start[f + 1] - plane_start[f]
        check_range(places[k], at + 1, tables.shape[2], "places")
    with nogil:
        for k in range(places.shape[0]):
            f = columns[k]
            # the rows that no plane of the column marks, by level of the target: 2 + j
            for e in range(n_folds):
                scratch[1, e] = n_rows[e]
            for j in range(n_target):
                for e in range(n_folds):
                    scratch[2 + j, e] = target_marked[j, e]
                    scratch[1, e] -= target_marked[j, e]
            for i in range(plane_start[f], plane_start[f + 1]):
                at = places[k] + 1 + i - plane_start[f]
                for e in range(n_folds):
                    tables[e, 0, at] += <count_t>marked[i, e]
                    rest[e] -= marked[i, e]
                for j in range(n_target):
                    fold_counts(&planes[i, 0], &target[j, 0], n_folds, words, counts)
                    for e in range(n_folds):
                        tables[e, 1 + j, at] += <count_t>counts[e]
                        tables[e, 0, at] -= <count_t>counts[e]
                        scratch[2 + j, e] -= counts[e]
                        rest[e] += counts[e]
            at = places[k]
            for e in range(n_folds):
                tables[e, 0, at] += <count_t>rest[e]
            for j in range(n_target):
                for e in range(n_folds):
                    tables[e, 1 + j, at] += <count_t>scratch[2 + j, e]

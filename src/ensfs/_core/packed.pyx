"""Columns packed one after the other, and the lazy search that reads them; see continuous.h.

A column of one part is a run of rows. For parts made of folds the rows of each fold lie in lanes,
one for each leaf of the tree of sums, some side by side: place ``i * lanes + l`` is row i of
lane l.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.fold_centres cimport centred_product, fold_centres, read_centres
from ensfs._core.greedy cimport SearchArrays, greedy_init, lazy_search, search_state
from ensfs._core.layout cimport LANES

cdef extern from "continuous.h":
    ctypedef struct fold_lanes:
        int64_t n_lanes, n_folds, n_groups
        const int64_t* first
        const int64_t* longest
        const int32_t* fold
        int64_t n_additions
        const int32_t* into
        const int32_t* from_ "from"
        const int32_t* root
        double* sums
    ctypedef struct column_store:
        const void* source
        int64_t row_stride, column_stride, n, packed_rows, packed_stride
        void* packed
        int32_t* place
        int64_t* n_packed
        const double* shift
        const double* sum
        const double* inverse
        const double* with_first
        const fold_centres* centres
        int is_float
        const fold_lanes* lanes
        int64_t n_folds, part
        const int32_t* members
        int64_t n_members
        double rows_of_part
        double* fold_sums
    void continuous_init() noexcept
    void fold_products_double "ENSFS_CONTINUOUS(fold_products_double)"(
        const double*, const double*, const double*, const double*, int, const fold_lanes*,
        double*) noexcept nogil
    void fold_products_float "ENSFS_CONTINUOUS(fold_products_float)"(
        const float*, const double*, const float*, const double*, int, const fold_lanes*,
        double*) noexcept nogil
    double pearson_of_product(
        double, const double*, const double*, double, int64_t, int64_t) noexcept nogil
    void leave_one_out(
        const double*, int64_t, int64_t, int64_t, double*, int64_t, double*) noexcept nogil
    double sum_of_folds(const double*, const int32_t*, int64_t) noexcept nogil
    double pearson_pair(void*, int64_t, int64_t, int64_t) noexcept nogil

cdef extern from "bits.h":
    int count_bits(uint64_t) noexcept nogil

continuous_init()
greedy_init()

cdef enum:
    PARTS = 16     # parts searched together
    AT_ONCE = 16   # columns that they go through together, a block of tops: these stay in the cache
    FEWEST = 3     # rows in common that a correlation needs

max_parts = PARTS

ctypedef fused real:
    float
    double


cdef inline int check_by_column(const fold_centres* own, Py_ssize_t n_folds) except -1:
    """Raise an error unless the centres of a column lie side by side, with space behind them."""
    if own.fold_step != 1:
        raise ValueError("centres must be given by column")
    check_length(own.n_folds, n_folds, "folds of centres")
    return check_space(own.column_step, n_folds + 8, "centres of a column")


cdef class PackedColumns:
    """Columns of a table, packed on demand or before a search."""

    cdef column_store store     # without what belongs to a part
    cdef object keep

    def __init__(
        self,
        X,                                # IN  (n, p) float32 or float64, read for columns packed
                                          #     on demand
        packed,                           # IN/OUT (p, padded rows) of the same type
        int32_t[::1] place,               # IN/OUT (p,) row of each column in `packed`, or -1
        int64_t[::1] n_packed,            # IN/OUT (1,) rows in use, if packed on demand
        const double[::1] shift,          # IN  (p or more,)
    ):
        cdef const float[:, :] narrow
        cdef const double[:, :] wide
        cdef float[:, ::1] packed_narrow
        cdef double[:, ::1] packed_wide
        cdef column_store* c = &self.store

        c.is_float = X.dtype.itemsize == sizeof(float)
        c.n = X.shape[0]
        check_space(X.shape[0], 1, "rows of X")
        check_space(X.shape[1], 1, "columns of X")
        check_length(packed.shape[0], X.shape[1], "packed")
        check_length(place.shape[0], X.shape[1], "place")
        check_length(n_packed.shape[0], 1, "n_packed")
        check_space(shift.shape[0], X.shape[1], "shift")
        if c.is_float:
            narrow, packed_narrow = X, packed
            c.source, c.packed = &narrow[0, 0], &packed_narrow[0, 0]
        else:
            wide, packed_wide = X, packed
            c.source, c.packed = &wide[0, 0], &packed_wide[0, 0]
        self.keep = (X, packed, place, n_packed, shift)
        c.row_stride = X.strides[0] // X.dtype.itemsize
        c.column_stride = X.strides[1] // X.dtype.itemsize
        c.packed_rows = (c.n + LANES - 1) // LANES * LANES
        c.packed_stride = packed.shape[1]
        c.place, c.n_packed, c.shift = &place[0], &n_packed[0], &shift[0]
        c.centres, c.members, c.lanes, c.n_folds, c.n_members = NULL, NULL, NULL, 0, 0


cdef class PartSums:
    """Sums of every column in some parts."""

    cdef const double[:, ::1] s, inverse, with_first
    cdef const double[::1] n

    def __init__(
        self,
        const double[:, ::1] s,           # IN  (parts, p) sums
        const double[:, ::1] inverse,     # IN  (parts, p) inverse root of the squared deviations
        const double[::1] n,              # IN  (parts,) rows
        const double[:, ::1] with_first=None,  # IN  (parts, p) the measure with the first choice
    ):
        check_length(n.shape[0], s.shape[0], "n")
        check_shape(inverse.shape, s.shape[0], s.shape[1], "inverse")
        if with_first is not None:
            check_shape(with_first.shape, s.shape[0], s.shape[1], "with_first")
        self.s, self.inverse, self.n, self.with_first = s, inverse, n, with_first


cdef class FoldLanes:
    """Lanes that the folds lie in, some side by side; their sums make those of the folds."""

    cdef fold_lanes lanes
    cdef readonly Py_ssize_t n_places   # of a packed column
    cdef object keep

    def __init__(
        self,
        Py_ssize_t n_folds,
        const int64_t[::1] first,         # IN  (groups + 1,) first lanes of those side by side
        const int64_t[::1] longest,       # IN  (groups,) rows of the longest of them
        const int32_t[::1] fold=None,     # IN  (lanes,) fold of each; None if they are the folds
        const int32_t[::1] into=None,     # IN  (additions,) lanes that others are added to
        const int32_t[::1] added=None,    # IN  (additions,) these, in the order of the additions
        const int32_t[::1] root=None,     # IN  (folds,) lane with the sum then; past the last: 0
    ):
        cdef fold_lanes* c = &self.lanes
        cdef Py_ssize_t g, n_groups = longest.shape[0], n_lanes = first[n_groups]

        check_space(n_lanes, 1, "lanes")
        check_length(first.shape[0], n_groups + 1, "first")
        check_bounds(first, n_lanes, "first lanes")
        self.n_places = 0
        for g in range(n_groups):
            self.n_places += longest[g] * (first[g + 1] - first[g])
        self.keep = (first, longest, fold, into, added, root)
        c.n_lanes, c.n_folds, c.n_groups = n_lanes, n_folds, n_groups
        c.first, c.longest = &first[0], &longest[0]
        c.fold, c.into, c.from_, c.root, c.sums = NULL, NULL, NULL, NULL, NULL
        c.n_additions = 0
        if fold is None:
            check_length(n_lanes, n_folds, "lanes")
            return
        check_length(fold.shape[0], n_lanes, "fold")
        check_places(fold, n_folds, "fold")
        check_length(root.shape[0], n_folds, "root")
        check_places(root, n_lanes + 1, "root")
        check_places(into, n_lanes, "into")
        check_places(added, n_lanes, "added")
        check_length(added.shape[0], into.shape[0], "added")
        c.fold, c.root, c.n_additions = &fold[0], &root[0], into.shape[0]
        if c.n_additions:
            c.into, c.from_ = &into[0], &added[0]


cdef class FoldLayout:
    """Folds that lie in lanes in packed columns, and the parts made of them."""

    cdef Py_ssize_t first_part, n_folds
    cdef FoldLanes given
    cdef fold_lanes lanes
    cdef double[::1] sums
    cdef const int32_t[::1] members
    cdef const int64_t[::1] bounds
    cdef fold_centres own
    cdef object keep

    def __init__(
        self,
        Py_ssize_t first_part,            # IN  number of the first part of a search
        FoldLanes lanes,                  # IN
        double[::1] sums,                 # TEMP (folds + lanes + 16,)
        tuple centres,                    # IN  centres of the folds, by column, or None
        const int32_t[::1] members=None,  # IN  folds of the parts, one part after the other; None
                                          #     if each part is all folds but the one of its number
        const int64_t[::1] bounds=None,   # IN  (parts + 1,) where they begin
    ):
        cdef Py_ssize_t t

        self.first_part, self.sums, self.keep, self.given = first_part, sums, centres, lanes
        self.n_folds, self.lanes = lanes.lanes.n_folds, lanes.lanes
        check_space(sums.shape[0], self.n_folds + self.lanes.n_lanes + 16, "sums")
        self.lanes.sums = &sums[self.n_folds + 8]
        self.members, self.bounds = members, bounds
        if members is not None:
            check_bounds(bounds, members.shape[0], "bounds of the parts")
            check_places(members, self.n_folds, "members")
            for t in range(bounds.shape[0] - 1):
                check_space(bounds[t + 1] - bounds[t], 1, "folds of a part")
        if centres is not None:
            read_centres(centres, &self.own)
            check_by_column(&self.own, self.n_folds)

    cdef Py_ssize_t n_parts(self):
        """Parts that there are."""
        return self.n_folds if self.members is None else self.bounds.shape[0] - 1

    cdef int fill(self, Py_ssize_t t, column_store* c) except -1:
        """Let the columns be read fold by fold, for the part with number ``t``."""
        cdef Py_ssize_t part = self.first_part + t

        check_range(part, part + 1, self.n_parts(), "parts")
        check_space(c.packed_stride, self.given.n_places + 8, "rows of packed")
        c.part, c.n_folds, c.lanes = part, self.n_folds, &self.lanes
        c.fold_sums = &self.sums[0]
        c.centres = NULL if self.keep is None else &self.own
        if self.members is not None:
            c.members = &self.members[0] + self.bounds[part]
            c.n_members = self.bounds[part + 1] - self.bounds[part]
        return 0

    cdef double product(
        self, const double* left_out, Py_ssize_t f, Py_ssize_t g, Py_ssize_t part
    ) noexcept nogil:
        """Sum of products in a part from those of the folds, which are in `sums`."""
        if self.own.n_folds and (self.own.apart[f] or self.own.apart[g]):
            return centred_product(&self.own, &self.sums[0], f, g, part)
        if self.members is None:
            return left_out[part]
        return sum_of_folds(
            &self.sums[0], &self.members[0] + self.bounds[part],
            self.bounds[part + 1] - self.bounds[part])


def part_pearson_with(
    const real[:, ::1] packed,        # IN  (p, places) folds in lanes, ``start:stop`` packed
    Py_ssize_t start, Py_ssize_t stop,
    const int64_t[::1] columns,       # IN  some columns
    const real[:, ::1] targets,       # IN  (columns, places) the same, packed
    const int64_t[::1] wanted,        # IN  (parts,) which of them each part wants
    const double[::1] shift,          # IN  (p,)
    PartSums sums_of_parts,           # IN
    double[:, ::1] out,               # OUT (parts, p)
    FoldLayout folds,                 # IN
    double[::1] scratch,              # TEMP (2 * folds + 1,)
):
    """|Pearson| of packed columns with one of the columns in every part."""
    cdef Py_ssize_t f, u, t, g, n_parts = sums_of_parts.n.shape[0], n_folds = folds.n_folds
    cdef double* sums = &folds.sums[0]
    cdef double* left_out = &scratch[0]
    cdef const double* x_shift
    cdef const double* y_shift
    cdef bint by_fold = folds.keep is not None, leaves_out = folds.members is None

    check_length(folds.n_parts(), n_parts, "parts of the folds")
    check_space(packed.shape[1], folds.given.n_places + 8, "rows of packed")
    check_shape(targets.shape, columns.shape[0], packed.shape[1], "targets")
    check_space(scratch.shape[0], 2 * n_folds + 1, "scratch")
    check_length(out.shape[0], n_parts, "out")
    check_range(start, stop, min(packed.shape[0], out.shape[1]), "columns")
    check_length(wanted.shape[0], n_parts, "wanted")
    with nogil:
        for f in range(start, stop):
            for u in range(columns.shape[0]):
                g = columns[u]
                x_shift, y_shift = &shift[f], &shift[g]
                if by_fold:
                    x_shift = folds.own.shift + f * folds.own.column_step
                    y_shift = folds.own.shift + g * folds.own.column_step
                if real is double:
                    fold_products_double(
                        &packed[f, 0], x_shift, &targets[u, 0], y_shift, by_fold, &folds.lanes,
                        sums)
                else:
                    fold_products_float(
                        &packed[f, 0], x_shift, &targets[u, 0], y_shift, by_fold, &folds.lanes,
                        sums)
                if leaves_out:
                    leave_one_out(sums, 1, n_folds, 1, left_out, 1, left_out + n_folds)
                for t in range(n_parts):
                    if wanted[t] == u:
                        out[t, f] = pearson_of_product(
                            folds.product(left_out, f, g, t), &sums_of_parts.s[t, 0],
                            &sums_of_parts.inverse[t, 0], sums_of_parts.n[t], f, g)


# Filled columns of one part, and what their correlations are corrected by.
cdef struct corrected_store:
    column_store* columns
    const uint64_t* words             # missing cells, column after column and fold after fold
    int64_t fold_words, n_folds
    const int32_t* row                # per column: its place among the incomplete ones, or -1
    const double* observed            # per column: rows of the part in which it is observed


cdef inline int64_t count_both(
    const uint64_t* x, const uint64_t* y, int64_t n_words
) noexcept nogil:
    """Bits that are set in both of two runs of words."""
    cdef int64_t i, count = 0

    for i in range(n_words):
        count += count_bits(x[i] & y[i])
    return count


cdef int64_t missing_in_both(const corrected_store* c, int64_t i, int64_t j) noexcept nogil:
    """Rows of the part in which two of the incomplete columns are missing."""
    cdef const uint64_t* x = c.words + i * c.n_folds * c.fold_words
    cdef const uint64_t* y = c.words + j * c.n_folds * c.fold_words
    cdef int64_t e, at, count

    if c.columns.members == NULL:
        count = count_both(x, y, c.n_folds * c.fold_words)
        if c.columns.n_folds:           # all folds but one
            at = c.columns.part * c.fold_words
            count -= count_both(x + at, y + at, c.fold_words)
        return count
    count = 0
    for e in range(c.columns.n_members):
        at = c.columns.members[e] * c.fold_words
        count += count_both(x + at, y + at, c.fold_words)
    return count


cdef double corrected_pair(void* context, int64_t f, int64_t g, int64_t place) noexcept nogil:
    """|Pearson| of two filled columns, as it is where both are observed."""
    cdef corrected_store* c = <corrected_store*>context
    cdef double value = pearson_pair(c.columns, f, g, place), common

    if place == 0 and c.columns.with_first != NULL:
        return value                    # which has been corrected
    common = c.observed[f] + c.observed[g] - c.columns.rows_of_part
    if c.row[f] >= 0 and c.row[g] >= 0:
        common += missing_in_both(c, c.row[f], c.row[g])
    if common < FEWEST:
        return 0.0
    return min(value * (sqrt(c.observed[f] * c.observed[g]) / common), 1.0)


cdef class GapBits:
    """The missing cells of incomplete columns, and in how many rows of parts each is observed."""

    cdef const uint64_t[:, :, ::1] words
    cdef const int32_t[::1] row
    cdef const double[:, ::1] observed

    def __init__(
        self,
        const uint64_t[:, :, ::1] words,  # IN  (incomplete, folds, words of a fold)
        const int32_t[::1] row,           # IN  (p,) row of each column in `words`, or -1
        const double[:, ::1] observed,    # IN  (parts, p)
    ):
        cdef Py_ssize_t f

        check_length(row.shape[0], observed.shape[1], "row")
        for f in range(row.shape[0]):
            check_range(row[f] + 1, row[f] + 1, words.shape[0], "row")
        check_space(words.shape[0] * words.shape[1] * words.shape[2], 1, "words")
        self.words, self.row, self.observed = words, row, observed

    cdef int fill(self, Py_ssize_t t, column_store* columns, corrected_store* c) except -1:
        """Let pairs of columns of part ``t`` be corrected."""
        check_range(t, t + 1, self.observed.shape[0], "parts of the gaps")
        check_length(self.words.shape[1], max(1, columns.n_folds), "folds of the gaps")
        c.columns, c.words, c.row = columns, &self.words[0, 0, 0], &self.row[0]
        c.n_folds, c.fold_words = self.words.shape[1], self.words.shape[2]
        c.observed = &self.observed[t, 0]
        return 0


def lazy_pearson_search(
    PackedColumns columns,            # IN/OUT
    PartSums sums,                    # IN
    FoldLayout folds,                 # IN  or None if all rows are one part
    GapBits gaps,                     # IN  or None if correlations are taken as they are
    SearchArrays arrays,              # IN/OUT
    int start, int stop,              # IN  steps
    int criterion,                    # IN  flags
    const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
    Py_ssize_t limit,                 # IN  pairs to read at most
):
    """Steps of greedy selection by exact lazy evaluation in some parts; the step it came to.

    That is before `stop` if the limit was reached: calling again goes on from there.
    """
    cdef column_store store[PARTS]
    cdef corrected_store corrected[PARTS]
    cdef search_state state[PARTS]
    cdef Py_ssize_t t, p = arrays.n_features, n_parts = arrays.n_parts
    cdef int32_t reached

    check_range(0, n_parts, PARTS, "parts")
    check_shape(sums.s.shape, n_parts, p, "sums")
    check_length((<object>columns.keep)[0].shape[1], p, "columns")
    arrays.check_steps(start, stop, hints)
    if folds is None:
        check_length(n_parts, 1, "parts without folds")
    for t in range(n_parts):
        store[t] = columns.store
        store[t].sum, store[t].inverse = &sums.s[t, 0], &sums.inverse[t, 0]
        store[t].with_first = NULL if sums.with_first is None else &sums.with_first[t, 0]
        store[t].rows_of_part = sums.n[t]
        if folds is not None:
            folds.fill(t, &store[t])
        arrays.fill(t, &state[t])
        state[t].pair = pearson_pair
        state[t].prepare = NULL
        state[t].context = &store[t]
        if gaps is not None:
            check_length(gaps.row.shape[0], p, "columns of the gaps")
            gaps.fill(t, &store[t], &corrected[t])
            state[t].pair, state[t].context = corrected_pair, &corrected[t]
    with nogil:
        reached = lazy_search(
            state, n_parts, p, p if n_parts == 1 else AT_ONCE, start, stop, criterion,
            NULL if hints is None else &hints[0], &arrays.candidates[0], limit)
    return reached

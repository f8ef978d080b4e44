"""Counts of coded columns: bit planes, contingency tables and mutual information.

A column with up to eight levels is stored as bit planes: plane l - 1 marks the rows with code l,
and code 0 follows from the others. Columns with more levels are counted by their codes: for one
part, or once for all parts that leave out one fold.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

from ensfs._core.checks cimport (
    check_bounds, check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.discrete cimport (
    FIXED_SIZE, MAX_PLANE_LEVELS, MAX_ROWS, N_SUMS, code_store, discrete_init, fixed_sums,
    measure_rows, set_target
)
from ensfs._core.greedy cimport pair_function

cdef extern from "discrete.h":
    enum:
        DIVISOR
        SUM_Y
        SUM_FY
        CHANCE_KEPT
        CHANCE_SUBTRACTED
        CHANCE_LEAST
    void to_planes "ENSFS_DISCRETE(planes)"(
        const uint8_t*, int64_t, int64_t, uint64_t*, int64_t) noexcept nogil
    void count_margins(code_store*) noexcept nogil
    void count_fold_margin(
        const code_store*, int64_t, int64_t, int64_t*, int32_t*, int64_t*, int32_t*) noexcept nogil
    double pair_measure "ENSFS_DISCRETE(pair_measure)"(
        void*, int64_t, int64_t, int64_t) noexcept nogil
    double triple_measure "ENSFS_DISCRETE(triple_measure)"(
        void*, int64_t, int64_t, int64_t) noexcept nogil
    int64_t remove_columns "ENSFS_DISCRETE(remove_columns)"(
        const code_store*, int64_t, int64_t*, int64_t, int64_t, int64_t, const double*, double,
        int64_t*) noexcept nogil
    void measure_columns "ENSFS_DISCRETE(measure_columns)"(
        const code_store*, int64_t, int64_t, int64_t, double*) noexcept nogil

discrete_init()

ctypedef fused code_t:
    uint8_t
    uint16_t

cdef enum:
    PARTS = 64  # parts that share counts

max_parts = PARTS

max_plane_levels = MAX_PLANE_LEVELS
fixed_size = FIXED_SIZE
chance_kept, chance_subtracted, chance_least = CHANCE_KEPT, CHANCE_SUBTRACTED, CHANCE_LEAST

cdef class MeasureRows:
    """A measure as the kernels read it; see ``ensfs.statistics.formulas.Measure``."""

    def __init__(
        self,
        const int64_t[:, ::1] rows,       # IN  (rows + 1, sums) coefficients, the divisor last
        const double[::1] weights,        # IN  (rows,)
        bint is_signed,                   # IN  whether a row may be negative
        int chance=CHANCE_KEPT,           # IN  what becomes of what chance gives
        double chance_times=1.0,          # IN  and how many times that
    ):
        cdef Py_ssize_t r, i, n_rows = weights.shape[0]

        if not 1 <= n_rows <= MAX_ROWS:
            raise ValueError(f"weights must have 1 to {MAX_ROWS} entries; got {n_rows}")
        check_shape(rows.shape, n_rows + 1, N_SUMS, "rows")
        memset(&self.measure, 0, sizeof(measure_rows))
        self.measure.is_signed = is_signed
        self.measure.chance, self.measure.chance_times = chance, chance_times
        for r in range(n_rows):
            self.measure.weights[r] = weights[r]
        for r in range(n_rows + 1):
            for i in range(N_SUMS):
                self.measure.rows[r if r < n_rows else DIVISOR][i] = rows[r, i]
                if rows[r, i]:
                    self.measure.is_divided |= r == n_rows
                    self.measure.uses_target |= i >= SUM_Y
                    self.measure.uses_fy |= i == SUM_FY
        if self.measure.is_divided and n_rows > 1:
            raise ValueError("a measure with two rows has no divisor")
        self.measure.is_one_row = n_rows == 1 and not self.measure.is_divided


def make_planes(
    const uint8_t[::1, :] codes,      # IN  (n, p)
    const int64_t[::1] plane_start,   # IN  (p + 1,) planes of each column: levels - 1, or none
    Py_ssize_t start, Py_ssize_t stop,    # columns
    uint64_t[:, ::1] planes,          # OUT (planes, words)
    const int64_t[::1] position=None,  # IN  (n,) bit of each row, if not its own number
    uint8_t[::1] buffer=None,         # TEMP (64 * words,), with positions
):
    """Bit planes of the columns ``start:stop``."""
    cdef Py_ssize_t f, k, i, n = codes.shape[0], n_words = planes.shape[1], full = n // 64
    cdef uint8_t tail[64]

    if n == 0:
        raise ValueError("codes must have at least one row")
    check_range(start, stop, min(codes.shape[1], plane_start.shape[0] - 1), "columns")
    check_bounds(plane_start[start : stop + 1], planes.shape[0], "plane_start")
    if position is not None:
        if buffer is None:
            raise ValueError("buffer must be given with positions")
        check_length(position.shape[0], n, "position")
        check_length(buffer.shape[0], 64 * n_words, "buffer")
        check_places(position, 64 * n_words, "position")
        with nogil:
            memset(&buffer[0], 255, 64 * n_words)
            for f in range(start, stop):
                for i in range(n):
                    buffer[position[i]] = codes[i, f]
                k = plane_start[f + 1] - plane_start[f]
                if k:
                    to_planes(&buffer[0], n_words, k, &planes[plane_start[f], 0], n_words)
        return
    check_length(n_words, (n + 63) // 64, "rows of planes")
    with nogil:
        memset(tail, 255, 64)
        for f in range(start, stop):
            k = plane_start[f + 1] - plane_start[f]
            if k == 0:
                continue
            to_planes(&codes[0, f], full, k, &planes[plane_start[f], 0], n_words)
            if full < n_words:
                memcpy(tail, &codes[0, f] + 64 * full, n - 64 * full)
                to_planes(tail, 1, k, &planes[plane_start[f], full], n_words)


cdef class CodedTable:
    """Coded columns, the target last: bit planes, and codes where a column has many levels."""

    def __init__(
        self,
        const uint64_t[:, ::1] planes,       # IN  (planes, words) of all rows
        const int64_t[::1] plane_start,      # IN  (columns + 1,) none for columns with many levels
        const int64_t[::1] level_start,      # IN  (columns + 1,)
        codes,                               # IN  (n, columns - 1) Fortran order, or None
        const uint16_t[::1] y,               # IN  (n,) codes of the last column
        const int64_t[::1] klogk,            # IN  (n + 1,) k * log2(k) in fixed point; with weights
                                             #     up to their sum, or None
        double unit,                         # IN  value of one unit of these in bits
        double chance,                       # IN  half a nat in these units
        const int64_t[::1] weights=None,     # IN  (n,) how often each row is there; no planes
        double log_total=0.0,                # IN  without klogk: the sum of the weights
        double log_scale=0.0,                # IN  and how many units make a bit
    ):
        cdef const uint8_t[::1, :] narrow
        cdef const uint16_t[::1, :] wide
        cdef Py_ssize_t f, n = y.shape[0], n_columns = plane_start.shape[0] - 1
        cdef code_store* table = &self.table

        check_length(planes.shape[1], (n + 63) // 64, "rows of planes")
        if weights is None:
            check_length(klogk.shape[0], n + 1, "klogk")
        else:
            check_length(weights.shape[0], n, "weights")
            check_length(planes.shape[0], 0, "planes of rows with weights")
            if codes is None:
                raise ValueError("codes must be given with weights")
        check_length(level_start.shape[0], n_columns + 1, "level_start")
        check_bounds(plane_start, planes.shape[0], "plane_start")
        if codes is not None and codes.shape != (n, n_columns - 1):
            raise ValueError(f"codes must have the shape {(n, n_columns - 1)}; got {codes.shape}")
        memset(table, 0, sizeof(code_store))
        self.keep = (planes, plane_start, level_start, codes, y, klogk, weights)
        self.n_levels = level_start[n_columns]
        self.unit, self.chance, self.most_levels = unit, chance, 0
        for f in range(n_columns):
            self.most_levels = max(self.most_levels, level_start[f + 1] - level_start[f])
        table.planes = &planes[0, 0] if planes.shape[0] else NULL
        table.plane_start, table.level_start = &plane_start[0], &level_start[0]
        if codes is not None and codes.dtype.itemsize == 1:
            narrow = codes
            table.codes = &narrow[0, 0]
        elif codes is not None:
            wide = codes
            table.codes, table.wide = &wide[0, 0], 1
        table.y, table.klogk = &y[0], NULL if klogk is None else &klogk[0]
        table.weights = NULL if weights is None else &weights[0]
        table.plane_levels = MAX_PLANE_LEVELS if weights is None else 0
        table.log_total, table.log_scale = log_total, log_scale
        table.n_columns, table.n_total, table.n_words = n_columns, n, planes.shape[1]


cdef int check_power_of_two(Py_ssize_t length, str what) except -1:
    """Raise an error unless an array has as many entries as a power of two."""
    if length < 1 or length & (length - 1):
        raise ValueError(f"{what} must have a power of two entries; got {length}")
    return 0


cdef class PairWorkspace:
    """Scratch for measuring pairs: every thread needs its own."""

    def __init__(
        self,
        uint64_t[:, ::1] targets,            # TEMP (places, planes of one target * words)
        int32_t[:, ::1] target_cells,        # TEMP (places, max_plane_levels ** 2)
        int64_t[:, ::1] target_sums,         # TEMP (places, fixed_size)
        int32_t[::1] counts,                 # TEMP (size,) zeros; a power of two >= 4 n with codes
        int64_t[::1] keys,                   # TEMP (size,)
        int32_t[::1] cells,                  # TEMP (n,) with codes
        int64_t[::1] totals=None,            # TEMP (size,) zeros, in place of `counts` with weights
    ):
        cdef Py_ssize_t n_places = targets.shape[0]

        check_shape(
            target_cells.shape, n_places, MAX_PLANE_LEVELS * MAX_PLANE_LEVELS, "target_cells")
        check_shape(target_sums.shape, n_places, FIXED_SIZE, "target_sums")
        if keys.shape[0]:
            check_power_of_two(keys.shape[0], "keys")
        if totals is None:
            check_length(counts.shape[0], keys.shape[0], "counts")
        else:
            check_length(totals.shape[0], keys.shape[0], "totals")
        self.n_places, self.n_cells = n_places, cells.shape[0]
        self.targets, self.target_cells, self.target_sums = targets, target_cells, target_sums
        self.counts, self.keys, self.cells, self.totals = counts, keys, cells, totals


cdef class SharedCounts:
    """Counts of pairs with many levels for all parts that leave out one fold, for one thread."""

    def __init__(
        self,
        CodedTable table,                    # IN  without weights, with codes, fold after fold
        const int64_t[::1] bounds,           # IN  (folds + 1,) where the folds begin
        const int64_t[::1] gains,            # IN  (n,) differences of klogk
        int32_t[::1] counts,                 # TEMP (2 * size,) zeros
        int64_t[::1] keys,                   # TEMP (size,) a power of two >= 4 n
        int32_t[::1] cells,                  # TEMP (n,)
        int64_t[::1] pairs,                  # TEMP (slots,) -1 everywhere; a power of two
        int64_t[:, ::1] joints,              # TEMP (slots, folds)
    ):
        cdef Py_ssize_t n = table.table.n_total, n_folds = bounds.shape[0] - 1

        if table.table.codes == NULL or table.table.weights != NULL:
            raise ValueError("table must have codes, and rows without weights")
        check_range(1, n_folds, PARTS, "folds")
        check_length(gains.shape[0], n, "gains")
        check_bounds(bounds, n, "bounds")
        check_length(bounds[n_folds], n, "the last of bounds")
        check_power_of_two(keys.shape[0], "keys")
        check_power_of_two(pairs.shape[0], "pairs")
        check_length(counts.shape[0], 2 * keys.shape[0], "counts")
        check_space(keys.shape[0], max(4 * n, table.most_levels), "keys")
        check_length(cells.shape[0], n, "cells")
        check_shape(joints.shape, pairs.shape[0], n_folds, "joints")
        self.coded, self.keep = table, (bounds, gains, counts, keys, cells, pairs, joints)
        self.table.count, self.table.total = &counts[0], NULL
        self.table.key, self.table.size = &keys[0], keys.shape[0]
        self.table.cell = &cells[0]
        self.shared.n_folds, self.shared.n_slots = n_folds, pairs.shape[0]
        self.shared.bounds, self.shared.gains = &bounds[0], &gains[0]
        self.shared.keys, self.shared.joints = &pairs[0], &joints[0, 0]

    def count_margins(
        self,
        Py_ssize_t start, Py_ssize_t stop,   # columns
        int64_t[:, ::1] entropy,             # OUT (folds, columns) where a column has no planes
        int32_t[:, ::1] observed,            # OUT (folds, columns)
    ):
        """Entropies and levels of the columns ``start:stop`` without each fold."""
        cdef code_store store = self.coded.table
        cdef int64_t joint[PARTS]
        cdef int32_t gone[PARTS]
        cdef Py_ssize_t f

        check_range(start, stop, store.n_columns, "columns")
        check_shape(entropy.shape, self.shared.n_folds, store.n_columns, "entropy")
        check_shape(observed.shape, self.shared.n_folds, store.n_columns, "observed")
        store.scratch, store.shared = &self.table, &self.shared
        with nogil:
            for f in range(start, stop):
                if store.level_start[f + 1] - store.level_start[f] > MAX_PLANE_LEVELS:
                    count_fold_margin(
                        &store, f, store.n_columns, &entropy[0, f], &observed[0, f], joint, gone)


cdef class CodeStore:
    """Coded columns seen through the rows of one part, for one thread."""

    def __init__(
        self,
        CodedTable table,
        const uint64_t[::1] mask,            # IN  (words,) rows of the part, or None for all
        const int64_t[::1] rows,             # IN  (rows of the part,), or None; needed with codes
        Py_ssize_t n_rows,                   # IN  rows of the part
        int32_t[::1] margins,                # OUT (planes + columns,)
        int64_t[::1] entropy,                # OUT (columns,), IN where counts are shared and a
        int32_t[::1] observed,               # OUT (columns,)  column has no planes
        MeasureRows measure,
        PairWorkspace workspace,
        int64_t counted=-1,                  # IN  their weight, and
        int64_t all=0,                       # IN  klogk of that, if rows have weights
        SharedCounts shared=None,            # IN/OUT counts for all parts, and
        Py_ssize_t part=0,                   # IN  which of them this is
    ):
        cdef Py_ssize_t r, n = table.table.n_total, n_columns = table.table.n_columns
        cdef code_store* store = &self.store

        if not 1 <= n_rows <= n:
            raise ValueError(f"n_rows must be in 1 .. {n}; got {n_rows}")
        check_space(margins.shape[0], table.table.plane_start[n_columns] + n_columns, "margins")
        check_length(entropy.shape[0], n_columns, "entropy")
        check_length(observed.shape[0], n_columns, "observed")
        if mask is not None:
            check_length(mask.shape[0], table.table.n_words, "mask")
        if shared is not None:
            if shared.coded is not table:
                raise ValueError("shared must be of the same table")
            check_range(part, part + 1, shared.shared.n_folds, "part")
        elif table.table.codes != NULL:
            check_space(workspace.keys.shape[0], max(4 * n, table.most_levels), "keys")
            check_space(workspace.n_cells, n, "cells")
            if mask is not None and rows is None:
                raise ValueError("rows must be given with a mask and codes")
        if rows is not None:
            check_length(rows.shape[0], n_rows, "rows")
        if table.table.weights != NULL:
            if workspace.totals is None or counted < 1:
                raise ValueError("totals and counted must be given with weights")
            check_space(workspace.totals.shape[0], table.most_levels, "totals")
        self.keep = (table, mask, rows, margins, observed, measure, workspace, shared)
        self.entropy = entropy.base
        self.n_targets = workspace.n_places
        store[0] = table.table
        store.margins, store.entropy, store.observed = &margins[0], &entropy[0], &observed[0]
        store.mask = NULL if mask is None else &mask[0]
        store.rows = NULL if rows is None else &rows[0]
        store.n, store.counted, store.all = n_rows, counted, all
        if store.weights == NULL:
            store.counted, store.all = n_rows, store.klogk[n_rows]
        store.scale, store.chance = table.unit / store.counted, table.chance
        store.targets = &workspace.targets[0, 0] if workspace.targets.shape[1] else NULL
        store.target_stride = workspace.targets.shape[1]
        store.cells = &workspace.target_cells[0, 0]
        store.fixed = <fixed_sums*>&workspace.target_sums[0, 0]
        store.measure = &measure.measure
        for r in range(MAX_ROWS):
            store.units[r] = measure.measure.weights[r]
            if not measure.measure.is_divided:
                store.units[r] *= store.scale
        self.table.count = &workspace.counts[0] if workspace.counts.shape[0] else NULL
        self.table.total = NULL if workspace.totals is None else &workspace.totals[0]
        self.table.key = &workspace.keys[0] if workspace.keys.shape[0] else NULL
        self.table.size = workspace.keys.shape[0]
        self.table.cell = &workspace.cells[0] if workspace.n_cells else NULL
        store.scratch = &self.table
        if shared is not None:
            store.scratch, store.shared, store.part = &shared.table, &shared.shared, part

    cdef pair_function pair(self):
        """What measures a column with a target."""
        return triple_measure if self.store.measure.uses_target else pair_measure

    def count_margins(self):
        """Count the levels of every column in the part, and its entropy."""
        with nogil:
            count_margins(&self.store)

    def measure(
        self,
        Py_ssize_t g,                 # IN  column
        Py_ssize_t start, Py_ssize_t stop,    # columns
        double[::1] out,              # OUT (stop - start,)
    ):
        """The measure of the columns ``start:stop`` with column ``g``."""
        check_range(start, stop, self.store.n_columns, "columns")
        check_range(g, g + 1, self.store.n_columns, "g")
        check_length(out.shape[0], stop - start, "out")
        if start == stop:
            return
        with nogil:
            set_target(&self.store, 0, g)
            measure_columns(&self.store, g, start, stop, &out[0])

    def remove_redundant(
        self,
        Py_ssize_t g,                 # IN  column to compare with
        int64_t[::1] columns,         # IN/OUT columns; those that stay move to the front
        Py_ssize_t start, Py_ssize_t stop,    # IN  which of them to look at
        Py_ssize_t n_stay,            # IN  how many before them stay
        const double[::1] relevance,  # IN  (p,)
        double tolerance,
        int64_t[::1] removed_by,      # OUT (p,) g for the columns that are removed
    ):
        """Remove the columns that column ``g`` makes redundant; returns how many stay.

        A column goes when its measure with ``g`` is not below its relevance.
        """
        cdef int64_t staying
        cdef Py_ssize_t n_columns = min(relevance.shape[0], self.store.n_columns)

        check_range(start, stop, columns.shape[0], "columns")
        check_range(0, n_stay, start, "columns that stay")
        check_range(g, g + 1, self.store.n_columns, "g")
        check_length(removed_by.shape[0], relevance.shape[0], "removed_by")
        if start == stop:
            return n_stay
        check_places(columns[start:stop], n_columns, "columns")
        with nogil:
            set_target(&self.store, 0, g)
            staying = remove_columns(
                &self.store, g, &columns[0], start, stop, n_stay, &relevance[0], tolerance,
                &removed_by[0])
        return staying


def order_rows(
    const code_t[::1, :] codes,       # IN  (n, p)
    const int64_t[::1] order,         # IN  (n,) rows
    Py_ssize_t start, Py_ssize_t stop,    # columns
    code_t[::1, :] out,               # OUT (n, p)
):
    """Put the rows of the columns ``start:stop`` into another order."""
    cdef Py_ssize_t i, f, n = order.shape[0]

    check_length(codes.shape[0], n, "rows of codes")
    check_shape(out.shape, n, codes.shape[1], "out")
    check_range(start, stop, codes.shape[1], "columns")
    check_places(order, n, "order")
    with nogil:
        for f in range(start, stop):
            for i in range(n):
                out[i, f] = codes[order[i], f]


def add_tables(
    const int32_t[::1, :] codes,      # IN  (n, p) place of each cell among the columns of a table
    const int32_t[::1] row,           # IN  (n,) row of the tables
    int32_t[:, ::1] tables,           # OUT (rows, places), added to
):
    """Count every column against a target: one table with the levels of all columns abreast."""
    cdef Py_ssize_t i, f

    check_length(row.shape[0], codes.shape[0], "row")
    check_places(row, tables.shape[0], "row")
    for f in range(codes.shape[1]):
        check_places(codes[:, f], tables.shape[1], "codes")
        with nogil:
            for i in range(codes.shape[0]):
                tables[row[i], codes[i, f]] += 1

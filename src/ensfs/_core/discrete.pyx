"""Counts of coded columns: bit planes, contingency tables and mutual information.

A column with up to eight levels is stored as bit planes: plane l - 1 marks the rows with code l,
and code 0 follows from the others. Columns with more levels are counted by their codes.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy, memset

cdef extern from "discrete.h":
    enum:
        MAX_PLANE_LEVELS
    ctypedef double (*pair_function)(void*, int64_t, int64_t) noexcept nogil
    ctypedef struct greedy_choice:
        int64_t column
        double score
        int64_t n_read
    ctypedef struct count_table:
        int32_t* count
        int32_t* fold
        int64_t* key
        int64_t size
        int32_t* cell
    ctypedef struct code_store:
        const uint64_t* planes
        const int64_t* plane_start
        const int32_t* margins
        const int64_t* level_start
        const int64_t* entropy
        const void* codes
        int wide
        int64_t n, n_words
        const int64_t* T
        double scale
        count_table* scratch
    void discrete_init() noexcept
    void plane(const uint8_t*, int64_t, uint8_t, uint64_t*) noexcept nogil
    int64_t and_count(const uint64_t*, const uint64_t*, int64_t) noexcept nogil
    void fold_counts(
        const uint64_t*, const uint64_t*, int64_t, int64_t, int32_t*) noexcept nogil
    int64_t joint_from_inner(
        const int64_t*, int64_t, int64_t, const int32_t*, const int32_t*,
        const int64_t*) noexcept nogil
    void count_pair(
        count_table*, const void*, int, const void*, int, int64_t, int64_t,
        int64_t) noexcept nogil
    void collect_joint_parts(
        count_table*, int64_t, const int64_t*, const int64_t*, int64_t, const int64_t*,
        int64_t*, int64_t) noexcept nogil
    double information_pair(void*, int64_t, int64_t) noexcept nogil
    ctypedef struct search_state:
        const double* relevance
        double* sums
        int32_t* evaluated
        double* nearest_value
        int32_t* nearest
    greedy_choice lazy_step(
        pair_function, void*, int64_t, const int64_t*, int32_t, search_state*, double*,
        int) noexcept nogil

discrete_init()

max_plane_levels = MAX_PLANE_LEVELS

ctypedef fused code:
    uint8_t
    uint16_t

ctypedef fused stored_count:
    uint8_t
    int32_t


def make_planes(
    const uint8_t[::1, :] codes,      # IN  (n, p)
    const int64_t[::1] plane_start,   # IN  (p + 1,) planes of each column: levels - 1, or none
    const int64_t[::1] level_start,   # IN  (p + 1,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    uint64_t[:, ::1] planes,          # OUT (planes, words)
    int32_t[::1] margins,             # OUT (levels of all columns,)
):
    """Bit planes and level counts of the columns ``start:stop``."""
    cdef Py_ssize_t f, k, n = codes.shape[0], n_words = planes.shape[1], full = n // 64
    cdef int64_t count
    cdef int32_t rest
    cdef uint8_t tail[64]

    if n == 0 or n_words != (n + 63) // 64:
        raise ValueError("shapes do not agree")
    with nogil:
        memset(tail, 255, 64)
        for f in range(start, stop):
            memcpy(tail, &codes[0, f] + 64 * full, n - 64 * full)
            rest = <int32_t>n
            for k in range(plane_start[f + 1] - plane_start[f]):
                plane(&codes[0, f], full, <uint8_t>(k + 1), &planes[plane_start[f] + k, 0])
                if full < n_words:
                    plane(tail, 1, <uint8_t>(k + 1), &planes[plane_start[f] + k, full])
                count = and_count(
                    &planes[plane_start[f] + k, 0], &planes[plane_start[f] + k, 0], n_words)
                margins[level_start[f] + k + 1] = <int32_t>count
                rest -= <int32_t>count
            margins[level_start[f]] = rest


def count_levels(
    const code[::1, :] codes,         # IN  (n, p)
    const int64_t[::1] columns,       # IN  the columns
    const int64_t[::1] level_start,   # IN  (p + 1,)
    int32_t[::1] margins,             # OUT (levels of all columns,)
):
    """Level counts of columns with many levels."""
    cdef Py_ssize_t i, k, f

    with nogil:
        for k in range(columns.shape[0]):
            f = columns[k]
            for i in range(level_start[f + 1] - level_start[f]):
                margins[level_start[f] + i] = 0
            for i in range(codes.shape[0]):
                margins[level_start[f] + codes[i, f]] += 1


def column_entropies(
    const int32_t[::1] margins,
    const int64_t[::1] level_start,
    const int64_t[::1] T,
    int64_t[::1] out,                 # OUT (p,)
):
    """Sum of ``T`` over the level counts of every column."""
    cdef Py_ssize_t f, k

    with nogil:
        for f in range(out.shape[0]):
            out[f] = 0
            for k in range(level_start[f], level_start[f + 1]):
                out[f] += T[margins[k]]


cdef class CodeStore:
    """Coded columns (the target last) with all rows in one part."""

    cdef code_store store
    cdef count_table scratch
    cdef object keep
    cdef Py_ssize_t n_columns

    def __init__(
        self,
        const uint64_t[:, ::1] planes,
        const int64_t[::1] plane_start,
        const int32_t[::1] margins,
        const int64_t[::1] level_start,
        const int64_t[::1] entropy,
        codes,                        # (n, p) Fortran order, or None when all columns have planes
        const int64_t[::1] T,
        Py_ssize_t n,
        double scale,
        int32_t[:, ::1] counts,       # TEMP (2, size) zeros, size a power of two >= 4 n
        int64_t[::1] keys,            # TEMP (size,)
        int32_t[::1] cells,           # TEMP (n,)
    ):
        cdef const uint8_t[::1, :] narrow
        cdef const uint16_t[::1, :] wide

        self.keep = (planes, plane_start, margins, level_start, entropy, codes, T, counts,
                     keys, cells)
        self.n_columns = entropy.shape[0]
        self.store.planes = &planes[0, 0] if planes.shape[0] else NULL
        self.store.plane_start = &plane_start[0]
        self.store.margins = &margins[0]
        self.store.level_start = &level_start[0]
        self.store.entropy = &entropy[0]
        self.store.codes = NULL
        self.store.wide = 0
        if codes is not None and codes.dtype.itemsize == 1:
            narrow = codes
            self.store.codes = &narrow[0, 0]
        elif codes is not None:
            wide = codes
            self.store.codes = &wide[0, 0]
            self.store.wide = 1
        self.store.n = n
        self.store.n_words = planes.shape[1]
        self.store.T = &T[0]
        self.store.scale = scale
        self.scratch.count = &counts[0, 0]
        self.scratch.fold = &counts[1, 0]
        self.scratch.key = &keys[0]
        self.scratch.size = counts.shape[1]
        self.scratch.cell = &cells[0]
        self.store.scratch = &self.scratch

    def information(self, const int64_t[::1] columns, Py_ssize_t g, double[::1] out):
        """Mutual information in bits of some columns with column ``g``."""
        cdef Py_ssize_t i

        if out.shape[0] != columns.shape[0] or g >= self.n_columns:
            raise ValueError("shapes do not agree")
        with nogil:
            for i in range(columns.shape[0]):
                out[i] = information_pair(&self.store, columns[i], g)

    def lazy_step(
        self,
        const int64_t[::1] selected,
        int j,
        const double[::1] relevance,
        double[::1] sums,
        int32_t[::1] evaluated,
        double[::1] nearest_value,        # IN/OUT (p,) largest redundancy seen
        int32_t[::1] nearest,             # IN/OUT (p,) and with which choice
        double[::1] bounds,
        int scheme,
    ):
        """One step of greedy selection by exact lazy evaluation: (column, score, pairs read)."""
        cdef greedy_choice choice
        cdef search_state state
        cdef Py_ssize_t p = relevance.shape[0]

        if p > self.n_columns or selected.shape[0] < j or bounds.shape[0] < p:
            raise ValueError("shapes do not agree")
        state.relevance = &relevance[0]
        state.sums = &sums[0]
        state.evaluated = &evaluated[0]
        state.nearest_value = &nearest_value[0]
        state.nearest = &nearest[0]
        with nogil:
            choice = lazy_step(
                information_pair, &self.store, p, &selected[0], j, &state,
                &bounds[0], scheme)
        return choice.column, choice.score, choice.n_read


def make_fold_planes(
    const uint8_t[::1, :] codes,      # IN  (n, p)
    const int64_t[::1] position,      # IN  (n,) bit of each row
    Py_ssize_t start, Py_ssize_t stop,    # columns
    Py_ssize_t n_folds, Py_ssize_t field_bits,
    uint64_t[:, :, ::1] planes,       # OUT (p, planes, words)
    int32_t[:, :, ::1] margins,       # OUT (p, planes + 1, folds): level counts in each fold
    uint8_t[::1] buffer,              # TEMP (64 * words,)
    const int32_t[::1] fold_sizes,    # IN  (folds,)
):
    """Bit planes with one field of bits per fold, and the level counts of every fold."""
    cdef Py_ssize_t f, i, k, t, n = codes.shape[0], n_words = planes.shape[2]

    if buffer.shape[0] != 64 * n_words or position.shape[0] != n or n == 0:
        raise ValueError("shapes do not agree")
    with nogil:
        memset(&buffer[0], 255, 64 * n_words)
        for f in range(start, stop):
            for i in range(n):
                buffer[position[i]] = codes[i, f]
            for t in range(n_folds):
                margins[f, 0, t] = fold_sizes[t]
            for k in range(planes.shape[1]):
                plane(&buffer[0], n_words, <uint8_t>(k + 1), &planes[f, k, 0])
                fold_counts(
                    &planes[f, k, 0], &planes[f, k, 0], n_folds, field_bits,
                    &margins[f, k + 1, 0])
                for t in range(n_folds):
                    margins[f, 0, t] -= margins[f, k + 1, t]


def part_entropies(
    const int32_t[:, :, ::1] margins,  # IN  (p, levels, folds)
    const int64_t[::1] T,
    int64_t[:, ::1] out,              # OUT (parts, p)
    bint leave_out,                   # one part per left-out fold; else one part with all rows
):
    """Sum of ``T`` over the level counts of every column in every part."""
    cdef Py_ssize_t f, k, t
    cdef int64_t total

    with nogil:
        for f in range(margins.shape[0]):
            for t in range(out.shape[0]):
                out[t, f] = 0
            for k in range(margins.shape[1]):
                total = 0
                for t in range(margins.shape[2]):
                    total += margins[f, k, t]
                if not leave_out:
                    out[0, f] += T[total]
                    continue
                for t in range(out.shape[0]):
                    out[t, f] += T[total - margins[f, k, t]]


def count_with_target(
    const uint64_t[:, :, ::1] planes,  # IN  (p, planes, words)
    const uint64_t[:, ::1] target,    # IN  (target planes, words)
    Py_ssize_t n_folds, Py_ssize_t field_bits,
    Py_ssize_t start, Py_ssize_t stop,    # columns
    stored_count[:, :, ::1] counts,   # OUT (p, cells, folds)
    int32_t[::1] buffer,              # TEMP (folds,)
):
    """Counts of the inner cells of every column with a target, in every fold."""
    cdef Py_ssize_t f, i, j, t, n_target = target.shape[0]

    if counts.shape[1] != planes.shape[1] * n_target or counts.shape[2] != n_folds:
        raise ValueError("shapes do not agree")
    if buffer.shape[0] < n_folds:
        raise ValueError("shapes do not agree")
    with nogil:
        for f in range(start, stop):
            for i in range(planes.shape[1]):
                for j in range(n_target):
                    fold_counts(
                        &planes[f, i, 0], &target[j, 0], n_folds, field_bits, &buffer[0])
                    for t in range(n_folds):
                        counts[f, i * n_target + j, t] = <stored_count>buffer[t]


def information_from_counts(
    const stored_count[:, :, ::1] counts,     # IN  (p, cells, folds) inner cells
    const int32_t[:, :, ::1] margins,         # IN  (p, levels, folds)
    const int32_t[:, ::1] target_margin,      # IN  (target levels, folds)
    const int64_t[:, ::1] entropy,            # IN  (parts, p)
    const int64_t[::1] target_entropy,        # IN  (parts,)
    const int64_t[::1] T,
    const int64_t[::1] n_part,                # IN  (parts,) rows of each part
    double unit,                              # IN  fixed point to bits
    const int64_t[::1] parts,                 # IN  the parts wanted
    bint leave_out,
    Py_ssize_t start, Py_ssize_t stop,        # columns
    double[:, ::1] out,                       # OUT (parts, p), the rows wanted are written
):
    """Mutual information in bits of every column with the target, in the parts wanted."""
    cdef Py_ssize_t f, c, k, t, i
    cdef Py_ssize_t n_cells = counts.shape[1], n_folds = counts.shape[2]
    cdef Py_ssize_t levels_f = margins.shape[1], levels_g = target_margin.shape[0]
    cdef int64_t total[49]
    cdef int32_t total_f[8]
    cdef int32_t total_g[8]
    cdef int64_t inner[49]
    cdef int32_t margin_f[8]
    cdef int32_t margin_g[8]
    cdef int64_t value

    if n_cells != (levels_f - 1) * (levels_g - 1) or levels_f > 8 or levels_g > 8:
        raise ValueError("shapes do not agree")
    if margins.shape[2] != n_folds or target_margin.shape[1] != n_folds:
        raise ValueError("shapes do not agree")
    with nogil:
        for k in range(levels_g):
            total_g[k] = 0
            for t in range(n_folds):
                total_g[k] += target_margin[k, t]
        for f in range(start, stop):
            for c in range(n_cells):
                total[c] = 0
                for t in range(n_folds):
                    total[c] += counts[f, c, t]
            for k in range(levels_f):
                total_f[k] = 0
                for t in range(n_folds):
                    total_f[k] += margins[f, k, t]
            for i in range(parts.shape[0]):
                t = parts[i]
                if leave_out:
                    for c in range(n_cells):
                        inner[c] = total[c] - counts[f, c, t]
                    for k in range(levels_f):
                        margin_f[k] = total_f[k] - margins[f, k, t]
                    for k in range(levels_g):
                        margin_g[k] = total_g[k] - target_margin[k, t]
                    value = joint_from_inner(
                        inner, levels_f - 1, levels_g - 1, margin_f, margin_g, &T[0])
                else:
                    value = joint_from_inner(
                        total, levels_f - 1, levels_g - 1, total_f, total_g, &T[0])
                value += T[n_part[t]] - entropy[t, f] - target_entropy[t]
                out[t, f] = value * (unit / n_part[t]) if value > 0 else 0.0


def joint_by_codes(
    const code[::1, :] codes,         # IN  (n, p)
    const int64_t[::1] columns,       # IN  the columns
    const uint16_t[::1] target,       # IN  (n,) codes of the target
    Py_ssize_t target_levels,
    const int32_t[::1] n_levels,      # IN  (p,)
    const int64_t[::1] rows,          # IN  (n,) rows, fold after fold
    const int64_t[::1] bounds,        # IN  (folds + 1,)
    const int64_t[::1] T,
    int64_t[:, ::1] out,              # OUT (parts, len(columns)) sum of T over the cells
    int32_t[:, ::1] counts,           # TEMP (2, size) zeros, size a power of two >= 4 n
    int64_t[::1] keys,                # TEMP (size,)
    int32_t[::1] cells,               # TEMP (n,)
):
    """Joint sums of ``T`` of columns with a target, for every part that leaves out one fold."""
    cdef Py_ssize_t k, f, n = codes.shape[0]
    cdef count_table table

    if cells.shape[0] < n or out.shape[1] != columns.shape[0] or counts.shape[1] < 4 * n:
        raise ValueError("shapes do not agree")
    if n == 0 or columns.shape[0] == 0:
        return
    table.count = &counts[0, 0]
    table.fold = &counts[1, 0]
    table.key = &keys[0]
    table.size = counts.shape[1]
    table.cell = &cells[0]
    with nogil:
        for k in range(columns.shape[0]):
            f = columns[k]
            count_pair(
                &table, &codes[0, f], sizeof(code) == 2, &target[0], 1, n, n_levels[f],
                target_levels)
            collect_joint_parts(
                &table, n, &rows[0], &bounds[0], bounds.shape[0] - 1, &T[0], &out[0, k],
                out.shape[1])


def information_from_joint(
    const int64_t[:, ::1] joint,      # IN  (parts, p)
    const int64_t[:, ::1] entropy,    # IN  (parts, p)
    const int64_t[::1] target_entropy,    # IN  (parts,)
    const int64_t[::1] T,
    const int64_t[::1] n_part,        # IN  (parts,)
    double unit,
    const int64_t[::1] parts,         # IN  the parts wanted
    const int64_t[::1] columns,       # IN  (columns of joint,): where they stand in out
    double[:, ::1] out,               # OUT (parts, p), the rows wanted are written
):
    """Mutual information in bits from joint sums."""
    cdef Py_ssize_t i, k, t
    cdef int64_t value

    with nogil:
        for i in range(parts.shape[0]):
            t = parts[i]
            for k in range(columns.shape[0]):
                value = (
                    joint[t, k] + T[n_part[t]] - entropy[t, columns[k]] - target_entropy[t])
                out[t, columns[k]] = value * (unit / n_part[t]) if value > 0 else 0.0


def add_tables(
    const int32_t[::1, :] codes,      # IN  (n, p) place of each cell among the columns of a table
    const int32_t[::1] row,           # IN  (n,) row of the tables
    int32_t[:, ::1] tables,           # OUT (rows, places), added to
):
    """Count every column against a target: one table with the levels of all columns abreast."""
    cdef Py_ssize_t i, f

    if row.shape[0] != codes.shape[0]:
        raise ValueError("shapes do not agree")
    with nogil:
        for f in range(codes.shape[1]):
            for i in range(codes.shape[0]):
                tables[row[i], codes[i, f]] += 1

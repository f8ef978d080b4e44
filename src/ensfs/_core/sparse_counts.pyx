"""Counts of sparse coded columns: the level of the cells that are not stored is implicit.

A pair of columns is counted from the stored cells of one of them. What the others add to a sum of
k * log2(k) follows from the margins of the other column: where no cell is stored, the counts are
its margins as they are.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ensfs._core.checks cimport (
    check_length, check_places, check_range, check_shape, check_space
)
from ensfs._core.discrete cimport FIXED_SIZE, MAX_ROWS, MeasureRows, fixed_sums, measure_rows
from ensfs._core.greedy cimport SearchArrays, greedy_init, lazy_search, search_state
from ensfs._core.sparse cimport StoredCells

cdef extern from "measures.h":
    ctypedef struct row_terms:
        int64_t levels_f
        double chance
        int64_t rounded
    int64_t rounding(int64_t, int64_t, int64_t) noexcept nogil
    fixed_sums fix_sums(
        const measure_rows*, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t) noexcept nogil
    double measure_value(
        const measure_rows*, const fixed_sums*, int64_t, int64_t, int64_t, int64_t, row_terms,
        const double*) noexcept nogil

greedy_init()


cdef struct sparse_store:
    const int64_t* starts
    const int32_t* rows             # of the stored cells
    const uint16_t* codes           # their codes
    const int32_t* zero             # (columns,) code of the other cells
    const int32_t* n_levels         # (columns,)
    const uint16_t* y               # (rows,)
    const uint8_t* member           # (rows,) whether a row is in the part, or NULL for all
    const int64_t* klogk
    int64_t n_columns, n_rows, n, n_classes
    const measure_rows* measure
    double chance
    double units[MAX_ROWS]
    int64_t* entropy                # (columns + 1,) sum of klogk over each margin, the target last
    int32_t* observed               # (columns + 1,)
    int64_t* with_target            # (columns,) sum over the cells with the target, or NULL
    int32_t* targets                # (places, rows) cell of each row
    int32_t* margins                # (places, stride) counts of these cells, then with the target
    int64_t stride, n_cells
    fixed_sums* fixed               # (places,)
    int64_t* joints                 # (places, 2): sums over the cells of a target, and with y
    int32_t* levels                 # (places,)
    int32_t* count                  # (size,) zeros
    int64_t* key                    # (size,)
    int64_t size                    # a power of two
    int32_t* gone                   # (n_cells * classes,) zeros
    int32_t* slot                   # (2 * most cells of a column,)


cdef inline int32_t _slot_of(sparse_store* s, int64_t key, bint direct) noexcept nogil:
    """Where a cell is counted: at its own place, or at one found by hashing."""
    cdef uint64_t at

    if direct:
        return <int32_t>key
    at = (<uint64_t>key * <uint64_t>0x9e3779b97f4a7c15) >> 32
    while True:
        at &= <uint64_t>s.size - 1
        if s.count[at] == 0 or s.key[at] == key:
            break
        at += 1
    s.key[at] = key
    return <int32_t>at


cdef int64_t _joint(
    sparse_store* s, int64_t f, const int32_t* target, const uint16_t* y, const int32_t* margin,
    int64_t n_cells, int64_t base,
) noexcept nogil:
    """Sum of klogk over the cells of column f and a target, or of the target and y together.

    `base` is the sum over the margin of the target, of which the stored cells of f take some away.
    """
    cdef int64_t k, q, c, begin = s.starts[f], end = s.starts[f + 1], n = 0, joint = base
    cdef bint direct = s.n_levels[f] * n_cells <= s.size
    cdef int32_t* cell = s.slot + (end - begin)
    cdef int32_t i, at

    for k in range(begin, end):
        i = s.rows[k]
        if s.member != NULL and not s.member[i]:
            continue
        c = target[i]
        if y != NULL:
            c = c * s.n_classes + y[i]
        at = _slot_of(s, s.codes[k] * n_cells + c, direct)
        s.slot[n], cell[n] = at, <int32_t>c
        s.count[at] += 1
        s.gone[c] += 1
        n += 1
    for q in range(n):
        joint += s.klogk[s.count[s.slot[q]]]
        s.count[s.slot[q]] = 0  # klogk[0] = 0: each cell counts once
        c = cell[q]
        if s.gone[c]:
            joint += s.klogk[margin[c] - s.gone[c]] - s.klogk[margin[c]]
            s.gone[c] = 0
    return joint


cdef double _pair(void* store, int64_t f, int64_t g, int64_t place) noexcept nogil:
    """The measure of column f and the target at a place."""
    cdef sparse_store* s = <sparse_store*>store
    cdef const int32_t* target = s.targets + place * s.n_rows
    cdef const int32_t* margin = s.margins + place * s.stride
    cdef int64_t levels_f = s.n_levels[f], levels_g = s.levels[place], cells, others, fgy
    cdef int64_t fg = _joint(s, f, target, NULL, margin, levels_g, s.joints[2 * place])
    cdef row_terms terms

    terms.levels_f, terms.chance = s.observed[f], s.chance
    cells = levels_f * levels_g
    if not s.measure.uses_target:
        terms.rounded = rounding(s.n, cells, levels_f + levels_g)
        return measure_value(
            s.measure, &s.fixed[place], s.entropy[f], fg, 0, 0, terms, s.units)
    fgy = _joint(
        s, f, target, s.y, margin + s.n_cells, levels_g * s.n_classes, s.joints[2 * place + 1])
    others = cells + (levels_g + (levels_f if s.measure.uses_fy else 0)) * s.n_classes
    terms.rounded = rounding(s.n, cells * s.n_classes, others)
    return measure_value(
        s.measure, &s.fixed[place], s.entropy[f], fg,
        s.with_target[f] if s.measure.uses_fy else 0, fgy, terms, s.units)


cdef void _prepare(void* store, int64_t place, int64_t g) noexcept nogil:
    """Make column g, or the target of the table as the last one, the target at a place."""
    cdef sparse_store* s = <sparse_store*>store
    cdef int32_t* target = s.targets + place * s.n_rows
    cdef int32_t* margin = s.margins + place * s.stride
    cdef int32_t* with_y = margin + s.n_cells
    cdef int64_t i, k, levels, y_last = s.n_columns, sums[2]

    if g == y_last:
        levels = s.n_classes
        for i in range(s.n_rows):
            target[i] = s.y[i]
    else:
        levels = s.n_levels[g]
        for i in range(s.n_rows):
            target[i] = s.zero[g]
        for k in range(s.starts[g], s.starts[g + 1]):
            target[s.rows[k]] = s.codes[k]
    memset(margin, 0, <size_t>levels * sizeof(int32_t))
    if s.measure.uses_target:
        memset(with_y, 0, <size_t>(levels * s.n_classes) * sizeof(int32_t))
    for i in range(s.n_rows):
        if s.member == NULL or s.member[i]:
            margin[target[i]] += 1
            if s.measure.uses_target:
                with_y[target[i] * s.n_classes + s.y[i]] += 1
    sums[0] = sums[1] = 0
    for i in range(levels):
        sums[0] += s.klogk[margin[i]]
    if s.measure.uses_target:
        for i in range(levels * s.n_classes):
            sums[1] += s.klogk[with_y[i]]
    s.levels[place] = <int32_t>levels
    s.joints[2 * place], s.joints[2 * place + 1] = sums[0], sums[1]
    s.fixed[place] = fix_sums(
        s.measure, s.klogk[s.n], sums[0], s.entropy[y_last], sums[1], s.observed[g],
        s.observed[y_last])


cdef class SparseCodes:
    """Sparse coded columns and the target."""

    cdef StoredCells cells
    cdef const uint16_t[::1] codes, y
    cdef const int32_t[::1] zero, n_levels
    cdef const int64_t[::1] klogk
    cdef double unit, chance
    cdef Py_ssize_t n_classes
    cdef readonly Py_ssize_t most_cells   # of a column

    def __init__(
        self,
        StoredCells cells,
        const uint16_t[::1] codes,        # IN  (cells,)
        const int32_t[::1] zero,          # IN  (columns,) code of the cells that are not stored
        const int32_t[::1] n_levels,      # IN  (columns,)
        const uint16_t[::1] y,            # IN  (rows,) classes
        Py_ssize_t n_classes,             # IN
        const int64_t[::1] klogk,         # IN  (rows + 1,) k * log2(k) in fixed point
        double unit,                      # IN  value of one unit of these in bits
        double chance,                    # IN  half a nat in these units
    ):
        cdef Py_ssize_t f, k

        cells.check()
        check_length(codes.shape[0], cells.rows.shape[0], "codes")
        check_length(zero.shape[0], cells.n_columns, "zero")
        check_length(n_levels.shape[0], cells.n_columns, "n_levels")
        check_length(y.shape[0], cells.n_rows, "y")
        check_places(y, n_classes, "y")
        check_length(klogk.shape[0], cells.n_rows + 1, "klogk")
        for f in range(cells.n_columns):
            if not 0 <= zero[f] < n_levels[f] <= 1 << 16:
                raise ValueError(f"zero must be a level of column {f}; got {zero[f]}")
            for k in range(cells.starts[f], cells.starts[f + 1]):
                if codes[k] >= n_levels[f]:
                    raise ValueError(f"codes of column {f} must be levels; got {codes[k]}")
            self.most_cells = max(self.most_cells, cells.starts[f + 1] - cells.starts[f])
        self.cells, self.codes, self.zero, self.n_levels = cells, codes, zero, n_levels
        self.y, self.n_classes = y, n_classes
        self.klogk, self.unit, self.chance = klogk, unit, chance


cdef class SparseStore:
    """Sparse coded columns seen through the rows of one part, for one thread."""

    cdef sparse_store store
    cdef object keep
    cdef Py_ssize_t n_places

    def __init__(
        self,
        SparseCodes table,
        const uint8_t[::1] member,        # IN  (rows,) whether a row is in the part; None for all
        Py_ssize_t n,                     # IN  rows of the part
        int64_t[::1] entropy,             # OUT (columns + 1,)
        int32_t[::1] observed,            # OUT (columns + 1,)
        int64_t[::1] with_target,         # IN  (columns,), or None if the measure has no use of it
        MeasureRows measure,
        Py_ssize_t n_cells,               # IN  the most levels of a target
        int32_t[:, ::1] targets,          # TEMP (places, rows)
        int32_t[:, ::1] margins,          # TEMP (places, n_cells * (1 + classes)) or n_cells
        int64_t[:, ::1] target_sums,      # TEMP (places, fixed_size)
        int64_t[:, ::1] joints,           # TEMP (places, 2)
        int32_t[::1] levels,              # TEMP (places,)
        int32_t[::1] counts,              # TEMP (size,) zeros; a power of two
        int64_t[::1] keys,                # TEMP (size,)
        int32_t[::1] gone,                # TEMP (rows of margins,) zeros
        int32_t[::1] slots,               # TEMP (2 * most cells of a column + 1,)
    ):
        cdef Py_ssize_t r, n_places = targets.shape[0]
        cdef sparse_store* s = &self.store
        cdef Py_ssize_t width = n_cells * (1 + table.n_classes * measure.measure.uses_target)

        if not 1 <= n <= table.cells.n_rows or n_places < 1:
            raise ValueError(f"n must be in 1 .. {table.cells.n_rows}; got {n}")
        if member is not None:
            check_length(member.shape[0], table.cells.n_rows, "member")
        check_length(entropy.shape[0], table.cells.n_columns + 1, "entropy")
        check_length(observed.shape[0], table.cells.n_columns + 1, "observed")
        if with_target is not None:
            check_length(with_target.shape[0], table.cells.n_columns, "with_target")
        elif measure.measure.uses_fy:
            raise ValueError("with_target must be given for this measure")
        check_space(n_cells, table.n_classes, "n_cells")
        check_shape(targets.shape, n_places, table.cells.n_rows, "targets")
        check_length(margins.shape[0], n_places, "margins")
        check_space(margins.shape[1], width, "rows of margins")
        check_shape(target_sums.shape, n_places, FIXED_SIZE, "target_sums")
        check_shape(joints.shape, n_places, 2, "joints")
        check_length(levels.shape[0], n_places, "levels")
        check_length(keys.shape[0], counts.shape[0], "keys")
        if counts.shape[0] & (counts.shape[0] - 1):
            raise ValueError(f"counts must have a power of two entries; got {counts.shape[0]}")
        check_space(counts.shape[0], 4 * table.most_cells + 1, "counts")
        check_space(gone.shape[0], width, "gone")
        check_space(slots.shape[0], 2 * table.most_cells + 1, "slots")
        self.keep = (
            table, member, entropy, observed, with_target, measure, targets, margins, target_sums,
            joints, levels, counts, keys, gone, slots)
        self.n_places = n_places
        memset(s, 0, sizeof(sparse_store))
        s.starts = &table.cells.starts[0]
        if table.codes.shape[0]:
            s.rows, s.codes = &table.cells.rows[0], &table.codes[0]
        s.zero, s.n_levels, s.y = &table.zero[0], &table.n_levels[0], &table.y[0]
        s.member = NULL if member is None else &member[0]
        s.klogk = &table.klogk[0]
        s.n_columns, s.n_rows = table.cells.n_columns, table.cells.n_rows
        s.n, s.n_classes = n, table.n_classes
        s.measure, s.chance = &measure.measure, table.chance
        for r in range(MAX_ROWS):
            s.units[r] = measure.measure.weights[r]
            if not measure.measure.is_divided:
                s.units[r] *= table.unit / n
        s.entropy, s.observed = &entropy[0], &observed[0]
        s.with_target = NULL if with_target is None else &with_target[0]
        s.targets, s.margins, s.stride = &targets[0, 0], &margins[0, 0], margins.shape[1]
        s.n_cells, s.fixed = n_cells, <fixed_sums*>&target_sums[0, 0]
        s.joints, s.levels = &joints[0, 0], &levels[0]
        s.count, s.key, s.size = &counts[0], &keys[0], counts.shape[0]
        s.gone, s.slot = &gone[0], &slots[0]

    cdef int check_target(self, Py_ssize_t g) except -1:
        check_range(g, g + 1, self.store.n_columns + 1, "g")
        if g < self.store.n_columns:
            check_space(self.store.n_cells, self.store.n_levels[g], "n_cells")
        return 0

    def count_margins(self):
        """Sums over the margins of all columns and of the target, and the levels that occur."""
        cdef sparse_store* s = &self.store
        cdef int64_t f, k, i, base = s.klogk[s.n]

        with nogil:
            for i in range(s.n_rows):  # the target of one cell
                s.targets[i] = 0
            for f in range(s.n_columns):
                s.margins[0] = <int32_t>s.n
                s.entropy[f] = _joint(s, f, s.targets, NULL, s.margins, 1, base)
                self._observe(f)
            for k in range(s.n_classes):
                s.margins[k] = 0
            for i in range(s.n_rows):
                if s.member == NULL or s.member[i]:
                    s.margins[s.y[i]] += 1
            s.entropy[s.n_columns] = s.observed[s.n_columns] = 0
            for k in range(s.n_classes):
                s.entropy[s.n_columns] += s.klogk[s.margins[k]]
                s.observed[s.n_columns] += s.margins[k] > 0

    cdef void _observe(self, int64_t f) noexcept nogil:
        """Count the levels of a column that occur in the part."""
        cdef sparse_store* s = &self.store
        cdef int64_t k, n = 0
        cdef bint direct = s.n_levels[f] <= s.size

        s.observed[f] = 0
        for k in range(s.starts[f], s.starts[f + 1]):
            if s.member != NULL and not s.member[s.rows[k]]:
                continue
            s.slot[n] = _slot_of(s, s.codes[k], direct)
            s.observed[f] += s.count[s.slot[n]] == 0
            s.count[s.slot[n]] += 1
            n += 1
        for k in range(n):
            s.count[s.slot[k]] = 0
        s.observed[f] += n < s.n

    def measure(
        self,
        Py_ssize_t g,                     # IN  column; the target is the last
        Py_ssize_t start, Py_ssize_t stop,    # columns
        double[::1] out,                  # OUT (stop - start,)
    ):
        """The measure of the columns ``start:stop`` with column ``g``."""
        cdef Py_ssize_t f

        self.check_target(g)
        check_range(start, stop, self.store.n_columns, "columns")
        check_length(out.shape[0], stop - start, "out")
        with nogil:
            _prepare(&self.store, 0, g)
            for f in range(start, stop):
                out[f - start] = _pair(&self.store, f, g, 0)

    def measure_some(
        self,
        Py_ssize_t g,                     # IN  column; the target is the last
        const int64_t[::1] columns,       # IN
        double[::1] out,                  # OUT (columns,)
    ):
        """The measure of some columns with column ``g``."""
        cdef Py_ssize_t i

        self.check_target(g)
        check_places(columns, self.store.n_columns, "columns")
        check_length(out.shape[0], columns.shape[0], "out")
        with nogil:
            _prepare(&self.store, 0, g)
            for i in range(columns.shape[0]):
                out[i] = _pair(&self.store, columns[i], g, 0)

    def joint_with_target(
        self,
        Py_ssize_t start, Py_ssize_t stop,    # columns
        int64_t[::1] out,                 # OUT (stop - start,)
    ):
        """Sums over the cells of the columns ``start:stop`` with the target."""
        cdef sparse_store* s = &self.store
        cdef Py_ssize_t f

        check_range(start, stop, s.n_columns, "columns")
        check_length(out.shape[0], stop - start, "out")
        with nogil:
            _prepare(s, 0, s.n_columns)
            for f in range(start, stop):
                out[f - start] = _joint(
                    s, f, s.targets, NULL, s.margins, s.n_classes, s.joints[0])

    def lazy_search(
        self,
        SearchArrays arrays,              # IN/OUT of one part
        int start, int stop,              # IN  steps
        int criterion,                    # IN  flags
        const int64_t[::1] hints,         # IN  (k,) columns that are likely to win, or None
        Py_ssize_t limit,                 # IN  pairs to read at most
    ):
        """Steps of greedy selection by exact lazy evaluation; returns the step it came to."""
        cdef search_state state
        cdef Py_ssize_t f, p = arrays.n_features
        cdef int32_t reached

        check_length(arrays.n_parts, 1, "the parts of arrays")
        check_range(0, p, self.store.n_columns, "columns")
        check_range(0, stop, self.n_places, "targets")
        for f in range(p):
            check_space(self.store.n_cells, self.store.n_levels[f], "n_cells")
        arrays.check_steps(start, stop, hints)
        arrays.fill(0, &state)
        state.pair = _pair
        state.prepare = _prepare
        state.context = &self.store
        with nogil:
            reached = lazy_search(
                &state, 1, p, p, start, stop, criterion, NULL if hints is None else &hints[0],
                &arrays.candidates[0], limit)
        return reached

"""Counts of two coded columns in the strata of others: what tests of independence need.

A cell is a stratum, a level of y and a level of x. From the counts of the cells come the
conditional mutual information (in the fixed point of `log_table`, so that no sum depends on its
order), the number of strata that occur, and the degrees of freedom with empty rows and columns left
out. With folds, each of them is given for all rows but those of one fold, from one reading of the
rows.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from ensfs._core.checks cimport (
    check_folds, check_length, check_places, check_range, check_shape, check_space
)

cdef extern from "independence.h":
    enum:
        MAX_PLANE_LEVELS
        N_SUMS
        SUBTABLES  # 4
    void independence_init() noexcept
    int plane_cells() noexcept nogil
    int64_t and_count(const uint64_t*, const uint64_t*, int64_t) noexcept nogil
    int64_t fold_counts(
        const uint64_t*, const uint64_t*, int64_t, int64_t, int64_t*) noexcept nogil
    void extend_narrow "ENSFS_DISCRETE(extend_narrow)"(
        int32_t*, const uint8_t*, int64_t, int32_t) noexcept nogil
    void split_plane "ENSFS_DISCRETE(split_plane)"(
        const uint64_t*, const uint64_t*, int64_t, int64_t, uint64_t*) noexcept nogil
    void count_planes "ENSFS_DISCRETE(count_planes)"(
        const uint64_t*, const uint64_t*, const int32_t*, int64_t, int64_t, int64_t, int64_t,
        int32_t*) noexcept nogil
    ctypedef struct cell_sums:
        int64_t value
        int64_t n_strata
        int64_t degrees
    cell_sums sum_cells(
        const int32_t*, int64_t, int64_t, int64_t, const int64_t*, const int64_t*, int64_t,
        int32_t*) noexcept nogil

independence_init()

max_plane_levels = MAX_PLANE_LEVELS
#: Cells of y and the strata that are worth a bit plane each, on this instruction set.
most_planes = plane_cells()

ctypedef fused code_t:
    uint8_t
    uint16_t


cdef inline const code_t* column_of(
    const code_t* codes, const code_t* y, Py_ssize_t n, Py_ssize_t p, Py_ssize_t j,
) noexcept nogil:
    """Codes of column ``j``; the target comes after the last."""
    return y if j == p else codes + j * n


cdef void count_rows(
    const int32_t* label, const code_t* x, Py_ssize_t n, int32_t n_x, const int32_t* fold,
    Py_ssize_t n_folds, Py_ssize_t cells, int32_t* table,
) noexcept nogil:
    """Count the cells ``label * n_x + x``, in each fold; ``table`` has room for ``SUBTABLES``."""
    cdef Py_ssize_t i, k, full = n - n % SUBTABLES

    if fold != NULL:
        memset(table, 0, <size_t>(n_folds * cells) * sizeof(int32_t))
        for i in range(n):
            table[fold[i] * cells + label[i] * n_x + x[i]] += 1
        return
    # neighbouring rows often share a cell: a table for each keeps them from waiting for each other
    memset(table, 0, <size_t>(SUBTABLES * cells) * sizeof(int32_t))
    for i in range(0, full, 4):
        table[label[i] * n_x + x[i]] += 1
        table[cells + label[i + 1] * n_x + x[i + 1]] += 1
        table[2 * cells + label[i + 2] * n_x + x[i + 2]] += 1
        table[3 * cells + label[i + 3] * n_x + x[i + 3]] += 1
    for i in range(full, n):
        table[label[i] * n_x + x[i]] += 1
    for k in range(cells):
        table[k] += table[cells + k] + table[2 * cells + k] + table[3 * cells + k]


cdef void evaluate(
    int32_t* table, Py_ssize_t n_strata, Py_ssize_t n_y, Py_ssize_t n_x, Py_ssize_t n_folds,
    const int64_t* row, const int64_t* klogk, const int64_t* n_part, int64_t* value,
    int64_t* strata, int64_t* degrees,
) noexcept nogil:
    """Sums of the cells: all of them, or without each fold. Scratch follows in the table."""
    cdef Py_ssize_t t, k, cells = n_strata * n_y * n_x
    cdef int32_t* total = table + n_folds * cells
    cdef int32_t* part = total + cells
    cdef int32_t* margin = part + cells
    cdef cell_sums sums

    if n_folds == 1:
        sums = sum_cells(table, n_strata, n_y, n_x, row, klogk, n_part[0], margin)
        value[0], strata[0], degrees[0] = sums.value, sums.n_strata, sums.degrees
        return
    memset(total, 0, <size_t>cells * sizeof(int32_t))
    for t in range(n_folds):
        for k in range(cells):
            total[k] += table[t * cells + k]
    for t in range(n_folds):
        for k in range(cells):
            part[k] = total[k] - table[t * cells + k]
        sums = sum_cells(part, n_strata, n_y, n_x, row, klogk, n_part[t], margin)
        value[t], strata[t], degrees[t] = sums.value, sums.n_strata, sums.degrees


cpdef Py_ssize_t workspace_size(Py_ssize_t cells, Py_ssize_t n_x, Py_ssize_t n_folds) noexcept:
    """Size of the scratch for a table of so many cells."""
    return (max(n_folds, SUBTABLES) + 2) * cells + n_x


cdef int check_table(
    Py_ssize_t n_y, const int32_t[::1] n_levels, const int64_t[::1] row,
    const int64_t[::1] klogk, Py_ssize_t n, Py_ssize_t p,
) except -1:
    """Raise an error unless there is a code of y for each row, and levels of each column."""
    check_length(n_y, n, "y")
    check_length(n_levels.shape[0], p + 1, "n_levels")
    check_length(row.shape[0], N_SUMS, "row")
    return check_length(klogk.shape[0], n + 1, "klogk")


cdef int check_outcomes(
    const int64_t[:, ::1] value, const int64_t[:, ::1] strata, const int64_t[:, ::1] degrees,
    Py_ssize_t least, Py_ssize_t n_parts,
) except -1:
    """Raise an error unless there is a place for the outcome of every test."""
    check_space(value.shape[0], least, "value")
    check_length(value.shape[1], n_parts, "rows of value")
    check_shape(strata.shape, value.shape[0], n_parts, "strata")
    return check_shape(degrees.shape, value.shape[0], n_parts, "degrees")


def test_columns(
    const code_t[::1, :] codes,          # IN  (n, p)
    const code_t[::1] y,                 # IN  (n,) codes of column p
    const int64_t[::1] columns,          # IN  (m,) what takes the place of x
    Py_ssize_t start, Py_ssize_t stop,   # of them
    const int32_t[::1] label,            # IN  (n,) stratum * n_y + level of y
    Py_ssize_t n_strata, Py_ssize_t n_y,
    const int32_t[::1] n_levels,         # IN  (p + 1,)
    const int32_t[::1] fold,             # IN  (n,) or None
    const int64_t[::1] row,              # IN  (sums,) of the information of f and y given g
    const int64_t[::1] klogk,            # IN  (n + 1,)
    const int64_t[::1] n_part,           # IN  (parts,) rows of each part
    const uint64_t[:, ::1] planes,       # IN  (planes, words) of the columns, or None
    const int64_t[::1] plane_start,      # IN  (p + 2,)
    const uint64_t[:, ::1] label_planes,  # IN  (labels, words), or None: count rows
    const int32_t[:, ::1] margins,       # IN  (labels, folds) rows of each label
    int32_t[::1] work,                   # TEMP
    int64_t[:, ::1] value,               # OUT (m, parts) information in fixed point
    int64_t[:, ::1] strata,              # OUT (m, parts) strata that occur
    int64_t[:, ::1] degrees,             # OUT (m, parts) adjusted degrees of freedom
):
    """Test the columns against one column y in the same strata."""
    cdef Py_ssize_t i, j, n_x, cells, n = codes.shape[0], p = codes.shape[1]
    cdef Py_ssize_t n_folds = n_part.shape[0], n_labels = n_strata * n_y
    cdef Py_ssize_t most = 2 * plane_cells()
    cdef bint by_planes = planes is not None and label_planes is not None

    check_length(label.shape[0], n, "label")
    check_table(y.shape[0], n_levels, row, klogk, n, p)
    check_range(start, stop, columns.shape[0], "columns")
    check_outcomes(value, strata, degrees, stop, n_folds)
    check_folds(fold, n, n_folds)
    if by_planes:
        check_range(0, n_folds, 64, "folds")
        check_length(plane_start.shape[0], p + 2, "plane_start")
        check_shape(label_planes.shape, n_labels, planes.shape[1], "label_planes")
        check_shape(margins.shape, n_labels, n_folds, "margins")
    check_places(label, n_labels, "label")
    check_places(columns[start:stop], p + 1, "columns")
    for i in range(start, stop):
        n_x = n_levels[columns[i]]
        check_space(work.shape[0], workspace_size(n_labels * n_x, n_x, n_folds), "work")
    with nogil:
        for i in range(start, stop):
            j = columns[i]
            n_x = n_levels[j]
            cells = n_labels * n_x
            if by_planes and 1 < n_x <= MAX_PLANE_LEVELS and n_labels * n_x <= most:
                count_planes(
                    &label_planes[0, 0], &planes[plane_start[j], 0], &margins[0, 0], n_labels,
                    n_x, n_folds, planes.shape[1], &work[0])
            else:
                count_rows(
                    &label[0], column_of(&codes[0, 0] if p else NULL, &y[0], n, p, j), n,
                    <int32_t>n_x, NULL if fold is None else &fold[0], n_folds, cells, &work[0])
            evaluate(
                &work[0], n_strata, n_y, n_x, n_folds, &row[0], &klogk[0], &n_part[0], &value[i, 0],
                &strata[i, 0], &degrees[i, 0])


def test_pairs(
    const code_t[::1, :] codes,          # IN  (n, p)
    const code_t[::1] y,                 # IN  (n,) codes of column p
    const int64_t[:, ::1] pairs,         # IN  (m, 2 + given) columns x, y and those of the strata
    Py_ssize_t start, Py_ssize_t stop,   # of them
    const int32_t[::1] n_levels,         # IN  (p + 1,)
    const int32_t[::1] fold,             # IN  (n,) or None
    const int64_t[::1] row,              # IN  (sums,) of the information of f and y given g
    const int64_t[::1] klogk,            # IN  (n + 1,)
    const int64_t[::1] n_part,           # IN  (parts,) rows of each part
    const uint64_t[:, ::1] planes,       # IN  (planes, words) of the columns, or None
    const int64_t[::1] plane_start,      # IN  (p + 2,)
    const uint64_t[::1] all_rows,        # IN  (words,) a plane of all rows
    uint64_t[:, ::1] label_planes,       # TEMP (2 * most_planes, words)
    int32_t[:, ::1] margins,             # TEMP (most_planes, folds)
    int32_t[::1] label,                  # TEMP (n,)
    int32_t[::1] work,                   # TEMP
    int64_t[:, ::1] value,               # OUT (m, parts); -1 if the table has no room in `work`
    int64_t[:, ::1] strata,              # OUT (m, parts)
    int64_t[:, ::1] degrees,             # OUT (m, parts)
):
    """Test pairs of columns, each given columns of its own."""
    cdef Py_ssize_t i, k, r, n = codes.shape[0], p = codes.shape[1], width = pairs.shape[1]
    cdef Py_ssize_t n_folds = n_part.shape[0], n_x, n_y, n_strata, cells, most
    cdef const code_t* column
    cdef const code_t* first = &codes[0, 0] if p else NULL
    cdef Py_ssize_t most_labels = plane_cells()
    cdef bint by_planes = planes is not None

    check_length(label.shape[0], n, "label")
    check_table(y.shape[0], n_levels, row, klogk, n, p)
    check_space(width, 2, "rows of pairs")
    if by_planes:
        check_range(0, n_folds, 64, "folds")
        check_length(plane_start.shape[0], p + 2, "plane_start")
        check_length(all_rows.shape[0], planes.shape[1], "all_rows")
        check_space(label_planes.shape[0], 2 * most_labels, "label_planes")
        check_length(label_planes.shape[1], planes.shape[1], "words of label_planes")
        check_space(margins.shape[0], most_labels, "margins")
        check_length(margins.shape[1], n_folds, "rows of margins")
    check_range(start, stop, pairs.shape[0], "pairs")
    check_outcomes(value, strata, degrees, stop, n_folds)
    check_folds(fold, n, n_folds)
    for i in range(start, stop):
        check_places(pairs[i], p + 1, "pairs")
    with nogil:
        for i in range(start, stop):
            n_x, n_y, n_strata = n_levels[pairs[i, 0]], n_levels[pairs[i, 1]], 1
            most = (work.shape[0] - n_x) // (max(n_folds, SUBTABLES) + 2) // (n_x * n_y)
            for k in range(2, width):
                n_strata *= n_levels[pairs[i, k]]
                if n_strata > most:
                    break
            if n_strata > most:
                value[i, 0] = -1
                continue
            cells = n_strata * n_y * n_x
            if by_planes and n_strata * n_y <= most_labels and cells <= 2 * most_labels and (
                has_planes(pairs, i, n_levels)
            ):
                make_labels(
                    pairs, i, n_levels, planes, plane_start, all_rows, most_labels, n_folds,
                    label_planes, margins)
                count_planes(
                    &label_planes[0, 0], &planes[plane_start[pairs[i, 0]], 0], &margins[0, 0],
                    n_strata * n_y, n_x, n_folds, planes.shape[1], &work[0])
                evaluate(
                    &work[0], n_strata, n_y, n_x, n_folds, &row[0], &klogk[0], &n_part[0],
                    &value[i, 0], &strata[i, 0], &degrees[i, 0])
                continue
            memset(&label[0], 0, <size_t>n * sizeof(int32_t))
            for k in range(2, width + 1):  # the columns of the strata, then y
                r = pairs[i, k if k < width else 1]
                column = column_of(first, &y[0], n, p, r)
                if code_t is uint8_t:
                    extend_narrow(&label[0], column, n, n_levels[r])
                else:
                    extend(&label[0], column, n, n_levels[r])
            count_rows(
                &label[0], column_of(first, &y[0], n, p, pairs[i, 0]), n, <int32_t>n_x,
                NULL if fold is None else &fold[0], n_folds, cells, &work[0])
            evaluate(
                &work[0], n_strata, n_y, n_x, n_folds, &row[0], &klogk[0], &n_part[0], &value[i, 0],
                &strata[i, 0], &degrees[i, 0])


cdef bint has_planes(
    const int64_t[:, ::1] pairs, Py_ssize_t i, const int32_t[::1] n_levels,
) noexcept nogil:
    """Whether all columns of a test have planes, and vary."""
    cdef Py_ssize_t k
    for k in range(pairs.shape[1]):
        if not 1 < n_levels[pairs[i, k]] <= MAX_PLANE_LEVELS:
            return False
    return True


cdef void make_labels(
    const int64_t[:, ::1] pairs, Py_ssize_t i, const int32_t[::1] n_levels,
    const uint64_t[:, ::1] planes, const int64_t[::1] plane_start, const uint64_t[::1] all_rows,
    Py_ssize_t most, Py_ssize_t n_folds, uint64_t[:, ::1] out, int32_t[:, ::1] margins,
) noexcept nogil:
    """Planes of the combinations of the given columns and y, and their rows in each fold.

    They are split by one column after the other, from one half of the room to the other, so that
    they end in the first half.
    """
    cdef Py_ssize_t k, r, label, t, levels, n_words = planes.shape[1], width = pairs.shape[1]
    cdef Py_ssize_t n_labels = 1, to = 0 if width % 2 == 0 else most, at = most - to
    cdef const uint64_t* source = &all_rows[0]
    cdef int64_t counts[64]

    for k in range(2, width + 1):
        r = pairs[i, k if k < width else 1]
        levels = n_levels[r]
        for label in range(n_labels):
            split_plane(
                source + label * n_words, &planes[plane_start[r], 0], levels, n_words,
                &out[to + label * levels, 0])
        n_labels *= levels
        source = &out[to, 0]
        at, to = to, at
    for label in range(n_labels):
        if n_folds == 1:
            counts[0] = and_count(&out[label, 0], &out[label, 0], n_words)
        else:
            fold_counts(&out[label, 0], &out[label, 0], n_folds, n_words // n_folds, counts)
        for t in range(n_folds):
            margins[label, t] = <int32_t>counts[t]


cdef void extend(
    int32_t* label, const code_t* column, Py_ssize_t n, int32_t levels,
) noexcept nogil:
    """Labels of the combinations of a label and a column."""
    cdef Py_ssize_t i
    for i in range(n):
        label[i] = label[i] * levels + column[i]


def refine(
    const int32_t[::1] label,            # IN  (n,)
    Py_ssize_t n_labels,
    const code_t[::1] column,            # IN  (n,)
    Py_ssize_t levels,
    int32_t[::1] table,                  # TEMP (size,) a power of two, at least 2 n
    int64_t[::1] keys,                   # TEMP (size,)
    int32_t[::1] out,                    # OUT (n,)
):
    """Number the combinations of a label and a column in the order they occur; how many there are.

    Where the table has a place for every combination it is looked up, else it is hashed.
    """
    cdef Py_ssize_t i, n = label.shape[0], size = table.shape[0]
    cdef int64_t key
    cdef uint64_t at
    cdef int32_t found = 0
    cdef bint direct = n_labels * levels <= size

    check_length(column.shape[0], n, "column")
    check_length(out.shape[0], n, "out")
    check_space(size, 2 * n, "table")
    if size & (size - 1):
        raise ValueError(f"table must have a power of two entries; got {size}")
    check_space(keys.shape[0], size, "keys")
    check_places(label, n_labels, "label")
    check_places(column, levels, "column")
    with nogil:
        memset(&table[0], 255, <size_t>(n_labels * levels if direct else size) * sizeof(int32_t))
        for i in range(n):
            key = label[i] * <int64_t>levels + column[i]
            at = <uint64_t>key
            if not direct:
                at = ((<uint64_t>key * <uint64_t>0x9e3779b97f4a7c15) >> 32) & <uint64_t>(size - 1)
                while table[at] >= 0 and keys[at] != key:
                    at = (at + 1) & <uint64_t>(size - 1)
                keys[at] = key
            if table[at] < 0:
                table[at] = found
                found += 1
            out[i] = table[at]
    return found


def make_label_planes(
    const int32_t[::1] label,            # IN  (n,)
    const int64_t[::1] position,         # IN  (n,) bit of each row, or None: its own number
    const int32_t[::1] fold,             # IN  (n,) or None
    uint64_t[:, ::1] planes,             # OUT (labels, words)
    int32_t[:, ::1] margins,             # OUT (labels, folds)
):
    """A bit plane for each label, and how many rows it has in each fold."""
    cdef Py_ssize_t i, at, n = label.shape[0]

    check_length(margins.shape[0], planes.shape[0], "margins")
    if position is None:
        check_space(planes.shape[1] * 64, n, "bits of planes")
    check_places(label, planes.shape[0], "label")
    if position is not None:
        if position.shape[0] != n:
            raise ValueError("position must have a value for each row")
        check_places(position, 64 * planes.shape[1], "position")
    if fold is not None:
        if fold.shape[0] != n:
            raise ValueError("fold must have a value for each row")
        check_places(fold, margins.shape[1], "fold")
    with nogil:
        memset(&planes[0, 0], 0, <size_t>(planes.shape[0] * planes.shape[1]) * sizeof(uint64_t))
        memset(&margins[0, 0], 0, <size_t>(margins.shape[0] * margins.shape[1]) * sizeof(int32_t))
        for i in range(n):
            at = i if position is None else position[i]
            planes[label[i], at >> 6] |= <uint64_t>1 << (at & 63)
            margins[label[i], 0 if fold is None else fold[i]] += 1


def count_levels(
    const code_t[::1, :] codes,          # IN  (n, p)
    const code_t[::1] y,                 # IN  (n,)
    const int32_t[::1] n_levels,         # IN  (p + 1,)
    const int32_t[::1] fold,             # IN  (n,)
    Py_ssize_t start, Py_ssize_t stop,   # columns, the target after the last
    int32_t[:, ::1] table,               # TEMP (folds + 1, most levels)
    int32_t[:, ::1] out,                 # OUT (folds, p + 1)
):
    """Levels of each column that occur in the rows outside of each fold."""
    cdef Py_ssize_t i, j, t, k, n = codes.shape[0], p = codes.shape[1], e = out.shape[0]
    cdef const code_t* column

    check_length(table.shape[0], e + 1, "table")
    check_length(out.shape[1], p + 1, "rows of out")
    check_length(fold.shape[0], n, "fold")
    if not 0 <= start <= stop <= min(p + 1, n_levels.shape[0]) or y.shape[0] != n:
        raise ValueError("n_levels must have a place for each column and y")
    for j in range(start, stop):
        if n_levels[j] > table.shape[1]:
            raise ValueError(f"table must have room for {n_levels[j]} levels")
    check_places(fold, e, "fold")
    with nogil:
        for j in range(start, stop):
            column = column_of(&codes[0, 0] if p else NULL, &y[0], n, p, j)
            memset(&table[0, 0], 0, <size_t>(table.shape[0] * table.shape[1]) * sizeof(int32_t))
            for i in range(n):
                table[fold[i], column[i]] += 1
            for t in range(e):
                for k in range(n_levels[j]):
                    table[e, k] += table[t, k]
            for t in range(e):
                out[t, j] = 0
                for k in range(n_levels[j]):
                    out[t, j] += table[e, k] > table[t, k]

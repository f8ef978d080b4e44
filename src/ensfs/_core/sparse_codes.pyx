"""Codes of sparse columns, by the distinct values or by cut points, 0 among the values."""

from libc.math cimport rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from ensfs._core.checks cimport check_length, check_places, check_range, check_space
from ensfs._core.sorting cimport sort_pairs
from ensfs._core.sparse cimport StoredCells

ctypedef fused value_t:
    float
    double

# Columns with at most so many distinct values are coded without sorting.
cdef enum:
    FEW = 8


cdef inline Py_ssize_t _few_values(
    const value_t* x, Py_ssize_t n, bint with_zero, Py_ssize_t most, double* found
) noexcept nogil:
    """Distinct values in ascending order, 0 among them if asked for; -1 if more than `most`."""
    cdef Py_ssize_t i, j, k, size = 0
    cdef double value

    if with_zero:
        found[0], size = 0.0, 1
    for i in range(n):
        value, j = x[i], size
        while j > 0 and found[j - 1] > value:
            j -= 1
        if j > 0 and found[j - 1] == value:
            continue
        if size == most:
            return -1
        for k in range(size, j, -1):
            found[k] = found[k - 1]
        found[j] = value
        size += 1
    return size


def few_whole_values(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    Py_ssize_t most,                      # IN
    uint8_t[::1] out,                     # OUT (stop - start,)
):
    """Which columns hold whole numbers only, at most so many distinct ones."""
    cdef Py_ssize_t f, k, size
    cdef double found[FEW]

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_range(start, stop, cells.n_columns, "columns")
    check_range(0, most, FEW, "values")
    check_length(out.shape[0], stop - start, "out")
    with nogil:
        for f in range(start, stop):
            k, size = cells.starts[f], cells.starts[f + 1] - cells.starts[f]
            out[f - start] = size == 0
            if size == 0:
                continue
            size = _few_values(&values[k], size, size < cells.n_rows, most, found)
            out[f - start] = size >= 0
            for k in range(size):
                out[f - start] &= rint(found[k]) == found[k]


cdef Py_ssize_t _rank(
    const value_t* x, Py_ssize_t n, bint with_zero, uint16_t* codes, Py_ssize_t most,
    int32_t* zero, double* keys, int32_t* places,
) noexcept nogil:
    """Code values by their rank among the distinct ones; returns how many there are.

    No code is written if there are more than `most`.
    """
    cdef Py_ssize_t i, k, size
    cdef double found[FEW]
    cdef bint seen = not with_zero

    zero[0] = 0
    size = _few_values(x, n, with_zero, FEW, found)
    if size >= 0:
        for i in range(n):
            k = 0
            while found[k] < x[i]:
                k += 1
            codes[i] = <uint16_t>k
        while with_zero and found[zero[0]] < 0.0:
            zero[0] += 1
        return size
    for i in range(n):
        keys[i], places[i] = x[i], <int32_t>i
    sort_pairs(keys, places, n, keys + n, places + n)
    size = 0
    for i in range(n):
        if not seen and keys[i] > 0.0:
            zero[0], seen = <int32_t>size, True
            size += 1
        if i == 0 or keys[i] != keys[i - 1]:
            size += 1
        if size <= most:
            codes[places[i]] = <uint16_t>(size - 1)
    if not seen:
        zero[0] = <int32_t>size
        size += 1
    return size


def rank_codes(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    const int64_t[::1] columns,           # IN  the columns to code
    Py_ssize_t most,                      # IN  levels that can be coded
    uint16_t[::1] codes,                  # OUT (cells,) written for these columns
    int32_t[::1] zero,                    # OUT (all columns,) the code of 0, if it occurs
    int32_t[::1] n_levels,                # OUT (all columns,)
    double[::1] keys,                     # TEMP (2 * largest number of cells in a column,)
    int32_t[::1] places,                  # TEMP (the same,)
):
    """Code columns by the ranks of their distinct values, 0 among them where it occurs."""
    cdef Py_ssize_t i, f, start, size
    cdef double* key = NULL
    cdef int32_t* place = NULL

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_length(codes.shape[0], cells.rows.shape[0], "codes")
    check_places(columns, cells.n_columns, "columns")
    check_length(zero.shape[0], cells.n_columns, "zero")
    check_length(n_levels.shape[0], cells.n_columns, "n_levels")
    check_range(0, most, 1 << 16, "levels")
    check_length(places.shape[0], keys.shape[0], "places")
    for i in range(columns.shape[0]):
        f = columns[i]
        check_space(keys.shape[0], 2 * (cells.starts[f + 1] - cells.starts[f]), "keys")
    if keys.shape[0]:
        key, place = &keys[0], &places[0]
    with nogil:
        for i in range(columns.shape[0]):
            f = columns[i]
            start, size = cells.starts[f], cells.starts[f + 1] - cells.starts[f]
            if size == 0:
                zero[f], n_levels[f] = 0, 1
                continue
            n_levels[f] = <int32_t>_rank(
                &values[start], size, size < cells.n_rows, &codes[start], most, &zero[f], key,
                place)


cdef inline Py_ssize_t _n_below(
    const double* cuts, Py_ssize_t n_cuts, double value,
) noexcept nogil:
    """Count the sorted ``cuts`` strictly below ``value``."""
    cdef Py_ssize_t low = 0, length = n_cuts, half

    while length > 0:
        half = length // 2
        if cuts[low + half] < value:
            low += half + 1
            length -= half + 1
        else:
            length = half
    return low


def digitise(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    const int64_t[::1] columns,           # IN  the columns to code
    const double[::1] cuts,               # IN  (offsets[-1],), ascending per column
    const int64_t[::1] offsets,           # IN  (columns + 1,)
    const int32_t[::1] levels,            # IN  (offsets[-1] + columns,) code of each bin
    uint16_t[::1] codes,                  # OUT (cells,) written for these columns
    int32_t[::1] zero,                    # OUT (all columns,) the code of 0
):
    """Code the stored values of some columns, and 0, by the bins they lie in."""
    cdef Py_ssize_t i, f, k, n, start
    cdef const double* cut

    check_length(values.shape[0], cells.rows.shape[0], "values")
    check_places(columns, cells.n_columns, "columns")
    check_length(offsets.shape[0], columns.shape[0] + 1, "offsets")
    check_length(offsets[0], 0, "what comes before the first cut")
    check_length(offsets[columns.shape[0]], cuts.shape[0], "offsets")
    check_length(levels.shape[0], cuts.shape[0] + columns.shape[0], "levels")
    check_places(levels, 1 << 16, "levels")
    check_length(codes.shape[0], cells.rows.shape[0], "codes")
    check_length(zero.shape[0], cells.n_columns, "zero")
    for i in range(columns.shape[0]):
        check_range(offsets[i], offsets[i + 1], cuts.shape[0], "offsets")
    with nogil:
        for i in range(columns.shape[0]):
            f, start, n = columns[i], offsets[i], offsets[i + 1] - offsets[i]
            cut = &cuts[start] if n > 0 else NULL
            zero[f] = levels[start + i + _n_below(cut, n, 0.0)]
            for k in range(cells.starts[f], cells.starts[f + 1]):
                codes[k] = <uint16_t>levels[start + i + _n_below(cut, n, values[k])]


def compact(
    StoredCells cells,
    const int64_t[::1] columns,           # IN  the columns to look at
    uint16_t[::1] codes,                  # IN/OUT (cells,)
    int32_t[::1] zero,                    # IN/OUT (all columns,) the code of 0
    int32_t[::1] n_levels,                # OUT (all columns,)
    int32_t[::1] present,                 # TEMP (largest code + 1,)
):
    """Number the codes that occur in some columns from 0, in their order."""
    cdef Py_ssize_t i, f, k
    cdef int32_t level

    check_length(codes.shape[0], cells.rows.shape[0], "codes")
    check_places(codes, present.shape[0], "codes")
    check_places(columns, cells.n_columns, "columns")
    check_length(zero.shape[0], cells.n_columns, "zero")
    check_places(zero, present.shape[0], "zero")
    check_length(n_levels.shape[0], cells.n_columns, "n_levels")
    with nogil:
        for i in range(columns.shape[0]):
            f = columns[i]
            for k in range(present.shape[0]):
                present[k] = 0
            for k in range(cells.starts[f], cells.starts[f + 1]):
                present[codes[k]] = 1
            if cells.starts[f + 1] - cells.starts[f] < cells.n_rows:
                present[zero[f]] = 1
            level = 0
            for k in range(present.shape[0]):
                if present[k]:
                    present[k] = level
                    level += 1
            n_levels[f] = level
            for k in range(cells.starts[f], cells.starts[f + 1]):
                codes[k] = <uint16_t>present[codes[k]]
            zero[f] = present[zero[f]]


def drop_implicit(
    StoredCells cells,
    const uint16_t[::1] codes,            # IN  (cells,)
    const int32_t[::1] zero,              # IN  (columns,) the code of the cells that are not stored
    int64_t[::1] starts,                  # OUT (columns + 1,)
    int32_t[::1] rows,                    # OUT (cells,)
    uint16_t[::1] kept,                   # OUT (cells,)
):
    """Leave out the cells that have the code of those that are not stored; how many are left."""
    cdef Py_ssize_t f, k, n = 0

    check_length(codes.shape[0], cells.rows.shape[0], "codes")
    check_length(zero.shape[0], cells.n_columns, "zero")
    check_length(starts.shape[0], cells.n_columns + 1, "starts")
    check_length(rows.shape[0], cells.rows.shape[0], "rows")
    check_length(kept.shape[0], cells.rows.shape[0], "kept")
    with nogil:
        starts[0] = 0
        for f in range(cells.n_columns):
            for k in range(cells.starts[f], cells.starts[f + 1]):
                if codes[k] != zero[f]:
                    rows[n], kept[n] = cells.rows[k], codes[k]
                    n += 1
            starts[f + 1] = n
    return n

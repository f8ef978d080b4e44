"""Cut points of sparse columns; see ``cuts.pyx``.

The cells that are not stored are one value, 0, as often as there are such rows. What is found is
what the dense column would have.
"""

from libc.math cimport INFINITY, fabs, frexp, ldexp, log2, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape, check_space
from ensfs._core.cut_rules cimport (
    ENTROPY_TOLERANCE, add_exactly, between, log2_choices, midpoint, next_segment, segments,
    start_segments,
)
from ensfs._core.sorting cimport sort_pairs
from ensfs._core.sparse cimport StoredCells

ctypedef fused value_t:
    float
    double

cdef int _check_columns(
    StoredCells cells, Py_ssize_t n_values, Py_ssize_t start, Py_ssize_t stop
) except -1:
    """Raise an error unless there is a value for each cell, and the columns exist."""
    cells.check()
    check_length(n_values, cells.rows.shape[0], "values")
    return check_range(start, stop, cells.n_columns, "columns")


cdef int _check_space(
    StoredCells cells, Py_ssize_t start, Py_ssize_t stop, Py_ssize_t space
) except -1:
    """Raise an error unless the cells of each column fit twice, with one more."""
    cdef Py_ssize_t f

    for f in range(start, stop):
        check_space(space, 2 * (cells.starts[f + 1] - cells.starts[f]) + 1, "keys")
    return 0


cdef inline void _add_times(
    double* total, double* rest, double value, double times
) noexcept nogil:
    """Add a value so many times: its leading and its other digits, whose products are exact."""
    cdef double high, moved = value * 4294967297.0  # 2**32 + 1 leaves 21 leading digits

    high = moved - (moved - value)
    add_exactly(total, rest, high * times)
    add_exactly(total, rest, (value - high) * times)


cdef Py_ssize_t _sigma(
    const value_t* x, Py_ssize_t n, double zeros, double width, double* cuts,
) noexcept nogil:
    """Write mean -/+ ``width`` sample deviations; no cuts for a constant column."""
    cdef double low = 0.0 if zeros > 0.0 else INFINITY, high = 0.0 if zeros > 0.0 else -INFINITY
    cdef double value, mean, deviation, scale = 1.0, total = 0.0, rest = 0.0
    cdef Py_ssize_t i
    cdef int exponent

    for i in range(n):
        low = min(low, <double>x[i])
        high = max(high, <double>x[i])
    if not low < high:
        return 0
    # a power of two brings extreme columns to where squares neither overflow nor vanish
    value = max(fabs(low), fabs(high))
    if value > 1e100 or value < 1e-100:
        frexp(value, &exponent)
        scale = ldexp(1.0, -max(exponent, -1000))
    for i in range(n):
        add_exactly(&total, &rest, x[i] * scale)
    mean = (total + rest) / (n + zeros)
    total = rest = 0.0
    for i in range(n):
        deviation = x[i] * scale - mean
        add_exactly(&total, &rest, deviation * deviation)
    _add_times(&total, &rest, mean * mean, zeros)
    deviation = sqrt((total + rest) / (n + zeros - 1))
    cuts[0] = (mean - width * deviation) / scale
    cuts[1] = (mean + width * deviation) / scale
    return 2


def sigma_cuts(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    double width,                         # IN
    double[:, ::1] cuts,                  # OUT (stop - start, 2)
    int64_t[::1] n_cuts,                  # OUT (stop - start,)
):
    """Write mean -/+ ``width`` sample standard deviations of every column."""
    cdef Py_ssize_t f, first, n

    _check_columns(cells, values.shape[0], start, stop)
    check_shape(cuts.shape, stop - start, 2, "cuts")
    check_length(n_cuts.shape[0], stop - start, "n_cuts")
    with nogil:
        for f in range(start, stop):
            first, n = cells.starts[f], cells.starts[f + 1] - cells.starts[f]
            n_cuts[f - start] = 0
            if n > 0:
                n_cuts[f - start] = _sigma(
                    &values[first], n, <double>(cells.n_rows - n), width, &cuts[f - start, 0])


cdef struct sorted_column:
    const double* x                 # (stored,) ascending
    Py_ssize_t stored
    Py_ssize_t below                # how many of them are below 0
    Py_ssize_t zeros                # rows with 0


cdef inline double _at(const sorted_column* c, Py_ssize_t row) noexcept nogil:
    """The value of a row of the whole column in ascending order."""
    if row < c.below:
        return c.x[row]
    return 0.0 if row < c.below + c.zeros else c.x[row - c.zeros]


cdef inline double _quantile(
    const sorted_column* c, Py_ssize_t j, Py_ssize_t q
) noexcept nogil:
    """Return the ``j / q`` quantile by linear interpolation, at a place found in integers."""
    cdef Py_ssize_t n = c.stored + c.zeros, low = (n - 1) * j // q
    cdef double share = <double>((n - 1) * j - low * q) / <double>q
    cdef double a = _at(c, low)

    if share == 0.0:
        return a
    return between(a, _at(c, low + 1), share)


cdef Py_ssize_t _equal_frequency(
    const sorted_column* c, Py_ssize_t q, double* cuts, int32_t* levels,
) noexcept nogil:
    cdef Py_ssize_t j, before, n = c.stored + c.zeros, n_cuts = 0, row = 0
    cdef int32_t level = -1
    cdef double cut

    for j in range(1, q):
        cut = _quantile(c, j, q)
        if cut >= _at(c, n - 1):
            break                           # nothing lies above it
        if n_cuts == 0 or cut > cuts[n_cuts - 1]:
            cuts[n_cuts] = cut
            n_cuts += 1
    for j in range(n_cuts):
        before = row
        while _at(c, row) <= cuts[j]:
            row += c.zeros if row == c.below and c.zeros > 0 else 1
        level += row > before
        levels[j] = level
    levels[n_cuts] = level + 1
    return n_cuts


cdef Py_ssize_t _read_sorted(
    const value_t* x, Py_ssize_t n, Py_ssize_t n_rows, double* keys, int32_t* places,
    sorted_column* to,
) noexcept nogil:
    """Sort the stored values of a column, with their places."""
    cdef Py_ssize_t i

    for i in range(n):
        keys[i], places[i] = x[i], <int32_t>i
    sort_pairs(keys, places, n, keys + n, places + n)
    to.x, to.stored, to.below, to.zeros = keys, n, 0, n_rows - n
    while to.below < n and keys[to.below] < 0.0:
        to.below += 1
    return to.below


def equal_frequency_cuts(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    double[:, ::1] cuts,                  # OUT (stop - start, n_bins - 1)
    int32_t[:, ::1] levels,               # OUT (stop - start, n_bins)
    int64_t[::1] n_cuts,                  # OUT (stop - start,)
    double[::1] keys,                     # TEMP (2 * most cells of a column + 1,)
    int32_t[::1] places,                  # TEMP (the same,)
):
    """Write the distinct quantiles; ``levels`` numbers the bins that hold values."""
    cdef Py_ssize_t f, n, q = levels.shape[1]
    cdef sorted_column column

    _check_columns(cells, values.shape[0], start, stop)
    _check_space(cells, start, stop, min(keys.shape[0], places.shape[0]))
    check_space(q, 2, "levels")
    check_shape(levels.shape, stop - start, q, "levels")
    check_shape(cuts.shape, stop - start, q - 1, "cuts")
    check_length(n_cuts.shape[0], stop - start, "n_cuts")
    with nogil:
        for f in range(start, stop):
            n = cells.starts[f + 1] - cells.starts[f]
            n_cuts[f - start], levels[f - start, 0] = 0, 0
            if n > 0:
                _read_sorted(
                    &values[cells.starts[f]], n, cells.n_rows, &keys[0], &places[0], &column)
                n_cuts[f - start] = _equal_frequency(
                    &column, q, &cuts[f - start, 0], &levels[f - start, 0])


cdef inline double _side(
    const int32_t* counts, const int32_t* minus, int n_classes, const double* klogk, int* present,
) noexcept nogil:
    """Sum ``klogk`` of ``counts - minus`` and count the classes present."""
    cdef double total = 0.0
    cdef int32_t count
    cdef int c

    present[0] = 0
    for c in range(n_classes):
        count = counts[c] - minus[c]
        if count > 0:
            present[0] += 1
            total += klogk[count]
    return total


# A sorted column with the class of every row. All rows with 0 are one entry, where there are any;
# the others are an entry each.
cdef struct class_column:
    const double* x                 # (stored,) ascending
    const int32_t* y                # (stored,) their classes
    Py_ssize_t at_zero              # the entry of the rows with 0; -1 if there is none
    const int32_t* zeros            # (classes,) how many they are
    Py_ssize_t n_zeros
    int n_classes
    const double* klogk
    bint better_encoding
    int32_t* counts                 # (3 * classes,) scratch: the segment, its left part, none


cdef inline Py_ssize_t _stored(const class_column* c, Py_ssize_t entry) noexcept nogil:
    """Place of an entry among the stored values."""
    return entry - (c.at_zero >= 0 and entry > c.at_zero)


cdef inline double _value(const class_column* c, Py_ssize_t entry) noexcept nogil:
    return 0.0 if entry == c.at_zero else c.x[_stored(c, entry)]


cdef inline Py_ssize_t _count_entry(
    const class_column* c, Py_ssize_t entry, int32_t* counts
) noexcept nogil:
    """Add the rows of an entry to the counts of their classes; how many they are."""
    cdef int i

    if entry != c.at_zero:
        counts[c.y[_stored(c, entry)]] += 1
        return 1
    for i in range(c.n_classes):
        counts[i] += c.zeros[i]
    return c.n_zeros


cdef inline double _moved(
    const class_column* c, int i, int32_t rows, double* part, double* rest
) noexcept nogil:
    """Let rows of class i change sides, which changes the sum over both (Kahan)."""
    cdef int32_t* left = c.counts + c.n_classes
    cdef int32_t a = left[i], b = c.counts[i] - a
    cdef double new, term

    left[i] = a + rows
    term = (c.klogk[a + rows] - c.klogk[a]) - (c.klogk[b] - c.klogk[b - rows]) - rest[0]
    new = part[0] + term
    rest[0] = (new - part[0]) - term
    part[0] = new
    return new


cdef Py_ssize_t _best_cut(
    const class_column* c, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Return the entry after which to cut the segment, else -1."""
    cdef int32_t* left = c.counts + c.n_classes
    cdef int32_t* none = left + c.n_classes
    cdef Py_ssize_t v, best = -1, n = 0, n_left = 0, n_1 = 0, n_candidates = 0
    cdef double whole, part, least, term, rest = 0.0
    cdef double entropy, entropy_1, entropy_2, gain, cost
    cdef int i, k, k_1, k_2

    if last - first < 2:
        return -1
    memset(c.counts, 0, <size_t>(3 * c.n_classes) * sizeof(int32_t))
    for v in range(first, last):
        n += _count_entry(c, v, c.counts)
    whole = _side(c.counts, none, c.n_classes, c.klogk, &k)
    if k < 2:
        return -1
    part = whole
    least = c.klogk[n] - whole - n * ENTROPY_TOLERANCE
    for v in range(first, last - 1):
        if v != c.at_zero:
            _moved(c, c.y[_stored(c, v)], 1, &part, &rest)
            n_left += 1
        else:
            for i in range(c.n_classes):
                if c.zeros[i]:
                    _moved(c, i, c.zeros[i], &part, &rest)
            n_left += c.n_zeros
        if _value(c, v) < _value(c, v + 1):
            n_candidates += 1
            term = c.klogk[n_left] + c.klogk[n - n_left] - part
            if term < least:
                least = term - n * ENTROPY_TOLERANCE
                best, n_1 = v, n_left
    if best < 0:
        return -1
    memset(left, 0, <size_t>c.n_classes * sizeof(int32_t))
    for v in range(first, best + 1):
        _count_entry(c, v, left)
    entropy = (c.klogk[n] - whole) / n
    entropy_1 = c.klogk[n_1] - _side(left, none, c.n_classes, c.klogk, &k_1)
    entropy_1 /= n_1
    entropy_2 = c.klogk[n - n_1] - _side(c.counts, left, c.n_classes, c.klogk, &k_2)
    entropy_2 /= n - n_1
    gain = entropy - (n_1 * entropy_1 + (n - n_1) * entropy_2) / n
    cost = log2(<double>(n_candidates if c.better_encoding else n - 1)) + log2_choices(k)
    cost -= k * entropy - k_1 * entropy_1 - k_2 * entropy_2
    return best if gain > cost / n else -1


cdef Py_ssize_t _mdl(
    const class_column* c, Py_ssize_t n, uint8_t* is_cut, double* cuts
) noexcept nogil:
    """Cut the n entries of a column while it pays."""
    cdef Py_ssize_t n_cuts = 0, v
    cdef segments entries

    start_segments(&entries, n, is_cut)
    v = _best_cut(c, 0, n)
    while next_segment(&entries, v - entries.first if v >= 0 else -1, is_cut):
        v = _best_cut(c, entries.first, entries.last)
    for v in range(n):
        if is_cut[v]:
            cuts[n_cuts] = midpoint(_value(c, v), _value(c, v + 1))
            n_cuts += 1
    return n_cuts


def mdl_cuts(
    StoredCells cells,
    const value_t[::1] values,            # IN  (cells,)
    Py_ssize_t start, Py_ssize_t stop,    # columns
    const int32_t[::1] y,                 # IN  (rows,) classes
    const int32_t[::1] class_size,        # IN  (classes,) rows of each
    const double[::1] klogk,              # IN  (rows + 1,): k log2(k)
    bint better_encoding,                 # IN
    int32_t[::1] counts,                  # TEMP (4 * classes,)
    uint8_t[::1] is_cut,                  # TEMP (2 * most cells of a column + 1,)
    double[::1] keys,                     # TEMP (the same,)
    int32_t[::1] places,                  # TEMP (the same,)
    double[::1] cuts,                     # OUT (cells of these columns + columns,)
    int64_t[::1] n_cuts,                  # OUT (stop - start,)
):
    """Write the cut points of Fayyad and Irani, those of one column after those of another."""
    cdef Py_ssize_t f, i, first, n, total = 0
    cdef int32_t* zeros
    cdef sorted_column column
    cdef class_column c

    _check_columns(cells, values.shape[0], start, stop)
    _check_space(
        cells, start, stop, min(keys.shape[0], places.shape[0], is_cut.shape[0]))
    check_length(y.shape[0], cells.n_rows, "y")
    check_places(y, class_size.shape[0], "y")
    check_length(klogk.shape[0], cells.n_rows + 1, "klogk")
    check_length(counts.shape[0], 4 * class_size.shape[0], "counts")
    check_length(n_cuts.shape[0], stop - start, "n_cuts")
    check_space(
        cuts.shape[0], cells.starts[stop] - cells.starts[start] + stop - start, "cuts")
    c.n_classes, c.klogk, c.better_encoding = <int>class_size.shape[0], &klogk[0], better_encoding
    c.counts = &counts[0]
    c.zeros = zeros = &counts[3 * class_size.shape[0]]
    with nogil:
        for f in range(start, stop):
            first, n = cells.starts[f], cells.starts[f + 1] - cells.starts[f]
            n_cuts[f - start] = 0
            if n == 0:
                continue
            _read_sorted(&values[first], n, cells.n_rows, &keys[0], &places[0], &column)
            for i in range(c.n_classes):
                zeros[i] = class_size[i]
            for i in range(n):
                places[i] = y[cells.rows[first + places[i]]]
                zeros[places[i]] -= 1
            c.x, c.y, c.n_zeros = &keys[0], &places[0], column.zeros
            c.at_zero = column.below if column.zeros > 0 else -1
            n_cuts[f - start] = _mdl(&c, n + (column.zeros > 0), &is_cut[0], &cuts[total])
            total += n_cuts[f - start]

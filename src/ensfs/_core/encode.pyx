"""Integer columns as dense codes ``0 .. n_levels[j] - 1``, in the order of their values.

Signed integers and booleans come in as unsigned integers of the same width (a view, no copy): one
subtraction modulo ``2 ** width`` serves both signs. Rows of a C-ordered table are read in panels of
``PANEL`` columns, made bytes, and turned over in tiles, so that both tables are touched by whole
cache lines.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

ctypedef fused word_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    PANEL = 256
    TILE = 64


cdef inline void _turn(
    const uint8_t* tile, Py_ssize_t rows, Py_ssize_t width, uint8_t* out, Py_ssize_t n,
) noexcept nogil:
    """Transpose ``rows`` lines of ``PANEL`` bytes into columns that are ``n`` bytes apart."""
    cdef Py_ssize_t c, r
    for c in range(width):
        for r in range(rows):
            out[c * n + r] = tile[r * PANEL + c]


cdef inline void _line(
    const char* x, Py_ssize_t step, Py_ssize_t m, const word_t* low, word_t* over,
    uint8_t* out,
) noexcept nogil:
    """One line of a panel: ``m`` values ``step`` bytes apart, each less its own ``low``."""
    cdef Py_ssize_t c
    cdef word_t d
    for c in range(m):
        d = <word_t>((<const word_t*>(x + c * step))[0] - low[c])
        over[c] |= d
        out[c] = <uint8_t>d


cdef inline word_t _column(
    const char* x, Py_ssize_t step, Py_ssize_t n, word_t low, uint8_t* out,
) noexcept nogil:
    """One column less ``low``, as bytes; the result is above 255 if a value did not fit."""
    cdef Py_ssize_t i
    cdef word_t d, over = 0
    for i in range(n):
        d = <word_t>((<const word_t*>(x + i * step))[0] - low)
        over |= d
        out[i] = <uint8_t>d
    return over


cdef void _panel(
    const char* x, Py_ssize_t row_step, Py_ssize_t column_step, Py_ssize_t n,
    Py_ssize_t width, const uint64_t* base, uint8_t* out, bint* fits, word_t unused,
) noexcept nogil:
    """Up to ``PANEL`` columns as bytes; stops early once no column fits any more."""
    cdef uint8_t[TILE * PANEL] tile
    cdef word_t[PANEL] low
    cdef word_t[PANEL] over
    cdef Py_ssize_t c, i, r, rows
    cdef bint some = True

    for c in range(width):
        low[c] = <word_t>base[c]
        over[c] = 0
    i = 0
    while i < n and some:
        rows = min(<Py_ssize_t>TILE, n - i)
        for r in range(rows):
            if column_step == sizeof(word_t):       # a constant step is vectorised
                _line[word_t](
                    x + (i + r) * row_step, sizeof(word_t), width, low, over,
                    tile + r * PANEL,
                )
            else:
                _line[word_t](
                    x + (i + r) * row_step, column_step, width, low, over, tile + r * PANEL
                )
        _turn(tile, rows, width, out + i, n)
        some = False
        for c in range(width):
            some |= over[c] <= 255
        i += rows
    for c in range(width):
        fits[c] = over[c] <= 255


cdef int _densify(uint8_t* x, Py_ssize_t n, uint64_t* seen) noexcept nogil:
    """Replace bytes by their rank among the distinct ones; mark these in 256 bits."""
    cdef uint8_t[256] lut
    cdef uint8_t low = 255, high = 0
    cdef Py_ssize_t i, stop, chunk = 64
    cdef int v, width, count

    for i in range(n):
        low = min(low, x[i])
        high = max(high, x[i])
    width = high - low + 1
    memset(lut, 0, 256)
    lut[low] = lut[high] = 1
    count = 2 if width > 1 else 1
    i = 0
    while i < n and count < width:      # stop looking once every value was seen
        stop = min(n, i + chunk)
        for i in range(i, stop):
            lut[x[i]] = 1
        i = stop
        chunk *= 2
        count = 0
        for v in range(low, high + 1):
            count += lut[v]

    for v in range(4):
        seen[v] = 0
    for v in range(low, high + 1):
        if lut[v]:
            seen[v >> 6] |= <uint64_t>1 << (v & 63)
    if count == width:
        if low > 0:
            for i in range(n):
                x[i] = <uint8_t>(x[i] - low)
    else:
        width = 0
        for v in range(low, high + 1):
            if lut[v]:
                lut[v] = <uint8_t>width
                width += 1
        for i in range(n):
            x[i] = lut[x[i]]
    return count


def encode_small(
    const word_t[:, :] X not None,          # IN   (n, p), any strides
    const uint64_t[::1] base not None,      # IN   (p,) lowest value of each column's window
    Py_ssize_t start,                       # IN   columns start .. stop - 1
    Py_ssize_t stop,
    uint8_t[::1, :] codes not None,         # OUT  (n, p)
    int32_t[::1] n_levels not None,         # OUT  (p,) 0: outside the window, not coded
    uint64_t[:, ::1] seen not None,         # OUT  (p, 4) bit v: base + v occurs
):
    """Code the columns whose values all lie in ``base[j] .. base[j] + 255``."""
    cdef Py_ssize_t n = X.shape[0], j, c, width
    cdef Py_ssize_t row_step = X.strides[0], column_step = X.strides[1]
    cdef const char* x = <const char*>&X[0, 0]
    cdef bint[PANEL] fits
    cdef bint by_column = abs(row_step) < abs(column_step)
    cdef word_t over, none = 0

    with nogil:
        j = start
        while j < stop:
            width = min(<Py_ssize_t>PANEL, stop - j)
            if by_column:
                for c in range(width):
                    if row_step == sizeof(word_t):
                        over = _column[word_t](
                            x + (j + c) * column_step, sizeof(word_t), n,
                            <word_t>base[j + c], &codes[0, j + c],
                        )
                    else:
                        over = _column[word_t](
                            x + (j + c) * column_step, row_step, n,
                            <word_t>base[j + c], &codes[0, j + c],
                        )
                    fits[c] = over <= 255
            else:
                _panel[word_t](
                    x + j * column_step, row_step, column_step, n, width, &base[j],
                    &codes[0, j], fits, none,
                )
            for c in range(width):
                n_levels[j + c] = 0
                if fits[c]:
                    n_levels[j + c] = _densify(&codes[0, j + c], n, &seen[j + c, 0])
            j += width


def column_ranges(
    const word_t[:, :] X not None,          # IN   (n, p), any strides
    uint64_t sign,                          # IN   the sign bit of signed values, else 0
    Py_ssize_t start,                       # IN   columns start .. stop - 1
    Py_ssize_t stop,
    uint64_t[::1] low not None,             # OUT  (p,) smallest ``value ^ sign``
    uint64_t[::1] high not None,            # OUT  (p,) largest ``value ^ sign``
):
    """Smallest and largest value of each column, shifted so that signed values sort as unsigned."""
    cdef Py_ssize_t n = X.shape[0], i, j
    cdef word_t v, lo, hi, flip = <word_t>sign
    cdef bint by_column = abs(X.strides[0]) < abs(X.strides[1])

    with nogil:
        if by_column:
            for j in range(start, stop):
                lo = hi = X[0, j] ^ flip
                for i in range(1, n):
                    v = X[i, j] ^ flip
                    lo = min(lo, v)
                    hi = max(hi, v)
                low[j] = lo
                high[j] = hi
        else:
            for j in range(start, stop):
                low[j] = high[j] = X[0, j] ^ flip
            for i in range(1, n):
                for j in range(start, stop):
                    v = X[i, j] ^ flip
                    low[j] = min(low[j], <uint64_t>v)
                    high[j] = max(high[j], <uint64_t>v)

"""Whole numbers as dense codes ``0 .. n_levels[j] - 1``, in the order of their values.

Signed integers and booleans come in as unsigned integers of the same width (a view, no
copy): one subtraction modulo ``2 ** width`` serves both signs. Rows of a C-ordered table
are read in panels of ``PANEL`` columns, made bytes, and turned over in tiles, so that both
tables are touched by whole cache lines.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from ensfs._core.checks cimport check_places

ctypedef fused word_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

ctypedef fused value_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
    float
    double

ctypedef fused code_t:
    uint8_t
    uint16_t

cdef enum:
    PANEL = 256
    TILE = 64


cdef inline void _swap(uint64_t* a, uint64_t* b, int shift, uint64_t mask) noexcept nogil:
    """Exchange the upper halves of the lanes of ``a`` with the lower ones of ``b``."""
    cdef uint64_t t = ((a[0] >> shift) ^ b[0]) & mask
    a[0] ^= t << shift
    b[0] ^= t


cdef inline void _turn_8x8(const uint8_t* tile, uint8_t* out, Py_ssize_t n) noexcept nogil:
    """Transpose 8 x 8 bytes held in eight words (for machines with the low byte first)."""
    cdef uint64_t[8] w
    cdef int k
    for k in range(8):
        memcpy(&w[k], tile + k * PANEL, 8)
    for k in range(4):
        _swap(&w[k], &w[k + 4], 32, 0x00000000FFFFFFFF)
    for k in range(0, 8, 4):
        _swap(&w[k], &w[k + 2], 16, 0x0000FFFF0000FFFF)
        _swap(&w[k + 1], &w[k + 3], 16, 0x0000FFFF0000FFFF)
    for k in range(0, 8, 2):
        _swap(&w[k], &w[k + 1], 8, 0x00FF00FF00FF00FF)
    for k in range(8):
        memcpy(out + k * n, &w[k], 8)


cdef void _turn(
    const uint8_t* tile, Py_ssize_t rows, Py_ssize_t width, uint8_t* out, Py_ssize_t n,
) noexcept nogil:
    """Transpose ``rows`` lines of ``PANEL`` bytes into columns that are ``n`` bytes apart."""
    cdef Py_ssize_t c, r, rows8 = rows & ~7, width8 = width & ~7
    cdef uint64_t one = 1

    if (<uint8_t*>&one)[0] == 0:        # the high byte first: one by one
        rows8 = width8 = 0
    for c in range(0, width8, 8):
        for r in range(0, rows8, 8):
            _turn_8x8(tile + r * PANEL + c, out + c * n + r, n)
    for c in range(width):
        for r in range(rows8 if c < width8 else 0, rows):
            out[c * n + r] = tile[r * PANEL + c]


cdef inline uint8_t _byte(value_t value, value_t low, value_t* over) noexcept nogil:
    """``value - low`` as a byte; ``over`` tells whether a byte can hold it."""
    cdef value_t d = <value_t>(value - low), e
    cdef int32_t b
    if value_t is float or value_t is double:
        e = d if d > 0 else 0
        e = e if e < 255 else 255
        b = <int32_t>e
        over[0] += fabs(value - (low + <value_t>b))     # exact, unlike the fraction of d
        return <uint8_t>b
    else:
        over[0] |= d
        return <uint8_t>d


cdef inline bint _fits(value_t over) noexcept nogil:
    """Whether all values were whole and in the window (of floats, nothing is left)."""
    if value_t is float or value_t is double:
        return over == 0
    else:
        return over <= 255


cdef inline void _line(
    const char* x, Py_ssize_t step, Py_ssize_t m, const value_t* low, value_t* over,
    uint8_t* out,
) noexcept nogil:
    """``m`` values that are ``step`` bytes apart, each less its own ``low``, as bytes."""
    cdef Py_ssize_t c
    if step == sizeof(value_t):         # a constant step is vectorised
        for c in range(m):
            out[c] = _byte[value_t]((<const value_t*>x)[c], low[c], &over[c])
    else:
        for c in range(m):
            out[c] = _byte[value_t]((<const value_t*>(x + c * step))[0], low[c], &over[c])


cdef bint _column(
    const char* x, Py_ssize_t step, Py_ssize_t n, value_t base, uint8_t* out,
) noexcept nogil:
    """One column less ``base``, as bytes; whether all values fit."""
    cdef value_t[PANEL] low
    cdef value_t[PANEL] over
    cdef Py_ssize_t i, m = min(<Py_ssize_t>PANEL, n)
    cdef bint fits = True

    for i in range(m):
        low[i] = base
        over[i] = 0
    i = 0
    while i < n:
        _line[value_t](x + i * step, step, min(m, n - i), low, over, out + i)
        i += PANEL
    for i in range(m):
        fits &= _fits[value_t](over[i])
    return fits


cdef inline value_t _low(uint64_t base, value_t unused) noexcept nogil:
    """Lowest value of a window: unsigned for integers, signed and whole for floats."""
    if value_t is float or value_t is double:
        return <value_t><int64_t>base
    else:
        return <value_t>base


cdef void _panel(
    const char* x, Py_ssize_t row_step, Py_ssize_t column_step, Py_ssize_t n,
    Py_ssize_t width, const uint64_t* base, uint8_t* out, bint* fits, value_t unused,
) noexcept nogil:
    """Up to ``PANEL`` columns as bytes; stops early once no column fits any more."""
    cdef uint8_t[TILE * PANEL] tile
    cdef value_t[PANEL] low
    cdef value_t[PANEL] over
    cdef Py_ssize_t c, i, r, rows
    cdef bint some = True

    for c in range(width):
        low[c] = _low[value_t](base[c], unused)
        over[c] = 0
    i = 0
    while i < n and some:
        rows = min(<Py_ssize_t>TILE, n - i)
        for r in range(rows):
            _line[value_t](
                x + (i + r) * row_step, column_step, width, low, over, tile + r * PANEL
            )
        _turn(tile, rows, width, out + i, n)
        some = False
        for c in range(width):
            some |= _fits[value_t](over[c])
        i += rows
    for c in range(width):
        fits[c] = _fits[value_t](over[c])


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
    const value_t[:, :] X not None,         # IN   (n, p), any strides
    const uint64_t[::1] base not None,      # IN   (p,) lowest value of each column's window
    Py_ssize_t start,                       # IN   columns start .. stop - 1
    Py_ssize_t stop,
    uint8_t[::1, :] codes not None,         # OUT  (n, p)
    int32_t[::1] n_levels not None,         # OUT  (p,) 0: outside the window, not coded
    uint64_t[:, ::1] seen not None,         # OUT  (p, 4) bit v: base + v occurs
):
    """Code the columns that hold whole numbers in ``base[j] .. base[j] + 255`` only.

    ``base`` is taken modulo the width of integers; for floats it is a signed number.
    """
    cdef Py_ssize_t n = X.shape[0], j, c, width
    cdef Py_ssize_t row_step = X.strides[0], column_step = X.strides[1]
    cdef const char* x
    cdef bint[PANEL] fits
    cdef bint by_column = abs(row_step) < abs(column_step)
    cdef value_t none = 0

    if n == 0 or not 0 <= start <= stop <= X.shape[1]:
        raise ValueError("X must have rows, and the columns start .. stop - 1")
    if codes.shape[0] != n or codes.shape[1] < stop:
        raise ValueError("codes must have a row for each of X, and the columns start .. stop - 1")
    if base.shape[0] < stop or n_levels.shape[0] < stop:
        raise ValueError("base and n_levels must have a place for each column")
    if seen.shape[0] < stop or seen.shape[1] != 4:
        raise ValueError("seen must have four words for each column")
    if stop == 0:
        return
    x = <const char*>&X[0, 0]
    with nogil:
        j = start
        while j < stop:
            width = min(<Py_ssize_t>PANEL, stop - j)
            if by_column:
                for c in range(j, j + width):
                    fits[c - j] = _column[value_t](
                        x + c * column_step, row_step, n, _low[value_t](base[c], none),
                        &codes[0, c],
                    )
            else:
                _panel[value_t](
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
    """Smallest and largest value of each column, signed values shifted to sort as unsigned."""
    cdef Py_ssize_t n = X.shape[0], i, j
    cdef word_t v, lo, hi, flip = <word_t>sign
    cdef bint by_column = abs(X.strides[0]) < abs(X.strides[1])

    if n == 0 or not 0 <= start <= stop <= X.shape[1]:
        raise ValueError("X must have rows, and the columns start .. stop - 1")
    if low.shape[0] < stop or high.shape[0] < stop:
        raise ValueError("low and high must have a place for each column")
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


def check_codes(
    const code_t[::1, :] codes not None,    # IN   (n, p)
    const int32_t[::1] n_levels not None,   # IN   (p,)
):
    """Raise an error unless column j holds the codes ``0 .. n_levels[j] - 1`` only.

    Kernels that count by codes write where a code says, and rely on this.
    """
    cdef Py_ssize_t j

    if n_levels.shape[0] != codes.shape[1]:
        raise ValueError("n_levels must have a place for each column of codes")
    for j in range(codes.shape[1]):
        check_places(codes[:, j], n_levels[j], f"codes of column {j}")

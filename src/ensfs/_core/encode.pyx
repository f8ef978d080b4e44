"""Whole numbers as dense codes ``0 .. n_levels[j] - 1``, in the order of their values.

Signed integers and booleans come in as unsigned integers of the same width (a view, no
copy): one subtraction modulo ``2 ** width`` serves both signs. Rows of a C-ordered table
are read in panels of ``PANEL`` columns, made bytes, and turned over in tiles, so that both
tables are touched by whole cache lines.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from ensfs._core.checks cimport check_length, check_places, check_range, check_shape

cdef extern from "encode.h":
    void encode_init() noexcept
    void turn "ENSFS_ENCODE(turn)"(
        const uint8_t*, int64_t, int64_t, int64_t, uint8_t, uint8_t*, int64_t) noexcept nogil
    int64_t close_up "ENSFS_ENCODE(close_up)"(uint8_t*, int64_t) noexcept nogil
    int densify(uint8_t*, int64_t, uint64_t*) noexcept nogil
    int distinct_bytes(const uint8_t*, int64_t, uint64_t*, uint8_t*, uint8_t*) noexcept nogil

encode_init()

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


cdef inline uint8_t _byte(
    value_t value, value_t low, value_t* over, bint with_gaps
) noexcept nogil:
    """``value - low`` as a byte; ``over`` tells whether a byte can hold it.

    With gaps NaN is 255, and 254 the largest of the others.
    """
    cdef value_t d = <value_t>(value - low), e, left
    cdef int32_t b
    if value_t is float or value_t is double:
        e = d if d > 0 else 0
        if with_gaps:
            e = e if e < 254 else 254
        else:
            e = e if e < 255 else 255
        b = <int32_t>e
        left = fabs(value - (low + <value_t>b))     # exact, unlike the fraction of d
        if with_gaps:
            left = left if value == value else 0
            b = b if value == value else 255
        over[0] += left
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
    bint with_gaps, uint8_t* out,
) noexcept nogil:
    """``m`` values that are ``step`` bytes apart, each less its own ``low``, as bytes."""
    cdef Py_ssize_t c
    if step != sizeof(value_t):
        for c in range(m):
            out[c] = _byte[value_t](
                (<const value_t*>(x + c * step))[0], low[c], &over[c], with_gaps)
    elif with_gaps:                     # constants are vectorised
        for c in range(m):
            out[c] = _byte[value_t]((<const value_t*>x)[c], low[c], &over[c], True)
    else:
        for c in range(m):
            out[c] = _byte[value_t]((<const value_t*>x)[c], low[c], &over[c], False)


cdef bint _column(
    const char* x, Py_ssize_t step, Py_ssize_t n, value_t base, bint with_gaps, uint8_t* out,
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
        _line[value_t](x + i * step, step, min(m, n - i), low, over, with_gaps, out + i)
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
    Py_ssize_t width, const uint64_t* base, bint with_gaps, uint8_t* out, bint* fits,
    value_t unused,
) noexcept nogil:
    """Up to ``PANEL`` columns as bytes; stops early once no column fits any more."""
    cdef uint8_t[TILE * PANEL] tile
    cdef value_t[PANEL] low
    cdef value_t[PANEL] over
    cdef Py_ssize_t c, i, r, rows
    cdef bint some = True

    if value_t is uint8_t:      # every byte fits: no need to subtract before they are turned over
        some = column_step == 1 and base[0] & 127 == 0
        for c in range(width):
            some &= base[c] == base[0]
            fits[c] = True
        if some:
            turn(<const uint8_t*>x, row_step, n, width, <uint8_t>base[0], out, n)
            return
        some = True
    for c in range(width):
        low[c] = _low[value_t](base[c], unused)
        over[c] = 0
    i = 0
    while i < n and some:
        rows = min(<Py_ssize_t>TILE, n - i)
        for r in range(rows):
            _line[value_t](
                x + (i + r) * row_step, column_step, width, low, over, with_gaps,
                tile + r * PANEL)
        turn(tile, PANEL, rows, width, 0, out + i, n)
        some = False
        for c in range(width):
            some |= _fits[value_t](over[c])
        i += rows
    for c in range(width):
        fits[c] = _fits[value_t](over[c])


def encode_small(
    const value_t[:, :] X not None,         # IN   (n, p), any strides
    const uint64_t[::1] base not None,      # IN   (p,) lowest value of each column's window
    Py_ssize_t start,                       # IN   columns start .. stop - 1
    Py_ssize_t stop,
    uint8_t[::1, :] codes not None,         # OUT  (n, p)
    int32_t[::1] n_levels not None,         # OUT  (p,) 0: outside the window, not coded
    uint64_t[:, ::1] seen not None,         # OUT  (p, 4) bit v: base + v occurs
    int64_t[::1] n_missing=None,            # OUT  (p,) or None
):
    """Code the columns that hold whole numbers in ``base[j] .. base[j] + 255`` only.

    ``base`` is taken modulo the width of integers; for floats it is a signed number. With
    `n_missing` the columns may also hold NaN, whose code is the last and marked as the number after
    the largest; their window ends at ``base[j] + 254``.
    """
    cdef Py_ssize_t n = X.shape[0], j, c, width
    cdef bint with_gaps = n_missing is not None
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
    if with_gaps:
        if value_t is float or value_t is double:
            check_length(n_missing.shape[0], n_levels.shape[0], "n_missing")
        else:
            raise ValueError("integers have no missing values")
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
                        with_gaps, &codes[0, c],
                    )
            else:
                _panel[value_t](
                    x + j * column_step, row_step, column_step, n, width, &base[j],
                    with_gaps, &codes[0, j], fits, none,
                )
            for c in range(width):
                n_levels[j + c] = 0
                if fits[c] and with_gaps:
                    n_missing[j + c] = close_up(&codes[0, j + c], n)
                if fits[c]:
                    n_levels[j + c] = densify(&codes[0, j + c], n, &seen[j + c, 0])
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
    if start == stop:
        return
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
            j = start
            while j < stop:
                _ranges_of_panel[word_t](
                    <const char*>&X[0, j], X.strides[0], X.strides[1], n,
                    min(<Py_ssize_t>PANEL, stop - j), flip, &low[j], &high[j],
                )
                j += PANEL


cdef void _ranges_of_panel(
    const char* x, Py_ssize_t row_step, Py_ssize_t column_step, Py_ssize_t n, Py_ssize_t width,
    word_t flip, uint64_t* low, uint64_t* high,
) noexcept nogil:
    """Ranges of up to ``PANEL`` columns, row by row."""
    cdef word_t[PANEL] lo
    cdef word_t[PANEL] hi
    cdef word_t v
    cdef Py_ssize_t c, _i

    for c in range(width):
        lo[c] = <word_t>-1
        hi[c] = 0
    for _i in range(n):
        if column_step == sizeof(word_t):       # a constant step is vectorised
            for c in range(width):
                v = (<const word_t*>x)[c] ^ flip
                lo[c] = min(lo[c], v)
                hi[c] = max(hi[c], v)
        else:
            for c in range(width):
                v = (<const word_t*>(x + c * column_step))[0] ^ flip
                lo[c] = min(lo[c], v)
                hi[c] = max(hi[c], v)
        x += row_step
    for c in range(width):
        low[c] = lo[c]
        high[c] = hi[c]


def look_at_bytes(
    const uint8_t[::1, :] X not None,       # IN   (n, p)
    Py_ssize_t start, Py_ssize_t stop,      # columns
    int limit,                              # IN   values must be below it
    int32_t[::1] n_levels not None,         # OUT  (p,)
    uint64_t[:, ::1] seen not None,         # OUT  (p, 4) bit v: v occurs
):
    """Whether the columns ``start:stop`` hold all of ``0 .. n_levels[j] - 1``: codes already.

    Ends at the first column that does not.
    """
    cdef Py_ssize_t n = X.shape[0], j
    cdef uint8_t low = 0, high = 0
    cdef bint dense = True

    if n == 0:
        raise ValueError("X must have rows")
    check_range(start, stop, X.shape[1], "columns")
    check_length(n_levels.shape[0], X.shape[1], "n_levels")
    check_shape(seen.shape, X.shape[1], 4, "seen")
    with nogil:
        for j in range(start, stop):
            n_levels[j] = distinct_bytes(&X[0, j], n, &seen[j, 0], &low, &high)
            dense = low == 0 and high + 1 == n_levels[j] and high < limit
            if not dense:
                break
    return dense


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

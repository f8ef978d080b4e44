"""Dense codes of numeric columns: the compiled encoder where it applies, sorting where not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ensfs._core import encode
from ensfs._utils.threads import for_blocks

#: Whole numbers with at most this many distinct values count as discrete. Those with more are
#: mostly counts and answers on a scale, whose order tells more than their equality.
MAX_DISCRETE_VALUES = 5
_SPAN = 255  # largest difference of values in one window of the kernel
_SAMPLE = 16
_PANEL = 256
_CELLS = 1 << 21  # cells of a temporary copy
_CHEAP = 8  # as many cells are coded in the time that others take for one


@dataclass
class BlockCodes:
    """Codes of the columns of one block.

    Attributes
    ----------
    codes : ndarray of shape (n, m), uint8, Fortran order
        Codes ``0 .. n_levels[j] - 1``; undefined where `n_levels` is 0.
    n_levels : ndarray of shape (m,), int32
        Number of distinct values; 0 where the column was not coded here.
    levels : callable
        ``levels(j)``: the sorted distinct values of column ``j``, found when asked for.
    n_missing : ndarray of int, shape (m,)
        How many cells are missing of the columns that were coded here.
    """

    codes: np.ndarray
    n_levels: np.ndarray
    levels: Callable[[int], np.ndarray]
    n_missing: np.ndarray

    @property
    def incomplete(self) -> np.ndarray:
        """Whether the last level stands for missing cells, for each column."""
        return self.n_missing > 0


@dataclass
class _Windows:
    """Columns coded in windows of 256 values from ``base``, and which of these values occur."""

    base: np.ndarray
    codes: np.ndarray
    n_levels: np.ndarray
    seen: np.ndarray
    n_missing: np.ndarray
    words: np.ndarray = field(default_factory=lambda: np.arange(4))  # of 256 bits, in `seen`

    @classmethod
    def encode(
        cls, words: np.ndarray, base: np.ndarray, n_threads: int = 1, with_gaps: bool = False
    ) -> _Windows:
        n, p = words.shape
        n_missing = np.zeros(p, dtype=np.int64)
        codes = np.empty((n, p), dtype=np.uint8, order="F")
        n_levels = np.empty(p, dtype=np.int32)
        seen = np.zeros((p, 4), dtype=np.uint64)
        # blocks of whole panels, a few for each thread
        block = max(1, -(-p // (4 * n_threads * _PANEL))) * _PANEL if n_threads > 1 else None
        for_blocks(
            lambda start, stop: encode.encode_small(
                words, base, start, stop, codes, n_levels, seen, n_missing if with_gaps else None
            ),
            p,
            n_threads,
            block,
            cells=n // _CHEAP,
        )
        return cls(base, codes, n_levels, seen, n_missing)

    @classmethod
    def of_codes(cls, words: np.ndarray, limit: int, n_threads: int) -> _Windows | None:
        """Bytes that are dense codes below `limit` in each column: nothing is copied."""
        n, p = words.shape
        n_levels, seen = np.empty(p, dtype=np.int32), np.zeros((p, 4), dtype=np.uint64)
        dense = [True]

        def look(start: int, stop: int) -> None:
            # only ever to False: another thread may have found a column that is not dense
            if dense[0] and not encode.look_at_bytes(words, start, stop, limit, n_levels, seen):
                dense[0] = False

        for_blocks(look, p, n_threads, None if n_threads == 1 else _PANEL, cells=n // _CHEAP)
        if not dense[0]:
            return None
        codes = words.view()
        codes.flags.writeable = False  # they belong to the caller
        return cls(np.zeros(p, dtype=np.uint64), codes, n_levels, seen, np.zeros(p, dtype=np.int64))

    def put(self, columns: np.ndarray, other: _Windows) -> None:
        """Replace `columns` by those of `other`."""
        self.base[columns] = other.base
        self.codes[:, columns] = other.codes
        self.n_levels[columns] = other.n_levels
        self.seen[columns] = other.seen
        self.n_missing[columns] = other.n_missing

    def release(self) -> np.ndarray:
        """Hand over the codes; keep what `present` needs, without words that are always empty."""
        used = np.bitwise_or.reduce(self.seen, axis=0) > 0
        self.seen, self.words = np.ascontiguousarray(self.seen[:, used]), self.words[used]
        codes, self.codes = self.codes, np.empty((0, self.n_levels.size), dtype=np.uint8)
        return codes

    def present(self, j: int) -> np.ndarray:
        """Sorted distances from the base of the values that occur in column ``j``."""
        bits = np.zeros(4, dtype="<u8")
        bits[self.words] = self.seen[j]
        return np.nonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))[0]


def _ranges(words: np.ndarray, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each column, with the sign bit turned over."""
    low = np.empty(words.shape[1], dtype=np.uint64)
    high = np.empty_like(low)
    encode.column_ranges(words, sign, 0, words.shape[1], low, high)
    return low, high


def encode_integers(values: np.ndarray, n_threads: int = 1) -> BlockCodes:
    """Code every integer or boolean column whose values span at most 256.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        Integers of any width, sign and layout, or booleans. Bytes in Fortran order that are codes
        already are not copied.
    n_threads : int, default=1
        Threads that share the columns; the result does not depend on it.

    Returns
    -------
    BlockCodes
        With ``n_levels`` 0 for columns of a wider span.
    """
    words = values.view(f"u{values.dtype.itemsize}")
    sign = 1 << (8 * words.itemsize - 1) if values.dtype.kind == "i" else 0
    if words.itemsize == 1:
        coded = _encode_bytes(words, sign, n_threads)
    else:
        coded = _encode_words(words, sign, n_threads)
    codes = coded.release()
    # the addition below is modulo 2**bits, so truncating the base is safe
    coded.base = coded.base.astype(words.dtype)

    def levels(j: int) -> np.ndarray:
        found = coded.present(j).astype(words.dtype) + coded.base[j]
        return found.view(values.dtype)

    return BlockCodes(codes, coded.n_levels, levels, coded.n_missing)


def _encode_bytes(words: np.ndarray, sign: int, n_threads: int) -> _Windows:
    """Columns of bytes, all of which one window holds."""
    if words.flags.f_contiguous:
        coded = _Windows.of_codes(words, sign or 256, n_threads)
        if coded is not None:
            return coded
    return _Windows.encode(words, np.full(words.shape[1], sign, dtype=np.uint64), n_threads)


def _encode_words(words: np.ndarray, sign: int, n_threads: int) -> _Windows:
    """Columns of wider integers, each with a window of its own."""
    n, bits = words.shape[0], 8 * words.itemsize
    zero = np.uint64(sign)
    last = np.uint64((1 << bits) - 1 - _SPAN)  # a window must not wrap around

    # Begin with the window that a few rows suggest; columns with a wrong guess are read once more.
    low, high = _ranges(words[:: max(1, n // _SAMPLE)], sign)
    span = high - low
    base = low - np.minimum(low, (_SPAN - np.minimum(span, _SPAN)) // 2)
    base[(low >= zero) & (high - zero <= _SPAN)] = zero
    if sign:
        base[(high < zero + 128) & (low + 128 >= zero)] = zero - np.uint64(128)
    narrow = span <= _SPAN
    base = np.minimum(base, last) ^ zero
    del low, high, span  # as large as the codes of a short table
    coded = _Windows.encode(words, base, n_threads)

    again = np.nonzero((coded.n_levels == 0) & narrow)[0]
    step = max(1, _CELLS // n)
    for start in range(0, again.size, step):
        columns = again[start : start + step]
        part = words[:, columns]
        low, high = _ranges(part, sign)
        fits = high - low <= _SPAN
        if fits.any():
            part_base = np.minimum(low[fits], last) ^ zero
            coded.put(columns[fits], _Windows.encode(part[:, fits], part_base))
    return coded


def encode_integral_floats(values: np.ndarray, n_threads: int = 1) -> BlockCodes:
    """Code the float columns that hold only whole numbers that span at most 256.

    Parameters and result are those of `encode_integers`, for float32 and float64.
    """
    return _codes_of_floats(_encode_floats(values, n_threads), values.dtype)


def encode_with_gaps(values: np.ndarray, n_threads: int = 1) -> BlockCodes:
    """As `encode_integral_floats`; NaN is one more level, after the last.

    Columns are coded with gaps or without, as their first rows suggest for most, and in the other
    way if they may be whole numbers but could not be coded in the first.
    """
    rows = values[:_FIRST_ROWS]
    whole = _looks_whole(rows)
    with_gaps = bool(whole.all()) and 2 * np.isnan(rows).any(axis=0).sum() > whole.size
    coded = _encode_floats(values, n_threads, with_gaps)
    left = np.nonzero((coded.n_levels == 0) & whole)[0]
    step = max(1, _CELLS // values.shape[0])
    for start in range(0, left.size, step):
        columns = left[start : start + step]
        all_of_them = columns.size == columns[-1] + 1 - columns[0]
        part = values[:, columns[0] : columns[-1] + 1] if all_of_them else values[:, columns]
        coded.put(columns, _encode_floats(part, n_threads, not with_gaps))
    return _codes_of_floats(coded, values.dtype)


def _codes_of_floats(coded: _Windows, dtype: np.dtype) -> BlockCodes:
    codes = coded.release()

    def levels(j: int) -> np.ndarray:
        found = (coded.present(j) + coded.base.view(np.int64)[j]).astype(dtype)
        if coded.n_missing[j]:
            found[-1] = np.nan
        return found

    return BlockCodes(codes, coded.n_levels, levels, coded.n_missing)


def _encode_floats(values: np.ndarray, n_threads: int, with_gaps: bool = False) -> _Windows:
    """Whole numbers in windows; with gaps NaN needs one of the numbers of its window."""
    n = values.shape[0]
    widest = _SPAN - with_gaps

    def guess(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Windows for the values of `rows`, and whether there may be one at all."""
        least, largest = (np.fmin, np.fmax) if with_gaps else (np.minimum, np.maximum)
        low, high = (each.reduce(rows, axis=0).astype(np.float64) for each in (least, largest))
        with np.errstate(invalid="ignore", over="ignore"):
            span = high - low
            limit = 2 ** (22 if values.dtype.itemsize == 4 else 51)  # sums below are exact
            possible = (span <= widest) & (np.abs(low) < limit) & (np.abs(high) < limit)
            base = np.where(possible, np.floor(low) - (widest - span) // 2, 0)
        base[possible & (low >= 0) & (high <= widest)] = 0
        base[possible & (low >= -128) & (high < widest - 127)] = -128
        possible |= with_gaps & np.isnan(low)  # nothing is known of them
        return base.astype(np.int64).view(np.uint64), possible

    base, possible = guess(values[:: max(1, n // _SAMPLE)])
    coded = _Windows.encode(values, base, n_threads, with_gaps)
    again = np.nonzero((coded.n_levels == 0) & possible)[0]
    step = max(1, _CELLS // n)
    for start in range(0, again.size, step):
        columns = again[start : start + step]
        part_base, possible = guess(values[:, columns])
        moved = possible & (part_base != coded.base[columns])
        if moved.any():
            columns = columns[moved]
            part = _Windows.encode(values[:, columns], part_base[moved], with_gaps=with_gaps)
            coded.put(columns, part)
    return coded


#: Rows that decide for most columns whether they hold whole numbers.
_FIRST_ROWS = 4 * MAX_DISCRETE_VALUES


def _looks_whole(rows: np.ndarray) -> np.ndarray:
    """Which columns hold nothing but whole numbers and missing values in a few rows."""
    with np.errstate(invalid="ignore"):
        return (np.isnan(rows) | (np.isfinite(rows) & (rows == np.rint(rows)))).all(axis=0)


def few_integral_values(
    values: np.ndarray, columns: np.ndarray, allow_nan: bool = False
) -> np.ndarray:
    """Which of `columns` hold only whole numbers, at most `MAX_DISCRETE_VALUES` distinct ones.

    For columns that the compiled encoder left: a few rows decide most of them. Missing values may
    be left out of account; a column without any other does not hold whole numbers.
    """
    n = values.shape[0]
    few = np.zeros(columns.size, dtype=bool)
    step = max(1, _CELLS // min(n, _FIRST_ROWS))
    for start in range(0, columns.size, step):
        part = values[:_FIRST_ROWS, columns[start : start + step]]
        whole = _looks_whole(part)
        part = np.sort(part, axis=0)
        n_distinct = ((part[1:] != part[:-1]) & (part[1:] == part[1:])).sum(axis=0) + 1
        few[start : start + step] = whole & (n_distinct <= MAX_DISCRETE_VALUES)
    for i in np.nonzero(few)[0]:
        distinct = np.unique(values[:, columns[i]])
        if allow_nan:
            distinct = distinct[distinct == distinct]
        few[i] = (
            0 < distinct.size <= MAX_DISCRETE_VALUES
            and bool(np.isfinite(distinct).all())
            and bool((distinct == np.rint(distinct)).all())
        )
    return few

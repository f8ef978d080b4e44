"""Dense codes of numeric columns: the compiled encoder where it applies, sorting where not."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ensfs._core import encode

FEW = 32  # whole numbers with at most this many distinct values count as discrete
_WINDOW = 255
_SAMPLE = 16
_CELLS = 1 << 21  # cells of a temporary copy


@dataclass
class ColumnCodes:
    """Codes of the columns of one block.

    Attributes
    ----------
    codes : ndarray of shape (n, m), uint8, Fortran order
        Codes ``0 .. n_levels[j] - 1``; undefined where `n_levels` is 0.
    n_levels : ndarray of shape (m,), int32
        Number of distinct values; 0 where the column was not coded here.
    levels : callable
        ``levels(j)``: the sorted distinct values of column ``j``, found when asked for.
    """

    codes: np.ndarray
    n_levels: np.ndarray
    levels: Callable[[int], np.ndarray]


def _over_blocks(call: Callable[[int, int], None], p: int, n_threads: int) -> None:
    """Call ``call(start, stop)`` over blocks of columns, with a pool for several threads."""
    if n_threads <= 1 or p <= 256:
        call(0, p)
        return
    step = max(256, -(-p // (4 * n_threads * 256)) * 256)
    starts = range(0, p, step)
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(lambda start: call(start, min(p, start + step)), starts))


def _ranges(
    words: np.ndarray, sign: int, n_threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    low = np.empty(words.shape[1], dtype=np.uint64)
    high = np.empty_like(low)
    _over_blocks(
        lambda start, stop: encode.column_ranges(words, sign, start, stop, low, high),
        words.shape[1],
        n_threads,
    )
    return low, high


def encode_integers(values: np.ndarray, n_threads: int = 1) -> ColumnCodes:
    """Code every integer or boolean column whose values span at most 256.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        Integers of any width, sign and layout, or booleans.
    n_threads : int, default=1
        Threads that share the columns; the result does not depend on it.

    Returns
    -------
    ColumnCodes
        With ``n_levels`` 0 for columns of a wider span.
    """
    n, p = values.shape
    bits = 8 * values.dtype.itemsize
    words = values.view(f"u{values.dtype.itemsize}")
    sign = 1 << (bits - 1) if values.dtype.kind == "i" else 0
    top = (1 << bits) - 1
    codes = np.empty((n, p), dtype=np.uint8, order="F")
    n_levels = np.empty(p, dtype=np.int32)
    seen = np.empty((p, 4), dtype=np.uint64)

    # Where to look first: the window that a few rows suggest. Wrong guesses are read once more.
    low, high = _ranges(words[:: max(1, n // _SAMPLE)], sign)
    span = high - low
    middle = low - np.minimum(low, (_WINDOW - np.minimum(span, _WINDOW)) // 2)
    zero = np.uint64(sign)
    from_zero = (low >= zero) & (high - zero <= _WINDOW)
    around_zero = (high < zero + 128) & (low + 128 >= zero)
    base = np.where(from_zero, zero, middle)
    if sign:
        base = np.where(around_zero, zero - np.uint64(128), base)
    base = np.minimum(base, np.uint64(top - _WINDOW)) ^ zero

    _over_blocks(
        lambda start, stop: encode.encode_small(
            words, base, start, stop, codes, n_levels, seen
        ),
        p,
        n_threads,
    )
    again = np.nonzero((n_levels == 0) & (span <= _WINDOW))[0]
    step = max(1, _CELLS // n)
    for start in range(0, again.size, step):
        columns = again[start : start + step]
        part = words[:, columns]
        low, high = _ranges(part, sign)
        fits = high - low <= _WINDOW
        columns, part, low = columns[fits], part[:, fits], low[fits]
        if columns.size:
            part_base = np.minimum(low, np.uint64(top - _WINDOW)) ^ zero
            part_codes = np.empty(part.shape, dtype=np.uint8, order="F")
            part_levels = np.empty(columns.size, dtype=np.int32)
            part_seen = np.empty((columns.size, 4), dtype=np.uint64)
            encode.encode_small(
                part, part_base, 0, columns.size, part_codes, part_levels, part_seen
            )
            codes[:, columns] = part_codes
            n_levels[columns], seen[columns], base[columns] = part_levels, part_seen, part_base

    def levels(j: int) -> np.ndarray:
        present = np.nonzero(np.unpackbits(seen[j].astype("<u8").view(np.uint8), bitorder="little"))
        words_j = present[0].astype(np.uint64) + base[j]
        return words_j.astype(words.dtype).view(values.dtype)

    return ColumnCodes(codes, n_levels, levels)


def encode_wholes(values: np.ndarray, n_threads: int = 1) -> ColumnCodes:
    """Code the float columns that hold only whole numbers that span at most 256.

    Takes and gives what `encode_integers` does, for float values.
    """
    n, p = values.shape
    codes = np.empty((n, p), dtype=np.uint8, order="F")
    n_levels = np.zeros(p, dtype=np.int32)
    parts: list[tuple[np.ndarray, ColumnCodes]] = []
    head = values[:_SAMPLE]
    candidates = np.nonzero((head == np.rint(head)).all(axis=0))[0]
    step = max(1, _CELLS // n)
    for start in range(0, candidates.size, step):
        columns = candidates[start : start + step]
        dense = columns[-1] - columns[0] + 1 == columns.size
        part = values[:, columns[0] : columns[-1] + 1] if dense else values[:, columns]
        with np.errstate(invalid="ignore"):
            integers = part.astype(np.int32)
        whole = (integers == part).all(axis=0)
        if not whole.all():
            columns, integers = columns[whole], integers[:, whole]
        if columns.size:
            coded = encode_integers(integers, n_threads)
            codes[:, columns] = coded.codes
            n_levels[columns] = coded.n_levels
            parts.append((columns, ColumnCodes(coded.codes[:0], coded.n_levels, coded.levels)))

    def levels(j: int) -> np.ndarray:
        for columns, coded in parts:
            i = int(np.searchsorted(columns, j))
            if i < columns.size and columns[i] == j:
                return coded.levels(i).astype(values.dtype)
        raise KeyError(j)

    return ColumnCodes(codes, n_levels, levels)


def few_whole_values(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Which of `columns` hold only whole numbers, at most `FEW` distinct ones.

    For columns that the compiled encoder left: a few rows decide most of them.
    """
    n = values.shape[0]
    few = np.zeros(columns.size, dtype=bool)
    step = max(1, _CELLS // min(n, 4 * FEW))
    for start in range(0, columns.size, step):
        part = values[: 4 * FEW, columns[start : start + step]]
        whole = np.isfinite(part).all(axis=0) & (part == np.rint(part)).all(axis=0)
        part = np.sort(part, axis=0)
        few[start : start + step] = whole & ((part[1:] != part[:-1]).sum(axis=0) < FEW)
    for i in np.nonzero(few)[0]:
        distinct = np.unique(values[:, columns[i]])
        few[i] = (
            distinct.size <= FEW
            and bool(np.isfinite(distinct).all())
            and bool((distinct == np.rint(distinct)).all())
        )
    return few

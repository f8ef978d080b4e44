"""A number by which a table is recognised when it is read again."""

from __future__ import annotations

from functools import lru_cache, partial
from hashlib import blake2b

import numpy as np

from ensfs._core.checksum import weighted_sum
from ensfs._utils.threads import for_blocks
from ensfs.data.columns import NumericBlock, RawColumns


def checksum(columns: RawColumns, n_threads: int = 1) -> int:
    """A number that is another one if any value changes, or, almost surely, the order of rows.

    It is the same in every process, and for any number of threads.
    """
    row_weights, column_weights = _weights(columns.n_rows), _weights(columns.n_features)
    sums: list[int] = []
    for block in columns.blocks:
        if isinstance(block, NumericBlock):
            words, weights = block.values, column_weights[block.columns]
        else:
            words, weights = block.codes[:, None], column_weights[[block.column]]
            text = f"{block.column} {block.levels.tolist()!r}"
            sums.append(hash_of(text.encode("utf-8", "surrogatepass")))
        add_up = partial(
            _add_up, words.view(f"u{words.dtype.itemsize}"), row_weights, weights, sums
        )
        for_blocks(add_up, len(words), n_threads)
    return sum(sums) % 2**64


def _add_up(
    words: np.ndarray, rows: np.ndarray, columns: np.ndarray, sums: list[int], a: int, b: int
) -> None:
    """Add the sum of some rows to others."""
    sums.append(weighted_sum(words[a:b], rows[a:b], columns))


def hash_of(content: bytes) -> int:
    """A number for some bytes; that of Python is another one in each process."""
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")


@lru_cache(maxsize=4)
def _weights(n: int) -> np.ndarray:
    """Odd numbers that follow no pattern: the states of splitmix64, but for its last shift."""
    z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z |= np.uint64(1)
    z.setflags(write=False)  # it is kept for the next block with so many rows or columns
    return z

"""All columns of a table as at most 256 codes each, for trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ensfs._utils.threads import for_blocks
from ensfs.data.columns import NumericBlock
from ensfs.data.encode import encode_integers

if TYPE_CHECKING:
    from ensfs.data.table import Table


def bin_table(table: Table, n_bins: int) -> np.ndarray:
    """All columns of a table as at most `n_bins` codes each; see `Table.bins`."""
    table.check_finite()
    out = np.empty((table.n_rows, table.n_features), dtype=np.uint8, order="F")
    for nominal in table.nominal_blocks:
        constant = table.identifiers[nominal.column]
        out[:, nominal.column] = 0 if constant else _frequent_levels(nominal.codes, n_bins)
    for block in table.numeric_blocks:
        _bin_block(table, block, n_bins, out)
    return out


def _bin_block(table: Table, block: NumericBlock, n_bins: int, out: np.ndarray) -> None:
    left = np.arange(block.columns.size)
    if block.values.dtype.kind != "f":
        coded = encode_integers(block.values, table.n_threads)
        done = (coded.n_levels > 0) & (coded.n_levels <= n_bins)
        out[:, block.columns[done]] = coded.codes[:, done]
        left = left[~done]
    nominal = table.nominal

    def work(start: int, stop: int) -> None:
        for i in left[start:stop]:
            j = block.columns[i]
            if nominal[j]:
                codes = np.unique(block.values[:, i], return_inverse=True)[1]
                out[:, j] = _frequent_levels(codes, n_bins)
            else:
                out[:, j] = _quantile_bins(block.values[:, i], n_bins)

    for_blocks(work, left.size, table.n_threads, block=64)


def _quantile_bins(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Ranks of the distinct values; if these are too many, bins with about equally many rows."""
    ordered = np.sort(values)
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    if np.count_nonzero(first) > n_bins:
        # a bin begins at the first row of its share, and never inside of equal values
        share = np.arange(ordered.size) * n_bins // ordered.size
        first = np.concatenate([[True], share[1:] != share[:-1]])
    lowest = np.unique(ordered[first])
    return np.searchsorted(lowest, values, side="right") - 1


def _frequent_levels(codes: np.ndarray, n_bins: int) -> np.ndarray:
    """Codes as they are; if they are too many, the rarest share the last one."""
    counts = np.bincount(codes)
    if counts.size <= n_bins:
        return codes
    kept = np.sort(np.argsort(-counts, kind="stable")[: n_bins - 1])
    place = np.full(counts.size, n_bins - 1)
    place[kept] = np.arange(kept.size)
    return place[codes]

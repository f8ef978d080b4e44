"""All columns of a table as at most 256 codes each, for trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ensfs._utils.threads import for_blocks
from ensfs.data.columns import NumericBlock
from ensfs.data.encode import encode_integers

if TYPE_CHECKING:
    from ensfs.data.table import Table

#: Code of missing cells, after all others.
MISSING = 255

#: How trees read a column: in order, as levels without order, in order with missing cells.
ORDERED, NOMINAL, WITH_GAPS = range(3)


def bin_table(table: Table, n_bins: int) -> np.ndarray:
    """All columns of a table as at most `n_bins` codes each; see `Table.bins`."""
    table.check_finite(allow_nan=table.allow_missing)
    out = np.empty((table.n_rows, table.n_features), dtype=np.uint8, order="F")
    for nominal in table.nominal_blocks:
        constant = table.identifiers[nominal.column]
        seen = nominal.codes < nominal.levels.size
        out[~seen, nominal.column] = MISSING
        out[seen, nominal.column] = 0 if constant else _frequent_levels(nominal.codes[seen], n_bins)
        if constant:
            out[:, nominal.column] = 0
    for block in table.numeric_blocks:
        _bin_block(table, block, n_bins, out)
    return out


def kinds_of_bins(table: Table) -> np.ndarray:
    """How trees read each column: `ORDERED`, `NOMINAL` or `WITH_GAPS`."""
    ordered = np.where(table.n_missing > 0, WITH_GAPS, ORDERED)
    return np.where(table.nominal, NOMINAL, ordered).astype(np.uint8)


def _bin_block(table: Table, block: NumericBlock, n_bins: int, out: np.ndarray) -> None:
    left = np.arange(block.columns.size)
    if block.values.dtype.kind != "f":
        coded = encode_integers(block.values, table.n_threads)
        done = (coded.n_levels > 0) & (coded.n_levels <= n_bins)
        out[:, block.columns[done]] = coded.codes[:, done]
        left = left[~done]
    nominal, n_missing = table.nominal, table.n_missing

    def work(start: int, stop: int) -> None:
        for i in left[start:stop]:
            j, values, seen = block.columns[i], block.values[:, i], slice(None)
            if n_missing[j]:
                out[:, j] = MISSING
                seen = values == values
                values = values[seen]
            if nominal[j]:
                codes = np.unique(values, return_inverse=True)[1]
                out[seen, j] = _frequent_levels(codes, n_bins)
            elif values.size:
                out[seen, j] = _quantile_bins(values, n_bins)

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

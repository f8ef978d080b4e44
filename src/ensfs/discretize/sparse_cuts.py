"""Cut points of sparse columns, and codes by them, equal to those of the dense columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse

from ensfs._core import sparse_codes as code_kernels
from ensfs._core import sparse_cuts as kernels
from ensfs._utils.threads import for_blocks
from ensfs.data.sparse_columns import SparseColumns
from ensfs.data.sparse_table import BLOCK
from ensfs.data.target import Target
from ensfs.data.weights import WholeWeights
from ensfs.discretize.cuts import Array, code_type


def _workspace(columns: SparseColumns, start: int, stop: int) -> tuple[Array, Array]:
    """Space for sorting the cells of some columns."""
    size = 2 * int(columns.n_stored[start:stop].max(initial=0)) + 1
    return np.empty(size), np.empty(size, dtype=np.int32)


def _for_columns(work: Callable[[int, int], None], columns: SparseColumns, n_threads: int) -> None:
    for_blocks(work, columns.n_features, n_threads, block=BLOCK)


def sparse_sigma_cuts(columns: SparseColumns, width: float, n_threads: int = 1) -> list[Array]:
    """Mean ± ``width`` standard deviations of every column; nothing for constant ones."""
    cuts = np.empty((columns.n_features, 2))
    n_cuts = np.empty(columns.n_features, dtype=np.int64)

    def find(start: int, stop: int) -> None:
        kernels.sigma_cuts(
            columns.cells, columns.values, start, stop, width, cuts[start:stop], n_cuts[start:stop]
        )

    _for_columns(find, columns, n_threads)
    return [row[:count] for row, count in zip(cuts, n_cuts, strict=True)]


def sparse_equal_frequency_cuts(
    columns: SparseColumns, n_bins: int, n_threads: int = 1
) -> tuple[list[Array], list[Array]]:
    """The distinct quantiles of every column, and the code of each bin between them."""
    found: dict[int, tuple[list[Array], list[Array]]] = {}

    def find(start: int, stop: int) -> None:
        m = stop - start
        cuts, levels = np.empty((m, n_bins - 1)), np.empty((m, n_bins), dtype=np.int32)
        n_cuts = np.empty(m, dtype=np.int64)
        kernels.equal_frequency_cuts(
            columns.cells, columns.values, start, stop, cuts, levels, n_cuts,
            *_workspace(columns, start, stop),
        )  # fmt: skip
        found[start] = (
            [row[:count].copy() for row, count in zip(cuts, n_cuts, strict=True)],
            [row[: count + 1].copy() for row, count in zip(levels, n_cuts, strict=True)],
        )

    for_blocks(find, columns.n_features, n_threads, block=max(1, (BLOCK * 32) // n_bins))
    parts = [found[start] for start in sorted(found)]
    return [each for part in parts for each in part[0]], [
        each for part in parts for each in part[1]
    ]


def sparse_mdl_cuts(
    columns: SparseColumns, y: Array, n_classes: int, better_encoding: bool, n_threads: int = 1
) -> list[Array]:
    """The cut points of Fayyad and Irani of every column."""
    y = np.ascontiguousarray(y, dtype=np.int32)
    class_size = np.bincount(y, minlength=n_classes).astype(np.int32)
    k = np.arange(columns.n_rows + 1, dtype=np.float64)
    klogk = k * np.log2(np.maximum(k, 1.0))
    found: dict[int, list[Array]] = {}
    none = np.empty(0)  # most columns of a text have no cut, and share this

    def find(start: int, stop: int) -> None:
        keys, places = _workspace(columns, start, stop)
        n_cells = int(columns.starts[stop] - columns.starts[start])
        cuts, n_cuts = np.empty(n_cells + stop - start), np.empty(stop - start, dtype=np.int64)
        kernels.mdl_cuts(
            columns.cells, columns.values, start, stop, y, class_size, klogk, better_encoding,
            np.empty(4 * n_classes, dtype=np.int32), np.empty(keys.size, dtype=np.uint8), keys,
            places, cuts, n_cuts,
        )  # fmt: skip
        of_columns = found[start] = [none] * (stop - start)
        ends = np.cumsum(n_cuts)
        for j in np.nonzero(n_cuts)[0]:
            of_columns[j] = cuts[ends[j] - n_cuts[j] : ends[j]].copy()

    _for_columns(find, columns, n_threads)
    return [each for start in sorted(found) for each in found[start]]


def code_cells(
    columns: SparseColumns,
    some: Array,
    cut_points: list[Array],
    bin_codes: list[Array] | None,
    codes: Array,
    zero: Array,
    *,
    pairs: bool = False,
) -> None:
    """Code the stored cells of some columns, and 0, by the bins they lie in.

    Parameters
    ----------
    columns : SparseColumns
        The table.
    some : ndarray of int64
        The columns to code.
    cut_points, bin_codes : list of ndarray
        Of each of them; as in `code_by_cuts`.
    codes : ndarray of uint16, shape (n_cells,)
        Written for these columns.
    zero : ndarray of int32, shape (n_features,)
        Written for these columns: the code of 0.
    pairs : bool, default=False
        As in `code_by_cuts`.
    """
    n_cuts = np.fromiter((len(cuts) for cuts in cut_points), dtype=np.int64, count=some.size)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(n_cuts)])
    cuts = np.concatenate([*cut_points, np.empty(0)])
    if pairs:
        cuts[::2] = np.nextafter(cuts[::2], -np.inf)
    if bin_codes is None:
        first = np.repeat(offsets[:-1] + np.arange(some.size), n_cuts + 1)
        levels = (np.arange(first.size) - first).astype(np.int32)
    else:
        levels = np.concatenate(bin_codes).astype(np.int32)
    code_kernels.digitise(columns.cells, columns.values, some, cuts, offsets, levels, codes, zero)


def number_codes(columns: SparseColumns, some: Array, codes: Array, zero: Array) -> Any:
    """Number the codes that occur in some columns from 0; how many there are of each column."""
    n_levels = np.zeros(columns.n_features, dtype=np.int32)
    largest = max(int(codes.max(initial=0)), int(zero.max(initial=0)))
    code_kernels.compact(
        columns.cells, some, codes, zero, n_levels, np.empty(largest + 1, dtype=np.int32)
    )
    return n_levels


def observed_columns(
    columns: SparseColumns, some: Array, target: Target | None, weight: WholeWeights
) -> Iterator[tuple[Array, Target | None, WholeWeights]]:
    """What is observed of some columns, each as a short dense one with classes and weights.

    All rows of a class in which a column is 0 are one row with the sum of their weights.
    """
    classes = None if target is None else target.codes
    y = np.zeros(columns.n_rows, dtype=np.int32) if classes is None else classes
    in_class = np.bincount(y, weight.counts)  # sums below 2**53, and so exact
    for j in some:
        rows, values = columns.column(j)
        zeros = in_class - np.bincount(y[rows], weight.counts[rows], in_class.size)
        at_zero = np.nonzero(zeros)[0]
        seen = ~np.isnan(values)
        kept = rows[seen]
        times = np.append(weight.counts[kept], zeros[at_zero].astype(np.int64))
        held = np.append(values[seen], np.zeros(at_zero.size, dtype=values.dtype))
        of_row = np.append(y[kept], at_zero.astype(np.int32))
        if not held.size:  # one row that is missing has no cuts either
            held, of_row, times = np.full(1, np.nan), np.zeros(1, np.int32), np.ones(1, np.int64)
        some_target = target if classes is None or target is None else replace(target, codes=of_row)
        yield held[:, None], some_target, WholeWeights(times, weight.times)


def levels_of(cut_points: list[Array], bin_codes: list[Array] | None) -> Array:
    """Number of codes of columns, but for that of missing cells."""
    if bin_codes is None:
        return np.array([len(cuts) + 1 for cuts in cut_points], dtype=np.int64)
    return np.array([codes[-1] + 1 for codes in bin_codes], dtype=np.int64)


def sparse_codes(
    columns: SparseColumns, cut_points: list[Array], bin_codes: list[Array] | None, *, pairs: bool
) -> scipy.sparse.csc_array:
    """Codes as `code_by_cuts` gives them; columns in which 0 has another code are stored whole."""
    codes = np.zeros(columns.rows.size, dtype=np.uint16)
    zero = np.zeros(columns.n_features, dtype=np.int32)
    some = np.arange(columns.n_features)
    code_cells(columns, some, cut_points, bin_codes, codes, zero, pairs=pairs)
    missing = levels_of(cut_points, bin_codes)
    codes[columns.gaps] = missing[columns.column_of(columns.gaps)]
    sizes = np.where(zero == 0, columns.n_stored, columns.n_rows)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    rows = np.empty(starts[-1], dtype=np.int32)
    data = np.empty(starts[-1], dtype=code_type(int(missing.max())))
    for j in np.nonzero(zero)[0]:
        rows[starts[j] : starts[j + 1]] = np.arange(columns.n_rows)
        data[starts[j] : starts[j + 1]] = zero[j]
    of_cell = columns.column_of(np.arange(codes.size))
    stored = zero[of_cell] == 0
    places = starts[of_cell] + np.where(
        stored, np.arange(codes.size) - columns.starts[of_cell], columns.rows
    )
    rows[places], data[places] = columns.rows, codes
    made = scipy.sparse.csc_array(
        (data, rows, starts), shape=(columns.n_rows, columns.n_features), copy=False
    )
    made.eliminate_zeros()
    return made

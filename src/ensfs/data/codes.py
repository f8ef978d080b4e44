"""All columns of a table as dense codes, for measures that count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ensfs._utils.lazy import lazy_property
from ensfs.data.columns import NumericBlock
from ensfs.data.encode import BlockCodes, encode_integers

if TYPE_CHECKING:
    from ensfs.data.table import Table

MAX_LEVELS = 1 << 16

#: Codes and cut points of continuous columns, given their values and their positions.
Discretize = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, list[np.ndarray]]]

#: Positions of some columns, and their codes.
Piece = tuple[np.ndarray, BlockCodes]


@dataclass
class TableCodes:
    """All columns of a table as dense codes, in the order of their sorted distinct values.

    Attributes
    ----------
    codes : ndarray of shape (n_rows, n_features), uint8 or uint16, Fortran order
        Column ``j`` holds ``0 .. n_levels[j] - 1``; uint8 unless a column has more than 256 levels.
    n_levels : ndarray of shape (n_features,), int32
        Number of distinct values of each column.
    level_of : callable
        ``level_of(j)`` gives the sorted distinct values of column ``j``; of a discretized column
        the numbers of the bins that occur.
    cut_points : dict of int to ndarray
        Cut points of the columns that were discretized.
    incomplete : ndarray of bool, shape (n_features,)
        Whether the last level of a column stands for missing cells.
    """

    codes: np.ndarray
    n_levels: np.ndarray
    level_of: Callable[[int], np.ndarray]
    cut_points: dict[int, np.ndarray] = field(default_factory=dict)
    incomplete: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.incomplete is None:
            self.incomplete = np.zeros(self.n_levels.size, dtype=bool)

    @lazy_property
    def levels(self) -> list[np.ndarray]:
        """The sorted distinct values of every column, found on first use."""
        return [self.level_of(j) for j in range(self.n_levels.size)]

    def release(self) -> np.ndarray:
        """Hand over the codes and drop our reference, so that the caller controls their lifetime.

        A second call returns an array without rows.
        """
        codes, self.codes = self.codes, np.empty((0, self.n_levels.size), dtype=self.codes.dtype)
        return codes


def code_table(table: Table, discretize: Discretize | None) -> TableCodes:
    """All columns of a table as dense codes; see `Table.codes`."""
    discrete = table.discrete
    if discretize is None and not discrete.all():
        j = int(np.nonzero(~discrete)[0][0])
        raise ValueError(
            f"{table.label(j)} is continuous and cannot be coded as it is. Discretize it first, "
            "or name it in discrete_features if its values are categories."
        )
    if len(table.numeric_blocks) == 1 and not table.nominal_blocks and discrete.all():
        coded = table.block_codes(0)
        if (coded.n_levels > 0).all():
            table.forget_block_codes(0)  # a second call recomputes them
            return TableCodes(
                coded.codes, coded.n_levels, coded.levels, incomplete=coded.incomplete
            )
    pieces: list[Piece] = []
    for nominal in table.nominal_blocks:
        codes, levels, n_missing = nominal.codes, nominal.levels, nominal.n_missing
        if n_missing:
            levels = np.append(levels.astype(object), [None])
        if table.identifiers[nominal.column]:
            codes, levels, n_missing = np.zeros_like(codes), levels[:1], 0
        pieces.append(_codes_of_one_column(table, nominal.column, codes, levels, n_missing))
    for b, block in enumerate(table.numeric_blocks):
        pieces += _discrete_pieces(table, b, block)
    cut_points: dict[int, np.ndarray] = {}
    if discretize is not None and not discrete.all():
        pieces.append(_discretized(table, np.nonzero(~discrete)[0], discretize, cut_points))
    return _gather(table, pieces, cut_points)


def _codes_of_one_column(
    table: Table, j: int, codes: np.ndarray, levels: np.ndarray, n_missing: int
) -> Piece:
    if levels.size > MAX_LEVELS:
        raise ValueError(
            f"{table.label(j)} has {levels.size} distinct values; at most {MAX_LEVELS} can be "
            "coded. Drop it if it is an identifier, or treat it as continuous."
        )
    n_levels = np.array([levels.size], dtype=np.int32)
    coded = BlockCodes(codes[:, None], n_levels, lambda _: levels, np.array([n_missing]))
    return np.array([j]), coded


def _discrete_pieces(table: Table, b: int, block: NumericBlock) -> Iterator[Piece]:
    """Discrete columns of a numeric block: those that the encoder coded, the others by sorting."""
    discrete = table.discrete[block.columns]
    if not discrete.any():
        return
    coded = table.block_codes(b)
    done = np.nonzero(discrete & (coded.n_levels > 0))[0]
    if done.size:
        part = BlockCodes(
            coded.codes if done.size == discrete.size else coded.codes[:, done],
            coded.n_levels[done],
            lambda i: coded.levels(int(done[i])),
            coded.n_missing[done],
        )
        yield block.columns[done], part
    left = np.nonzero(discrete & (coded.n_levels == 0))[0]
    if left.size:
        table.check_finite(block.columns[left], allow_nan=table.allow_missing)
    for i in left:
        levels, codes = np.unique(block.values[:, i], return_inverse=True)
        n_missing = int(np.isnan(block.values[:, i]).sum()) if levels[-1] != levels[-1] else 0
        yield _codes_of_one_column(table, int(block.columns[i]), codes, levels, n_missing)


def _discretized(
    table: Table, columns: np.ndarray, discretize: Discretize, cut_points: dict[int, np.ndarray]
) -> Piece:
    """The continuous columns; their cut points go into `cut_points`."""
    table.check_finite(columns, allow_nan=table.allow_missing)
    bins, cuts = discretize(table.float_columns(columns), columns)
    cut_points.update(zip(columns.tolist(), cuts, strict=True))
    coded = encode_integers(np.asarray(bins), table.n_threads)
    if (coded.n_levels == 0).any():
        j = int(columns[np.nonzero(coded.n_levels == 0)[0][0]])
        raise ValueError(f"{table.label(j)} was discretized into more than 256 bins; use fewer.")
    if table.allow_missing:
        coded.n_missing = table.n_missing[columns]
    return columns, coded


def _gather(table: Table, pieces: list[Piece], cut_points: dict[int, np.ndarray]) -> TableCodes:
    """The pieces, side by side in the order of the columns."""
    n_levels = np.empty(table.n_features, dtype=np.int32)
    owner = np.empty(table.n_features, dtype=np.intp)
    place = np.empty(table.n_features, dtype=np.intp)
    incomplete = np.empty(table.n_features, dtype=bool)
    for k, (columns, piece) in enumerate(pieces):
        n_levels[columns] = piece.n_levels
        incomplete[columns] = piece.incomplete
        owner[columns] = k
        place[columns] = np.arange(columns.size)
    dtype = np.uint8 if n_levels.max() <= 256 else np.uint16
    codes = np.empty((table.n_rows, table.n_features), dtype=dtype, order="F")
    for columns, piece in pieces:
        codes[:, columns] = piece.codes
    sources = [piece.levels for _, piece in pieces]
    return TableCodes(
        codes, n_levels, lambda j: sources[owner[j]](int(place[j])), cut_points, incomplete
    )

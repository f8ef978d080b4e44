"""A sparse table as columns: kinds and codes, decided as those of the dense table would be."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ensfs._core import sparse, sparse_codes
from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.encode import MAX_DISCRETE_VALUES
from ensfs.data.parameters import resolve_columns
from ensfs.data.sparse_columns import SparseColumns, read_sparse
from ensfs.data.variables import Variables, make_variables

#: The most levels of a column.
MAX_LEVELS = 1 << 16

#: Columns that a kernel is called for at once.
BLOCK = 4096


@dataclass(frozen=True)
class CodedCells:
    """Sparse columns as codes in the order of the sorted distinct values of each.

    Attributes
    ----------
    cells : StoredCells
        Which cells are stored.
    codes : ndarray of uint16, shape (n_cells,)
        Their codes.
    zero : ndarray of int32, shape (n_features,)
        The code of the cells of each column that are not stored.
    n_levels : ndarray of int32, shape (n_features,)
        Number of distinct codes of each column.
    starts, rows : ndarray
        As of `SparseColumns`.
    """

    cells: sparse.StoredCells
    codes: np.ndarray
    zero: np.ndarray
    n_levels: np.ndarray
    starts: np.ndarray
    rows: np.ndarray

    def take(self, columns: np.ndarray) -> CodedCells:
        """Some of the columns, in this order."""
        sizes = np.diff(self.starts)[columns]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[columns] - starts[:-1], sizes) + np.arange(starts[-1])
        rows = self.rows[places]
        cells = sparse.StoredCells(starts, rows, self.cells.n_rows)
        return CodedCells(
            cells, self.codes[places], self.zero[columns], self.n_levels[columns], starts, rows
        )

    def with_columns(self, more: Sequence[np.ndarray]) -> CodedCells:
        """The same, and columns after the last, which are given for all rows."""
        of_columns = [np.nonzero(codes)[0].astype(np.int32) for codes in more]
        rows = np.concatenate([self.rows, *of_columns])
        ends = self.starts[-1] + np.cumsum([each.size for each in of_columns], dtype=np.int64)
        starts = np.append(self.starts, ends)
        codes = [each[at].astype(np.uint16) for each, at in zip(more, of_columns, strict=True)]
        n_levels = [int(each.max()) + 1 for each in more]
        return CodedCells(
            sparse.StoredCells(starts, rows, self.cells.n_rows),
            np.concatenate([self.codes, *codes]),
            np.append(self.zero, np.zeros(len(more), dtype=np.int32)),
            np.append(self.n_levels, np.array(n_levels, dtype=np.int32)),
            starts,
            rows,
        )

    def spread(self, j: int) -> np.ndarray:
        """The codes of one column in all rows."""
        whole = np.full(self.cells.n_rows, self.zero[j], dtype=np.uint16)
        some = slice(self.starts[j], self.starts[j + 1])
        whole[self.rows[some]] = self.codes[some]
        return whole

    def without_implicit(self) -> CodedCells:
        """The same without stored cells that have the code of those that are not stored."""
        starts = np.empty_like(self.starts)
        rows, codes = np.empty_like(self.rows), np.empty_like(self.codes)
        n = sparse_codes.drop_implicit(self.cells, self.codes, self.zero, starts, rows, codes)
        if n == rows.size:
            return self
        rows, codes = rows[:n].copy(), codes[:n].copy()
        cells = sparse.StoredCells(starts, rows, self.cells.n_rows)
        return replace(self, cells=cells, codes=codes, starts=starts, rows=rows)


class SparseTable:
    """The columns of a sparse table; see `ensfs.data.table.Table`.

    Attributes
    ----------
    n_rows, n_features : int
        Shape of the table, without the columns that are excluded.
    variables : Variables
        The columns as they were given, and what a search chooses among.
    discrete : ndarray of bool, shape (n_features,)
        Which columns hold discrete values.
    columns : SparseColumns
        The stored cells.
    """

    def __init__(
        self,
        columns: SparseColumns,
        variables: Variables,
        discrete_features: Any = "auto",
        integral_is_discrete: bool = False,
        n_threads: int = 1,
    ):
        self.columns, self.variables = columns, variables
        self.n_rows, self.n_features = columns.n_rows, columns.n_features
        self.n_threads = n_threads
        self._integral_is_discrete = integral_is_discrete
        self._mask = self._resolve_mask(discrete_features)

    def _resolve_mask(self, discrete_features: Any) -> np.ndarray | None:
        """Which columns are named as discrete; None for "auto"."""
        n_columns = self.variables.n_columns
        mask = resolve_columns(discrete_features, n_columns, None, "discrete_features")
        return None if mask is None else self.variables.of_kept(mask)

    def label(self, j: int) -> str:
        """Name of column ``j`` in messages."""
        return self.variables.label_of_kept(j)

    @lazy_property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values."""
        if self._mask is not None:
            return self._mask
        if self.columns.kind == "b":
            return np.ones(self.n_features, dtype=bool)
        if self.columns.kind == "f" and not self._integral_is_discrete:
            return np.zeros(self.n_features, dtype=bool)
        few = np.empty(self.n_features, dtype=np.uint8)

        def work(start: int, stop: int) -> None:
            sparse_codes.few_whole_values(
                self.columns.cells, self.columns.values, start, stop, MAX_DISCRETE_VALUES,
                few[start:stop],
            )  # fmt: skip

        for_blocks(work, self.n_features, self.n_threads, block=BLOCK)
        return few.astype(bool)

    def has_same_kinds(
        self, discrete_features: Any = "auto", integral_is_discrete: bool = False
    ) -> bool:
        """Whether these options would make the same columns discrete."""
        other = copy(self)
        other.__dict__.pop("discrete", None)
        other._mask = self._resolve_mask(discrete_features)
        other._integral_is_discrete = integral_is_discrete
        return np.array_equal(self.discrete, other.discrete)

    def rank_codes(self, columns: np.ndarray) -> CodedCells:
        """All columns as codes, of which those of some columns are written: a code for each value.

        Parameters
        ----------
        columns : ndarray of int64
            The columns to code.

        Returns
        -------
        CodedCells
            With zeros for the other columns.
        """
        coded = self._ranks(columns)
        many = np.nonzero(coded.n_levels > MAX_LEVELS)[0]
        if many.size:
            raise ValueError(
                f"{self.label(int(many[0]))} has {coded.n_levels[many[0]]} distinct values; at "
                f"most {MAX_LEVELS} can be coded. Drop it if it is an identifier, or treat it as "
                "continuous."
            )
        return coded

    def hold_one_value(self, columns: np.ndarray) -> np.ndarray:
        """Which of some columns hold one value in all rows."""
        return self.n_distinct(columns) == 1

    def n_distinct(self, columns: np.ndarray) -> np.ndarray:
        """How many distinct values some columns have."""
        return self._ranks(columns).n_levels[columns]

    def _ranks(self, columns: np.ndarray) -> CodedCells:
        held = self.columns
        codes = np.zeros(held.rows.size, dtype=np.uint16)
        zero, n_levels = np.zeros((2, self.n_features), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            some = columns[start:stop]
            space = 2 * int(held.n_stored[some].max(initial=0))
            sparse_codes.rank_codes(
                held.cells, held.values, some, MAX_LEVELS, codes, zero, n_levels, np.empty(space),
                np.empty(space, dtype=np.int32),
            )  # fmt: skip

        for_blocks(work, columns.size, self.n_threads, block=BLOCK)
        return CodedCells(held.cells, codes, zero, n_levels, held.starts, held.rows)


def make_sparse_table(
    X: Any,
    *,
    discrete_features: Any = "auto",
    integral_is_discrete: bool = False,
    n_threads: int = 1,
    **choice: Any,
) -> SparseTable:
    """A sparse matrix as a table; see `ensfs.data.table.make_table`."""
    variables = make_variables(X.shape[-1], None, **choice)
    columns = read_sparse(X, variables.kept)
    return SparseTable(columns, variables, discrete_features, integral_is_discrete, n_threads)

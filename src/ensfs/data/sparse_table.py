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
    incomplete : ndarray of bool, shape (n_features,)
        Whether the last level of a column stands for missing cells.
    """

    cells: sparse.StoredCells
    codes: np.ndarray
    zero: np.ndarray
    n_levels: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    incomplete: np.ndarray

    def take(self, columns: np.ndarray) -> CodedCells:
        """Some of the columns, in this order."""
        sizes = np.diff(self.starts)[columns]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[columns] - starts[:-1], sizes) + np.arange(starts[-1])
        rows = self.rows[places]
        cells = sparse.StoredCells(starts, rows, self.cells.n_rows)
        return CodedCells(
            cells, self.codes[places], self.zero[columns], self.n_levels[columns], starts, rows,
            self.incomplete[columns],
        )  # fmt: skip

    def with_columns(self, more: Sequence[np.ndarray], incomplete: Any = None) -> CodedCells:
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
            np.append(self.incomplete, [False] * len(more) if incomplete is None else incomplete),
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
    def n_missing(self) -> np.ndarray:
        """How many cells of each column are missing."""
        return self.columns.n_missing

    @lazy_property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values."""
        if self._mask is not None:
            return self._mask
        if self.columns.kind == "b":
            return np.ones(self.n_features, dtype=bool)
        if self.columns.kind == "f" and not self._integral_is_discrete:
            return np.zeros(self.n_features, dtype=bool)
        few = self._few_whole_values(self.columns, MAX_DISCRETE_VALUES)
        incomplete = np.nonzero(self.n_missing)[0]
        if incomplete.size:  # where missing cells are one more value
            some = self.columns.take(incomplete)
            few[incomplete] = self._few_whole_values(some, MAX_DISCRETE_VALUES + 1)
            few[self.n_missing == self.n_rows] = False
        return few

    def _few_whole_values(self, columns: SparseColumns, most: int) -> np.ndarray:
        """Which columns hold whole numbers only, at most so many."""
        few, values = np.empty(columns.n_features, dtype=np.uint8), _comparable(columns)

        def work(start: int, stop: int) -> None:
            sparse_codes.few_whole_values(columns.cells, values, start, stop, most, few[start:stop])

        for_blocks(work, columns.n_features, self.n_threads, block=BLOCK)
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
        """Which of some columns hold one value in all rows in which they are observed."""
        return self.n_distinct(columns) <= 1

    def n_distinct(self, columns: np.ndarray) -> np.ndarray:
        """How many distinct values some columns have, but for missing cells."""
        return self._ranks(columns).n_levels[columns] - (self.n_missing[columns] > 0)

    def _ranks(self, columns: np.ndarray) -> CodedCells:
        held, values = self.columns, _comparable(self.columns)
        codes = np.zeros(held.rows.size, dtype=np.uint16)
        zero, n_levels = np.zeros((2, self.n_features), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            some = columns[start:stop]
            space = 2 * int(held.n_stored[some].max(initial=0))
            sparse_codes.rank_codes(
                held.cells, values, some, MAX_LEVELS, codes, zero, n_levels, np.empty(space),
                np.empty(space, dtype=np.int32),
            )  # fmt: skip

        for_blocks(work, columns.size, self.n_threads, block=BLOCK)
        incomplete = self.n_missing > 0
        return CodedCells(held.cells, codes, zero, n_levels, held.starts, held.rows, incomplete)


def _comparable(columns: SparseColumns) -> np.ndarray:
    """The values of the cells, of which a missing one is above all others."""
    values = columns.values
    if columns.gaps.size:
        values = values.copy()
        values[columns.gaps] = np.inf
    return values


def make_sparse_table(
    X: Any,
    *,
    discrete_features: Any = "auto",
    integral_is_discrete: bool = False,
    n_threads: int = 1,
    allow_missing: bool = False,
    **choice: Any,
) -> SparseTable:
    """A sparse matrix as a table; see `ensfs.data.table.make_table`."""
    variables = make_variables(X.shape[-1], None, **choice)
    columns = read_sparse(X, variables.kept, allow_missing)
    return SparseTable(columns, variables, discrete_features, integral_is_discrete, n_threads)

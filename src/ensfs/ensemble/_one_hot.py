"""Tables as numbers: columns of text and categories become a column for each level."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ensfs.data.columns import NominalBlock, RawColumns, read_columns
from ensfs.data.frames import take
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.table import Table
from ensfs.training.contract import refuse_blocks


class OneHotTable:
    """Learns the levels of columns of text, and makes arrays of numbers of tables."""

    def fit(self, columns: RawColumns) -> np.ndarray:
        """Learn the levels; returns the numbers."""
        self.levels_ = {
            block.column: block.levels.tolist()
            for block in columns.blocks
            if isinstance(block, NominalBlock)
        }
        return self.transform(columns)

    def transform(self, columns: RawColumns) -> np.ndarray:
        """Numbers of a table with the same columns; levels that are new have zeros."""
        Table(columns).check_finite()
        parts: list[Any] = [None] * columns.n_features
        for block in columns.blocks:
            if isinstance(block, NominalBlock):
                parts[block.column] = self._expand(block.column, block.levels[block.codes])
                continue
            for i, j in enumerate(block.columns.tolist()):
                values = block.values[:, i]
                known = j not in self.levels_
                parts[j] = values[:, None].astype(np.float64) if known else self._expand(j, values)
        return np.hstack(parts)

    def _expand(self, column: int, cells: np.ndarray) -> np.ndarray:
        levels = self.levels_.get(column)
        if levels is None:  # numbers in fit: text that is a number is one
            return cells.astype(np.float64)[:, None]
        known = {level: i for i, level in enumerate(levels)}
        out = np.zeros((len(cells), len(levels)))
        for row, cell in enumerate(cells.tolist()):
            if cell in known:
                out[row, known[cell]] = 1.0
        return out


class NumberReader:
    """An estimator that reads tables of any kind as numbers."""

    _table: OneHotTable

    def _read(self, X: Any, reset: bool) -> np.ndarray:
        """The table as numbers."""
        return self._read_both(X, reset)[1]

    def _read_both(self, X: Any, reset: bool) -> tuple[RawColumns, np.ndarray]:
        """The columns of the table, and the table as numbers."""
        refuse_blocks(self, X)
        refuse_sparse(self, X)
        columns = read_columns(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if not reset:
            return columns, self._table.transform(columns)
        if columns.n_rows < 2:
            raise ValueError(
                f"Found array with {columns.n_rows} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        self._table = OneHotTable()
        return columns, self._table.fit(columns)

    def _without_levels(
        self, X: Any, columns: RawColumns, values: np.ndarray, kept: np.ndarray
    ) -> tuple[RawColumns, np.ndarray]:
        """The rows that have a weight; levels that only others have do not count either."""
        if kept.size == len(values):
            return columns, values
        columns = read_columns(take(X, rows=kept))
        return columns, self._table.fit(columns)

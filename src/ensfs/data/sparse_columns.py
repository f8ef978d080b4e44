"""Read sparse matrices into columns: the stored cells of each, in ascending order of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import get_tags

from ensfs._core import sparse
from ensfs.data.values import LARGEST_EXACT, raise_missing

_MAX_ROWS = np.iinfo(np.int32).max


@dataclass(frozen=True)
class SparseColumns:
    """The columns of a sparse table; a cell that is not stored is 0, and no stored one is.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_features + 1,)
        Where the cells of each column begin.
    rows : ndarray of int32, shape (n_cells,)
        The row of each cell, ascending within a column.
    values : ndarray of float32 or float64, shape (n_cells,)
        The value of each cell.
    n_rows : int
        Rows of the table.
    kind : {"b", "i", "u", "f"}
        The type that the values had: booleans, integers or floats.
    cells : StoredCells
        Starts and rows as the kernels take them.
    """

    starts: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    n_rows: int
    kind: str
    cells: sparse.StoredCells

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.starts.size - 1

    @property
    def n_stored(self) -> np.ndarray:
        """Stored cells of each column."""
        return np.diff(self.starts)

    @property
    def most_stored(self) -> int:
        """The most stored cells of a column."""
        return int(self.n_stored.max())

    def column(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and values of the stored cells of a column."""
        some = slice(self.starts[j], self.starts[j + 1])
        return self.rows[some], self.values[some]

    def spread(self, j: int) -> np.ndarray:
        """One column with all its rows."""
        whole = np.zeros(self.n_rows)
        rows, values = self.column(j)
        whole[rows] = values
        return whole

    def take(self, columns: np.ndarray) -> SparseColumns:
        """Some of the columns, in this order."""
        sizes = self.n_stored[columns]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[columns] - starts[:-1], sizes) + np.arange(starts[-1])
        return _columns_of(starts, self.rows[places], self.values[places], self.n_rows, self.kind)

    def matrix(self) -> scipy.sparse.csc_array:
        """The table as scipy has it, on the same memory."""
        parts = (self.values, self.rows, self.starts)
        return scipy.sparse.csc_array(parts, shape=(self.n_rows, self.n_features), copy=False)


def _columns_of(
    starts: np.ndarray, rows: np.ndarray, values: np.ndarray, n_rows: int, kind: str
) -> SparseColumns:
    cells = sparse.StoredCells(starts, rows, n_rows)
    return SparseColumns(starts, rows, values, n_rows, kind, cells)


def read_sparse(X: Any, kept: np.ndarray | None = None) -> SparseColumns:
    """Read a sparse matrix or array of scipy.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_features)
        Of any format; duplicates are added up, stored zeros are dropped, both in a copy.
    kept : ndarray of int, optional
        The columns to read; all by default.

    Returns
    -------
    SparseColumns
        On the memory of `X` if it is in CSC format with sorted 32-bit indices and floats.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got a sparse array of {X.ndim} dimension(s) instead.")
    for size, what in zip(X.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required."
            )
    if X.shape[0] > _MAX_ROWS:
        raise ValueError(f"A sparse table can have {_MAX_ROWS} rows; got {X.shape[0]}.")
    kind = X.dtype.kind
    if kind == "c":
        raise ValueError("Complex data not supported: X is a sparse matrix of complex numbers.")
    if kind not in "biuf":
        raise ValueError(
            f"X is a sparse matrix of the type {X.dtype}, which cannot be used. Convert it to "
            "numbers."
        )
    csc = X.tocsc()
    columns = _with_zeros(csc, kind)
    if not columns.cells.ascending:
        parts = (csc.data, csc.indices, csc.indptr)
        csc = scipy.sparse.csc_array(parts, shape=csc.shape, copy=True)  # X stays as it is
        csc.sum_duplicates()
        columns = _with_zeros(csc, kind)
    stored = columns.values != 0
    if not stored.all():
        starts = np.concatenate([[0], np.cumsum(stored)])[columns.starts]
        rows, values = columns.rows[stored], columns.values[stored]
        columns = _columns_of(starts, rows, values, columns.n_rows, kind)
    if kept is not None:
        columns = columns.take(kept)
    _check_finite(columns, kept)
    return columns


def _with_zeros(csc: Any, kind: str) -> SparseColumns:
    """The arrays of a matrix in CSC format, as floats, with the zeros that are stored."""
    starts = np.ascontiguousarray(csc.indptr, dtype=np.int64)
    n_cells = int(starts[-1])
    rows, values = csc.indices[:n_cells], csc.data[:n_cells]
    if rows.size and not 0 <= rows.min() <= rows.max() < csc.shape[0]:
        raise ValueError("X is a broken sparse matrix: it has indices beyond its shape.")
    return _columns_of(
        starts, np.ascontiguousarray(rows, dtype=np.int32), _as_floats(values), csc.shape[0], kind
    )


def _as_floats(values: np.ndarray) -> np.ndarray:
    """Numbers as floats that hold them exactly."""
    dtype: Any = np.float64
    if values.dtype.itemsize <= (4 if values.dtype.kind == "f" else 2):
        dtype = np.float32
    elif values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        if values.max() > LARGEST_EXACT or values.min() < -LARGEST_EXACT:
            raise ValueError(
                "X is a sparse matrix of integers beyond 2**53, which floats do not hold exactly. "
                "Call X.toarray() first, or scale it."
            )
    return np.ascontiguousarray(values, dtype=dtype)


def _check_finite(columns: SparseColumns, kept: np.ndarray | None) -> None:
    """Raise an error that names the first column with missing or infinite values, if any."""
    if columns.kind != "f":
        return
    bad = np.nonzero(~np.isfinite(columns.values))[0]
    if not bad.size:
        return
    places = np.searchsorted(columns.starts, bad, side="right") - 1
    of_column = columns.column(int(places[0]))[1]
    j = int(places[0] if kept is None else kept[places[0]])
    if np.isnan(of_column).any():  # a stored NaN is a missing cell
        raise_missing(f"column {j}", int(np.isnan(of_column).sum()))
    n_infinite = int(np.isinf(of_column).sum())
    raise ValueError(
        f"Input X contains infinity (inf): column {j} has {n_infinite} infinite value(s). Replace "
        "them by finite numbers, or drop these rows or the column."
    )


def takes_sparse(estimator: Any) -> bool:
    """Whether an estimator takes sparse tables, by its tags."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return False
    return bool(get_tags(estimator).input_tags.sparse)


def refuse_sparse(estimator: Any, X: Any) -> None:
    """Raise an error if a sparse table is given to an estimator that needs a dense one."""
    if scipy.sparse.issparse(X):
        raise TypeError(
            f"{type(estimator).__name__} does not support sparse tables; a dense one is needed. "
            "Call X.toarray() first."
        )

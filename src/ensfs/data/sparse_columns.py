"""Read sparse matrices into columns: the stored cells of each, in ascending order of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    gaps : ndarray of int64
        Which cells are missing: their values are NaN.
    """

    starts: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    n_rows: int
    kind: str
    cells: sparse.StoredCells
    gaps: np.ndarray

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

    @property
    def n_missing(self) -> np.ndarray:
        """Missing cells of each column."""
        return np.bincount(self.column_of(self.gaps), minlength=self.n_features)

    def column_of(self, cells: np.ndarray) -> np.ndarray:
        """The columns of some cells."""
        return np.searchsorted(self.starts, cells, side="right") - 1

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
        values = self.values[places]
        gaps = np.nonzero(np.isnan(values))[0] if self.gaps.size else None
        return _columns_of(starts, self.rows[places], values, self.n_rows, self.kind, gaps)

    def with_values(self, values: np.ndarray) -> SparseColumns:
        """The same cells with other values, of which none is missing; zeros are dropped."""
        stored = values != 0
        if stored.all():
            return _columns_of(self.starts, self.rows, values, self.n_rows, self.kind)
        starts = np.concatenate([[0], np.cumsum(stored)])[self.starts]
        return _columns_of(starts, self.rows[stored], values[stored], self.n_rows, self.kind)

    def means(self, weight: np.ndarray | None = None) -> np.ndarray:
        """Mean of what is observed of each column; of equal values exactly these."""
        of_cell, seen = self.column_of(np.arange(self.rows.size)), ~np.isnan(self.values)
        origin = np.zeros(self.n_features)
        for_all = np.nonzero(self.n_stored == self.n_rows)[0]  # no zero, which is the origin else
        first = np.nonzero(seen)[0][::-1]
        first = first[np.isin(of_cell[first], for_all)]
        origin[of_cell[first]] = self.values[first]  # the last assignment stays
        times = np.ones(self.n_rows) if weight is None else weight
        of_rows = times[self.rows]
        apart = np.where(seen, self.values - origin[of_cell], 0.0) * of_rows
        total = np.bincount(of_cell, apart, self.n_features)
        gone = np.bincount(of_cell[self.gaps], of_rows[self.gaps], self.n_features)
        some = self.n_missing < self.n_rows
        observed = np.where(some, times.sum() - gone, 1.0)
        return np.where(some, origin + total / observed, 0.0)

    def filled(self, weight: np.ndarray | None = None) -> SparseColumns:
        """The same with the mean of its column for every missing number."""
        if not self.gaps.size:
            return self
        columns = np.nonzero(self.n_missing)[0]
        place = np.empty(self.n_features, dtype=np.int64)
        place[columns] = np.arange(columns.size)
        means = self.take(columns).means(weight)
        values = self.values.astype(np.float64)
        values[self.gaps] = means[place[self.column_of(self.gaps)]]
        return self.with_values(values)

    def matrix(self) -> scipy.sparse.csc_array:
        """The table as scipy has it, on the same memory."""
        parts = (self.values, self.rows, self.starts)
        return scipy.sparse.csc_array(parts, shape=(self.n_rows, self.n_features), copy=False)


def _columns_of(
    starts: np.ndarray, rows: np.ndarray, values: np.ndarray, n_rows: int, kind: str,
    gaps: np.ndarray | None = None,
) -> SparseColumns:  # fmt: skip
    cells = sparse.StoredCells(starts, rows, n_rows)
    gaps = np.empty(0, dtype=np.int64) if gaps is None else gaps
    return SparseColumns(starts, rows, values, n_rows, kind, cells, gaps)


def read_sparse(
    X: Any, kept: np.ndarray | None = None, allow_missing: bool = False
) -> SparseColumns:
    """Read a sparse matrix or array of scipy.

    Parameters
    ----------
    X : sparse matrix or array of shape (n_rows, n_features)
        Of any format; duplicates are added up, stored zeros are dropped, both in a copy.
    kept : ndarray of int, optional
        The columns to read; all by default.
    allow_missing : bool, default=False
        Whether stored cells may be NaN, which are missing.

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
    if not columns.values.all():
        columns = columns.with_values(columns.values)
    if kept is not None:
        columns = columns.take(kept)
    return replace(columns, gaps=_gaps(columns, kept, allow_missing))


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


def _gaps(columns: SparseColumns, kept: np.ndarray | None, allow_missing: bool) -> np.ndarray:
    """Which cells are missing.

    Raises an error that names the first column with infinite values, or missing ones that are not
    allowed, if any.
    """
    if columns.kind != "f":
        return np.empty(0, dtype=np.int64)
    bad = np.nonzero(~np.isfinite(columns.values))[0]
    missing = np.isnan(columns.values[bad])
    if missing.all() and (allow_missing or not bad.size):
        return bad
    place = int(columns.column_of(bad[~missing if allow_missing else slice(None)])[0])
    of_column = columns.column(place)[1]
    j = int(place if kept is None else kept[place])
    if np.isnan(of_column).any() and not allow_missing:
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

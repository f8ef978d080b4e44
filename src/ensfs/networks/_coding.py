"""Tables as states of nodes: learned in fit, -1 for what is missing or was never seen."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ensfs.data.columns import NominalBlock, RawColumns, read_columns
from ensfs.data.encode import MAX_DISCRETE_VALUES
from ensfs.data.identifiers import is_identifier
from ensfs.data.parameters import resolve_columns
from ensfs.data.schema import column_of, read_schema
from ensfs.data.table import Table
from ensfs.data.values import MISSING_TYPES
from ensfs.discretize import DISCRETIZERS, EqualFrequencyDiscretizer

#: Stands for a missing cell in a column of text.
_MISSING = "\0missing"


class TableCoder:
    """Learns the states of columns, and codes tables by them.

    Parameters
    ----------
    discretizer : str or transformer
        How columns of numbers are cut; "equal_frequency" makes three bins.
    discrete_features : "auto", bool, mask, indices or names
        Which columns of numbers hold states as they are.

    Attributes
    ----------
    states : list of list of str
        Names of the states of each column.
    """

    def __init__(self, discretizer: Any, discrete_features: Any):
        self.discretizer, self.discrete_features = discretizer, discrete_features

    def fit(
        self, columns: RawColumns, y: np.ndarray, weights: np.ndarray | None = None
    ) -> np.ndarray:
        """Learn the states of the columns; returns the codes, -1 where a cell is missing."""
        values = _columns_of(columns)
        mask = resolve_columns(
            self.discrete_features, columns.n_features, columns.names, "discrete_features"
        )
        self._levels: list[dict | None] = []
        self._n_bins = np.zeros(columns.n_features, dtype=int)
        for j, column in enumerate(values):
            discrete = column.dtype == object or (_is_few(column) if mask is None else mask[j])
            self._levels.append(_numbered(column, columns.n_rows) if discrete else None)
        self._cut = np.array([j for j, levels in enumerate(self._levels) if levels is None], int)
        if self._cut.size:
            self._fit_cuts(np.column_stack([values[j] for j in self._cut]), y, weights)
        self.states = [
            [str(i) for i in range(self._n_bins[j])] if levels is None else _names(levels)
            for j, levels in enumerate(self._levels)
        ]
        return self._code(values, columns.n_rows)

    def _fit_cuts(self, numbers: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> None:
        if self.discretizer == "equal_frequency":
            cutter = EqualFrequencyDiscretizer(n_bins=3)
        else:
            by_name = isinstance(self.discretizer, str)
            cutter = clone(DISCRETIZERS[self.discretizer] if by_name else self.discretizer)
        if weights is None:
            self._cutter = cutter.fit(numbers, y)
        elif not has_fit_parameter(cutter, "sample_weight"):
            raise ValueError(
                "sample_weight must be None for a discretizer whose fit does not take it; got "
                f"weights for {type(cutter).__name__}."
            )
        else:
            self._cutter = cutter.fit(numbers, y, sample_weight=weights)
        codes = np.asarray(self._cutter.transform(numbers))
        known = np.where(np.isnan(numbers), 0, codes)
        self._n_bins[self._cut] = known.max(axis=0).astype(int) + 1

    def transform(self, columns: RawColumns) -> np.ndarray:
        """Codes of a table with the same columns."""
        return self._code(_columns_of(columns), columns.n_rows)

    def _code(self, values: list[np.ndarray], n_rows: int) -> np.ndarray:
        codes = np.full((n_rows, len(values)), -1, dtype=np.int32)
        for j, levels in enumerate(self._levels):
            if levels is not None:
                cells = values[j].tolist()
                codes[:, j] = [levels.get(_key(cell), -1) for cell in cells]
        if self._cut.size:
            numbers = np.column_stack([_as_numbers(values[j]) for j in self._cut])
            bins = np.asarray(self._cutter.transform(numbers)).astype(np.int32)
            bins = np.minimum(bins, self._n_bins[self._cut] - 1)
            codes[:, self._cut] = np.where(np.isnan(numbers), -1, bins)
        empty = [j for j, states in enumerate(self.states) if states == ["nothing"]]
        codes[:, empty] = 0
        return codes


def read_cells(X: Any) -> RawColumns:
    """The columns of a table whose cells may be missing; infinities are errors."""
    if isinstance(X, np.ndarray):
        X = _mark_objects(X) if X.dtype.kind == "O" and X.ndim == 2 else X
    elif nw.dependencies.is_into_dataframe(X):
        X = _mark_frame(nw.to_native(X, pass_through=True))
    columns = read_columns(X)
    Table(columns).check_finite(allow_nan=True)
    return columns


def _mark_objects(X: np.ndarray) -> np.ndarray:
    """An array of objects with a text for the missing cells of columns of text."""
    marked = X.copy()
    for j in range(X.shape[1]):
        missing = [_is_missing(cell) for cell in X[:, j]]
        if any(isinstance(cell, str) for cell in X[:, j]) and any(missing):
            marked[missing, j] = _MISSING
    return marked


def _is_missing(cell: Any) -> bool:
    return type(cell).__name__ in MISSING_TYPES or (isinstance(cell, float) and cell != cell)


def _mark_frame(X: Any) -> Any:
    """A frame with a text for the missing cells of columns of text and categories."""
    text = (nw.String, nw.Categorical, nw.Enum, nw.Object)
    places = np.nonzero(read_schema(X).mask(lambda dtype: dtype in text))[0].tolist()
    marked = {}
    for j in places:
        cells = column_of(X, j).to_native()
        cells = cells.to_pylist() if hasattr(cells, "to_pylist") else cells.to_list()
        missing = [_is_missing(cell) for cell in cells]
        if any(missing) and not all(missing):
            marked[j] = [_MISSING if m else str(c) for c, m in zip(cells, missing, strict=True)]
    if not marked:
        return X
    frame = nw.from_native(X, eager_only=True)
    new = [
        nw.new_series(frame.columns[j], cells, nw.String, backend=frame.implementation)
        for j, cells in marked.items()
    ]
    if hasattr(X, "iloc"):  # pandas aligns by its index
        return X.assign(**{each.name: each.to_native().to_numpy() for each in new})
    return frame.with_columns(*new).to_native()


def _columns_of(columns: RawColumns) -> list[np.ndarray]:
    """Every column by itself: numbers as floats, text as objects."""
    out: list[Any] = [None] * columns.n_features
    for block in columns.blocks:
        if isinstance(block, NominalBlock):
            text = np.array([str(level) for level in block.levels], dtype=object)
            out[block.column] = text[block.codes]
        else:
            for i, j in enumerate(block.columns.tolist()):
                out[j] = block.values[:, i].astype(np.float64)
    return out


def _as_numbers(column: np.ndarray) -> np.ndarray:
    """The cells of a column that was cut; text that is no number is missing."""
    if column.dtype != object:
        return column
    return np.array([_float(cell) for cell in column])


def _float(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def _key(cell: Any) -> str:
    """What two cells of one state share: text, or the shortest form of a number."""
    return cell if isinstance(cell, str) else f"{cell:.17g}"


def _is_few(column: np.ndarray) -> bool:
    """Whether numbers are states: whole, and few distinct ones."""
    known = np.unique(column[~np.isnan(column)])
    return known.size <= MAX_DISCRETE_VALUES and bool((known == np.rint(known)).all())


def _numbered(column: np.ndarray, n_rows: int) -> dict[str, int]:
    """Number of each state of a column, in sorted order; none for text that tells rows apart."""
    if column.dtype == object:
        known = np.array(sorted(set(column.tolist()) - {_MISSING}), dtype=object)
        if is_identifier(known.size, n_rows):
            return {}
    else:
        known = np.unique(column[~np.isnan(column)])
    return {_key(cell): code for code, cell in enumerate(known.tolist())}


def _names(levels: dict[str, int]) -> list[str]:
    """Names of the states; a column without any has one."""
    return [name or "(empty)" for name in levels] or ["nothing"]

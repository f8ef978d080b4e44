"""Rows and columns of tables of any kind, and data frames as arrays."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array

from ensfs.data.columns import NumericBlock, RawColumns
from ensfs.data.schema import read_schema, take_columns
from ensfs.data.table import make_table
from ensfs.data.values import as_array, text_as_objects


def take(X: Any, rows: np.ndarray | None = None, columns: np.ndarray | None = None) -> Any:
    """Some rows and columns of a table, in their order, as a table of the same kind."""
    if scipy.sparse.issparse(X):
        X = X if X.format in ("csr", "csc") else X.tocsc()
        X = X if columns is None else X[:, columns]
        return X if rows is None else X[rows]
    if nw.dependencies.is_into_dataframe(X):
        X = X if columns is None else take_columns(X, columns)
        if rows is None:
            return X
        if hasattr(X, "iloc"):  # pandas may have names that narwhals does not take
            return X.iloc[rows]
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    if nw.dependencies.is_into_series(X):
        return X if rows is None else nw.from_native(X, series_only=True)[rows.tolist()].to_native()
    array = X if isinstance(X, np.ma.MaskedArray) else as_array(X)
    rows = np.arange(len(array)) if rows is None else rows
    return array[rows] if columns is None else array[np.ix_(rows, columns)]


def with_plain_text(X: Any) -> Any:
    """The table; categories of text in pandas, and NumPy's text of any length, become plain text.

    scikit-learn makes no array of these categories if there are also booleans or nullable numbers.
    """
    if not hasattr(X, "iloc"):
        return text_as_objects(X)
    text = {
        name: object
        for name, dtype in zip(X.columns, X.dtypes, strict=True)
        if hasattr(dtype, "categories")
        and getattr(dtype.categories.dtype, "kind", "O") not in "biuf"
    }
    return X.astype(text) if text else X


def frame_to_array(X: Any, estimator: Any) -> np.ndarray:
    """A data frame as one array, or an error that names the column and the estimator.

    Cells may be missing where the estimator takes that.
    """
    _check_fit_for_arrays(X)
    allow_nan = bool(get_tags(estimator).input_tags.allow_nan)
    try:
        return check_array(
            with_plain_text(X), dtype=None, ensure_all_finite="allow-nan" if allow_nan else True,
            input_name="X", estimator=estimator,
        )  # fmt: skip
    except (TypeError, ValueError):
        make_table(X, allow_missing=allow_nan).check_finite(allow_nan=allow_nan)
        raise


def table_to_array(X: Any, columns: RawColumns, estimator: Any, *, allow_nan: bool) -> np.ndarray:
    """A table as the array that scikit-learn makes of it.

    Parameters
    ----------
    X : array-like or data frame
        The table.
    columns : RawColumns
        The same, as read before: columns of one numeric type are not converted again.
    estimator : object
        The estimator, for messages.
    allow_nan : bool
        Whether missing values are legal.
    """
    first = columns.blocks[0]
    if len(columns.blocks) == 1 and isinstance(first, NumericBlock):
        return first.values
    values = check_array(
        with_plain_text(X), dtype=None, ensure_all_finite="allow-nan" if allow_nan else True,
        input_name="X", estimator=estimator,
    )  # fmt: skip
    return _with_nan(values, columns) if allow_nan else values


def _with_nan(values: np.ndarray, columns: RawColumns) -> np.ndarray:
    """The array with NaN for what is missing, which libraries mark in different ways."""
    if values.dtype.kind != "O":
        return values
    values = values.copy()
    for block in columns.blocks:
        if isinstance(block, NumericBlock):
            rows, places = np.nonzero(np.isnan(block.values))
            values[rows, block.columns[places]] = np.nan
        elif block.n_missing:
            values[block.codes == block.levels.size, block.column] = np.nan
    return values


def columns_to_array(X: Any, columns: np.ndarray, estimator: Any) -> np.ndarray:
    """Some columns of a data frame as an array of the type that the whole frame has as one.

    Columns that go into no array, such as dates, do not count unless they are among `columns`. If
    all columns have one type, only `columns` are read.
    """
    selected = take_columns(X, columns)
    if _has_one_type(X):
        return frame_to_array(selected, estimator)
    _check_fit_for_arrays(selected)
    fit = _fit_for_arrays(X)
    table = X if fit.all() else take_columns(X, np.nonzero(fit)[0])
    return frame_to_array(table, estimator)[:, np.cumsum(fit)[columns] - 1]


def _has_one_type(X: Any) -> bool:
    return len(set(X.dtypes)) == 1 if hasattr(X, "iloc") else len(read_schema(X).types) == 1


def _check_fit_for_arrays(X: Any) -> None:
    if not _fit_for_arrays(X).all():
        make_table(X, allow_missing=True)  # raises an error that names the column


def _fit_for_arrays(X: Any) -> np.ndarray:
    """Which columns of a data frame go into one array with numbers and text: no dates, no lists."""
    if hasattr(X, "iloc"):
        return np.array([dtype.kind not in "Mm" for dtype in X.dtypes])
    dates = (nw.Date, nw.Datetime, nw.Duration)
    return read_schema(X).mask(lambda dtype: not (dtype in dates or dtype.is_nested()))

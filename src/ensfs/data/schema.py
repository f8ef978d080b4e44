"""Names and types of the columns of a data frame, in one walk over its columns.

Data frames may have tens of thousands of columns, nearly always of a few types. narwhals translates
the type of every column and checks the names of every frame that it wraps, which takes longer than
many a selection. So each distinct type is translated once, and only single columns are wrapped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np


@dataclass(frozen=True)
class Schema:
    """Types of the columns of a data frame: column ``j`` has the type ``types[which[j]]``.

    Attributes
    ----------
    types : list of narwhals data types
        The distinct types, in the order in which they occur.
    which : ndarray of shape (n_columns,), int
        Position in `types` of the type of each column.
    """

    types: list[Any]
    which: np.ndarray

    def mask(self, accepted: Callable[[Any], bool]) -> np.ndarray:
        """Which columns have a type that is accepted."""
        return np.array([accepted(dtype) for dtype in self.types], dtype=bool)[self.which]


def read_schema(X: Any) -> Schema:
    """Types of the columns of a pandas, polars or pyarrow table, or of another one of narwhals."""
    codes: dict[Any, int] = {}

    def code_of(j: int) -> int:
        return codes.setdefault(column_of(X, j).dtype, len(codes))

    natives = _native_types(X)
    first = dict(zip(reversed(natives), reversed(range(len(natives))), strict=True))
    known = {each: code_of(j) for each, j in sorted(first.items(), key=itemgetter(1))}
    which = np.fromiter(map(known.__getitem__, natives), dtype=np.intp, count=len(natives))
    if _BY_VALUES in known:
        for j in [j for j, each in enumerate(natives) if each is _BY_VALUES]:
            which[j] = code_of(j)
    return Schema(list(codes), which)


#: Columns of objects in pandas: narwhals looks at the values of each.
_BY_VALUES = np.dtype(object)


def _native_types(X: Any) -> list[Hashable]:
    """The types of the columns in the words of the library, quick to hash."""
    if nw.dependencies.is_pyarrow_table(X):
        return X.schema.types
    if not hasattr(X, "iloc"):  # parameters of a type, such as the unit of a date, do not matter
        return list(map(type, X.dtypes if hasattr(X, "dtypes") else X.schema.values()))
    natives = list(X.dtypes)
    if all(issubclass(each, np.dtype) for each in set(map(type, natives))):
        return natives
    # categories would be hashed one by one
    return [each if isinstance(each, np.dtype) else str(each) for each in natives]


def column_of(X: Any, j: int) -> Any:
    """Column ``j`` of a data frame as a narwhals series."""
    if hasattr(X, "iloc"):
        return nw.from_native(X.iloc[:, j], series_only=True)
    if nw.dependencies.is_pyarrow_table(X):
        return nw.from_native(X.column(j), series_only=True)
    return nw.from_native(X, eager_only=True)[:, j]


def column_names(X: Any) -> list[Any]:
    """The labels of the columns as they are."""
    if nw.dependencies.is_pyarrow_table(X):
        return X.schema.names
    return X.columns.tolist() if hasattr(X, "iloc") else list(X.columns)


def frame_names(X: Any) -> np.ndarray | None:
    """Column names of a data frame; None if they are not text, as in scikit-learn."""
    names = column_names(X)
    types = sorted({each.__name__ for each in set(map(type, names))})
    if "str" not in types:
        return None
    if len(types) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your "
            f"input has {types} as feature name / column name types. Convert them all to strings, "
            "for example by X.columns = X.columns.astype(str)."
        )
    if len(set(names)) < len(names):
        duplicates = sorted(name for name, count in Counter(names).items() if count > 1)
        raise ValueError(
            f"Column names must be unique; these occur more than once: {duplicates}. "
            "Rename or drop the duplicates."
        )
    return np.array(names, dtype=object)


def take_columns(X: Any, columns: np.ndarray) -> Any:
    """Some columns of a data frame, in their order."""
    if hasattr(X, "iloc"):  # pandas may have names that narwhals does not take
        return X.iloc[:, columns]
    if nw.dependencies.is_pyarrow_table(X):
        return X.select(columns.tolist())
    return nw.from_native(X, eager_only=True)[:, columns.tolist()].to_native()

"""Targets of several columns, as arrays, data frames and sparse indicator matrices have them."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse

from ensfs.data.columns import NominalValues
from ensfs.data.schema import take_columns
from ensfs.data.target import Target
from ensfs.data.values import as_array


def split_outputs(y: Any) -> list[Any] | None:
    """The outputs of a target of several columns, each as a target; None if there is one.

    Parameters
    ----------
    y : array-like, series, data frame, sparse matrix or list of targets read before
        The target. A sparse matrix marks with 1 which labels a row has.

    Returns
    -------
    list of array-like, or None
    """
    if isinstance(y, SeveralTargets):
        return list(y)
    if y is None or isinstance(y, Target | NominalValues):
        return None
    if scipy.sparse.issparse(y):
        return _indicators(y)
    if isinstance(y, np.ndarray):
        return _columns_of(y)
    if nw.dependencies.is_into_dataframe(y):
        if y.shape[1] < 2:
            return None
        frame = nw.to_native(y, pass_through=True)
        parts = [take_columns(frame, np.array([j])) for j in range(y.shape[1])]
        return [nw.from_native(part, eager_only=True)[:, 0].to_native() for part in parts]
    if nw.dependencies.is_into_series(y) or hasattr(y, "categories"):
        return None
    return _columns_of(as_array(y))


class SeveralTargets(list):
    """Targets that were read before, one for each output."""


def _columns_of(array: np.ndarray) -> list[np.ndarray] | None:
    if array.ndim != 2 or array.shape[1] < 2:
        return None
    return [array[:, j] for j in range(array.shape[1])]


def _indicators(y: Any) -> list[np.ndarray] | None:
    """The columns of a sparse matrix of zeros and ones."""
    if y.ndim != 2 or y.shape[1] < 2:
        return None
    y = y.tocsc()
    if not np.isin(y.data, (0, 1)).all():
        raise ValueError(
            "A sparse target must be an indicator matrix: 1 where a row has a label, 0 elsewhere. "
            "Call y.toarray() for other numbers."
        )
    outputs = np.zeros(y.shape, dtype=np.int8, order="F")
    for j in range(y.shape[1]):
        part = slice(y.indptr[j], y.indptr[j + 1])
        outputs[y.indices[part], j] = y.data[part]
    return [outputs[:, j] for j in range(y.shape[1])]

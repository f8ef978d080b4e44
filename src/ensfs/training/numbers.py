"""Tables of numbers, for estimators that compute with all cells at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ensfs.data.columns import NominalBlock, read_columns
from ensfs.data.frames import table_to_array
from ensfs.data.table import Table
from ensfs.data.values import column_label
from ensfs.training.contract import refuse_blocks


def read_numbers(estimator: Any, X: Any, *, reset: bool, least_rows: int = 1) -> np.ndarray:
    """A table of any kind as an array of float64; errors name the column.

    Parameters
    ----------
    estimator : estimator
        Whose names and number of columns are remembered, or checked.
    X : array-like or data frame
        The table.
    reset : bool
        Whether the names are remembered.
    least_rows : int, default=1
        How many rows there must be.
    """
    refuse_blocks(estimator, X)
    columns = read_columns(X)
    validate_data(estimator, X, reset=reset, skip_check_array=True)  # names and their number
    if columns.n_rows < least_rows:
        raise ValueError(
            f"Found array with {columns.n_rows} sample(s) while a minimum of {least_rows} is "
            f"required by {type(estimator).__name__}."
        )
    Table(columns).check_finite()
    values = table_to_array(X, columns, estimator, allow_nan=False)
    for block in columns.blocks:
        if isinstance(block, NominalBlock):
            try:
                values[:, block.column].astype(np.float64)
            except (TypeError, ValueError):
                raise ValueError(
                    f"{column_label(block.column, columns.names)} holds text, and "
                    f"{type(estimator).__name__} takes numbers. Encode it, for example with an "
                    "OneHotEncoder."
                ) from None
    return np.asarray(values, dtype=np.float64)

"""How the continuous columns of row blocks are cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from ensfs._core import cuts as kernels
from ensfs._utils.sklearn import check_parameters
from ensfs.data.codes import Discretize
from ensfs.data.table import Table
from ensfs.discretize import DISCRETIZERS, SigmaDiscretizer
from ensfs.discretize.cuts import code_by_cuts
from ensfs.scale.block_tables import TablesInBlocks
from ensfs.training.coding import coding_by, is_fitted, uses_classes

#: Gives what codes the continuous columns of a block.
Coding = Callable[[Table], Discretize]

_ADVICE = (
    "For RowBlocks it can be 'sigma', or a discretizer that was fitted on a sample of the rows "
    "and does not use the target."
)


def make_coding(
    discretizer: Any, target: Any, data: TablesInBlocks, columns: np.ndarray, exact: bool
) -> Coding:
    """What codes the continuous columns of every block.

    Parameters
    ----------
    discretizer : str or transformer
        "sigma", a `SigmaDiscretizer`, or a fitted one that does not choose its cuts by classes.
    target : Target or Outputs
        The target.
    data : TablesInBlocks
        The blocks; read twice for means and deviations.
    columns : ndarray of int
        The continuous columns.
    exact : bool
        Whether the sums over the rows are those in memory: not of rows with weights, nor of
        integers that are no floats.
    """
    given = discretizer
    if isinstance(discretizer, str):
        discretizer = DISCRETIZERS[discretizer]
    elif isinstance(discretizer, FrozenEstimator):
        discretizer = discretizer.estimator
    if isinstance(discretizer, BaseEstimator) and uses_classes(discretizer):
        raise ValueError(
            f"discretizer={given!r} needs the table in memory: it chooses its cuts by the target. "
            f"{_ADVICE}"
        )
    if is_fitted(discretizer):

        def by_fitted(table: Table) -> Discretize:
            table.check_finite(columns)  # missing cells are for tables in memory
            return coding_by(discretizer, target, table)

        return by_fitted
    if type(discretizer) is not SigmaDiscretizer:
        raise ValueError(f"discretizer={given!r} needs the table in memory. {_ADVICE}")
    if not exact:
        raise ValueError(
            "discretizer='sigma' needs the table in memory where rows have weights, or columns "
            f"hold integers that float64 does not. {_ADVICE}"
        )
    check_parameters(discretizer)
    cut_points = sigma_cuts(data, columns, discretizer.width)
    return lambda table: (
        lambda values, _: (code_by_cuts(values, cut_points, pairs=True), cut_points)
    )


def sigma_cuts(data: TablesInBlocks, columns: np.ndarray, width: float) -> list[np.ndarray]:
    """Mean ± `width` standard deviations of columns, none of constant ones; as in memory.

    The values are added row after row with what rounding takes from the sums, so they can be added
    block after block.
    """
    low, high = np.full(columns.size, np.inf), np.full(columns.size, -np.inf)
    scale = np.ones(columns.size)
    total, rest = np.zeros(columns.size), np.zeros(columns.size)
    for X in _values(data, columns, "measuring means"):
        low, high = np.minimum(low, X.min(axis=0)), np.maximum(high, X.max(axis=0))
        kernels.add_deviations(X, scale, None, total, rest)
    scale = _scales(np.maximum(np.abs(low), np.abs(high)))
    if (scale != 1.0).any():  # then the sums may have overflowed
        total, rest = np.zeros(columns.size), np.zeros(columns.size)
        for X in _values(data, columns, "measuring means"):
            kernels.add_deviations(X, scale, None, total, rest)
    mean = (total + rest) / data.n_rows
    total, rest = np.zeros(columns.size), np.zeros(columns.size)
    for X in _values(data, columns, "measuring deviations"):
        kernels.add_deviations(X, scale, mean, total, rest)
    deviation = np.sqrt((total + rest) / max(1, data.n_rows - 1))
    both = np.stack([mean - width * deviation, mean + width * deviation], axis=1) / scale[:, None]
    return [pair if differ else pair[:0] for pair, differ in zip(both, low < high, strict=True)]


def _values(data: TablesInBlocks, columns: np.ndarray, reading: str) -> Any:
    """The columns as numbers, block by block."""
    for _, table in data.tables(reading):
        table.check_finite(columns)
        X = np.asfortranarray(table.float_columns(columns))
        del table
        yield X
        del X


def _scales(largest: np.ndarray) -> np.ndarray:
    """Powers of two that bring columns to where squares neither overflow nor vanish."""
    scale = np.ones(largest.size)
    extreme = (largest > 1e100) | (largest < 1e-100)
    _, exponent = np.frexp(largest[extreme])
    scale[extreme] = np.ldexp(1.0, -np.maximum(exponent, -1000))
    return scale

"""How the continuous columns of row blocks are cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

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
from ensfs.scale.partitioned import Task
from ensfs.training.coding import coding_by, is_fitted, uses_classes

#: Gives what codes the continuous columns of a block.
Coding = Callable[[Table], Discretize]

_FITTED = "a discretizer that was fitted on a sample of the rows and does not use the target"
_ADVICE = f"For RowBlocks it can be 'sigma', or {_FITTED}."


def make_coding(discretizer: Any, data: TablesInBlocks, columns: np.ndarray, exact: bool) -> Coding:
    """What codes the continuous columns of every block.

    Parameters
    ----------
    discretizer : str or transformer
        "sigma", a `SigmaDiscretizer`, or a fitted one that does not choose its cuts by classes.
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
        return FittedCoding(discretizer, columns)
    if type(discretizer) is not SigmaDiscretizer:
        raise ValueError(f"discretizer={given!r} needs the table in memory. {_ADVICE}")
    if not exact:
        raise ValueError(
            "discretizer='sigma' needs the table in memory where rows have weights, or columns "
            f"hold integers that float64 does not. For RowBlocks it can be {_FITTED} then."
        )
    check_parameters(discretizer)
    return SigmaCoding(sigma_cuts(data, columns, discretizer.width))


@dataclass(frozen=True)
class FittedCoding:
    """Codes by what a discretizer has learned before."""

    discretizer: Any
    columns: np.ndarray

    def __call__(self, table: Table) -> Discretize:
        """What codes the continuous columns of a block."""
        return coding_by(self.discretizer, None, table)


@dataclass(frozen=True)
class SigmaCoding:
    """Codes by cuts around the means."""

    cut_points: list[np.ndarray]

    def __call__(self, table: Table) -> Discretize:
        """What codes the continuous columns of a block."""
        cuts = self.cut_points
        return lambda values, _: (code_by_cuts(values, cuts, pairs=True), cuts)


class Deviations(NamedTuple):
    """Smallest and largest value of columns, how many; a sum, and what rounding takes from it."""

    low: np.ndarray
    high: np.ndarray
    n: np.ndarray
    total: np.ndarray
    rest: np.ndarray

    @classmethod
    def none(cls, n_columns: int) -> Deviations:
        """Those of no rows."""
        low, high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
        return cls(low, high, *np.zeros((3, n_columns)))


@dataclass(frozen=True)
class AddDeviations(Task):
    """Adds columns, or their squared deviations from a mean, and finds their range."""

    columns: np.ndarray
    scale: np.ndarray
    mean: np.ndarray | None = None
    name: ClassVar[str] = "deviations"

    def prepare(self, table: Table, rows: slice, about: Any) -> np.ndarray:
        """The columns as numbers."""
        table.check_finite(self.columns, allow_nan=table.allow_missing)
        return np.asfortranarray(table.float_columns(self.columns))

    def add(self, prepared: np.ndarray, state: Deviations) -> Deviations:
        """Add the rows of a block, row after row."""
        low = np.fmin(state.low, np.fmin.reduce(prepared))
        high = np.fmax(state.high, np.fmax.reduce(prepared))
        n = state.n + (prepared == prepared).sum(axis=0)  # but for missing cells
        kernels.add_deviations(prepared, self.scale, self.mean, state.total, state.rest)
        return Deviations(low, high, n, state.total, state.rest)


def sigma_cuts(data: TablesInBlocks, columns: np.ndarray, width: float) -> list[np.ndarray]:
    """Mean ± `width` standard deviations of columns, none of constant ones; as in memory.

    The values are added row after row with what rounding takes from the sums, so they can be added
    block after block.
    """
    scale = np.ones(columns.size)
    found = _deviations(data, AddDeviations(columns, scale), "measuring means")
    low, high, n = found.low, found.high, found.n
    scale = _scales(np.maximum(np.abs(low), np.abs(high)))
    if (scale != 1.0).any():  # then the sums may have overflowed
        found = _deviations(data, AddDeviations(columns, scale), "measuring means")
    mean = (found.total + found.rest) / np.maximum(1, n)
    found = _deviations(data, AddDeviations(columns, scale, mean), "measuring deviations")
    deviation = np.sqrt((found.total + found.rest) / np.maximum(1, n - 1))
    both = np.stack([mean - width * deviation, mean + width * deviation], axis=1) / scale[:, None]
    return [pair if differ else pair[:0] for pair, differ in zip(both, low < high, strict=True)]


def _deviations(data: TablesInBlocks, task: AddDeviations, shown: str) -> Deviations:
    """What a task adds up over all blocks."""
    return data.add_up(task, Deviations.none(task.columns.size), shown=shown)


def _scales(largest: np.ndarray) -> np.ndarray:
    """Powers of two that bring columns to where squares neither overflow nor vanish."""
    scale = np.ones(largest.size)
    extreme = (largest > 1e100) | (largest < 1e-100)
    _, exponent = np.frexp(largest[extreme])
    scale[extreme] = np.ldexp(1.0, -np.maximum(exponent, -1000))
    return scale

"""Rows with weights: a weight is how often its row is there.

Counts of weighted rows are exact like those of others: weights are taken as multiples of a power of
two that is so small that their sum has 52 bits. Whole weights are what they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ensfs._core import weighted
from ensfs.data.weights import whole_weights
from ensfs.statistics.resampling import Resampling

#: Sums of weights up to this have a table of logarithms.
LONGEST_TABLE = 2**20

#: Rows are repeated rather than weighted if that makes the table at most this many times as long:
#: bit planes count repeated rows faster than sums of weights are added.
MOST_REPEATED = 4

#: Columns that are scaled together: their values stay in the cache.
SCALED_AT_ONCE = 64

#: Cells of whole rows that are scaled together.
SCALED_CELLS = 1 << 15


@lru_cache(maxsize=2)
def log_table(n_rows: int) -> tuple[np.ndarray, float]:
    """``k * log2(k)`` for k = 0 .. n_rows in fixed point, and the value of one unit in bits.

    Whole numbers stand for multiples of the unit. Their sums are exact, so no result depends on the
    order of summation. The unit is as small as the platform's longest float and 62 bits allow.
    """
    k = np.arange(n_rows + 1, dtype=np.longdouble)
    k[1:] *= np.log2(k[1:])
    digits = min(61, np.finfo(np.longdouble).nmant - 1)
    shift = digits - int(np.ceil(np.log2(max(float(k[-1]), 1.0))))
    table = np.rint(np.ldexp(k, shift)).astype(np.int64)
    table.setflags(write=False)  # it is kept for the next table with so many rows
    return table, 2.0**-shift


def chance_of(unit: float) -> float:
    """What chance gives for each degree of freedom, half a nat, in units of so many bits."""
    return 0.5 / math.log(2) / unit


class WeightLogs:
    """What `log_table` gives, for sums of weights that are too large for a table.

    ``c * log2(c / total)`` in fixed point; the total cancels in every measure, like the unit.
    """

    def __init__(self, total: int):
        self.total = float(total)
        #: Units that make a bit: each logarithm is right to less than a unit.
        self.scale = 2.0**49 / self.total

    def __getitem__(self, counts: np.ndarray) -> np.ndarray:
        counts = np.ascontiguousarray(counts, dtype=np.int64)
        out = np.empty(counts.shape, dtype=np.int64)
        weighted.logs(counts.ravel(), self.total, self.scale, out.ravel())
        return out


@dataclass(frozen=True, eq=False)
class CountedRows:
    """How often each row is counted, and what counts need to become information.

    Attributes
    ----------
    weights : ndarray of int64, shape (n_rows,), or None
        How often each row is there; None: once.
    n : ndarray of int64, shape (n_parts,)
        Rows of each part, as often as they are there.
    klogk : ndarray or WeightLogs
        ``k * log2(k)`` in fixed point, by k.
    unit : float
        Value of one unit of these in bits.
    times : float
        How many times a weight of 1 is counted; 1 if weights are whole numbers.
    """

    weights: np.ndarray | None
    n: np.ndarray
    klogk: np.ndarray | WeightLogs
    unit: float
    times: float = 1.0

    @classmethod
    def of(cls, resampling: Resampling) -> CountedRows:
        """The rows of some parts."""
        if resampling.weight is None:
            return cls(None, resampling.n_rows, *log_table(resampling.fold.size))
        whole, times = whole_weights(resampling.weight)
        total = int(whole.sum())
        folds = np.zeros(resampling.n_folds, dtype=np.int64)
        np.add.at(folds, resampling.fold, whole)
        n = resampling.combine_counts(folds)
        if total <= max(LONGEST_TABLE, MOST_REPEATED * whole.size):
            return cls(whole, n, *log_table(total), times)
        logs = WeightLogs(total)
        return cls(whole, n, logs, 1.0 / logs.scale, times)

    def of_parts(self) -> np.ndarray:
        """The logarithms of the numbers of rows in the parts."""
        return self.klogk[self.n]

    @property
    def chance(self) -> float:
        """What chance gives for each degree of freedom of a measure, in units."""
        return chance_of(self.unit) * self.times

    @property
    def table(self) -> np.ndarray | None:
        """The logarithms if there is a table of them."""
        return None if isinstance(self.klogk, WeightLogs) else self.klogk

    @property
    def log_total(self) -> float:
        """What the logarithms are divided by where there is no table of them."""
        return self.klogk.total if isinstance(self.klogk, WeightLogs) else 0.0

    @property
    def log_scale(self) -> float:
        """Their scale."""
        return self.klogk.scale if isinstance(self.klogk, WeightLogs) else 0.0


def repetitions(weight: np.ndarray | None) -> np.ndarray | None:
    """How often each row is to be repeated in place of its weight; None if it is not worth it."""
    if weight is None or weight.sum() > MOST_REPEATED * weight.size:
        return None
    whole = np.rint(weight)
    return whole.astype(np.int64) if (whole == weight).all() else None


def scaled_rows(
    X: np.ndarray, weight: np.ndarray, fold: np.ndarray, shift: np.ndarray
) -> np.ndarray:
    """Rows from a centre, times the root of their weights: their products are weighted.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Some rows of the table.
    weight, fold : ndarray of shape (n,)
        Weight and fold of each row.
    shift : ndarray of shape (1 or folds, p or more)
        Centres of the columns, or of each fold.

    Returns
    -------
    ndarray of shape (n, p), float64
        In the order of `X`.
    """
    out = np.empty_like(X, dtype=np.float64)
    root = np.sqrt(weight)[:, None]
    step = X.shape[1] if X.flags.c_contiguous else SCALED_AT_ONCE  # along what lies together
    n_rows = max(1, SCALED_CELLS // step) if X.flags.c_contiguous else len(X)
    for first in range(0, len(X), max(1, n_rows)):
        part = slice(first, first + n_rows)
        for start in range(0, X.shape[1], step):
            some = slice(start, min(start + step, X.shape[1]))
            by_row = shift[:, some] if len(shift) == 1 else shift[fold[part], some]
            scaled = out[part, some]
            np.subtract(X[part, some], by_row, out=scaled)
            scaled *= root[part]
    return out

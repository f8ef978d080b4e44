"""Missing cells: what the parameter `missing` may say, and what is learned of gaps in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ensfs._core import gaps
from ensfs._utils.warn import warn_user
from ensfs.data.variables import Variables

if TYPE_CHECKING:
    from ensfs.data.table import Table

_CELLS = 1 << 21  # cells of a temporary copy
_HEAD = 64  # rows that are looked at first

#: Values of the parameter `missing`.
MISSING = ("auto", "level", "corrected", "mean", "available", "distribute", "error")


class Statistic(NamedTuple):
    """A kind of statistic: its name in messages, and what it can do with missing cells.

    The first of `ways` is what "auto" means.
    """

    name: str
    ways: tuple[str, ...]


COUNTS = Statistic("measures that count", ("level", "available"))
UNCERTAINTY = Statistic("symmetrical uncertainty", ("level", "available", "distribute"))
NUMBERS = Statistic("F and correlations", ("corrected", "mean", "available"))
TESTS_OF_COUNTS = Statistic("tests that count", ("available", "level"))
TESTS_OF_NUMBERS = Statistic("Fisher's z", ("available", "corrected", "mean"))
MEANS = Statistic("this method", ("mean",))
COEFFICIENTS = Statistic("correlations with classes", ("mean", "corrected", "available"))
BRANCHES = Statistic("trees, which have a branch for missing cells", ())


def resolve_missing(missing: str, statistic: Statistic) -> str:
    """What is done with missing cells; an error if the statistic cannot do what was asked for."""
    if missing == "error" or missing in statistic.ways:
        return missing
    if missing == "auto":
        return statistic.ways[0] if statistic.ways else "auto"
    ways = [repr(each) for each in ("auto", *statistic.ways, "error")]
    raise ValueError(
        f"missing={missing!r} has no meaning for {statistic.name}. Use "
        f"{', '.join(ways[:-1])} or {ways[-1]}."
    )


def holds_one_value(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Which of some columns are constant, but for missing values."""
    constant = np.ones(columns.size, dtype=bool)
    for n_rows in (_HEAD, len(values)):  # nearly every column differs within the first rows
        left, step = np.nonzero(constant)[0], max(1, _CELLS // n_rows)
        for start in range(0, left.size, step):
            some = left[start : start + step]
            part = values[:n_rows, columns[some]]
            constant[some] = ~(np.fmin.reduce(part) < np.fmax.reduce(part))
    return constant


def count_not_finite(values: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many values of some columns are missing, and how many are infinite."""
    n_missing, n_infinite = np.zeros((2, columns.size), dtype=np.int64)
    step = max(1, _CELLS // len(values))
    for start in range(0, columns.size, step):
        some: Any = columns[start : start + step]
        if columns.size == values.shape[1]:  # all of them, without a copy
            some = slice(start, start + step)
        part = values[:, some]
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(part.sum()):
                continue
        n_missing[start : start + step] = np.isnan(part).sum(axis=0)
        n_infinite[start : start + step] = np.isinf(part).sum(axis=0)
    return n_missing, n_infinite


def filled(
    table: Table, weight: np.ndarray | None = None, means: np.ndarray | None = None
) -> np.ndarray:
    """The columns as `Table.centred`, with the mean of its column for every missing number.

    Parameters
    ----------
    table : Table
        The columns.
    weight : ndarray of shape (n_rows,), optional
        How often each row is there.
    means : ndarray of shape (n_features,), optional
        Those of a larger table, whose rows these are; by default those of this table.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The array itself if nothing is missing, else one of float64; with `means` always.
    """
    values = table.centred()
    if means is None:
        sums = MeanSums(values.shape[1])
        sums.add(values, weight)
        means = sums.means()
        if np.isfinite(means).all():  # so no value is infinite, and all were looked at
            table.found_missing(table.n_rows - sums.n_seen.astype(np.int64))
        if not table.n_missing.any():
            return values
    elif not table.n_missing.any():
        return values.astype(np.float64, copy=False)
    out = np.empty_like(values, dtype=np.float64)
    gaps.fill(values, means, out)
    return out


def observed_means(values: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Mean of what is observed of each column, 0 where nothing is; of equal values exactly these.

    Parameters
    ----------
    values : ndarray of shape (n, m)
        Numbers, NaN where they are missing.
    weight : ndarray of shape (n,), optional
        How often each row is there.
    """
    sums = MeanSums(values.shape[1])
    sums.add(values, weight)
    return sums.means()


class MeanSums:
    """Sums for the means of columns with gaps, row after row, so that blocks do not matter."""

    def __init__(self, n_columns: int):
        self.origin = np.full(n_columns, np.nan)
        self.total = np.zeros(n_columns)
        self.weight, self.n_seen = np.zeros((2, n_columns))

    def add(self, values: np.ndarray, weight: np.ndarray | None = None) -> None:
        """Add the rows of a block."""
        gaps.add_means(values, weight, self.origin, self.total, self.weight, self.n_seen)

    def means(self) -> np.ndarray:
        """The means."""
        origin = np.where(np.isnan(self.origin), 0.0, self.origin)
        with np.errstate(invalid="ignore"):  # of infinities
            return origin + self.total / np.where(self.weight > 0, self.weight, 1.0)


def warn_all_missing(n_missing: np.ndarray, n_rows: int, variables: Variables) -> None:
    """Warn of all columns that are missing in all rows, if there are any; by kept column."""
    empty = np.nonzero(n_missing == n_rows)[0]
    if empty.size:
        names = ", ".join(variables.label_of_kept(int(j)) for j in empty)
        warn_user(
            f"Missing in all rows: {names}. Such a column counts as constant; drop it, or check "
            "how the table was made."
        )


def raise_vanishing(label: str) -> NoReturn:
    """Raise the error for a column whose sum of squares vanished although it varies."""
    raise ValueError(
        f"The values of {label} differ by so little (or only where weights are so small) that "
        "their squares vanish in float64. Scale the columns first."
    )


def raise_not_finite(table: Table, n_missing: np.ndarray, n_infinite: np.ndarray) -> NoReturn:
    """Raise the error for missing or infinite values; it names the first column."""
    bad = np.nonzero((n_missing > 0) | (n_infinite > 0))[0]
    j = int(bad[0])
    if n_missing[j]:
        what, count = "NaN", f"{n_missing[j]} missing value(s)"
        advice = "Fill them in (for example with sklearn.impute.SimpleImputer), or drop"
    else:
        what, count = "infinity (inf)", f"{n_infinite[j]} infinite value(s)"
        advice = "Replace them by finite numbers, or drop"
    others = f"; so have {bad.size - 1} more column(s)" if bad.size > 1 else ""
    raise ValueError(
        f"Input {table.title} contains {what}: {table.label(j)} has {count}{others}. {advice} "
        "these rows or the column."
    )

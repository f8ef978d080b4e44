"""The measures that are computed from counts, each written once.

A measure of a column ``f``, a selected column ``g`` and the target ``y`` is a linear combination of
the entropies of these columns and of their combinations, perhaps divided by another one. Counts
give the sum of ``k * log2(k)`` over the cells of a combination as an exact whole number (see
`ensfs.statistics.coded.log_table`), and n times an entropy is the sum of all rows minus the sum of
its cells. So a measure is a row of whole coefficients over eight sums. The kernels, the blocks of
rows and the tests of independence read the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ensfs._core import discrete
from ensfs._utils.lazy import lazy_property

#: The sums that a row has coefficients for, by the columns whose cells are counted: all rows, then
#: what a pair needs, then what the target adds. The order is that of ``measures.h``.
SUMS = ("", "f", "g", "fg", "y", "fy", "gy", "fgy")


@dataclass(frozen=True)
class Row:
    """Coefficients over the sums."""

    coefficients: tuple[int, ...]

    def __add__(self, other: Row) -> Row:
        pairs = zip(self.coefficients, other.coefficients, strict=True)
        return Row(tuple(a + b for a, b in pairs))

    def __sub__(self, other: Row) -> Row:
        pairs = zip(self.coefficients, other.coefficients, strict=True)
        return Row(tuple(a - b for a, b in pairs))

    @lazy_property
    def array(self) -> np.ndarray:
        """The coefficients for the kernels."""
        return np.array(self.coefficients, dtype=np.int64)

    def of(self, sums: Mapping[str, Any]) -> Any:
        """The row applied to the sums; those with a coefficient of 0 may be missing."""
        pairs = zip(SUMS, self.coefficients, strict=True)
        return sum(c * sums[name] for name, c in pairs if c)


def entropy(columns: str) -> Row:
    """``n`` times the joint entropy of some of the columns f, g and y."""
    name = "".join(column for column in "fgy" if column in columns)
    return Row(tuple((each == "") - (each == name) for each in SUMS))


def information(a: str, b: str, given: str = "") -> Row:
    """``n`` times the mutual information of two sets of columns, perhaps given a third."""
    return entropy(a + given) + entropy(b + given) - entropy(a + b + given) - entropy(given)


@dataclass(frozen=True)
class Measure:
    """A measure: weighted rows, perhaps divided by another row.

    Attributes
    ----------
    rows : tuple of Row
        One or two rows. What rounding left of each is set to 0 before they are weighted and added.
    weights : tuple of float, default=(1.0,)
        A weight for each row.
    divisor : Row, optional
        What the first row is divided by, at least as large as the weighted row. Without it a
        measure is in bits.
    signed : bool, default=False
        Whether a row may be negative. Otherwise negative values are taken as 0.
    own_relevance : bool, default=False
        Whether the relevance of a column is this measure too. Otherwise it is mutual information.
    """

    rows: tuple[Row, ...]
    weights: tuple[float, ...] = (1.0,)
    divisor: Row | None = None
    signed: bool = False
    own_relevance: bool = False

    def uses(self, name: str) -> bool:
        """Whether a sum has a coefficient."""
        rows = self.rows if self.divisor is None else (*self.rows, self.divisor)
        return any(row.coefficients[SUMS.index(name)] for row in rows)

    @property
    def uses_target(self) -> bool:
        """Whether the target is counted together with the two columns."""
        return any(self.uses(name) for name in SUMS if "y" in name)

    @property
    def of_relevance(self) -> Measure:
        """What the relevance of a column is measured by, with the target in the place of ``g``."""
        return self if self.own_relevance else MEASURES["mutual_information"]

    @property
    def nonnegative(self) -> bool:
        """Whether no value is below 0."""
        return not self.signed and min(self.weights) >= 0

    @lazy_property
    def compiled(self) -> discrete.MeasureRows:
        """The measure for the kernels."""
        divisor = self.divisor or Row((0,) * len(SUMS))
        rows = np.array([row.array for row in (*self.rows, divisor)])
        return discrete.MeasureRows(rows, np.array(self.weights, dtype=np.float64), self.signed)

    def units(self, bits: Any) -> list[Any]:
        """What one unit of each row is worth, if it is worth so many bits before it is weighted."""
        unit = bits if self.divisor is None else np.ones_like(bits)
        return [weight * unit for weight in self.weights]

    def of(self, sums: Mapping[str, Any], rounded: np.ndarray, bits: float) -> np.ndarray:
        """The measure of several columns from their sums, equal to that of the kernels.

        Parameters
        ----------
        sums : mapping of str to int or ndarray
            The sums that the rows use.
        rounded : ndarray of int
            What rounding may leave of each row; see `rounding`.
        bits : float
            Value of one unit of the sums in bits, for each row of the table.

        Returns
        -------
        ndarray of float64
        """
        value: Any = 0.0
        for row, unit in zip(self.rows, self.units(bits), strict=True):
            exact = row.of(sums)
            vanishes = exact <= rounded
            if self.signed:
                vanishes &= exact >= -rounded
            value = value + np.where(vanishes, 0, exact) * unit
        if self.divisor is None:
            return value
        divisor = np.where(value != 0.0, self.divisor.of(sums), 1)
        return np.minimum(value / divisor, 1.0)


def rounding(n: int, cells: Any, others: Any) -> Any:
    """Units that rounding may leave of a row that should be 0, as in the kernels.

    Each ``k * log2(k)`` is rounded to a whole number of units, so a row may be off by a unit for
    each cell that is counted.

    Parameters
    ----------
    n : int
        Rows.
    cells : int or ndarray
        Cells of the largest table that is counted.
    others : int or ndarray
        Cells of the other tables.
    """
    return np.minimum(cells, n) + np.minimum(others, 3 * n)


MEASURES = {
    "mutual_information": Measure((information("f", "g"),)),
    "symmetrical_uncertainty": Measure(
        (information("f", "g"),), (2.0,), entropy("f") + entropy("g"), own_relevance=True
    ),
    "conditional": Measure((information("f", "y", given="g"),)),
    "joint": Measure((information("fg", "y"),)),
    "relative": Measure((information("fg", "y"),), divisor=entropy("fgy")),
    # what both f and g tell of the target: negative if they tell more together than one by one
    "shared": Measure((information("f", "g") - information("f", "g", given="y"),), signed=True),
}


def get_measure(measure: str | Measure) -> Measure:
    """A measure, by its name or as it is."""
    return MEASURES[measure] if isinstance(measure, str) else measure

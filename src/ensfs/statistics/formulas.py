"""The measures that are computed from counts, each written once.

A measure of a column ``f``, a selected column ``g`` and the target ``y`` is a linear combination of
the entropies of these columns and of their combinations, perhaps divided by another one. Counts
give the sum of ``k * log2(k)`` over the cells of a combination as an exact whole number (see
`ensfs.statistics.weights`), and n times an entropy is the sum of all rows minus the sum of its
cells. So a measure is a row of whole coefficients over eight sums. The kernels, the blocks of rows
and the tests of independence read the same rows.

Of independent columns a row of information is not 0 but about half a nat (``0.5 / ln 2`` bits) for
each of its degrees of freedom: the correction of Miller and Madow. These are the same row applied
to numbers of cells in place of sums, where the cells of a combination are the product of the levels
that occur. So a measure without what chance gives needs no further formula. Prediction of new rows
loses the same once more: Akaike's correction is twice that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ensfs._core import discrete
from ensfs._utils.lazy import lazy_property
from ensfs.data.missing import COUNTS, UNCERTAINTY, Statistic

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


#: What becomes of what chance gives, for the kernels.
CHANCE = {
    "kept": discrete.chance_kept,
    "subtracted": discrete.chance_subtracted,
    "least": discrete.chance_least,
}


#: Corrections by the names that users give them: how many times what chance gives is subtracted.
CORRECTIONS = {"miller_madow": 1.0, "akaike": 2.0}


class Unit(NamedTuple):
    """The unit of the sums in a table or a part.

    Attributes
    ----------
    bits : float
        Its value in bits, for each row of the table.
    chance : float
        What chance gives for each degree of freedom, in units.
    """

    bits: float
    chance: float


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
    chance : {"kept", "subtracted", "least"}, default="kept"
        What becomes of what chance gives a row: it is kept, it is subtracted, or it is the least
        that the row can be. The divisor is as counted.
    chance_times : float, default=1.0
        This many times what chance gives is meant.
    """

    rows: tuple[Row, ...]
    weights: tuple[float, ...] = (1.0,)
    divisor: Row | None = None
    signed: bool = False
    own_relevance: bool = False
    chance: str = "kept"
    chance_times: float = 1.0

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
        """What the relevance of a column is measured by, with the target in the place of ``g``.

        It is without what chance gives if the measure is, and then may be negative; but not where
        chance is the least of a measure, which is to divide the relevance.
        """
        if self.own_relevance:
            return self
        if self.chance == "kept":
            return MEASURES["mutual_information"]
        return replace(
            MEASURES["mutual_information"], signed=self.chance == "subtracted",
            chance="subtracted", chance_times=self.chance_times,
        )  # fmt: skip

    @property
    def nonnegative(self) -> bool:
        """Whether no value is below 0."""
        return not self.signed and min(self.weights) >= 0

    @lazy_property
    def compiled(self) -> discrete.MeasureRows:
        """The measure for the kernels."""
        divisor = self.divisor or Row((0,) * len(SUMS))
        rows = np.array([row.array for row in (*self.rows, divisor)])
        weights = np.array(self.weights, dtype=np.float64)
        return discrete.MeasureRows(
            rows, weights, self.signed, CHANCE[self.chance], self.chance_times
        )

    def units(self, bits: Any) -> list[Any]:
        """What one unit of each row is worth, if it is worth so many bits before it is weighted."""
        unit = bits if self.divisor is None else np.ones_like(bits)
        return [weight * unit for weight in self.weights]

    def of(
        self, sums: Mapping[str, Any], levels: Mapping[str, Any], rounded: np.ndarray, unit: Unit
    ) -> np.ndarray:
        """The measure of several columns from their sums, equal to that of the kernels.

        Parameters
        ----------
        sums : mapping of str to int or ndarray
            The sums that the rows use.
        levels : mapping of str to int or ndarray
            How many levels of f, of g and of y occur.
        rounded : ndarray of int
            What rounding may leave of each row; see `rounding`.
        unit : Unit
            The unit of the sums.

        Returns
        -------
        ndarray of float64
        """
        value: Any = 0.0
        for row, worth in zip(self.rows, self.units(unit.bits), strict=True):
            counted = self._with_chance(row.of(sums), row, levels, unit.chance)
            vanishes = counted <= rounded
            if self.signed:
                vanishes &= counted >= -rounded
            value = value + np.where(vanishes, 0.0, counted) * worth
        if self.divisor is None:
            return value
        divisor = np.where(value != 0.0, self.divisor.of(sums), 1)
        return np.minimum(value / divisor, 1.0)

    def _with_chance(self, exact: Any, row: Row, levels: Mapping[str, Any], chance: float) -> Any:
        """The value of a row with chance as the measure has it, as a float."""
        value = np.asarray(exact, dtype=np.float64)
        if self.chance == "kept":
            return value
        df = np.asarray(degrees_of_freedom(row, levels), dtype=np.float64)
        by_chance = df * (chance * self.chance_times)
        return value - by_chance if self.chance == "subtracted" else np.maximum(value, by_chance)


def degrees_of_freedom(row: Row, levels: Mapping[str, Any]) -> Any:
    """Degrees of freedom of a row of information, by the levels of f, g and y that occur.

    Examples
    --------
    >>> degrees_of_freedom(information("f", "y", given="g"), {"f": 3, "g": 4, "y": 2})
    8
    """
    numbers = {name: math.prod(levels[column] for column in name) for name in SUMS if name}
    return row.of({"": 1, **numbers})


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


def statistic_of(measure: str | Measure) -> Statistic:
    """What a measure can do with missing cells."""
    return UNCERTAINTY if get_measure(measure).own_relevance else COUNTS

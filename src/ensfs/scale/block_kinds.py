"""What the columns of a table in blocks hold: the rules for tables in memory, for all blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ensfs.data.columns import NumericBlock, RawColumns
from ensfs.data.encode import MAX_DISCRETE_VALUES
from ensfs.data.table import Table
from ensfs.data.variables import Variables

#: Kinds of columns; blocks of numbers of different kinds make a column of the last of these.
_NOMINAL, _BOOLEAN, _INTEGER, _FLOAT = range(4)
#: The kind of a column that is missing in all rows of a block.
_UNKNOWN = -1
#: Bits that tell integers apart of which no type of integers holds all values.
_SIGNED, _UINT64 = 1, 2
_KIND_OF_DTYPE = {"b": _BOOLEAN, "i": _INTEGER, "u": _INTEGER, "f": _FLOAT}


@dataclass(frozen=True)
class FoundKinds:
    """What the columns of one block hold.

    Attributes
    ----------
    kinds, ranges : ndarray of int, shape (n_columns,)
        The kind of each column, and for integers the bits of their range.
    values : dict of int to list
        Distinct values of the columns that have few, by the rule for "auto".
    automatic : bool
        Whether the values decide which columns are discrete.
    first_integers, centres : dict of int to int
        The first row of columns of 64-bit integers; a value of those that float64 does not hold.
    """

    kinds: np.ndarray
    ranges: np.ndarray
    values: dict[int, list]
    automatic: bool
    first_integers: dict[int, int]
    centres: dict[int, int]

    @classmethod
    def of(cls, table: Table, columns: RawColumns) -> FoundKinds:
        """The kinds of a block, given as a table and as it was read."""
        kinds, ranges = _kinds_of(columns)
        if table.allow_missing:
            kinds[table.n_missing == table.n_rows] = _UNKNOWN
        values: dict[int, list] = {}
        if table.kinds_are_automatic:
            values = table.few_values(np.nonzero(kinds > _NOMINAL)[0].tolist())
        return cls(
            kinds, ranges, values, table.kinds_are_automatic, table.first_integers(),
            table.integer_centres,
        )  # fmt: skip


class BlockKinds:
    """Which columns hold discrete values, found from one block after the other.

    Parameters
    ----------
    integral_is_discrete : bool, default=False
        As in `ensfs.data.table.make_table`.
    unit : str, default="block"
        What a block is called in messages.
    """

    def __init__(self, integral_is_discrete: bool = False, unit: str = "block"):
        self._integral_is_discrete = integral_is_discrete
        self._unit = unit
        self._kinds: np.ndarray | None = None
        self._ranges = np.zeros(0, dtype=np.int8)
        self._values: dict[int, set] = {}  # distinct values of the columns that have few so far
        self._first_integers: dict[int, int] = {}
        self._centres: dict[int, int] = {}

    def like(self, other: BlockKinds) -> bool:
        """Whether another one goes by the same rule."""
        return self._integral_is_discrete == other._integral_is_discrete

    def add(self, b: int, found: FoundKinds, variables: Variables) -> None:
        """Look at block ``b``, the next one."""
        kinds = found.kinds
        if self._kinds is None:
            self._kinds, self._ranges = kinds.copy(), found.ranges.copy()
            self._values = {int(j): set() for j in np.nonzero(kinds != _NOMINAL)[0]}
            self._first_integers = found.first_integers
        known = (kinds != _UNKNOWN) & (self._kinds != _UNKNOWN)
        differs = np.nonzero(known & ((kinds == _NOMINAL) != (self._kinds == _NOMINAL)))[0]
        if differs.size:
            raise ValueError(
                f"{variables.label_of_kept(int(differs[0]))} holds text or categories in some "
                f"{self._unit}s and numbers in others; {self._unit} {b} is the first that differs."
            )
        self._ranges |= found.ranges
        self._kinds = np.maximum(self._kinds, kinds)
        self._kinds[self._ranges == _SIGNED | _UINT64] = _FLOAT
        for j, centre in found.centres.items():  # in memory it would be that of row 0
            self._centres.setdefault(j, self._first_integers.get(j, centre))
        if found.automatic:
            self._add_values(found)

    def _add_values(self, found: FoundKinds) -> None:
        """Look at the values of the columns where they can still matter."""
        assert self._kinds is not None
        if not self._integral_is_discrete:
            for j in [j for j in self._values if self._kinds[j] == _FLOAT]:
                del self._values[j]
        for j in [j for j in self._values if found.kinds[j] != _UNKNOWN]:
            self._values[j].update(found.values.get(j, ()))
            if j not in found.values or len(self._values[j]) > MAX_DISCRETE_VALUES:
                del self._values[j]

    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values by the rule for "auto"."""
        assert self._kinds is not None
        discrete = (self._kinds == _NOMINAL) | (self._kinds == _BOOLEAN)
        discrete[list(self._values)] = True
        if not self._integral_is_discrete:  # numbers, as in memory
            discrete[self._kinds == _UNKNOWN] = False
        return discrete

    def nominal(self) -> np.ndarray:
        """Which columns hold text or categories."""
        assert self._kinds is not None
        return self._kinds == _NOMINAL

    def integer_centres(self) -> dict[int, int]:
        """A value of each column of integers that float64 does not hold; see `Table`."""
        assert self._kinds is not None
        return {j: centre for j, centre in self._centres.items() if self._kinds[j] == _INTEGER}


def _kinds_of(columns: RawColumns) -> tuple[np.ndarray, np.ndarray]:
    """The kind of each column, and for integers the bits of their range."""
    kinds = np.full(columns.n_features, _NOMINAL)
    ranges = np.zeros(columns.n_features, dtype=np.int8)
    for block in columns.blocks:
        if isinstance(block, NumericBlock):
            dtype = block.values.dtype
            kinds[block.columns] = _KIND_OF_DTYPE[block.kind]
            ranges[block.columns] = _SIGNED * (dtype.kind == "i") + _UINT64 * (dtype == np.uint64)
    return kinds, ranges

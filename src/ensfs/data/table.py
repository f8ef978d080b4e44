"""The table as columns: names, kinds, numbers and codes, decided once for all selectors.

The decisions:

- Text, categories, booleans and objects are discrete. Integers are discrete if they take at most 5
  distinct values. Floats are continuous; where mutual information was asked for by name
  (``integral_is_discrete``), whole numbers with at most 5 distinct values are discrete too.
- Infinities are errors that name the column, and so are missing values unless they are allowed.
  Floats are checked where they are read anyway (`Table.check_finite` raises the error); other types
  are checked on entry. Kinds are decided by the values that are there.
- Nothing is copied unless its type asks for it, and nothing is computed before it is needed.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ensfs._utils.lazy import lazy_property
from ensfs.data.bins import bin_table
from ensfs.data.codes import Discretize, TableCodes, code_table
from ensfs.data.columns import NominalBlock, NumericBlock, RawColumns, read_columns
from ensfs.data.encode import (
    MAX_DISCRETE_VALUES,
    BlockCodes,
    encode_integers,
    encode_integral_floats,
    encode_with_gaps,
    few_integral_values,
)
from ensfs.data.groups import join_groups
from ensfs.data.identifiers import is_identifier, warn_identifiers
from ensfs.data.missing import (
    count_not_finite,
    holds_one_value,
    raise_not_finite,
    raise_vanishing,
)
from ensfs.data.parameters import resolve_columns
from ensfs.data.values import beyond_floats, differences, raise_missing

#: How the advice begins about text where numbers are needed.
_ENCODE = "Use mutual information, encode it"


class Table:
    """The columns of a table; use `make_table` to build one.

    Attributes
    ----------
    n_rows, n_features : int
        Shape of the table, without the columns that are excluded.
    names : ndarray of object or None
        Column names, if the table came with names that are text.
    variables : Variables
        The columns as they were given, and what a search chooses among.
    discrete : ndarray of bool, shape (n_features,)
        Which columns hold discrete values; decided on first use.
    allow_missing : bool
        Whether cells may be missing: NaN among numbers, the code after the last level of text.
    """

    def __init__(
        self,
        columns: RawColumns,
        discrete_features: Any = "auto",
        integral_is_discrete: bool = False,
        n_threads: int = 1,
        title: str = "X",
        integer_centres: dict[int, int] | None = None,
        allow_missing: bool = False,
    ):
        self.n_rows = columns.n_rows
        self.variables = columns.variables
        self.n_features = columns.n_features
        self.names = columns.names
        self.numeric_blocks = [b for b in columns.blocks if isinstance(b, NumericBlock)]
        self.nominal_blocks = sorted(
            (b for b in columns.blocks if isinstance(b, NominalBlock)), key=lambda b: b.column
        )
        self._integral_is_discrete = integral_is_discrete
        self.n_threads = n_threads
        self.title = title
        self.allow_missing = allow_missing
        self._n_missing, self._n_infinite = np.zeros((2, self.n_features), dtype=np.int64)
        self._looked_at = np.ones(self.n_features, dtype=bool)  # whose missing cells are counted
        for block in self.numeric_blocks:
            self._looked_at[block.columns] = block.values.dtype.kind != "f"
        for nominal in self.nominal_blocks:
            self._n_missing[nominal.column] = nominal.n_missing
            if nominal.n_missing and not allow_missing:
                raise_missing(self.label(nominal.column), nominal.n_missing, title)
        self._coded: dict[int, BlockCodes] = {}
        self._given_centres = integer_centres
        self._mask = self._resolve_mask(discrete_features)

    def _resolve_mask(self, discrete_features: Any) -> np.ndarray | None:
        """Which columns are named as discrete; None for "auto"."""
        variables = self.variables
        mask = resolve_columns(
            discrete_features, variables.n_columns, variables.names, "discrete_features"
        )
        return None if mask is None else variables.of_kept(mask)

    def label(self, j: int) -> str:
        """Name of column ``j`` in messages: ``column 3`` or ``column 'age'``."""
        return self.variables.label_of_kept(j)

    # ------------------------------------------------------------------ kinds

    @property
    def kinds_are_automatic(self) -> bool:
        """Whether the values decide which columns of numbers are discrete."""
        return self._mask is None

    @lazy_property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values; text and categories always do."""
        discrete = np.zeros(self.n_features, dtype=bool)
        if self._mask is not None:
            discrete |= self._mask
        else:
            for b, block in enumerate(self.numeric_blocks):
                discrete[block.columns] = self._few_values(b, block)
        discrete[[block.column for block in self.nominal_blocks]] = True
        return discrete

    @lazy_property
    def nominal(self) -> np.ndarray:
        """Which columns hold levels without an order: text, categories, and those that were named.

        Unlike `discrete`, whole numbers count only if `discrete_features` names them.
        """
        nominal = np.zeros(self.n_features, dtype=bool)
        if self._mask is not None:
            nominal |= self._mask
        nominal[[block.column for block in self.nominal_blocks]] = True
        return nominal

    @lazy_property
    def identifiers(self) -> np.ndarray:
        """Which columns of text or categories have another value in each row, and were not named.

        They tell the rows apart and nothing else, so they count as constant.
        """
        identifiers = np.zeros(self.n_features, dtype=bool)
        for block in self.nominal_blocks:
            named = self._mask is not None and self._mask[block.column]
            n_levels = block.levels.size + (block.n_missing > 0)
            identifiers[block.column] = not named and is_identifier(n_levels, self.n_rows)
        return identifiers

    def has_same_kinds(
        self, discrete_features: Any = "auto", integral_is_discrete: bool = False
    ) -> bool:
        """Whether these options of `make_table` would make the same columns discrete."""
        mask = self._resolve_mask(discrete_features)
        if mask is None and self._mask is None:
            if integral_is_discrete == self._integral_is_discrete:
                return True
        other = copy(self)
        other.__dict__.pop("discrete", None)
        other._mask, other._integral_is_discrete = mask, integral_is_discrete
        return np.array_equal(self.discrete, other.discrete)

    def _few_values(self, b: int, block: NumericBlock) -> np.ndarray:
        """Which columns of a numeric block are discrete by the rule for "auto"."""
        if block.kind == "b":
            return np.ones(block.columns.size, dtype=bool)
        if block.kind == "f" and not self._integral_is_discrete:
            return np.zeros(block.columns.size, dtype=bool)
        coded = self.block_codes(b)
        n_values = coded.n_levels - coded.incomplete
        few = (n_values > 0) & (n_values <= MAX_DISCRETE_VALUES)
        left = np.nonzero(coded.n_levels == 0)[0]
        if left.size:
            few[left] = few_integral_values(block.values, left, self.allow_missing)
        return few

    def few_values(self, columns: list[int]) -> dict[int, list]:
        """Distinct values of those of some columns of numbers that "auto" takes as discrete."""
        found: dict[int, list] = {}
        for b, block in enumerate(self.numeric_blocks):
            inside = np.isin(block.columns, columns)
            if not inside.any():
                continue
            few = self._few_values(b, block) & inside
            for i in np.nonzero(few)[0]:
                coded = self.block_codes(b)
                levels = (
                    coded.levels(int(i)) if coded.n_levels[i] else np.unique(block.values[:, i])
                )
                found[int(block.columns[i])] = levels[levels == levels].tolist()  # without NaN
        return found

    def block_codes(self, b: int) -> BlockCodes:
        """Codes of the columns of a numeric block that the encoder can code, kept once found."""
        if b not in self._coded:
            values = self.numeric_blocks[b].values
            of_floats = encode_with_gaps if self.allow_missing else encode_integral_floats
            encode = of_floats if values.dtype.kind == "f" else encode_integers
            coded = self._coded[b] = encode(values, self.n_threads)
            done = self.numeric_blocks[b].columns[coded.n_levels > 0]
            self._looked_at[done], self._n_missing[done] = True, coded.n_missing[coded.n_levels > 0]
        return self._coded[b]

    def forget_block_codes(self, b: int) -> None:
        """Drop the codes of a numeric block, which the caller keeps."""
        del self._coded[b]

    # ------------------------------------------------------------------ numbers

    def continuous(self, instead: str = _ENCODE) -> np.ndarray:
        """All columns as numbers, for measures of continuous columns.

        Parameters
        ----------
        instead : str, optional
            Beginning of the advice in the error for columns of text.

        Returns
        -------
        ndarray of shape (n_rows, n_features), float32 or float64
            The array that was given, if it holds float32 or float64; else a converted one.
            Values may be missing or infinite: see `check_finite`.
        """
        self._refuse_text(np.arange(self.n_features), instead)
        return self._floats

    def _refuse_text(self, columns: np.ndarray, instead: str) -> None:
        nominal = [block.column for block in self.nominal_blocks]
        if nominal and (text := columns[np.isin(columns, nominal)]).size:
            raise ValueError(
                f"{self.label(int(text.min()))} holds text or categories and cannot be used where "
                f"columns are numbers. {instead} as numbers (for example with "
                "sklearn.preprocessing.OneHotEncoder), or drop it."
            )

    @lazy_property
    def _floats(self) -> np.ndarray:
        if len(self.numeric_blocks) == 1:
            values = self.numeric_blocks[0].values
            return values if values.dtype.kind == "f" else values.astype(np.float64)
        out = np.empty((self.n_rows, self.n_features), order="F")
        for block in self.numeric_blocks:
            out[:, block.columns] = block.values
        return out

    def float_columns(self, columns: np.ndarray, instead: str = _ENCODE) -> np.ndarray:
        """Some columns as numbers; see `continuous`."""
        if np.array_equal(columns, np.arange(self.n_features)):
            return self.continuous(instead)
        self._refuse_text(columns, instead)
        out = np.empty((self.n_rows, columns.size), order="F")
        for block in self.numeric_blocks:
            inside = np.isin(columns, block.columns)
            if inside.any():
                at = np.searchsorted(block.columns, columns[inside])
                out[:, inside] = block.values[:, at]
        return out

    @lazy_property
    def integer_centres(self) -> dict[int, int]:
        """A value of each column of integers that float64 does not hold exactly, by position.

        That of the first row, unless others were given, as for a block of a larger table.
        """
        if self._given_centres is not None:
            return self._given_centres
        return {
            int(block.columns[i]): int(block.values[0, i])
            for block in self.numeric_blocks
            for i in np.nonzero(beyond_floats(block.values))[0]
        }

    def first_integers(self) -> dict[int, int]:
        """The first row of the columns of 64-bit integers, by position."""
        return {
            int(j): int(block.values[0, i])
            for block in self.numeric_blocks
            if block.values.dtype.kind in "iu" and block.values.dtype.itemsize == 8
            for i, j in enumerate(block.columns)
        }

    def centred(self) -> np.ndarray:
        """As `continuous`, but large integers are differences from `integer_centres`.

        For measures that stay the same if a column is moved. No digit is lost unless the integers
        of one column differ by more than 2**53.
        """
        values = self.continuous()
        return self.centre(values, np.arange(self.n_features)) if self.integer_centres else values

    def centre(self, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Columns as `float_columns` returns them, large integers replaced by differences."""
        values = values.copy(order="K")
        for block in self.numeric_blocks:
            for i, j in enumerate(block.columns.tolist()):
                if j in self.integer_centres:
                    moved = differences(block.values[:, i], self.integer_centres[j])
                    values[:, columns == j] = moved[:, None]
        return values

    def hold_one_value(self, columns: np.ndarray) -> np.ndarray:
        """Which of some columns, all of them numbers, are constant, but for missing values."""
        constant = np.zeros(self.n_features, dtype=bool)
        for block in self.numeric_blocks if columns.size else ():
            inside = np.nonzero(np.isin(block.columns, columns))[0]
            constant[block.columns[inside]] = holds_one_value(block.values, inside)
        return constant[columns]

    def check_constant(self, columns: np.ndarray) -> None:
        """Raise an error if a column whose sum of squares vanished is not constant."""
        if (varying := columns[~self.hold_one_value(columns)]).size:
            raise_vanishing(self.label(int(varying[0])))

    def check_finite(self, columns: Any = None, *, allow_nan: bool = False) -> None:
        """Raise an error that names the first column with missing or infinite values, if any.

        Parameters
        ----------
        columns : array-like of int, optional
            Columns to look at; all by default.
        allow_nan : bool, default=False
            Whether missing values are legal.
        """
        wanted = np.full(self.n_features, columns is None)
        if columns is not None:
            wanted[np.asarray(columns)] = True
        self._look_at(wanted)
        n_missing = np.where(wanted & (not allow_nan), self._n_missing, 0)
        n_infinite = np.where(wanted, self._n_infinite, 0)
        if n_missing.any() or n_infinite.any():
            raise_not_finite(self, n_missing, n_infinite)

    def _look_at(self, wanted: np.ndarray) -> None:
        """Count the missing and the infinite values of the wanted columns, each once."""
        wanted = wanted & ~self._looked_at
        for block in self.numeric_blocks:
            inside = np.nonzero(wanted[block.columns])[0]
            if inside.size:
                counts = count_not_finite(block.values, inside)
                self._n_missing[block.columns[inside]] = counts[0]
                self._n_infinite[block.columns[inside]] = counts[1]
        self._looked_at |= wanted

    # ------------------------------------------------------------------ missing cells

    @property
    def n_missing(self) -> np.ndarray:
        """How many cells of each column are missing."""
        self._look_at(np.ones(self.n_features, dtype=bool))
        return self._n_missing

    def found_missing(self, n_missing: np.ndarray | None = None) -> None:
        """Remember how many numbers are missing, None if none is; and that no other is infinite."""
        self._n_missing = self._n_missing if n_missing is None else n_missing
        self._looked_at[:] = True

    # ------------------------------------------------------------------ codes

    def codes(
        self, discretize: Discretize | None = None, *, joins_missing: bool = False
    ) -> TableCodes:
        """All columns as dense codes, the last for missing cells; a group as all its combinations.

        Parameters
        ----------
        discretize : callable, optional
            Called with the continuous columns, an array of shape (n_rows, m) of finite floats, and
            their positions; returns integer codes of the same shape and a list of ``m`` arrays of
            cut points. Without it, continuous columns are an error.
        joins_missing : bool, default=False
            Whether a group is missing if one of its columns is; else that is a combination.

        Returns
        -------
        TableCodes
        """
        warn_identifiers(self.identifiers, self.variables)
        return join_groups(code_table(self, discretize), self.variables, joins_missing)

    def bins(self, n_bins: int = 255) -> np.ndarray:
        """All columns as few codes, for trees; no number is copied as a float.

        Parameters
        ----------
        n_bins : int, default=255
            The largest number of codes of a column, at most 256. Columns of numbers with more
            distinct values are cut into bins with about equally many rows, others keep every value;
            of columns without order the rarest levels share the last code. 255: a missing cell.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_features), Fortran order
            In order of the values.
        """
        warn_identifiers(self.identifiers, self.variables)
        return bin_table(self, n_bins)


def make_table(
    X: Any,
    *,
    discrete_features: Any = "auto",
    integral_is_discrete: bool = False,
    n_threads: int = 1,
    title: str = "X",
    integer_centres: dict[int, int] | None = None,
    allow_missing: bool = False,
    **choice: Any,
) -> Table:
    """Read a table.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        NumPy arrays, lists of lists, pandas, polars and pyarrow tables. A float array is neither
        copied nor read.
    discrete_features : {"auto"}, bool, mask, indices or names, default="auto"
        Which columns hold discrete values. "auto": booleans, text, categories and objects other
        than numbers, and integers with at most 5 distinct values. Columns of text and categories
        are discrete whatever is given here. Those with another value in each row count as constant
        unless they are named here.
    integral_is_discrete : bool, default=False
        Whether "auto" also takes float columns that hold only whole numbers, at most 5 distinct
        ones, as discrete.
    n_threads : int, default=1
        Threads for coding.
    title : str, default="X"
        Name of the table in messages.
    integer_centres : dict of int to int, optional
        For a block of a larger table: a value of each column whose integers float64 does not hold
        exactly, the same for all blocks.
    allow_missing : bool, default=False
        Whether cells may be missing.
    **choice
        Columns that are included or excluded, as `make_variables` takes them.

    Returns
    -------
    Table
    """
    columns = read_columns(X, allow_missing=allow_missing, **choice)
    return Table(
        columns, discrete_features, integral_is_discrete, n_threads, title, integer_centres,
        allow_missing,
    )  # fmt: skip

"""The table as columns: names, kinds, numbers and codes, decided once for all selectors.

The decisions:

- Text, categories, booleans and objects are discrete. Integers are discrete if they take at most 32
  distinct values. Floats are continuous; where mutual information was asked for by name
  (``integral_is_discrete``), whole numbers with at most 32 distinct values are discrete too.
- Missing values and infinities are errors that name the column. Floats are checked by those who
  read them anyway (`Table.check_finite` writes the message); other types are checked on entry.
- Nothing is copied unless its type asks for it, and nothing is computed before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ensfs._utils.lazy import lazy_property
from ensfs._utils.threads import for_blocks
from ensfs.data.columns import NominalBlock, NumericBlock, RawColumns, column_label, read_columns
from ensfs.data.encode import FEW, ColumnCodes, encode_integers, encode_wholes, few_whole_values
from ensfs.data.parameters import resolve_columns

_MAX_LEVELS = 1 << 16
_CELLS = 1 << 21

#: How the advice begins about text where numbers are needed.
_ENCODE = "Use mutual information, encode it"

#: Codes and cut points of continuous columns, given their values and their positions.
Discretize = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, list[np.ndarray]]]


@dataclass
class Codes:
    """All columns of a table as dense codes, in the order of their sorted distinct values.

    Attributes
    ----------
    codes : ndarray of shape (n_rows, n_features), uint8 or uint16, Fortran order
        Column ``j`` holds ``0 .. n_levels[j] - 1``; uint8 unless a column has more than 256 levels.
    n_levels : ndarray of shape (n_features,), int32
        Number of distinct values of each column.
    level_of : callable
        ``level_of(j)`` gives the sorted distinct values of column ``j``; of a discretized column
        the numbers of the bins that occur.
    cut_points : dict of int to ndarray
        Cut points of the columns that were discretized.
    """

    codes: np.ndarray
    n_levels: np.ndarray
    level_of: Callable[[int], np.ndarray]
    cut_points: dict[int, np.ndarray] = field(default_factory=dict)

    @lazy_property
    def levels(self) -> list[np.ndarray]:
        """The sorted distinct values of every column, found on first use."""
        return [self.level_of(j) for j in range(self.n_levels.size)]

    def give(self) -> np.ndarray:
        """The codes, given away: who takes them decides how long they live."""
        codes, self.codes = self.codes, np.empty((0, self.n_levels.size), dtype=self.codes.dtype)
        return codes


class Table:
    """The columns of a table; use `make_table` to build one.

    Attributes
    ----------
    n_rows, n_features : int
        Shape of the table.
    names : ndarray of object or None
        Column names, if the table came with names that are text.
    discrete : ndarray of bool, shape (n_features,)
        Which columns hold discrete values; decided on first use.
    """

    def __init__(
        self,
        columns: RawColumns,
        discrete_features: Any = "auto",
        integral_is_discrete: bool = False,
        n_threads: int = 1,
        title: str = "X",
    ):
        self.n_rows = columns.n_rows
        self.n_features = columns.n_features
        self.names = columns.names
        self._numeric = [b for b in columns.blocks if isinstance(b, NumericBlock)]
        self._nominal = sorted(
            (b for b in columns.blocks if isinstance(b, NominalBlock)), key=lambda b: b.column
        )
        self._integral_is_discrete = integral_is_discrete
        self._n_threads = n_threads
        self._title = title
        self._coded: dict[int, ColumnCodes] = {}
        self._mask = resolve_columns(
            discrete_features, self.n_features, self.names, "discrete_features"
        )

    def label(self, j: int) -> str:
        """How messages call column ``j``: ``column 3`` or ``column 'age'``."""
        return column_label(j, self.names)

    # ------------------------------------------------------------------ kinds

    @lazy_property
    def discrete(self) -> np.ndarray:
        """Which columns hold discrete values; text and categories always do."""
        discrete = np.zeros(self.n_features, dtype=bool)
        if self._mask is not None:
            discrete |= self._mask
        else:
            for b, block in enumerate(self._numeric):
                discrete[block.columns] = self._few_values(b, block.values)
        discrete[[block.column for block in self._nominal]] = True
        return discrete

    def has_same_kinds(
        self, discrete_features: Any = "auto", integral_is_discrete: bool = False
    ) -> bool:
        """Whether these options of `make_table` would make the same columns discrete."""
        mask = resolve_columns(discrete_features, self.n_features, self.names, "discrete_features")
        if mask is None and self._mask is None:
            if integral_is_discrete == self._integral_is_discrete:
                return True
        other = copy(self)
        other.__dict__.pop("discrete", None)
        other._mask, other._integral_is_discrete = mask, integral_is_discrete
        return np.array_equal(self.discrete, other.discrete)

    def _few_values(self, b: int, values: np.ndarray) -> np.ndarray:
        """Which columns of a numeric block are discrete by the rule for "auto"."""
        if values.dtype.kind == "b":
            return np.ones(values.shape[1], dtype=bool)
        if values.dtype.kind == "f" and not self._integral_is_discrete:
            return np.zeros(values.shape[1], dtype=bool)
        n_levels = self._block_codes(b).n_levels
        few = (n_levels > 0) & (n_levels <= FEW)
        left = np.nonzero(n_levels == 0)[0]
        if left.size:
            few[left] = few_whole_values(values, left)
        return few

    def _block_codes(self, b: int) -> ColumnCodes:
        if b not in self._coded:
            values = self._numeric[b].values
            encode = encode_wholes if values.dtype.kind == "f" else encode_integers
            self._coded[b] = encode(values, self._n_threads)
        return self._coded[b]

    # ------------------------------------------------------------------ numbers

    def continuous(self, instead: str = _ENCODE) -> np.ndarray:
        """All columns as numbers, for measures of continuous columns.

        Parameters
        ----------
        instead : str, optional
            How the advice begins that the error for columns of text gives.

        Returns
        -------
        ndarray of shape (n_rows, n_features), float32 or float64
            The array that was given, if it holds float32 or float64; else a converted one.
            Values may be missing or infinite: see `check_finite`.
        """
        self._refuse_text(np.arange(self.n_features), instead)
        return self._floats

    def _refuse_text(self, columns: np.ndarray, instead: str) -> None:
        text = np.intersect1d([block.column for block in self._nominal], columns)
        if text.size:
            raise ValueError(
                f"{self.label(int(text[0]))} holds text or categories and cannot be used where "
                f"columns are numbers. {instead} as numbers (for example with "
                "sklearn.preprocessing.OneHotEncoder), or drop it."
            )

    @lazy_property
    def _floats(self) -> np.ndarray:
        if len(self._numeric) == 1:
            values = self._numeric[0].values
            return values if values.dtype.kind == "f" else values.astype(np.float64)
        out = np.empty((self.n_rows, self.n_features), order="F")
        for block in self._numeric:
            out[:, block.columns] = block.values
        return out

    def check_finite(self, columns: Any = None, *, allow_nan: bool = False) -> None:
        """Raise an error that names the first column with missing or infinite values, if any.

        Parameters
        ----------
        columns : array-like of int, optional
            Columns to look at; all by default.
        allow_nan : bool, default=False
            Whether missing values are no error.
        """
        wanted = np.ones(self.n_features, dtype=bool)
        if columns is not None:
            wanted[:] = False
            wanted[np.asarray(columns)] = True
        n_missing = np.zeros(self.n_features, dtype=np.int64)
        n_infinite = np.zeros(self.n_features, dtype=np.int64)
        for block in self._numeric:
            if block.values.dtype.kind != "f":
                continue
            inside = np.nonzero(wanted[block.columns])[0]
            step = max(1, _CELLS // self.n_rows)
            for start in range(0, inside.size, step):
                part = inside[start : start + step]
                values = block.values[:, part]
                n_missing[block.columns[part]] = np.isnan(values).sum(axis=0)
                n_infinite[block.columns[part]] = np.isinf(values).sum(axis=0)
        if allow_nan:
            n_missing[:] = 0
        bad = np.nonzero((n_missing > 0) | (n_infinite > 0))[0]
        if bad.size == 0:
            return
        j = int(bad[0])
        if n_missing[j]:
            what, count = "NaN", f"{n_missing[j]} missing value(s)"
            advice = "Fill them in (for example with sklearn.impute.SimpleImputer), or drop"
        else:
            what, count = "infinity (inf)", f"{n_infinite[j]} infinite value(s)"
            advice = "Replace them by finite numbers, or drop"
        others = f"; so have {bad.size - 1} more column(s)" if bad.size > 1 else ""
        raise ValueError(
            f"Input {self._title} contains {what}: {self.label(j)} has {count}{others}. {advice} "
            "these rows or the column."
        )

    # ------------------------------------------------------------------ bins

    @lazy_property
    def nominal(self) -> np.ndarray:
        """Which columns hold levels without an order: text, categories, and those that were named.

        Unlike `discrete`, whole numbers count only if `discrete_features` names them.
        """
        nominal = np.zeros(self.n_features, dtype=bool)
        if self._mask is not None:
            nominal |= self._mask
        nominal[[block.column for block in self._nominal]] = True
        return nominal

    def bins(self, n_bins: int = 255) -> np.ndarray:
        """All columns as few codes, for trees; no number is copied as a float.

        Parameters
        ----------
        n_bins : int, default=255
            The most codes of a column, at most 256. Columns of numbers with more distinct values
            are cut into bins with about equally many rows, others keep every value; of columns
            without order the rarest levels share the last code.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_features), Fortran order
            In order of the values.
        """
        self.check_finite()
        out = np.empty((self.n_rows, self.n_features), dtype=np.uint8, order="F")
        for nominal in self._nominal:
            out[:, nominal.column] = _frequent_levels(nominal.codes, n_bins)
        for block in self._numeric:
            self._bin_block(block, n_bins, out)
        return out

    def _bin_block(self, block: NumericBlock, n_bins: int, out: np.ndarray) -> None:
        left = np.arange(block.columns.size)
        if block.values.dtype.kind != "f":
            coded = encode_integers(block.values, self._n_threads)
            done = (coded.n_levels > 0) & (coded.n_levels <= n_bins)
            out[:, block.columns[done]] = coded.codes[:, done]
            left = left[~done]
        nominal = self.nominal

        def work(start: int, stop: int) -> None:
            for i in left[start:stop]:
                j = block.columns[i]
                if nominal[j]:
                    codes = np.unique(block.values[:, i], return_inverse=True)[1]
                    out[:, j] = _frequent_levels(codes, n_bins)
                else:
                    out[:, j] = _quantile_bins(block.values[:, i], n_bins)

        for_blocks(work, left.size, self._n_threads, block=64)

    # ------------------------------------------------------------------ codes

    def codes(self, discretize: Discretize | None = None) -> Codes:
        """All columns as dense codes.

        Parameters
        ----------
        discretize : callable, optional
            Called with the continuous columns, an array of shape (n_rows, m) of finite floats, and
            their positions; returns integer codes of the same shape and a list of ``m`` arrays of
            cut points. Without it, continuous columns are an error.

        Returns
        -------
        Codes
        """
        discrete = self.discrete
        if not discrete.all() and discretize is None:
            j = int(np.nonzero(~discrete)[0][0])
            raise ValueError(
                f"{self.label(j)} is continuous and cannot be coded as it is. Discretize it first, "
                "or name it in discrete_features if its values are categories."
            )
        if len(self._numeric) == 1 and not self._nominal and discrete.all():
            coded = self._block_codes(0)
            if (coded.n_levels > 0).all():
                del self._coded[0]  # the caller has them; they are seldom asked for twice
                return Codes(coded.codes, coded.n_levels, coded.levels)
        pieces: list[tuple[np.ndarray, ColumnCodes]] = []
        for nominal in self._nominal:
            pieces.append(self._one(nominal.column, nominal.codes, nominal.levels))
        for b, block in enumerate(self._numeric):
            pieces += self._discrete_pieces(b, block, discrete[block.columns])
        cut_points: dict[int, np.ndarray] = {}
        if discretize is not None and not discrete.all():
            pieces.append(self._discretized(np.nonzero(~discrete)[0], discretize, cut_points))
        return self._gather(pieces, cut_points)

    def _one(self, j: int, codes: np.ndarray, levels: np.ndarray):
        if levels.size > _MAX_LEVELS:
            raise ValueError(
                f"{self.label(j)} has {levels.size} distinct values; at most {_MAX_LEVELS} can be "
                "coded. Drop it if it is an identifier, or treat it as continuous."
            )
        n_levels = np.array([levels.size], dtype=np.int32)
        return np.array([j]), ColumnCodes(codes[:, None], n_levels, lambda _: levels)

    def _discrete_pieces(self, b: int, block: NumericBlock, discrete: np.ndarray):
        """Pieces of a numeric block: what the encoder coded, and the rest by sorting."""
        if not discrete.any():
            return
        coded = self._block_codes(b)
        done = np.nonzero(discrete & (coded.n_levels > 0))[0]
        if done.size:
            part = ColumnCodes(
                coded.codes if done.size == discrete.size else coded.codes[:, done],
                coded.n_levels[done],
                lambda i: coded.levels(int(done[i])),
            )
            yield block.columns[done], part
        left = np.nonzero(discrete & (coded.n_levels == 0))[0]
        if left.size:
            self.check_finite(block.columns[left])
        for i in left:
            levels, codes = np.unique(block.values[:, i], return_inverse=True)
            yield self._one(int(block.columns[i]), codes, levels)

    def _discretized(
        self, columns: np.ndarray, discretize: Discretize, cut_points: dict[int, np.ndarray]
    ) -> tuple[np.ndarray, ColumnCodes]:
        self.check_finite(columns)
        bins, cuts = discretize(self.float_columns(columns), columns)
        cut_points.update(zip(columns.tolist(), cuts, strict=True))
        coded = encode_integers(np.asarray(bins), self._n_threads)
        if (coded.n_levels == 0).any():
            j = int(columns[np.nonzero(coded.n_levels == 0)[0][0]])
            raise ValueError(f"{self.label(j)} was discretized into more than 256 bins; use fewer.")
        return columns, coded

    def float_columns(self, columns: np.ndarray, instead: str = _ENCODE) -> np.ndarray:
        """Some columns as numbers; see `continuous`."""
        if np.array_equal(columns, np.arange(self.n_features)):
            return self.continuous(instead)
        self._refuse_text(columns, instead)
        out = np.empty((self.n_rows, columns.size), order="F")
        for block in self._numeric:
            inside = np.isin(columns, block.columns)
            if inside.any():
                at = np.searchsorted(block.columns, columns[inside])
                out[:, inside] = block.values[:, at]
        return out

    def hold_one_value(self, columns: np.ndarray) -> np.ndarray:
        """Which of some columns, all of them numbers, are constant."""
        step = max(1, _CELLS // self.n_rows)
        parts = [columns[first : first + step] for first in range(0, columns.size, step)]
        values = (self.float_columns(part) for part in parts)
        found = [(each == each[0]).all(axis=0) for each in values]
        return np.concatenate(found) if found else np.zeros(0, dtype=bool)

    def check_constant(self, columns: np.ndarray) -> None:
        """Raise an error if a column whose sum of squares vanished is not constant."""
        varying = columns[~self.hold_one_value(columns)]
        if varying.size:
            raise ValueError(
                f"The values of {self.label(int(varying[0]))} differ by so little that their "
                "squares vanish in float64. Scale the columns first."
            )

    def _gather(
        self, pieces: list[tuple[np.ndarray, ColumnCodes]], cut_points: dict[int, np.ndarray]
    ) -> Codes:
        n_levels = np.empty(self.n_features, dtype=np.int32)
        owner = np.empty(self.n_features, dtype=np.intp)
        place = np.empty(self.n_features, dtype=np.intp)
        for k, (columns, piece) in enumerate(pieces):
            n_levels[columns] = piece.n_levels
            owner[columns] = k
            place[columns] = np.arange(columns.size)
        dtype = np.uint8 if n_levels.max() <= 256 else np.uint16
        codes = np.empty((self.n_rows, self.n_features), dtype=dtype, order="F")
        for columns, piece in pieces:
            codes[:, columns] = piece.codes
        sources = [piece.levels for _, piece in pieces]
        return Codes(codes, n_levels, lambda j: sources[owner[j]](int(place[j])), cut_points)


def _quantile_bins(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Ranks of the distinct values; if these are too many, bins with about equally many rows."""
    ordered = np.sort(values)
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    if np.count_nonzero(first) > n_bins:
        # a bin begins at the first row of its share, and never inside of equal values
        share = np.arange(ordered.size) * n_bins // ordered.size
        first = np.concatenate([[True], share[1:] != share[:-1]])
    lowest = np.unique(ordered[first])
    return np.searchsorted(lowest, values, side="right") - 1


def _frequent_levels(codes: np.ndarray, n_bins: int) -> np.ndarray:
    """Codes as they are; if they are too many, the rarest share the last one."""
    counts = np.bincount(codes)
    if counts.size <= n_bins:
        return codes
    kept = np.sort(np.argsort(-counts, kind="stable")[: n_bins - 1])
    place = np.full(counts.size, n_bins - 1)
    place[kept] = np.arange(kept.size)
    return place[codes]


def make_table(
    X: Any,
    *,
    discrete_features: Any = "auto",
    integral_is_discrete: bool = False,
    n_threads: int = 1,
    title: str = "X",
) -> Table:
    """Read a table.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_features)
        NumPy arrays, lists of lists, pandas, polars and pyarrow tables. A float array is neither
        copied nor read.
    discrete_features : {"auto"}, bool, mask, indices or names, default="auto"
        Which columns hold discrete values. "auto": booleans, text, categories and objects that are
        no numbers, and integers with at most 32 distinct values. Columns of text and of categories
        are discrete whatever is given here.
    integral_is_discrete : bool, default=False
        Whether "auto" also takes float columns that hold only whole numbers, at most 32 distinct
        ones, as discrete.
    n_threads : int, default=1
        Threads for coding.
    title : str, default="X"
        What messages call the table.

    Returns
    -------
    Table
    """
    return Table(read_columns(X), discrete_features, integral_is_discrete, n_threads, title)

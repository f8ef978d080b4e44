"""Folds that lie far apart: each is summed from a centre of its own.

Sums from one centre of a column lose digits in a part whose folds all lie far from it, such as
batches, sites or patients whose levels differ by much more than they vary. Columns like that are
summed once more, from the first row of each fold (and of each class in it). How sums of folds make
those of a part is in ``_core/fold_centres.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ensfs._core import continuous, fold_centres, weighted
from ensfs.statistics.resampling import Resampling

WIDTH = continuous.panel_width


def padded(n_columns: int) -> int:
    """Columns of whole panels, for the kernels that read 32 at a time."""
    return -(-n_columns // WIDTH) * WIDTH


def or_one(n: np.ndarray) -> np.ndarray:
    """Numbers of rows, 1 in place of 0, to divide by."""
    return np.where(n > 0, n, 1)


@dataclass
class FoldsOfParts:
    """The folds of the parts.

    Attributes
    ----------
    size : ndarray of shape (folds,)
        Rows of each fold, or the sum of their weights.
    member : ndarray of uint8, shape (parts, folds)
        Which folds with rows each part has.
    first : ndarray of shape (parts,)
        The first of them.
    """

    size: np.ndarray
    member: np.ndarray
    first: np.ndarray

    @classmethod
    def of(cls, resampling: Resampling) -> FoldsOfParts:
        """The folds of some parts."""
        size = resampling.fold_weights.astype(np.float64)
        member = resampling.membership & (size > 0)
        return cls(size, member.astype(np.uint8), member.argmax(axis=1).astype(np.int64))


@dataclass
class FoldCentres:
    """Centres of the folds of all columns, as the kernels take them.

    Attributes
    ----------
    apart : ndarray of uint8, shape (columns,)
        Whether the folds of a column lie apart. The folds of others share one centre.
    shift : ndarray of shape (folds, columns)
        The centres.
    rest : ndarray of shape (folds, columns)
        Mean of each fold, measured from its centre.
    away : ndarray of shape (parts, columns)
        Mean of each part, measured from the centre of its first fold.
    folds : FoldsOfParts
        The folds of the parts.
    """

    apart: np.ndarray
    shift: np.ndarray
    rest: np.ndarray
    away: np.ndarray
    folds: FoldsOfParts

    def of(self, columns: np.ndarray) -> FoldCentres:
        """The centres of some columns."""
        return FoldCentres(
            self.apart[columns], self.shift[:, columns], self.rest[:, columns],
            self.away[:, columns], self.folds,
        )  # fmt: skip

    def of_part(self, t: int) -> FoldCentres:
        """The same for one part."""
        part, folds = slice(t, t + 1), self.folds
        only = FoldsOfParts(folds.size, folds.member[part], folds.first[part])
        return FoldCentres(self.apart, self.shift, self.rest, self.away[part], only)

    def column(self, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Centres, means of the folds and means of the parts of one column."""
        shift, rest, away = (each[:, j].copy() for each in (self.shift, self.rest, self.away))
        return shift, rest, away

    def arrays(self) -> tuple[Any, ...]:
        """What kernels on panels take: the columns of a fold side by side."""
        folds = self.folds
        return (
            self.apart, self.shift, self.rest, self.away, folds.size, folds.member, folds.first,
            False,
        )  # fmt: skip

    def arrays_by_column(self) -> tuple[Any, ...]:
        """What kernels on pairs take: the folds of a column side by side, and a vector more."""
        folds = self.folds
        return (
            self.apart, _by_column(self.shift), _by_column(self.rest), self.away, folds.size,
            folds.member, folds.first, True,
        )  # fmt: skip


def _by_column(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(np.pad(values, ((0, 8), (0, 0))).T)


def first_rows(group: np.ndarray, n_groups: int) -> np.ndarray:
    """The first row of each group, -1 for one without rows."""
    first = np.full(n_groups, -1)
    first[group[::-1]] = np.arange(group.size)[::-1]  # the last assignment stays
    return first


@dataclass(frozen=True)
class EmptySums:
    """Makes zero accumulators, one for each group and column.

    Attributes
    ----------
    names : tuple of str
        The sums.
    n_groups : int
        Number of groups.
    """

    names: tuple[str, ...]
    n_groups: int

    def __call__(self, width: int) -> dict[str, Any]:
        """Zeros for `width` columns."""
        return {name: np.zeros((self.n_groups, width)) for name in self.names}


class OwnSums:
    """Sums of a block of columns, those of each group from its own centre: its first row.

    Parameters
    ----------
    group : ndarray of shape (n_rows,)
        Group of each row of the table: its fold, or class ``c`` of fold ``e`` as
        ``e * n_classes + c``.
    n_folds, n_classes : int
        Number of folds, and of classes; 1 if the folds are the groups.
    y : ndarray of shape (n_rows,), optional
        A numeric target, measured from the centre of each fold.
    weight : ndarray of shape (n_rows,), optional
        Weight of each row.
    """

    def __init__(
        self,
        group: np.ndarray,
        n_folds: int,
        n_classes: int,
        y: np.ndarray | None,
        weight: np.ndarray | None = None,
    ):
        self.n_folds, self.n_classes, self.y = n_folds, n_classes, y
        n = np.bincount(group, weight, minlength=n_folds * n_classes)
        self.n = n.reshape(n_folds, n_classes).astype(np.float64)
        self.first_row = first_rows(group, n.size)
        # the group that the first row of a fold is in; any for a fold without rows
        row = np.where(self.first_row < 0, group.size, self.first_row).reshape(self.n.shape)
        self._first_group = np.arange(n_folds) * n_classes + row.argmin(axis=1)

    def empty(self, width: int) -> dict[str, Any]:
        """Zero accumulators for `width` columns, and their centres."""
        return {"centres": np.zeros((self.n.size, width)), **self.empty_sums(width)}

    @property
    def empty_sums(self) -> EmptySums:
        """Makes zero accumulators."""
        return EmptySums(("s", "q") if self.y is None else ("s", "q", "xy"), self.n.size)

    def add(self, X: np.ndarray, runs: Any, start: int, stop: int, sums: dict[str, Any]) -> None:
        """Sum the columns ``start:stop`` of the table into zeros."""
        some = self.first_row >= 0
        sums["centres"][some] = X[self.first_row[some], start:stop]
        add_own_sums(X, runs, self.y, start, stop, sums["centres"], sums)

    def first_centre(self, sums: dict[str, Any], fold: int) -> np.ndarray:
        """The centre of a fold: that of the group of its first row."""
        return sums["centres"][self._first_group[fold]]

    def moments(self, sums: dict[str, Any], folds: FoldsOfParts) -> Moments:
        """Moments of the folds and of the parts."""
        s = sums["s"]
        n_folds, width, n_parts = self.n_folds, s.shape[1], len(folds.member)
        shift, rest = np.zeros((2, n_folds, padded(width)))
        squares, inverse = np.empty((n_folds, width)), np.empty((n_parts, width))
        away = np.zeros((n_parts, padded(width)))
        shift[:, :width] = sums["centres"][self._first_group]
        fold_centres.fold_moments(sums["centres"], s, sums["q"], self.n, shift, rest, squares)
        fold_centres.part_moments(
            shift, rest, squares, folds.size, folds.member, folds.first, away, inverse
        )
        apart = np.ones(padded(width), dtype=np.uint8)
        return Moments(FoldCentres(apart, shift, rest, away, folds), squares, inverse)

    def f_statistics(
        self, sums: dict[str, Any], moments: Moments, n_class: np.ndarray
    ) -> np.ndarray:
        """F statistics of the parts, which have ``n_class`` rows of each class."""
        folds, out = moments.centres.folds, np.empty_like(moments.inverse)
        fold_centres.part_f(
            sums["centres"], sums["s"], sums["q"], self.n, moments.centres.shift, folds.size,
            folds.member, folds.first, n_class, out, np.empty((self.n_classes, WIDTH)),
        )  # fmt: skip
        return out

    def products(self, sums: dict[str, Any], moments: Moments, y: Moments) -> np.ndarray:
        """Sums of products of the deviations of the columns and of y in each part."""
        products = in_panels(sums["xy"])
        out = np.empty((len(products), len(moments.inverse), WIDTH))
        fold_centres.products_with(products, moments.centres.arrays(), *y.centres.column(0), out)
        return out.swapaxes(0, 1).reshape(len(moments.inverse), -1)[:, : moments.inverse.shape[1]]

    def f_of_regression(
        self,
        sums: dict[str, Any],
        moments: Moments,
        y: Moments,
        covariance: np.ndarray,
        n: np.ndarray,
    ) -> np.ndarray:
        """F statistics of the regression of y on each column in each part of ``n`` rows."""
        out = np.empty_like(moments.inverse)
        shift, rest, _ = y.centres.column(0)
        fold_centres.regression_f(
            sums["xy"], moments.squares, moments.centres.arrays(), y.squares[:, 0].copy(), shift,
            rest, np.ascontiguousarray(covariance), moments.inverse, n, out,
        )  # fmt: skip
        return out


def add_own_sums(
    X: np.ndarray,
    runs: Any,
    y: np.ndarray | None,
    start: int,
    stop: int,
    centres: np.ndarray,
    sums: dict[str, Any],
) -> None:
    """Sum the columns ``start:stop`` of rows that begin with a leaf, from centres of the groups.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows.
    runs : Runs
        How to go through the rows.
    y : ndarray of shape (n,), or None
        The numeric target of the rows, from the centres of its folds.
    start, stop : int
        Columns.
    centres : ndarray of shape (n_groups, stop - start)
        The centres.
    sums : dict of str to ndarray
        Zeros, which are changed; see `OwnSums.empty_sums`.
    """
    no_shift = np.zeros(X.shape[1])
    if runs.weight is not None:
        weighted.add_sums(
            X, start, stop, runs.rows, runs.bounds, runs.groups, runs.leaves, runs.weight,
            no_shift, sums["s"], sums["q"], None, None, None, y, sums.get("xy"), centres,
        )  # fmt: skip
        return
    continuous.add_sums(
        X, start, stop, runs.rows, runs.bounds, runs.groups, runs.leaves, no_shift, sums["s"],
        sums["q"], None, -1, None, None, y, sums.get("xy"), centres,
    )  # fmt: skip


@dataclass
class Moments:
    """Moments of some columns.

    Attributes
    ----------
    centres : FoldCentres
        Where the folds and the parts lie.
    squares : ndarray of shape (folds, columns)
        Squared deviations from the mean of the fold.
    inverse : ndarray of shape (parts, columns)
        Inverse root of the squared deviations from the mean of the part, 0 if it is constant.
    """

    centres: FoldCentres
    squares: np.ndarray
    inverse: np.ndarray


def in_panels(values: np.ndarray) -> np.ndarray:
    """An array (parts, p) as the panel kernels lay it out: (panels, parts, 32)."""
    n_parts, p = values.shape
    wide = np.zeros((n_parts, padded(p)))
    wide[:, :p] = values
    return np.ascontiguousarray(wide.reshape(n_parts, -1, WIDTH).swapaxes(0, 1))

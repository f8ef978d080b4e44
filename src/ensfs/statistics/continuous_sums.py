"""Sums of continuous columns, and F or Pearson relevance from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ensfs._core import continuous, weighted
from ensfs.data.target import Target
from ensfs.statistics.fold_centres import (
    EmptySums,
    FoldCentres,
    FoldsOfParts,
    Moments,
    OwnSums,
    in_panels,
    or_one,
    padded,
)
from ensfs.statistics.resampling import Resampling
from ensfs.statistics.row_tree import LEAF, n_leaves

#: Rows whose median is taken as the provisional centre of a column.
CENTRE_ROWS = 7

#: Sums of squares below this have lost digits, or vanished.
SMALLEST_SQUARES = 1e-290

#: Above this r², what a regression leaves of the target is not taken from r.
LITTLE_LEFT = 1 - 1e-5

#: Rows that are sorted by group before they are summed: a column of them stays in the cache. A leaf
#: has several times as many.
SORTED_ROWS = 1024


def sample_rows(group: np.ndarray, n_groups: int) -> list[np.ndarray]:
    """A few rows of each group, spread evenly: where the provisional centres are taken."""
    found = []
    for c in range(n_groups):
        rows = np.nonzero(group == c)[0]
        found.append(rows[np.linspace(0, rows.size - 1, min(CENTRE_ROWS, rows.size)).astype(int)])
    return found


@dataclass(frozen=True)
class Runs:
    """Rows of a block in an order that has those of a group (a fold, or a class in it) together.

    The rows of a group keep their order. The block begins with a leaf of the tree of sums.
    """

    rows: np.ndarray
    bounds: np.ndarray
    groups: np.ndarray
    leaves: np.ndarray
    y: Any
    weight: Any = None

    @classmethod
    def of(cls, group: np.ndarray, y: Any, weight: Any = None) -> Runs:
        """Runs of a block from the group, the numeric target and the weight of each row."""
        n, size = group.size, SORTED_ROWS
        # short integers are sorted by counting
        key = group.astype(np.uint16) if group.max(initial=0) < 2**16 else group
        whole = n - n % size
        rows = np.empty(n, dtype=np.int64)
        first = np.arange(0, whole, size)[:, None]
        sorted_ = np.argsort(key[:whole].reshape(-1, size), axis=1, kind="stable")
        np.add(sorted_, first, out=rows[:whole].reshape(-1, size))
        rows[whole:] = np.argsort(key[whole:], kind="stable") + whole
        begins = np.ones(n, dtype=bool)
        begins[1:] = np.diff(group[rows]) != 0
        begins[::size] = True
        starts = np.nonzero(begins)[0]
        leaves = np.searchsorted(starts, np.arange(n_leaves(n) + 1) * LEAF)
        return cls(rows, np.append(starts, n), group[rows[starts]], leaves, y, weight)


@dataclass(frozen=True)
class SumCentres:
    """Where columns are summed from.

    Attributes
    ----------
    shift : ndarray of shape (columns,)
        A centre of each column.
    class_shift : ndarray of shape (classes, columns), or None
        A centre for each class, if classes are summed too.
    largest : int
        The class whose centres are those of the columns.
    """

    shift: np.ndarray
    class_shift: np.ndarray | None
    largest: int

    def add(self, X: np.ndarray, runs: Runs, start: int, stop: int, sums: dict) -> None:
        """Sum the columns ``start:stop`` of rows that begin with a leaf into zeros."""
        if runs.weight is not None:
            weighted.add_sums(
                X, start, stop, runs.rows, runs.bounds, runs.groups, runs.leaves, runs.weight,
                self.shift,
                sums["s"], sums["q"], self.class_shift, sums.get("class_s"), sums.get("class_q"),
                runs.y, sums.get("xy"),
            )  # fmt: skip
            return
        continuous.add_sums(
            X, start, stop, runs.rows, runs.bounds, runs.groups, runs.leaves, self.shift,
            sums["s"], sums["q"], self.class_shift, self.largest, sums.get("class_s"),
            sums.get("class_q"), runs.y, sums.get("xy"),
        )  # fmt: skip


class ContinuousSums:
    """Sums of continuous columns, and F or Pearson relevance from them.

    Everything is measured from provisional centres: `shift` for each column, and for the F test a
    centre for each class, so that neither a large mean nor well separated classes cost digits.
    Columns with a part that lies far from these centres are found when the sums are finished. They
    are `apart`, and summed once more (`own`) from a centre of each fold, or of each class in it.

    Attributes
    ----------
    sum, inverse, relevance : ndarray of shape (parts, columns)
        Sum of each column from `shift` (0 of those that are apart, whose products are taken from
        the mean), inverse root of its squared deviations (0 if constant), and relevance.
    apart : ndarray of uint8, shape (columns,)
        Whether some part lies far from the centres, or its relevance has lost digits.
    small : ndarray of bool, shape (columns,)
        Columns that are constant, or whose squares vanish.
    """

    def __init__(self, target: Target, resampling: Resampling, n_features: int, relevance: str):
        self.resampling = resampling
        self.measure = relevance
        self.classes: Any = (
            target.codes if target.kind == "classes" and relevance == "f_test" else None
        )
        self.n_features = n_features
        shape = (resampling.n_parts, n_features)
        self.sum = np.empty(shape)
        self.inverse = np.empty(shape)
        self.relevance = np.empty(shape)
        self.small = np.empty(n_features, dtype=bool)
        self.apart = np.zeros(n_features, dtype=np.uint8)
        self._far = np.zeros(n_features, dtype=bool)  # those whose products need the own centres
        self._all_apart = False
        self._own: OwnSums | None = None
        self._own_y: Moments | None = None
        self._found: list[tuple[np.ndarray, FoldCentres]] = []
        self._own_f: list[tuple[np.ndarray, np.ndarray]] = []
        self.n = resampling.n_rows.astype(np.float64)
        if self.classes is not None:
            self.n_classes = int(self.classes.max()) + 1
            self.group = resampling.fold * np.int64(self.n_classes) + self.classes
            counts = resampling.total_weights(self.group, resampling.n_folds * self.n_classes)
            counts = counts.reshape(resampling.n_folds, self.n_classes)
            self.n_class = resampling.combine_counts(counts).astype(np.float64)
            self.centre_rows = sample_rows(self.classes, self.n_classes)
        else:
            self.group = resampling.fold.astype(np.int64)
            self.n_classes = 1
            self._read_numbers(target)

    def _read_numbers(self, target: Target) -> None:
        """Sums of a numeric target, or of classes taken as numbers."""
        resampling = self.resampling
        values = target.values if target.kind == "numeric" else target.codes.astype(np.float64)
        (rows,) = self.centre_rows = sample_rows(np.zeros(values.size), 1)
        self.y_values = values
        self.y = values - np.sort(values[rows])[(rows.size - 1) // 2]
        with np.errstate(over="ignore"):
            squares = self.y * self.y
        if not np.isfinite(squares.sum()):
            raise ValueError(
                "The squares of some values of y are too large for float64. Scale y first."
            )
        if squares.sum() < SMALLEST_SQUARES and np.ptp(self.y) > 0:
            raise ValueError(
                "The values of y differ by so little that their squares vanish in float64. "
                "Scale y first."
            )
        weight = 1.0 if resampling.weight is None else resampling.weight
        s, q = (
            np.bincount(resampling.fold, weight * each, resampling.n_folds)[:, None]
            for each in (self.y, squares)
        )
        self.y_sum = resampling.combine(s)
        self.y_inverse = np.empty_like(self.y_sum)
        apart = np.zeros(1, dtype=np.uint8)
        continuous.inverse_deviations(
            self.y_sum, resampling.combine(q), self.n, self.y_inverse, apart
        )
        self._all_apart = bool(apart[0]) and resampling.n_folds > 1

    def set_centres(self, samples: list[np.ndarray]) -> None:
        """Set the centres from the `centre_rows` of each class (or of the table)."""
        centres = np.empty((len(samples), self.n_features))
        for centre, rows in zip(centres, samples, strict=True):
            continuous.middle_of_rows(rows, np.arange(rows.shape[0]), centre)
        self.largest = 0
        if self.classes is not None:
            self.largest = int(np.argmax(np.bincount(self.classes)))
            self.class_shift = centres
        # padded to whole panels, for the kernels that read 32 columns at a time
        self.shift = np.zeros(padded(self.n_features))
        self.shift[: self.n_features] = centres[self.largest]

    @property
    def empty_sums(self) -> EmptySums:
        """Makes zero accumulators, one for each group."""
        if self.classes is None:
            return EmptySums(("s", "q", "xy"), self.resampling.n_folds)
        names = ("s", "q", "class_s", "class_q")
        return EmptySums(names, self.resampling.n_folds * self.n_classes)

    def runs(self, rows: slice) -> Runs:
        """How to go through some rows of the table."""
        return Runs.of(*self.about(rows))

    def about(self, rows: slice) -> tuple[np.ndarray, Any, Any]:
        """Group, numeric target and weight of some rows."""
        weight = self.resampling.weight
        return (
            self.group[rows], self.y[rows] if self.classes is None else None,
            None if weight is None else weight[rows],
        )  # fmt: skip

    @property
    def summed_from(self) -> SumCentres:
        """The centres that were set."""
        class_shift = None if self.classes is None else self.class_shift
        return SumCentres(self.shift[: self.n_features], class_shift, self.largest)

    def add(self, X: np.ndarray, runs: Runs, start: int, stop: int, sums: dict) -> None:
        """Sum the columns ``start:stop`` of the table into zeros."""
        self.summed_from.add(X, runs, start, stop, sums)

    def _of_folds(self, groups: np.ndarray) -> np.ndarray:
        """Sums of each fold from those of its groups, in the order of the classes."""
        if self.classes is None:
            return groups
        folds = groups[:: self.n_classes].copy()
        for c in range(1, self.n_classes):
            folds += groups[c :: self.n_classes]
        return folds

    def finish(self, start: int, stop: int, sums: dict) -> bool:
        """Sums of parts and relevance of the columns ``start:stop``; False if not finite."""
        resampling, columns = self.resampling, slice(start, stop)
        of_folds = self._of_folds(sums["q"])
        self.small[columns] = of_folds.sum(axis=0) < SMALLEST_SQUARES
        q = resampling.combine(of_folds)
        if not np.isfinite(q).all():
            return False
        s = resampling.combine(self._of_folds(sums["s"]))
        inverse = np.empty_like(s)
        apart = np.full(stop - start, self._all_apart, dtype=np.uint8)
        continuous.inverse_deviations(s, q, self.n, inverse, apart)
        if resampling.n_folds > 1:
            self._far[columns] = apart
        self.sum[:, columns] = s
        self.inverse[:, columns] = inverse
        if self.classes is not None:
            self._f_of_block(start, stop, sums, apart)
        else:
            r = self.relevance[:, columns] = _correlations(
                resampling.combine(sums["xy"]), s, inverse, self.n, self.y_sum, self.y_inverse
            )
            if self.measure == "f_test":
                apart |= (r * r > LITTLE_LEFT).any(axis=0)
        if resampling.n_folds > 1:
            self.apart[columns] = apart
        return True

    def _f_of_block(self, start: int, stop: int, sums: dict, apart: np.ndarray) -> None:
        """F statistics of the columns ``start:stop`` in every part."""
        by_class = (self.resampling.n_folds, self.n_classes, stop - start)
        continuous.f_from_sums(
            self.resampling.combine(sums["class_s"].reshape(by_class)),
            self.resampling.combine(sums["class_q"].reshape(by_class)), self.n_class,
            self.class_shift, self.shift[: self.n_features], start, self.relevance, apart,
            np.empty((self.n_classes, stop - start)),
        )  # fmt: skip

    # ------------------------------------------------------------------ folds that lie apart

    @property
    def needs_centres(self) -> bool:
        """Whether products with some column need the centres of its folds."""
        return bool(self._far.any())

    def fold_means(self, sums: dict) -> np.ndarray:
        """Mean of every fold, from `shift`, of the columns that were summed."""
        return self._of_folds(sums["s"]) / or_one(self.resampling.fold_weights)[:, None]

    @property
    def own(self) -> OwnSums:
        """How columns are summed whose folds lie apart."""
        if self._own is None:
            resampling, y = self.resampling, None
            if self.classes is None:
                fold, rows = resampling.fold, np.arange(self.y_values.size)
                first = np.empty(resampling.n_folds, dtype=np.int64)
                first[fold[::-1]] = rows[::-1]  # the last assignment stays
                y = self.y_values - self.y_values[first[fold]]
            self._own = OwnSums(
                self.group, resampling.n_folds, self.n_classes, y, resampling.weight
            )
        return self._own

    def finish_own(self, columns: np.ndarray, sums: dict) -> None:
        """Parts of columns that lie apart, from their own sums."""
        own = self.own
        moments = own.moments(sums, FoldsOfParts.of(self.resampling))
        if self.classes is not None:
            relevance = own.f_statistics(sums, moments, self.n_class)
        else:
            y = self._moments_of_y()
            products = own.products(sums, moments, y)
            relevance = _correlations(
                products, np.zeros_like(products), moments.inverse, self.n,
                np.zeros_like(y.inverse), y.inverse,
            )  # fmt: skip
            if self.measure == "f_test":
                f = own.f_of_regression(sums, moments, y, products, self.n)
                self._own_f.append((columns, np.where(relevance == 0.0, 0.0, f)))
        self.relevance[:, columns] = relevance
        far = np.nonzero(self._far[columns])[0]
        if far.size:
            self.sum[:, columns[far]] = 0.0
            self.inverse[:, columns[far]] = moments.inverse[:, far]
            self._found.append((columns[far], moments.centres.of(far)))

    def _moments_of_y(self) -> Moments:
        """Moments of the target, from the first row of each fold."""
        if self._own_y is None:
            whole = slice(0, self.y_values.size)
            own = OwnSums(self.group, self.resampling.n_folds, 1, None, self.resampling.weight)
            sums = own.empty(1)
            own.add(self.y_values[:, None], self.runs(whole), 0, 1, sums)
            self._own_y = own.moments(sums, FoldsOfParts.of(self.resampling))
        return self._own_y

    def centres(self, fold_means: np.ndarray) -> FoldCentres:
        """Centres of the folds of all columns, those of some lying apart."""
        p, wide = self.n_features, padded(self.n_features)
        apart = np.zeros(wide, dtype=np.uint8)
        shift = np.repeat(self.shift[None], self.resampling.n_folds, axis=0)
        rest, away = np.zeros(shift.shape), np.zeros((self.resampling.n_parts, wide))
        rest[:, :p], away[:, :p] = fold_means, self.sum / self.n[:, None]
        for columns, own in self._found:
            apart[columns] = 1
            shift[:, columns], rest[:, columns], away[:, columns] = own.shift, own.rest, own.away
        return FoldCentres(apart, shift, rest, away, FoldsOfParts.of(self.resampling))

    def class_means(self, sums: dict) -> np.ndarray:
        """Means of the classes in each part, for columns of mean 0 and length 1.

        Parameters
        ----------
        sums : dict
            Own sums of all columns.

        Returns
        -------
        ndarray of shape (n_parts, n_classes, n_features)
            0 for a class that a part does not have.
        """
        own, folds = self.own, FoldsOfParts.of(self.resampling)
        by_group = (*own.n.shape, self.n_features)
        centres, s = sums["centres"].reshape(by_group), sums["s"].reshape(by_group)
        means = np.empty((self.resampling.n_parts, *by_group[1:]))
        for t, of_part in enumerate(means):
            some, origin = folds.member[t] > 0, own.first_centre(sums, int(folds.first[t]))
            apart = own.n[some, :, None] * (centres[some] - origin)
            total = np.where(own.n[some, :, None] > 0, apart + s[some], 0.0).sum(axis=0)
            n_class = self.n_class[t][:, None]
            np.divide(total, or_one(n_class), out=of_part)
            of_part -= total.sum(axis=0) / self.n[t]
            of_part *= (n_class > 0) * self.inverse[t]
        return means

    def f_of_pearson(self) -> np.ndarray:
        """F statistics of the regression on each column alone."""
        r2 = np.minimum(self.relevance**2, 1.0)
        free = np.maximum(self.n[:, None] - 2, 0) * np.ones_like(r2)
        f = np.zeros_like(r2)
        with np.errstate(divide="ignore"):
            np.divide(r2 * free, 1.0 - r2, out=f, where=(r2 > 0) & (free > 0))
        for columns, own in self._own_f:
            f[:, columns] = own
        return f


def _correlations(
    products: np.ndarray,
    s: np.ndarray,
    inverse: np.ndarray,
    n: np.ndarray,
    y_sum: np.ndarray,
    y_inverse: np.ndarray,
) -> np.ndarray:
    """Correlations with the target in every part."""
    r = np.empty_like(s)
    continuous.pearson_from_sums(
        in_panels(products), s, inverse, n, y_sum[:, 0], y_inverse[:, 0], np.arange(n.size), r, True
    )
    return r

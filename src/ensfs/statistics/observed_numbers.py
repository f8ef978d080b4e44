"""Continuous columns measured on the rows in which they are observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ensfs._core import gaps as kernels
from ensfs._utils.threads import for_blocks
from ensfs.data.missing import MeanSums
from ensfs.data.target import Target
from ensfs.statistics.gaps import FEWEST_ROWS
from ensfs.statistics.source import ROUNDING, CachingSource

#: Reads the rows of the columns, block after block, NaN where cells are missing.
Readings = Callable[[], Iterator[tuple[slice, np.ndarray]]]


class ObservedSource(CachingSource):
    """F, or Pearson's correlation, of the rows in which a column, or a pair, is observed.

    Pairs of complete columns are those of the source of all rows; the others have six sums over
    their common rows in each fold.

    Parameters
    ----------
    source : ContinuousSource or ContinuousBlocks
        The same columns, with some number in the place of missing cells.
    columns : ndarray of int
        The incomplete columns.
    target : Target
        The target.
    relevance : {"f_test", "pearson"}
        The measure of relevance.
    readings : callable
        Reads the rows.
    """

    def __init__(
        self, source: Any, columns: np.ndarray, target: Target, relevance: str, readings: Any
    ):
        super().__init__(source.resampling, source.n_features, source.n_threads, 0)
        self.source, self.columns = source, columns
        self._readings: Readings = readings
        self.signed, self.sums = source.signed, source.sums
        self._incomplete = np.zeros(self.n_features, dtype=bool)
        self._incomplete[columns] = True
        self._fold = source.resampling.fold.astype(np.int64)
        self._centre = self._means()
        self.relevance, self.constant = source.relevance.copy(), source.constant.copy()
        found = self._f_statistics if self.sums.classes is not None else self._with_numbers
        values, constant = found(target, relevance)
        self.relevance[:, columns] = values[:, columns]
        self.constant[:, columns] = constant[:, columns]

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part, of the filled columns."""
        return self.source.class_means()

    def _weight(self, rows: slice) -> np.ndarray | None:
        weight = self.resampling.weight
        return None if weight is None else weight[rows]

    def _means(self) -> np.ndarray:
        """Means of what is observed of the columns, to measure values from."""
        sums = MeanSums(self.n_features)
        for _, X in self._readings():
            sums.add(X)
            del X  # before the next rows are read
        return sums.means()

    # ------------------------------------------------------------------ relevance

    def _f_statistics(self, target: Target, relevance: str) -> tuple[np.ndarray, np.ndarray]:
        """F of the observed rows, and which columns are constant in them."""
        k, n_folds = self.sums.n_classes, self.resampling.n_folds
        group = self._fold * k + target.codes
        centre_of = np.tile(np.arange(k), n_folds)
        centres = np.repeat(self._centre[None], k, axis=0)
        for _ in range(2):  # the second time from the means of the classes
            sums = self._sum_groups(group, centre_of, centres)
            n, s = sums[:, :2].reshape(n_folds, k, 2, -1).sum(axis=0).swapaxes(0, 1)
            rough, centres = centres, centres + s / np.where(n > 0, n, 1.0)
        by_class = self.resampling.combine(sums.reshape(n_folds, k, 3, -1))
        return f_of_classes(by_class, rough)

    def _sum_groups(
        self, group: np.ndarray, centre_of: np.ndarray, centres: np.ndarray
    ) -> np.ndarray:
        sums = np.zeros((centre_of.size, 3, self.n_features))
        for rows, X in self._readings():
            here, weight = group[rows], self._weight(rows)

            def work(a: int, b: int, X: Any = X, here: Any = here, weight: Any = weight) -> None:
                kernels.add_observed(X, a, b, here, centre_of, centres, weight, sums)

            for_blocks(work, self.n_features, self.n_threads, block=256, cells=len(X))
            del X, work
        return sums

    def _with_numbers(self, target: Target, relevance: str) -> tuple[np.ndarray, np.ndarray]:
        """Correlation with a numeric target (or its F), and which columns are constant."""
        values = target.values if target.kind == "numeric" else target.codes.astype(np.float64)
        y = (values - values.mean())[None]
        (sums,) = self._sum_pairs(y)
        r, n, constant = correlations(self.resampling.combine(sums))
        if relevance == "f_test":
            r2, free = np.minimum(r**2, 1.0), n - 2
            with np.errstate(divide="ignore"):
                f = np.where((r2 > 0) & (free >= 1), r2 * free / (1.0 - r2), 0.0)
            return f, constant
        return r if self.signed else np.abs(r), constant

    # ------------------------------------------------------------------ pairs

    def _sum_pairs(self, targets: np.ndarray) -> np.ndarray:
        """Six sums of every column and each target, fold by fold: (targets, folds, 6, columns)."""
        shape = (len(targets), self.resampling.n_folds, kernels.pair_sums, self.n_features)
        sums = np.zeros(shape)
        for rows, X in self._readings():
            here, fold = np.ascontiguousarray(targets[:, rows]), self._fold[rows]
            given: Any = (self._centre, here, fold, self._weight(rows), sums)

            def work(a: int, b: int, X: Any = X, given: Any = given) -> None:
                kernels.add_common(X, a, b, *given)

            cells = len(X) * len(targets)
            for_blocks(work, self.n_features, self.n_threads, block=256, cells=cells)
            del X, work
        return sums

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read."""
        return self.source.n_pairs_read

    @property
    def _bytes_per_target(self) -> int:
        # while being summed; what is kept is less
        return 8 * self.n_features * (self.n_parts + kernels.pair_sums * self.resampling.n_folds)

    def _compute(self, targets: list[int]) -> list[Any]:
        observed = self._sum_pairs(self._spread(targets))
        return [correlations(self.resampling.combine(each))[0] for each in observed]

    def _spread(self, targets: list[int]) -> np.ndarray:
        """Some columns from their centres, NaN where they are missing, one after the other."""
        columns = np.empty((len(targets), self._fold.size))
        for rows, X in self._readings():
            columns[:, rows] = X[:, targets].T - self._centre[targets, None]
            del X
        return columns

    def _finish(self, g: int, statistics: Any, part_ids: np.ndarray, out: np.ndarray) -> None:
        self.source.association([(g, part_ids)], out)
        some = slice(None) if self._incomplete[g] else self.columns
        for t in part_ids:
            r = statistics[t, some]
            out[t, some] = r if self.signed else np.abs(r)


def deviations(n: np.ndarray, s: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Squared deviations from sums over n rows, exactly 0 where only rounding is left of them."""
    left = q - s * s / np.where(n > 0, n, 1.0)
    share = 9e-16 * np.clip(n, 8.0, 1e8)
    return np.where(left > share * q, left, 0.0)


def correlations(sums: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Correlations from six sums (second axis), the rows, and where the first is constant."""
    n, s, s_of, q, q_of, products = np.moveaxis(sums, 1, 0)
    of_f, of_g = deviations(n, s, q), deviations(n, s_of, q_of)
    defined = (n >= FEWEST_ROWS) & (of_f > 0) & (of_g > 0)
    root = np.sqrt(np.where(defined, of_f, 1.0)) * np.sqrt(np.where(defined, of_g, 1.0))
    r = np.where(defined, (products - s * s_of / np.where(n > 0, n, 1.0)) / root, 0.0)
    r = np.clip(np.where(np.abs(r) > ROUNDING, r, 0.0), -1.0, 1.0)
    return r, n, of_f == 0


def f_of_classes(sums: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F from sums of the classes (parts, classes, 3, columns) about their centres.

    Returns it with which columns are constant in each part. Classes without a row drop out; F is 0
    with fewer than two, or if no row is left beside one for each class.
    """
    n, s, q = np.moveaxis(sums, 2, 0)
    present = n > 0
    some = np.where(present, n, 1.0)
    within = deviations(n, s, q).sum(axis=1)
    means = centres - centres[:1] + s / some  # from one centre, so that no large mean is left
    total, k = n.sum(axis=1), present.sum(axis=1)
    grand = (n * means).sum(axis=1) / np.where(total > 0, total, 1.0)
    between = (n * (means - grand[:, None]) ** 2).sum(axis=1)
    size = (n * ((centres - centres[:1]) ** 2 + (s / some) ** 2)).sum(axis=1)
    share = 9e-16 * np.clip(total, 8.0, 1e8)
    differ = between > share**2 * size
    defined = (k >= 2) & (total - k >= 1) & differ
    with np.errstate(divide="ignore", invalid="ignore"):
        f = (between / np.maximum(k - 1, 1)) / (within / np.maximum(total - k, 1))
    return np.where(defined, f, 0.0), ~((within > 0) | differ)

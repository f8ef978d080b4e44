"""Tests of whether a column may enter a selection: alone, and given a column that was selected.

They need nothing but the sums and counts that the searches have, so they hold in every part, and
for tables in blocks of rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import chdtrc, erfc, fdtrc

#: A column whose share beyond another one is no larger repeats it.
NOTHING_LEFT = 1e-12


class EntryTests(ABC):
    """p-values of the columns with the target, part by part.

    Attributes
    ----------
    source : Source
        Its `association` is what `given` takes.
    """

    source: Any

    @abstractmethod
    def alone(self) -> np.ndarray:
        """p-values of every column with the target, of shape (n_parts, n_features)."""

    @abstractmethod
    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some columns with the target given column ``g`` in part ``t``.

        Parameters
        ----------
        g, t : int
            The selected column, and the part.
        values : ndarray of shape (n_features,)
            Association of every column with ``g`` in the part.
        columns : ndarray of int
            The columns to test.

        Returns
        -------
        ndarray of shape (n_columns,)
        """

    @abstractmethod
    def take(self, columns: np.ndarray, source: Any) -> EntryTests:
        """The tests of some of the columns, and their source."""


class CountTests(EntryTests):
    """G² tests of coded columns, with all degrees of freedom of the levels that occur in a part.

    Parameters
    ----------
    source : CodedSource or CodedBlocks
        With conditional mutual information, as it is counted, for association.
    n_cuts : mapping of int to int
        For columns that were cut where the classes differ most: in how many places they could have
        been cut. Their p-values alone are multiplied by it.
    """

    def __init__(self, source: Any, n_cuts: Mapping[int, int]):
        self.source = source
        self.n_cuts = n_cuts
        self.n_rows = source.resampling.n_rows

    def alone(self) -> np.ndarray:
        """p-values of every column with the target."""
        p_values = np.empty(self.source.relevance.shape)
        for t, bits in enumerate(self.source.information_with_target()):
            columns, classes = self.source.observed_levels(t)
            p_values[t] = self._p(self._rows(t), bits, (columns - 1) * (classes - 1))
        for j, n_cuts in self.n_cuts.items():
            p_values[:, j] = np.minimum(p_values[:, j] * max(n_cuts, 1), 1.0)
        return p_values

    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some columns with the target given column ``g``."""
        levels, classes = self.source.observed_levels(t)
        rows = self._rows(t, g)
        rows = rows[columns] if isinstance(rows, np.ndarray) else rows
        return self._p(rows, values[columns], (levels[columns] - 1) * (classes - 1) * levels[g])

    def _rows(self, t: int, g: int | None = None) -> Any:
        """Rows that are counted: those of the part, or in which the columns are observed."""
        if hasattr(self.source, "rows_measured"):
            return self.source.rows_measured(t, g)
        return self.n_rows[t]

    def _p(self, rows: Any, bits: np.ndarray, degrees: np.ndarray) -> np.ndarray:
        """p-values of so many bits for each row."""
        g_square = 2.0 * rows * np.log(2.0) * np.maximum(bits, 0.0)
        p_values = np.ones(bits.size)
        one, more = degrees == 1, degrees > 1
        p_values[one] = erfc(np.sqrt(0.5 * g_square[one]))  # much faster than the general case
        p_values[more] = chdtrc(degrees[more], g_square[more])
        return p_values

    def take(self, columns: np.ndarray, source: Any) -> CountTests:
        """The tests of some of the columns."""
        place = {int(j): i for i, j in enumerate(columns)}
        return CountTests(source, {place[j]: n for j, n in self.n_cuts.items() if j in place})


class CorrelationTests(EntryTests):
    """F tests of the correlation with a numeric target, partial given a column.

    Parameters
    ----------
    source : ContinuousSource or ContinuousBlocks
        With signed correlations.
    """

    def __init__(self, source: Any):
        self.source = source
        self.r = source.sums.relevance
        self.n_rows = source.resampling.n_rows

    def alone(self) -> np.ndarray:
        """p-values of every column with the target."""
        return np.array([_p_of_r(r, n - 2) for r, n in zip(self.r, self.n_rows, strict=True)])

    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some columns with the target given column ``g``."""
        between, with_y, of_g = values[columns], self.r[t, columns], self.r[t, g]
        left, left_of_y = 1.0 - between**2, 1.0 - of_g**2
        with np.errstate(divide="ignore", invalid="ignore"):
            partial = (with_y - between * of_g) / np.sqrt(left * left_of_y)
        nothing = (left <= NOTHING_LEFT) | (left_of_y <= NOTHING_LEFT)
        return np.where(nothing, 1.0, _p_of_r(np.where(nothing, 0.0, partial), self.n_rows[t] - 3))

    def take(self, columns: np.ndarray, source: Any) -> CorrelationTests:
        """The tests of some of the columns."""
        return CorrelationTests(source)


def _p_of_r(r: np.ndarray, free: int) -> np.ndarray:
    """p-values of correlations with so many degrees of freedom left."""
    if free < 1:
        return np.ones_like(r)
    r2 = np.minimum(r**2, 1.0)
    with np.errstate(divide="ignore"):
        return fdtrc(1, free, r2 / (1.0 - r2) * free)


class VarianceTests(EntryTests):
    """F tests of the classes, given a column with one slope in all classes.

    Parameters
    ----------
    source : ContinuousSource or ContinuousBlocks
        With signed correlations, and F statistics for relevance.
    """

    def __init__(self, source: Any):
        self.source = source
        self.n_class = source.sums.n_class
        self.present = (self.n_class > 0).sum(axis=1)
        self.n_rows = source.resampling.n_rows
        self._means: np.ndarray | None = None

    def alone(self) -> np.ndarray:
        """p-values of every column with the classes."""
        p_values = np.ones(self.source.relevance.shape)
        for t, (k, n) in enumerate(zip(self.present, self.n_rows, strict=True)):
            if k > 1 and n > k:
                p_values[t] = fdtrc(k - 1, n - k, self.source.relevance[t])
        return p_values

    def given(self, g: int, t: int, values: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """p-values of some columns with the classes given column ``g``.

        Every column has length 1, so the products of two are their correlation. What the classes
        leave of it are the products within the classes.
        """
        k, free = self.present[t], self.n_rows[t] - self.present[t] - 1
        if k < 2 or free < 1:
            return np.ones(columns.size)
        if self._means is None:
            self._means = self.source.class_means()
        means, r = self._means[t], values[columns]
        within = r - (self.n_class[t] * means[:, g]) @ means[:, columns]
        of_f, of_g = self._share_within(t, columns), self._share_within(t, np.array([g]))[0]
        total = 1.0 - r**2
        left = of_f - (within**2 / of_g if of_g > 0.0 else 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = np.maximum(total - left, 0.0) / (k - 1) / (left / free)
        p_values = np.where(left > 0.0, fdtrc(k - 1, free, np.where(left > 0.0, f, 0.0)), 0.0)
        return np.where(total <= NOTHING_LEFT, 1.0, p_values)

    def _share_within(self, t: int, columns: np.ndarray) -> np.ndarray:
        """Share of the squared deviations of some columns that is within the classes."""
        k, n = self.present[t], self.n_rows[t]
        return 1.0 / (1.0 + self.source.relevance[t, columns] * ((k - 1) / (n - k)))

    def take(self, columns: np.ndarray, source: Any) -> VarianceTests:
        """The tests of some of the columns."""
        return VarianceTests(source)


def continuous_tests(source: Any) -> EntryTests:
    """The tests of continuous columns, by their target."""
    return CorrelationTests(source) if source.sums.classes is None else VarianceTests(source)

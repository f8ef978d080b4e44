"""Which cells of a table are missing, and how many rows two columns have in common."""

from __future__ import annotations

import numpy as np

from ensfs._core import gaps as kernels
from ensfs._core import packed
from ensfs._utils.lazy import lazy_property
from ensfs.statistics.resampling import Resampling

#: Correlations of columns that have fewer rows in common are 0: those of two rows are always 1.
FEWEST_ROWS = 3


class Gaps:
    """The missing cells of the incomplete columns, as bits, fold after fold.

    Parameters
    ----------
    resampling : Resampling
        The parts, perhaps with weights.
    columns : ndarray of int
        The incomplete columns, rising.
    n_features : int
        All columns.

    Attributes
    ----------
    observed : ndarray of shape (n_parts, n_features)
        Rows (their weight) of each part in which a column is observed.
    """

    def __init__(self, resampling: Resampling, columns: np.ndarray, n_features: int):
        self._set_columns(resampling, columns, n_features)
        self._position, n_words = resampling.word_positions()
        self._bytes = np.zeros((columns.size, 8 * n_words), dtype=np.uint8)

    def _set_columns(self, resampling: Resampling, columns: np.ndarray, n_features: int) -> None:
        self.resampling, self.columns, self.n_features = resampling, columns, n_features
        self.place = np.full(n_features, -1)
        self.place[columns] = np.arange(columns.size)
        self._corrections: dict[int, np.ndarray] = {}  # of the columns that parts chose first

    def add(self, values: np.ndarray, rows: slice = slice(None)) -> None:
        """Add rows of all columns, NaN where cells are missing."""
        kernels.add_bits(values, self.columns, self._position[rows], self._bytes)

    @lazy_property
    def _words(self) -> np.ndarray:
        """The bits, of shape (columns, folds, words of a fold)."""
        return self._bytes.view(np.uint64).reshape(len(self._bytes), self.resampling.n_folds, -1)

    @lazy_property
    def _weights(self) -> np.ndarray:
        """The weight of every bit, of shape (folds, bits of a fold)."""
        weights = np.zeros(8 * self._bytes.shape[1])
        weights[self._position] = self.resampling.weight
        return weights.reshape(self.resampling.n_folds, -1)

    def _count(self, words: np.ndarray) -> np.ndarray:
        """Rows (their weight) that are marked in each fold, of shape (folds, columns)."""
        if self.resampling.weight is None:
            return np.bitwise_count(words).sum(axis=2, dtype=np.int64).T
        bits = np.unpackbits(words.view(np.uint8), axis=2, bitorder="little")
        return np.einsum("cfb,fb->fc", bits, self._weights)

    @lazy_property
    def _missing(self) -> np.ndarray:
        """Rows of each part in which the incomplete columns are missing."""
        return self.resampling.combine_counts(self._count(self._words))

    @lazy_property
    def observed(self) -> np.ndarray:
        """Rows of each part in which every column is observed."""
        rows = self.resampling.n_rows.astype(np.float64)
        observed = np.repeat(rows[:, None], self.n_features, axis=1)
        observed[:, self.columns] -= self._missing
        return observed

    def common(self, g: int) -> np.ndarray:
        """Rows of each part in which every column and column ``g`` are observed."""
        i = self.place[g]
        if i < 0:
            return self.observed
        common = self.observed - self._missing[:, i, None]
        common[:, self.columns] += self._missing_with(i)
        return common

    def _missing_with(self, i: int) -> np.ndarray:
        """Rows of each part in which the incomplete columns and the one at a place are missing."""
        return self.resampling.combine_counts(self._count(self._words & self._words[i]))

    def correction(self, g: int) -> np.ndarray:
        """What correlations of filled columns with column ``g`` are multiplied by in each part.

        0 where fewer than three rows are observed in both.
        """
        common, of_g = self.common(g), self.observed[:, g, None]
        enough = common >= FEWEST_ROWS
        root = np.sqrt(self.observed * of_g)
        return np.where(enough, root / np.where(enough, common, 1.0), 0.0)

    def corrected(self, values: np.ndarray, first: np.ndarray, part_ids: range) -> np.ndarray:
        """Correlations in some parts with the column that each of all parts chose, corrected."""
        out = np.empty_like(values)
        for place, t in enumerate(part_ids):
            g = int(first[t])
            if g not in self._corrections:
                self._corrections[g] = self.correction(g)
            np.clip(values[place] * self._corrections[g][t], -1.0, 1.0, out=out[place])
        return out

    def bits(self, part_ids: range) -> packed.GapBits:
        """The missing cells as a search in some parts takes them; without weights."""
        observed = self.observed[part_ids.start : part_ids.stop]
        return packed.GapBits(self._words, self.place.astype(np.int32), observed)

"""Distances between rows of tables with numbers and text, and the nearest of some prototypes."""

from __future__ import annotations

import numpy as np

from ensfs._utils.exponents import MOST, exponents
from ensfs.data.columns import NominalBlock, NumericBlock, RawColumns
from ensfs.data.values import column_label

#: Distances that differ by less are tied; the earlier prototype is nearer.
_TIED = 1e-12


class MixedScaler:
    """Rows as points: numbers scaled as in fit, levels of text one unit apart.

    The squared distance of two points is the sum of squared differences of the numbers and of 1 for
    each level that differs; a level that fit has not seen differs from all. A column of numbers
    that is constant in fit has no coordinate.

    Parameters
    ----------
    scaling : {"range", "deviation"}, optional
        By the range of the column to [0, 1], or to mean 0 and standard deviation 1; None: as it is.
    level : float, optional
        Coordinate of a level in its own column. With the default, which is irrational, two levels
        are one unit apart; with 1 they are two, exactly, and `weights` has what to multiply by.

    Attributes
    ----------
    owners : ndarray of int, shape (n_coordinates,)
        The column that each coordinate is made of.
    weights : ndarray of shape (n_coordinates,)
        Weight of squared differences of each coordinate if `level` is 1.
    """

    def __init__(self, scaling: str | None = "range", level: float = 0.5**0.5):
        self.scaling, self.level = scaling, level

    def fit(self, columns: RawColumns) -> MixedScaler:
        """Learn ranges and levels."""
        self.n_features = columns.n_features
        self._low, self._range = np.zeros(self.n_features), np.zeros(self.n_features)
        self._levels: dict[int, np.ndarray] = {}
        for block in columns.blocks:
            if isinstance(block, NominalBlock):
                self._levels[block.column] = block.levels
            else:
                self._low[block.columns], self._range[block.columns] = self._scale(_halves(block))
        numbers = np.nonzero(self._range > 0)[0]
        sizes = {j: len(levels) + 1 for j, levels in sorted(self._levels.items())}
        self.owners = np.concatenate([numbers, np.repeat(list(sizes), list(sizes.values()))])
        self.owners = self.owners.astype(np.intp)
        self.weights = np.where(np.isin(self.owners, list(sizes)), 0.5, 1.0)
        return self

    def _scale(self, halves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What to take off half of the numbers, and what to divide the rest by; 0 if constant."""
        low, high = halves.min(axis=0), halves.max(axis=0)
        varies = high > low
        if self.scaling == "range":
            return low, high - low
        if self.scaling is None:
            return np.zeros(low.size), np.where(varies, 0.5, 0.0)
        by = exponents(halves, axis=0)  # squares neither overflow nor vanish
        near = np.ldexp(halves, -by)
        deviation = np.ldexp(near.std(axis=0), by)
        return np.ldexp(near.mean(axis=0), by), np.where(varies, deviation, 0.0)

    def transform(self, columns: RawColumns) -> np.ndarray:
        """Points, of shape (n_rows, n_coordinates); numbers first, then levels."""
        numbers = np.zeros((columns.n_rows, self.n_features))
        levels: dict[int, np.ndarray] = {}
        for block in columns.blocks:
            if isinstance(block, NominalBlock):
                if block.column not in self._levels:
                    raise ValueError(
                        f"{column_label(block.column, columns.names)} must hold numbers, as in "
                        "fit; got text."
                    )
                labels = block.levels[block.codes]
                levels[block.column] = self._indicators(block.column, labels)
                continue
            numbers[:, block.columns] = _halves(block) - self._low[block.columns]
            for j in self._levels.keys() & set(block.columns.tolist()):
                labels = block.values[:, np.nonzero(block.columns == j)[0][0]]
                levels[j] = self._indicators(j, labels)
        varies = self._range > 0
        with np.errstate(over="ignore"):
            scaled = np.clip(numbers[:, varies] / self._range[varies], -MOST, MOST)
        return np.hstack([scaled, *(levels[j] for j in sorted(levels))])

    def _indicators(self, j: int, labels: np.ndarray) -> np.ndarray:
        """A coordinate for each level, and one for unknown ones."""
        places = {level: k for k, level in enumerate(self._levels[j].tolist())}
        codes = [places.get(label, len(places)) for label in labels.tolist()]
        return self.level * np.eye(len(places) + 1)[codes]


def squared_distances(points: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Squared distance of each point to each prototype, of shape (n_points, n_prototypes)."""
    # row by row in a fixed order: a product of matrices would depend on the other rows
    return np.stack([((points - each) ** 2).sum(axis=1) for each in prototypes], axis=1)


def nearest(points: np.ndarray, prototypes: np.ndarray) -> np.ndarray:
    """Number of the nearest prototype of each point; the earlier of equally near ones."""
    return first_least(squared_distances(points, prototypes))


def first_least(distances: np.ndarray) -> np.ndarray:
    """Column of the least value in each row; the first of those that are tied."""
    least = distances.min(axis=1, keepdims=True)
    return (distances <= least + _TIED * (1.0 + least)).argmax(axis=1)


def _halves(block: NumericBlock) -> np.ndarray:
    """Half of the numbers, whose differences are always finite."""
    return block.values.astype(np.float64) / 2

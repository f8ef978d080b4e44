"""Parts of the rows, each a union of folds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ensfs._core import continuous


@dataclass(frozen=True, eq=False)
class Resampling:
    """Which rows belong to which part: the fold of each row, and the folds of each part.

    What a measure needs from a part is the sum of what it needs from the folds of that part, so
    that the rows are read once for any number of parts. A weight is how often a row is there.

    Attributes
    ----------
    fold : ndarray of int32, shape (n_rows,)
        Fold of each row.
    membership : ndarray of bool, shape (n_parts, n_folds)
        Which folds make up each part.
    weight : ndarray of float64, shape (n_rows,), or None
        Weight of each row, above 0; None if each is there once.
    n_parts, n_folds : int
        Shape of the membership matrix.
    fold_sizes : ndarray of int32, shape (n_folds,)
        Rows of each fold, each counted once.
    fold_weights : ndarray of int64 or float64, shape (n_folds,)
        The sum of their weights, which without weights is their number.
    n_rows : ndarray of int64 or float64, shape (n_parts,)
        The same of each part.
    is_all_rows : bool
        Whether there is a single fold, and a single part with it.
    is_leave_one_out : bool
        Whether part ``t`` is all folds but fold ``t``, for which there are faster ways.
    """

    fold: np.ndarray
    membership: np.ndarray
    weight: np.ndarray | None = None
    n_parts: int = field(init=False)
    n_folds: int = field(init=False)
    fold_sizes: np.ndarray = field(init=False)
    fold_weights: np.ndarray = field(init=False)
    n_rows: np.ndarray = field(init=False)
    is_all_rows: bool = field(init=False)
    is_leave_one_out: bool = field(init=False)

    def __post_init__(self) -> None:
        fold = np.ascontiguousarray(self.fold, dtype=np.int32)
        membership = np.ascontiguousarray(self.membership, dtype=bool)
        n_parts, n_folds = membership.shape
        if fold.size and not 0 <= fold.min() <= fold.max() < n_folds:
            raise ValueError(f"fold must hold numbers from 0 to {n_folds - 1}.")
        if not membership.any(axis=1).all():
            raise ValueError("Every part must have at least one fold.")
        learned = {
            "fold": fold,
            "membership": membership,
            "n_parts": n_parts,
            "n_folds": n_folds,
            "fold_sizes": np.bincount(fold, minlength=n_folds).astype(np.int32),
            "is_all_rows": n_parts == n_folds == 1 and bool(membership[0, 0]),
            "is_leave_one_out": n_parts == n_folds > 1
            and np.array_equal(membership, ~np.eye(n_folds, dtype=bool)),
        }
        for name, value in learned.items():
            object.__setattr__(self, name, value)  # set once, so threads can share the object
        object.__setattr__(self, "fold_weights", self.total_weights(fold, n_folds))
        object.__setattr__(self, "n_rows", self.combine_counts(self.fold_weights))

    # ------------------------------------------------------------------ the usual parts

    @classmethod
    def all_rows(cls, n_rows: int, weight: np.ndarray | None = None) -> Resampling:
        """One part with every row."""
        return cls(np.zeros(n_rows, dtype=np.int32), np.ones((1, 1), dtype=bool), weight)

    @classmethod
    def leave_one_out(
        cls, fold: np.ndarray, n_folds: int, weight: np.ndarray | None = None
    ) -> Resampling:
        """One part for each fold, with the rows of all other folds."""
        return cls(fold, ~np.eye(n_folds, dtype=bool), weight)

    @classmethod
    def halves(
        cls, fold: np.ndarray, n_folds: int, n_parts: int, rng: np.random.Generator,
        weight: np.ndarray | None = None,
    ) -> Resampling:  # fmt: skip
        """Complementary half samples: parts ``2b`` and ``2b + 1`` are a random half and the rest.

        Parameters
        ----------
        fold : ndarray of int, shape (n_rows,)
            Fold of each row.
        n_folds, n_parts : int
            Both even.
        rng : Generator
            Draws the folds of every second part.
        weight : ndarray of shape (n_rows,), optional
            Weight of each row.

        Returns
        -------
        Resampling
        """
        if n_folds % 2 or n_parts % 2:
            raise ValueError(
                f"Halves need an even number of folds and of parts; got {n_folds} and {n_parts}."
            )
        membership = np.zeros((n_parts, n_folds), dtype=bool)
        for first in membership[::2]:
            first[rng.permutation(n_folds)[: n_folds // 2]] = True
        membership[1::2] = ~membership[::2]
        return cls(fold, membership, weight)

    def weighted(self, weight: np.ndarray | None) -> Resampling:
        """The same parts of rows that have weights, or of the same rows if there are none."""
        return self if weight is None else Resampling(self.fold, self.membership, weight)

    def repeated(self, times: np.ndarray) -> Resampling:
        """The same parts of a table in which each row is there so many times, without weights."""
        return Resampling(np.repeat(self.fold, times), self.membership)

    # ------------------------------------------------------------------ rows

    def total_weights(self, group: np.ndarray, n_groups: int) -> np.ndarray:
        """Sum of the weights of each group of rows; without weights their number."""
        if self.weight is None:
            return np.bincount(group, minlength=n_groups)
        return np.bincount(group, self.weight, minlength=n_groups)

    def rows(self, t: int) -> np.ndarray:
        """Rows of part ``t``."""
        return np.nonzero(self.membership[t, self.fold])[0]

    @property
    def largest_part(self) -> int:
        """Rows of the largest part, each counted once."""
        return int(self.membership.astype(np.int64).dot(self.fold_sizes).max())

    def row_order(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows fold after fold, each fold in row order, and where the folds begin and end."""
        return rows_by_fold(self.fold, self.fold_sizes)

    def word_positions(self) -> tuple[np.ndarray, int]:
        """Bit of each row when every fold has words of 64 bits of its own; how many words."""
        rows, bounds = self.row_order()
        words = -(-int(self.fold_sizes.max()) // 64)
        position = np.empty(rows.size, dtype=np.int64)
        within = np.arange(rows.size) - np.repeat(bounds[:-1], self.fold_sizes)
        position[rows] = self.fold[rows] * (64 * words) + within
        return position, self.n_folds * words

    # ------------------------------------------------------------------ from folds to parts

    @property
    def members(self) -> tuple[np.ndarray, np.ndarray]:
        """The folds of the parts, one part after the other, and where those of each begin."""
        sizes = self.membership.sum(axis=1)
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return np.nonzero(self.membership)[1].astype(np.int32), bounds

    def combine_counts(self, folds: np.ndarray) -> np.ndarray:
        """Counts of each part from counts of each fold (first axis); exact.

        Sums of weights are added, so that nothing is left where a part has no rows.
        """
        if folds.dtype.kind == "f":
            return self.combine(np.ascontiguousarray(folds))
        if self.is_leave_one_out:
            return folds.sum(axis=0, keepdims=True) - folds
        return np.array([folds[chosen].sum(axis=0) for chosen in self.membership])

    def counts_of_part(self, t: int, folds: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Counts of part ``t`` from counts of each fold (first axis) and their sum; exact."""
        if self.is_leave_one_out:
            return total - folds[t]
        return total if self.is_all_rows else folds[self.membership[t]].sum(axis=0)

    def combine(self, folds: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Sums of each part from sums of each fold (first axis), without cancellation.

        The folds of a part are added in their order; nothing is subtracted.
        """
        if out is None:
            out = np.empty((self.n_parts, *folds.shape[1:]))
        if self.is_all_rows:
            out[...] = folds
            return out
        if self.is_leave_one_out:
            flat = folds.reshape(self.n_folds, -1)
            flat_out = out if out.ndim == 2 else out.reshape(self.n_folds, -1)
            continuous.leave_out(flat, flat_out, np.empty((self.n_folds + 1) * flat.shape[1]))
            return out
        flat = np.ascontiguousarray(folds).reshape(self.n_folds, -1)
        flat_out = out if out.ndim == 2 else out.reshape(self.n_parts, -1)
        continuous.combine_parts(flat, *self.members, flat_out)
        return out

    def combine_part(self, t: int, folds: np.ndarray, out: np.ndarray) -> None:
        """Sums of part ``t`` from sums of each fold (first axis), into `out`."""
        first, *rest = np.nonzero(self.membership[t])[0]
        out[...] = folds[first]
        for e in rest:
            out += folds[e]


def rows_by_fold(fold: np.ndarray, fold_sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows fold after fold, each fold in row order, and where the folds begin and end."""
    bounds = np.concatenate([[0], np.cumsum(fold_sizes)]).astype(np.int64)
    return np.argsort(fold, kind="stable").astype(np.int64), bounds

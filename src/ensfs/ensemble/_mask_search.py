"""Masks of columns for nearest neighbours: drawn at random, and improved one column at a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ensfs._core import neighbours as kernel
from ensfs._utils.threads import checkpoint, ranges_of

#: A score is better if it is larger by more than this.
_GAIN = 1e-12

#: Nearest rows of each row that are listed, so that few are looked at when a column is added.
_LISTED = 5

#: Distances that stay in a cache while one column after the other is added to them.
_CACHED = 1 << 16


class MaskScores(Protocol):
    """Scores of masks that differ from each other by one column."""

    def set_mask(self, mask: np.ndarray) -> None:
        """Take another mask."""

    def flip(self, j: int) -> None:
        """Take column j into the mask, or out of it."""

    def score(self, flipped: int | None = None) -> float:
        """Score of the mask as it is, or with one column flipped."""


def random_mask(n_features: int, rng: np.random.Generator) -> np.ndarray:
    """Each column with probability 1/2; never none."""
    while True:
        mask = rng.random(n_features) < 0.5
        if mask.any():
            return mask


def climb(
    scores: MaskScores, mask: np.ndarray, max_rounds: int | None = None
) -> tuple[np.ndarray, float, int]:
    """Flip one column after the other where it helps, round after round until none does.

    Parameters
    ----------
    scores : MaskScores
        What masks are compared by.
    mask : ndarray of bool
        Where to start.
    max_rounds : int, optional
        Rounds at most.

    Returns
    -------
    mask : ndarray of bool
        A mask that no single flip improves, unless the rounds ran out.
    score : float
        Its score.
    n_rounds : int
        Rounds, with the last one, in which nothing changed.
    """
    mask = mask.copy()
    scores.set_mask(mask)
    best = scores.score()
    n_rounds, improved = 0, True
    while improved and (max_rounds is None or n_rounds < max_rounds):
        if n_rounds:
            scores.set_mask(mask)  # rounding errors of the last round are gone
        improved = False
        n_rounds += 1
        for j in range(mask.size):
            if mask[j] and mask.sum() == 1:
                continue  # no columns, no neighbours
            score = scores.score(flipped=j)
            if score > best + _GAIN:
                best, improved = score, True
                scores.flip(j)
                mask[j] = not mask[j]
    return mask, best, n_rounds


class MaskedNeighbours:
    """Nearest neighbours of rows among others, under a mask that changes by one column at a time.

    Parameters
    ----------
    test, train : ndarray of shape (n, n_coordinates) and (m, n_coordinates)
        Points to predict, and points to predict them from.
    y : ndarray of int, shape (m,)
        Numbers of the classes of `train`.
    owners, weights : ndarray of shape (n_coordinates,)
        The column of each coordinate, and the weight of its squared differences.
    n_classes, k : int
        Classes, and neighbours that vote; ties go to the lower row and to the lower class.
    own : int, optional
        Place of the first point of `test` in `train`, if they are the same rows: none of them is
        its own neighbour.
    """

    def __init__(
        self, test: np.ndarray, train: np.ndarray, y: np.ndarray, owners: np.ndarray,
        weights: np.ndarray, n_classes: int, k: int, own: int | None = None,
    ):  # fmt: skip
        self._train, self._test = np.ascontiguousarray(train.T), np.ascontiguousarray(test.T)
        self._y, self._n_classes = y.astype(np.int32), n_classes
        self._owners, self._weights, self._own = owners, weights, own
        self._k = min(k, y.size - (own is not None))
        n, m = len(test), len(train)
        self._nothing = np.zeros(n), np.zeros(m)
        self._near = np.tile(np.arange(self._k), n)  # those found last: probably near again
        self._counts = np.zeros(n_classes, dtype=np.int32)
        self._among = own == 0 and n == m  # every pair of rows is looked at once
        self._distance = np.empty(n * self._k if self._among else self._k)
        self._bound, self._found = np.empty(n), np.empty(n, dtype=np.int64)
        self._size = min(max(_LISTED, 2 * self._k), n - 1) if self._among else 0
        self._listed = np.tile(np.arange(self._size), n)
        self._known, self._is_listed = np.empty(n * self._size), False
        self._distances = np.empty((n, m))

    def set_mask(self, mask: np.ndarray) -> None:
        """Take another mask; distances are added anew."""
        self.mask, self._is_listed = mask.copy(), False
        n, m = self._distances.shape
        used = np.nonzero(mask[self._owners])[0].tolist()
        size = max(1, _CACHED // m)
        for start in range(0, n, size):
            checkpoint()
            stop = min(start + size, n)
            self._distances[start:stop] = 0.0
            for c in used:
                kernel.change_distances(
                    self._distances, self._test[c], self._train[c], self._weights[c], start, stop
                )
        if self._own is not None:
            rows = np.arange(len(self._distances))
            self._distances[rows, rows + self._own] = np.inf

    def flip(self, j: int) -> None:
        """Take column j into the mask, or out of it."""
        self._is_listed = False
        for c in np.nonzero(self._owners == j)[0].tolist():
            self._change(c, self._sign(j))
        self.mask[j] = not self.mask[j]

    def labels(self, flipped: int | None = None) -> np.ndarray:
        """Numbers of the predicted classes, with one column flipped if it is given."""
        mine = [] if flipped is None else np.nonzero(self._owners == flipped)[0].tolist()
        if not mine:
            return self._vote(*self._nothing, 0.0)
        *others, last = mine
        sign = self._sign(flipped)
        if self._among and sign > 0 and not others:
            return self._vote_with_more(self._train[last], self._weights[last])
        for c in others:  # levels of text have several coordinates; all but one are written
            self._change(c, sign)
        labels = self._vote(self._test[last], self._train[last], sign * self._weights[last])
        for c in others:
            self._change(c, -sign)
        return labels

    def _sign(self, j: int | None) -> float:
        return -1.0 if self.mask[j] else 1.0

    def _change(self, c: int, sign: float) -> None:
        n, m = self._distances.shape
        for first, last in ranges_of(0, n, m):
            kernel.change_distances(
                self._distances, self._test[c], self._train[c], sign * self._weights[c],
                first, last,
            )  # fmt: skip

    def _vote(self, a: np.ndarray, b: np.ndarray, sign: float) -> np.ndarray:
        n, m = self._distances.shape
        labels = np.empty(n, dtype=np.int32)
        for start, stop in ranges_of(0, n, m):
            if self._among:
                kernel.labels_among(
                    self._distances, b, sign, self._y, self._n_classes, self._k, start, stop,
                    self._near, self._bound, self._found, self._distance, self._counts, labels,
                )  # fmt: skip
                continue
            kernel.neighbour_labels(
                self._distances, a, b, sign, self._y, self._n_classes, self._k, start, stop,
                self._near, self._distance, self._counts, labels,
            )  # fmt: skip
        return labels

    def _vote_with_more(self, column: np.ndarray, weight: float) -> np.ndarray:
        """Labels with one coordinate more, by lists of those that are near without it."""
        n = len(self._distances)
        labels = np.empty(n, dtype=np.int32)
        if not self._is_listed:
            for start, stop in ranges_of(0, n, n):
                kernel.labels_among(
                    self._distances, self._nothing[0], 0.0, self._y, self._n_classes, self._size,
                    start, stop, self._listed, self._bound, self._found, self._known, self._counts,
                    labels,
                )  # fmt: skip
            self._is_listed = True
        work = np.empty(self._k), np.empty(self._k, dtype=np.int64), self._counts
        for start, stop in ranges_of(0, n, n):
            kernel.labels_with_more(
                self._distances, column, weight, self._y, self._n_classes, self._k, self._size,
                start, stop, self._known, self._listed, *work, labels,
            )  # fmt: skip
        return labels


class NeighbourScores(MaskedNeighbours):
    """Scores of masks by the labels that neighbours give; see `MaskScores`."""

    def __init__(self, truth: np.ndarray, measure: Any, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._truth, self._measure = truth, measure

    def score(self, flipped: int | None = None) -> float:
        """Score of the mask as it is, or with one column flipped."""
        return self._measure(self._truth, self.labels(flipped))


def labels_in_blocks(
    test: np.ndarray, train: np.ndarray, y: np.ndarray, weights: np.ndarray, n_classes: int,
    k: int, max_bytes: int, *, leave_out: bool = False,
) -> np.ndarray:  # fmt: skip
    """Labels by neighbours on all coordinates, so many rows at once that distances fit in memory.

    Parameters
    ----------
    test, train, y, weights, n_classes, k
        As `MaskedNeighbours` takes them.
    max_bytes : int
        Memory for distances.
    leave_out : bool, default=False
        Whether both are the same rows, and none is its own neighbour.
    """
    size = max(1, max_bytes // (8 * max(1, len(train))))
    owners = np.zeros(train.shape[1], dtype=np.intp)
    parts = [np.empty(0, dtype=np.int32)]
    for start in range(0, len(test), size):
        block = MaskedNeighbours(
            test[start : start + size], train, y, owners, weights, n_classes, k,
            own=start if leave_out else None,
        )  # fmt: skip
        block.set_mask(np.ones(1, dtype=bool))
        parts.append(block.labels())
    return np.concatenate(parts)

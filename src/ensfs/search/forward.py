"""Forward selection by what a column adds to all selected ones, from correlations alone.

Every column is a vector of length 1. The part of it that no selected column explains is kept as two
numbers: its squared length, and its product with each output. When a column enters, the parts
explained by it are taken off both, which needs the correlations of all columns with the entering
one and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ensfs._utils.progress import task
from ensfs._utils.ties import TIE_TOLERANCE, first_largest
from ensfs.search.selection import Selection
from ensfs.statistics import Source, pairs_with

#: Rounding leaves at most this share of a column that the selected ones explain, times what it is
#: multiplied by: the reciprocal of the smallest share of a selected column.
_ROUNDING = 1e-14


@dataclass
class ForwardSteps:
    """What every step of one part left behind.

    Attributes
    ----------
    tolerance : ndarray of shape (n_features,)
        Share of each column that those selected before do not explain: of a selected column when it
        entered, of another in the last step.
    added : ndarray of shape (n_features,)
        What each column added, or would have added in the last step.
    """

    tolerance: np.ndarray
    added: np.ndarray


class _Part:
    """The columns of one part, as far as the selected ones leave them unexplained."""

    def __init__(self, outputs: np.ndarray, constant: np.ndarray, k: int, tolerance: float):
        p = constant.size
        self.outputs = outputs.copy()
        self.size = np.where(constant, 0.0, 1.0)  # squared length
        self.least = max(tolerance, _ROUNDING)  # columns of which no more is left do not enter
        self.columns: list[int] = []
        self.scores: list[float] = []
        self.steps = ForwardSteps(self.size.copy(), np.zeros(p))
        self._explained = np.empty((k, p))  # product of each column with each direction
        self._taken = np.zeros(p, dtype=bool)

    def gains(self) -> np.ndarray:
        """What each column adds; -1 where nothing of its own is left."""
        gains = np.full(self.size.size, -1.0)
        free = ~self._taken & (self.size > self.least)
        gains[free] = (self.outputs[:, free] ** 2).sum(axis=0) / self.size[free]
        return gains

    def choose(self) -> int | None:
        """The column that adds most; None if no column adds anything."""
        gains = self.gains()
        best = first_largest(gains)
        if gains[best] <= TIE_TOLERANCE:
            return None
        self._enter(best, gains[best])
        return best

    def force(self, column: int) -> int:
        """Let a column in, whatever it adds."""
        self._enter(column, max(0.0, self.gains()[column]))
        return column

    def _enter(self, column: int, gain: float) -> None:
        self.columns.append(column)
        self.scores.append(float(gain))
        self._taken[column] = True
        size = max(0.0, float(self.size[column]))
        self.steps.tolerance[column], self.steps.added[column] = size, gain
        if size > _ROUNDING:
            self.least = max(self.least, _ROUNDING / size)

    def take_off(self, correlations: np.ndarray) -> None:
        """Take off what the column that entered last explains."""
        j = len(self.columns) - 1
        g = self.columns[j]
        before = self._explained[:j]
        direction = self._explained[j]
        if self.size[g] <= _ROUNDING:  # one that had to enter, although nothing of it is left
            direction[:] = 0.0
            return
        np.subtract(correlations, before[:, g] @ before, out=direction)
        direction /= np.sqrt(self.size[g])
        explained = self.outputs[:, g] / np.sqrt(self.size[g])
        self.outputs -= explained[:, None] * direction
        self.size -= direction**2

    def finish(self) -> ForwardSteps:
        """The steps, with what the last one left of the columns that did not enter."""
        left = ~self._taken
        self.steps.tolerance[left] = np.maximum(self.size[left], 0.0)
        self.steps.added[left] = np.maximum(self.gains()[left], 0.0)
        return self.steps


def forward_search(
    source: Source,
    outputs: np.ndarray,
    k: int,
    tolerance: float,
    included: np.ndarray,
) -> Selection[list[ForwardSteps]]:
    """Select at most `k` columns in every part, each by what it adds to all before it.

    Parameters
    ----------
    source : Source
        Gives signed correlations of all columns with a selected one.
    outputs : ndarray of shape (n_parts, n_outputs, n_features)
        Products of the columns with the outputs of the target, all of length 1.
    k : int
        Number of columns, at most.
    tolerance : float
        Columns of which the selected ones leave no larger share unexplained do not enter.
    included : ndarray of int
        Columns that every part selects first, in this order.

    Returns
    -------
    Selection
        A part ends early where no column adds anything. The details are the steps of each part.
    """
    parts = [_Part(outputs[t], source.constant[t], k, tolerance) for t in range(source.n_parts)]
    searching = dict(enumerate(parts))
    values = np.empty((source.n_parts, source.n_features))
    with task("selecting", k) as advance:
        for j in range(k):
            forced = int(included[j]) if j < included.size else None
            chosen = {
                t: part.choose() if forced is None else part.force(forced)
                for t, part in searching.items()
            }
            searching = {t: part for t, part in searching.items() if chosen[t] is not None}
            if not searching or j + 1 == k:
                break
            source.association(_requests(chosen), values)
            for t, part in searching.items():
                part.take_off(values[t])
            advance()
    columns = [np.array(part.columns, dtype=np.int64) for part in parts]
    used = np.unique(np.concatenate([each[:-1] for each in columns]))
    return Selection(
        columns,
        [np.array(part.scores) for part in parts],
        pairs_with(used.size, source.n_features),
        source.n_pairs_read,
        [part.finish() for part in parts],
    )


def _requests(chosen: dict[int, int | None]) -> list[tuple[int, np.ndarray]]:
    """The columns that entered, each with the parts that it entered in."""
    entered = sorted({g for g in chosen.values() if g is not None})
    return [(g, np.array([t for t, of_part in chosen.items() if of_part == g])) for g in entered]

"""Forward selection by what a column adds to all selected ones, from correlations alone.

Every column is a vector of length 1. The part of it that no selected column explains is kept as two
numbers: its squared length, and its product with each output. When a column enters, the parts
explained by it are taken off both, which needs the correlations of all columns with the entering
one and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import fdtrc

from ensfs._utils.progress import task
from ensfs._utils.ties import TIE_TOLERANCE, first_largest
from ensfs.search.automatic import EntryRule
from ensfs.search.greedy import Entry
from ensfs.search.selection import Selection
from ensfs.statistics import Source, by_score, pairs_with

#: Rounding leaves at most this share of a column that the selected ones explain, times what it is
#: multiplied by: the reciprocal of the smallest share of a selected column.
_ROUNDING = 1e-14

#: Steps that a part makes space for at first; more where it goes on.
_STEPS = 32


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
    entry : Entry, optional
        What the tests said, of a search that stops by itself.
    """

    tolerance: np.ndarray
    added: np.ndarray
    entry: Entry | None = None


@dataclass(frozen=True)
class PartialTests:
    """Tests of whether a column adds anything to all selected ones.

    The F test of the regression of a column on the outputs, given the selected columns; for one
    output the same as that of the regression of the output on the column. It is exact for columns
    (or an output) that are normal around what the selected columns explain.

    Attributes
    ----------
    gram : ndarray of shape (n_parts, n_outputs, n_outputs)
        Products of the outputs with each other.
    n_rows : ndarray of shape (n_parts,)
        Rows of each part.
    free : ndarray of int, shape (n_parts,)
        Degrees of freedom of the outputs: one, or the classes in the part without one.
    rule : EntryRule
        What a column has to pass.
    """

    gram: np.ndarray
    n_rows: np.ndarray
    free: np.ndarray
    rule: EntryRule

    def of_part(self, t: int, n_tested: int) -> _PartTests:
        """The tests of so many columns in one part."""
        limit = self.rule.expected_false / max(1, n_tested)
        return _PartTests(
            self.gram[t].copy(), int(self.n_rows[t]), int(self.free[t]), limit, self.rule.least
        )


@dataclass
class _PartTests:
    gram: np.ndarray
    n_rows: int
    free: int
    limit: float
    least: int

    def p_values(self, outputs: np.ndarray, size: np.ndarray, n_selected: int) -> np.ndarray:
        """p-values of columns from what is left of them."""
        left = self.n_rows - n_selected - 1 - self.free
        if left < 1 or self.free < 1:
            return np.ones(size.size)
        inverse = np.linalg.pinv(self.gram, rcond=1e-10, hermitian=True)
        share = np.minimum(np.einsum("ap,ab,bp->p", outputs, inverse, outputs) / size, 1.0)
        with np.errstate(divide="ignore"):
            return fdtrc(self.free, left, share / self.free / ((1.0 - share) / left))


class _Part:
    """The columns of one part, as far as the selected ones leave them unexplained."""

    def __init__(
        self,
        outputs: np.ndarray,
        starts: np.ndarray,
        constant: np.ndarray,
        k: int,
        tolerance: float,
        tests: _PartTests | None = None,
    ):
        p = constant.size
        self.tests, self.n_passed, self.n_forced = tests, 0, 0
        self.p_values = np.ones(p)
        self.outputs, self.starts = outputs.copy(), starts
        self.size = np.where(constant, 0.0, 1.0)  # squared length
        self.least = max(tolerance, _ROUNDING)  # columns of which no more is left do not enter
        self.columns: list[int] = []
        self.scores: list[float] = []
        self.steps = ForwardSteps(self.size.copy(), np.zeros(p))
        self._explained = np.empty((min(k, _STEPS), p))  # product of columns with directions
        self._taken = np.zeros(p, dtype=bool)

    def gains(self) -> np.ndarray:
        """What each column adds; -1 where nothing of its own is left."""
        gains = np.full(self.size.size, -1.0)
        free = ~self._taken & (self.size > self.least)
        gains[free] = largest_sum(self.outputs[:, free] ** 2, self.starts) / self.size[free]
        return gains

    def _passing(self, gains: np.ndarray) -> np.ndarray:
        """The gains of the columns that pass, -1 for others; of all if more must be selected."""
        assert self.tests is not None
        n_selected = len(self.columns)
        free = gains >= 0.0
        of_free = self.tests.p_values(self.outputs[:, free], self.size[free], n_selected)
        self.p_values[~self._taken] = 1.0
        self.p_values[free] = of_free
        passing = self.p_values <= self.tests.limit
        if self.n_passed + self.n_forced == n_selected and (free & passing).any():
            self.n_passed += 1
            return np.where(passing, gains, -1.0)
        return gains if n_selected < self.tests.least else np.full_like(gains, -1.0)

    def choose(self) -> int | None:
        """The column that adds most; None if no column adds anything."""
        gains = self.gains()
        if self.tests is not None:
            gains = self._passing(gains)
        best = first_largest(gains)
        if gains[best] <= TIE_TOLERANCE:
            return None
        self._enter(best, gains[best])
        return best

    def force(self, column: int) -> int:
        """Let a column in, whatever it adds."""
        self._enter(column, max(0.0, self.gains()[column]))
        self.n_forced += 1
        self.p_values[column] = np.nan  # it passed no test, and failed none
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
        if j == len(self._explained):
            self._explained = np.concatenate([self._explained, np.empty_like(self._explained)])
        before = self._explained[:j]
        direction = self._explained[j]
        if self.size[g] <= _ROUNDING:  # one that had to enter, although nothing of it is left
            direction[:] = 0.0
            return
        np.subtract(correlations, before[:, g] @ before, out=direction)
        direction /= np.sqrt(self.size[g])
        explained = self.outputs[:, g] / np.sqrt(self.size[g])
        self.outputs -= explained[:, None] * direction
        if self.tests is not None:
            self.tests.gram -= np.outer(explained, explained)
        self.size -= direction**2

    def finish(self) -> ForwardSteps:
        """The steps, with what the last one left of the columns that did not enter."""
        left = ~self._taken
        self.steps.tolerance[left] = np.maximum(self.size[left], 0.0)
        self.steps.added[left] = np.maximum(self.gains()[left], 0.0)
        if self.tests is not None:
            n_passed = np.array([min(self.n_passed, len(self.columns) - self.n_forced)])
            self.steps.entry = Entry(self.p_values[None], n_passed)
        return self.steps


def forward_search(
    source: Source,
    outputs: np.ndarray,
    starts: np.ndarray,
    k: int,
    tolerance: float,
    included: np.ndarray,
    tests: PartialTests | None = None,
) -> Selection[list[ForwardSteps]]:
    """Select at most `k` columns in every part, each by what it adds to all before it.

    Parameters
    ----------
    source : Source
        Gives signed correlations of all columns with a selected one.
    outputs : ndarray of shape (n_parts, n_outputs, n_features)
        Products of the columns with the outputs of the target, all of length 1.
    starts : ndarray of int
        Where the outputs begin whose gains are added up; of several such sums the largest counts.
    k : int
        Number of columns, at most.
    tolerance : float
        Columns of which the selected ones leave no larger share unexplained do not enter.
    included : ndarray of int
        Columns that every part selects first, in this order.
    tests : PartialTests, optional
        Columns that do not pass do not enter either.

    Returns
    -------
    Selection
        A part ends early where no column adds anything. The details are the steps of each part.
    """
    of_parts = [
        None if tests is None else tests.of_part(t, source.n_features - included.size)
        for t in range(source.n_parts)
    ]
    parts = [
        _Part(outputs[t], starts, source.constant[t], k, tolerance, of_part)
        for t, of_part in enumerate(of_parts)
    ]
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
            source.association(_requests(chosen), values, partial(_next, searching.values()))
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


def _next(parts: Collection[_Part]) -> Iterator[int]:
    """The columns that may enter next, the likeliest first."""
    gains = np.array([part.gains() for part in parts])
    return by_score(np.where(gains < 0.0, -np.inf, gains))


def largest_sum(squares: np.ndarray, starts: np.ndarray, axis: int = 0) -> np.ndarray:
    """Sums along an axis from each start to the next, and the largest of these."""
    if starts.size == 1:
        return np.asarray(squares.sum(axis=axis))
    return np.asarray(np.add.reduceat(squares, starts, axis=axis).max(axis=axis))


def _requests(chosen: dict[int, int | None]) -> list[tuple[int, np.ndarray]]:
    """The columns that entered, each with the parts that it entered in."""
    entered = sorted({g for g in chosen.values() if g is not None})
    return [(g, np.array([t for t, of_part in chosen.items() if of_part == g])) for g in entered]

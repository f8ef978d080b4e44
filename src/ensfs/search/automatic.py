"""Greedy selection that stops by itself: only columns that pass a test of their own may enter.

A column that says nothing of the target passes its test alone with a probability of at most the
limit, so the limit times the number of columns is how many such columns are expected at most. A
column that only repeats a selected one fails given that one. It never returns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ensfs.search.criteria import Criterion
from ensfs.search.greedy import (
    Entry,
    GreedyDetails,
    full_search,
    nothing_selected,
    rank_columns,
    without_constants,
)
from ensfs.search.selection import NOTHING, Selection
from ensfs.statistics import Ahead, Sources
from ensfs.statistics.entry_tests import EntryTests


@dataclass(frozen=True)
class EntryRule:
    """What a column has to pass.

    Attributes
    ----------
    expected_false : float
        How many columns that say nothing may be expected to enter.
    least : int
        Columns to select even if fewer pass.
    """

    expected_false: float
    least: int


class EntryGate:
    """Closes to the columns that fail given a selected one."""

    def __init__(self, sources: Sources, tests: EntryTests, p_values: np.ndarray, limit: float):
        self.tests, self.p_values, self.limit = tests, p_values, limit
        self._signed = sources.pairs.signed
        shares = tests.source is sources.pairs
        self._values = None if shares else np.empty(p_values.shape)

    def start(self, relevance: np.ndarray) -> None:
        """Leave the columns that passed alone."""

    def close(
        self,
        requests: list[tuple[int, np.ndarray]],
        values: np.ndarray,
        relevance: np.ndarray,
        taken: np.ndarray,
        ahead: Ahead | None,
    ) -> None:
        """Test the columns that are left given those that were just chosen."""
        tested = values
        if self._values is not None:
            tested = self._values
            self.tests.source.association(requests, tested, ahead)
        for g, part_ids in requests:
            for t in part_ids.tolist():
                left = np.nonzero((relevance[t] > -np.inf) & (taken[t] >= 0))[0]
                p_values = self.tests.given(g, t, tested[t], left)
                p_values = np.maximum(p_values, self.p_values[t, left])
                self.p_values[t, left] = p_values
                relevance[t, left[p_values > self.limit]] = -np.inf
        if self._signed:
            np.abs(values, out=values)


class ForcedGate:
    """Lets the columns of each part in as they were selected, then all others."""

    def __init__(self, selected: list[np.ndarray], relevance: np.ndarray, signed: bool):
        self._selected, self._relevance, self._signed = selected, relevance, signed
        self._n_entered = 0

    def start(self, relevance: np.ndarray) -> None:
        """Open for the next column."""
        relevance[...] = self._relevance
        for of_part, columns in zip(relevance, self._selected, strict=True):
            if self._n_entered < columns.size:
                only = columns[self._n_entered]
                value, of_part[...] = of_part[only], -np.inf
                of_part[only] = value

    def close(
        self,
        requests: list[tuple[int, np.ndarray]],
        values: np.ndarray,
        relevance: np.ndarray,
        taken: np.ndarray,
        ahead: Ahead | None,
    ) -> None:
        """Open for the next column."""
        self._n_entered += 1
        self.start(relevance)
        if self._signed:
            np.abs(values, out=values)


def automatic_search(
    sources: Sources, criterion: Criterion, rule: EntryRule, included: np.ndarray = NOTHING
) -> Selection[GreedyDetails]:
    """Select the columns of every part that pass, in the order of the criterion.

    Parameters
    ----------
    sources : Sources
        With tests.
    criterion : Criterion
        How columns are scored.
    rule : EntryRule
        What they have to pass.
    included : ndarray of int, optional
        Columns that every part selects first, without a test; the others are tested given them.

    Returns
    -------
    Selection
        Its details have an `Entry`.
    """
    tests = sources.tests
    assert tests is not None
    constant = sources.columns.constant | sources.pairs.constant
    p_values = np.where(constant, 1.0, tests.alone())
    p_values[:, included] = np.nan  # which passes no test, and fails none
    limit = rule.expected_false / max(1, p_values.shape[1] - included.size)
    passes = (p_values <= limit).any(axis=0)
    passes[included] = True
    candidates = np.nonzero(passes)[0]
    selection = nothing_selected(sources.columns)
    if candidates.size:
        selection = _search_candidates(sources, criterion, p_values, limit, candidates, included)
    n_selected = np.array([columns.size for columns in selection.columns])
    constant[:, included] = False
    if (n_selected < np.minimum(rule.least, (~constant).sum(axis=1))).any():
        selection = _at_least(sources, criterion, selection, rule.least, included)
    n_passed = n_selected - included.size
    details = replace(selection.details, entry=Entry(p_values, n_passed))
    return replace(selection, details=details)


def _search_candidates(
    sources: Sources,
    criterion: Criterion,
    p_values: np.ndarray,
    limit: float,
    candidates: np.ndarray,
    included: np.ndarray,
) -> Selection[GreedyDetails]:
    """The search among the columns that pass alone in some part; writes their p-values."""
    n_features = p_values.shape[1]
    if not sources.supports_take:
        candidates = np.arange(n_features)
    some = sources.take(candidates) if candidates.size < n_features else sources
    included = np.searchsorted(candidates, included)
    of_candidates = p_values[:, candidates]
    relevance = np.where(of_candidates <= limit, _relevance(some), -np.inf)
    if criterion.combine is None:
        k = int((relevance > -np.inf).sum(axis=1).max()) + included.size
        selection = rank_columns(some.columns, relevance, k, criterion, included)
    else:
        assert some.tests is not None
        gate = EntryGate(some, some.tests, of_candidates, limit)
        selection = full_search(some.pairs, relevance, candidates.size, criterion, gate, included)
    p_values[:, candidates] = of_candidates
    return selection if some is sources else _of_all(selection, candidates, n_features)


def _relevance(sources: Sources) -> np.ndarray:
    """Relevance without its sign; -inf for constant columns."""
    relevance = without_constants(sources.columns, sources.pairs)
    if sources.columns.signed:
        relevance = np.where(np.isneginf(relevance), relevance, np.abs(relevance))
    return relevance


def _of_all(
    selection: Selection[GreedyDetails], candidates: np.ndarray, n_features: int
) -> Selection[GreedyDetails]:
    """A selection among some columns as one among all."""
    nearest = selection.details.nearest
    if nearest is not None:
        among, nearest = nearest, np.full(n_features, -1)
        nearest[candidates] = np.where(among >= 0, candidates[among], -1)
    others = n_features - candidates.size  # which were compared with the target alone
    return replace(
        selection,
        columns=[candidates[columns] for columns in selection.columns],
        n_pairs_needed=selection.n_pairs_needed + others,
        n_pairs_read=selection.n_pairs_read + others,
        details=replace(selection.details, nearest=nearest),
    )


def _at_least(
    sources: Sources,
    criterion: Criterion,
    selection: Selection[GreedyDetails],
    least: int,
    included: np.ndarray,
) -> Selection[GreedyDetails]:
    """Go on by the score alone in the parts that have fewer columns."""
    relevance = _relevance(sources)
    possible = relevance > -np.inf
    possible[:, included] = True
    k = min(least, int(possible.sum(axis=1).max()))
    selected = [columns[:k] for columns in selection.columns]
    if criterion.combine is None:
        more = _rank_behind(sources, relevance, selected, k, criterion, included)
    else:
        gate = ForcedGate(selected, relevance, sources.pairs.signed)
        more = full_search(sources.pairs, relevance.copy(), k, criterion, gate, included)
    few = [columns.size < least for columns in selection.columns]

    def choose(new: list[np.ndarray], old: list[np.ndarray]) -> list[np.ndarray]:
        return [a if more_ else b for a, b, more_ in zip(new, old, few, strict=True)]

    details = replace(
        more.details, redundancy=choose(more.details.redundancy, selection.details.redundancy)
    )
    return replace(
        more,
        columns=choose(more.columns, selection.columns),
        scores=choose(more.scores, selection.scores),
        details=details,
    )


def _rank_behind(
    sources: Sources,
    relevance: np.ndarray,
    selected: list[np.ndarray],
    k: int,
    criterion: Criterion,
    included: np.ndarray,
) -> Selection[GreedyDetails]:
    """Without terms: the selected columns, then the most relevant of the others."""
    top = np.max(relevance, initial=0.0) + 1.0
    ahead = relevance.copy()
    for of_part, columns in zip(ahead, selected, strict=True):
        of_part[columns] = top + np.arange(columns.size, 0, -1)
    ranked = rank_columns(sources.columns, ahead, k, criterion, included)
    scores = [of_part[each] for of_part, each in zip(relevance, ranked.columns, strict=True)]
    return replace(ranked, scores=scores)

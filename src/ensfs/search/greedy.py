"""Greedy forward selection: one column after the other, each by its relevance and its terms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any, Protocol

import numpy as np

from ensfs._core import greedy
from ensfs._utils.progress import task
from ensfs._utils.threads import checkpoint, for_blocks, items_at_once
from ensfs.search.criteria import Criterion
from ensfs.search.selection import NOTHING, Selection
from ensfs.statistics import (
    Ahead,
    LazySource,
    RelevanceSource,
    SearchState,
    Source,
    by_score,
    pairs_with,
)


@dataclass(frozen=True)
class Entry:
    """What the tests said.

    Attributes
    ----------
    p_values : ndarray of shape (n_parts, n_features)
        The largest p-value of each column: of a selected one when it entered, of another when it
        failed.
    n_passed : ndarray of int, shape (n_parts,)
        How many columns each part selected by the tests.
    """

    p_values: np.ndarray
    n_passed: np.ndarray


@dataclass(frozen=True)
class GreedyDetails:
    """What a greedy search tells beside its choices.

    Attributes
    ----------
    redundancy : list of ndarray
        For each part the mean of the terms that each column had with the columns chosen before it
        (of a maximum the largest, of a minimum not meaningful); NaN for the first.
    nearest : ndarray of shape (n_features,), or None
        For one part: the chosen column that each column has its largest term with (its smallest,
        for a minimum), as far as it was looked at; -1 if never. None for several parts.
    entry : Entry, optional
        What the tests said, of a search that stops by itself.
    """

    redundancy: list[np.ndarray]
    nearest: np.ndarray | None
    entry: Entry | None = None


class Gate(Protocol):
    """Decides which columns a search may still choose."""

    def start(self, relevance: np.ndarray) -> None:
        """Set the relevance of the columns that may not be the first to -inf."""

    def close(
        self, requests: list[tuple[int, np.ndarray]], values: np.ndarray, relevance: np.ndarray,
        taken: np.ndarray, ahead: Ahead | None,
    ) -> None:  # fmt: skip
        """Look at the columns beside those that were just chosen.

        Parameters
        ----------
        requests : list of (column, part_ids)
            What was chosen, and by which parts.
        values : ndarray of shape (n_parts, n_features)
            Association of every column with what its part chose; made absolute.
        relevance : ndarray of shape (n_parts, n_features)
            Set to -inf for columns that may not enter.
        taken : ndarray of shape (n_parts, n_features)
            Negative for columns that were chosen.
        ahead : callable or None
            Gives the columns that may be chosen next; see `Source.association`.
        """


def make_selection(
    columns: np.ndarray,
    scores: np.ndarray,
    redundancy: np.ndarray,
    nearest: np.ndarray | None,
    n_features: int,
    n_pairs_read: int,
) -> Selection[GreedyDetails]:
    """The result of a greedy search from arrays of shape (n_parts, k).

    A part ends where only columns are left that are constant in it, which say nothing.
    """
    sizes = (scores != -np.inf).sum(axis=1)

    def chosen(values: np.ndarray) -> list[np.ndarray]:
        return [of_part[:size] for of_part, size in zip(values, sizes, strict=True)]

    # by definition every column is compared with all that some part chose before the last step
    before_last = np.concatenate([each[: max(0, columns.shape[1] - 1)] for each in chosen(columns)])
    n_pairs_needed = pairs_with(np.unique(before_last).size, n_features)
    details = GreedyDetails(chosen(redundancy), nearest)
    return Selection(chosen(columns), chosen(scores), n_pairs_needed, n_pairs_read, details)


def greedy_search(
    pairs: Source,
    k: int,
    criterion: Criterion,
    source: RelevanceSource | None = None,
    included: np.ndarray = NOTHING,
) -> Selection[GreedyDetails]:
    """Select `k` columns in every part of a source, fewer where the others are constant in it.

    Parameters
    ----------
    pairs : Source
        Gives the terms.
    k : int
        Number of columns.
    criterion : Criterion
        How the terms make a score.
    source : RelevanceSource, optional
        Gives the relevance in the same parts, if it is not that of `pairs`.
    included : ndarray of int, optional
        Columns that every part selects first, in this order, constant or not. They have no score.

    Returns
    -------
    Selection
    """
    source = pairs if source is None else source
    free = ~(source.constant | pairs.constant)
    free[:, included] = True
    most = int(free.sum(axis=1).max())
    if most == 0:
        return nothing_selected(source)
    k = min(k, most)
    if criterion.combine is None or k == 1:  # nothing is compared with a selected column
        return rank_columns(source, without_constants(source, pairs), k, criterion, included)
    selection = None
    if isinstance(pairs, LazySource) and pairs.supports_lazy and criterion.bounded:
        if not included.size:  # lazy searches begin with nothing
            selection = _lazy_search(source, pairs, k, criterion)
    if selection is None:
        relevance = without_constants(source, pairs)
        selection = full_search(pairs, relevance, k, criterion, included=included)
    if pairs is source:
        return selection
    n_pairs_read = selection.n_pairs_read + source.n_pairs_read - source.n_features
    return replace(selection, n_pairs_read=n_pairs_read)


def nothing_selected(source: RelevanceSource) -> Selection[GreedyDetails]:
    """The selection from columns that are all constant."""
    shape = (source.n_parts, 0)
    nearest = np.full(source.n_features, -1) if source.n_parts == 1 else None
    return make_selection(
        np.empty(shape, dtype=np.int64), np.empty(shape), np.empty(shape), nearest,
        source.n_features, source.n_pairs_read,
    )  # fmt: skip


def without_constants(
    source: RelevanceSource, pairs: Source, part: slice = slice(None)
) -> np.ndarray:
    """Relevance, but -inf where a column is constant in a part: it is not to be selected."""
    return np.where(source.constant[part] | pairs.constant[part], -np.inf, source.relevance[part])


def _chosen(column: int) -> int:
    """The column, if there is one; without a comparable score there is no way to go on."""
    if column < 0:
        raise RuntimeError("No column could be chosen: a score is not a number.")
    return column


def rank_columns(
    source: RelevanceSource,
    relevance: np.ndarray,
    k: int,
    criterion: Criterion,
    included: np.ndarray = NOTHING,
) -> Selection[GreedyDetails]:
    """The columns that are included, then the most relevant ones, ties to the lower column."""
    n_parts, p = relevance.shape
    columns, scores = np.empty((n_parts, k), dtype=np.int64), np.empty((n_parts, k))
    chosen, chosen_score = np.empty(n_parts, dtype=np.int64), np.empty(n_parts)
    taken, none = np.zeros((n_parts, p), dtype=np.int32), np.zeros((n_parts, p))
    scratch = np.empty(greedy.scores_size(p))
    columns[:, : included.size], scores[:, : included.size] = included, np.nan
    taken[:, included] = -1
    for j in range(included.size, k):
        greedy.step(
            0, relevance, None, none, taken, scratch, criterion.flags, 0, n_parts, chosen,
            chosen_score,
        )  # fmt: skip
        _chosen(int(chosen.min()))
        columns[:, j], scores[:, j] = chosen, chosen_score
    no_terms, never = np.full_like(scores, np.nan), np.full(p, -1) if n_parts == 1 else None
    return make_selection(columns, scores, no_terms, never, p, source.n_pairs_read)


def _lazy_search(
    source: RelevanceSource, pairs: LazySource, k: int, criterion: Criterion
) -> Selection[GreedyDetails] | None:
    """Each part on its own, reading only the pairs whose bound can still win.

    None if so many of them can that the parts are better searched together.
    """
    search = _LazySearch(source, pairs, k, criterion)
    n_parts = source.n_parts
    # the choices of the first part are good guesses for the others, which differ by a few rows
    with task("selecting", k * n_parts) as advance:
        search.run(range(1), advance)
        expected = (n_parts - 1) * search.n_read
        if pairs.shares_reads and expected > pairs.pairs_of_joint_search(k):
            pairs.forget_searches()
            return None
        for_blocks(
            lambda a, b: search.run(range(a + 1, b + 1), advance),
            n_parts - 1,
            pairs.n_threads,
            block=pairs.parts_at_once,
        )
    return search.result()


class _LazySearch:
    """Lazy searches in all parts: some at a time, or in threads."""

    def __init__(self, source: RelevanceSource, pairs: LazySource, k: int, criterion: Criterion):
        self.source, self.pairs, self.k, self.criterion = source, pairs, k, criterion
        n_parts, p = source.relevance.shape
        self.columns = np.empty((n_parts, k), dtype=np.int64)
        self.scores, self.redundancy = np.empty((n_parts, k)), np.empty((n_parts, k))
        self.seen = SeenPairs(p)
        self._nearest: np.ndarray | None = None  # by place in the order of selection, of one part
        self.n_read = 0  # pairs of the first part, apart from those with its first choice
        self._limit = items_at_once(pairs.cells_of_pair)
        # a quotient has no bound before the first term, so it reads every column: at once
        eager = pairs.shares_reads and criterion.score == "quotient"
        self._first = self._first_choices() if eager else None

    def _first_choices(self) -> np.ndarray:
        n_parts, p = self.source.relevance.shape
        chosen, score = np.empty(n_parts, dtype=np.int64), np.empty(1)
        scores, none = np.empty(greedy.scores_size(p)), np.zeros((1, p))
        for t in range(n_parts):
            relevance = without_constants(self.source, self.pairs, slice(t, t + 1))
            taken = np.zeros((1, p), dtype=np.int32)
            greedy.step(
                0, relevance, None, none, taken, scores, self.criterion.flags, 0, 1, chosen[t:],
                score,
            )  # fmt: skip
        return chosen

    def run(self, part_ids: range, advance: Callable[[], None]) -> None:
        """Search in some parts."""
        at, k = slice(part_ids.start, part_ids.stop), self.k
        relevance = without_constants(self.source, self.pairs, at)
        terms = self.criterion.first_terms(relevance)
        state = SearchState(relevance, terms, k, nearest=len(self.columns) == 1)
        search = self.pairs.searcher(part_ids, k, self._first)
        hints = self.columns[0] if part_ids.start else None
        j = 0
        while j < k:
            checkpoint()
            before, j = j, search(state, j, k, self.criterion.flags, hints, self._limit)
            _chosen(j)
            for _ in range((j - before) * len(part_ids)):
                advance()
        np.put_along_axis(state.evaluated, state.selected, state.depth, axis=1)
        self.columns[at], self.scores[at] = state.selected, state.scores
        self.redundancy[at] = state.redundancy
        self._count(part_ids, state)

    def _count(self, part_ids: range, state: SearchState) -> None:
        if part_ids.start == 0:
            self.n_read = int(np.maximum(state.evaluated - 1, 0).sum())
        if len(self.columns) == 1:
            self.seen.n_alone = int(state.evaluated.sum())
            self._nearest = state.nearest
        else:
            for columns, depth in zip(state.selected, state.evaluated, strict=True):
                self.seen.add(columns, depth)

    def result(self) -> Selection[GreedyDetails]:
        """What the parts chose."""
        p, nearest = self.source.n_features, None
        if self._nearest is not None:
            (place,) = self._nearest
            nearest = np.where(place >= 0, self.columns[0, place], -1)
        return make_selection(
            self.columns, self.scores, self.redundancy, nearest, p, p + self.seen.count()
        )


class SeenPairs:
    """Pairs read by the lazy searches of several parts, each counted once; a bit for each."""

    def __init__(self, p: int):
        self.p = p
        self.with_column: dict[int, np.ndarray] = {}
        self.lock = Lock()
        self.n_alone = 0  # pairs of the only part, which sees each once

    def add(self, columns: np.ndarray, depth: np.ndarray) -> None:
        """Column f was read against the first ``depth[f]`` of `columns`."""
        # narrow numbers are compared faster
        kind: Any = np.uint8 if columns.size < 256 else np.int32
        place = np.arange(columns.size, dtype=kind)[:, None]
        seen = np.packbits(depth.astype(kind) > place, axis=1)
        with self.lock:
            for g, bits in zip(columns.tolist(), seen, strict=True):
                self.with_column[g] = self.with_column.get(g, 0) | bits

    def count(self) -> int:
        """Number of pairs; a pair of two of the columns may have been seen from both sides."""
        if not self.with_column:
            return self.n_alone
        columns = np.array(sorted(self.with_column))
        bits = [self.with_column[int(g)] for g in columns]
        both = np.array([each[columns // 8] >> (7 - columns % 8) & 1 for each in bits])
        total = sum(int(np.bitwise_count(each).sum()) for each in bits)
        return total - int((both & both.T).sum()) // 2


def full_search(
    source: Source,
    relevance: np.ndarray,
    k: int,
    criterion: Criterion,
    gate: Gate | None = None,
    included: np.ndarray = NOTHING,
) -> Selection[GreedyDetails]:
    """Any number of parts, advanced together: the new columns of a step are read in one pass.

    A gate sets the relevance of columns that may not enter to -inf. Included ones come first.
    """
    n_parts, p = relevance.shape
    terms = criterion.first_terms(relevance)
    terms[:, included] = np.maximum(terms[:, included], 0.0)  # of constant ones too
    relevance[:, included] = -np.inf  # they are not candidates
    if gate is not None:
        gate.start(relevance)
    values, taken = np.zeros((n_parts, p)), np.zeros((n_parts, p), dtype=np.int32)
    columns = np.zeros((n_parts, k), dtype=np.int64)
    scores, redundancy = np.full((n_parts, k), -np.inf), np.full((n_parts, k), np.nan)
    chosen, chosen_score = np.empty(n_parts, dtype=np.int64), np.empty(n_parts)
    parts, nearest, nearest_value = np.arange(n_parts), np.full(p, -1), np.zeros(p)
    weighted = None
    if source.sizes is not None and criterion.combine == "mean":
        weighted = _WeightedMean(source.sizes, n_parts)
    with task("selecting", k) as advance:
        for j in range(k):
            if j:
                searching = chosen_score > -np.inf  # the others have no column left
                if not searching.any():
                    break
                requests = [
                    (int(g), np.nonzero((chosen == g) & searching)[0])
                    for g in np.unique(chosen[searching])
                ]
                ahead = None
                if j + 1 < k:  # the last columns are compared with no others
                    ahead = partial(
                        _next, criterion, relevance, terms, taken, j, included[j:].tolist()
                    )
                source.association(requests, values, ahead)
                if weighted is not None:
                    weighted.weigh(values, terms, chosen, j)
                if gate is not None:
                    gate.close(requests, values, relevance, taken, ahead)
                if n_parts == 1:
                    closer = criterion.decides(values, terms, nearest_value)[0] & (taken[0] == 0)
                    nearest[closer], nearest_value[closer] = chosen[0], values[0, closer]

            forced = _only(included[j], relevance.shape) if j < included.size else relevance

            def work(start: int, stop: int, j: int = j, among: np.ndarray = forced) -> None:
                greedy.step(
                    j, among, values if j else None, terms, taken,
                    np.empty(greedy.scores_size(p)), criterion.flags, start, stop, chosen,
                    chosen_score,
                )  # fmt: skip

            for_blocks(work, n_parts, source.n_threads)
            _chosen(chosen.min())
            columns[:, j], scores[:, j] = chosen, chosen_score if j >= included.size else np.nan
            if j:
                n_terms = 1 if criterion.combine == "maximum" else j
                redundancy[:, j] = terms[parts, chosen] / n_terms
            advance()
    return make_selection(
        columns, scores, redundancy, nearest if n_parts == 1 else None, p, source.n_pairs_read
    )


def _next(
    criterion: Criterion, relevance: np.ndarray, terms: np.ndarray, taken: np.ndarray, j: int,
    included: list[int],
) -> Iterator[int]:  # fmt: skip
    """The columns that the parts may choose next in step ``j``, the likeliest first."""
    yield from included
    scores = criterion.scores(relevance, terms, j - 1)
    yield from by_score(np.where(taken < 0, -np.inf, scores))


class _WeightedMean:
    """Terms that count once for each column of a selected group, for a mean over columns.

    The steps of a search add terms and divide by their number, so each term is what the mean times
    that number grows by.
    """

    def __init__(self, sizes: np.ndarray, n_parts: int):
        self._sizes = sizes
        self._sum: Any = 0.0
        self._n_columns = np.zeros(n_parts)

    def weigh(self, values: np.ndarray, terms: np.ndarray, chosen: np.ndarray, j: int) -> None:
        """Turn the terms with what each part chose in step ``j - 1`` into such ones."""
        size = self._sizes[chosen].astype(np.float64)
        self._sum = self._sum + values * size[:, None]
        self._n_columns += size
        values[...] = self._sum * (j / self._n_columns)[:, None] - terms


def _only(column: int, shape: tuple[int, ...]) -> np.ndarray:
    """Relevance that lets nothing but one column be chosen."""
    relevance = np.full(shape, -np.inf)
    relevance[:, column] = 0.0
    return relevance

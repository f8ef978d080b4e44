"""Correlation-based feature selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.progress import task
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs._utils.threads import for_blocks
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing, first_largest
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS
from ensfs.selection._coded import (
    CODING_CONSTRAINTS,
    CORRECTION_CONSTRAINTS,
    UNCERTAINTY_DOCS,
    CodedSelector,
    symmetrical_uncertainty,
)
from ensfs.statistics import Source, Sources, by_score
from ensfs.statistics.formulas import Measure
from ensfs.training.contract import TrainingData

#: A floating search gives up when it is so many columns beyond the best set.
PATIENCE = 10

#: A best-first search gives up after so many expansions without improvement, and remembers as many
#: sets to expand (Weka's settings).
STALE = 5


@dataclass(frozen=True)
class CFSDetails:
    """How long the searches were; the scores of a selection are the merits along the way.

    Attributes
    ----------
    n_expanded : list of int
        Sets of each part whose extensions were all looked at.
    """

    n_expanded: list[int]


@with_docs(SELECTOR_DOCS | UNCERTAINTY_DOCS)
class CFS(CodedSelector[CFSDetails]):
    r"""Correlation-based feature selection: the set that predicts best and repeats itself least.

    The merit of a set of k columns weighs their symmetrical uncertainties with the target against
    those among themselves:

    .. math:: \frac{\sum_{f} SU(f, y)}{\sqrt{k + 2\sum_{f<g} SU(f, g)}}

    Parameters
    ----------
    search : {"best_first", "forward", "floating"}, default="best_first"
        How sets are searched. "forward" adds the best column while the merit rises. "best_first"
        goes back to the best of five remembered sets when it is stuck, and stops after five
        expansions without improvement, as Weka does. "floating" adds the best column and takes back
        columns as long as that beats the best set of that size.
    locally_predictive : bool, default=False
        Whether to add, after the search, each relevant column (by decreasing relevance) that no
        column in the set knows more about than it knows about the target.
    n_features_to_select : int or float, optional
        The largest set to look at; None has no limit.
    {correction, counting_parameters}

    Attributes
    ----------
    indices_ : ndarray
        Columns of the best set, in the order in which they were added.
    merit_ : float
        Its merit.
    merits_ : ndarray
        Merit of the set after each of its columns was added.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        `merits_` by column; NaN for columns left out.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Symmetrical uncertainty of each column with the target.
    n_expanded_ : int
        Sets whose extensions were all looked at.
    {cut_points_, target_cut_points_, output_relevance_, groups_}
    n_pairs_needed_, n_pairs_read_ : int
        Pairs whose rows were read, which are those that the method needs.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    M. A. Hall (2000), Correlation-based feature selection for discrete and numeric class machine
    learning, ICML.

    P. Pudil, J. Novovičová and J. Kittler (1994), Floating search methods in feature selection,
    Pattern Recognition Letters 15, 1119-1125.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import CFS
    >>> y = list("000000111111")
    >>> X = np.array([list("000001111110"), list("000011111100"), list("000001111101")]).T
    >>> selector = CFS().fit(X, y)
    >>> selector.indices_, round(selector.merit_, 6)
    (array([0, 2]), 0.425983)
    """

    decides_size = True

    _parameter_constraints: dict = {
        "search": [StrOptions({"best_first", "forward", "floating"})],
        "locally_predictive": ["boolean"],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        **CORRECTION_CONSTRAINTS,
        **CODING_CONSTRAINTS,
    }

    def __init__(
        self, search="best_first", *, locally_predictive=False, n_features_to_select=None,
        correction=None, discretizer="mdl", discrete_features="auto", target_bins=3,
        multi_output="mean", missing="auto", include=None, exclude=None, feature_groups=None,
        n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            correction=correction, discretizer=discretizer, discrete_features=discrete_features,
            target_bins=target_bins, multi_output=multi_output, missing=missing, include=include,
            exclude=exclude, feature_groups=feature_groups, n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.search = search
        self.locally_predictive = locally_predictive
        self.n_features_to_select = n_features_to_select

    @property
    def _measure(self) -> Measure:
        return symmetrical_uncertainty(self.correction)

    def select(self, sources: Sources, k: int, included: np.ndarray) -> Selection[CFSDetails]:
        """Columns of every part."""
        source = sources.pairs
        start = tuple(included.tolist())
        searches = [Merits(source, t, k, start) for t in range(source.n_parts)]
        columns: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * source.n_parts

        def work(start: int, stop: int, advance: Callable[[], None]) -> None:
            for t in range(start, stop):
                searches[t].advance = advance
                found = getattr(searches[t], self.search)()
                if self.locally_predictive:
                    found = searches[t].add_locally_predictive(found)
                columns[t] = np.array(found, dtype=np.int64)

        # a source with one part shares its columns among the threads itself
        n_threads = source.n_threads if source.n_parts > 1 else 1
        with task("expanding sets") as advance:
            for_blocks(lambda a, b: work(a, b, advance), source.n_parts, n_threads, block=1)
        scores = [search.path(found) for search, found in zip(searches, columns, strict=True)]
        n_read = source.n_pairs_read  # what the method needs is what was read
        details = CFSDetails([search.n_expanded for search in searches])
        return Selection(columns, scores, n_read, n_read, details)

    def store(self, data: TrainingData, sources: Sources, selection: Selection[CFSDetails]) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        self.merits_ = selection.scores[0]
        self.merit_ = float(self.merits_[-1]) if self.merits_.size else 0.0
        self.n_expanded_ = selection.details.n_expanded[0]
        self.n_pairs_needed_ = self.n_pairs_read_ = selection.n_pairs_read

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "merit with it": float(self.scores_[j]),
        }


class Merits:
    """The merits of sets of columns in one part, and three searches for the best set."""

    def __init__(self, source: Source, t: int, largest: int, start: tuple[int, ...] = ()):
        self.source = source
        self.t = t
        self.largest = largest
        self.start = start  # where every search begins, and what it never takes out
        self.relevance = source.relevance[t]
        self.n_expanded = 0
        self.advance: Callable[[], None] = lambda: None  # called after each expansion
        self._with: dict[int, np.ndarray] = {}
        self._expected = self.relevance  # merits of the last extensions

    def with_column(self, g: int) -> np.ndarray:
        """Symmetrical uncertainty of every column with column ``g``."""
        if g not in self._with:
            values = np.empty((self.source.n_parts, self.source.n_features))
            self.source.association([(g, np.array([self.t]))], values, self._next)
            self._with[g] = values[self.t].copy()
        return self._with[g]

    def _next(self) -> Iterator[int]:
        """The columns that a set may be extended by next, the likeliest first."""
        return by_score(self._expected[None])

    def merit(self, columns: Any) -> float:
        """Merit of one set."""
        columns = list(columns)
        if not columns:
            return 0.0
        among = sum(float(self.with_column(g)[columns[:i]].sum()) for i, g in enumerate(columns))
        return float(self.relevance[columns].sum()) / np.sqrt(len(columns) + 2.0 * among)

    def path(self, columns: Any) -> np.ndarray:
        """Merit of the set after each of its columns."""
        return np.array([self.merit(columns[: i + 1]) for i in range(len(columns))])

    def extensions(self, columns: tuple[int, ...]) -> np.ndarray:
        """Merit of a set with each further column; -inf for its own columns."""
        own = list(columns)
        among = sum(float(self.with_column(g)[own[:i]].sum()) for i, g in enumerate(own))
        to_set = np.zeros(self.source.n_features)
        for g in own:
            to_set += self.with_column(g)
        total = self.relevance[own].sum() + self.relevance
        merits = total / np.sqrt(len(own) + 1 + 2.0 * (among + to_set))
        merits[own] = -np.inf
        self.n_expanded += 1
        self.advance()
        self._expected = merits
        return merits

    # ------------------------------------------------------------------ searches

    def forward(self) -> list[int]:
        """Add the best column while the merit rises."""
        found, merit = self.start, self.merit(self.start)
        while len(found) < self.largest:
            merits = self.extensions(found)
            f = first_largest(merits)
            if not merits[f] > merit + 1e-10:
                break
            found, merit = (*found, f), float(merits[f])
        return list(found)

    def best_first(self) -> list[int]:
        """Expand the best remembered set; stop after some expansions without improvement."""
        best, best_merit, stale = self.start, self.merit(self.start), 0
        remembered: list[tuple[float, tuple[int, ...]]] = [(best_merit, best)]
        expanded: list[frozenset[int]] = []
        while remembered and stale < STALE:
            _, columns = remembered.pop(0)
            if len(columns) >= self.largest:
                continue
            merits = self.extensions(columns)
            merits[_seen(frozenset(columns), expanded)] = -np.inf
            expanded.append(frozenset(columns))
            improved = False
            for f in _rising(merits, best_merit, 1e-5):
                best, best_merit, improved = (*columns, f), float(merits[f]), True
            stale = 0 if improved else stale + 1
            remembered = _remember(remembered, merits, columns)
        return list(best)

    def floating(self) -> list[int]:
        """Add the best column, then take back while that beats the best set of that size."""
        found = self.start
        best: dict[int, tuple[float, tuple[int, ...]]] = {len(found): (self.merit(found), found)}
        while len(found) < self.largest:
            merits = self.extensions(found)
            f = first_largest(merits)
            found = (*found, f)
            merit = float(merits[f])
            if merit > best.get(len(found), (-np.inf, ()))[0] + TIE_TOLERANCE:
                best[len(found)] = merit, found
            else:
                found = best[len(found)][1]
            while len(found) > max(2, len(self.start)):
                free = [w for w in found if w not in self.start]
                without = [tuple(g for g in found if g != w) for w in free]
                reduced = [self.merit(columns) for columns in without]
                w = first_largest(np.array(reduced))
                if not reduced[w] > best[len(found) - 1][0] + TIE_TOLERANCE:
                    break
                found = without[w]
                best[len(found)] = reduced[w], found
            if len(found) > _smallest_best(best) + PATIENCE:
                break
        return list(best[_smallest_best(best)][1])

    def add_locally_predictive(self, found: list[int]) -> list[int]:
        """Add relevant columns that no column of the set stands for."""
        found = list(found)
        inside = np.zeros(self.source.n_features, dtype=bool)
        inside[found] = True
        closest = np.zeros(self.source.n_features)
        for g in found:
            np.maximum(closest, self.with_column(g), out=closest)
        for f in by_decreasing(self.relevance, ~inside & (self.relevance > TIE_TOLERANCE)):
            if len(found) >= self.largest:
                break
            if not closest[f] > self.relevance[f] + TIE_TOLERANCE:
                found.append(int(f))
                np.maximum(closest, self.with_column(int(f)), out=closest)
        return found


def _smallest_best(best: dict[int, tuple[float, tuple[int, ...]]]) -> int:
    """The smallest size whose set has the largest merit."""
    sizes = sorted(best)
    return sizes[first_largest(np.array([best[size][0] for size in sizes]))]


def _rising(merits: np.ndarray, best: float, by: float) -> list[int]:
    """Positions that, one after the other, exceed the best so far by more than `by`."""
    found: list[int] = []
    start = 0
    while True:
        above = np.nonzero(merits[start:] > best + by)[0]
        if not above.size:
            return found
        f = start + int(above[0])
        found.append(f)
        best, start = float(merits[f]), f + 1


def _seen(columns: frozenset[int], expanded: list[frozenset[int]]) -> list[int]:
    """Columns that would make a set which an earlier expansion has looked at."""
    size = len(columns)
    return [
        next(iter(other - columns))
        for other in expanded
        if len(other) == size and len(other - columns) == 1
    ]


def _remember(
    remembered: list[tuple[float, tuple[int, ...]]], merits: np.ndarray, columns: tuple[int, ...]
) -> list[tuple[float, tuple[int, ...]]]:
    """The best sets to expand next; of equal ones the earlier."""
    n = min(STALE, merits.size)
    top = np.argpartition(-merits, n - 1)[:n] if n < merits.size else np.arange(merits.size)
    # all ties with the last of them, so that the earlier ones win
    top = np.nonzero(merits >= merits[top].min() - TIE_TOLERANCE)[0]
    new = [(float(merits[f]), (*columns, int(f))) for f in top if np.isfinite(merits[f])]
    entries = remembered + new
    order = by_decreasing(np.array([merit for merit, _ in entries]), np.ones(len(entries), bool))
    return [entries[i] for i in order[:STALE]]

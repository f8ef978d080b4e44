"""Fast correlation-based filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._core import fold_pairs
from ensfs._utils.docs import with_docs
from ensfs._utils.progress import task
from ensfs._utils.sklearn import Interval
from ensfs._utils.threads import for_blocks, ranges_of
from ensfs._utils.ties import TIE_TOLERANCE, by_decreasing, tie_keys
from ensfs.search.elimination import (
    IRRELEVANT,
    KEPT,
    REDUNDANCY_TOLERANCE,
    predominant,
    remover,
)
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS
from ensfs.selection._coded import (
    CODING_CONSTRAINTS,
    CORRECTION_CONSTRAINTS,
    UNCERTAINTY_DOCS,
    CodedSelector,
    symmetrical_uncertainty,
)
from ensfs.statistics import CodedSource, Source, Sources
from ensfs.statistics.formulas import Measure
from ensfs.training.contract import TrainingData


@dataclass(frozen=True)
class FCBFDetails:
    """Why columns were left out.

    Attributes
    ----------
    removed_by : ndarray of int, shape (n_parts, n_features)
        The column that removed each column, `KEPT`, or `IRRELEVANT`.
    """

    removed_by: np.ndarray


@with_docs(SELECTOR_DOCS | UNCERTAINTY_DOCS)
class FCBF(CodedSelector[FCBFDetails]):
    r"""Fast correlation-based filter: relevant columns that no more relevant one stands for.

    Columns whose symmetrical uncertainty with the target exceeds the threshold are walked through
    by decreasing relevance. Each one that is reached stays, and removes every column after it that
    it knows more about than that column knows about the target:

    .. math:: SU(f, q) \ge SU(q, y)

    Parameters
    ----------
    threshold : float, default=0.0
        Columns with a symmetrical uncertainty of at most this are irrelevant.
    n_features_to_select : int or float, optional
        The most columns to keep; None keeps what the method keeps.
    {correction, counting_parameters}

    Attributes
    ----------
    indices_ : ndarray
        The included columns, then those that were kept by decreasing relevance.
    {support_, ranking_}
    scores_, relevance_ : ndarray of shape (`n_features_in_`,)
        Symmetrical uncertainty of each column with the target (`scores_`: NaN if not kept).
    removed_by_ : ndarray of shape (`n_features_in_`,)
        Column that removed each column; -1 for kept columns (and those beyond
        `n_features_to_select`), -2 for irrelevant and excluded ones.
    {cut_points_, target_cut_points_, output_relevance_, groups_}
    n_pairs_needed_, n_pairs_read_ : int
        Pairs whose rows were read, which are those that the method needs.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    Notes
    -----
    Equality removes, so a copy of a kept column never stays; of columns with equal relevance the
    lower one comes first. Only kept columns remove others. No matrix of all pairs is made. Included
    columns need no relevance; they keep their place in the walk, and nothing removes them.

    References
    ----------
    L. Yu and H. Liu (2004), Efficient feature selection via analysis of relevance and redundancy,
    Journal of Machine Learning Research 5, 1205-1224.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import FCBF
    >>> y = list("000000111111")
    >>> X = np.array([list("000001111110"), list("000011111100"), list("000001111101")]).T
    >>> selector = FCBF().fit(X, y)
    >>> selector.indices_, selector.removed_by_
    (array([0]), array([-1,  0,  0]))
    """

    prefix_stable = True  # the walk through the columns only ends sooner
    decides_size = True

    _parameter_constraints: dict = {
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        **CORRECTION_CONSTRAINTS,
        **CODING_CONSTRAINTS,
    }

    def __init__(
        self, threshold=0.0, *, n_features_to_select=None, correction=None, discretizer="mdl",
        discrete_features="auto", target_bins=3, multi_output="mean", missing="auto", include=None,
        exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            correction=correction, discretizer=discretizer, discrete_features=discrete_features,
            target_bins=target_bins, multi_output=multi_output, missing=missing, include=include,
            exclude=exclude, feature_groups=feature_groups, n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.threshold = threshold
        self.n_features_to_select = n_features_to_select

    @property
    def _measure(self) -> Measure:
        return symmetrical_uncertainty(self.correction)

    def select(self, sources: Sources, k: int, included: np.ndarray) -> Selection[FCBFDetails]:
        """Columns of every part."""
        source = sources.pairs
        columns: list[np.ndarray] = [np.empty(0, dtype=np.int64)] * source.n_parts
        removed_by = np.full((source.n_parts, source.n_features), IRRELEVANT)
        n_read = np.zeros(source.n_parts, dtype=np.int64)

        def work(start: int, stop: int) -> None:
            for t in range(start, stop):
                columns[t], n_read[t] = self._filter(source, t, k, included, removed_by[t], advance)

        with task("keeping columns") as advance:
            store = source.all_parts if isinstance(source, CodedSource) else None
            if isinstance(source, CodedSource) and store is not None and not included.size:
                columns, n_pairs_needed, n_pairs_read = self._filter_together(
                    source, store, k, removed_by, advance
                )
            else:
                for_blocks(work, source.n_parts, source.n_threads, block=1)
                n_pairs_needed = n_pairs_read = int(n_read.sum())
        scores = [source.relevance[t, kept] for t, kept in enumerate(columns)]
        p = source.n_features
        return Selection(
            columns, scores, p + n_pairs_needed, p + n_pairs_read, FCBFDetails(removed_by)
        )

    def _filter(
        self,
        source: Source,
        t: int,
        k: int,
        included: np.ndarray,
        removed_by: np.ndarray,
        advance: Callable[[], None],
    ) -> tuple[np.ndarray, int]:
        """Walk through the relevant columns of one part, and those that are included."""
        relevance = np.ascontiguousarray(source.relevance[t])
        walked = relevance > self.threshold + TIE_TOLERANCE
        walked[included] = True
        order = by_decreasing(relevance, walked)
        return predominant(order, relevance, remover(source, t), removed_by, k, advance, included)

    def _filter_together(
        self,
        source: CodedSource,
        all_parts: fold_pairs.FoldStore,
        k: int,
        removed_by: np.ndarray,
        advance: Callable[[], None],
    ) -> tuple[list[np.ndarray], int, int]:
        """Walk through all parts side by side: a pair is counted once for all of them."""
        n_parts, p = source.relevance.shape
        relevant = source.relevance > self.threshold + TIE_TOLERANCE
        removed_by[relevant] = KEPT  # until a column removes it
        pending = np.zeros(p, dtype=np.uint64)  # bit t: part t has not decided about the column
        for t in range(n_parts):
            pending |= relevant[t].astype(np.uint64) << np.uint64(t)
        columns = np.nonzero(pending)[0]
        relevance_of_column = np.ascontiguousarray(source.relevance.T)
        keys = np.where(relevant, tie_keys(source.relevance), -1.0)
        best = [int(np.argmax(key)) if key.size and key.max() >= 0 else -1 for key in keys]
        kept: list[list[int]] = [[] for _ in range(n_parts)]
        found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        n_pairs_needed = n_read = 0
        while walking := [t for t in range(n_parts) if best[t] >= 0]:
            for t in walking:
                g = best[t]
                kept[t].append(g)
                advance()
                pending[g] &= ~(np.uint64(1) << np.uint64(t))
                if len(kept[t]) == k:
                    best[t] = -1
                    continue
                if g not in found:
                    columns = columns[pending[columns] > 0]
                    bits = np.empty(columns.size, dtype=np.uint64)
                    for a, b in ranges_of(0, columns.size, source.resampling.fold.size):
                        all_parts.redundant(
                            g,
                            columns[a:b],
                            pending,
                            relevance_of_column,
                            REDUNDANCY_TOLERANCE,
                            bits[a:b],
                        )
                    found[g] = columns, bits
                    n_read += columns.size
                best[t], n_compared = fold_pairs.remove_in_part(
                    *found[g], t, g, keys[t], removed_by[t], pending
                )
                n_pairs_needed += n_compared
        return [np.array(each, dtype=np.int64) for each in kept], n_pairs_needed, n_read

    def store(
        self, data: TrainingData, sources: Sources, selection: Selection[FCBFDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        removed_by = data.variables.column(selection.details.removed_by[0])
        self.removed_by_ = data.variables.by_column(removed_by, fill=IRRELEVANT)
        self.n_pairs_needed_, self.n_pairs_read_ = selection.n_pairs_needed, selection.n_pairs_read

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        by = int(self.removed_by_[j])
        reason = "predominant" if self.support_[j] else "beyond n_features_to_select"
        if by == IRRELEVANT:
            reason = "not relevant"
        elif by >= 0:
            reason = "redundant"
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "reason": reason,
            "removed by": self._name(by) if by >= 0 else None,
        }

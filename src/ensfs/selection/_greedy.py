"""What greedy selectors share that count a column, a selected column and the target together."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ensfs._utils.docs import read_descriptions
from ensfs._utils.ties import TIE_TOLERANCE
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import GreedyDetails
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS
from ensfs.selection._coded import (
    CODING_CONSTRAINTS,
    CORRECTION_CONSTRAINTS,
    CORRECTION_DOCS,
    CodedSelector,
)
from ensfs.selection._sized import SIZE_CONSTRAINTS, SIZE_DOCS, SizedSelector, count_tests
from ensfs.statistics import Resampling, Sources
from ensfs.statistics.formulas import CORRECTIONS, Measure
from ensfs.training.contract import TrainingData

#: Parameters and attributes of all greedy criteria.
GREEDY_DOCS = (
    SELECTOR_DOCS
    | CORRECTION_DOCS
    | SIZE_DOCS
    | read_descriptions("""
relevance_ : ndarray of shape (`n_features_in_`,)
    Mutual information of each column with the target, in bits; with a correction it is negative
    where chance would give more.
informative_ : ndarray of bool, shape (n_features_to_select,)
    Whether each selected column had a score above 0. Those with a score of 0 follow in order of
    index. False for those that are included.
""")
    | {
        "greedy_parameters": (
            "{n_features_to_select, correction, expected_false, min_features_to_select}\n"
            "{counting_parameters}"
        ),
        "sized_attributes": (
            "{indices_, support_, ranking_, scores_, relevance_, informative_, cut_points_}\n"
            "{target_cut_points_, output_relevance_, groups_, entry_pvalues_, stop_reason_}\n"
            "{n_pairs_needed_, n_pairs_read_, n_readings_, n_missing_, n_features_in_}\n"
            "{feature_names_in_}"
        ),
    }
)
#: Of those that take the least term.
MINIMUM_DOCS = GREEDY_DOCS | read_descriptions("""
n_pairs_read_ : int
    Pairs whose rows were read: the minimum only falls, so most need not be.
""")


class GreedyInformation(SizedSelector, CodedSelector[GreedyDetails]):
    """A criterion of greedy selection. A subclass adds `_criterion` and a description."""

    #: Heading of the selected column whose term matters most, in explanations; None without terms.
    _nearest_heading: ClassVar[str | None] = "most with"

    @property
    @abstractmethod
    def _criterion(self) -> Criterion:
        """How a column is scored."""

    @property
    def _scoring(self) -> Criterion:
        """The criterion on the information that `correction` asks for."""
        if self.correction is None:
            return self._criterion
        return self._criterion.corrected(CORRECTIONS[self.correction])

    @property
    def _measure(self) -> str | Measure:
        measure = self._scoring.measure
        assert measure is not None
        return measure

    _parameter_constraints: dict = {
        **SIZE_CONSTRAINTS,
        **CORRECTION_CONSTRAINTS,
        **CODING_CONSTRAINTS,
    }

    def __init__(
        self, n_features_to_select=10, *, correction="miller_madow", expected_false=1.0,
        min_features_to_select=1, discretizer="mdl", discrete_features="auto", target_bins=3,
        multi_output="mean", missing="auto", include=None, exclude=None, feature_groups=None,
        n_jobs=None, verbose=0,
    ):  # fmt: skip
        super().__init__(
            correction=correction, discretizer=discretizer, discrete_features=discrete_features,
            target_bins=target_bins, multi_output=multi_output, missing=missing, include=include,
            exclude=exclude, feature_groups=feature_groups, n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.n_features_to_select = n_features_to_select
        self.expected_false = expected_false
        self.min_features_to_select = min_features_to_select

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> Sources:
        """The source of relevance and terms, with tests if they decide the size."""
        sources = super().sources(data, resampling, n_threads, signed)
        if not self.decides_size or signed:
            return sources
        return replace(sources, tests=count_tests(sources.pairs, data, self.discretizer))

    def n_fillers(self, scores: np.ndarray) -> int:
        """Those at the end of a minimum that all have the same score, of 0 or below.

        No column adds anything then, so that the lowest ones follow. One alone may be the best.
        """
        if self.decides_size or self._criterion.combine != "minimum" or not scores.size:
            return 0
        last = (scores <= TIE_TOLERANCE) & (np.abs(scores - scores[-1]) <= TIE_TOLERANCE)
        n = int(np.cumprod(last[::-1]).sum())
        return n if n > 1 else 0

    def select(self, sources: Sources, k: int, included: np.ndarray) -> Selection[GreedyDetails]:
        """Columns of every part."""
        return self._search(sources, k, self._scoring, included)

    def store(
        self, data: TrainingData, sources: Sources, selection: Selection[GreedyDetails]
    ) -> None:
        """Set the learned attributes."""
        super().store(data, sources, selection)
        self._store_entry(selection.details.entry)
        # a column that adds nothing is there only to fill the number
        self.informative_ = selection.scores[0] > TIE_TOLERANCE
        self.n_pairs_needed_ = selection.n_pairs_needed
        self.n_pairs_read_ = selection.n_pairs_read
        assert selection.details.nearest is not None  # there is one part
        variables = data.variables
        self._nearest = variables.by_column(variables.column(selection.details.nearest), fill=-1)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        nearest = int(self._nearest[j])
        row = {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "score": float(self.scores_[j]),
        }
        if self._nearest_heading is not None:
            row[self._nearest_heading] = self._name(nearest) if nearest >= 0 else None
        return row | self._entry_row(j)

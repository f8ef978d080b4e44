"""Criteria of greedy selection: how the terms of a column make its score.

A term is what a column has with one of the columns selected before: a redundancy, or what it adds
to that column. A criterion is a measure for the terms, a way to combine them, what the combination
starts from, and how it enters the score. From these follows whether the terms read so far bound the
score from above, so that a search may be lazy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ensfs._core import greedy
from ensfs.statistics.formulas import Measure


@dataclass(frozen=True)
class Criterion:
    """How a column is scored against the columns selected before it.

    Attributes
    ----------
    measure : Measure, optional
        What a term is. None where the source of the terms determines it, as for correlations; such
        terms are not negative.
    combine : {"sum", "mean", "minimum", "maximum"} or None
        How terms are combined; None for a criterion without terms, which ranks by relevance.
    score : {"terms", "difference", "quotient", "discount"}, default="terms"
        The combined terms themselves (the relevance, while there are none), the relevance minus
        them, the relevance divided by them, or the relevance times (1 - terms^2)^2.
    from_relevance : bool, default=False
        Whether the combination starts from the relevance, so that a minimum includes it.
    """

    measure: Measure | None = None
    combine: str | None = "sum"
    score: str = "terms"
    from_relevance: bool = False

    @property
    def bounded(self) -> bool:
        """Whether another term can only lower the score."""
        if self.combine == "minimum":
            return self.score == "terms"
        return self.score != "terms" and (self.measure is None or self.measure.nonnegative)

    def corrected(self, times: float) -> Criterion:
        """The same with terms without (so many times) what chance gives them.

        Where terms are the score or count for a column, less than by chance counts against it. A
        redundancy below chance is none: the terms of a bounded score stay at least 0.
        """
        assert self.measure is not None
        signed = self.measure.signed or self.score == "terms" or min(self.measure.weights) < 0
        measure = replace(self.measure, signed=signed, chance="subtracted", chance_times=times)
        return replace(self, measure=measure)

    @property
    def flags(self) -> int:
        """The criterion for the kernels."""
        combine = {
            "minimum": greedy.minimum, "maximum": greedy.maximum, "mean": greedy.mean,
        }  # fmt: skip
        score = {
            "difference": greedy.difference, "quotient": greedy.quotient,
            "discount": greedy.discount,
        }  # fmt: skip
        return combine.get(self.combine or "", 0) | score.get(self.score, 0)

    def first_terms(self, relevance: np.ndarray) -> np.ndarray:
        """What the terms of every column are combined with."""
        if self.from_relevance:
            return relevance.copy()
        return np.full(relevance.shape, np.inf if self.combine == "minimum" else 0.0)

    def scores(self, relevance: np.ndarray, terms: np.ndarray, n_terms: int) -> np.ndarray:
        """About the scores that so many terms give: what a search expects of its next steps."""
        if n_terms == 0:
            return relevance
        combined = terms / n_terms if self.combine == "mean" else terms
        if self.score == "difference":
            return relevance - combined
        if self.score == "quotient":
            with np.errstate(over="ignore"):
                return np.asarray(relevance / np.maximum(combined, 1e-12))
        if self.score == "discount":
            share = np.square(1.0 - np.square(np.minimum(combined, 1.0)))
            with np.errstate(invalid="ignore"):
                return np.where(relevance > 0.0, relevance * share, relevance)
        return np.where(relevance == -np.inf, -np.inf, combined)

    def decides(self, term: np.ndarray, so_far: np.ndarray, largest: np.ndarray) -> np.ndarray:
        """Where a term matters more than those before it: it is the least, or the largest."""
        return term < so_far if self.combine == "minimum" else term > largest

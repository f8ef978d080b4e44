"""What a search gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

DetailsT = TypeVar("DetailsT")

#: No column at all.
NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Selection(Generic[DetailsT]):
    """The columns that a search selected in each part of the rows.

    Attributes
    ----------
    columns : list of ndarray of int
        The selected columns of each part, in order of selection.
    scores : list of ndarray
        The score of each of these columns when it was chosen.
    n_pairs_needed : int
        Pairs (or tests) that the method needs by definition, each counted once for all parts.
    n_pairs_read : int
        Distinct pairs whose rows were read, or tests that were made.
    details : object
        What only this family of searches has to tell, such as `GreedyDetails`.
    """

    columns: list[np.ndarray]
    scores: list[np.ndarray]
    n_pairs_needed: int
    n_pairs_read: int
    details: DetailsT

    def scores_by_column(self, t: int, n_features: int) -> np.ndarray:
        """Scores of part ``t`` in the order of the table; NaN for columns not selected."""
        scores = np.full(n_features, np.nan)
        scores[self.columns[t]] = self.scores[t]
        return scores

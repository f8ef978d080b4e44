"""Correlations of columns whose missing cells were filled, corrected to what was observed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ensfs.statistics.ahead import Ahead
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.source import Source


class CorrectedSource(Source):
    """Filled columns: relevance as it is, correlations of pairs as where both are observed.

    The products of two filled columns are those of the rows that they have in common, but each is
    divided by the deviations of all rows. So a correlation is multiplied by the geometric mean of
    the numbers of observed rows over the number of rows in common.

    Parameters
    ----------
    source : ContinuousSource or ContinuousBlocks
        The filled columns.
    gaps : Gaps
        Which cells were missing.
    """

    def __init__(self, source: Any, gaps: Gaps):
        self.source, self.gaps = source, gaps
        self.n_features, self.n_parts = source.n_features, source.n_parts
        self.n_threads, self.signed = source.n_threads, source.signed
        self.relevance, self.constant = source.relevance, source.constant
        self.resampling, self.sums = source.resampling, source.sums

    @property
    def n_pairs_read(self) -> int:
        """Distinct pairs whose rows were read."""
        return self.source.n_pairs_read

    def class_means(self) -> np.ndarray:
        """Means of the classes in each part; see `ContinuousSums.class_means`."""
        return self.source.class_means()

    def association(
        self,
        requests: Iterable[tuple[int, np.ndarray]],
        out: np.ndarray,
        ahead: Ahead | None = None,
    ) -> None:
        """Association of every column with the columns asked for; see `Source.association`."""
        requests = list(requests)
        self.source.association(requests, out, ahead)
        for g, part_ids in requests:
            out[part_ids] = np.clip(out[part_ids] * self.gaps.correction(g)[part_ids], -1.0, 1.0)

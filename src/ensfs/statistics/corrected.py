"""Correlations of columns whose missing cells were filled, corrected to what was observed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ensfs.statistics.ahead import Ahead
from ensfs.statistics.continuous import ContinuousSource
from ensfs.statistics.gaps import Gaps
from ensfs.statistics.source import LazySource, SearchSteps


class CorrectedSource(LazySource):
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
    def supports_lazy(self) -> bool:  # type: ignore[override]
        """Whether the pairs that are read can be chosen: of tables in memory without weights."""
        in_memory = isinstance(self.source, ContinuousSource) and self.source.supports_lazy
        return in_memory and self.resampling.weight is None

    @property
    def parts_at_once(self) -> int:  # type: ignore[override]
        """How many parts a search may have."""
        return self.source.parts_at_once

    @property
    def shares_reads(self) -> bool:  # type: ignore[override]
        """Whether what is read for one part serves the others."""
        return self.source.shares_reads

    def searcher(self, part_ids: range, k: int, first: np.ndarray | None) -> SearchSteps:
        """A lazy search in some parts; see `LazySource.searcher`."""
        return self.source.searcher(part_ids, k, first, self.gaps)

    def pairs_of_joint_search(self, k: int) -> int:
        """Pairs that take as long in lazy searches as all parts take together."""
        return self.source.pairs_of_joint_search(k)

    def forget_searches(self) -> None:
        """Free what the searches of the parts share."""
        self.source.forget_searches()

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

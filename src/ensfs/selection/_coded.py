"""What selectors on coded columns share."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from ensfs._utils.sklearn import HasMethods, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs.selection._base import BaseSelector
from ensfs.statistics import Resampling, Source
from ensfs.training.coding import DISCRETISERS

CODING_CONSTRAINTS: dict = {
    "discretizer": [StrOptions(set(DISCRETISERS)), HasMethods(["fit", "transform"])],
    "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class CodedSelector(BaseSelector):
    """A selector on coded columns: reads the table and makes its source of counts."""

    _measure: ClassVar[str]

    def _table_options(self) -> dict[str, Any]:
        """How the table is to be read."""
        return {"discrete_features": self.discrete_features, "integral_is_discrete": True}

    def _sources(
        self, data: Any, parts: Resampling, n_threads: int, signed: bool = False
    ) -> tuple[Source, None]:
        """The source of relevance and terms; nothing here has a sign."""
        source = data.coded_source(
            data.target("classes"), parts, measure=self._measure, discretizer=self.discretizer,
            n_threads=n_threads,
        )  # fmt: skip
        return source, None

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Select columns.

        Parameters
        ----------
        X : array-like, data frame or RowBlocks of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Classes; None for row blocks, which bring their own.

        Returns
        -------
        self : object
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, **self._table_options())
        k = self._n_features(data.n_features)
        sources = self._sources(data, Resampling.all_rows(data.n_rows), n_threads)
        self._keep_selection(data, sources, self._select(sources, k))
        return self

    def _keep_common(self, data: Any, sources: Any, columns: np.ndarray, scores: np.ndarray):
        all_scores = np.full(data.n_features, np.nan)
        all_scores[columns] = scores
        self._keep(columns, all_scores)
        self.relevance_ = sources[0].relevance[0].copy()
        self.cut_points_ = data.cut_points

    @abstractmethod
    def _keep_selection(self, data: Any, sources: Any, selection: Any) -> None:
        """Keep what was selected in the only part."""

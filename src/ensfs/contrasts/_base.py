"""What selectors by forests share: the reading of the table and of the task."""

from __future__ import annotations

from abc import abstractmethod

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs.data.missing import BRANCHES, resolve_missing
from ensfs.data.target import KIND_OF_TASK, Target
from ensfs.selection._base import BaseSelector
from ensfs.training.memory import MemoryTrainingData


@with_docs(COMMON_DOCS)
class ForestSelector(BaseSelector):
    """A selector by forests, for classes and numbers."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row is there: numbers of at least 0, not necessarily whole. A tree draws
            as many rows as there are, each with a chance that is proportional to its weight; rows
            that are not drawn count as much as they weigh. So weights act as repeated rows would on
            average, not exactly.

        Returns
        -------
        self : object
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        resolve_missing(self.missing, BRANCHES)
        data = self._read_in_memory(
            X, y, n_threads, sample_weight, discrete_features=self.discrete_features
        )
        k = self.size_for(data.variables)
        target = data.target(
            KIND_OF_TASK[self.task], instead="Use task='regression' or 'auto'",
            for_text="use task='classification' or 'auto'",
        )  # fmt: skip
        self._select(data, target, k, n_threads)
        self._set_missing(data)
        return self

    @abstractmethod
    def _select(self, data: MemoryTrainingData, target: Target, k: int, n_threads: int) -> None:
        """Select at most `k` columns, and set the learned attributes."""

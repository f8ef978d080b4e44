"""One selection on measures that are averaged over parts of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import fit_context
from ensfs.selection._base import warn_of_size
from ensfs.selection.part_ensembles import PART_DOCS, EnsembleOfParts
from ensfs.training.estimator import copy_columns, copy_learned

#: What an `InnerEnsemble` has of its selector, if the selector has it.
SHARED = (
    "indices_", "groups_", "support_", "ranking_", "scores_", "_selected", "relevance_",
    "redundancy_", "measures_", "n_pairs_needed_", "n_pairs_read_", "target_cut_points_",
    "output_relevance_", "n_readings_", "n_missing_", "_share_missing",
)  # fmt: skip


@with_docs(PART_DOCS)
class InnerEnsemble(EnsembleOfParts):
    """Run a selector once, on measures that are averaged over leave-one-fold-out parts.

    Every relevance and every redundancy is the mean of its values in the parts, each part being all
    rows but one fold; correlations are averaged with their sign and made absolute afterwards. The
    rows of continuous columns are read once for all parts; coded ones are counted in each part.

    Parameters
    ----------
    selector : selector, default=None
        Any statistics-based selector; None is ``MRMR()``.
    {n_features_to_select}
    n_parts : int, default=20
        Number of parts. More than rows: one part for each row, with a warning.
    folds : "interleaved", "blocks", int, array or splitter, default="interleaved"
        How rows go to folds, as in `FastEnsemble`.
    {n_jobs, verbose}

    Attributes
    ----------
    indices_, support_, ranking_, scores_, relevance_, redundancy_, measures_ :
        As of the selector, on averaged measures.
    n_pairs_needed_ : int
        Pairs that the method needs by definition.
    {n_pairs_read_, cut_points_, target_cut_points_, output_relevance_, groups_}
    selector_ : selector
        The selector that was run, fitted on the averaged measures.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    References
    ----------
    B. Schowe and K. Morik (2010), Fast-ensembles of minimum redundancy feature selection, SUEMA.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, InnerEnsemble
    >>> X, y = load_wine(return_X_y=True)
    >>> InnerEnsemble(MRMR(5), n_parts=5).fit(X, y).indices_
    array([ 6,  0, 12,  9, 10])
    """

    def __init__(
        self,
        selector=None,
        *,
        n_features_to_select=None,
        n_parts=20,
        folds="interleaved",
        n_jobs=None,
        verbose=0,
    ):
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.n_parts = n_parts
        self.folds = folds
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : InnerEnsemble
            The fitted ensemble.
        """
        data, k, sources = self._prepare(X, y, sample_weight, signed=True)
        averaged = sources.averaged()
        selection = self._select(averaged, k, data)
        copy_columns(self, self.selector_)
        self.selector_.store(data, averaged, selection)
        copy_learned(self.selector_, self, SHARED)
        self.cut_points_ = data.cut_points
        if not data.has_constant_target:
            fillers = self.selector_.n_fillers(selection.scores[0])
            warn_of_size(self, None if self.selector_.decides_size else k, fillers)
        return self

    def selection_of_size(self, k: int) -> np.ndarray | None:
        """The columns that a fit with `k` columns would select; None where that takes a new fit."""
        return self.selector_.selection_of_size(k)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return self.selector_.explain_row(j)

    def _reason(self, j: int) -> str:
        return self.selector_._reason(j)

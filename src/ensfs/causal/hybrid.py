"""Hybrid of a filter and a causal selector: redundant columns go first."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone

from ensfs._utils.sklearn import HasMethods, InvalidParameterError, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import warn_user
from ensfs.causal._base import CausalSelection, CausalSelector
from ensfs.causal.grow_shrink import IAMB, GrowShrink
from ensfs.causal.pc import PCSelector
from ensfs.causal.tpda import TPDASelector
from ensfs.independence import TableTester
from ensfs.selection._base import BaseSelector
from ensfs.selection.fcbf import FCBF
from ensfs.statistics import Resampling

#: The causal step of the published schemes, with their settings.
SCHEMES = {
    "H-PC": PCSelector(keep="connected", test="mi", max_conditioning=2),
    "H-TPDA": TPDASelector(keep="connected", test="mi"),
    "H-GS": GrowShrink(),
    "H-IAMB": IAMB(),
}

#: What the causal step may learn besides what every selector has.
LEARNED = (
    "markov_blanket_", "neighbours_", "roles_", "graph_", "separating_sets_", "n_conflicts_",
    "n_capped_", "pvalues_", "n_tests_", "cut_points_", "relevance_",
)  # fmt: skip


@dataclass
class HybridSource:
    """What the two steps need of the same rows."""

    filter: Any
    tests: TableTester

    @property
    def relevance(self) -> np.ndarray:
        """Association of every column with the target, in every part."""
        return self.tests.relevance


class HybridCausalSelector(MetaEstimatorMixin, BaseSelector):
    """A filter removes redundant columns, then a causal selector chooses among the rest.

    The number of tests of a causal selector grows quickly with the number of columns, and columns
    that say the same hide each other from its tests. Both are less of a problem after a filter.

    Parameters
    ----------
    filter : selector, optional
        Removes columns first; any selector with `get_support`. None is ``FCBF()``. In a
        `FastEnsemble` it must be one of this package.
    causal : selector or {"H-PC", "H-TPDA", "H-GS", "H-IAMB"}, optional
        Chooses among the columns that are left: a selector by tests of independence, or the name
        of a published scheme, which stands for `PCSelector` or `TPDASelector` with
        ``keep="connected"`` and more than 0.01 bits as the test, or for `GrowShrink` or `IAMB`.
        None is ``IAMB()``.
    n_jobs : int, optional
        Threads; None is one, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        1: a progress bar on standard error while fitting, and a line at the end.

    Attributes
    ----------
    indices_ : ndarray
        Selected columns in the order of the causal selector.
    support_, ranking_ : ndarray of shape (`n_features_in_`,)
        Mask of the selected columns; place from 1, the columns left out sharing the next place.
    scores_ : ndarray of shape (`n_features_in_`,)
        Scores of the causal selector; NaN if not selected.
    candidates_ : ndarray
        Columns that the filter left, in its order.
    filter_, causal_ : selector
        The fitted steps.
    markov_blanket_, neighbours_, roles_, graph_, separating_sets_, n_conflicts_, n_capped_ :
        As of the causal selector, if it has them.
    relevance_, pvalues_, n_tests_, cut_points_ :
        As of the causal selector.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    Notes
    -----
    If the causal selector keeps nothing, the columns of the filter are selected, with a warning.

    References
    ----------
    R. Duangsoithong and T. Windeatt (2010), Hybrid correlation and causal feature selection for
    ensemble classifiers, SUEMA.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import HybridCausalSelector
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = HybridCausalSelector(causal="H-GS").fit(X, y)
    >>> selector.candidates_, selector.indices_
    (array([22, 27, 10,  1, 24, 28, 18]), array([22, 27]))
    """

    _parameter_constraints: dict = {
        "filter": [HasMethods(["fit", "get_support"]), None],
        "causal": [HasMethods(["fit"]), StrOptions(set(SCHEMES)), None],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(self, filter=None, causal=None, *, n_jobs=None, verbose=0):
        self.filter = filter
        self.causal = causal
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Select columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Classes, or numbers for a filter and a test of continuous columns.

        Returns
        -------
        self : HybridCausalSelector
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, **self._table_options())
        parts = Resampling.all_rows(data.n_rows)
        if self._reads_alike():
            sources = self._sources(data, parts, n_threads)
        else:
            self.filter_.fit(X, y)
            sources = HybridSource(None, self.causal_._sources(data, parts, n_threads)[0]), None
        self._keep_selection(data, sources, self._select(sources, None))
        return self

    def _table_options(self) -> dict[str, Any]:
        """How the table is to be read; makes the two steps, which know it."""
        self.filter_ = FCBF() if self.filter is None else clone(self.filter)
        causal = IAMB() if self.causal is None else self.causal
        if not isinstance(causal, str | CausalSelector):
            raise InvalidParameterError(
                "The 'causal' parameter of HybridCausalSelector must be a selector that tests "
                f"independence, such as IAMB(), or the name of a scheme. Got {causal!r} instead."
            )
        self.causal_: CausalSelector = clone(SCHEMES[causal] if isinstance(causal, str) else causal)
        self.causal_._validate_params()
        return self.causal_._table_options()

    def _reads_alike(self) -> bool:
        """Whether the filter can work on the table that is read for the causal selector."""
        if not hasattr(self.filter_, "_sources"):
            return False
        self.filter_._validate_params()
        return repr(self.filter_._table_options()) == repr(self.causal_._table_options())

    def _n_features(self, n_features: int) -> int | None:
        """The tests decide how many."""
        return None

    def _sources(
        self, data: Any, parts: Resampling, n_threads: int, signed: bool = False
    ) -> tuple[HybridSource, None]:
        """What the two steps need."""
        if not self._reads_alike():
            raise ValueError(
                f"{type(self.filter_).__name__} cannot filter each part of an ensemble: it must be "
                "a selector of ensfs that reads columns as the causal one does, with the same "
                "discrete_features."
            )
        tests = self.causal_._sources(data, parts, n_threads, signed)[0]
        return HybridSource(self.filter_._sources(data, parts, n_threads), tests), None

    def _select(self, sources: tuple[HybridSource, None], k: int | None) -> CausalSelection:
        """Columns of every part."""
        source = sources[0]
        self._filtered = None
        if source.filter is None:
            candidates: Any = [self._fitted_candidates()]
        else:
            most = self.filter_._n_features(source.tests.n_features)
            self._filtered = self.filter_._select(source.filter, most)
            candidates = self._filtered.columns
        selection = self.causal_._select((source.tests, None), None, candidates)
        empty = [t for t, columns in enumerate(selection.columns) if not columns.size]
        for t in empty:
            selection.columns[t] = np.asarray(candidates[t])
            selection.scores[t] = source.relevance[t, candidates[t]]
        if any(len(candidates[t]) for t in empty):
            warn_user(
                "The causal selector kept nothing, so the columns of the filter are selected.",
            )
        self.candidates_ = np.asarray(candidates[0])
        return selection

    def _fitted_candidates(self) -> np.ndarray:
        """Columns of a filter that was fitted by itself, in its order if it has one."""
        support = self.filter_.get_support(indices=True)
        return getattr(self.filter_, "indices_", support) if support.size else support

    @staticmethod
    def _count_pairs(selection: CausalSelection, n_features: int) -> int:
        """The tests of every part."""
        return int(selection.n_pairs_needed or 0)

    def _keep_selection(self, data: Any, sources: Any, selection: CausalSelection) -> None:
        for step in (self.filter_, self.causal_):
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self, name):
                    setattr(step, name, getattr(self, name))
        if self._filtered is not None:
            self.filter_._keep_selection(data, sources[0].filter, self._filtered)
        self.causal_._keep_selection(data, (sources[0].tests, None), selection)
        self._keep(self.causal_.indices_, self.causal_.scores_)
        del self._filtered
        for name in LEARNED:
            if hasattr(self.causal_, name):
                setattr(self, name, getattr(self.causal_, name))
            elif hasattr(self, name):
                delattr(self, name)  # of an earlier fit with another selector

    def _explain_row(self, j: int) -> dict[str, Any]:
        row = self.causal_._explain_row(j)
        left = bool((self.candidates_ == j).any())
        first = {key: row.pop(key) for key in ("feature", "selected", "rank", "relevance")}
        return {**first, "filter": "left" if left else "removed", **row}

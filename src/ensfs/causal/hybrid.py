"""Hybrid of a filter and a causal selector: redundant columns go first."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import (
    HasMethods,
    InvalidParameterError,
    StrOptions,
    check_parameters,
    fit_context,
)
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import warn_user
from ensfs.causal._base import CausalDetails, CausalSelector
from ensfs.causal.grow_shrink import IAMB, GrowShrink
from ensfs.causal.pc import PCSelector
from ensfs.causal.tpda import TPDASelector
from ensfs.data.frames import take
from ensfs.data.sparse_columns import takes_sparse
from ensfs.data.variables import Variables
from ensfs.independence import TableTester
from ensfs.search.selection import Selection
from ensfs.selection._base import PartSelector, warn_of_size
from ensfs.selection.fcbf import FCBF
from ensfs.statistics import PartStatistics, Resampling
from ensfs.training.contract import ReadOptions, TrainingData
from ensfs.training.estimator import (
    CHOICE_CONSTRAINTS,
    GROUP_CONSTRAINTS,
    TARGET_CONSTRAINTS,
    choice_of,
    copy_columns,
    copy_learned,
    takes_missing,
)
from ensfs.training.weighted_fit import fit_weighted

#: The causal step of the published schemes, with their settings.
SCHEMES = {
    "H-PC": PCSelector(keep="connected", sepset="first", test="mi", max_conditioning=2),
    "H-TPDA": TPDASelector(keep="connected", test="mi"),
    "H-GS": GrowShrink(),
    "H-IAMB": IAMB(),
}

#: What the causal step selects.
SELECTED = ("indices_", "groups_", "support_", "ranking_", "scores_", "_selected")

#: What the causal step may learn besides what every selector has.
LEARNED = (
    "markov_blanket_", "neighbours_", "roles_", "graph_", "separating_sets_", "n_conflicts_",
    "n_capped_", "pvalues_", "n_tests_", "cut_points_", "relevance_", "target_cut_points_",
    "output_relevance_", "n_readings_",
)  # fmt: skip


@dataclass(frozen=True)
class HybridStatistics:
    """What the two steps need of the same rows.

    Attributes
    ----------
    filter : PartStatistics or None
        The statistics of the filter; None if it was fitted by itself.
    tests : TableTester
        The tests of the causal step.
    """

    filter: PartStatistics | None
    tests: TableTester

    @property
    def relevance(self) -> np.ndarray:
        """Association of every column with the target, in every part."""
        return self.tests.relevance

    @property
    def output_relevance(self) -> np.ndarray | None:
        """The same for every output, if there are several."""
        return self.tests.output_relevance


@dataclass(frozen=True)
class HybridDetails:
    """What each step selected.

    Attributes
    ----------
    filtered : Selection or None
        What the filter left; None if it was fitted by itself.
    candidates : list of ndarray
        The columns that it left in each part.
    causal : CausalDetails
        What the causal step found among them.
    """

    filtered: Selection[Any] | None
    candidates: list[np.ndarray]
    causal: CausalDetails


@with_docs(COMMON_DOCS)
class HybridCausalSelector(MetaEstimatorMixin, PartSelector[HybridStatistics, HybridDetails]):
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
    {target_bins, multi_output, include, exclude, feature_groups, n_jobs, verbose}

    Attributes
    ----------
    indices_ : ndarray
        Selected columns in the order of the causal selector.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        Scores of the causal selector; NaN if not selected.
    candidates_ : ndarray
        Columns that the filter left, in its order.
    filter_, causal_ : selector
        The fitted steps.
    markov_blanket_, neighbours_, roles_, graph_, separating_sets_, n_conflicts_, n_capped_ :
        As of the causal selector, if it has them.
    relevance_, pvalues_, n_tests_, cut_points_, target_cut_points_, output_relevance_ :
        As of the causal selector.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

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

    decides_size = True

    _parameter_constraints: dict = {
        "filter": [HasMethods(["fit", "get_support"]), None],
        "causal": [HasMethods(["fit"]), StrOptions(set(SCHEMES)), None],
        **TARGET_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
        **GROUP_CONSTRAINTS,
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self, filter=None, causal=None, *, target_bins=3, multi_output="mean", include=None,
        exclude=None, feature_groups=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.filter = filter
        self.causal = causal
        self.target_bins = target_bins
        self.multi_output = multi_output
        self.include = include
        self.exclude = exclude
        self.feature_groups = feature_groups
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def allows_missing(self) -> bool:
        """Whether both steps take missing cells."""
        causal = IAMB() if self.causal is None or isinstance(self.causal, str) else self.causal
        return all(each is None or takes_missing(each) for each in (self.filter, causal))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        steps = (self.filter, self.causal)
        tags.input_tags.sparse = all(each is None or takes_sparse(each) for each in steps)
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes, or numbers for a filter and a test of continuous columns.
        {sample_weight}

        Returns
        -------
        self : HybridCausalSelector
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, sample_weight, **self.read_options())
        resampling = Resampling.all_rows(data.n_rows)
        if self._filter_reads_alike(data):
            sources = self.sources(data, resampling, n_threads)
        else:
            self.filter_, self.causal_ = self._make_filter(), self._make_causal()
            self._fit_filter(X, y, data.variables, sample_weight)
            sources = HybridStatistics(None, self.causal_.sources(data, resampling, n_threads))
        k, included = self.resolve_size(data.n_features), data.variables.included
        self.store(data, sources, self.select(sources, k, included))
        if not data.has_constant_target:
            warn_of_size(self)
        return self

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return self.causal_.why_nothing()

    def _make_filter(self) -> Any:
        """The first step, not yet fitted."""
        made = FCBF() if self.filter is None else clone(self.filter)
        if isinstance(made, PartSelector):
            check_parameters(made)
            self._check_choice(made)
        return made

    def _check_choice(self, step: PartSelector[Any, Any]) -> None:
        """Raise an error if a step chooses columns on its own."""
        named = [name for name, value in step.column_choice().items() if value is not None]
        if named:
            raise ValueError(
                f"{named[0]} belongs to HybridCausalSelector, where it holds for both steps; it is "
                f"a parameter of {type(step).__name__}."
            )

    def _fit_filter(self, X: Any, y: Any, variables: Variables, sample_weight: Any) -> None:
        """Fit a filter by itself, on the columns that are not excluded."""
        own = choice_of(self.filter_)
        given = {name: v for name, v in self.column_choice().items() if v is not None}
        if own and own.keys() >= given.keys():
            fit_weighted(self.filter_.set_params(**given), X, y, sample_weight)
            return
        if variables.members is not None:
            raise ValueError(
                f"feature_groups need a filter that takes them; {type(self.filter_).__name__} does "
                "not."
            )
        kept = X if variables.kept is None else take(X, columns=variables.kept)
        fit_weighted(self.filter_, kept, y, sample_weight)

    def _make_causal(self) -> CausalSelector:
        """The second step, not yet fitted."""
        causal = IAMB() if self.causal is None else self.causal
        if not isinstance(causal, str | CausalSelector):
            raise InvalidParameterError(
                "The 'causal' parameter of HybridCausalSelector must be a selector that tests "
                f"independence, such as IAMB(), or the name of a scheme. Got {causal!r} instead."
            )
        made: CausalSelector = clone(SCHEMES[causal] if isinstance(causal, str) else causal)
        check_parameters(made)
        self._check_choice(made)
        return made

    def _filter_reads_alike(self, data: TrainingData) -> bool:
        """Whether the filter can work on the table that was read for the causal selector."""
        made = self._make_filter()
        return isinstance(made, PartSelector) and data.reads_alike(made.read_options())

    # ---------------------------------------------- the contract of a PartSelector

    def read_options(self) -> ReadOptions:
        """How the table is to be read: as the causal step wants it."""
        return self._make_causal().read_options()

    def resolve_size(self, n_features: int) -> int:
        """The tests decide how many."""
        return n_features

    def sources(
        self, data: TrainingData, resampling: Resampling, n_threads: int, signed: bool = False
    ) -> HybridStatistics:
        """Make the two steps and what they need."""
        self.filter_, self.causal_ = self._make_filter(), self._make_causal()
        if not self._filter_reads_alike(data):
            raise ValueError(
                f"{type(self.filter_).__name__} cannot filter each part of an ensemble: it must be "
                "a selector of ensfs that reads columns as the causal one does, with the same "
                "discrete_features."
            )
        tests = self.causal_.sources(data, resampling, n_threads, signed)
        return HybridStatistics(self.filter_.sources(data, resampling, n_threads), tests)

    def select(
        self, sources: HybridStatistics, k: int, included: np.ndarray
    ) -> Selection[HybridDetails]:
        """Columns of every part."""
        tests, filtered = sources.tests, None
        if sources.filter is None:
            found = self._fitted_candidates()
            candidates = [np.concatenate([included, found[~np.isin(found, included)]])]
        else:
            most = self.filter_.resolve_size(tests.n_features)
            filtered = self.filter_.select(sources.filter, most, included)
            candidates = [np.asarray(columns) for columns in filtered.columns]
        selection = self.causal_.select(tests, k, included, candidates)
        columns, scores = list(selection.columns), list(selection.scores)
        empty = [t for t, found in enumerate(columns) if not found.size]
        for t in empty:
            columns[t], scores[t] = candidates[t], tests.relevance[t, candidates[t]]
        if any(candidates[t].size for t in empty):
            warn_user(
                "The causal selector kept nothing, so the columns of the filter are selected.",
            )
        details = HybridDetails(filtered, candidates, selection.details)
        n_tests = selection.n_pairs_read
        return Selection(columns, scores, n_tests, n_tests, details)

    def _fitted_candidates(self) -> np.ndarray:
        """Columns of a filter that was fitted by itself, in its order if it has one."""
        support = self.filter_.get_support(indices=True)
        found = np.asarray(getattr(self.filter_, "indices_", support) if support.size else support)
        on_all = support.size and self.filter_.get_support().size == self._variables.n_columns
        return self._variables.variables(found) if on_all else found

    def store(
        self, data: TrainingData, sources: HybridStatistics, selection: Selection[HybridDetails]
    ) -> None:
        """Set the learned attributes, those of the two steps too."""
        details = selection.details
        copy_columns(self, self.causal_)
        if details.filtered is not None:
            copy_columns(self, self.filter_)
            self.filter_.store(data, sources.filter, details.filtered)
        n_tests = selection.n_pairs_read
        self.causal_.store(
            data, sources.tests,
            Selection(selection.columns, selection.scores, n_tests, n_tests, details.causal),
        )  # fmt: skip
        self.candidates_ = data.variables.columns(details.candidates[0])
        copy_learned(self.causal_, self, SELECTED)
        copy_learned(self.causal_, self, LEARNED)
        copy_learned(self.causal_, self, ("n_missing_", "_share_missing"))

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        row = self.causal_.explain_row(j)
        left = bool((self.candidates_ == j).any())
        first = {key: row.pop(key) for key in ("feature", "selected", "rank", "relevance")}
        return {**first, "filter": "left" if left else "removed", **row}

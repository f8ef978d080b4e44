"""Stability selection: what comes back on half samples, with a bound on mistakes."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs._utils.html import safe
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, check_parameters, fit_context
from ensfs._utils.text import cell_text
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import warn_user
from ensfs.data.frames import take
from ensfs.data.sparse_columns import takes_sparse
from ensfs.measures.stability import stability_if_defined
from ensfs.measures.stability_bounds import stability_bound, stability_threshold
from ensfs.selection._base import SELECTOR_DOCS, BaseSelector, PartSelector, warn_of_size
from ensfs.selection._routing import Receivers, receivers, router_of
from ensfs.selection.halves import LEAST_FOLDS, given_halves, halves_of_folds, halves_of_rows
from ensfs.selection.mrmr import MRMR
from ensfs.selection.size_curves import selected_columns
from ensfs.statistics import Resampling
from ensfs.training.classes import TargetReading
from ensfs.training.contract import TrainingData
from ensfs.training.estimator import choice_of, reading_of, takes_missing
from ensfs.training.weighted_fit import fit_weighted

#: Warnings of selectors that are not passed on from each half.
QUIET = (r"\w+ selected (no column|columns of relevance 0)", "Only .* columns were selected")

#: Frequencies below the threshold by no more than this are so by rounding.
TOLERANCE = 1e-9

STABILITY_DOCS = SELECTOR_DOCS | read_descriptions("""
y : array-like of shape (n_samples,)
    Classes or numbers; None for row blocks, which bring their own, and for selectors that need no
    target.
""")


@with_docs(STABILITY_DOCS)
class StabilitySelector(MetaEstimatorMixin, BaseSelector):
    r"""Keep the columns that a selector selects again and again on half samples of the rows.

    The rows are halved at random, `n_pairs` times, and the selector is run on both halves. A column
    is kept if a share of at least `threshold` of the halves selects it. Shah and Samworth bound how
    many columns are kept by mistake, whatever the selector; the threshold follows from the number
    of mistakes that is tolerated.

    Halves are unions of folds. For the selectors that `FastEnsemble` takes, the rows of continuous
    columns are therefore summed once, fold by fold, for all halves. Any other selector with
    ``get_support`` is fitted on the rows of each half.

    Parameters
    ----------
    selector : selector, default=None
        Of this library or of scikit-learn; None is ``MRMR()``. It should select few columns in each
        half: about ``sqrt(0.8 * p * expected_false)`` of p columns give a useful bound.
    n_pairs : int, default=50
        Number of pairs of halves.
    threshold : float, default=None
        The share of halves, above 1/2 and at most 1. None: the least with an expected number of
        mistakes of at most `expected_false`.
    expected_false : float, default=1.0
        How many columns may be selected by mistake in expectation; unused if there is a threshold.
    bound : {"unimodal", "markov"}, default="unimodal"
        The bound on mistakes: "markov" supposes nothing, "unimodal" is sharper and supposes little
        (see `ensfs.evaluation.stability_bound`).
    subsample : "folds", "rows" or bool array of shape (n_pairs, n_samples), default="folds"
        "folds": a half is a random half of the folds. "rows": a random half of the rows, at the
        price of separate sums for each pair. An array: True for the rows of the first half; then
        `n_pairs` is not used.
    folds : "interleaved", "blocks", int, array or splitter, default="interleaved"
        How rows go to folds, as in `FastEnsemble`. Give labels for rows that belong together.
    n_folds : int, default=40
        Number of folds, even and at least 8. With fewer than two rows for each, there are as many
        folds as have two.
    random_state : int, RandomState, Generator or None, default=0
        Draws the halves.
    n_jobs : int, optional
        Threads; of selectors without shared statistics the halves worked on at a time. None is one,
        -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    indices_ : ndarray of shape (n_selected,)
        Selected columns, the most frequent first, then in the order of the table.
    selection_frequency_ : ndarray of shape (`n_features_in_`,)
        Share of the halves that select each column.
    pair_frequency_ : ndarray of shape (`n_features_in_`,)
        Share of the pairs whose halves both select it.
    threshold_ : float
        The threshold in use.
    mean_size_ : float
        Mean number of columns that a half selects.
    error_bound_ : float
        Bound on the expected number of selected columns that a half selects with a probability of
        at most ``mean_size_ / n_features_in_``: columns no better than drawn by lot. Infinite where
        the conditions of the bound do not hold. Columns that the selector includes or excludes
        count neither here nor in `mean_size_`.
    stability_ : NogueiraStability or None
        Stability of the selections of all halves; None where it is not defined.
    part_selections_ : list of ndarray
        Columns that each half selects; parts ``2b`` and ``2b + 1`` are a pair.
    scores_ : ndarray of shape (`n_features_in_`,)
        The frequencies.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Mean relevance over the halves, if the selector has one.
    {support_, ranking_}
    selector_ : selector
        The selector that was run.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    FastEnsemble : Selects as many columns as you say; its frequencies have no bound.
    ensfs.evaluation.stability_bound : The bound as a function.

    Notes
    -----
    The bound is on columns that a half is unlikely to select, which need not be columns that are
    unrelated to the target: a copy of a good column may be one. Continuous columns that have to be
    coded are cut once, from all rows, if the selector shares its statistics.

    References
    ----------
    R. D. Shah and R. J. Samworth (2013), Variable selection with error control: another look at
    stability selection, Journal of the Royal Statistical Society B 75(1), 55-80.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, StabilitySelector
    >>> X, y = load_wine(return_X_y=True)
    >>> noise = np.random.default_rng(0).normal(size=(len(y), 200))
    >>> selector = StabilitySelector(MRMR(10)).fit(np.hstack([X, noise]), y)
    >>> selector.indices_
    array([ 0,  3,  9, 10, 11, 12,  6,  1,  7])
    >>> selector.threshold_, round(selector.error_bound_, 2)
    (0.63, 0.94)
    """

    _parameter_constraints: dict = {
        "selector": [HasMethods(["fit", "get_support"]), None],
        "n_pairs": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0.5, 1, closed="right"), None],
        "expected_false": [Interval(Real, 0, None, closed="neither")],
        "bound": [StrOptions({"unimodal", "markov"})],
        "subsample": [StrOptions({"folds", "rows"}), "array-like"],
        "folds": [
            StrOptions({"interleaved", "blocks"}),
            Interval(Integral, 2, None, closed="left"),
            "array-like",
            HasMethods(["split"]),
        ],
        "n_folds": [Interval(Integral, LEAST_FOLDS, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector=None,
        *,
        n_pairs=50,
        threshold=None,
        expected_false=1.0,
        bound="unimodal",
        subsample="folds",
        folds="interleaved",
        n_folds=40,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.selector = selector
        self.n_pairs = n_pairs
        self.threshold = threshold
        self.expected_false = expected_false
        self.bound = bound
        self.subsample = subsample
        self.folds = folds
        self.n_folds = n_folds
        self.random_state = random_state
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
        self : StabilitySelector
            The fitted selector.
        """
        if self.n_folds % 2:
            raise ValueError(f"n_folds must be even for halves; got {self.n_folds}.")
        self.selector_ = MRMR() if self.selector is None else clone(self.selector)
        if isinstance(self.selector_, PartSelector):
            parts, silent = self._select_from_statistics(X, y, sample_weight)
        else:
            to = receivers(self, sample_weight=sample_weight)
            parts, silent = self._select_on_rows(X, y, sample_weight, to), False
        self._keep_frequent(parts)
        if not silent:
            warn_of_size(self)
        return self

    def column_choice(self) -> dict[str, Any]:
        """That of the selector."""
        return choice_of(self.selector)

    @property
    def allows_missing(self) -> bool:
        """Whether the selector takes missing cells."""
        return self.selector is None or takes_missing(self.selector)

    def target_reading(self) -> TargetReading:
        """That of the selector."""
        return reading_of(MRMR() if self.selector is None else self.selector)

    def _select_from_statistics(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[list[np.ndarray], bool]:
        """What each half selects, and whether the target is constant, of which there is a warning.

        The table is read once, and so are the rows if halves are unions of folds.
        """
        check_parameters(self.selector_)
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, sample_weight, **self.selector_.read_options())
        k = self.selector_.size_for(data.variables)
        parts: list[np.ndarray] = []
        relevance = np.zeros(data.variables.n_variables)
        for halves in self._halves(data):
            sources = self.selector_.sources(data, halves, n_threads)
            selection = self.selector_.select(sources, k, data.variables.included)
            chosen = zip(selection.columns, selection.scores, strict=True)
            count = self.selector_.n_fillers
            parts += [columns[: len(scores) - count(scores)] for columns, scores in chosen]
            relevance += sources.relevance.sum(axis=0)
        self.relevance_ = data.variables.by_column(relevance / len(parts))
        self._set_readings(data)
        self._set_missing(data)
        return parts, data.has_constant_target

    def get_metadata_routing(self) -> MetadataRouter:
        """Say that the selector gets the weights.

        Where weights are requested with ``set_fit_request``, it always gets them.

        Returns
        -------
        MetadataRouter
            As of scikit-learn.
        """
        return router_of(self, selector=(self.selector, "fit"))

    def _select_on_rows(
        self, X: Any, y: Any, sample_weight: Any, to: Receivers
    ) -> list[np.ndarray]:
        """What a selector without shared statistics selects from the rows of each half."""
        n_jobs = effective_n_threads(self.n_jobs)
        data = self._read_rows(X, y, n_jobs, sample_weight)
        X = X if data.existing.rows is None else take(X, data.existing.rows)
        weight = data.weight if to.selector else None
        with warnings.catch_warnings():  # that halves have little to select shows in frequencies
            for message in QUIET:
                warnings.filterwarnings("ignore", message=message)
            found = Parallel(n_jobs, prefer="threads")(
                delayed(_select)(self.selector_, X, data.y, weight, halves.rows(t), to.routed)
                for halves in self._halves(data)
                for t in range(halves.n_parts)
            )
        if all(relevance is not None for _, relevance in found):
            self.relevance_ = np.mean([relevance for _, relevance in found], axis=0)
        elif hasattr(self, "relevance_"):
            del self.relevance_  # of an earlier fit
        return [self._variables.variables(columns) for columns, _ in found]

    def _halves(self, data: TrainingData) -> list[Resampling]:
        """The halves, in one resampling if they are unions of folds, else one for each pair."""
        n_rows, existing = data.n_rows, data.existing
        if not isinstance(self.subsample, str):
            masks = np.asarray(self.subsample)
            if existing.rows is not None and masks.shape[1:] == (existing.n_given,):
                masks = masks[:, existing.rows]
            return given_halves(masks, n_rows)
        if self.subsample == "rows":
            return halves_of_rows(self.n_pairs, n_rows, self.random_state)
        halves = halves_of_folds(
            existing.of(self.folds), self.n_folds, 2 * self.n_pairs, n_rows, data.y,
            self.random_state,
        )  # fmt: skip
        return [halves]

    def _keep_frequent(self, parts: list[np.ndarray]) -> None:
        """Set what follows from the selections of the halves."""
        variables, n_pairs = self._variables, len(parts) // 2
        chosen = np.zeros((len(parts), variables.n_variables), dtype=bool)
        for mask, columns in zip(chosen, parts, strict=True):
            mask[columns] = True
        frequency = chosen.mean(axis=0)
        # those that are included are no mistakes, and leave no room for any
        p = max(1, variables.n_variables - variables.included.size)
        self.mean_size_ = float(chosen.sum() / len(parts)) - variables.included.size
        self.stability_ = stability_if_defined(parts, variables.n_variables)
        self.threshold_ = self._choose_threshold(p, n_pairs)
        self.error_bound_ = stability_bound(
            self.mean_size_, p, self.threshold_, n_pairs, bound=self.bound
        )
        self.part_selections_ = [variables.columns(columns) for columns in parts]
        order = np.argsort(-frequency, kind="stable")
        free = ~np.isin(order, variables.included)
        enough = free & (frequency[order] >= self.threshold_ - TOLERANCE)
        self._set_selected(np.concatenate([variables.included, order[enough]]), frequency)
        self.selection_frequency_ = variables.by_column(frequency, fill=0.0)
        both = (chosen[::2] & chosen[1::2]).mean(axis=0)
        self.pair_frequency_ = variables.by_column(both, fill=0.0)

    def _choose_threshold(self, p: int, n_pairs: int) -> float:
        """The threshold that was given, or the least that keeps mistakes few."""
        if self.threshold is not None:
            return float(self.threshold)
        q = self.mean_size_
        found = stability_threshold(
            q, p, n_pairs, expected_false=self.expected_false, bound=self.bound
        )
        if found is not None:
            return found
        warn_user(
            f"No threshold bounds the expected number of mistakes by {self.expected_false:g}: a "
            f"half selects {q:g} of {p} columns on average. The threshold is 1; let the selector "
            "select fewer columns."
        )
        return 1.0

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return (
            f"no column is selected by a share of {self.threshold_:g} of the halves. Raise "
            "expected_false, lower threshold, or check the target."
        )

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "frequency": float(self.selection_frequency_[j]),
            "pair frequency": float(self.pair_frequency_[j]),
            "threshold": self.threshold_,
            "bound": self.error_bound_,
        }

    def _reason(self, j: int) -> str:
        return "reaches the threshold" if self.support_[j] else "below the threshold"

    def _explain_order(self) -> np.ndarray:
        return self.selection_frequency_

    def _notebook_summary(self) -> str:
        summary = super()._notebook_summary()
        if not summary:
            return ""
        return summary + (
            f"<p>Selected by at least {safe(cell_text(self.threshold_))} of "
            f"{len(self.part_selections_)} halves of the rows; expected number of mistakes at most "
            f"{safe(cell_text(self.error_bound_))}.</p>"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.selector is None or takes_sparse(self.selector)
        if self.selector is not None:
            tags.target_tags.required = get_tags(self.selector).target_tags.required
        return tags


def _select(
    selector: Any, X: Any, y: Any, weight: np.ndarray | None, rows: np.ndarray, routed: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """The columns that a selector selects from some rows, and its relevance if it has one."""
    y = None if y is None else take(y, rows)
    weight = None if weight is None else weight[rows]
    fitted = fit_weighted(clone(selector), take(X, rows), y, weight, routed)
    return selected_columns(fitted), getattr(fitted, "relevance_", None)

"""Ensembles of a selector over parts of the rows, from statistics that are read once."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs._utils.sklearn import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
    check_parameters,
    fit_context,
)
from ensfs._utils.threads import effective_n_threads
from ensfs.data.folds import make_folds
from ensfs.data.sparse_columns import takes_sparse
from ensfs.search.selection import Selection
from ensfs.selection._base import SELECTOR_DOCS, BaseSelector, PartSelector, warn_of_size
from ensfs.selection.halves import LEAST_FOLDS, halves_of_folds
from ensfs.selection.mrmr import MRMR
from ensfs.statistics import Resampling
from ensfs.training.classes import TargetReading
from ensfs.training.contract import TrainingData
from ensfs.training.estimator import choice_of, reading_of, takes_missing

#: Parameters and attributes of both ensembles.
PART_DOCS = SELECTOR_DOCS | read_descriptions("""
y : array-like of shape (n_samples,)
    Classes or numbers; None for row blocks, which bring their own.
n_features_to_select : int, float or "auto", default=None
    How many columns each part selects; a float in (0, 1] is a share of all columns, "auto" as in
    `MRMR`. None: as many as the selector is set to select.
cut_points_ : dict of int to ndarray
    Where continuous columns were cut, by column; once for all parts.
""")


class EnsembleOfParts(MetaEstimatorMixin, BaseSelector):
    """Reads the data as the selector would, and cuts it into parts."""

    _parameter_constraints: dict = {
        "selector": [HasMethods(["fit"]), None],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            StrOptions({"auto"}),
            None,
        ],
        "n_parts": [Interval(Integral, 2, None, closed="left")],
        "folds": [
            StrOptions({"interleaved", "blocks"}),
            Interval(Integral, 2, None, closed="left"),
            "array-like",
            HasMethods(["split"]),
        ],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

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

    def _prepare(self, X: Any, y: Any, weight: Any, signed: bool) -> tuple[TrainingData, int, Any]:
        """The selector, the data, the number of columns to select and the sources."""
        self.selector_ = self._make_selector()
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, weight, **self.selector_.read_options())
        k = self.selector_.size_for(data.variables)
        resampling = self._make_resampling(data)
        return data, k, self.selector_.sources(data, resampling, n_threads, signed)

    def _select(self, sources: Any, k: int, data: TrainingData) -> Selection[Any]:
        """What the selector selects in every part."""
        return self.selector_.select(sources, k, data.variables.included)

    def _make_resampling(self, data: TrainingData) -> Resampling:
        """Leave-one-fold-out parts."""
        folds = data.existing.of(self.folds)
        return Resampling.leave_one_out(*make_folds(folds, data.n_rows, self.n_parts, data.y))

    def _make_selector(self) -> PartSelector[Any, Any]:
        """The selector to run, not yet fitted."""
        given = MRMR() if self.selector is None else self.selector
        if not isinstance(given, PartSelector):
            raise InvalidParameterError(
                f"The 'selector' parameter of {type(self).__name__} must be a selector that "
                "supports parts of the rows, such as MRMR(), FCBF(), CFS(), CMIM() or JMI(). "
                f"Got {self.selector!r} instead."
            )
        made: PartSelector[Any, Any] = clone(given)
        if self.n_features_to_select is not None:
            if "n_features_to_select" not in made.get_params(deep=False):
                raise ValueError(
                    f"n_features_to_select must be None for {type(made).__name__}, which decides "
                    f"how many columns it selects; got {self.n_features_to_select}."
                )
            made.set_params(n_features_to_select=self.n_features_to_select)
        check_parameters(made)
        return made

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return self.selector_.why_nothing()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.selector is None or takes_sparse(self.selector)
        return tags


@with_docs(PART_DOCS)
class FastEnsemble(EnsembleOfParts):
    r"""Run a selector on parts of the rows, and let the parts vote.

    The rows are cut into folds. Part ``t`` is all rows but fold ``t``, or a random half of the
    folds. Each part selects on its own, as if the selector were fitted on its rows, but the parts
    share their work: sums of continuous columns are taken fold by fold, so one reading of a pair
    serves every part, and coded columns are counted on bit planes that all parts share.

    Parameters
    ----------
    selector : selector, default=None
        Any statistics-based selector; None is ``MRMR()``. If it decides on its own how many columns
        it selects (`FCBF`, `CFS`), the ensemble keeps what at least half of the parts selected.
    {n_features_to_select}
    n_parts : int, default=20
        Number of parts; even for halves, which come in pairs. More leave-one-out parts than rows:
        one part for each row, with a warning.
    parts : {"leave_one_out", "halves"}, default="leave_one_out"
        "leave_one_out": one part for each fold, with all rows but those of the fold. "halves":
        complementary half samples; of every two parts the first is a random half of the folds and
        the second the rest. Halves differ more from each other, so their frequencies tell better
        what depends on the sample.
    combine : {"vote", "average_rank"}, default="vote"
        "vote": the columns that most parts selected; with equally many votes those with the least
        mean place. "average_rank": the columns with the least mean place, where a column that a
        part left out has place (p + k + 1) / 2. Ties go to the lower column. A column that no part
        selected is not selected.
    folds : "interleaved", "blocks", int, array or splitter, default="interleaved"
        Row ``i`` in fold ``i mod n`` of ``n`` folds (`n_parts`, for halves `n_folds`); consecutive
        blocks; that many interleaved folds; a fold label for each row; or a scikit-learn splitter
        whose test sets are the folds.
    n_folds : int, default=40
        Folds that halves are made of, an even number of at least 8. With fewer than two rows for
        each, there are as many folds as have two.
    random_state : int, RandomState, Generator or None, default=0
        Draws the halves.
    {n_jobs, verbose}

    Attributes
    ----------
    indices_ : ndarray of shape (n_features_to_select,)
        Selected columns, those with most votes (or the least mean place) first.
    part_selections_ : ndarray of shape (n_parts, n_features_to_select), or list of ndarray
        Columns that each part selected, in its order; a list where their numbers differ, and for
        selectors that decide on their own how many. Of halves, parts ``2b`` and ``2b + 1`` are a
        pair.
    selection_frequency_ : ndarray of shape (`n_features_in_`,)
        Share of the parts that selected each column; columns that a part took only to fill the
        number, as no other column says anything, do not count. There is no bound on mistakes:
        leave-one-out parts share most of their rows (`StabilitySelector` has one).
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        What the columns were combined by: the frequency, or minus the mean place. NaN for those
        that the selector includes or excludes.
    mean_rank_ : ndarray of shape (`n_features_in_`,)
        Mean place of each column over the parts, as "average_rank" defines it.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Mean relevance over the parts.
    n_pairs_needed_ : int
        Pairs that the method needs, each counted once for all parts.
    {n_pairs_read_, cut_points_, target_cut_points_, output_relevance_, groups_}
    selector_ : selector
        The selector that was run.
    {n_readings_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    InnerEnsemble : One selection on measures that are averaged over the parts.
    StabilitySelector : Half samples, with a bound on the number of mistakes.

    Notes
    -----
    Continuous columns that have to be coded (see `MRMR`) are cut once, from all rows; a separate
    run on the rows of a part would cut them by these rows alone.

    References
    ----------
    B. Schowe and K. Morik (2010), Fast-ensembles of minimum redundancy feature selection, SUEMA.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, FastEnsemble
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ensemble = FastEnsemble(MRMR(5), n_parts=5).fit(X, y)
    >>> ensemble.part_selections_
    array([[12, 11,  9, 10,  0],
           [ 6,  9, 12,  0, 10],
           [ 6,  0,  9, 12, 10],
           [ 6, 12,  9, 10,  0],
           [12, 11,  9, 10,  0]])
    >>> ensemble.indices_
    array([12,  9,  0, 10,  6])
    >>> ensemble.n_pairs_needed_  # five separate runs need 275
    70
    """

    _parameter_constraints: dict = {
        **EnsembleOfParts._parameter_constraints,
        "parts": [StrOptions({"leave_one_out", "halves"})],
        "combine": [StrOptions({"vote", "average_rank"})],
        "n_folds": [Interval(Integral, LEAST_FOLDS, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        selector=None,
        *,
        n_features_to_select=None,
        n_parts=20,
        parts="leave_one_out",
        combine="vote",
        folds="interleaved",
        n_folds=40,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.n_parts = n_parts
        self.parts = parts
        self.combine = combine
        self.folds = folds
        self.n_folds = n_folds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_resampling(self, data: TrainingData) -> Resampling:
        """The parts."""
        if self.parts == "leave_one_out":
            return super()._make_resampling(data)
        if self.n_parts % 2:
            raise ValueError(
                f"n_parts must be even for halves, which come in pairs; got {self.n_parts}."
            )
        return halves_of_folds(
            data.existing.of(self.folds), self.n_folds, self.n_parts, data.n_rows, data.y,
            self.random_state,
        )  # fmt: skip

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : FastEnsemble
            The fitted ensemble.
        """
        data, k, sources = self._prepare(X, y, sample_weight, signed=False)
        selection, variables = self._select(sources, k, data), data.variables
        self._parts, self._part_scores = selection.columns, selection.scores
        parts = [variables.columns(part) for part in self._parts]
        several = self.selector_.decides_size or len(set(map(len, parts))) > 1
        self.part_selections_ = parts if several else np.array(parts)
        voted = self._voted(k)
        frequency = count_selections(voted, data.n_features) / len(voted)
        mean_rank = _mean_ranks(voted, data.n_features)
        self._set_selected(
            self._combined(voted, k), frequency if self.combine == "vote" else -mean_rank
        )
        self.selection_frequency_ = variables.by_column(frequency, fill=0.0)
        self.mean_rank_ = variables.by_column(mean_rank)
        self.relevance_ = variables.by_column(sources.relevance.mean(axis=0))
        self.n_pairs_needed_ = selection.n_pairs_needed
        self.n_pairs_read_ = selection.n_pairs_read
        self.cut_points_ = data.cut_points
        self._set_missing(data)
        self._set_target(data, sources)
        if not data.has_constant_target:
            warn_of_size(self, None if self.selector_.decides_size else k)
        return self

    def _voted(self, k: int) -> list[np.ndarray]:
        """What parts with at most `k` columns vote for: fillers get no vote."""
        count = self.selector_.n_fillers
        sizes = [min(k, len(scores)) - count(scores[:k]) for scores in self._part_scores]
        return [columns[:size] for columns, size in zip(self._parts, sizes, strict=True)]

    def _combined(self, parts: Any, k: int) -> np.ndarray:
        """The columns that parts agree on, at most `k`."""
        p = self._variables.n_variables
        votes = count_selections(parts, p)
        # Ties on the sum of places, a multiple of one half, must not be broken by rounding.
        places = np.rint(2 * len(parts) * _mean_ranks(parts, p))
        by_vote = self.combine == "vote"
        order = np.lexsort((places, -votes) if by_vote else (places,))  # then by column
        # what half of the parts selected, or one of them if the number is given
        enough = len(parts) / 2 if self.selector_.decides_size else 1
        return order[: min(k, int((votes >= enough).sum()))]

    def selection_of_size(self, k: int) -> np.ndarray | None:
        """The columns that a fit with `k` columns would select; None where that takes a new fit."""
        if not self.selector_.prefix_stable:
            return None
        found = self._combined(self._voted(k), k)
        return self._variables.columns(found)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "frequency": float(self.selection_frequency_[j]),
            "parts": int(np.rint(self.selection_frequency_[j] * len(self.part_selections_))),
            "mean rank": float(self.mean_rank_[j]),
            "relevance": float(self.relevance_[j]),
        }

    def _reason(self, j: int) -> str:
        if not self.selection_frequency_[j]:
            return "no votes"
        best, other = {"vote": ("most", "fewer"), "rank": ("best", "worse")}[self.combine]
        what = "votes" if self.combine == "vote" else "mean places"
        return f"{best if self.support_[j] else other} {what}"

    def _explain_order(self) -> np.ndarray:
        """Scores, then mean places, and of the many that no part selected the more relevant first.

        The larger the earlier.
        """
        p = self.scores_.size
        keys = (-np.arange(p), self.relevance_, -self.mean_rank_, self.scores_)
        order = np.empty(p)
        order[np.lexsort(keys)] = np.arange(p)
        return order


def count_selections(parts: Any, n_features: int) -> np.ndarray:
    """Number of parts that selected each column."""
    return np.bincount(np.concatenate(list(parts)), minlength=n_features)


def _mean_ranks(parts: Any, n_features: int) -> np.ndarray:
    """Mean place of every column over the parts; (p + k + 1) / 2 where a part of k lacks it."""
    total = np.zeros(n_features)
    for columns in parts:
        places = np.full(n_features, (n_features + len(columns) + 1) / 2)
        places[columns] = np.arange(1, len(columns) + 1)
        total += places
    return total / len(parts)

"""Ensembles of different selectors, combined by the places that they give to the columns."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import check_random_state

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import Interval, NamedMembersMixin, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.ties import by_decreasing
from ensfs.contrasts.importance import ForestImportance
from ensfs.data.frames import take
from ensfs.data.sparse_columns import takes_sparse
from ensfs.data.variables import Variables
from ensfs.ensemble.rank_aggregation import AGGREGATIONS, places_of
from ensfs.selection._base import BaseSelector
from ensfs.selection.forward import ForwardSelection
from ensfs.selection.halves import LEAST_FOLDS
from ensfs.selection.l1_path import L1Path
from ensfs.selection.mrmr import MRMR
from ensfs.selection.part_ensembles import EnsembleOfParts, FastEnsemble
from ensfs.training.classes import Outputs, TargetReading, join, outputs_of
from ensfs.training.estimator import CHOICE_CONSTRAINTS, takes_missing
from ensfs.training.weighted_fit import fit_weighted

#: Members rank so many columns for each that is to be selected, and at least so many.
_DEPTH, _LEAST_DEPTH = 2, 40


@with_docs(COMMON_DOCS)
class RankEnsemble(MetaEstimatorMixin, BaseSelector, NamedMembersMixin):
    """Combine selectors that see different things by the places that they give to the columns.

    Trees see interactions and effects that are not linear, linear models see weak effects and what
    columns say together, votes of halves hold up in few rows: together they are good on many kinds
    of tables. Every member ranks the columns, on all
    rows or on half samples that all members share, and the orders are made one.

    Parameters
    ----------
    estimators : list of (str, selector), optional
        The members. A selector of this package, or one of scikit-learn that has ``scores_`` or
        ``ranking_`` after `fit`. None: `ForestImportance`, `MRMR` on halves (`FastEnsemble`; on
        less than 16 rows without them), `ForwardSelection` and `L1Path`.
    {n_features_to_select}
    aggregation : {"reciprocal_rank", "interleaving", "borda", "robust_rank"}, \
            default="reciprocal_rank"
        "reciprocal_rank": the sum of 1 / place over the orders. "interleaving": the first places of
        all members in turn, then the second places, and so on. "borda": points that fall evenly
        with the place. "robust_rank": how unlikely such good places are for random orders.
    n_halves : int, default=0
        0: every member ranks the columns on all rows. Otherwise on so many random halves of the
        rows, which all members share; classes keep their shares.
    include : names, positions or mask, default=None
        Columns that come first, in the order given; they count towards the number of columns to
        select. Members that have the parameter, and do not use it, begin with them too.
    exclude : names, positions or mask, default=None
        Columns that are not there: members are fitted on a table without them.
    random_state : int, RandomState instance or None, default=0
        Draws the halves, and seeds members that have a `random_state` of None.
    n_jobs : int, optional
        Members fitted at a time; None is one, -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    indices_ : ndarray of shape (n_features_to_select,)
        Columns, best first.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        What the columns are ordered by; NaN for those that no member ranked.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Mean over the members of 1 divided by the place of the column; 0 if no member ranked it.
    places_ : ndarray of shape (n_members, `n_features_in_`)
        Place that each member gives to each column, NaN where it does not rank it. Over half
        samples the harmonic mean, in which halves without the column count as a place at infinity.
    selection_frequency_ : ndarray of shape (`n_features_in_`,)
        Only with halves: share of the orders that have the column among their first
        `n_features_to_select`. Members that agree on the same rows say nothing of other rows.
    orders_ : list of list of ndarray
        For each member its orders, one for all rows or one for each half.
    member_names_ : list of str
        Names of the members.
    estimators_ : list of selectors
        The members, fitted on all rows or on the last half.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    FastEnsemble : One selector on many parts of the rows.

    References
    ----------
    G. V. Cormack, C. L. A. Clarke and S. Buettcher (2009), Reciprocal rank fusion outperforms
    Condorcet and individual rank learning methods, SIGIR. R. Kolde, S. Laur, P. Adler and J. Vilo
    (2012), Robust rank aggregation for gene list integration and meta-analysis, Bioinformatics
    28(4), 573-580.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import RankEnsemble
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = RankEnsemble(n_features_to_select=3, random_state=0).fit(X, y)
    >>> print(selector.explain()[:4])
    feature          selected  rank  score  forest  mrmr  forward  l1  reason
    proline          yes       1     3.25   1       1     4        1   best places
    flavanoids       yes       2     2      3       2     1        6   best places
    color_intensity  yes       3     1.417  2       3     3        4   best places
    alcohol          no        -     1.283  5       4     2        3   worse places
    """

    _parameter_constraints: dict = {
        "estimators": [list, None],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "aggregation": [StrOptions(set(AGGREGATIONS))],
        "n_halves": [Interval(Integral, 0, None, closed="left")],
        **CHOICE_CONSTRAINTS,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimators=None,
        n_features_to_select=10,
        *,
        aggregation="reciprocal_rank",
        n_halves=0,
        include=None,
        exclude=None,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.estimators = estimators
        self.n_features_to_select = n_features_to_select
        self.aggregation = aggregation
        self.n_halves = n_halves
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def get_params(self, deep=True):
        """Parameters of this ensemble and, with `deep`, of its members.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the members, as ``<name>`` and ``<name>__<parameter>``.

        Returns
        -------
        dict
            Names and values.
        """
        if self.estimators is None:
            return super().get_params(deep=False)
        return self.params_with_members("estimators", deep)

    def set_params(self, **params):
        """Set parameters of this ensemble or of its members.

        Parameters
        ----------
        **params : dict
            Names, as `get_params` gives them, and values.

        Returns
        -------
        self : RankEnsemble
            The ensemble.
        """
        self.set_params_with_members("estimators", params)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table, as all members take it.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row is there: numbers of at least 0, not necessarily whole. All members
            get them.

        Returns
        -------
        self : RankEnsemble
            The fitted ensemble.
        """
        n_jobs = effective_n_threads(self.n_jobs)
        data = self._read_rows(X, y, n_jobs, sample_weight)
        X = X if data.existing.rows is None else take(X, rows=data.existing.rows)
        target = data.target("auto")
        variables = data.variables
        k = self.size_for(variables)
        rng = check_random_state(self.random_state)
        n_rows = data.n_rows // 2 if self.n_halves else data.n_rows
        self.member_names_, members = self._members(variables, k, n_rows, rng)
        samples = self._samples(target, data.n_rows, rng)
        if variables.kept is not None:
            X = take(X, columns=variables.kept)
        with warnings.catch_warnings():  # around the threads: filters belong to the process
            # that fewer columns than a member was asked for say something is no news
            warnings.filterwarnings("ignore", message="Only .* columns were selected")
            fits = Parallel(n_jobs, prefer="threads")(
                delayed(_ranked)(member, X, data.y, data.weight, rows)
                for member in members
                for rows in samples
            )
        m = len(samples)
        orders = [[order for _, order in fits[i * m : i * m + m]] for i in range(len(members))]
        self.estimators_ = [fits[(i + 1) * m - 1][0] for i in range(len(members))]
        self._combine(orders, variables, k)
        return self

    def target_reading(self) -> TargetReading:
        """Several outputs are for the members to combine."""
        return TargetReading(multi_output="mean")

    def _members(
        self, variables: Variables, k: int, n_rows: int, rng: Any
    ) -> tuple[list[str], list[Any]]:
        """Clones of the members that rank deep enough, with their names."""
        given = default_members(n_rows) if self.estimators is None else self.estimators
        if not given:
            raise ValueError("estimators must hold at least one member; got an empty list.")
        self.check_member_names([name for name, _ in given])
        depth = min(variables.n_variables, max(_DEPTH * k, _LEAST_DEPTH))
        members = [_prepared(each, depth, variables.included, rng) for _, each in given]
        return [name for name, _ in given], members

    def _samples(self, target: Any, n_rows: int, rng: Any) -> list[np.ndarray | None]:
        """The rows of each fit; None is all."""
        if self.n_halves == 0:
            return [None]
        labels = np.zeros(n_rows, dtype=int)
        if target.kind == "classes":
            labels = join(outputs_of(target)).codes if isinstance(target, Outputs) else target.codes
        return [_half(labels, rng) for _ in range(self.n_halves)]

    def _combine(self, by_member: list[list[np.ndarray]], variables: Variables, k: int) -> None:
        """One order from those of all members and samples."""
        p = variables.n_variables
        self.orders_ = [[variables.columns(order) for order in each] for each in by_member]
        # samples one after the other, so that interleaving takes the members in turn
        orders = [order for of_sample in zip(*by_member, strict=True) for order in of_sample]
        scores = AGGREGATIONS[self.aggregation](orders, p)
        ranked = np.zeros(p, dtype=bool)
        ranked[np.concatenate(orders)] = True
        selected = variables.included_first(scores, ranked)[:k]
        self._set_selected(selected, np.where(ranked, scores, np.nan))
        with np.errstate(divide="ignore"):
            shares = [np.mean([1 / places_of(o, p) for o in each], axis=0) for each in by_member]
            places = 1.0 / np.array(shares)
        self.relevance_ = variables.by_column(np.mean(shares, axis=0))
        self.places_ = variables.by_column(np.where(np.isfinite(places), places, np.nan))
        if self.n_halves:
            first = np.bincount(np.concatenate([order[:k] for order in orders]), minlength=p)
            self.selection_frequency_ = variables.by_column(first / len(orders), fill=0.0)
        elif hasattr(self, "selection_frequency_"):
            del self.selection_frequency_  # of an earlier fit

    @property
    def allows_missing(self) -> bool:
        """Whether all members take missing cells; those of the default do."""
        return self.estimators is None or all(takes_missing(each) for _, each in self.estimators)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.estimators is not None and all(
            takes_sparse(member) for _, member in self.estimators
        )
        return tags

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        row = {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "score": float(self.scores_[j]),
        }
        return row | {n: _place(self.places_[i, j]) for i, n in enumerate(self.member_names_)}

    def _reason(self, j: int) -> str:
        if self.support_[j]:
            return "best places"
        return "worse places" if self.relevance_[j] > 0 else "not ranked"

    def _explain_order(self) -> np.ndarray:
        return np.nan_to_num(self.scores_, nan=-np.inf)


def default_members(n_rows: int) -> list[tuple[str, Any]]:
    """A forest, pairwise redundancy on halves, and two linear rankings."""
    mrmr = MRMR()
    if n_rows >= 2 * LEAST_FOLDS:
        mrmr = FastEnsemble(mrmr, parts="halves", random_state=None)
    return [
        ("forest", ForestImportance(random_state=None)),
        ("mrmr", mrmr),
        ("forward", ForwardSelection()),
        ("l1", L1Path()),
    ]


def _place(place: float) -> Any:
    """A place for people: whole where it is."""
    if np.isnan(place):
        return None
    return int(place) if place == int(place) else float(place)


def _half(labels: np.ndarray, rng: Any) -> np.ndarray:
    """Half of the rows of each label, in order of rows."""
    rows = []
    for label in np.unique(labels):
        of_label = np.nonzero(labels == label)[0]
        rows.append(rng.permutation(of_label)[: -(-of_label.size // 2)])
    return np.sort(np.concatenate(rows))


def _prepared(member: Any, depth: int, included: np.ndarray, rng: Any) -> Any:
    """A clone that ranks `depth` columns, begins with those that are included, and has a seed."""
    member = inner = clone(member)
    if isinstance(member, EnsembleOfParts):  # its selector does the ranking
        inner = MRMR() if member.selector is None else member.selector
        member.set_params(selector=inner)
    parameters = inner.get_params(deep=False)
    if included.size and parameters.get("include", 0) is None:
        inner.set_params(include=included)
    if parameters.get("n_features_to_select", 0) not in (0, None):
        inner.set_params(n_features_to_select=depth)
        if inner is not member:
            member.set_params(n_features_to_select=None)
    parameters = member.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        member.set_params(random_state=int(rng.randint(np.iinfo(np.int32).max)))
    return member


def _ranked(
    member: Any, X: Any, y: Any, weight: np.ndarray | None, rows: np.ndarray | None
) -> tuple[Any, np.ndarray]:
    """A member fitted on some rows, and its order of the columns."""
    member = clone(member)
    if rows is None:
        fit_weighted(member, X, y, weight)
    else:
        some = None if weight is None else weight[rows]
        fit_weighted(member, take(X, rows=rows), take(y, rows=rows), some)
    return member, order_of(member)


def order_of(selector: Any) -> np.ndarray:
    """Columns of a fitted selector, best first."""
    if hasattr(selector, "indices_"):
        return np.asarray(selector.indices_)
    if hasattr(selector, "scores_"):
        scores = np.asarray(selector.scores_, dtype=np.float64)
        return by_decreasing(np.nan_to_num(scores, nan=-np.inf), np.isfinite(scores))
    if hasattr(selector, "ranking_"):
        return np.argsort(selector.ranking_, kind="stable")
    raise TypeError(
        f"{type(selector).__name__} gives no order of the columns: it has neither indices_ nor "
        "scores_ nor ranking_ after fit."
    )

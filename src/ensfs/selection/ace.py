"""Artificial contrasts with ensembles: relevant columns that do not stand in for each other."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from ensfs._base import BaseSelector
from ensfs._progress import task
from ensfs._sklearn import Interval, StrOptions, fit_context
from ensfs._table import resolve_n_features
from ensfs._target import Target
from ensfs._threads import effective_n_threads
from ensfs.selection._contrasts import (
    ContrastForest,
    ForestTarget,
    gini_impurity,
    standardised,
)

#: Replicates before the first look whether all is clear, and between looks.
FIRST_LOOK, NEXT_LOOK = 10, 5

_FEW_ROWS = 30
_NOTHING = 1e-12  # share of the target's impurity below which nothing is left to explain
_N_FOLDS = 5
_KINDS = {"auto": "auto", "classification": "classes", "regression": "numeric"}


# ------------------------------------------------------------------------------ statistics


def paired_p_values(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """One-sided p-values of paired t-tests of scores against the threshold of their replicate.

    Parameters
    ----------
    scores : ndarray of shape (n_replicates, ...)
        Scores of every replicate.
    thresholds : ndarray that broadcasts against `scores`
        What they are compared with.

    Returns
    -------
    ndarray of the shape of one replicate
        Where all differences are equal: 0 if they are positive, else 1.
    """
    differences = scores - thresholds
    mean = differences.mean(axis=0)
    n = differences.shape[0]
    error = differences.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.zeros_like(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = stats.t.sf(mean / error, max(n - 1, 1))
    # equal differences may still differ in their last digit
    constant = error <= 1e-15 * np.abs(mean)
    return np.where(constant, np.where(mean > 0, 0.0, 1.0), p_values)


def significant(p_values: np.ndarray, alpha: float, correction: str | None) -> np.ndarray:
    """Which of many tests are significant at level `alpha` after a correction."""
    flat = p_values.ravel()
    if correction == "bonferroni":
        adjusted = flat * flat.size
    elif correction == "fdr_bh":
        adjusted = stats.false_discovery_control(flat) if flat.size else flat
    elif correction == "holm":
        order = np.argsort(flat, kind="stable")
        adjusted = np.empty_like(flat)
        adjusted[order] = np.maximum.accumulate(flat[order] * np.arange(flat.size, 0, -1))
    else:
        adjusted = flat
    return (adjusted <= alpha).reshape(p_values.shape)


# ------------------------------------------------------------------------------ what happened


@dataclass
class ACERound:
    """One forest after the other on one target: what every replicate said.

    Attributes
    ----------
    number : int
        1 for the target itself, then the rounds on residuals.
    target : object
        None for the target itself and for the residual of a number, else the class whose residual
        it is.
    importances : ndarray of shape (n_replicates, n_features)
        Importance of every column in every replicate.
    contrasts : ndarray of shape (n_replicates, 3)
        Least, mean and largest importance of the contrasts.
    thresholds : ndarray of shape (n_replicates,)
        The quantile of the contrasts that columns are compared with.
    p_values : ndarray of shape (n_features,)
        Of the paired t-tests.
    relevant : ndarray
        Columns above the contrasts, by falling importance.
    kept : ndarray
        Those of them that none masks.
    new : ndarray
        Those of them that no earlier round kept.
    """

    number: int
    target: Any
    importances: np.ndarray
    contrasts: np.ndarray
    thresholds: np.ndarray
    p_values: np.ndarray
    relevant: np.ndarray
    kept: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    new: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass
class _State:
    """What the rounds have found so far."""

    confirmed: list[int]
    importances: np.ndarray
    p_values: np.ndarray
    masking: scipy.sparse.csr_array
    masked_by: np.ndarray
    rounds: list[ACERound]


# ------------------------------------------------------------------------------ the selector


class ACE(BaseSelector):
    r"""Artificial contrasts with ensembles: all relevant columns, without their stand-ins.

    Forests are grown on the columns together with *contrasts*, copies of the columns whose rows
    are permuted, and so can matter only by chance. A column is relevant if its importance is
    above that of the contrasts, by a paired t-test over replicates with new contrasts. A relevant
    column :math:`j` is masked by a more important one :math:`i` if it could take its place, that
    is if the best surrogate split on :math:`j` agrees with the splits on :math:`i`,

    .. math:: M_{ij} = \sum_{t\ \mathrm{split\ on}\ i} \Delta I(t)\,
              \max\Bigl(0, \frac{\min(\pi_L, \pi_R) - (1 - p_j(t))}{\min(\pi_L, \pi_R)}\Bigr),

    significantly better than with contrasts. What boosting cannot predict from the columns that
    are left is the target of the next round, which brings back what was masked only in part, and
    finds weaker columns, until a round finds nothing new.

    Parameters
    ----------
    alpha : float, default=0.05
        Level of all tests.
    n_features_to_select : int or float, optional
        The most columns to keep; None keeps what the method keeps.
    task : {"auto", "classification", "regression"}, default="auto"
        What the target holds. "auto": text, booleans, categories and whole numbers with few
        distinct values are classes.
    n_replicates : int, default=30
        The most forests for a decision; fewer where all decisions are clear before.
    n_estimators : int, default=50
        Trees of a forest.
    max_depth : int, default=6
        Depth of a tree.
    min_samples_leaf : int, default=5
        Least number of rows in a leaf.
    max_features : int or float, optional
        Columns (contrasts included) that are tried at a node, or their share; by default the
        square root of their number. Where masking is measured all of them are tried.
    quantile : float, default=1.0
        Which quantile of the contrasts of a replicate the columns are compared with.
    min_association : float, default=0.2
        Masking below this share of what a perfect copy would have does not count: columns that
        share less than that with each other both stay.
    correction : {"bonferroni", "holm", "fdr_bh"}, default="bonferroni"
        How the level is shared among the tests; None: not at all.
    first : {"gini", "residual"}, default="gini"
        What classes are in the first round: one forest for all, or one target for each class.
    max_iter : int, default=10
        The most rounds; 1: no residuals.
    discrete_features : "auto", mask, indices or names, default="auto"
        Which columns hold levels without an order. "auto": text and categories.
    random_state : int, RandomState instance, optional
        Seed of contrasts, trees and folds.
    n_jobs : int, optional
        Threads; None is one, -1 all cores. The result does not depend on it.
    verbose : int, default=0
        1: a progress bar on standard error while fitting, and a line at the end.

    Attributes
    ----------
    indices_ : ndarray
        Confirmed columns: by round, then by importance.
    support_, ranking_ : ndarray of shape (`n_features_in_`,)
        Mask of the confirmed columns; place from 1, the columns left out sharing the next place.
    importances_ : ndarray of shape (`n_features_in_`,)
        Out-of-bag decrease of impurity in the first round, mean over trees and replicates, as a
        share of the impurity of the target; plus that of each later round that kept the column.
    scores_ : ndarray of shape (`n_features_in_`,)
        The same for the confirmed columns; NaN for the others.
    p_values_ : ndarray of shape (`n_features_in_`,)
        Least p-value over the rounds, not corrected.
    decision_ : ndarray of object, shape (`n_features_in_`,)
        "confirmed", "masked" (relevant, but a confirmed column stands for it) or "rejected".
    masking_ : csr_array of shape (`n_features_in_`, `n_features_in_`)
        Entry i, j: masking score of i over j, where it is significant; sum over the rounds.
    masked_by_ : ndarray of shape (`n_features_in_`,)
        Confirmed column that masks each masked one, itself or by way of others; -1 elsewhere.
    rounds_ : list of ACERound
        The history: importances, contrasts and p-values of every replicate, by round and class.
    n_iter_ : int
        Number of rounds.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if they had any.

    See Also
    --------
    ACEHistoryDisplay : Importances and contrasts of a round as a picture.
    ACEMaskingDisplay : Which column masks which, as a picture.

    Notes
    -----
    Splits are made where the rows in the bag say; the column that splits is chosen by the rows out
    of it, which do not favour columns with many values. Numbers with more than 255 distinct values
    are cut into 255 bins with equally many rows.

    Replicates permute the contrasts anew but never the columns: what a column shows by chance it
    shows in each of them, and more replicates or larger forests would make it significant. The mean
    importance must therefore also exceed the thresholds of all replicates, which holds for any of
    the columns of pure noise in one table of ``n_replicates + 1`` (Westfall and Young's argument).

    The published scheme is followed with these choices. A column goes if any more important one
    masks it, kept or not; a column that has its own part in the target returns in a later round.
    Residuals are those of the target given all confirmed columns, predicted out of fold; of numbers
    their normal scores are used, so that a few badly predicted extremes do not decide. A confirmed
    column that is still relevant in a later round, because the prediction is not perfect, gives
    way only to columns that are significantly more important than itself.

    References
    ----------
    E. Tuv, A. Borisov, G. Runger and K. Torkkola (2009), Feature selection with ensembles,
    artificial variables, and redundancy elimination, Journal of Machine Learning Research 10,
    1341-1366. H. Deng, S. Davila, G. Runger and E. Tuv (2010), Learning Markov blankets for
    continuous or discrete networks via feature selection, SUEMA workshop.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import ACE
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 6))
    >>> X[:, 4] = X[:, 1]  # a twin
    >>> y = X[:, 1] + X[:, 3] + rng.normal(scale=0.5, size=300)
    >>> selector = ACE(random_state=0).fit(X, y)
    >>> selector.indices_
    array([3, 1])
    >>> selector.decision_[4], selector.masked_by_[4]
    ('masked', np.int64(1))
    """

    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "task": [StrOptions(set(_KINDS))],
        "n_replicates": [Interval(Integral, 2, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, 30, closed="both")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "quantile": [Interval(Real, 0, 1, closed="both")],
        "min_association": [Interval(Real, 0, 1, closed="left")],
        "correction": [StrOptions({"bonferroni", "holm", "fdr_bh"}), None],
        "first": [StrOptions({"gini", "residual"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "discrete_features": ["array-like", StrOptions({"auto"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        alpha=0.05,
        *,
        n_features_to_select=None,
        task="auto",
        n_replicates=30,
        n_estimators=50,
        max_depth=6,
        min_samples_leaf=5,
        max_features=None,
        quantile=1.0,
        min_association=0.2,
        correction="bonferroni",
        first="gini",
        max_iter=10,
        discrete_features="auto",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.alpha = alpha
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.n_replicates = n_replicates
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.quantile = quantile
        self.min_association = min_association
        self.correction = correction
        self.first = first
        self.max_iter = max_iter
        self.discrete_features = discrete_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Select columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : ACE
            The fitted selector.
        """
        if hasattr(X, "make_data"):
            raise TypeError(
                "ACE grows trees on rows that it must have in memory; row blocks are not"
            )
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read(X, y, n_threads, discrete_features=self.discrete_features)
        target = data.target(_KINDS[self.task])
        if data.n_rows < _FEW_ROWS:
            warnings.warn(
                f"ACE compares columns with chance, which {data.n_rows} rows hardly tell apart; "
                f"use at least {_FEW_ROWS}.",
                UserWarning,
                stacklevel=2,
            )
        search = _Search(self, data.table, target, n_threads)
        self._keep_state(search.run(), search.decide_limit())
        return self

    def _keep_state(self, state: _State, limit: int | None) -> None:
        confirmed = np.array(state.confirmed[:limit], dtype=np.int64)
        scores = np.full(self.n_features_in_, np.nan)
        scores[confirmed] = state.importances[confirmed]
        self._keep(confirmed, scores)
        self.importances_ = state.importances
        self.p_values_ = state.p_values
        self.masking_ = state.masking
        self.masked_by_ = state.masked_by
        self.rounds_ = state.rounds
        self.n_iter_ = max((each.number for each in state.rounds), default=1)
        self.decision_ = np.full(self.n_features_in_, "rejected", dtype=object)
        self.decision_[state.masked_by >= 0] = "masked"
        self.decision_[state.confirmed] = "confirmed"

    def _explain_row(self, j: int) -> dict[str, Any]:
        by = int(self.masked_by_[j])
        found = [each.number for each in self.rounds_ if j in each.kept]
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "importance": float(self.importances_[j]),
            "p value": float(self.p_values_[j]),
            "decision": self.decision_[j],
            "round": found[0] if found else None,
            "masked by": self._name(by) if by >= 0 else None,
        }

    def _explain_order(self) -> np.ndarray:
        return self.importances_


class _Search:
    """The rounds of one fit."""

    def __init__(self, ace: ACE, table: Any, target: Target, n_threads: int):
        self.ace = ace
        self.target = target
        self.n_threads = n_threads
        self.codes = table.bins()
        self.nominal = np.ascontiguousarray(table.nominal, dtype=np.uint8)
        numeric = target.kind == "numeric"
        self.y = standardised(target.values) if numeric else target.codes
        self.p = table.n_features
        self.seed = int(check_random_state(ace.random_state).randint(np.iinfo(np.int32).max))
        self.state = _State(
            confirmed=[],
            importances=np.zeros(self.p),
            p_values=np.ones(self.p),
            masking=scipy.sparse.csr_array((self.p, self.p)),
            masked_by=np.full(self.p, -1, dtype=np.int64),
            rounds=[],
        )

    def decide_limit(self) -> int | None:
        """The most columns to keep."""
        k = self.ace.n_features_to_select
        return None if k is None else resolve_n_features(k, self.p)

    def run(self) -> _State:
        """Rounds until one of them finds nothing new."""
        if self.target.constant:
            return self.state
        for number in range(1, self.ace.max_iter + 1):
            n_before = len(self.state.confirmed)
            for k, (label, target) in enumerate(self._targets(number)):
                self._one_target(number, k, label, target)
            if len(self.state.confirmed) == n_before:
                break
        self.state.masked_by[self.state.confirmed] = -1
        return self.state

    # ---------------------------------------------- targets and residuals

    def _targets(self, number: int) -> Iterator[tuple[Any, ForestTarget]]:
        """What a round explains: the target, or what is left of it (of each class)."""
        if self.target.kind == "numeric":
            if number == 1:
                yield None, ForestTarget.of_numbers(self.y)
                return
            residual = self.y - self._predict(number)[:, 0]
            left = float(residual.var())  # the target has variance 1
            if left >= _NOTHING:
                yield None, ForestTarget.of_numbers(_normal_scores(residual), scale=left)
            return
        classes = self.target.classes
        if number == 1 and self.ace.first == "gini":
            yield None, ForestTarget.of_classes(self.y, len(classes))
            return
        probability = self._predict(number)
        for k in range(len(classes)) if len(classes) > 2 else (1,):
            residual = (self.y == k) - probability[:, k]
            # the variances of all classes sum up to Gini's impurity
            left = float(residual.var()) / gini_impurity(self.y) * (2 if len(classes) == 2 else 1)
            if left >= _NOTHING:
                yield classes[k], ForestTarget.of_numbers(residual, scale=left)

    def _predict(self, number: int) -> np.ndarray:
        """Out-of-fold prediction from the confirmed columns: a number, or class probabilities."""
        numeric = self.target.kind == "numeric"
        y = self.y
        out = np.zeros((y.size, 1 if numeric else len(self.target.classes)))
        X = self.codes[:, self.state.confirmed]
        # one thread: the sums of boosting must not depend on how rows are shared
        with threadpool_limits(limits=1, user_api="openmp"):
            for train, test in self._folds(y, number):
                if numeric:
                    out[test, 0] = self._boosting(number).fit(X[train], y[train]).predict(X[test])
                elif X.shape[1] and np.ptp(y[train]):
                    model = self._boosting(number).fit(X[train], y[train])
                    out[np.ix_(test, model.classes_)] = model.predict_proba(X[test])
                else:
                    out[test] = np.bincount(y[train], minlength=out.shape[1]) / train.size
        return out

    def _folds(self, y: np.ndarray, number: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        n_folds = min(_N_FOLDS, y.size)
        classes = self.target.kind == "classes" and np.bincount(y).min() >= n_folds
        splitter = (StratifiedKFold if classes else KFold)(
            n_folds, shuffle=True, random_state=self.seed + number
        )
        return splitter.split(y, y if classes else None)

    def _boosting(self, number: int) -> Any:
        numeric = self.target.kind == "numeric"
        cls = HistGradientBoostingRegressor if numeric else HistGradientBoostingClassifier
        return cls(
            max_iter=100,
            max_depth=3,
            learning_rate=0.1,
            min_samples_leaf=self.ace.min_samples_leaf,
            early_stopping=False,
            categorical_features=self.nominal[self.state.confirmed].astype(bool),
            random_state=self.seed + number,
        )

    # ---------------------------------------------- one target

    def _one_target(self, number: int, k: int, label: Any, target: ForestTarget) -> None:
        """Relevant columns of one target, without those that are masked."""
        state = self.state
        found = self._relevant(number, k, label, target)
        importances = found.importances.mean(axis=0)
        state.rounds.append(found)
        np.minimum(state.p_values, found.p_values, out=state.p_values)
        if number == 1:
            state.importances += importances
        if not found.relevant.size:
            return
        masks = self._masks(number, k, found.relevant, target)
        found.kept = self._unmasked(found, masks)
        found.new = found.kept[~np.isin(found.kept, state.confirmed)]
        state.confirmed += found.new.tolist()
        if number > 1:
            state.importances[found.kept] += importances[found.kept]

    def _relevant(self, number: int, k: int, label: Any, target: ForestTarget) -> ACERound:
        """The columns that are above the contrasts."""
        ace = self.ace
        forest = self._forest(np.arange(self.p), target, self._n_candidates())
        contrasts = []

        def replicate(r: int) -> tuple[np.ndarray, np.ndarray]:
            one = forest.replicate(self._seed(number, k, 0, r))
            low, high = one.contrasts.min(), one.contrasts.max()
            contrasts.append((low, one.contrasts.mean(), high))
            return one.importances, _quantile(one.contrasts, ace.quantile)

        scores, limits = self._repeat(f"round {number}: contrasts", replicate, self._is_clear)
        p_values = paired_p_values(scores, limits[:, None])
        mean = scores.mean(axis=0)
        relevant = significant(p_values, ace.alpha, ace.correction) & (mean > limits.max())
        order = np.argsort(-mean, kind="stable")
        return ACERound(
            number, label, scores, np.array(contrasts), limits, p_values,
            order[relevant[order]],
        )  # fmt: skip

    def _masks(self, number: int, k: int, columns: np.ndarray, target: ForestTarget) -> np.ndarray:
        """Which of the relevant columns masks which; their scores are added to the others."""
        n = columns.size
        masks = np.zeros((n, n), dtype=bool)
        if n == 1:
            return masks
        ace = self.ace
        forest = self._forest(columns, target, 2 * n)

        def replicate(r: int) -> tuple[np.ndarray, np.ndarray]:
            one = forest.replicate(self._seed(number, k, 1, r), masking=True)
            chance = _quantile(one.contrast_masking, ace.quantile)
            # a column stands in for itself perfectly: the diagonal is what it could mask at most
            return one.masking, np.maximum(chance, ace.min_association * one.masking.diagonal())

        scores, limits = self._repeat(f"round {number}: masking", replicate, self._is_clear_masking)
        pairs = ~np.eye(n, dtype=bool)
        p_values = paired_p_values(scores, limits[:, :, None])
        masks[pairs] = significant(p_values[pairs], ace.alpha, ace.correction)
        at = np.nonzero(masks)
        found = scipy.sparse.coo_array(
            (scores.mean(axis=0)[at], (columns[at[0]], columns[at[1]])), shape=(self.p, self.p)
        )
        self.state.masking = scipy.sparse.csr_array(self.state.masking + found)
        return masks

    def _unmasked(self, found: ACERound, masks: np.ndarray) -> np.ndarray:
        """The relevant columns that none masks; for the others, which confirmed column does.

        `masks` is in the order of ``found.relevant``, which is that of falling importance.
        """
        columns = found.relevant
        confirmed = np.isin(columns, self.state.confirmed)
        stands_for = np.full(columns.size, -1)
        for j in range(columns.size):
            maskers = np.nonzero(masks[:j, j])[0].tolist()
            if not confirmed[j]:
                rest = np.nonzero(masks[j + 1 :, j] & confirmed[j + 1 :])[0] + j + 1
                maskers += [i for i in rest.tolist() if not self._is_above(found, j, i)]
            if maskers:
                # a kept column rather than one that is masked itself, which has its own masker
                direct = [i for i in maskers if stands_for[i] < 0]
                i = direct[0] if direct else maskers[0]
                stands_for[j] = i if stands_for[i] < 0 else stands_for[i]
        masked = np.nonzero(stands_for >= 0)[0]
        self.state.masked_by[columns[masked]] = columns[stands_for[masked]]
        return columns[stands_for < 0]

    def _is_above(self, found: ACERound, j: int, i: int) -> bool:
        """Whether relevant column ``j`` is significantly more important than ``i``."""
        scores = found.importances[:, found.relevant]
        return bool(paired_p_values(scores[:, j], scores[:, i]) <= self.ace.alpha)

    # ---------------------------------------------- forests and replicates

    def _forest(
        self, columns: np.ndarray, target: ForestTarget, n_candidates: int
    ) -> ContrastForest:
        whole = columns.size == self.p and bool((columns == np.arange(self.p)).all())
        codes = self.codes if whole else np.asfortranarray(self.codes[:, columns])
        ace = self.ace
        return ContrastForest(
            codes, self.nominal[columns], target, ace.n_estimators, ace.max_depth,
            ace.min_samples_leaf, n_candidates, self.n_threads,
        )  # fmt: skip

    def _n_candidates(self) -> int:
        both = 2 * self.p
        m = self.ace.max_features
        if m is None:
            return math.ceil(math.sqrt(both))
        if isinstance(m, Integral):
            return min(int(m), both)
        return max(1, math.floor(m * both + 0.5))

    def _seed(self, *place: int) -> np.random.SeedSequence:
        return np.random.SeedSequence((self.seed, *place))

    def _repeat(
        self,
        name: str,
        replicate: Callable[[int], tuple[np.ndarray, np.ndarray]],
        is_clear: Callable[[np.ndarray, np.ndarray], bool],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores and thresholds of the replicates, until a look finds that all is clear."""
        scores, thresholds = [], []
        most = self.ace.n_replicates
        with task(name, most) as advance:
            for n in range(1, most + 1):
                score, threshold = replicate(n - 1)
                scores.append(score)
                thresholds.append(threshold)
                advance()
                looks = FIRST_LOOK <= n < most and (n - FIRST_LOOK) % NEXT_LOOK == 0
                if looks and is_clear(np.array(scores), np.array(thresholds)):
                    break
        return np.array(scores), np.array(thresholds)

    def _is_clear(self, scores: np.ndarray, thresholds: np.ndarray) -> bool:
        """Whether every column is far above the contrasts, or cannot come above them any more.

        Far: beyond anything that the thresholds of further replicates may reach, and significant
        at a tenth of the level, which pays for looking several times.
        """
        n = thresholds.size
        mean, error = scores.mean(axis=0), scores.std(axis=0, ddof=1) / math.sqrt(n)
        p_values = paired_p_values(scores, thresholds[:, None])
        above = significant(p_values, self.ace.alpha / 10, self.ace.correction)
        above &= mean - 3 * error > thresholds.max() + 2 * thresholds.std(ddof=1)
        below = mean + 3 * error < thresholds.max()
        return bool((above | below).all())

    def _is_clear_masking(self, scores: np.ndarray, thresholds: np.ndarray) -> bool:
        """Whether every pair is significant at a tenth of the level, or far from the level."""
        p_values = paired_p_values(scores, thresholds[:, :, None])
        p_values = p_values[~np.eye(p_values.shape[0], dtype=bool)]
        above = significant(p_values, self.ace.alpha / 10, self.ace.correction)
        return bool((above | (p_values > 0.5)).all())


def _quantile(values: np.ndarray, q: float) -> np.ndarray:
    """Quantile of the last axis, one of the values; the higher one if it lies between two."""
    return np.quantile(values, q, axis=-1, method="higher")


def _normal_scores(values: np.ndarray) -> np.ndarray:
    """Normal quantiles of the ranks."""
    return stats.norm.ppf((stats.rankdata(values) - 0.5) / values.size)

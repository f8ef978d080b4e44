"""Artificial contrasts with ensembles: relevant columns that do not stand in for each other."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs._utils.warn import warn_user
from ensfs.contrasts._base import ForestSelector
from ensfs.contrasts.rounds import Search
from ensfs.contrasts.state import State
from ensfs.data.target import KIND_OF_TASK, Target
from ensfs.data.variables import Variables
from ensfs.selection._base import warn_of_size
from ensfs.training.estimator import CHOICE_CONSTRAINTS, MISSING_CONSTRAINTS
from ensfs.training.memory import MemoryTrainingData

_FEW_ROWS = 30


@with_docs(COMMON_DOCS)
class ACE(ForestSelector):
    r"""Artificial contrasts with ensembles: all relevant columns, without their stand-ins.

    Forests are grown on the columns together with *contrasts*, copies of the columns whose rows
    are permuted, and so can matter only by chance. A column is relevant if its importance is
    above that of the contrasts, by a paired t-test over replicates with new contrasts, or if it
    goes with the target in a straight line. A relevant column :math:`j` is masked by a more
    important one :math:`i` if it could take its place, that is if the best surrogate split on
    :math:`j` agrees with the splits on :math:`i`,

    .. math:: M_{ij} = \sum_{t\ \mathrm{split\ on}\ i} \Delta I(t)\,
              \max\Bigl(0, \frac{\min(\pi_L, \pi_R) - (1 - p_j(t))}{\min(\pi_L, \pi_R)}\Bigr),

    significantly better than with contrasts. What cannot be predicted from the columns that are
    left is the target of the next round, which brings back what was masked only in part, and
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
    n_replicates : int, default=10
        The most forests for a decision; fewer where all decisions are clear before.
    n_estimators : int, optional
        Trees of a forest; by default 100 (200 where more than fifty columns are compared with
        contrasts all together), and more where there are so many columns that each would be tried
        at fewer than five of the roots.
    max_depth : int, default=6
        Depth of a tree; where masking is measured at most 6.
    min_samples_leaf : int, default=5
        Least number of rows in a leaf.
    max_features : int or float, optional
        Columns (contrasts included) that are tried at a node, or their share; by default twice the
        square root of their number. Where masking is measured all of them are tried.
    quantile : float, default=0.95
        Which quantile of the contrasts of a replicate the columns are compared with; with fewer
        than twenty columns 0.95 is the largest contrast.
    min_association : float, default=0.2
        Masking below this share of what a perfect copy would have does not remove a column by
        itself: columns that share less than that both stay, if both help to predict the target.
    correction : {"bonferroni", "holm", "fdr_bh"}, default="bonferroni"
        How the level is shared among the t-tests; None: not at all.
    max_iter : int, default=10
        The most rounds; 1: no residuals.
    discrete_features : "auto", bool, mask, indices or names, default="auto"
        Which columns hold levels without an order. "auto": text and categories. True is all
        columns, False none but text and categories.
    {missing, include, exclude}
    random_state : int, RandomState instance or None, default=0
        Seed of contrasts, trees and folds.
    {n_jobs, verbose}

    Attributes
    ----------
    indices_ : ndarray
        Selected columns: the confirmed ones by round, then by importance, at most
        `n_features_to_select`.
    {support_, ranking_}
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Out-of-bag decrease of impurity in the first round, mean over trees and replicates, as a
        share of the impurity of the target; plus that of each later round that kept the column.
    scores_ : ndarray of shape (`n_features_in_`,)
        The same for the selected columns; NaN for the others.
    relevance_ : ndarray of shape (`n_features_in_`,)
        The importances by the name that all selectors share.
    pvalues_ : ndarray of shape (`n_features_in_`,)
        Least p-value over the rounds, not corrected.
    decision_ : ndarray of object, shape (`n_features_in_`,)
        "confirmed", also beyond `n_features_to_select`; "masked" (relevant, but a confirmed column
        stands for it); or "rejected".
    masking_ : csr_array of shape (`n_features_in_`, `n_features_in_`)
        Entry i, j: masking score of i over j, where it is significant; sum over the rounds.
    masked_by_ : ndarray of shape (`n_features_in_`,)
        Confirmed column that masks each masked one, itself or by way of others; -1 elsewhere.
    rounds_ : list of ACERound
        The history: importances, contrasts and p-values of every replicate, by round.
    n_iter_ : int
        Number of rounds.
    {n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    ACEHistoryDisplay : Importances and contrasts of a round as a picture.
    ACEMaskingDisplay : Which column masks which, as a picture.

    Notes
    -----
    Splits are made where the rows in the bag say; the column that splits is chosen by the rows out
    of it, which do not favour columns with many values: by the decrease of their impurity,
    :math:`n_L n_R / n` times the squared distance of the two sides, which is nothing if both kinds
    of rows see the split in opposite directions. In what the column is credited with one factor of
    the square is the distance in the bag, unless its levels have no order. With three and more
    classes each tree explains one half of them against the other, drawn at random; on average over
    the halves the decrease is that of Gini's impurity, in the time of two classes. Numbers with
    more than 255 distinct values are cut into 255 bins with equally many rows.

    Replicates permute the contrasts anew but never the columns: what a column shows by chance it
    shows in each of them, and more replicates or larger forests make it significant. The mean
    importance must therefore also be beyond chance among the contrasts of all replicates, which are
    what columns of noise reach in as many tables; of the confirmed columns, the expected share of
    those that a forest let in by chance is at most its level (Benjamini and Hochberg's procedure,
    in which columns that were confirmed before count as found). The level of the first round is
    `alpha`, that of the second half of it, and so on. Beyond most of the contrasts their tail is
    continued as an exponential one.

    Where there are more than fifty columns, they are compared with contrasts twice: all together,
    in five replicates, and again without those below the contrasts' quantile 0.7. What matters only
    together is seldom tried together among hundreds of columns that do not matter. Columns that
    went count as tests that failed. Of the columns that are left and nearly the same (a correlation
    of 0.95 or more) the most important one stands for all in these forests, because twins share
    their importance and may both be missed; masking looks at each of them.

    Trees need many rows to see a weak effect in a straight line. So columns with an order are also
    tested by the regression of their normal scores on what the round explains (a correlation for
    numbers, an analysis of variance for classes). A column is beyond chance if it is in one of the
    two or three tests, which share the level of the round.

    The published scheme is followed with these choices. A column goes if any more important one
    masks it, kept or not; a column that has its own part in the target returns in a later round.
    A target of numbers is replaced by its normal scores, and so are its residuals: which columns
    matter is the same, but a few extremes do not decide. Residuals are those of the target given
    all confirmed columns, predicted out of fold by boosting and by a linear model of the normal
    scores of the ordered columns, mixed in the proportion that has the least loss: boosting adds up
    many weak effects badly, and what it leaves of them hides others. The finds of a round on
    residuals are withdrawn, and it is the last, if with them the prediction is not better, and of
    its finds those without which it is as good: where it is bad, the residual depends on all that
    goes along with the confirmed columns. In the first round this is asked of columns that another
    one masks in part, that is more than contrasts but less than `min_association` wants. At the end
    the least important columns are withdrawn as far as the prediction surely loses less than a
    thousandth of the impurity without them, which happens where a few columns explain nearly all. A
    confirmed column that is still relevant in a later round, because the prediction is not perfect,
    gives way only to columns that are significantly more important than itself.

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
    >>> rng = np.random.default_rng(1)
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
        "task": [StrOptions(set(KIND_OF_TASK))],
        "n_replicates": [Interval(Integral, 2, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
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
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
        **MISSING_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
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
        n_replicates=10,
        n_estimators=None,
        max_depth=6,
        min_samples_leaf=5,
        max_features=None,
        quantile=0.95,
        min_association=0.2,
        correction="bonferroni",
        max_iter=10,
        discrete_features="auto",
        missing="auto",
        include=None,
        exclude=None,
        random_state=0,
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
        self.max_iter = max_iter
        self.discrete_features = discrete_features
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _select(self, data: MemoryTrainingData, target: Target, k: int, n_threads: int) -> None:
        if data.n_rows < _FEW_ROWS:
            warn_user(
                f"ACE needs at least {_FEW_ROWS} rows to tell an effect from chance; X has "
                f"{data.n_rows}.",
            )
        search = Search(self, data.table, target, n_threads, data.weight)
        self._keep_state(search.run(), data.variables, k)
        if not target.constant:
            warn_of_size(self)

    def why_nothing(self) -> str:
        """The likely reason if no column was selected, and what to do."""
        return (
            f"no column is more important than permuted copies at alpha={self.alpha}. Check the "
            "target, raise alpha, or give more rows."
        )

    prefix_stable = True  # a limit cuts the list of the confirmed columns

    def _keep_state(self, state: State, variables: Variables, limit: int) -> None:
        confirmed = np.array(state.confirmed[:limit], dtype=np.int64)
        scores = np.full(variables.n_variables, np.nan)
        importances = state.importances()
        scores[confirmed] = importances[confirmed]
        self._set_selected(confirmed, scores)
        decision = np.full(variables.n_variables, "rejected", dtype=object)
        decision[state.masked_by >= 0] = "masked"
        decision[state.confirmed] = "confirmed"
        decision[variables.included] = "included"
        self.decision_ = variables.by_column(decision, fill="excluded")
        self.relevance_ = variables.by_column(importances)
        self.feature_importances_ = self.relevance_.copy()
        self.pvalues_ = variables.by_column(state.pvalues)
        self.masking_ = variables.matrix_by_column(state.masking)
        self.masked_by_ = variables.by_column(variables.column(state.masked_by), fill=-1)
        self.rounds_ = [each.in_columns(variables) for each in state.rounds]
        self.n_iter_ = max((each.number for each in state.rounds), default=1)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        by = int(self.masked_by_[j])
        found = [each.number for each in self.rounds_ if j in each.kept]
        cut = self.decision_[j] == "confirmed" and not self.support_[j]
        beyond = ", beyond n_features_to_select" if cut else ""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "importance": float(self.feature_importances_[j]),
            "p-value": float(self.pvalues_[j]),
            "reason": self.decision_[j] + beyond,
            "round": found[0] if found else None,
            "masked by": self._name(by) if by >= 0 else None,
        }

    def _explain_order(self) -> np.ndarray:
        return self.feature_importances_

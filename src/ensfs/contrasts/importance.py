"""Columns by their importance in a forest, beyond that of their permuted copies."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.sklearn import Interval, StrOptions
from ensfs.contrasts._base import ForestSelector
from ensfs.data.bins import kinds_of_bins
from ensfs.data.target import KIND_OF_TASK, Target
from ensfs.measures.forest import corrected_importances
from ensfs.selection._base import warn_of_size
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.estimator import CHOICE_CONSTRAINTS, MISSING_CONSTRAINTS, OUTPUT_CONSTRAINTS
from ensfs.training.memory import MemoryTrainingData


@with_docs(COMMON_DOCS)
class ForestImportance(ForestSelector):
    """Rank columns by their importance in a forest, corrected by permuted copies of them.

    Every tree is grown on the columns and on a permuted copy of each, its contrast. The importance
    of a column is the decrease of impurity at its splits, measured on rows that the tree did not
    see, minus that of its contrast. A contrast has the same values as its column and says nothing
    about the target, so what columns with many values gain by chance is taken off. Trees see
    effects that are not linear, and columns that matter together.

    Parameters
    ----------
    {n_features_to_select}
    task : {"auto", "classification", "regression"}, default="auto"
        How the target is read; "auto" decides by its values.
    n_estimators : int, default=500
        Number of trees.
    n_contrasts : int, default=5
        How often the contrasts are drawn anew; each time for an equal share of the trees.
    max_depth : int, default=12
        Depth of a tree at most.
    min_samples_leaf : int, default=2
        Rows of a leaf at least.
    max_features : int or float, optional
        Columns and contrasts that are tried at a node; a float in (0, 1] is a share of all. None:
        the square root of their number, twice that for a numeric target.
    discrete_features : "auto", bool, mask, indices or names, default="auto"
        Which columns hold discrete values, as in `ACE`. Text and categories have no order; the
        trees split them by their levels.
    {multi_output, missing, include, exclude}
    random_state : int, RandomState instance or None, default=0
        Seeds the trees and the contrasts.
    {n_jobs, verbose}

    Attributes
    ----------
    indices_ : ndarray of shape (n_features_to_select,)
        Columns by falling importance.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        Importance beyond that of the contrast, of all columns.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Importance of each column itself, as a share of the impurity of the target.
    contrast_importances_ : ndarray of shape (`n_features_in_`,)
        Mean importance of its contrasts.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Importance beyond that of the contrast, by the name that all selectors share.
    {n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    ACE : Tests the importances, and removes columns that others stand in for.
    MRMR : Takes these importances as its relevance, ``MRMR(relevance="forest")``.

    Notes
    -----
    Columns are cut into at most 255 bins. Copies of a column share its importance; `MRMR` and
    `RankEnsemble` help against that.

    References
    ----------
    L. Breiman (2001), Random forests, Machine Learning 45, 5-32. M. Sandri and P. Zuccolotto
    (2008), A bias correction algorithm for the Gini variable importance measure in classification
    trees, Journal of Computational and Graphical Statistics 17(3), 611-628.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import ForestImportance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, [2, 2, 30, 30, 30], size=(300, 5))  # many levels say nothing
    >>> y = X[:, 0] ^ X[:, 1] ^ (rng.random(300) < 0.1)
    >>> sorted(ForestImportance(2, random_state=0).fit(X, y).indices_.tolist())
    [0, 1]
    """

    prefix_stable = True

    _parameter_constraints: dict = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "task": [StrOptions(set(KIND_OF_TASK))],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_contrasts": [Interval(Integral, 1, None, closed="left")],
        "max_depth": [Interval(Integral, 1, 30, closed="both")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "discrete_features": ["array-like", "boolean", StrOptions({"auto"})],
        **OUTPUT_CONSTRAINTS,
        **MISSING_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select=10,
        *,
        task="auto",
        n_estimators=500,
        n_contrasts=5,
        max_depth=12,
        min_samples_leaf=2,
        max_features=None,
        discrete_features="auto",
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        random_state=0,
        n_jobs=None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.task = task
        self.n_estimators = n_estimators
        self.n_contrasts = n_contrasts
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.discrete_features = discrete_features
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _select(
        self, data: MemoryTrainingData, target: Target | Outputs, k: int, n_threads: int
    ) -> None:
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        bins, kinds = data.table.bins(), kinds_of_bins(data.table)
        found = np.array([
            corrected_importances(
                bins, kinds, each, weight=data.weight, n_trees=self.n_estimators,
                n_contrasts=self.n_contrasts, max_depth=self.max_depth,
                min_leaf=self.min_samples_leaf, n_candidates=self._n_candidates(data.n_features),
                seed=seed, n_threads=n_threads,
            )
            for each in outputs_of(target)
        ])  # fmt: skip
        if isinstance(target, Outputs) and target.combine == "max":  # by importance and contrast
            best = (found[:, 0] - found[:, 1]).argmax(axis=0)
            importances, of_contrasts = np.take_along_axis(found, best[None, None], axis=0)[0]
        else:
            importances, of_contrasts = found.mean(axis=0)
        scores, variables = importances - of_contrasts, data.variables
        self.feature_importances_ = variables.by_column(importances)
        self.contrast_importances_ = variables.by_column(of_contrasts)
        self.relevance_ = variables.by_column(scores)
        # constant columns come last, though noise may score below them
        places = np.where(bins.min(axis=0) < bins.max(axis=0), scores, -np.inf)
        self._set_selected(variables.included_first(places)[:k], scores)
        if not target.constant:
            warn_of_size(self, k)

    def why_nothing(self) -> str:
        """The likely reason if no column has a score above 0, and what to do."""
        return "no column is more important than its contrast. Check the target."

    def _n_candidates(self, n_columns: int) -> int | None:
        both = 2 * n_columns
        if self.max_features is None:
            return None
        if isinstance(self.max_features, Integral):
            return min(int(self.max_features), both)
        return max(1, math.floor(self.max_features * both + 0.5))

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "importance": float(self.feature_importances_[j]),
            "of contrast": float(self.contrast_importances_[j]),
            "score": float(self.scores_[j]),
        }

"""The number of columns by prediction: cross-validation with the selection inside the folds."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter

from ensfs._utils.docs import with_docs
from ensfs._utils.sklearn import HasMethods, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.ties import TIE_TOLERANCE, first_largest
from ensfs.data.frames import take
from ensfs.data.sparse_columns import takes_sparse
from ensfs.data.variables import Variables
from ensfs.selection._base import SELECTOR_DOCS, BaseSelector
from ensfs.selection._routing import receivers, router_of
from ensfs.selection.mrmr import MRMR
from ensfs.selection.size_curves import (
    default_model,
    resolve_sizes,
    scores_by_size,
    selected_columns,
    with_size,
)
from ensfs.training.classes import TargetReading
from ensfs.training.estimator import choice_of, reading_of, takes_missing
from ensfs.training.weighted_fit import fit_weighted

#: Sizes to try if none are named; and all columns if they are no more than the last.
SIZES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@with_docs(SELECTOR_DOCS)
class SelectorCV(MetaEstimatorMixin, BaseSelector):
    """Choose how many columns a selector keeps by the cross-validated score of a model.

    In each fold the selector is fitted on the training rows, and the model is scored on the test
    rows for every number of columns, so that the scores are not flattered by the selection.
    Selectors whose first columns are their selection of fewer are fitted once in each fold. Then
    the selector is fitted on all rows with the number that was chosen.

    Parameters
    ----------
    selector : selector, default=None
        Of this library or of scikit-learn, with a parameter for the number of columns; None is
        ``MRMR()``.
    estimator : estimator, default=None
        The model that predicts. None: logistic regression, or ridge regression for a numeric
        target, on standardized numbers and a column for each level of text.
    sizes : int or sequence of int, default=None
        Numbers of columns to try: up to this one, or these. None: 1, 2, 3, 5, 7, 10, 15, 20, 30,
        50, 70 and 100, as far as there are more columns, and all columns if they are at most 100.
    cv : int, splitter or iterable, default=5
        The folds, as in `sklearn.model_selection.cross_val_score`.
    scoring : str or callable, default=None
        The score, as in `cross_val_score`; None is that of the model.
    rule : {"one_se", "best"}, default="one_se"
        "best": the smallest number with the largest mean score. "one_se": the smallest number whose
        mean score is within one standard error of the largest; the standard error is that over the
        folds at the number with the largest mean.
    n_jobs : int, optional
        Folds that are worked on at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    n_features_ : int
        The number that was chosen.
    cv_results_ : dict of str to ndarray
        For each number tried: ``size``, ``mean_test_score``, ``std_test_score`` and the score in
        each fold, ``split0_test_score`` and so on; NaN where nothing was selected.
    selector_ : selector
        The selector, fitted on all rows with that number.
    indices_ : ndarray
        Its columns, in order of selection where it has one.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        The scores of the selector, or NaN if it has none.
    relevance_ : ndarray of shape (`n_features_in_`,)
        That of the selector, if it has one.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    StabilitySelector : Keeps what half samples agree on.
    ensfs.plotting.AccuracyDisplay : Draws the scores.

    Notes
    -----
    The scores chose the number, so the best of them is a little too good as an estimate. For an
    honest one put the whole estimator into a pipeline and cross-validate that.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import MRMR, SelectorCV
    >>> X, y = load_wine(return_X_y=True)
    >>> search = SelectorCV(MRMR()).fit(X, y)
    >>> search.n_features_
    5
    >>> search.cv_results_["size"]
    array([ 1,  2,  3,  5,  7, 10, 13])
    >>> search.cv_results_["mean_test_score"].round(2)
    array([0.7 , 0.87, 0.91, 0.98, 0.96, 0.97, 0.98])
    """

    _parameter_constraints: dict = {
        "selector": [HasMethods(["fit", "get_support"]), None],
        "estimator": [HasMethods(["fit"]), None],
        "sizes": [Integral, "array-like", None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "rule": [StrOptions({"one_se", "best"})],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        selector=None,
        estimator=None,
        *,
        sizes=None,
        cv=5,
        scoring=None,
        rule="one_se",
        n_jobs=None,
        verbose=0,
    ):
        self.selector = selector
        self.estimator = estimator
        self.sizes = sizes
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, groups=None, sample_weight=None):
        """Choose the number of columns, and select them.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        groups : array-like of shape (n_samples,), optional
            Groups of rows, for splitters that keep them together.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row is there: numbers of at least 0, not necessarily whole. The selector,
            the estimator (of a pipeline the last step) and the scorer get them.

        Returns
        -------
        self : SelectorCV
            The fitted selector.
        """
        to = receivers(self, sample_weight=sample_weight, groups=groups)
        n_jobs = effective_n_threads(self.n_jobs)
        data = self._read_rows(X, y, n_jobs, sample_weight)
        data.target("auto")  # checked before the folds are made, and so are the columns
        data.check_finite(allow_nan=self.allows_missing)
        y = _as_models_take_it(data.y)
        X = X if data.existing.rows is None else take(X, data.existing.rows)
        selector = MRMR() if self.selector is None else clone(self.selector)
        model = default_model(selector, y, X) if self.estimator is None else self.estimator
        sizes = self._sizes(selector, data.variables)
        scores, _ = scores_by_size(
            selector, X, y, sizes, estimator=model, cv=data.existing.of_splits(self.cv),
            scoring=self.scoring, n_jobs=n_jobs, baseline=False, groups=data.existing.of(groups),
            weight=data.weight, receivers=to._replace(routed=to.routed and model is self.estimator),
        )  # fmt: skip
        self.cv_results_ = _results(sizes, scores)
        self.n_features_ = int(sizes[_chosen(scores, self.rule)])
        weight = data.weight if to.selector else None
        self.selector_ = fit_weighted(
            with_size(selector, self.n_features_), X, y, weight, to.routed
        )
        if hasattr(self.selector_, "relevance_"):
            self.relevance_ = self.selector_.relevance_
        elif hasattr(self, "relevance_"):
            del self.relevance_  # of an earlier fit
        own = np.asarray(getattr(self.selector_, "scores_", np.nan), dtype=np.float64)
        fits = own.shape == (self.n_features_in_,)
        own = own if fits else np.full(self.n_features_in_, np.nan)
        selected = self._variables.variables(selected_columns(self.selector_))
        self._set_selected(selected, self._variables.of_columns(own))
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Say who gets the weights and the groups: the selector, the estimator, the scorer, `cv`.

        Where weights are requested with ``set_fit_request``, all of them get these.

        Returns
        -------
        MetadataRouter
            As of scikit-learn.
        """
        scorer = None
        if self.estimator is not None or self.scoring is not None:
            scorer = check_scoring(self.estimator or LogisticRegression(), scoring=self.scoring)
        return router_of(
            self, selector=(self.selector, "fit"), estimator=(self.estimator, "fit"),
            scorer=(scorer, "score"), splitter=(check_cv(self.cv), "split"),
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = (self.selector, self.estimator)
        tags.input_tags.sparse = all(each is None or takes_sparse(each) for each in members)
        return tags

    def column_choice(self) -> dict[str, Any]:
        """That of the selector."""
        return choice_of(self.selector)

    @property
    def allows_missing(self) -> bool:
        """Whether the selector and the estimator take missing cells; the default one does."""
        if self.estimator is not None and not takes_missing(self.estimator):
            return False
        return self.selector is None or takes_missing(self.selector)

    def target_reading(self) -> TargetReading:
        """That of the selector."""
        return reading_of(MRMR() if self.selector is None else self.selector)

    def _sizes(self, selector: Any, variables: Variables) -> np.ndarray:
        """Numbers of columns to try: at least those that are included."""
        n_features = variables.n_variables
        if self.sizes is not None:
            sizes = resolve_sizes(selector, self.sizes, n_features, "sizes")
            variables.check_size(int(sizes[0]), "sizes")
            return sizes
        some = [k for k in SIZES if variables.included.size <= k < n_features]
        return np.array([*some, n_features] if n_features <= SIZES[-1] else some)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        if isinstance(self.selector_, BaseSelector):
            return self.selector_.explain_row(j)
        return {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "score": float(self.scores_[j]),
        }

    def _reason(self, j: int) -> str:
        own = isinstance(self.selector_, BaseSelector)
        return self.selector_._reason(j) if own else super()._reason(j)

    def _explain_order(self) -> np.ndarray:
        if isinstance(self.selector_, BaseSelector):
            return self.selector_._explain_order()
        return np.nan_to_num(self.scores_, nan=-np.inf)


def _as_models_take_it(y: Any) -> Any:
    """A target that can be counted and sliced; several outputs as an array."""
    if scipy.sparse.issparse(y):
        return y.toarray()
    if nw.dependencies.is_into_dataframe(y):
        outputs = np.asarray(y)
        return outputs.astype(str) if outputs.dtype == object else outputs
    return y if hasattr(y, "__len__") else np.asarray(y)


def _results(sizes: np.ndarray, scores: np.ndarray) -> dict[str, np.ndarray]:
    """The scores (n_sizes, n_folds) as scikit-learn's searches name them."""
    return {
        "size": sizes,
        "mean_test_score": scores.mean(axis=1),
        "std_test_score": scores.std(axis=1),
        **{f"split{i}_test_score": each for i, each in enumerate(scores.T)},
    }


def _chosen(scores: np.ndarray, rule: str) -> int:
    """The place of the number to take, from scores by increasing number."""
    means = scores.mean(axis=1)
    if not np.isfinite(means).any():
        raise ValueError("No number of columns has a score in all folds: nothing was selected.")
    means = np.where(np.isfinite(means), means, -np.inf)
    best = first_largest(means)
    if rule == "best" or scores.shape[1] == 1:
        return best
    error = scores[best].std(ddof=1) / math.sqrt(scores.shape[1])
    return int(np.argmax(means >= means[best] - error - TIE_TOLERANCE))

"""Ensembles for regression that scikit-learn lacks: iterated bagging, boosting by weights."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.combine import out_of_bag, out_of_bag_means
from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.members import child_seeds, seeded_clone
from ensfs._utils.progress import task
from ensfs._utils.sklearn import HasMethods, Interval, fit_context
from ensfs._utils.tags import input_tags
from ensfs._utils.warn import warn_user
from ensfs.ensemble._reading import TableEnsemble, check_cells
from ensfs.training.contract import refuse_blocks

#: Errors below this share of the largest number are none.
_ROUNDING = 1e-13


@with_docs(COMMON_DOCS)
class IteratedBaggingRegressor(RegressorMixin, TableEnsemble):
    """Bagging on what bagging leaves: each stage is fitted on the residuals of those before.

    The residuals are taken out of bag, so they are honest: the first stage lowers the variance, and
    the next ones lower the bias.

    Parameters
    ----------
    estimator : regressor, optional
        What is bagged; None is a regression tree.
    n_stages : int, default=10
        Stages at most.
    n_estimators : int, default=10
        Regressors in each stage.
    tolerance : float, default=0.1
        It stops once the mean squared residual is above its least value so far by more than this
        share, and drops the stages after the least.
    random_state : int, RandomState instance or Generator, optional
        Seeds the stages.
    n_jobs : int, optional
        Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    stages_ : list of BaggingRegressor
        The stages; the prediction is their sum.
    residual_path_ : ndarray of shape (n_tried,)
        Mean squared residual out of bag after each stage that was tried.
    n_stages_ : int
        Number of stages that were kept.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    RandomOracleRegressor : Members that differ more.

    Notes
    -----
    Sample weights are not taken: bootstraps draw rows.

    References
    ----------
    L. Breiman (2001), Using iterated bagging to debias regressions, Machine Learning 45, 261-277.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from ensfs import IteratedBaggingRegressor
    >>> X, y = make_friedman1(400, random_state=0)
    >>> model = IteratedBaggingRegressor(n_stages=5, n_estimators=20, random_state=0)
    >>> model.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.75
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_stages": [Interval(Integral, 1, None, closed="left")],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_stages=10,
        *,
        n_estimators=10,
        tolerance=0.1,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_stages = n_stages
        self.n_estimators = n_estimators
        self.tolerance = tolerance
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit stage after stage.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Numbers.

        Returns
        -------
        self : IteratedBaggingRegressor
            The fitted ensemble.
        """
        _, values = self._read(X, reset=True)
        residual = self._read_numbers(y, len(values))
        stages: list[Any] = []
        path: list[float] = []
        n_seen = 0
        with task("fitting stages", self.n_stages) as advance:
            for seed in child_seeds(self.random_state, self.n_stages):
                stage, predicted, always = self._stage(values, residual, seed)
                n_seen = max(n_seen, always)
                stages.append(stage)
                residual = residual - predicted
                path.append(float((residual**2).mean()))
                advance()
                if path[-1] > (1 + self.tolerance) * min(path):
                    stages = stages[: int(np.argmin(path)) + 1]
                    break
        if n_seen:
            warn_user(
                f"All {self.n_estimators} members of a stage have seen {n_seen} of the rows, whose "
                "residuals are taken from the mean of all members. Set n_estimators to more."
            )
        self.stages_, self.residual_path_ = stages, np.array(path)
        self.n_stages_ = len(stages)
        return self

    def _stage(self, values: np.ndarray, residual: np.ndarray, seed: Any) -> tuple[Any, ...]:
        """A fitted stage, its predictions out of bag, and how many rows all members have seen."""
        bagging = BaggingRegressor(
            DecisionTreeRegressor() if self.estimator is None else self.estimator,
            self.n_estimators,
            n_jobs=self.n_jobs,
            random_state=int(seed.generate_state(1)[0] >> 1),
        ).fit(values, residual)
        unseen = out_of_bag(bagging.estimators_samples_, len(values))
        members = np.array([member.predict(values) for member in bagging.estimators_])
        predicted = out_of_bag_means(members, unseen)
        always = np.isnan(predicted)
        predicted[always] = members[:, always].mean(axis=0)
        return bagging, predicted, int(always.sum())

    def staged_predict(self, X):
        """Predictions of the first stage, of the first two together, and so on.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,)
            The last is that of `predict`.
        """
        check_is_fitted(self, "stages_")
        _, values = self._read(X, reset=False)
        total = np.zeros(len(values))
        for stage in self.stages_:
            # in the order of the members: scikit-learn's sum depends on the number of jobs
            total = total + np.mean([m.predict(values) for m in stage.estimators_], axis=0)
            yield total

    def predict(self, X):
        """The sum of the stages.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers.
        """
        *_, last = self.staged_predict(X)
        return last

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        member = DecisionTreeRegressor() if self.estimator is None else self.estimator
        of_member = input_tags(member)
        tags.input_tags.allow_nan = of_member.allow_nan
        tags.input_tags.string = of_member.string
        tags.input_tags.categorical = of_member.categorical
        return tags


@with_docs(COMMON_DOCS)
class ReweightedAdaBoostRegressor(AdaBoostRegressor):
    """AdaBoost.R2 that weighs the rows instead of drawing them.

    scikit-learn's `AdaBoostRegressor` fits each member on a bootstrap drawn by the weights; here
    members are fitted on all rows with their weights, which leaves nothing to chance but the
    members themselves. Everything else is the same.

    Parameters
    ----------
    estimator : regressor, optional
        What is boosted; its `fit` must take `sample_weight`. None is a regression tree of depth 3.
    n_estimators : int, default=100
        Members at most.
    learning_rate : float, default=1.0
        Multiplies what a member changes.
    loss : {"linear", "square", "exponential"}, default="linear"
        Of the errors divided by the largest one.
    random_state : int, RandomState instance or None, optional
        Seeds the members.

    Attributes
    ----------
    estimators_ : list of regressors
        The members.
    estimator_ : regressor
        What the members are clones of.
    estimator_weights_, estimator_errors_ : ndarray of shape (n_estimators,)
        Weight of each member in the median, and its mean loss.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    sklearn.ensemble.AdaBoostRegressor : The same with bootstraps.

    References
    ----------
    H. Drucker (1997), Improving regressors using boosting techniques, International Conference on
    Machine Learning, 107-115.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from ensfs import ReweightedAdaBoostRegressor
    >>> X, y = make_friedman1(400, random_state=0)
    >>> model = ReweightedAdaBoostRegressor(random_state=0).fit(X[:200], y[:200])
    >>> model.score(X[200:], y[200:]) > 0.75
    True
    """

    def __init__(
        self, estimator=None, n_estimators=100, *, learning_rate=1.0, loss="linear",
        random_state=None,
    ):  # fmt: skip
        super().__init__(
            estimator, n_estimators=n_estimators, learning_rate=learning_rate, loss=loss,
            random_state=random_state,
        )  # fmt: skip

    def fit(self, X, y=None, sample_weight=None):
        """Fit member after member.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows to begin with.

        Returns
        -------
        self : ReweightedAdaBoostRegressor
            The fitted ensemble.
        """
        refuse_blocks(self, X)
        check_cells(self, X)
        return super().fit(X, y, sample_weight)

    def _check_X(self, X):  # noqa: N802
        check_cells(self, X)
        return super()._check_X(X)

    def _boost(self, iboost, X, y, sample_weight, random_state):
        """One member on the weighted rows; new weights, its weight and its error."""
        seed = np.random.SeedSequence(int(random_state.randint(np.iinfo(np.int32).max)))
        member = seeded_clone(self.estimator_, seed).fit(X, y, sample_weight=sample_weight)
        self.estimators_.append(member)
        errors = np.abs(member.predict(X) - y)
        errors[errors <= _ROUNDING * np.abs(y).max()] = 0.0  # weighted means of one number
        mean, weights = boosting_step(errors, sample_weight, self.loss, self.learning_rate)
        if mean <= 0:  # nothing is left to learn
            return sample_weight, 1.0, 0.0
        if mean >= 0.5:
            if len(self.estimators_) > 1:
                self.estimators_.pop()
            return None, None, None
        return weights, self.learning_rate * np.log((1 - mean) / mean), mean


def boosting_step(
    errors: np.ndarray, weights: np.ndarray, loss: str, learning_rate: float = 1.0
) -> tuple[float, np.ndarray]:
    """Mean loss of a member by AdaBoost.R2, and the weights of the rows after it.

    Parameters
    ----------
    errors : ndarray of shape (n_rows,)
        Absolute errors.
    weights : ndarray of shape (n_rows,)
        Weights with the sum 1.
    loss : {"linear", "square", "exponential"}
        Loss of an error divided by the largest one among the rows that have a weight.
    learning_rate : float, default=1.0
        Multiplies the exponent.
    """
    largest = errors[weights > 0].max()
    share = errors / largest if largest > 0 else np.zeros_like(errors)
    losses = {"linear": share, "square": share**2, "exponential": 1 - np.exp(-share)}[loss]
    mean = float(weights @ losses)
    if not 0 < mean < 1:
        return mean, weights
    changed = weights * (mean / (1 - mean)) ** ((1 - losses) * learning_rate)
    return mean, changed / changed.sum()

"""Least-squares boosting of stumps on random projections."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import CLASSIFIER_DOCS, read_descriptions, with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import Interval, StrOptions, fit_context
from ensfs.data.target import make_classes
from ensfs.ensemble._one_hot import NumberReader
from ensfs.ensemble._projections import PROJECTIONS, n_directions
from ensfs.ensemble._reading import read_weights
from ensfs.ensemble._stumps import best_stump, sort_rows

RPBOOST_DOCS = CLASSIFIER_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table. Text and categories become a column of zeros and ones for each level.
""")

_STUMP = np.dtype([("column", np.int64), ("threshold", np.float64), ("coefficient", np.float64)])


class Drawn(NamedTuple):
    """How the directions of a booster were drawn, in place of the directions."""

    seed: np.random.SeedSequence
    projection: str
    d: int

    def again(self, columns: np.ndarray, p: int) -> np.ndarray:
        """The direction of each stump, of shape (n_stumps, p)."""
        rng = np.random.default_rng(self.seed)
        draw = PROJECTIONS[self.projection]
        return np.stack([draw(rng, p, self.d)[:, column] for column in columns.tolist()])


class Booster(NamedTuple):
    """Stumps that tell one class from the others."""

    init: float
    stumps: np.ndarray
    directions: np.ndarray | Drawn | None
    errors: np.ndarray

    def signs(self, X: np.ndarray) -> np.ndarray:
        """1 or -1 of each stump for each row, of shape (n_rows, n_stumps)."""
        if self.directions is None:
            values = X[:, self.stumps["column"]]
        elif isinstance(self.directions, Drawn):
            values = X @ self.directions.again(self.stumps["column"], X.shape[1]).T
        else:
            values = X @ self.directions.T
        return np.where(values > self.stumps["threshold"], 1.0, -1.0)


@with_docs(RPBOOST_DOCS)
class RpBoostClassifier(ClassifierMixin, NumberReader, BaseEstimator):
    r"""Boosted stumps, each on the best of many random projections of the columns.

    In every round the rows are projected on new random directions. The stump :math:`h`, 1 above a
    threshold and -1 below, that goes best with what is left of the labels (1 and -1) is added with
    the coefficient :math:`\rho = \sum_i w_i r_i h(x_i) / (\sum_i w_i + \alpha)`. More than two
    classes are told apart one against the others.

    Parameters
    ----------
    n_estimators : int, default=500
        Rounds.
    projection : {"normal", "binary", "uniform", "orthonormal"} or None, default="normal"
        Entries of the directions: standard normal; 1 and -1; uniform between 0 and 1, scaled to
        length one; orthonormal columns. None takes the columns as they are, which is LsBoost.
    dimension : {"same", "sub", "super"}, int or float, default="same"
        Directions in a round: as many as columns, half, twice, a number, or a share.
    alpha : float, default=0.0
        Penalty on the coefficient, the paper's lambda: every step shrinks by n / (n + alpha).
    tol : float, optional
        Stop once the mean squared residual is at most this.
    low_memory : bool, default=False
        Whether directions are drawn again for every prediction, which takes as long as in fit,
        rather than kept. The predictions are the same.
    random_state : int, RandomState instance or Generator, optional
        For the directions.
    {n_jobs, verbose}

    Attributes
    ----------
    init_ : ndarray of shape (n_boosters,)
        Mean of the labels 1 and -1, from which boosting starts. There is one booster for two
        classes, and one for each class if there are more.
    stumps_ : list of structured arrays
        Stumps of each booster: the column, or the number of the direction; the threshold; the
        coefficient, negative if the stump is turned round.
    directions_ : list of ndarray of shape (n_rounds, n_columns), or of None
        The direction that each stump looks at, None for LsBoost and with `low_memory`.
    train_error_ : list of ndarray
        Mean squared residual of the training rows after each round.
    n_iter_ : int
        Rounds of the longest booster.
    {classes_, n_features_in_, feature_names_in_}

    Notes
    -----
    Integer weights are the same as repeated rows. Of stumps that go equally well with the labels
    the one on the lowest column is taken, then that of the lowest threshold.

    References
    ----------
    P. Casale, O. Pujol and P. Radeva (2011), Embedding random projections in regularized gradient
    boosting machines, in: Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from ensfs import RpBoostClassifier
    >>> from ensfs.datasets import make_pattern
    >>> X, y = make_pattern("annulus")
    >>> model = RpBoostClassifier(100, random_state=0).fit(X[::7], y[::7])
    >>> model.score(X, y) > 0.85
    True
    """

    _parameter_constraints: dict = {
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "projection": [StrOptions(set(PROJECTIONS)), None],
        "dimension": [
            StrOptions({"same", "sub", "super"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, None, closed="neither"),
        ],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "low_memory": ["boolean"],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_estimators=500,
        *,
        projection="normal",
        dimension="same",
        alpha=0.0,
        tol=None,
        low_memory=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_estimators = n_estimators
        self.projection = projection
        self.dimension = dimension
        self.alpha = alpha
        self.tol = tol
        self.low_memory = low_memory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Boost stumps.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        values = self._read(X, reset=True)
        target = make_classes(y, len(values), self)
        check_classification_targets(target.classes[target.codes])
        weights = np.ones(len(values))
        if sample_weight is not None:
            weights = read_weights(sample_weight, len(values))
        rows = np.flatnonzero(weights)
        labels = target.classes[target.codes[rows]]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {self.classes_.size} class: "
                f"{self.classes_.tolist()}."
            )
        # equal rows count together, so that weights and repetitions are the same
        distinct, which = np.unique(values[rows], axis=0, return_inverse=True)
        which = which.ravel()
        of_class = [
            np.bincount(which, weights[rows] * (codes == k), minlength=len(distinct))
            for k in range(self.classes_.size)
        ]
        weight = np.sum(of_class, axis=0)
        positives = of_class[1:] if self.classes_.size == 2 else of_class
        d = n_directions(self.dimension, values.shape[1], self.projection)
        seeds = child_seeds(self.random_state, len(positives))
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_boost)(
                distinct, 2 * positive / weight - 1, weight, seed, self.projection, d,
                self.n_estimators, self.alpha, self.tol, self.low_memory,
            )
            for positive, seed in zip(positives, seeds, strict=True)
        )  # fmt: skip
        self._boosters = list(counted("boosting", len(positives), work))
        self.init_ = np.array([each.init for each in self._boosters])
        self.stumps_ = [each.stumps for each in self._boosters]
        self.directions_ = [None if self.low_memory else each.directions for each in self._boosters]
        self.train_error_ = [each.errors for each in self._boosters]
        self.n_iter_ = max(len(each.stumps) for each in self._boosters)
        return self

    def _stages(self, X: Any) -> Iterator[np.ndarray]:
        """Scores of the boosters after each round, of shape (n_rows, n_boosters)."""
        check_is_fitted(self, "stumps_")
        values = self._read(X, reset=False)
        scores = np.tile(self.init_, (len(values), 1))
        signs = [each.signs(values) for each in self._boosters]
        for m in range(self.n_iter_):
            for k, booster in enumerate(self._boosters):
                if m < len(booster.stumps):
                    scores[:, k] += booster.stumps["coefficient"][m] * signs[k][:, m]
            yield scores.copy()

    def _shape(self, scores: np.ndarray) -> np.ndarray:
        return scores[:, 0] if self.classes_.size == 2 else scores

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        if self.classes_.size == 2:
            p = np.clip((scores[:, 0] + 1) / 2, 0, 1)
            return np.column_stack([1 - p, p])
        shares = np.maximum((scores + 1) / 2, 0)
        totals = shares.sum(axis=1, keepdims=True)
        surest = np.eye(self.classes_.size)[scores.argmax(axis=1)]
        return np.divide(shares, totals, out=surest, where=totals > 0)

    def _labels(self, scores: np.ndarray) -> np.ndarray:
        if self.classes_.size == 2:
            return self.classes_[(scores[:, 0] >= 0).astype(np.intp)]
        return self.classes_[scores.argmax(axis=1)]

    def _last(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "stumps_")
        values = self._read(X, reset=False)
        return np.column_stack(
            [each.init + each.signs(values) @ each.stumps["coefficient"] for each in self._boosters]
        )

    def decision_function(self, X):
        """Score of the second of two classes, or of each class, between about -1 and 1.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        return self._shape(self._last(X))

    def predict_proba(self, X):
        """Probability of every class: half of one plus the score, kept between 0 and 1.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`; normalised if there are more than two.
        """
        return self._probabilities(self._last(X))

    def predict(self, X):
        """The class with the largest score; of two, the second if the score is at least 0.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        return self._labels(self._last(X))

    def staged_decision_function(self, X):
        """Scores after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        yield from map(self._shape, self._stages(X))

    def staged_predict_proba(self, X):
        """Probabilities after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
        """
        yield from map(self._probabilities, self._stages(X))

    def staged_predict(self, X):
        """Classes after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        yield from map(self._labels, self._stages(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _boost(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    seed: np.random.SeedSequence,
    projection: str | None,
    d: int,
    n_rounds: int,
    alpha: float,
    tol: float | None,
    low_memory: bool,
) -> Booster:
    """Stumps for labels between -1 and 1, the means of equal rows, with the weights of these."""
    total = weight.sum()
    init = float((weight * y).sum() / total)
    within = float((weight * (1 - y**2)).sum())  # of labels that differ in equal rows: it stays
    residual = y - init
    stumps, errors = np.empty(n_rounds, dtype=_STUMP), np.empty(n_rounds)
    rng = np.random.default_rng(seed)
    kept: np.ndarray | Drawn | None = None
    order = None
    if projection is not None:
        kept = Drawn(seed, projection, d) if low_memory else np.empty((n_rounds, X.shape[1]))
    else:
        values = np.asfortranarray(X)
        order = sort_rows(values)
    for m in range(n_rounds):
        if projection is not None:
            matrix = PROJECTIONS[projection](rng, X.shape[1], d)
            values = np.asfortranarray(X @ matrix)
        stump = best_stump(values, weight * residual, order)
        coefficient = stump.score / (total + alpha)
        stumps[m] = (stump.column, stump.threshold, coefficient)
        if isinstance(kept, np.ndarray):
            kept[m] = matrix[:, stump.column]
        above = values[:, stump.column] > stump.threshold
        residual = residual - np.where(above, coefficient, -coefficient)
        errors[m] = ((weight * residual**2).sum() + within) / total
        if tol is not None and errors[m] <= tol:
            n_rounds = m + 1
            break
    if isinstance(kept, np.ndarray):
        kept = kept[:n_rounds]
    return Booster(init, stumps[:n_rounds], kept, errors[:n_rounds])

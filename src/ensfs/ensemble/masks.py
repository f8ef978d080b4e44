"""Ensembles of nearest neighbours on masks of the columns."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.members import child_seeds
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs._utils.tags import input_tags
from ensfs._utils.warn import warn_user
from ensfs.data.columns import RawColumns, read_columns
from ensfs.ensemble._distances import MixedScaler
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._mask_search import NeighbourScores, climb, labels_in_blocks, random_mask
from ensfs.ensemble._pruned import divided_rows
from ensfs.ensemble._slow_masks import BlockScores, FittedScores
from ensfs.ensemble._voting import VotingEnsemble


def _accuracy(truth: np.ndarray, labels: np.ndarray) -> float:
    return float(np.count_nonzero(truth == labels) / truth.size)


_MEASURES: dict[str, Any] = {
    "accuracy": _accuracy,
    "balanced_accuracy": balanced_accuracy_score,
}


@with_docs(COMMON_DOCS)
class FeatureMaskClassifier(VotingEnsemble):
    """An ensemble of nearest neighbours, each on the columns of a mask.

    Masks are drawn at random, each column with probability 1/2, and improved one column at a time
    as long as that makes the neighbours of the training rows better predictors of validation rows.
    Whether a column should be flipped is answered from distances that are kept, so a search costs
    no more than a few predictions by scikit-learn.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted on the columns of each mask; None is nearest neighbours, compiled. Any other
        classifier is fitted anew for every mask that is tried.
    n_estimators : int, default=20
        Members.
    n_candidates : int, optional
        Masks to make; the best `n_estimators` by leave-one-out on all rows are kept. None makes as
        many as there are members.
    search : {"hill_climbing", "random"}, default="hill_climbing"
        Improve the random masks, or take them as they are.
    n_neighbors : int, default=1
        Neighbours that vote. Equally near ones: the lower row first; equally many votes: the first
        class.
    validation : float or "loo", default=0.43
        What guides the search: the share of the rows that are predicted from the others, or
        leave-one-out on all rows.
    resplit : bool, default=False
        Whether the rows are divided anew for each mask, instead of once for all.
    scoring : {"accuracy", "balanced_accuracy"} or callable, default="accuracy"
        What is improved, ``scoring(y_true, y_pred)`` on numbers of classes. For classes of very
        different size try "balanced_accuracy" first.
    scale : bool, default=True
        Whether columns of numbers are divided by their standard deviation. Levels of text are one
        unit apart in either case.
    max_rounds : int, optional
        Rounds over all columns at most; None: until no flip helps.
    max_bytes : int, default=1073741824
        Memory for the distances of one search; where they need more, they are computed again for
        every flip.
    random_state : int, RandomState instance or Generator, optional
        Draws masks, divides rows, seeds members.
    n_jobs : int, optional
        Masks that are searched at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    masks_ : ndarray of bool, shape (n_estimators, `n_features_in_`)
        The mask of each member.
    mask_scores_ : ndarray of shape (n_estimators,)
        Score of each mask: by leave-one-out on all rows if there were more candidates than members,
        else by what guides the search.
    search_rounds_ : ndarray of int, shape (n_estimators,)
        Rounds of each search; 0 for random masks.
    estimators_ : list of classifiers
        The members.
    estimators_features_ : list of ndarray
        The columns of each member.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    ensfs.evaluation.ambiguity, ensfs.evaluation.ensemble_gain : What makes such an ensemble good.

    Notes
    -----
    Sample weights are not taken: the rows are divided at random, and neighbours are counted.

    References
    ----------
    P. Cunningham and J. Carney (2000), Diversity versus quality in classification ensembles based
    on feature selection, European Conference on Machine Learning, 109-116.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import FeatureMaskClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = FeatureMaskClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    >>> model.masks_.shape, model.score(X[1::2], y[1::2]) > 0.9
    ((10, 13), True)
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), None],
        "search": [StrOptions({"hill_climbing", "random"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "validation": [Interval(Real, 0, 1, closed="neither"), StrOptions({"loo"})],
        "resplit": ["boolean"],
        "scoring": [StrOptions(set(_MEASURES)), callable],
        "scale": ["boolean"],
        "max_rounds": [Interval(Integral, 1, None, closed="left"), None],
        "max_bytes": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=20,
        *,
        n_candidates=None,
        search="hill_climbing",
        n_neighbors=1,
        validation=0.43,
        resplit=False,
        scoring="accuracy",
        scale=True,
        max_rounds=None,
        max_bytes=2**30,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_candidates = n_candidates
        self.search = search
        self.n_neighbors = n_neighbors
        self.validation = validation
        self.resplit = resplit
        self.scoring = scoring
        self.scale = scale
        self.max_rounds = max_rounds
        self.max_bytes = max_bytes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Find the masks and fit a member on each.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : FeatureMaskClassifier
            The fitted ensemble.
        """
        columns, values = self._read(X, reset=True)
        self.classes_, codes = np.unique(self._read_labels(y, len(values)), return_inverse=True)
        wanted = self.n_estimators if self.n_candidates is None else self.n_candidates
        if wanted < self.n_estimators:
            raise ValueError(
                f"n_candidates must be at least n_estimators, {self.n_estimators}; got {wanted}."
            )
        if self.estimator is not None:
            warn_user(
                f"{type(self.estimator).__name__} is fitted anew for every mask that is tried; "
                "estimator=None is compiled and much faster."
            )
        of_masks, of_rows, of_members = child_seeds(self.random_state, 3)
        makers = self._score_makers(columns, values, codes, wanted, of_rows)
        found = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(self._find)(maker, seed)
            for maker, seed in zip(makers, of_masks.spawn(wanted), strict=True)
        )
        masks, scores, rounds = map(
            np.array, zip(*counted("searching masks", wanted, found), strict=True)
        )
        if self.n_candidates is not None:
            scores = self._leave_one_out(columns, values, codes, masks)
        kept = np.arange(wanted)
        if wanted > self.n_estimators:
            kept = np.sort(np.argsort(-scores, kind="stable")[: self.n_estimators])
        self.masks_, self.mask_scores_ = masks[kept], scores[kept]
        self.search_rounds_ = rounds[kept]
        self._fit_members(values, codes, of_members)
        return self

    def _find(self, make_scores: Any, seed: Any) -> tuple[np.ndarray, float, int]:
        """One mask, its score, and the rounds that it took."""
        scores = make_scores()
        mask = random_mask(self.n_features_in_, np.random.default_rng(seed))
        if self.search == "hill_climbing":
            return climb(scores, mask, self.max_rounds)
        scores.set_mask(mask)
        return mask, scores.score(), 0

    def _score_makers(
        self, columns: RawColumns, values: np.ndarray, codes: np.ndarray, n: int, seed: Any
    ) -> list[Any]:
        """For each mask a function that makes what scores it; distances are made when needed."""
        everything = np.arange(codes.size)
        if self.validation == "loo":
            splits = [(everything, everything)]
        else:
            seeds = seed.generate_state(n if self.resplit else 1) >> 1
            splits = [divided_rows(codes, self.validation, int(each)) for each in seeds]
        points = self._points(columns)
        makers = [self._scores_on(points, values, codes, train, test) for train, test in splits]
        return makers * (n // len(makers))

    def _points(self, columns: RawColumns) -> tuple[Any, ...] | None:
        """Points, and the columns and weights of their coordinates; None for other members."""
        if self.estimator is not None:
            return None
        scaler = MixedScaler("deviation" if self.scale else None, level=1.0).fit(columns)
        return scaler.transform(columns), scaler.owners, scaler.weights

    def _scores_on(
        self, points: Any, values: np.ndarray, codes: np.ndarray, train: np.ndarray,
        test: np.ndarray,
    ) -> Any:  # fmt: skip
        """A function that makes what scores masks on these rows."""
        loo = train is test
        measure = _MEASURES[self.scoring] if isinstance(self.scoring, str) else self.scoring
        if points is None:
            return lambda: FittedScores(self.estimator, values, codes, train, test, loo, measure)
        coordinates, owners, weights = points
        arguments = (
            coordinates[test], coordinates[train], codes[train], owners, weights,
            self.classes_.size, self.n_neighbors,
        )  # fmt: skip
        if 8 * test.size * train.size > self.max_bytes:
            return lambda: BlockScores(codes[test], measure, *arguments, self.max_bytes, loo)
        own = 0 if loo else None
        return lambda: NeighbourScores(codes[test], measure, *arguments, own=own)

    def _leave_one_out(
        self, columns: RawColumns, values: np.ndarray, codes: np.ndarray, masks: np.ndarray
    ) -> np.ndarray:
        """Score of each mask by leave-one-out on all rows."""
        everything = np.arange(codes.size)
        make = self._scores_on(self._points(columns), values, codes, everything, everything)

        def score(mask: np.ndarray) -> float:
            scores = make()
            scores.set_mask(mask)
            return scores.score()

        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(score)(m) for m in masks)
        return np.array(found)

    def _fit_members(self, values: np.ndarray, codes: np.ndarray, seed: Any) -> None:
        member = self.estimator
        if member is None:
            member = _Neighbours(self.n_neighbors, self.scale, self.max_bytes)
        seeds = seed.spawn(len(self.masks_))
        self.estimators_features_ = [np.nonzero(mask)[0] for mask in self.masks_]
        tasks = [
            Task(own, columns=columns)
            for own, columns in zip(seeds, self.estimators_features_, strict=True)
        ]
        n_jobs = None if self.estimator is None else self.n_jobs
        self.estimators_ = fit_members(member, tasks, values, codes, n_jobs=n_jobs)
        self._member_classes = [None] * len(self.estimators_)

    def _check_text(self, columns: RawColumns, values: np.ndarray) -> None:
        """Neighbours take text."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = True
        if self.estimator is not None:
            of_member = input_tags(self.estimator)
            tags.input_tags.allow_nan = of_member.allow_nan
            tags.input_tags.string = of_member.string
            tags.input_tags.categorical = of_member.categorical
        return tags


class _Neighbours(ClassifierMixin, BaseEstimator):
    """Nearest neighbours on all columns that it gets; predicts numbers of classes."""

    def __init__(self, n_neighbors, scale, max_bytes):
        self.n_neighbors = n_neighbors
        self.scale = scale
        self.max_bytes = max_bytes

    def fit(self, X, y):
        """Keep the rows as points."""
        columns = read_columns(X)
        scaler = MixedScaler("deviation" if self.scale else None, level=1.0).fit(columns)
        self.points_, self._scaler = scaler.transform(columns), scaler
        self.classes_ = np.unique(y)
        self._y = y
        return self

    def predict(self, X):
        """Numbers of the classes that the nearest rows vote for."""
        check_is_fitted(self, "points_")
        points = self._scaler.transform(read_columns(X))
        n_classes = int(self.classes_[-1]) + 1
        return labels_in_blocks(
            points, self.points_, self._y, self._scaler.weights, n_classes, self.n_neighbors,
            self.max_bytes,
        )  # fmt: skip

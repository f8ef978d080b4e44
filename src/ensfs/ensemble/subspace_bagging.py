"""Bagging in random subspaces, weighted so that the estimated error of the vote is least."""

from __future__ import annotations

from itertools import combinations
from math import ceil, comb
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from ensfs._utils.combine import out_of_bag_shares, vote_shares
from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.members import MostProbableMixin, aligned_proba, child_seeds
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs._utils.tags import input_tags
from ensfs._utils.warn import warn_user
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._margin_weights import (
    Margins,
    Weighted,
    one_vs_rest_margins,
    pairwise_margins,
    weight_spaces,
)
from ensfs.ensemble._reading import TableEnsemble

Space = tuple[Any, np.ndarray]


@with_docs(COMMON_DOCS)
class WeightedSubspaceBaggingClassifier(MostProbableMixin, TableEnsemble):
    """Bagging in several random subspaces, each with the share that makes the vote err least.

    In every subspace classifiers are fitted on bootstraps. Their votes for the rows they have not
    seen tell how often a classifier drawn there is right on each row. A linear programme finds the
    weights of the subspaces for which the rows miss a margin by least, for several margins, and
    those with the least expected error of the vote are taken. The ensemble is then grown by drawing
    subspaces with these weights.

    Parameters
    ----------
    estimator : classifier, optional
        What is fitted; None is a decision tree that splits by entropy.
    n_estimators : int, default=100
        Members of the ensemble.
    n_subspaces : int, default=25
        Random subspaces, all different; fewer if there are not so many.
    max_features : int or float, default=0.6666666666666666
        Columns of a subspace; a float is a share of all, rounded up.
    spaces : list of (classifier, columns), optional
        Spaces instead of random ones: what is fitted (None: `estimator`) and numbers of columns.
    n_oob_estimators : int, default=100
        Classifiers in each subspace that estimate the margins.
    gammas : int or array-like, default=21
        Margins to aim at, or how many from 0 to 1. The largest that all rows reach is tried too.
    margin : {"pairwise", "one_vs_rest"}, default="pairwise"
        Votes for the row's class against those for every other class, or for all of them together;
        the same for two classes.
    reuse : bool, default=False
        Whether members are drawn from those that estimated the margins, without another fit.
    voting : {"hard", "soft"}, default="hard"
        Count the votes of the members, or average their probabilities.
    random_state : int, RandomState instance or Generator, optional
        For subspaces, bootstraps and members.
    n_jobs : int, optional
        Members that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    estimators_ : list of classifiers
        The members. They predict the numbers of the classes.
    estimators_features_ : list of ndarray
        The columns of each member.
    subspaces_ : list of ndarray
        The columns of each subspace.
    n_subspaces_ : int
        How many there are.
    oob_shares_ : ndarray of shape (n_subspaces, n_samples, n_classes)
        Share of the votes for each class by classifiers that have not seen the row; NaN where all
        have.
    margins_ : ndarray of shape (n_subspaces, n_samples)
        Share for the row's class minus the largest share for another.
    weights_ : ndarray of shape (n_subspaces,)
        Weights of the subspaces.
    gamma_ : float
        The margin that was aimed at.
    gamma_path_ : ndarray of shape (n_gammas, 3)
        Margins that were tried, the sum of what rows miss, and the expected error.
    expected_error_ : float
        Expected error of the vote of `n_estimators` members by the weights.
    n_per_subspace_ : ndarray of int, shape (n_subspaces,)
        Members in each subspace.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ensfs.evaluation.bagging_error : The error of a vote from margins.

    Notes
    -----
    Sample weights are not taken: bootstraps draw rows. Rows that all classifiers of some subspace
    have seen take no part in the weights.

    References
    ----------
    Q.-T. Cai, C.-Y. Peng and C.-S. Zhang (2008), A weighted subspace approach for improving bagging
    performance, ICASSP.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import WeightedSubspaceBaggingClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = WeightedSubspaceBaggingClassifier(
    ...     n_estimators=25, n_subspaces=5, n_oob_estimators=20, random_state=0
    ... )
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _default_member = DecisionTreeClassifier(criterion="entropy")
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_subspaces": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        "spaces": [list, tuple, None],
        "n_oob_estimators": [Interval(Integral, 1, None, closed="left")],
        "gammas": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "margin": [StrOptions({"pairwise", "one_vs_rest"})],
        "reuse": ["boolean"],
        "voting": [StrOptions({"hard", "soft"})],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator=None,
        n_estimators=100,
        *,
        n_subspaces=25,
        max_features=2 / 3,
        spaces=None,
        n_oob_estimators=100,
        gammas=21,
        margin="pairwise",
        reuse=False,
        voting="hard",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_subspaces = n_subspaces
        self.max_features = max_features
        self.spaces = spaces
        self.n_oob_estimators = n_oob_estimators
        self.gammas = gammas
        self.margin = margin
        self.reuse = reuse
        self.voting = voting
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Estimate margins in the subspaces, weight these, and grow the ensemble.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        _, values = self._read(X, reset=True)
        labels = self._read_labels(y, len(values))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {self.classes_.size} class."
            )
        gammas = self._read_gammas()
        of_spaces, of_members, of_draws = child_seeds(self.random_state, 3)
        spaces = self._make_spaces(values.shape[1], np.random.default_rng(of_spaces))
        self.subspaces_ = [columns for _, columns in spaces]
        self.n_subspaces_ = len(spaces)
        grown = self._fit_spaces(spaces, values, codes, of_members)
        self.oob_shares_ = np.stack(
            [self._shares(members, rows, values, columns)
             for (members, rows), (_, columns) in zip(grown, spaces, strict=True)]
        )  # fmt: skip
        self.margins_ = _margins(self.oob_shares_, codes)
        best, path = self._weigh(codes, gammas)
        self.weights_, self.gamma_, self.expected_error_ = best.weights, best.gamma, best.error
        self.gamma_path_ = np.array([(each.gamma, each.slack, each.error) for each in path])
        rng = np.random.default_rng(of_draws)
        self.n_per_subspace_ = rng.multinomial(self.n_estimators, self.weights_)
        self.estimators_ = self._grow(spaces, grown, values, codes, rng, of_draws)
        self.estimators_features_ = [
            columns
            for columns, n in zip(self.subspaces_, self.n_per_subspace_, strict=True)
            for _ in range(n)
        ]
        return self

    def _make_spaces(self, p: int, rng: np.random.Generator) -> list[Space]:
        """What is fitted in each space, and its columns."""
        if self.spaces is not None:
            if not self.spaces:
                raise ValueError("spaces must hold at least one pair (classifier, columns).")
            return [_read_space(space, p, self._member(None)) for space in self.spaces]
        size = self.max_features
        size = int(size) if isinstance(size, Integral) else ceil(size * p - 1e-9)
        if not 1 <= size <= p:
            raise ValueError(
                f"max_features must be between 1 and the number of columns, {p}; got "
                f"{self.max_features!r}."
            )
        n, possible = self.n_subspaces, comb(p, size)
        if possible < n:
            warn_user(
                f"There are only {possible} subspaces of {size} of {p} columns, so that many are "
                f"taken and not n_subspaces={n}."
            )
            n = possible
        if possible <= 4 * n:
            every = list(combinations(range(p), size))
            chosen = [every[i] for i in sorted(rng.choice(possible, n, replace=False))]
        else:
            seen: dict[tuple[int, ...], None] = {}
            while len(seen) < n:
                seen[tuple(sorted(rng.choice(p, size, replace=False).tolist()))] = None
            chosen = list(seen)
        return [(self._member(None), np.array(columns)) for columns in chosen]

    def _member(self, given: Any) -> Any:
        """What is fitted: what is given, else the parameter, else a tree."""
        if given is not None:
            return given
        return self._default_member if self.estimator is None else self.estimator

    def _fit_spaces(
        self, spaces: list[Space], values: np.ndarray, y: np.ndarray, seed: np.random.SeedSequence
    ) -> list[tuple[list[Any], list[np.ndarray]]]:
        """Members on bootstraps in each space, and the rows of each."""
        return [
            self._bag(*space, self.n_oob_estimators, values, y, child)
            for space, child in zip(spaces, seed.spawn(len(spaces)), strict=True)
        ]

    def _bag(
        self, estimator: Any, columns: np.ndarray, n: int, values: np.ndarray, y: np.ndarray,
        seed: np.random.SeedSequence,
    ) -> tuple[list[Any], list[np.ndarray]]:  # fmt: skip
        rng = np.random.default_rng(seed)
        rows = [rng.integers(len(y), size=len(y)) for _ in range(n)]
        tasks = [
            Task(child, rows=drawn, columns=columns)
            for child, drawn in zip(seed.spawn(n), rows, strict=True)
        ]
        return fit_members(estimator, tasks, values, y, n_jobs=self.n_jobs), rows

    def _shares(
        self, members: list[Any], rows: list[np.ndarray], values: np.ndarray, columns: np.ndarray
    ) -> np.ndarray:
        """Shares of the votes of members that have not seen a row."""
        votes = np.zeros((len(members), len(values)), dtype=np.intp)
        unseen = np.ones(votes.shape, dtype=bool)
        for m, member in enumerate(members):
            unseen[m, rows[m]] = False
            left = np.flatnonzero(unseen[m])
            if left.size:
                votes[m, left] = member.predict(values[np.ix_(left, columns)])
        return out_of_bag_shares(votes, unseen, self.classes_.size)

    def _read_gammas(self) -> np.ndarray:
        """The margins to try."""
        if isinstance(self.gammas, Integral):
            return np.linspace(0, 1, self.gammas)
        gammas = np.asarray(self.gammas)
        good = gammas.ndim == 1 and gammas.size and gammas.dtype.kind in "iuf"
        if not good or not np.isfinite(gammas).all():
            raise ValueError(f"gammas must be one or more finite numbers; got {self.gammas!r}.")
        return gammas.astype(np.float64)

    def _weigh(self, y: np.ndarray, gammas: np.ndarray) -> tuple[Weighted, list[Weighted]]:
        """The weights of the spaces."""
        known = np.flatnonzero(~np.isnan(self.margins_).any(axis=0))
        if not known.size:
            warn_user(
                "No row was left out of a bootstrap in every subspace, so that all subspaces weigh "
                "the same; use more n_oob_estimators."
            )
            even = np.full(self.n_subspaces_, 1 / self.n_subspaces_)
            return Weighted(np.nan, even, np.nan, np.nan), []
        shares, y = self.oob_shares_[:, known], y[known]
        if self.margin == "one_vs_rest":
            return weight_spaces(one_vs_rest_margins(shares, y), gammas, self.n_estimators)
        margins: Margins = pairwise_margins(shares, y)
        return weight_spaces(margins, gammas, self.n_estimators, shares, y)

    def _grow(
        self, spaces: list[Space], grown: list, values: np.ndarray, y: np.ndarray,
        rng: np.random.Generator, seed: np.random.SeedSequence,
    ) -> list[Any]:  # fmt: skip
        """Members of the ensemble: new ones, or some of those that there are."""
        members: list[Any] = []
        children = seed.spawn(len(spaces))
        for i, n in enumerate(self.n_per_subspace_.tolist()):
            there = grown[i][0]
            if self.reuse and n:
                picked = rng.choice(len(there), min(n, len(there)), replace=False)
                members += [there[m] for m in sorted(picked)]
                n -= picked.size
            if n:
                members += self._bag(*spaces[i], n, values, y, children[i])[0]
        return members

    def predict_proba(self, X):
        """Probability of every class: the share of the votes, or the mean over the members.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "estimators_")
        _, values = self._read(X, reset=False)
        members = list(zip(self.estimators_, self.estimators_features_, strict=True))
        n_classes = self.classes_.size
        if self.voting == "hard":
            votes = np.stack([m.predict(values[:, columns]) for m, columns in members])
            return vote_shares(votes, n_classes)
        every = np.arange(n_classes)
        return np.mean([aligned_proba(m, values[:, c], every) for m, c in members], axis=0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = input_tags(self._member(None))
        tags.input_tags.allow_nan = members.allow_nan
        tags.input_tags.string = members.string
        tags.input_tags.categorical = members.categorical
        return tags


def _margins(shares: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share for the row's class minus the largest for another."""
    rows = np.arange(len(y))
    right = shares[:, rows, y]
    others = shares.copy()
    others[:, rows, y] = -np.inf
    return right - np.where(np.isnan(right), np.nan, others.max(axis=2))


def _read_space(space: Any, p: int, default: Any) -> Space:
    """A pair of a classifier and columns."""
    try:
        estimator, columns = space
        columns = np.asarray(columns)
    except (TypeError, ValueError):
        columns = np.empty(0)
    if columns.ndim != 1 or columns.dtype.kind not in "iu" or not columns.size:
        raise ValueError(f"spaces must hold pairs (classifier, columns); got {space!r}.")
    if columns.min() < 0 or columns.max() >= p:
        raise ValueError(f"spaces must name columns from 0 to {p - 1}; got {columns.tolist()}.")
    return (default if estimator is None else estimator), columns

"""Ensembles for several labels: small random sets of labels, and random chains."""

from __future__ import annotations

from math import comb
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.multioutput import ClassifierChain

from ensfs._utils.docs import with_docs
from ensfs._utils.members import child_seeds, seeded_clone
from ensfs._utils.sklearn import Interval, StrOptions, fit_context
from ensfs.ensemble._fit import Task, fit_members
from ensfs.ensemble._labels import LABEL_CONSTRAINTS, LABEL_DOCS, LabelClassifier

#: Bootstrap samples that are drawn until one has rows with and without each label.
_MAX_DRAWS = 100

#: Labels of a set, whose combinations are numbered by their bits.
_MOST_LABELS = 62


@with_docs(LABEL_DOCS)
class RandomLabelsetsClassifier(LabelClassifier):
    """RAkEL: classifiers of the combinations of few labels, which vote for each label.

    Parameters
    ----------
    estimator : classifier, optional
        What tells the combinations of a set of labels apart; None is a decision tree.
    n_models : int or "2q", default="2q"
        Sets of labels that are drawn, without repetition; "2q" is twice the number of labels. There
        are never more than different sets.
    labelset_size : int, default=3
        Labels of a set, at most 62; all of them if there are fewer.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of classifiers or int
        One for each set; its classes are numbers, whose binary digits are the labels of the set. A
        number where all rows had the same labels of the set.
    labelsets_ : list of ndarray
        The labels of each set.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    ChainEnsembleClassifier : Labels one after the other.
    LabelGroupClassifier : All labels at once, with calibrated probabilities.

    Notes
    -----
    A label that is in no set is predicted by its share in fit. Sets are drawn so that all labels
    are in one where that is possible.

    References
    ----------
    G. Tsoumakas, I. Katakis and I. Vlahavas (2011), Random k-labelsets for multilabel
    classification, IEEE TKDE 23, 1079-1089.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from ensfs import RandomLabelsetsClassifier
    >>> X, Y = make_multilabel_classification(300, n_classes=5, random_state=0)
    >>> model = RandomLabelsetsClassifier(random_state=0).fit(X[::2], Y[::2])
    >>> len(model.estimators_)
    10
    >>> bool((model.predict(X[1::2]) == Y[1::2]).mean() > 0.7)
    True
    """

    _parameter_constraints: dict = {
        **LABEL_CONSTRAINTS,
        "n_models": [StrOptions({"2q"}), Interval(Integral, 1, None, closed="left")],
        "labelset_size": [Interval(Integral, 1, _MOST_LABELS, closed="both")],
    }

    def __init__(
        self,
        estimator=None,
        *,
        n_models="2q",
        labelset_size=3,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimator = estimator
        self.n_models = n_models
        self.labelset_size = labelset_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Draw the sets of labels and fit a member for each.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        values, labels, weight = self._read_all(X, y, sample_weight)
        of_sets, of_members = child_seeds(self.random_state, 2)
        n_labels = labels.shape[1]
        size = min(self.labelset_size, n_labels)
        wanted = 2 * n_labels if isinstance(self.n_models, str) else self.n_models
        self.labelsets_ = draw_labelsets(n_labels, size, wanted, np.random.default_rng(of_sets))
        self._shares = np.average(labels, axis=0, weights=weight)
        targets = [labels[:, each] @ (1 << np.arange(size)) for each in self.labelsets_]
        tasks, members = [], []
        for target, seed in zip(targets, of_members.spawn(len(targets)), strict=True):
            constant = (target == target[0]).all()
            members.append(int(target[0]) if constant else None)
            if not constant:
                tasks.append(Task(seed, target=target))
        work = fit_members(
            self._member(), tasks, values, targets[0], sample_weight=weight, n_jobs=self.n_jobs
        )
        fitted = iter(work)
        self.estimators_ = [next(fitted) if each is None else each for each in members]
        return self

    def _label_probabilities(self, values: np.ndarray) -> np.ndarray:
        votes, asked = np.zeros((len(values), self._shares.size)), np.zeros(self._shares.size)
        for member, labels in zip(self.estimators_, self.labelsets_, strict=True):
            if isinstance(member, int):
                codes = np.full(len(values), member)
            else:
                codes = member.predict(values)
            votes[:, labels] += (codes[:, None] >> np.arange(len(labels))) & 1
            asked[labels] += 1
        return np.where(asked > 0, votes / np.maximum(asked, 1), self._shares)


def draw_labelsets(
    n_labels: int, size: int, n_sets: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Different random sets of labels; the first of them have all labels where they can.

    Parameters
    ----------
    n_labels, size, n_sets : int
        Labels, labels of a set, and sets; fewer if there are not so many.
    rng : Generator
        Source of randomness.

    Returns
    -------
    list of ndarray of int
        Sorted labels of each set.
    """
    n_sets = min(n_sets, comb(n_labels, size))
    found: dict[tuple[int, ...], None] = {}
    order = rng.permutation(n_labels)
    for start in range(0, n_labels, size):  # a partition, the last set filled up
        if len(found) < n_sets:
            part = order[start : start + size]
            rest = np.setdiff1d(order, part)
            filled = np.concatenate([part, rng.permutation(rest)[: size - len(part)]])
            found[tuple(sorted(filled.tolist()))] = None
    while len(found) < n_sets:
        found[tuple(sorted(rng.permutation(n_labels)[:size].tolist()))] = None
    return [np.array(each) for each in found]


@with_docs(LABEL_DOCS)
class ChainEnsembleClassifier(LabelClassifier):
    """Random chains of classifiers of one label each, whose answers are averaged.

    In a chain the labels come one after the other, and a classifier sees the columns and the labels
    before its own. Each chain has its own random order and its own bootstrap sample.

    Parameters
    ----------
    estimator : classifier, optional
        What predicts a label; None is a decision tree.
    n_chains : int, default=10
        Chains.
    {random_state, n_jobs, verbose}

    Attributes
    ----------
    estimators_ : list of ClassifierChain
        The chains of scikit-learn, with `order_`.
    {classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    RandomLabelsetsClassifier : Combinations of few labels.

    Notes
    -----
    Sample weights are not taken: chains draw their rows.

    References
    ----------
    J. Read, B. Pfahringer, G. Holmes and E. Frank (2011), Classifier chains for multi-label
    classification, Machine Learning 85, 333-359.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from ensfs import ChainEnsembleClassifier
    >>> X, Y = make_multilabel_classification(300, n_classes=5, random_state=0)
    >>> model = ChainEnsembleClassifier(random_state=0).fit(X[::2], Y[::2])
    >>> bool((model.predict(X[1::2]) == Y[1::2]).mean() > 0.65)
    True
    """

    _parameter_constraints: dict = {
        **LABEL_CONSTRAINTS,
        "n_chains": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, estimator=None, n_chains=10, *, random_state=None, n_jobs=None, verbose=0):
        self.estimator = estimator
        self.n_chains = n_chains
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit the chains.

        Parameters
        ----------
        {X, y}

        Returns
        -------
        self : object
            The fitted ensemble.
        """
        values, labels, _ = self._read_all(X, y, None)
        self._varies = (labels != labels[0]).any(axis=0)
        self._constant = labels[0].astype(np.float64)  # of labels that all rows have, or none
        if not self._varies.any():
            self.estimators_ = []
            return self
        varying = labels[:, self._varies].astype(np.int64)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_chain)(self._member(), values, varying, seed)
            for seed in child_seeds(self.random_state, self.n_chains)
        )
        return self

    def _label_probabilities(self, values: np.ndarray) -> np.ndarray:
        p = np.tile(self._constant, (len(values), 1))
        if self.estimators_:
            opinions = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(_chain_opinion)(chain, values) for chain in self.estimators_
            )
            p[:, self._varies] = np.mean(opinions, axis=0)
        return p

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # chains of scikit-learn refuse missing values
        return tags


def _chain_opinion(chain: ClassifierChain, X: np.ndarray) -> np.ndarray:
    """Probabilities of the labels, or the labels of members that have none."""
    return np.asarray(getattr(chain, "predict_proba", chain.predict)(X), dtype=np.float64)


def _fit_chain(
    estimator: Any, X: np.ndarray, Y: np.ndarray, seed: np.random.SeedSequence
) -> ClassifierChain:
    """A chain in a random order, on a bootstrap sample in which every label still varies."""
    of_rows, of_member, of_order = seed.spawn(3)
    rng = np.random.default_rng(of_rows)
    for _ in range(_MAX_DRAWS):
        rows = rng.integers(len(Y), size=len(Y))
        if (Y[rows] != Y[rows[0]]).any(axis=0).all():
            break
    else:
        rows = np.arange(len(Y))
    order = int(of_order.generate_state(1)[0] >> 1)
    member = seeded_clone(estimator, of_member)
    return ClassifierChain(member, order="random", random_state=order).fit(X[rows], Y[rows])

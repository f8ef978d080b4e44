"""Two classifiers together: by a table of their probabilities, by their accuracy, or by both."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from joblib import Parallel, delayed
from scipy.ndimage import uniform_filter
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils.validation import check_is_fitted, validate_data

from ensfs._utils.docs import CLASSIFIER_DOCS, read_descriptions, with_docs
from ensfs._utils.folds import list_folds
from ensfs._utils.members import MostProbableMixin, aligned_proba, child_seeds, seeded_clone
from ensfs._utils.sklearn import Interval, NamedMembersMixin, StrOptions, fit_context
from ensfs._utils.tags import input_tags
from ensfs.data.frames import take
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.target import make_classes
from ensfs.data.values import as_array
from ensfs.networks._coding import read_cells
from ensfs.networks.classifier import BayesianNetworkClassifier
from ensfs.training.contract import refuse_blocks

COMBINER_DOCS = CLASSIFIER_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table, as the classifiers read it.
""")


@with_docs(COMBINER_DOCS)
class NetworkCombinerClassifier(MostProbableMixin, MetaEstimatorMixin, NamedMembersMixin):
    """Two classifiers, combined by a network node that reads the probabilities of both.

    The probabilities of the second class that both give, each cut into bins of equal width, are the
    parents of a node; its table is the share of the second class among the rows of each cell,
    smoothed over neighbouring cells. The other ways weight the probabilities by the accuracies.
    With more than two classes, each has a table of its own, and what they say is normalised.

    Parameters
    ----------
    estimators : list of (str, classifier), optional
        Two classifiers with ``predict_proba``, by name. None is a `BayesianNetworkClassifier` whose
        graph is learned (greedy search, 5 bootstraps) and one whose graph has an arc from the
        class to each column.
    method : {"network", "vote", "both"}, default="network"
        "network": the smoothed table. "vote": the mean of both probabilities, weighted by their
        accuracies. "both": the mean of the two.
    n_bins : int, default=8
        Bins of each probability.
    empty : {"prior", "zero"}, default="prior"
        Share of cells without any row: that of all rows, or 0, as published. Classifiers that are
        sure leave most cells empty, and zeros around a cell pull it far below one half.
    cv : int or splitter, default=3
        Folds for the probabilities of the training rows that the table and the accuracies come
        from. A whole number is that of stratified folds.
    random_state : int, RandomState instance or Generator, optional
        For the seeds of the classifiers.
    n_jobs : int, optional
        Folds at a time; None is one, -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    estimators_ : list of classifiers
        Both, fitted on all rows.
    raw_cpd_, cpd_ : ndarray of shape (n_bins, n_bins)
        Share of the second class by the bins of both probabilities, as counted and smoothed. Of
        shape (n_classes, n_bins, n_bins) with more than two classes.
    accuracies_ : ndarray of shape (2,)
        Accuracy of each classifier in the folds.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    {n_features_in_, feature_names_in_}

    See Also
    --------
    BayesianNetworkClassifier : What the paper combines.

    References
    ----------
    S. Ceccon, D. Garway-Heath, D. Crabb and A. Tucker (2011), Combining expert and data-driven
    Bayesian networks, in: Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from ensfs import BayesianNetworkClassifier, NetworkCombinerClassifier
    >>> from ensfs.datasets import make_field_and_nerve
    >>> X, y = make_field_and_nerve(200, random_state=0)
    >>> model = NetworkCombinerClassifier(
    ...     [
    ...         ("controls", BayesianNetworkClassifier(structure="controls", n_bootstrap=5)),
    ...         ("expert", BayesianNetworkClassifier(structure="given")),
    ...     ],
    ...     random_state=0,
    ... )
    >>> model.fit(X, y).cpd_.shape
    (8, 8)
    """

    _parameter_constraints: dict = {
        "estimators": [list, tuple, None],
        "method": [StrOptions({"network", "vote", "both"})],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "empty": [StrOptions({"zero", "prior"})],
        "cv": ["cv_object"],
        "random_state": ["random_state", np.random.Generator],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimators=None,
        *,
        method="network",
        n_bins=8,
        empty="prior",
        cv=3,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.estimators = estimators
        self.method = method
        self.n_bins = n_bins
        self.empty = empty
        self.cv = cv
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def get_params(self, deep=True):
        """Parameters of the combiner and, with `deep`, of the classifiers in it.

        Parameters
        ----------
        deep : bool, default=True
            Whether to go into the classifiers.

        Returns
        -------
        dict
            Values by name.
        """
        return self.params_with_members("estimators", deep)

    def set_params(self, **params):
        """Set parameters of the combiner and of the classifiers in it.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            The combiner.
        """
        self.set_params_with_members("estimators", params)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None):
        """Fit both classifiers, and the table on their probabilities for rows left out.

        Parameters
        ----------
        {X, y}

        Returns
        -------
        self : object
            The fitted combiner.
        """
        X, n_rows = self._read(X, reset=True)
        target = make_classes(y, n_rows, self)
        self.classes_ = target.classes
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {len(self.classes_)} class."
            )
        seeds = child_seeds(self.random_state, 3)
        members = [
            seeded_clone(member, seed)
            for member, seed in zip(self._members(), seeds[:2], strict=True)
        ]
        folds = self._folds(target.codes)
        work = Parallel(n_jobs=self.n_jobs)(
            delayed(_left_out)(clone(member), X, target.codes, *fold, len(self.classes_))
            for member in members
            for fold in folds
        )
        given = np.full((n_rows, len(self.classes_), 2), np.nan)
        for i, proba in enumerate(work):
            given[folds[i % len(folds)][1], :, i // len(folds)] = proba
        seen = ~np.isnan(given).any(axis=(1, 2))
        given, codes = given[seen], target.codes[seen]
        self.accuracies_ = (given.argmax(axis=1) == codes[:, None]).mean(axis=0)
        raw = [
            share_by_bins(given[:, k], codes == k, self.n_bins, self.empty) for k in self._tabled()
        ]
        smooth = [mean_filter(table) for table in raw]
        binary = len(raw) == 1
        self.raw_cpd_, self.cpd_ = (each[0] if binary else np.stack(each) for each in (raw, smooth))
        self.estimators_ = [member.fit(X, target.codes) for member in members]
        return self

    def _folds(self, codes: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows to fit on and rows left out; fewer folds if a class is small."""
        cv = 3 if self.cv is None else self.cv
        if isinstance(cv, Integral):
            smallest = int(np.bincount(codes).min())
            cv = KFold(min(cv, codes.size)) if smallest < 2 else min(cv, smallest)
        return list_folds(cv, np.zeros((codes.size, 1)), codes, classifier=True)

    def _tabled(self) -> list[int]:
        """Classes that have a table: the second of two, or all."""
        n = len(self.classes_)
        return [1] if n == 2 else list(range(n))

    def _members(self) -> list[Any]:
        if self.estimators is None:
            learned = BayesianNetworkClassifier(search="greedy", n_bootstrap=5)
            return [learned, BayesianNetworkClassifier(structure="given")]
        pairs = list(self.estimators)
        if len(pairs) != 2 or not all(isinstance(e, (tuple, list)) and len(e) == 2 for e in pairs):
            raise ValueError(
                f"estimators must hold two pairs (name, classifier); got {self.estimators!r}."
            )
        self.check_member_names([name for name, _ in pairs])
        for name, member in pairs:
            if not hasattr(member, "predict_proba"):
                raise ValueError(
                    f"estimators must have predict_proba; {name!r} ({type(member).__name__}) has "
                    "none."
                )
        return [member for _, member in pairs]

    def _read(self, X: Any, reset: bool) -> tuple[Any, int]:
        """The table that the classifiers get, as it was given, and its number of rows."""
        refuse_blocks(self, X)
        refuse_sparse(self, X)
        columns = read_cells(X)
        validate_data(self, X, reset=reset, skip_check_array=True)  # names and their number
        if reset and columns.n_rows < 2:
            raise ValueError(
                f"Found array with {columns.n_rows} sample(s) while a minimum of 2 is required by "
                f"{type(self).__name__}."
            )
        is_table = isinstance(X, np.ndarray) or nw.dependencies.is_into_dataframe(X)
        return X if is_table else as_array(X), columns.n_rows

    def predict_proba(self, X):
        """Probability of every class.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self, "cpd_")
        X, _ = self._read(X, reset=False)
        every = np.arange(len(self.classes_))
        given = np.stack([aligned_proba(e, X, every) for e in self.estimators_], axis=-1)
        by_vote = weighted_vote(given, self.accuracies_)
        if self.method == "vote":
            return by_vote
        by_table = self._by_table(given)
        return by_table if self.method == "network" else (by_table + by_vote) / 2

    def _by_table(self, given: np.ndarray) -> np.ndarray:
        """What the smoothed tables say, as probabilities; nothing is said evenly."""
        tables = self.cpd_[None] if self.cpd_.ndim == 2 else self.cpd_
        bins = [_bins(given[:, k], self.n_bins) for k in self._tabled()]
        said = np.column_stack(
            [table[b[:, 0], b[:, 1]] for table, b in zip(tables, bins, strict=True)]
        )
        if len(tables) == 1:
            return np.column_stack([1 - said[:, 0], said[:, 0]])
        totals = said.sum(axis=1, keepdims=True)
        even = np.full(said.shape, 1 / len(tables))
        return np.divide(said, totals, out=even, where=totals > 0)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = [input_tags(member) for member in self._members()]
        tags.input_tags.allow_nan = all(each.allow_nan for each in members)
        tags.input_tags.string = all(each.string for each in members)
        tags.input_tags.categorical = all(each.categorical for each in members)
        return tags


def _left_out(
    member: Any, X: Any, codes: np.ndarray, train: np.ndarray, test: np.ndarray, n_classes: int
) -> np.ndarray:
    """Probabilities of a fold by a classifier fitted on the others."""
    member.fit(take(X, rows=train), codes[train])
    return aligned_proba(member, take(X, rows=test), np.arange(n_classes))


def _bins(probabilities: np.ndarray, n_bins: int) -> np.ndarray:
    """Bins of equal width."""
    return np.minimum(np.floor(n_bins * probabilities).astype(np.intp), n_bins - 1)


def share_by_bins(
    probabilities: np.ndarray, positive: np.ndarray, n_bins: int = 8, empty: str = "zero"
) -> np.ndarray:
    """Share of positive rows by the bins of two probabilities.

    Parameters
    ----------
    probabilities : ndarray of shape (n_rows, 2)
        What both classifiers say.
    positive : ndarray of shape (n_rows,)
        1 for positive rows, 0 for others.
    n_bins : int, default=8
        Bins of equal width.
    empty : {"zero", "prior"}, default="zero"
        The share of cells without rows: 0, or that of all rows.

    Returns
    -------
    ndarray of shape (n_bins, n_bins)
    """
    first, second = _bins(probabilities, n_bins).T
    cell = first * n_bins + second
    n = np.bincount(cell, minlength=n_bins**2)
    n_positive = np.bincount(cell, weights=positive, minlength=n_bins**2)
    shares = np.full(n_bins**2, 0.0 if empty == "zero" else float(np.mean(positive)))
    return np.divide(n_positive, n, out=shares, where=n > 0).reshape(n_bins, n_bins)


def mean_filter(table: np.ndarray) -> np.ndarray:
    """Mean of each cell and its neighbours, of those that exist.

    Parameters
    ----------
    table : ndarray of shape (n, m)
        Any numbers.

    Returns
    -------
    ndarray of shape (n, m)
    """
    table = np.asarray(table, dtype=np.float64)
    sums = uniform_filter(table, 3, mode="constant")
    return np.clip(sums / uniform_filter(np.ones_like(table), 3, mode="constant"),
                   table.min(), table.max())  # fmt: skip


def weighted_vote(probabilities: np.ndarray, accuracies: np.ndarray) -> np.ndarray:
    """Mean of probabilities, weighted by accuracies; evenly if these are all 0."""
    weights = accuracies if accuracies.sum() > 0 else np.ones_like(accuracies)
    return probabilities @ (weights / weights.sum())

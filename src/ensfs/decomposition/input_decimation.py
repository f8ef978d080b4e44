"""Input decimation: for each class the columns that tell it from the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ensfs._utils.docs import read_descriptions, with_docs
from ensfs._utils.folds import list_folds
from ensfs._utils.members import aligned_proba, child_seeds, seeded_clone
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import warn_user
from ensfs.data.missing import COEFFICIENTS, COUNTS, resolve_missing
from ensfs.data.parameters import resolve_n_features
from ensfs.data.table import make_table
from ensfs.data.target import Target
from ensfs.data.weights import ExistingRows
from ensfs.decomposition._base import DECOMPOSITION_DOCS, BaseDecomposition
from ensfs.decomposition._class_columns import ClassColumns
from ensfs.selection._coded import CODING_CONSTRAINTS, without_groups
from ensfs.training.estimator import TARGET_CONSTRAINTS, takes_missing
from ensfs.training.memory import MemoryTrainingData
from ensfs.training.sparse import SparseTrainingData
from ensfs.training.weighted_fit import fit_weighted

#: Shares of the columns that are tried for "cv".
GRID = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)

#: The most rounds over the classes for sizes of their own.
SWEEPS = 3

#: Parameters of input decimation, here and in the classifier.
DECIMATION_DOCS = DECOMPOSITION_DOCS | read_descriptions("""
n_features_per_class : int, float, sequence of int, "cv" or "share", default=0.25
    Columns of each class: a number, a share of all columns, a number for each class; "cv": the
    share with the best cross-validated accuracy of the ensemble (numeric columns only); "share":
    the fewest columns whose coefficients make up `share` of the sum over all columns.
global_weight : float, default=0.0
    From 0 to 1, how much the mean coefficient over all classes counts beside that of the class.
share : float, default=0.5
    For "share".
cv : int, splitter or iterable, default=5
    For "cv": number of stratified folds, or folds as in `sklearn.model_selection.check_cv` that
    test every row once.
discretizer : {"mdl", "equal_frequency", "sigma"} or transformer, default="mdl"
    For mutual information: how continuous columns are cut.
discrete_features : "auto", bool, mask, indices or names, default="auto"
    For mutual information: which columns hold discrete values. "auto": text, categories,
    booleans, and whole numbers with at most 5 distinct values. True is all columns, False none
    but text and categories.
""")

TWO_CLASSES = (
    "y has two classes: every column is as relevant for one as for the other, so both subsets hold "
    "the same columns and input decimation makes no difference between their classifiers. It needs "
    "three classes or more."
)

#: Options of input decimation that its classifier hands on.
OPTIONS: dict = {
    "n_features_per_class": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="right"),
        StrOptions({"cv", "share"}),
        "array-like",
    ],
    "redundancy": [StrOptions({"sum", "mean"}), None],
    "relevance": [StrOptions({"correlation", "mutual_information"}), callable],
    "global_weight": [Interval(Real, 0, 1, closed="both")],
    "share": [Interval(Real, 0, 1, closed="right")],
    "per_class": ["boolean"],
    "cv": ["cv_object"],
    "binary": [StrOptions({"raise", "allow"})],
    "random_state": ["random_state", np.random.Generator],
    **{
        name: each
        for name, each in without_groups(CODING_CONSTRAINTS).items()
        if name not in TARGET_CONSTRAINTS
    },
}


@with_docs(DECIMATION_DOCS)
class InputDecimation(BaseDecomposition):
    """Input decimation: one subset for each class, of the columns most correlated with it.

    The decimation coefficient of a column for a class is its absolute correlation with the
    indicator of the class, and the subset of the class holds the columns with the largest ones. A
    column may be in several subsets, or in none.

    Parameters
    ----------
    {n_features_per_class}
    redundancy : {"sum", "mean"}, optional
        Choose columns one after the other, and add to the coefficient what the column does not
        share with those chosen before, 1 - abs(correlation): the sum over them (the IDEAC of the
        paper, where from the third column on redundancy outweighs relevance), or the mean, which
        we recommend. None: the coefficients alone.
    relevance : {"correlation", "mutual_information"} or callable, default="correlation"
        The coefficient: correlation, or mutual information (in bits) with the indicator of the
        class, or a function of the table and an indicator (0 or 1 for each row) that gives a
        number for each column.
    {global_weight, share}
    per_class : bool, default=False
        For "cv": whether each class gets its own number, by going through the classes in turn
        (three rounds at most) and taking what is strictly better.
    estimator : classifier, optional
        For "cv": what is fitted on the subsets, with ``predict_proba``; None is a decision tree.
    {cv}
    binary : {"raise", "allow"}, default="raise"
        What to do with two classes, whose subsets are equal: raise an error, or warn.
    {discretizer, discrete_features}
    {missing, include, exclude}
    random_state : int, RandomState instance or Generator, optional
        For "cv": seeds of the classifiers.
    n_jobs : int, optional
        Threads for the coefficients, jobs for "cv"; None is one, -1 all cores. The result does not
        depend on it.
    {verbose}

    Attributes
    ----------
    subsets_ : list of ndarray
        Columns of each class in order of choice.
    n_subsets_ : int
        Number of subsets, which is that of the classes.
    classes_ : ndarray
        The class of each subset.
    subset_scores_ : list of ndarray
        What each column was chosen by, in the order of `subsets_`.
    relevance_ : ndarray of shape (`n_features_in_`, n_classes)
        Coefficient of each column for each class.
    n_features_per_class_ : ndarray of shape (n_classes,)
        Columns of each subset.
    total_features_ : int
        Number of columns in at least one subset.
    common_features_ : int
        Number of columns in all subsets.
    cv_scores_ : dict of int to float
        For "cv": the accuracy with each number of columns, the same for all classes.
    {n_missing_, n_features_in_, feature_names_in_}

    Notes
    -----
    Ties go to the lower column. A constant column comes after all others.

    References
    ----------
    K. Tumer and N. C. Oza (2003), Input decimated ensembles, Pattern Analysis and Applications 6,
    65-77.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensfs import InputDecimation
    >>> X, y = load_iris(return_X_y=True)
    >>> decimation = InputDecimation(2).fit(X, y)
    >>> decimation.subsets_
    [array([2, 3]), array([1, 2]), array([3, 2])]
    >>> decimation.relevance_[:, 0].round(3)
    array([0.717, 0.603, 0.923, 0.887])
    """

    _parameter_constraints: dict = {
        **OPTIONS,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
    }

    def __init__(
        self,
        n_features_per_class=0.25,
        *,
        redundancy=None,
        relevance="correlation",
        global_weight=0.0,
        share=0.5,
        per_class=False,
        estimator=None,
        cv=5,
        binary="raise",
        discretizer="mdl",
        discrete_features="auto",
        missing="auto",
        include=None,
        exclude=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_features_per_class = n_features_per_class
        self.redundancy = redundancy
        self.relevance = relevance
        self.global_weight = global_weight
        self.share = share
        self.per_class = per_class
        self.estimator = estimator
        self.cv = cv
        self.binary = binary
        self.discretizer = discretizer
        self.discrete_features = discrete_features
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Choose the columns of every class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table; numeric, unless mutual information is asked for without `redundancy`.
        y : array-like of shape (n_samples,)
            Classes, at least three.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row is there: numbers of at least 0, not necessarily whole. Refused where
            `relevance` is a function, and handed to `estimator` where its ``fit`` takes weights.

        Returns
        -------
        self : InputDecimation
            The fitted decomposition.
        """
        data = self._read_rows(
            X, y, effective_n_threads(self.n_jobs), sample_weight,
            discrete_features=self.discrete_features, integral_is_discrete=True,
        )  # fmt: skip
        if data.weight is not None and callable(self.relevance):
            raise ValueError(
                "sample_weight must be None if relevance is a function, which does not see weights."
            )
        target = data.target("classes")
        self._check_classes(target)
        self.classes_ = target.classes
        counts = self.relevance == "mutual_information"
        resolve_missing(self.missing, COUNTS if counts else COEFFICIENTS)
        columns = ClassColumns(self, data, target)
        if hasattr(self, "cv_scores_"):
            del self.cv_scores_  # of an earlier fit
        sizes = self._sizes(data, target)
        self._set_missing(data)
        self.relevance_ = data.variables.by_column(columns.relevance.T).T
        chosen = [columns.choose(c, sizes[c]) for c in range(len(target.classes))]
        self._keep_subsets([each[0] for each in chosen])
        self.subset_scores_ = [each[1] for each in chosen]
        self.n_features_per_class_ = np.array([each.size for each in self.subsets_])
        used = np.bincount(np.concatenate(self.subsets_), minlength=self.n_features_in_)
        self.total_features_ = int((used > 0).sum())
        self.common_features_ = int((used == self.n_subsets_).sum())
        return self

    def _check_classes(self, target: Target) -> None:
        if len(target.classes) == 2:
            if self.binary == "raise":
                raise ValueError(f"{TWO_CLASSES} Set binary='allow' to go on nevertheless.")
            warn_user(TWO_CLASSES)
        single = np.nonzero(np.bincount(target.codes) == 1)[0]
        if single.size and not target.constant:
            warn_user(
                f"Class {target.classes[single[0]]} has one row: its columns are chosen by that "
                "row alone.",
            )

    def _sizes(self, data: MemoryTrainingData, target: Target) -> Sequence[int | None]:
        """Number of columns for every class; None: as many as the share needs."""
        size, p, n_classes = self.n_features_per_class, data.n_features, len(target.classes)
        if isinstance(size, str):
            return [None] * n_classes if size == "share" else self._learn_sizes(data, target)
        if isinstance(size, Real):
            if float(size) > p:
                raise ValueError(f"n_features_per_class={size} exceeds the {p} column(s) of X.")
            return [resolve_n_features(size, p, "n_features_per_class")] * n_classes
        sizes = np.asarray(size)
        whole = sizes.ndim == 1 and sizes.dtype.kind in "iu" and sizes.size == n_classes
        if not whole or (sizes < 1).any() or (sizes > p).any():
            raise ValueError(
                f"n_features_per_class must hold a number of columns from 1 to {p} for each of the "
                f"{n_classes} classes; got {size!r}."
            )
        return sizes.tolist()

    def _learn_sizes(self, data: MemoryTrainingData, target: Target) -> list[int]:
        """Numbers of columns with the best cross-validated accuracy of the ensemble."""
        # rounded up, so that small tables have no step of 0 columns
        grid = sorted({math.ceil(round(q * data.n_features, 9)) for q in GRID})
        proba = self._validate(data, target, grid)  # (classes, grid, rows, classes)
        n_classes = len(proba)

        def accuracy(places: Sequence[int]) -> float:
            mean = sum(proba[c, g] for c, g in enumerate(places)) / n_classes
            return float(np.average(mean.argmax(axis=1) == target.codes, weights=data.weight))

        scores = [accuracy([g] * n_classes) for g in range(len(grid))]
        self.cv_scores_ = dict(zip(grid, scores, strict=True))
        best = max(scores)
        places = [scores.index(best)] * n_classes
        for c in list(range(n_classes)) * (SWEEPS if self.per_class else 0):
            for g in range(len(grid)):
                trial = [*places[:c], g, *places[c + 1 :]]
                if accuracy(trial) > best:
                    best, places = accuracy(trial), trial
        return [grid[g] for g in places]

    def _validate(self, data: MemoryTrainingData, target: Target, grid: list[int]) -> np.ndarray:
        """Probabilities of all rows by the classifier of each class with each number of columns."""
        if isinstance(data, SparseTrainingData):
            raise TypeError(
                f"{type(self).__name__} with n_features_per_class='cv' does not support sparse "
                "tables. Call X.toarray() first, or set it to numbers."
            )
        allow_nan = data.table.allow_missing and (
            self.estimator is None or takes_missing(self.estimator)
        )
        data.table.check_finite(allow_nan=allow_nan)
        X = data.table.continuous("Set n_features_per_class to numbers, encode it")
        codes, n_classes = target.codes, len(target.classes)
        folds = list_folds(self.cv, X, codes, classifier=True)
        tested = np.sort(np.concatenate([test for _, test in folds]))
        if not np.array_equal(tested, np.arange(len(X))):
            raise ValueError(f"cv must test every row once; got {self.cv!r}.")
        jobs = []

        def weight_of(rows: np.ndarray) -> np.ndarray | None:
            return None if data.weight is None else data.weight[rows]

        for train, test in folds:
            table = make_table(
                X[train], discrete_features=data.discrete, allow_missing=data.table.allow_missing
            )
            part = Target("classes", False, codes[train], target.classes)
            existing = ExistingRows(weight_of(train), None, len(train))
            columns = ClassColumns(self, MemoryTrainingData(table, part.codes, existing), part)
            for c in range(n_classes):
                order = columns.choose(c, grid[-1])[0]
                jobs += [(train, test, c, g, order[:size]) for g, size in enumerate(grid)]
        seeds = child_seeds(self.random_state, len(jobs))
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_fit_and_predict)(
                seeded_clone(self.estimator, seed), X[np.ix_(train, order)], codes[train],
                X[np.ix_(test, order)], n_classes, weight_of(train),
            )
            for seed, (train, test, _, _, order) in zip(seeds, jobs, strict=True)
        )  # fmt: skip
        proba = np.empty((n_classes, len(grid), len(codes), n_classes))
        found = counted("validating sizes", len(jobs), work)
        for (_, test, c, g, _), values in zip(jobs, found, strict=True):
            proba[c, g, test] = values
        return proba

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _explain_row(self, j: int, subsets: list[int]) -> dict[str, Any]:
        if np.isnan(self.relevance_[j, 0]):  # excluded, or included from the start
            return {"feature": self._name(j)} | dict.fromkeys(
                ("classes", "rank", "relevance", "most for", "reason")
            )
        most = int(self.relevance_[j].argmax())
        ranks = [int(np.nonzero(self.subsets_[c] == j)[0][0]) + 1 for c in subsets]
        return {
            "feature": self._name(j),
            "classes": ", ".join(str(self.classes_[c]) for c in subsets) or None,
            "rank": min(ranks, default=None),
            "relevance": float(self.relevance_[j, most]),
            "most for": str(self.classes_[most]),
            "reason": "among the most relevant" if subsets else "less relevant",
        }


def _fit_and_predict(
    member: Any, X: np.ndarray, codes: np.ndarray, X_test: np.ndarray, n_classes: int,
    weight: np.ndarray | None,
) -> np.ndarray:  # fmt: skip
    return aligned_proba(fit_weighted(member, X, codes, weight), X_test, np.arange(n_classes))

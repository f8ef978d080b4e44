"""Columns in the order in which an L1 penalty lets them in."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.linear_model import lars_path

from ensfs._utils.docs import with_docs
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import Interval, fit_context
from ensfs._utils.threads import effective_n_threads
from ensfs._utils.warn import without_warnings
from ensfs.data.missing import MEANS, filled, resolve_missing
from ensfs.data.target import Target
from ensfs.data.variables import Variables
from ensfs.selection._base import SELECTOR_DOCS, BaseSelector, warn_of_size
from ensfs.statistics.outputs import combine_outputs
from ensfs.training.classes import Outputs, outputs_of
from ensfs.training.estimator import CHOICE_CONSTRAINTS, MISSING_CONSTRAINTS, OUTPUT_CONSTRAINTS

#: Steps of a path for each column that is wanted: some columns leave the model and come back.
_STEPS_PER_COLUMN = 3


@with_docs(SELECTOR_DOCS)
class L1Path(BaseSelector):
    r"""Columns in the order in which a falling L1 penalty lets them into a linear model.

    The lasso

    .. math:: \min_w \frac{1}{2n}\lVert y - Xw\rVert^2 + \alpha\lVert w\rVert_1

    uses no column for a large :math:`\alpha` and takes in one after the other as it falls. The
    score of a column is the penalty at which it enters, as a share of the largest correlation
    that a column could have: the first one has its absolute correlation with the target. The
    path is exact (least angle regression), so there is no grid of penalties to choose. Three and
    more classes have a path for each class against the others, and a column counts where it enters
    first.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        How many columns at most; a float in (0, 1] is a share of all columns. Fewer are selected,
        with a warning, where the path ends before: it lets in fewer columns than there are rows.
    {multi_output, missing, include, exclude}
    n_jobs : int, optional
        Threads that read the table; None is one, -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    indices_ : ndarray of int
        Columns in the order in which they enter.
    {support_, ranking_}
    scores_ : ndarray of shape (`n_features_in_`,)
        Penalty at which each column enters, with columns and target of variance 1; NaN for those
        that did not before the path was ended.
    entered_for_ : ndarray of shape (`n_features_in_`,)
        Position of the class (of several outputs: of the output) whose path each column enters
        first; 0 for two classes and for numbers, -1 where it does not enter.
    relevance_ : ndarray of shape (`n_features_in_`,)
        Largest absolute correlation of each column with the target (or with a class).
    classes_ : ndarray or None
        The classes, None for a numeric target and for several outputs.
    {output_relevance_, n_missing_, n_features_in_, feature_names_in_}

    See Also
    --------
    ForwardSelection : Takes off all of what a selected column explains, not only a part.
    RankEnsemble : Combines selectors that see different things.

    Notes
    -----
    The columns have to be numbers. They are brought to mean 0 and variance 1. Rows have to be in
    memory. Where a column leaves the model and comes back, its first entry counts. Included columns
    are in the model without a penalty.

    References
    ----------
    B. Efron, T. Hastie, I. Johnstone and R. Tibshirani (2004), Least angle regression, Annals of
    Statistics 32(2), 407-499.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from ensfs import L1Path
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = L1Path(4).fit(X, y)
    >>> X.columns[selector.indices_].tolist()
    ['bmi', 's5', 'bp', 's3']
    """

    prefix_stable = True

    _parameter_constraints: dict = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
        ],
        **OUTPUT_CONSTRAINTS,
        **MISSING_CONSTRAINTS,
        **CHOICE_CONSTRAINTS,
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_features_to_select=10,
        *,
        multi_output="mean",
        missing="auto",
        include=None,
        exclude=None,
        n_jobs=None,
        verbose=0,
    ):
        self.n_features_to_select = n_features_to_select
        self.multi_output = multi_output
        self.missing = missing
        self.include = include
        self.exclude = exclude
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Select columns.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The table; numbers.
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row is there: numbers of at least 0, not necessarily whole.

        Returns
        -------
        self : L1Path
            The fitted selector.
        """
        n_threads = effective_n_threads(self.n_jobs)
        data = self._read_in_memory(X, y, n_threads, sample_weight, discrete_features=False)
        k, included = self.size_for(data.variables), data.variables.included
        target = data.target("auto")
        one = not isinstance(target, Outputs)
        self.classes_ = target.classes if one and target.kind == "classes" else None
        resolve_missing(self.missing, MEANS)
        Z = standardized_columns(data.table, data.weight)
        self._set_missing(data)
        total = len(Z) if data.weight is None else data.weight.sum()
        given, free = Z[:, included], max(k - included.size, 1)
        left = without(given, Z) if included.size else Z
        relevance, entries, entered_for = [], [], []
        for each in outputs_of(target):
            outputs = rows_of(each, data.weight)
            relevance.append(np.abs(outputs @ Z).max(axis=0) / total)
            outputs = without(given, outputs.T).T if included.size else outputs
            found = entry_penalties(left, outputs, free)
            found[found > 0.0] *= len(Z) / total  # scikit-learn counts every row once
            entries.append(found.max(axis=0))
            entered_for.append(found.argmax(axis=0))
        if isinstance(target, Outputs):
            entered = np.array(entries).max(axis=0) >= 0.0
            combine, penalties = target.combine, np.maximum(entries, 0.0)
            entries = [np.where(entered, combine_outputs(penalties, combine), -1.0)]
            entered_for = [np.argmax(penalties, axis=0)]
            self.output_relevance_ = data.variables.by_column(np.array(relevance))
            relevance = [combine_outputs(np.array(relevance), combine)]
        elif hasattr(self, "output_relevance_"):
            del self.output_relevance_  # of an earlier fit
        self.relevance_ = data.variables.by_column(relevance[0])
        self._keep_entries(data.variables, target, entries[0], entered_for[0], k)
        return self

    def _keep_entries(
        self, variables: Variables, target: Any, penalty: np.ndarray, place: np.ndarray, k: int
    ) -> None:
        """Keep the `k` columns that enter first, by the penalty and the place of the output."""
        entered = penalty >= 0.0
        chosen = variables.included_first(penalty, entered)[:k]
        self._set_selected(chosen, np.where(entered, penalty, np.nan))
        entered_for = np.where(entered, place, -1)
        self.entered_for_ = variables.by_column(entered_for, fill=-1)
        if not target.constant:
            warn_of_size(self, k)

    def explain_row(self, j: int) -> dict[str, Any]:
        """The row of `explain` for column ``j``, by heading."""
        row = {
            "feature": self._name(j),
            "selected": bool(self.support_[j]),
            "rank": int(self.ranking_[j]) if self.support_[j] else None,
            "relevance": float(self.relevance_[j]),
            "penalty at entry": float(self.scores_[j]),
        }
        if self.classes_ is not None and len(self.classes_) > 2:
            place = int(self.entered_for_[j])
            row["enters for"] = str(self.classes_[place]) if place >= 0 else None
        return row

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False
        tags.input_tags.categorical = False
        return tags


def standardized_columns(table: Any, weight: np.ndarray | None = None) -> np.ndarray:
    """Columns with mean 0 and variance 1, constant ones as zeros; missing numbers are the mean.

    Rows with weights are multiplied by the roots of these.
    """
    table.check_finite(allow_nan=table.allow_missing)
    table.continuous(instead="Encode it")  # an error for text
    X = np.array(filled(table, weight), dtype=np.float64, order="F")
    largest = np.abs(X).max(axis=0, initial=0.0)
    X /= np.where(largest > 0.0, largest, 1.0)  # squares neither overflow nor vanish
    X -= np.average(X, axis=0, weights=weight)
    deviation = _deviation(X, 0, weight)
    varies = deviation > 1e-14
    X[:, ~varies] = 0.0
    X /= np.where(varies, deviation, 1.0)
    return X if weight is None else X * np.sqrt(weight)[:, None]


def without(given: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What a linear model of the given columns leaves of others, exactly 0 where it is rounding.

    Coefficients without a penalty are fitted to what the others leave, so the path of the others is
    that of these residuals.
    """
    basis, sizes, _ = np.linalg.svd(given, full_matrices=False)
    basis = basis[:, sizes > 1e-10 * max(sizes.max(initial=0.0), 1e-300)]
    left = values - basis @ (basis.T @ values)
    left -= basis @ (basis.T @ left)
    left[:, np.abs(left).max(axis=0) <= 1e-10] = 0.0
    return np.asfortranarray(left)


def _deviation(centred: np.ndarray, axis: int, weight: np.ndarray | None) -> np.ndarray:
    """Standard deviation of values that have the mean 0."""
    if weight is None:
        return centred.std(axis=axis)
    return np.sqrt(np.average(centred**2, axis=axis, weights=weight))


def rows_of(target: Target, weight: np.ndarray | None = None) -> np.ndarray:
    """The target as rows of mean 0 and variance 1: one, or one for each of several classes.

    As the columns they are multiplied by the roots of weights.
    """
    if target.kind == "numeric":
        outputs = np.asarray(target.values, dtype=np.float64)[None]
    else:
        outputs = np.eye(len(target.classes))[target.codes].T
        outputs = outputs[:1] if len(outputs) == 2 else outputs
    outputs = outputs / np.maximum(np.abs(outputs).max(axis=1, keepdims=True), 1e-300)
    outputs = outputs - np.average(outputs, axis=1, weights=weight)[:, None]
    deviation = _deviation(outputs, 1, weight)[:, None]
    outputs = outputs / np.where(deviation > 1e-14, deviation, 1.0)
    return outputs if weight is None else outputs * np.sqrt(weight)


def entry_penalties(Z: np.ndarray, outputs: np.ndarray, k: int) -> np.ndarray:
    """Penalty at which each column first enters the path of each output; -1 if it does not.

    A path ends when at least `k` columns have entered.
    """
    entries = np.full((len(outputs), Z.shape[1]), -1.0)
    for row, y in zip(entries, counted("following paths", len(outputs), outputs), strict=True):
        n_steps = 0
        while (row >= 0.0).sum() < k and n_steps < _STEPS_PER_COLUMN * k:
            n_steps = max(k + 1, 2 * n_steps)
            alphas, coefficients = _path(Z, y, n_steps)
            row[:] = _first_entries(alphas, coefficients)
            if len(alphas) <= n_steps:
                break  # the path has ended
    return entries


def _path(Z: np.ndarray, y: np.ndarray, n_steps: int) -> tuple[np.ndarray, np.ndarray]:
    with without_warnings():  # columns that depend on each other are dropped: as wanted
        alphas, _, coefficients = lars_path(Z, y, method="lasso", max_iter=n_steps)
    return alphas, coefficients


def _first_entries(alphas: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Penalty at the corner of the path from which on a column has a coefficient."""
    used = coefficients != 0.0
    first = np.where(used.any(axis=1), used.argmax(axis=1), 0)
    return np.where(first > 0, alphas[np.maximum(first - 1, 0)], -1.0)

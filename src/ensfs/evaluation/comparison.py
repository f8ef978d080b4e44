"""Selectors side by side: the score of a model on their columns, size, stability and time."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import stats
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import check_scoring
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ensfs._utils.folds import list_folds
from ensfs._utils.html import table
from ensfs._utils.interrupts import keeps_settings
from ensfs._utils.text import cell_text, printable, text_table
from ensfs._utils.ties import first_largest, tie_groups
from ensfs.data.frames import take
from ensfs.data.table import make_table
from ensfs.data.target import check_given, make_target
from ensfs.evaluation.significance import holm
from ensfs.measures.stability import NogueiraStability, stability_if_defined
from ensfs.selection.size_curves import default_model, selected_columns

__all__ = ["SelectorComparison", "compare_selectors"]

#: The name of the model without a selection.
ALL_COLUMNS = "all columns"


@dataclass(frozen=True)
class SelectorComparison:
    """What `compare_selectors` found: printed as a table, and as one in notebooks.

    Attributes
    ----------
    names : tuple of str
        Names of the methods; the last may be "all columns".
    scores : ndarray of shape (n_methods, n_folds)
        Score of the model on the test rows of each fold.
    sizes : ndarray of shape (n_methods, n_folds)
        Number of columns selected from the training rows of each fold.
    seconds : ndarray of shape (n_methods, n_folds)
        Time of each fit of the selector.
    selections : tuple of tuple of ndarray
        For each method the columns selected in each fold.
    stability : tuple of NogueiraStability or None
        Stability of these selections; None where it is not defined.
    mean_ranks : ndarray of shape (n_methods,)
        Mean over the folds of the rank by score, 1 being the best.
    control : int
        The method that the others are compared with: the first with the largest mean score.
    pvalues : ndarray of shape (n_methods,)
        P-value of the corrected paired t test against the control, two-sided; NaN for the control.
    adjusted_pvalues : ndarray of shape (n_methods,)
        The same after Holm's procedure.
    shared_rows : float
        Mean share of the training rows that two folds have in common. The more they share, the more
        the stability exceeds that of selections from new data.
    test_rows : float
        Test rows for each training row, which correct the tests and standard errors.
    n_features : int
        Number of columns of the table.
    score_name : str
        What the scores are.

    See Also
    --------
    compare_selectors : Makes it.
    ensfs.plotting.SelectorComparisonDisplay : Draws score against stability.
    """

    names: tuple[str, ...]
    scores: NDArray[np.float64] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    seconds: NDArray[np.float64] = field(repr=False)
    selections: tuple[tuple[NDArray[np.int64], ...], ...] = field(repr=False)
    stability: tuple[NogueiraStability | None, ...] = field(repr=False)
    mean_ranks: NDArray[np.float64] = field(repr=False)
    control: int
    pvalues: NDArray[np.float64] = field(repr=False)
    adjusted_pvalues: NDArray[np.float64] = field(repr=False)
    shared_rows: float
    test_rows: float
    n_features: int
    score_name: str = "score"

    def standard_errors(self) -> NDArray[np.float64]:
        """Give the standard errors of the mean scores, corrected for training rows in common.

        Returns
        -------
        ndarray of shape (n_methods,)
            As in the tests: the square root of ``(1 / n_folds + test_rows)`` times the variance.
        """
        factor = math.sqrt(1 / self.scores.shape[1] + self.test_rows)
        return factor * self.scores.std(axis=1, ddof=1)

    def rows(self) -> list[dict[str, Any]]:
        """The table, a dictionary for each method.

        Returns
        -------
        list of dict
            Name, mean and standard deviation of the score, mean number of columns, stability with
            the ends of its 95 % interval, seconds, mean rank and adjusted p-value.
        """
        return [self._row(i) for i in range(len(self.names))]

    def _row(self, i: int) -> dict[str, Any]:
        stability = self.stability[i]
        low, high = (None, None) if stability is None else stability.confidence_interval()
        return {
            "method": self.names[i],
            self.score_name: float(self.scores[i].mean()),
            "sd": float(self.scores[i].std(ddof=1)),
            "columns": float(self.sizes[i].mean()),
            "stability": None if stability is None else stability.stability,
            "low": low,
            "high": None if high is None else min(high, 1.0),
            "seconds": float(self.seconds[i].mean()),
            "mean rank": float(self.mean_ranks[i]),
            "p-value": None if i == self.control else float(self.adjusted_pvalues[i]),
        }

    def to_pandas(self) -> Any:
        """Give the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each method.
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_polars(self) -> Any:
        """Give the table as a polars data frame.

        Returns
        -------
        polars.DataFrame
            A row for each method.
        """
        import polars as pl

        return pl.DataFrame(self.rows())

    def _notes(self) -> list[str]:
        return [
            f"{self.scores.shape[1]} folds; two training sets share {self.shared_rows:.0%} of "
            "their rows, and the stability is that of such sets.",
            f"p: corrected paired t test against {printable(self.names[self.control])}, adjusted "
            "by Holm's procedure.",
        ]

    def __str__(self) -> str:
        rows = self.rows()
        cells = [[cell_text(value) for value in row.values()] for row in rows]
        return "\n".join([*text_table([list(rows[0]), *cells]), *self._notes()])

    def _repr_html_(self) -> str:
        rows = self.rows()
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._notes())
        return table(list(rows[0]), [list(row.values()) for row in rows]) + notes


@keeps_settings
def compare_selectors(
    selectors: Any,
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    cv: Any = None,
    scoring: str | Callable | None = None,
    baseline: bool = True,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> SelectorComparison:
    r"""Compare selectors by what a model predicts from their columns, and by how stable they are.

    Every selector is fitted on the training rows of each fold alone, and the model is scored on the
    test rows: no row has a say in the selection that it is predicted from.

    Parameters
    ----------
    selectors : dict of str to selector, or sequence of selectors
        Of this library or of scikit-learn; they are cloned. In a sequence they are named by their
        classes.
    X : array-like or data frame of shape (n_samples, n_features)
        The table.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    estimator : estimator, optional
        The model. By default logistic regression, or ridge regression for a numeric target, on
        standardized numbers and a column for each level of text.
    cv : int, splitter or iterable, optional
        The folds, as in `sklearn.model_selection.cross_val_score`. By default five repetitions of
        two folds: the two training sets of a repetition are halves without a common row, so that
        the stability is about that of new data with half as many rows.
    scoring : str or callable, optional
        The score, as in `cross_val_score`; larger is better. None is that of the model.
    baseline : bool, default=True
        Whether to score the model on all columns too.
    random_state : int, RandomState instance or None, default=0
        Shuffles the default folds.
    n_jobs : int, optional
        Folds that are worked on at a time; None is one, -1 all cores. Times are comparable if it is
        one.

    Returns
    -------
    SelectorComparison
        Scores, sizes, stability, times, ranks and tests; printed as a table.

    See Also
    --------
    friedman_holm : Compares methods over several data sets.

    Notes
    -----
    With differences :math:`d_i` of the scores in :math:`J` folds, their mean :math:`\bar d` and
    variance :math:`s^2`, the statistic :math:`\bar d / \sqrt{(1/J + r) s^2}` is compared with the t
    distribution with :math:`J - 1` degrees of freedom. The quotient :math:`r` of the numbers of
    test and training rows makes up for the rows that the training sets share (Nadeau and Bengio).
    A fold in which nothing is selected is predicted without columns: by the most frequent class, or
    the mean.

    References
    ----------
    C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning 52,
    239-281. S. Nogueira, K. Sechidis and G. Brown (2018), On the stability of feature selection
    algorithms, Journal of Machine Learning Research 18(174), 1-54.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from ensfs import MRMR
    >>> from ensfs.evaluation import compare_selectors
    >>> X, y = load_wine(return_X_y=True)
    >>> result = compare_selectors([MRMR(4), SelectKBest(k=4)], X, y)
    >>> result.names, result.scores.mean(axis=1).round(2)
    (('MRMR', 'SelectKBest', 'all columns'), array([0.95, 0.95, 0.98]))
    """
    check_given(y, "compare_selectors")
    named = _named(selectors)
    read = make_table(X, allow_missing=True)
    target = make_target(y, read.n_rows, warn_constant=False)
    model = default_model(None, y) if estimator is None else estimator
    folds = _folds(cv, y, target.kind == "classes", is_classifier(model), random_state)
    scorer = check_scoring(model, scoring=scoring)
    work = (
        delayed(_one_fold)(selector, model, scorer, X, y, *fold)
        for selector in [*named.values(), *([None] if baseline else [])]
        for fold in folds
    )
    done = Parallel(n_jobs=n_jobs, prefer="threads")(work)
    names = (*named, *([ALL_COLUMNS] if baseline else []))
    by_method = [done[i * len(folds) : (i + 1) * len(folds)] for i in range(len(names))]
    return _summarized(names, by_method, folds, read.n_features, _score_name(model, scoring))


def _named(selectors: Any) -> dict[str, Any]:
    """Selectors by name; those of a sequence are named by class, numbered if there are several."""
    if isinstance(selectors, Mapping):
        named = {str(name): each for name, each in selectors.items()}
    else:
        listed = list(selectors)
        names = [type(each).__name__ for each in listed]
        seen, often = Counter[str](), Counter(names)
        named = {}
        for name, each in zip(names, listed, strict=True):
            seen[name] += 1
            named[f"{name} {seen[name]}" if often[name] > 1 else name] = each
    if not named:
        raise ValueError("selectors must hold at least one selector; got none.")
    for name, each in named.items():
        if not (hasattr(each, "fit") and hasattr(each, "get_support")):
            raise TypeError(f"selectors must have fit and get_support; {name!r} is {each!r}.")
    if ALL_COLUMNS in named:
        raise ValueError(f"selectors must not be named {ALL_COLUMNS!r}, which is the baseline.")
    return named


def _folds(
    cv: Any, y: Any, classes: bool, classifier: bool, random_state: Any
) -> list[tuple[NDArray, NDArray]]:
    """Training and test rows of each fold."""
    labels = np.asarray(y)
    if cv is None:
        make = RepeatedStratifiedKFold if classes else RepeatedKFold
        cv = make(n_splits=2, n_repeats=5, random_state=random_state)
    return list_folds(cv, np.zeros(len(labels)), labels, classifier=classifier, least=2)


def _one_fold(
    selector: Any, model: Any, scorer: Any, X: Any, y: Any, train: NDArray, test: NDArray
) -> tuple[float, NDArray[np.int64], float]:
    """Score, selected columns and seconds of one selector in one fold; None is all columns."""
    X_train, y_train = take(X, train), take(y, train)
    columns, seconds = None, 0.0
    if selector is not None:
        began = time.perf_counter()
        fitted = clone(selector).fit(X_train, y_train)
        seconds = time.perf_counter() - began
        columns = np.asarray(selected_columns(fitted), dtype=np.int64)
    if columns is not None and not columns.size:
        empty = DummyClassifier() if is_classifier(model) else DummyRegressor()
        nothing = np.zeros((len(train), 1)), np.zeros((len(test), 1))
        score = scorer(empty.fit(nothing[0], y_train), nothing[1], take(y, test))
        return float(score), columns, seconds
    predictor = clone(model).fit(take(X_train, columns=columns), y_train)
    score = scorer(predictor, take(X, test, columns=columns), take(y, test))
    return float(score), columns if columns is not None else np.empty(0, np.int64), seconds


def _summarized(
    names: tuple[str, ...],
    by_method: Sequence[Sequence[tuple[float, NDArray[np.int64], float]]],
    folds: Sequence[tuple[NDArray, NDArray]],
    n_features: int,
    score_name: str,
) -> SelectorComparison:
    scores = np.array([[score for score, _, _ in each] for each in by_method])
    selections = tuple(tuple(columns for _, columns, _ in each) for each in by_method)
    whole = [name == ALL_COLUMNS for name in names]
    sizes = np.array([[columns.size for columns in each] for each in selections])
    sizes[whole] = n_features
    control = first_largest(scores.mean(axis=1))
    test_rows = float(np.mean([len(test) / len(train) for train, test in folds]))
    pvalues = np.array([_pvalue(each - scores[control], test_rows) for each in scores])
    others = np.arange(len(names)) != control
    pvalues[control], adjusted = math.nan, np.full(len(names), math.nan)
    adjusted[others] = holm(pvalues[others])
    return SelectorComparison(
        names=names,
        scores=scores,
        sizes=sizes,
        seconds=np.array([[seconds for _, _, seconds in each] for each in by_method]),
        selections=selections,
        stability=tuple(stability_if_defined(each, n_features) for each in selections),
        mean_ranks=stats.rankdata(tie_groups(-scores.T), axis=1).mean(axis=0),
        control=control,
        pvalues=pvalues,
        adjusted_pvalues=adjusted,
        test_rows=test_rows,
        shared_rows=_shared_rows([train for train, _ in folds]),
        n_features=n_features,
        score_name=score_name,
    )


def _pvalue(differences: NDArray[np.float64], test_rows: float) -> float:
    """Two-sided p-value of the paired t test that is corrected for shared training rows."""
    n, spread = differences.size, float(differences.var(ddof=1))
    if spread == 0:
        return 1.0 if differences[0] == 0 else 0.0
    statistic = float(differences.mean()) / math.sqrt((1 / n + test_rows) * spread)
    return float(2 * stats.t.sf(abs(statistic), n - 1))


def _shared_rows(training: Sequence[NDArray]) -> float:
    """Mean share of the rows of a training set that another one has too."""
    n_rows = 1 + max(int(rows.max()) for rows in training)
    masks = np.zeros((len(training), n_rows))
    for mask, rows in zip(masks, training, strict=True):
        mask[rows] = 1
    common, sizes = masks @ masks.T, masks.sum(axis=1)
    pairs = ~np.eye(len(training), dtype=bool)
    return float((common / sizes[:, None])[pairs].mean())


def _score_name(model: Any, scoring: Any) -> str:
    if scoring is None:
        return "accuracy" if is_classifier(model) else "R2"
    return scoring if isinstance(scoring, str) else "score"

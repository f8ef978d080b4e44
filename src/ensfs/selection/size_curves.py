"""What a selector gives for each number of columns: selections, their stability, their accuracy."""

from __future__ import annotations

from numbers import Integral, Number
from typing import Any

import numpy as np
import scipy.sparse
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import check_scoring
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.utils import check_random_state, get_tags

from ensfs._utils.folds import list_folds
from ensfs.data.columns import read_columns
from ensfs.data.frames import take
from ensfs.data.outputs import split_outputs
from ensfs.data.parameters import resolve_share
from ensfs.data.target import KIND_OF_TASK, check_given, make_target
from ensfs.data.values import as_array, with_nan
from ensfs.selection._base import BaseSelector
from ensfs.selection._routing import Receivers
from ensfs.selection.mrmr import MRMR
from ensfs.training.estimator import choice_of
from ensfs.training.weighted_fit import fit_weighted, score_weighted

#: Parameters that say how many columns a selector keeps: ours, and those of scikit-learn.
SIZE_PARAMETERS = ("n_features_to_select", "k", "max_features")
#: How many sizes are looked at if the user names none.
N_SIZES = 12


def size_parameter(selector: Any) -> str:
    """The parameter that says how many columns a selector keeps."""
    parameters = selector.get_params(deep=False)
    for name in SIZE_PARAMETERS:
        if name in parameters:
            return name
    raise ValueError(
        f"{type(selector).__name__} has no parameter for the number of columns; one of "
        f"{', '.join(SIZE_PARAMETERS)} is needed."
    )


def with_size(selector: Any, k: int) -> Any:
    """A selector of the same kind that keeps `k` columns."""
    return clone(selector).set_params(**{size_parameter(selector): int(k)})


def _size_of(selector: Any) -> Any:
    """The number of columns that a selector is set to; ensembles have that of their selector."""
    parameters = selector.get_params(deep=False)
    size = parameters[size_parameter(selector)]
    if size is not None or "selector" not in parameters:
        return size
    inner = MRMR() if parameters["selector"] is None else parameters["selector"]
    return getattr(inner, "n_features_to_select", None)


def resolve_sizes(
    selector: Any, sizes: Any, n_features: int, parameter: str = "n_features"
) -> np.ndarray:
    """Numbers of columns to look at: those given, or some up to what the selector is set to."""
    if sizes is None:
        largest = _size_of(selector)
        if isinstance(largest, float):
            largest = resolve_share(largest, n_features)
        elif not isinstance(largest, Integral):
            largest = 20  # the selector decides by itself, or keeps all
        largest = min(int(largest), n_features)
        few = largest <= N_SIZES  # otherwise close together where curves bend, at the beginning
        chosen = np.arange(1, largest + 1) if few else np.rint(np.geomspace(1, largest, N_SIZES))
        least = min(n_included(selector), largest)
        chosen = chosen[chosen >= least]
    elif isinstance(sizes, Integral):
        chosen = np.arange(1, int(sizes) + 1)
    else:
        chosen = np.asarray(sizes)
    chosen = np.unique(chosen)
    if not chosen.size or chosen.dtype.kind not in "iuf" or (chosen != np.rint(chosen)).any():
        raise ValueError(f"{parameter} must be an integer or several; got {sizes!r}.")
    if chosen[0] < 1 or chosen[-1] > n_features:
        raise ValueError(
            f"{parameter} must lie between 1 and the {n_features} columns of the table; got "
            f"{sizes!r}."
        )
    return chosen.astype(np.int64)


def n_included(selector: Any) -> int:
    """How many columns a selector includes, so that it cannot select fewer."""
    include = choice_of(selector).get("include")
    named = np.empty(0) if include is None else np.asarray(include)
    return int(named.sum()) if named.dtype.kind == "b" else named.size


def selections_by_size(
    selector: Any, X: Any, y: Any, sizes: np.ndarray, weight: np.ndarray | None = None
) -> list[np.ndarray]:
    """The columns that a selector takes when it may take so many.

    Selectors that go on from a smaller selection are fitted once; the others for every size.
    """
    largest = fit_weighted(with_size(selector, sizes[-1]), X, y, weight)
    found = []
    for k in map(int, sizes):
        columns = largest.selection_of_size(k) if isinstance(largest, BaseSelector) else None
        if columns is None:
            smaller = with_size(selector, k)
            fitted = largest if k == sizes[-1] else fit_weighted(smaller, X, y, weight)
            columns = selected_columns(fitted)
        found.append(columns)
    return found


def selected_columns(selector: Any) -> np.ndarray:
    """Columns of a fitted selector, in order of selection where it has one."""
    if hasattr(selector, "indices_"):
        return selector.indices_
    return np.flatnonzero(selector.get_support())


def selections_of_samples(
    selector: Any,
    X: Any,
    y: Any,
    sizes: np.ndarray,
    *,
    n_resamples: int,
    subsample: float,
    random_state: Any,
    n_jobs: int | None,
) -> list[list[np.ndarray]]:
    """Selections of every size on random samples of the rows: a list for each sample."""
    rng = check_random_state(random_state)
    if get_tags(selector).target_tags.required:
        check_given(y, type(selector).__name__)
    n_rows = _n_rows(X, y)
    n_taken = max(2, round(subsample * n_rows))
    samples = [np.sort(rng.permutation(n_rows)[:n_taken]) for _ in range(n_resamples)]
    return Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(selections_by_size)(
            selector, take(X, rows), None if y is None else take(y, rows), sizes
        )
        for rows in samples
    )


def scores_by_size(
    selector: Any,
    X: Any,
    y: Any,
    sizes: np.ndarray,
    *,
    estimator: Any,
    cv: Any,
    scoring: Any,
    n_jobs: int | None,
    baseline: bool,
    groups: Any = None,
    weight: np.ndarray | None = None,
    receivers: Receivers | None = None,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Cross-validated scores (n_sizes, n_folds), selecting inside the folds; and of all columns.

    The selector, the model and the scorer get the weights of their rows, unless `receivers` says
    otherwise.
    """
    to = receivers or Receivers()
    n_rows = _n_rows(X, y)
    scorer = check_scoring(estimator, scoring=scoring)
    labels = np.asarray(y)
    folds = list_folds(cv, np.zeros(n_rows), labels, groups, classifier=is_classifier(estimator))

    def one_fold(train: np.ndarray, test: np.ndarray) -> list[float]:
        X_train, y_train = take(X, train), take(y, train)
        X_test, y_test = take(X, test), take(y, test)
        w_train, w_test = (None if weight is None else weight[rows] for rows in (train, test))
        of_selector, of_model = (w_train if each else None for each in (to.selector, to.estimator))
        of_scorer = w_test if to.scorer else None
        sets: list[Any] = selections_by_size(selector, X_train, y_train, sizes, of_selector)
        scores = []
        for columns in [*sets, None] if baseline else sets:
            if columns is not None and not columns.size:
                scores.append(np.nan)  # a selector that decides by itself may keep nothing
                continue
            some, tested = take(X_train, columns=columns), take(X_test, columns=columns)
            model = fit_weighted(clone(estimator), some, y_train, of_model, to.routed)
            scores.append(score_weighted(scorer, model, tested, y_test, of_scorer, to.routed))
        return scores

    scores = np.array(
        Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one_fold)(*fold) for fold in folds)
    ).T
    return (scores[:-1], scores[-1]) if baseline else (scores, None)


def scores_of_search(search: Any) -> np.ndarray:
    """The scores (n_sizes, n_folds) of a fitted `SelectorCV`."""
    results = search.cv_results_
    n_folds = sum(name.startswith("split") for name in results)
    return np.array([results[f"split{i}_test_score"] for i in range(n_folds)]).T


def _n_rows(X: Any, y: Any) -> int:
    """Rows of a table and its target, which must agree: samples are drawn of both."""
    n_rows = X.shape[0] if scipy.sparse.issparse(X) else read_columns(X, allow_missing=True).n_rows
    if y is not None and len(y) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(y)]}"
        )
    return n_rows


def target_kind(selector: Any) -> str:
    """How a selector that is told reads its target: "classes", "numeric", or "auto"."""
    return KIND_OF_TASK.get(str(getattr(selector, "task", "auto")), "auto")


def default_model(selector: Any, y: Any, X: Any = None) -> Any:
    """A linear model for a table of any kind.

    Text becomes a column for each of its levels, one of which may be that it is missing. Missing
    numbers become the mean.
    """
    kind, outputs = target_kind(selector), split_outputs(y)
    each = [
        make_target(one, len(one), kind=kind, warn_constant=False).kind == "classes"
        for one in ([y] if outputs is None else outputs)
    ]
    if any(each) != all(each):
        raise ValueError("The outputs of y are of different kinds; give an estimator for them.")
    classifier = LogisticRegression(max_iter=1000)
    model = classifier if outputs is None else MultiOutputClassifier(classifier)
    model = model if each[0] else Ridge()
    if scipy.sparse.issparse(X):  # centred columns would not be sparse
        imputer = SimpleImputer(keep_empty_features=True)
        return make_pipeline(imputer, StandardScaler(with_mean=False), model)
    return make_pipeline(
        FunctionTransformer(_cells),
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), _text_columns),
            remainder=make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()),
        ),
        model,
    )


def _cells(X: Any) -> np.ndarray:
    """Cells that models take: numbers, NaN, and text, which other categories become."""
    array = with_nan(as_array(X))
    if array.dtype.kind != "O":
        return array
    plain = (str, Number, np.bool_)
    for column in array.T:
        if not all(isinstance(cell, plain) for cell in column):
            column[:] = [cell if isinstance(cell, plain) else str(cell) for cell in column]
    return array


def _text_columns(array: np.ndarray) -> list[int]:
    if array.dtype.kind in "US":
        return list(range(array.shape[1]))
    if array.dtype.kind != "O":
        return []
    return [j for j, column in enumerate(array.T) if any(isinstance(v, str) for v in column)]

"""One page in HTML about a selection."""

from __future__ import annotations

import html
import os
import warnings
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from ensfs._utils.html import (
    MAX_NAME,
    bar,
    curve,
    heat_map,
    name_cell,
    safe,
    selection_values,
    table,
)
from ensfs._utils.interrupts import keeps_settings
from ensfs._utils.text import printable
from ensfs.data.frames import take
from ensfs.data.outputs import split_outputs
from ensfs.data.table import make_table
from ensfs.data.target import Target, check_given, make_target
from ensfs.evaluation.redundancy import redundancy_of_pairs, redundancy_tree
from ensfs.measures.stability import jaccard_stability, stability_if_defined
from ensfs.reporting.output import write_file
from ensfs.reporting.template import MEANINGS, SEARCH, page_of
from ensfs.selection._base import BaseSelector, PartSelector
from ensfs.selection._represented import Represented
from ensfs.selection.halves import has_halves
from ensfs.selection.part_ensembles import FastEnsemble
from ensfs.selection.size_curves import (
    default_model,
    resolve_sizes,
    scores_by_size,
    scores_of_search,
    size_parameter,
    target_kind,
)
from ensfs.training.contract import BlockedTable
from ensfs.training.estimator import choice_of

#: What is shown at most: selected columns, others, bars of frequency, columns of the map, classes.
MAX_SELECTED, MAX_OTHERS, MAX_BARS, MAX_MAP, MAX_CLASSES = 200, 500, 40, 40, 20

#: Rows of a table that does not scroll.
MAX_ROWS_IN_SIGHT = 30

#: Numbers of columns that a model is cross-validated on.
MAX_SIZES = 8

#: Characters of the settings of a selector.
MAX_SETTINGS = 2000

#: A single selector is run on so many parts to tell how stable it is.
N_PARTS = 10

#: What the stability of parts tells, and what it does not.
SHARED_ROWS = (
    "The parts share most of their rows, so their stability is higher than that of selections from "
    "new data."
)
HALVES = (
    "The parts are halves of the rows, in pairs without a common row: their stability is about "
    "that of selections from new data with half as many rows."
)

#: All columns are compared with the selected ones if the table has no more cells than this.
BASELINE_CELLS = 2_000_000


@keeps_settings
def report(selector: Any, X: Any, y: Any = None, path: str | os.PathLike[str] | None = None) -> str:
    """Write a page about a selection: the data, the columns with reasons, stability, accuracy.

    The page is one HTML file without anything from elsewhere; names from the data are shown as
    text, whatever they hold. Its tables can be sorted and searched. It shows

    - what the table and its target hold;
    - the selected columns with the reasons of `explain` and the columns that each of them stands
      for, and the best of those left out;
    - how often each column is selected on leave-one-fold-out parts, and the stability of that;
    - the redundancy of the selected columns with one another, similar ones side by side;
    - the cross-validated accuracy of a linear model against the number of columns, which are
      selected anew in every fold.

    Parameters
    ----------
    selector : selector
        A fitted selector of this library.
    X : array-like, data frame or RowBlocks of shape (n_samples, n_features)
        The table it was fitted on. The redundancy and the accuracy of blocks are not shown.
    y : array-like of shape (n_samples,), optional
        The target; None for row blocks, which bring their own, and for selectors that need none.
        Without a target there is no accuracy.
    path : str or path, optional
        Where to write the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> import ensfs
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> page = ensfs.report(ensfs.MRMR(4).fit(X, y), X, y)
    >>> page[:15], "flavanoids" in page
    ('<!DOCTYPE html>', True)
    """
    if not isinstance(selector, BaseSelector):
        raise TypeError(f"report() needs a fitted ensfs selector; got {type(selector).__name__}.")
    check_is_fitted(selector, "support_")
    data = _Data(selector, X, y)
    sections = [
        ("Data", _about_data(data)),
        (
            f"Selected columns: {selector.indices_.size:,} of {data.n_features:,}",
            _reasons(selector, data),
        ),
        ("Frequency and stability", _stability(selector, data)),
        ("Redundancy of the selected columns", _map(selector, data)),
        ("Accuracy against the number of columns", _accuracy(selector, data)),
    ]
    body = "".join(f"<section><h2>{safe(title)}</h2>{text}</section>" for title, text in sections)
    name = type(selector).__name__
    page = page_of(
        f"{name}: feature selection", f"Feature selection by {name}", _settings(selector) + body
    )
    if path is not None:
        write_file(path, page)
    return page


class _Data:
    """The table and its target, as far as the sections need them."""

    def __init__(self, selector: Any, X: Any, y: Any):
        self.X, self.y = X, y
        self.blocks = isinstance(X, BlockedTable)
        if isinstance(X, BlockedTable):
            if y is not None:
                raise ValueError("y must be None for row blocks: each block brings its own target.")
            data = X.make_data(discrete_features="auto")
            self.n_rows, self.n_features = data.n_rows, data.n_features
            self.discrete, self.y = data.discrete, data.y
        else:
            if selector.__sklearn_tags__().target_tags.required:
                check_given(y, "report")
            read = make_table(X, allow_missing=True, **choice_of(selector))
            self.n_rows, self.discrete = read.n_rows, read.discrete
            self.n_features = read.variables.n_columns
        if self.n_features != selector.n_features_in_:
            raise ValueError(
                f"X has {self.n_features} columns, but {type(selector).__name__} was fitted on "
                f"{selector.n_features_in_}."
            )
        self.target: Target | None = None
        if self.y is not None and split_outputs(self.y) is None:
            kind = target_kind(selector)
            self.target = make_target(self.y, self.n_rows, kind=kind, warn_constant=False)


def _settings(selector: Any) -> str:
    lines = repr(selector)[:MAX_SETTINGS].splitlines()
    short = "<pre>" + "\n".join(html.escape(printable(line)) for line in lines) + "</pre>"
    every = [
        [name, " ".join(repr(value).split())[:MAX_NAME]]
        for name, value in sorted(selector.get_params().items())
    ]
    table_of_all = table(["parameter", "value"], every)
    return f"{short}<details><summary>All settings</summary>{table_of_all}</details>"


def _about_data(data: _Data) -> str:
    n_discrete = int(data.discrete.sum())
    rows: list[list[Any]] = [
        ["rows", int(data.n_rows)],
        ["columns", int(data.n_features)],
        ["with continuous values", int(data.discrete.size) - n_discrete],
        ["with discrete values", n_discrete],
    ]
    target = data.target
    if target is None:
        return table(["", ""], rows)
    if target.kind == "classes":
        rows.append(["classes of the target", len(target.classes)])
        counts = np.bincount(target.codes)
        most = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
        classes = [
            [str(target.classes[c]), bar(float(counts[c]), float(counts.max())), int(counts[c])]
            for c in most
        ]
        more = _more(len(target.classes) - len(classes), "classes")
        return table(["", ""], rows) + table(["class", "", "rows"], classes) + more
    values = target.values
    for name, value in (
        ("least", values.min()),
        ("mean", values.mean()),
        ("largest", values.max()),
    ):
        rows.append([f"target: {name} value", float(value)])
    return table(["", ""], rows)


def _more(n: int, what: str) -> str:
    return f'<p class="quiet">… and {int(n):,} more {what}</p>' if n > 0 else ""


def _reasons(selector: Any, data: _Data) -> str:
    """What `explain` says of the selected columns, and of the best of the others."""
    reasons = selector.explain()
    n_selected = int(selector.indices_.size)
    text = "<p>Nothing was selected.</p>"
    heading, values = selection_values(selector)
    headings = _headings(reasons, heading)
    if n_selected:
        finite = values[selector.indices_][np.isfinite(values[selector.indices_])]
        largest = 1.0 if heading == "frequency" else float(finite.max(initial=0.0))
        also = _also(selector, data)
        rows = [
            [
                row["rank"], name_cell(row["feature"]),
                bar(float(values[j]), largest, 100, written=True),
                *(row[h] for h in headings), *(() if also is None else (also[i],)),
            ]
            for i, (row, j) in enumerate(
                zip(reasons[:MAX_SELECTED], selector.indices_, strict=False)
            )
        ]  # fmt: skip
        names = ["rank", "column", heading, *headings, *(() if also is None else ("also",))]
        text = SEARCH + _long(names, rows) + _more(n_selected - len(rows), "selected columns")
    others = reasons[n_selected : n_selected + MAX_OTHERS]
    if len(others):
        shown = _headings(reasons)
        rows = [[name_cell(row["feature"]), *(row[h] for h in shown)] for row in others]
        text += "<h3>The best of those left out</h3>" + _long(["column", *shown], rows)
        text += _more(len(reasons) - n_selected - len(others), "columns")
    return text


def _long(headings: list[str], rows: list[list[Any]]) -> str:
    """A table to sort, which scrolls if it is long."""
    text = table(headings, rows, sortable=True, meanings=MEANINGS)
    return f'<div class="long">{text}</div>' if len(rows) > MAX_ROWS_IN_SIGHT else text


def _also(selector: Any, data: _Data) -> list[str] | None:
    """The columns that each selected column stands for, if any stands for one."""
    if data.blocks:
        return None
    found = Represented.of(selector, data.X)
    texts = [found.also(place) or "" for place in range(len(found.groups))]
    return texts if any(texts) else None


def _headings(reasons: Any, shown: str | None = None) -> list[str]:
    """The headings of the reasons that are not shown in another way."""
    return [h for h in reasons.columns if h not in ("feature", "selected", "rank", shown)]


def _stability(selector: Any, data: _Data) -> str:
    """Selection frequencies over parts of the rows, and how far the parts agree."""
    p, text = data.n_features, ""
    parts = getattr(selector, "part_selections_", None)
    if parts is None:
        n_parts = min(N_PARTS, data.n_rows)
        if n_parts < 2 or (data.blocks and not isinstance(selector, PartSelector)):
            return "<p>This selector cannot be run on parts of this table.</p>"
        parts = _select_on_parts(selector, data, n_parts)
        text = (
            f"<p>The same selector was run on {n_parts} parts of the rows, each without one "
            f"fold of {n_parts}. {SHARED_ROWS}</p>"
        )
    else:
        text = f"<p>{HALVES if has_halves(selector) else SHARED_ROWS}</p>"
    total = sum(len(columns) for columns in parts)
    rows: list[list[Any]] = [["parts", len(parts)], *_error_control(selector)]
    stability = stability_if_defined(parts, p)
    if stability is not None:
        low, high = stability.confidence_interval()
        interval = f"{stability.stability:.3f} (95 %: {low:.3f} to {min(high, 1.0):.3f})"
        rows.append(["stability (Nogueira; 1: always the same, 0: as by chance)", interval])
    if total:
        rows.append(["mean Jaccard index of two parts", round(float(jaccard_stability(parts)), 3)])
    text += table(["", ""], rows)
    if hasattr(selector, "selection_frequency_"):
        return text  # the table of the columns has it
    return text + _frequencies(selector, parts, p)


def _frequencies(selector: Any, parts: Any, p: int) -> str:
    """How often parts of the rows select each column."""
    votes = np.bincount(np.concatenate(list(parts)).astype(np.int64), minlength=p)
    frequency = votes / len(parts)
    often = np.argsort(-frequency, kind="stable")
    often = often[frequency[often] > 0]
    bars = [
        [
            name_cell(selector._name(int(j))),
            bar(float(frequency[j]), 1.0, 240),
            f"{100 * frequency[j]:.0f} %",
            "selected" if selector.support_[j] else "",
        ]
        for j in often[:MAX_BARS]
    ]
    text = table(["column", "share of the parts that select it", "", ""], bars)
    return text + _more(int(often.size) - len(bars), "columns that some part selected")


def _error_control(selector: Any) -> list[list[Any]]:
    """Threshold and bound of a stability selection."""
    if not hasattr(selector, "error_bound_"):
        return []
    return [
        ["threshold: share of the halves from which on a column is selected", selector.threshold_],
        ["expected number of columns selected by mistake, at most", selector.error_bound_],
    ]


def _select_on_parts(selector: Any, data: _Data, n_parts: int) -> Any:
    """Columns that a selector takes on all rows but one fold, for every fold."""
    with warnings.catch_warnings():  # the fit of the user has said it all
        warnings.simplefilter("ignore")
        if isinstance(selector, PartSelector):
            alone = clone(selector).set_params(verbose=0)
            ensemble = FastEnsemble(alone, n_parts=n_parts)
            return ensemble.fit(data.X, None if data.blocks else data.y).part_selections_
        quiet = {name: 0 for name in selector.get_params() if name.endswith("verbose")}
        fold = np.arange(data.n_rows) % n_parts
        rows = [np.nonzero(fold != t)[0] for t in range(n_parts)]
        return [
            clone(selector)
            .set_params(**quiet)
            .fit(take(data.X, r), None if data.y is None else take(data.y, r))
            .indices_
            for r in rows
        ]


def _map(selector: Any, data: _Data) -> str:
    if data.blocks:
        return "<p>Not shown for a table in blocks.</p>"
    columns = selector.indices_[:MAX_MAP]
    if columns.size < 2:
        return "<p>It takes two selected columns to be redundant.</p>"
    values, measure = redundancy_of_pairs(take(data.X, columns=columns))
    tree = redundancy_tree(values)
    order = np.arange(columns.size) if tree is None else leaves_list(tree)
    names = [selector._name(int(j)) for j in columns]
    what = {"pearson": "absolute correlation"}.get(measure, measure.replace("_", " "))
    return (
        f"<p>{safe(what[0].upper() + what[1:])} of each pair; similar columns stand side by side, "
        "with their place in the order of selection.</p>"
        + heat_map(names, values, [int(i) for i in order], what)
        + _more(int(selector.indices_.size - columns.size), "selected columns")
    )


def _accuracy(selector: Any, data: _Data) -> str:
    """Cross-validated accuracy of a linear model for some numbers of columns."""
    if hasattr(selector, "cv_results_"):
        return _searched(selector)
    if data.blocks:
        return "<p>Not shown for a table in blocks.</p>"
    if data.target is None:
        several = data.y is not None
        return f"<p>There is no {'single ' if several else ''}target to predict.</p>"
    chosen = clone(selector)
    try:
        size_parameter(chosen)
    except ValueError:
        return "<p>This selector has no parameter for the number of columns.</p>"
    classes = data.target.kind == "classes"
    smallest = int(np.bincount(data.target.codes).min()) if classes else data.n_rows // 3
    folds = min(5, smallest)
    if folds < 2 or data.target.constant:
        return "<p>There are too few rows of some class for a cross-validation.</p>"
    chosen.set_params(**{name: 0 for name in chosen.get_params() if name.endswith("verbose")})
    sizes = resolve_sizes(chosen, None, data.discrete.size)
    sizes = sizes[np.unique(np.linspace(0, sizes.size - 1, MAX_SIZES).astype(int))]
    baseline = data.n_rows * data.n_features <= BASELINE_CELLS
    # many small models: threads of a BLAS would only wait for each other
    with warnings.catch_warnings(), threadpool_limits(1, "blas"):
        warnings.simplefilter("ignore")  # constant targets in folds, models that do not converge
        scores, whole = scores_by_size(
            chosen, data.X, data.y, sizes, estimator=default_model(selector, data.y), cv=folds,
            scoring=None, n_jobs=None, baseline=baseline,
        )  # fmt: skip
        middle, spread = np.nanmean(scores, axis=1), np.nanstd(scores, axis=1)
    if not np.isfinite(middle).any():
        return "<p>Nothing was selected in the folds.</p>"
    what = "accuracy" if classes else "R²"
    reference = float(np.mean(whole)) if whole is not None else None
    model = "logistic regression" if classes else "ridge regression"
    text = (
        f"<p>Mean {what} of a {model} in {folds}-fold cross-validation, with the standard "
        "deviation over the folds; the columns are selected from the training rows of each fold."
    )
    if reference is not None:
        text += f" Dashed: all columns ({reference:.3f})."
    picture = curve(
        sizes, middle, spread, x_title="number of selected columns", y_title=what,
        reference=reference,
    )  # fmt: skip
    return f"{text}</p>{picture}"


def _searched(search: Any) -> str:
    """The scores by which a search chose the number of columns."""
    scores = scores_of_search(search)
    rule = "is the best" if search.rule == "best" else "is within one standard error of the best"
    text = (
        f"<p>Mean score of the model in {scores.shape[1]} folds, with the standard deviation over "
        "the folds; the columns are selected from the training rows of each fold. "
        f"{int(search.n_features_):,} columns were chosen: the smallest number whose mean {rule}."
    )
    picture = curve(
        search.cv_results_["size"], scores.mean(axis=1), scores.std(axis=1),
        x_title="number of selected columns", y_title="score",
    )  # fmt: skip
    return f"{text}</p>{picture}"

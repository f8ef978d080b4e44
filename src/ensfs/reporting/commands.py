"""The commands ``ensfs select`` and ``ensfs compare``."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

from sklearn.base import clone
from threadpoolctl import threadpool_limits

import ensfs
from ensfs._utils.text import one_line
from ensfs.data.files import FileTable, read_table
from ensfs.data.sparse_files import LABEL, brings_target, is_sparse
from ensfs.evaluation.comparison import SelectorComparison, compare_selectors
from ensfs.measures.stability import jaccard_stability, stability_if_defined
from ensfs.reporting.arguments import COMPARED, parse_method
from ensfs.reporting.cluster import cluster_of, run_of, table_on_cluster
from ensfs.reporting.methods import check_target, fit, make_selector
from ensfs.reporting.output import Output, UsageError, say
from ensfs.reporting.page import report
from ensfs.selection._base import BaseSelector


def select(options: argparse.Namespace) -> Output:
    """``ensfs select``."""
    with cluster_of(options):
        return _select(options)


def _select(options: argparse.Namespace) -> Output:
    if options.report and is_sparse(Path(options.data)):
        raise UsageError("--report needs a dense table: leave it out for a sparse file.")
    if options.report and options.weights:
        raise UsageError("--report does not show weights: leave one of --report and --weights out.")
    name, selector = options.method.text, make_selector(options.method)
    check_target(_targets(options), {name: selector})
    table = _read(options)
    selector = fit(name, selector, table, options)
    result = _result(name, selector)
    rows = result["columns"]
    headings = list(rows[0]) if rows else ["rank", "feature"]
    output = Output(spreadsheet=options.spreadsheet)
    output.add_table(headings, _cells(rows, headings))
    output.add_json(options.json, {**_about(options, table), "result": result})
    if options.report:
        output.add_file(options.report, report(selector, table.X, table.y))
    return output


def compare(options: argparse.Namespace) -> Output:
    """``ensfs compare``."""
    with cluster_of(options):
        return _compare(options)


def _compare(options: argparse.Namespace) -> Output:
    chosen = options.methods or [parse_method(name) for name in COMPARED]
    selectors = {method.text: make_selector(method) for method in chosen}
    check_target(_targets(options), selectors)
    table = _read(options)
    fitted = _fit_all(selectors, table, options)
    results = [_result(name, selector) for name, selector in fitted.items()]
    comparison = _cross_validate(fitted, table, options)
    if comparison is not None:
        results = [_with_scores(each, comparison) for each in results]
    score = [] if comparison is None else [comparison.score_name, "sd"]
    headings = ["method", "selected", *score, "stability", "jaccard"]
    output = Output(spreadsheet=options.spreadsheet)
    output.add_table(["feature", "methods", *fitted], _agreement(fitted))
    output.add_table(headings, _cells(results, headings))
    output.add_json(options.json, {**_about(options, table), "results": results})
    return output


COMMANDS = {"select": select, "compare": compare}


def _cross_validate(
    fitted: dict[str, BaseSelector], table: FileTable, options: argparse.Namespace
) -> SelectorComparison | None:
    """A linear model on the columns that each method selects from halves of the rows."""
    if options.no_accuracy or table.y is None or table.blocks is not None:
        return None
    if table.weight is not None:
        say("warning: no accuracy: halves of the rows are not drawn by --weights.")
        return None
    if is_sparse(Path(options.data)):
        say("warning: no accuracy: the linear model needs a dense table.")
        return None
    selectors = {name: _quiet(selector) for name, selector in fitted.items()}
    try:
        with threadpool_limits(1, "blas"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fits on all rows have said it
            return compare_selectors(selectors, table.X, table.y, baseline=False)
    except ValueError as error:
        say(f"warning: no accuracy: {error}")
        return None


def _quiet(selector: BaseSelector) -> BaseSelector:
    """The selector as it was before the fit, without progress."""
    selector = clone(selector)
    quiet = {name: 0 for name in selector.get_params() if name.endswith("verbose")}
    return selector.set_params(**quiet)


def _with_scores(result: dict[str, Any], comparison: SelectorComparison) -> dict[str, Any]:
    """The result of a method with its score; its stability on halves if it was run on no parts."""
    i = comparison.names.index(result["method"])
    scores, stability = comparison.scores[i], comparison.stability[i]
    added = {comparison.score_name: float(scores.mean()), "sd": float(scores.std(ddof=1))}
    if result["stability"] is None and stability is not None:
        added["stability"] = stability.stability
        added["jaccard"] = jaccard_stability(list(comparison.selections[i]))
    return result | added


def _fit_all(
    selectors: dict[str, BaseSelector], table: FileTable, options: argparse.Namespace
) -> dict[str, BaseSelector]:
    """The fitted selectors; without --method, those that fail are left out with a warning."""
    fitted = {}
    for name, selector in selectors.items():
        try:
            fitted[name] = fit(name, selector, table, options)
        except UsageError as error:
            if options.methods:
                raise
            say(f"warning: left out: {error}")
    if not fitted:
        raise UsageError("No method can be used with this table.")
    return fitted


def _targets(options: argparse.Namespace) -> list[str] | None:
    """The names of the targets, one of which may be in the file already."""
    return options.target or ([LABEL] if brings_target(Path(options.data)) else None)


def _read(options: argparse.Namespace) -> FileTable:
    first, *others = options.target or [None]
    table = read_table(
        options.data, first, drop=options.drop, missing=options.missing,
        block_rows=options.block_rows, weights=options.weights, run=run_of(options),
    )  # fmt: skip
    if options.scheduler is not None:
        table.X = table_on_cluster(table.blocks)
        return table
    if others:
        table = table.with_more_targets(others)
    if table.blocks is not None:
        table.X = ensfs.RowBlocks(table.blocks)
    return table


def _cells(rows: list[dict[str, Any]], headings: list[str]) -> list[list[Any]]:
    return [[row[heading] for heading in headings] for row in rows]


def _row(reasons: Any) -> dict[str, Any]:
    """The reasons of `explain` for a selected column, its rank first."""
    rest = {key: value for key, value in reasons.items() if key not in ("rank", "selected")}
    return {"rank": reasons["rank"], **rest}


def _agreement(selectors: dict[str, BaseSelector]) -> list[list[Any]]:
    """Columns that any method selected, with their rank in each; the most agreed on first."""
    ranks = [{int(j): r for r, j in enumerate(s.indices_, 1)} for s in selectors.values()]
    columns = set().union(*ranks)
    votes = {j: [of_method.get(j) for of_method in ranks] for j in columns}

    def order(j: int) -> tuple[Any, ...]:
        places = [place for place in votes[j] if place is not None]
        return -len(places), sum(places), j

    first = next(iter(selectors.values()))
    return [
        [first._name(j), sum(p is not None for p in votes[j]), *votes[j]]
        for j in sorted(columns, key=order)
    ]


def _result(name: str, selector: BaseSelector) -> dict[str, Any]:
    """The selected columns of one fitted method with their reasons, and the stability of parts."""
    parts = getattr(selector, "part_selections_", None)
    result: dict[str, Any] = {"method": name, "selector": one_line(repr(selector))}
    result["selected"] = int(selector.indices_.size)
    result["columns"] = [_row(selector.explain(int(j))[0]) for j in selector.indices_]
    result |= {"stability": None, "jaccard": None}
    if parts is not None and len(parts) > 1:
        stability = stability_if_defined(parts, selector.n_features_in_)
        result["stability"] = None if stability is None else stability.stability
        result["jaccard"] = jaccard_stability(parts)
    return result


def _about(options: argparse.Namespace, table: FileTable) -> dict[str, Any]:
    return {
        "ensfs": ensfs.__version__,
        "data": options.data,
        "target": table.target,
        **({} if options.weights is None else {"weights": options.weights}),
        "n_rows": table.n_rows,
        "n_columns": len(table.names),
    }

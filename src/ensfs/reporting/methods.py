"""Selectors by the names that the command line has for them."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import ensfs
from ensfs.data.files import FileTable
from ensfs.independence import TESTS, make_test
from ensfs.reporting.arguments import Method
from ensfs.reporting.output import UsageError
from ensfs.selection._base import BaseSelector, PartSelector
from ensfs.training.weighted_fit import fit_weighted


def methods() -> dict[str, type[BaseSelector]]:
    """The selectors that can be named: all public ones that need no other selector."""
    public = {name: getattr(ensfs, name) for name in ensfs.__all__}
    return {
        name.lower(): each
        for name, each in public.items()
        if inspect.isclass(each)
        and issubclass(each, BaseSelector)
        and "selector" not in inspect.signature(each).parameters
    }


def make_selector(method: Method) -> BaseSelector:
    """The selector of a method, with its settings."""
    known = methods()
    if method.name not in known:
        raise UsageError(f"unknown method {method.name!r}; there are {', '.join(known)}.")
    selector = known[method.name]()
    settings = dict(method.settings)
    test = settings.get("test")
    if "test" in selector.get_params() and isinstance(test, str) and test in TESTS:
        # the object has parameters of its own, such as test__df
        selector.set_params(test=make_test(settings.pop("test")))
    for parameter in settings:
        if parameter not in selector.get_params():
            there = ", ".join(sorted(selector.get_params(deep=False)))
            raise UsageError(
                f"method {method.name} has no parameter {parameter!r}; it has {there}."
            )
    return selector.set_params(**settings)


def check_target(targets: list[str] | None, selectors: dict[str, BaseSelector]) -> None:
    """Raise an error if there is no target and a method needs one, or more than it takes."""
    for name, selector in selectors.items():
        if targets is not None:
            if len(targets) > 1 and not selector.__sklearn_tags__().target_tags.multi_output:
                raise UsageError(f"--target: method {name} takes one target; run it once for each.")
            continue
        if selector.__sklearn_tags__().target_tags.required:
            raise UsageError(
                f"--target is required: method {name} selects columns that predict it."
            )


def fit(name: str, selector: BaseSelector, table: FileTable, options: Any) -> BaseSelector:
    """Fit the selector; errors are prefixed with the method and the target."""
    selector = _with_options(name, selector, table, options)
    try:
        return fit_weighted(selector, table.X, table.y, table.weight)
    except (ValueError, TypeError) as error:
        target = "" if table.target is None else f" with target {table.target!r}"
        raise UsageError(f"{name}{target}: {error}") from error


def _with_options(
    name: str, selector: BaseSelector, table: FileTable, options: Any
) -> BaseSelector:
    """The selector with the options of the command line."""
    parameters = selector.get_params(deep=False)
    if options.k is not None:
        if "n_features_to_select" not in parameters:
            raise UsageError(f"-k: method {name} decides by itself how many columns it selects.")
        selector.set_params(n_features_to_select=options.k)
    if options.missing not in ("auto", "rows", "columns"):
        if "missing" not in parameters:
            raise UsageError(f"--missing: method {name} does not know what to make of them.")
        selector.set_params(missing=options.missing)
    groups = None if options.groups is None else dict(options.groups)
    if groups is not None and "feature_groups" not in parameters:
        raise UsageError(f"--group: method {name} does not put columns together.")
    if groups is not None:
        groups = {group: table.positions(names) for group, names in groups.items()}
    excluded = [*(options.exclude or []), *table.unused] or None
    chosen = {
        "include": table.positions(options.include), "exclude": table.positions(excluded),
        "feature_groups": groups,
    }  # fmt: skip
    selector.set_params(**{each: v for each, v in chosen.items() if v is not None})
    if options.parts is not None:
        if not isinstance(selector, PartSelector):
            raise UsageError(f"--parts: method {name} cannot be run on parts.")
        selector = ensfs.FastEnsemble(selector, n_parts=options.parts)
    if options.pairs is not None:
        selector = ensfs.StabilitySelector(selector, n_pairs=options.pairs)
    shared = {"n_jobs": options.n_jobs, "verbose": _verbosity(options)}
    there = selector.get_params(deep=False)
    return selector.set_params(**{name: v for name, v in shared.items() if name in there})


def _verbosity(options: Any) -> int:
    """Progress on a terminal or on request; a pipe gets warnings and errors only."""
    return int(not options.quiet and (options.verbose or sys.stderr.isatty()))

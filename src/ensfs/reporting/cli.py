"""The command line: select the columns of a file, or compare methods on it."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import math
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import ensfs
from ensfs._utils.html import printable
from ensfs.data.files import FileTable, read_table
from ensfs.evaluation import jaccard_stability, nogueira_stability
from ensfs.selection._base import BaseSelector, PartSelector

#: Exit codes: bad arguments or data, Ctrl-C, and a reader of our output that went away.
BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

#: What `compare` looks at when no methods are named.
COMPARED = ("mrmr", "fcbf", "cfs", "cmim", "jmi")

DATA_HELP = "CSV, TSV or ARFF (each also .gz), Parquet or Feather file with names of columns"


class UsageError(ValueError):
    """Arguments that do not fit the data or each other; the message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Report bad arguments."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {_one_line(message)} (see {self.prog} --help)\n")


def make_parser() -> Parser:
    """The arguments of the command."""
    parser = Parser(
        prog="ensfs",
        description="Select features of a table, and say why.",
        epilog="Results go to standard output (tab-separated in a pipe), all else to standard "
        "error. Exit codes: 0 done, 2 bad arguments or data, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"ensfs {ensfs.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)

    select = commands.add_parser("select", help="select columns with one method")
    _add_data(select)
    select.add_argument(
        "--method",
        default="mrmr",
        type=_method,
        metavar="NAME[:PARAM=VALUE,...]",
        help=f"one of {', '.join(methods())}; parameters as in Python, for example "
        "mrmr:scheme=MIQ or fcbf:threshold=0.05 (default: mrmr)",
    )
    select.add_argument("--report", metavar="OUT.html", help="write a page with the whole result")

    compare = commands.add_parser("compare", help="several methods side by side")
    _add_data(compare)
    compare.add_argument(
        "--methods",
        nargs="+",
        type=_method,
        metavar="NAME[:PARAM=VALUE,...]",
        help=f"as --method of select (default: {' '.join(COMPARED)})",
    )
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    parser.add_argument(
        "--target", metavar="NAME", help="column to predict; only clustering methods need none"
    )
    parser.add_argument(
        "-k",
        type=_count_or_share,
        metavar="N",
        help="how many columns, or a share such as 0.1 (default: as the method has it)",
    )
    parser.add_argument(
        "--parts",
        type=_parts,
        metavar="N",
        help="run the method on N leave-one-fold-out parts and let them vote",
    )
    parser.add_argument("--json", metavar="OUT.json", help="write all results; - is the output")
    parser.add_argument(
        "--drop", nargs="+", default=[], metavar="NAME", help="columns to leave out"
    )
    parser.add_argument(
        "--missing",
        choices=["error", "rows", "columns"],
        default="error",
        help="leave out rows or columns with missing values (default: error)",
    )
    parser.add_argument(
        "--block-rows",
        type=_positive,
        metavar="N",
        help="read Parquet in blocks of N rows (default: only if it is large for the memory)",
    )
    parser.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1: all cores")
    talk = parser.add_mutually_exclusive_group()
    talk.add_argument("-q", "--quiet", action="store_true", help="no progress")
    talk.add_argument("-v", "--verbose", action="store_true", help="progress, also into a file")


# ------------------------------------------------------------------ arguments


def methods() -> dict[str, type[BaseSelector]]:
    """The selectors that can be named: all public ones that need no other selector."""
    public = {name: getattr(ensfs, name) for name in ensfs.__all__}
    return {
        name.lower(): c
        for name, c in public.items()
        if inspect.isclass(c)
        and issubclass(c, BaseSelector)
        and "selector" not in inspect.signature(c).parameters
    }


def _method(text: str) -> tuple[str, BaseSelector]:
    """A selector from ``name:param=value,...``, with the text as its name."""
    name, _, settings = text.partition(":")
    known = methods()
    if name.lower() not in known:
        raise argparse.ArgumentTypeError(f"unknown method {name!r}; there are {', '.join(known)}")
    selector = known[name.lower()]()
    for setting in filter(None, settings.split(",")):
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"{setting!r} in {text!r} is not PARAM=VALUE")
        if parameter not in selector.get_params():
            there = ", ".join(sorted(selector.get_params(deep=False)))
            raise argparse.ArgumentTypeError(
                f"method {name} has no parameter {parameter!r}; it has {there}"
            )
        selector.set_params(**{parameter: _value(value)})
    return text, selector


def _value(text: str) -> Any:
    """A Python number, boolean or None, otherwise the text."""
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text, text))
    except (ValueError, SyntaxError):
        return text


def _count_or_share(text: str) -> int | float:
    value = _value(text)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if isinstance(value, float) and 0 < value <= 1:
        return value
    raise argparse.ArgumentTypeError(f"a whole number from 1 or a share in (0, 1]; got {text!r}")


def _positive(text: str) -> int:
    value = _value(text)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise argparse.ArgumentTypeError(f"a whole number from 1; got {text!r}")


def _parts(text: str) -> int:
    value = _positive(text)
    if value < 2:
        raise argparse.ArgumentTypeError(f"at least 2 parts; got {text!r}")
    return value


# ------------------------------------------------------------------ commands


def prepared(method: tuple[str, BaseSelector], table: FileTable, options: Any) -> BaseSelector:
    """A selector with the options of the command line."""
    name, selector = method
    parameters = selector.get_params(deep=False)
    if options.k is not None:
        if "n_features_to_select" not in parameters:
            raise UsageError(f"-k: method {name} decides by itself how many columns it selects.")
        selector.set_params(n_features_to_select=options.k)
    if table.discrete is not None and parameters.get("discrete_features") == "auto":
        selector.set_params(discrete_features=np.nonzero(table.discrete)[0])
    if options.parts is not None:
        if not isinstance(selector, PartSelector):
            raise UsageError(f"--parts: method {name} cannot be run on parts.")
        selector = ensfs.FastEnsemble(selector, n_parts=options.parts)
    shared = {"n_jobs": options.n_jobs, "verbose": _verbosity(options)}
    there = selector.get_params(deep=False)
    return selector.set_params(**{name: v for name, v in shared.items() if name in there})


def fitted(method: tuple[str, BaseSelector], table: FileTable, options: Any) -> BaseSelector:
    """The selector after its fit; what it says against the data names the method and the target."""
    selector = prepared(method, table, options)
    try:
        return selector.fit(table.X, table.y)
    except (ValueError, TypeError) as error:
        target = "" if table.target is None else f" with target {table.target!r}"
        raise UsageError(f"{method[0]}{target}: {error}") from error


def _verbosity(options: Any) -> int:
    """Progress on a terminal or on demand: a pipe gets nothing but what is wrong."""
    return int(not options.quiet and (options.verbose or sys.stderr.isatty()))


def select(options: argparse.Namespace) -> Output:
    """``ensfs select``."""
    _check_writable(options.json, options.report)
    _check_target(options, [options.method])
    table = _read(options)
    selector = fitted(options.method, table, options)
    rows = [_row(selector.explain(int(j))[0]) for j in selector.indices_]
    headings = list(rows[0]) if rows else ["rank", "feature"]
    output = Output()
    output.add_table(headings, [[row[h] for h in headings] for row in rows])
    output.add_json(
        options.json,
        {**_about(options, table), "result": _result(options.method[0], selector, rows)},
    )
    if options.report:
        page = ensfs.report(selector, table.X, table.y, None)
        output.add_file(options.report, page)
    return output


def compare(options: argparse.Namespace) -> Output:
    """``ensfs compare``."""
    _check_writable(options.json)
    chosen = options.methods or [_method(name) for name in COMPARED]
    _check_target(options, chosen)
    table = _read(options)
    names = [name for name, _ in chosen]
    if len(set(names)) < len(names):
        raise UsageError("--methods: each method can be named once.")
    selectors: dict[str, BaseSelector] = {}
    for method in chosen:
        try:
            selectors[method[0]] = fitted(method, table, options)
        except UsageError as error:
            if options.methods:
                raise
            _say(f"warning: left out: {error}")
    if not selectors:
        raise UsageError("none of the methods can be used with this table.")
    output = Output()
    output.add_table(["feature", "methods", *selectors], _agreement(selectors))
    results = [
        _result(name, selector, [_row(selector.explain(int(j))[0]) for j in selector.indices_])
        for name, selector in selectors.items()
    ]
    headings = ["method", "selected", "stability", "jaccard"]
    output.add_table(headings, [[result[h] for h in headings] for result in results])
    output.add_json(options.json, {**_about(options, table), "results": results})
    return output


COMMANDS = {"select": select, "compare": compare}


def _check_target(options: argparse.Namespace, chosen: list[tuple[str, BaseSelector]]) -> None:
    """Only methods that learn without a target can do without ``--target``."""
    if options.target is not None:
        return
    for name, selector in chosen:
        if selector.__sklearn_tags__().target_tags.required:
            raise UsageError(
                f"--target is required: method {name} selects columns that predict it."
            )


def _read(options: argparse.Namespace) -> FileTable:
    return read_table(
        options.data, options.target, drop=options.drop, missing=options.missing,
        block_rows=options.block_rows,
    )  # fmt: skip


def _row(reasons: Any) -> dict[str, Any]:
    """What `explain` says of a selected column, its rank first."""
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


def _result(name: str, selector: BaseSelector, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """All that is known of one fitted method."""
    parts = getattr(selector, "part_selections_", None)
    result: dict[str, Any] = {"method": name, "selector": _one_line(repr(selector))}
    result |= {"selected": int(selector.indices_.size), "columns": rows}
    result |= {"stability": None, "jaccard": None}
    if parts is not None and len(parts) > 1:
        with warnings.catch_warnings():  # a stability that is not defined is written as null
            warnings.simplefilter("ignore")
            stability = nogueira_stability(parts, n_features=selector.n_features_in_)
        result["stability"] = float(stability.stability)
        result["jaccard"] = float(jaccard_stability(parts))
    return result


def _about(options: argparse.Namespace, table: FileTable) -> dict[str, Any]:
    return {
        "ensfs": ensfs.__version__,
        "data": options.data,
        "target": table.target,
        "n_rows": table.n_rows,
        "n_columns": len(table.names),
    }


# ------------------------------------------------------------------ output


class Output:
    """What a command writes, kept until all of it is there."""

    def __init__(self) -> None:
        self.tables: list[tuple[list[str], list[list[Any]]]] = []
        self.files: list[tuple[Path, str]] = []
        self.json_only: str | None = None

    def add_table(self, headings: list[str], rows: list[list[Any]]) -> None:
        """A table for the standard output."""
        self.tables.append((headings, rows))

    def add_json(self, path: str | None, content: dict[str, Any]) -> None:
        """A JSON file; ``-`` is the standard output, in place of the tables."""
        if path is None:
            return
        text = json.dumps(_plain(content), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
        if path == "-":
            self.json_only = text
        else:
            self.add_file(path, text)

    def add_file(self, path: str, text: str) -> None:
        """A file, written as a whole or not at all."""
        self.files.append((Path(path), text))

    def write(self) -> None:
        """Write the files, then the standard output."""
        for path, text in self.files:
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                beside.write_text(text, encoding="utf-8")
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
        if self.json_only is not None:
            sys.stdout.write(self.json_only)
        else:
            aligned = sys.stdout.isatty()
            sys.stdout.write("\n".join(_table(*table, aligned=aligned) for table in self.tables))
        sys.stdout.flush()


def _plain(value: Any) -> Any:
    """The same without numbers that JSON has not."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _table(headings: list[str], rows: list[list[Any]], *, aligned: bool) -> str:
    """A table as text: tab-separated, or in columns for people."""
    cells = [[_cell(each) for each in row] for row in [headings, *rows]]
    if not aligned:
        return "".join("\t".join(row) + "\n" for row in cells)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() + "\n"
        for row in cells
    )


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    # a name must neither break the table nor reach the terminal as a command
    return printable(value)


def _one_line(text: Any) -> str:
    return " ".join(str(text).split())


def _say(message: Any) -> None:
    print(f"ensfs: {_one_line(message)}", file=sys.stderr, flush=True)


def _check_writable(*paths: str | None) -> None:
    """Say before the work that a result could not be written."""
    for path in paths:
        if path is None or path == "-":
            continue
        folder = Path(path).resolve().parent
        if Path(path).is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
            raise UsageError(f"{path} cannot be written.")


# ------------------------------------------------------------------ running


def run(argv: Sequence[str] | None) -> Output | int:
    """The output of a command line, or the code of what went wrong."""
    options = make_parser().parse_args(argv)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.showwarning = lambda message, *_, **__: _say(f"warning: {message}")
        try:
            return COMMANDS[options.command](options)
        except (ValueError, TypeError, OSError) as error:
            _say(f"error: {_error_text(error)}")
            return BAD_INPUT
        except MemoryError:
            _say("error: the table does not fit into the memory.")
            return BAD_INPUT


def _error_text(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return _one_line(error)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    The work is done in a thread, while this one waits for it or for Ctrl-C: whatever a reader of
    files or a kernel is at, the process ends at once.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit code.
    """
    found: list[Output | int | BaseException] = []

    def work() -> None:
        try:
            found.append(run(argv))
        except BaseException as error:  # handed to the thread that waits
            found.append(error)

    thread = threading.Thread(target=work, name="ensfs-command", daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(0.2)
        if isinstance(found[0], BaseException):
            raise found[0]
        if isinstance(found[0], int):
            return found[0]
        found[0].write()
    except KeyboardInterrupt:
        _leave(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        _say(f"error: {_error_text(error)}")
        return BAD_INPUT
    return 0


def _leave(code: int, message: str) -> NoReturn:
    """End the process without waiting for the thread that works."""
    try:
        _say(message)
    except OSError:
        pass
    os._exit(code)

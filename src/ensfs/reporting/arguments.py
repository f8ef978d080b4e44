"""The arguments of the command line, without a look at the library: errors come at once."""

from __future__ import annotations

import argparse
import ast
from typing import Any, NamedTuple, NoReturn

import ensfs
from ensfs._utils.text import one_line
from ensfs.reporting.completion import SHELLS

#: Exit code of bad arguments or data.
BAD_INPUT = 2

#: Every method, by the name of its class; here as text, so that the help is there at once.
METHODS = (
    "ace", "cfs", "cife", "cmim", "disr", "fcbf", "hitonpc", "iamb", "icap", "jmi", "jmim", "lcsi",
    "mim", "mmpc", "mrmr", "njmim", "forestimportance", "forwardselection", "growshrink",
    "hybridcausalselector", "interiamb", "l1path", "pcselector", "randomclusterensemble",
    "rankensemble", "tpdaselector",
)  # fmt: skip

#: The methods of `compare` when none are named.
COMPARED = ("mrmr", "fcbf", "cfs", "cmim", "jmi")

#: What may be made of missing cells: the words of the selectors, and what is done before them.
MISSING = (
    "auto", "level", "corrected", "mean", "available", "distribute", "error", "rows", "columns",
)  # fmt: skip

DATA_HELP = (
    "CSV, TSV or ARFF (each also .gz), Parquet or Feather file with names of columns; or a sparse "
    "table: .npz of SciPy, or .svm of svmlight, with columns x0, x1, ...; or a pattern of "
    "Parquet files in quotes"
)
METHOD_FORM = "NAME[:PARAM=VALUE,...]"


class Method(NamedTuple):
    """A method as it was typed; whether it exists is seen when the library is there."""

    text: str
    name: str
    settings: dict[str, Any]


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Report bad arguments."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {one_line(message)} (see {self.prog} --help)\n")


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
    _add_select(commands.add_parser("select", help="select columns with one method"))
    _add_compare(commands.add_parser("compare", help="several methods side by side"))
    shell = commands.add_parser("completion", help="print a script that completes this command")
    shell.add_argument(
        "shell", choices=SHELLS, help='the shell; for bash, eval "$(ensfs completion bash)"'
    )
    return parser


def _add_select(parser: Parser) -> None:
    _add_data(parser)
    parser.add_argument(
        "--method", "--methods", default=parse_method("mrmr"), type=parse_method,
        metavar=METHOD_FORM,
        help=f"one of {', '.join(METHODS)}; parameters as in Python, for example mrmr:scheme=MIQ "
        "or fcbf:threshold=0.05 (default: mrmr)",
    )  # fmt: skip
    parser.add_argument(
        "--report", metavar="OUT.html", help="write a page with the whole result; - is the output"
    )


def _add_compare(parser: Parser) -> None:
    _add_data(parser)
    parser.add_argument(
        "--method", "--methods", dest="methods", nargs="+", action="extend", type=parse_method,
        metavar=METHOD_FORM,
        help=f"methods to compare, each as for select (default: {' '.join(COMPARED)})",
    )  # fmt: skip
    parser.add_argument(
        "--no-accuracy", action="store_true",
        help="leave out the cross-validation of a linear model on the columns of each method",
    )  # fmt: skip
    parser.set_defaults(report=None)


def _add_data(parser: Parser) -> None:
    parser.add_argument("data", metavar="DATA", help=DATA_HELP)
    parser.add_argument(
        "--target", metavar="NAME", action="append",
        help="column to predict; only clustering methods and svmlight files need none; several are "
        "predicted together; for .npz also a .npy or .txt file",
    )  # fmt: skip
    parser.add_argument(
        "--weights", metavar="NAME", help="column of weights: how often each row is there"
    )
    parser.add_argument(
        "-k",
        type=_count_or_share,
        metavar="N",
        help="how many columns, a share such as 0.1, or auto: as many as pass a test (default: the "
        "default of the method)",
    )
    samples = parser.add_mutually_exclusive_group()
    samples.add_argument(
        "--parts",
        type=_parts,
        metavar="N",
        help="run the method on N leave-one-fold-out parts and let them vote",
    )
    samples.add_argument(
        "--pairs",
        type=_positive,
        metavar="N",
        help="stability selection: run the method on N pairs of halves of the rows, and keep the "
        "columns that come back, with at most one expected mistake",
    )
    parser.add_argument("--json", metavar="OUT.json", help="write all results; - is the output")
    parser.add_argument(
        "--spreadsheet",
        action="store_true",
        help="mark names that a spreadsheet would run as a formula with an apostrophe",
    )
    parser.add_argument(
        "--drop", nargs="+", default=[], metavar="NAME", help="columns to leave out"
    )
    parser.add_argument(
        "--include", nargs="+", metavar="NAME", help="columns that are selected in any case"
    )
    parser.add_argument(
        "--exclude", nargs="+", metavar="NAME",
        help="columns that no method may use, but that stay in the report",
    )  # fmt: skip
    parser.add_argument(
        "--group", dest="groups", type=_group, action="append", metavar="NAME=A,B,...",
        help="columns that are selected together, as one",
    )  # fmt: skip
    parser.add_argument(
        "--missing",
        choices=MISSING,
        default="auto",
        help="what is made of missing cells, as in Python, or leave out the rows or columns that "
        "have any (default: auto)",
    )
    parser.add_argument(
        "--block-rows",
        type=_positive,
        metavar="N",
        help="read Parquet in blocks of N rows (default: only if it is large for the memory)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the Dask cluster of this scheduler read Parquet files, such as "
        "tcp://host:8786; its workers must see the files",
    )
    parser.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1: all cores")
    talk = parser.add_mutually_exclusive_group()
    talk.add_argument("-q", "--quiet", action="store_true", help="no progress")
    talk.add_argument("-v", "--verbose", action="store_true", help="progress, also into a file")


# ------------------------------------------------------------------ values


def parse_method(text: str) -> Method:
    """A method from ``name:param=value,...``."""
    name, _, listed = text.partition(":")
    settings = {}
    for setting in filter(None, listed.split(",")):
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"{setting!r} in {text!r} is not PARAM=VALUE")
        settings[parameter] = _value(value)
    return Method(text, name.lower(), settings)


def _value(text: str) -> Any:
    """A Python number, boolean or None, otherwise the text."""
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text, text))
    except (ValueError, SyntaxError):
        return text


def _group(text: str) -> tuple[str, list[str]]:
    name, equals, members = text.partition("=")
    if not (name and equals and all(members.split(","))):
        raise argparse.ArgumentTypeError(f"must be NAME=A,B,...; got {text!r}")
    return name, members.split(",")


def _count_or_share(text: str) -> int | float | str:
    value = _value(text)
    if text == "auto":
        return text
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    if isinstance(value, float) and 0 < value <= 1:
        return value
    raise argparse.ArgumentTypeError(
        "must be a whole number of at least 1, a share above 0 and up to 1.0, or auto; got "
        f"{text!r}"
    )


def _positive(text: str) -> int:
    value = _value(text)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")


def _parts(text: str) -> int:
    value = _positive(text)
    if value < 2:
        raise argparse.ArgumentTypeError(f"must be at least 2; got {text!r}")
    return value

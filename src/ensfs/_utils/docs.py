"""Descriptions of parameters and attributes that many docstrings share, each written once.

A docstring names shared descriptions on a line of its own, ``{n_jobs, verbose}``; the decorator
`with_docs` replaces the line by their text. The descriptions of a family of classes are in a table
beside the base class of the family, which extends or overrides `COMMON_DOCS`. A description may
itself be a line of names: that is how a list that many classes share gets a name.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TypeVar

Documented = TypeVar("Documented")

_NAME = r"\*{0,2}[^\W\d]\w*"
#: A line of names in braces, and its indentation.
_PLACE = re.compile(rf"^( *)\{{({_NAME}(?:, {_NAME})*)\}}$", re.MULTILINE)


def read_descriptions(text: str) -> dict[str, str]:
    """Split the text of a numpydoc section into the descriptions it holds, by name."""
    descriptions = re.split(r"\n(?=\S)", text.strip("\n"))
    return {each.partition(" : ")[0]: each for each in descriptions}


def with_docs(table: Mapping[str, str]) -> Callable[[Documented], Documented]:
    """Decorate a function, or a class and its methods: docstrings take the texts that they name."""

    def decorate(documented: Documented) -> Documented:
        _fill(documented, table)
        if isinstance(documented, type):
            for member in vars(documented).values():
                if isinstance(member, classmethod):  # which has a copy of its function's docstring
                    _fill(member.__func__, table)
                if isinstance(member, (FunctionType, classmethod)):
                    _fill(member, table)
        return documented

    return decorate


def _fill(documented: object, table: Mapping[str, str]) -> None:
    """Replace the lines of names in a docstring by the descriptions."""
    if documented.__doc__ is not None:  # python -OO drops docstrings
        documented.__doc__ = _described(documented.__doc__, table)


def _described(text: str, table: Mapping[str, str]) -> str:
    """The text with the descriptions that its lines name, indented as the lines are."""

    def descriptions(place: re.Match[str]) -> str:
        indent, names = place.groups()
        text = "\n".join(table[name] for name in names.split(", "))
        return textwrap.indent(_described(text, table), indent)

    return _PLACE.sub(descriptions, text)


COMMON_DOCS = read_descriptions("""
sample_weight : array-like of shape (n_samples,), optional
    How often each row is there: numbers of at least 0, not necessarily whole.
X : array-like or data frame of shape (n_samples, n_features)
    The table.
discretizer : {"mdl", "equal_frequency", "sigma"} or transformer, default="mdl"
    How continuous columns are cut: by name, or any transformer to codes, fitted or not.
discrete_features : "auto", bool, mask, indices or names, default="auto"
    Which columns hold discrete values. "auto": text, categories, booleans, and whole numbers
    with at most 5 distinct values. True is all columns, False none but text and categories.
n_features_to_select : int or float, default=10
    How many columns; a float in (0, 1] is a share of all columns.
target_bins : int or None, default=3
    Where counts are needed, a numeric target is cut into so many classes of about equally many
    rows; None: it is an error. Classes are taken as they are.
multi_output : {"mean", "max", "joint"}, default="mean"
    What is made of a target of several outputs. "mean", "max": everything that is measured with the
    target is measured with each output, and the mean or the largest value counts. "joint": every
    combination of values is a class of its own, numeric outputs being cut first.
target_cut_points_ : ndarray, list or None
    Where a numeric target was cut into classes; a list with several outputs, None if nothing was
    cut.
output_relevance_ : ndarray of shape (n_outputs, `n_features_in_`)
    Only with several outputs. Relevance of each column for each output.
missing : str, default="auto"
    What is made of missing cells: NaN, None, NA, NaT and masked cells. "level": they are one more
    level of a column that is counted. "mean": a missing number is the mean of its column.
    "corrected": the same, but correlations of two columns are those of the rows that have both.
    "available": everything is measured on the rows that have all columns concerned. "distribute":
    counts of missing cells are spread by those of the others, as in Weka (symmetrical uncertainty
    only). "error": they are refused. "auto": "level" where columns are counted, "corrected" for F
    and correlations, "available" for tests of independence.
n_missing_ : ndarray of int, shape (`n_features_in_`,)
    How many cells of each column were missing.
include : names, positions or mask, default=None
    Columns that are selected before the first step, in the order given. They count towards the
    number of columns to select.
exclude : names, positions or mask, default=None
    Columns that are not there: the result is that of a table without them.
feature_groups : list of lists or dict of name to list, default=None
    Columns, by names or positions, that enter and leave together and count as one. Where columns
    are counted, a group is the combination of its values, so that indicator columns give what the
    column gives that they were made of; F and correlations are means over the members.
groups_ : list of ndarray
    Only with `feature_groups`. The columns of each selected group or single column, in order of
    selection.
n_jobs : int, optional
    Threads; None is one, -1 all cores. The result does not depend on it.
verbose : int, default=0
    1: a progress bar on standard error while fitting, and a line at the end.
support_ : ndarray of bool, shape (`n_features_in_`,)
    Mask of the selected columns.
ranking_ : ndarray of int, shape (`n_features_in_`,)
    Place of each selected column, from 1; the columns left out share the next place.
cut_points_ : dict of int to ndarray
    Where continuous columns were cut, by column.
n_readings_ : int
    Only of row blocks. How often they were read.
classes_ : ndarray of shape (n_classes,)
    The classes.
n_features_in_ : int
    Number of columns seen in fit.
feature_names_in_ : ndarray of str
    Their names, if they had any.
""")
COMMON_DOCS |= {
    #: How a table is read and counted, and by how many threads.
    "counting_parameters": (
        "{discretizer, discrete_features, target_bins, multi_output, missing, include, exclude}\n"
        "{feature_groups, n_jobs, verbose}"
    ),
}

#: What the fits of classifiers say of the rows.
CLASSIFIER_DOCS = COMMON_DOCS | read_descriptions("""
y : array-like of shape (n_samples,)
    Classes.
sample_weight : array-like of shape (n_samples,), optional
    Weights of the rows; those of weight 0 are left out.
""")

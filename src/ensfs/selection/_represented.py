"""Columns left out that a selected column stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ensfs.data.missing import filled
from ensfs.data.table import Table, make_table
from ensfs.data.target import Target
from ensfs.discretize import equal_frequency_codes
from ensfs.statistics import CodedSource, ContinuousSource, Resampling

MEASURES = ("auto", "pearson", "symmetrical_uncertainty")

#: From so much redundancy on one column stands for another.
ALIKE = {"pearson": 0.9, "symmetrical_uncertainty": 0.6}

#: Names of columns in a cell of a table.
MAX_NAMES = 4


@dataclass(frozen=True)
class Represented:
    """The columns that each selected column stands for.

    Parameters
    ----------
    selector : selector
        The fitted selector.
    groups : list of ndarray of int
        Of `represented_columns`.
    owners : dict of int to int
        For each column of the groups the selected column.
    """

    selector: Any
    groups: list[np.ndarray]
    owners: dict[int, int]

    @classmethod
    def of(cls, selector: Any, X: Any) -> Represented:
        """Those of a fitted selector and its table."""
        groups = represented_columns(selector, X)
        found = zip(selector.indices_.tolist(), groups, strict=True)
        return cls(selector, groups, {j: owner for owner, group in found for j in group.tolist()})

    def also(self, place: int) -> str | None:
        """The columns that the selected column at a place stands for."""
        group = self.groups[place]
        names = [str(self.selector._name(int(j))) for j in group[:MAX_NAMES]]
        more = [f"{group.size - MAX_NAMES} more"] if group.size > MAX_NAMES else []
        return ", ".join(names + more) or None

    def row(self, j: int) -> dict[str, str | None]:
        """What `explain` says of column ``j``."""
        place = np.nonzero(self.selector.indices_ == j)[0]
        owner = self.owners.get(j)
        return {
            "also": self.also(int(place[0])) if place.size else None,
            "represented by": None if owner is None else str(self.selector._name(owner)),
        }


def represented_columns(
    selector: Any, X: Any, *, measure: str = "auto", at_least: float | None = None
) -> list[np.ndarray]:
    """The columns left out that each selected column stands for.

    A column that was left out belongs to the selected column it is most redundant with, if that is
    enough. With "mean radius" selected, "mean perimeter" and "mean area" are not gone: they are
    told by it.

    Parameters
    ----------
    selector : selector
        Fitted, with `indices_`.
    X : array-like or data frame of shape (n_samples, n_features)
        The table it was fitted on.
    measure : {"auto", "pearson", "symmetrical_uncertainty"}, default="auto"
        Absolute correlation, or symmetrical uncertainty, for which continuous columns are cut at
        quantiles into five. "auto": correlation if all columns are continuous.
    at_least : float, optional
        How much redundancy is enough; by default 0.9 for correlations and 0.6 for uncertainties.

    Returns
    -------
    list of ndarray of int
        In the order of `indices_`; the most redundant columns first.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from ensfs import MRMR
    >>> from ensfs.evaluation import represented_columns
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = MRMR(3).fit(X, y)
    >>> for j, others in zip(selector.indices_, represented_columns(selector, X)):
    ...     print(X.columns[j], "| also", ", ".join(X.columns[others[:3]]) or "none")
    worst concave points | also mean concave points
    radius error | also perimeter error, area error
    mean radius | also mean perimeter, mean area, worst radius
    """
    check_is_fitted(selector, "indices_")
    if measure not in MEASURES:
        raise ValueError(
            f"measure must be 'auto', 'pearson' or 'symmetrical_uncertainty'; got {measure!r}."
        )
    table = make_table(X, allow_missing=True)
    if table.n_features != selector.n_features_in_:
        raise ValueError(
            f"X has {table.n_features} columns, but {type(selector).__name__} was fitted on "
            f"{selector.n_features_in_}."
        )
    if measure == "auto":
        measure = "symmetrical_uncertainty" if table.discrete.any() else "pearson"
    least = ALIKE[measure] if at_least is None else at_least
    selected = np.asarray(selector.indices_)
    if not selected.size:
        return []
    values = _with_selected(table, selected, measure)
    values[:, selected] = -np.inf
    owner, strength = values.argmax(axis=0), values.max(axis=0)
    found = np.nonzero(strength >= least)[0]
    found = found[np.argsort(-strength[found], kind="stable")]
    return [found[owner[found] == i] for i in range(selected.size)]


def _with_selected(table: Table, selected: np.ndarray, measure: str) -> np.ndarray:
    """The measure of every column with each of the selected ones: (selected, columns)."""
    n = table.n_rows
    rows = Resampling.all_rows(n)
    source: CodedSource | ContinuousSource
    if measure == "pearson":
        numbers = Target("numeric", True, values=np.zeros(n))
        table.check_finite(allow_nan=True)
        source = ContinuousSource(filled(table), numbers, rows, relevance="pearson")
    else:
        coded = table.codes(lambda values, _: equal_frequency_codes(values))
        one_class = Target("classes", True, np.zeros(n, dtype=np.int32), np.zeros(1))
        source = CodedSource(coded.codes, coded.n_levels, one_class, rows, measure=measure)
    out = np.empty((selected.size, table.n_features))
    for i, g in enumerate(selected.tolist()):
        source.association([(g, np.zeros(1, dtype=np.int64))], out[i : i + 1])
    return out

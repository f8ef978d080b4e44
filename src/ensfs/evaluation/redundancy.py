"""Redundancy of columns with one another, and the tree of columns by it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted

from ensfs.data.missing import filled
from ensfs.data.table import Table, make_table
from ensfs.data.target import Target
from ensfs.discretize import equal_frequency_codes
from ensfs.measures import pairwise
from ensfs.statistics import CodedSource, ContinuousSource, Resampling

MEASURES = ("auto", "pearson", "symmetrical_uncertainty")

#: From so much redundancy on one column stands for another.
ALIKE = {"pearson": 0.9, "symmetrical_uncertainty": 0.6}


def redundancy_of_pairs(X: Any, measure: str = "auto") -> tuple[np.ndarray, str]:
    """Redundancy of every pair of columns between 0 and 1, and the name of the measure used.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_columns)
        The columns.
    measure : {"auto", "pearson", "symmetrical_uncertainty"}, default="auto"
        Absolute correlation, or symmetrical uncertainty, for which continuous columns are cut at
        quantiles into five. "auto": correlation if all columns are continuous.

    Returns
    -------
    redundancy : ndarray of shape (n_columns, n_columns)
    measure : str
    """
    if measure not in MEASURES:
        raise ValueError(
            f"measure must be 'auto', 'pearson' or 'symmetrical_uncertainty'; got {measure!r}."
        )
    table = make_table(X, allow_missing=True)
    if measure == "auto":
        measure = "symmetrical_uncertainty" if table.discrete.any() else "pearson"
    if measure == "pearson":
        return np.abs(pairwise(X)), measure

    coded = table.codes(lambda values, _: equal_frequency_codes(values))
    return pairwise(np.asarray(coded.codes, dtype=np.int64), measure), measure


def redundancy_tree(redundancy: np.ndarray) -> np.ndarray | None:
    """Average-linkage tree of columns by 1 minus their redundancy; None for fewer than three.

    Its leaves are ordered so that similar columns are neighbours.
    """
    if len(redundancy) < 3:
        return None
    distance = np.clip(1.0 - (redundancy + redundancy.T) / 2, 0.0, 1.0)
    np.fill_diagonal(distance, 0.0)
    return linkage(squareform(distance, checks=False), "average", optimal_ordering=True)


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
    worst concave points | also none
    worst perimeter | also worst radius, worst area, mean perimeter
    mean concave points | also mean concavity
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

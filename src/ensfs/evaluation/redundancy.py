"""Redundancy of columns with one another, and the tree of columns by it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ensfs.data.table import make_table
from ensfs.discretize import equal_frequency_codes
from ensfs.measures import pairwise
from ensfs.selection._represented import MEASURES, represented_columns

__all__ = ["redundancy_of_pairs", "redundancy_tree", "represented_columns"]


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

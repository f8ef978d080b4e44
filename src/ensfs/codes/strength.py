"""How far apart the words of a code are, and what makes a code valid."""

from __future__ import annotations

from typing import Any

import numpy as np


def row_distances(code: np.ndarray) -> np.ndarray:
    """Hamming distances between the words of all pairs of classes; a 0 costs one half.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns)
        A row for each class, with -1, 0 and 1.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The diagonal holds half of the number of zeros in the word.
    """
    words = np.asarray(code, dtype=np.float64)
    return (words.shape[1] - words @ words.T) / 2


def min_row_distance(code: np.ndarray) -> float:
    """Least distance between the words of two classes, the strength of a code.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns)
        A row for each class, with -1, 0 and 1.

    Returns
    -------
    float
        With a 0 in a word as one half (Allwein et al., 2000).

    Examples
    --------
    >>> from ensfs.codes import min_row_distance, one_vs_one
    >>> min_row_distance(one_vs_one(4))
    3.5
    """
    distances = row_distances(code)
    return float(distances[np.triu_indices(len(distances), 1)].min())


def n_correctable(code: np.ndarray) -> int:
    """Number of wrong columns that decoding by the Hamming distance always corrects.

    Parameters
    ----------
    code : array-like of shape (n_classes, n_columns)
        A row for each class, with -1, 0 and 1.

    Returns
    -------
    int
    """
    return max(0, int((min_row_distance(code) - 1) // 2))


def check_code(code: Any, n_classes: int) -> np.ndarray:
    """A code as integers, or an error that says what is wrong with it.

    Parameters
    ----------
    code : array-like
        What should be a code.
    n_classes : int
        How many words it should have.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_columns)
    """
    try:
        words = np.asarray(code, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"design must hold -1, 0 and 1; got {code!r}.") from None
    if words.ndim != 2 or len(words) != n_classes or words.shape[1] == 0:
        raise ValueError(
            f"design must have a row for each of the {n_classes} classes and at least one column; "
            f"got shape {words.shape}."
        )
    if not np.isin(words, (-1, 0, 1)).all():
        raise ValueError(f"design must hold -1, 0 and 1; got {np.unique(words).tolist()}.")
    words = words.astype(np.int8)
    one_sided = ~has_both_signs(words)
    if one_sided.any():
        raise ValueError(
            "design must have 1 and -1 in each column; got only one of them in column "
            f"{np.nonzero(one_sided)[0][0]}."
        )
    if len(np.unique(words, axis=0)) < n_classes:
        raise ValueError("design must have a different row for each class; got equal rows.")
    return words


def has_both_signs(code: np.ndarray) -> np.ndarray:
    """Which columns hold 1 and -1, so that a classifier can be fitted."""
    return (code == 1).any(axis=0) & (code == -1).any(axis=0)

"""Weights of the columns of a code for each class, by how well they separate it from the others."""

from __future__ import annotations

import numpy as np

from ensfs.codes.decoding import normalised_rows


def separability_weights(
    outputs: np.ndarray,
    y: np.ndarray,
    code: np.ndarray,
    *,
    sample_weight: np.ndarray | None = None,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """Weights of the columns of a code for each class, which sum to 1.

    For each pair of a row of the class and a row of another one, a column gains 1 if it is right
    about both and loses 1 if it is wrong about both. Negative sums become 0, and a class without
    any positive sum weights all columns alike.

    Parameters
    ----------
    outputs : ndarray of shape (n_rows, n_columns)
        Outputs for the training rows; those that are not negative say 1.
    y : ndarray of int, shape (n_rows,)
        Number of the class of each row.
    code : ndarray of shape (n_classes, n_columns)
        The code, with -1, 0 and 1. Rows whose class has a 0 in a column do not count there.
    sample_weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    counted : ndarray of bool, shape (n_rows, n_columns), optional
        Which outputs count, for example those for rows that a member was not fitted on.

    Returns
    -------
    ndarray of shape (n_classes, n_columns)

    References
    ----------
    R. S. Smith and T. Windeatt (2010), Class-separability weighting and bootstrapping in error
    correcting output code ensembles, Multiple Classifier Systems, LNCS 5997.
    """
    return normalised_rows(
        np.maximum(class_separability(outputs, y, code, sample_weight, counted), 0.0), code
    )


def class_separability(
    outputs: np.ndarray,
    y: np.ndarray,
    code: np.ndarray,
    sample_weight: np.ndarray | None = None,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """Pairs that a column is right about less those that it is wrong about, for each class."""
    code = np.asarray(code)
    wanted = code[y]
    taken = (wanted != 0) if counted is None else (wanted != 0) & counted
    right = taken & (np.where(np.asarray(outputs) >= 0, 1, -1) == wanted)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    members = np.eye(len(code))[:, y] * weight
    n_right, n_taken = members @ right, members @ taken  # of each class, in each column
    other_right = n_right.sum(axis=0) - n_right
    other_taken = n_taken.sum(axis=0) - n_taken
    gains = n_right * other_right - (n_taken - n_right) * (other_taken - other_right)
    return np.where(code != 0, gains, 0.0)

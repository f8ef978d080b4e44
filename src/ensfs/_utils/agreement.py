"""How often pairs of members say the same, from the numbers of the classes that they predict."""

from __future__ import annotations

from typing import Any

import numpy as np


def agreement_matrix(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Share of the rows for which each two members name the same class.

    Parameters
    ----------
    codes : ndarray of int, shape (n_members, n_rows)
        Number of the class that each member names.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of shape (n_members, n_members)
    """
    return sum(_both(codes == k) for k in range(n_classes)) / codes.shape[1]


def kappa_matrix(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Cohen's kappa of every pair of members; 1 where both always name the same single class."""
    shares = np.stack([(codes == k).mean(axis=1) for k in range(n_classes)])
    chance = shares.T @ shares
    same = chance >= 1.0 - 1e-12
    agreement = agreement_matrix(codes, n_classes)
    return np.where(same, 1.0, (agreement - chance) / np.where(same, 1.0, 1.0 - chance))


def _both(named: np.ndarray) -> np.ndarray:
    """In how many rows two members both name a class; sums of 0 and 1 are exact."""
    shown: Any = named.astype(np.float32 if named.shape[1] < 2**24 else np.float64)
    return (shown @ shown.T).astype(np.float64)

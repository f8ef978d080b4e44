"""Data sets that the papers made by a rule."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ensfs._utils.checks import check_integer

__all__ = ["make_input_decimation"]


def make_input_decimation(
    overlap: bool = False,
    *,
    n_samples: int = 450,
    n_features: int = 100,
    n_classes: int = 3,
    n_relevant: int = 10,
    n_shared: int = 3,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Make the synthetic sets A and B of the paper on input decimation, in any size.

    Each class owns some columns. A row draws the columns of its own class from the normal
    distribution with mean 40 and standard deviation 5, and all others from the uniform distribution
    between -100 and 100. The defaults give set A; ``overlap=True`` gives set B.

    Parameters
    ----------
    overlap : bool, default=False
        False: no two classes share a column (set A). True: each two classes share `n_shared`
        columns, and no column belongs to three (set B).
    n_samples : int, default=450
        Rows. The classes take turns, row by row, so that any first part is balanced; the paper
        trains on 300 rows and tests on the other 150.
    n_features : int, default=100
        Columns. Those that belong to no class are noise.
    n_classes : int, default=3
        Classes, at least 2.
    n_relevant : int, default=10
        Columns that belong to each class, the shared ones included.
    n_shared : int, default=3
        Columns that each two classes share when `overlap` is True; without a meaning otherwise.
    random_state : int, RandomState instance or None, default=None
        Seed of the draws.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The table. First come the columns that one class owns alone, class by class; then the
        shared ones, by pairs of classes (0, 1), (0, 2), ..., (1, 2), ...; then the noise.
    y : ndarray of shape (n_samples,)
        Classes 0, 1, 2, 0, 1, 2, ...

    Raises
    ------
    ValueError
        When the columns of the classes do not fit: more of them than `n_features`, or more shared
        ones than a class has.

    References
    ----------
    Tumer and Oza (2003), Input decimated ensembles, Pattern Analysis and Applications 6, 65-77.

    Examples
    --------
    >>> from ensfs.datasets import make_input_decimation
    >>> X, y = make_input_decimation(random_state=0)
    >>> X.shape, y[:6]
    ((450, 100), array([0, 1, 2, 0, 1, 2]))
    >>> X[y == 1][:, 10:20].mean().round(), X[y == 0][:, 10:20].std().round()
    (np.float64(40.0), np.float64(58.0))
    """
    sizes = {"n_samples": n_samples, "n_features": n_features, "n_relevant": n_relevant}
    for name, value in sizes.items():
        check_integer(name, value, 1)
    check_integer("n_classes", n_classes, 2)
    check_integer("n_shared", n_shared, 0)
    owned = _columns_of_classes(n_classes, n_relevant, n_shared if overlap else 0)
    needed = 1 + max(columns.max() for columns in owned)
    if needed > n_features:
        raise ValueError(
            f"n_features must be at least {needed} for {n_classes} classes with "
            f"n_relevant={n_relevant}; got {n_features}."
        )
    rng = check_random_state(random_state)
    y = np.arange(n_samples) % n_classes
    X = rng.uniform(-100.0, 100.0, size=(n_samples, n_features))
    for c, columns in enumerate(owned):
        rows = np.flatnonzero(y == c)
        X[np.ix_(rows, columns)] = rng.normal(40.0, 5.0, size=(rows.size, columns.size))
    return X, y


def _columns_of_classes(n_classes: int, n_relevant: int, n_shared: int) -> list[NDArray[np.intp]]:
    """Columns of each class: its own, then what it shares with each other class."""
    alone = n_relevant - n_shared * (n_classes - 1)
    if alone < 0:
        raise ValueError(
            f"n_relevant must be at least {n_shared * (n_classes - 1)}, the n_shared={n_shared} "
            f"columns for each of {n_classes - 1} other classes; got {n_relevant}."
        )
    blocks = [[np.arange(c * alone, (c + 1) * alone)] for c in range(n_classes)]
    start = n_classes * alone
    for pair in combinations(range(n_classes), 2):
        for c in pair:
            blocks[c].append(np.arange(start, start + n_shared))
        start += n_shared
    return [np.concatenate(block) for block in blocks]

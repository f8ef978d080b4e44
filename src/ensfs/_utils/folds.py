"""The folds of a parameter `cv`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv


def list_folds(
    cv: Any, X: Any, y: NDArray, groups: Any = None, *, classifier: bool, least: int = 1
) -> list[tuple[NDArray, NDArray]]:
    """Training and test rows of each fold.

    Parameters
    ----------
    cv : int, splitter or iterable
        As scikit-learn's `check_cv` takes it.
    X, y, groups
        What is split.
    classifier : bool
        Whether folds of a number of them have the shares of the classes.
    least : int, default=1
        With fewer folds than these, an error names the parameter.

    Returns
    -------
    list of (ndarray of int, ndarray of int)
    """
    try:
        folds = list(check_cv(cv, y, classifier=classifier).split(X, y, groups))
    except ValueError as error:
        raise ValueError(f"cv cannot divide these rows: {error}") from error
    if len(folds) < least:
        counted = {1: "one fold", 2: "two folds"}.get(least, f"{least} folds")
        raise ValueError(f"cv must give at least {counted}; got {len(folds)}.")
    return [(np.asarray(train), np.asarray(test)) for train, test in folds]

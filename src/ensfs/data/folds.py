"""Which fold each row belongs to."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from ensfs._utils.warn import warn_user
from ensfs.data.values import NominalValues, as_array, read_values


def make_folds(
    folds: Any, n_rows: int, n_parts: int | None = None, y: Any = None
) -> tuple[np.ndarray, int]:
    """Fold of each row, and the number of folds.

    Parameters
    ----------
    folds : "interleaved", "blocks", int, array-like of shape (n_rows,) or splitter
        "interleaved": row ``i`` goes to fold ``i mod n_parts``. "blocks": `n_parts` consecutive
        blocks whose sizes differ by at most one. An int: that many interleaved folds. An array:
        any labels, numbered in sorted order. A scikit-learn splitter: its test sets, which must
        hold every row exactly once.
    n_rows : int
        Number of rows.
    n_parts : int, optional
        Number of folds where `folds` is a word. More parts than rows: a warning, and one fold for
        each row.
    y : array-like, optional
        Target, for splitters that ask for one.

    Returns
    -------
    fold : ndarray of shape (n_rows,), int32
        Fold of each row, ``0 .. n_folds - 1``.
    n_folds : int
        At least 2.
    """
    if isinstance(folds, str):
        if folds not in ("interleaved", "blocks"):
            raise ValueError(
                "folds must be 'interleaved', 'blocks', an int, an array of fold labels or a "
                f"scikit-learn splitter; got {folds!r}."
            )
        n_folds = _check_parts(n_parts, n_rows, "n_parts")
        rows = np.arange(n_rows)
        if folds == "interleaved":
            return (rows % n_folds).astype(np.int32), n_folds
        sizes = [part.size for part in np.array_split(rows, n_folds)]
        return np.repeat(np.arange(n_folds, dtype=np.int32), sizes), n_folds
    if isinstance(folds, numbers.Integral):
        n_folds = _check_parts(folds, n_rows, "folds")
        return (np.arange(n_rows) % n_folds).astype(np.int32), n_folds
    if hasattr(folds, "split") and callable(folds.split):
        return _split(folds, n_rows, y)
    return _labels(folds, n_rows)


def _check_parts(n_parts: Any, n_rows: int, parameter: str) -> int:
    valid = isinstance(n_parts, numbers.Integral) and not isinstance(n_parts, (bool, np.bool_))
    if not valid or int(n_parts) < 2:
        raise ValueError(f"{parameter} must be an int of at least 2; got {n_parts!r}.")
    if n_rows < 2:
        raise ValueError(f"Folds need at least 2 rows; got n_samples = {n_rows}.")
    if int(n_parts) > n_rows:
        warn_user(
            f"{parameter}={n_parts} exceeds the {n_rows} rows; {n_rows} folds of one row are used.",
        )
    return min(int(n_parts), n_rows)


def _split(splitter: Any, n_rows: int, y: Any) -> tuple[np.ndarray, int]:
    fold = np.full(n_rows, -1, dtype=np.int32)
    n_folds = 0
    for _, test in splitter.split(np.zeros((n_rows, 1)), y):
        test = np.asarray(test)
        if (fold[test] >= 0).any() or np.unique(test).size != test.size:
            row = int(test[np.argmax(fold[test] >= 0)])
            raise ValueError(
                f"folds must put each row into exactly one test set, but {splitter!r} puts row "
                f"{row} into several. Use a splitter such as KFold."
            )
        fold[test] = n_folds
        n_folds += 1
    if (fold < 0).any():
        raise ValueError(
            f"folds must put each row into exactly one test set, but {splitter!r} puts row "
            f"{int(np.argmax(fold < 0))} into none. Use a splitter such as KFold."
        )
    return fold, _at_least_two(n_folds)


def _labels(folds: Any, n_rows: int) -> tuple[np.ndarray, int]:
    labels = as_array(folds)
    if labels.ndim != 1 or labels.size != n_rows:
        raise ValueError(
            f"folds has the shape {labels.shape}, but one fold label for each of the {n_rows} rows "
            "is needed."
        )
    values = read_values(labels, "folds", "folds")
    if isinstance(values, NominalValues):
        return values.codes, _at_least_two(len(values.levels))
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("folds contains NaN or infinity; every row needs a fold label.")
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), _at_least_two(levels.size)


def _at_least_two(n_folds: int) -> int:
    if n_folds < 2:
        raise ValueError(f"At least 2 folds are needed; got {n_folds}.")
    return n_folds

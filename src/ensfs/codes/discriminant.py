"""Codes from data: a tree of classes whose splits share most information with the columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.spatial.distance import cdist

#: Classes at a node of which all splits are tried.
_MOST_TRIED = 10

#: A split must gain more than rounding.
_GAIN = 1e-12

Criterion = Callable[[np.ndarray, np.ndarray], float]


def quadratic_mutual_information(X, y, width=None) -> float:
    """Quadratic mutual information between numeric columns and classes, with Gaussian windows.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Numbers.
    y : array-like of shape (n_rows,)
        Classes.
    width : float, optional
        Standard deviation of the windows; None is half of the largest distance between the means of
        two classes.

    Returns
    -------
    float

    References
    ----------
    K. Torkkola (2003), Feature extraction by non-parametric mutual information maximization, JMLR
    3, 1415-1438.
    """
    X = np.asarray(X, dtype=np.float64)
    _, codes = np.unique(np.asarray(y), return_inverse=True)
    width = class_width(X, codes) if width is None else float(width)
    density = (4 * np.pi * width**2) ** (-X.shape[1] / 2)
    return density * _information(*_sums_between(_kernel(X, width), codes))


def class_width(X: np.ndarray, codes: np.ndarray) -> float:
    """Half of the largest distance between the means of two classes; 1 if they are all the same."""
    means = np.array([X[codes == c].mean(axis=0) for c in range(codes.max() + 1)])
    return float(cdist(means, means).max()) / 2 or 1.0


def _kernel(X: np.ndarray, width: float) -> np.ndarray:
    """Gaussian densities of the differences of all pairs of rows, with variance 2 width ** 2.

    Without their factor, which would be 0 or infinite for many columns.
    """
    return np.exp(-cdist(X, X, "sqeuclidean") / (4 * width**2))


def _sums_between(kernel: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the windows between all pairs of classes, and the rows of each class."""
    of_class = (codes[:, None] == np.unique(codes)).astype(np.float64)
    return of_class.T @ kernel @ of_class, of_class.sum(axis=0)


def _information(sums: np.ndarray, counts: np.ndarray) -> float:
    """Sum within classes, plus that over all pairs, less twice the one between."""
    shares = counts / counts.sum()
    between = shares @ sums.sum(axis=1)
    total = np.trace(sums) + (shares @ shares) * sums.sum() - 2 * between
    return float(total / counts.sum() ** 2)


def discriminant_code(X, y, *, max_rows=500, criterion=None, rng=None) -> np.ndarray:
    """Code of a binary tree of classes, split where data and split share most information.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Numbers.
    y : array-like of shape (n_rows,)
        Classes.
    max_rows : int, default=500
        Rows that are drawn at a node with more.
    criterion : callable, optional
        Takes rows and 0 or 1 for each, and gives a number to be maximised; None is
        `quadratic_mutual_information`, for the windows of the classes of the node.
    rng : int or Generator, optional
        Source of randomness.

    Returns
    -------
    ndarray of int8, shape (n_classes, n_classes - 1)
        A column for each inner node, breadth first, with 0 for the classes that are not there.
        All splits of up to 10 classes are tried; above, sides are found by floating search.

    References
    ----------
    O. Pujol, P. Radeva and J. Vitria (2006), Discriminant ECOC: a heuristic method for application
    dependent design of error correcting output codes, IEEE PAMI 28, 1007-1012.
    """
    X = np.asarray(X, dtype=np.float64)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    rng = np.random.default_rng(rng)
    columns, nodes = [], deque([np.arange(len(classes))])
    while nodes:
        present = nodes.popleft()
        if len(present) < 2:
            continue
        rows = np.nonzero(np.isin(codes, present))[0]
        rows = _some_of_each_class(rows, codes, max_rows, rng)
        left = _best_side(X[rows], codes[rows], present, criterion)
        column = np.zeros(len(classes), dtype=np.int8)
        column[present] = np.where(np.isin(present, left), 1, -1)
        columns.append(column)
        nodes.append(present[column[present] == 1])
        nodes.append(present[column[present] == -1])
    return np.stack(columns, axis=1)


def _some_of_each_class(
    rows: np.ndarray, codes: np.ndarray, most: int, rng: np.random.Generator
) -> np.ndarray:
    """Rows of a node, drawn if there are too many, with at least one of each class."""
    if len(rows) <= most:
        return rows
    rows = rng.permutation(rows)
    _, first = np.unique(codes[rows], return_index=True)
    others = np.setdiff1d(np.arange(len(rows)), first)
    return np.sort(rows[np.concatenate([first, others])[: max(most, len(first))]])


def _best_side(
    X: np.ndarray, codes: np.ndarray, present: np.ndarray, criterion: Criterion | None
) -> np.ndarray:
    """The classes on the side of the first class present, in the split with the largest value."""
    if criterion is None:
        kernel = _kernel(X, class_width(X, np.searchsorted(present, codes)))
        sums, counts = _sums_between(kernel, codes)  # all that a split needs

        def value(side: tuple[int, ...]) -> float:
            return _split_information(sums, counts, side)
    else:

        def value(side: tuple[int, ...]) -> float:
            return float(criterion(X, np.isin(codes, present[list(side)]).astype(int)))

    search = _all_sides if len(present) <= _MOST_TRIED else _floating_side
    return present[list(search(len(present), value))]


def _split_information(sums: np.ndarray, counts: np.ndarray, side: tuple[int, ...]) -> float:
    """Quadratic mutual information of a split, from the sums between classes."""
    inside = np.zeros(len(counts), dtype=bool)
    inside[list(side)] = True
    sides = np.stack([inside, ~inside]).astype(np.float64)
    return _information(sides @ sums @ sides.T, sides @ counts)


def _all_sides(n: int, value: Callable[[tuple[int, ...]], float]) -> tuple[int, ...]:
    """The best of all sides that hold class 0, of equal ones the first by size and order."""
    sides = ((0, *others) for size in range(n - 1) for others in combinations(range(1, n), size))
    return max(sides, key=value)


def _floating_side(n: int, value: Callable[[tuple[int, ...]], float]) -> tuple[int, ...]:
    """Sequential forward floating search: add the best class, drop classes while that gains."""
    best_of_size: dict[int, tuple[float, tuple[int, ...]]] = {}
    side: tuple[int, ...] = ()
    while len(side) < n - 1:
        added = [tuple(sorted((*side, c))) for c in range(n) if c not in side]
        side = max(added, key=value)
        if value(side) > best_of_size.get(len(side), (-np.inf, ()))[0] + _GAIN:
            best_of_size[len(side)] = value(side), side
        while len(side) > 2:
            fewer = max((tuple(c for c in side if c != gone) for gone in side), key=value)
            if value(fewer) <= best_of_size[len(fewer)][0] + _GAIN:
                break
            side = fewer
            best_of_size[len(side)] = value(side), side
    return max(best_of_size.values(), key=lambda pair: pair[0])[1]

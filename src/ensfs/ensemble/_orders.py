"""In which order members of an ensemble are worth having, and how good the first of them are."""

from __future__ import annotations

from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs._core import votes as kernel
from ensfs._utils.agreement import kappa_matrix
from ensfs._utils.threads import for_blocks, ranges_of
from ensfs.data.labels import refuse_missing, refuse_mixed

__all__ = ["order_members"]

#: Products of counts up to here are exact in 64 bits.
_EXACT = 2**62


def order_members(
    predictions: ArrayLike, y: ArrayLike, rule: str = "fitness", *, alpha: float = 0.5
) -> NDArray[np.int64]:
    r"""Order the members of an ensemble, the one to keep first in front.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Classes that each member predicts for rows that it was not fitted on.
    y : array-like of shape (n_samples,)
        Their classes.
    rule : {"fitness", "accuracy", "kappa", "hull"}, default="fitness"
        "fitness": by :math:`\alpha\, a / \max a + (1 - \alpha)\, d / \max d`, where :math:`a` is
        the accuracy of a member and :math:`d` its mean Hamming distance from the others, as in
        FitSelect. "accuracy": the best first. "kappa": the members of the pair with the least
        kappa, then of the next pair, and so on. "hull": the members of the pairs on the convex hull
        of kappa against mean error, from the least error to the least kappa, then of the hull of
        what is left. Ties go to the lower member, compared without rounding.
    alpha : float, default=0.5
        For "fitness": the weight of accuracy, from 0 to 1.

    Returns
    -------
    ndarray of int, shape (n_members,)
        Members in order.

    References
    ----------
    H. Elghazel, A. Aussem and F. Perraud (2011), Trading-off diversity and accuracy for optimal
    ensemble tree selection in random forests, in Ensembles in machine learning applications,
    Springer; D. D. Margineantu and T. G. Dietterich (1997), Pruning adaptive boosting, ICML,
    211-218.

    Examples
    --------
    >>> from ensfs.ensemble import order_members
    >>> trees = [[0, 1, 1, 0, 1], [0, 1, 0, 0, 1], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]
    >>> order_members(trees, [0, 1, 1, 0, 1])
    array([2, 3, 1, 0])
    """
    if rule not in ("fitness", "accuracy", "kappa", "hull"):
        raise ValueError(f"rule must be 'fitness', 'accuracy', 'kappa' or 'hull'; got {rule!r}.")
    if not isinstance(alpha, Real) or not 0 <= float(alpha) <= 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    codes, truth, n_classes = _read(predictions, y)
    if rule == "fitness":
        share = Fraction(float(alpha)).limit_denominator(10_000)
        return by_fitness(*accuracy_and_distance(codes, truth, n_classes), share)
    right = (codes == truth).sum(axis=1)
    if rule == "accuracy":
        return np.argsort(-right, kind="stable")
    first, second = np.triu_indices(len(codes), k=1)
    kappa = kappa_matrix(codes, n_classes)[first, second]
    if rule == "kappa":
        order = np.argsort(kappa, kind="stable")
        return _first_seen(np.stack([first[order], second[order]], axis=1).ravel(), len(codes))
    errors = 2 * truth.size - right[first] - right[second]
    return _by_hulls(kappa, errors, first, second, len(codes))


def accuracy_and_distance(
    codes: NDArray, truth: NDArray, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Right predictions of each member, and its Hamming distances from the others, added up."""
    counts = np.stack([(codes == k).sum(axis=0) for k in range(n_classes)])
    same = np.take_along_axis(counts, codes.astype(np.intp), axis=0)  # members that say the same
    distance = (len(codes) - same).sum(axis=1, dtype=np.int64)
    return (codes == truth).sum(axis=1, dtype=np.int64), distance


def by_fitness(
    right: NDArray[np.int64], distance: NDArray[np.int64], alpha: Fraction
) -> NDArray[np.int64]:
    """Members by decreasing fitness, compared as whole numbers; ties to the lower member."""
    return np.argsort(-_whole_fitness(right, distance, alpha), kind="stable")


def fitness(right: NDArray, distance: NDArray, alpha: Fraction) -> NDArray[np.float64]:
    """Fitness of the members, from 0 to 1; a term without any size is 0."""
    largest = np.maximum(right.max(), 1), np.maximum(distance.max(), 1)
    share = float(alpha)
    return share * right / largest[0] + (1 - share) * distance / largest[1]


def _whole_fitness(right: NDArray, distance: NDArray, alpha: Fraction) -> NDArray:
    """The fitness times a whole number, exactly."""
    a_max, d_max = max(1, int(right.max())), max(1, int(distance.max()))
    parts = alpha.numerator, alpha.denominator - alpha.numerator
    dtype: Any = np.int64 if alpha.denominator * a_max * d_max < _EXACT else object
    right, distance = right.astype(dtype), distance.astype(dtype)
    return parts[0] * right * d_max + parts[1] * distance * a_max


def prefix_right(
    codes: NDArray, truth: NDArray, n_classes: int, orders: list[NDArray], n_threads: int = 1
) -> NDArray[np.int64]:
    """Rows that the vote of the first members of each order gets right, for all first members.

    Parameters
    ----------
    codes : ndarray of int, shape (n_members, n_rows)
        Number of the class that each member names.
    truth : ndarray of int, shape (n_rows,)
        Number of the true class.
    n_classes : int
        Number of classes; ties go to the lower one.
    orders : list of ndarray
        Members, equally many in each.
    n_threads : int, default=1
        Orders that are counted at the same time.

    Returns
    -------
    ndarray of shape (n_orders, n_places)
    """
    dtype = np.uint8 if n_classes <= 256 else np.uint16
    votes, y = np.ascontiguousarray(codes, dtype=dtype), truth.astype(dtype)
    n = y.size
    right = np.zeros((len(orders), len(orders[0])), dtype=np.int64)

    def count(start: int, stop: int) -> None:
        counts, winner = np.empty((n, n_classes), dtype=np.int32), np.empty(n, dtype=dtype)
        for i in range(start, stop):
            order = np.ascontiguousarray(orders[i], dtype=np.int64)
            for first, last in ranges_of(0, n, order.size):
                kernel.prefix_votes(
                    votes, order, y, n_classes, first, last, counts, winner, right[i]
                )

    for_blocks(count, len(orders), n_threads, block=1)
    return right


def _by_hulls(
    kappa: NDArray, errors: NDArray, first: NDArray, second: NDArray, n_members: int
) -> NDArray[np.int64]:
    """Members of the pairs on the hull, then of the pairs on the hull of the others."""
    order: list[int] = []
    left = np.ones(n_members, dtype=bool)
    while left.sum() >= 2:
        open_pairs = np.nonzero(left[first] & left[second])[0]
        on_hull = open_pairs[_hull(kappa[open_pairs], errors[open_pairs])]
        for member in np.stack([first[on_hull], second[on_hull]], axis=1).ravel().tolist():
            if left[member]:
                left[member] = False
                order.append(member)
    return np.array([*order, *np.nonzero(left)[0].tolist()], dtype=np.int64)


def _hull(x: NDArray, y: NDArray) -> list[int]:
    """Points on the lower left convex hull, from the least y to the least x."""
    hull: list[int] = []
    for i in np.lexsort((x, y)):  # rising y; of equal ones the least x
        if hull and x[i] >= x[hull[-1]]:
            continue  # a point with less of both is there
        while len(hull) >= 2 and _above(x, y, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(int(i))
    return hull


def _above(x: NDArray, y: NDArray, a: int, b: int, c: int) -> bool:
    """Whether point b does not lie below the line from a to c, which goes left and up."""
    return (x[b] - x[a]) * (y[c] - y[a]) >= (x[c] - x[a]) * (y[b] - y[a])


def _first_seen(members: NDArray, n_members: int) -> NDArray[np.int64]:
    """Each member where it comes first; members in no pair at the end."""
    order = dict.fromkeys([*members.tolist(), *range(n_members)])
    return np.array(list(order), dtype=np.int64)


def _read(predictions: ArrayLike, y: ArrayLike) -> tuple[NDArray, NDArray, int]:
    """Predictions and truth as numbers of classes."""
    votes, truth = np.asarray(predictions), np.asarray(y)
    if votes.ndim != 2 or 0 in votes.shape:
        raise ValueError(
            "predictions must have the shape (n_members, n_samples) and not be empty; got "
            f"{votes.shape}."
        )
    if truth.shape != votes.shape[1:]:
        raise ValueError(
            f"y must have a class for each of the {votes.shape[1]} predicted rows; got the shape "
            f"{truth.shape}."
        )
    for name, labels in (("predictions", votes), ("y", truth)):
        refuse_missing(labels, name)
        refuse_mixed(labels, name)
    classes, codes = np.unique(np.concatenate([votes.ravel(), truth]), return_inverse=True)
    return codes[: votes.size].reshape(votes.shape), codes[votes.size :], classes.size

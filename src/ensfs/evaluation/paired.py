"""Errors of methods on the same data sets, two at a time: relative scores and the sign test."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs.evaluation._predictions import finite_numbers

__all__ = ["SignTest", "relative_scores", "sign_test"]

#: Errors that differ by less than this share of the larger one are tied.
_TIED = 1e-12

#: Standard deviations of the number of wins, for a level of 5 % on both sides.
_DEVIATIONS = 1.96


@dataclass(frozen=True)
class SignTest:
    """On how many data sets one method beats another.

    Attributes
    ----------
    wins, ties, losses : int
        Data sets on which the first error is less, equal, larger.
    needed : int
        Wins, with ties as halves, from which the first is significantly better.
    """

    wins: int
    ties: int
    losses: int
    needed: int

    @property
    def significant(self) -> bool:
        """Whether the first is significantly better."""
        return self.wins + self.ties / 2 >= self.needed


def sign_test(first: ArrayLike, second: ArrayLike) -> SignTest:
    r"""Whether one method has the smaller error on significantly more than half of the data sets.

    Significant, at 5 %, are :math:`\lceil n/2 + 1.96 \sqrt n / 2 \rceil` wins of :math:`n`, where a
    tie is half a win.

    Parameters
    ----------
    first, second : array-like of shape (n_datasets,)
        Errors of both methods on the same data sets.

    Returns
    -------
    SignTest
        Wins, ties and losses of the first.

    See Also
    --------
    friedman_holm : For more than two methods.

    References
    ----------
    J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7, 1-30.

    Examples
    --------
    >>> from ensfs.evaluation import sign_test
    >>> sign_test([0.1, 0.2, 0.1, 0.3], [0.2, 0.3, 0.2, 0.3])
    SignTest(wins=3, ties=1, losses=0, needed=4)
    """
    a, b = finite_numbers(first, "first"), finite_numbers(second, "second")
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise ValueError(
            "first and second must hold an error for each data set, equally many; got the shapes "
            f"{a.shape} and {b.shape}."
        )
    tied = np.abs(a - b) <= _TIED * np.maximum(np.abs(a), np.abs(b))
    wins, ties = int((~tied & (a < b)).sum()), int(tied.sum())
    return SignTest(wins, ties, a.size - wins - ties, wins_needed(a.size))


def wins_needed(n: int) -> int:
    """Wins on n data sets from which a method is significantly better."""
    return ceil(n / 2 + _DEVIATIONS * sqrt(n) / 2)


def relative_scores(errors: ArrayLike) -> NDArray[np.float64]:
    r"""How much less error each method has than each other one, as a share of the larger error.

    The score of method i against j is :math:`(e_j - e_i) / \max(e_i, e_j)`, from -1 to 1, and 0
    where both errors are 0; of several data sets it is the mean.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods) or (n_methods,)
        Errors that are not negative, such as root mean square errors.

    Returns
    -------
    ndarray of shape (n_methods, n_methods)
        Positive where the method of the row is better than that of the column.

    See Also
    --------
    sign_test : Counts data sets only.

    References
    ----------
    C. Pardo, J. J. Rodríguez, J. F. Díez-Pastor and C. García-Osorio (2011), Random oracles for
    regression ensembles, in Ensembles in machine learning applications, Springer.

    Examples
    --------
    >>> from ensfs.evaluation import relative_scores
    >>> relative_scores([1.0, 2.0, 4.0])
    array([[ 0.  ,  0.5 ,  0.75],
           [-0.5 ,  0.  ,  0.5 ],
           [-0.75, -0.5 ,  0.  ]])
    """
    values = np.atleast_2d(finite_numbers(errors, "errors"))
    if values.ndim != 2 or 0 in values.shape or (values < 0).any():
        raise ValueError(
            "errors must have the shape (n_datasets, n_methods) and hold numbers that are not "
            f"negative; got {errors!r}."
        )
    rows, columns = values[:, :, None], values[:, None, :]
    larger = np.maximum(rows, columns)
    scores = np.divide(columns - rows, larger, out=np.zeros(larger.shape), where=larger > 0)
    return scores.mean(axis=0)

"""The error of a vote from the margins of single classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensfs._utils.checks import check_integer
from ensfs.ensemble._margin_weights import lost_vote


def bagging_error(margins: Any, n_estimators: int) -> float:
    """Expected error of the vote of so many classifiers, for two classes.

    A row whose margin is m is voted wrong with the probability that at least half of the
    classifiers, each wrong with probability (1 - m) / 2, are wrong; a tie counts as wrong. With
    margins from rows that classifiers had not seen, one run of bagging predicts the error for any
    number of members.

    Parameters
    ----------
    margins : array-like of shape (n_samples,)
        Probability that a classifier is right minus that it is wrong, for each row; NaN is left
        out.
    n_estimators : int
        Number of classifiers that vote.

    Returns
    -------
    float

    References
    ----------
    Q.-T. Cai, C.-Y. Peng and C.-S. Zhang (2008), A weighted subspace approach for improving bagging
    performance, ICASSP; proposition 2.1.

    Examples
    --------
    >>> from ensfs.evaluation import bagging_error
    >>> round(bagging_error([1 / 2, -1 / 5], 3), 6)
    0.402125
    """
    k = check_integer("n_estimators", n_estimators, 1)
    values = np.asarray(margins, dtype=np.float64).ravel()
    values = values[~np.isnan(values)]
    if not values.size or (np.abs(values) > 1).any():
        raise ValueError(f"margins must hold numbers from -1 to 1; got {margins!r}.")
    return float(lost_vote(values, k).mean())

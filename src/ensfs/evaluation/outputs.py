"""Members that give numbers: how far they differ, and what their mean gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs.evaluation._predictions import finite_numbers

__all__ = ["AmbiguityDecomposition", "ambiguity_decomposition", "output_correlation"]


@dataclass(frozen=True)
class AmbiguityDecomposition:
    """The error of a mean of members: ``ensemble_error == mean_error - ambiguity``.

    Attributes
    ----------
    ensemble_error : float
        Mean squared error of the mean of the members.
    mean_error : float
        Mean of the mean squared errors of the members.
    ambiguity : float
        Mean squared difference of the members from their mean.
    """

    ensemble_error: float
    mean_error: float
    ambiguity: float


def ambiguity_decomposition(
    predictions: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None
) -> AmbiguityDecomposition:
    r"""Error of an average of regressors as the mean error minus the ambiguity.

    For members :math:`V_n` with weights that sum to 1, :math:`\bar V = \sum_n w_n V_n`, and means
    over the rows,

    .. math:: E\,(\bar V - y)^2 = \sum_n w_n \, E\,(V_n - y)^2 - \sum_n w_n \, E\,(V_n - \bar V)^2 ,

    so the average is never worse than its members, and gains as much as they differ.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Numbers that each member predicts.
    y : array-like of shape (n_samples,)
        True numbers.
    weights : array-like of shape (n_members,), optional
        Weights of the members, not negative; they are divided by their sum. None: all alike.

    Returns
    -------
    AmbiguityDecomposition
        The three terms.

    See Also
    --------
    ambiguity : The disagreement of classifiers.

    References
    ----------
    A. Krogh and J. Vedelsby (1995), Neural network ensembles, cross validation, and active
    learning, Advances in Neural Information Processing Systems 7, 231-238.

    Examples
    --------
    >>> from ensfs.evaluation import ambiguity_decomposition
    >>> ambiguity_decomposition([[1.0, 2.0], [3.0, 4.0]], [2.0, 2.0])
    AmbiguityDecomposition(ensemble_error=0.5, mean_error=1.5, ambiguity=1.0)
    """
    values, truth = finite_numbers(predictions, "predictions"), finite_numbers(y, "y")
    if values.ndim != 2 or 0 in values.shape:
        raise ValueError(
            "predictions must have the shape (n_members, n_samples) and not be empty; got "
            f"{values.shape}."
        )
    if truth.shape != values.shape[1:]:
        raise ValueError(
            f"y must have a number for each of the {values.shape[1]} predicted rows; got the shape "
            f"{truth.shape}."
        )
    shares = np.full(len(values), 1 / len(values)) if weights is None else _shares(weights, values)
    mean = shares @ values
    return AmbiguityDecomposition(
        ensemble_error=float(((mean - truth) ** 2).mean()),
        mean_error=float(shares @ ((values - truth) ** 2).mean(axis=1)),
        ambiguity=float(shares @ ((values - mean) ** 2).mean(axis=1)),
    )


def output_correlation(outputs: ArrayLike) -> NDArray[np.float64]:
    """Pearson's correlation of what each two members say.

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples) or (n_members, n_samples, n_classes)
        Numbers, such as scores or the probability of one class, or the probabilities of all
        classes; then the correlation is the mean over the classes for which both members vary. For
        two classes that is the correlation for either.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        NaN for members that say the same of all rows.

    See Also
    --------
    error_correlation : One number, from what members get wrong.

    Examples
    --------
    >>> from ensfs.evaluation import output_correlation
    >>> output_correlation([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.3, 0.2]]).round(2)
    array([[ 1. , -1. ,  0.5],
           [-1. ,  1. , -0.5],
           [ 0.5, -0.5,  1. ]])
    """
    values = finite_numbers(outputs, "outputs")
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise ValueError(
            "outputs must have the shape (n_members, n_samples) or (n_members, n_samples, "
            f"n_classes) and not be empty; got {values.shape}."
        )
    by_class = values[None] if values.ndim == 2 else np.moveaxis(values, 2, 0)
    of_each = np.stack([_correlations(each) for each in by_class])
    known = ~np.isnan(of_each)
    total = np.where(known, of_each, 0.0).sum(axis=0)
    unknown = np.full(total.shape, np.nan)
    return np.divide(total, known.sum(axis=0), out=unknown, where=known.any(axis=0))


def _correlations(values: NDArray) -> NDArray[np.float64]:
    """Correlations of members, NaN with those that do not vary."""
    scale = np.maximum(1.0, np.abs(values).max(axis=1))
    varies = np.ptp(values, axis=1) > 1e-12 * scale
    found = np.full((len(values), len(values)), np.nan)
    # of a size whose squares can be added
    chosen = values[varies] / np.abs(values[varies]).max(axis=1, keepdims=True)
    found[np.ix_(varies, varies)] = np.corrcoef(chosen) if len(chosen) else 0.0
    return found


def _shares(weights: ArrayLike, values: NDArray) -> NDArray[np.float64]:
    given = finite_numbers(weights, "weights")
    if given.shape != (len(values),) or (given < 0).any() or given.sum() <= 0:
        raise ValueError(
            f"weights must hold a number for each of the {len(values)} members, none negative and "
            f"not all 0; got {weights!r}."
        )
    return given / given.sum()

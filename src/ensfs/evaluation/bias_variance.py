"""Bias and variance of predictors that were trained many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs.evaluation._predictions import check_choice, finite_numbers, read_predictions

__all__ = ["BiasVariance", "bias_variance"]


@dataclass(frozen=True)
class BiasVariance:
    """What the error of a predictor consists of, as means over the rows.

    Attributes
    ----------
    error : float
        Expected loss of a model on the response.
    noise : float
        Loss that no model avoids: that of the best constant for each row.
    bias, variance : float
        How far the mean (or most frequent) prediction is from the best one, and how far predictions
        are from their mean (or from the most frequent one).
    systematic_effect, variance_effect : float or None
        What bias and variance cost: ``error == noise + systematic_effect + variance_effect``. None
        for the decomposition of Kohavi and Wolpert, whose three terms have the sum `error`.
    """

    error: float
    noise: float
    bias: float
    variance: float
    systematic_effect: float | None = None
    variance_effect: float | None = None


def bias_variance(
    predictions: ArrayLike,
    y: ArrayLike | None = None,
    *,
    method: str = "james",
    loss: str = "zero_one",
    response: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    unbiased: bool = False,
    sample_weight: ArrayLike | None = None,
) -> BiasVariance:
    r"""Split the error of a predictor into noise, bias and variance.

    Let :math:`P^Y_i` be the probability of class :math:`i` in a row, :math:`P^{\hat Y}_i` the share
    of the models that predict it, and :math:`SY, S\hat Y` the most probable and the most predicted
    class. By James,

    .. math:: \mathrm{noise} = 1 - P^Y_{SY}, \quad SE = P^Y_{SY} - P^Y_{S\hat Y}, \quad
              VE = P^Y_{S\hat Y} - \sum_i P^Y_i P^{\hat Y}_i,

    bias is :math:`[S\hat Y \ne SY]` and variance :math:`1 - P^{\hat Y}_{S\hat Y}`. The systematic
    effect `SE` and the variance effect `VE` are what these two cost; `VE` is negative where models
    are right by accident. By Kohavi and Wolpert,

    .. math:: \mathrm{bias} = \tfrac12 \sum_i (P^Y_i - P^{\hat Y}_i)^2, \quad
              \mathrm{variance} = \tfrac12 \Bigl(1 - \sum_i (P^{\hat Y}_i)^2\Bigr), \quad
              \mathrm{noise} = \tfrac12 \Bigl(1 - \sum_i (P^Y_i)^2\Bigr).

    Parameters
    ----------
    predictions : array-like of shape (n_models, n_samples)
        What each of several models, trained on different samples, predicts for the same rows.
    y : array-like of shape (n_samples,), optional
        True classes, or true numbers with the squared loss. Not needed beside `response`.
    method : {"james", "kohavi_wolpert"}, default="james"
        Whose decomposition.
    loss : {"zero_one", "squared"}, default="zero_one"
        Classes, or numbers; the squared loss is James' definition with means.
    response : array-like of shape (n_samples, n_classes), optional
        Probability of each class in each row, in the order of `classes`. None: the class in `y` is
        certain, so that there is no noise.
    classes : array-like of shape (n_classes,), optional
        All classes; by default those that are predicted or true, sorted. Ties go to the first.
    unbiased : bool, default=False
        For Kohavi and Wolpert: take off the bias what a finite number of models adds to it,
        :math:`P^{\hat Y}_i (1 - P^{\hat Y}_i) / (R - 1)` for each class and :math:`R` models; the
        three terms then no longer have the sum `error`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in the means.

    Returns
    -------
    BiasVariance
        The terms.

    See Also
    --------
    SubsampledCV : Splits that train many models and predict every row equally often.

    References
    ----------
    G. M. James (2003), Variance and bias for general loss functions, Machine Learning 51, 115-135;
    R. Kohavi and D. H. Wolpert (1996), Bias plus variance decomposition for zero-one loss
    functions, International Conference on Machine Learning, 275-283.

    Examples
    --------
    >>> from ensfs.evaluation import bias_variance
    >>> models = [["a", "b", "b"], ["a", "a", "b"], ["a", "b", "a"]]
    >>> found = bias_variance(models, ["a", "a", "a"])
    >>> round(found.error, 3), round(found.systematic_effect, 3), round(found.variance_effect, 3)
    (0.444, 0.667, -0.222)
    """
    check_choice("method", method, ("james", "kohavi_wolpert"))
    check_choice("loss", loss, ("zero_one", "squared"))
    if loss == "squared":
        if method != "james" or response is not None or classes is not None:
            raise ValueError(
                "loss='squared' must go with method='james', without response and classes."
            )
        return _squared(predictions, y, sample_weight)
    if y is None and (response is None or classes is None):
        raise ValueError("y must be given, or response with classes; got neither.")
    codes, labels, truth = read_predictions(predictions, y, classes=classes)
    n_models, n_rows = codes.shape
    if unbiased and (method != "kohavi_wolpert" or n_models < 2):
        raise ValueError(
            "unbiased=True must go with method='kohavi_wolpert' and at least two models; got "
            f"{method!r} and {n_models}."
        )
    shares = np.stack([(codes == k).mean(axis=0) for k in range(labels.size)], axis=1)
    if response is None:
        certain = np.eye(labels.size)[truth]
    else:
        certain = _response(response, (n_rows, labels.size))
    row_weights = _row_weights(sample_weight, n_rows)
    error = 1 - (certain * shares).sum(axis=1)
    if method == "james":
        terms = _james(certain, shares)
    else:
        terms = _kohavi_wolpert(certain, shares, n_models if unbiased else None)
    means = {name: float(row_weights @ values) for name, values in terms.items()}
    return BiasVariance(error=float(row_weights @ error), **means)


def _james(response: NDArray, shares: NDArray) -> dict[str, NDArray]:
    """Terms of each row; `response` and `shares` have a column for each class."""
    rows = np.arange(len(shares))
    best, usual = response.argmax(axis=1), shares.argmax(axis=1)
    of_usual = response[rows, usual]
    return {
        "noise": 1 - response[rows, best],
        "bias": (usual != best).astype(float),
        "variance": 1 - shares[rows, usual],
        "systematic_effect": response[rows, best] - of_usual,
        "variance_effect": of_usual - (response * shares).sum(axis=1),
    }


def _kohavi_wolpert(response: NDArray, shares: NDArray, n_models: int | None) -> dict[str, NDArray]:
    """Terms of each row; `n_models` to take off the bias what so many models add to it."""
    squares = (response - shares) ** 2
    if n_models is not None:
        squares -= shares * (1 - shares) / (n_models - 1)
    return {
        "noise": (1 - (response**2).sum(axis=1)) / 2,
        "bias": squares.sum(axis=1) / 2,
        "variance": (1 - (shares**2).sum(axis=1)) / 2,
    }


def _squared(predictions: ArrayLike, y: Any, sample_weight: Any) -> BiasVariance:
    """James' decomposition of the squared loss, without noise."""
    if y is None:
        raise ValueError("y must be given for loss='squared'; got None.")
    values, truth = finite_numbers(predictions, "predictions"), finite_numbers(y, "y")
    if values.ndim != 2 or 0 in values.shape or truth.shape != values.shape[1:]:
        raise ValueError(
            "predictions must have the shape (n_models, n_samples) with the rows of y; got the "
            f"shapes {values.shape} and {truth.shape}."
        )
    row_weights = _row_weights(sample_weight, truth.size)
    mean = values.mean(axis=0)
    systematic = float(row_weights @ (mean - truth) ** 2)
    variance = float(row_weights @ ((values - mean) ** 2).mean(axis=0))
    error = float(row_weights @ ((values - truth) ** 2).mean(axis=0))
    return BiasVariance(error, 0.0, systematic, variance, systematic, variance)


def _response(response: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    given = finite_numbers(response, "response")
    if given.shape != shape:
        raise ValueError(
            f"response must have a row for each of {shape[0]} rows and a column for each of "
            f"{shape[1]} classes; got the shape {given.shape}. Pass all classes as classes=."
        )
    if (given < 0).any() or not np.allclose(given.sum(axis=1), 1, atol=1e-6, rtol=0):
        raise ValueError("response must hold probabilities whose sum is 1 in every row.")
    return given


def _row_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    """Shares of the rows in a mean."""
    if sample_weight is None:
        return np.full(n_rows, 1 / n_rows)
    given = finite_numbers(sample_weight, "sample_weight")
    if given.shape != (n_rows,) or (given < 0).any() or given.sum() <= 0:
        raise ValueError(
            f"sample_weight must hold a number for each of the {n_rows} rows, none negative and "
            f"not all 0; got the shape {given.shape}."
        )
    return given / given.sum()

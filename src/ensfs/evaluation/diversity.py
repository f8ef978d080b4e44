"""How much the members of an ensemble differ, and what averaging them gains."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs._utils.checks import check_integer
from ensfs._utils.warn import warn_user
from ensfs.data.labels import not_classes, refuse_masked, refuse_missing, refuse_mixed
from ensfs.evaluation._predictions import check_base, read_predictions, rectangular

__all__ = ["ambiguity", "bayes_error_estimate", "error_correlation", "error_reduction"]


def error_correlation(
    outputs: ArrayLike, y: ArrayLike, *, classes: ArrayLike | None = None, of: str = "errors"
) -> float:
    r"""Mean correlation of the errors of the members of an ensemble (the :math:`\delta` of Eq. 4).

    The error of member :math:`m` for class :math:`i` at a row is its output minus what it should
    be, :math:`\eta_i^m(x) = f_i^m(x) - [y(x) = i]`. With :math:`\delta_i` the mean of Pearson's
    correlation of :math:`\eta_i^m` and :math:`\eta_i^k` over all pairs of members and :math:`P_i`
    the share of class :math:`i` in `y`,

    .. math:: \delta = \sum_i P_i \, \delta_i .

    Parameters
    ----------
    outputs : array-like of shape (n_members, n_samples, n_classes) or (n_members, n_samples)
        What each member says of each row: class probabilities, as ``predict_proba`` gives them, or
        predicted labels, which count as outputs of 0 and 1.
    y : array-like of shape (n_samples,)
        True classes, of rows that the members were not trained on.
    classes : array-like of shape (n_classes,), optional
        Classes of the last axis of `outputs`. The default is the sorted classes of `y`, or of `y`
        and the labels.
    of : {"errors", "outputs"}, default="errors"
        Correlate the errors, or the outputs themselves.

    Returns
    -------
    float
        From :math:`-1/(N-1)` for :math:`N` members that vary to 1. A member whose error for a class
        is the same at all rows has no correlation there: its pairs are left out, and so is a class
        without any pair. NaN, with a warning, when nothing is left.

    Raises
    ------
    ValueError
        With fewer than two members, shapes that do not fit, values that are not finite, missing
        classes in `y`, or labels that are no classes: not in `classes`, numbers where `y` holds
        text or the other way round, or fractions that `y` does not hold.

    See Also
    --------
    error_reduction : What this correlation leaves of the error.
    ambiguity : How far the predicted labels disagree.

    References
    ----------
    Tumer and Ghosh (1996), Error correlation and error reduction in ensemble classifiers,
    Connection Science 8, 385-404; Tumer and Oza (2003), Input decimated ensembles, Pattern Analysis
    and Applications 6, 65-77.

    Examples
    --------
    >>> from ensfs.evaluation import error_correlation
    >>> y = [0, 0, 1, 1]
    >>> first = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.1, 0.9]]
    >>> second = [[0.8, 0.2], [0.9, 0.1], [0.4, 0.6], [0.1, 0.9]]
    >>> round(error_correlation([first, second], y), 3)
    0.762
    """
    if of not in ("errors", "outputs"):
        raise ValueError(f"of must be 'errors' or 'outputs'; got {of!r}.")
    refuse_masked(y, "y")
    truth = np.asarray(y)
    if truth.ndim != 1 or truth.size == 0:
        raise ValueError(f"y must be one-dimensional and not empty; got the shape {truth.shape}.")
    refuse_missing(truth, "y")
    refuse_mixed(truth, "y")
    values, labels = _outputs(outputs, truth, classes)
    indicator = truth[:, None] == labels[None, :]
    errors = values - indicator if of == "errors" else values

    shares = indicator.mean(axis=0)
    by_class = np.array([_mean_correlation(errors[:, :, i]) for i in range(labels.size)])
    known = ~np.isnan(by_class) & (shares > 0)
    if not known.any():
        warn_user(
            f"The correlation of the {of} is not defined: in no class of y do two members vary "
            "over the rows."
        )
        return math.nan
    return float(np.average(by_class[known], weights=shares[known]))


def error_reduction(correlation: float, n_members: int) -> float:
    r"""Share of the error of one member that is left after averaging (Eq. 4).

    With equal variances and mean correlation :math:`\delta` of the errors of :math:`N` members, the
    error added to that of the Bayes classifier is multiplied by

    .. math:: \frac{1 + \delta (N - 1)}{N} .

    Parameters
    ----------
    correlation : float
        :math:`\delta`, from :math:`-1/(N-1)` to 1; see :func:`error_correlation`.
    n_members : int
        :math:`N`, at least 1; without members that do not vary, which have no correlation.

    Returns
    -------
    float
        From 0 to 1; 1 when the members err together, :math:`1/N` when their errors are
        uncorrelated.

    References
    ----------
    Tumer and Ghosh (1996), Error correlation and error reduction in ensemble classifiers,
    Connection Science 8, 385-404.

    Examples
    --------
    >>> from ensfs.evaluation import error_reduction
    >>> error_reduction(0.9, 4)
    0.925
    >>> round(error_reduction(0.1, 8), 4)
    0.2125
    """
    check_integer("n_members", n_members, 1)
    least = -1 / (n_members - 1) if n_members > 1 else -1.0
    if not isinstance(correlation, Real) or not least - 1e-12 <= correlation <= 1 + 1e-12:
        raise ValueError(
            f"correlation must lie between {least:.6g} and 1 for {n_members} members; got "
            f"{correlation!r}. Members that do not vary have none and must not be counted."
        )
    return max(0.0, float((1 + correlation * (n_members - 1)) / n_members))


def bayes_error_estimate(
    member_error: float, ensemble_error: float, correlation: float, n_members: int
) -> float:
    r"""Error that no classifier can avoid, from what averaging gains (Eq. 4).

    Averaging reduces what an error is above the Bayes error to a share :math:`r`, that of
    `error_reduction`. From the error of a member :math:`E` and that of the ensemble
    :math:`E_{ave}` follows

    .. math:: E_{Bayes} = \frac{E_{ave} - r E}{1 - r} .

    Parameters
    ----------
    member_error : float
        Mean error of the members, from 0 to 1, on rows that they were not trained on.
    ensemble_error : float
        Error of their average on the same rows.
    correlation : float
        Correlation of their errors; see :func:`error_correlation`.
    n_members : int
        Number of members, at least 2.

    Returns
    -------
    float
        The estimate, not cut at 0: below 0 the ensemble gains more than the formula allows, as
        errors of small samples and members that are not equally good do. NaN, with a warning, for a
        correlation of 1, which gains nothing.

    See Also
    --------
    error_reduction : The share :math:`r`.

    References
    ----------
    K. Tumer and N. C. Oza (2003), Input decimated ensembles, Pattern Analysis and Applications 6,
    65-77; footnote 2.

    Examples
    --------
    >>> from ensfs.evaluation import bayes_error_estimate
    >>> round(bayes_error_estimate(0.12, 0.09, 0.1, 4), 4)
    0.0756
    """
    check_integer("n_members", n_members, 2)
    for name, error in (("member_error", member_error), ("ensemble_error", ensemble_error)):
        if not isinstance(error, Real) or not 0 <= error <= 1:
            raise ValueError(f"{name} must lie between 0 and 1; got {error!r}.")
    left = error_reduction(correlation, n_members)
    if left >= 1:
        warn_user(
            "Members that err together gain nothing, so they tell nothing of the Bayes error."
        )
        return math.nan
    return float((ensemble_error - left * member_error) / (1 - left))


def ambiguity(predictions: ArrayLike, *, base: float = 2.0) -> float:
    r"""Mean entropy of the votes of the members: how far an ensemble disagrees with itself.

    With :math:`P_k(x)` the share of the members that say :math:`k` for row :math:`x` of :math:`M`,

    .. math:: A = -\frac{1}{M} \sum_x \sum_k P_k(x) \log P_k(x) .

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Labels of any type that each member predicts; the true classes are not needed.
    base : float, default=2.0
        Base of the logarithm: 2 gives bits, the number of classes gives at most 1.

    Returns
    -------
    float
        0 when all members agree on every row, at most the logarithm of the number of classes.

    References
    ----------
    Cunningham and Carney (2000), Diversity versus quality in classification ensembles based on
    feature selection, European Conference on Machine Learning, 109-116.

    Examples
    --------
    >>> from ensfs.evaluation import ambiguity
    >>> ambiguity([["a", "b", "b"], ["a", "b", "a"]])
    0.3333333333333333
    """
    check_base(base)
    codes, labels, _ = read_predictions(predictions)
    shares = np.stack([(codes == k).mean(axis=0) for k in range(labels.size)])
    logarithms = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    # + 0.0: a sum of zeros must not come out as -0.0
    return float(-(shares * logarithms).sum(axis=0).mean() / math.log(base) + 0.0)


def _outputs(outputs, truth, classes) -> tuple[NDArray, NDArray]:
    """Outputs (members, rows, classes) as numbers, and the classes of their last axis."""
    values = rectangular(outputs, "outputs")
    if values.ndim not in (2, 3) or len(values) < 2:
        raise ValueError(
            "outputs must hold at least two members, with the shape (n_members, n_samples, "
            f"n_classes) or, for labels, (n_members, n_samples); got {values.shape}."
        )
    if values.shape[1] != truth.size:
        raise ValueError(f"outputs must have the {truth.size} rows of y; got {values.shape[1]}.")
    given = None if classes is None else np.asarray(classes)
    if given is not None:
        refuse_missing(given, "classes")
        refuse_mixed(given, "classes")
        if given.ndim != 1 or np.unique(given).size != given.size:
            raise ValueError("classes must be one-dimensional and name each class once.")
    if given is not None and (unknown := not_classes(truth, truth, given)):
        raise ValueError(f"classes must hold all classes of y; {unknown} are missing.")
    if values.ndim == 2:
        return _indicators(values, truth, given)
    labels = np.unique(truth) if given is None else given
    if values.shape[2] != labels.size:
        raise ValueError(
            f"outputs must have the {labels.size} classes {labels.tolist()} on their last axis; "
            f"got {values.shape[2]}. Pass the classes of this axis as classes=."
        )
    try:
        if np.iscomplexobj(values):
            raise TypeError("Probabilities must not be complex.")
        values = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("outputs must be numbers if they have an axis for the classes.") from error
    if not np.isfinite(values).all():
        raise ValueError("outputs must be finite; got missing or infinite values.")
    return values, labels


def _indicators(votes: NDArray, truth: NDArray, classes: NDArray | None) -> tuple[NDArray, NDArray]:
    """Labels (members, rows) as outputs of 0 and 1, and the classes of their last axis."""
    refuse_missing(votes, "outputs")
    unknown = not_classes(votes, truth, classes)
    if unknown:
        raise ValueError(
            f"outputs of the shape (n_members, n_samples) are labels, but {unknown[0]!r} is not a "
            "class; probabilities need the shape (n_members, n_samples, n_classes)."
        )
    if classes is None:
        classes = np.unique(np.concatenate([truth, votes.ravel()]))
    return (votes[:, :, None] == classes).astype(np.float64), classes


def _mean_correlation(errors: NDArray) -> float:
    """Mean of Pearson's correlation over pairs of rows of `errors` that vary."""
    scale = np.maximum(1.0, np.abs(errors).max(axis=1))
    varying = errors[np.ptp(errors, axis=1) > 1e-12 * scale]
    if len(varying) < 2:
        return math.nan
    # of a size whose squares can be added
    correlation = np.corrcoef(varying / np.abs(varying).max(axis=1, keepdims=True))
    return float(correlation[np.triu_indices(len(varying), k=1)].mean())

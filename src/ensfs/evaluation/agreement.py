"""How far members that predict classes agree, how much they are wrong, and what a vote gains."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensfs._utils.agreement import agreement_matrix
from ensfs._utils.combine import vote_shares
from ensfs.evaluation._predictions import check_base, check_choice, read_predictions

__all__ = ["agreement", "conditional_entropy_loss", "ensemble_gain"]


def agreement(predictions: ArrayLike) -> NDArray[np.float64]:
    r"""Share of the rows on which each two members of an ensemble say the same.

    With :math:`c_i(x)` the class that member :math:`i` predicts for row :math:`x` of :math:`M`,

    .. math:: s_{ij} = \frac{1}{M} \sum_x [c_i(x) = c_j(x)] .

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Labels of any type that each member predicts.

    Returns
    -------
    ndarray of shape (n_members, n_members)
        From 0 to 1; 1 on the diagonal. The mean of one minus the entries above the diagonal is the
        diversity of the ensemble by Ho (1998).

    See Also
    --------
    ambiguity : One number for the whole ensemble, which grows with the number of members.

    References
    ----------
    T. K. Ho (1998), The random subspace method for constructing decision forests, IEEE Transactions
    on Pattern Analysis and Machine Intelligence 20, 832-844.

    Examples
    --------
    >>> from ensfs.evaluation import agreement
    >>> agreement([["a", "b", "b", "a"], ["a", "b", "a", "a"]])
    array([[1.  , 0.75],
           [0.75, 1.  ]])
    """
    codes, labels, _ = read_predictions(predictions)
    return agreement_matrix(codes, labels.size)


def conditional_entropy_loss(
    predictions: ArrayLike, y: ArrayLike, *, given: str = "true", base: float = 2.0
) -> float | NDArray[np.float64]:
    r"""What is not known of one of prediction and truth when the other is given.

    With :math:`P` the shares of the rows,

    .. math:: E = -\sum_{\hat c, c} P(\hat c, c) \log P(\hat c \mid c)

    is the entropy of the prediction given the true class, the loss with which the disagreement of
    an ensemble was found to predict its gain. It is 0 for a member that says the same of every row,
    and for one that takes two classes for each other. With ``given="predicted"`` the conditional
    probability is :math:`P(c \mid \hat c)`, and the loss is 0 only if the prediction determines the
    class.

    Parameters
    ----------
    predictions : array-like of shape (n_samples,) or (n_members, n_samples)
        Labels that one member, or each member, predicts.
    y : array-like of shape (n_samples,)
        True classes.
    given : {"true", "predicted"}, default="true"
        What is given: the true class, or the predicted one.
    base : float, default=2.0
        Base of the logarithm.

    Returns
    -------
    float or ndarray of shape (n_members,)
        The loss, from 0 to the logarithm of the number of classes.

    See Also
    --------
    ensemble_gain : What a vote gains by this loss.

    References
    ----------
    Cunningham and Carney (2000), Diversity versus quality in classification ensembles based on
    feature selection, European Conference on Machine Learning, 109-116. Its equation 7 lacks the
    minus sign.

    Examples
    --------
    >>> from ensfs.evaluation import conditional_entropy_loss
    >>> y = [0, 1, 1, 1]
    >>> round(conditional_entropy_loss([0, 0, 1, 1], y), 3)
    0.689
    >>> conditional_entropy_loss([1, 0, 0, 0], y), conditional_entropy_loss([0, 0, 0, 0], y)
    (0.0, 0.0)
    """
    check_base(base)
    check_choice("given", given, ("true", "predicted"))
    alone = np.ndim(predictions) == 1
    codes, labels, truth = read_predictions([predictions] if alone else predictions, y)
    losses = _entropy_losses(codes, truth, labels.size, given, base)
    return float(losses[0]) if alone else losses


def ensemble_gain(
    predictions: ArrayLike,
    y: ArrayLike,
    *,
    loss: str = "error",
    given: str = "true",
    base: float = 2.0,
) -> float:
    """What a vote gains: the mean loss of the members minus the loss of their majority.

    Parameters
    ----------
    predictions : array-like of shape (n_members, n_samples)
        Labels that each member predicts. Most votes win; of equally many the first label in sorted
        order.
    y : array-like of shape (n_samples,)
        True classes.
    loss : {"error", "conditional_entropy"}, default="error"
        The share of wrong predictions, or `conditional_entropy_loss`.
    given : {"true", "predicted"}, default="true"
        What is given in the conditional entropy.
    base : float, default=2.0
        Base of its logarithm.

    Returns
    -------
    float
        Above 0 if the vote is better than its members on average.

    See Also
    --------
    ambiguity : The disagreement that goes with it.

    References
    ----------
    Cunningham and Carney (2000), Diversity versus quality in classification ensembles based on
    feature selection, European Conference on Machine Learning, 109-116.

    Examples
    --------
    >>> from ensfs.evaluation import ensemble_gain
    >>> members = [[0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 0, 1]]
    >>> ensemble_gain(members, [0, 1, 1, 1])
    0.25
    """
    check_base(base)
    check_choice("loss", loss, ("error", "conditional_entropy"))
    check_choice("given", given, ("true", "predicted"))
    codes, labels, truth = read_predictions(predictions, y)
    vote = vote_shares(codes, labels.size).argmax(axis=1)
    both = np.vstack([codes, vote])
    if loss == "error":
        losses = (both != truth).mean(axis=1)
    else:
        losses = _entropy_losses(both, truth, labels.size, given, base)
    return float(losses[:-1].mean() - losses[-1])


def _entropy_losses(
    codes: NDArray, truth: NDArray, n_classes: int, given: str, base: float
) -> NDArray[np.float64]:
    """Conditional entropy of each member, from the table of its predictions and the truth."""
    losses = np.empty(len(codes))
    for m, predicted in enumerate(codes):
        first, second = (predicted, truth) if given == "true" else (truth, predicted)
        counts = np.bincount(first * n_classes + second, minlength=n_classes**2)
        joint = counts.reshape(n_classes, n_classes).astype(float)
        shares = joint / np.maximum(joint.sum(axis=0), 1.0)
        logarithms = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
        losses[m] = -(joint * logarithms).sum() / truth.size / math.log(base) + 0.0
    return losses

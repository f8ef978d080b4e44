"""The gate of a mixture: weights of its parts that are a softmax of linear functions of the row."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

#: Rounds of EM, and the relative gain of the likelihood below which it stops.
_EM_ROUNDS, _EM_GAIN = 20, 1e-9

#: An objective and its gradient.
Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]


class Gate(NamedTuple):
    """Coefficients and intercepts of each part, of shapes (n_parts, n_columns) and (n_parts,)."""

    coef: np.ndarray
    intercept: np.ndarray

    def log_weights(self, Z: np.ndarray) -> np.ndarray:
        """Logarithms of the weights of the parts for each row; the weights sum to one."""
        return log_softmax(Z @ self.coef.T + self.intercept, axis=1)


def log_density(outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Logarithm of exp(-|t - o|^2 / 2), how well an output o fits the target t; classes last."""
    return -0.5 * ((targets - outputs) ** 2).sum(axis=-1)


def posteriors(log_prior: np.ndarray, log_fit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log-likelihood of each row in a mixture, and the share that each part has in it.

    Parameters
    ----------
    log_prior, log_fit : ndarray of shape (n_rows, n_parts)
        Logarithms of the weights of the parts, and of how well they fit the row.

    Returns
    -------
    log_likelihood : ndarray of shape (n_rows,)
    shares : ndarray of shape (n_rows, n_parts)
        They sum to one in each row.
    """
    joint = log_prior + log_fit
    total = logsumexp(joint, axis=1)
    return total, np.exp(joint - total[:, None])


def descend(objective: Objective, start: np.ndarray, max_iter: int) -> tuple[np.ndarray, list]:
    """Where L-BFGS ends, and the objective at the start and after each of its steps."""
    curve = [objective(start)[0]]
    found = minimize(
        objective, start, jac=True, method="L-BFGS-B", options={"maxiter": max_iter},
        callback=lambda place: curve.append(objective(place)[0]),
    )  # fmt: skip
    return found.x, curve


def fit_gate(
    Z: np.ndarray,
    log_fit: np.ndarray,
    weight: np.ndarray,
    *,
    alpha: float,
    max_iter: int,
    method: str = "lbfgs",
) -> tuple[Gate, list]:
    """The gate under which a mixture of given parts is most likely.

    The objective is the mean over the rows of ``-log(sum_j g_j(z) f_j)``, plus the penalty; its
    gradient is, for part j, the mean of (g_j - h_j) z, with h the shares of `posteriors`.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        What the gate sees.
    log_fit : ndarray of shape (n_rows, n_parts)
        Logarithms f of how well each part fits each row.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    alpha : float
        Penalty on the squared coefficients, in units of one row.
    max_iter : int
        Most steps of L-BFGS; with "em" in each round.
    method : {"lbfgs", "em"}
        At once, or alternating between the shares and a regression of the shares on the columns.

    Returns
    -------
    gate : Gate
    curve : list of float
        The objective at the start and after each step or round. It never rises.
    """
    shape = log_fit.shape[1], Z.shape[1]
    place = np.zeros(shape[0] * (shape[1] + 1))
    whole = _objective(Z, weight, shape, alpha, lambda log_g: posteriors(log_g, log_fit))
    if method == "lbfgs":
        place, curve = descend(whole, place, max_iter)
        return _unpacked(place, shape), curve
    curve = [whole(place)[0]]
    for _ in range(_EM_ROUNDS):
        shares = posteriors(_unpacked(place, shape).log_weights(Z), log_fit)[1]
        # the regression starts where it stands, so that a round cannot make things worse
        place, _ = descend(_regression(Z, weight, shape, alpha, shares), place, max_iter)
        curve.append(whole(place)[0])
        if curve[-2] - curve[-1] <= _EM_GAIN * abs(curve[-2]):
            break
    return _unpacked(place, shape), curve


def _regression(
    Z: np.ndarray, weight: np.ndarray, shape: tuple[int, int], alpha: float, shares: np.ndarray
) -> Objective:
    """Multinomial regression of shares that are kept fixed."""
    return _objective(Z, weight, shape, alpha, lambda log_g: ((shares * log_g).sum(axis=1), shares))


def _objective(
    Z: np.ndarray, weight: np.ndarray, shape: tuple[int, int], alpha: float, gain: Callable
) -> Objective:
    """Mean penalised loss of packed coefficients.

    `gain` gives, from the logarithms of the gate, what each row adds, and the shares of its parts.
    """
    total = weight.sum()

    def evaluate(place: np.ndarray) -> tuple[float, np.ndarray]:
        gate = _unpacked(place, shape)
        log_g = gate.log_weights(Z)
        gained, shares = gain(log_g)
        excess = weight[:, None] * (np.exp(log_g) - shares)
        of_coef = excess.T @ Z + alpha * gate.coef
        loss = -(weight @ gained) + 0.5 * alpha * (gate.coef**2).sum()
        return loss / total, np.concatenate([of_coef.ravel(), excess.sum(axis=0)]) / total

    return evaluate


def _unpacked(place: np.ndarray, shape: tuple[int, int]) -> Gate:
    return Gate(place[: -shape[0]].reshape(shape), place[-shape[0] :])

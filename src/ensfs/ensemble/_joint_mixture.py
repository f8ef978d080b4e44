"""A mixture of small networks under two layers of gates, all fitted together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from ensfs.ensemble._gate import Gate, descend, log_density, posteriors


class Sizes(NamedTuple):
    """How many modules, experts in each, columns, hidden units and classes there are."""

    modules: int
    experts: int
    columns: int
    hidden: int
    classes: int

    def shapes(self) -> Iterator[tuple[int, ...]]:
        """Shapes of the arrays of a `JointMixture`."""
        J, E, p = self.modules, self.modules * self.experts, self.columns
        yield from ((J, p), (J,), (E, p), (E,))
        yield from ((E, p, self.hidden), (E, 1, self.hidden))
        yield from ((E, self.hidden, self.classes), (E, 1, self.classes))


class Expert(NamedTuple):
    """One of the networks, by itself: two layers of weights."""

    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    def predict_proba(self, Z: np.ndarray) -> np.ndarray:
        """Probability of every class for standardized rows, of shape (n_rows, n_classes)."""
        hidden = np.tanh(np.asarray(Z) @ self.hidden_weights + self.hidden_bias)
        return softmax(hidden @ self.output_weights + self.output_bias, axis=1)

    def predict(self, Z: np.ndarray) -> np.ndarray:
        """Number of the most probable class."""
        return self.predict_proba(Z).argmax(axis=1)


class JointMixture(NamedTuple):
    """The gate of the modules, the gates of their experts, and the two layers of the experts.

    Experts are numbered module by module. The gates of all modules are one array, an expert a row.
    """

    coef: np.ndarray
    intercept: np.ndarray
    expert_coef: np.ndarray
    expert_intercept: np.ndarray
    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray

    def log_gates(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of the weights of the modules, and of the experts within their modules."""
        experts = self.expert_coef.reshape(len(self.coef), -1, Z.shape[1])
        intercepts = self.expert_intercept.reshape(experts.shape[:2])
        within = [
            Gate(c, b).log_weights(Z) for c, b in zip(experts, intercepts, strict=True)
        ]  # fmt: skip
        return Gate(self.coef, self.intercept).log_weights(Z), np.stack(within, axis=1)

    def layers(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the hidden units and the outputs of the experts are, each (experts, rows, units)."""
        hidden = np.tanh(Z @ self.hidden_weights + self.hidden_bias)
        return hidden, softmax(hidden @ self.output_weights + self.output_bias, axis=2)

    def experts(self) -> list[Expert]:
        """The experts one by one."""
        layers = self.hidden_weights, self.hidden_bias, self.output_weights, self.output_bias
        return [Expert(*parts) for parts in zip(*layers, strict=True)]


def random_start(sizes: Sizes, rng: np.random.Generator) -> JointMixture:
    """Gates that prefer nobody, and networks with small random weights."""
    arrays = [np.zeros(shape) for shape in sizes.shapes()]
    for i in (4, 6):
        limit = np.sqrt(6 / sum(arrays[i].shape[1:]))
        arrays[i] = rng.uniform(-limit, limit, size=arrays[i].shape)
    return JointMixture(*arrays)


def fit_joint_mixture(
    Z: np.ndarray,
    targets: np.ndarray,
    weight: np.ndarray,
    start: JointMixture,
    *,
    alpha: float,
    max_iter: int,
) -> tuple[JointMixture, list]:
    """Descend from a start.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        What gates and experts see.
    targets : ndarray of shape (n_rows, n_classes)
        1 for the class of the row, 0 for the others.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    start : JointMixture
        Where to begin.
    alpha : float
        Penalty on all squared coefficients, in units of one row.
    max_iter : int
        Most steps of L-BFGS.

    Returns
    -------
    mixture : JointMixture
    curve : list of float
        The loss at the start and after each step.
    """
    shapes = [each.shape for each in start]

    def objective(place: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = loss_and_gradient(_unpack(place, shapes), Z, targets, weight, alpha)
        return loss, np.concatenate([each.ravel() for each in gradient])

    place, curve = descend(objective, np.concatenate([each.ravel() for each in start]), max_iter)
    return _unpack(place, shapes), curve


def _unpack(place: np.ndarray, shapes: list[tuple[int, ...]]) -> JointMixture:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(place, ends[:-1])
    return JointMixture(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))


def loss_and_gradient(
    model: JointMixture, Z: np.ndarray, targets: np.ndarray, weight: np.ndarray, alpha: float
) -> tuple[float, JointMixture]:
    """Mean penalised loss, and its derivative by each array.

    With g the gates, o_e the outputs of expert e of module i, and shares h (`posteriors`), the
    derivatives are -h_e (t - o_e) by the output, (g_i - h_i) z by the gate of the modules and
    (h_i g_e - h_e) z by those of the experts.
    """
    n, total = len(Z), weight.sum()
    of_modules, within = model.log_gates(Z)
    hidden, outputs = model.layers(Z)
    log_prior = (of_modules[:, :, None] + within).reshape(n, -1)
    gained, shares = posteriors(log_prior, log_density(outputs, targets).T)
    weighted = weight[:, None] * shares
    by_module = weighted.reshape(within.shape).sum(axis=2)

    of_gate = weight[:, None] * np.exp(of_modules) - by_module
    of_experts = (by_module[:, :, None] * np.exp(within)).reshape(n, -1) - weighted
    by_output = weighted.T[:, :, None] * (outputs - targets)
    by_sum = outputs * (by_output - (outputs * by_output).sum(axis=2, keepdims=True))
    by_hidden = (by_sum @ model.output_weights.transpose(0, 2, 1)) * (1 - hidden**2)
    gradient = JointMixture(
        of_gate.T @ Z + alpha * model.coef,
        of_gate.sum(axis=0),
        of_experts.T @ Z + alpha * model.expert_coef,
        of_experts.sum(axis=0),
        Z.T @ by_hidden + alpha * model.hidden_weights,
        by_hidden.sum(axis=1, keepdims=True),
        hidden.transpose(0, 2, 1) @ by_sum + alpha * model.output_weights,
        by_sum.sum(axis=1, keepdims=True),
    )
    penalty = 0.5 * alpha * sum((each**2).sum() for each in model[::2])
    loss = (penalty - weight @ gained) / total
    return loss, JointMixture(*(each / total for each in gradient))

"""Hierarchical mixtures of experts: by random prototypes, or with gates that all learn."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from ensfs._utils.docs import with_docs
from ensfs._utils.members import aligned_proba, child_seeds
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import HasMethods, Interval, StrOptions, fit_context
from ensfs.data.columns import RawColumns
from ensfs.ensemble._distances import MixedScaler, squared_distances
from ensfs.ensemble._fit import Task, check_takes_weights, fit_members
from ensfs.ensemble._gate import Gate, fit_gate, log_density
from ensfs.ensemble._joint_mixture import JointMixture, Sizes, fit_joint_mixture, random_start
from ensfs.ensemble._mixture import (
    MIXTURE_CONSTRAINTS,
    MIXTURE_DOCS,
    N_HIDDEN,
    Mixture,
    Network,
)
from ensfs.ensemble._prototype_weights import PROTOTYPE_WEIGHTS


@with_docs(MIXTURE_DOCS)
class PrototypeMixtureClassifier(Mixture):
    r"""Groups of experts around random prototypes, and a gate that mixes the groups.

    Every group draws a training row for each of its experts, its prototype. An expert learns all
    rows, with weights that fall with their distance to the prototype, and has the same weight when
    a new row is predicted. Nothing is learned about who is responsible for what within a group;
    only the gate that mixes the groups learns.

    Parameters
    ----------
    estimator : classifier, optional
        The experts. They get standardized columns and must take sample weights. None is a network
        with one hidden layer of 10 units.
    {n_modules, n_experts}
    weights : {"dynamic", "static"}, default="dynamic"
        Weights of the experts of a group. "dynamic" falls with the distance d,
        :math:`(1 - d_i / \sum_m d_m) / (n - 1)`: parts overlap. "static" is fixed by the rank,
        :math:`n / (1 + \dots + n)` for the nearest of n: it changes at borders between parts.
    gate_fit : {"lbfgs", "em"}, default="lbfgs"
        How the gate learns: its likelihood is climbed at once, or in rounds, each of which finds
        the share of every group in every row, and regresses the shares on the columns.
    {alpha, max_iter}
    random_state : int, RandomState instance or Generator, optional
        Draws the prototypes, and seeds the experts.
    n_jobs : int, optional
        Experts that are fitted at a time; None is one, -1 all cores. The result does not depend on
        it.
    {verbose}

    Attributes
    ----------
    prototypes_ : ndarray of shape (n_modules, n_experts, n_coordinates)
        The prototypes, in coordinates in which columns of numbers go from 0 to 1 and levels of text
        are one unit apart. Groups are smaller if fewer rows differ.
    experts_ : list of lists of classifiers
        The experts of each group. They predict the numbers of the classes.
    {gate_coef_, gate_intercept_, loss_curve_, n_iter_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    HierarchicalMixtureClassifier : Learns who is responsible for what.
    RandomOracleClassifier : Only the expert of the nearest prototype is asked.

    Notes
    -----
    Integer weights are the same as repeated rows.

    References
    ----------
    G. Armano and N. Hatami (2011), Hierarchical mixture of random prototype-based experts, in:
    Ensembles in Machine Learning Applications.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import PrototypeMixtureClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = PrototypeMixtureClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> model.expert_weights(X).shape
    (178, 2, 2)
    """

    _parameter_constraints: dict = {
        **MIXTURE_CONSTRAINTS,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "weights": [StrOptions(set(PROTOTYPE_WEIGHTS))],
        "gate_fit": [StrOptions({"lbfgs", "em"})],
    }

    def __init__(
        self, estimator=None, *, n_modules=2, n_experts=2, weights="dynamic", gate_fit="lbfgs",
        alpha=1e-4, max_iter=200, random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_modules = n_modules
        self.n_experts = n_experts
        self.weights = weights
        self.gate_fit = gate_fit
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Draw the prototypes, fit the experts, then the gate.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        expert = self._expert()
        check_takes_weights(expert)
        rows = self._read_rows(X, y, sample_weight)
        self._of_distances = PROTOTYPE_WEIGHTS[self.weights]
        of_prototypes, of_experts = child_seeds(self.random_state, 2)
        self._places = MixedScaler().fit(rows.columns)
        points = self._places.transform(rows.columns)[rows.first]
        self.prototypes_ = self._draw(np.unique(points, axis=0), of_prototypes)
        within = self._within(points)
        n_modules, n_experts = self.prototypes_.shape[:2]
        weights = (rows.weight[:, None, None] * within).reshape(len(points), -1)
        tasks = [
            Task(seed, weight=weight)
            for seed, weight in zip(of_experts.spawn(weights.shape[1]), weights.T, strict=True)
        ]
        fitted = fit_members(expert, tasks, rows.Z, rows.codes, n_jobs=self.n_jobs)
        self.experts_ = [fitted[j * n_experts : (j + 1) * n_experts] for j in range(n_modules)]
        outputs = (within[..., None] * self._outputs(rows.Z)).sum(axis=2)
        self._fit_gate(rows, outputs)
        return self

    def _expert(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return Network(
            (N_HIDDEN,), activation="tanh", solver="lbfgs", alpha=self.alpha, max_iter=self.max_iter
        )

    def _draw(self, distinct: np.ndarray, seed: np.random.SeedSequence) -> np.ndarray:
        """Prototypes of each module, distinct within it."""
        n = min(self.n_experts, len(distinct))
        drawn = [
            np.random.default_rng(child).choice(len(distinct), size=n, replace=False)
            for child in seed.spawn(self.n_modules)
        ]
        return distinct[np.array(drawn)]

    def _within(self, points: np.ndarray) -> np.ndarray:
        """Weights of the experts of each module, of shape (rows, modules, experts)."""
        distances = [np.sqrt(squared_distances(points, each)) for each in self.prototypes_]
        return np.stack([self._of_distances(each) for each in distances], axis=1)

    def _outputs(self, Z: np.ndarray) -> np.ndarray:
        """Probabilities of each expert, of shape (rows, modules, experts, classes)."""
        every = np.arange(self.classes_.size)
        modules = [
            np.stack([aligned_proba(expert, Z, every) for expert in module], axis=1)
            for module in self.experts_
        ]
        return np.stack(modules, axis=1)

    def _fit_gate(self, rows: Any, outputs: np.ndarray) -> None:
        """Learn which module fits which rows, from what the modules say of the training rows."""
        targets = np.eye(self.classes_.size)[rows.codes]
        log_fit = log_density(outputs, targets[:, None])
        gate = Gate(np.zeros((1, rows.Z.shape[1])), np.zeros(1))
        curve: list[float] = []
        if self.n_modules > 1:
            with threadpool_limits(1, "blas"):
                gate, curve = fit_gate(
                    rows.Z, log_fit, rows.weight,
                    alpha=self.alpha, max_iter=self.max_iter, method=self.gate_fit,
                )  # fmt: skip
        self.gate_coef_, self.gate_intercept_ = gate
        self.loss_curve_, self.n_iter_ = curve, len(curve)

    def _mix(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        columns, Z = self._points(X)
        gate = np.exp(Gate(self.gate_coef_, self.gate_intercept_).log_weights(Z))
        return gate, self._within(self._places.transform(columns)), self._outputs(Z)

    def _points(self, X: Any) -> tuple[RawColumns, np.ndarray]:
        columns, values = self._read_both(X, reset=False)
        return columns, self._scaler.transform(values)


@with_docs(MIXTURE_DOCS)
class HierarchicalMixtureClassifier(Mixture):
    r"""Groups of networks under two layers of gates, all of which learn together.

    A gate in each group divides the rows softly among its networks, and another divides them among
    the groups. The likelihood of the training rows,
    :math:`\sum_i g_i \sum_j g_{j|i} \exp(-\|t - o_{ij}\|^2 / 2)`, is climbed from random weights
    of the networks: a network learns from a row as much as its share in this sum.

    Parameters
    ----------
    n_hidden : int, default=10
        Units in the hidden layer of each network.
    {n_modules, n_experts, alpha, max_iter}
    n_starts : int, default=1
        Descents from different random weights; the one that ends lowest is kept.
    random_state : int, RandomState instance or Generator, optional
        For the random weights.
    n_jobs : int, optional
        Descents at a time; None is one, -1 all cores. The result does not depend on it.
    {verbose}

    Attributes
    ----------
    {gate_coef_, gate_intercept_}
    expert_gate_coef_ : ndarray of shape (n_modules, n_experts, n_columns)
        Coefficients of the gates of the experts.
    expert_gate_intercept_ : ndarray of shape (n_modules, n_experts)
        Their intercepts.
    experts_ : list of lists of experts
        The networks of each group. Their `predict_proba` takes standardized columns, and they
        predict the numbers of the classes.
    coefs_ : list of two ndarrays
        Weights of the two layers of the networks, of shapes (n_modules, n_experts, n_columns,
        n_hidden) and (n_modules, n_experts, n_hidden, n_classes).
    intercepts_ : list of two ndarrays
        Their intercepts.
    {loss_curve_, n_iter_, classes_, n_features_in_, feature_names_in_}

    See Also
    --------
    PrototypeMixtureClassifier : Distances to random rows take the place of most gates.

    Notes
    -----
    Integer weights are the same as repeated rows.

    References
    ----------
    M. I. Jordan and R. A. Jacobs (1994), Hierarchical mixtures of experts and the EM algorithm,
    Neural Computation 6, 181-214.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ensfs import HierarchicalMixtureClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> model = HierarchicalMixtureClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    _parameter_constraints: dict = {
        **MIXTURE_CONSTRAINTS,
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "n_starts": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, n_hidden=10, *, n_modules=2, n_experts=2, alpha=1e-4, max_iter=200, n_starts=1,
        random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        self.n_hidden = n_hidden
        self.n_modules = n_modules
        self.n_experts = n_experts
        self.alpha = alpha
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X, y=None, sample_weight=None):
        """Fit gates and networks together.

        Parameters
        ----------
        {X, y, sample_weight}

        Returns
        -------
        self : object
            The fitted classifier.
        """
        rows = self._read_rows(X, y, sample_weight)
        n_classes = self.classes_.size
        sizes = Sizes(
            self.n_modules, self.n_experts, rows.Z.shape[1], self.n_hidden, n_classes
        )  # fmt: skip
        targets = np.eye(n_classes)[rows.codes]
        starts = [
            random_start(sizes, np.random.default_rng(seed))
            for seed in child_seeds(self.random_state, self.n_starts)
        ]
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_descend)(rows.Z, targets, rows.weight, start, self.alpha, self.max_iter)
            for start in starts
        )
        ends = list(counted("descending", len(starts), work))
        self._mixture, self.loss_curve_ = min(ends, key=lambda end: end[1][-1])
        self.n_iter_ = len(self.loss_curve_)
        self._name_parts(self._mixture)
        return self

    def _name_parts(self, mixture: JointMixture) -> None:
        """Set the attributes that show what was learned."""
        shape = (self.n_modules, self.n_experts)
        self.gate_coef_, self.gate_intercept_ = mixture.coef, mixture.intercept
        self.expert_gate_coef_ = mixture.expert_coef.reshape(*shape, -1)
        self.expert_gate_intercept_ = mixture.expert_intercept.reshape(shape)
        every = mixture.experts()
        self.experts_ = [
            every[j * self.n_experts : (j + 1) * self.n_experts] for j in range(self.n_modules)
        ]
        weights = (mixture.hidden_weights, mixture.output_weights)
        biases = (mixture.hidden_bias, mixture.output_bias)
        self.coefs_ = [each.reshape(*shape, *each.shape[1:]) for each in weights]
        self.intercepts_ = [each.reshape(*shape, -1) for each in biases]

    def _mix(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        Z = self._scaler.transform(self._read(X, reset=False))
        gate, within = self._mixture.log_gates(Z)
        outputs = self._mixture.layers(Z)[1].swapaxes(0, 1)
        return np.exp(gate), np.exp(within), outputs.reshape(*within.shape, -1)


def _descend(
    Z: np.ndarray, targets: np.ndarray, weight: np.ndarray, start: JointMixture, alpha: float,
    max_iter: int,
) -> tuple[JointMixture, list]:  # fmt: skip
    """A descent on one core, so that sums do not depend on the number of jobs."""
    with threadpool_limits(1, "blas"):
        return fit_joint_mixture(Z, targets, weight, start, alpha=alpha, max_iter=max_iter)

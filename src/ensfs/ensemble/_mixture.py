"""What mixtures of experts share: reading, the mixed opinion, and the network of an expert."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from ensfs._utils.docs import CLASSIFIER_DOCS, read_descriptions, with_docs
from ensfs._utils.exponents import Standardizer
from ensfs._utils.members import MostProbableMixin
from ensfs._utils.sklearn import Interval
from ensfs.data.columns import RawColumns
from ensfs.data.target import make_classes
from ensfs.ensemble._one_hot import NumberReader
from ensfs.ensemble._reading import read_weights

#: Hidden units of an expert that is not given.
N_HIDDEN = 10

#: Sums of weights stay below; beyond, single rows would be lost in them.
_MOST_WEIGHT = 2.0**53

MIXTURE_DOCS = CLASSIFIER_DOCS | read_descriptions("""
X : array-like or data frame of shape (n_samples, n_features)
    The table. Text and categories become a column of zeros and ones for each level.
n_modules : int, default=2
    Groups of experts. A gate that learns mixes them; one group needs none.
n_experts : int, default=2
    Experts in each group.
alpha : float, default=0.0001
    Penalty on squared coefficients, as in scikit-learn's `MLPClassifier`.
max_iter : int, default=200
    Most steps of each descent (L-BFGS).
gate_coef_ : ndarray of shape (n_modules, n_columns)
    Coefficients of the gate of the groups, on standardized columns.
gate_intercept_ : ndarray of shape (n_modules,)
    Its intercepts.
loss_curve_ : list of float
    What is minimised, at the start and after each step: the mean of minus the logarithm of the
    likelihood of a row, ``sum_i g_i exp(-|t - o_i|^2 / 2)``, and the penalty. It never rises.
n_iter_ : int
    Length of `loss_curve_`.
""")

MIXTURE_CONSTRAINTS: dict = {
    "n_modules": [Interval(Integral, 1, None, closed="left")],
    "n_experts": [Interval(Integral, 1, None, closed="left")],
    "alpha": [Interval(Real, 0, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state", np.random.Generator],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
}


class Rows(NamedTuple):
    """Distinct training rows: of which table, standardized, numbers of classes, and weights.

    Attributes
    ----------
    columns : RawColumns
        The columns of the table, of all rows that have a weight.
    first : ndarray of int
        Where each distinct row is first found there.
    """

    columns: RawColumns
    first: np.ndarray
    Z: np.ndarray
    codes: np.ndarray
    weight: np.ndarray


class Network(MLPClassifier):
    """scikit-learn's network on one core, which does not warn when it stops before it is done."""

    def fit(self, X, y, sample_weight=None):
        """Fit the network."""
        with warnings.catch_warnings(), threadpool_limits(1, "blas"):
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit(X, y, sample_weight=sample_weight)


@with_docs(MIXTURE_DOCS)
class Mixture(MostProbableMixin, NumberReader, BaseEstimator):
    """Experts in groups, and a gate that mixes the groups."""

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """What is learned from; equal rows of a class are one whose weights are added."""
        columns, values = self._read_both(X, reset=True)
        target = make_classes(y, len(values), self)
        labels = target.classes[target.codes]
        check_classification_targets(labels)
        weight = np.ones(len(values))
        if sample_weight is not None:
            weight = read_weights(sample_weight, len(values))
            if weight.sum() >= _MOST_WEIGHT:
                raise ValueError(
                    f"sample_weight must add up to less than 2**53; got {weight.sum():.6g}. Scale "
                    "the weights."
                )
        kept = np.flatnonzero(weight)
        columns, values = self._without_levels(X, columns, values, kept)
        labels, weight = labels[kept], weight[kept]
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least 2 classes; got {self.classes_.size} class."
            )
        _, first, which = np.unique(
            np.column_stack([values, codes]), axis=0, return_index=True, return_inverse=True
        )
        together = np.bincount(which.ravel(), weight)
        self._scaler = Standardizer().fit(values[first], sample_weight=together)
        return Rows(columns, first, self._scaler.transform(values[first]), codes[first], together)

    @abstractmethod
    def _mix(self, X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights of modules, weights of experts in them, and outputs of the experts.

        Their shapes are (rows, modules), (rows, modules, experts) and
        (rows, modules, experts, classes).
        """

    def gate(self, X):
        """How much each group of experts counts.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_modules)
            Weights, which sum to one for each row.
        """
        check_is_fitted(self)
        return self._mix(X)[0]

    def expert_weights(self, X):
        """How much each expert counts within its group.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_modules, n_experts)
            Weights, which sum to one for each row and group.
        """
        check_is_fitted(self)
        return self._mix(X)[1]

    def predict_proba(self, X):
        """Probability of every class: the mean over the experts by the weights of both layers.

        Parameters
        ----------
        {X}

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        gate, within, outputs = self._mix(X)
        return ((gate[:, :, None] * within)[..., None] * outputs).sum(axis=(1, 2))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

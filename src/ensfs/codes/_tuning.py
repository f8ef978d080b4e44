"""A classifier with the two parameters of a support vector machine chosen for its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from ensfs.codes._base import dealt_folds
from ensfs.codes._evolution import Search, evolve

#: Exponents of 2 of C and gamma: the least and the largest, and those of the grid.
_RANGES = ((-5.0, 15.0), (-15.0, 3.0))
_GRID = ((-5, 0, 5, 10, 15), (-15.0, -10.5, -6.0, -1.5, 3.0))

#: Bits of a parameter, and the size of the genetic search.
_N_BITS, _POPULATION, _GENERATIONS, _PATIENCE = 16, 20, 10, 4


def _has(method: str) -> Any:
    """Whether what is tuned has a method."""
    return available_if(lambda self: hasattr(self.estimator, method))


class TunedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose C and gamma have the least error in two folds, by a grid or by genes."""

    def __init__(self, estimator, search="grid", *, random_state=None):
        self.estimator = estimator
        self.search = search
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Choose the parameters and fit on all rows."""
        names = parameter_names(self.estimator)
        folds = dealt_folds(np.unique(y, return_inverse=True)[1], 2)
        errors: dict[tuple[float, float], float] = {}

        def error_of(exponents: tuple[float, float]) -> float:
            if exponents not in errors:
                model = self._with(names, exponents)
                errors[exponents] = two_fold_error(model, X, y, folds, sample_weight)
            return errors[exponents]

        if self.search == "grid":
            tried = [(float(u), v) for u in _GRID[0] for v in _GRID[1]]
        else:
            tried = self._evolved(error_of)
        best = min(tried, key=lambda exponents: (error_of(exponents), exponents))
        self.best_params_ = dict(zip(names, (2.0 ** best[0], 2.0 ** best[1]), strict=True))
        self.best_estimator_ = _fitted(self._with(names, best), X, y, sample_weight)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _with(self, names: Sequence[str], exponents: tuple[float, float]) -> Any:
        values = {name: 2.0**exponent for name, exponent in zip(names, exponents, strict=True)}
        return clone(self.estimator).set_params(**values)

    def _evolved(self, error_of: Any) -> list[tuple[float, float]]:
        """The exponents that a genetic search ends with."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))

        def evaluate(strings: Sequence[np.ndarray]) -> list[Any]:
            return [(error_of(exponents_of(bits)), exponents_of(bits)) for bits in strings]

        search = Search(
            2 * _N_BITS, evaluate, population=_POPULATION, islands=1, generations=_GENERATIONS,
            patience=_PATIENCE, gain_of=lambda value: value[0],
        )  # fmt: skip
        return [evolve(search, rng).value[1]]

    def predict(self, X):
        """The class of each row."""
        return self.best_estimator_.predict(X)

    @_has("decision_function")
    def decision_function(self, X):
        """The margin of each row."""
        return self.best_estimator_.decision_function(X)

    @_has("predict_proba")
    def predict_proba(self, X):
        """The probabilities of each row."""
        return self.best_estimator_.predict_proba(X)


def parameter_names(estimator: Any) -> tuple[str, str]:
    """Names of C and gamma of an estimator or of a step of it."""
    names = sorted(estimator.get_params(deep=True))
    found = [[n for n in names if n.split("__")[-1] == wanted] for wanted in ("C", "gamma")]
    if any(len(each) != 1 for each in found):
        raise ValueError(
            "tune needs an estimator with one parameter C and one parameter gamma, such as an SVC; "
            f"got {estimator!r}."
        )
    return found[0][0], found[1][0]


def exponents_of(bits: np.ndarray) -> tuple[float, float]:
    """Exponents of 2 of the two parameters from their bits, most significant first."""
    numbers = bits.reshape(2, _N_BITS).astype(np.int64) @ (1 << np.arange(_N_BITS)[::-1])
    least, most = np.array(_RANGES).T
    u, v = least + numbers / (2**_N_BITS - 1) * (most - least)
    return float(u), float(v)


def two_fold_error(
    model: Any, X: np.ndarray, y: np.ndarray, folds: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """Weight of the rows that models of the other fold are wrong about."""
    error = 0.0
    for fold in range(2):
        seen, other = folds != fold, folds == fold
        predicted = y[seen][:1]  # where one class is left, it is what is predicted
        if len(np.unique(y[seen])) == 2:
            of_seen = None if weight is None else weight[seen]
            predicted = _fitted(clone(model), X[seen], y[seen], of_seen).predict(X[other])
        wrong = predicted != y[other]
        error += float(wrong.sum() if weight is None else weight[other][wrong].sum())
    return error


def _fitted(model: Any, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
    """The fitted model, which gets weights only if there are any."""
    return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)

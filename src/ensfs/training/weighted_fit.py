"""Weights for estimators that are fitted inside others."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn import config_context
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def weights_for(estimator: Any, weight: Any) -> dict[str, Any]:
    """Weights as arguments of `fit` of an estimator, or an error if it takes none.

    The last step of a pipeline gets those of the pipeline.
    """
    if weight is None:
        return {}
    name, last = "sample_weight", estimator
    while isinstance(last, Pipeline):
        step, last = last.steps[-1]
        name = f"{step}__{name}"
    if not _takes_weights(last):
        raise ValueError(
            f"sample_weight must be None for {type(last).__name__}, whose fit does not take it."
        )
    return {name: weight}


def _takes_weights(estimator: Any) -> bool:
    """Whether `fit` has such a parameter, or hands what it is given to another estimator."""
    parameters = inspect.signature(estimator.fit).parameters.values()
    hands_on = any(each.kind == inspect.Parameter.VAR_KEYWORD for each in parameters)
    return hands_on or has_fit_parameter(estimator, "sample_weight")


def fit_weighted(estimator: Any, X: Any, y: Any, weight: Any, routed: bool = False) -> Any:
    """Fit an estimator, with weights if there are any.

    Parameters
    ----------
    estimator : estimator
        It is fitted, and returned.
    X, y : object
        The table and the target.
    weight : array-like or None
        Weights of the rows.
    routed : bool, default=False
        Whether the estimator routes them on by the requests of what is inside it.
    """
    if weight is None:
        return estimator.fit(X, y)
    if routed:
        return estimator.fit(X, y, sample_weight=weight)
    with config_context(enable_metadata_routing=False):  # it is said here who gets them
        return estimator.fit(X, y, **weights_for(estimator, weight))


def score_weighted(
    scorer: Any, estimator: Any, X: Any, y: Any, weight: Any, routed: bool = False
) -> float:
    """Score a fitted estimator, with weights if there are any; see `fit_weighted`."""
    if weight is None:
        return scorer(estimator, X, y)
    if routed:
        return scorer(estimator, X, y, sample_weight=weight)
    with config_context(enable_metadata_routing=False):
        return scorer(estimator, X, y, sample_weight=weight)

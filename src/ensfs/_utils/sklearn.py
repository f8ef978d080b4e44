"""The only place that imports private names of scikit-learn."""

from collections.abc import Callable
from typing import Any

from sklearn.base import _fit_context
from sklearn.externals._arff import ArffException
from sklearn.externals._arff import load as load_arff
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions
from sklearn.utils._set_output import _get_output_config

from ensfs._utils.progress import listening_fit, whole_fit

__all__ = [
    "ArffException",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "check_parameters",
    "fit_context",
    "load_arff",
    "output_of",
]


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Callable], Callable]:
    """What every `fit` is decorated with: checked parameters, progress, and all or nothing."""
    checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return lambda fit: whole_fit(checked(listening_fit(fit)))


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator whose `fit`, which would do it, is not called."""
    estimator._validate_params()


def output_of(transformer: Any) -> str:
    """What `transform` is to give, by `set_output` or by the configuration of scikit-learn."""
    return _get_output_config("transform", transformer)["dense"]

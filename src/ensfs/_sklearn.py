"""The only place that imports private names of scikit-learn."""

from collections.abc import Callable

from sklearn.base import _fit_context
from sklearn.externals._arff import ArffException
from sklearn.externals._arff import load as load_arff
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions

from ensfs._progress import listening_fit, whole_fit

__all__ = [
    "ArffException",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "StrOptions",
    "fit_context",
    "load_arff",
]


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Callable], Callable]:
    """What every `fit` is decorated with: checked parameters, progress, and all or nothing."""
    checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return lambda fit: whole_fit(checked(listening_fit(fit)))

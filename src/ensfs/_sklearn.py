"""The only place that imports private names of scikit-learn."""

from sklearn.base import _fit_context as fit_context
from sklearn.externals._arff import ArffException
from sklearn.externals._arff import load as load_arff
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

__all__ = [
    "ArffException",
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "load_arff",
]

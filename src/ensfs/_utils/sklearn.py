"""The only module that uses private names of scikit-learn.

`tests/utils/test_sklearn.py` looks for such names everywhere else in the package. Exempt are the
hooks that scikit-learn asks subclasses to define (`_parameter_constraints`, `_get_support_mask`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.base import _fit_context
from sklearn.externals._arff import ArffException
from sklearn.externals._arff import load as load_arff
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.metaestimators import _BaseComposition

from ensfs._utils.progress import atomic_fit, listening

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Does nothing: this scikit-learn has no callbacks."""

    def with_callbacks(method: Callable) -> Callable:
        """Return the method unchanged."""
        return method


__all__ = [
    "ArffException",
    "CallbackSupportMixin",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "NamedMembersMixin",
    "NotebookSummaryMixin",
    "StrOptions",
    "check_parameters",
    "fit_context",
    "load_arff",
    "output_of",
    "own_metadata_request",
    "select_supported",
]


class NamedMembersMixin(_BaseComposition):
    """Parameters of members that are given as pairs (name, estimator), and of their own."""

    def params_with_members(self, attribute: str, deep: bool) -> dict[str, Any]:
        """Own parameters and, with `deep`, those of the members in `attribute`."""
        return self._get_params(attribute, deep=deep)

    def set_params_with_members(self, attribute: str, params: dict[str, Any]) -> None:
        """Set own parameters and those of the members in `attribute`."""
        self._set_params(attribute, **params)

    def check_member_names(self, names: list[str]) -> None:
        """Raise an error if names are not unique, or are those of parameters."""
        self._validate_names(names)


def own_metadata_request(estimator: Any) -> Any:
    """The metadata that an estimator asks for itself, not for what is inside of it."""
    return estimator._get_metadata_request()


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Callable], Callable]:
    """Decorator of every `fit`: checks the parameters, reports progress, all or nothing."""
    checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)
    return lambda fit: atomic_fit(with_callbacks(checked(fit_with_callbacks(fit))))


def fit_with_callbacks(fit: Callable) -> Callable:
    """The innermost layer of a fit: opens the callback context inside of `with_callbacks`."""

    @wraps(fit)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        is_set = any(hasattr(self, name) for name in ("_skl_callbacks", "_parent_callback_ctx"))
        if not (is_set and isinstance(self, CallbackSupportMixin)):
            return fit(self, *args, **kwargs)
        with listening([CallbackListener(self)], keep_outer=True):
            return fit(self, *args, **kwargs)

    return wrapper


class CallbackListener:
    """Passes the events of a fit on to the callbacks of the estimator."""

    def __init__(self, estimator: Any):
        self.estimator = estimator
        self.root = estimator._init_callback_context(task_name="fit", max_subtasks=None)

    def open(self) -> None:
        """The fit begins."""
        self.root.call_on_fit_task_begin(estimator=self.estimator)

    def begin(self, name: str, total: int | None) -> Any:
        """A task of `total` steps begins; the handle is its context."""
        context = self.root.subcontext(task_name=name, max_subtasks=total)
        return context.call_on_fit_task_begin(estimator=self.estimator)

    def advance(self, handle: Any) -> None:
        """One step of the task is done: a context of its own."""
        step = handle.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        step.call_on_fit_task_end(estimator=self.estimator)

    def end(self, handle: Any) -> None:
        """The task is done."""
        handle.call_on_fit_task_end(estimator=self.estimator)

    def close(self, done: bool) -> None:
        """The fit is over; scikit-learn closes the contexts of a fit that raised."""
        if done:
            self.root.call_on_fit_task_end(estimator=self.estimator)


def check_parameters(estimator: Any) -> None:
    """Check the parameters of an estimator whose `fit`, which would do it, is not called."""
    estimator._validate_params()


def output_of(transformer: Any) -> str:
    """Container that `transform` returns: by `set_output`, else by scikit-learn's configuration."""
    return _get_output_config("transform", transformer)["dense"]


def select_supported(selector: SelectorMixin, X: Any) -> Any:
    """The selected columns of a table without checks; a warning if nothing was selected."""
    return SelectorMixin._transform(selector, X)


class NotebookSummaryMixin:
    """Appends `_notebook_summary` to the diagram of an estimator in notebooks."""

    def _notebook_summary(self) -> str:
        """HTML that was made here, with all text from data escaped."""
        return ""

    def _repr_html_inner(self) -> str:
        return super()._repr_html_inner() + self._notebook_summary()  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._notebook_summary()
        return bundle

"""What Ctrl-C can leave changed in a process, put back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")


class GlobalState(NamedTuple):
    """Settings that context managers of other libraries change for a while.

    `warnings.catch_warnings`, which scikit-learn enters for every piece of parallel work, and
    `numpy.errstate` leave their own settings behind if Ctrl-C comes while they begin or end.
    """

    filters: Any
    errors: Mapping[str, Any]

    @classmethod
    def now(cls) -> GlobalState:
        """The settings at this moment."""
        return cls(warnings.filters, np.geterr())

    def restore(self) -> None:
        """Put the settings back."""
        np.seterr(**self.errors)
        if warnings.filters is not self.filters:
            warnings.filters = self.filters
            with warnings.catch_warnings():  # makes the change known
                pass


def keeps_settings(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate what computes outside of a fit: Ctrl-C leaves these settings as they were."""

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        before = GlobalState.now()
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt:
            before.restore()
            raise

    return wrapper

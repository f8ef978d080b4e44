"""Attributes that are computed on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class lazy_property(Generic[Value]):  # noqa: N801  used as a decorator, like property
    """A property computed on first use and then stored in the instance, without a lock.

    Up to Python 3.11 `functools.cached_property` holds one lock for all instances of a class. A
    process that is forked while another thread holds it would wait for it forever in the child.
    Here two threads that need the value at the same time may both compute it, so the function must
    depend on nothing but the instance and have no side effects.

    Parameters
    ----------
    function : callable
        Computes the value from the instance.
    """

    def __init__(self, function: Callable[[Any], Value]):
        self._function = function
        self.__doc__ = function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        """Compute the value; later reads find it in the instance and never come here."""
        if instance is None:
            return self  # type: ignore[return-value]  # the property itself, as for `property`
        return instance.__dict__.setdefault(self._name, self._function(instance))

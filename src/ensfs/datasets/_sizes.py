"""Sizes of the sets that are made."""

from __future__ import annotations

from numbers import Integral


def check_integer(name: str, value: object, least: int) -> None:
    """Raise an error that names the size, unless it is an integer and large enough."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")

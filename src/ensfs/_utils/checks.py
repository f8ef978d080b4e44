"""Checks of arguments that many functions share."""

from __future__ import annotations

from numbers import Integral, Real


def check_integer(name: str, value: object, least: int) -> int:
    """The value as an int; an error that names the argument if it is not one, or too small."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}.")
    return int(value)


def check_open_share(name: str, value: object) -> float:
    """The value as a float; an error that names the argument unless it is between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1; got {value!r}.")
    return float(value)

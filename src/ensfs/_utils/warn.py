"""Warnings that point to the line of the user."""

from __future__ import annotations

import inspect
import warnings

#: What lies between the line of a user and a warning: this package, and what runs its fits.
_BETWEEN = {"ensfs", "sklearn", "joblib"}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into the package, however many layers lie between.

    A number of layers would be wrong as soon as a wrapper is added. ``skip_file_prefixes`` does
    much the same, from Python 3.12 on.
    """
    level, frame = 1, inspect.currentframe()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)

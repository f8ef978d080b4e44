"""Warnings that point to the user's line."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

#: Packages whose frames are skipped when locating the user's line.
SKIPPED_PACKAGES = {"ensfs", "sklearn", "joblib"}

#: Held while filters of warnings are changed in a thread.
_FILTERS = Lock()


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called into the package, however many frames lie between.

    A fixed `stacklevel` would be wrong as soon as a wrapper is added. From Python 3.12 on,
    ``skip_file_prefixes`` does much the same.
    """
    level, frame = 1, inspect.currentframe()
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in SKIPPED_PACKAGES:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore all warnings; one thread at a time, because their filters belong to the process."""
    with _FILTERS, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield

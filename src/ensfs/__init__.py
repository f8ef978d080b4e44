"""Feature selection with ensembles, fast.

The public names are those of `ensfs._public`. They are imported together on first use, because the
imports of scikit-learn and SciPy take seconds and the command line reports bad arguments without.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ensfs._public import *  # noqa: F403

__version__ = version("ensfs")


def __getattr__(name: str) -> Any:
    """Import the public names; `__all__` is one of them."""
    if not name.startswith("__") or name == "__all__":
        public = import_module("ensfs._public")
        listed = getattr(public, "__all__", [])  # nothing while this thread is importing it
        globals().update({each: getattr(public, each) for each in listed})
        if name in listed:
            return globals()[name]
        if name == "__all__":
            return listed
    raise AttributeError(f"module 'ensfs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]

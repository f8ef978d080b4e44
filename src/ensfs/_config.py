"""What is installed here and how it runs: for bug reports and for the curious."""

import os
import platform
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version

import joblib

from ensfs._core import dispatch

REQUIRED = ("numpy", "scipy", "scikit-learn", "narwhals", "joblib")
OPTIONAL = (
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "rich",
    "networkx",
    "dask",
)


def show_versions() -> None:
    """Print the versions of ensfs and of all it may use: paste it into a report.

    See Also
    --------
    show_config : How the compiled core runs on this machine.

    Examples
    --------
    >>> import ensfs
    >>> ensfs.show_versions()
    ensfs            ...
    python           3...
    """
    _print_table(versions() | {"platform": platform.platform(), **config()})


def show_config() -> None:
    """Print how the compiled core runs on this machine.

    The kernels exist for several instruction sets, and the best one is chosen when the
    package is imported. All of them give the same results to the last bit. The
    environment variable ``ENSFS_SIMD`` (``generic``, ``avx2`` or ``avx512``), set
    before the import, asks for a particular one.

    See Also
    --------
    show_versions : The same, together with the versions of all packages.

    Examples
    --------
    >>> import ensfs
    >>> ensfs.show_config()
    instruction set  ...
    """
    _print_table(config())


def versions() -> dict[str, str]:
    """Version of each package; optional ones that are absent are left out."""
    found = {"ensfs": version("ensfs"), "python": sys.version.replace("\n", " ")}
    found |= {name: version(name) for name in REQUIRED}
    for name in OPTIONAL:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def config() -> dict[str, str]:
    """Instruction sets, cores and the kind of interpreter."""
    return {
        "instruction set": dispatch.level(),
        "best for machine": dispatch.best(),
        "ENSFS_SIMD": os.environ.get("ENSFS_SIMD", "not set"),
        "cores": str(joblib.cpu_count()),
        "interpreter": _interpreter(),
    }


def _interpreter() -> str:
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "with a global lock"
    is_locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    return "free-threaded, lock " + ("on" if is_locked else "off")


def _print_table(rows: dict[str, str]) -> None:
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:{width}} {value}")

"""What a measurement was made on: processor, cores, versions, date. No names of hosts or people."""

import datetime
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "ensfs", "numpy", "scipy", "scikit-learn", "mrmrs", "mrmr-selection", "feature-engine",
    "fastcan", "skfeature-chappers", "fcbf", "ITMO_FS", "pymrmr", "pgmpy", "causal-learn",
    "pyCausalFS", "boruta", "pandas", "polars",
)  # fmt: skip


def describe():
    """Return the machine and the versions as a dictionary."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor():
    info = Path("/proc/cpuinfo")
    fields = {}
    if info.exists():
        for line in info.read_text().splitlines():
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), value.strip())
    name = fields.get("model name") or platform.processor() or "unknown"
    if "model" in fields:
        name += f" (family {fields.get('cpu family')}, model {fields['model']})"
    if "avx512f" in fields.get("flags", ""):
        name += ", AVX-512"
    return name

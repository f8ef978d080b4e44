"""Peak memory of one fit, in a process of its own: the growth of its largest resident size.

Called by ``run.py`` as ``memory.py table FILE "SELECTOR PARTS" K`` or
``memory.py blocks FILE P ROWS K``; prints one line of JSON.
"""

import contextlib
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from causal import wide_selector
from decompositions import decomposition

import ensfs
from ensfs.measures import pairwise

STATUS = Path("/proc/self/status")


def peak():
    """Largest resident size since the start or the last ``forget``, in bytes.

    Linux: not ``ru_maxrss``, which begins at the size of the process that started this one.
    """
    if STATUS.exists():
        line = next(x for x in STATUS.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


def forget():
    """Let the peak begin again at the present size, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


class Pairs:
    """The matrix of all pairs, in the form of a selector."""

    def fit(self, X, y):
        pairwise(X, "mutual_information")


def selector(name, k, discrete):
    """Make a selector by its name, or an ensemble of so many parts of it (of MRMR: ``20``)."""
    if name == "pairwise":
        return Pairs()
    if name == "ITD":
        return decomposition(len(discrete))
    if name in ("IAMB", "H-PC"):
        return wide_selector(name, len(discrete))
    if name == "ACE":
        return ensfs.ACE(random_state=0)
    base, _, parts = name.rpartition(" ") if name[-1].isdigit() else (name, "", "")
    options = {"discrete_features": discrete}
    if base != "FCBF":
        options["n_features_to_select"] = k
    one = getattr(ensfs, base or "MRMR")(**options)
    return ensfs.FastEnsemble(one, n_parts=int(parts)) if parts else one


def warm_up(name, dtype, discrete):
    """Import and initialise everything on a small table, so that it does not count."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(60, 64)).astype(dtype)
    selector(name, 3, np.full(64, discrete)).fit(X, rng.integers(2, size=60))


def table(path, name, k):
    X = np.load(path + ".X.npy")
    y = np.load(path + ".y.npy")
    codes = X.dtype.kind != "f"
    warm_up(name, X.dtype, codes)
    forget()
    before = peak()
    start = time.perf_counter()
    selector(name, int(k), np.full(X.shape[1], codes)).fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "input_bytes": X.nbytes,
        "extra_bytes": peak() - before,
        "multiple": round((peak() - before) / X.nbytes, 3),
        "seconds": round(seconds, 4),
    }


def blocks(path, p, rows, k):
    """Select from a file of rows: ``p`` columns and the target, float64, read in blocks.

    The blocks are read, not mapped: pages of a map would count as resident.
    """
    width = int(p) + 1
    n_bytes = 8 * width * int(rows)

    def read():
        with open(path, "rb") as file:
            while data := file.read(n_bytes):
                block = np.frombuffer(data, dtype=np.float64).reshape(-1, width)
                yield block[:, :-1], block[:, -1].astype(np.int64)

    forget()
    before = peak()
    start = time.perf_counter()
    fast = ensfs.FastEnsemble(
        ensfs.MRMR(int(k), discrete_features=np.full(int(p), False)), n_parts=20
    )
    fast.fit(ensfs.RowBlocks(read))
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "resident_bytes": peak(),
        "before_bytes": before,
        "selected": fast.indices_.tolist(),
    }


if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    print(json.dumps({"table": table, "blocks": blocks}[kind](*arguments)))

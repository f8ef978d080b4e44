"""Peak memory of one fit, in a process of its own: the growth of ``ru_maxrss`` during ``fit``.

Called by ``run.py`` as ``memory.py table FILE SELECTOR K`` or ``memory.py blocks FILE P ROWS K``;
prints one line of JSON.
"""

import json
import resource
import sys
import time

import numpy as np

import ensfs


def peak():
    """Largest resident size so far, in bytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


def selector(name, k, discrete):
    mrmr = ensfs.MRMR(k, discrete_features=discrete)
    return mrmr if name == "MRMR" else ensfs.FastEnsemble(mrmr, n_parts=int(name))


def warm_up(name, dtype, discrete):
    """Import and initialise everything on a small table, so that it does not count."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(60, 8)).astype(dtype)
    mask = np.ones(8, dtype=bool) if discrete is not False else False
    selector(name, 3, mask).fit(X, rng.integers(2, size=60))


def table(path, name, k):
    X = np.load(path + ".X.npy")
    y = np.load(path + ".y.npy")
    codes = X.dtype.kind != "f"
    warm_up(name, X.dtype, codes)
    before = peak()
    start = time.perf_counter()
    selector(name, int(k), np.ones(X.shape[1], dtype=bool) if codes else False).fit(X, y)
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

    before = peak()
    start = time.perf_counter()
    fast = ensfs.FastEnsemble(ensfs.MRMR(int(k), discrete_features=False), n_parts=20)
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

"""Selection from a sparse table that looks like a text, beside scikit-learn's ``f_classif``.

``sparse.py`` prints the least CPU time of some runs, one thread, all in one process and in turns.
``sparse.py memory`` prints the growth of the largest resident size of a fit in a process of its
own; ``sparse.py large`` does so for 20,000 rows, a million columns and 20 million cells.
``sparse.py fit NAME FOLDER`` is such a process.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
from memory import peak
from sklearn.feature_selection import f_classif

from ensfs import CMIM, FCBF, JMI, MRMR, FastEnsemble
from ensfs.measures import f_test

TEXT = {"n": 11_314, "p": 130_107, "n_cells": 1_580_000, "n_classes": 20}

SELECTORS = {
    "MRMR(50)": MRMR(50),
    "CMIM(50)": CMIM(50),
    "JMI(50)": JMI(50),
    "FCBF": FCBF(),
    "FastEnsemble(MRMR(20))": FastEnsemble(MRMR(20)),
}


def text(n, p, n_cells, n_classes, counts=False, seed=0):
    """Words with the frequencies of Zipf's law; every tenth prefers one of the classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    frequency = np.cumsum(1.0 / (np.arange(p) + 2.7))
    found = np.empty(0, dtype=np.int64)
    of_class = np.argsort(y, kind="stable")
    sizes = np.bincount(y, minlength=n_classes)
    begins = np.cumsum(sizes) - sizes
    likes = rng.integers(0, n_classes, p)
    special = rng.random(p) < 0.1
    while found.size < n_cells:
        columns = np.searchsorted(frequency, rng.random(n_cells) * frequency[-1])
        rows = rng.integers(0, n, columns.size)
        moved = special[columns] & (rng.random(columns.size) < 0.5)
        c = likes[columns[moved]]
        rows[moved] = of_class[begins[c] + rng.integers(0, 1 << 40, c.size) % sizes[c]]
        found = np.unique(np.concatenate([found, rows * np.int64(p) + columns]))
    found = np.sort(rng.choice(found, n_cells, replace=False))
    values = rng.integers(1, 4, n_cells) if counts else rng.random(n_cells) + 0.1
    starts = np.searchsorted(found, np.arange(n + 1) * np.int64(p))
    parts = (values, (found % p).astype(np.int32), starts.astype(np.int32))
    return scipy.sparse.csr_array(parts, shape=(n, p)), y


def large(n=20_000, p=1_000_000, per_row=1_000, n_classes=20, seed=0):
    """Twenty million cells, about as many in every column."""
    rng = np.random.default_rng(seed)
    step = p // per_row
    columns = np.arange(per_row) * step + rng.integers(0, step, (n, per_row))
    starts = np.arange(n + 1, dtype=np.int32) * per_row
    parts = (rng.random(n * per_row), columns.astype(np.int32).ravel(), starts.astype(np.int32))
    return scipy.sparse.csr_array(parts, shape=(n, p)), rng.integers(0, n_classes, n)


def n_bytes(X):
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


def race(X, y, rounds=5):
    """Least CPU time of each, in turns."""
    csc = X.tocsc()
    tasks = {
        "scipy: tocsc": X.tocsc,
        "scikit-learn: f_classif": lambda: f_classif(X, y),
        "f_test, CSR": lambda: f_test(X, y),
        "f_test, CSC": lambda: f_test(csc, y),
        **{name: lambda s=selector: s.fit(X, y) for name, selector in SELECTORS.items()},
    }
    times = {name: np.inf for name in tasks}
    for turn in range(rounds):
        for name, task in tasks.items():
            if turn and times[name] > 1.0:
                continue  # one run of the slow ones
            start = time.process_time()
            task()
            times[name] = min(times[name], time.process_time() - start)
    return times


def fit_alone(name, folder):
    """Print the growth of the largest resident size, and the time, of one fit."""
    X, y = scipy.sparse.load_npz(folder / "X.npz"), np.load(folder / "y.npy")
    before, start = peak(), time.process_time()
    SELECTORS[name].fit(X, y)
    took, grown = time.process_time() - start, peak() - before
    above = f"{grown / 1e6:.0f} MB above the input of {n_bytes(X) / 1e6:.0f}"
    print(f"{name:24} {took:7.2f} s, {above}")


def measure_memory(make, names):
    """Fit in processes of their own, which read a file, so that making the table does not count."""
    with tempfile.TemporaryDirectory() as folder:
        X, y = make()
        scipy.sparse.save_npz(Path(folder) / "X.npz", X, compressed=False)
        np.save(Path(folder) / "y.npy", y)
        del X, y
        for name in names:
            subprocess.run([sys.executable, __file__, "fit", name, folder], check=True)


def main():
    warnings.simplefilter("ignore")
    if "fit" in sys.argv:
        fit_alone(sys.argv[-2], Path(sys.argv[-1]))
        return
    if "large" in sys.argv:
        measure_memory(large, ["MRMR(50)"])
        return
    if "memory" in sys.argv:
        measure_memory(lambda: text(**TEXT), SELECTORS)
        return
    for counts in (False, True):
        X, y = text(**TEXT, counts=counts)
        print(f"{X.shape}, {X.nnz} cells, {'counts' if counts else 'floats'}")
        for name, took in race(X, y).items():
            print(f"  {name:26} {1000 * took:8.1f} ms")


if __name__ == "__main__":
    main()

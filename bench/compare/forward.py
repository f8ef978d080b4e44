"""What forward selection costs: beside MRMR's full search, and twenty parts beside one run.

    python bench/compare/forward.py [rows columns]

CPU seconds on one thread, the least of five runs in turns, and their ratios. Run it with
OMP_NUM_THREADS=1.
"""

import sys
import time
import warnings

import numpy as np

from ensfs import MRMR, FastEnsemble, ForwardSelection
from ensfs.search.criteria import Criterion
from ensfs.search.greedy import full_search
from ensfs.statistics import Resampling
from ensfs.training.estimator import TableEstimator

K, N_PARTS, TURNS = 20, 20, 5


class Reader(TableEstimator):
    """Reads a table as the selectors do."""

    def read(self, X, y):
        return self._read(X, y, 1)


def mrmr_in_full(X, y):
    """MRMR with every pair read, as forward selection reads them; from the table to the columns."""
    data = Reader().read(X, y)
    target, rows = data.target("auto"), Resampling.all_rows(data.n_rows)
    source = data.continuous_source(target, rows, relevance="f_test", signed=False, n_threads=1)
    full_search(source, source.relevance.copy(), K, Criterion(combine="mean", score="quotient"))


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def main():
    n, p = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (500, 10_000)
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((n, p)), rng.integers(0, 2, n)
    calls = {
        "MRMR, full search": lambda: mrmr_in_full(X, y),
        "MRMR, lazy": lambda: MRMR(K, n_jobs=1).fit(X, y),
        "forward": lambda: ForwardSelection(K, n_jobs=1).fit(X, y),
        "forward, automatic size": lambda: ForwardSelection("auto", n_jobs=1).fit(X, y),
        f"forward, {N_PARTS} parts": lambda: FastEnsemble(
            ForwardSelection(K), n_parts=N_PARTS, n_jobs=1
        ).fit(X, y),
    }
    least = dict.fromkeys(calls, np.inf)
    for _ in range(TURNS):
        for name, call in calls.items():
            least[name] = min(least[name], seconds(call))
    for name, value in least.items():
        print(f"{name}: {value:.3f} s")
    print(f"forward / full MRMR: {least['forward'] / least['MRMR, full search']:.2f}")
    print(f"parts / forward: {least[f'forward, {N_PARTS} parts'] / least['forward']:.2f}")


if __name__ == "__main__":
    main()

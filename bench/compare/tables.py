"""What reading a table costs beside selecting from it, as ratios.

    python bench/compare/tables.py

Data frames of 100 x 20,000 numbers beside the same array, ``transform`` beside one of a frame that
has the selected columns only, and ``ensfs select`` on a CSV file of 100 x 5,000 numbers beside
``pandas.read_csv`` of it, in one process that has imported everything. Contestants take turns; the
least processor time of each counts.
"""

import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.common import continuous
from benchmarks.tables import KINDS, WideFile, as_kind

from ensfs import MRMR

TURNS = 9


def race(contestants):
    """Least processor seconds of each."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(TURNS):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def show(title, seconds):
    """Print times, and their ratios to the first."""
    print(title)
    first = next(iter(seconds.values()))
    for name, each in seconds.items():
        print(f"  {name:24}{1e3 * each:9.2f} ms{each / first:8.2f}")


def main():
    X, y = continuous(100, 20_000)
    tables = {kind: as_kind(X, kind) for kind in KINDS}
    fits = {kind: partial(MRMR(10).fit, T, y) for kind, T in tables.items()}
    show("MRMR(10).fit, 100 x 20,000", race(fits))
    selected = as_kind(X[:, MRMR(10).fit(X, y).indices_], "pandas")
    tables = {"only the selected": selected, **tables}
    transforms = {k: partial(MRMR(10).fit(T, y).transform, T) for k, T in tables.items()}
    show("transform, 10 of 20,000 columns", race(transforms))
    file = WideFile()
    file.setup()
    show("CSV, 100 x 5,000", race({"read_csv": file.time_read_csv, "select": file.time_select}))
    file.teardown()


if __name__ == "__main__":
    main()

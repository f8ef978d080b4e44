"""Fit on a cluster of processes, one of which is killed in the middle of a pass, and then all.

Run by ``tests/scale/test_dask.py``: the processes of a cluster import the script that started it.
"""

import os
import signal
import sys
import tempfile

import dask
import dask.dataframe as dd
from distributed import Client, LocalCluster

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from engines import assert_same, cut, table_of

from ensfs import MRMR, FastEnsemble

#: The reading of a partition that its worker does not survive: that of the first products.
FATAL = 4


def count_and_die(frame, path):
    """Count how often this partition is computed; kill the worker once, or always."""
    with open(path, "a") as log:
        log.write("x")
    if path.endswith("always") or os.path.getsize(path) == FATAL:
        os.kill(os.getpid(), signal.SIGKILL)
    return frame


def main():
    X, y = table_of("numbers", "classes", 0, 200)
    whole = X.assign(y=y)
    parts = [dask.delayed(part) for part, _ in cut(whole, y, [50, 100, 150])]
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        path = os.path.join(folder, "count")

        def fit(path):
            some = [*parts[:2], dask.delayed(count_and_die)(parts[2], path), parts[3]]
            ddf = dd.from_delayed(some, meta=whole.iloc[:0], verify_meta=False)
            return FastEnsemble(MRMR(4), n_parts=5).fit(ddf.drop(columns="y"), ddf["y"])

        found = fit(path)
        assert os.path.getsize(path) > FATAL  # it was computed again
        assert_same(FastEnsemble(MRMR(4), n_parts=5).fit(X, y), found)
        sys.stdout.write("the same\n")
        cluster.scheduler.allowed_failures = 0
        try:
            fit(os.path.join(folder, "always"))
        except RuntimeError as error:
            sys.stdout.write(f"{error}\n")


if __name__ == "__main__":
    main()

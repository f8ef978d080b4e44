"""The client of a cluster: what runs the tasks of Dask, how much it has, and what they give."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from dask import compute
from dask.base import get_scheduler

from ensfs.data.parquet_blocks import free_memory

#: How long a scheduler may take to answer.
CONNECT = "10s"

#: A pass in which no task ends for so many seconds is given up.
STALLED = 600.0


class StalledError(TimeoutError):
    """No task of a pass ends any more."""


def results_of(name: str, wanted: list[Any]) -> list[Any]:
    """What tasks give; an error if a cluster stands still."""
    client = getattr(get_scheduler(), "__self__", None)
    if client is None:
        return list(compute(*wanted))
    from distributed import wait

    futures, before = client.compute(wanted), None
    while not all(future.done() for future in futures):
        with suppress(TimeoutError):
            wait(futures, timeout=STALLED)
            break
        running = client.processing()
        if running == before:
            client.cancel(futures)
            raise StalledError(
                f"In the pass {name!r} no task ended for {STALLED:.0f} s. A lost worker may "
                "have held what others wait for. Look at the dashboard, or restart the cluster."
            )
        before = running
    return list(client.gather(futures))


def connect(address: str) -> Any:
    """The client of a scheduler; as a context, fits within it run there."""
    from distributed import Client

    return Client(address, timeout=CONNECT)


def _client() -> Any:
    """The client that will run the tasks; None without one."""
    if "distributed" in sys.modules:
        from distributed import default_client

        try:
            return default_client()
        except ValueError:
            pass
    return None


def n_threads() -> int:
    """Threads of the cluster that will run the tasks."""
    client = _client()
    if client is not None:
        return max(1, sum(client.nthreads().values()))
    return os.cpu_count() or 1


def memory() -> int:
    """Bytes of memory of all workers, or what is free here without any."""
    client = _client()
    if client is None:
        return free_memory() or 0
    some = client.scheduler_info()["workers"].values()  # of many workers some versions tell a few
    known = [each["memory_limit"] for each in some if each["memory_limit"]]  # 0: no limit
    n_workers = len(client.nthreads())
    return n_workers * min(known) if known else free_memory() or 0

"""How work is shared among threads: fixed blocks, each written by one thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache

import joblib

_here = threading.local()


@lru_cache(maxsize=4)
def _pool(n_threads: int, pid: int) -> ThreadPoolExecutor:
    """Threads that wait for work between calls; a forked child has none and gets its own."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="ensfs")


def effective_n_threads(n_jobs: int | None) -> int:
    """Number of threads for `n_jobs`: None is one, negative numbers count from the cores."""
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use None or 1 for one thread, -1 for all cores.")
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)


def for_blocks(
    work: Callable[[int, int], object], n_items: int, n_threads: int, block: int | None = None
) -> None:
    """Call ``work(start, stop)`` for consecutive ranges that cover ``range(n_items)``.

    Parameters
    ----------
    work : callable
        Must release the GIL to gain from threads, and write only what belongs to its range.
    n_items : int
        Number of items.
    n_threads : int
        At most so many calls at a time; 1 calls in this thread.
    block : int, optional
        Largest range; the default is an equal share for every thread.
    """
    share = -(-n_items // max(1, n_threads))
    size = max(1, share if block is None else min(block, share))
    ranges = [(start, min(start + size, n_items)) for start in range(0, n_items, size)]
    # work inside of shared work is not shared again: it would wait for its own thread
    if n_threads == 1 or len(ranges) == 1 or getattr(_here, "is_worker", False):
        for start, stop in ranges:
            work(start, stop)
        return

    def task(start: int, stop: int) -> None:
        _here.is_worker = True
        work(start, stop)

    pool = _pool(n_threads, os.getpid())
    tasks = [pool.submit(task, start, stop) for start, stop in ranges]
    wait(tasks)
    for done in tasks:
        done.result()

"""How work is shared among threads: fixed blocks, each written by one thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import joblib


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
    if n_threads == 1 or len(ranges) == 1:
        for start, stop in ranges:
            work(start, stop)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for done in [pool.submit(work, start, stop) for start, stop in ranges]:
            done.result()

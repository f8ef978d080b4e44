"""How work is shared among threads: fixed blocks, each written by one thread.

Ctrl-C reaches Python only between calls of kernels. So no call may be long: work is cut into ranges
that take some tenths of a second, and between them `checkpoint` ends what nobody waits for.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache

import joblib

_here = threading.local()

#: Cells (rows times columns) that one call of a kernel reads at most, if it can be cut: less than
#: half a second for the slowest kernels.
CALL_CELLS = 1 << 25

#: Cells below which work is not shared: to wake a thread up takes about as long.
_LEAST_SHARED = 1 << 18


class Abandoned(BaseException):
    """Ends work in a thread after the fit that waited for it was interrupted."""


class _Job:
    """One call of `for_blocks`, as its threads see it: each takes the next range as long as it can.

    The caller takes part, so that little is lost where the other threads wake up late.
    """

    def __init__(self, work: Callable[[int, int], object], ranges: list[tuple[int, int]]):
        self.work, self.left = work, deque(ranges)
        self.abandoned = False
        self.error: BaseException | None = None

    def take_part(self) -> None:
        _here.job = self
        try:
            while (one := self.next_range()) is not None:
                self.work(*one)
        except Abandoned:
            pass
        except BaseException as error:
            self.fail(error)
        finally:
            _here.job = None

    def next_range(self) -> tuple[int, int] | None:
        checkpoint()
        try:
            return self.left.popleft()
        except IndexError:
            return None

    def fail(self, error: BaseException) -> None:
        self.abandoned, self.error = True, self.error or error


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


def checkpoint() -> None:
    """End the work of this thread if nobody waits for it any more."""
    job = getattr(_here, "job", None)
    if job is not None and job.abandoned:
        raise Abandoned


def items_at_once(cells: int) -> int:
    """How many items of so many cells one call may take, so that Ctrl-C need not wait for long."""
    return max(1, CALL_CELLS // max(1, cells))


def ranges_of(start: int, stop: int, cells: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges for calls that are not too long, with a checkpoint before each."""
    size = items_at_once(cells)
    for first in range(start, stop, size):
        checkpoint()
        yield first, min(first + size, stop)


def for_blocks(
    work: Callable[[int, int], object],
    n_items: int,
    n_threads: int,
    block: int | None = None,
    *,
    cells: int = 0,
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
    cells : int, default=0
        What an item costs, as values that are read; costly ranges are cut so that Ctrl-C need not
        wait for long.
    """
    share = -(-n_items // max(1, n_threads))
    size = max(1, min(share if block is None else min(block, share), items_at_once(cells)))
    ranges = [(start, min(start + size, n_items)) for start in range(0, n_items, size)]
    little = 0 < cells and n_items * cells < _LEAST_SHARED
    # work inside of shared work is not shared again: it would wait for its own thread
    if n_threads == 1 or len(ranges) == 1 or little or getattr(_here, "job", None) is not None:
        for start, stop in ranges:
            checkpoint()
            work(start, stop)
        return

    job = _Job(work, ranges)
    helpers = min(n_threads, len(ranges)) - 1
    pool = _pool(n_threads - 1, os.getpid())
    tasks = [pool.submit(job.take_part) for _ in range(helpers)]
    job.take_part()
    try:
        tasks = [each for each in tasks if not each.cancel()]  # not begun: there is nothing left
        while wait(tasks, timeout=0.5).not_done:  # Windows does not interrupt an endless wait
            pass
    except BaseException as error:
        job.fail(error)
        wait(tasks)  # until the next checkpoint of each: nobody writes into freed or reused memory
    if job.error is not None:
        raise job.error

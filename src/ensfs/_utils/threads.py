"""Work shared among threads: fixed blocks, each written by one thread.

Python handles Ctrl-C only between calls of kernels, so no call may be long. Work is cut into ranges
that take some tenths of a second, and before each of them `checkpoint` raises in workers whose
caller was interrupted.
"""

from __future__ import annotations

import os
import threading
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from numbers import Integral
from queue import SimpleQueue

import joblib

_here = threading.local()

#: Most cells (rows times columns) that one call of a kernel reads if its work can be cut: less
#: than half a second for the slowest kernels.
CALL_CELLS = 1 << 25

#: Fewer cells than this are not shared: waking a thread up takes about as long.
_MIN_SHARED_CELLS = 1 << 18


class WorkCancelled(BaseException):
    """Raised in a worker whose caller was interrupted or failed."""


class _Job:
    """The ranges of one call of `for_blocks`; every thread takes the next one until none is left.

    The calling thread works too, so that little time is lost where the others wake up late.
    """

    def __init__(self, work: Callable[[int, int], object], ranges: list[tuple[int, int]]):
        self.work, self.left = work, deque(ranges)
        self.cancelled = False
        self.error: BaseException | None = None

    def run_ranges(self) -> None:
        _here.job = self
        try:
            while (one := self.next_range()) is not None:
                self.work(*one)
        except WorkCancelled:
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
        self.cancelled, self.error = True, self.error or error


class _Helper:
    """The part of another thread in a job.

    The caller waits for a plain lock. Ctrl-C can leave the lock of a condition taken for ever, and
    with it a future or an executor: the next fit would hang.
    """

    def __init__(self, job: _Job):
        self.job, self.done = job, False
        self.owner: dict[str, int] = {}
        self.busy = threading.Lock()
        self.busy.acquire()

    def claim(self) -> bool:
        """Whether this thread is the first to claim it."""
        here = threading.get_ident()
        return self.owner.setdefault("thread", here) == here

    def run(self) -> None:
        """Take part, unless the caller no longer needs it."""
        if self.claim():
            self.job.run_ranges()
            self.done = True
            self.busy.release()

    def wait(self) -> None:
        """Wait until it has ended; if it has not begun, it never will. May be called again."""
        if not self.claim():
            # Windows cannot interrupt a wait without limit
            while not (self.done or self.busy.acquire(timeout=0.5)):
                pass


class _Pool:
    """Threads that are kept between calls, as many as one call has needed so far."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[_Helper] = SimpleQueue()
        self.n_threads = 0

    def start(self, helpers: list[_Helper]) -> None:
        while self.n_threads < len(helpers):
            self.n_threads += 1
            start_new_thread(self._serve, ())  # `Thread.start` waits for a condition
        for each in helpers:
            self.waiting.put(each)

    def _serve(self) -> None:
        while True:
            self.waiting.get().run()


@lru_cache(maxsize=1)
def _pool(pid: int) -> _Pool:
    """The threads of this process; those of its parent do not exist in a forked child."""
    return _Pool()


def effective_n_threads(n_jobs: int | None) -> int:
    """Number of threads for `n_jobs`: None is one, -1 all cores, -2 all but one, and so on."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs must be an int or None; got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use None or 1 for one thread, -1 for all cores.")
    n_jobs = int(n_jobs)
    return n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)


def checkpoint() -> None:
    """Raise `WorkCancelled` if the caller that waits for this worker was interrupted."""
    job = getattr(_here, "job", None)
    if job is not None and job.cancelled:
        raise WorkCancelled


def items_at_once(cells: int) -> int:
    """How many items of `cells` cells each one call may process and still be short."""
    return max(1, CALL_CELLS // max(1, cells))


def ranges_of(start: int, stop: int, cells: int) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges, each short enough for one call, with a checkpoint before each."""
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
        Largest number of calls at the same time; 1 calls in this thread.
    block : int, optional
        Largest range; the default is an equal share for every thread.
    cells : int, default=0
        Cost of an item: the number of values it reads. Costly ranges are cut into short calls, so
        that Ctrl-C takes effect soon.
    """
    share = -(-n_items // max(1, n_threads))
    size = max(1, min(share if block is None else min(block, share), items_at_once(cells)))
    ranges = [(start, min(start + size, n_items)) for start in range(0, n_items, size)]
    little = 0 < cells and n_items * cells < _MIN_SHARED_CELLS
    # nested work is not shared again: it would wait for its own thread
    if n_threads == 1 or len(ranges) == 1 or little or getattr(_here, "job", None) is not None:
        for start, stop in ranges:
            checkpoint()
            work(start, stop)
        return
    _share(_Job(work, ranges), min(n_threads, len(ranges)) - 1)


def _share(job: _Job, n_helpers: int) -> None:
    """Run a job in this thread and in others, and wait for all of them."""
    helpers = [_Helper(job) for _ in range(n_helpers)]
    try:
        _pool(os.getpid()).start(helpers)
        job.run_ranges()
        for each in helpers:
            each.wait()
    except BaseException as error:  # an interrupt, wherever it came
        job.fail(error)
        _here.job = None
        for each in helpers:  # until its next checkpoint: none writes into memory that is reused
            each.wait()
    if job.error is not None:
        raise job.error

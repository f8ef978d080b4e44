"""Threads, forks and instruction sets: the same answers everywhere, and no hang."""

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from ensfs import MRMR, FastEnsemble, InnerEnsemble
from ensfs._core import dispatch
from ensfs._utils.threads import effective_n_threads, for_blocks

# ---------------------------------------- blocks of work


@pytest.mark.parametrize("n_items", [0, 1, 5, 64, 1000])
@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("block", [None, 1, 7, 5000])
def test_blocks_cover_every_item_once(n_items, n_threads, block):
    seen = np.zeros(n_items, dtype=int)
    sizes = []

    def work(start, stop):
        seen[start:stop] += 1
        sizes.append(stop - start)

    for_blocks(work, n_items, n_threads, block)
    assert (seen == 1).all()
    assert all(0 < size <= (block or n_items) for size in sizes)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_errors_of_threads_are_raised(n_threads):
    def work(start, stop):
        if start <= 5 < stop:
            raise ZeroDivisionError("in a thread")

    with pytest.raises(ZeroDivisionError, match="in a thread"):
        for_blocks(work, 10, n_threads, 1)


def test_one_thread_is_this_thread():
    names = set()
    for_blocks(lambda a, b: names.add(threading.current_thread().name), 10, 1, 1)
    assert names == {threading.current_thread().name}


INTERRUPTED = """
import faulthandler, random, signal, sys, threading, time
from ensfs._utils.threads import for_blocks

def stop(*_):
    raise KeyboardInterrupt

def work(start, end):
    if threading.current_thread() is not threading.main_thread():
        time.sleep(0.0003 * random.random())

faulthandler.dump_traceback_later(60, exit=True)
signal.signal(signal.SIGALRM, stop)
random.seed(0)
for _ in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00005 + 0.002 * random.random())
        while True:
            for_blocks(work, 4, 4, 1)
    except KeyboardInterrupt:
        pass
everywhere = threading.Barrier(4, timeout=30)
for_blocks(lambda start, end: everywhere.wait(), 4, 4, 1)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_interrupts_at_any_time_leave_all_threads_at_work():
    """Interrupted in the lock of a future, the next call waited for ever, or had fewer threads."""
    run = subprocess.run([sys.executable, "-P", "-c", INTERRUPTED], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_number_of_threads():
    assert effective_n_threads(None) == 1
    assert effective_n_threads(3) == 3
    assert effective_n_threads(-1) >= 1
    assert effective_n_threads(-10_000) == 1
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        effective_n_threads(0)


# ---------------------------------------- forks


def tables():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return rng.normal(size=(90, 700)), rng.integers(0, 12, (90, 700)), y


def digest(n_jobs):
    """One word for the results of every selector."""
    numbers, codes, y = tables()
    sha = hashlib.sha256()
    apart = numbers + 1e4 * (np.arange(90) % 6 == 0)[:, None]  # a fold that lies apart
    for X in (
        numbers,
        numbers.astype(np.float32),
        apart,
        apart.astype(np.float32),
        codes,
        codes % 3,
    ):
        for scheme in ("quotient", "difference", "discount"):
            for selector in (
                MRMR(8, scheme=scheme),
                FastEnsemble(MRMR(5, scheme=scheme), n_parts=6),
                InnerEnsemble(MRMR(5, scheme=scheme), n_parts=6),
            ):
                fitted = selector.set_params(n_jobs=n_jobs).fit(X, y)
                for name in ("indices_", "part_selections_", "scores_", "relevance_"):
                    value = getattr(fitted, name, None)
                    sha.update(b"" if value is None else np.ascontiguousarray(value).tobytes())
    return sha.hexdigest()


def _send_digest(connection):
    connection.send(digest(2))
    connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_hang():
    expected = digest(2)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_send_digest, args=(theirs,), daemon=True)
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        assert ours.recv() == expected
        child.join(60)
        assert child.exitcode == 0
    finally:
        child.kill()


def test_fits_in_threads_of_the_user():
    """Several fits at once share nothing."""
    expected, found = digest(1), []
    threads = [threading.Thread(target=lambda: found.append(digest(2))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found == [expected, expected]


# ---------------------------------------- instruction sets

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from test_threads import digest
from ensfs._core import dispatch
print(dispatch.level(), digest(1))
"""


def test_every_instruction_set_gives_the_same_bits():
    levels = dispatch.LEVELS[: dispatch.LEVELS.index(dispatch.best()) + 1]
    here = os.path.dirname(os.path.abspath(__file__))
    found = {}
    for level in levels:
        out = subprocess.run(
            [sys.executable, "-c", PROGRAM, here],
            env={**os.environ, "ENSFS_SIMD": level},
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        in_use, found[level] = out.stdout.split()
        assert in_use == level
    assert len(found) == len(levels)
    assert set(found.values()) == {digest(1)}

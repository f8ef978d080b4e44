"""Processes that begin while threads of their parent fit."""

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from forks import answer, selections

from ensfs._utils import threads

#: Seconds after which a child counts as hanging; it needs a fraction of one.
PATIENCE = 60


def ask(context):
    """What a child selects."""
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(there,))
    child.start()
    there.close()
    try:
        return here.recv() if here.poll(PATIENCE) else "the child hangs"
    finally:
        child.kill()
        child.join()
        here.close()


@pytest.mark.parametrize(("method", "times"), [("fork", 12), ("spawn", 1)])
@pytest.mark.filterwarnings(r"ignore:This process .*is multi-threaded:DeprecationWarning")
def test_children_of_a_process_with_busy_threads(method, times, monkeypatch):
    """A lock that some thread holds at the moment of a fork would stay locked in the child."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    monkeypatch.setattr(threads, "_MIN_SHARED_CELLS", 0)
    expected, stop = selections(), threading.Event()

    def keep_fitting():
        n_fits = 0
        while not stop.is_set():
            assert selections() == expected
            n_fits += 1
        return n_fits

    with ThreadPoolExecutor(3) as pool:
        busy = [pool.submit(keep_fitting) for _ in range(3)]
        try:
            found = [ask(multiprocessing.get_context(method)) for _ in range(times)]
        finally:
            stop.set()
        assert all(each.result(PATIENCE) for each in busy)
    assert found == [expected] * times

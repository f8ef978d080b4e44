"""Values that are computed once, and no lock that a forked child would wait for."""

import ast
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

import ensfs
from ensfs._utils.lazy import lazy_property


class Squares:
    computed = 0

    def __init__(self, wait=lambda: None):
        self.wait = wait

    @lazy_property
    def values(self):
        """Some squares."""
        self.computed += 1
        self.wait()
        return [i * i for i in range(4)]


def test_the_value_is_computed_on_first_use_and_kept():
    squares = Squares()
    assert "values" not in vars(squares)
    assert squares.values is squares.values
    assert squares.values == [0, 1, 4, 9]
    assert squares.computed == 1
    del squares.values
    assert squares.values == [0, 1, 4, 9]
    assert squares.computed == 2
    assert Squares.values.__doc__ == "Some squares."


def test_all_threads_get_the_value_that_was_stored_first():
    gate = threading.Barrier(4)
    squares, found = Squares(gate.wait), []
    threads = [threading.Thread(target=lambda: found.append(squares.values)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert squares.computed > 1
    assert len({id(values) for values in found}) == 1


def _send_values(connection):
    connection.send(Squares().values)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_while_another_thread_computes_does_not_wait():
    inside, leave = threading.Event(), threading.Event()

    def wait():
        inside.set()
        leave.wait(120)

    thread = threading.Thread(target=lambda: Squares(wait).values)
    thread.start()
    assert inside.wait(60)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_send_values, args=(theirs,), daemon=True)
    child.start()
    try:
        assert ours.poll(30), "the child waits for a lock of the parent"
        assert ours.recv() == [0, 1, 4, 9]
    finally:
        leave.set()
        child.kill()
        thread.join(60)


def _locking_names(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "cached_property":
            yield f"{path.name}:{node.lineno}"
        elif isinstance(node, ast.ImportFrom) and node.module == "functools":
            if any(alias.name == "cached_property" for alias in node.names):
                yield f"{path.name}:{node.lineno}"


def test_no_module_uses_the_property_that_locks():
    sources = Path(ensfs.__file__).parent.rglob("*.py")
    assert [place for path in sources for place in _locking_names(path)] == []

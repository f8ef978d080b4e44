"""From integers to codes, with threads at any time."""

import threading
import time
from types import SimpleNamespace

import numpy as np

from ensfs._utils import threads
from ensfs.data import encode as data_encode


def test_bytes_that_are_not_dense_are_not_forgotten(monkeypatch):
    """A thread that finds dense codes after another has found none must not have the last word."""
    begun, found = threading.Event(), threading.Event()
    kernel = data_encode.encode

    def look(*arguments):
        dense = kernel.look_at_bytes(*arguments)
        if dense:
            begun.set()
            found.wait(10)
            time.sleep(0.05)  # the other thread returns
        else:
            begun.wait(10)
            found.set()
        return dense

    slow = SimpleNamespace(encode_small=kernel.encode_small, look_at_bytes=look)
    monkeypatch.setattr(data_encode, "encode", slow)
    monkeypatch.setattr(threads, "_MIN_SHARED_CELLS", 0)
    values = np.asfortranarray(np.arange(64)[:, None] % 3 * [1, 2]).astype(np.int8, order="F")
    coded = data_encode.encode_integers(values, n_threads=2)
    np.testing.assert_array_equal(coded.n_levels, [3, 3])
    np.testing.assert_array_equal(coded.codes[:3], [[0, 0], [1, 1], [2, 2]])

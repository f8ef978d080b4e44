"""Timing: contestants take turns, and the least time of each counts."""

import time

import numpy as np

#: Threads of a BLAS spin for a while after their work. The next contestant waits until they sleep.
PAUSE = 0.2


def race(contestants, repeats, budget):
    """Least seconds and the last answer of each; they take turns, up to ``budget`` seconds each."""
    best, answers, spent = {}, {}, dict.fromkeys(contestants, 0.0)
    for _ in range(repeats):
        for name, run in contestants.items():
            if spent[name] > budget:
                continue
            time.sleep(PAUSE)
            start = time.perf_counter()
            answers[name] = run()
            seconds = time.perf_counter() - start
            spent[name] += seconds
            best[name] = min(seconds, best.get(name, np.inf))
    return best, answers

"""Timing: contestants take turns, and the least time of each counts."""

import time

import numpy as np

#: Threads of a BLAS spin for a while after their work. The next contestant waits until they sleep.
PAUSE = 0.2

#: After the pause cores sleep and caches are cold: short runs are repeated in the same turn, so
#: that the least time of every contestant is one of a machine that is awake.
SHORT, IN_A_ROW = 0.3, 3


def race(contestants, repeats, budget):
    """Least seconds and the last answer of each; they take turns, up to ``budget`` seconds each."""
    best, answers, spent = {}, {}, dict.fromkeys(contestants, 0.0)
    for _ in range(repeats):
        for name, run in contestants.items():
            if spent[name] > budget:
                continue
            time.sleep(PAUSE)
            for _ in range(IN_A_ROW):
                start = time.perf_counter()
                answers[name] = run()
                seconds = time.perf_counter() - start
                spent[name] += seconds
                best[name] = min(seconds, best.get(name, np.inf))
                if seconds > SHORT:
                    break
    return best, answers

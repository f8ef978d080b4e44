"""Interrupt fits at random times, and check what is left of them.

    python tests/interrupts.py --times 100 --seconds 1800

Each case is run over and over again, and gets SIGINT at a random time. After each interrupt the
estimator must be unfitted, the process as it was before, and the next run right to the last bit.
The exit code is 1 if anything of that is wrong. A few interrupts of each case are a test of the
suite.
"""

import argparse
import faulthandler
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_info

import ensfs
from ensfs._utils import progress, threads

#: Seconds after which a run that does not end is shown, and ended.
STUCK = 300


def table(n, p, levels=None):
    """Some columns that tell two classes apart, and noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    weights = (np.arange(p) % 7 == 0) * rng.random(p)
    X = rng.normal(size=(n, p)) + y[:, None] * weights
    return (X if levels is None else np.clip(np.round(X), 0, levels - 1).astype(np.int8)), y


class FitCase:
    """A fit, and what was learned by it."""

    def __init__(self, estimator, X, y):
        self.estimator, self.X, self.y = estimator, X, y

    def run(self):
        self.estimator.fit(self.X, self.y)
        if hasattr(self.estimator, "subsets_"):
            return [subset.tolist() for subset in self.estimator.subsets_]
        return self.estimator.indices_.tolist(), self.estimator.scores_.tobytes()

    def what_is_wrong(self):
        left = [name for name in vars(self.estimator) if name.endswith("_")]
        try:
            check_is_fitted(self.estimator)
        except NotFittedError:
            return f"{left} are left" if left else ""
        return "the estimator is fitted"


class ReportCase:
    """A report, which leaves its selector as it is."""

    def __init__(self, selector, X, y):
        self.selector, self.X, self.y = selector.fit(X, y), X, y

    def run(self):
        return ensfs.report(self.selector, self.X, self.y)

    def what_is_wrong(self):
        check_is_fitted(self.selector)
        return ""


CASES = {
    "MRMR": lambda: FitCase(ensfs.MRMR(100, n_jobs=2), *table(2000, 1500)),
    "FastEnsemble": lambda: FitCase(
        ensfs.FastEnsemble(ensfs.MRMR(30), n_parts=10, n_jobs=2), *table(2000, 1000)
    ),
    "ACE": lambda: FitCase(
        ensfs.ACE(n_estimators=25, n_replicates=6, max_iter=1, random_state=0), *table(150, 20)
    ),
    "IAMB": lambda: FitCase(ensfs.IAMB(n_jobs=2), *table(5000, 1000, 4)),
    "PC": lambda: FitCase(ensfs.PCSelector(max_conditioning=2), *table(800, 150, 3)),
    "ITD": lambda: FitCase(ensfs.ITDecomposition(4, n_jobs=2), *table(400, 3000, 3)),
    "RCE": lambda: FitCase(
        ensfs.RandomClusterEnsemble(KMeans(2, n_init=1), n_estimators=15, random_state=0),
        *table(100, 8),
    ),
    "report": lambda: ReportCase(ensfs.MRMR(3), *table(150, 8)),
}


def state():
    """What an interrupt must not change of the process."""
    return {
        "filters of warnings": list(warnings.filters),
        "errors of NumPy": np.geterr(),
        "configuration of scikit-learn": sklearn.get_config(),
        "threads of libraries": [each["num_threads"] for each in threadpool_info()],
        "job of this thread": getattr(threads._here, "job", None),
        "listeners of this thread": tuple(getattr(progress._here, "listeners", ())),
    }


class Interrupt:
    """Sends SIGINT after a while; before and after the run it does nothing."""

    def __init__(self, delay):
        self.armed, self.sent, self.raised = False, 0.0, False
        self._timer = threading.Timer(delay, self._send)

    def _send(self):
        self.sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    def _handle(self, number, frame):
        if self.armed:
            self.armed, self.raised = False, True
            raise KeyboardInterrupt

    def __enter__(self):
        signal.signal(signal.SIGINT, self._handle)
        self._timer.start()
        self.armed = True
        return self

    def __exit__(self, *error):
        self.armed = False
        self._timer.cancel()
        self._timer.join()


def was_inside(error):
    """Whether an interrupt came while the library was at work."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("ensfs"):
            return True
        trace = trace.tb_next
    return False


def one_interrupt(case, delay, expected):
    """Outcome of one run ("interrupted", "finished", or what was wrong), and seconds it took."""
    before, seconds = state(), 0.0
    outcome = "finished"
    with Interrupt(delay) as interrupt:
        try:
            found = case.run()
            interrupt.armed = False
        except KeyboardInterrupt as error:
            seconds = time.monotonic() - interrupt.sent
            outcome = "interrupted" if was_inside(error) else "finished"
    if outcome == "interrupted":
        wrong = case.what_is_wrong()
        after = state()
        wrong = wrong or "; ".join(
            f"{name} changed" for name in before if before[name] != after[name]
        )
        if not wrong and case.run() != expected:
            wrong = "the next run gave something else"
        outcome = wrong or outcome
    elif interrupt.raised and found != expected:
        outcome = "a swallowed interrupt changed the result"
    return outcome, seconds


def timed(case, expected):
    """Seconds of a run that nothing interrupts."""
    began = time.monotonic()
    assert case.run() == expected, "the case is not deterministic"
    return time.monotonic() - began


def interrupt_often(name, times, stop_at, rng):
    """Count what became of the interrupts of a case, and their longest delay."""
    case = CASES[name]()
    expected = case.run()
    usual = min(timed(case, expected) for _ in range(3))
    outcomes, longest = Counter(), 0.0
    while outcomes["interrupted"] < times and time.monotonic() < stop_at:
        faulthandler.dump_traceback_later(STUCK, exit=True)
        outcome, seconds = one_interrupt(case, rng.uniform(0, usual), expected)
        outcomes[outcome] += 1
        longest = max(longest, seconds)
    faulthandler.cancel_dump_traceback_later()
    return outcomes, longest, usual


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=100, help="interrupts of each case")
    parser.add_argument("--seconds", type=float, default=1800, help="for all cases together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("cases", nargs="*", help=f"of {', '.join(CASES)} (default: all)")
    options = parser.parse_args()
    rng, good = random.Random(options.seed), True
    began = time.monotonic()
    warnings.simplefilter("ignore")
    for done, name in enumerate(names := options.cases or list(CASES)):
        left = options.seconds - (time.monotonic() - began)
        stop_at = time.monotonic() + left / (len(names) - done)
        outcomes, longest, usual = interrupt_often(name, options.times, stop_at, rng)
        good &= set(outcomes) <= {"interrupted", "finished"} and outcomes["interrupted"] > 0
        counts = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        sys.stdout.write(
            f"{name}: {counts}; a run takes {usual:.2f} s, the longest interrupt {longest:.2f} s\n"
        )
        sys.stdout.flush()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

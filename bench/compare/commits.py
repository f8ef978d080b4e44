"""Did a change make anything slower? Run the benchmarks of two installations in turns.

    python bench/compare/commits.py OLD/.venv/bin/python OLD/bench NEW/.venv/bin/python NEW/bench
    ... --match Greedy --rounds 9 --budget 3

Each installation runs its own copy of ``bench/benchmarks`` in a process of its own, so names may
have changed between the commits: benchmarks are compared that have the same module, class, method
and parameters. They take turns, and the least CPU seconds of each count: a busy machine delays both
alike, and CPU time does not count what others use. Printed are the ratios new / old, largest last.
"""

import argparse
import importlib
import inspect
import itertools
import json
import os
import pkgutil
import subprocess
import sys
import time
import warnings

#: Modules of benchmarks that have another name in older commits.
RENAMED = {"discretisers": "discretizers"}


def find_benchmarks():
    """Return the timed benchmarks by name, each as (class, method, parameters)."""
    import benchmarks

    found = {}
    for info in pkgutil.iter_modules(benchmarks.__path__):
        module = importlib.import_module(f"benchmarks.{info.name}")
        for name, suite in vars(module).items():
            if inspect.isclass(suite) and suite.__module__ == module.__name__:
                found |= of_suite(f"{RENAMED.get(info.name, info.name)}.{name}", suite)
    return found


def of_suite(name, suite):
    """Return the benchmarks of one class, for all its parameters."""
    params = getattr(suite, "params", ())
    if params and not isinstance(params[0], (list, tuple)):
        params = (params,)
    return {
        f"{name}.{method}{values!r}": (suite, method, values)
        for method in dir(suite)
        if method.startswith("time_")
        for values in itertools.product(*params)
    }


class Stopwatch:
    """Times one benchmark after the other, each on the table that its setup made."""

    def __init__(self):
        self.benchmarks = find_benchmarks()
        self.name = None

    def set_up(self, name):
        """Make the tables of a benchmark, and run it once."""
        suite, method, values = self.benchmarks[name]
        self.name, self.values, instance = name, values, suite()
        if hasattr(instance, "setup"):
            instance.setup(*values)
        self.run = getattr(instance, method)
        self.run(*values)

    def seconds(self, name, least):
        """Return the CPU seconds of one run; short ones are repeated for `least` seconds."""
        if name != self.name:
            self.set_up(name)
        best, spent = float("inf"), 0.0
        while spent < least:
            start = time.process_time()
            self.run(*self.values)
            seconds = time.process_time() - start
            best, spent = min(best, seconds), spent + seconds + 1e-6
        return best


def work():
    """Answer the questions of the main process, one line each."""
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr
    stopwatch = Stopwatch()
    print(json.dumps(sorted(stopwatch.benchmarks)), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = stopwatch.seconds(*json.loads(line))
        except Exception as error:  # a benchmark that needs what is not installed
            answer, stopwatch.name = repr(error), None
        print(json.dumps(answer), file=answers, flush=True)


class Worker:
    """A process that runs the benchmarks of one installation."""

    def __init__(self, python, folder):
        pools = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        self.process = subprocess.Popen(
            [python, "-P", os.path.abspath(__file__), "--work"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
            env=os.environ | dict.fromkeys(pools, "1") | {"PYTHONPATH": os.path.abspath(folder)},
        )  # fmt: skip
        self.names = json.loads(self.process.stdout.readline())

    def ask(self, *question):
        """Return the answer to a question."""
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def compare(workers, name, rounds, budget):
    """Return the least seconds of the old and the new commit, or what went wrong."""
    best, spent = [float("inf")] * 2, 0.0
    for _ in range(rounds):
        for i, worker in enumerate(workers):
            seconds = worker.ask(name, 0.02)
            if isinstance(seconds, str):
                return seconds
            best[i], spent = min(best[i], seconds), spent + max(seconds, 0.02)
        if spent > budget:
            break
    return best


def main():
    """Compare two installations and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("installations", nargs=4, help="python and bench of the old, of the new")
    parser.add_argument("--match", default="", help="only benchmarks whose name holds this")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--budget", type=float, default=4.0, help="seconds for each benchmark")
    arguments = parser.parse_args()
    old_python, old_bench, new_python, new_bench = arguments.installations
    workers = Worker(old_python, old_bench), Worker(new_python, new_bench)
    names = [name for name in workers[0].names if name in set(workers[1].names)]
    ratios = []
    for name in names:
        if arguments.match not in name:
            continue
        best = compare(workers, name, arguments.rounds, arguments.budget)
        if isinstance(best, str):
            print(f"   -   {name}: {best}", flush=True)
            continue
        ratios.append((best[1] / best[0], name))
        print(f"{best[1] / best[0]:6.2f}  {best[0]:9.4f} {best[1]:9.4f} s  {name}", flush=True)
    print(f"\n{len(ratios)} benchmarks; more than 5 % slower:")
    for ratio, name in sorted(ratios):
        if ratio > 1.05:
            print(f"{ratio:6.2f}  {name}")


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()

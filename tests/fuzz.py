"""Random tables against brute force, without end.

    python tests/fuzz.py --minutes 30
    python tests/fuzz.py --seed 4711 --cases 1

Each case (see fuzzing/) is a random table: offsets, ties, constants, few rows, many levels, gaps
between levels, float32, columns that are cut, folds that lie up to 1e12 standard deviations apart;
or a table as it is, with missing cells, weights, sparse cells, chosen and grouped columns.
Every measure, selector and decomposition that is based on statistics is compared with its exact
definition, on all rows, on folds and on halves; one thread with four, which share the least work,
and memory with random blocks of rows, to the last bit. The same case runs on every instruction set
of the machine, each in a process of its own, and must give the same bits. The exit code is 1 if
anything differs; the seed of the case is printed.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter

from fuzzing.cases import run_case

from ensfs._core import dispatch

# ---------------------------------------- processes


def work(compare):
    """Run the cases whose seeds come in, one on each line."""
    for line in sys.stdin:
        print(json.dumps(run_case(int(line), compare)), flush=True)


class Worker:
    """A process with one of the instruction sets."""

    def __init__(self, level, compare):
        self.level = level
        call = [sys.executable, __file__, "--worker", "compare" if compare else "digest"]
        self.process = subprocess.Popen(
            call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "ENSFS_SIMD": level},
        )  # fmt: skip

    def begin(self, seed):
        print(seed, file=self.process.stdin, flush=True)

    def end(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        code = self.process.wait()
        return {"counts": {}, "digest": "", "problem": f"the process ended with code {code}"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def differences(workers, seed):
    """Counts of a case, and what is wrong with it on each instruction set."""
    for worker in workers:
        worker.begin(seed)
    results = {worker.level: worker.end() for worker in workers}
    problems = [f"{level}: {r['problem']}" for level, r in results.items() if r["problem"]]
    if not problems and len({r["digest"] for r in results.values()}) > 1:
        problems = [f"the bits of {', '.join(results)} differ"]
    return results[workers[0].level]["counts"], problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to go on")
    parser.add_argument("--cases", type=int, help="how many cases to run instead")
    parser.add_argument("--seed", type=int, help="of the first case; the others follow")
    parser.add_argument("--worker", choices=["compare", "digest"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker == "compare")
    seed = int(time.time()) % 10**6 * 1000 if options.seed is None else options.seed
    end = time.monotonic() + 60 * options.minutes
    levels = dispatch.LEVELS[: dispatch.LEVELS.index(dispatch.best()) + 1]
    workers = [Worker(level, level == levels[-1]) for level in reversed(levels)]
    counts, n_cases, n_wrong = Counter(), 0, 0
    print(f"seeds from {seed} on, instruction sets {', '.join(levels)}", flush=True)
    while n_cases < options.cases if options.cases else time.monotonic() < end:
        found, problems = differences(workers, seed)
        counts.update(found)
        for problem in problems:
            print(f"--seed {seed} --cases 1: {problem}", flush=True)
        n_cases, n_wrong, seed = n_cases + 1, n_wrong + bool(problems), seed + 1
        if any(worker.process.poll() is not None for worker in workers):
            break  # a crash; the seed is printed
    for worker in workers:
        worker.close()
    for name, count in sorted(counts.items()):
        print(f"{count:8d}  {name}")
    print(f"{n_cases} cases, {n_wrong} with differences")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

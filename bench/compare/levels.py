"""What more than eight levels or classes cost, one run and an ensemble of 20 parts.

    python bench/compare/levels.py
    python bench/compare/levels.py --old FOLDER --rounds 5

Tables of noise beside 20 columns that know something of the classes. Printed are the least CPU
milliseconds of `MRMR(20)` and of its `FastEnsemble` of 20 parts, their ratio, and that to the run
with eight levels. With `--old`, a folder that holds another build of ensfs, both builds run in
processes of their own and take turns; the last columns are old / new, and whether the selections
and scores are the same, bit for bit.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time

import numpy as np

#: Rows, columns, levels (several: mixed in one table), classes.
CASES = {
    f"{levels} levels, {classes} classes, {n} x {p}": (n, p, levels, classes)
    for n, p in [(500, 4000), (2000, 5000), (4000, 1000)]
    for levels, classes in [
        (2, 2), (8, 2), (9, 2), (16, 2), (64, 2), (256, 2), (3, 10), (3, 100), (9, 10),
        ((3, 8, 9, 64), 2),
    ]
}  # fmt: skip


def make_table(n, p, levels, classes):
    """Codes and classes; every column that tells something copies the class in a share of rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, n)
    of_column = np.resize(np.atleast_1d(levels), p)
    X = rng.integers(0, of_column, (n, p)).astype(np.int16)
    for f, share in zip(range(0, p, p // 20), np.linspace(0.2, 0.6, 20), strict=False):
        copied = rng.random(n) < share
        X[copied, f] = y[copied] % of_column[f]
    return X, y


def answer(case, parts, scheme):
    """CPU seconds of one fit, and what it found."""
    from ensfs import MRMR, FastEnsemble

    X, y = make_table(*CASES[case])
    selector = MRMR(20, scheme=scheme, discrete_features=True)
    if parts:
        selector = FastEnsemble(selector, n_parts=parts, random_state=0)
    start = time.process_time()
    selector.fit(X, y)
    seconds = time.process_time() - start
    found = [selector.ranking_, getattr(selector, "scores_", None)]
    found = repr([None if each is None else np.asarray(each).tobytes() for each in found])
    return seconds, hashlib.sha256(found.encode()).hexdigest()


def work():
    """Answer the questions of the main process, one line each."""
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line))), flush=True)


class Worker:
    """A process that runs one build."""

    def __init__(self, folder):
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        path = {"PYTHONPATH": os.path.abspath(folder)} if folder else {}
        self.process = subprocess.Popen(
            [sys.executable, "-P", os.path.abspath(__file__), "--work"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=os.environ | threads | path,
        )  # fmt: skip

    def ask(self, *question):
        """Return the answer to a question."""
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main():
    """Compare the cases, and perhaps two builds."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--old", help="folder that holds another build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--match", default="", help="only cases whose name holds this")
    parser.add_argument("--scheme", default="auto")
    arguments = parser.parse_args()
    workers = [Worker(None)] + ([Worker(arguments.old)] if arguments.old else [])
    for worker in workers:
        worker.ask(next(iter(CASES)), 2, "auto")  # imports everything
    print(f"{'':38}{'one run':>9}{'20 parts':>10}{'ratio':>7}{'to 8':>6}   old / new: one, 20")
    of_eight = {}
    for case, (n, _, levels, classes) in CASES.items():
        if arguments.match not in case:
            continue
        best, found = np.full((len(workers), 2), np.inf), [set(), set()]
        for _ in range(arguments.rounds):
            for i, worker in enumerate(workers):
                for k, parts in enumerate((0, 20)):
                    seconds, digest = worker.ask(case, parts, arguments.scheme)
                    best[i, k] = min(best[i, k], seconds)
                    found[k].add(digest)
        one, twenty = 1e3 * best[0]
        if levels == 8:
            of_eight[n, classes] = one
        to_eight = one / of_eight.get((n, classes), np.nan)
        line = f"{case:38}{one:9.1f}{twenty:10.1f}{twenty / one:7.2f}{to_eight:6.2f}"
        if arguments.old:
            gain = best[1] / best[0]
            same = "same" if all(len(each) == 1 for each in found) else "DIFFERENT"
            line += f"{gain[0]:13.2f}{gain[1]:7.2f}  {same}"
        print(line, flush=True)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()

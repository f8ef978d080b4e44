"""How good are the selections? Methods of ensfs beside what users would take instead.

    python bench/quality/run.py                        everything that is not done yet
    python bench/quality/run.py --quick                a few sets: some minutes
    python bench/quality/run.py --methods MRMR JMI     only these (--again: once more), also
                                                       those that are run on request only
    python bench/quality/run.py --share 0/2            half of the sets, for two processes
    python bench/quality/run.py --summary              write docs/quality.json from what is kept

Real sets come from the folder that ENSFS_DATA names. Each repeat splits the rows into two halves
that are trained and tested on in turn; a method sees the training half only. Every result is a line
of ``results/<set>.jsonl`` beside this file, so that a run can be interrupted and taken up again.
Run it with OMP_NUM_THREADS=1: times are those of one processor.
"""

import argparse
import json
from pathlib import Path

import generators
import sets
import summary
from evaluate import Half, halves, record
from methods import DECIDE, METHODS, ON_REQUEST
from peers import installed

RESULTS = Path(__file__).resolve().parent / "results"
QUICK = (
    "colon", "ionosphere", "reg-housing", "tall-satimage", "sparse_linear#0", "twins#0",
    "pure_noise#0",
)  # fmt: skip


def load(name):
    return (generators if "#" in name else sets).load(name)


def done(path):
    """Lines that are kept of a set, by method and fold."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {(line["method"], line["fold"]): line for line in lines}


def run_set(name, methods, n_repeats, again):
    path = RESULTS / f"{name}.jsonl"
    kept = {key: line for key, line in done(path).items() if not (again and key[0] in methods)}
    path.write_text("".join(json.dumps(line) + "\n" for line in kept.values()), encoding="utf-8")
    wanted = [(m, f) for f in range(2 * n_repeats) for m in methods if (m, f) not in kept]
    if not wanted:
        return
    task = load(name)
    for fold, split in enumerate(halves(task, n_repeats)):
        half = Half(task, *split)
        for method in [m for m, f in wanted if f == fold]:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(outcome(half, method, methods[method], fold)) + "\n")
    print(name, flush=True)


def outcome(half, name, method, fold):
    """The record of a method, or why it has none: not every tool takes every table."""
    try:
        return record(half, name, method, name in DECIDE, fold)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"[:200]
        return {"set": half.task.name, "method": name, "fold": fold, "error": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--methods", nargs="+", default=None)
    parser.add_argument("--sets", nargs="+", default=None)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--summary", action="store_true")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if options.summary:
        summary.write(RESULTS)
        return
    peers, missing = installed()
    if missing:
        print("not installed:", ", ".join(missing))
    methods = {**METHODS, **peers}
    if options.methods:
        methods = {name: methods[name] for name in options.methods}
    else:
        methods = {name: method for name, method in methods.items() if name not in ON_REQUEST}
    names = options.sets or (QUICK if options.quick else every_set())
    which, of = map(int, options.share.split("/"))
    for name in names[which::of]:
        run_set(name, methods, options.repeats, options.again)


def every_set():
    real = (*sets.CLASSES, *sets.NUMBERS, *sets.TALL_CLASSES, *sets.TALL_NUMBERS)
    return [*real, *generators.names()]


if __name__ == "__main__":
    main()

"""All relevant columns: what ACE, Boruta and F tests with a false discovery rate find.

    python bench/quality/relevant.py                        the seeds that confirm
    python bench/quality/relevant.py --seeds 10 11 12       others; 10 to 12 chose the defaults
    python bench/quality/relevant.py --methods ACE --generators twins ten_classes

The generators of ``generators.py``, whose truth is known. Causes found (a cause counts once,
however many of its copies are taken), columns of noise taken, columns taken in all, seconds of
processor time; means over the seeds. To compare two commits run it with both installed in turn.
"""

import argparse
import time
import warnings

import generators
import numpy as np
from sklearn.feature_selection import SelectFdr, f_classif, f_regression

import ensfs

CONFIRM = (20, 21)


def ace(task):
    return ensfs.ACE(random_state=0).fit(task.X, task.y).indices_


def f_tests(task):
    measure = f_classif if task.classes else f_regression
    return np.nonzero(SelectFdr(measure, alpha=0.05).fit(task.X, task.y).get_support())[0]


def boruta(task):
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if task.classes else RandomForestRegressor
    selector = BorutaPy(kind(max_depth=5), n_estimators=100, max_iter=50, random_state=0)
    return np.nonzero(selector.fit(task.X.to_numpy(dtype=float), task.y).support_)[0]


METHODS = {"ACE": ace, "F, FDR": f_tests, "boruta": boruta}


def outcome(task, method):
    """Causes found, noise taken, columns taken, seconds."""
    start = time.process_time()
    chosen = set(np.asarray(method(task)).tolist())
    seconds = time.process_time() - start
    hits = sum(bool(chosen & set(cause.tolist())) for cause in task.truth)
    return hits, len(chosen & set(task.junk.tolist())), len(chosen), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=CONFIRM)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--generators", nargs="+", default=list(generators.GENERATORS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| generator | causes | method | found | noise | taken | seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in options.generators:
        make = generators.GENERATORS[name]
        tasks = [make(np.random.default_rng([seed, len(name)])) for seed in options.seeds]
        for method in options.methods:
            mean = np.mean([outcome(task, METHODS[method]) for task in tasks], axis=0)
            cells = f"{mean[0]:.1f} | {mean[1]:.1f} | {mean[2]:.1f} | {mean[3]:.2f}"
            print(f"| {name} | {len(tasks[0].truth)} | {method} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

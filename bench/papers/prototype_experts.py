"""Tables 2 and 3 of Armano and Hatami (2011): mixtures by random prototypes, and one that learns.

Run ``python bench/papers/prototype_experts.py``; ``--sets iris glass`` restricts the run,
``--experts 2 5`` are the numbers of experts in each of two groups (the paper tries 2 to 10 and does
not say which it took), ``--hidden 10`` the units of each network, ``--folds 10``; ``--rows 1500``
takes so many rows at random of larger sets. Accuracy in %
with the standard error over the folds, and CPU seconds of a fit. "Disjoint" are static weights,
"overlapping" dynamic ones. Each number of experts has its own rows: none is chosen by the test
folds. Real data: see ``tables.py``.
"""

import argparse
import time

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split
from tables import at_hand, load, progress

from ensfs import HierarchicalMixtureClassifier, PrototypeMixtureClassifier
from ensfs.ensemble._mixture import Network

#: Printed accuracies of HME, disjoint, overlapping; and seconds of HME and HMRPE.
PRINTED = {
    "iris": (88.7, 89.3, 89.6, 84, 57), "satimage": (88.6, 90.9, 91.1, 324, 198),
    "pendigits": (88.0, 89.5, 90.2, 451, 311), "letter": (71.5, 73.0, 73.8, 604, 451),
    "vowel": (60.9, 63.8, 64.4, 99, 63), "segment": (79.0, 82.2, 82.9, 71, 53),
    "glass": (72.1, 75.8, 76.9, 44, 30), "yeast": (50.6, 52.7, 54.0, 67, 42),
}  # fmt: skip
NAMES = ("HME", "disjoint", "overlapping")


def models(experts, hidden, seed):
    network = Network((hidden,), activation="tanh", solver="lbfgs", max_iter=200)
    common = {"n_experts": experts, "random_state": seed}
    return (
        HierarchicalMixtureClassifier(hidden, **common),
        PrototypeMixtureClassifier(network, weights="static", **common),
        PrototypeMixtureClassifier(network, weights="dynamic", **common),
    )


def scores(name, experts, hidden, n_folds, most):
    """Accuracy of each model in each fold, and seconds of its fits."""
    X, y = load(name)
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if most is not None and len(y) > most:
        X, _, y, _ = train_test_split(X, y, train_size=most, stratify=y, random_state=0)
    right, seconds = np.zeros((n_folds, 3)), np.zeros((n_folds, 3))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(X, y)):
        for i, model in enumerate(models(experts, hidden, fold)):
            start = time.process_time()
            model.fit(X[train], y[train])
            seconds[fold, i] = time.process_time() - start
            right[fold, i] = 100 * model.score(X[test], y[test])
        progress(f"{name} {fold}")
    return right, seconds


def main(sets, numbers, hidden, n_folds, most):
    print(f"{hidden} hidden units, 2 groups, {n_folds} folds\n")
    print("| data, experts in a group | " + " | ".join(f"{n}, printed | here" for n in NAMES)
          + " | HMRPE / HME seconds, printed | here |")  # fmt: skip
    print("| --- |" + " --- |" * 8)
    for name in sets:
        for experts in numbers:
            right, seconds = scores(name, experts, hidden, n_folds, most)
            means, errors = right.mean(axis=0), right.std(axis=0, ddof=1) / n_folds**0.5
            cells = [
                f"{p} | {m:.1f} ± {e:.1f}"
                for p, m, e in zip(PRINTED[name][:3], means, errors, strict=True)
            ]
            of_hme, of_ours = PRINTED[name][3:]
            taken = seconds.mean(axis=0)
            print(f"| {name}, {experts} | " + " | ".join(cells)
                  + f" | {of_ours / of_hme:.2f} | {taken[1:].mean() / taken[0]:.2f} |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    there = [name for name in PRINTED if at_hand(name)]
    parser.add_argument("--sets", nargs="+", default=there, choices=list(PRINTED))
    parser.add_argument("--experts", nargs="+", type=int, default=[2, 5])
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=None)
    options = parser.parse_args()
    main(options.sets, options.experts, options.hidden, options.folds, options.rows)

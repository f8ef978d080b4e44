"""Table 2 of the paper on random oracles for regression: hosts with and without oracles.

Run ``python bench/papers/random_oracles.py``; ``--hosts``, ``--members``, ``--rows`` and
``--repeats`` make it larger or smaller, and with ``--results FILE`` a run that was stopped goes on.
Data: see ``tables.py``; 33 of the paper's 61 sets are at hand.

C. Pardo, J. J. Rodriguez, J. F. Diez-Pastor and C. Garcia-Osorio (2011), Random oracles for
regression ensembles. Ensembles of 100 members by 5x2-fold cross-validation in the paper; here also
for sets of at most 500 rows, and one repetition of two halves for larger ones, of which at most
2,000 rows are drawn: about 25 minutes. Nominal columns become a column for each level, and missing
cells the median. "U" are unpruned trees, "P" trees with reduced-error pruning. Benefit is the mean
rank without less the mean rank with oracle.
"""

import argparse
import json
import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor
from tables import folder

from ensfs import (
    IteratedBaggingRegressor,
    RandomOracleRegressor,
    ReducedErrorTreeRegressor,
    ReweightedAdaBoostRegressor,
)
from ensfs.datasets import fetch_dataset

U, P = DecisionTreeRegressor(), ReducedErrorTreeRegressor()

#: What the paper prints: benefit of the oracle in mean ranks of 48 configurations.
HOSTS = {
    "Bagging (U)": lambda tree, m: BaggingRegressor(tree(U), m),
    "Bagging (P)": lambda tree, m: BaggingRegressor(tree(P), m),
    "Random subspaces 50% (U)": lambda tree, m: BaggingRegressor(
        tree(U), m, max_features=0.5, bootstrap=False
    ),
    "Random subspaces 75% (U)": lambda tree, m: BaggingRegressor(
        tree(U), m, max_features=0.75, bootstrap=False
    ),
    "AdaBoost.R2-S-linear (P)": lambda tree, m: AdaBoostRegressor(tree(P), n_estimators=m),
    "AdaBoost.R2-W-linear (P)": lambda tree, m: ReweightedAdaBoostRegressor(tree(P), m),
    "Iterated bagging 5 stages (P)": lambda tree, m: IteratedBaggingRegressor(
        tree(P), 5, n_estimators=max(2, m // 5)
    ),
}
#: Sets of at most so many rows are repeated more often.
SMALL = 500
SINGLE = {"tree (U)": U, "tree (P)": P, "linear regression": LinearRegression()}


def plain(tree):
    """The member without an oracle."""
    return clone(tree)


def oracle(tree):
    """The member with one."""
    return RandomOracleRegressor(clone(tree))


def table(name, n_rows, seed):
    """Numbers, columns for levels, medians for missing cells, and at most so many rows."""
    X, y = fetch_dataset(
        name, data_home=folder(), download_if_missing=False, return_X_y=True, as_frame=True
    )
    X = pd.get_dummies(X, dtype=float)
    X = X.fillna(X.median()).to_numpy(float)
    rows = np.random.default_rng(seed).permutation(len(X))[:n_rows]
    return X[:, X.std(axis=0) > 0][rows], np.asarray(y, dtype=float)[rows]


def errors(name, options):
    """Mean error of every configuration on one set."""
    warnings.simplefilter("ignore")
    X, y = table(name, options.rows, 0)
    models = {key: [model] for key, model in SINGLE.items()}
    for key in options.hosts:
        make = HOSTS[key]
        models[key] = [make(plain, options.members)]
        models[f"O-{key}"] = [make(oracle, options.members)]
    found = {key: [] for key in models}
    for repeat in range(options.repeats if len(X) > SMALL else options.small_repeats):
        for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
            for key, (model,) in models.items():
                fitted = clone(model)
                if "random_state" in fitted.get_params():
                    fitted.set_params(random_state=repeat)
                predicted = fitted.fit(X[train], y[train]).predict(X[test])
                found[key].append(float(np.sqrt(np.mean((predicted - y[test]) ** 2))))
    return {key: float(np.mean(each)) for key, each in found.items()}


def all_errors(names, options):
    """Errors on all sets; those that the file of results has are not computed again."""
    path = options.results
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    found = dict(json.loads(line) for line in lines)
    left = [name for name in names if name not in found]
    work = Parallel(n_jobs=options.n_jobs, return_as="generator")(
        delayed(errors)(name, options) for name in left
    )
    for name, each in zip(left, work, strict=True):
        found[name] = each
        if path is not None:
            with path.open("a") as file:
                print(json.dumps([name, each]), file=file)
    return [found[name] for name in names]


def main():
    """Print ranks, benefits and sign tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2000, help="most rows of a set")
    parser.add_argument("--repeats", type=int, default=1, help="of large sets")
    parser.add_argument("--small-repeats", type=int, default=5)
    parser.add_argument("--results", type=Path, default=None)
    parser.add_argument("--hosts", nargs="+", default=list(HOSTS), choices=list(HOSTS))
    parser.add_argument("--n-jobs", type=int, default=None)
    options = parser.parse_args()
    names = sorted(path.name.split(".")[0] for path in folder().glob("reg-*.csv.gz"))
    frame = pd.DataFrame(all_errors(names, options), index=names)
    ranks = frame.rank(axis=1).mean().sort_values()
    n = len(names)
    needed = math.ceil(n / 2 + 1.96 * math.sqrt(n) / 2)
    print(f"{n} sets, {options.members} members; significant: {needed} wins (ties are halves)\n")
    print("| configuration | mean rank |\n| --- | --- |")
    for key, rank in ranks.items():
        print(f"| {key} | {rank:.2f} |")
    print("\n| host | benefit of the oracle | wins / ties / losses | significant |")
    print("| --- | --- | --- | --- |")
    for key in options.hosts:
        with_, without = frame[f"O-{key}"], frame[key]
        wins, ties = int((with_ < without).sum()), int((with_ == without).sum())
        better = "yes" if wins + ties / 2 >= needed else "no"
        print(
            f"| {key} | {ranks[key] - ranks[f'O-{key}']:+.2f} | {wins} / {ties} / "
            f"{n - wins - ties} | {better} |"
        )


if __name__ == "__main__":
    main()

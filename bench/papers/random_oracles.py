"""Table 2 of the paper on random oracles for regression: hosts with and without oracles.

Run ``python bench/papers/random_oracles.py``; ``--hosts``, ``--members``, ``--rows`` and
``--repeats`` make it larger or smaller, and with ``--results FILE`` a run that was stopped goes on.
Data: see ``tables.py``; 33 of the paper's 61 sets are at hand.

C. Pardo, J. J. Rodriguez, J. F. Diez-Pastor and C. Garcia-Osorio (2011), Random oracles for
regression ensembles. Ensembles of 100 members by 5x2-fold cross-validation in the paper; here also
for sets of at most 500 rows, and one repetition of two halves for larger ones, of which at most
2,000 rows are drawn: all 24 pairs need an hour or two of one core, ``--repeats 1 --small-repeats 1
--rows 1000`` about half an hour. Nominal columns become a column for each level, and missing
cells the median. "U" are unpruned trees, "P" trees with reduced-error pruning. Benefit is the mean
rank without less the mean rank with oracle. ``--rivals`` adds the paper's other single models.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import AdaBoostRegressor, BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeRegressor
from tables import folder

from ensfs import (
    IteratedBaggingRegressor,
    RandomOracleRegressor,
    ReducedErrorTreeRegressor,
    ReweightedAdaBoostRegressor,
)
from ensfs.datasets import fetch_dataset
from ensfs.evaluation import sign_test
from ensfs.evaluation.paired import wins_needed

#: Two rows in a leaf at least, as in Weka: a tree of single rows fits the training rows, and
#: boosting by weights would end with the first.
U = DecisionTreeRegressor(min_samples_leaf=2)
P = ReducedErrorTreeRegressor(min_samples_leaf=2)

#: What the paper prints for each pair: the benefit of the oracle in mean ranks of 54
#: configurations. Its row "O-Random Subspaces 75% (P)" of rank 21.30 is the unpruned one.
PRINTED = {
    "Randomization (U)": 24.76, "Randomization (P)": 6.57,
    "Bagging (U)": 9.01, "Bagging (P)": 4.15,
    "Random subspaces 50% (U)": 4.56, "Random subspaces 50% (P)": 0.80,
    "Random subspaces 75% (U)": 13.70, "Random subspaces 75% (P)": 3.32,
    "AdaBoost.R2-S-linear (U)": 10.25, "AdaBoost.R2-S-linear (P)": 8.73,
    "AdaBoost.R2-S-square (U)": 6.70, "AdaBoost.R2-S-square (P)": 6.70,
    "AdaBoost.R2-S-exponential (U)": 11.06, "AdaBoost.R2-S-exponential (P)": 8.74,
    "AdaBoost.R2-W-linear (U)": 13.07, "AdaBoost.R2-W-linear (P)": 3.04,
    "AdaBoost.R2-W-square (U)": 10.21, "AdaBoost.R2-W-square (P)": 3.18,
    "AdaBoost.R2-W-exponential (U)": 14.98, "AdaBoost.R2-W-exponential (P)": 5.29,
    "Iterated bagging 10x10 (U)": 5.79, "Iterated bagging 10x10 (P)": 2.96,
    "Iterated bagging 5x20 (U)": 8.31, "Iterated bagging 5x20 (P)": 5.66,
}  # fmt: skip
#: The three pairs whose difference is not significant in the paper.
NOT_SIGNIFICANT = (
    "Random subspaces 50% (P)", "Random subspaces 75% (P)", "AdaBoost.R2-W-square (P)"
)  # fmt: skip


def host(title, member, m):
    """The ensemble of `m` members that a title names; `member` makes one of a tree."""
    tree = member(U if title.endswith("(U)") else P)
    words = title[:-4].split()
    if words[0] in ("Randomization", "Random"):
        share = float(words[-1][:-1]) / 100 if len(words) > 1 else 1.0
        return BaggingRegressor(tree, m, max_features=share, bootstrap=False)
    if words[0] == "Bagging":
        return BaggingRegressor(tree, m)
    if words[0] == "Iterated":
        stages = int(words[-1].split("x")[0])
        return IteratedBaggingRegressor(tree, stages, n_estimators=max(2, m // stages))
    _, way, loss = words[0].split("-")
    boosting = AdaBoostRegressor if way == "S" else ReweightedAdaBoostRegressor
    return boosting(tree, n_estimators=m, loss=loss)


class EliminatingRegression(RegressorMixin, BaseEstimator):
    """Linear regression without the columns that Akaike's criterion is better without.

    As Weka's M5 method: while it falls, the column with the least standardized coefficient goes.
    """

    def fit(self, X, y):
        """Drop one column after the other."""
        self.kept_, self.model_ = np.arange(X.shape[1]), LinearRegression().fit(X, y)
        best = self._akaike(self.model_, X, y)
        while self.kept_.size > 1:
            least = np.argmin(np.abs(self.model_.coef_) * X[:, self.kept_].std(axis=0))
            kept = np.delete(self.kept_, least)
            model = LinearRegression().fit(X[:, kept], y)
            value = self._akaike(model, X[:, kept], y)
            if value >= best:
                break
            best, self.kept_, self.model_ = value, kept, model
        return self

    @staticmethod
    def _akaike(model, X, y):
        squares = ((model.predict(X) - y) ** 2).mean()
        return len(y) * np.log(max(squares, 1e-300)) + 2 * X.shape[1]

    def predict(self, X):
        """By the columns that are left."""
        return self.model_.predict(X[:, self.kept_])


class ChosenNeighbours(RegressorMixin, BaseEstimator):
    """The nearest of up to ten rows, as many as leave-one-out finds best."""

    def __init__(self, power=2):
        self.power = power

    def fit(self, X, y):
        """Choose how many."""
        most = min(10, len(y) - 1)
        nearest = NearestNeighbors().fit(X).kneighbors(None, most, return_distance=False)
        means = y[nearest].cumsum(axis=1) / np.arange(1, most + 1)
        errors = (np.abs(means - y[:, None]) ** self.power).mean(axis=0)
        self.model_ = KNeighborsRegressor(int(errors.argmin()) + 1).fit(X, y)
        return self

    def predict(self, X):
        """The mean of their values."""
        return self.model_.predict(X)


#: Sets of at most so many rows are repeated more often.
SMALL = 500
#: Single models of the paper's table, and those that `--rivals` adds.
SINGLE = {"tree (U)": U, "tree (P)": P, "linear regression": LinearRegression()}
RIVALS = {
    "linear regression, M5": EliminatingRegression(),
    "1-NN": make_pipeline(MinMaxScaler(), KNeighborsRegressor(1)),
    "k-NN, absolute": make_pipeline(MinMaxScaler(), ChosenNeighbours(1)),
    "k-NN, squared": make_pipeline(MinMaxScaler(), ChosenNeighbours(2)),
}


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
    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)  # a third of the time
    X, y = table(name, options.rows, 0)
    models = SINGLE | (RIVALS if options.rivals else {})
    for key in options.hosts:
        models[key] = host(key, plain, options.members)
        models[f"O-{key}"] = host(key, oracle, options.members)
    found = {key: [] for key in models}
    for repeat in range(options.repeats if len(X) > SMALL else options.small_repeats):
        for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
            for key, model in models.items():
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
    parser.add_argument("--hosts", nargs="+", default=list(PRINTED), choices=list(PRINTED))
    parser.add_argument("--rivals", action="store_true", help="four more single models")
    parser.add_argument("--n-jobs", type=int, default=None)
    options = parser.parse_args()
    names = sorted(path.name.split(".")[0] for path in folder().glob("reg-*.csv.gz"))
    frame = pd.DataFrame(all_errors(names, options), index=names)
    ranks = frame.rank(axis=1).mean().sort_values()
    n = len(names)
    print(
        f"{n} sets, {options.members} members; significant: {wins_needed(n)} wins (ties are "
        "halves)\n"
    )
    print("| configuration | mean rank |\n| --- | --- |")
    for key, rank in ranks.items():
        print(f"| {key} | {rank:.2f} |")
    print(
        "\n| host | benefit, printed | here | wins / ties / losses | significant, printed | here |"
    )
    print("| --- |" + " --- |" * 5)
    for key in options.hosts:
        found = sign_test(frame[f"O-{key}"], frame[key])
        better = "yes" if found.significant else "no"
        printed = "no" if key in NOT_SIGNIFICANT else "yes"
        print(
            f"| {key} | +{PRINTED[key]:.2f} | {ranks[key] - ranks[f'O-{key}']:+.2f} | "
            f"{found.wins} / {found.ties} / {found.losses} | {printed} | {better} |"
        )


if __name__ == "__main__":
    main()

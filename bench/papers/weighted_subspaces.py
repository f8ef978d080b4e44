"""Table 3 of Cai, Peng and Zhang (2008): weighted subspace bagging beside four rivals.

Run ``python bench/papers/weighted_subspaces.py``; ``--sets bupa sonar`` restricts the run,
``--repeats 10`` repeats the ten folds (the paper: 100 times), ``--oob 100`` is the paper's number
of trees that estimate the margins in each of 25 subspaces. The two largest classes of each set, as
in the paper; text is coded by numbers, missing cells by the commonest value or the median. For C4.5
stand trees of scikit-learn by entropy with at least two rows in a leaf, which is C4.5's default;
trees of single rows fit the training rows, and AdaBoost would stop at the first. They are not
pruned. Errors in %, then mean ranks and Friedman's test. Real data: see ``tables.py``.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, rankdata
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from tables import load, progress

from ensfs import WeightedSubspaceBaggingClassifier

#: Printed errors: AdaBoost, bagging, forest, random subspaces, weighted subspaces.
PRINTED = {
    "balance-scale": (18.70, 15.54, 14.34, 7.91, 5.89),
    "breast-w": (3.31, 4.41, 3.53, 3.76, 2.79),
    "bupa": (30.43, 26.66, 28.09, 28.06, 26.57),
    "credit-g": (25.23, 25.70, 24.61, 24.06, 22.87),
    "echocardiogram": (11.10, 9.42, 9.59, 10.17, 9.33),
    "glass": (11.70, 17.27, 12.83, 13.47, 12.27),
    "hayes-roth": (23.11, 21.0, 22.09, 23.46, 18.39),
    "heart-c": (19.06, 21.21, 18.81, 17.76, 15.58),
    "horse-colic": (17.12, 14.49, 15.52, 20.97, 14.60),
    "ionosphere": (6.01, 7.29, 6.60, 5.74, 5.49),
    "pima": (26.21, 24.26, 24.12, 25.27, 23.73),
    "sonar": (13.52, 23.43, 16.29, 20.43, 18.76),
    "votes": (4.90, 3.24, 3.52, 5.60, 2.96),
}
NAMES = ("AdaBoost", "bagging", "forest", "subspaces", "weighted")


def models(seed, oob):
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    bagging = BaggingClassifier(tree, n_estimators=100, random_state=seed)
    return (
        AdaBoostClassifier(tree, n_estimators=100, random_state=seed),
        bagging,
        RandomForestClassifier(100, random_state=seed),
        clone(bagging).set_params(max_features=0.5, bootstrap=False),
        WeightedSubspaceBaggingClassifier(tree, n_oob_estimators=oob, random_state=seed),
    )


def unweighted(seed, n_columns):
    """Bagging with as many columns for each tree, which weights all subspaces alike."""
    return models(seed, 0)[1].set_params(max_features=-(-2 * n_columns // 3))


def two_classes(name):
    """Numbers and classes of the rows of the two largest classes."""
    X, y = load(name)
    X, y = pd.DataFrame(X).reset_index(drop=True), np.asarray(y).astype(str)
    labels, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, labels[np.argsort(-counts, kind="stable")[:2]])
    table = {}
    for column in X.columns:
        values = X.loc[kept, column]
        if values.dtype.kind not in "biuf":
            codes = pd.Categorical(values).codes.astype(float)
            values = pd.Series(np.where(codes < 0, np.nan, codes))
            middle = values.mode().iloc[0] if values.notna().any() else 0.0
        else:
            middle = values.median()
        table[column] = values.fillna(middle).to_numpy(dtype=float)
    return pd.DataFrame(table).to_numpy(), np.unique(y[kept], return_inverse=True)[1]


def errors(name, repeats, make):
    X, y = two_classes(name)
    wrong = np.zeros(len(make(0)))
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0)
    for seed, (train, test) in enumerate(folds.split(X, y)):
        for i, model in enumerate(make(seed)):
            wrong[i] += (model.fit(X[train], y[train]).predict(X[test]) != y[test]).sum()
        progress(f"{name} {seed}")
    return 100 * wrong / (repeats * len(y))


def main(sets, repeats, oob):
    print("| data | " + " | ".join(f"{n}, printed | here" for n in NAMES) + " |")
    print("| --- |" + " --- |" * 2 * len(NAMES))
    rows = []
    for name in sets:
        rows.append(errors(name, repeats, lambda seed: models(seed, oob)))
        pairs = zip(PRINTED[name], rows[-1], strict=True)
        print(f"| {name} | " + " | ".join(f"{a} | {b:.2f}" for a, b in pairs) + " |", flush=True)
    printed = rankdata([PRINTED[name] for name in sets], axis=1).mean(axis=0)
    here = rankdata(np.round(rows, 6), axis=1).mean(axis=0)
    pairs = zip(printed, here, strict=True)
    print("| mean rank | " + " | ".join(f"{a:.2f} | {b:.2f}" for a, b in pairs) + " |")
    if len(sets) > 2:
        test = friedmanchisquare(*np.transpose(rows))
        print(f"\nFriedman: {test.statistic:.2f}, p = {test.pvalue:.2g}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(PRINTED), choices=list(PRINTED))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--oob", type=int, default=100)
    parser.add_argument("--unweighted", action="store_true", help="only without any weights")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", "There are only .* subspaces")
    if options.unweighted:
        for each in options.sets:
            p = two_classes(each)[0].shape[1]
            (error,) = errors(each, options.repeats, lambda seed, p=p: [unweighted(seed, p)])
            print(f"{each}: {error:.2f}", flush=True)
    else:
        main(options.sets, options.repeats, options.oob)

"""Table 1 of Bautista et al. (2010): codes with few columns beside one-vs-all and pairs.

Run ``python bench/papers/minimal_ecoc.py``; ``--plain`` leaves the machines at one setting,
``--rows`` draws so many rows of larger sets, ``--codes`` compares with scikit-learn's
OutputCodeClassifier instead, on all rows of three sets. Markdown goes to the standard output.

* As in the paper ten stratified folds, Hamming decoding, and for every column a support vector
  machine whose C and gamma have the least error in two folds of the training rows; here by a grid
  of 25 settings, in the paper by genes. Columns are standardized.
* "minimal" is the best of all codes with the fewest columns by validation (up to eight classes, so
  that no evolution is needed). Every fold of the outer cross-validation searches anew.
* Of the paper's twelve sets those that are not in the folder of the data are named. Classes of
  fewer than five rows are left out.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.multiclass import OutputCodeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tables import at_hand, load, progress

from ensfs import ECOCClassifier, MinimalECOCClassifier
from ensfs.evaluation import friedman_holm

#: Printed accuracies: binary minimal, evolved minimal, one-vs-all, pairs.
PRINTED = {
    "dermatology": (96.0, 96.3, 95.1, 94.7),
    "iris": (96.4, 98.2, 96.9, 96.3),
    "ecoli": (80.5, 81.4, 79.5, 79.2),
    "vehicle": (72.5, 76.99, 74.2, 83.6),
    "wine": (95.5, 97.2, 95.5, 97.2),
    "segment": (96.6, 96.6, 96.1, 97.18),
    "glass": (56.7, 50.0, 53.85, 60.5),
    "new-thyroid": (96.4, 93.8, 95.6, 96.1),
    "vowel": (57.7, 81.78, 80.7, 78.9),
    "balance-scale": (80.9, 87.1, 89.9, 92.8),
    "shuttle": (80.9, 83.4, 90.6, 86.3),
    "yeast": (50.2, 54.7, 51.1, 52.4),
}

#: Sets for the comparison with OutputCodeClassifier.
LARGE = ("digits", "pendigits", "satimage")


#: Settings of a machine, those of ``MinimalECOCClassifier(tune="grid")``.
GRID = {
    "C": 2.0 ** np.array([-5, 0, 5, 10, 15]),
    "gamma": 2.0 ** np.array([-15.0, -10.5, -6.0, -1.5, 3.0]),
}


def codes(plain):
    """The four codes of the table."""
    tune = None if plain else "grid"
    machine = SVC() if plain else GridSearchCV(SVC(), GRID, cv=StratifiedKFold(2))
    return {
        "binary": MinimalECOCClassifier(SVC(), "binary", tune=tune, random_state=0),
        "minimal": MinimalECOCClassifier(SVC(), tune=tune, random_state=0),
        "one-vs-all": ECOCClassifier(machine, "one_vs_all"),
        "pairs": ECOCClassifier(machine, "one_vs_one"),
    }


def rows_of(name, most):
    """At most so many rows of a set, drawn with a fixed seed, of classes with five rows or more."""
    X, y = load_digits(return_X_y=True) if name == "digits" else load(name)
    rows = np.random.default_rng(0).permutation(len(y))[:most]
    rows = rows[np.bincount(y[rows])[y[rows]] >= 5]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def accuracy(model, X, y, n_folds):
    """Mean accuracy in per cent."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return 100 * cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=folds).mean()


def n_machines(n_classes):
    """Columns of the four codes."""
    few = (n_classes - 1).bit_length()
    return few, few, n_classes, n_classes * (n_classes - 1) // 2


def table(options):
    """Print Table 1 on the sets at hand."""
    here = [name for name in PRINTED if at_hand(name)]
    names = list(codes(options.plain))
    print("| data | rows | classes | " + " | ".join(names) + " | printed |")
    print("| --- |" + " --- |" * 7)
    found, machines = [], []
    for name in here:
        progress(name)
        X, y = rows_of(name, options.rows)
        models = codes(options.plain).values()
        found.append([accuracy(model, X, y, options.folds) for model in models])
        machines.append(n_machines(int(y.max()) + 1))
        printed = " / ".join(map(str, PRINTED[name]))
        numbers = " | ".join(f"{each:.1f}" for each in found[-1])
        print(f"| {name} | {len(y)} | {y.max() + 1} | {numbers} | {printed} |", flush=True)
    ours = friedman_holm(found, names=names)
    theirs = friedman_holm([PRINTED[name] for name in here], names=names)
    ranks = " | ".join(f"{r:.2f}" for r in ours.mean_ranks)
    printed = " / ".join(f"{r:.2f}" for r in theirs.mean_ranks)
    print(f"| mean rank | | | {ranks} | {printed} |")
    numbers = " | ".join(f"{m:.1f}" for m in np.mean(machines, axis=0))
    print(f"| mean number of machines | | | {numbers} | 2.7 / 2.7 / 5.7 / 15.9 |")
    for who, test in (("here", ours), ("printed, same sets", theirs)):
        print(
            f"\n{who}: Friedman {test.friedman.statistic:.2f} (p = {test.friedman.pvalue:.2f}), "
            f"Iman-Davenport {test.iman_davenport.statistic:.2f} "
            f"(p = {test.iman_davenport.pvalue:.2f})"
        )
    print("\nNot at hand: " + ", ".join(name for name in PRINTED if name not in here))


def against_output_codes():
    """The same number of SVCs: the best short code beside random codes of scikit-learn."""
    print("\n| data | SVCs | minimal | OutputCodeClassifier, mean of 5 seeds | least | largest |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in LARGE:
        progress(name)
        X, y = rows_of(name, None)
        X = StandardScaler().fit_transform(X)
        train, test = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1
        model = MinimalECOCClassifier(SVC(), random_state=0, generations=15, decoding="euclidean")
        ours = 100 * model.fit(X[train], y[train]).score(X[test], y[test])
        n_columns, n_classes = model.code_book_.shape[1], len(model.classes_)
        theirs = [
            100
            * OutputCodeClassifier(
                SVC(), code_size=(n_columns + 0.5) / n_classes, random_state=seed
            )
            .fit(X[train], y[train])
            .score(X[test], y[test])
            for seed in range(5)
        ]
        print(
            f"| {name} | {n_columns} | {ours:.1f} | {np.mean(theirs):.1f} | {min(theirs):.1f} | "
            f"{max(theirs):.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1000, help="most rows of a set")
    parser.add_argument("--plain", action="store_true", help="one setting for all machines")
    parser.add_argument("--codes", action="store_true", help="only OutputCodeClassifier")
    options = parser.parse_args()
    if options.codes:
        against_output_codes()
    else:
        table(options)

"""Table 1 of Bautista et al. (2010): codes with few columns beside one-vs-all and pairs.

Run ``python bench/papers/minimal_ecoc.py``; ``--folds 3`` sets the cross-validation, ``--codes``
also compares with scikit-learn's OutputCodeClassifier. Markdown goes to the standard output.

* The paper tunes C and gamma of support vector machines by a genetic algorithm. Here they are those
  of ``SVC()`` on standardized columns for all four codes, so that the codes alone differ.
* "minimal" is the best of all codes with the fewest columns by validation (up to eight classes, so
  that no evolution is needed). Every fold of the outer cross-validation searches anew.
* Of the paper's twelve sets those that are not in the folder of the data are named.
"""

import argparse

import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.multiclass import OutputCodeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from tables import at_hand, load, progress

from ensfs import ECOCClassifier, MinimalECOCClassifier

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


def codes():
    """The four codes of the table."""
    return {
        "binary": ECOCClassifier(SVC(), "binary"),
        "minimal": MinimalECOCClassifier(SVC(), random_state=0),
        "one-vs-all": ECOCClassifier(SVC(), "one_vs_all", decoding="euclidean"),
        "pairs": ECOCClassifier(SVC(), "one_vs_one"),
    }


def rows_of(name, most):
    """At most so many rows of a set, drawn with a fixed seed; classes of fewer than 10 left out."""
    X, y = load_digits(return_X_y=True) if name == "digits" else load(name)
    counts = np.bincount(y)
    rows = np.nonzero(counts[y] >= 10)[0]
    rows = np.random.default_rng(0).permutation(rows)[:most]
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def accuracy(model, X, y, n_folds):
    """Mean accuracy in per cent."""
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return 100 * cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=folds).mean()


def table(n_folds, most):
    """Print Table 1 on the sets at hand."""
    here = [name for name in PRINTED if at_hand(name)]
    print("| data | classes | " + " | ".join(codes()) + " | printed |")
    print("| --- |" + " --- |" * 6)
    found = []
    for name in here:
        progress(name)
        X, y = rows_of(name, most)
        found.append([accuracy(model, X, y, n_folds) for model in codes().values()])
        printed = " / ".join(map(str, PRINTED[name]))
        numbers = " | ".join(f"{each:.1f}" for each in found[-1])
        print(f"| {name} | {y.max() + 1} | {numbers} | {printed} |", flush=True)
    ranks = np.mean([rankdata(-np.array(row)) for row in found], axis=0)
    printed = np.mean([rankdata(-np.array(PRINTED[name])) for name in here], axis=0)
    numbers, theirs = (
        " | ".join(f"{r:.2f}" for r in ranks),
        " / ".join(f"{r:.2f}" for r in printed),
    )
    print(f"| mean rank | | {numbers} | {theirs} |")
    print("\nNot at hand: " + ", ".join(name for name in PRINTED if name not in here))


def against_output_codes(most):
    """The same number of SVCs: the best short code beside random codes of scikit-learn."""
    print("\n| data | SVCs | minimal | OutputCodeClassifier, mean of 5 seeds | least | largest |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in LARGE:
        progress(name)
        X, y = rows_of(name, 2 * most)
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
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000, help="most rows of a set")
    parser.add_argument("--codes", action="store_true", help="also OutputCodeClassifier")
    options = parser.parse_args()
    table(options.folds, options.rows)
    if options.codes:
        against_output_codes(options.rows)

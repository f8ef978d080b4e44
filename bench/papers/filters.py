"""FCBF and CFS on published microarray sets: how many columns, and how well they classify.

Run ``python bench/papers/filters.py``; ``--quick`` takes the three smallest sets and three folds,
``--sets`` restricts the run. Data: see ``tables.py``.

* ``*_s3`` are the sets of the mRMR papers, already in three levels; the others are continuous and
  are cut inside ``fit`` by the default (MDL with Weka's better encoding), from the training rows
  alone.
* Accuracy: ten stratified folds, all test rows pooled, one seed for the folds, the same folds for
  each selector. Selection is inside the folds. Naive Bayes counts levels on ``*_s3`` and is
  Gaussian elsewhere; 5-NN is Euclidean, on codes or on standardized columns.
* Missing cells (``lymphoma-3c``, ``dlbcl``) are set to the median of their column in the training
  rows.
* "columns" is the number selected on all rows, "in folds" the least, mean and largest number in the
  folds. A fold in which nothing is selected predicts the largest class.
* Some classes have fewer rows than there are folds, in ``lymphoma_s3`` and ``nci9_s3`` as few as
  two: such classes are missing from some of the test sets.

The figures have no printed counterpart: the papers name neither their folds nor their seeds.
"""

import argparse
import time

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import at_hand, load, progress

from ensfs import CFS, FCBF, FastEnsemble

NOMINAL = ("lung_s3", "colon_s3", "lymphoma_s3", "leukemia_s3", "nci9_s3")
CONTINUOUS = ("colon", "lymphoma-3c", "all-aml", "srbct", "cns", "dlbcl", "lung-gordon")
QUICK = ("lung_s3", "colon_s3", "colon")


class Everything:
    """All columns, as a selector."""

    def fit(self, X, y):
        self.indices_ = np.arange(X.shape[1])
        return self


def selectors(p, nominal):
    mask = np.full(p, nominal)
    return {
        "all columns": Everything(),
        "FCBF": FCBF(discrete_features=mask, correction=None),
        "FastEnsemble(FCBF)": FastEnsemble(
            FCBF(discrete_features=mask, correction=None), n_parts=20
        ),
        "CFS": CFS(discrete_features=mask, correction=None),
    }


def classifiers(nominal, n_levels):
    if nominal:
        return CategoricalNB(min_categories=n_levels), KNeighborsClassifier(5)
    return GaussianNB(), make_pipeline(StandardScaler(), KNeighborsClassifier(5))


def splits(y, n_folds):
    """Deal the rows of each class out in turn; scikit-learn refuses when all classes are small."""
    shuffled = np.random.default_rng(0).permutation(len(y))
    dealt = shuffled[np.argsort(y[shuffled], kind="stable")]
    tests = [np.sort(dealt[i::n_folds]) for i in range(n_folds)]
    return [(np.setdiff1d(shuffled, test), test) for test in tests]


def filled(X, rows):
    """The table with missing cells set to the median of their column in these rows."""
    missing = np.isnan(X) if X.dtype.kind == "f" else np.zeros(1, dtype=bool)
    return np.where(missing, np.nanmedian(X[rows], axis=0), X) if missing.any() else X


def correct(model, X, y, train, test):
    if X.shape[1] == 0:
        model = DummyClassifier()
        X = np.zeros((len(y), 1))
    return int((model.fit(X[train], y[train]).predict(X[test]) == y[test]).sum())


def evaluate(name, n_folds):
    """Yield a row of the table for each selector."""
    X, y = load(name)
    nominal = name in NOMINAL
    n_levels = 0
    if nominal:
        levels, codes = np.unique(X, return_inverse=True)
        X, n_levels = codes.reshape(X.shape).astype(np.int8), levels.size
    n, p = X.shape
    folds = splits(y, n_folds)
    complete = filled(X, slice(None))
    for title, selector in selectors(p, nominal).items():
        progress(f"{name}: {title}, all rows")
        start = time.perf_counter()
        on_all = len(selector.fit(complete, y).indices_)
        seconds = time.perf_counter() - start
        sizes, hits = [], np.zeros(2, dtype=int)
        for i, (train, test) in enumerate(folds):
            progress(f"{name}: {title}, fold {i + 1} of {n_folds}")
            Z = filled(X, train)
            chosen = selector.fit(Z[train], y[train]).indices_
            sizes.append(len(chosen))
            Z = Z[:, chosen].astype(np.int64 if nominal else np.float64)
            models = classifiers(nominal, n_levels)
            hits += [correct(model, Z, y, train, test) for model in models]
        yield {
            "set": name, "n": n, "p": p, "classes": len(np.unique(y)), "selector": title,
            "columns": on_all, "sizes": sizes, "bayes": hits[0] / n, "neighbours": hits[1] / n,
            "seconds": seconds,
        }  # fmt: skip
    progress("")


def line(row, first):
    start = f"{row['set']:12s} {row['n']:4d} {row['p']:6,d} {row['classes']:3d}" if first else ""
    sizes = row["sizes"]
    return (
        f"{start:28s}  {row['selector']:18s} {row['columns']:7,d}  "
        f"{min(sizes):6,d} {np.mean(sizes):8,.1f} {max(sizes):6,d}  "
        f"{100 * row['bayes']:6.1f} {100 * row['neighbours']:6.1f}  {1e3 * row['seconds']:8.1f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three sets, three folds")
    parser.add_argument("--sets", nargs="+", choices=NOMINAL + CONTINUOUS)
    options = parser.parse_args()
    names = options.sets or (QUICK if options.quick else NOMINAL + CONTINUOUS)
    n_folds = 3 if options.quick else 10

    print(f"{n_folds}-fold cross-validation; accuracy in per cent; milliseconds of one fit")
    print(
        f"{'data set':12s} {'n':>4s} {'p':>6s} {'cl.':>3s}  {'selector':18s} {'columns':>7s}  "
        f"{'least':>6s} {'in folds':>8s} {'most':>6s}  {'Bayes':>6s} {'5-NN':>6s}  {'ms':>8s}"
    )
    start = time.perf_counter()
    no_worse = {}
    for name in names:
        if not at_hand(name):
            print(f"{name:12s} not at hand")
            continue
        rows = []
        for row in evaluate(name, n_folds):
            rows.append(row)
            print(line(row, len(rows) == 1), flush=True)
        for row in rows[1:]:
            counts = no_worse.setdefault(row["selector"], np.zeros(3, dtype=int))
            counts += [row["bayes"] >= rows[0]["bayes"],
                       row["neighbours"] >= rows[0]["neighbours"], 1]  # fmt: skip
    for title, (bayes, neighbours, total) in no_worse.items():
        print(
            f"{title}: at least as accurate as all columns on {bayes} (Bayes) and "
            f"{neighbours} (5-NN) of {total} sets"
        )
    print(f"{time.perf_counter() - start:.0f} seconds")


if __name__ == "__main__":
    main()

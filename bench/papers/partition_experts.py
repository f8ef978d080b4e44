"""Tables 1 and 3 of Žliobaitė (2011): errors of local experts on toy and real data.

Run ``python bench/papers/partition_experts.py``. The toy data have four clouds whose classes are
opposite corners; 5,000 rows of each train, 20,000 test. Of the six real sets two are at hand (cred
is credit-g, shut is shuttle, class 1 against the others); ten other sets of two classes follow, to
have more than two for the ranks. k = 4, half of the rows train, ``--repeats`` random halves (the
paper: one). ``--corrected`` switches the printed prior correction on. Errors in %, of rounded
outputs; the tables come as markdown. Real data: see ``tables.py``.
"""

import argparse

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import at_hand, load, progress

from ensfs import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    IntervalExpertsClassifier,
    RandomExpertsClassifier,
)
from ensfs.datasets import make_xor_clusters

NAMES = ("CLU", "CL2", "FEA", "MMM", "RSS", "ALL", "NAY")
PRINTED = {
    4: (10.6, 13.9, 17.1, 10.5, 49.7, 49.7, 50.0),
    9: (12.1, 14.3, 14.1, 10.5, 49.8, 49.8, 50.0),
}

#: The same of the real sets.
REAL = {
    "credit-g": (31.8, 32.8, 28.7, 28.2, 32.7, 31.2, 31.0),
    "shuttle": (3.9, 2.2, 1.6, 2.1, 5.3, 5.4, 21.4),
}
OTHERS = (
    "breast-w", "bupa", "haberman", "heart-c", "heart-statlog", "ionosphere", "kr-vs-kp", "pima",
    "sonar", "wdbc",
)  # fmt: skip


def errors(train, test, k, corrected, seed=0):
    (X, y), (T, t) = train, test
    options = {"correct_priors": corrected, "random_state": seed}
    experts = {
        "CLU": ClusterExpertsClassifier(n_parts=k, **options),
        "CL2": ClassClusterExpertsClassifier(n_clusters=round(k**0.5), **options),
        "FEA": IntervalExpertsClassifier(n_parts=k, **options),
        "RSS": RandomExpertsClassifier(n_parts=k, **options),
        "ALL": make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=1000)),
    }
    given = {name: model.fit(X, y).predict_proba(T)[:, 1] for name, model in experts.items()}
    given["MMM"] = np.mean([given[name] for name in ("CLU", "CL2", "FEA")], axis=0)
    given["NAY"] = np.full(len(t), float(np.mean(y) > 0.5))
    return {name: 100 * np.mean((given[name] > 0.5) != t) for name in NAMES}


def row(title, values):
    print(f"| {title} | " + " | ".join(f"{v:.1f}" for v in values) + " |", flush=True)


def head(title):
    print(f"\n| {title} | " + " | ".join(NAMES) + " |\n| --- |" + " --- |" * len(NAMES))


def toy(corrected):
    head("toy data")
    for k, printed in PRINTED.items():
        row(f"k = {k}, printed", printed)
        train, test = (make_xor_clusters(20_000, random_state=seed) for seed in (0, 1))
        found = errors(train, test, k, corrected)
        row(f"k = {k}, here", [found[name] for name in NAMES])


def two_classes(name):
    """Numbers, text expanded, gaps filled with medians; the most frequent class against others."""
    X, y = load(name)
    X = pd.get_dummies(pd.DataFrame(X), dtype=float).astype(float)
    y = np.asarray(y).astype(str)
    labels, counts = np.unique(y, return_counts=True)
    return X.fillna(X.median()).to_numpy(), (y != labels[counts.argmax()]).astype(int)


def real(sets, repeats, corrected):
    head("real data, k = 4")
    found = []
    for name in sets:
        X, y = two_classes(name)
        runs = []
        for seed in range(repeats):
            train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed)
            found_here = errors((X[train], y[train]), (X[test], y[test]), 4, corrected, seed)
            runs.append([found_here[title] for title in NAMES])
            progress(f"{name} {seed}")
        found.append(np.mean(runs, axis=0))
        if name in REAL:
            row(f"{name}, printed", REAL[name])
        row(f"{name}, here", found[-1])
    ranks = rankdata(np.round(found, 6), axis=1).mean(axis=0)
    print("| mean rank | " + " | ".join(f"{r:.2f}" for r in ranks) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corrected", action="store_true")
    there = [name for name in (*REAL, *OTHERS) if at_hand(name)]
    parser.add_argument("--sets", nargs="*", default=there, choices=there)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    toy(options.corrected)
    real(options.sets, options.repeats, options.corrected)

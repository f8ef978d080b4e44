"""Table 2 of Žliobaitė (2011): errors of local experts on the toy data.

Run ``python bench/papers/partition_experts.py``. The toy data have four clouds whose classes are
opposite corners; 5,000 rows of each train, 20,000 test. The real sets are not all at hand and are
not run. ``--corrected`` switches the printed prior
correction on. Errors in %; the table comes as markdown.
"""

import argparse

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ensfs import (
    ClassClusterExpertsClassifier,
    ClusterExpertsClassifier,
    IntervalExpertsClassifier,
    RandomExpertsClassifier,
)

NAMES = ("CLU", "CL2", "FEA", "MMM", "RSS", "ALL", "NAY")
PRINTED = {
    4: (10.6, 13.9, 17.1, 10.5, 49.7, 49.7, 50.0),
    9: (12.1, 14.3, 14.1, 10.5, 49.8, 49.8, 50.0),
}


def corners(n, seed):
    rng = np.random.default_rng(seed)
    which = np.arange(4 * n) % 4
    centres = np.array([[0, 0], [4.5, 3], [1, 3], [3, 0.1]])
    return centres[which] + rng.normal(size=(4 * n, 2)), which // 2


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


def main(corrected):
    print("| data, k | " + " | ".join(NAMES) + " |")
    print("| --- |" + " --- |" * len(NAMES))
    for k, printed in PRINTED.items():
        print(f"| toy, {k}, printed | " + " | ".join(map(str, printed)) + " |")
        found = errors(corners(5000, 0), corners(5000, 1), k, corrected)
        print(f"| toy, {k}, ours | " + " | ".join(f"{found[n]:.1f}" for n in NAMES) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corrected", action="store_true")
    main(parser.parse_args().corrected)

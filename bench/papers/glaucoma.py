"""Table 1 of Ceccon et al. (2011) on simulated eyes: networks of data, of an expert, and combined.

Run ``python bench/papers/glaucoma.py``. The data of the paper are not public: here
`make_field_and_nerve` draws 180 eyes with the same structure, and the claims are about the order of
the methods. Three folds as in the paper; AUROC, errors at the threshold of largest accuracy, and
errors at a specificity of 0.9 over all eyes. ``--draws 5`` repeats it on more draws.
"""

import argparse

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from ensfs import BayesianNetworkClassifier, NetworkCombinerClassifier
from ensfs.datasets import make_field_and_nerve

PRINTED = {
    "semi-supervised": (0.98, 6, 13),
    "anatomy": (0.98, 7, 13),
    "weighted vote": (0.98, 5, 13),
    "BN combiner": (0.98, 8, 12),
    "accuracy-weighted BN": (0.98, 5, 12),
}
ANATOMY = [("class", j) for j in range(12)] + [(i, i + 6) for i in range(6)]


def members(bootstraps):
    data = BayesianNetworkClassifier(structure="controls", n_bootstrap=bootstraps)
    expert = BayesianNetworkClassifier(ANATOMY, structure="hidden")
    return [("data", data), ("anatomy", expert)]


def methods(bootstraps, seed):
    (_, data), (_, expert) = members(bootstraps)
    yield "semi-supervised", data.set_params(random_state=seed)
    yield "anatomy", expert.set_params(random_state=seed)
    combiners = {
        "weighted vote": "vote", "BN combiner": "network", "accuracy-weighted BN": "both",
    }  # fmt: skip
    for title, method in combiners.items():
        yield (
            title,
            NetworkCombinerClassifier(
                members(bootstraps), method=method, empty="zero", random_state=seed
            ),
        )


def least_errors(y, scores):
    """Errors at the threshold of largest accuracy."""
    return min(int(((scores >= t) != y).sum()) for t in [*np.unique(scores), np.inf])


def errors_at_specificity(y, scores, specificity=0.9):
    """Errors at the smallest threshold below which so many negatives lie."""
    negatives = scores[y == 0]
    enough = [t for t in [*np.unique(scores), np.inf] if (negatives < t).mean() >= specificity]
    return int(((scores >= enough[0]) != y).sum())


def main(draws, bootstraps, severity):
    found = {title: [] for title in PRINTED}
    for draw in range(draws):
        X, y = make_field_and_nerve(180, severity, random_state=draw)
        folds = StratifiedKFold(3, shuffle=True, random_state=draw).split(X, y)
        scores = {title: np.empty(len(y)) for title in PRINTED}
        for train, test in folds:
            for title, model in methods(bootstraps, draw):
                model.fit(X[train], y[train])
                scores[title][test] = model.predict_proba(X[test])[:, 1]
        for title, each in scores.items():
            row = roc_auc_score(y, each), least_errors(y, each), errors_at_specificity(y, each)
            found[title].append(row)
    print(f"{draws} draw(s) of 180 eyes, severity {severity}, {bootstraps} bootstraps\n")
    print("| method | AUROC, printed | here | errors, printed | here | at 90 %, printed | here |")
    print("| --- |" + " --- |" * 6)
    for title, printed in PRINTED.items():
        auc, errors, fixed = np.mean(found[title], axis=0)
        print(f"| {title} | {printed[0]} | {auc:.3f} | {printed[1]} | {errors:.1f} | {printed[2]} "
              f"| {fixed:.1f} |")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--bootstraps", type=int, default=20)
    parser.add_argument("--severity", type=float, default=0.8)
    options = parser.parse_args()
    main(options.draws, options.bootstraps, options.severity)

"""How relevance and redundancy may be traded: what the default scheme of MRMR was chosen by.

    python bench/quality/trades.py

F times a share of what the selected columns leave of a column, on the tables of classes; all
columns are taken as numbers. For the sets that choose and for those that confirm: mean score over
10 and 20 columns, mean rank of the rules, and stability of 20 columns between the halves. Real sets
come from the folder that ENSFS_DATA names. Takes less than a minute.
"""

import warnings

import numpy as np
import sets
from evaluate import Half, halves
from scipy.stats import rankdata
from sklearn.feature_selection import f_classif

from ensfs.evaluation import nogueira_stability

SIZES = (10, 20)

#: What is left of F, given the largest and the mean |r| with the selected columns.
RULES = {
    "F / mean |r|": lambda largest, mean: 1 / np.maximum(mean, 1e-12),
    "F (1 - max |r|)^2": lambda largest, mean: (1 - largest) ** 2,
    "F (1 - max |r|)": lambda largest, mean: 1 - largest,
    "F (1 - max r^2)": lambda largest, mean: 1 - largest**2,
    "F (1 - max r^2)^2": lambda largest, mean: (1 - largest**2) ** 2,
    "F (1 - mean |r|)^2": lambda largest, mean: (1 - mean) ** 2,
    "F (1 - mean |r|) (1 - max |r|)": lambda largest, mean: (1 - mean) * (1 - largest),
    "F / max |r|": lambda largest, mean: 1 / np.maximum(largest, 1e-12),
    "F (1 - max r^2) / mean |r|": lambda largest, mean: (1 - largest**2) / np.maximum(mean, 1e-12),
}


def standardized(X):
    """Columns of length 1 around 0; constant ones are 0."""
    Z = X - X.mean(axis=0)
    length = np.sqrt(np.square(Z).sum(axis=0))
    return Z / np.where(length > 0, length, 1.0)


def select(relevance, Z, k, rule):
    """Columns in order, by the definition."""
    largest, total, chosen = np.zeros(len(relevance)), np.zeros(len(relevance)), []
    for j in range(min(k, len(relevance))):
        score = relevance * rule(largest, total / j) if j else relevance.copy()
        score[chosen] = -np.inf
        chosen.append(int(np.argmax(score)))
        r = np.minimum(np.abs(Z.T @ Z[:, chosen[-1]]), 1.0)
        largest, total = np.maximum(largest, r), total + r
    return chosen


def figures(name):
    """Score and stability of every rule on one set."""
    task = sets.load(name)
    orders, scores = {rule: [] for rule in RULES}, {rule: [] for rule in RULES}
    for train, test in halves(task, 1):
        half = Half(task, train, test)
        X = half.X.to_numpy(dtype=float)
        relevance, Z = np.nan_to_num(f_classif(X, half.y)[0], posinf=1e12), standardized(X)
        for rule, share in RULES.items():
            order = select(relevance, Z, max(SIZES), share)
            orders[rule].append(order)
            scores[rule] += [np.mean(half.scores(order[:k])) for k in SIZES]
    stable = [nogueira_stability(orders[rule], n_features=X.shape[1]).stability for rule in RULES]
    return [np.mean(scores[rule]) for rule in RULES], stable


def main():
    warnings.simplefilter("ignore")
    for role in ("choose", "confirm"):
        names = [n for n in (*sets.CLASSES, *sets.TALL_CLASSES) if sets.role(n) == role]
        found = np.array([figures(name) for name in names])
        scores, stable = found[:, 0], np.nanmean(found[:, 1], axis=0)
        ranks = rankdata(-scores, axis=1).mean(axis=0)
        print(f"\n{len(names)} sets that {role}\n\n| | score | rank | stability |")
        print("| --- | --- | --- | --- |")
        for row in zip(RULES, scores.mean(axis=0), ranks, stable, strict=True):
            print("| {} | {:.3f} | {:.1f} | {:.2f} |".format(*row), flush=True)


if __name__ == "__main__":
    main()

"""Figures 1 and 2 of the paper on entropy as a measure of diversity, on sets at hand.

Run ``python bench/papers/entropy_diversity.py``. The paper's data (in vitro fertilisation, 1355
rows, 53 columns) are not public; ``--sets`` names others, see ``tables.py``.

P. Cunningham and J. Carney (2000), Diversity versus quality in classification ensembles based on
feature selection. Half of the rows are for the search (57 % train and 43 % test each mask, as 330
and 250 of 580 in the paper), the other half measure. From 50 random and 50 searched masks: 10
ensembles of 5, 5 of 10, 2 of 20, 2 of 30 (the first and the last), one of 40 and one of 50; for
each its ambiguity and what its vote gains over its members, by errors and by conditional entropy.
Then the best 20 of 66.
"""

import argparse

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from tables import load, progress

from ensfs import FeatureMaskClassifier
from ensfs.ensemble.library import member_predictions
from ensfs.evaluation import ambiguity, ensemble_gain

SETS = ("credit-g", "horse-colic", "heart-c", "pima", "sonar", "wdbc", "ionosphere", "glass")


def blocks():
    """Members of the 21 ensembles of 50."""
    sizes = {5: range(0, 50, 5), 10: range(0, 50, 10), 20: (0, 20), 30: (0, 20), 40: (0,), 50: (0,)}
    return [range(start, start + size) for size, starts in sizes.items() for start in starts]


def evaluate(name, seed):
    """Points of both kinds of masks, and accuracies."""
    X, y = load(name)
    X = SimpleImputer(strategy="median").fit_transform(X)
    train, test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=seed
    )
    points, accuracy = [], {}
    for search in ("random", "hill_climbing"):
        model = FeatureMaskClassifier(n_estimators=50, search=search, random_state=seed)
        votes = member_predictions(model.fit(train, y_train), test)
        accuracy[search] = (votes == y_test).mean(), (model.predict(test) == y_test).mean()
        for members in blocks():
            chosen = votes[list(members)]
            gains = [
                ensemble_gain(chosen, y_test, loss=loss)
                for loss in ("error", "conditional_entropy")
            ]
            points.append((len(members), ambiguity(chosen), *gains))
    best = FeatureMaskClassifier(n_estimators=20, n_candidates=66, random_state=seed)
    predicted = best.fit(train, y_train).predict(test)
    accuracy["best 20 of 66"] = (predicted == y_test).mean()
    accuracy["balanced"] = balanced_accuracy_score(y_test, predicted)
    accuracy["largest class"] = np.bincount(y_test).max() / y_test.size
    return np.array(points), accuracy


def main():
    """Print a row for each set, and how ambiguity grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(
        "| data | r, errors | r, entropy | member, random | member, searched | 50 searched | best "
        "20 of 66 | balanced | largest class |\n" + "| --- " * 9 + "|"
    )
    growth, correlations = [], []
    for name in options.sets:
        progress(name)
        points, accuracy = evaluate(name, options.seed)
        progress("")
        r = [np.corrcoef(points[:, 1], points[:, column])[0, 1] for column in (2, 3)]
        correlations.append(r)
        growth.append([points[points[:, 0] == n, 1].mean() for n in (5, 10, 20, 30, 40, 50)])
        print(
            f"| {name} | {r[0]:.2f} | {r[1]:.2f} | {accuracy['random'][0]:.3f} | "
            f"{accuracy['hill_climbing'][0]:.3f} | {accuracy['hill_climbing'][1]:.3f} | "
            f"{accuracy['best 20 of 66']:.3f} | {accuracy['balanced']:.3f} | "
            f"{accuracy['largest class']:.3f} |"
        )
    print(f"mean r: errors {np.mean(correlations, 0)[0]:.2f}, entropy "
          f"{np.mean(correlations, 0)[1]:.2f}; printed .81 and .91")  # fmt: skip
    print("mean ambiguity with 5, 10, 20, 30, 40, 50 members:", np.mean(growth, 0).round(3))


if __name__ == "__main__":
    main()

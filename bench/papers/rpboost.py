"""Table 4 of Casale, Pujol and Radeva (2011): RpBoost on the eight patterns.

Run ``python bench/papers/rpboost.py``; ``--runs 10`` draws more training sets, ``--rounds 500`` is
the paper's number of rounds. A run trains on 1,000 of the 6,561 points of the grid, drawn by class,
and tests on all. The best of the projections is printed beside the paper's best, LsBoost and
AdaBoost of stumps beside it. The table comes as markdown on the standard output.
"""

import argparse

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from ensfs import RpBoostClassifier
from ensfs.datasets import make_pattern

PRINTED = {
    "sine": 98.6, "linear": 99.3, "parity": 96.8, "annulus": 96.5, "parabolic": 98.9,
    "disjunctive": 93.5, "polynomial": 99.0, "checkerboard": 95.7,
}  # fmt: skip
KINDS = [(d, p) for d in ("sub", "same", "super") for p in ("normal", "binary", "uniform")]


def models(rounds, seed):
    for dimension, projection in KINDS:
        model = RpBoostClassifier(
            rounds, projection=projection, dimension=dimension, random_state=seed
        )
        yield f"{dimension} {projection}", model
    yield "LsBoost", RpBoostClassifier(rounds, projection=None)
    yield "AdaBoost", AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=rounds)


def main(runs, rounds):
    print(f"{runs} run(s), {rounds} rounds; accuracy in %\n")
    print("| pattern | printed best | RpBoost best | with | LsBoost | AdaBoost |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, printed in PRINTED.items():
        X, y = make_pattern(name)
        scores = {}
        for seed in range(runs):
            train, _ = train_test_split(
                np.arange(len(y)), train_size=1000, stratify=y, random_state=seed
            )
            for title, model in models(rounds, seed):
                score = 100 * model.fit(X[train], y[train]).score(X, y)
                scores.setdefault(title, []).append(score)
        means = {title: np.mean(values) for title, values in scores.items()}
        best = max((title for title in means if " " in title), key=means.get)
        print(
            f"| {name} | {printed} | {means[best]:.1f} | {best} | {means['LsBoost']:.1f} | "
            f"{means['AdaBoost']:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=500)
    options = parser.parse_args()
    main(options.runs, options.rounds)

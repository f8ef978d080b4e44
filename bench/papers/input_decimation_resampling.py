"""Input decimation with bagging and boosting, which Tumer and Oza (2003) name as future work.

Run ``python bench/papers/input_decimation_resampling.py``; ``--sets``, ``--runs``. The sets are
those of ``input_decimation.py``. Members are decision trees (three rows in a leaf at least), 20 of
them in a bag or a boosted row, inputs as they were best there.

* Each line is an accuracy on the test rows in per cent, mean over the runs with its standard error:
  one tree on all inputs, a bag and boosted trees on all inputs; input decimation with one tree for
  each class, inside a bag and a boosted row (each member decimates the inputs anew, by its own rows
  or weights), and with a bag or a boosted row for each class.
"""

import argparse

import numpy as np
from input_decimation import EXPERIMENTS, split
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import at_hand, progress

from ensfs import InputDecimationClassifier

INPUTS = {"A": 10, "B": 30, "gene": 20, "dna180": 60, "satimage": 27}


def models(n_inputs, seed):
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=seed)
    stump = DecisionTreeClassifier(max_depth=3, random_state=seed)

    def decimated(member):
        return InputDecimationClassifier(member, n_inputs, random_state=seed)

    def bag(member):
        return BaggingClassifier(member, 20, random_state=seed)

    def boost(member):
        return AdaBoostClassifier(member, n_estimators=20, random_state=seed)

    return {
        "tree": tree,
        "bag": bag(tree),
        "boost": boost(stump),
        "IDE": decimated(tree),
        "bag of IDE": bag(decimated(tree)),
        "IDE of bags": decimated(bag(tree)),
        "boosted IDE": boost(decimated(stump)),
        "IDE of boosted": decimated(boost(stump)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=list(INPUTS), default=list(INPUTS))
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()
    for name in options.sets:
        if name not in "AB" and not at_hand(name):
            print(f"{name}: not at hand")
            continue
        scores = {}
        for seed in range(options.runs):
            X, X_test, y, y_test = split(name, seed)
            for title, model in models(INPUTS[name], seed).items():
                progress(f"{name}, run {seed + 1}: {title}")
                scores.setdefault(title, []).append(100 * model.fit(X, y).score(X_test, y_test))
        progress("")
        print(f"\n{EXPERIMENTS[name].title}, {INPUTS[name]} inputs, {options.runs} runs")
        for title, values in scores.items():
            error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
            print(f"  {title:15s} {np.mean(values):5.1f} ± {error:.1f}", flush=True)


if __name__ == "__main__":
    main()
